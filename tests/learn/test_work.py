"""The work record in a real store: what runs add to it, who sees it, and what several processes make of it together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory, Environment, Reader, Right, Run, Step
from memu_code.errors import AccessError, UnknownIdError, UsageError
from memu_code.model import Item, Outcome, Source
from tests.processes import Forked

JOB = "nightly-scan"
START = 1_790_000_000.0


def run(name: str, start: float = START, seconds: float = 60.0, job: str = JOB, **fields: object) -> Run:
    """A run that visits a page of its own, and answers."""
    steps = (
        Step(1, f"print(visit('https://plant.example/{name}'))", ran=True),
        Step(2, "final_answer(verdicts)", ran=True, final=True),
    )
    standard = {"task": "scan the pumps", "actor": "ann", "answer": "{'pump 7': 'leaking'}", "steps": steps}
    return Run(
        id=name,
        space="~ann",
        job=job,
        started_at=start,
        ended_at=start + seconds,
        environment=Environment(tools=("visit",)),
        **{**standard, **fields},  # type: ignore[arg-type]
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as opened:
        yield opened


def test_a_run_is_kept_with_what_it_looked_at_and_judged(memory: CodeMemory) -> None:
    """Read out of its code and its answer when it is remembered, once."""
    memory.remember(run("run_1"))
    memory.remember(run("run_1"))
    kept = memory.run("run_1")
    assert kept.sources == (Source("https://plant.example/run_1", "visit", 1),)
    assert kept.items == (Item("pump 7", "leaking"),)
    assert len(memory.brief(JOB).runs) == 1


def test_a_brief_speaks_of_the_last_five_runs_of_its_job_only(memory: CodeMemory) -> None:
    """Newest first; other jobs are not in it, and an unknown one has none."""
    for number in range(7):
        memory.remember(run(f"run_{number}", START + number * 86_400))
    memory.remember(run("run_other", START + 9e6, job="weekly"))
    brief = memory.brief(JOB)
    assert [past.id for past in brief.runs] == ["run_6", "run_5", "run_4", "run_3", "run_2"]
    assert brief.tokens <= 300
    assert "run_6" in brief.text
    assert "run_other" not in brief.text
    assert not memory.brief("another")
    assert memory.brief("another").text == ""
    assert memory.jobs() == ["weekly", JOB]


def test_the_brief_has_the_same_bytes_for_the_same_state(memory: CodeMemory, tmp_path: Path) -> None:
    """Asked twice, and by another process's memory."""
    memory.remember(run("run_1"))
    memory.note_follow_up("ask the vendor", job=JOB, due="2d")
    text = memory.brief(JOB).text
    with CodeMemory.open(tmp_path / "store", space="~ann") as other:
        assert other.brief(JOB).text == memory.brief(JOB).text == text


def test_the_task_names_the_job_where_nobody_did(memory: CodeMemory) -> None:
    """The job of a run without a name is found by its task, with another date in it too."""
    memory.remember(run("run_1", job="report for", task="Report for 2026-11-30"))
    assert memory.brief("Report for 2026-12-01").runs[0].id == "run_1"
    memory.note_follow_up("weigh it", job="Report for 2026-12-02")
    assert [one.job for one in memory.follow_ups("report for")] == ["report for"]


def test_what_is_promised_before_the_first_run_is_found_after_it(memory: CodeMemory) -> None:
    """Under the task's words, as the job that the task is, in the brief, and once only; it can be closed by both."""
    task = "Scan pumps 2026-11-30"
    one = memory.note_follow_up("ask the vendor", job=task)
    assert memory.follow_ups(task) == [one]
    memory.remember(run("run_1", job="scan pumps", task=task))
    for name in (task, "scan pumps", "Scan pumps 2026-12-01"):
        assert memory.follow_ups(name) == [one]
        assert "ask the vendor" in memory.brief(name).text
        assert memory.note_follow_up("Ask the vendor", job=name).id == one.id
    assert [found.text for found in memory.recall_work("vendor", job="scan pumps")] == ["ask the vendor"]
    assert memory.close_follow_up("ask the vendor", job="scan pumps").id == one.id
    assert memory.follow_ups("scan pumps") == []


def test_a_job_with_a_name_keeps_its_promises_to_itself(memory: CodeMemory) -> None:
    """Also where its name reads like the words of another job."""
    named = memory.note_follow_up("weigh it", job="Report 7")
    memory.remember(run("run_1", job="Report 7"))
    memory.remember(run("run_2", job="report", task="Report 8"))
    assert memory.follow_ups("report") == []
    assert memory.follow_ups("Report 7") == [named]


def test_an_answer_to_other_data_is_not_told_to_a_job_without_a_name(memory: CodeMemory) -> None:
    """In the text alone, which a prompt gets: who reads the record himself sees it all."""
    memory.remember(run("run_1", job="sum these numbers", task="Sum these numbers: [1, 2]", answer="3"))
    asked = Run("run_2", "~ann", "Sum these numbers: [3, 4]", job="sum these numbers")
    for brief in (memory.brief(asked.job, run=asked), memory.brief(asked.task)):
        assert "https://plant.example/run_1" in brief.text
        assert "answer: 3" not in brief.text
        assert (brief.runs[0].answer, brief.runs[0].same_task) == ("3", False)
    same = replace(asked, task="Sum these numbers: [1, 2]")
    for brief in (memory.brief(same.job, run=same), memory.brief(same.task), memory.brief(same.job)):
        assert "answer: 3" in brief.text


def test_a_name_says_that_it_is_the_same_job_whatever_the_task(memory: CodeMemory) -> None:
    """Whoever names a job wants to know what it answered."""
    memory.remember(run("run_1", job="nightly", task="Look at pump 7", answer="tight"))
    asked = Run("run_2", "~ann", "Look at pump 8", job="nightly")
    told = memory.brief("nightly", run=asked).text
    assert "  task: Look at pump 7\n  checked" in told  # or else the answer would be taken for that of pump 8
    assert "answer: tight" in told
    assert memory.brief("nightly").text == told.replace("  task: Look at pump 7\n", "")


@pytest.mark.parametrize("at", [1.7e12, float("nan"), -1.7e12])
def test_a_run_with_a_strange_time_costs_nobody_anything(memory: CodeMemory, at: float) -> None:
    """Its brief, the search in the record, and recall of what it taught go on to work."""
    steps = (
        Step(1, "def warmest(rows):\n    return max(float(r) for r in rows if r)\nfinal_answer(warmest(['1', '']))"),
    )
    done = replace(steps[0], ran=True, final=True)
    task = "Find the warmest of the logger's rows"
    memory.remember(run("run_1", at, 0.0, steps=(done,), task=task, answer="1.0"))
    memory.remember(run("run_2", task=task))
    assert {past.id for past in memory.brief(JOB).runs} == {"run_1", "run_2"}
    assert memory.brief(JOB).text
    assert memory.recall_work("warmest", job=JOB)
    assert [hit.name for hit in memory.recall(task).hits] == ["warmest"]
    memory.note_follow_up("look again", job=JOB)


def test_a_job_may_have_any_name(memory: CodeMemory) -> None:
    """Slashes, quotes, emoji and what looks like SQL."""
    for number, job in enumerate(["plant/north", 'o\'brien "x"', "🚀", "x' OR '1'='1", "a\\b%_"]):
        memory.remember(run(f"run_{number}", job=job))
        made = memory.note_follow_up("look again", job=job)
        assert [past.id for past in memory.brief(job).runs] == [f"run_{number}"]
        assert memory.follow_ups(job) == [made]


def test_follow_ups_are_noted_once_and_closed_once(memory: CodeMemory) -> None:
    """Noted twice while open is one; closed twice keeps who did it first; noted after that is a new one."""
    one = memory.note_follow_up("Ask the vendor", job=JOB, run="run_1")
    assert memory.note_follow_up("ask the  vendor", job=JOB, due="2026-12-01").id == one.id
    assert [(each.id, each.due) for each in memory.follow_ups(JOB)] == [(one.id, "2026-12-01")]
    closed = memory.close_follow_up(one.id, run="run_2")
    assert memory.close_follow_up(one.id, run="run_3").closed_in == closed.closed_in == "run_2"
    assert memory.follow_ups(JOB) == []
    anew = memory.note_follow_up("ask the vendor", job=JOB)
    assert anew.id != one.id
    assert [each.id for each in memory.follow_ups(JOB, done=True)] == [anew.id, one.id]


def test_what_another_run_closed_is_not_reopened(memory: CodeMemory) -> None:
    """Two runs overlap: one closes a follow-up, the other, which began before, notes it as if it were still open."""
    memory.remember(run("run_1", START))
    memory.remember(run("run_2", START + 30))
    one = memory.note_follow_up("ask the vendor", job=JOB, run="run_1", since=START)
    memory.close_follow_up("ask the vendor", job=JOB, run="run_1")
    noted = memory.note_follow_up("ask the vendor", job=JOB, run="run_2", since=START + 30)
    assert noted.id == one.id
    assert not noted.open
    assert memory.follow_ups(JOB) == []
    assert "two runs overlapped: 2026-09-21 14:13 and 2026-09-21 14:13" in memory.brief(JOB).text


def test_a_follow_up_that_was_closed_since_the_last_run_is_said_once(memory: CodeMemory) -> None:
    """The next brief says that it is done, and the one after the next run does not."""
    memory.remember(run("run_1"))
    memory.note_follow_up("ask the vendor", job=JOB)
    memory.close_follow_up("ask the vendor")
    assert "done since the last run (1)" in memory.brief(JOB).text
    later = memory.brief(JOB).done[0].closed_at + 1
    memory.remember(run("run_2", later))
    assert "done since" not in memory.brief(JOB).text


def test_what_is_wrong_is_refused_and_nothing_is_written(memory: CodeMemory) -> None:
    """An empty text or job, no date, an unknown id, one that is not unique, an empty query."""
    for wrong in ({"text": " ", "job": JOB}, {"text": "x", "job": ""}, {"text": "x", "job": JOB, "due": "soon"}):
        with pytest.raises(UsageError):
            memory.note_follow_up(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownIdError, match="No follow-up"):
        memory.close_follow_up("nothing")
    for job in (JOB, "weekly"):
        memory.note_follow_up("the same", job=job)
    with pytest.raises(UnknownIdError, match="any of 2"):
        memory.close_follow_up("the same")
    assert memory.close_follow_up("the same", job=JOB).job == JOB
    for query, k in (("", 1), ("x", 0)):
        with pytest.raises(UsageError):
            memory.recall_work(query, k=k)
    assert len(memory.follow_ups(done=True)) == 2


def test_secrets_are_in_neither_sources_nor_promises(memory: CodeMemory, tmp_path: Path) -> None:
    """Not where code names them, nor in a URL, an answer or a note; no file of the store holds them."""
    secret = "hunter2hunter2"
    code = f"password = '{secret}'\nvisit(password)\nvisit('https://ann:{secret}@a')\nvisit('https://a?token={secret}')"
    answer = f"{{'password': '{secret}'}}"
    memory.remember(replace(run("run_1"), steps=(Step(1, code, ran=True),), answer=answer))
    memory.note_follow_up(f"log in with password = '{secret}'", job=JOB)
    brief = memory.brief(JOB)
    assert len(brief.runs[0].sources) == 3
    assert secret not in f"{brief}{memory.follow_ups(JOB)}{memory.run('run_1')}"
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert files
    assert not any(secret.encode() in path.read_bytes() for path in files)


def test_a_job_belongs_to_its_space(memory: CodeMemory, tmp_path: Path) -> None:
    """Nobody without a grant sees another's runs or promises, or closes them; who may only read cannot promise."""
    memory.remember(run("run_1"))
    one = memory.note_follow_up("ask the vendor", job=JOB)
    stranger = Reader("bob", {"~bob": frozenset(Right)})
    guest = Reader("bob", {"~ann": frozenset({Right.READ})})
    with CodeMemory.open(tmp_path / "store", space="~bob", reader=stranger) as bob:
        assert not bob.brief(JOB)
        assert bob.follow_ups(done=True) == bob.jobs() == bob.recall_work("vendor pump") == []
        with pytest.raises(UnknownIdError):
            bob.close_follow_up(one.id)
    with CodeMemory.open(tmp_path / "store", space="~ann", reader=stranger) as pretender:
        assert not pretender.brief(JOB)
        assert pretender.follow_ups() == []
    with CodeMemory.open(tmp_path / "store", space="~ann", reader=guest) as reading:
        assert reading.brief(JOB).runs
        with pytest.raises(AccessError):
            reading.note_follow_up("x", job=JOB)
        with pytest.raises(AccessError):
            reading.close_follow_up(one.id)
    assert [each.id for each in memory.follow_ups()] == [one.id]


def test_the_record_is_searched_by_words_and_by_meaning(memory: CodeMemory) -> None:
    """Sources, verdicts, answers and promises; of one job or of all, and nothing where nothing fits."""
    memory.remember(run("run_1"))
    memory.remember(run("run_2", START + 1, job="weekly", answer="The invoice of May is unpaid.", steps=()))
    memory.note_follow_up("ask the vendor about the seal", job=JOB, due="2999-12-01")
    best = memory.recall_work("pump 7")[0]
    assert (best.kind, best.text, best.run, best.job) == ("item", "pump 7: leaking", "run_1", JOB)
    promise = memory.recall_work("call the supplier because of the gasket")[0]
    assert (promise.kind, promise.text, promise.state) == (
        "follow-up",
        "ask the vendor about the seal",
        "open, due 2999-12-01",
    )
    assert memory.recall_work("plant.example")[0].text == "https://plant.example/run_1"
    assert memory.recall_work("unpaid invoice")[0].run == "run_2"
    assert not [found for found in memory.recall_work("unpaid invoice", JOB) if found.run == "run_2"]
    assert memory.recall_work("zebra crossings in Wuppertal") == []
    assert len(memory.recall_work("pump vendor plant.example invoice", k=2)) == 2


def test_a_run_that_was_cut_off_says_so(memory: CodeMemory) -> None:
    """Its finished steps are in the brief."""
    memory.remember(run("run_1", outcome=Outcome.INTERRUPTED, answer=""))
    assert "interrupted, 2 steps\n  checked: https://plant.example/run_1" in memory.brief(JOB).text


WORKER = """
import sys, time
from pathlib import Path
from memu_code import CodeMemory, Environment, Run, Step
store, name = Path(sys.argv[1]), sys.argv[2]
other = {"a": "b", "b": "a"}[name]
with CodeMemory.open(store / "store", space="~ann") as memory:
    start = time.time()
    (store / name).touch()
    while not (store / other).exists():
        time.sleep(0.01)
    for number in range(3):
        memory.note_follow_up(f"shared {number}", job="scan", run=f"run_{name}", since=start)
        memory.note_follow_up(f"of {name} {number}", job="scan", run=f"run_{name}", since=start)
    for number in range(3):
        if number % 2 == (name == "a"):
            memory.close_follow_up(f"shared {number}", job="scan", run=f"run_{name}")
    for number in range(3):
        memory.note_follow_up(f"shared {number}", job="scan", run=f"run_{name}", since=start)
    steps = tuple(Step(n, f"visit('https://{name}/{n}')", ran=True) for n in range(1, 4))
    run = Run(f"run_{name}", "~ann", "scan", "scan", started_at=start, ended_at=time.time() + 1, steps=steps,
              environment=Environment(tools=("visit",)))
    memory.remember(run)
"""


def test_two_processes_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """Both runs are whole, each promise is there once, what one closed the other did not reopen, the brief says so."""
    CodeMemory.open(tmp_path / "store", space="~ann").close()
    for worker in [Forked(WORKER, str(tmp_path), name) for name in "ab"]:
        ended = worker.end()
        assert ended.returncode == 0, ended.stderr
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        brief = memory.brief("scan")
        known = memory.follow_ups("scan", done=True)
    assert {past.id: len(past.sources) for past in brief.runs} == {"run_a": 3, "run_b": 3}
    assert [set(pair) for pair in brief.overlaps] == [{"run_a", "run_b"}]
    assert "two runs overlapped" in brief.text
    assert sorted(one.text for one in known if one.open) == [
        f"of {name} {number}" for name in "ab" for number in range(3)
    ]
    assert sorted((one.text, one.closed_in) for one in known if not one.open) == [
        (f"shared {number}", f"run_{'a' if number % 2 else 'b'}") for number in range(3)
    ]
