"""Any loop that lets an LLM write code: its runs are kept while they go on, offered what is known, and learnt from."""

from __future__ import annotations

import platform
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from memu_code.config import check_holdout
from memu_code.errors import UsageError
from memu_code.integrations.faults import faults_of, log
from memu_code.integrations.loop_offers import Offers
from memu_code.integrations.loop_record import LoopRecord, outcome_of, step_of
from memu_code.integrations.offering import learnt_from
from memu_code.integrations.packages import packages_of
from memu_code.integrations.raised import raised, unread
from memu_code.integrations.shapes import ANSWER_CAP, TASK_CAP, cut, inputs_of, text_of
from memu_code.integrations.surface import Memory
from memu_code.model import (
    Call,
    Environment,
    Extraction,
    Found,
    Injection,
    Input,
    Outcome,
    Run,
    Step,
    StepError,
    arm_of,
)
from memu_code.runs.answer_items import items_of
from memu_code.runs.jobs import check_job, job_of

T = TypeVar("T")

SANDBOX = "python"  # plain Python in the process of the loop
_HERE = frozenset({SANDBOX, "local"})  # sandboxes whose Python and packages are those of this process
_going_on: ContextVar[LoopRun | None] = ContextVar("memu_code_loop", default=None)


def record(memory: Memory, task: str, **known: Any) -> LoopRun:
    """A run of a loop that is about to begin: see `LoopRun`."""
    return LoopRun(memory, task, **known)


def release(memory: object) -> None:
    """Nothing to let go of: a run ends with its own block."""


class LoopRun:
    """One run of a loop while it goes on: a context manager, `async with` too; nothing of ours reaches the loop.

    `id` is that of the run, `outcome` how it ended, `learnt` what it taught; both are None before its end.
    """

    def __init__(
        self,
        memory: Memory,
        task: str,
        *,
        job: str = "",
        llm: str = "",
        agent: str = "loop",
        framework: str = "",
        sandbox: str = SANDBOX,
        imports: Iterable[str] = (),
        tools: Iterable[str] = (),
        inputs: Mapping[str, object] | None = None,
        holdout: float | None = None,
    ) -> None:
        if not isinstance(task, str):
            raise UsageError(f"The task must be a text, not {type(task).__name__}.")
        if not sandbox.strip():
            raise UsageError("The sandbox needs a name, such as 'python' or 'docker'.")
        self.id = f"run_{uuid.uuid4().hex[:20]}"
        self._named = bool(job.strip())  # else its job is made from its task
        self.job = check_job(job) if self._named else ""
        self.task = task
        self.outcome: Outcome | None = None
        self.learnt: Extraction | None = None
        self._memory, self._faults = memory, faults_of(memory)
        self._llm, self._agent, self._framework = llm, agent, framework
        self._inputs: tuple[Input, ...] = self._safely("the inputs", partial(inputs_of, inputs), ())
        self._environment = Environment(
            sandbox=sandbox.strip(),
            python=platform.python_version() if sandbox in _HERE else "",
            authorized_imports=_names("imports", imports),
            tools=tuple(sorted(_names("tools", tools))),
        )
        above = _going_on.get()
        self._above = above if above is not None and above._memory is memory and above.outcome is None else None
        self._outer: LoopRun | None = None
        share = self._faults.safely("the share", lambda: memory.holdout, 0.0) if holdout is None else holdout
        drawn = self._drawn(check_holdout(share))
        self._record = LoopRecord(memory, self._faults, lambda: self._run(Outcome.INTERRUPTED))
        self._offers = Offers(memory, self._faults, self._environment, drawn, self._record.offer)
        self._block: str | None = None
        self._started_at = self._last_at = time.time()

    # -- around the run ---------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._outer = _going_on.get()
        _going_on.set(self)
        self._started_at = self._last_at = time.time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _going_on.set(self._outer)
        self.end(error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _going_on.set(self._outer)
        await self._faults.aside("the end of a run", partial(self.end, error), None)

    def end(self, error: BaseException | None = None, outcome: Outcome | None = None) -> None:
        """End the run, once, and learn from it; `error` is what left it. What left its block does this by itself."""
        if self.outcome is None:
            self.outcome = outcome or outcome_of(self._record.answered, error)
            self._safely("the end of a run", partial(self._learn, error), None)

    # -- what the memory knows --------------------------------------------------------------------------------------

    @property
    def task(self) -> str:
        """What the run is asked, at most about 20,000 characters, with no secret cut in two.

        Whoever learns of another wording before the first step may set it; a job that nobody has named follows it.
        """
        return self._task

    @task.setter
    def task(self, told: str) -> None:
        self._task = cut(told, TASK_CAP)
        if not self._named:
            self.job = job_of(told)

    @property
    def started_at(self) -> float:
        """When the run began, in seconds since the epoch."""
        return self._started_at

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far."""
        return tuple(self._record.steps)

    @property
    def answered(self) -> bool:
        """Whether it was given an answer."""
        return self._record.answered

    @property
    def prepared(self) -> bool:
        """Whether there is a block for the prompt, as far as it was made."""
        return bool(self._block)

    def prepare(self) -> None:
        """Make the block now; in an event loop, `await asyncio.to_thread(run.prepare)` holds nothing up."""
        _ = self.block

    @property
    def block(self) -> str:
        """The block for the prompt, made once: proven code for the task, and what the last runs of the job did.

        Empty where nothing is known, and in a run that is held out.
        """
        if self._block is None:
            self._block = ""
            self._block = self._safely("recall", lambda: self._offers.block(self._asked()), "")
        return self._block

    def recall(self, query: str = "", k: int = 5) -> Found:
        """At most k solutions for a query, by default the task; false where nothing fits. They count as offered."""
        return self._safely("recall", partial(self._offers.found, query or self.task, k), Found())

    def hint(self, error: object = None, code: str = "") -> str:
        """What to tell the LLM of an error, by default that of the last step: its known fix, or that it repeats itself.

        Empty where nothing is known.
        """
        return self._safely("a known fix", partial(self._advice, error, code), "")

    # -- what the run did -------------------------------------------------------------------------------------------

    def step(
        self,
        code: str = "",
        output: object = "",
        error: object = None,
        *,
        thought: str = "",
        seconds: float | None = None,
        tokens_in: int = 0,
        tokens_out: int = 0,
        calls: tuple[Call, ...] = (),
    ) -> None:
        """Keep a finished step: the code, what it printed or gave, and what it raised (an exception or its text).

        `thought` is what the LLM said beside it. The step is on disk when this returns, so a process that is killed
        afterwards loses nothing. `seconds` are by default those since the step before.
        """
        now = time.time()
        took, self._last_at = now - self._last_at if seconds is None else seconds, now
        if self.outcome is not None:
            log.warning("a step came after the end of its run %s and is not kept", self.id)
            return
        wrong = self._error(error)

        def keep() -> None:
            tokens = (tokens_in, tokens_out)
            self._record.add(step_of(code, output, wrong, thought, calls, tokens, now, took))

        self._safely("recording a step", keep, None)

    def answer(self, value: object) -> None:
        """The answer: the run is solved, unless an exception leaves it. The last answer counts."""
        self._record.answered, self._record.answer = True, value

    def spent(self, tokens_in: int, tokens_out: int) -> None:
        """Tokens that the LLM read and wrote in the whole run, where a loop does not know them by the step."""
        self._record.tokens = (tokens_in, tokens_out)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _safely(self, what: str, call: Callable[[], T], otherwise: T) -> T:
        off = self._faults.safely("the memory", lambda: self._memory.off, True)
        return otherwise if off else self._faults.safely(what, call, otherwise)

    def _drawn(self, holdout: float) -> Injection:
        """The run's arm: that of the run around it, or one of its own."""
        if self._above is not None:
            began = self._above._offers.injection
            return Injection(began.drawn, began.arm, began.holdout)
        return Injection(self.id, arm_of(self.id, holdout), holdout)

    def _asked(self) -> Run:
        """What the run was asked, as a value; a run inside another one is part of that one's job."""
        job = "" if self._above is not None else self.job
        return Run(self.id, self._memory.space, self.task, job=job, inputs=self._inputs)

    def _error(self, error: object) -> StepError | None:
        """What was raised; a step whose error cannot be read has failed all the same."""
        read: StepError | None = unread(error)
        return self._faults.safely("an error", lambda: raised(error), read)

    def _advice(self, error: object, code: str) -> str:
        last = self._record.steps[-1] if self._record.steps else None
        failed = self._error(error) or (last.error if last else None)
        code = code or (last.code if last else "")
        return self._offers.hint(failed, code, self._record.repeated) if failed else ""

    def _learn(self, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, GeneratorExit):
            self._record.add(Step(0, error=self._error(error), at=time.time()))
        run = self._run(self.outcome or Outcome.ERROR)
        self.learnt = learnt_from(self._memory, self._faults, run, self._record.journal)

    def _run(self, outcome: Outcome) -> Run:
        """The run as a value, as far as it has come."""
        seen = self._environment
        packages = packages_of(step.code for step in self._record.steps) if seen.sandbox in _HERE else ()
        return Run(
            id=self.id,
            space=self._memory.space,
            task=self.task,
            job=self.job,
            agent=self._agent,
            framework=self._framework,
            parent=self._above.id if self._above else "",
            llm=self._llm,
            actor=self._memory.actor,
            outcome=outcome,
            answer=text_of(self._record.answer, ANSWER_CAP) if self._record.answered else "",
            started_at=self._started_at,
            ended_at=time.time(),
            environment=replace(seen, packages=packages),
            inputs=self._inputs,
            offers=tuple(self._offers.made),
            injection=self._offers.injection,
            items=self._faults.safely("the items of an answer", lambda: items_of(self._record.answer), ()),
            steps=self._record.all_steps(),
        )


def _names(what: str, given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise UsageError(f"{what} takes a list of names: say {what}=[{given!r}].")
    return tuple(str(name) for name in given)
