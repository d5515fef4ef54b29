"""Pages: the same content for a terminal and for a pipe, whatever is stored."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.pages import moment, node_page, stood
from memu_code.cli.plain import plain
from memu_code.cli.screen import printable
from memu_code.cli.shapes import grouped
from memu_code.cli.tables import renderables
from memu_code.graph import standing
from memu_code.model import ErrorFix, State

NASTY = "[bold]x[/bold] \x1b[31m :smile: {{ y }}"


def on_terminal(*page: Block, width: int = 100) -> str:
    """What a terminal would be sent, colours left out."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, no_color=True, highlight=False, emoji=False)
    for renderable in renderables(page):
        console.print(renderable)
    return file.getvalue()


@pytest.mark.parametrize(
    "block",
    [
        Title(NASTY, "proven"),
        Note(NASTY),
        Code(NASTY),
        Code(NASTY, "diff"),
        Code(NASTY, "text"),
        Facts((("label", NASTY),)),
        Grid(("column",), ((NASTY,), (NASTY,)), numbers_from=0, total=True),
    ],
)
def test_stored_text_is_neither_markup_nor_an_escape(block: Block) -> None:
    """Brackets, emoji names and escape sequences are shown as they are written, by both ways of showing."""
    for text in (on_terminal(block), printable(plain([block]))):
        assert r"[bold]x[/bold] \x1b[31m :smile: {{ y }}" in text


@given(st.text())
def test_nothing_printable_steers_a_terminal(text: str) -> None:
    """No control character but tab and newline survives, and text without any stays as it is."""
    shown = printable(text)
    assert not any((ord(char) < 32 and char not in "\t\n") or 127 <= ord(char) < 160 for char in shown)
    assert printable(shown) == shown


def test_plain_text_lines_up() -> None:
    """Labels, columns and several lines of one value."""
    page = [
        Facts((("a", "1"), ("long", "2\n3"), ("empty", " "))),
        Grid(("name", "n"), (("x", "1"), ("yy", "20")), numbers_from=1),
        Code("def f():\n\n    return 1\n"),
    ]
    assert plain(page) == (
        "a:    1\nlong: 2\n      3\n\nname   n\nx      1\nyy    20\n\n    def f():\n\n        return 1"
    )


def test_a_state_is_told_with_its_counts() -> None:
    """What nobody has tried has no counts."""
    assert stood(State.PROVEN, 3, 1) == "proven 3 of 4"
    assert stood(State.SEEDED, 0, 0) == "seeded"


@pytest.mark.parametrize("at", [1e20, float("nan"), float("-inf")])
def test_a_time_that_is_none_is_shown_as_it_is(at: float) -> None:
    """A strange number in a store does not break a page."""
    assert moment(at) == str(at)
    assert moment(0.0) == "1970-01-01 00:00:00"


def test_reasons_are_grouped_the_commonest_first() -> None:
    """Ties go by the reason's text."""
    found = grouped([("a", "size"), ("b", "syntax"), ("c", "syntax"), ("d", "binary")])
    assert list(found.items()) == [("syntax", ["b", "c"]), ("binary", ["d"]), ("size", ["a"])]


def test_seeding_shows_a_bar_on_a_terminal_only(repository: Path, tmp_path: Path) -> None:
    """The bar goes to stderr, so that stdout holds the counts alone; with --json there is none."""
    plain, quiet = (["seed", str(repository), "--store", str(tmp_path / name)] for name in ("plain", "quiet"))
    code = (
        "import sys\nfrom memu_code.cli import app\n"
        f"app({plain!r}, standalone_mode=False)\n"
        "print('=' * 9, flush=True)\nprint('=' * 9, file=sys.stderr, flush=True)\n"
        f"app({[*quiet, '--json']!r}, standalone_mode=False)\n"
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs) as child:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # Linux says so when the other end is closed
            pass
        out = child.stdout.read() if child.stdout else b""
        assert child.wait() == 0
    os.close(ours)
    shown, hidden = seen.split(b"=" * 9)
    assert b"Seeding" in shown
    assert b"Seeding" not in hidden
    assert json.loads(out.split(b"=" * 9)[1])["functions"] == 1


def test_a_way_that_was_given_up_has_no_empty_change() -> None:
    """Its page shows the statement that failed, and neither a change nor code that ran."""
    tried = ErrorFix("~ann", "ImportError: x: not allowed", "ImportError", "not allowed", "import x", "", ())
    shown = plain(node_page(tried, standing(()), (), ()))
    assert "What was tried, and given up:" in shown
    assert "import x" in shown
    assert "What was changed" not in shown
    assert "What ran" not in shown
