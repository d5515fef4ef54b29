"""What a run is offered: recalled once for its task, as functions where possible, as text otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from memu_code.integrations.smolagents.faults import within
from memu_code.integrations.smolagents.recording import Recording, query_of
from memu_code.integrations.smolagents.shelf import Shelf, runs_here
from memu_code.integrations.smolagents.surface import Memory, Ways
from memu_code.integrations.smolagents.surroundings import environment_of
from memu_code.model import Environment, Found, Hit, Offer, Offered
from memu_code.recall import OFFER_FLOOR
from memu_code.recall.render import BUDGET

_RECALL_SECONDS = 20.0  # a first recall may have to load an embedder


def offer(memory: Memory, agent: Any, recording: Recording, shelf: Shelf, ways: Ways) -> None:
    """Recall for the run, define what can be called, and set the run's block and offers; any exception may leave it.

    A fresh run takes out what an earlier one was offered; a conversation that goes on keeps it, since its earlier
    code may still call it. In a run that is held out all this is only noted, and nothing is defined.
    """
    if recording.fresh:
        shelf.clear()
    budget = BUDGET - recording.injection.brief_tokens
    recording.injection = replace(recording.injection, floor=OFFER_FLOOR, budget=budget)
    found = _recalled(memory, recording.task, recording.environment)
    if not found:
        return
    callables: dict[str, list[str]] = {}
    if ways != "text":
        inputs = (given.name for given in recording.inputs)
        callables = shelf.put(memory, agent, found.hits, inputs, silent=recording.held_out)
    found = _usable(agent, found, frozenset(callables), ways)
    block, shown = _rendered(memory, found, frozenset(callables), budget) if found else ("", ())
    hits = [hit for node in shown for hit in found.hits if hit.id == node]
    for hit in hits:
        note(recording, [hit], "call" if hit.id in callables else "text")
    recording.injection = replace(recording.injection, tokens=memory.count(block) if block else 0)
    if recording.held_out:
        return
    recording.block = block
    kept = {name for node, names in callables.items() if node in shown for name in names}
    shelf.take_out({name for names in callables.values() for name in names} - kept)
    for hit in hits:
        how = "call" if hit.id in callables else "text"
        recording.offers.append(Offer(hit.id, how, hit.name, hit.code))
        recording.shown.append((hit.id, hit.state))


def note(recording: Recording, hits: Iterable[Hit], how: str) -> None:
    """Note for the receipt what a run is offered, or would be were it not held out; each thing once."""
    known = {one.node for one in recording.injection.offered}
    new = tuple(Offered(hit.id, how, hit.score, dict(hit.why)) for hit in hits if hit.id not in known)
    recording.injection = replace(recording.injection, offered=recording.injection.offered + new)


def brief(memory: Memory, recording: Recording) -> None:
    """Set the run's brief: what the last runs of its job did. A run that a manager called is part of the manager's."""
    if recording.job and not recording.parent:
        found = within(
            _RECALL_SECONDS, "the brief of a job", partial(memory.brief, recording.job, run=recording.asked(memory))
        )
        recording.injection = replace(recording.injection, brief_tokens=found.tokens)
        recording.brief = "" if recording.held_out else found.text


def _recalled(memory: Memory, task: str, environment: Environment) -> Found:
    """Bounded in time, for a store may hang; only reading is, since what comes too late must not touch the run."""
    query = query_of(task)
    if not query:
        return Found()
    return within(_RECALL_SECONDS, "recall", partial(memory.recall, query, environment=environment, floor=OFFER_FLOOR))


def _usable(agent: Any, found: Found, callables: frozenset[str], ways: Ways = "text") -> Found:
    """What can be called here, and what is text and may run here, unless only functions are asked for."""
    as_text = ways != "call"
    return Found(tuple(hit for hit in found.hits if hit.id in callables or (as_text and runs_here(agent, hit.code))))


def _rendered(
    memory: Memory, found: Found, callables: frozenset[str], budget: int = BUDGET
) -> tuple[str, tuple[str, ...]]:
    block, shown = memory.render(found, callables=callables, budget=budget)
    return (block, shown) if block else ("", ())


def block_for(memory: Memory, agent: Any, task: str) -> str:
    """The block for a task outside a run, as text only: nothing is defined where nothing is about to run."""
    found = _recalled(memory, task, environment_of(agent))
    found = _usable(agent, found, frozenset()) if found else Found()
    return _rendered(memory, found, frozenset())[0] if found else ""
