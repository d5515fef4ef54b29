"""The process in which a stored solution runs again, in one of smolagents' own executors: `python -m` this module.

It reads a job as JSON from its standard input, says that it is ready, and writes what came of it: `answer`, as a run
would have kept it, `error`, or `refused` where there is no such sandbox. Everything that the code prints goes nowhere.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import sys
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from smolagents import LocalPythonExecutor
from smolagents.monitoring import AgentLogger, LogLevel
from smolagents.remote_executors import BlaxelExecutor, DockerExecutor, E2BExecutor, ModalExecutor

from memu_code.integrations.limits import restrict
from memu_code.integrations.shapes import ANSWER_CAP, text_of

REMOTE: Mapping[str, type[Any]] = {
    "docker": DockerExecutor,
    "e2b": E2BExecutor,
    "modal": ModalExecutor,
    "blaxel": BlaxelExecutor,
}
_ERROR_CAP = 500
_Job = Mapping[str, Any]


def main() -> None:
    """Run the job; ends the process."""
    job = json.load(sys.stdin)
    result = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    told: dict[str, str] = {}
    try:
        work = local(job) if job["executor"] == "local" else _sandbox(job, told)
        os.write(result, b"\n")  # ready: the time of the code begins
        told = {"answer": work()}
    except MemoryError:
        told = {"error": "MemoryError: it took more memory than it may have"}
    except BaseException as error:  # the code is anybody's, and may raise SystemExit
        told = told or {"error": _told(error)}
    os.write(result, json.dumps(told).encode())
    os._exit(0)  # whatever threads the code has left behind


def _sandbox(job: _Job, told: dict[str, str]) -> Callable[[], str]:
    try:
        return remote(job, REMOTE[job["executor"]])
    except Exception as error:  # no evidence about the code: there is no such sandbox here
        told["refused"] = " ".join(f"{error}".split())[:_ERROR_CAP]
        raise


def local(job: _Job) -> Callable[[], str]:
    """What runs the job in smolagents' interpreter, in this very process, which is limited from here on."""
    executor = LocalPythonExecutor(list(job["authorized"]), timeout_seconds=None)
    executor.send_tools({})
    restrict(job["seconds"], job["memory"])

    def work() -> str:
        executor(_whole(job))
        return text_of(executor.state["answer"], ANSWER_CAP)

    return work


def remote(job: _Job, executor_class: type[Any]) -> Callable[[], str]:
    """What runs the job in a sandbox, which is put away afterwards, also where it takes too long."""
    executor = executor_class(list(job["packages"]), AgentLogger(level=LogLevel.OFF))
    mark = uuid.uuid4().hex

    def work() -> str:
        signal.signal(signal.SIGALRM, _too_late)
        signal.setitimer(signal.ITIMER_REAL, job["seconds"])
        try:
            logs = executor(f"{_whole(job)}\nprint({mark!r} + repr(answer))").logs
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            executor.cleanup()
        try:
            value = ast.literal_eval(logs.rpartition(mark)[2].strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return "<no plain value>"
        return text_of(value, ANSWER_CAP)

    return work


def _whole(job: _Job) -> str:
    """The code with its inputs on top."""
    return "\n".join([*(f"{name} = {literal}" for name, literal in job["inputs"].items()), job["code"]])


def _too_late(number: int, frame: object) -> None:
    raise TimeoutError("it took too long")


def _told(error: BaseException) -> str:
    """The error behind the words that the executor puts around it."""
    text = str(error).rpartition("due to: ")[2].strip()
    told = text if text and text != str(error).strip() else f"{type(error).__name__}: {error}"
    return told[:_ERROR_CAP].rstrip(": ")


if __name__ == "__main__":
    main()
