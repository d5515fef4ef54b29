"""The commands of the work record."""

from __future__ import annotations

import time
from datetime import date
from typing import Annotated

import typer

from memu_code.cli.opening import Place, existing, opened, reading, text_of
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.screen import say, write_json, write_page, write_text
from memu_code.cli.work import pages, shapes
from memu_code.errors import UnknownIdError
from memu_code.runs.follow_ups import check_due, check_text
from memu_code.runs.jobs import check_job

follow_up = typer.Typer(
    name="follow-up",
    help="Promise something for the next runs of a job, list what is promised, and say what is done.",
    rich_markup_mode=None,
)

JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="The name of the job, or a task that names none.")]


def brief(
    job: JobArgument,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print what the next run's prompt gets.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what the last runs of a job did: sources, verdicts, follow-ups.

    Example: memu-code brief nightly-scan
    """
    with existing(Place(store, space, embedder), f"job {job[:60]!r}") as memory:
        found = memory.brief(job)
        others = memory.jobs() if not found else []
    if not found:
        known = f" Known are: {', '.join(map(repr, others[:5]))}." if others else ""
        raise UnknownIdError(f"No run of the job {job[:60]!r} is known here.{known}")
    if as_json:
        write_json(shapes.brief_shape(found))
    elif prompt:
        write_text(found.text)
    else:
        write_page(pages.brief_page(found))


def recall_work(
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to look for; - reads standard input.")],
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only in the runs of this job.")] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How much at the most.")] = 10,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what the last 50 runs looked at, judged or promised.

    Example: memu-code recall-work pump 7 --job nightly-scan
    """
    query = text_of(words, "query")
    with reading(Place(store, space, embedder)) as memory:
        found = memory.recall_work(query, job, k) if memory else []
    if memory and not found:
        say("Nothing in the record of earlier runs matches.")
    if as_json:
        write_json([shapes.recalled_shape(one) for one in found])
    elif found:
        write_page(pages.recalled_page(found))


@follow_up.command("add")
def add(
    job: JobArgument,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What is to be done; - reads standard input.")],
    due: Annotated[
        str | None, typer.Option("--due", metavar="DATE", help="2026-12-01, or 2d or 3w from today.")
    ] = None,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Promise something for the next runs of a job.

    Example: memu-code follow-up add nightly-scan "ask the vendor about pump 7" --due 2d
    """
    text = check_text(text_of(words, "follow-up"))
    check_job(job)  # before a store is made for nothing
    check_due(due, date.fromisoformat(_today()))
    with opened(Place(store, space, embedder)) as memory:
        made = memory.note_follow_up(text, job=job, due=due)
    if as_json:
        write_json(shapes.follow_up_shape(made, _today()))
    else:
        write_page(pages.follow_ups_page([made], _today()))


@follow_up.command("done")
def done(
    name: Annotated[str, typer.Argument(metavar="ID", help="The id of the follow-up, its beginning, or its text.")],
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only among those of this job.")] = None,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a follow-up is done.

    Example: memu-code follow-up done a94aac
    """
    with existing(Place(store, space, embedder), f"follow-up {name[:60]!r}") as memory:
        closed = memory.close_follow_up(name, job=job)
    if as_json:
        write_json(shapes.follow_up_shape(closed, _today()))
    else:
        write_page(pages.follow_ups_page([closed], _today()))


@follow_up.command("list")
def listed(
    job: Annotated[str | None, typer.Argument(metavar="JOB", help="Only those of this job.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Those that are done, too.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the open follow-ups, those that are due first.

    Example: memu-code follow-up list nightly-scan
    """
    with reading(Place(store, space, embedder)) as memory:
        found = memory.follow_ups(job, done=all_) if memory else []
    if memory and not found:
        say("No follow-up is open." if not all_ else "No follow-up is known.")
    if as_json:
        write_json([shapes.follow_up_shape(one, _today()) for one in found])
    elif found:
        write_page(pages.follow_ups_page(found, _today()))


def _today() -> str:
    """Today's date in UTC, by which a follow-up is overdue."""
    return time.strftime("%Y-%m-%d", time.gmtime())
