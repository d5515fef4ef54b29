"""Values to table rows and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    ErrorFix,
    Event,
    Evidence,
    EvidenceKind,
    Input,
    Node,
    Origin,
    Problem,
    Relation,
    Run,
    Solution,
)
from memu_code.model.plain import plain, value_from

Row = dict[str, Any]

_NODE_TYPES: dict[str, type[Node]] = {str(cls.kind): cls for cls in (Solution, Problem, EdgeCase, ErrorFix)}


def node_type(kind: object) -> type[Node]:
    """The class of the nodes of a kind.

    Raises:
        ValueError: there is no such kind.
    """
    if not isinstance(kind, str) or kind not in _NODE_TYPES:
        raise ValueError(f"there is no kind of node {str(kind)[:40]!r}")
    return _NODE_TYPES[kind]


def node_row(node: Node, text: str, words: str, vector: np.ndarray | None) -> Row:
    """The row of a node, with what was embedded, the words for the full-text index, and the vector (None: not yet)."""
    return {
        "id": node.id,
        "space": node.space,
        "kind": str(node.kind),
        "name": _label(node),
        "text": text,
        "words": words,
        "body": node_body(node),
        "vector": vector,
    }


def _label(node: Node) -> str:
    """What a node is looked up by: a function's name, an error's signature."""
    if isinstance(node, Solution):
        return node.name
    return node.signature if isinstance(node, ErrorFix) else ""


def node_body(node: Node) -> str:
    """The node as JSON; `node_from` is its inverse."""
    return json.dumps(asdict(node), ensure_ascii=False)


def node_from(kind: str, body: str) -> Node:
    """The node that `node_body` wrote. Fields that this version does not know are passed over."""
    cls = _NODE_TYPES[kind]
    fields = _known(cls, json.loads(body))
    if cls is Solution:
        fields["inputs"] = tuple(Input(**item) for item in fields.get("inputs", ()))
        fields["origin"] = Origin(**fields["origin"]) if fields.get("origin") else None
    return cls(**fields)


def edge_row(edge: Edge) -> Row:
    return {"id": edge.id, **asdict(edge)}


def edge_from(row: Mapping[str, Any]) -> Edge:
    return Edge(row["space"], row["source"], Relation(row["relation"]), row["target"])


def evidence_row(evidence: Evidence) -> Row:
    return {
        "id": evidence.id,
        "space": evidence.space,
        "node": evidence.node,
        "kind": str(evidence.kind),
        "actor": evidence.actor,
        "at": evidence.at,
        "run": evidence.run,
        "environment": json.dumps(asdict(evidence.environment), ensure_ascii=False),
        "note": evidence.note,
    }


def evidence_from(row: Mapping[str, Any]) -> Evidence:
    return Evidence(
        space=row["space"],
        node=row["node"],
        kind=EvidenceKind(row["kind"]),
        actor=row["actor"],
        at=row["at"],
        run=row["run"],
        environment=_environment(json.loads(row["environment"])),
        note=row["note"],
    )


EVENT_COLUMNS = ["id", "space", "job", "run", "kind", "actor", "at", "body"]
RUN_COLUMNS = (
    "id",
    "space",
    "job",
    "task",
    "agent",
    "parent",
    "outcome",
    "actor",
    "answer",
    "started_at",
    "ended_at",
)


def event_row(event: Event) -> Row:
    columns = {name: getattr(event, name) for name in EVENT_COLUMNS}
    return {**columns, "body": json.dumps(dict(event.body), ensure_ascii=False)}


def event_from(row: Mapping[str, Any]) -> Event:
    columns = {name: row[name] for name in EVENT_COLUMNS}
    return Event(**{**columns, "body": json.loads(row["body"])})


def run_row(run: Run) -> Row:
    """The run without its steps, which stand in a table of their own."""
    fields = plain(run)
    del fields["steps"]
    row = {name: fields.pop(name) for name in RUN_COLUMNS}
    return {**row, "outcome": str(run.outcome), "steps": len(run.steps), "body": json.dumps(fields, ensure_ascii=False)}


def step_rows(run: Run) -> list[Row]:
    return [
        {
            "id": f"{run.id}:{step.number:06d}",
            "space": run.space,
            "run": run.id,
            "number": step.number,
            "body": json.dumps(plain(step), ensure_ascii=False),
        }
        for step in run.steps
    ]


def run_from(row: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> Run:
    """The run of a row of `runs` with the steps of its rows of `steps`."""
    told = json.loads(row["body"]) | {name: row[name] for name in RUN_COLUMNS}
    told["steps"] = [json.loads(step["body"]) for step in sorted(steps, key=lambda step: step["number"])]
    return value_from(Run, told)


def _environment(fields: Row) -> Environment:
    fields = _known(Environment, fields)
    fields["packages"] = tuple((name, version) for name, version in fields.get("packages", ()))
    return Environment(**fields)


def _known(cls: type[Any], fields: Row) -> Row:
    """The fields that the class has; JSON's lists are the model's tuples."""
    names = cls.__dataclass_fields__
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items() if name in names}
