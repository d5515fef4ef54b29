"""What a run of a loop did so far: its steps and its answer, in memory and in its journal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from memu_code.integrations import hints
from memu_code.integrations.faults import Faults
from memu_code.integrations.journaling import opened
from memu_code.integrations.shapes import CODE_CAP, OUTPUT_CAP, THOUGHT_CAP, cut, text_of
from memu_code.integrations.surface import Journal, Memory
from memu_code.model import Call, Offer, Outcome, Run, Step, StepError


class LoopRecord:
    """The steps of a run and its answer; `began` gives the run as a value, for the head of its journal."""

    def __init__(self, memory: Memory, faults: Faults, began: Callable[[], Run]) -> None:
        self._memory, self._faults, self._began = memory, faults, began
        self.steps: list[Step] = []
        self.answered = False
        self.answer: object = None
        self.tokens = (0, 0)  # that the LLM read and wrote in the whole run
        self.journal: Journal | None = None
        self._failed: list[str] = []  # the codes of the failed steps since the last one that ran
        self._begun = False
        self._alone = threading.Lock()

    @property
    def repeated(self) -> bool:
        """Whether the last step failed with the same code as the one before it."""
        return len(self._failed) > 1 and self._failed[-1] == self._failed[-2] != ""

    def add(self, made: Step) -> None:
        """Keep the step, with its number."""
        with self._alone:  # an agent may call several tools at once
            if not self._begun:  # until the first step there is nothing that could be lost
                self._begun = True
                self._faults.safely("the journal of a run", self._open_journal, None)
            step = replace(made, number=len(self.steps) + 1)
            self.steps.append(step)
            self._failed = [*self._failed, hints.same_code(step.code)] if step.error else []
            if self.journal is not None:
                self._faults.safely("the journal of a run", partial(self.journal.step, step), None)

    def offer(self, offer: Offer) -> None:
        """Keep what the run was offered."""
        if self.journal is not None:
            self._faults.safely("the journal of a run", partial(self.journal.offer, offer), None)

    def all_steps(self) -> tuple[Step, ...]:
        """The steps; tokens that are known of the whole run only stand in the last one."""
        if not self.steps or self.tokens == (0, 0):
            return tuple(self.steps)
        last = self.steps[-1]
        read, wrote = last.tokens_in + self.tokens[0], last.tokens_out + self.tokens[1]
        return (*self.steps[:-1], replace(last, tokens_in=read, tokens_out=wrote))

    def _open_journal(self) -> None:
        began = self._began()
        self.journal = opened(self._faults, lambda: self._memory.journal(began))


def step_of(
    code: object,
    output: object,
    error: StepError | None,
    thought: object,
    calls: tuple[Call, ...],
    tokens: tuple[int, int],
    ended_at: float,
    seconds: float,
) -> Step:
    """A finished step as a value, cut; what has no text at all may raise anything."""
    return Step(
        number=0,
        code=cut(_text(code), CODE_CAP),
        thought=cut(_text(thought), THOUGHT_CAP),
        observation=text_of(output, OUTPUT_CAP) if output is not None else "",
        error=error,
        ran=error is None and bool(code or calls),
        at=ended_at - seconds,
        seconds=max(0.0, seconds),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        calls=calls,
    )


def outcome_of(answered: bool, error: BaseException | None) -> Outcome:
    """How a run ended that was left by `error`; a loop that ends without an answer has given up its run."""
    if isinstance(error, asyncio.CancelledError):
        return Outcome.INTERRUPTED
    if error is None or isinstance(error, GeneratorExit):
        return Outcome.ANSWERED if answered else Outcome.ABANDONED
    return Outcome.ERROR if isinstance(error, Exception) else Outcome.KILLED


def _text(given: object) -> str:
    """A text as it is; of what is none, what it prints, and of nothing an empty one."""
    return given if isinstance(given, str) else "" if given is None else str(given)
