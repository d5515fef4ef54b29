"""What was shared as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memu_code.cli.keeping.losing import proof_page
from memu_code.cli.page import Block, Facts, Grid, Note, Title
from memu_code.cli.pages import moment, node_content, promotion_facts
from memu_code.model import Environment, Evidence, Node, Promotion

if TYPE_CHECKING:
    from memu_code.learn.promotion.bringing import Promoted
    from memu_code.learn.promotion.membership import Membership
    from memu_code.learn.promotion.withdrawing import TakenBack


def memberships_page(known: Sequence[Membership]) -> list[Block]:
    """A space a row."""
    rows = tuple(
        (
            one.space,
            ", ".join(one.rights),
            "yes" if one.trusted else "no",
            "" if one.nodes is None else str(one.nodes),
            "" if one.promoted is None else str(one.promoted),
        )
        for one in known
    )
    return [Grid(("space", "rights", "trusted", "nodes", "promoted"), rows, numbers_from=3)]


def promoted_page(done: Promoted, dry_run: bool) -> list[Block]:
    """What was promoted, or would be: all that others read then."""
    one = done.promotion
    told_as = "would be promoted" if dry_run and done.new else "promoted" if done.new else "promoted before"
    facts = (
        ("id" if one.in_place else "copy", one.node),
        ("in", one.space),
        ("from", "" if one.in_place else f"{one.source_space}, {one.source}"),
        ("who", one.by),
        ("when", moment(one.at)),
        ("why", one.why),
        ("evidence", f"{_rows(len(done.evidence))} along, without the runs" if done.new and not one.in_place else ""),
    )
    page: list[Block] = [Title(told_as), Facts(facts)]
    if done.new:
        page += [*_along(done.nodes), *_seen(done.evidence), Note(_read_by(one))]
    return page


def _read_by(one: Promotion) -> str:
    if one.in_place:
        return f"It lies in {one.space} as before: agents of all who read that space are offered it now."
    return f"Who reads {one.space} reads all of this."


def _rows(count: int) -> str:
    return "1 row goes" if count == 1 else f"{count} rows go"


def taken_back_page(done: TakenBack, dry_run: bool) -> list[Block]:
    """What went, or would, and what stays as somebody else's."""
    page: list[Block] = [
        Title("would be taken back" if dry_run else "taken back"),
        *(Facts(promotion_facts(one)) for one in done.promotions),
        Facts((("gone" if not dry_run else "would go", "\n".join(done.gone)), ("stays", "\n".join(done.kept)))),
    ]
    if done.kept:
        page.append(Note("What stays was given, promoted or proven by others there as well."))
    page += [
        Note(f"The source stays in {space}, with the texts that went along: {name}.") for name, space in done.sources
    ]
    return [*page, *(proof_page(done.proof)[1:] if done.proof else ())]


def _along(nodes: Sequence[Node]) -> list[Block]:
    """The node itself, and below it what goes along, each with all its texts."""
    first, *rest = nodes
    page = node_content(first, whole=True)
    if rest:
        page.append(Title("goes along"))
        page += [block for node in rest for block in node_content(node, whole=True)]
    return page


def _seen(rows: Sequence[Evidence]) -> list[Block]:
    """What each row of evidence says, with where it was seen."""
    if not rows:
        return []
    cells = tuple(
        (str(row.kind), row.actor, moment(row.at), _where(row.environment), " ".join(row.note.split())) for row in rows
    )
    return [Title("evidence"), Grid(("kind", "who", "when", "where", "note"), cells)]


def _where(seen: Environment) -> str:
    """The sandbox with all that is told of it."""
    packages = (f"{name} {version}" for name, version in seen.packages)
    return ", ".join(
        part for part in (seen.sandbox, seen.python, *packages, *seen.authorized_imports, *seen.tools) if part
    )
