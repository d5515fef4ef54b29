"""What was judged as what `--json` prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memu_code.cli.shapes import promotion_shape

if TYPE_CHECKING:
    from memu_code.learn.audit import Audit
    from memu_code.learn.feedback import Feedback
    from memu_code.learn.history import Version


def feedback_shape(given: Feedback) -> dict[str, Any]:
    """What a feedback came to; `version` is the id of the version that came or went with it, or empty."""
    return {
        "id": given.node,
        "verdict": given.verdict,
        "state": str(given.state),
        "version": given.version,
        "told": list(given.told),
    }


def history_shape(versions: Iterable[Version]) -> list[dict[str, Any]]:
    """The versions, newest first; `at` is in seconds since the epoch, UTC."""
    return [
        {
            "id": version.solution.id,
            "kind": str(version.solution.kind),
            "space": version.solution.space,
            "state": str(version.standing.state),
            "successes": version.standing.successes,
            "failures": version.standing.failures,
            "actor": version.actor,
            "at": version.at,
            "run": version.run,
            "note": version.note,
            "replaced": version.replaced,
            "promoted": promotion_shape(version.promoted) if version.promoted else None,
            "changes": [
                {"replaces": change.replaces, "undone": change.undone, "diff": change.diff}
                for change in version.changes
            ],
            "code": version.solution.code,
        }
        for version in versions
    ]


def audit_shape(found: Audit) -> dict[str, Any]:
    """Each finding by its name: how many there are, what it means, and the ids, in groups that belong together."""
    return {
        "nodes": found.nodes,
        "findings": {
            finding.name: {
                "count": len(finding.groups),
                "means": finding.means,
                "groups": [{"ids": list(group.ids), "why": group.why} for group in finding.groups],
            }
            for finding in found.findings
        },
    }
