"""The command line `memu-code`: it reads options, calls one method, and shows what came back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from memu_code import __version__
from memu_code.cli import pages, shapes
from memu_code.cli.doubts import node_doubts
from memu_code.cli.group import REFUSED, WRONG_USAGE, Commands
from memu_code.cli.health import examine, health_page
from memu_code.cli.judging import audit, feedback, show_history
from memu_code.cli.keeping import export, forget, import_archive, mark_pruned, pin, prune, was_pruned
from memu_code.cli.ledger import replay, runs
from memu_code.cli.nights import demo
from memu_code.cli.opening import Place, existing, existing_store, opened, reading, source_text, text_of
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption, WhyOption
from memu_code.cli.proving import compact, reprove
from memu_code.cli.sandboxes import places_page, places_shape
from memu_code.cli.screen import progress, say, write_json, write_page, write_text
from memu_code.cli.serving import serve, token
from memu_code.cli.sharing import node_promotions, promote, spaces
from memu_code.cli.watching import gone, lift, node_receipts, run_receipts
from memu_code.cli.work import brief, follow_up, recall_work
from memu_code.config import read_settings
from memu_code.errors import UnknownIdError

app = typer.Typer(
    name="memu-code",
    cls=Commands,
    rich_markup_mode=None,  # plain help texts come at once; rich is for what is looked at longer
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command()(feedback)
app.command()(audit)
app.command()(runs)
app.command()(replay)
app.command()(brief)
app.command()(recall_work)
app.add_typer(follow_up)
app.command()(reprove)
app.command()(compact)
app.command()(lift)
app.command()(export)
app.command("import")(import_archive)
app.command()(forget)
app.command()(prune)
app.command()(pin)
app.command()(spaces)
app.command()(promote)
app.command()(serve)
app.add_typer(token)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """A solution memory for code agents: what one run learnt, the next one uses.

    Try `memu-code demo` first.
    """
    if version:
        write_text(f"memu-code {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(WRONG_USAGE)


@app.command()
def query(
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="The task in words; - reads standard input.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many solutions at the most.")] = 5,
    why: WhyOption = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find code that solved a task like this one.

    Example: memu-code query parse plant logger stamps
    """
    task = text_of(words, "query")
    with reading(Place(store, space, embedder)) as memory:
        hits = list(memory.recall(task, k, quarantined=True)) if memory else []
    if memory and not hits:
        say("Nothing relevant is known.")
    if as_json:
        write_json([shapes.hit_shape(hit) for hit in hits])
    elif hits:
        write_page([*pages.hits_page(hits), *(pages.why_page(hits) if why else ())])


@app.command()
def fix(
    words: Annotated[
        list[str], typer.Argument(metavar="ERROR", help="The error text, or a traceback; - reads standard input.")
    ],
    code: Annotated[Path | None, typer.Option("--code", metavar="FILE", help="The code that failed.")] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many fixes at the most.")] = 3,
    why: WhyOption = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the change that mended an error like this one.

    Example: memu-code fix "KeyError: 'rows'" --code job.py
    """
    error = text_of(words, "error text")
    failing = source_text(code) if code else ""
    with reading(Place(store, space, embedder)) as memory:
        hits = memory.recall_fix(error, code=failing, k=k, quarantined=True) if memory else []
    if memory and not hits:
        say("No fix is known for this error.")
    if as_json:
        write_json([shapes.hit_shape(hit) for hit in hits])
    elif hits:
        write_page([*pages.hits_page(hits), *(pages.why_page(hits) if why else ())])


@app.command()
def seed(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A repository's folder, or one Python file.")],
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take the functions of a repository in; again, only what changed since.

    Example: memu-code seed .
    """
    from memu_code.extractors.repository.files import base_folder  # with a parser that other commands do without

    base_folder(path)  # before a store is made for nothing
    with opened(Place(store, space, embedder)) as memory, progress("Seeding", quiet=as_json) as tell:
        report = memory.seed(path, tell)
    if not report.files:
        say(f"There is no Python file in {path}.")
    if as_json:
        write_json(shapes.report_shape(report))
    else:
        write_page(pages.report_page(report))


@app.command()
def show(
    node_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a node or a run, or its beginning.")],
    history: Annotated[bool, typer.Option("--history", help="The versions of a solution, newest first.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show all that is known of one node, with the evidence for it, or of one run with its steps.

    Example: memu-code show solution_4f0c
    """
    if history:
        show_history(node_id, Place(store, space, embedder), as_json=as_json)
        return
    with existing(Place(store, space, embedder), f"id {pages.short(node_id, 60)!r}") as memory:
        try:
            node, standing, evidence = memory.node(node_id)
        except UnknownIdError as unknown:
            try:
                run = memory.run(run_id=node_id)
            except UnknownIdError:
                raise was_pruned(memory, node_id, gone(memory, node_id, unknown)) from None
            receipt, receipt_page = run_receipts(memory, run.id)
            shape, page = {**shapes.run_shape(run), **receipt}, [*pages.run_page(run), *receipt_page]
        else:
            ties = memory.related(node.id)
            told = (node, standing, evidence, ties)
            source = memory.source(node)
            receipts, receipts_page = node_receipts(memory, node.id)
            pruned, marked = mark_pruned(memory, evidence)
            promotions, promotions_page = node_promotions(memory, node.id)
            doubts, doubts_page = node_doubts(memory, node)
            shape = {**shapes.node_shape(*told), **places_shape(*told, source), **receipts, **pruned}
            shape |= {**promotions, **doubts}
            head, *rest = pages.node_page(node, standing, marked, ties)
            page = [head, *doubts_page, *places_page(*told, source), *promotions_page, *rest, *receipts_page]
    if as_json:
        write_json(shape)
    else:
        write_page(page)


@app.command()
def stats(
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count what the memory holds.

    Example: memu-code stats --space acme
    """
    with reading(Place(store, space, embedder)) as memory:
        counts = shapes.counts_shape(memory.stats() if memory else {"store": read_settings(store).store, "spaces": []})
    if as_json:
        write_json(counts)
    else:
        write_page(pages.stats_page(counts))


@app.command()
def doctor(
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check versions, store, embedder and disk; say what to do where something is wrong.

    Example: memu-code doctor
    """
    facts = examine(Place(store, space, embedder))
    if as_json:
        write_json(facts)
    else:
        write_page(health_page(facts))
    if facts["problems"]:
        raise typer.Exit(REFUSED)


@app.command()
def reindex(
    store: StoreOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make all vectors anew, for another embedder; nothing else changes.

    Example: memu-code reindex --embedder ./my-model
    """
    place = Place(store, None, embedder)
    with existing_store(place) as memory, progress("Embedding", quiet=as_json) as tell:
        count = memory.reindex(store, embedder=embedder, progress=tell)
    if as_json:
        write_json({"nodes": count})
    else:
        write_text(f"{count} nodes have new vectors.")
        if embedder and embedder != os.environ.get("MEMU_CODE_EMBEDDER"):
            write_text(f"Set MEMU_CODE_EMBEDDER={embedder} from now on: the store opens with no other embedder.")
