"""The commands `feedback` and `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memu_code.cli.judging import pages, shapes
from memu_code.cli.opening import Place, existing, reading, source_text
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.pages import short
from memu_code.cli.screen import write_json, write_page
from memu_code.errors import UsageError


def feedback(
    node_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a solution or a fix, or its beginning.")],
    up: Annotated[bool, typer.Option("--up", help="It is right.")] = False,
    down: Annotated[bool, typer.Option("--down", help="It is wrong.")] = False,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="Why, in a sentence.")] = None,
    code: Annotated[Path | None, typer.Option("--code", metavar="FILE", help="A better version of its code.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take your last feedback on it back.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a solution is right or wrong, give a better version of it, or take that back.

    Example: memu-code feedback solution_4f0c --down --note "wrong in leap years" --code better.py
    """
    if undo and (up or down or note is not None or code is not None):
        raise UsageError("--undo goes alone: it takes your last feedback back, with the version that came with it.")
    if not undo and up == down:
        raise UsageError("Say either --up or --down, not both." if up else "Say --up, --down or --undo.")
    text = source_text(code) if code else None
    with existing(Place(store, space, embedder), f"id {short(node_id, 60)!r}") as memory:
        verdict = "up" if up else "down"
        given = memory.undo(node_id) if undo else memory.feedback(node_id, verdict, note=note, code=text)
    if as_json:
        write_json(shapes.feedback_shape(given))
    else:
        write_page(pages.feedback_page(given))


def show_history(node_id: str, place: Place, *, as_json: bool) -> None:
    """Show the versions of the line that a solution stands in: what `memu-code show ID --history` does."""
    with existing(place, f"id {short(node_id, 60)!r}") as memory:
        versions = memory.history(node_id)
    if as_json:
        write_json(shapes.history_shape(versions))
    else:
        write_page(pages.history_page(versions))


def audit(
    days: Annotated[
        float, typer.Option("--days", min=0.0, help="Report as not shown what was not for so many days.")
    ] = 90.0,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for duplicates, echoes, contradictions, secrets, and what nobody uses or vouches for.

    Example: memu-code audit --json
    """
    with reading(Place(store, space, embedder)) as memory:
        found = memory.audit(unseen_days=days) if memory else None
    if as_json:
        write_json(shapes.audit_shape(found) if found else {})
    elif found:
        write_page(pages.audit_page(found))
