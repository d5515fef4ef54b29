"""What the host asks of a memory; `CodeMemory` answers to it, and so may a small stand-in."""

from __future__ import annotations

from typing import Literal, Protocol

from memu_code.model import Environment, Extraction, FollowUp, Found, Hit, Offer, Recalled, Run, Step
from memu_code.runs.brief import Brief

Ways = Literal["both", "text", "call"]
WAYS: tuple[str, ...] = ("both", "text", "call")


class Journal(Protocol):
    """What keeps a run while it goes on: each value is on disk when its call returns. Every method may raise."""

    def step(self, step: Step) -> None: ...

    def offer(self, offer: Offer) -> None: ...

    def end(self, run: Run) -> None: ...

    def discard(self) -> None: ...

    def keep(self) -> None: ...


class Memory(Protocol):
    """The part of a memory that an attached agent uses. Every method may raise; none of it reaches the agent's run."""

    @property
    def space(self) -> str: ...

    @property
    def actor(self) -> str: ...

    @property
    def off(self) -> bool: ...

    @property
    def holdout(self) -> float: ...

    def recall(self, task: str, k: int = 5, *, environment: Environment | None = None, floor: float = 0.0) -> Found: ...

    def render(
        self, found: Found, *, callables: frozenset[str] = frozenset(), budget: int = 1200
    ) -> tuple[str, tuple[str, ...]]: ...

    def count(self, text: str) -> int: ...

    def recall_fix(
        self, error: str, *, code: str = "", environment: Environment | None = None, k: int = 3
    ) -> list[Hit]: ...

    def remember(self, run: Run) -> Extraction: ...

    def trusts(self, space: str) -> bool: ...

    def brief(self, job: str, *, run: Run | None = None) -> Brief: ...

    def journal(self, run: Run) -> Journal | None: ...

    def keep_picture(self, png: bytes) -> str: ...

    def picture(self, name: str, run: str | None = None) -> bytes | None: ...


class WorkMemory(Memory, Protocol):
    """A memory with a work record, for the tools of agents."""

    def note_follow_up(
        self, text: str, *, job: str, due: str | None = None, run: str = "", since: float | None = None
    ) -> FollowUp: ...

    def close_follow_up(self, follow_up: str, *, job: str | None = None, run: str = "") -> FollowUp: ...

    def recall_work(self, query: str, job: str | None = None, k: int = 10) -> list[Recalled]: ...
