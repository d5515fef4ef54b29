"""What a brief knows of the last runs: each with what its managed agents did, and which went on at the same time."""

from __future__ import annotations

from dataclasses import replace

from memu_code.model import FollowUp, Item, Outcome, Run, Source
from memu_code.runs.brief import Brief, brief_of

DAY = 86_400.0
NOW = 1_796_000_000.0  # 2026-11-29


def run(name: str, start: float, end: float, *sources: Source, parent: str = "", agent: str = "CodeAgent") -> Run:
    return Run(
        name, "~ann", "scan", job="nightly", parent=parent, agent=agent, started_at=start, ended_at=end, sources=sources
    )


def brief(*runs: Run, follow_ups: tuple[FollowUp, ...] = ()) -> Brief:
    newest = sorted((one for one in runs if not one.parent), key=lambda one: -one.started_at)
    below = sorted((one for one in runs if one.parent), key=lambda one: one.started_at)
    return brief_of(
        "nightly",
        {one.id: (one, 2) for one in newest},
        {one.id: (one, 1) for one in below},
        follow_ups,
        NOW,
    )


def test_nothing_known_is_false() -> None:
    """A job without a run and without a promise has no brief."""
    assert not brief()
    assert brief(run("run_1", 1.0, 2.0))
    assert brief(follow_ups=(FollowUp("f", "~ann", "nightly", "x"),))


def test_each_run_has_what_it_did() -> None:
    """Outcome, verdicts, steps and sources, each source once, as it went at best."""
    failed, fine = Source("https://a", "visit", 1, "TimeoutError"), Source("https://a", "requests.get", 2)
    one = replace(run("run_1", 1.0, 2.0, failed, fine), items=(Item("pump", "bad"),), outcome=Outcome.MAX_STEPS)
    (past,) = brief(one).runs
    assert (past.steps, past.outcome, past.items) == (2, Outcome.MAX_STEPS, (Item("pump", "bad"),))
    assert past.sources == (fine,)


def test_tasks_are_told_where_the_runs_of_a_job_had_different_ones() -> None:
    """Their answers would say nothing alone; where only the date differs, or nothing, it is one task."""
    one, other = replace(run("run_1", 1.0, 2.0), task="Add up A"), replace(run("run_2", 3.0, 4.0), task="Add up B")
    assert [past.task for past in brief(one, other).runs] == ["Add up B", "Add up A"]
    assert [past.task for past in brief(one, replace(other, task="Add up A")).runs] == ["", ""]
    dated = [replace(run, task=f"Add up 2026-11-0{day}") for day, run in enumerate((one, other), 1)]
    assert [past.task for past in brief(*dated).runs] == ["", ""]


def test_what_managed_agents_looked_at_belongs_to_the_run_that_called_them() -> None:
    """At any depth; the call of an agent is no source of its own."""
    top = run("run_1", 1.0, 9.0, Source("look at b", "helper", 1), Source("https://a", "visit", 1))
    helper = run("run_2", 2.0, 8.0, Source("https://b", "visit", 1), parent="run_1", agent="helper")
    deeper = run("run_3", 3.0, 4.0, Source("https://c", "visit", 1), parent="run_2", agent="deeper")
    (past,) = brief(top, helper, deeper).runs
    assert [source.what for source in past.sources] == ["https://a", "https://b", "https://c"]


def test_runs_at_the_same_time_overlap() -> None:
    """Each run that began before an earlier one had ended; one after the other do not."""
    after = [run("run_1", 1.0, 2.0), run("run_2", 2.0, 3.0), run("run_3", 5.0, 6.0)]
    assert brief(*after).overlaps == ()
    long = [run("run_1", 1.0, 10.0), run("run_2", 2.0, 3.0), run("run_3", 5.0, 6.0), run("run_4", 11.0, 12.0)]
    assert brief(*long).overlaps == (("run_1", "run_2"), ("run_1", "run_3"))


def test_follow_ups_are_open_or_done_since_the_last_run() -> None:
    """What was closed in the last run or before is not spoken of any more; what is due comes first."""
    made = FollowUp("f", "~ann", "nightly", "x", opened_at=1.0)
    known = (
        replace(made, id="later"),
        replace(made, id="due", due="2026-11-01"),
        replace(made, id="within", closed_at=50.0),
        replace(made, id="since", closed_at=150.0),
    )
    found = brief(run("run_1", 1.0, 100.0), follow_ups=known)
    assert [one.id for one in found.open] == ["due", "later"]
    assert [one.id for one in found.done] == ["since"]
    assert found.open[0].overdue(found.today)
    assert not found.open[1].overdue(found.today)
