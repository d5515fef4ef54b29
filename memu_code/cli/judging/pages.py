"""What was judged as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.pages import moment, promotion_facts, short, stood

if TYPE_CHECKING:
    from memu_code.learn.audit import Audit
    from memu_code.learn.feedback import Feedback
    from memu_code.learn.findings import Group
    from memu_code.learn.history import Version

_EXAMPLES = 5  # groups of ids that are shown of each finding; `--json` has all
_WHY_CHARACTERS = 100


def feedback_page(given: Feedback) -> list[Block]:
    """What a feedback came to."""
    facts = (
        ("id", given.node),
        ("verdict", given.verdict),
        ("its state", str(given.state)),
        ("version taken back" if given.verdict == "undone" else "new version", given.version),
    )
    return [Facts(facts), *(Note(sentence) for sentence in given.told)]


def history_page(versions: Sequence[Version]) -> list[Block]:
    """The versions, newest first: who made each when, and the lines that it changed; the first ones with their code."""
    page: list[Block] = []
    for version in versions:
        known = version.standing
        facts = (
            ("id", version.solution.id),
            ("who", version.actor),
            ("when", moment(version.at) if version.at else ""),
            ("run", version.run),
            ("note", version.note),
            ("replaces", "\n".join(change.replaces for change in version.changes if not change.undone)),
            ("taken back", "\n".join(change.replaces for change in version.changes if change.undone)),
            *(promotion_facts(version.promoted) if version.promoted else ()),
            ("offered", "no: a proven version stands in its place" if version.replaced else ""),
        )
        page += [Title(stood(known.state, known.successes, known.failures), str(known.state)), Facts(facts)]
        page += [Code(change.diff, "diff") for change in version.changes if change.diff]
        if not version.changes:
            page.append(Code(version.solution.code))
    return page


def audit_page(found: Audit) -> list[Block]:
    """How often each thing was found, and for what was found the first ids."""
    counts = tuple((finding.name.replace("_", " "), str(len(finding.groups))) for finding in found.findings)
    page: list[Block] = [
        Title(f"audit of {found.nodes} nodes"),
        Grid(("what", "found"), counts, numbers_from=1),
    ]
    for finding in found.findings:
        if finding.groups:
            page += [Title(finding.name.replace("_", " ")), Note(finding.means), _examples(finding.groups)]
    return page


def _examples(groups: Sequence[Group]) -> Grid:
    rows = [
        (
            " ".join(group.ids[:_EXAMPLES]) + (" ..." if len(group.ids) > _EXAMPLES else ""),
            short(group.why, _WHY_CHARACTERS),
        )
        for group in groups[:_EXAMPLES]
    ]
    if len(groups) > _EXAMPLES:
        rows.append((f"and {len(groups) - _EXAMPLES} more: --json has all", ""))
    return Grid(("ids", "why"), tuple(rows))
