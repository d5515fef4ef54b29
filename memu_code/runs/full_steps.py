"""The steps of a kept run as the plain values that smolagents' `agent.memory.get_full_steps()` gives."""

from __future__ import annotations

import json
from typing import Any

from memu_code.model import Call, Run, Step


def full_steps(run: Run) -> list[dict[str, Any]]:
    """The task, and each planning and action step of a run, with the keys that smolagents gives them.

    What is not kept is None: the messages that went to the LLM and came from it. Images are the names of their files.
    """
    task = {"task": run.task, "task_images": _files(run.images)}
    actions = 0
    steps: list[dict[str, Any]] = [task]
    for step in run.steps:
        if step.kind == "planning":
            steps.append(_planning(step))
        else:
            actions += 1
            steps.append(_action(step, actions, run.answer))
    return steps


def arguments_of(call: Call, step: Step) -> Any:
    """The arguments of a call as they were; as text where they were cut. An interpreter's are the step's code."""
    if not call.arguments:
        return step.code
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def _planning(step: Step) -> dict[str, Any]:
    return {
        "model_input_messages": None,
        "model_output_message": None,
        "plan": step.said if step.output else step.thought,
        "timing": _timing(step),
        "token_usage": _usage(step),
    }


def _action(step: Step, number: int, answer: str) -> dict[str, Any]:
    return {
        "step_number": number,
        "timing": _timing(step),
        "model_input_messages": None,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call, step)},
            }
            for call in step.calls
        ],
        "error": _error(step),
        "model_output_message": None,
        "model_output": step.said,
        "code_action": step.code or None,
        "observations": step.observation or None,
        "observations_images": _files(step.images),
        "action_output": answer if step.final or step.kind == "max_steps" else None,
        "token_usage": _usage(step),
        "is_final_answer": step.final,
    }


def _error(step: Step) -> dict[str, str] | None:
    if step.kind == "max_steps":
        return {"type": "AgentMaxStepsError", "message": "Reached max steps."}
    if step.error is None:
        return None
    return {"type": step.error.type, "message": step.error.text + (step.said or "").join(step.error.rest)}


def _timing(step: Step) -> dict[str, float]:
    return {"start_time": step.at, "end_time": step.at + step.seconds, "duration": step.seconds}


def _usage(step: Step) -> dict[str, int] | None:
    if not (step.tokens_in or step.tokens_out):
        return None
    together = step.tokens_in + step.tokens_out
    return {"input_tokens": step.tokens_in, "output_tokens": step.tokens_out, "total_tokens": together}


def _files(images: tuple[Any, ...]) -> list[str] | None:
    return [image.file for image in images] or None
