"""A step of smolagents as a step of ours: few fields, capped, built in a fraction of a millisecond."""

from __future__ import annotations

import json
import re
from typing import Any

from smolagents import ActionStep, CodeAgent, PlanningStep
from smolagents.utils import AgentError, AgentMaxStepsError

from memu_code.integrations.smolagents.causes import step_error
from memu_code.integrations.smolagents.shapes import cut, picture, text_of
from memu_code.model import Step

_CODE_CAP = 50_000
_THOUGHT_CAP = 4_000
_OBSERVATION_CAP = 8_000
_CALL_CAP = 500
_RAN = "Last output from code snippet:"  # CodeAgent writes it only after the executor came back without an error


def action(step: Any, number: int, agent: Any, outer: BaseException | None) -> Step | None:
    """The action step as number `number` of its run; None for one in which the LLM gave nothing and nothing failed.

    That one is what a failed call of the LLM leaves behind. The extra step that smolagents adds when the steps are
    used up keeps its tokens and has the kind `max_steps`. `outer` is the exception handled when the run began.
    """
    if isinstance(step.error, AgentMaxStepsError):
        return _step(step, number, kind="max_steps")
    code = cut(step.code_action or "", _CODE_CAP) if isinstance(agent, CodeAgent) else ""
    thought = _thought(step, agent)
    if not (code or thought or step.error or step.observations or step.tool_calls):
        return None
    error = step_error(step.error, outer) if step.error else None
    rejected = type(step.error) is AgentError and str(step.error).startswith("Check ")
    # on a syntax error the print buffer, and with it the observation, still is the previous step's
    stale = error is not None and error.text.startswith("Code parsing failed")
    return _step(
        step,
        number,
        code=code,
        thought=thought,
        observation="" if stale else _observation(step),
        error=error,
        ran=_ran(step, agent) and (error is None or rejected),
        final=bool(step.is_final_answer) and error is None,
        rejected=rejected,
    )


def planning(step: PlanningStep, number: int) -> Step:
    """The plan of a planning step, as the thought of a step of kind `planning`."""
    return _step(step, number, kind="planning", thought=cut(str(step.plan), _THOUGHT_CAP))


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


def _observation(step: ActionStep) -> str:
    pictures = [picture(image) for image in step.observations_images or ()]
    return "\n".join([*([cut(step.observations, _OBSERVATION_CAP)] if step.observations else []), *pictures])


def _thought(step: ActionStep, agent: Any) -> str:
    """What the LLM said beside its code; for an agent that calls tools, also which calls it made."""
    output = step.model_output
    if isinstance(output, list):  # content in parts
        texts = (part.get("text") for part in output if isinstance(part, dict))
        output = "\n".join(text for text in texts if isinstance(text, str))
    text = cut(output, _CODE_CAP) if isinstance(output, str) else ""
    if isinstance(agent, CodeAgent):
        text = _before_code(text, agent)
    elif step.tool_calls:
        calls = "\n".join(f"{call.name}({text_of(call.arguments, _CALL_CAP)})" for call in step.tool_calls)
        text = f"{text}\n{calls}"
    return cut(text.strip(), _THOUGHT_CAP)


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
