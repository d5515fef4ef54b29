"""The picture of a run's graph: its steps on the left, what was learnt on the right; the same bytes each time."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from docs.rendering.example_run import Learnt
from docs.rendering.layout import HEIGHT, WIDTH, Box, Way, boxes, fingerprint, ways
from memu_code.model import Relation, Step

_INK, _PAPER, _CARD = "#1f2933", "#ffffff", "#f8fafc"
_COLOURS = {
    "run": "#475569",
    "problem": "#7c3aed",
    "solution": "#15803d",
    "edge_case": "#b45309",
    "error_fix": "#be123c",
}
_RELATIONS = {
    Relation.PRODUCED: _COLOURS["run"],
    Relation.SOLVES: _COLOURS["problem"],
    Relation.CALLS: _COLOURS["solution"],
    Relation.HANDLES: _COLOURS["edge_case"],
    Relation.FIXED_ON_THE_WAY: _COLOURS["error_fix"],
}
_LEFT, _CARD_WIDTH, _TOP, _GAP, _LINE = 2.0, 47.0, 98.5, 3.0, 2.05
_MONOSPACED = {"family": "DejaVu Sans Mono"}


def draw(learnt: Learnt, path: Path) -> None:
    """Write the picture, as SVG or in the format that the file's name says."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "memu_code", "font.family": "DejaVu Sans", "svg.fonttype": "path"})
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(WIDTH / 10, HEIGHT / 10), facecolor=_PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.axis("off")
    for left, text in ((_LEFT, "What the agent did"), (54.0, "What the memory keeps of it")):
        _write(axes, left, HEIGHT - 3.5, text, 13, fontweight="bold")
    top = _TOP
    for step in learnt.run.steps:
        top = _step(axes, step, top) - _GAP
    for way in ways(learnt):
        _way(axes, way)
    for box in boxes(learnt):
        _box(axes, box)
    facts = {"Date": None, "Creator": None, "Description": fingerprint(learnt)} if path.suffix == ".svg" else None
    figure.savefig(path, metadata=facts, facecolor=_PAPER)
    pyplot.close(figure)


def _step(axes: Any, step: Step, top: float) -> float:
    """A step as a card with its top there; gives where it ends."""
    colour = _COLOURS["error_fix" if step.error else "solution"]
    thought = textwrap.wrap(step.thought.removeprefix("Thought:").strip(), 62)
    code = step.code.split("\n")
    ending = step.error.text.partition("due to: ")[2] if step.error else "The answer was accepted."
    told = textwrap.wrap(ending, 60)
    height = 5.6 + _LINE * (len(thought) + len(code) + len(told) + 1.2)
    _frame(axes, _LEFT, top - height, _CARD_WIDTH, height, _CARD, colour)
    title = f"step {step.number} · {'failed' if step.error else 'ran'}"
    _write(axes, _LEFT + 1.6, top - 2.3, title, 9.5, fontweight="bold", color=colour)
    line = top - 5.0
    for texts, style in ((thought, {"style": "italic"}), (code, _MONOSPACED), (told, {**_MONOSPACED, "color": colour})):
        for text in texts:
            _write(axes, _LEFT + 1.6, line, text, 8.2 if texts is thought else 7.8, **style)
            line -= _LINE
        line -= 0.6 * _LINE
    return top - height


def _box(axes: Any, box: Box) -> None:
    left, bottom = box.point((-0.5, -0.5))
    colour = _COLOURS[box.kind]
    _frame(axes, left, bottom, box.width, box.height, _PAPER, colour)
    _write(axes, left + 1.2, bottom + box.height - 2.0, box.title, 9.5, fontweight="bold", color=colour)
    style = _MONOSPACED if box.kind in ("solution", "edge_case") else {}
    columns = int(box.width * (1.4 if style else 1.5))
    for number, text in enumerate(textwrap.wrap(box.text, columns)):
        _write(axes, left + 1.2, bottom + box.height - 4.9 - 2.4 * number, text, 8.2, **style)


def _way(axes: Any, way: Way) -> None:
    from matplotlib.patches import FancyArrowPatch

    colour = _RELATIONS[way.relation]
    axes.add_patch(
        FancyArrowPatch(
            way.start,
            way.end,
            connectionstyle=f"arc3,rad={way.bend}",
            arrowstyle="-|>,head_length=4.5,head_width=2.2",
            shrinkA=0,
            shrinkB=0,
            linewidth=1.1,
            color=colour,
            zorder=1,
        )
    )
    name = way.relation.replace("_", " ").lower()
    paper = {"boxstyle": "round,pad=0.2", "facecolor": _PAPER, "edgecolor": "none"}
    _write(axes, *way.name_at, name, 7.8, color=colour, ha="center", bbox=paper, zorder=2)


def _frame(axes: Any, left: float, bottom: float, width: float, height: float, fill: str, edge: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    shape = "round,pad=0,rounding_size=1"
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom), width, height, boxstyle=shape, facecolor=fill, edgecolor=edge, linewidth=1.4, zorder=3
        )
    )


def _write(axes: Any, x: float, y: float, text: str, size: float, **style: Any) -> None:
    style = {"color": _INK, "va": "center", "zorder": 4, **style}
    axes.text(x, y, text.replace("$", r"\$"), fontsize=size, **style)
