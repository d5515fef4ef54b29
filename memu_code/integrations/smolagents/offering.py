"""What a run is offered: recalled once for its task, as functions where possible, as text otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memu_code.integrations.offering import brief_for, noted, offer_of, recalled
from memu_code.integrations.smolagents.recording import Recording
from memu_code.integrations.smolagents.shelf import Shelf, runs_here
from memu_code.integrations.smolagents.surroundings import environment_of
from memu_code.integrations.surface import Memory, Ways
from memu_code.model import Found
from memu_code.recall import OFFER_FLOOR
from memu_code.recall.render import BUDGET


def offer(memory: Memory, agent: Any, recording: Recording, shelf: Shelf, ways: Ways) -> None:
    """Recall for the run, define what can be called, and set the run's block and offers; any exception may leave it.

    A fresh run takes out what an earlier one was offered; a conversation that goes on keeps it, since its earlier
    code may still call it. In a run that is held out all this is only noted, and nothing is defined.
    """
    if recording.fresh:
        shelf.clear()
    budget = BUDGET - recording.injection.brief_tokens
    recording.injection = replace(recording.injection, floor=OFFER_FLOOR, budget=budget)
    found = recalled(memory, recording.task, recording.environment)
    if not found:
        return
    callables: dict[str, list[str]] = {}
    if ways != "text":
        inputs = (given.name for given in recording.inputs)
        # What a person put a better version beside is text like that one, or else the model would call the worse.
        hits = [hit for hit in found.hits if not hit.newer or ways == "call"]
        callables = shelf.put(memory, agent, hits, inputs, silent=recording.held_out)
    found = _usable(agent, found, frozenset(callables), ways)
    block, shown = _rendered(memory, found, frozenset(callables), budget) if found else ("", ())
    hits = [hit for node in shown for hit in found.hits if hit.id == node]
    for hit in hits:
        how = "call" if hit.id in callables else "text"
        recording.injection = noted(recording.injection, [hit], how)
    recording.injection = replace(recording.injection, tokens=memory.count(block) if block else 0)
    if recording.held_out:
        return
    recording.block = block
    kept = {name for node, names in callables.items() if node in shown for name in names}
    shelf.take_out({name for names in callables.values() for name in names} - kept)
    for hit in hits:
        recording.offers.append(offer_of(memory, hit, "call" if hit.id in callables else "text"))
        recording.shown.append((hit.id, hit.state))


def brief(memory: Memory, recording: Recording) -> None:
    """Set the run's brief: what the last runs of its job did. A run that a manager called is part of the manager's."""
    if recording.job and not recording.parent:
        found = brief_for(memory, recording.asked(memory))
        recording.injection = replace(recording.injection, brief_tokens=found.tokens)
        recording.brief = "" if recording.held_out else found.text


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
    found = recalled(memory, task, environment_of(agent))
    found = _usable(agent, found, frozenset()) if found else Found()
    return _rendered(memory, found, frozenset())[0] if found else ""
