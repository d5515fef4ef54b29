"""A memory attached to one agent of Agno: its hooks, and what happens around a run and a tool call.

A pre-hook puts the block behind the agent's additional context, a hook around its tools records what they ran, a
post-hook takes the answer. Runs that no post-hook sees are ended by the wrappers in `wrapping.py`.
"""

from __future__ import annotations

import inspect
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial, wraps
from importlib.metadata import version
from typing import Any

from agno.agent import Agent
from agno.run import RunContext
from agno.run.agent import RunInput, RunOutput
from agno.run.base import RunStatus

from memu_code.integrations.agno.calls import OWN_TOOLS, Caught, code_of, error_of, functions_of, sandbox_of, task_of
from memu_code.integrations.agno.endings import outcome_of
from memu_code.integrations.agno.steps import record, thought_of
from memu_code.integrations.agno.wrapping import CONTINUED, RUNS, wrapped
from memu_code.integrations.faults import Faults, faults_of
from memu_code.integrations.loops import LoopRun
from memu_code.integrations.surface import Memory

ATTRIBUTE = "_memu_code_attachment"
_GOES_ON = (RunStatus.paused, RunStatus.pending, RunStatus.running)
_current: ContextVar[LoopRun | None] = ContextVar("memu_code_agno", default=None)

AttachCopy = Callable[[Any, "Attachment"], None]


class _Context(str):
    """An agent's additional context, which is put into the prompt with the block of the run that is being prepared.

    Agno formats the additional context after it has filled in its templates, so stored text is never one of them.
    """

    def __format__(self, spec: str) -> str:
        run = _current.get()
        block = run.block if run is not None else ""
        return "\n\n".join(part for part in (str.__str__(self), block) if part)


class Attachment:
    """One agent, one memory. Nothing that goes wrong in here reaches the agent's run."""

    def __init__(self, memory: Memory, agent: Agent, job: str, holdout: float | None, attach_copy: AttachCopy) -> None:
        self.memory, self.job, self.holdout, self._attach_copy = memory, job, holdout, attach_copy
        self.runs: dict[str, LoopRun] = {}  # by Agno's id
        self._agent = weakref.ref(agent)
        self._faults = faults_of(memory)
        self._reached: set[str] = set()  # runs whose input no guardrail refused
        self._watched: set[str] = set()  # runs inside a wrapper of ours, which ends them
        self._context: str | None = None
        self._patched: dict[str, Any] = {}
        self._lock = threading.RLock()

        # plain functions: a deep copy of the agent shares them, where it would copy a bound method with its memory
        def memu_code_recall(run_input: RunInput, run_context: RunContext) -> None:
            self._faults.safely("recall", partial(self._before, run_input, run_context), None)

        def memu_code_step(name: str, func: Callable[..., Any], args: dict[str, Any], run_context: Any = None) -> Any:
            return self._around(name, func, args, run_context)

        def memu_code_learn(run_output: RunOutput, run_context: RunContext) -> None:
            self._faults.safely("the end of a run", partial(self._after, run_output, run_context), None)

        self._hooks = (memu_code_recall, memu_code_step, memu_code_learn)

    # -- on and off -------------------------------------------------------------------------------------------------

    def install(self) -> None:
        """Put the hooks into the agent's lists, and wrap what begins and ends its runs."""
        agent = self._agent()
        if agent is None:
            return
        recall, step, learn = self._hooks
        agent.pre_hooks = [*(agent.pre_hooks or ()), recall]
        agent.post_hooks = [*(agent.post_hooks or ()), learn]
        functions = functions_of(agent)
        if agent.tool_hooks is not None or not any(function.tool_hooks for function in functions):
            agent.tool_hooks = [*(agent.tool_hooks or ()), step]
        else:  # hooks of the agent would take the place of those that its tools have
            for function in functions:
                function.tool_hooks = [*(function.tool_hooks or ()), step]
        for name in (*RUNS, *CONTINUED):
            self._patch(agent, name, partial(wrapped, self))
        self._patch(agent, "deep_copy", self._copying)
        agent.__dict__[ATTRIBUTE] = self

    def remove(self) -> None:
        """Undo `install`."""
        agent = self._agent()
        if agent is None:
            return
        self.strip(agent)
        for name, ours in self._patched.items():
            if agent.__dict__.get(name) is ours:
                del agent.__dict__[name]
        agent.__dict__.pop(ATTRIBUTE, None)

    def strip(self, agent: Any) -> None:
        """Take the hooks and the context of this attachment out of an agent, or out of a copy of it."""
        for name in ("pre_hooks", "tool_hooks", "post_hooks"):
            setattr(agent, name, self._others(getattr(agent, name)))
        for function in functions_of(agent):
            function.tool_hooks = self._others(function.tool_hooks)
        if isinstance(agent.additional_context, _Context):
            agent.additional_context = self._context

    def _others(self, hooks: Any) -> Any:
        return [hook for hook in hooks if not any(hook is ours for ours in self._hooks)] or None if hooks else hooks

    def _patch(self, agent: Any, name: str, make: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(agent, name)
        self._patched[name] = agent.__dict__[name] = wraps(original)(make(name, original))

    def _copying(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def deep_copy(*args: Any, **kwargs: Any) -> Any:
            made = original(*args, **kwargs)
            self._faults.safely("attaching a copy", partial(self._attach_copy, made, self), None)
            return made

        return deep_copy

    # -- around a run -----------------------------------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        """Where faults of the memory go."""
        return self._faults

    def watch(self, key: str) -> None:
        """A run begins that a wrapper will end."""
        self._watched.add(key)

    def enter(self, key: str | None) -> None:
        """What runs in this thread or task from here on is this run, or none."""
        _current.set(self.runs.get(key) if key else None)

    def begin(self, key: str, given: object) -> LoopRun | None:
        """The run with this id, and its block; None where the memory is off."""
        agent = self._agent()
        if agent is None or self.memory.off:
            return None
        with self._lock:
            if key not in self.runs:
                self.runs[key] = LoopRun(
                    self.memory,
                    task_of(given),
                    job=self.job,
                    llm=str(getattr(agent.model, "id", "") or ""),
                    agent=agent.name or type(agent).__name__,
                    framework=f"agno {version('agno')}",
                    sandbox=sandbox_of(agent),
                    holdout=self.holdout,
                )
            run = self.runs[key]
        if agent.system_message is None and agent.build_context:  # else Agno takes no additional context
            run.prepare()
        return run

    def _before(self, run_input: RunInput, run_context: RunContext) -> None:
        key = run_context.run_id
        if key not in self._watched and key not in self.runs:  # a hook in the background, which comes after its run
            return
        run = self.begin(key, run_input.input_content)
        agent = self._agent()
        if run is None or agent is None:
            return
        run.task = task_of(run_input.input_content)  # as the hooks before this one have left it
        self._reached.add(key)
        _current.set(run)
        with self._lock:
            if run.prepared and not isinstance(agent.additional_context, _Context):
                self._context = agent.additional_context
                agent.additional_context = _Context(self._context or "")

    def _after(self, run_output: RunOutput, run_context: RunContext) -> None:
        run = self.runs.get(run_context.run_id)
        if run is None:
            return
        if not run.steps:  # tools whose hooks are not ours
            for call in run_output.tools or ():
                arguments = call.tool_args or {}
                wrong = (call.result or "it failed") if call.tool_call_error else None
                self._record(run, str(call.tool_name), arguments, call.result, wrong, None, "")
        run.answer(run_output.content)
        metrics = run_output.metrics
        if metrics is not None:
            run.spent(metrics.input_tokens or 0, metrics.output_tokens or 0)
        if run_context.run_id not in self._watched:  # it goes on in the background, and nobody waits for it
            self._faults.behind("the end of a run", partial(self.end, run_context.run_id, RunStatus.completed))

    def end(self, key: str, status: RunStatus | None, error: BaseException | None = None) -> None:
        """The run has come back with a status, or was left by an error: learn from it, unless it only waits."""
        self._faults.safely("the end of a run", partial(self._end, key, status, error), None)

    def _end(self, key: str, status: RunStatus | None, error: BaseException | None) -> None:
        self._watched.discard(key)
        _current.set(None)
        if error is None and status in _GOES_ON:
            return
        with self._lock:
            run = self.runs.pop(key, None)
            reached = key in self._reached
            self._reached.discard(key)
            agent = self._agent()
            if not self.runs and agent is not None and isinstance(agent.additional_context, _Context):
                agent.additional_context = self._context
        if run is not None and reached:  # what a guardrail refused is not kept
            run.end(error, outcome_of(run, status) if error is None else None)

    # -- at each tool call ------------------------------------------------------------------------------------------

    def _around(self, name: str, call: Callable[..., Any], args: Mapping[str, Any], context: Any) -> Any:
        """What the tool gives or raises; with a note on a known fix behind the text of an error."""
        run = self.runs.get(getattr(context, "run_id", ""))
        if run is None or name in OWN_TOOLS:
            return call(**args)
        began = time.time()
        thought = self._faults.safely("a thought", partial(thought_of, context), "")
        with Caught() as caught:
            try:
                result = call(**args)
            except BaseException as error:
                self._record(run, name, args, None, error, time.time() - began, thought)
                raise
        if inspect.isawaitable(result):
            return self._later(run, name, args, result, began, thought)
        wrong = self._error(name, args, result, caught.error)
        self._record(run, name, args, result, wrong, time.time() - began, thought)
        advise = partial(self._advised, run, name, args, result, wrong)
        return self._faults.safely("a known fix", advise, result)

    async def _later(
        self, run: LoopRun, name: str, args: Mapping[str, Any], result: Awaitable[Any], began: float, thought: str
    ) -> Any:
        try:
            found = await result
        except BaseException as error:
            self._record(run, name, args, None, error, time.time() - began, thought)
            raise
        wrong = self._error(name, args, found, None)
        self._record(run, name, args, found, wrong, time.time() - began, thought)
        advise = partial(self._advised, run, name, args, found, wrong)
        return await self._faults.aside("a known fix", advise, found)

    def _error(self, name: str, args: Mapping[str, Any], result: object, caught: BaseException | None) -> object:
        """What the call raised, as far as its tool tells; where that cannot be read, it is taken for failed."""
        unread: object = "Error: what came of it cannot be read"
        return self._faults.safely("an error", partial(error_of, name, args, result, caught), unread)

    def _record(
        self,
        run: LoopRun,
        name: str,
        args: Mapping[str, Any],
        result: object,
        error: object,
        seconds: float | None,
        thought: str,
    ) -> None:
        self._faults.safely("recording a step", partial(record, run, name, args, result, error, seconds, thought), None)

    @staticmethod
    def _advised(run: LoopRun, name: str, args: Mapping[str, Any], result: Any, error: object) -> Any:
        note = run.hint(error, code_of(name, args)) if error is not None and isinstance(result, str) else ""
        return f"{result}\n\n{note}" if note else result
