"""The verb of any loop: `with memory.run(task) as run:` is told its steps, and asked what is known."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self, overload

from memu_code.errors import MemuCodeError, UsageError
from memu_code.model import Extraction, Found, Outcome, Run
from memu_code.verbs.ledger import Ledger

_ID = re.compile(r"run_[0-9a-f]*")
_DIGITS = re.compile(r"[0-9a-f]{8,}")
_LOOPS = "memu_code.integrations.loops"  # a host, and so above this room: the core knows none of them


class GoingOn(Protocol):
    """A run while it goes on: `with memory.run("sum up the orders") as run:`, or `async with`.

    Nothing that goes wrong in the memory reaches the loop, and what the loop raises passes on as it is.
    """

    id: str
    task: str
    job: str
    outcome: Outcome | None
    learnt: Extraction | None

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def block(self) -> str:
        """The block for the prompt; empty where nothing is known."""
        ...

    def prepare(self) -> None:
        """Make the block now; in an event loop, `await asyncio.to_thread(run.prepare)` holds nothing up."""
        ...

    def recall(self, query: str = "", k: int = 5) -> Found:
        """At most k solutions for a query, by default the task; false where nothing fits."""
        ...

    def hint(self, error: object = None, code: str = "") -> str:
        """What to tell the LLM of an error, by default that of the last step; empty where nothing is known."""
        ...

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
    ) -> None:
        """Keep a finished step: code, output, and what it raised (an exception or its text)."""
        ...

    def answer(self, value: object) -> None:
        """The answer: the run is solved, unless an exception leaves it."""
        ...

    def spent(self, tokens_in: int, tokens_out: int) -> None:
        """Tokens of the whole run, where they are not known by the step."""
        ...


class Recording(Ledger):
    """A memory that keeps runs, and records new ones."""

    @overload
    def run(self, *, run_id: str) -> Run: ...

    @overload
    def run(
        self,
        *,
        task: str,
        job: str = "",
        llm: str = "",
        agent: str = "loop",
        framework: str = "",
        sandbox: str = "python",
        imports: Iterable[str] = (),
        tools: Iterable[str] = (),
        inputs: Mapping[str, object] | None = None,
        holdout: float | None = None,
    ) -> GoingOn: ...

    @overload
    def run(self, text: str, **known: Any) -> Any: ...

    def run(self, text: str | None = None, **known: Any) -> Any:
        """A new run of any loop by its task, `with memory.run("sum up the orders") as run:`, or a kept one by its id.

        A text is taken for an id only where it looks like one and stands without settings: `run_` and hexadecimal
        digits, or eight such digits and more by which a run is known. Any other, also one word, is a task; `task=` and
        `run_id=` say which it is. The loop tells the new run its steps (`run.step(code, output, error)`) and its answer
        (`run.answer(value)`), and asks it for the block of its prompt (`run.block`) and for known fixes (`run.hint()`).
        `sandbox` names where its code runs: `python` is this very process. `imports` are the packages that the code may
        import, by default any, and `tools` the functions that it may call.

        Raises:
            UnknownIdError: no run begins with the id, or more than one.
            UsageError: a setting is none, or has not the form that it needs.
            StoreError: the store of a kept run cannot be read.
        """
        task, run_id = known.pop("task", None), known.pop("run_id", None)
        if task is None and run_id is None:
            run_id = None if known else self._meant(text)
            task = text if run_id is None else None
        elif task is not None and (run_id is not None or text not in (None, "", task)):
            raise UsageError("Say either the id of a kept run or the task of a new one.")
        if run_id is None:
            if task is None:
                raise UsageError("Say the task of a new run, or the id of a kept one.")
            return importlib.import_module(_LOOPS).record(self, task, **known)
        if known:
            raise UsageError(f"A kept run takes no settings: leave out {', '.join(known)}.")
        return self.kept_run(run_id)

    def _meant(self, text: object) -> str | None:
        """The id that a text is meant as; None where it is none. Digits alone may be a date, or a word: `facade`."""
        if not isinstance(text, str) or _ID.fullmatch(text):
            return text if isinstance(text, str) else None
        try:
            return self._view().resolve(f"run_{text}") if _DIGITS.fullmatch(text) else None
        except MemuCodeError:  # no such run, or no store that can be read, without which a loop goes on
            return None
