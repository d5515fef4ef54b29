"""A process ends as its program says, whatever threads of the background are doing just then."""

from __future__ import annotations

import subprocess
import sys

import pytest

EMBEDDING = """
import sys, threading, time
from memu_code.embed import open_embedder
embedder = open_embedder()
embedder.encode(["warm"])
def work():
    while True:
        embedder.encode(["parse the stamps of a plant logger of week " * 3])
        embedder.count("the words of a prompt")
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
"""
CALLING = """
import os, sys, threading, time
from memu_code import ending
inside = threading.Event()
def work():
    with ending.under_way():
        with ending.under_way():
            inside.set()
            time.sleep({seconds})
        print("came back", flush=True)
    try:
        with ending.under_way():
            print("begun", flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
    time.sleep(60)
threading.Thread(target=work, daemon=True).start()
inside.wait()
{rest}
"""


def ended(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)


@pytest.mark.parametrize(("how", "code"), [("", 0), ("sys.exit(3)", 3), ("raise ValueError('the program failed')", 1)])
def test_an_embedding_in_the_background_does_not_abort_the_process(how: str, code: int) -> None:
    """At the end of the program, by `sys.exit`, and where an exception leaves it: the exit code is the program's."""
    done = ended(f"{EMBEDDING}\n{how}")
    assert done.returncode == code, done.stderr
    assert "terminate called" not in done.stderr


def test_what_is_under_way_is_waited_for_and_nothing_more_begun() -> None:
    """The call comes back before the interpreter is taken down; the next one of a daemon thread is refused."""
    done = ended(CALLING.format(seconds=0.3, rest=""))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == "came back"
    assert "begun" not in done.stdout


def test_what_hangs_keeps_no_process_for_ever() -> None:
    """After a few seconds it is left behind, as a process that is killed would leave it."""
    done = ended(CALLING.format(seconds=600, rest="ending.SECONDS = 0.2"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_a_forked_child_waits_for_no_call_of_its_parent() -> None:
    """It has none of the parent's threads."""
    rest = (
        "ending.SECONDS = 600\n"
        "child = os.fork()\n"
        "if child == 0:\n    sys.exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
        "os._exit(0)"
    )
    done = ended(CALLING.format(seconds=600, rest=rest))
    assert done.stdout == "7\n", done.stderr


def test_the_main_thread_may_go_on_while_the_process_ends() -> None:
    """What it does in its own handlers, such as closing a memory, is not in the background."""
    rest = (
        "import atexit\n"
        "def last():\n"
        "    ending._end()\n"
        "    with ending.under_way():\n        print('closed', flush=True)\n"
        "atexit.register(last)"
    )
    done = ended(CALLING.format(seconds=0.1, rest=rest))
    assert done.returncode == 0, done.stderr
    assert "closed" in done.stdout
