"""What the host asks of a memory; `CodeMemory` answers to it, and so may a small stand-in."""

from __future__ import annotations

from typing import Literal, Protocol

from memu_code.model import Environment, Extraction, Found, Hit, Run

Ways = Literal["both", "text", "call"]
WAYS: tuple[str, ...] = ("both", "text", "call")


class Memory(Protocol):
    """The part of a memory that an attached agent uses. Every method may raise; none of it reaches the agent's run."""

    @property
    def space(self) -> str: ...

    @property
    def actor(self) -> str: ...

    @property
    def off(self) -> bool: ...

    def recall(self, task: str, k: int = 5, *, environment: Environment | None = None, floor: float = 0.0) -> Found: ...

    def render(
        self, found: Found, *, callables: frozenset[str] = frozenset(), budget: int = 1200
    ) -> tuple[str, tuple[str, ...]]: ...

    def recall_fix(
        self, error: str, *, code: str = "", environment: Environment | None = None, k: int = 3
    ) -> list[Hit]: ...

    def remember(self, run: Run) -> Extraction: ...

    def trusts(self, space: str) -> bool: ...
