"""`memu-code lift`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memu_code.cli.opening import Place, reading
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.screen import say, write_json, write_page
from memu_code.cli.watching import pages, plot, shapes


def lift(
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only the runs of this job.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only those begun since then: 30m, 12h, 2d, 3w, or an ISO date."),
    ] = None,
    by_job: Annotated[bool, typer.Option("--by-job", help="The share solved of each job, too.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw both arms into a .png, .svg or .pdf file.")
    ] = None,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell whether the memory pays: runs with it against runs that were held out at random.

    Runs are held out by `attach(agent, holdout=0.1)` or MEMU_CODE_HOLDOUT=0.1.

    Example: memu-code lift --job nightly-scan --since 30d --plot lift.png
    """
    if picture is not None:
        plot.check(picture)
    with reading(Place(store, space, embedder)) as memory:
        found = memory.lift(job=job, since=since) if memory else None
    if as_json:
        write_json(shapes.lift_shape(found) if found else {})
    elif found:
        write_page(pages.lift_page(found, by_job=by_job))
    if picture is not None and found:
        if found.fitting.enough:
            plot.draw(found, picture)
        else:
            say("No picture was drawn: there are too few runs.")
