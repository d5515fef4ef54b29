"""`memu-code forget`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memu_code.cli.group import REFUSED
from memu_code.cli.keeping.rights import check_right
from memu_code.cli.opening import Place, is_empty, opened
from memu_code.cli.options import EmbedderOption, JsonOption, StoreOption
from memu_code.cli.page import Block, Facts, Note, Title
from memu_code.cli.screen import say, write_json, write_page
from memu_code.config import read_settings
from memu_code.errors import MemuCodeError, UnknownIdError

if TYPE_CHECKING:
    from memu_code.learn.erasure import Proof
    from memu_code.learn.forgetting import Plan


def forget(
    name: Annotated[str, typer.Argument(metavar="ID", help="The id of a run or a node, or its beginning.")] = "",
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="All runs of this job.")] = None,
    actor: Annotated[str | None, typer.Option("--actor", metavar="NAME", help="All that this person did.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that you may write to.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Forget it without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    store: StoreOption = None,
    space: Annotated[
        str | None,
        typer.Option("--space", metavar="NAME", help="This whole space; with another target, where that lies."),
    ] = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a run, a node, a job, a space, a person or everything, so that no byte of it is left.

    It says first what will go, and asks. What other runs gave too stays. Afterwards it searches every byte of the store
    for what went, and says what it found. Exit code 1 where that is anything. To name a space gives no right to it:
    MEMU_CODE_WRITE names those that are not your own.

    Example: memu-code forget run_4f0c
    """
    from memu_code.learn.forgetting import Target

    whole = space if not (name or job is not None or actor is not None or everything) else None
    target = Target(name, job, whole, actor, everything).check()
    check_right(space)
    place = read_settings(store, space, embedder).store
    if is_empty(place):
        raise UnknownIdError(f"There is nothing to forget: there is no store at {place} yet.")
    with opened(Place(store, space, embedder)) as memory:
        try:
            plan = memory.forgetting(target)
        except UnknownIdError:
            if dry_run or not memory.half_forgotten:
                raise
            plan = None  # an earlier forgetting was stopped behind its last row: only its bytes are left
        if plan and not (as_json and not dry_run):
            (write_json(plan_shape(plan)) if as_json else write_page(plan_page(plan)))
        if dry_run:
            return
        if not yes:
            _ask()
        plan, proof = memory.forget(name, job=job, space=whole, actor=actor, everything=everything)
    if as_json:
        write_json({**plan_shape(plan), "proof": proof_shape(proof)})
    else:
        write_page(proof_page(proof))
    if proof.found:
        raise typer.Exit(REFUSED)


def _ask() -> None:
    """Let go on only who says so.

    Raises:
        MemuCodeError: nobody is there to be asked.
    """
    if not sys.stdin.isatty():
        raise MemuCodeError("Nothing was forgotten: say --yes to forget it.")
    if not typer.confirm("Forget it for good?", err=True):
        say("Nothing was forgotten.")
        raise typer.Exit(REFUSED)


def plan_page(plan: Plan) -> list[Block]:
    """What will go."""
    page: list[Block] = [Title(f"to be forgotten: {plan.what}")]
    counts = tuple((name, str(count)) for name, count in plan.counts.items() if count)
    page.append(Facts(counts) if counts else Note("Nothing is left of it."))
    if plan.examples:
        page.append(Facts((("for example", "\n".join(plan.examples)),)))
    return [*page, *(Note(note) for note in plan.notes)]


def plan_shape(plan: Plan) -> dict[str, Any]:
    """What goes as what `--json` prints."""
    return {
        "what": plan.what,
        "counts": dict(plan.counts),
        "nodes": list(plan.gone.get("nodes", ())),
        "runs": list(plan.gone.get("runs", ())),
        "spaces": list(plan.whole),
        "shared": list(plan.shared),
        "examples": list(plan.examples),
        "notes": list(plan.notes),
    }


def proof_page(proof: Proof) -> list[Block]:
    """What a search found afterwards."""
    looked = f"{proof.markers} of {proof.of} texts" if proof.markers < proof.of else f"{proof.of} texts"
    nothing = "" if proof.proves else "nothing can be proven: all of these texts stand in what stays as well"
    facts = (
        (
            "looked for",
            f"{looked} that went" + (f", {proof.elsewhere} of which stand in what stays" if proof.elsewhere else ""),
        ),
        ("searched", f"{proof.files} files, {proof.bytes:,} bytes, and every row of every version that is left"),
        ("found", "\n".join(proof.found) or nothing or "0"),
    )
    return [Title("forgotten"), Facts(facts)]


def proof_shape(proof: Proof) -> dict[str, Any]:
    """What a search found afterwards as what `--json` prints."""
    return {**asdict(proof), "proves": proof.proves}
