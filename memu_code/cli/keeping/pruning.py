"""`memu-code prune` and `memu-code pin`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, cast

import typer

from memu_code.cli.keeping.rights import check_right
from memu_code.cli.opening import Place, existing
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.page import Block, Grid, Note
from memu_code.cli.pages import moment, short
from memu_code.cli.screen import say, write_json, write_page, write_text
from memu_code.config import check_retention
from memu_code.errors import UsageError

if TYPE_CHECKING:
    from memu_code.learn.retention import Pruned

_TASK_CHARACTERS = 60
_SHOWN = 20  # runs; `--json` has all


def prune(
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="Runs older than 90d, 12h or 4w.")
    ] = None,
    keep: Annotated[int | None, typer.Option("--keep", metavar="N", min=0, help="All but the newest N runs.")] = None,
    max_size: Annotated[
        str | None, typer.Option("--max-size", metavar="SIZE", help="The oldest runs beyond 500MB or 2GB.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which runs would go.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take old runs of your space out; what was learnt from them stays, and so do pinned runs.

    To name a space gives no right to it: MEMU_CODE_WRITE names those that are not your own.

    MEMU_CODE_KEEP_FOR=90d, MEMU_CODE_KEEP_RUNS=500 and MEMU_CODE_KEEP_SIZE=500MB do so at the end of each run.

    Example: memu-code prune --older-than 90d --keep 500 --dry-run
    """
    if not check_retention(older_than, keep, max_size, ("--older-than", "--keep", "--max-size")):
        raise UsageError("Say what is too much: --older-than, --keep or --max-size.")
    check_right(space)
    with existing(Place(store, space, embedder), "") as memory:
        done = memory.prune(older_than=older_than, keep=keep, max_size=max_size, dry_run=dry_run)
    if as_json:
        shape = {"runs": [dict(run) for run in done.runs], "kept": done.kept, "pinned": done.pinned}
        write_json({"dry_run": dry_run, **shape, "bytes": done.bytes})
    else:
        write_page(_page(done, dry_run))


def pin(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; without it, lists the pinned.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let it be pruned again.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a run whatever is pruned, or list the runs that are kept so.

    Example: memu-code pin run_4f0c
    """
    if undo and not run_id:
        raise UsageError("Say which run may be pruned again.")
    with existing(Place(store, space, embedder), f"run {short(run_id, 60)!r}" if run_id else "") as memory:
        full = "" if not run_id else memory.unpin(run_id) if undo else memory.pin(run_id)
        pinned = memory.pinned() if not run_id else {}
    if as_json:
        write_json(
            {"id": full, "pinned": not undo} if run_id else [{"id": run, "at": at} for run, at in pinned.items()]
        )
    elif run_id:
        write_text(f"{full} {'may be pruned again' if undo else 'is pinned'}.")
    elif pinned:
        write_page([Grid(("pinned", "run"), tuple((moment(at), run) for run, at in pinned.items()))])
    else:
        say("No run is pinned.")


def _page(done: Pruned, dry_run: bool) -> list[Block]:
    page: list[Block] = []
    rows = tuple(_row(run) for run in done.runs[:_SHOWN])
    if rows:
        page.append(Grid(("began", "steps", "job", "task", "why", "run"), rows))
    count = len(done.runs)
    size = "" if done.bytes is None else f" of {done.bytes:,} bytes"
    verb = "would be pruned" if dry_run else "pruned"
    pinned = f", {done.pinned} of them pinned" if done.pinned else ""
    return [*page, Note(f"{count} {'run' if count == 1 else 'runs'}{size} {verb}; {done.kept} kept{pinned}.")]


def _row(run: Mapping[str, object]) -> tuple[str, ...]:
    began = moment(cast(float, run["started_at"]))
    texts = (short(" ".join(str(run[name]).split()), _TASK_CHARACTERS) for name in ("job", "task"))
    return (began, str(run["steps"]), *texts, str(run["why"]), str(run["id"]))
