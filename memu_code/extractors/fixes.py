"""Error→fix pairs: a step that failed, and the later step that ran and mended it.

Every failing step of a chain is paired with the first later step that ran to its end and still does what the failing
statement was to do: what is stored as the fix must have run. Where an attempt between them got past the error (and
failed later on), the changed lines are taken from there, as far as they stand in the code that ran: they are fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memu_code.extractors.alignment import Attempt, as_text, attempt, delta
from memu_code.extractors.parse import Unparsable, guard
from memu_code.extractors.protocol import Example, Extractor
from memu_code.extractors.signature import NO_CODE, Signature, signature
from memu_code.extractors.symbols import imported, symbols
from memu_code.extractors.thoughts import spoken
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
MAX_DELTA = 60  # changed lines; beyond it the code was written anew
MAX_FIXES = 20  # pairs of one run
MAX_THOUGHT = 600  # characters
MAX_LATER = 8  # later steps that are looked at for one failing step


@dataclass(frozen=True, slots=True)
class Mended:
    """A failing step, the step that mended it, and what was changed."""

    failing: Step
    by: Step
    signature: Signature
    delta: tuple[str, ...]


def failed(step: Step) -> bool:
    """Whether the step holds code that ended in an error; a step that never came to run its code does not."""
    return bool(step.code.strip()) and step.error is not None and bool(step.error.text.strip()) and not step.final


def mended(run: Run) -> Iterator[Mended]:
    """Each failing step of the run with the step that mended it, where there is one."""
    for place, step in enumerate(run.steps):
        if step.error is None or not failed(step):
            continue
        told = signature(step.error.text, type=step.error.type, root=step.error.root)
        if told.error_class == NO_CODE:
            continue
        found = _mended_by(step, run.steps[place + 1 :])
        if found is not None:
            yield Mended(step, found[0], told, found[1])


def _mended_by(step: Step, later: Sequence[Step]) -> tuple[Step, tuple[str, ...]] | None:
    failing = attempt(step.code, step.error.text if step.error else "")
    between: list[Step] = []
    for other in [item for item in later if item.code.strip()][:MAX_LATER]:
        if failed(other) or not (other.ran or other.final):
            between.append(other)
            continue
        target = attempt(other.code) if failing.parsed else as_text(other.code)
        changed = delta(failing, target)
        if changed and len(changed) <= MAX_DELTA:
            return other, _smallest(failing, between, target, changed)
    return None


def _smallest(failing: Attempt, between: Sequence[Step], target: Attempt, changed: tuple[str, ...]) -> tuple[str, ...]:
    """The changed lines of the first attempt that got past the error, if all that it added stands in the end."""
    for step in between:
        text = step.error.text if step.error else ""
        half = attempt(step.code, text) if failing.parsed else as_text(step.code)
        small = delta(failing, half)
        added = [line[2:] for line in small if line.startswith("+ ")]
        if small and len(small) < len(changed) and all(line in target.lines for line in added):
            kept = half.lines[half.failed[0] : half.failed[1]] if half.failed else half.lines
            if not any(line in kept for line in added):
                return small
    return changed


def extract_fixes(run: Run, found: Extraction) -> Extraction:
    """The error→fix pairs of a run, solved or not; those of a solved run hang on its solutions."""
    nodes: list[ErrorFix] = []
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    names = _imports(run)
    solutions = [node.id for node in found.nodes if isinstance(node, Solution) and not node.name]
    solutions = solutions or [node.id for node in found.nodes if isinstance(node, Solution)]
    for pair in mended(run):
        fix = _fix(run, pair, names)
        if len(nodes) >= MAX_FIXES:
            break
        nodes.append(fix)
        edges.extend(Edge(run.space, node, Relation.FIXED_ON_THE_WAY, fix.id) for node in solutions if run.solved)
        edges.extend(Edge(run.space, fix.id, Relation.USES, Symbol(name).id) for name in fix.symbols)
        kinds = (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED) if run.solved else (EvidenceKind.RAN_OK,)
        evidence.extend(
            Evidence(run.space, fix.id, kind, run.actor, run.ended_at, run.id, run.environment) for kind in kinds
        )
    return Extraction(tuple(nodes), tuple(edges), tuple(evidence))


def _fix(run: Run, pair: Mended, names: dict[str, str]) -> ErrorFix:
    changed = "\n".join(line[2:].strip() for line in pair.delta)
    used = tuple(name for name in _symbols(run, pair.by.code, names) if name.rpartition(".")[2] in changed)
    short = len(pair.failing.code) <= MAX_CODE and len(pair.by.code) <= MAX_CODE
    return ErrorFix(
        space=run.space,
        signature=pair.signature.key,
        error_class=pair.signature.error_class,
        message=pair.signature.message,
        failing=pair.failing.code if short else "\n".join(line[2:] for line in pair.delta if line[0] == "-"),
        fixed=pair.by.code if short else "\n".join(line[2:] for line in pair.delta if line[0] == "+"),
        delta=pair.delta,
        thought=_thought(pair.by.thought),
        sandbox=run.environment.sandbox,
        symbols=used,
    )


def _imports(run: Run) -> dict[str, str]:
    """Names that any step imported: they live on in the steps after it."""
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
