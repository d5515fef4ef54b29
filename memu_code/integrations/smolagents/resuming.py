"""A kept conversation put back into an agent's memory, so that `run(..., reset=False)` goes on with it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from PIL import Image
from smolagents import ActionStep, ChatMessage, MultiStepAgent, PlanningStep, TaskStep, Timing, TokenUsage
from smolagents import utils as their_utils
from smolagents.memory import ToolCall
from smolagents.models import MessageRole
from smolagents.utils import AgentError

from memu_code.errors import UsageError
from memu_code.integrations.smolagents.attaching import attach, attachment_of
from memu_code.integrations.smolagents.recording import class_of
from memu_code.integrations.smolagents.running import is_running
from memu_code.integrations.surface import Memory
from memu_code.model import Picture, Run, Step
from memu_code.runs.full_steps import arguments_of, full_steps

Made = TypeVar("Made")
ReadPicture = Callable[[str], Any]

GONE = (
    "Note that this conversation goes on in a new process, where all variables, functions and imports of the steps "
    "above are gone and have to be made again."
)


def resume(memory: Memory, agent: Any, runs: Sequence[Run]) -> None:
    """Put the conversation that these runs are, oldest first, in the place of what the agent remembers.

    The agent is attached to this memory unless it is already, so what follows is recorded as going on with the last of
    the runs. Behind the last step, the LLM is told in one sentence that the steps' variables are gone.

    Raises:
        UsageError: it is no agent of smolagents, one of another class than the runs', or in the middle of a run.
    """
    _check(agent, runs)
    steps = [step for run in runs for step in _steps(_reading(memory, run), run)]
    steps[-1].to_messages = partial(_with_note, steps[-1])
    agent.memory.steps = steps
    agent.task = runs[-1].task
    agent.step_number = sum(isinstance(step, ActionStep) for step in steps) + 1
    _count(agent.monitor, steps)
    attachment = attachment_of(agent)
    if attachment is None or attachment.memory is not memory:
        attach(memory, agent, job=runs[-1].job)
    if attachment := attachment_of(agent):
        attachment.went_on, attachment.drawn = runs[-1].id, runs[0].id


def _check(agent: Any, runs: Sequence[Run]) -> None:
    if not isinstance(agent, MultiStepAgent):
        raise UsageError(f"Only an agent of smolagents can go on with a run, not {type(agent).__name__}.")
    attachment = attachment_of(agent)
    if (attachment is not None and attachment.current() is not None) or is_running(agent):
        raise UsageError("The agent is in the middle of a run: it can go on with another one when that has ended.")
    for run in runs:
        if run.agent_class and run.agent_class != class_of(agent):
            raise UsageError(f"{run.id} is a run of a {run.agent_class}, and this agent is a {class_of(agent)}.")


def _steps(read: ReadPicture, run: Run) -> Iterator[Any]:
    """The steps of smolagents that the run left in its agent's memory."""
    kept: list[Step | None] = [None, *run.steps]
    for step, told in zip(kept, full_steps(run), strict=True):
        if step is None:
            yield TaskStep(task=run.task, task_images=_images(read, run.images)[0] or None)
        elif step.kind == "planning":
            yield _planning(told)
        else:
            yield _action(read, step, told)


def _planning(told: dict[str, Any]) -> Any:
    message = ChatMessage(role=MessageRole.ASSISTANT, content=told["plan"])
    return _made(
        PlanningStep,
        model_input_messages=[],
        model_output_message=message,
        plan=told["plan"],
        timing=_timing(told),
        token_usage=_usage(told),
    )


def _action(read: ReadPicture, step: Step, told: dict[str, Any]) -> Any:
    images, missing = _images(read, step.images)
    seen = "\n".join([*([step.observation] if step.observation else []), *missing])
    calls = [ToolCall(call.name, arguments_of(call, step), call.id) for call in step.calls]
    return _made(
        ActionStep,
        step_number=told["step_number"],
        timing=_timing(told),
        tool_calls=calls or None,
        error=_error(told["error"]),
        model_output=told["model_output"],
        code_action=told["code_action"],
        observations=seen or None,
        observations_images=images or None,
        action_output=told["action_output"],
        token_usage=_usage(told),
        is_final_answer=told["is_final_answer"],
    )


def _made(cls: type[Made], **values: Any) -> Made:
    """A step of smolagents with those of the values that its version of the class has a place for."""
    return cls(**{name: value for name, value in values.items() if name in cls.__dataclass_fields__})  # type: ignore[attr-defined]


def _timing(told: dict[str, Any]) -> Any:
    return Timing(start_time=told["timing"]["start_time"], end_time=told["timing"]["end_time"])


def _usage(told: dict[str, Any]) -> Any:
    usage = told["token_usage"]
    return TokenUsage(usage["input_tokens"], usage["output_tokens"]) if usage else None


def _error(told: dict[str, str] | None) -> Any:
    """The error of its class, or of the class of them all where smolagents no longer has it."""
    if told is None:
        return None
    known = getattr(their_utils, told["type"], None)
    cls: Any = known if isinstance(known, type) and issubclass(known, AgentError) else AgentError
    error = cls.__new__(cls, told["message"])  # its __init__ would print the old error as a new one
    error.message = told["message"]
    return error


def _reading(memory: Memory, run: Run) -> ReadPicture:
    """What reads the images of a run, each once: what a task came with stands in all its steps."""
    return cache(lambda file: _image(memory.picture(file, run.id)))


def _image(png: bytes | None) -> Any:
    """The image; None where it is not here, or is none."""
    try:
        return None if png is None else Image.open(io.BytesIO(png))
    except OSError:
        return None


def _images(read: ReadPicture, pictures: Sequence[Picture]) -> tuple[list[Any], list[str]]:
    """The images whose files are here, and a placeholder for each of the others."""
    found, missing = [], []
    for picture in pictures:
        image = read(picture.file) if picture.file else None
        if image is None:
            missing.append(f"<image {picture.width}x{picture.height}, which was not kept>")
        else:
            found.append(image)
    return found, missing


def _with_note(step: Any, summary_mode: bool = False) -> list[Any]:
    """The messages of the last step before the process ended, and the sentence that says so."""
    note = ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": GONE}])
    return [*type(step).to_messages(step, summary_mode=summary_mode), note]


def _count(monitor: Any, steps: Sequence[Any]) -> None:
    """Let the agent's own counters go on, by which it numbers the steps in its log."""
    done = [step for step in steps if isinstance(step, ActionStep)]
    monitor.step_durations = [step.timing.duration for step in done]
    monitor.total_input_token_count = sum(step.token_usage.input_tokens for step in done if step.token_usage)
    monitor.total_output_token_count = sum(step.token_usage.output_tokens for step in done if step.token_usage)
