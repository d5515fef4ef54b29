"""What is to be forgotten, and what goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memu_code.errors import MemuCodeError, UsageError
from memu_code.graph.rows import Row

TABLES = ("nodes", "edges", "evidence", "runs", "steps", "receipts", "events", "sources")


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten: exactly one of these."""

    name: str = ""
    job: str | None = None
    space: str | None = None
    actor: str | None = None
    everything: bool = False

    def check(self) -> Target:
        """The target as it is.

        Raises:
            UsageError: it names nothing, or more than one thing.
        """
        given = (bool(self.name.strip()), self.job is not None, self.space is not None, self.actor is not None)
        if sum((*given, self.everything)) != 1:
            raise UsageError("Say what is to be forgotten: one id, or one of --job, --space, --actor and --all.")
        return self


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes. `gone` has by table the ids of the rows in `spaces`, `whole` the spaces of which everything goes.

    `shared` are the nodes of which only this evidence and these words go, since other runs or repositories gave them
    too, or since they are later versions; `reworded` are the solutions whose text for the search has to be made anew.
    `offered` are runs that stay and were shown code that goes, `closings` what stays said of follow-ups without saying
    who and where. `markers` are texts that must not be found afterwards. `counts` and `examples` are for people.
    """

    what: str
    gone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spaces: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    closings: tuple[Row, ...] = ()
    pictures: tuple[str, ...] = ()
    journals: tuple[Path, ...] = ()
    markers: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Found:
    """What is known of a target so far."""

    runs: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    evidence: dict[str, Row] = field(default_factory=dict)
    events: dict[str, Row] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)


def check_idle(plan: Plan, held: Sequence[Path]) -> None:
    """Refuse what living runs still write.

    Raises:
        MemuCodeError: some journal of the plan is held by its process.
    """
    if held:
        names = ", ".join(path.stem for path in held[:3])
        raise MemuCodeError(f"A run of it is still going on ({names}): forget {plan.what} when it has ended.")
