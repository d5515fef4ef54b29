"""What a night gave, and what two of them say together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How one task went: the agent's answer beside the true one, and what it cost.

    `block` is what the memory put into the system prompt, empty where that was nothing. Tokens are summed over all
    calls of the LLM; `seconds` is the wall time of the run.
    """

    task: str
    answer: str
    truth: str
    right: bool
    steps: int
    errors: int
    tokens_in: int
    tokens_out: int
    seconds: float
    block: str

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of a night."""

    tasks: int
    right: int
    steps: int
    errors: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two nights, task by task in the same order."""

    first: tuple[TaskResult, ...]
    second: tuple[TaskResult, ...]

    @property
    def better(self) -> bool:
        """Whether the second night was better: more right answers, or as many with fewer steps, errors, or tokens."""
        return _merit(total(self.second)) > _merit(total(self.first))

    @property
    def block(self) -> tuple[str, str]:
        """The first task of the second night that was given something, and what; empty where there is none."""
        return next(((result.task, result.block) for result in self.second if result.block), ("", ""))


def total(results: Iterable[TaskResult]) -> Total:
    """The sums over the tasks of a night."""
    of = tuple(results)
    return Total(
        tasks=len(of),
        right=sum(result.right for result in of),
        steps=sum(result.steps for result in of),
        errors=sum(result.errors for result in of),
        tokens=sum(result.tokens for result in of),
    )


def _merit(night: Total) -> tuple[int, int, int, int]:
    return night.right, -night.steps, -night.errors, -night.tokens
