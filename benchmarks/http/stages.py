"""The stages of a long benchmark: each is told when it begins and when it ends, and one that fails stops no other."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stages:
    """Runs stages; `failed` are those that did not come to their end, and why. Seconds count from the first of all."""

    def __init__(self) -> None:
        self.failed: dict[str, str] = {}
        self._began = time.perf_counter()

    def run(self, name: str, work: Callable[[], T]) -> T | None:
        """What the work gives, or None where it fails, which is told and noted."""
        self._say(name)
        began = time.perf_counter()
        try:
            found = work()
        except Exception as error:
            self.failed[name] = _why(error)
            self._say(f"{name}: FAILED after {time.perf_counter() - began:.0f} s, {self.failed[name]}")
            return None
        self._say(f"{name}: done in {time.perf_counter() - began:.0f} s")
        return found

    def _say(self, words: str) -> None:
        print(f"{time.perf_counter() - self._began:6.0f} s  {words}", file=sys.stderr, flush=True)


def _why(error: Exception) -> str:
    """The kind of an error and its last words; of a program that failed, the end of what it said."""
    said = str(error.stderr if isinstance(error, subprocess.CalledProcessError) and error.stderr else error)
    return f"{type(error).__name__}: {said.strip()[-300:]}"
