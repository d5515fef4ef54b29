"""The commands `spaces` and `promote`."""

from __future__ import annotations

from typing import Annotated

import typer

from memu_code.cli.group import REFUSED
from memu_code.cli.opening import Place, existing, reading
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.pages import short
from memu_code.cli.screen import write_json, write_page
from memu_code.cli.sharing import pages, shapes
from memu_code.config import check_space, read_settings, reader_of
from memu_code.errors import AccessError, UsageError


def spaces(
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the spaces that you may see, what you may do in each, and how much lies there.

    MEMU_CODE_READ, MEMU_CODE_WRITE and MEMU_CODE_PROMOTE name those that are not your own, separated by commas.

    Example: MEMU_CODE_READ=acme memu-code spaces
    """
    with reading(Place(store, space, embedder)) as memory:
        if memory is not None:
            known = memory.spaces()
        else:
            from memu_code.learn.promotion.membership import granted

            settings = read_settings(store, space, embedder)
            known = granted(reader_of(settings), settings.trusted)
    if as_json:
        write_json([shapes.membership_shape(one) for one in known])
    else:
        write_page(pages.memberships_page(known))


def promote(
    node_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a solution or a fix, or its beginning.")],
    target: Annotated[str, typer.Argument(metavar="SPACE", help="Where it is to be found by others: acme/data-eng.")],
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why, in a sentence that others will read.")] = "",
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TEXT", help="Words for its task instead of its own, which stay private."),
    ] = None,
    back: Annotated[bool, typer.Option("--back", help="Take it back: the copy goes, with its bytes.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what others would read, or what would go.")
    ] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy a solution or a fix into a space where others find it, or take the copy back.

    What others have brought into SPACE itself is vouched for there: quarantine ends for all who read it.

    The tasks that it solved, edge cases, fixes and the evidence go along; runs never do. --task "..." tells it in other
    words than yours, --task "" in none. MEMU_CODE_PROMOTE names the spaces that you may promote into.

    Example: MEMU_CODE_PROMOTE=acme memu-code promote solution_4f0c acme --why "the whole team needs it"
    """
    check_space(target)
    if back and task is not None:
        raise UsageError("--task says how a copy is told; it does not go with --back.")
    with existing(Place(store, space, embedder), f"id {short(node_id, 60)!r}") as memory:
        try:
            if not back:
                done = memory.promote(node_id, target, why=why, task=task, dry_run=dry_run)
                shape, page = shapes.promoted_shape(done, dry_run), pages.promoted_page(done, dry_run)
                left = False
            else:
                gone = memory.unpromote(node_id, target, why=why, dry_run=dry_run)
                shape, page = shapes.taken_back_shape(gone, dry_run), pages.taken_back_page(gone, dry_run)
                left = bool(gone.proof and gone.proof.found)
        except AccessError as error:
            raise AccessError(f"{error} MEMU_CODE_PROMOTE={target} gives your own commands that right.") from None
    if as_json:
        write_json(shape)
    else:
        write_page(page)
    if left:
        raise typer.Exit(REFUSED)
