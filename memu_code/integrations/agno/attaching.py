"""Attach a memory to agents and teams of Agno, and take it off again."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from agno.agent import Agent
from agno.team import Team

from memu_code.config import check_holdout
from memu_code.errors import UsageError
from memu_code.integrations.agno.attachment import ATTRIBUTE, Attachment
from memu_code.integrations.agno.tools import tools_of
from memu_code.integrations.faults import faults_of, log
from memu_code.integrations.loops import LoopRun
from memu_code.integrations.surface import Memory
from memu_code.runs.jobs import check_job

T = TypeVar("T")

_WAYS = ("both", "text")
_attached: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # an agent of Agno has no hash


def attach(memory: Memory, agent: T, *, job: str = "", offer: str = "both", holdout: float | None = None) -> T:
    """The same agent, which from now on is offered what the memory knows and teaches it what it does.

    Of a team, each of its members. Attaching again changes the settings; another memory replaces the first. What is
    offered is text: Agno's tools run code where nothing of ours can be defined.

    Raises:
        UsageError: it is neither an agent nor a team, `offer` is not `both` or `text`, or `holdout` is no share.
    """
    if offer not in _WAYS:
        raise UsageError(
            f"An agent of Agno can be offered code as text only: offer must be text or both, not {offer!r}."
        )
    job = check_job(job) if job.strip() else ""
    share = None if holdout is None else check_holdout(holdout)
    for one in _agents(agent):
        if not memory.off:
            _attach(memory, one, job, share)
    return agent


def is_attached(agent: Any) -> bool:
    """Whether a memory is attached to this very agent."""
    return isinstance(getattr(agent, "__dict__", {}).get(ATTRIBUTE), Attachment)


def release(memory: object) -> None:
    """Take this memory off every agent."""
    for agent in list(_attached.values()):
        attachment = agent.__dict__.get(ATTRIBUTE)
        if isinstance(attachment, Attachment) and attachment.memory is memory:
            faults_of(memory).safely("detaching", attachment.remove, None)


def resume(memory: Memory, agent: Any, runs: object) -> None:
    """Refused: Agno keeps its own sessions.

    Raises:
        UsageError: always.
    """
    raise UsageError("An agent of Agno goes on with a session of its own: give it a `db` and a `session_id`.")


def tools(memory: Any) -> list[Callable[..., str]]:
    """The tools of this memory for `Agent(tools=[*memory.tools("agno")])`."""
    return tools_of(memory, running)


def running(run_id: str) -> LoopRun | None:
    """The run with Agno's id, of any attached agent, while it goes on."""
    for agent in list(_attached.values()):
        attachment = agent.__dict__.get(ATTRIBUTE)
        if isinstance(attachment, Attachment) and run_id in attachment.runs:
            return attachment.runs[run_id]
    return None


def _agents(agent: object) -> list[Agent]:
    if isinstance(agent, Agent):
        return [agent]
    if isinstance(agent, Team):
        members = agent.members if isinstance(agent.members, list) else []
        return [one for member in members for one in _agents(member)]
    raise UsageError(f"Only an agent or a team of Agno can be attached, not {type(agent).__name__}.")


def _attach(memory: Memory, agent: Agent, job: str, holdout: float | None) -> None:
    known = agent.__dict__.get(ATTRIBUTE)
    if isinstance(known, Attachment) and known.memory is memory:
        known.job, known.holdout = job, holdout
        return
    if isinstance(known, Attachment):
        log.info("%s was attached to another memory, which is replaced", agent.name or type(agent).__name__)
        known.remove()
    Attachment(memory, agent, job, holdout, _attach_copy).install()
    _attached[id(agent)] = agent


def _attach_copy(made: Any, original: Attachment) -> None:
    original.strip(made)
    _attach(original.memory, made, original.job, original.holdout)
