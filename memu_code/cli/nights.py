"""`memu-code demo`: two nights of one job on one store, and what the second had from the first."""

from __future__ import annotations

import shlex
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer

from memu_code.cli.group import REFUSED
from memu_code.cli.opening import is_empty
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption
from memu_code.cli.page import Block, Code, Grid, Note, Title
from memu_code.cli.screen import say, write_json, write_page
from memu_code.config import read_settings
from memu_code.demo import Comparison, Stage, TaskResult, compare_nights
from memu_code.demo.results import Total, total
from memu_code.errors import MemuCodeError, UsageError

QUESTION = "minutes between the first and the last logger stamp"
_STAND_IN = "a scripted stand-in, no real LLM (name one with --llm URL --model NAME)"
_KEPT_SECONDS = 86_400.0  # how long the store of an earlier demo stays, so that its `query` can be tried


def demo(
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="PLACE", help="An empty folder for the store; by default one is made."),
    ] = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    llm: Annotated[
        str | None,
        typer.Option("--llm", metavar="URL", help="An OpenAI-compatible server, as http://localhost:8000/v1."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The LLM's name on that server.")] = None,
    keep: Annotated[bool, typer.Option("--keep/--no-keep", help="Keep the store that the demo makes.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Watch an agent solve a job on two nights: the second one remembers the first.

    Example: memu-code demo
    """
    if (llm is None) != (model is None):
        raise UsageError("--llm and --model belong together: the server's address and the LLM's name there.")
    if store is not None and not keep:
        raise UsageError("--no-keep is for the store that the demo makes itself, not for one named by --store.")
    if llm is not None and not llm.startswith(("http://", "https://")):
        raise UsageError("--llm needs the address of a server, as http://localhost:8000/v1.")
    settings = read_settings(store or "unused", space, embedder)
    if settings.off:
        raise MemuCodeError("MEMU_CODE_OFF switches the memory off, so there is nothing to show: unset it.")
    if store is not None and "://" not in store and not is_empty(settings.store):
        raise MemuCodeError(f"{settings.store} is not empty: the demo starts from nothing, so name another folder.")
    place = settings.store if store is not None else _new_store()
    try:
        comparison = _run(Stage(place, space, embedder, llm, model), as_json)
    except BaseException:
        if store is None:
            shutil.rmtree(place, ignore_errors=True)
        raise
    if not keep:
        shutil.rmtree(place, ignore_errors=True)
    following = _following(place, space, embedder) if keep else ""
    if as_json:
        write_json(_shape(comparison, llm and f"{model} at {llm}", place if keep else None, following))
    else:
        write_page(_page(comparison, following))
    if not comparison.better:
        say("The second night was not better than the first.")
        raise typer.Exit(REFUSED)


def _run(stage: Stage, quiet: bool) -> Comparison:
    def told(night: int, result: TaskResult) -> None:
        if not quiet:
            verdict = "right" if result.right else f"wrong, {result.truth} is true"
            cost = f"{_many(result.steps, 'step')}, {_many(result.errors, 'error')}, {result.seconds:.1f} s"
            write_page([Note(f"Night {night}, {result.task}: {_short(result.answer)} ({verdict}) in {cost}")])

    if not quiet:
        who = f"{stage.model} at {stage.llm}" if stage.llm else _STAND_IN
        write_page([Note(f"LLM: {who}\nStore: {stage.store}\nEach night is a process of its own.")])
    return compare_nights(stage, told)


def _page(comparison: Comparison, following: str) -> list[Block]:
    columns = (
        "task",
        *(f"night {night} {what}" for night in (1, 2) for what in ("answer", "steps", "errors", "tokens")),
    )
    rows = [
        (first.task, *_cells(first.right, total([first])), *_cells(second.right, total([second])))
        for first, second in zip(comparison.first, comparison.second, strict=True)
    ]
    sums = total(comparison.first), total(comparison.second)
    rows.append(("total", *(cell for night in sums for cell in _cells(f"{night.right} of {night.tasks}", night))))
    page: list[Block] = [Title("Two nights"), Grid(columns, tuple(rows), numbers_from=1, total=True)]
    task, block = comparison.block
    if block:
        page += [Note(f"What the memory put into the system prompt on night 2, for the task '{task}':")]
        page += [Code(block, "text")]
    if following:
        page.append(Note(f"Try next:\n{following}"))
    return page


def _cells(verdict: bool | str, night: Total) -> tuple[str, ...]:
    shown = verdict if isinstance(verdict, str) else "right" if verdict else "wrong"
    return shown, str(night.steps), str(night.errors), f"{night.tokens:,}"


def _shape(comparison: Comparison, llm: str | None, store: str | None, following: str) -> dict[str, Any]:
    def night(results: Sequence[TaskResult]) -> dict[str, Any]:
        tasks = [{**asdict(result), "tokens": result.tokens} for result in results]
        return {"tasks": tasks, "total": asdict(total(results))}

    return {
        "llm": llm or "scripted stand-in",
        "store": store,
        "night_1": night(comparison.first),
        "night_2": night(comparison.second),
        "better": comparison.better,
        "try_next": following or None,
    }


def _following(store: str, space: str | None, embedder: str | None) -> str:
    """The command to try next."""
    words = ["memu-code", "query", QUESTION, "--store", store]
    words += ["--space", space] if space else []
    words += ["--embedder", embedder] if embedder else []
    return " ".join(f'"{word}"' if word == QUESTION else shlex.quote(word) for word in words)


def _new_store() -> str:
    """A new folder for a store; those of demos from more than a day ago go."""
    shelf = Path(platformdirs.user_cache_dir("memu_code", appauthor=False)) / "demo"
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        for old in shelf.iterdir():
            if time.time() - old.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        return tempfile.mkdtemp(prefix="", dir=shelf)
    except OSError as error:
        raise MemuCodeError(
            f"No store can be made in {shelf}: {error.strerror or error}. Name one by --store."
        ) from error


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _short(answer: str) -> str:
    line = " ".join(answer.split())
    return line if len(line) <= 60 else line[:56] + " ..."
