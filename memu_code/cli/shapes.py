"""Values as what `--json` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memu_code.model import Evidence, Hit, Node, Promotion, Relation, Run, told
from memu_code.runs import full_steps

if TYPE_CHECKING:
    from memu_code.graph import Standing
    from memu_code.learn.seed import SeedReport

_COUNTED = (
    "solution",
    "problem",
    "edge_case",
    "error_fix",
    "given_up",
    "edges",
    "evidence",
    "runs",
    "steps",
    "sources",
)


def hit_shape(hit: Hit) -> dict[str, Any]:
    """A hit as recall gave it."""
    shape = {name: getattr(hit, name) for name in hit.__dataclass_fields__}
    promoted = promotion_shape(hit.promoted) if hit.promoted else None
    return {**shape, "kind": str(hit.kind), "state": str(hit.state), "why": dict(hit.why), "promoted": promoted}


def promotion_shape(one: Promotion) -> dict[str, Any]:
    """A promotion; `back_at` is 0 while it is in force, and times are in seconds since the epoch, UTC."""
    return {"id": one.node, **{name: value for name, value in asdict(one).items() if name not in ("node", "nodes")}}


def node_shape(
    node: Node, standing: Standing, evidence: Iterable[Evidence], ties: Iterable[tuple[Relation, Node]]
) -> dict[str, Any]:
    """A node with all that it holds, what it is tied to, its standing, and a row for each thing seen of it.

    `at` is in seconds since the epoch, UTC.
    """
    return {
        "id": node.id,
        "kind": str(node.kind),
        "state": str(standing.state),
        "successes": standing.successes,
        "failures": standing.failures,
        "lower_bound": standing.lower_bound,
        **asdict(node),
        "related": [
            {"relation": str(relation), "id": other.id, "kind": str(other.kind), "text": told(other)}
            for relation, other in ties
        ],
        "evidence": [
            {
                "kind": str(row.kind),
                "run": row.run,
                "actor": row.actor,
                "at": row.at,
                "sandbox": row.environment.sandbox,
                "python": row.environment.python,
                "packages": dict(row.environment.packages),
                "note": row.note,
                "space": row.space,
            }
            for row in evidence
        ],
    }


def run_shape(run: Run) -> dict[str, Any]:
    """A run; its outcome stands as `state` too. A run is what evidence speaks of, so it has none.

    Its steps have the shape of smolagents' `agent.memory.get_full_steps()`: the task, then each plan and each action.
    """
    shape = {**asdict(run), "outcome": str(run.outcome), "steps": full_steps(run)}
    return {"id": run.id, "kind": str(run.kind), "state": str(run.outcome), **shape, "evidence": []}


def report_shape(report: SeedReport) -> dict[str, Any]:
    """What seeding did, with everything that was skipped."""
    return {**asdict(report), "skipped": [asdict(item) for item in report.skipped]}


def counts_shape(stats: Mapping[str, Any]) -> dict[str, Any]:
    """What `stats` found, with a 0 for what there is none of."""
    return {**dict.fromkeys(_COUNTED, 0), **stats}


def grouped(reasons: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """The things by the reason given for them, the commonest reason first."""
    groups: dict[str, list[str]] = {}
    for thing, reason in reasons:
        groups.setdefault(reason, []).append(thing)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))
