"""A page as rich renderables, for a terminal; they are returned, and printed elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.screen import printable

_THEME = "ansi_dark"  # the terminal's own colours, so that it fits a light one too
_TONES = {
    "proven": "green",
    "answered": "green",
    "right": "green",
    "ok": "green",
    "trial": "yellow",
    "seeded": "cyan",
    "retired": "red",
    "wrong": "red",
    "problem": "red",
}


def renderables(page: Sequence[Block]) -> Iterator[RenderableType]:
    """What rich shows of a page, one renderable a block. Text is never read as markup, and steers no terminal."""
    for block in page:
        match block:
            case Title(text=text, tone=tone):
                style = f"bold {_TONES.get(tone, 'default')}"
                yield Rule(Text(printable(text), style=style), align="left", style="dim")
            case Note(text=text):
                yield Text(printable(text))
            case Code(text=text, language=language):
                yield _code(text, language)
            case Facts(rows=rows):
                yield _facts(rows)
            case Grid():
                yield _grid(block)


def _code(text: str, language: str) -> RenderableType:
    code = printable(text.strip("\n"))
    if language == "text":
        return Panel(Text(code), box=box.ROUNDED, border_style="dim")
    return Padding(Syntax(code, language, theme=_THEME, word_wrap=True, background_color="default"), (0, 0, 1, 2))


def _facts(rows: tuple[tuple[str, str], ...]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows:
        if value.strip():
            table.add_row(Text(label), Text(printable(value.strip())))
    return table


def _grid(grid: Grid) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for index, column in enumerate(grid.columns):
        table.add_column(Text(column), justify="right" if index >= grid.numbers_from else "left", overflow="fold")
    for index, row in enumerate(grid.rows):
        last = grid.total and index == len(grid.rows) - 1
        if last:
            table.add_section()
        cells = [Text(printable(cell), style=_TONES.get(cell, "")) for cell in row]
        table.add_row(*cells, style="bold" if last else None)
    return table
