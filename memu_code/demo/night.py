"""One night: each task by an agent of its own, on one memory, with what it took written down."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from smolagents import ActionStep, AgentError, AgentGenerationError, AgentMaxStepsError, CodeAgent, LogLevel, Tool

from memu_code.demo.jobs import Job, Order, is_right, jobs
from memu_code.demo.results import TaskResult
from memu_code.demo.stand_in import StandIn
from memu_code.embed import open_embedder
from memu_code.errors import MemuCodeError
from memu_code.memory import CodeMemory

JOB = "demo"
STEPS_AT_MOST = 6
_REPLY_TOKENS = 600  # of a real LLM: the longest solution needs about half of it
_PATIENCE = 600.0  # seconds for one reply of a real LLM: a small one on a CPU reads a long prompt slowly


@dataclass(frozen=True, slots=True)
class Llm:
    """A real LLM: the address of an OpenAI-compatible server, and the name of the model there."""

    url: str
    model: str


class Orders(Tool):  # type: ignore[misc]  # smolagents ships no types
    """An order book that is served page by page and refuses a page that it does not have."""

    name = "fetch_orders"
    description = "One page of the order book: a list of orders, each a dict with the keys id, status and amount."
    inputs = {"page": {"type": "integer", "description": "The number of the page, from 1."}}  # noqa: RUF012
    output_type = "array"

    def __init__(self, pages: tuple[tuple[Order, ...], ...]) -> None:
        super().__init__()
        self.pages = pages

    def forward(self, page: int) -> list[Order]:
        if not 1 <= page <= len(self.pages):
            raise LookupError(f"page {page} does not exist: the last page is {len(self.pages)}")
        return [dict(order) for order in self.pages[page - 1]]


def run_night(night: int, memory: CodeMemory, llm: Llm | None) -> Iterator[TaskResult]:
    """The results of the tasks of a night, each as soon as it is there.

    Raises:
        MemuCodeError: the LLM cannot be used.
    """
    model = _served(llm) if llm else StandIn(open_embedder().count)
    for job in jobs(night):
        yield _result(job, memory, model, llm)


def _result(job: Job, memory: CodeMemory, model: Any, llm: Llm | None) -> TaskResult:
    tools = [Orders(job.pages)] if job.pages else []
    agent = CodeAgent(tools, model, max_steps=STEPS_AT_MOST, verbosity_level=LogLevel.OFF)
    plain = agent.initialize_system_prompt()
    memory.attach(agent, job=JOB)
    started = time.monotonic()
    try:
        given = agent.run(job.task)
    except AgentGenerationError as error:
        raise MemuCodeError(_unserved(llm, error)) from error
    except AgentError as error:
        given = f"no answer: {error}"
    seconds = time.monotonic() - started
    steps = [step for step in agent.memory.steps if isinstance(step, ActionStep)]
    own = [step for step in steps if not isinstance(step.error, AgentMaxStepsError)]
    usages = [step.token_usage for step in steps if step.token_usage]
    return TaskResult(
        task=job.name,
        answer=str(given),
        truth=f"{job.truth:g}",
        right=is_right(given, job.truth),
        steps=len(own),
        errors=sum(step.error is not None for step in own),
        tokens_in=sum(usage.input_tokens for usage in usages),
        tokens_out=sum(usage.output_tokens for usage in usages),
        seconds=seconds,
        block=agent.memory.system_prompt.system_prompt.removeprefix(plain).strip(),
    )


def _served(llm: Llm) -> Any:
    """The model of smolagents that speaks to an OpenAI-compatible server."""
    try:
        from smolagents import OpenAIModel

        return OpenAIModel(
            model_id=llm.model,
            api_base=llm.url,
            api_key=os.environ.get("OPENAI_API_KEY") or "none",
            client_kwargs={"timeout": _PATIENCE, "max_retries": 0},
            flatten_messages_as_text=True,
            temperature=0,
            max_tokens=_REPLY_TOKENS,
        )
    except ModuleNotFoundError as error:
        raise MemuCodeError("A real LLM needs openai, the extra `openai`: run `pip install openai`.") from error


def _unserved(llm: Llm | None, error: BaseException) -> str:
    """Why the LLM gave no reply, in one sentence."""
    root: BaseException = error
    while root.__cause__ is not None:
        root = root.__cause__
    reason = " ".join(str(root).split())[:300].rstrip(".") or type(root).__name__
    return f"The LLM {llm.model} at {llm.url} gave no reply: {reason}." if llm else f"The stand-in failed: {reason}."
