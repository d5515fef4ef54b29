"""Values as pages: what a person wants to know of a hit, a node, a run or a seeding, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memu_code.cli.doubts import QUARANTINE
from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.shapes import grouped
from memu_code.model import (
    EdgeCase,
    ErrorFix,
    Evidence,
    Hit,
    Kind,
    Node,
    Problem,
    Promotion,
    Relation,
    Run,
    Solution,
    State,
    Step,
    moment_told,
    told,
)

if TYPE_CHECKING:
    from memu_code.graph import Standing
    from memu_code.learn.seed import SeedReport

_PROBLEM_CHARACTERS = 400  # of a task that is shown beside its solution; `show` has the whole
_OUTPUT_CHARACTERS = 2_000  # of what a step printed or failed with; `--json` has the whole
_EXAMPLES = 3  # of what was skipped, for each reason

_COUNTS = {
    "solution": "solutions",
    "problem": "problems",
    "edge_case": "edge cases",
    "error_fix": "known fixes",
    "given_up": "ways given up",
    "runs": "runs",
    "steps": "steps of runs",
    "sources": "seeded files",
    "edges": "edges",
    "evidence": "rows of evidence",
}


def hits_page(hits: Iterable[Hit]) -> list[Block]:
    """The hits, best first."""
    page: list[Block] = []
    for rank, hit in enumerate(hits, 1):
        standing = stood(hit.state, hit.successes, hit.failures)
        fix = hit.kind is Kind.ERROR_FIX
        facts = (
            ("error" if fix else "problem", short(hit.problem, _PROBLEM_CHARACTERS)),
            ("call", hit.signature),
            ("reason" if fix else "what it does", short(hit.description, _PROBLEM_CHARACTERS)),
            ("better", f"{hit.newer}, on trial" if hit.newer else ""),
            ("differs", hit.differs),
            ("avoids", ", ".join(hit.avoids)),
            ("because", hit.reason),
            ("speaks to the model", ", ".join(hit.speaks)),
            ("handles", "\n".join(hit.edge_cases)),
            ("fixed on the way", "\n".join(hit.fixes)),
            ("did not work", "\n".join(hit.failed_alternatives)),
            ("from", hit.provenance),
            ("promoted", hit.promoted.why if hit.promoted else ""),
            ("id", hit.id),
        )
        page += [
            Title(
                f"{rank}. {standing} · score {hit.score:.2f}{' · quarantine' if hit.quarantine else ''}", str(hit.state)
            ),
            *([Note(QUARANTINE)] if hit.quarantine else []),
            Facts(facts),
            Code(hit.code, "diff" if fix else "python"),
        ]
    return page


def why_page(hits: Sequence[Hit]) -> list[Block]:
    """Every part of each score, a hit a row."""
    parts = list(dict.fromkeys(name for hit in hits for name in hit.why))
    rows = tuple(
        (str(rank), hit.id, f"{hit.score:.2f}", *(f"{hit.why[name]:.2f}" if name in hit.why else "" for name in parts))
        for rank, hit in enumerate(hits, 1)
    )
    return [Title("why"), Grid(("", "id", "score", *parts), rows, numbers_from=2)]


def node_page(
    node: Node, standing: Standing, evidence: Sequence[Evidence], ties: Sequence[tuple[Relation, Node]]
) -> list[Block]:
    """One node: what it holds, what it is tied to, and a row for each thing seen of it."""
    title = f"{str(node.kind).replace('_', ' ')} · {stood(standing.state, standing.successes, standing.failures)}"
    page: list[Block] = [Title(title, str(standing.state)), *node_content(node)]
    if ties:
        told_ties = tuple(
            (str(relation), short(told(other), _PROBLEM_CHARACTERS), other.id) for relation, other in ties
        )
        page.append(Grid(("relation", "what", "id"), told_ties))
    if not evidence:
        return [*page, Note("No evidence: it is judged by the solutions that it belongs to.")]
    rows = tuple(
        (moment(row.at), str(row.kind), row.run, row.actor, row.environment.sandbox, row.environment.python, row.note)
        for row in evidence
    )
    return [*page, Grid(("when", "what", "run", "who", "sandbox", "python", "note"), rows)]


def run_page(run: Run) -> list[Block]:
    """One run, step by step."""
    facts = (
        ("task", run.task),
        ("answer", short(run.answer, _OUTPUT_CHARACTERS)),
        ("job", run.job),
        ("agent", run.agent),
        ("LLM", run.llm),
        ("who", run.actor),
        ("when", f"{moment(run.started_at)}, {max(0.0, run.ended_at - run.started_at):.1f} s"),
        ("where", " ".join(part for part in (run.environment.sandbox, run.environment.python) if part)),
        ("was offered", "\n".join(f"{offer.node} as {offer.how} {offer.name}".rstrip() for offer in run.offers)),
        ("space", run.space),
        ("id", run.id),
    )
    page: list[Block] = [Title(f"run · {run.outcome}", str(run.outcome)), Facts(facts)]
    for step in run.steps:
        page += _step(step)
    return page


def report_page(report: SeedReport) -> list[Block]:
    """What seeding took in, and what it left and why."""
    facts = (
        ("repository", report.root),
        ("files", f"{report.files} ({report.taken} taken in, {report.unchanged} unchanged, {report.removed} gone)"),
        ("functions", str(report.functions)),
        ("skipped", str(len(report.skipped))),
        ("time", f"{report.seconds:.1f} s"),
    )
    page: list[Block] = [Facts(facts)]
    if report.skipped:
        groups = grouped((f"{item.path} {item.symbol}".rstrip(), item.reason) for item in report.skipped)
        rows = tuple((str(len(things)), reason, _first(things)) for reason, things in groups.items())
        page.append(Grid(("skipped", "because", "for example"), rows))
    return page


def stats_page(stats: Mapping[str, Any]) -> list[Block]:
    """How much there is."""
    rows = [("store", str(stats["store"])), ("spaces", ", ".join(stats["spaces"]) or "none")]
    rows += [(_COUNTS[name], str(stats[name])) for name in _COUNTS]
    return [Facts(tuple(rows))]


def promotion_facts(one: Promotion) -> tuple[tuple[str, str], ...]:
    """A promotion: who, when, why, and who took it back."""
    back = f"by {one.back_by}, {moment(one.back_at)}" if one.back_at else ""
    return (
        ("promoted by", f"{one.by}, {moment(one.at)}"),
        ("from", "" if one.in_place else f"{one.source_space}, {one.source}"),
        ("why", one.why),
        ("taken back", f"{back}: {one.back_why}" if back and one.back_why else back),
    )


def stood(state: State, successes: int, failures: int) -> str:
    """The state with the counts behind it: `proven 3 of 3`."""
    tried = successes + failures
    return f"{state} {successes} of {tried}" if tried else str(state)


def moment(at: float) -> str:
    """A time in epoch seconds, to the second, in UTC."""
    return moment_told(at, "seconds")


def short(text: str, characters: int) -> str:
    """The text, cut where it is longer."""
    text = text.strip()
    return text if len(text) <= characters else text[: characters - 4].rstrip() + " ..."


def node_content(node: Node, *, whole: bool = False) -> list[Block]:
    """All that a node says; a message is cut where it is very long, unless the whole of it is wanted."""
    match node:
        case Solution():
            origin = node.origin
            facts = (
                ("call", node.signature),
                ("what it does", node.description),
                ("needs", "\n".join(f"{given.name} {given.seen}".rstrip() for given in node.inputs)),
                ("imports", ", ".join(node.imports)),
                ("tools", ", ".join(node.tools)),
                ("uses", ", ".join(node.symbols)),
                ("from", f"{origin.root}/{origin.path}:{origin.line} {origin.symbol}" if origin else ""),
                ("space", node.space),
                ("id", node.id),
            )
            return [Facts(facts), Code(node.code)]
        case Problem():
            return [Facts((("task", node.text), ("space", node.space), ("id", node.id)))]
        case EdgeCase():
            case = (("case", node.category), ("when", node.condition), ("then", node.handling))
            return [Facts((*case, ("space", node.space), ("id", node.id)))]
        case ErrorFix():
            mended = (
                ("error", f"{node.error_class}: {node.message if whole else short(node.message, _OUTPUT_CHARACTERS)}"),
                ("reason", node.thought),
                ("sandbox", node.sandbox),
                ("space", node.space),
                ("id", node.id),
            )
            if not node.delta:
                return [Facts(mended), Note("What was tried, and given up:"), Code(node.failing)]
            return [
                Facts(mended),
                Note("What was changed:"),
                Code("\n".join(node.delta), "diff"),
                Note("What failed:"),
                Code(node.failing),
                Note("What ran:"),
                Code(node.fixed),
            ]


def _step(step: Step) -> list[Block]:
    if step.kind == "planning":
        return [Note(f"Step {step.number}, {step.seconds:.1f} s: plan"), Note(short(step.thought, _OUTPUT_CHARACTERS))]
    fate = "answer" if step.final else "answer refused" if step.rejected else "ran" if step.ran else "failed"
    page: list[Block] = [Note(f"Step {step.number}, {step.seconds:.1f} s: {fate}")]
    if step.thought.strip():
        page.append(Note(short(step.thought, _OUTPUT_CHARACTERS)))
    if step.code.strip():
        page.append(Code(step.code))
    if step.error:
        page.append(Note(f"{step.error.root or step.error.type}: {short(step.error.text, _OUTPUT_CHARACTERS)}"))
    elif step.observation.strip():
        page.append(Note(short(step.observation, _OUTPUT_CHARACTERS)))
    return page


def _first(things: Sequence[str]) -> str:
    more = len(things) - _EXAMPLES
    return ", ".join(things[:_EXAMPLES]) + (f" and {more} more" if more > 0 else "")
