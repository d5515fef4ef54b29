"""Attach a memory to agents and take it off again."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, TypeVar

from smolagents import MultiStepAgent

from memu_code.config import check_holdout
from memu_code.errors import UsageError
from memu_code.integrations.faults import faults_of, log
from memu_code.integrations.smolagents.attachment import ATTRIBUTE, Attachment
from memu_code.integrations.surface import WAYS, Memory, Ways
from memu_code.runs.jobs import check_job

Agent = TypeVar("Agent")
_attached: weakref.WeakSet[Any] = weakref.WeakSet()


def attach(memory: Memory, agent: Agent, *, job: str = "", offer: Ways = "both", holdout: float | None = None) -> Agent:
    """The same agent, which from now on is offered what the memory knows and teaches it what it does.

    Its managed agents too, at any depth. Attaching again changes the three settings; another memory replaces the first.
    `offer` says how proven functions are offered: to `call`, as `text`, or `both`, each as it can. Only the instance
    is patched, and nothing of it is in what the agent saves, so attach again after loading an agent. In a share
    `holdout` (0..1) of runs, drawn by their ids, the memory is silent; by default in the memory's own share. With the
    memory off (`MEMU_CODE_OFF=1`) nothing happens. Raises UsageError for what is no smolagents agent, for another
    `offer`, and for what is no such share.
    """
    if not isinstance(agent, MultiStepAgent):
        raise UsageError(f"only an agent of smolagents can be attached, not {type(agent).__name__}")
    if offer not in WAYS:
        raise UsageError(f"offer must be one of {', '.join(WAYS)}, not {offer!r}")
    if not isinstance(job, str):
        raise UsageError(f"job must be the name of a job, not {type(job).__name__}")
    job = check_job(job) if job.strip() else ""
    share = None if holdout is None else check_holdout(holdout)
    if not memory.off:
        _attach(memory, agent, job, offer, memory.holdout if share is None else share, set())
    return agent


def take_off(agent: Any) -> list[Any]:
    """Take the memory off the agent, and off its managed agents that share it and have no other attached manager.

    The agents that it was taken off.
    """
    attachment = attachment_of(agent)
    if attachment is None:
        return []
    attachment.remove()
    _attached.discard(agent)
    gone = [agent]
    for managed in _managed(agent):
        below = attachment_of(managed)
        if below is not None and below.memory is attachment.memory and not any(m.active for m in below.managers):
            gone += take_off(managed)
    return gone


def is_attached(agent: Any) -> bool:
    """Whether a memory is attached to this very agent."""
    return attachment_of(agent) is not None


def attachment_of(agent: Any) -> Attachment | None:
    """The attachment of this agent, if any."""
    found = getattr(agent, "__dict__", {}).get(ATTRIBUTE)
    return found if isinstance(found, Attachment) else None


def attached_agents(memory: object) -> list[Any]:
    """The agents that this memory is attached to."""
    found = ((agent, attachment_of(agent)) for agent in list(_attached))
    return [agent for agent, attachment in found if attachment is not None and attachment.memory is memory]


def detach_all(memory: object) -> None:
    """Take this memory off every agent."""
    for agent in attached_agents(memory):
        faults_of(memory).safely("detaching", partial(take_off, agent), None)


def _attach(memory: Memory, agent: Any, job: str, offer: Ways, holdout: float, seen: set[int]) -> None:
    seen.add(id(agent))
    attachment = attachment_of(agent)
    if attachment is not None and attachment.memory is not memory:
        log.info("%s was attached to another memory, which is replaced", agent.name or type(agent).__name__)
        attachment.remove()
        attachment = None
    if attachment is None:
        attachment = Attachment(memory, agent, job, offer, holdout, _attach_new)
        attachment.install()
        _attached.add(agent)
    attachment.job, attachment.offer, attachment.holdout = job, offer, holdout
    for managed in _managed(agent):
        if id(managed) not in seen:
            _attach(memory, managed, job, offer, holdout, seen)
        _bind(attachment, managed)


def _attach_new(agent: Any, attachment: Attachment) -> None:
    """Attach agents that were put under this one since; one that was detached by itself stays detached."""
    for managed in _managed(agent):
        if managed not in attachment.managed:
            if attachment_of(managed) is None:
                settings = (attachment.job, attachment.offer, attachment.holdout)
                _attach(attachment.memory, managed, *settings, {id(agent)})
            _bind(attachment, managed)


def _managed(agent: Any) -> list[Any]:
    return [managed for managed in agent.managed_agents.values() if isinstance(managed, MultiStepAgent)]


def _bind(attachment: Attachment, managed: Any) -> None:
    attachment.managed.add(managed)
    below = attachment_of(managed)
    if below is not None:
        below.managers.add(attachment)
