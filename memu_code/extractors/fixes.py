"""Error→fix pairs as nodes: what failed, what ran instead, the changed lines and the thought behind them."""

from __future__ import annotations

from memu_code.extractors.code.cells import as_cell
from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.symbols import imported, symbols
from memu_code.extractors.code.thoughts import spoken
from memu_code.extractors.deltas.mending import Mended, failed, mended
from memu_code.extractors.errors.signature import signature
from memu_code.extractors.protocol import Example, Extractor
from memu_code.model import (
    Edge,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Outcome,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
    Symbol,
)

MAX_CODE = 8_000  # characters of failing and of mended code; longer code is not kept, the changed lines are
MAX_FIXES = 20  # pairs of one run
MAX_THOUGHT = 600  # characters


def extract_fixes(run: Run, found: Extraction) -> Extraction:
    """The error→fix pairs of a run, solved or not; those of a solved run hang on its solutions."""
    if not any(failed(step) for step in run.steps):
        return Extraction()
    nodes: dict[str, ErrorFix] = {}
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    names = imports(run)
    solutions = [node.id for node in found.nodes if isinstance(node, Solution) and not node.name]
    solutions = solutions or [node.id for node in found.nodes if isinstance(node, Solution)]
    for pair in mended(run):
        fix = _fix(run, pair, names)
        if fix.id in nodes:
            continue
        if len(nodes) >= MAX_FIXES:
            break
        nodes[fix.id] = fix
        edges.extend(Edge(run.space, node, Relation.FIXED_ON_THE_WAY, fix.id) for node in solutions if run.solved)
        edges.extend(Edge(run.space, fix.id, Relation.USES, Symbol(name).id) for name in fix.symbols)
        kinds = (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED) if run.solved else (EvidenceKind.RAN_OK,)
        evidence.extend(
            Evidence(run.space, fix.id, kind, run.actor, run.ended_at, run.id, run.environment) for kind in kinds
        )
    return Extraction(tuple(nodes.values()), tuple(edges), tuple(evidence))


def _fix(run: Run, pair: Mended, names: dict[str, str]) -> ErrorFix:
    changed = "\n".join(line[2:].strip() for line in pair.delta if not line.startswith("  "))
    used = tuple(name for name in _symbols(run, pair.fixed, names) if name.rpartition(".")[2] in changed)
    error = pair.failing.error
    bare = signature(error.text, type=error.type, root=error.root).key if error else ""
    short = len(pair.failing.code) <= MAX_CODE and len(pair.fixed) <= MAX_CODE
    return ErrorFix(
        space=run.space,
        signature=pair.signature.key,
        error_class=pair.signature.error_class,
        message=pair.signature.message,
        failing=pair.failing.code if short else "\n".join(line[2:] for line in pair.delta if line[0] == "-"),
        fixed=pair.fixed if short else "\n".join(line[2:] for line in pair.delta if line[0] == "+"),
        delta=tuple(as_cell(line) for line in pair.delta),
        thought=next((told for step in pair.by if (told := _thought(step.thought))), ""),
        sandbox=run.environment.sandbox,
        symbols=used,
        bare_signature=bare if bare != pair.signature.key else "",
    )


def imports(run: Run) -> dict[str, str]:
    """The names that any step imported, with what they mean: they live on in the steps after it."""
    names: dict[str, str] = {}
    for step in run.steps:
        try:
            names.update(imported(guard(step.code)) if "import" in step.code else {})
        except Unparsable:
            continue
    return names


def _symbols(run: Run, code: str, names: dict[str, str]) -> tuple[str, ...]:
    try:
        tree = guard(code)
    except Unparsable:
        return ()
    return symbols(tree, run.environment.tools, names)


def _thought(text: str) -> str:
    told = spoken(text, 4 * MAX_THOUGHT)
    return told if len(told) <= MAX_THOUGHT else told[: MAX_THOUGHT - 1].rsplit(" ", 1)[0] + "…"


FIXES = Extractor(
    extract_fixes,
    (
        Example(
            "a missing import, mended in the next step",
            Run(
                "example",
                "~example",
                "the day of the week",
                outcome=Outcome.MAX_STEPS,
                steps=(
                    Step(
                        1,
                        "day = datetime.date(2024, 2, 29).strftime('%A')\nprint(day)",
                        error=StepError(
                            "AgentExecutionError",
                            "Code execution failed at line 'day = datetime.date(2024, 2, 29).strftime('%A')' due to: "
                            "InterpreterError: The variable `datetime` is not defined.",
                        ),
                    ),
                    Step(2, "import datetime\nday = datetime.date(2024, 2, 29).strftime('%A')\nprint(day)", ran=True),
                ),
            ),
            ("NameError: datetime: not defined\n+ import datetime",),
        ),
    ),
)
