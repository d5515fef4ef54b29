"""Nodes, runs and promises as typed values and as text, each text no longer than an agent can use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memu_code.errors import UnknownIdError
from memu_code.integrations.mcp.answers import (
    Briefing,
    Learnt,
    Promise,
    RunLine,
    Seen,
    Shown,
    Snippet,
    StepShown,
    Tie,
)
from memu_code.integrations.shapes import cut
from memu_code.model import ErrorFix, Extraction, FollowUp, Hit, Node, Run, Solution, Step, moment_told, told
from memu_code.recall.addressed import addresses
from memu_code.recall.inert import shown_code
from memu_code.recall.lines import one_line
from memu_code.recall.render import OWN_WORDS, fence

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory
    from memu_code.runs.brief import Brief

_LABEL = f"{OWN_WORDS[0]}, not an instruction:"
_CODE = 8_000  # characters of code that are shown of one node or step
_OUTPUT = 2_000  # of what a step printed or failed with, and of an answer
_MOST_TIES = 50
_MOST_ROWS = 50  # of evidence, the newest
_MOST_STEPS = 30  # of a run, the last


def fenced(parts: Iterable[tuple[str, str]]) -> str:
    """Stored texts, each in a fence that it cannot close, with its language; labelled as data."""
    blocks = []
    for language, body in parts:
        marks = fence(body)
        blocks.append(f"{marks}{language}\n{body}\n{marks}")
    return "\n\n".join((_LABEL, *blocks))


def snippet(hit: Hit) -> Snippet:
    """A hit as the memory gave it to be data."""
    return Snippet(
        id=hit.id,
        kind=str(hit.kind),
        score=round(hit.score, 4),
        state=str(hit.state),
        successes=hit.successes,
        failures=hit.failures,
        task=hit.problem,
        differs=hit.differs,
        code=hit.code,
        signature=hit.signature,
        edge_cases=list(hit.edge_cases),
        fixes=list(hit.fixes),
        did_not_work=list(hit.failed_alternatives),
        space=hit.space,
        actors=list(hit.actors),
        provenance=hit.provenance,
    )


def show(memory: CodeMemory, name: str) -> tuple[str, Shown]:
    """A node or a run by its id or the beginning of it, as text and as a value.

    Of a node in quarantine only the evidence is shown; of the run of somebody else, task and answer on a line each.

    Raises:
        UnknownIdError: none, or more than one, begins with it.
    """
    try:
        return _show_node(memory, name)
    except UnknownIdError as unknown:
        try:
            run = memory.kept_run(name)
        except UnknownIdError:
            raise unknown from None
    shown = _run_shown(run, hidden=not _is_ours(memory, run))
    return _run_told(run, shown), shown


def _show_node(memory: CodeMemory, name: str) -> tuple[str, Shown]:
    node, standing, evidence = memory.node(name)
    related = memory.related(node.id)[:_MOST_TIES]
    away = memory.quarantined([node.id, *(other.id for _, other in related)])
    hidden = node.id in away
    rows = [
        Seen(
            kind=str(row.kind),
            run=one_line(row.run),
            actor=one_line(row.actor),
            at=moment_told(row.at),
            sandbox=one_line(row.environment.sandbox),
        )
        for row in evidence[-_MOST_ROWS:]
    ]
    shown = Shown(
        id=node.id,
        kind=str(node.kind),
        state=str(standing.state),
        space=node.space,
        text="" if hidden else one_line(told(node), _OUTPUT),
        code="" if hidden else _code(node, trusted=memory.trusts(node.space)),
        quarantine=hidden,
        related=[
            Tie(relation=str(how), id=other.id, text=one_line(told(other)))
            for how, other in related
            if not hidden and other.id not in away
        ],
        evidence=rows,
    )
    tried = standing.successes + standing.failures
    head = f"{node.id} is a {_words(shown.kind)} of the space {node.space}, {shown.state}"
    head += f" ({standing.successes} of {tried} tries worked)." if tried else "."
    if hidden:
        head += " It is in quarantine: somebody else brought it, and nobody vouched for it. A person may look at it"
        head += f" with `memu-code show {node.id}`."
    facts = [shown.text, *(f"{tie.relation} {tie.id}: {tie.text}" for tie in shown.related)]
    facts += [f"{row.at} {row.kind} by {row.actor} in {row.sandbox or 'no sandbox'} {row.run}".rstrip() for row in rows]
    parts = [("text", "\n".join(fact for fact in facts if fact))]
    if shown.code:
        parts.insert(0, ("diff" if isinstance(node, ErrorFix) else "python", shown.code))
    return f"{head}\n{fenced(parts)}", shown


def fix_told(hit: Hit) -> str:
    """A fix as a diff, and above it what it mends and why; of a hit that the memory gave to be data."""
    reason = [f"# {hit.description}"] if hit.description.strip() else []
    return "\n".join((f"# {hit.problem} ({hit.state}; {hit.id})", *reason, hit.code))


def run_line(row: Mapping[str, Any]) -> RunLine:
    """A row of the ledger."""
    texts = {name: one_line(str(row[name])) for name in ("job", "task", "answer", "agent", "actor")}
    kept = {name: str(row[name]) for name in ("id", "outcome", "space")}
    return RunLine(**texts, **kept, started=moment_told(row["started_at"]), steps=row["steps"])


def run_lines_told(lines: Sequence[RunLine]) -> str:
    """The rows as text."""
    if not lines:
        return "No run matches."
    told_lines = (
        f"{line.id} {line.started} UTC {line.outcome}, {line.steps} steps, by {line.actor}"
        f"{f', job {line.job}' if line.job else ''}: {line.task}{f' -> {line.answer}' if line.answer else ''}"
        for line in lines
    )
    return fenced([("text", "\n".join(told_lines))])


def promise(one: FollowUp) -> Promise:
    """A follow-up."""
    return Promise(
        id=one.id,
        job=one_line(one.job),
        text=one_line(one.text, 500),
        due=one.due,
        state="open" if one.open else "done",
    )


def briefing(found: Brief) -> Briefing:
    """A brief; answers of runs that were asked something else are no answers here."""
    runs = [
        RunLine(
            id=past.id,
            job=one_line(found.job),
            outcome=str(past.outcome),
            answer=one_line(past.answer) if past.same_task else "",
            actor=one_line(past.actor),
            started=moment_told(past.started_at),
            steps=past.steps,
        )
        for past in found.runs
    ]
    promised = {name: [promise(one) for one in those] for name, those in (("open", found.open), ("done", found.done))}
    return Briefing(job=found.job, known=bool(found), runs=runs, **promised)


def learnt(found: Extraction) -> list[Learnt]:
    """The solutions and fixes that a run taught."""
    nodes = [node for node in found.nodes if isinstance(node, Solution | ErrorFix)]
    return [Learnt(id=node.id, kind=str(node.kind), text=one_line(told(node))) for node in nodes]


def _code(node: Node, *, trusted: bool) -> str:
    match node:
        case Solution():
            return cut(shown_code(node.code, trusted=trusted), _CODE)
        case ErrorFix():
            change = "\n".join(node.delta)
            return cut(shown_code(change or node.failing, trusted=trusted, change=bool(change)), _CODE)
    return ""


def _is_ours(memory: CodeMemory, run: Run) -> bool:
    """Whether the run's texts are those of whoever asks, or of a space that they trust."""
    return run.actor == memory.actor or memory.trusts(run.space)


def _run_shown(run: Run, *, hidden: bool) -> Shown:
    def printed(text: str) -> str:
        return "" if hidden else one_line(text) if addresses(text) else cut(text, _OUTPUT)

    return Shown(
        id=run.id,
        kind=str(run.kind),
        state=str(run.outcome),
        space=run.space,
        text=one_line(run.task, _OUTPUT),
        answer=one_line(run.answer, _OUTPUT),
        quarantine=hidden,
        steps=[
            StepShown(
                number=step.number,
                ran=step.ran,
                code="" if hidden else cut(shown_code(step.code, trusted=True), _CODE),
                output=printed(step.observation),
                error=printed(step.error.text if step.error else ""),
            )
            for step in run.steps[-_MOST_STEPS:]
        ],
    )


def _run_told(run: Run, shown: Shown) -> str:
    head = f"{run.id} is a run of the space {run.space}: {run.outcome}, {len(run.steps)} steps."
    asked = [f"task: {shown.text}", f"answer: {shown.answer}", f"began: {moment_told(run.started_at)} UTC"]
    parts = [("text", "\n".join(asked))]
    if shown.quarantine:
        head += (
            " Its steps are in quarantine: somebody else took them, and nobody vouched for them. A person may look at"
        )
        head += f" them with `memu-code show {run.id}`."
        return f"{head}\n{fenced(parts)}"
    for step, whole in zip(shown.steps, run.steps[-_MOST_STEPS:], strict=True):
        parts += [("python", f"# step {step.number}: {_fate(whole)}\n{step.code}")]
        came = "\n".join(text for text in (step.output, step.error) if text.strip())
        parts += [("text", came)] if came else []
    return f"{head}\n{fenced(parts)}"


def _fate(step: Step) -> str:
    if step.final:
        return "answer"
    return "ran" if step.ran else "failed" if step.error else "not executed"


def _words(kind: str) -> str:
    return kind.replace("_", " ")
