"""The front desk: one `CodeMemory`, which is opened, asked, taught, looked after and attached to agents."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self, TypeVar

from memu_code.config import Settings, read_settings, reader_of
from memu_code.embed import Embedder, open_embedder
from memu_code.errors import UnknownIdError, UnreachableError, UsageError
from memu_code.model import Reader
from memu_code.verbs import Asking, Judging, Keeping, Proving, Recording, Sharing, Teaching, Upkeep, Watching, Work

A = TypeVar("A")

_CALLBACK_HOST = "smolagents"  # the host that knows `step_callbacks`
_TOOLED = ("smolagents", "agno")  # the hosts whose agents can be given tools
_log = logging.getLogger("memu_code")


class CodeMemory(Asking, Teaching, Judging, Keeping, Proving, Recording, Sharing, Upkeep, Watching, Work):
    """A solution memory, open. Use `CodeMemory.open(...)`; it is a context manager, and may be used by all threads."""

    def __init__(self, settings: Settings, reader: Reader, embedder: Embedder) -> None:
        super().__init__(settings, reader, embedder)
        self._hosts: dict[str, ModuleType] = {}

    @classmethod
    def open(
        cls,
        store: str | Path | None = None,
        *,
        space: str | None = None,
        reader: Reader | None = None,
        embedder: str | None = None,
    ) -> Self:
        """The memory of a store: a folder, `s3://bucket/key` or another URI; by default the user's data directory.

        Without a reader, the process has all rights in `space` (by default `~<login>`), reads the spaces of
        MEMU_CODE_READ, and writes to or promotes into those of MEMU_CODE_WRITE and MEMU_CODE_PROMOTE; nothing else. A
        store that is damaged or out of reach right now is opened all the same, so that no agent's run depends on it: it
        is tried again at each use, which then raises.

        Raises:
            UsageError: the store's scheme is unknown, or the space has no proper name.
            StoreError: the place is a file, or the store is newer than this code or was filled by another embedder.
        """
        settings = read_settings(None if store is None else str(store), space, embedder)
        memory = cls(settings, reader or reader_of(settings), open_embedder(settings.embedder))
        try:
            memory._open_store()
        except UnreachableError as error:
            _log.warning("%s It is tried again at the next use.", error)
        return memory

    def attach(self, agent: A, *, job: str = "", offer: str = "both", holdout: float | None = None) -> A:
        """The same agent, which from now on recalls before each run and remembers after it; managed agents too.

        `offer` is how functions are offered: as `text`, as definitions to `call`, or `both`. In a share `holdout` of
        runs, drawn by their ids, the memory is silent and only takes notes, for `lift` to compare with; by default it
        is that of MEMU_CODE_HOLDOUT, or none. Attaching again changes the three settings and nothing else.

        Raises:
            UsageError: the agent is of no known framework, `offer` is none of the three, or `holdout` not in 0..1.
        """
        self._host_of(agent).attach(self, agent, job=job, offer=offer, holdout=holdout)
        return agent

    def resume(self, agent: A, run_id: str) -> A:
        """The same agent, with a kept run in its memory: `agent.run("...", reset=False)` goes on with it.

        Its task, its plans, steps, errors and images are there as they were, and those of the runs that it had gone on
        with; what the agent remembered before is gone. The agent is attached where it was not.

        Raises:
            UsageError: the run is not known, is one of another class of agents, or the agent is in the middle of a run.
            StoreError: the store cannot be read.
        """
        host = self._host_of(agent)
        self._take_in(self._open_store())  # its process may have died since the store was opened
        try:
            runs = self.conversation(run_id)
        except UnknownIdError as error:
            raise UsageError(str(error)) from None
        host.resume(self, agent, runs)
        return agent

    @property
    def callback(self) -> Callable[..., None]:
        """For `step_callbacks=[memory.callback]`: the same as `attach`, from the agent's first run on."""
        host = self._host(_CALLBACK_HOST)
        if host is None:
            raise UsageError(f"Install {_CALLBACK_HOST} to use the callback.")
        callback: Callable[..., None] = host.callback(self)
        return callback

    def tools(self, host: str = _CALLBACK_HOST) -> list[Any]:
        """Tools for an agent, by default `note_follow_up` and `recall_work` for `CodeAgent(tools=[*memory.tools()])`.

        With `host="agno"` they are functions for an agent of Agno: these two, `recall_solutions`, `recall_fix` and
        `give_feedback`. Inside a run of an agent that this memory is attached to, they know its job. Each agent needs
        its own.
        """
        if host not in _TOOLED:
            raise UsageError(f"There are tools for {' and '.join(_TOOLED)}, not for {host[:40]!r}.")
        try:
            found = self._host(host)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise UsageError(f"Install {host} to use its tools.")
        made: list[Any] = found.tools(self)
        return made

    def close(self) -> None:
        """Let go of the store and of every agent."""
        for host in self._hosts.values():
            host.release(self)
        self._hosts.clear()
        if self._store:
            self._store.close()
            self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _host_of(self, agent: object) -> ModuleType:
        for cls in type(agent).__mro__:
            host = self._host(cls.__module__.split(".", 1)[0])
            if host is not None and hasattr(host, "attach"):
                return host
        raise UsageError(f"memu_code knows no agents of the class {type(agent).__qualname__}.")

    def _host(self, name: str) -> ModuleType | None:
        """The host's file of a framework, by the framework's name: the core itself knows none of them."""
        if name not in self._hosts:
            target = f"memu_code.integrations.{name}"
            try:
                self._hosts[name] = importlib.import_module(target)
            except ModuleNotFoundError as error:
                if error.name != target:
                    raise
                return None
        return self._hosts[name]
