"""One run of an agent on one task, with or without a memory, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from smolagents import ActionStep, ChatMessage, CodeAgent, LogLevel, MessageRole
from smolagents.utils import AgentError, AgentGenerationError, AgentMaxStepsError

from benchmarks.acting.forms import Reformed
from benchmarks.acting.tasks import Task, is_right
from memu_code import CodeMemory

MAX_STEPS = 6
_REPLY_TOKENS = 450
_PATIENCE = 600.0  # seconds for one reply: a small LLM on a CPU reads a long prompt slowly
_SHOWN = 300  # characters of an answer

NewModel = Callable[[], Any]


class Unreachable(Exception):
    """The LLM does not answer."""


@dataclass(frozen=True, slots=True)
class Played:
    """A run: whether its answer was the exact one, steps and errors among them, tokens, seconds, what was offered."""

    solved: bool
    answer: str
    steps: int
    errors: int
    tokens_in: int
    tokens_out: int
    offered: int  # characters of the memory's block


class _Agent(CodeAgent):  # type: ignore[misc]  # smolagents ships no types
    """An agent that is not asked for a guess when its steps are used up: it would count as no answer."""

    def provide_final_answer(self, task: str) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content="no answer")


def served(url: str, name: str) -> NewModel:
    """Makes models of smolagents that speak to an OpenAI-compatible server, at temperature 0."""

    def make() -> Any:
        from smolagents import OpenAIModel

        return OpenAIModel(
            model_id=name,
            api_base=url,
            api_key=os.environ.get("OPENAI_API_KEY") or "none",
            client_kwargs={"timeout": _PATIENCE, "max_retries": 0},
            flatten_messages_as_text=True,
            temperature=0,
            max_tokens=_REPLY_TOKENS,
        )

    return make


def play(
    task: Task, new_model: NewModel, memory: CodeMemory | None = None, offer: str = "both", form: str = ""
) -> Played:
    """Run the task once; the model reads the memory's block in a form of its own, if one is named.

    Raises:
        Unreachable: the LLM could not be asked.
    """
    model = Reformed(new_model(), form) if form else new_model()
    agent = _Agent(task.new_tools(), model, max_steps=MAX_STEPS, verbosity_level=LogLevel.OFF)
    plain = agent.initialize_system_prompt()
    if memory is not None:
        memory.attach(agent, offer=offer, holdout=0.0)
    try:
        given: object = agent.run(task.text, additional_args=dict(task.given))
    except AgentGenerationError as error:
        raise Unreachable(str(error)) from error
    except AgentError as error:
        given = f"no answer: {error}"
    steps = [step for step in agent.memory.steps if isinstance(step, ActionStep)]
    own = [step for step in steps if not isinstance(step.error, AgentMaxStepsError)]
    usages = [step.token_usage for step in steps if step.token_usage]
    return Played(
        solved=len(own) == len(steps) and is_right(given, task.answer),
        answer=str(given)[:_SHOWN],
        steps=len(own),
        errors=sum(step.error is not None for step in own),
        tokens_in=sum(usage.input_tokens for usage in usages),
        tokens_out=sum(usage.output_tokens for usage in usages),
        offered=len(agent.memory.system_prompt.system_prompt.removeprefix(plain).strip()),
    )
