"""What is noted of one request while it is answered, and the lines of JSON that tell of it without its contents."""

from __future__ import annotations

import json
import queue
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TextIO

from starlette.types import Scope

_KEY = "memu_code.call"
_WAITING = 10_000  # lines; where nobody takes them, the newest are counted only
_CLOSING_SECONDS = 2.0


@dataclass(slots=True)
class Call:
    """One request: who asked for what, and what came of it. Names are the server's own, never a client's words."""

    address: str
    path: str
    token: str = ""
    tool: str = ""
    outcome: str = ""
    status: int = 0
    received: int = 0  # bytes of the body
    sent: int = 0
    fault: str = ""
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def line(self) -> str:
        """One line of JSON; empty fields are left out."""
        facts: dict[str, Any] = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "from": self.address,
            "path": self.path,
            "token": self.token,
            "tool": self.tool,
            "outcome": self.outcome,
            "status": self.status,
            "ms": round(self.seconds * 1_000, 1),
            "bytes_in": self.received,
            "bytes_out": self.sent,
            "fault": self.fault,
        }
        return json.dumps({name: fact for name, fact in facts.items() if fact not in ("", None)})


def note_on(scope: Scope, call: Call) -> None:
    """Put the note of a request where all that answer it find it."""
    scope.setdefault("state", {})[_KEY] = call


def call_of(scope: Scope) -> Call:
    """The note of this request."""
    call: Call = scope["state"][_KEY]
    return call


class CallLog:
    """Writes lines on a thread of its own, so that whoever reads them slowly, or not at all, never holds up a call."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self.lost = 0
        self._thread = threading.Thread(target=self._write, name="call-log", daemon=True)
        self._thread.start()

    def add(self, line: str) -> None:
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self.lost += 1

    def close(self) -> None:
        """Write what waits, as far as that goes quickly."""
        with suppress(queue.Full):
            self._lines.put(None, timeout=_CLOSING_SECONDS)
        self._thread.join(_CLOSING_SECONDS)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            with suppress(OSError, ValueError):  # there is nowhere else to say it
                self._stream.write(line + "\n")
                self._stream.flush()
