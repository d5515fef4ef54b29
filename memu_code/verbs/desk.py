"""What every verb works with: settings, reader, embedder, and the store, opened when it is first needed."""

from __future__ import annotations

import threading

from memu_code.config import Settings
from memu_code.embed import Embedder
from memu_code.errors import UnknownIdError
from memu_code.graph import EmbedderMark, Store, View
from memu_code.model import Reader, Right


class Desk:
    """One memory, as its reader has it; all threads may use it."""

    def __init__(self, settings: Settings, reader: Reader, embedder: Embedder) -> None:
        self.settings = settings
        self.reader = reader
        self._embedder = embedder
        self._store: Store | None = None
        self._opening = threading.Lock()

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

    def require_space(self) -> None:
        """Refuse this memory's space where it holds nothing: for somebody who named it explicitly.

        Raises:
            UnknownIdError: nothing was ever stored there.
        """
        if self.space not in self._view().spaces():
            raise UnknownIdError(f"The space {self.space!r} holds nothing in this store.")

    def _open_store(self) -> Store:
        with self._opening:
            if self._store is None:
                self._store = Store(self.settings.store, mark_of(self._embedder))
            return self._store

    def _view(self) -> View:
        return self._open_store().as_seen_by(self.reader)


def mark_of(embedder: Embedder) -> EmbedderMark:
    """What a store keeps of the embedder that fills it."""
    identity = embedder.identity
    return EmbedderMark(identity.name, identity.dimensions, identity.sha256)
