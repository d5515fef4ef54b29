"""The lift and receipts as what `--json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memu_code.model import Receipt

if TYPE_CHECKING:
    from memu_code.learn.lift import Compared, Lift


def lift_shape(lift: Lift) -> dict[str, Any]:
    """Both comparisons; `solved` is a share in 0..1, the other measures are means. `jobs` is by job."""
    return {
        **_compared_shape(lift.fitting),
        "every": _compared_shape(lift.every),
        "jobs": {job: _compared_shape(found) for job, found in lift.jobs.items()},
        "undrawn": lift.undrawn,
        "shares": list(lift.shares),
    }


def _compared_shape(found: Compared) -> dict[str, Any]:
    return {
        "enough": found.enough,
        "needed": found.needed,
        "runs": {"memory": found.memory, "holdout": found.holdout},
        "solved": {"memory": found.solved_memory, "holdout": found.solved_holdout},
        "measures": {
            measure.name: {
                "memory": asdict(measure.memory),
                "holdout": asdict(measure.holdout),
                "difference": asdict(measure.difference),
            }
            for measure in found.measures
        },
    }


def receipt_shape(receipt: Receipt) -> dict[str, Any]:
    """A receipt; `at` is in seconds since the epoch, UTC."""
    began = receipt.injection
    used = {one.node: one for one in receipt.used}
    return {
        "id": receipt.id,
        "run": receipt.run,
        "job": receipt.job,
        "space": receipt.space,
        "actor": receipt.actor,
        "at": receipt.at,
        "task": receipt.task,
        "arm": str(began.arm),
        "holdout": began.holdout,
        "drawn": began.drawn,
        "offered": [
            {
                "node": one.node,
                "how": one.how,
                "score": one.score,
                "why": dict(one.why),
                "used": used[one.node].how if one.node in used else "",
                "good": used[one.node].good if one.node in used else None,
            }
            for one in began.offered
        ],
        "tokens": began.tokens,
        "brief_tokens": began.brief_tokens,
        "floor": began.floor,
        "budget": began.budget,
        "outcome": str(receipt.outcome),
        "steps": receipt.steps,
        "errors": receipt.errors,
        "llm_tokens": receipt.tokens,
        "seconds": receipt.seconds,
    }
