"""A command that may do anything, run so that we live on: in a time, with little to write, and gone when it is over."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memu_code.learn import supervisor

START_SECONDS = 120.0  # to be ready: importing takes 1 s alone, and much longer on a machine that is busy
OUTPUT_BYTES = 100_000
NOT_STARTED = "its process did not start in time"
TOO_MUCH = "it took more processor time"
TOO_LONG = "it took longer than"  # by the clock, whoever else kept the machine busy
READY = b"\n"  # what the command writes once its own start is over; then its time begins
_STOP_SECONDS = 10.0
_PIPE_BYTES = 65_536  # handed over at once


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command wrote after it was ready, and why that is not all; an empty reason where it ended well."""

    output: bytes
    reason: str = ""


def isolated(
    command: Sequence[str], given: bytes, seconds: float, environment: Mapping[str, str], start: float = START_SECONDS
) -> Ended:
    """How a command ended that gets `given` on its standard input: it has `start` seconds to say that it is ready, and
    then so many seconds to end.

    It runs in an empty folder, with these variables and no others but for what finds Python's modules. Its errors go
    nowhere. When this returns, or raises, no process is left of it (on macOS: of its process group).
    """
    with tempfile.TemporaryDirectory(prefix="memu-code-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-I", str(Path(supervisor.__file__)), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**_home(folder), **environment, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            start_new_session=True,
        )
        try:
            return _watched(process, given, seconds, start)
        finally:
            _stop(process)


def _home(folder: str) -> dict[str, str]:
    """Nothing of the caller's: neither keys in variables nor a home with settings in it."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
    return {**kept, "HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


def _watched(process: subprocess.Popen[bytes], given: bytes, seconds: float, start: float) -> Ended:
    assert process.stdin
    assert process.stdout
    os.set_blocking(process.stdin.fileno(), False)
    unsent, output, ready = memoryview(given), bytearray(), False
    end = time.monotonic() + start
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        waiting.register(process.stdin, selectors.EVENT_WRITE)
        while True:
            left = end - time.monotonic()
            able = {key.fileobj for key, _ in waiting.select(left)} if left > 0 else set()
            if process.stdin in able:  # the process may never read it
                unsent = _handed(process.stdin, unsent)
                if not unsent:
                    waiting.unregister(process.stdin)
                    process.stdin.close()
            if not able:
                return Ended(bytes(output), f"{TOO_LONG} {seconds:g} s" if ready else NOT_STARTED)
            if process.stdout not in able:
                continue
            part = os.read(process.stdout.fileno(), 65_536)
            if not part:
                break
            if not ready:
                ready, part = True, part.removeprefix(READY)
                end = time.monotonic() + seconds
            output += part
            if len(output) > OUTPUT_BYTES:
                return Ended(b"", f"it wrote more than {OUTPUT_BYTES // 1000} kB")
    return Ended(bytes(output), _fate(process.wait()))


def _handed(pipe: IO[bytes], unsent: memoryview) -> memoryview:
    """What is left to be sent after the pipe took what it can; nothing where nobody reads it any more."""
    try:
        return unsent[os.write(pipe.fileno(), unsent[:_PIPE_BYTES]) :]
    except BlockingIOError:
        return unsent
    except BrokenPipeError:
        return unsent[:0]


def _fate(code: int) -> str:
    """Why a process ended that ended with this code; 128 and more stand for signals."""
    if code == 128 + signal.SIGXCPU:
        return f"{TOO_MUCH} than it may have"
    if code > 128:
        return f"its process was killed by signal {code - 128}"
    return f"its process left with exit code {code}" if code else ""


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the supervisor, which ends all else; where that was killed itself, end its whole session."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    supervisor.kill_session(process.pid)
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
