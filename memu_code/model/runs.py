"""What happened: a run of an agent and its steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from memu_code.model.evidence import Environment
from memu_code.model.nodes import Input, Kind


class Outcome(StrEnum):
    """How a run ended. Only `ANSWERED` counts as solved."""

    ANSWERED = "answered"  # code that really ran gave an answer, and no check rejected it
    MAX_STEPS = "max_steps"  # the steps were used up; what came back is the LLM's guess
    MODEL_ERROR = "model_error"  # the LLM could not be reached or failed
    ERROR = "error"  # any other exception left the run
    KILLED = "killed"  # KeyboardInterrupt, SystemExit or another BaseException left the run
    INTERRUPTED = "interrupted"  # agent.interrupt(), or a process that died
    ABANDONED = "abandoned"  # a streamed run was left before its end
    NOT_STARTED = "not_started"  # a streamed run was never iterated


@dataclass(frozen=True, slots=True)
class StepError:
    """What went wrong in a step: smolagents' class, the true class where it is known, and the text."""

    type: str
    text: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step of a run. `number` counts from 1 within the run; `seconds` is its duration.

    `ran` is true only where the code really executed to its end; `final` where its answer was accepted;
    `rejected` where its answer was given and then refused by a check.
    """

    number: int
    code: str = ""
    thought: str = ""
    observation: str = ""
    error: StepError | None = None
    ran: bool = False
    final: bool = False
    rejected: bool = False
    kind: str = "action"
    at: float = 0.0
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """Something of ours that a run was offered, as `text` or as a function to `call`."""

    node: str
    how: str
    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one agent: what it was asked, what it did, how it ended. `inputs` are the extra variables it got."""

    kind: ClassVar[Kind] = Kind.RUN
    id: str
    space: str
    task: str
    job: str = ""
    agent: str = ""
    parent: str = ""
    llm: str = ""
    actor: str = ""
    outcome: Outcome = Outcome.ANSWERED
    answer: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0
    environment: Environment = field(default_factory=Environment)
    inputs: tuple[Input, ...] = ()
    offers: tuple[Offer, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def solved(self) -> bool:
        return self.outcome is Outcome.ANSWERED
