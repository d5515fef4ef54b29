"""Which process writes a journal, and whether it is still alive."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATIENCE = 6 * 3600.0  # seconds without a new line after which a process that cannot be asked is taken for dead


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told from all others: its number alone is given to another one sooner or later.

    `started` is when it began, as its system says it; `boot` is the system's own start, and `namespace` the container
    whose process numbers are meant; both are empty where a system has no such thing. `locks` says whether it could
    lock its journal.
    """

    host: str = ""
    pid: int = 0
    started: str = ""
    boot: str = ""
    namespace: str = ""
    locks: bool = False

    def alive(self, idle: float) -> bool:
        """Whether it has to be taken for alive, its journal being unlocked and without a new line for `idle` seconds.

        A process of this machine is looked up. Of another machine's, or of another container's that could not lock its
        journal, nobody here knows: it is left alone for six hours. Machines may share a name, so one that was started
        at another moment is this one only where its name says so and the journal's lock is gone with its process.
        """
        here = _here()
        if self.boot != here.boot or (not self.boot and self.host != here.host):
            return (self.host != here.host or not self.locks) and idle < PATIENCE
        if self.namespace != here.namespace:
            return not self.locks and idle < PATIENCE
        return bool(self.started) and _started(self.pid) == self.started


def myself(*, locks: bool) -> dict[str, Any]:
    """This process as the plain values of an Owner."""
    here = _here()
    return asdict(Owner(here.host, os.getpid(), _started(os.getpid()), here.boot, here.namespace, locks))


@cache
def _here() -> Owner:
    """This machine, and the container that this process is in."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:  # no Linux
        boot = namespace = ""
    return Owner(socket.gethostname(), boot=boot, namespace=namespace)


def _started(pid: int) -> str:
    """When a process began; empty where there is none, or where it is dead and its parent has not looked yet."""
    if not Path("/proc/self/stat").exists():
        return _started_by_ps(pid)
    try:
        # the name of the program, in brackets, may hold anything
        state, *rest = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return ""
    return "" if state in (b"Z", b"X") else rest[18].decode()


def _started_by_ps(pid: int) -> str:
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
