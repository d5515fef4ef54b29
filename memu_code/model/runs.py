"""What happened: a run of an agent and its steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from memu_code.model.evidence import Environment
from memu_code.model.injections import Injection
from memu_code.model.nodes import Input, Kind
from memu_code.model.work import Item, Source


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
    """What went wrong in a step: smolagents' class, the true class where it is known, and the text.

    An error in what the LLM wrote repeats all of that: `rest` is what follows behind the text, in the parts around it.
    """

    type: str
    text: str
    root: str = ""
    rest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that a run was given or saw: its size in pixels, and the name of its file; empty where none was kept."""

    width: int
    height: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that an LLM called: the id that it gave the call, the tool's name, and the arguments as JSON.

    A code agent calls its interpreter with the step's code; that call's arguments are empty.
    """

    id: str
    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step of a run. `number` counts from 1 within the run; `seconds` is its duration.

    `ran` is true only where the code really executed to its end; `final` where its answer was accepted;
    `rejected` where its answer was given and then refused by a check. `output` is what the LLM wrote, with the step's
    code taken out between its parts, since it stands in `code`; nothing where it wrote nothing. The plan of a step of
    the kind `planning` is its output. Texts that were too long say where they were cut.
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
    output: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    images: tuple[Picture, ...] = ()

    @property
    def said(self) -> str | None:
        """What the LLM wrote, whole; None where it wrote nothing."""
        return self.code.join(self.output) if self.output else None


@dataclass(frozen=True, slots=True)
class Offer:
    """Something of ours that a run was offered, as `text` or as a function to `call`."""

    node: str
    how: str
    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one agent: what it was asked, what it did, how it ended. `inputs` are the extra variables it got.

    `agent` is the agent's name and `agent_class` its class in the framework, `parent` the run of the manager that
    called it, and `follows` the run whose conversation it went on with.

    `sources` is what it looked at, `items` what its answer says of each thing, where it is a mapping or a list.
    `injection` is how an attached memory began it; of a run that is read from a store it stands in the receipt.
    """

    kind: ClassVar[Kind] = Kind.RUN
    id: str
    space: str
    task: str
    job: str = ""
    agent: str = ""
    agent_class: str = ""
    framework: str = ""  # with its version: "smolagents 1.26.0"
    parent: str = ""
    follows: str = ""
    llm: str = ""
    actor: str = ""
    outcome: Outcome = Outcome.ANSWERED
    answer: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0
    environment: Environment = field(default_factory=Environment)
    inputs: tuple[Input, ...] = ()
    images: tuple[Picture, ...] = ()
    offers: tuple[Offer, ...] = ()
    injection: Injection | None = None
    sources: tuple[Source, ...] = ()
    items: tuple[Item, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def solved(self) -> bool:
        return self.outcome is Outcome.ANSWERED
