"""`memu-code runs` and `memu-code replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from memu_code.cli.ledger.pages import replay_page, runs_page
from memu_code.cli.opening import Place, existing, reading
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.pages import short
from memu_code.cli.screen import say, write_json, write_page
from memu_code.model import Outcome
from memu_code.runs import full_steps

_OUTCOMES = ", ".join(Outcome)


def runs(
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only the runs of this job.")] = None,
    outcome: Annotated[
        str | None, typer.Option("--outcome", metavar="OUTCOME", help=f"Only those that ended so: {_OUTCOMES}.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only those begun since then: 30m, 12h, 2d, 3w, or an ISO date."),
    ] = None,
    text: Annotated[
        str, typer.Option("--text", metavar="WORDS", help="Only those with all these words in task, answer or job.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many at the most.")] = 20,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what agents did, newest first.

    Example: memu-code runs --job nightly-scan --since 2d
    """
    with reading(Place(store, space, embedder)) as memory:
        found = memory.runs(limit, job=job, outcome=outcome, since=since, text=text) if memory else []
    if memory and not found:
        say("No such run is known." if job or outcome or since or text else "No run is known yet.")
    if as_json:
        write_json(found)
    elif found:
        write_page(runs_page(found))


def replay(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run, or its beginning.")],
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell a run again, step by step, as its agent would with agent.replay(): what it was asked, said, saw, answered.

    Example: memu-code replay run_4f0c
    """
    with existing(Place(store, space, embedder), f"run {short(run_id, 60)!r}") as memory:
        run = memory.run(run_id=run_id)
    if as_json:
        write_json(full_steps(run))
    else:
        write_page(replay_page(run))
