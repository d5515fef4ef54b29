"""Where journals and pictures lie: under the store's folder where that can be, else in the user's state directory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """The places that belong to a store: `store` is its folder or URI, `state` the user's state directory.

    What cannot lie beside the store, since it is an object store, read-only or gone, lies in a folder of the state
    directory that has a hash of the store's place for a name; there, only this machine's user finds it again.
    """

    store: str
    state: Path

    @property
    def own(self) -> Path:
        """The folder of the state directory that belongs to the store, whether the store is a folder or not."""
        return self.state / hashlib.sha256(self.store.encode("utf-8", "surrogateescape")).hexdigest()[:20]

    @property
    def journals(self) -> tuple[Path, ...]:
        """The folders that may hold journals, the best first."""
        return self._folders("journal")

    @property
    def pictures(self) -> tuple[Path, ...]:
        """The folders that may hold pictures, the best first."""
        return self._folders("pictures")

    def _folders(self, name: str) -> tuple[Path, ...]:
        mine = self.own / name
        return (mine,) if "://" in self.store else (Path(self.store) / name, mine)

    def make(self, folder: Path) -> None:
        """Make one of these folders where it is not there. The store itself is not made: it may be gone for a reason.

        Raises:
            OSError: it cannot be made.
        """
        if folder.is_relative_to(self.state):
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True)
