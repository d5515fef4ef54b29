"""The scripted LLM: every reply is made from the prompt that it is given."""

from __future__ import annotations

import pytest
from smolagents import ChatMessage, MessageRole

from memu_code.demo.jobs import jobs
from memu_code.demo.knowledge import SKILLS
from memu_code.demo.stand_in import StandIn, answer
from memu_code.model import Hit, Kind, State
from memu_code.recall import render

TASK = "How many minutes lie between the first and the last of these logger stamps?\nstamps = ['2026-W07-3 14:05']"


def conversation(system: str, task: str, *errors: str) -> list[tuple[str, str]]:
    prompt = [(MessageRole.SYSTEM, system), (MessageRole.USER, f"New task:\n{task}")]
    for error in errors:
        prompt.append((MessageRole.ASSISTANT, "Thought: ..."))
        prompt.append((MessageRole.TOOL_RESPONSE, f"Call id: call_1\nError:\n{error}\nNow let's retry"))
    return prompt


def hit(name: str, description: str, state: State = State.PROVEN) -> Hit:
    """A solution whose text stands nowhere in the scripted LLM."""
    code = f'import math\n\ndef {name}(values):\n    """{description}"""\n    return math.prod([7, 6])'
    return Hit(
        id=f"solution_{name}",
        kind=Kind.SOLUTION,
        score=0.9,
        why={},
        state=state,
        problem="",
        code=code,
        name=name,
        signature=f"{name}(values)",
        description=description,
        edge_cases=("empty: not values -> return 0",),
        successes=2,
    )


def block(*hits: Hit, callables: bool = False) -> str:
    """A system prompt that ends with the memory's block."""
    ids = frozenset(hit.id for hit in hits) if callables else frozenset()
    return "You are an expert.\n\n" + render(hits, len, trusted={""}, callables=ids, budget=9_999)[0]


def test_without_a_memory_it_writes_the_naive_code() -> None:
    """The first attempt overlooks the ISO week."""
    reply = answer(conversation("You are an expert.", TASK))
    assert "%Y-%m-%d" in reply
    assert "['2026-W07-3 14:05']" in reply


def test_it_mends_its_code_by_the_error_in_the_conversation() -> None:
    """What it writes next depends on what the last error says, and on nothing else."""
    error = "ValueError: time data '2026-W07-3 14:05' does not match format '%Y-%m-%d %H:%M'"
    assert "%G-W%V-%u" in answer(conversation("You are an expert.", TASK, error))
    assert "%Y-%m-%d" in answer(conversation("You are an expert.", TASK, "MemoryError: something else"))


def test_it_calls_a_listed_function_that_fits() -> None:
    """The name comes out of the prompt: no code of its own is written."""
    system = block(hit("qzx", "Minutes between logger stamps."), callables=True)
    reply = answer(conversation(system, TASK))
    assert "answer = qzx(['2026-W07-3 14:05'])" in reply
    assert "def " not in reply


def test_it_copies_shown_code_that_fits() -> None:
    """The code is that of the prompt, byte for byte, with this task's data."""
    found = hit("qzx", "Minutes between logger stamps.")
    reply = answer(conversation(block(found), TASK))
    assert "return math.prod([7, 6])" in reply
    assert "import math" in reply
    assert "answer = qzx(['2026-W07-3 14:05'])" in reply


@pytest.mark.parametrize("callables", [True, False])
def test_it_chooses_the_snippet_that_fits_best(callables: bool) -> None:
    """Among several snippets the one that shares most words with the task is used."""
    hits = [
        hit("abc", "Total of the energy meters."),
        hit("qzx", "Minutes between logger stamps."),
        hit("def_", "Sum."),
    ]
    assert "answer = qzx(" in answer(conversation(block(*hits, callables=callables), TASK))


@pytest.mark.parametrize(
    "system",
    [
        block(hit("qzx", "Total of the energy meters.")),
        block(hit("qzx", "Minutes between logger stamps.", State.TRIAL)),
        block(hit("qzx", "Minutes between logger stamps."), callables=True).replace("(values)", "(a, b)"),
        block(hit("qzx", "Minutes between logger stamps."))[len("You are an expert.\n\n## Code") :],
    ],
    ids=["about something else", "not proven", "takes two values", "outside the block"],
)
def test_it_uses_no_snippet_that_does_not_fit(system: str) -> None:
    """Something else, something unproven, something that cannot be called so: it writes its own code."""
    reply = answer(conversation(system, TASK))
    assert "qzx" not in reply
    assert "%Y-%m-%d" in reply


@pytest.mark.parametrize("night", [1, 2])
def test_it_recognises_every_task_of_the_demo(night: int) -> None:
    """The wording of each night leads to the same kind of code."""
    for job, skill in zip(jobs(night), SKILLS, strict=True):
        assert f"answer = {skill.function}(" in answer(conversation("", job.task))


def test_its_usage_is_counted_over_the_prompt_that_was_sent() -> None:
    """Tokens in are those of all messages, tokens out those of the reply."""
    messages = [
        ChatMessage(role=MessageRole.SYSTEM, content=[{"type": "text", "text": "one two"}]),
        ChatMessage(role=MessageRole.USER, content=f"New task:\n{TASK}"),
    ]
    reply = StandIn(lambda text: len(text.split())).generate(messages)
    assert reply.token_usage.input_tokens == 2 + len(f"New task:\n{TASK}".split())
    assert reply.token_usage.output_tokens == len(reply.content.split())
