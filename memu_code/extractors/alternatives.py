"""Failed alternatives: what a solved run tried, and gave up for another way."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from memu_code.extractors.code.symbols import qualified
from memu_code.extractors.code.walking import walk
from memu_code.extractors.deltas.attempts import BUILTINS, TOLD, Unit, attempt
from memu_code.extractors.deltas.mending import failed, mended
from memu_code.extractors.errors.signature import NO_CODE, Signature, signature
from memu_code.extractors.fixes import imports
from memu_code.extractors.protocol import Example, Extractor
from memu_code.model import (
    Edge,
    Environment,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Input,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
    Symbol,
)

MAX_ALTERNATIVES = 5  # of one run
MAX_STATEMENT = 400  # characters of the statement that failed


def extract_alternatives(run: Run, found: Extraction) -> Extraction:
    """Edges from a solved run's solution to the errors of steps that nothing in the run mended.

    Where the run, in another place, mended the same error, that is the target. Else what was tried becomes a node of
    its own, an error without a fix, if it was another way to go: it calls or imports what the solution does without.
    """
    solutions = [node for node in found.nodes if isinstance(node, Solution) and not node.name] if run.solved else []
    cured = {node.failing for node in found.nodes if isinstance(node, ErrorFix)}
    left = [step for step in run.steps if failed(step) and step.code not in cured]
    if not solutions or not left:
        return Extraction()
    names = _names(run)
    kept = set().union(*(_reached(node.code, names) for node in solutions))
    known = {node.signature: node.id for node in found.nodes if isinstance(node, ErrorFix)}
    done = {id(pair.failing) for pair in mended(run, left)}  # the fix of the same change stands for several steps
    targets: dict[str, ErrorFix | None] = {}
    for step in left:
        if step.error is None or id(step) in done or len(targets) >= MAX_ALTERNATIVES:
            continue
        told = signature(step.error.text, type=step.error.type, root=step.error.root, code=step.code)
        if told.key in known:
            targets.setdefault(known[told.key], None)
        elif told.error_class != NO_CODE and (node := _dropped(run, step, told, kept, names)):
            targets.setdefault(node.id, node)
    nodes = [node for node in targets.values() if node is not None]
    edges = [Edge(run.space, one.id, Relation.FAILED_ALTERNATIVE, target) for one in solutions for target in targets]
    edges += [Edge(run.space, node.id, Relation.USES, Symbol(name).id) for node in nodes for name in node.symbols]
    evidence = (
        Evidence(run.space, node.id, EvidenceKind.RAN_ERROR, run.actor, run.ended_at, run.id, run.environment)
        for node in nodes
    )
    return Extraction(tuple(nodes), tuple(edges), tuple(evidence))


def _dropped(run: Run, step: Step, told: Signature, kept: set[str], names: Mapping[str, str]) -> ErrorFix | None:
    """What a failed step tried, if the solution does without it."""
    tried = attempt(step.code, step.error.text if step.error else "")
    if not tried.parsed or not tried.units:
        return None
    acting = [unit for unit in tried.units if not unit.told and not unit.defines] or list(tried.units)
    unit = tried.units[tried.failed] if tried.failed is not None else acting[-1]
    ways = _ways(unit.statement, names) | _ways_behind(unit, tried.units, names)
    given_up = ways - kept
    if not given_up:
        return None
    return ErrorFix(
        space=run.space,
        signature=told.key,
        error_class=told.error_class,
        message=told.message,
        failing=unit.text[:MAX_STATEMENT],
        fixed="",
        delta=(),
        sandbox=run.environment.sandbox,
        symbols=tuple(sorted(given_up)),
    )


def _names(run: Run) -> dict[str, str]:
    """What imports of any step bind, and an empty text for every name that the run's code makes itself."""
    names: dict[str, str] = {}
    for step in run.steps:
        for unit in attempt(step.code).units:
            names.update(dict.fromkeys(unit.binds, ""))
    return names | imports(run)


def _reached(code: str, names: Mapping[str, str]) -> set[str]:
    return {way for unit in attempt(code).units for way in _ways(unit.statement, names)}


def _ways_behind(unit: Unit, units: Iterable[Unit], names: Mapping[str, str]) -> set[str]:
    """The ways that functions go which the statement calls."""
    called = [other for other in units if other.defines and other.defines in unit.reads]
    return {way for other in called for way in _ways(other.statement, names)}


def _ways(statement: ast.stmt, names: Mapping[str, str]) -> set[str]:
    """What a statement imports, and what it calls of modules, of tools and of names that nobody made."""
    found: set[str] = set()
    for node in walk(statement):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
            root = name.partition(".")[0]
            if name.replace(".", "").isidentifier() and root not in BUILTINS | TOLD:
                found |= {qualified(node.func, names)} if names.get(root) else set() if root in names else {name}
    return found - {""}


ALTERNATIVES = Extractor(
    extract_alternatives,
    (
        Example(
            "an import that is forbidden, and the tool that was used instead",
            Run(
                "example",
                "~example",
                "the number of words on the page",
                inputs=(Input("url", "str"),),
                environment=Environment(tools=("visit",)),
                steps=(
                    Step(
                        1,
                        "import requests\npage = requests.get(url).text",
                        error=StepError(
                            "AgentExecutionError",
                            "Code execution failed at line 'import requests' due to: InterpreterError: "
                            "Import of requests is not allowed. Authorized imports are: ['re']",
                        ),
                    ),
                    Step(2, "text = visit(url)\nfinal_answer(len(text.split()))", ran=True, final=True),
                ),
            ),
            ("ImportError: requests: the import is not allowed",),
            (Relation.FAILED_ALTERNATIVE, Relation.USES),
        ),
    ),
)
