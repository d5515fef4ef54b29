"""A page as plain text: no colour, no frame, and no line is wrapped, so that code survives a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title

_INDENT = "    "  # as Markdown marks code


def plain(page: Sequence[Block]) -> str:
    """The whole page as one text."""
    return "\n\n".join(text for text in map(_block, page) if text)


def _block(block: Block) -> str:
    match block:
        case Title(text=text) | Note(text=text):
            return text
        case Code(text=text):
            return "\n".join(_INDENT + line if line.strip() else "" for line in text.strip("\n").split("\n"))
        case Facts(rows=rows):
            return "\n".join(_facts(rows))
        case Grid(columns=columns, rows=rows, numbers_from=numbers_from):
            return "\n".join(_grid([columns, *rows], numbers_from))


def _facts(rows: Iterable[tuple[str, str]]) -> Iterable[str]:
    filled = [(label, value) for label, value in rows if value.strip()]
    width = max((len(label) for label, _ in filled), default=0) + 2
    for label, value in filled:
        first, *rest = value.strip().split("\n")
        yield f"{label + ':':<{width}}{first}"
        yield from (" " * width + line for line in rest)


def _grid(rows: Sequence[tuple[str, ...]], numbers_from: int) -> Iterable[str]:
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(rows[0]))]
    for row in cells:
        line = [
            f"{cell:>{width}}" if column >= numbers_from else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(line).rstrip()
