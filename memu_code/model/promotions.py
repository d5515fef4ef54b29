"""What was promoted: copied into a wider space, or vouched for in its own, by somebody, for a reason."""

from __future__ import annotations

from dataclasses import dataclass

from memu_code.model.nodes import content_id

PROMOTED, WITHDRAWN = PROMOTIONS = ("promoted", "promotion_withdrawn")  # the kinds of events in the space of the copy
_AWAY = "private"  # how the name begins that a run has where not all may read it


def away(*parts: str) -> str:
    """What something that was seen in another space is called here: the same name for the same thing, for good."""
    return content_id(_AWAY, *parts)


def is_away(run: str) -> bool:
    """Whether this is no run that can be read, but the name of one of another space."""
    return run.startswith(f"{_AWAY}_")


@dataclass(frozen=True, slots=True)
class Promotion:
    """How a node came into a space: `node` is the copy there, `source` what it was made of, where not all may look.

    What lies in the space already is promoted in place: then it is its own source, and nothing came with it.

    `by` is who did it, `at` when, in seconds since the epoch, UTC, and `why` what they said. `nodes` are the ids of all
    that came with it, itself among them; for a solution or a fix of these `along` is the copy that it came with.
    `number` counts from 0 how often it came from that space before; `back_by`, `back_at` and `back_why` tell of its
    being taken back, and `back_at` is 0 while it is in force.
    """

    node: str
    space: str
    source_space: str
    source: str
    by: str
    at: float
    why: str = ""
    number: int = 0
    nodes: tuple[str, ...] = ()
    along: str = ""
    back_by: str = ""
    back_at: float = 0.0
    back_why: str = ""

    @property
    def in_force(self) -> bool:
        return not self.back_at

    @property
    def in_place(self) -> bool:
        """Whether it vouches for what others have brought into the space, and has brought nothing itself."""
        return self.source_space == self.space
