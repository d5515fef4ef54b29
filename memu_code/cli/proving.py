"""The commands of proof: run again what is due, and put the store in order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memu_code.cli.group import REFUSED
from memu_code.cli.opening import Place, existing
from memu_code.cli.options import EmbedderOption, JsonOption, SpaceOption, StoreOption
from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.pages import short
from memu_code.cli.screen import is_terminal, say, write_json, write_page
from memu_code.errors import UsageError
from memu_code.model import REPROOF_SECONDS, Executor

if TYPE_CHECKING:
    from memu_code.learn.checks import Check, Unchecked
    from memu_code.learn.consolidation import Compaction
    from memu_code.learn.reproof import Reproof

_ANSWER_CHARACTERS = 200


def reprove(
    node_id: Annotated[str | None, typer.Argument(metavar="ID", help="The id of a solution, or its beginning.")] = None,
    all_due: Annotated[
        bool, typer.Option("--all-due", help="All that were not seen to work for 30 days, or whose packages moved on.")
    ] = False,
    executor: Annotated[Executor, typer.Option("--executor", help="Where it runs.")] = Executor.LOCAL,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, max=3600.0, help="Seconds of processor time for each.")
    ] = REPROOF_SECONDS,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Run it without asking.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a stored solution again, with the inputs of its run, and see whether the answer is still the same.

    It says first what it will run, and asks. Only code of trusted spaces (MEMU_CODE_TRUST) is run, in a process of
    its own. Exit code 1 where something failed.

    Example: memu-code reprove solution_4f0c
    """
    if (node_id is None) != all_due:
        raise UsageError("Name one solution, or say --all-due.")
    wanted = "" if node_id is None else f"id {short(node_id, 60)!r}"
    with existing(Place(store, space, embedder), wanted) as memory:
        planned = memory.due() if node_id is None else [memory.check(node_id)]
        checks, unchecked = _parted(planned)
        if not as_json:
            write_page(_plan_page(checks, unchecked, executor, timeout))
        if checks and not yes:
            _ask(len(checks))
        results = [memory.reprove(check, executor=executor, seconds=timeout) for check in checks]
    if as_json:
        write_json([*map(_result_shape, results), *(_unchecked_shape(plan, executor) for plan in unchecked)])
    elif results:
        write_page(_results_page(results))
    if any(result.ok is False for result in results) or (node_id and unchecked):
        raise typer.Exit(REFUSED)


def compact(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be merged.")] = False,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Merge solutions that say the same under other names, and shrink the store.

    No evidence is lost, and the ids of what was merged go on to work. Takes some seconds, and may be done at any time.

    Example: memu-code compact --dry-run
    """
    with existing(Place(store, space, embedder), "") as memory:
        done = memory.compact(dry_run=dry_run)
    if as_json:
        write_json(
            {
                "dry_run": dry_run,
                "merged": dict(done.merged),
                "before": asdict(done.before),
                "after": asdict(done.after),
            }
        )
    else:
        write_page(_compaction_page(done, dry_run))


def _compaction_page(done: Compaction, dry_run: bool) -> list[Block]:
    page: list[Block] = []
    if done.merged:
        page.append(Grid(("would be merged" if dry_run else "merged", "into"), tuple(sorted(done.merged.items()))))
    else:
        page.append(Note("Nothing says the same twice."))
    names = ("nodes", "edges", "evidence", "bytes")
    rows = tuple(
        (
            name,
            *(
                "?" if value is None else f"{value:,}"
                for value in (getattr(done.before, name), getattr(done.after, name))
            ),
        )
        for name in names
    )
    if dry_run:
        return page
    return [*page, Grid(("", "before", "after"), rows, numbers_from=1)]


def _parted(planned: Sequence[Check | Unchecked]) -> tuple[list[Check], list[Unchecked]]:
    from memu_code.learn.checks import Check  # here, as in `opened`: it takes a while to import

    checks = [plan for plan in planned if isinstance(plan, Check)]
    return checks, [plan for plan in planned if not isinstance(plan, Check)]


def _ask(count: int) -> None:
    """Let go on only who says so.

    Raises:
        UsageError: nobody is there to be asked.
    """
    if not is_terminal(sys.stdin):
        raise UsageError("Nothing was run: say --yes to run it.")
    if not typer.confirm(f"Run {'it' if count == 1 else f'these {count}'}?", err=True):
        say("Nothing was run.")
        raise typer.Exit(REFUSED)


def _plan_page(checks: Sequence[Check], unchecked: Sequence[Unchecked], executor: str, timeout: float) -> list[Block]:
    """What is about to run, with its inputs and its answer, and what cannot be run and why."""
    if not checks and not unchecked:
        return [Note("Nothing is due.")]
    page: list[Block] = []
    for check in checks:
        facts = (
            ("solution", check.solution.id),
            ("through", check.carrier.id if check.carrier.id != check.solution.id else ""),
            ("task", short(check.run.task, _ANSWER_CHARACTERS)),
            ("due", check.due),
            ("inputs", "\n".join(f"{name} = {short(value, 80)}" for name, value in check.inputs.items())),
            ("must give", short(check.run.answer, _ANSWER_CHARACTERS)),
        )
        title = f"to run · {executor}, at most {timeout:g} s of processor time"
        page += [Title(title), Facts(facts), Code(check.carrier.code)]
    if unchecked:
        page.append(
            Grid(("cannot be proved again", "because"), tuple((plan.solution.id, plan.reason) for plan in unchecked))
        )
    return page


def _results_page(results: Sequence[Reproof]) -> list[Block]:
    rows = tuple(
        (_verdict(result), result.solution, result.executor, f"{result.seconds:.1f} s", result.reason)
        for result in results
    )
    return [Grid(("result", "solution", "executor", "time", "because"), rows)]


def _verdict(result: Reproof) -> str:
    return "unclear" if result.ok is None else "right" if result.ok else "wrong"


def _result_shape(result: Reproof) -> dict[str, Any]:
    rest = {name: value for name, value in asdict(result).items() if name != "solution"}
    return {"id": result.solution, "result": _verdict(result), **rest}


def _unchecked_shape(plan: Unchecked, executor: str) -> dict[str, Any]:
    shape = {"id": plan.solution.id, "result": "not run", "ok": None, "reason": plan.reason}
    return {**shape, "executor": executor, "seconds": 0.0}
