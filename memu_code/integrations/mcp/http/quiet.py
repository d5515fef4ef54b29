"""What is logged beside the lines of calls: no client's words, and no stored ones."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

_LIBRARIES = ("uvicorn", "uvicorn.error", "mcp", "asyncio")
_OURS = ("memu_code", "memu_code.mcp")


def quieten() -> None:
    """Silence what writes of clients' requests, and let our own faults be told by kind and place."""
    for name in _LIBRARIES:
        log = logging.getLogger(name)
        log.handlers, log.propagate = [logging.NullHandler()], False
    for name in _OURS:
        logging.getLogger(name).addFilter(without_words)


def without_words(record: logging.LogRecord) -> bool:
    """True; of the exception of a record only its class and place are left: its text may hold anything."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        record.msg, record.args = f"{record.getMessage()} ({type(error).__name__}{place})", ()
        record.exc_info = record.exc_text = None
    return True
