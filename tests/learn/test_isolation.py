"""Code that may do anything is survived, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memu_code.learn import supervisor
from memu_code.learn.isolation import NOT_STARTED, OUTPUT_BYTES, Ended, isolated

READY = "import os, sys, time, signal, resource\nos.write(1, b'\\n')\n"


def python(code: str, seconds: float = 20.0, given: bytes = b"", **environment: str) -> Ended:
    return isolated([sys.executable, "-c", READY + code], given, seconds, environment)


def alive(pid: int) -> bool:
    """Whether a process is there and not only waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_it_writes_comes_back() -> None:
    """Its input reaches it, its output comes whole, and what it says on stderr goes nowhere."""
    ended = python("sys.stderr.write('noise'); print(sys.stdin.read().upper())", given=b"words")
    assert ended == Ended(b"WORDS\n")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("os._exit(3)", "its process left with exit code 3"),
        ("os.abort()", "its process was killed by signal 6"),
        ("sys.exit('no')", "its process left with exit code 1"),
        ("os.write(1, b'x' * 10**6)\ntime.sleep(60)", f"it wrote more than {OUTPUT_BYTES // 1000} kB"),
    ],
)
def test_an_end_that_is_none_has_a_reason(code: str, reason: str) -> None:
    """Exit codes, signals and floods are told apart."""
    assert python(code).reason == reason


@pytest.mark.parametrize("code", ["while True: pass", "time.sleep(60)", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_what_takes_too_long_is_stopped(code: str) -> None:
    """Busy, asleep or stopped by itself; its time begins when it is ready."""
    assert python(code, 0.3).reason == "it took longer than 0.3 s"


def test_what_does_not_read_its_input_is_stopped_too() -> None:
    """More input than a pipe holds keeps nobody waiting; what reads late gets all of it."""
    large = b"x" * 3_000_000
    assert python("time.sleep(60)", 0.3, large).reason == "it took longer than 0.3 s"
    assert python("pass", given=large) == Ended(b"")
    late = "os.write(1, b'late ')\ntime.sleep(0.2)\nprint(len(sys.stdin.buffer.read()))"
    assert python(late, given=large) == Ended(b"late 3000000\n")
    ended = isolated([sys.executable, "-c", "import time; time.sleep(60)"], large, 5, {}, start=0.3)
    assert ended.reason == NOT_STARTED


def test_what_never_starts_is_no_verdict() -> None:
    """A command that does not say that it is ready had no time of its own."""
    ended = isolated([sys.executable, "-c", "import time; time.sleep(60)"], b"", 5, {}, start=0.3)
    assert ended.reason == NOT_STARTED


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
@pytest.mark.parametrize(
    "ending",
    ["", "os._exit(1)", "time.sleep(60)", "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"],
)
def test_no_process_is_left_behind(tmp_path: Path, ending: str) -> None:
    """Children in its group, orphans, and those in sessions of their own die with it; after a kill of its supervisor
    those of the session."""
    pids = tmp_path / "pids"
    away = "" if "getppid" in ending else "os.setsid()"
    code = f"""
for number in range(3):
    if os.fork() == 0:
        if number == 1:
            {away or "pass"}
        if number == 2 and os.fork():
            os._exit(0)
        with open({str(pids)!r}, 'a') as file:
            file.write(f'{{os.getpid()}}\\n')
        time.sleep(60)
while len(open({str(pids)!r}).read().split()) < 3:
    time.sleep(0.01)
{ending}
"""
    pids.touch()
    python(code, 3.0)
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) == 3
    end = time.monotonic() + 5
    while any(map(alive, started)) and time.monotonic() < end:
        time.sleep(0.02)  # a killed process takes a moment to be gone
    assert not any(map(alive, started))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_it_dies_with_whoever_started_it(tmp_path: Path) -> None:
    """A process of ours that is killed takes the code that it was running with it."""
    told = tmp_path / "pid"
    code = f"open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; from memu_code.learn.isolation import isolated\n"
            f"isolated([sys.executable, '-c', {READY + code!r}], b'', 60, {{}})",
        ]
    )
    end = time.monotonic() + 30
    while not (told.exists() and told.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    worker = int(told.read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    end = time.monotonic() + 10
    while alive(worker) and time.monotonic() < end:
        time.sleep(0.02)
    assert not alive(worker)


def test_limits_hold() -> None:
    """Memory beyond what the process has, a huge file, and a core are refused by the system."""
    code = """
sys.path.insert(0, os.environ['ROOT'])
from memu_code.integrations.limits import restrict
restrict(5, 50_000_000)
told = []
try:
    bytearray(10**9)
except MemoryError:
    told.append('memory')
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open('big', 'wb') as file:
        file.write(bytes(20_000_000))
except OSError:
    told.append('file')
told.append(resource.getrlimit(resource.RLIMIT_CORE)[0])
print(told)
"""
    ended = python(code, ROOT=str(Path(supervisor.__file__).parents[2]))
    assert ended.output.decode() == ("['memory', 'file', 0]\n" if sys.platform == "linux" else "['file', 0]\n")


def test_nothing_of_the_callers_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither keys in variables nor the home or the folder; what is given is there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ended = python(
        "print(sorted(os.environ), os.environ['GIVEN'], os.listdir(os.environ['HOME']), os.getcwd())", GIVEN="1"
    )
    told = ended.output.decode()
    assert "OPENAI_API_KEY" not in told
    assert " 1 [] " in told
    assert os.getcwd() not in told.split(" ")[-1]
