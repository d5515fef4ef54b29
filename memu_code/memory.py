"""The front desk: one `CodeMemory`, which is opened, asked, taught, looked after and attached to agents."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Self, TypeVar

from memu_code.config import Settings, read_settings
from memu_code.embed import Embedder, open_embedder
from memu_code.errors import UnreachableError, UsageError
from memu_code.model import Reader, Right
from memu_code.verbs import Asking, Ledger, Teaching, Upkeep

A = TypeVar("A")

_CALLBACK_HOST = "smolagents"  # the host that knows `step_callbacks`
_log = logging.getLogger("memu_code")


class CodeMemory(Asking, Teaching, Ledger, Upkeep):
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

        Without a reader, the process has all rights in `space` (by default `~<login>`) and reads the spaces of
        `MEMU_CODE_READ`; nothing else. A store that is damaged or out of reach right now is opened all the same, so
        that no agent's run depends on it: it is tried again at each use, which then raises.

        Raises:
            UsageError: the store's scheme is unknown, or the space has no proper name.
            StoreError: the place is a file, or the store is newer than this code or was filled by another embedder.
        """
        settings = read_settings(None if store is None else str(store), space, embedder)
        if reader is None:
            grants = {name: frozenset({Right.READ}) for name in settings.also_read}
            grants[settings.space] = frozenset(Right)
            reader = Reader(settings.actor, grants)
        memory = cls(settings, reader, open_embedder(settings.embedder))
        try:
            memory._open_store()
        except UnreachableError as error:
            _log.warning("%s It is tried again at the next use.", error)
        return memory

    def attach(self, agent: A, *, job: str = "", offer: str = "both") -> A:
        """The same agent, which from now on recalls before each run and remembers after it; managed agents too.

        `offer` is how functions are offered: as `text`, as definitions to `call`, or `both`. Attaching again changes
        the two settings and nothing else.

        Raises:
            UsageError: the agent is of no known framework, or `offer` is none of the three.
        """
        for cls in type(agent).__mro__:
            root = cls.__module__.split(".", 1)[0]
            host = self._host(root)
            if host:
                host.attach(self, agent, job=job, offer=offer)
                return agent
        raise UsageError(f"memu_code knows no agents of the class {type(agent).__qualname__}.")

    @property
    def callback(self) -> Callable[..., None]:
        """For `step_callbacks=[memory.callback]`: the same as `attach`, from the agent's first run on."""
        host = self._host(_CALLBACK_HOST)
        if host is None:
            raise UsageError(f"Install {_CALLBACK_HOST} to use the callback.")
        callback: Callable[..., None] = host.callback(self)
        return callback

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
