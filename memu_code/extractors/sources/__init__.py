"""What a run looked at: the arguments of its tool calls, and the URLs, paths and queries that its code asks for."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from memu_code.extractors.code.parse import OutOfTime, Unparsable, guard, texts_of, time_limit
from memu_code.extractors.errors.error_text import statement
from memu_code.extractors.errors.signature import signature
from memu_code.extractors.sources.calls import looked_at
from memu_code.extractors.sources.following import Follower
from memu_code.extractors.sources.literals import UNKNOWN
from memu_code.extractors.sources.values import Look, Spent
from memu_code.model import Run, Source, Step

__all__ = ["sources_of"]

MOST_SOURCES = 100  # of one run
MOST_STEPS = 200  # that are read: the last ones
SECONDS = 1.0  # of computing for one run
NOT_FINISHED = "NotFinished"  # in place of a signature: the step was left before its end

_FAILED_CALL = re.compile(r"Error executing tool '(\w{1,100})' with arguments (\{.{0,2000}?\}): ", re.DOTALL)


def sources_of(run: Run) -> tuple[Source, ...]:
    """What the run looked at, in the order of the first time, each thing once, at most 100.

    Constants are followed through assignments, loops, comprehensions, f-strings and the code's own functions; what
    cannot be known without running the code is left out. A source is failed where the statement that asked for it
    failed, each time that it was asked for. Never raises.
    """
    follower = Follower(frozenset(run.environment.tools))
    found: dict[tuple[str, str], Source] = {}
    try:
        with time_limit(SECONDS):
            for step in run.steps[-MOST_STEPS:]:
                for source in _of_step(step, follower, frozenset(run.environment.tools)):
                    known = found.get((source.what, source.via))
                    if known is None or (source.ok and not known.ok):
                        found[source.what, source.via] = source
    except OutOfTime:
        pass  # what was found until then is kept
    return tuple(found.values())[:MOST_SOURCES]


def _of_step(step: Step, follower: Follower, tools: frozenset[str]) -> Iterator[Source]:
    if not step.code:
        yield from _of_calls(step, tools)
        return
    try:
        tree = guard(step.code)
    except Unparsable:
        return  # nothing of it ran
    follower.begin()
    ended = step.ran or step.rejected
    failing = _failing(step, tree) if step.error and not ended else None
    error = "" if ended else _signature(step)
    for place, node in enumerate(tree.body):
        if failing is not None and place > failing:
            return
        follower.looks.clear()
        try:
            follower.statement(node)
        except (Spent, RecursionError):
            follower.forget(node)
        failed = bool(error) and (failing is None or place == failing)
        yield from _told(follower.looks, step, error if failed else "")
        if failed:
            follower.forget(node)


def _told(looks: list[Look], step: Step, error: str) -> Iterator[Source]:
    """The looks of one statement. Where the error names one of them, those before it went well and none came after."""
    text = step.error.text if step.error and error else ""
    message = text[_behind_statement(text) :]
    named = next((place for place, look in enumerate(looks) if len(look.what) > 3 and look.what in message), None)
    for place, look in enumerate(looks[: named + 1] if named is not None else looks):
        if look.sure or look.what in step.observation:
            yield Source(look.what, look.via, step.number, "" if named is not None and place < named else error)


def _behind_statement(text: str) -> int:
    """Where the message begins in an error's text that quotes the failing statement first."""
    quoted = statement(text)
    return text.find(quoted) + len(quoted) if quoted and quoted in text else 0


def _failing(step: Step, tree: ast.Module) -> int | None:
    """Which statement of the top level failed, where the error quotes it."""
    quoted = statement(step.error.text).strip() if step.error else ""
    if not quoted:
        return None
    return next((place for place, text in enumerate(texts_of(step.code, tree.body)) if text.strip() == quoted), None)


def _signature(step: Step) -> str:
    if step.error is None:
        return NOT_FINISHED
    return signature(step.error.text, type=step.error.type, root=step.error.root, code=step.code).key


def _of_calls(step: Step, tools: frozenset[str]) -> Iterator[Source]:
    """The tool calls of an agent that writes no code; of one that failed, some versions keep only the error's text."""
    error = "" if step.ran else _signature(step)
    calls = [(call.name, _arguments(call.arguments)) for call in step.calls]
    failed = _FAILED_CALL.search(step.error.text) if step.error and not calls else None
    if failed:
        calls.append((failed[1], _arguments(failed[2])))
    for name, arguments in calls:
        if name in tools:
            yield from (
                Source(what, name, step.number, error) for what in looked_at(name, UNKNOWN, (), arguments, tools)
            )


def _arguments(text: str) -> dict[str, object]:
    """Arguments by name, as JSON or Python writes them; where they cannot be read, one of which nothing is known."""
    for read in (json.loads, _literal):
        try:
            value = read(text)
        except (Unparsable, ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return {str(key): one for key, one in value.items()}
        if isinstance(value, str):
            return {"": value}
    return {"": UNKNOWN}


def _literal(text: str) -> object:
    match guard(text).body:
        case [ast.Expr(value=value)]:
            return ast.literal_eval(value)
    raise ValueError("no literal")
