"""What a run was offered by the memory before it began and on its way, or would have been: the arm that it is in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Arm(StrEnum):
    """Which part of the comparison a run belongs to."""

    MEMORY = "memory"  # it was offered what the memory knows
    HOLDOUT = "holdout"  # the memory was silent, and only noted what it would have offered


@dataclass(frozen=True, slots=True)
class Offered:
    """One thing that a run was offered, or would have been in the arm `holdout`.

    `how` is `text`, `call`, or `fix` for what came after a failed step. `score` is in 0..1, `why` its named parts.
    """

    node: str
    how: str
    score: float = 0.0
    why: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Injection:
    """How a run began: its arm, what it was offered, and under which rule.

    `tokens` is the length of the block of code and `brief_tokens` that of the job's brief, of both what would have been
    injected where the run was held out. `holdout` is the share of runs that were held out at that time, and `drawn` the
    id that was drawn by: the run's own, its manager's, or that of the first run of its conversation.
    """

    drawn: str
    arm: Arm = Arm.MEMORY
    holdout: float = 0.0
    offered: tuple[Offered, ...] = ()
    tokens: int = 0
    brief_tokens: int = 0
    floor: float = 0.0
    budget: int = 0


def arm_of(run_id: str, holdout: float) -> Arm:
    """The arm of a run when this share (0..1) of runs is held out: by a hash of its id, so that it can be checked."""
    drawn = int.from_bytes(hashlib.sha256(f"holdout {run_id}".encode("utf-8", "replace")).digest()[:8], "big")
    return Arm.HOLDOUT if drawn < holdout * 2**64 else Arm.MEMORY
