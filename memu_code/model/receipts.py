"""What is kept of an injection: what a run was offered, what it made of that, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from memu_code.model.injections import Arm, Injection
from memu_code.model.nodes import content_id
from memu_code.model.runs import Outcome


@dataclass(frozen=True, slots=True)
class Used:
    """One thing that the run really used: `called`, `whole`, `part` or `adapted`; `good` where it did its work."""

    node: str
    how: str
    good: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of one run, written once, when it has ended; a run for which nothing fitted has one too.

    `task` is a hash of its task. `parent` is the run of the manager that called it. `steps` counts those that wrote
    code or called tools, `errors` those of them that failed, `tokens` all that its LLM read and wrote. `at` is when it
    began, in seconds since the epoch, UTC.
    """

    space: str
    run: str
    injection: Injection
    job: str = ""
    actor: str = ""
    at: float = 0.0
    parent: str = ""
    task: str = ""
    used: tuple[Used, ...] = ()
    outcome: Outcome = Outcome.ANSWERED
    steps: int = 0
    errors: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def id(self) -> str:
        return content_id("receipt", self.space, self.run)

    @property
    def solved(self) -> bool:
        return self.outcome is Outcome.ANSWERED

    @property
    def held_out(self) -> bool:
        return self.injection.arm is Arm.HOLDOUT

    @property
    def fitted(self) -> bool:
        """Whether there was something to offer before it began: the same question in both arms."""
        return bool(self.injection.brief_tokens) or any(one.how != "fix" for one in self.injection.offered)
