"""Failed alternatives: what a solved run tried, and gave up for another way."""

from __future__ import annotations

from memu_code.extractors.fixes import failed, mended
from memu_code.extractors.protocol import Example, Extractor
from memu_code.extractors.signature import signature
from memu_code.model import Edge, ErrorFix, Extraction, Relation, Run, Solution, Step, StepError


def extract_alternatives(run: Run, found: Extraction) -> Extraction:
    """Edges from a solved run's solution to the known errors of steps that nothing in the run mended.

    Only to errors for which a fix is known in this run: no node is made for what was merely dropped.
    """
    if not run.solved:
        return Extraction()
    solutions = [node.id for node in found.nodes if isinstance(node, Solution) and not node.name]
    known = {node.signature: node.id for node in found.nodes if isinstance(node, ErrorFix)}
    if not solutions or not known:
        return Extraction()
    done = {id(pair.failing) for pair in mended(run)}
    targets: dict[str, None] = {}
    for step in run.steps:
        if step.error is not None and failed(step) and id(step) not in done:
            told = signature(step.error.text, type=step.error.type, root=step.error.root)
            if told.key in known:
                targets.setdefault(known[told.key])
    edges = [Edge(run.space, node, Relation.FAILED_ALTERNATIVE, target) for node in solutions for target in targets]
    return Extraction(edges=tuple(edges))


def _undefined(name: str, line: str) -> StepError:
    text = f"Code execution failed at line '{line}' due to: InterpreterError: The variable `{name}` is not defined."
    return StepError("AgentExecutionError", text)


ALTERNATIVES = Extractor(
    extract_alternatives,
    (
        Example(
            "one way given up, the other mended",
            Run(
                "example",
                "~example",
                "the mean of the numbers",
                steps=(
                    Step(1, "show(np.loadtxt('a.txt'))", error=_undefined("np", "show(np.loadtxt('a.txt'))")),
                    Step(2, "box = np.array([1, 2, 3])", error=_undefined("np", "box = np.array([1, 2, 3])")),
                    Step(
                        3,
                        "import numpy as np\nbox = np.array([1, 2, 3])\nfinal_answer(float(box.sum()) / 3)",
                        ran=True,
                        final=True,
                    ),
                ),
            ),
            (),
            (Relation.FAILED_ALTERNATIVE,),
        ),
    ),
)
