"""A memory attached to one agent: what is patched on the instance, and what happens around a run."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial, wraps
from types import GeneratorType
from typing import Any

from rich.text import Text
from smolagents import ActionStep, ChatMessage, FinalAnswerStep, LogLevel, PlanningStep
from smolagents.models import MessageRole

from memu_code.integrations import hints
from memu_code.integrations.faults import faults_of
from memu_code.integrations.journaling import opened
from memu_code.integrations.offering import advice, learnt_from, noted, offer_of
from memu_code.integrations.smolagents import offering
from memu_code.integrations.smolagents.recording import Recording, bare_task, begin, outcome_of
from memu_code.integrations.smolagents.report import line
from memu_code.integrations.smolagents.shelf import Shelf
from memu_code.integrations.surface import Memory, Ways
from memu_code.model import Injection, Outcome, Step, arm_of
from memu_code.runs.jobs import job_of

ATTRIBUTE = "_memu_code_attachment"

AttachManaged = Callable[[Any, "Attachment"], None]


def unregister(agent: Any, is_ours: Callable[[Any], bool]) -> None:
    """Take callbacks out of the agent's registry, by new lists: the old ones may be gone through right now."""
    registry = agent.step_callbacks._callbacks
    for step_class, callbacks in list(registry.items()):
        kept = [callback for callback in callbacks if not is_ours(callback)]
        if kept:
            registry[step_class] = kept
        else:
            del registry[step_class]


class Attachment:
    """One agent, one memory. Nothing that goes wrong in here reaches the agent's run."""

    def __init__(
        self, memory: Memory, agent: Any, job: str, offer: Ways, holdout: float, attach_managed: AttachManaged
    ) -> None:
        self.memory, self.job, self.offer, self.holdout = memory, job, offer, holdout
        self.managers: weakref.WeakSet[Attachment] = weakref.WeakSet()
        self.managed: weakref.WeakSet[Any] = weakref.WeakSet()  # agents below that were attached once
        self._attach_managed = attach_managed
        self._agent = agent
        self._faults = faults_of(memory)
        self._shelf = Shelf()
        self._by_thread: dict[int, Recording] = {}
        self._latest: Recording | None = None
        self.went_on: str = ""  # the run that stands last in the agent's memory
        self.drawn: str = ""  # the run whose id decided in which arm the conversation in the agent's memory is
        self._lock = threading.RLock()  # a stream that is garbage collected may end in the middle of anything
        self._passing = threading.local()
        self._prompt: tuple[str, str] = ("", "")  # the last task and the block made for it
        self._patched: dict[str, tuple[object, object]] = {}  # name -> ours, what stood in the instance before
        self.active = False

    # -- on and off -------------------------------------------------------------------------------------------------

    def install(self) -> None:
        """Patch the instance and register for its steps."""
        self._patch("run", self._wrapped_run)
        self._patch("initialize_system_prompt", self._wrapped_prompt)
        self._patch("write_memory_to_messages", self._wrapped_messages)
        for step_class, callback in self._callbacks():
            self._agent.step_callbacks.register(step_class, callback)
        self._agent.__dict__[ATTRIBUTE] = self
        self.active = True

    def remove(self) -> None:
        """Undo `install`. A patch that somebody has wrapped since stays where it is and does nothing any more."""
        self.active = False
        instance = self._agent.__dict__
        for name, (ours, before) in self._patched.items():
            if instance.get(name) is ours:
                if before is None:
                    del instance[name]
                else:
                    instance[name] = before
        self._patched.clear()
        unregister(self._agent, lambda callback: getattr(callback, "__self__", None) is self)
        self._faults.safely("taking functions out", self._shelf.clear, None)
        if instance.get(ATTRIBUTE) is self:
            del instance[ATTRIBUTE]

    def _callbacks(self) -> Iterator[tuple[type, Callable[..., None]]]:
        yield ActionStep, self.on_action
        yield PlanningStep, self.on_plan
        yield FinalAnswerStep, self.on_answer

    def _patch(self, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(self._agent, name)
        ours = wraps(original)(make(original))
        self._patched[name] = (ours, self._agent.__dict__.get(name))
        self._agent.__dict__[name] = ours

    def _wrapped_run(self, original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.run(original, args, kwargs)

    def _wrapped_prompt(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def initialize_system_prompt(*args: Any, **kwargs: Any) -> Any:
            prompt = original(*args, **kwargs)
            block = self._faults.safely("the prompt block", self._block, "") if self.active else ""
            return f"{prompt}\n\n{block}" if block and isinstance(prompt, str) else prompt

        return initialize_system_prompt

    def _wrapped_messages(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def write_memory_to_messages(*args: Any, **kwargs: Any) -> Any:
            messages = original(*args, **kwargs)
            recording = self.current() if self.active else None
            summary = kwargs.get("summary_mode", args[0] if args else False)
            if recording is None or not recording.hint or summary or not isinstance(messages, list):
                return messages
            content = [{"type": "text", "text": recording.hint}]
            return [*messages, ChatMessage(role=MessageRole.USER, content=content)]

        return write_memory_to_messages

    # -- around a run -----------------------------------------------------------------------------------------------

    def run(self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What `original` gives or raises, with the run recorded, offered to and learnt from."""
        if not self.active or getattr(self._passing, "inside", False):
            return original(*args, **kwargs)
        recording = self._faults.safely("the start of a run", partial(self._begin, args, kwargs), None)
        if recording is None:
            return original(*args, **kwargs)
        self._passing.inside = True  # a subclass may call super().run(), which the wrapper on the class would catch
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            self._end(recording, self._outcome(recording, error))
            raise
        finally:
            self._passing.inside = False
        if recording.streamed and isinstance(result, GeneratorType):
            events = self._events(recording, result)
            weakref.finalize(events, self._never_iterated, recording).atexit = False
            return events
        self._end(recording, self._outcome(recording, None))
        return result

    def _events(self, recording: Recording, events: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        recording.iterated = True
        self._enter(recording)
        try:
            result = yield from events
        except BaseException as error:
            self._end(recording, self._outcome(recording, error))
            raise
        self._end(recording, self._outcome(recording, None))
        return result

    def _never_iterated(self, recording: Recording) -> None:
        if not recording.iterated:  # perhaps inside a garbage collection: learn elsewhere, wait for nothing
            learn = threading.Thread(target=self._end, args=(recording, Outcome.NOT_STARTED), daemon=True)
            self._faults.safely("a stream that was never iterated", learn.start, None)

    def _begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recording:
        self._faults.safely("attaching managed agents", partial(self._attach_managed, self._agent, self), None)
        running = [found for manager in self.managers if (found := manager.current()) is not None]
        above = max(running, key=lambda found: found.started_at) if running else None
        recording = begin(self._agent, args, kwargs, above.id if above else "")
        recording.job = above.job if above else self.job or job_of(recording.task)
        recording.keep_picture = lambda png: self.memory.keep_picture(png)
        recording.follows, self.went_on = "" if recording.fresh else self.went_on, recording.id
        recording.injection = self._draw(recording, above)
        self._enter(recording)
        try:
            self._faults.safely("the brief of a job", partial(offering.brief, self.memory, recording), None)
            self._faults.safely("recall", partial(self._offer, recording), None)
            self._faults.safely("the journal of a run", partial(self._open_journal, recording), None)
        except BaseException:  # somebody interrupts: the run never begins
            self._leave(recording)
            raise
        return recording

    def _draw(self, recording: Recording, above: Recording | None) -> Injection:
        """The run's arm: its manager's, or else that of the conversation that it goes on with, or one of its own."""
        if above is not None:
            began = above.injection
            self.drawn = began.drawn
            return Injection(began.drawn, began.arm, began.holdout)
        self.drawn = "" if recording.fresh else self.drawn
        self.drawn = self.drawn or recording.id
        return Injection(self.drawn, arm_of(self.drawn, self.holdout), self.holdout)

    def _open_journal(self, recording: Recording) -> None:
        began = recording.run(self._agent, self.memory, recording.job, Outcome.INTERRUPTED)
        recording.journal = opened(self._faults, lambda: self.memory.journal(began))

    def _enter(self, recording: Recording) -> None:
        with self._lock:
            self._latest = self._by_thread[threading.get_ident()] = recording

    def _leave(self, recording: Recording) -> None:
        with self._lock:
            self._by_thread = {key: found for key, found in self._by_thread.items() if found is not recording}
            if self._latest is recording:
                self._latest = next(reversed(self._by_thread.values()), None)

    def _offer(self, recording: Recording) -> None:
        try:
            offering.offer(self.memory, self._agent, recording, self._shelf, self.offer)
        except BaseException:
            self._shelf.clear()
            recording.block = ""
            recording.offers.clear()
            recording.shown.clear()
            recording.injection = replace(recording.injection, offered=(), tokens=0)
            raise

    def current(self) -> Recording | None:
        """The run that goes on in this thread, or else the one that began last."""
        return self._by_thread.get(threading.get_ident()) or self._latest

    def _block(self) -> str:
        recording = self.current()
        if recording is not None:
            return recording.injected
        task = bare_task(self._agent, getattr(self._agent, "task", None))
        if task and task != self._prompt[0]:  # a prompt that is read without a run
            self._prompt = (task, "")
            self._prompt = (task, offering.block_for(self.memory, self._agent, task))
        return self._prompt[1] if task else ""

    def _outcome(self, recording: Recording, error: BaseException | None) -> Outcome:
        return self._faults.safely("how a run ended", partial(outcome_of, recording, error), Outcome.ERROR)

    def _end(self, recording: Recording, outcome: Outcome) -> None:
        recording.hint, recording.outer = "", None
        self._leave(recording)
        self._prompt = (recording.task, recording.injected)
        self._faults.safely("the end of a run", partial(self._learn, recording, outcome), None)

    def _learn(self, recording: Recording, outcome: Outcome) -> None:
        run = recording.run(self._agent, self.memory, recording.job, outcome)
        learnt = learnt_from(self.memory, self._faults, run, recording.journal)
        self._agent.logger.log(Text(line(recording, learnt), style="dim"), level=LogLevel.INFO)

    # -- at each step -----------------------------------------------------------------------------------------------

    def on_action(self, step: Any, agent: Any = None) -> None:
        """Record a step, and look up a fix where it failed and another step follows."""
        self._faults.safely("recording a step", partial(self._action, step), None)

    def on_plan(self, step: Any, agent: Any = None) -> None:
        """Record a plan."""
        self._faults.safely("recording a plan", partial(self._plan, step), None)

    def on_answer(self, step: Any, agent: Any = None) -> None:
        """Keep hold of the final answer; it is read when the run ends, after all other callbacks."""
        recording = self.current()
        if recording is not None:
            recording.answer_step = step

    def _plan(self, step: PlanningStep) -> None:
        recording = self.current()
        if recording is not None:
            self._journal(recording, recording.add_plan(step))

    @staticmethod
    def _journal(recording: Recording, made: Step | None) -> None:
        if made is not None and recording.journal is not None:
            recording.journal.step(made)

    def _action(self, step: ActionStep) -> None:
        recording = self.current()
        if recording is None or step is recording.last:
            return
        recording.hint = ""
        made = recording.add_action(step, self._agent)
        self._faults.safely("the journal of a run", partial(self._journal, recording, made), None)
        if made is not None:
            self._faults.safely("a known fix", partial(self._advise, recording, step, made), None)

    def _advise(self, recording: Recording, step: ActionStep, made: Step) -> None:
        code = hints.same_code(step.code_action or "")
        before, recording.came_of_it = recording.came_of_it, (code, None if made.error else made.observation)
        if step.step_number >= recording.max_steps:
            return
        repeated = bool(code) and before == recording.came_of_it
        if made.error is None:
            recording.hint = hints.SAME_OUTPUT if repeated and not recording.held_out else ""
            return
        shown, fixes = advice(self.memory, self._faults, made.error, made.code, recording.environment, recording.offers)
        recording.injection = noted(recording.injection, fixes, "fix")
        if recording.held_out:
            return
        recording.hint = hints.hint(fixes, repeated, self.memory.trusts, shown)
        known = {offer.node for offer in recording.offers}
        for fix in (fix for fix in fixes if fix.id not in known):
            recording.offers.append(offer_of(self.memory, fix, "fix"))
            if recording.journal is not None:
                recording.journal.offer(recording.offers[-1])
