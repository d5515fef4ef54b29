"""A step of smolagents as a step of ours: few fields, capped, built in a fraction of a millisecond."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from smolagents import ActionStep, CodeAgent, PlanningStep
from smolagents.utils import AgentError, AgentMaxStepsError

from memu_code.integrations.shapes import CODE_CAP, OUTPUT_CAP, THOUGHT_CAP, cut, text_of
from memu_code.integrations.smolagents.causes import step_error
from memu_code.model import Call, Picture, Step

_ARGUMENTS_CAP = 20_000  # of a call
_CALL_CAP = 500  # of a call as it stands in a thought
_MOST_CALLS = 50
_MOST_PICTURES = 20
_RAN = "Last output from code snippet:"  # CodeAgent writes it only after the executor came back without an error


def unkept(image: Any) -> Picture:
    """An image by its size alone."""
    size = getattr(image, "size", None)
    return Picture(*size) if isinstance(size, tuple) and len(size) == 2 else Picture(0, 0)


def action(
    step: Any, number: int, agent: Any, outer: BaseException | None, keep: Callable[[Any], Picture] = unkept
) -> Step | None:
    """The action step as number `number` of its run; None for one in which the LLM gave nothing and nothing failed.

    That one is what a failed call of the LLM leaves behind. The extra step that smolagents adds when the steps are
    used up keeps its tokens and has the kind `max_steps`. `outer` is the exception handled when the run began, `keep`
    keeps an image.
    """
    if isinstance(step.error, AgentMaxStepsError):
        return _step(step, number, kind="max_steps")
    code = cut(step.code_action or "", CODE_CAP) if isinstance(agent, CodeAgent) else ""
    thought = _thought(step, agent)
    if not (code or thought or step.error or step.observations or step.tool_calls):
        return None
    error = step_error(step.error, outer, _as_text(step.model_output) or "") if step.error else None
    rejected = type(step.error) is AgentError and str(step.error).startswith("Check ")
    # on a syntax error the print buffer, and with it the observation, still is the previous step's
    stale = error is not None and error.text.startswith("Code parsing failed")
    return _step(
        step,
        number,
        code=code,
        thought=thought,
        observation="" if stale else cut(step.observations or "", OUTPUT_CAP),
        error=error,
        ran=_ran(step, agent) and (error is None or rejected),
        final=bool(step.is_final_answer) and error is None,
        rejected=rejected,
        output=_output(step.model_output, code),
        calls=tuple(_calls(step, agent)),
        images=pictures(step.observations_images, keep),
    )


def planning(step: PlanningStep, number: int) -> Step:
    """The plan of a planning step, as the thought of a step of kind `planning`."""
    plan = str(step.plan)
    return _step(step, number, kind="planning", thought=cut(plan, THOUGHT_CAP), output=_output(plan, ""))


def pictures(images: Iterable[Any] | None, keep: Callable[[Any], Picture]) -> tuple[Picture, ...]:
    """The images of a step or a task, of which the first 20 are kept."""
    return tuple(keep(image) if index < _MOST_PICTURES else unkept(image) for index, image in enumerate(images or ()))


def _step(step: ActionStep | PlanningStep, number: int, **fields: Any) -> Step:
    usage, start, end = step.token_usage, step.timing.start_time, step.timing.end_time
    return Step(
        number=number,
        at=start,
        seconds=max(0.0, end - start) if end is not None else 0.0,
        tokens_in=usage.input_tokens if usage else 0,
        tokens_out=usage.output_tokens if usage else 0,
        **fields,
    )


def _ran(step: ActionStep, agent: object) -> bool:
    if isinstance(agent, CodeAgent):
        return step.observations is not None and _RAN in step.observations
    return step.tool_calls is not None


def _output(output: object, code: str) -> tuple[str, ...]:
    """What the LLM wrote, with the code taken out where it stands there as it ran; nothing where it wrote nothing."""
    text = _as_text(output)
    if text is None:
        return ()
    before, found, after = text.partition(code) if code else (text, "", "")
    return (cut(before, OUTPUT_CAP), cut(after, OUTPUT_CAP)) if found else (cut(text, OUTPUT_CAP),)


def _as_text(output: object) -> str | None:
    if isinstance(output, list):  # content in parts
        texts = (part.get("text") for part in output if isinstance(part, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return output if isinstance(output, str) else None


def _calls(step: ActionStep, agent: Any) -> Iterable[Call]:
    for call in (step.tool_calls or ())[:_MOST_CALLS]:
        is_code = isinstance(agent, CodeAgent) and call.arguments == step.code_action
        arguments = "" if is_code else cut(_as_json(call.arguments), _ARGUMENTS_CAP)
        yield Call(str(call.id)[:200], str(call.name)[:200], arguments)


def _as_json(arguments: Any) -> str:
    """JSON of what an LLM gave; of what can be none, since it holds itself or an object, a string that tells it."""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(text_of(arguments, _CALL_CAP), ensure_ascii=False)


def _thought(step: ActionStep, agent: Any) -> str:
    """What the LLM said beside its code; for an agent that calls tools, also which calls it made."""
    text = cut(_as_text(step.model_output) or "", CODE_CAP)
    if isinstance(agent, CodeAgent):
        text = _before_code(text, agent)
    elif step.tool_calls:
        calls = "\n".join(f"{call.name}({text_of(call.arguments, _CALL_CAP)})" for call in step.tool_calls)
        text = f"{text}\n{calls}"
    return cut(text.strip(), THOUGHT_CAP)


def _before_code(text: str, agent: Any) -> str:
    if getattr(agent, "_use_structured_outputs_internally", False):
        try:
            thought = json.loads(text).get("thought", "")
        except (ValueError, AttributeError):  # no JSON object: the step is a parsing error, its text all there is
            return text
        return thought if isinstance(thought, str) else ""
    tag = agent.code_block_tags[0]
    try:
        found = re.search(tag, text)
    except re.error:  # a tag that is no pattern
        return text.partition(tag)[0]
    return text[: found.start()] if found else text
