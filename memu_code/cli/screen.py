"""What the command line writes, and where: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from memu_code.cli.page import Block
from memu_code.cli.streams import write_nowhere
from memu_code.redact import outgoing

# Control characters, and those that turn the direction of writing: stored text must not steer the terminal.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_SENTENCE = 600  # characters of a sentence; a path or a library's message in it may have any length


def printable(text: str) -> str:
    """The text with its control characters shown instead of obeyed."""
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text.replace("\r\n", "\n"))


def write_json(value: Any, *, as_is: bool = False) -> None:
    """JSON on stdout, in UTF-8. A lone surrogate, which UTF-8 cannot hold, is written as its JSON escape.

    What an older version kept leaves by the rules of today; `as_is` is for a secret that is made for its reader. A
    number that JSON does not have, such as a time that is none, is null.
    """
    value = value if as_is else outgoing(value)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=2)
    typer.echo(f"{text}\n".encode("utf-8", "backslashreplace"), nl=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_terminal(stream: Any) -> bool:
    """Whether a standard stream is a terminal; a process may have been started without the stream."""
    return stream is not None and stream.isatty()


def write_page(page: Sequence[Block]) -> None:
    """A page on stdout: tables and colours on a terminal, plain text that nothing wraps anywhere else."""
    page = outgoing(page)
    if is_terminal(sys.stdout):
        from rich.console import Console  # only here: a pipe does not wait for it

        from memu_code.cli.tables import renderables

        console = Console(highlight=False, emoji=False, markup=False)
        for renderable in renderables(page):
            console.print(renderable)
        return
    from memu_code.cli.plain import plain

    write_text(plain(page))


def write_text(text: str, *, as_is: bool = False) -> None:
    """A text on stdout, whatever the encoding there can hold; `as_is` as in `write_json`."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    typer.echo((printable(text if as_is else outgoing(text)) + "\n").encode(encoding, "backslashreplace"), nl=False)


def say(text: str) -> None:
    """A sentence on stderr, on one line."""
    line = " ".join(printable(f"memu-code: {outgoing(text)}").split())
    if len(line) > _SENTENCE:
        line = f"{line[: _SENTENCE // 2]} ... {line[-_SENTENCE // 3 :]}"
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        typer.echo((line + "\n").encode(encoding, "backslashreplace"), nl=False, err=True)
    except OSError:  # there is nowhere else to say it; the exit code tells
        write_nowhere(2)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while the block runs, to be told what is done and what there is; None where nobody would see."""
    if quiet or not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
