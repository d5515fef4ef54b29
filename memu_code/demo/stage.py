"""Two nights in two processes on one store."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memu_code.demo.results import Comparison, TaskResult
from memu_code.errors import MemuCodeError

_log = logging.getLogger("memu_code")

Told = Callable[[int, TaskResult], None]

_LOOK_AGAIN = 0.1  # seconds between two looks at what the child has written
_LAST_LINES = 5  # of what a crashed child wrote on stderr


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the two nights take place: the store, and, where they are not the default, space, embedder and LLM."""

    store: str
    space: str | None = None
    embedder: str | None = None
    llm: str | None = None
    model: str | None = None


def compare_nights(stage: Stage, told: Told) -> Comparison:
    """Both nights, one after the other, each in a fresh process; `told` gets each night and result as it comes.

    Raises:
        MemuCodeError: a night was refused, or its process broke down.
    """
    first = tuple(_tell(night_results(stage, 1), 1, told))
    second = tuple(_tell(night_results(stage, 2), 2, told))
    return Comparison(first, second)


def night_results(stage: Stage, night: int) -> Iterator[TaskResult]:
    """The results of one night from a process of its own, each as soon as it is there.

    What the memory logs over there is logged here, as an error: in a demo nothing should go wrong.

    Raises:
        MemuCodeError: the night was refused, or its process broke down.
    """
    with tempfile.TemporaryDirectory(prefix="memu-code-night-") as folder:
        lines, complaints = Path(folder) / "results", Path(folder) / "stderr"
        lines.touch()
        with complaints.open("wb") as stderr, lines.open(encoding="utf-8") as file:
            child = subprocess.Popen(
                _command(stage, night, lines),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
            try:
                for line in _lines(child, file.readline):
                    found = json.loads(line)
                    if "refused" in found:
                        raise MemuCodeError(found["refused"])
                    if "logged" in found:
                        _log.error("night %d: %s", night, found["logged"])
                    else:
                        yield TaskResult(**found["result"])
                if child.wait():
                    raise MemuCodeError(_breakdown(night, child.returncode, complaints))
            finally:
                if child.poll() is None:
                    child.terminate()
                    child.wait()


def _command(stage: Stage, night: int, result: Path) -> list[str]:
    # -P: a file of the user's in the current folder must not stand in for a module of the library
    command = [sys.executable, "-P", "-m", "memu_code.demo", "--night", str(night), "--result", str(result)]
    for name in ("store", "space", "embedder", "llm", "model"):
        value = getattr(stage, name)
        if value is not None:
            command.append(f"--{name}={value}")
    return command


def _lines(child: subprocess.Popen[bytes], read: Callable[[], str]) -> Iterator[str]:
    """Each whole line that the child writes, until it has ended and all is read."""
    line = ""
    while True:
        ended = child.poll() is not None  # asked before reading: what was written till then is there to be read
        line += read()
        if line.endswith("\n"):
            yield line
            line = ""
        elif ended:
            return
        else:
            time.sleep(_LOOK_AGAIN)


def _tell(results: Iterator[TaskResult], night: int, told: Told) -> Iterator[TaskResult]:
    for result in results:
        told(night, result)
        yield result


def _breakdown(night: int, code: int, complaints: Path) -> str:
    lines = complaints.read_text("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
    said = " / ".join(line.strip() for line in lines) or "it said nothing"
    return f"The process of night {night} ended with {code}: {said}"
