"""Processes of their own that begin quickly: each is forked from one that has imported libraries and nothing else.

What a new interpreter spends most of its first seconds on, other people's modules, is there already; nothing of the
package is, nor of the test that starts it. The process they are forked from has no threads, so that forking is safe.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["lance_namespace", "libcst", "networkx", "smolagents"])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended, as `subprocess.run` tells it, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


class Forked:
    """A process that runs a Python script, in a file or as text, with pipes for its three streams."""

    stdin: IO[str]
    stdout: IO[str]
    stderr: IO[str]

    def __init__(self, script: str | Path, *arguments: str) -> None:
        pipes = [_SERVER.Pipe(duplex=False) for _ in range(3)]
        (given, self_in), (self_out, out), (self_err, err) = pipes
        task = (str(script), arguments, dict(os.environ), (given, out, err))
        self._process = _SERVER.Process(target=_run, args=task)
        self._process.start()
        for end in (given, out, err):
            end.close()
        self.stdin = _opened(self_in, "w")
        self.stdout, self.stderr = _opened(self_out, "r"), _opened(self_err, "r")

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def say(self, line: str) -> None:
        """Write a line to its standard input."""
        self.stdin.write(f"{line}\n")
        self.stdin.flush()

    def end(self, seconds: float = 120.0) -> Ended:
        """Close its input and wait for its end; what it has written is small enough for a pipe, or is read before.

        Raises:
            AssertionError: it does not end in time; then it is killed.
        """
        self.stdin.close()
        self._process.join(seconds)
        late = self._process.is_alive()
        if late:
            self._process.kill()
            self._process.join()
        written = self.stdout.read(), self.stderr.read()
        assert not late, written
        assert self._process.exitcode is not None
        for stream in (self.stdout, self.stderr):
            stream.close()
        return Ended(self._process.exitcode, *written)


def run(script: str | Path, *arguments: str) -> Ended:
    """Run a script to its end, with the variables of this process."""
    return Forked(script, *arguments).end()


def work_at_once(script: str, arguments: Iterable[tuple[str, ...]]) -> None:
    """Run a script in a process for each of the arguments; all go on together, and each has to end well.

    The script prints a line once it has imported what it needs, and then waits for one on its standard input.
    """
    workers = [Forked(script, *given) for given in arguments]
    for worker in workers:
        worker.stdout.readline()
    for worker in workers:
        worker.say("go")
    for worker in workers:
        ended = worker.end()
        assert ended.returncode == 0, ended.stderr


def _opened(end: Connection, mode: str) -> IO[str]:
    descriptor = os.dup(end.fileno())
    end.close()
    return os.fdopen(descriptor, mode)


def _run(
    script: str, arguments: tuple[str, ...], environment: Mapping[str, str], pipes: tuple[Connection, ...]
) -> None:
    """The life of the process, as an interpreter would lead it."""
    for number, pipe in enumerate(pipes):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    in_file = script.endswith(".py")
    sys.argv = [script if in_file else "-c", *arguments]
    code = Path(script).read_text() if in_file else script
    main = type(sys)("__main__")
    main.__dict__["__file__"] = sys.argv[0]
    sys.modules["__main__"] = main
    try:
        exec(compile(code, sys.argv[0], "exec"), main.__dict__)
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
