"""Kills runs at random moments: part of `benchmarks.journal`.

    python -m benchmarks.journal_kills STORE COUNT

Each run is a child of this process with a memory of its own, which takes in what the one before it left. The child says
over a pipe when its run begins, when its agent has finished a step, before the next one begins, and when the run has
ended. It is sent SIGKILL a few milliseconds after a random one of these words, so that journal, intake, learning and
the store's own writes are all hit. Prints JSON: by the id of each run, the number of the last step told, and whether
it ended.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import warnings
from functools import partial
from typing import Any

from smolagents import ActionStep

from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory, Run

STEPS = 6
# Seconds after a word: in the middle of a run, where it opens the store, and where it learns, writes and ends.
_SHORT, _LONG, _END = 0.01, 0.4, 6.0
_HANGS = 60.0  # seconds without a word after which a child is given up


def code_of(name: str, step: int) -> str:
    """Prints 20 kB in each step, and answers in the last one; a function of its own is there to be learnt."""
    if step < STEPS:
        return "print('.' * 20_000)"
    return (
        f"def pressure_{name}(rows):\n    return sum(float(row) for row in rows if row) + {name}\n"
        f"final_answer(pressure_{name}(['1.5', '', '2']))"
    )


def child(store: str, name: str, tell: int) -> None:
    """One run that tells of itself."""
    with CodeMemory.open(store) as memory:
        opened = memory.journal

        def journal(run: Run) -> Any:
            made = opened(run)
            os.write(tell, f"{run.id} 0\n".encode())
            known.append(run.id)
            return made

        known: list[str] = []
        memory.journal = journal  # type: ignore[method-assign]
        agent = scripted_agent(partial(code_of, name), STEPS)
        memory.attach(agent, job="kills")
        # behind the memory's own callback: the agent has finished the step, and the next one has not begun
        agent.step_callbacks.register(
            ActionStep, lambda step: os.write(tell, f"{known[-1]} {step.step_number}\n".encode())
        )
        agent.run(f"Add up the pressures of plant {name}")
        os.write(tell, f"{known[-1]} ended\n".encode())


def killed(store: str, name: str, chance: random.Random) -> list[str]:
    """What a run told before it was killed."""
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(told)
        child(store, name, tell)
        os._exit(0)
    os.close(tell)
    heard = b""
    until = chance.randint(0, STEPS + 1)
    with os.fdopen(told, "rb", buffering=0) as pipe:
        while heard.count(b"\n") < until:
            ready, _, _ = select.select([pipe], [], [], _HANGS)
            more = pipe.read(1000) if ready else b""
            if not more:
                break
            heard += more
        wait = chance.uniform(0, {0: _LONG, STEPS + 1: _END}.get(until, _SHORT))
        select.select([], [], [], wait)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        heard += pipe.readall()
    return heard.decode().splitlines()


def main() -> None:
    store, count = sys.argv[1], int(sys.argv[2])
    warnings.simplefilter("ignore", RuntimeWarning)  # of forks: no child has anything of its parent's open
    chance = random.Random(count)
    finished: dict[str, Any] = {}
    for number in range(count):
        for word in killed(store, str(number), chance):
            run, last = word.split()
            steps, ended = finished.get(run, (0, False))
            finished[run] = (steps, True) if last == "ended" else (int(last), ended)
        print(json.dumps(finished), flush=True)


if __name__ == "__main__":
    main()
