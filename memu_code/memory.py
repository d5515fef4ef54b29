"""The front desk: one `CodeMemory`, one short method for each verb."""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from memu_code.config import Settings, read_settings
from memu_code.embed import Embedder, open_embedder
from memu_code.errors import MemuCodeError, UnknownIdError, UnreachableError, UsageError
from memu_code.graph import EmbedderMark, Standing, Store, View, reindex, standing
from memu_code.model import Environment, Evidence, Extraction, Found, Hit, Node, Reader, Relation, Right, Run
from memu_code.recall import FLOOR, recall_fixes, recall_solutions, render
from memu_code.recall.render import BUDGET

if TYPE_CHECKING:
    from memu_code.learn import SeedReport

# What extracts is imported where it is first used: its parser would cost each `memu-code query` a fifth of its time.

A = TypeVar("A")

QUERY_BYTES = 200_000  # a longer query is refused: it is a document, not a question
_CALLBACK_HOST = "smolagents"  # the host that knows `step_callbacks`
_log = logging.getLogger("memu_code")


class CodeMemory:
    """A solution memory, open. Use `CodeMemory.open(...)`; it is a context manager, and may be used by all threads."""

    def __init__(self, settings: Settings, reader: Reader, embedder: Embedder) -> None:
        self.settings = settings
        self.reader = reader
        self._embedder = embedder
        self._store: Store | None = None
        self._opening = threading.Lock()
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

    @classmethod
    def reindex(
        cls,
        store: str | Path | None = None,
        *,
        embedder: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """How many nodes of a store got a new vector by this embedder, whichever made the old ones.

        Raises:
            UsageError: the store's scheme is unknown.
            StoreError: there is no such store, or it cannot be written.
        """
        settings = read_settings(None if store is None else str(store), None, embedder)
        encoder = open_embedder(settings.embedder)
        return reindex(settings.store, _mark(encoder), encoder.encode, progress)

    @property
    def space(self) -> str:
        """The space that this memory writes to."""
        return self.settings.space

    @property
    def actor(self) -> str:
        """Who this memory's evidence is from."""
        return self.reader.actor

    @property
    def off(self) -> bool:
        """Whether `MEMU_CODE_OFF` switches the memory off: `attach` then does nothing."""
        return self.settings.off

    def trusts(self, space: str) -> bool:
        """Whether code of this space may be run in an agent's executor: only what is one's own to write."""
        return self.reader.may(Right.WRITE, space)

    def recall(self, task: str, k: int = 5, *, environment: Environment | None = None, floor: float = FLOOR) -> Found:
        """At most k solutions for a task, best first, and the block for a prompt; false when nothing is relevant.

        With an environment, code that cannot run there is left out. Nothing with a score below `floor` (0..1) comes
        back: the default suits somebody who asks, `recall.OFFER_FLOOR` is for what nobody has asked for.

        Raises:
            UsageError: the task is empty or longer than 200 kB, or k is not positive.
            StoreError: the store cannot be read.
        """
        check_query(task)
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}.")
        hits = recall_solutions(self._view(), self._embedder, task, k, environment, floor)
        return Found(hits, render(hits, self._embedder.count)[0])

    def render(
        self, found: Found, *, callables: frozenset[str] = frozenset(), budget: int = BUDGET
    ) -> tuple[str, tuple[str, ...]]:
        """The block for a prompt within a budget of tokens, and the ids that are in it."""
        return render(found.hits, self._embedder.count, callables=callables, budget=budget)

    def recall_fix(
        self, error: str, *, code: str = "", environment: Environment | None = None, k: int = 3
    ) -> list[Hit]:
        """At most k known fixes for an error text, best first; `code` is what failed just now.

        Raises:
            UsageError: the error text is empty.
            StoreError: the store cannot be read.
        """
        if not error.strip():
            raise UsageError("There is no error text to look for.")
        from memu_code.extractors.errors.signature import signature

        key = signature(error, code=code)
        return recall_fixes(
            self._view(),
            self._embedder,
            signature=key.key,
            error_class=key.error_class,
            message=key.message,
            code=code,
            environment=environment,
            k=k,
        )

    def remember(self, run: Run) -> Extraction:
        """What a run taught, once it is kept; the same run again changes nothing.

        Raises:
            AccessError: the reader may not write to the run's space.
            StoreError: the store cannot be written.
        """
        from memu_code.learn import remember_run

        return remember_run(self._open_store(), self.reader, self._embedder, run)

    def seed(self, path: str | Path, progress: Callable[[int, int], None] | None = None) -> SeedReport:
        """What was taken in of a repository; again, it touches only files that are new, edited or deleted.

        Raises:
            UsageError: the path is no folder or Python file that can be read.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn import seed_repository

        return seed_repository(self._open_store(), self.reader, self._embedder, Path(path), self.space, progress)

    def node(self, node_id: str) -> tuple[Node, Standing, list[Evidence]]:
        """A node by its id or the beginning of it, its standing, and its evidence, oldest first.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        view = self._view()
        full = view.resolve(node_id)
        found = view.nodes([full]).get(full)
        if found is None:
            raise UnknownIdError(f"{full} is a run, not a node.")
        rows = view.evidence([full]).get(full, [])
        return found, standing(rows), rows

    def related(self, node_id: str) -> list[tuple[Relation, Node]]:
        """What a node is tied to, whichever end of the edge it is: problems, edge cases, fixes, callers and callees."""
        view = self._view()
        ties = {
            edge.target if edge.source == node_id else edge.source: edge.relation
            for edge in view.edges([node_id])
            if edge.relation is not Relation.USES
        }
        nodes = view.nodes(ties)
        return sorted(((ties[other], nodes[other]) for other in nodes), key=lambda tie: (tie[0], tie[1].id))

    def run(self, run_id: str) -> Run:
        """A run with its steps, by its id or the beginning of it.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        view = self._view()
        return view.run(view.resolve(run_id))

    def runs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest runs as `id space job task agent outcome actor started_at ended_at steps`, newest first."""
        return self._view().runs(limit)

    def stats(self) -> dict[str, Any]:
        """How much there is that the reader may see: of each kind of node, edges, evidence, runs, steps, files."""
        view = self._view()
        return {"store": self.settings.store, "spaces": sorted(view.spaces()), **view.counts()}

    def doctor(self) -> dict[str, Any]:
        """Facts about the store and its embedder, and the problems that they show; raises nothing of ours."""
        facts: dict[str, Any] = {"store": self.settings.store, "space": self.space, "problems": []}
        try:
            facts.update(self._open_store().health())
            if facts["without_vector"]:
                facts["problems"].append(f"{facts['without_vector']} nodes have no vector")
        except MemuCodeError as error:
            facts["problems"].append(str(error))
        return facts

    def require_space(self) -> None:
        """Refuse this memory's space where it holds nothing: for somebody who named it explicitly.

        Raises:
            UnknownIdError: nothing was ever stored there.
        """
        if self.space not in self._view().spaces():
            raise UnknownIdError(f"The space {self.space!r} holds nothing in this store.")

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

    def _open_store(self) -> Store:
        with self._opening:
            if self._store is None:
                self._store = Store(self.settings.store, _mark(self._embedder))
            return self._store

    def _view(self) -> View:
        return self._open_store().as_seen_by(self.reader)


def _mark(embedder: Embedder) -> EmbedderMark:
    identity = embedder.identity
    return EmbedderMark(identity.name, identity.dimensions, identity.sha256)


def check_query(text: str) -> str:
    """The query as it is, where it can be asked.

    Raises:
        UsageError: it is empty or longer than 200 kB.
    """
    if not text.strip():
        raise UsageError("The query is empty: say in a few words what is to be done.")
    if len(text.encode("utf-8", "replace")) > QUERY_BYTES:
        raise UsageError(f"The query is longer than {QUERY_BYTES // 1000} kB: say in a few words what is to be done.")
    return text
