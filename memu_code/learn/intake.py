"""What dead processes left in their journals, taken into the store."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from memu_code.errors import StoreError
from memu_code.graph import Store
from memu_code.learn.remember import remember_run
from memu_code.model import Reader, Right
from memu_code.recall import Encoder
from memu_code.runs import Places, claimed, failed, waiting

SECONDS = 20.0  # after which no further journal is begun: the next open of the store goes on
_log = logging.getLogger("memu_code")
_waits = logging.getLogger("memu_code.intake")  # for somebody who waits meanwhile


def take_in(store: Store, reader: Reader, encoder: Encoder, places: Places, seconds: float | None = None) -> int:
    """How many runs were taken into the store, and learnt from, out of journals that no living process writes.

    Each is taken by one process only; killed on the way, it leaves the journal to the next one, and since all ids come
    from content, nothing is there twice. Runs of spaces that the reader may not write to wait for somebody who may. One
    that fails is tried three times in all; so is one that the store refuses, where it takes another one.

    Raises:
        StoreError: the store took none of them; what is left waits for a better moment.
    """
    taken, began = 0, time.monotonic()
    refused: dict[Path, StoreError] = {}
    for path in waiting(places):
        if time.monotonic() - began > (SECONDS if seconds is None else seconds):
            break
        try:
            with claimed(path, reader.spaces(Right.WRITE)) as left:
                if left is not None:
                    if not taken:
                        _waits.info("Runs of processes that are gone are being taken in first.")
                    remember_run(store, reader, encoder, left.run, replace=left.finished)
                    taken += 1
        except StoreError as error:
            refused[path] = error  # it may be a run that no store takes: the younger ones are tried all the same
        except Exception:  # a run that cannot be read must not keep anybody from the store
            _log.exception("The journal %s could not be taken in and is left where it is.", path)
    if refused and not taken:
        raise next(iter(refused.values()))
    for path, reason in refused.items():
        _log.error("The journal %s could not be taken in: %s", path, reason)
        failed(path)
    return taken
