"""What every verb works with: settings, reader, embedder, and the store, opened when it is first needed."""

from __future__ import annotations

import logging
import math
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Self

from memu_code.config import Settings
from memu_code.embed import Embedder
from memu_code.errors import MemuCodeError, UnknownIdError
from memu_code.graph import EmbedderMark, Store, View
from memu_code.model import Reader, Right, Run
from memu_code.redact import also_redact
from memu_code.runs import Places, waiting

_LOOK_SECONDS = 5.0  # between two looks for journals of somebody who keeps the store open
_TAKE_SECONDS = 2.0  # of such a look: somebody waits for the answer
_log = logging.getLogger("memu_code")


class Desk:
    """One memory, as its reader has it; all threads may use it."""

    def __init__(self, settings: Settings, reader: Reader, embedder: Embedder) -> None:
        self.settings = settings
        self.reader = reader
        self._embedder = embedder
        self._store: Store | None = None
        self._lender: Desk | None = None
        self._opening = threading.Lock()
        self._looked = -math.inf  # for journals, by the monotonic clock
        also_redact(settings.redact)

    def as_reader(self, reader: Reader, space: str) -> Self:
        """The same memory as somebody else has it, who writes to `space`: with their rights, and nothing more.

        It uses this one's store and embedder, costs next to nothing, and is of no use any more when this one is closed.
        """
        other = type(self)(replace(self.settings, space=space, actor=reader.actor), reader, self._embedder)
        other._lender = self
        return other

    @property
    def places(self) -> Places:
        """Where the journals and pictures of this memory's store lie."""
        return Places(self.settings.store, Path(self.settings.state))

    @property
    def space(self) -> str:
        """The space that this memory writes to."""
        return self.settings.space

    @property
    def actor(self) -> str:
        """Who this memory's evidence is from."""
        return self.reader.actor

    def _told(self, run: Run) -> Run:
        """The run as this memory tells it: who acts is its reader, whoever the run names."""
        return run if run.actor == self.actor else replace(run, actor=self.actor)

    @property
    def off(self) -> bool:
        """Whether `MEMU_CODE_OFF` switches the memory off: `attach` then does nothing."""
        return self.settings.off

    def trusts(self, space: str) -> bool:
        """Whether code of this space may be run here, by an agent or again: see `trusted`."""
        return space in self.trusted

    @property
    def trusted(self) -> frozenset[str]:
        """The spaces whose code may be run here: private ones of one's own, and what `MEMU_CODE_TRUST` names.

        Each must be one's own to write; that alone is no trust, since others may write there as well.
        """
        return self.settings.trusted.intersection(self.reader.spaces(Right.WRITE))

    def require_space(self) -> None:
        """Refuse this memory's space where it holds nothing: for somebody who named it explicitly.

        Raises:
            UnknownIdError: nothing was ever stored there.
        """
        if self.space not in self._view().spaces():
            raise UnknownIdError(f"The space {self.space!r} holds nothing in this store.")

    def require_tables(self) -> None:
        """Refuse a store with a damaged table: what is not found there is not therefore unknown.

        Raises:
            StoreError: a table cannot be opened.
        """
        self._open_store().require_tables()

    def _open_store(self) -> Store:
        if self._lender is not None:
            return self._lender._open_store()
        with self._opening:
            if self._store is None:
                self._store = Store(self.settings.store, mark_of(self._embedder))
                self._take_in(self._store)
            return self._store

    def take_in(self) -> None:
        """Take in what waits in journals, for somebody who keeps the store open for long; every few seconds at most.

        Raises:
            StoreError: the store cannot be opened.
        """
        if self._lender is not None:
            return self._lender.take_in()
        store, now = self._open_store(), time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._take_in(store, _TAKE_SECONDS)

    def _take_in(self, store: Store, seconds: float | None = None) -> None:
        """Take in what dead processes left behind; where that fails, it waits for the next open of the store."""
        if self.off or not waiting(self.places):
            return
        from memu_code.learn.intake import take_in  # with a parser that a query does without

        try:
            take_in(store, self.reader, self._embedder, self.places, seconds)
        except MemuCodeError as error:
            _log.warning("Runs that wait in journals are not taken in: %s", error)

    def _view(self) -> View:
        return self._open_store().as_seen_by(self.reader)


def mark_of(embedder: Embedder) -> EmbedderMark:
    """What a store keeps of the embedder that fills it."""
    identity = embedder.identity
    return EmbedderMark(identity.name, identity.dimensions, identity.sha256)
