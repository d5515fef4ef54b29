"""`memu-code export` and `memu-code import`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from memu_code.cli.opening import Place, existing, opened
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.page import Block, Facts, Note, Title
from memu_code.cli.screen import progress, write_json, write_page
from memu_code.config import read_settings


def export(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The archive to be written, such as memory.zip.")],
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only the runs of this job.")] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Only this run.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Put it in the place of a file that is there.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write all that you may see into one checksummed file; with --space, --job or --run only that.

    Runs with their images, and what was learnt, with its evidence; no vectors, which are made anew where it is
    imported.

    Example: memu-code export memory.zip --job nightly-scan
    """
    with existing(Place(store, space, embedder), "") as memory:
        done = memory.export(path, space=space, job=job, run=run, force=force)
    if as_json:
        write_json({**asdict(done), "path": str(done.path)})
    else:
        facts = (("archive", str(done.path)), ("bytes", f"{done.bytes:,}"), ("SHA-256", done.sha256))
        write_page([Facts((*facts, *_counted(done.counts)))])


def import_archive(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="An archive that `memu-code export` wrote.")],
    as_space: Annotated[
        str | None,
        typer.Option("--as", metavar="SPACE", help="Put everything into this space of yours, whatever it was in."),
    ] = None,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take an archive in, once all of it was checked; what is there already stays as it is.

    Code in it may be offered to your agents: import only from people whose code you would run.

    Example: memu-code import memory.zip --as ~ann
    """
    place = Place(store, as_space if space is None else space, embedder)
    _checked(path)
    with opened(place) as memory, progress("Embedding", quiet=as_json) as tell:
        done = memory.load(path, as_space=as_space, progress=tell)
    if as_json:
        write_json({**asdict(done), "counts": dict(done.counts), "spaces": list(done.spaces)})
    else:
        nodes, runs = (done.counts.get(name, 0) for name in ("nodes", "runs"))
        new = f"{done.new_nodes} of {nodes} nodes, {done.new_runs} of {runs} runs"
        page: list[Block] = [
            Facts((("into", ", ".join(done.spaces)), ("new", new))),
            Title("in the archive"),
            Facts(tuple(_counted(done.counts))),
        ]
        if unseen := sorted(set(done.spaces) - _read_by_default()):
            names = ",".join(unseen)
            page.append(Note(f"To see it, say --space {unseen[0]} each time, or set MEMU_CODE_READ={names}."))
        write_page(page)


def _checked(path: Path) -> None:
    """Refuse what is no archive before a store is made for nothing."""
    from memu_code.learn.archive import Archive

    Archive(path).close()


def _read_by_default() -> set[str]:
    settings = read_settings()
    return {settings.space, *settings.also_read}


def _counted(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(name, f"{count:,}") for name, count in counts.items() if count]
