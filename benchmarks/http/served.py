"""The server process that `benchmarks.http_server` asks: its start, its lines, its memory over time, its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

START_SECONDS, END_SECONDS = 120.0, 60.0


class Server:
    """`memu-code serve --http` on a store; `kilobytes` are pairs of the second and the resident memory then.

    Raises:
        RuntimeError: it does not serve within START_SECONDS.
    """

    def __init__(self, store: Path, space: str, rate: float, environment: dict[str, str]) -> None:
        command = [sys.executable, "-m", "memu_code", "serve", "--http", "--port", "0", "--rate", str(rate)]
        self.process = subprocess.Popen(
            [*command, "--store", str(store), "--space", space],
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **environment},
        )
        self.lines: list[str] = []
        self.port = 0
        self.kilobytes: list[tuple[float, int]] = []
        self._told = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self._told.wait(START_SECONDS)
        if not self.port:
            self.process.kill()
            self.process.wait(END_SECONDS)
            raise RuntimeError(f"the server did not start: {' '.join(self.lines)[-300:]}")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if not self.port and (found := re.search(r":(\d+)/mcp", line)):
                self.port = int(found[1])
                self._told.set()
        self._told.set()

    def watch(self, stop: threading.Event) -> None:
        """Note the resident memory each second, at the beginning and at the end, too."""
        began = time.monotonic()
        self.kilobytes.clear()
        while True:
            with suppress(OSError):
                status = Path(f"/proc/{self.process.pid}/status").read_text()
                if resident := re.search(r"VmRSS:\s+(\d+)", status):
                    self.kilobytes.append((time.monotonic() - began, int(resident[1])))
            if stop.is_set():
                return
            stop.wait(1.0)

    def resident(self, after: float) -> tuple[float, float]:
        """Megabytes after so many seconds of the last watch, and at its end.

        Raises:
            RuntimeError: the server was gone.
        """
        if not self.kilobytes:
            raise RuntimeError("the server was gone")
        last = self.kilobytes[-1][1]
        early = next((kilobytes for at, kilobytes in self.kilobytes if at >= after), last)
        return round(early / 1024, 1), round(last / 1024, 1)

    def end(self) -> int:
        """The exit code after SIGTERM; one that does not end by that is killed, and its code is negative."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait(END_SECONDS)
        finally:
            self._reading.join(5)
