"""Code run in processes that nothing else has touched: a bare interpreter that forks once for each text.

python -I benchmarks/extracting/fresh.py     (a line of JSON in for each job, a line of JSON out)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 10  # for one job; the slowest tests of the public sets take about two
CAP = 20_000  # characters of an answer


@dataclass(frozen=True, slots=True)
class Job:
    """`code` binds `answer`; `test` raises where the code is wrong."""

    code: str
    test: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The `repr` of the answer, and what went wrong: `answer: NameError: ...`, `test: AssertionError: ...`, or none."""

    answer: str
    fault: str


def run_all(jobs: Sequence[Job], *, spawn: bool = False) -> list[Verdict]:
    """A verdict for each job, each from a process of its own; with `spawn` each has its own interpreter too."""
    batches = [[job] for job in jobs] if spawn else [list(jobs)]
    return [verdict for batch in batches if batch for verdict in _batch(batch)]


def _batch(jobs: Sequence[Job]) -> list[Verdict]:
    lines = "".join(json.dumps([job.code, job.test]) + "\n" for job in jobs)
    done = subprocess.run(
        [sys.executable, "-I", str(Path(__file__).resolve())],
        input=lines,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=True,
    )
    return [Verdict(*json.loads(line)) for line in done.stdout.splitlines()]


def _child(code: str, test: str, pipe: int) -> None:
    space: dict[str, object] = {"__name__": "__main__"}
    answer = ""
    stage = "answer"
    try:
        exec(compile(code, "<solution>", "exec", dont_inherit=True), space)
        answer = repr(space.get("answer"))[:CAP]
        stage = "test"
        exec(compile(test, "<test>", "exec", dont_inherit=True), space)
        fault = ""
    except BaseException as error:  # whatever the code raises is its verdict
        fault = f"{stage}: {type(error).__name__}: {error}"[:300]
    os.write(pipe, json.dumps([answer, fault]).encode())


def _forked(code: str, test: str) -> str:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            _child(code, test, write)
        finally:
            os._exit(0)
    os.close(write)
    told = _read(read, time.monotonic() + SECONDS)
    os.close(read)
    if told is None:
        os.kill(child, 9)
    os.waitpid(child, 0)
    return told or json.dumps(["", "time: no end" if told is None else "died"])


def _read(pipe: int, until: float) -> str | None:
    """What the child wrote; None where it took too long."""
    import select

    found = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            part = os.read(pipe, 65_536)
            if not part:
                return found.decode()
            found += part
    return None


if __name__ == "__main__":
    for job in sys.stdin:
        print(_forked(*json.loads(job)), flush=True)
