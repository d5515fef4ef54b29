"""Runs an agent in one child process after the other and kills each at a random moment of its run.

    python killed_runs.py STORE STATE SPACE COUNT

Prints a line of JSON: for each run that began, by its id, the number of the last step that its agent had finished.
A child keeps its run in a journal and nothing else, as it would in a process whose store comes after the run.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
from pathlib import Path
from typing import Any

from smolagents import ActionStep, ChatMessage, CodeAgent, LogLevel, MessageRole, Model

from memu_code.integrations.smolagents import attach
from memu_code.learn.journaling import RunJournal
from memu_code.model import Extraction, Found, Run
from memu_code.runs import Places

MOST = 6  # steps that a run has finished when the moment of its end begins to be random
LONGEST = 0.02  # seconds of that


class Scripted(Model):  # type: ignore[misc]  # smolagents ships no types
    """Prints 20 kB in each step, for ever."""

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        content = "Thought: on.\n<code>\nprint('.' * 20_000)\n</code>"
        return ChatMessage(role=MessageRole.ASSISTANT, content=content)


class OnlyJournals:
    """A memory that knows nothing and keeps journals."""

    actor, off, holdout = "ann", False, 0.0

    def __init__(self, places: Places, space: str) -> None:
        self.places, self.space = places, space

    def recall(self, *_: Any, **__: Any) -> Found:
        return Found()

    def journal(self, run: Run) -> RunJournal:
        os.write(self.tell, f"{run.id} 0\n".encode())
        self.run_id = run.id
        return RunJournal(self.places, run)

    def brief(self, *_: Any, **__: Any) -> None:
        return None

    def remember(self, run: Run) -> Extraction:
        return Extraction()

    tell = 1
    run_id = ""


def child(memory: OnlyJournals, tell: int) -> None:
    memory.tell = tell
    agent = CodeAgent(tools=[], model=Scripted(), verbosity_level=LogLevel.OFF, max_steps=100_000)
    attach(memory, agent)  # type: ignore[arg-type]
    agent.step_callbacks.register(
        ActionStep, lambda step: os.write(tell, f"{memory.run_id} {step.step_number}\n".encode())
    )
    agent.run("print")


def main() -> None:
    store, state, space, count = sys.argv[1:]
    chance = random.Random(int(count))
    memory = OnlyJournals(Places(store, Path(state)), space)
    finished: dict[str, int] = {}
    for _ in range(int(count)):
        told, tell = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(told)
            child(memory, tell)
            os._exit(0)
        os.close(tell)
        with os.fdopen(told, "rb", buffering=0) as pipe:
            heard = b""
            until = chance.randint(0, MOST)
            while heard.count(b"\n") <= until and (more := pipe.read(100)):
                heard += more
            select.select([], [], [], chance.uniform(0, LONGEST))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            heard += pipe.readall()
        for line in heard.decode().splitlines():
            name, number = line.split()
            finished[name] = int(number)
    sys.stdout.write(json.dumps(finished))


if __name__ == "__main__":
    main()
