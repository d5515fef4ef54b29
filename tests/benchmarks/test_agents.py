"""The agents benchmark with a scripted LLM: what its arms are given, how it goes on after a stop, what it counts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from smolagents import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage

from benchmarks import agents
from benchmarks.acting import arms, forms, playing, replies, tasks
from benchmarks.acting.house import bills, logs, meters, packs, pages, prices, ranks, stamps, tables, tags
from benchmarks.acting.proving import prove
from memu_code import CodeMemory

KNOWN: dict[str, tuple[tuple[Callable[..., Any], ...], str]] = {
    "plant stamps": ((stamps.stamp_to_date,), "min([stamp_to_date(stamp) for stamp in stamps])"),
    "store room": ((packs.total_kilograms,), "total_kilograms(packs)"),
    "order book": ((pages.all_orders,), "sum([order['amount'] for order in all_orders(fetch_orders)])"),
    "meters": ((meters.read_patiently,), "sum([read_patiently(read_meter, name) for name in meters])"),
    "percentile": ((ranks.lab_percentile,), "lab_percentile(values, 90)"),
    "`table`": (
        (tables.scale_rows, tables.scale_number),
        "round(sum([scale_number(row[2]) for row in scale_rows(table)]), 2)",
    ),
    "`bill`": ((bills.bill_total,), "bill_total(bill)"),
    "tool tags": ((tags.tag_is_valid,), "[tag for tag in tags if tag_is_valid(tag)]"),
    "`lines`": ((logs.failures_by_pump,), "failures_by_pump(lines)"),
    "`cents`": ((prices.canteen_price,), "sum([canteen_price(price) for price in cents])"),
}
IMPORTS = (
    "import datetime\nimport math\nimport re\nPACK_KILOGRAMS = {'sack': 25, 'drum': 180, 'crate': 12, 'pallet': 640}\n"
)


class Reading(Model):  # type: ignore[misc]
    """Knows how to do a task only where the task explains it or the prompt holds the function; `never` it cannot do."""

    def __init__(self, never: str = "") -> None:
        super().__init__(model_id="reading")
        self.never = never

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        system, task = (self._text(message) for message in messages[:2])
        functions, expression = next(known for words, known in KNOWN.items() if words in task)
        explained = any(family.explained in task for family in tasks.FAMILIES)
        listed = [function for function in functions if function.__name__ in system]
        code = f"final_answer({expression})"
        if self.never and self.never in task:
            code = "final_answer('I do not know')"
        elif explained or (listed and "def " + listed[0].__name__ in system):
            code = IMPORTS + "\n".join(map(inspect.getsource, functions)) + code
        elif not listed:
            code = "nowhere" if len(messages) < 4 else "final_answer('I do not know')"
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"I do it.\n<code>\n{code}\n</code>")

    @staticmethod
    def _text(message: Any) -> str:
        content = message.content
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@pytest.fixture
def two_families(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(family for family in tasks.FAMILIES if family.name in ("stamps", "prices"))
    monkeypatch.setattr(tasks, "FAMILIES", kept)
    monkeypatch.setattr(agents, "FAMILIES", kept)
    monkeypatch.setattr(arms, "OFFERS", ("text",))  # the ways to offer are tested with the host
    monkeypatch.setattr(arms, "FORMS", (("text", forms.BESIDE_TASK),))


def test_each_task_has_one_right_answer_and_day_2_does_not_explain_it() -> None:
    """The helper's; a text that says it counts too, anything else does not; and the same tasks come each time."""
    every = [task for day in tasks.DAYS for task in tasks.tasks(day)]
    assert len({task.family for task in every}) >= 8
    assert len({(task.text, str(task.given), str(task.answer)) for task in every}) == len(every)
    for task, again in zip(every, (task for day in tasks.DAYS for task in tasks.tasks(day)), strict=True):
        assert (task.text, task.given, task.answer) == (again.text, again.given, again.answer)
        family = next(family for family in tasks.FAMILIES if family.name == task.family)
        assert (family.explained in task.text) == (task.day == 1)
        assert tasks.is_right(task.answer, task.answer)
        assert tasks.is_right(f" {task.answer} ", task.answer)
        for wrong in (None, "", "I do not know", 0, [], {}, True, f"The answer is {task.answer}.", [task.answer]):
            assert not tasks.is_right(wrong, task.answer), (task.name, wrong)


def test_numbers_are_right_by_value_only() -> None:
    """Not nearly, not of another type that passes for one, and each part of a list counts."""
    assert tasks.is_right(3, 3.0)
    assert tasks.is_right((1, 2.0), [1, 2])
    assert not tasks.is_right(3.001, 3)
    assert not tasks.is_right(True, 1)
    assert not tasks.is_right({"a": 1}, {"a": 1, "b": 2})
    assert not tasks.is_right("3 apples", 3)


def test_the_tools_fail_as_they_are_said_to() -> None:
    """A meter is busy twice, a page that is not there is refused; each run has tools of its own."""
    (task,) = [task for task in tasks.tasks(1) if task.family == "meters"]
    first, second = task.new_tools()[0], task.new_tools()[0]
    name = task.given["meters"][0]
    for tool in (first, second):
        for _ in range(2):
            with pytest.raises(TimeoutError, match="busy"):
                tool.forward(name)
        assert isinstance(tool.forward(name), int)
    (book,) = next(task for task in tasks.tasks(1) if task.family == "orders").new_tools()
    assert book.forward(3)["next"] is None
    with pytest.raises(LookupError):
        book.forward(4)


def test_the_helpers_need_nothing_that_the_agents_may_not_import() -> None:
    """What is seeded has to run where it is offered."""
    from smolagents.utils import BASE_BUILTIN_MODULES

    for module in (bills, logs, meters, packs, pages, prices, ranks, stamps, tables, tags):
        imported = [line.split()[1] for line in inspect.getsource(module).splitlines() if line.startswith("import ")]
        assert set(imported) <= set(BASE_BUILTIN_MODULES)


@pytest.mark.usefixtures("two_families")
def test_the_arms_are_what_they_say_and_a_stopped_benchmark_goes_on(tmp_path: Path) -> None:
    """Without a memory nothing is solved; what was solved on day 1 is learnt, all of the helpers are seeded."""

    def new_model() -> Reading:
        return Reading(never="fromisocalendar(2026")

    plan = list(arms.planned(1, forms=True))
    assert agents.measure(tmp_path / "b", new_model, plan, seconds=0) == []
    count = len(plan)
    lines = tmp_path / "b" / "runs.jsonl"
    rows = agents.measure(tmp_path / "b", new_model, plan, at_once=3)
    assert [len(rows), len(lines.read_text().splitlines())] == [count, count]
    result = agents.figures(rows, plan)
    assert (result["runs_in"], result["runs_planned"]) == (count, count)
    assert result["day_1"] == {"runs": 2, "solved": 1}
    solved = {name: arm["solved"] for name, arm in result["day_2"].items()}
    assert solved["no memory"] == 0
    assert (solved["learnt text"], solved["seeded text"]) == (1, 2)
    assert result["solved_by_family"]["stamps"]["learnt text"] == "0 of 1"
    assert result["day_2"]["seeded text"]["runs_with_an_offer"] == 2
    assert solved["proven text"] == 2
    assert solved["proven text, beside the task"] == 0, "this model looks for code in the system prompt only"
    assert result["day_2"]["no memory"]["errors"][0] == 1.0
    assert result["reached"] is True

    kept = lines.read_text().splitlines(keepends=True)
    lines.write_text("".join(kept[:-1]) + kept[-1][:20])  # killed while it wrote

    def unreachable() -> Any:
        model = Reading()
        model.generate = lambda *args, **kwargs: (_ for _ in ()).throw(ConnectionError("refused"))
        return model

    (tmp_path / "b" / "replies.jsonl").unlink()
    with pytest.raises(playing.Unreachable, match="refused"):
        agents.measure(tmp_path / "b", unreachable, plan)
    assert lines.read_text() == "".join(kept[:-1]), "the half line is gone, and a run that was not played is none"
    again = agents.measure(tmp_path / "b", new_model, plan)
    assert [row["key"] for row in again] == [row["key"] for row in rows]


def test_the_first_tasks_can_be_left_out_on_day_2() -> None:
    """Those that the memory was mended with: day 1 stays, and the second ones are the same as where all are asked."""
    whole, rest = list(arms.planned(2)), list(arms.planned(1, after=1))
    first = {task.name for task in tasks.tasks(2, 1)}
    assert [one.key for one in whole if one.task.name not in first] == [one.key for one in rest]
    assert len(rest) < len(whole)
    assert all("," not in one.name for one in rest), "the block's other forms come where they are asked for"


def block_of(memory: CodeMemory, task: str) -> str:
    block, _ = memory.render(memory.recall(task))
    return block


def said(messages: Sequence[ChatMessage]) -> list[str]:
    return [Reading._text(message) for message in messages]


def test_a_form_changes_how_the_block_is_said_and_nothing_else(tmp_path: Path) -> None:
    """Beside the task it stands before it; the code alone has one line before it; without a block all is as it was."""
    task = "turn a plant stamp into a date"
    with CodeMemory.open(tmp_path / "store", space="~a") as memory:
        memory.seed(Path(stamps.__file__).parent)
        block = block_of(memory, task)
    source = inspect.getsource(stamps.stamp_to_date).strip()
    assert source in block

    def messages(system: str) -> list[ChatMessage]:
        roles = (MessageRole.SYSTEM, MessageRole.USER, MessageRole.ASSISTANT)
        return [
            ChatMessage(role=role, content=[{"type": "text", "text": text}])
            for role, text in zip(roles, (system, task, "code"), strict=True)
        ]

    assert said(forms.reformed(messages(f"You write code.\n\n{block}"), forms.BESIDE_TASK)) == [
        "You write code.",
        f"{block}\n\n{task}",
        "code",
    ]
    system, *rest = said(forms.reformed(messages(f"You write code.\n\n{block}"), forms.CODE_ALONE))
    assert rest == [task, "code"]
    assert source in system
    assert "from a repository" in block
    assert "from a repository" not in system
    system, *rest = said(forms.reformed(messages(f"You write code.\n\n{block}"), forms.TO_COPY))
    assert rest == [task, "code"]
    assert "defined yet" not in block
    assert "defined yet" in system
    assert source in system
    for form in forms.FORMS:
        assert said(forms.reformed(messages("You write code."), form)) == ["You write code.", task, "code"]


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    """Also in another process, and where two runs ask it at the same time; another question is asked."""
    asked: list[str] = []

    class Counting(Reading):
        def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
            asked.append(messages[0].content)
            return ChatMessage(role=MessageRole.ASSISTANT, content=str(len(asked)), token_usage=TokenUsage(3, 4))

    def ask(kept: replies.Replies, text: str) -> ChatMessage:
        return replies.Remembering(Counting(), kept).generate([ChatMessage(MessageRole.USER, text)], stop_sequences=[])

    kept = replies.Replies(tmp_path / "replies.jsonl")
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda _: ask(kept, "one"), range(4)))
    given.append(ask(replies.Replies(tmp_path / "replies.jsonl"), "one"))
    assert [reply.content for reply in given] == ["1"] * 5
    assert {(reply.token_usage.input_tokens, reply.token_usage.output_tokens) for reply in given} == {(3, 4)}
    assert ask(kept, "two").content == "2"
    assert asked == ["one", "two"]


def test_a_proven_helper_is_offered_to_be_called(tmp_path: Path) -> None:
    """What was only seeded is not; this is what tells the two arms apart."""
    with CodeMemory.open(tmp_path / "store", space="~a") as memory:
        memory.seed(Path(stamps.__file__).parent)
        (seeded,) = {hit.state for hit in memory.recall("a plant stamp to an ISO date").hits if hit.name}
        prove(memory)
        proven = {hit.name: hit.state for hit in memory.recall("a plant stamp to an ISO date").hits}
    assert str(seeded) == "seeded"
    assert str(proven["stamp_to_date"]) == "proven"


def row(arm: str, offer: str, solved: bool, steps: int = 3) -> dict[str, Any]:
    """A finished run, as it stands in the file."""
    numbers = {"steps": steps, "errors": 1, "tokens_in": 100, "tokens_out": 10, "offered": 0}
    return {"name": f"{arm} {offer}".strip(), "arm": arm, "family": "tags", "solved": solved, **numbers}


def test_a_part_of_the_runs_reaches_no_goal() -> None:
    """However good it looks; and arms without a run have no figures."""
    result = agents.figures([row("no memory", "", False, 6), row("learnt", "call", True, 1)], list(arms.planned()))
    assert result["reached"] is False
    assert (result["runs_in"], result["best_arm"]) == (2, None)
    assert result["day_2"]["seeded text"] == {"runs": 0}
    assert json.dumps(result)


def test_shares_come_with_their_intervals() -> None:
    """Wilson's for one arm, and the difference from no memory."""
    rows = [row("no memory", "", n < 1) for n in range(4)] + [row("learnt", "both", n < 3, 2) for n in range(4)]
    arm = agents.figures(rows, list(arms.planned()))["day_2"]["learnt both"]
    assert arm["share_solved"][0] == 0.75
    assert arm["share_solved"][1] < 0.4 < 0.9 < arm["share_solved"][2]
    assert arm["more_than_without"][0] == 0.5
    assert arm["steps"] == [2.0, 2.0, 2.0]
