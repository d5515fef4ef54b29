"""A scheduled agent on five consecutive nights, each in a process of its own: only the LLM is scripted.

The LLM of a night knows nothing but its prompt: it leaves out what the brief says was checked, and closes what the
brief says is open.
"""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from memu_code.memory import CodeMemory
from memu_code.model import Outcome
from tests import processes

JOB = "nightly-scan"
PROMISE = "Ask the vendor about the seal of pump 3"
SOURCES = [f"https://plant.example/pumps/{number}" for number in range(1, 11)]
NIGHT = '''
import json, os, re, signal, sys
from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model, tool
from memu_code import CodeMemory

night, folder, sources, promise = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]

@tool
def visit(url: str) -> str:
    """The page of a pump.

    Args:
        url: its address
    """
    with open(f"{folder}/visits", "a") as file:
        file.write(f"{night} {url}\\n")
    return f"{url}: tight"

class Scripted(Model):
    calls = 0

    def generate(self, messages, **kwargs):
        self.calls += 1
        prompt = "\\n".join(str(part["text"]) for part in messages[0].content)
        if self.calls == 1:
            with open(f"{folder}/prompt-{night}", "w") as file:
                file.write(prompt)
            new = [source for source in sources if not re.search(re.escape(source) + r"(?!\\d)", prompt)][:2]
            code = f"for url in {new[:1]!r}:\\n    print(visit(url))"
        elif self.calls == 2:
            if night == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            new = [source for source in sources if not re.search(re.escape(source) + r"(?!\\d)", str(messages))][:1]
            number = new[0].rpartition("/")[2]
            code = f"base = 'https://plant.example/pumps'\\nprint(visit(f'{{base}}/{number}'))"
            if night == 2:
                code += f"\\nprint(note_follow_up({promise!r}, due='2d'))"
            known = re.search(r"\\[(\\w+)\\] " + re.escape(promise), prompt)
            if night == 4 and known:
                code += f"\\nprint(note_follow_up({known[1]!r}, done=True))"
        else:
            seen = re.findall(r"pumps/(\\d+): tight", str(messages))
            code = f"final_answer({ {f'pump {number}': 'tight' for number in seen} !r})"
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: on.\\n<code>\\n{code}\\n</code>")

with CodeMemory.open(f"{folder}/store", space="~ann") as memory:
    agent = CodeAgent(tools=[visit, *memory.tools()], model=Scripted(), verbosity_level=LogLevel.OFF)
    memory.attach(agent, job="nightly-scan")
    agent.run(f"Scan the pumps in the night of 2026-12-0{night}")
'''


@dataclass(frozen=True, slots=True)
class Nights:
    """What five nights left behind: the prompt of each, how each process ended, what was visited, and the store."""

    prompts: list[str]
    ended: list[int]
    visits: list[tuple[int, str]]
    store: Path

    def brief(self, night: int) -> str:
        """The brief in the prompt of a night, from 1 on; empty where there is none."""
        return self.prompts[night - 1].partition("## Earlier runs of this job")[2]


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    """Five nights, one after the other."""
    folder = tmp_path_factory.mktemp("nights")
    script = folder / "night.py"  # in a file, where smolagents finds the source of a tool
    script.write_text(NIGHT)
    ended = []
    for night in range(1, 6):
        done = processes.run(script, str(night), str(folder), json.dumps(SOURCES), PROMISE)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        ended.append(done.returncode)
    visits = [line.split() for line in (folder / "visits").read_text().splitlines()]
    prompts = [(folder / f"prompt-{night}").read_text() for night in range(1, 6)]
    return Nights(prompts, ended, [(int(night), url) for night, url in visits], folder / "store")


def test_each_night_reads_the_brief_of_those_before_it(nights: Nights) -> None:
    """The first night has none; each later one finds what the nights before it visited, and their verdicts."""
    assert nights.ended == [0, 0, -signal.SIGKILL, 0, 0]
    assert not nights.brief(1)
    for night in range(2, 6):
        before = [url for earlier, url in nights.visits if earlier < night]
        assert before
        assert all(re.search(rf"{re.escape(url)}(?!\d)", nights.brief(night)) for url in before)
    assert "pump 1: tight" in nights.brief(2)


def test_no_source_is_checked_twice(nights: Nights) -> None:
    """Two new sources a night, and one in the night that was killed."""
    assert Counter(night for night, _ in nights.visits) == {1: 2, 2: 2, 3: 1, 4: 2, 5: 2}
    assert [url for _, url in nights.visits] == SOURCES[:9]


def test_a_promise_of_night_two_is_closed_on_night_four_and_gone_on_night_five(nights: Nights) -> None:
    """It stands in the briefs of nights 3 and 4, as open and due, and in no other."""
    assert [PROMISE in nights.brief(night) for night in range(1, 6)] == [False, False, True, True, False]
    assert "open follow-ups (1)" in nights.brief(4)
    with CodeMemory.open(nights.store, space="~ann") as memory:
        assert not memory.follow_ups(JOB)
        (kept,) = memory.follow_ups(JOB, done=True)
        runs = [past.id for past in reversed(memory.brief(JOB).runs)]
    assert (kept.text, kept.opened_in, kept.closed_in) == (PROMISE, runs[1], runs[3])


def test_the_finished_steps_of_a_killed_night_are_in_the_next_brief(nights: Nights) -> None:
    """Night 3 was killed in its second step: its first one is there, once, and the run says how it ended."""
    assert "interrupted, 1 step" in nights.brief(4)
    assert f"checked: {SOURCES[4]}" in nights.brief(4)
    with CodeMemory.open(nights.store, space="~ann") as memory:
        runs = list(reversed(memory.brief(JOB).runs))
        assert [run.outcome for run in runs] == [Outcome.ANSWERED] * 2 + [Outcome.INTERRUPTED] + [Outcome.ANSWERED] * 2
        killed = memory.run(runs[2].id)
    assert [(step.number, step.ran) for step in killed.steps] == [(1, True)]
    assert [source.what for source in killed.sources] == [SOURCES[4]]
