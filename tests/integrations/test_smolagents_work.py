"""The work record and an agent: the brief in its prompt, and the two tools in its code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from smolagents import CodeAgent, Tool

from memu_code.errors import UsageError
from memu_code.integrations.smolagents import attach
from memu_code.memory import CodeMemory
from memu_code.runs.brief import Brief

JOB = "nightly-scan"
HEAD = "## Earlier runs of this job"


class Visit(Tool):  # type: ignore[misc]
    """A page, or an error for a broken one."""

    name = "visit"
    description = "The page at an address."
    inputs = {"url": {"type": "string", "description": "the address"}}  # noqa: RUF012
    output_type = "string"

    def forward(self, url: str) -> str:
        if "broken" in url:
            raise ConnectionError(f"{url} cannot be reached")
        return f"page of {url}"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        yield memory


def prompt(agent: CodeAgent) -> str:
    """The system prompt of the agent's last run."""
    return str(agent.model.systems[-1])


def test_the_next_run_of_the_job_reads_what_the_last_one_did(real: CodeMemory, code_agent: Any) -> None:
    """Sources with how they went, and verdicts item by item; the first run has no brief, nor has another job."""
    first = code_agent(
        "for n in (1, 2):\n    print(visit(f'https://a/{n}'))",
        "print(visit('https://broken'))",
        "final_answer({'pump 7': 'leaking'})",
        tools=[Visit()],
    )
    real.attach(first, job=JOB).run("Scan the pumps.")
    assert HEAD not in prompt(first)
    second = code_agent("final_answer(1)")
    real.attach(second, job=JOB).run("Now the valves.")
    brief = prompt(second).partition(HEAD)[2]
    assert "answered, 3 steps\n  task: Scan the pumps.\n  checked: https://a/1; https://a/2\n" in brief
    assert re.search(r"failed: https://broken \(ConnectionError: .*\)\n  verdicts: pump 7: leaking\n", brief)
    other = code_agent("final_answer(1)")
    real.attach(other, job="weekly").run("Now the valves.")
    assert HEAD not in prompt(other)


def test_the_items_of_an_answer_are_kept_whatever_its_size(real: CodeMemory, code_agent: Any) -> None:
    """Read from the answer itself: its text is cut."""
    agent = code_agent("final_answer({f'pump {n}': 'fine ' * 90 for n in range(60)})")
    real.attach(agent, job=JOB).run("Scan the pumps.")
    (past,) = real.brief(JOB).runs
    assert [item.name for item in past.items] == [f"pump {n}" for n in range(50)]


def test_an_answer_that_contains_itself_is_given_and_kept(real: CodeMemory, code_agent: Any) -> None:
    """The agent gets its own object back, and the next brief says what can be said of it."""
    agent = code_agent("report = {'pump 7': 'leaking'}\nreport['all'] = report\nfinal_answer(report)")
    answer = real.attach(agent, job=JOB).run("Scan the pumps.")
    assert answer["all"] is answer
    assert [item.verdict for item in real.brief(JOB).runs[0].items] == ["leaking", "(itself)"]


def test_without_a_name_the_task_is_the_job(real: CodeMemory, code_agent: Any) -> None:
    """The same task for another day finds the brief of the last one."""
    real.attach(code_agent("print(visit('https://a'))", "final_answer(1)", tools=[Visit()])).run(
        "Report for 2026-11-30"
    )
    agent = code_agent("final_answer(1)")
    real.attach(agent).run("Report for 2026-12-01")
    assert "checked: https://a" in prompt(agent)


@pytest.mark.parametrize(
    ("task", "inputs", "told"),
    [
        ("Sum the numbers [1, 2] for 2026-12-01", {"rows": [1]}, True),
        ("Sum the numbers [3, 4] for 2026-12-01", {"rows": [1]}, False),
        ("Sum the numbers [1, 2] for 2026-12-01", {"rows": [5]}, False),
        ("Sum the numbers [1, 2] for 2026-12-01", None, False),
    ],
)
def test_without_a_name_an_answer_to_other_data_is_not_told(
    real: CodeMemory, code_agent: Any, task: str, inputs: dict[str, object] | None, told: bool
) -> None:
    """A small LLM would copy it; that the job ran before, and what it looked at, it reads all the same."""
    first = code_agent("print(visit('https://a'))", "final_answer(424242)", tools=[Visit()])
    real.attach(first).run("Sum the numbers [1, 2] for 2026-11-30", additional_args={"rows": [1]})
    agent = code_agent("final_answer(1)")
    real.attach(agent).run(task, additional_args=inputs)
    assert "checked: https://a" in prompt(agent)
    assert ("answer: 424242" in prompt(agent)) == told


def test_the_brief_stands_behind_the_proven_snippets(real: CodeMemory, code_agent: Any) -> None:
    """At the very end of the prompt, which is the same where the agent's prompt is read after the run."""
    code = (
        "def warmest(lines):\n    return max(float(line.split(';')[1]) for line in lines)\nfinal_answer(warmest(lines))"
    )
    for _ in range(2):
        agent = code_agent(code)
        bare = agent.system_prompt
        task = "Find the warmest of the plant logger's lines."
        brief = real.brief(JOB).text
        real.attach(agent, job=JOB, offer="text").run(task, additional_args={"lines": ["a;1.5", "b;2.5"]})
    injected = prompt(agent).removeprefix(bare).strip()
    assert injected.startswith("## Code that worked before")
    assert injected.endswith(f"```\n\n{brief}")
    assert agent.system_prompt == prompt(agent)


def test_snippets_and_brief_share_one_budget(
    memory: Any, hit: Any, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The snippets get what the brief leaves of 1,200 tokens; a brief that fails leaves all of it."""
    budgets: list[int] = []

    def render(found: Any, *, callables: frozenset[str] = frozenset(), budget: int = 0) -> tuple[str, tuple[str, ...]]:
        budgets.append(budget)
        return "SNIPPETS", tuple(one.id for one in found.hits)

    memory.solutions = [hit("answer = 1")]
    monkeypatch.setattr(memory, "render", render)
    monkeypatch.setattr(memory, "brief", lambda job, run: Brief(job, "2026-12-01", text="BRIEF", tokens=123))
    agent = code_agent("final_answer(1)")
    attach(memory, agent, job=JOB).run("Scan the pumps.")
    assert prompt(agent).endswith("\n\nSNIPPETS\n\nBRIEF")
    monkeypatch.setattr(memory, "brief", lambda job, run: 1 / 0)
    agent.run("Scan the pumps.")
    assert prompt(agent).endswith("\n\nSNIPPETS")
    assert budgets == [1_200 - 123, 1_200]


def test_a_promise_is_noted_found_and_kept_from_within_code(real: CodeMemory, code_agent: Any) -> None:
    """In the local executor; the tools know the job and the run."""
    first = code_agent(
        "print(note_follow_up('Ask the vendor.', due='2999-01-01'))\nfinal_answer(1)", tools=real.tools()
    )
    real.attach(first, job=JOB).run("Scan the pumps.")
    (promise,) = real.follow_ups(JOB)
    run = real.brief(JOB).runs[0].id
    assert (promise.text, promise.due, promise.opened_in) == ("Ask the vendor.", "2999-01-01", run)
    second = code_agent(
        "print(recall_work('vendor'))",
        "print(note_follow_up('ask the vendor.', done=True))\nfinal_answer(2)",
        tools=real.tools(),
    )
    real.attach(second, job=JOB).run("Scan the pumps again.")
    assert "Ask the vendor. (due 2999-01-01)" in prompt(second)
    assert "follow-up: [" in second.memory.steps[1].observations
    assert "Done: [" in second.memory.steps[2].observations
    assert real.follow_ups(JOB) == []
    assert real.follow_ups(JOB, done=True)[0].closed_in == real.brief(JOB).runs[0].id


def test_tools_of_a_managed_agent_know_the_job_of_its_manager(real: CodeMemory, code_agent: Any) -> None:
    """Its sources are in the brief of the job, its run is a part of its manager's, and it gets no brief of its own."""
    code = "print(visit('https://below'))\nprint(note_follow_up('from below'))\nfinal_answer(1)"
    for _ in range(2):
        helper = code_agent(code, tools=[Visit(), *real.tools()], name="helper", description="helps")
        manager = code_agent("final_answer(helper('look'))", managed_agents=[helper])
        real.attach(manager, job=JOB).run("Scan the pumps.")
        assert HEAD not in prompt(helper)
    assert HEAD in prompt(manager)
    (promise,) = real.follow_ups(JOB)
    brief = real.brief(JOB)
    assert [[source.what for source in past.sources] for past in brief.runs] == [["https://below"]] * 2
    assert real.run(promise.opened_in).agent == "helper"


def test_tools_of_an_agent_that_calls_tools_work(real: CodeMemory, tool_agent: Any) -> None:
    """And its calls are sources."""
    agent = tool_agent(
        ("visit", {"url": "https://a"}),
        ("note_follow_up", {"text": "Ask the vendor."}),
        ("final_answer", {"answer": "1"}),
        tools=[Visit(), *real.tools()],
    )
    real.attach(agent, job=JOB).run("Scan the pumps.")
    assert [one.text for one in real.follow_ups(JOB)] == ["Ask the vendor."]
    assert [source.what for source in real.brief(JOB).runs[0].sources] == ["https://a"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("note_follow_up('')", "Not noted: The follow-up has no text"),
        ("note_follow_up('x', due='soon')", "Not noted: 'soon' is no date"),
        ("note_follow_up('x' * 600)", "Not noted: The follow-up is longer than 500 characters"),
        ("note_follow_up('never promised', done=True)", "Not marked as done: No follow-up with the id or text"),
        ("recall_work('')", "Nothing was searched: The query is empty"),
        ("recall_work('zebra')", "Nothing in the record of earlier runs matches."),
    ],
)
def test_what_a_tool_cannot_do_it_says(real: CodeMemory, code_agent: Any, code: str, expected: str) -> None:
    """In a sentence, not by an exception that would cost the agent its step."""
    agent = code_agent(f"final_answer({code})", tools=real.tools())
    assert real.attach(agent, job=JOB).run("Scan the pumps.").startswith(expected)


def test_a_tool_outside_of_a_run_or_of_several_jobs_says_so(real: CodeMemory, code_agent: Any) -> None:
    """Nobody knows then whose promise it would be."""
    tools = real.tools()
    assert "no run of an attached agent" in tools[0]("x")
    inner = code_agent("final_answer(note_follow_up('inner'))", tools=tools)
    real.attach(inner, job="inner")

    class Ask(Tool):  # type: ignore[misc]
        name, description, inputs, output_type = "ask", "Asks the other agent.", {}, "string"

        def forward(self) -> str:
            return str(inner.run("Promise something."))

    outer = code_agent("final_answer(ask())", tools=[Ask(), *tools])
    assert "agents of several jobs share this tool" in real.attach(outer, job="outer").run("Ask.")
    assert real.follow_ups() == []


def test_a_broken_store_costs_an_agent_neither_its_run_nor_its_step(
    real: CodeMemory, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No brief, and the tools say that they failed."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("the disk is gone")

    for verb in ("brief", "note_follow_up", "close_follow_up", "recall_work"):
        monkeypatch.setattr(real, verb, broken)
    code = "final_answer([note_follow_up('x'), note_follow_up('x', done=True), recall_work('x')])"
    agent = code_agent(code, tools=real.tools())
    bare = agent.system_prompt
    answer = real.attach(agent, job=JOB).run("Scan the pumps.")
    assert prompt(agent) == bare
    assert [one.rpartition(": ")[2] for one in answer] == ["the memory failed (RuntimeError)."] * 3


def test_nothing_of_a_brief_is_learnt_back(real: CodeMemory, code_agent: Any, tmp_path: Path) -> None:
    """Its words are in no file of the store, though every later prompt has them."""
    for _ in range(3):
        agent = code_agent("print(recall_work('pump'))\nfinal_answer({'pump 7': 'leaking'})", tools=real.tools())
        real.attach(agent, job=JOB).run("Scan the pumps.")
    assert HEAD in prompt(agent)
    assert all(not past.sources for past in real.brief(JOB).runs)
    files = [path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert files
    assert not any(HEAD.encode() in content for content in files)


def test_an_agent_with_the_tools_can_be_saved(real: CodeMemory, code_agent: Any, tmp_path: Path) -> None:
    """What is saved of them says how to get a memory again, and holds nothing of this one."""
    agent = real.attach(code_agent("final_answer(1)", tools=real.tools()), job=JOB)
    agent.save(str(tmp_path / "saved"))
    loaded = Tool.from_code(agent.tools["note_follow_up"].to_dict()["code"])
    assert "lost its memory" in loaded("x", due="2d", done=True)
    assert not any("store" in path.read_text() for path in (tmp_path / "saved" / "tools").glob("*.py"))


def test_a_job_with_a_name_that_is_too_long_is_refused(real: CodeMemory, code_agent: Any) -> None:
    """When the agent is attached, in a sentence; white space alone is no name."""
    with pytest.raises(UsageError, match="at most 300 characters"):
        real.attach(code_agent("final_answer(1)"), job="x" * 301)
    with pytest.raises(UsageError, match="not int"):
        real.attach(code_agent("final_answer(1)"), job=7)  # type: ignore[arg-type]
    real.attach(code_agent("final_answer(1)"), job="  ").run("Scan the pumps.")
    assert real.jobs() == ["scan the pumps"]
