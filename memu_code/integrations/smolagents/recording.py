"""One run of one agent while it goes on, and how it ended."""

from __future__ import annotations

import io
import sys
import time
import traceback
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import smolagents
from smolagents import ActionStep, FinalAnswerStep, MultiStepAgent, PlanningStep
from smolagents.agent_types import AgentImage
from smolagents.agents import populate_template
from smolagents.utils import AgentError, AgentGenerationError

from memu_code.integrations.faults import log, within
from memu_code.integrations.packages import packages_of
from memu_code.integrations.shapes import ANSWER_CAP, TASK_CAP, cut, inputs_of, text_of
from memu_code.integrations.smolagents import steps as read
from memu_code.integrations.smolagents.surroundings import environment_of
from memu_code.integrations.surface import Journal, Memory
from memu_code.model import Arm, Environment, Injection, Input, Item, Offer, Outcome, Picture, Run, State, Step
from memu_code.runs.answer_items import items_of

_PICTURE_SECONDS = 2.0  # that an agent waits for an image to be on disk
_MOST_PIXELS = 25_000_000  # of an image that is kept; it is written as PNG in the agent's thread
_MARKER = "\nYou have been provided with these additional arguments"
_PARAMETERS = ("task", "stream", "reset", "images", "additional_args", "max_steps", "return_full_result")


@dataclass(slots=True, eq=False)
class Recording:
    """What is known of a run so far."""

    task: str
    inputs: tuple[Input, ...]
    environment: Environment
    max_steps: int
    fresh: bool  # run(reset=True): no conversation goes on
    streamed: bool
    parent: str = ""
    job: str = ""
    follows: str = ""
    images: tuple[Any, ...] = ()  # what the task came with
    keep_picture: Callable[[bytes], str] | None = None
    journal: Journal | None = None
    id: str = field(default_factory=lambda: f"run_{uuid.uuid4().hex[:20]}")
    started_at: float = field(default_factory=time.time)
    outer: BaseException | None = field(default_factory=lambda: sys.exc_info()[1])  # being handled when run() began
    block: str = ""
    brief: str = ""
    injection: Injection = field(default_factory=lambda: Injection(""))  # its arm, and what it was offered or missed
    offers: list[Offer] = field(default_factory=list)
    shown: list[tuple[str, State]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    hint: str = ""
    came_of_it: tuple[str, str | None] = ("", None)  # the last step's code, and its output; None where it failed
    answer_step: FinalAnswerStep | None = None
    last: object = None  # the step of smolagents that was recorded last
    iterated: bool = False
    _kept: dict[int, Picture] = field(default_factory=dict)  # by the identity of what the task came with

    @property
    def held_out(self) -> bool:
        """Whether the memory is silent in this run, by chance, to be compared with."""
        return self.injection.arm is Arm.HOLDOUT

    @property
    def injected(self) -> str:
        """What the prompt gets: the proven snippets, and behind them the brief of the job."""
        return "\n\n".join(part for part in (self.block, self.brief) if part)

    def add_action(self, step: ActionStep, agent: Any) -> Step | None:
        """Record an action step, once; None where there was nothing to record."""
        return self._add(step, read.action(step, len(self.steps) + 1, agent, self.outer, self._picture))

    def add_plan(self, step: PlanningStep) -> Step | None:
        """Record a planning step, once."""
        return self._add(step, read.planning(step, len(self.steps) + 1))

    def _add(self, step: object, made: Step | None) -> Step | None:
        if step is self.last:
            return None
        self.last = step
        if made is not None:
            self.steps.append(made)
        return made

    def _picture(self, image: Any) -> Picture:
        """The image, kept in a file where that can be; what the task came with is in every step, and kept once."""
        known = self._kept.get(id(image))
        if known is None:
            known = self._keep(image)
            if any(image is given for given in self.images):
                self._kept[id(image)] = known
        return known

    def _keep(self, image: Any) -> Picture:
        seen = read.unkept(image)
        if self.keep_picture is None or not 0 < seen.width * seen.height <= _MOST_PIXELS:
            return seen
        try:
            png = io.BytesIO()
            image.save(png, "PNG", compress_level=1)  # three times as fast as the default, and hardly larger
            return replace(
                seen, file=within(_PICTURE_SECONDS, "keeping an image", partial(self.keep_picture, png.getvalue()))
            )
        except TimeoutError as error:  # a disk that hangs: no other image of this run waits for it
            self.keep_picture = None
            log.warning("the images of a run are kept by their size alone: %s", error)
            return seen
        except Exception as error:  # an image that cannot be written, a disk that is full: the step is kept without it
            log.warning("an image is kept by its size alone: %s", error)
            return seen

    def asked(self, memory: Memory) -> Run:
        """What the run was asked, as a value: its task, inputs and images, these by their sizes alone."""
        images = read.pictures(self.images, read.unkept)
        return Run(self.id, memory.space, self.task, job=self.job, inputs=self.inputs, images=images)

    def run(self, agent: Any, memory: Memory, job: str, outcome: Outcome) -> Run:
        """The run as a value, as far as it has come."""
        return Run(
            id=self.id,
            space=memory.space,
            task=self.task,
            job=job,
            agent=agent.name or type(agent).__name__,
            agent_class=class_of(agent),
            framework=f"smolagents {smolagents.__version__}",
            parent=self.parent,
            follows=self.follows,
            llm=str(getattr(agent.model, "model_id", None) or type(agent.model).__name__),
            actor=memory.actor,
            outcome=outcome,
            answer=_answer(self.answer_step.output) if self.answer_step else "",
            started_at=self.started_at,
            ended_at=time.time(),
            environment=self._environment(),
            inputs=self.inputs,
            images=read.pictures(self.images, self._picture),
            offers=tuple(self.offers),
            injection=self.injection,
            items=_items(self.answer_step.output) if self.answer_step else (),
            steps=tuple(self.steps),
        )

    def _environment(self) -> Environment:
        seen = self.environment
        packages = packages_of(step.code for step in self.steps) if seen.sandbox == "local" else ()
        return Environment(seen.sandbox, seen.python, packages, seen.authorized_imports, seen.tools)


def _answer(output: object) -> str:
    """The answer as text; smolagents wraps images, and the wrapper has no size of its own."""
    return text_of(getattr(output, "_raw", None) or output if isinstance(output, AgentImage) else output, ANSWER_CAP)


def _items(output: object) -> tuple[Item, ...]:
    """What the answer says of each thing. It may hold any object, and be changed by another thread meanwhile."""
    try:
        return items_of(output)
    except Exception as error:
        log.debug("the items of an answer cannot be read: %s", error)
        return ()


def begin(agent: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], parent: str) -> Recording:
    """A recording of the run that `agent.run(*args, **kwargs)` is about to start."""
    given = {**dict(zip(_PARAMETERS, args, strict=False)), **kwargs}
    return Recording(
        task=bare_task(agent, given.get("task")),
        inputs=inputs_of(agent.state, given.get("additional_args")),
        environment=environment_of(agent),
        max_steps=given.get("max_steps") or agent.max_steps,
        fresh=bool(given.get("reset", True)),
        streamed=bool(given.get("stream", False)),
        parent=parent,
        images=tuple(given.get("images") or ()),
    )


def class_of(agent: Any) -> str:
    """The class of smolagents that the agent's own class is or is made from: `CodeAgent`."""
    theirs = [base for base in type(agent).__mro__ if base.__module__.partition(".")[0] == "smolagents"]
    return (theirs or [MultiStepAgent])[0].__name__


def bare_task(agent: Any, task: object) -> str:
    """The task as a person or a manager put it, without argument values and the frame that managed agents get.

    At most about 20,000 characters; empty for what is no text.
    """
    if not isinstance(task, str):
        return ""
    text = task.partition(_MARKER)[0].strip()
    template = (agent.prompt_templates.get("managed_agent") or {}).get("task") if agent.name else None
    if template:
        before, found, after = _frame(template, agent.name)
        if found and text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
            text = text[len(before) : len(text) - len(after)].strip()
    return cut(text, TASK_CAP)


def _frame(template: str, name: str) -> tuple[str, str, str]:
    """What a managed agent's template puts before and after the task."""
    mark = uuid.uuid4().hex
    try:
        before, found, after = populate_template(template, {"name": name, "task": mark}).strip().partition(mark)
    except Exception as error:  # a bare Exception is what smolagents raises for a template that is broken
        log.debug("the template of managed tasks cannot be rendered: %s", error)
        return "", "", ""
    return before, found, after


def outcome_of(recording: Recording, error: BaseException | None) -> Outcome:
    """How the run ended, `error` being what left it. A streamed run that was left after its answer has ended well."""
    if recording.answer_step is not None and (error is None or isinstance(error, GeneratorExit)):
        return _ended(recording)
    if error is None:
        return Outcome.ERROR  # it came back without a final answer: someone else's run(), nothing is proved
    if isinstance(error, GeneratorExit) or _closed_too_early(error):
        return Outcome.ABANDONED
    if not isinstance(error, Exception):
        return Outcome.KILLED
    if isinstance(error, AgentGenerationError) or _planning_llm_failed(error):
        return Outcome.MODEL_ERROR
    if type(error) is AgentError and str(error) == "Agent interrupted.":
        return Outcome.INTERRUPTED
    return Outcome.ERROR


def _ended(recording: Recording) -> Outcome:
    last = recording.steps[-1] if recording.steps else None
    if last is not None and last.kind == "max_steps":
        return Outcome.MAX_STEPS
    return Outcome.ANSWERED if last is not None and last.final and last.ran else Outcome.ERROR


def _closed_too_early(error: BaseException) -> bool:
    # smolagents yields once more while it is being closed, and Python objects; by this very class, no one else's
    return type(error) is RuntimeError and str(error) == "generator ignored GeneratorExit"


def _planning_llm_failed(error: BaseException) -> bool:
    """A failing LLM leaves a planning step with its own exception, so only the frames tell where it comes from."""
    frames = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    if "_generate_planning_step" not in frames:
        return False
    below = frames[len(frames) - frames[::-1].index("_generate_planning_step") :]
    return "generate" in below or "generate_stream" in below
