"""What one process learnt the next one uses, and no state of the store changes what an agent gives or raises."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memu_code.memory import CodeMemory
from memu_code.model import Run, Step
from tests import processes

NIGHT = '''
import json, sys
from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model
from memu_code import CodeMemory

class Scripted(Model):
    """Calls the function where the prompt says that it is defined; else it writes it, fails first, and mends it."""

    def generate(self, messages, **kwargs):
        text = "\\n".join(str(message.content) for message in messages)
        known = "parse_stamp(" in str(messages[0].content)
        self.saw_memory = known
        form = "%G-W%V-%u" if "does not match format" in text else "%Y-%m-%d"
        code = "final_answer(str(parse_stamp(stamp).date()))"
        if not known:
            code = (
                "import datetime\\ndef parse_stamp(text):\\n"
                "    \\"\\"\\"Parse a plant logger stamp.\\"\\"\\"\\n"
                f"    return datetime.datetime.strptime(text, '{form}')\\n" + code
            )
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: go\\n<code>\\n{code}\\n</code>")

folder, task, stamp = sys.argv[1:]
for way in ("attach", "callback"):
    memory = CodeMemory.open(f"{folder}/{way}")
    model = Scripted()
    if way == "callback":
        agent = CodeAgent(tools=[], model=model, step_callbacks=[memory.callback], verbosity_level=LogLevel.OFF)
    else:
        agent = CodeAgent(tools=[], model=model, verbosity_level=LogLevel.OFF)
        memory.attach(agent)
    answer = agent.run(task, additional_args={"stamp": stamp})
    steps = len([step for step in agent.memory.steps if hasattr(step, "code_action")])
    print(json.dumps({"answer": answer, "steps": steps, "saw_memory": model.saw_memory}))
'''


def night(folder: Path, task: str, stamp: str) -> list[dict[str, Any]]:
    """What the agents of one process say: one with the memory attached, one with its callback, each with a store."""
    done = processes.run(NIGHT, str(folder), task, stamp)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_process_a_learnt_process_b_uses_in_its_first_run(tmp_path: Path) -> None:
    """Night 1 fails once and mends its code; night 2, another process, calls the function in its only step."""
    first = night(tmp_path, "Turn the plant logger stamp into a date", "2026-W07-3")
    assert first == [{"answer": "2026-02-11", "steps": 2, "saw_memory": False}] * 2
    second = night(tmp_path, "Which date is this plant logger stamp?", "2026-W09-1")
    assert second == [{"answer": "2026-02-23", "steps": 1, "saw_memory": True}] * 2


def test_stored_text_comes_back_unharmed_in_the_prompt(tmp_path: Path, code_agent: Any) -> None:
    """Braces, Jinja tags, code fences and `<code>` tags in learnt code stand in the next prompt as they were."""
    odd = '\'{{ user.name }} {% raw %} {# c #} ``` </code> {"a": {"b": 1}}\''
    code = f"def greeting(name):\n    text = {odd}\n    return text + name\nfinal_answer(greeting('x'))"
    task = "Write the odd greeting line for a template"
    step = Step(1, code, ran=True, final=True)
    with CodeMemory.open(tmp_path / "store") as memory:
        memory.remember(Run("run_1", memory.space, task, steps=(step,), ended_at=1.0))
        agent = memory.attach(code_agent("final_answer(7)"), offer="text")
        assert agent.run(f"{task}, please") == 7
        assert odd in agent.model.systems[0]


def _garbage(store: Path) -> None:
    for file in store.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\xff\x00garbage" * 7)


def _deleted(store: Path) -> None:
    shutil.rmtree(store)


def _locked_for_ever(store: Path) -> None:
    # a lock file that cannot be opened for writing is what a read-only folder looks like, also to root
    lock = store / ".memu_code.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()


def _tables_are_files(store: Path) -> None:
    for name in ("nodes", "runs", "steps"):
        shutil.rmtree(store / f"{name}.lance")
        (store / f"{name}.lance").write_text("no table")


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that has learnt from a run; to be copied."""
    store = tmp_path_factory.mktemp("learnt") / "store"
    code = "def stamps(lines):\n    return len(lines)\nfinal_answer(stamps(['a']))"
    with CodeMemory.open(store) as memory:
        run = Run("run_1", memory.space, "Count the plant logger stamps", steps=(Step(1, code, ran=True, final=True),))
        assert memory.remember(run).nodes
    return store


@pytest.mark.parametrize("harm", [_garbage, _deleted, _locked_for_ever, _tables_are_files])
@pytest.mark.parametrize("when", ["before the run", "in the middle", "before it is opened"])
@pytest.mark.parametrize("ending", ["answers", "raises"])
def test_a_harmed_store_changes_neither_result_nor_exception(
    learnt: Path, tmp_path: Path, code_agent: Any, harm: Callable[[Path], None], when: str, ending: str
) -> None:
    """Whatever happens to the folder, the agent gives what it gives without a memory, and raises what it raises."""
    store = Path(shutil.copytree(learnt, tmp_path / "store"))
    if when == "before it is opened":
        harm(store)
    with CodeMemory.open(store) as memory:
        agent = memory.attach(code_agent("x = 1\nprint(x)", _harming(harm, store, when, ending)))
        if when == "before the run":
            harm(store)
        if ending == "answers":
            assert agent.run("Tell the number of plant logger stamps") == 42
        else:
            with pytest.raises(Exception, match="the LLM is gone"):
                agent.run("Tell the number of plant logger stamps")


def _harming(harm: Callable[[Path], None], store: Path, when: str, ending: str) -> Callable[[Any], str]:
    def reply(messages: Any) -> str:
        if when == "in the middle":
            harm(store)
        if ending == "raises":
            raise RuntimeError("the LLM is gone")
        return "<code>\nfinal_answer(42)\n</code>"

    return reply
