"""Proof again: a stored solution runs once more with the inputs of its run, and must come to the same answer.

Only code of spaces that are trusted is run, in a process of its own with limits of time and memory. What
executes it is a host's; here it is known by name only.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import sys
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memu_code.errors import AccessError, MemuCodeError, UsageError
from memu_code.graph import Store
from memu_code.learn.checks import Check
from memu_code.learn.isolation import NOT_STARTED, START_SECONDS, TOO_LONG, isolated
from memu_code.model import (
    REPROOF_SECONDS,
    Environment,
    Evidence,
    EvidenceKind,
    Executor,
    Extraction,
    Reader,
    Right,
    Solution,
)
from memu_code.recall.installed import installed_versions
from memu_code.redact import clean

RUNNER = "memu_code.integrations.reproof"  # the host's module that is run as the process
PATIENCE, MORE = 2.0, 5.0  # so many times its processor time may pass by the clock, and so many seconds more
MEMORY = 1_000_000_000  # bytes beyond those that the interpreter itself takes
_REMOTE_START = 900.0  # a container's image may have to be built first
_REASON = 300

# What says that the world of the code is not here: no network, no file, no sandbox, no time.
_ELSEWHERE = re.compile(
    r"Connection(?:\w*Error| refused| reset)|URLError|HTTPError|gaierror|name resolution|Connect(?:ion)?Timeout"
    r"|ReadTimeout|ProxyError|Network is unreach|TimeoutError|maximum execution time"
    r"|(?:FileNotFound|NotADirectory|IsADirectory)Error|No such file|unable to open database"
)


@dataclass(frozen=True, slots=True)
class Reproof:
    """What came of a check: `ok`, or why not; None for `ok` where nothing can be concluded, and nothing is recorded."""

    solution: str
    ok: bool | None
    reason: str
    executor: str
    seconds: float


def reprove(
    store: Store,
    reader: Reader,
    trusted: Collection[str],
    check: Check,
    *,
    executor: str = Executor.LOCAL,
    seconds: float = REPROOF_SECONDS,
    memory: int = MEMORY,
) -> Reproof:
    """What came of running a check now; the evidence for it is in the store.

    A failure is evidence against the code that ran, a success also for the function that it carries. Where the sandbox
    itself, a file or the network is not there, nothing is recorded, nor where it took too long by the clock: `seconds`
    are of processor time, and after twice as many and five more by the clock it is stopped.

    Raises:
        UsageError: there is no such executor, or the time is not positive.
        AccessError: the code is of a space that is not trusted; nothing was run.
        MemuCodeError: the executor cannot be used here.
        StoreError: it could not be written.
    """
    if executor not in set(Executor):
        raise UsageError(f"There is no executor {executor[:40]!r}: use one of {', '.join(Executor)}.")
    if not 0 < seconds <= 3600:
        raise UsageError("The time limit must be more than 0 and at most 3600 seconds.")
    require_trust(reader, trusted, [check.solution.space, check.carrier.space, check.run.space])
    started = time.monotonic()
    told, fate = _told(check, executor, seconds, memory)
    if "refused" in told:
        raise MemuCodeError(f"The executor {executor} cannot be used here: {told['refused']}")
    answer = clean(told.get("answer", "")).value
    if "answer" in told:
        ok: bool | None = _same(answer, check.run.answer)
        reason = "" if ok else f"it gave {_short(answer)}, not {_short(check.run.answer)}"
    else:
        reason = _short(clean(told.get("error", "")).value or fate or "it left without an answer")
        ok = None if _ELSEWHERE.search(reason) or fate == NOT_STARTED or fate.startswith(TOO_LONG) else False
    if ok is not None:
        store.write(clean(Extraction(evidence=tuple(_evidence(check, ok, reason, reader.actor, executor)))), {}, reader)
    return Reproof(check.solution.id, ok, reason, executor, time.monotonic() - started)


def require_trust(reader: Reader, trusted: Collection[str], spaces: Iterable[str]) -> None:
    """Refuse to run code of these spaces where one of them is not trusted.

    Raises:
        AccessError: one is not; the sentence says what would have to be done.
    """
    for space in sorted(set(spaces)):
        if not reader.may(Right.WRITE, space):
            raise AccessError(f"Code of the space {space!r} is not run: {reader.actor} may not write there.")
        if space not in trusted:
            raise AccessError(
                f"Code of the space {space!r} is not run: others may write there. "
                f"Set MEMU_CODE_TRUST={space} if you trust all of them."
            )


def _told(check: Check, executor: str, seconds: float, memory: int) -> tuple[dict[str, str], str]:
    """What the process wrote, and how it ended where that was not well."""
    job = {
        "executor": executor,
        "code": check.carrier.code,
        "inputs": check.inputs,
        "authorized": check.authorized,
        "packages": _third_party(check.carrier),
        "seconds": seconds,
        "memory": memory,
    }
    away = executor != "local"  # what drives a sandbox elsewhere needs its keys; the code itself never sees them
    ended = isolated(
        [sys.executable, "-m", RUNNER],
        json.dumps(job).encode(),
        seconds + 60.0 if away else PATIENCE * seconds + MORE,
        dict(os.environ) if away else {},
        start=_REMOTE_START if away else START_SECONDS,
    )
    try:
        told = json.loads(ended.output) if not ended.reason else {}
    except (ValueError, RecursionError):  # the code can write there too
        told = {}
    plain = told.items() if isinstance(told, dict) else ()
    return {name: text for name, text in plain if isinstance(text, str)}, ended.reason


def _evidence(check: Check, ok: bool, reason: str, actor: str, executor: str) -> Iterable[Evidence]:
    here = executor == "local"
    environment = Environment(
        executor,
        platform.python_version() if here else "",
        tuple(sorted(installed_versions(_third_party(check.carrier)).items())) if here else (),
        check.authorized,
    )
    now = time.time()
    kind = EvidenceKind.REPROVED_OK if ok else EvidenceKind.REPROVED_FAILED
    yield Evidence(check.carrier.space, check.carrier.id, kind, actor, now, "", environment, reason)
    if ok and check.solution.id != check.carrier.id:
        note = f"through {check.carrier.id}"
        yield Evidence(check.solution.space, check.solution.id, kind, actor, now, "", environment, note)


def _third_party(solution: Solution) -> list[str]:
    return [name for name in solution.imports if name not in sys.stdlib_module_names]


def _same(answer: str, expected: str) -> bool:
    """Whether two answers are the same; numbers may differ in the last digits, as they do between versions."""
    if answer == expected:
        return True
    try:
        return math.isclose(float(answer), float(expected), rel_tol=1e-9)
    except ValueError:
        return False


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _REASON else line[: _REASON - 3] + "..."
