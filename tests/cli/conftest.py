"""A store in which one run and one small repository were learnt, and the command line to ask it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memu_code import CodeMemory, Environment, Run, Step, StepError
from memu_code.cli import app

SPACE = "~tester"
TASK = "Parse the stamps of the plant loggers, written as ISO year, week and weekday, and give the minutes between"
ERROR = "ValueError: time data '2026-W07-3 14:05' does not match format '%Y-%m-%d %H:%M'"
CODE = '''\
from datetime import datetime

def minutes_between(stamps):
    """Minutes between the first and the last logger stamp."""
    if not stamps:
        return 0
    moments = [datetime.strptime(stamp, "{format}") for stamp in stamps]
    return int((max(moments) - min(moments)).total_seconds() // 60)

answer = minutes_between(["2026-W07-3 14:05", "2026-W07-3 15:05"])
final_answer(answer)
'''
FAILING = CODE.format(format="%Y-%m-%d %H:%M")
MENDED = CODE.format(format="%G-W%V-%u %H:%M")
RUN = Run(
    id="run_0123456789abcdef0123",
    space=SPACE,
    task=TASK,
    job="nightly",
    actor="tester",
    answer="60",
    started_at=1_790_000_000.0,
    ended_at=1_790_000_004.0,
    environment=Environment(sandbox="local", python="3.11.7", authorized_imports=("datetime",)),
    steps=(
        Step(
            1,
            FAILING,
            "I parse them.",
            error=StepError("AgentExecutionError", f"Code execution failed at line 'x' due to: {ERROR}", "ValueError"),
            at=1_790_000_001.0,
        ),
        Step(
            2,
            MENDED,
            "They are ISO weeks \x1b[31mnow.",
            "Execution logs:\nLast output from code snippet:\n60",
            ran=True,
            final=True,
            at=1_790_000_003.0,
        ),
    ),
)
MODULE = '''\
"""Colours."""


def blend(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    """Blend two colours linearly in RGB space by a share between zero and one."""
    if not 0 <= share <= 1:
        raise ValueError("share")
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
'''

Ask = Callable[..., Result]


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that has learnt from a run with an error in it; only to be read."""
    store = tmp_path_factory.mktemp("taught") / "store"
    with CodeMemory.open(store, space=SPACE) as memory:
        memory.remember(RUN)
    return store


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with one good file, and one that does not parse."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "colours.py").write_text(MODULE)
    (folder / "broken.py").write_text("def half(:\n")
    return folder


@pytest.fixture
def ask() -> Ask:
    """Call a command in this process; what it raises unforeseen goes on to the test."""
    runner = CliRunner()

    def run(*arguments: object, stdin: bytes | str | None = None) -> Result:
        return runner.invoke(app, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)

    return run


def process(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Call the command line as a process of its own, in a pipe."""
    command = [sys.executable, "-m", "memu_code", *map(str, arguments)]
    environment = {**os.environ, **options.pop("environment", {})}  # type: ignore[dict-item]
    return subprocess.run(command, capture_output=True, timeout=120, env=environment, **options)  # type: ignore[call-overload]
