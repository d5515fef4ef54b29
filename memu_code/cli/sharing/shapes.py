"""What was shared as what `--json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memu_code.cli.keeping.losing import proof_shape
from memu_code.cli.shapes import promotion_shape
from memu_code.model import told

if TYPE_CHECKING:
    from memu_code.learn.promotion.bringing import Promoted
    from memu_code.learn.promotion.membership import Membership
    from memu_code.learn.promotion.withdrawing import TakenBack


def membership_shape(one: Membership) -> dict[str, Any]:
    """A space; `nodes` and `promoted` are null where it may not be read."""
    return {**asdict(one), "rights": [str(right) for right in one.rights]}


def promoted_shape(done: Promoted, dry_run: bool) -> dict[str, Any]:
    """What promoting came to: the promotion, and what others read."""
    return {
        **promotion_shape(done.promotion),
        "new": done.new,
        "dry_run": dry_run,
        "nodes": [{"id": node.id, "kind": str(node.kind), "text": told(node), **asdict(node)} for node in done.nodes],
        "code": getattr(done.nodes[0], "code", ""),
        "evidence": len(done.evidence),
        "rows": [asdict(row) for row in done.evidence],
    }


def taken_back_shape(done: TakenBack, dry_run: bool) -> dict[str, Any]:
    """What taking back came to."""
    return {
        "dry_run": dry_run,
        "promotions": [promotion_shape(one) for one in done.promotions],
        "gone": list(done.gone),
        "kept": list(done.kept),
        "sources": [{"id": name, "space": space} for name, space in done.sources],
        "proof": proof_shape(done.proof) if done.proof else None,
    }
