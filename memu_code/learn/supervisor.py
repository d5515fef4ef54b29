"""A process between us and code that nobody trusts: `python -I supervisor.py COMMAND ...`, standard library only.

It starts the command in a process group of its own, waits for it, and ends with the command's exit code (128 + signal
where a signal ended it). Whatever the command has started, in whichever session, is killed then, and when this process
is told to stop or its own parent dies: on Linux orphans fall to it (`PR_SET_CHILD_SUBREAPER`), so none gets lost.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)
SWEEP_SECONDS = 5.0  # for which what is left is killed again and again; a process that cannot be killed stays longer


def main(command: list[str]) -> int:
    """The exit code of the command, once nothing that it started is left."""
    _prctl(_SET_CHILD_SUBREAPER, 1)
    _prctl(_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, _stop)
    worker = os.fork()
    if not worker:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        try:
            os.execv(command[0], command)
        finally:
            os._exit(127)
    status = 0
    try:
        while True:
            pid, found = os.waitpid(-1, 0)
            if pid == worker:
                status = found
                break
    except (_Stopped, ChildProcessError):
        status = signal.SIGKILL
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _sweep(worker)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def kill_session(session: int) -> None:
    """Kill every process of a session: for a supervisor that was killed itself."""
    for pid, fields in _processes():
        if fields[3] == str(session) and pid != os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


class _Stopped(Exception):
    """Somebody told this process to stop."""


def _stop(number: int, frame: object) -> None:
    raise _Stopped


def _sweep(group: int) -> None:
    """Kill the command's process group and all descendants until none is left."""
    end = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _descendants() -> list[int]:
    parents = {pid: int(fields[1]) for pid, fields in _processes()}
    found: list[int] = []
    frontier = {os.getpid()}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier}
        found += frontier
    return found


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Each process with the fields of its `stat` from its state on: state, parent, group, session (proc(5)).

    None where there is no /proc: then only the process group is killed.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield int(folder.name), (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
