"""What tests say of code: each pair is run in a process of its own, with little time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

SECONDS = 2
WORKERS = 2
PASSED, WRONG, BROKEN = "passed", "wrong", "broken"

# Reads lines of [code, test], writes a verdict for each. A child that is killed by the clock has given no answer.
_WORKER = """
import json, os, resource, signal, sys
sys.setrecursionlimit(3000)
for line in sys.stdin:
    code, test = json.loads(line)
    child = os.fork()
    if not child:
        status = 2
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            signal.alarm(SECONDS)
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            exec(compile(code + "\\n" + test, "task", "exec"), {"__name__": "task"})
            status = 0
        except AssertionError:
            status = 1
        except BaseException:
            status = 2
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(ended)
    print({0: "passed", 1: "wrong"}.get(code, "broken"), flush=True)
""".replace("SECONDS", str(SECONDS))


def verdicts(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """For each (code, test): `PASSED`, `WRONG` where an assertion failed, `BROKEN` for any other end."""
    shares = [pairs[start::WORKERS] for start in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = list(pool.map(_share, shares))
    return [answers[at % WORKERS][at // WORKERS] for at in range(len(pairs))]


def _share(pairs: Sequence[tuple[str, str]]) -> list[str]:
    if not pairs:
        return []
    lines = "".join(f"{json.dumps(pair)}\n" for pair in pairs)
    command = [sys.executable, "-I", "-c", _WORKER]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    found = done.stdout.split()
    if len(found) != len(pairs):
        raise RuntimeError(f"{len(pairs)} programs gave {len(found)} verdicts: {done.stderr[-300:]}")
    return found
