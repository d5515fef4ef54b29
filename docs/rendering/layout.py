"""Where the nodes and edges of the pictured run lie: in layers made by hand, so that the picture never moves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from docs.rendering.example_run import Learnt
from memu_code.model import EdgeCase, ErrorFix, Node, Problem, Relation, Solution

WIDTH, HEIGHT = 171.0, 107.0  # tenths of an inch

# Middle, width and height of each box: layers from left to right, solutions, edge cases, error→fix pairs.
_PLACES = {
    "run": (70.0, 92.0, 26.0, 8.0),
    "solution 0": (70.0, 68.0, 32.0, 8.0),
    "solution 1": (74.0, 39.0, 24.0, 8.0),
    "problem 0": (70.0, 10.0, 32.0, 10.5),
    "edge_case 0": (117.0, 68.0, 30.0, 11.0),
    "edge_case 1": (117.0, 39.0, 30.0, 8.0),
    "edge_case 2": (117.0, 10.0, 30.0, 8.0),
    "error_fix 0": (157.0, 80.0, 24.0, 8.0),
    "error_fix 1": (157.0, 39.0, 24.0, 8.0),
}
# For each edge: where it leaves and where it arrives, as parts of width and height from the middle; how far it bends;
# and which part of the way its name stands at.
_WAYS = {
    ("run", "solution 0"): ((0.0, -0.5), (0.0, 0.5), 0.0, 0.5),
    ("run", "solution 1"): ((0.45, -0.5), (0.45, 0.5), -0.22, 0.2),
    ("run", "error_fix 0"): ((0.5, 0.2), (0.0, 0.5), -0.16, 0.42),
    ("run", "error_fix 1"): ((0.5, -0.1), (-0.35, 0.5), -0.5, 0.36),
    ("solution 0", "problem 0"): ((-0.42, -0.5), (-0.42, 0.5), 0.0, 0.5),
    ("solution 1", "problem 0"): ((0.0, -0.5), (0.125, 0.5), 0.0, 0.5),
    ("solution 0", "solution 1"): ((0.125, -0.5), (0.0, 0.5), 0.0, 0.5),
    ("solution 0", "edge_case 0"): ((0.5, 0.1), (-0.5, 0.1), 0.0, 0.6),
    ("solution 0", "edge_case 1"): ((0.5, -0.3), (-0.5, 0.3), 0.0, 0.32),
    ("solution 0", "edge_case 2"): ((0.4, -0.5), (-0.5, 0.3), 0.0, 0.62),
    ("solution 1", "edge_case 0"): ((0.5, 0.1), (-0.5, -0.3), 0.0, 0.75),
    ("solution 1", "edge_case 1"): ((0.5, -0.1), (-0.5, -0.1), 0.0, 0.68),
    ("solution 1", "edge_case 2"): ((0.5, -0.4), (-0.5, 0.0), 0.0, 0.6),
    ("solution 0", "error_fix 0"): ((0.4, 0.5), (-0.5, 0.0), -0.14, 0.55),
    ("solution 0", "error_fix 1"): ((0.5, -0.1), (-0.5, 0.3), 0.0, 0.52),
    ("error_fix 0", "edge_case 0"): ((-0.5, -0.4), (0.5, 0.2), 0.0, 0.75),
    ("error_fix 1", "edge_case 1"): ((-0.5, -0.1), (0.5, -0.1), 0.0, 0.5),
}


@dataclass(frozen=True, slots=True)
class Box:
    """A node as it is drawn; lengths in tenths of an inch."""

    id: str
    slot: str
    kind: str
    title: str
    text: str
    middle: tuple[float, float]
    width: float
    height: float

    def point(self, parts: tuple[float, float]) -> tuple[float, float]:
        """A point by its parts of width and height from the middle."""
        return self.middle[0] + parts[0] * self.width, self.middle[1] + parts[1] * self.height


@dataclass(frozen=True, slots=True)
class Way:
    """An edge as it is drawn: from the rim of one box to the rim of another, with the place of its name."""

    relation: Relation
    start: tuple[float, float]
    end: tuple[float, float]
    bend: float
    name_at: tuple[float, float]


def boxes(learnt: Learnt) -> list[Box]:
    """All nodes with their places: the answer before the function that it calls, the others in the run's order."""
    found = [_box(learnt.run.id, "run", "run", "run", f"{len(learnt.run.steps)} steps, {learnt.run.outcome}")]
    for kind in ("problem", "solution", "edge_case", "error_fix"):
        nodes = sorted((node for node in learnt.nodes.values() if node.kind == kind), key=lambda n: _order(n, learnt))
        found += [_box(node.id, f"{kind} {number}", kind, *_told(node)) for number, node in enumerate(nodes)]
    return found


def ways(learnt: Learnt) -> list[Way]:
    """All edges, each with its path, in the order of their places: ids of runs, and so of edges, differ each time."""
    by_id = {box.id: box for box in boxes(learnt)}
    edges = [(by_id[source], by_id[target], facts) for source, target, facts in learnt.graph().edges(data=True)]
    edges.sort(key=lambda edge: (edge[0].slot, edge[1].slot))
    return [_way(source, target, facts["relation"]) for source, target, facts in edges]


def fingerprint(learnt: Learnt) -> str:
    """What the picture shows, as a hash: it stands in the file, so that a picture of another graph is found out."""
    said = [f"{box.slot} {box.title}: {box.text}" for box in boxes(learnt)]
    said += map(repr, ways(learnt))
    said += [f"{step.code} {step.error}" for step in learnt.run.steps]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def _box(id: str, slot: str, kind: str, title: str, text: str) -> Box:
    x, y, width, height = _PLACES[slot]
    return Box(id, slot, kind, title, text, (x, y), width, height)


def _way(source: Box, target: Box, relation: Relation) -> Way:
    leaves, arrives, bend, part = _WAYS[source.slot, target.slot]
    (x1, y1), (x2, y2) = start, end = source.point(leaves), target.point(arrives)
    # A quadratic Bézier curve with its control point off the middle, as matplotlib's `arc3` draws it.
    control = ((x1 + x2) / 2 + bend * (y2 - y1), (y1 + y2) / 2 - bend * (x2 - x1))
    weights = ((1 - part) ** 2, 2 * part * (1 - part), part**2)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (start, control, end), strict=True)) for axis in (0, 1))
    return Way(relation, start, end, bend, (x, y))


def _order(node: Node, learnt: Learnt) -> tuple[int, str, str]:
    codes = [step.code for step in learnt.run.steps]
    if isinstance(node, ErrorFix):
        return codes.index(node.failing), "", node.id
    if isinstance(node, EdgeCase):
        fixes = [learnt.nodes[edge.source] for edge in learnt.edges if edge.target == node.id]
        met = [codes.index(fix.failing) for fix in fixes if isinstance(fix, ErrorFix)]
        return min(met, default=len(codes)), node.category, node.id
    return 0, node.name if isinstance(node, Solution) else "", node.id


def _told(node: Node) -> tuple[str, str]:
    """The title of a node's box and the text in it."""
    match node:
        case Problem(text=text):
            return "problem", text
        case Solution(name=name, signature=signature, code=code):
            return "solution, a function" if name else "solution", signature or code.strip().split("\n")[-1]
        case EdgeCase(category=category, condition=condition, handling=handling):
            return f"edge case: {category}", f"{condition} → {handling}"
        case ErrorFix(error_class=error, message=message):
            return f"error → fix: {error}", message
