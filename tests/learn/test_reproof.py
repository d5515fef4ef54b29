"""A stored solution is proved again by the inputs and the answer of its run, and only where that is safe and fair."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory, Environment, Reader, Right
from memu_code.errors import AccessError, MemuCodeError, UnknownIdError, UsageError
from memu_code.extractors.code.words import words
from memu_code.learn import reproof
from memu_code.learn.checks import Check, Unchecked
from memu_code.learn.checks import _reason as not_checkable
from memu_code.learn.isolation import TOO_MUCH, Ended
from memu_code.learn.keep import keep
from memu_code.model import DAY, Evidence, EvidenceKind, Extraction, Input, Run, Solution, State, Step

FUNCTION = '''\
import statistics

def spread(rows):
    """The spread of the readings."""
    return max(rows) - min(rows) + statistics.mean([0])
'''
CODE = f"{FUNCTION}\nfound = spread(rows)\nfinal_answer(found)"
ROWS = Input("rows", "list[int] len 3", "[3, 9, 4]")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as opened:
        yield opened


def learn(
    memory: CodeMemory, code: str = CODE, answer: str = "6", name: str = "run_1", **fields: object
) -> list[Solution]:
    """The solutions that a run teaches which came to this answer by this code: the main one first."""
    values = {
        "inputs": (ROWS,),
        "ended_at": time.time(),
        "environment": Environment("local", "3.11.7", (), ("statistics", "math")),
        **fields,
    }
    run = Run(
        name,
        memory.space,
        f"the spread of the readings {name}",
        actor="ann",
        answer=answer,
        steps=(Step(1, code, ran=True, final=True),),
        **values,  # type: ignore[arg-type]
    )
    found = [node for node in memory.remember(run).nodes if isinstance(node, Solution)]
    return sorted(found, key=lambda solution: solution.name)


def check(memory: CodeMemory, solution: Solution) -> Check:
    found = memory.check(solution.id)
    assert isinstance(found, Check), found
    return found


def reason(memory: CodeMemory, solution: Solution) -> str:
    found = memory.check(solution.id)
    assert isinstance(found, Unchecked)
    return found.reason


def kinds(memory: CodeMemory, solution: Solution) -> list[EvidenceKind]:
    return [row.kind for row in memory.node(solution.id)[2]]


def test_the_same_answer_is_evidence_for_it(memory: CodeMemory) -> None:
    """It runs with the inputs of its run, as a function through the code that called it, and its place is kept."""
    main, function = learn(memory)
    found = check(memory, function)
    assert (found.carrier, found.inputs, found.authorized) == (main, {"rows": "[3, 9, 4]"}, ("statistics",))
    done = memory.reprove(found)
    assert (done.ok, done.reason, done.executor) == (True, "", "local")
    for solution in (main, function):
        row = memory.node(solution.id)[2][-1]
        assert (row.kind, row.environment.sandbox, row.actor) == (EvidenceKind.REPROVED_OK, "local", memory.actor)
        assert row.environment.authorized_imports == ("statistics",)
    assert memory.node(function.id)[1].successes == 2


def test_another_answer_is_evidence_against_the_code_that_ran(memory: CodeMemory) -> None:
    """The function that was only carried loses nothing: who knows where it went wrong."""
    main, function = learn(memory, answer="7")
    done = memory.reprove(check(memory, function))
    assert (done.ok, done.reason) == (False, "it gave 6, not 7")
    assert kinds(memory, main)[-1] is EvidenceKind.REPROVED_FAILED
    assert EvidenceKind.REPROVED_FAILED not in kinds(memory, function)
    assert memory.node(main.id)[2][-1].note == "it gave 6, not 7"


def test_hostile_code_is_a_failure_and_no_more(memory: CodeMemory) -> None:
    """Code that ends its process, once it may import what that takes, ends nothing else."""
    (main, *_) = learn(memory)
    hostile = replace(main, code="import os\nos._exit(3)", imports=("os",), inputs=())
    run = replace(check(memory, main).run, environment=Environment(authorized_imports=("*",)))
    done = memory.reprove(Check(hostile, hostile, run))
    assert (done.ok, done.reason) == (False, "its process left with exit code 3")


def test_what_its_run_was_not_allowed_it_is_not_now(memory: CodeMemory) -> None:
    """An import beyond the run's own is refused by the interpreter, and the matrix says what it fails on."""
    (main, *_) = learn(memory)
    done = memory.reprove(Check(replace(main, code="import os\nanswer = os.getcwd()"), main, check(memory, main).run))
    assert done.ok
    sly = replace(main, code="import os\nanswer = os.getcwd()")
    done = memory.reprove(Check(sly, sly, check(memory, main).run))
    assert (done.ok, done.reason.partition(" Auth")[0]) == (False, "InterpreterError: Import of os is not allowed.")


@pytest.mark.parametrize(
    ("code", "fields", "why"),
    [
        (CODE, {"inputs": (Input("rows", "list[int] len 900000"),)}, "the value of rows was not kept"),
        ("import random\nfinal_answer(random.random() + len(rows))", {}, "it uses random.random"),
        (
            "import datetime\nfinal_answer(str(datetime.datetime.now()) + str(rows))",
            {},
            "it uses datetime.datetime.now",
        ),
        (
            "found = look(rows)\nfinal_answer(found)",
            {"environment": Environment(tools=("look",))},
            "it calls look, which only an agent has",
        ),
        ("import numpy\nfinal_answer(int(numpy.loadtxt('data.txt').sum()))", {}, "it uses numpy.loadtxt"),
        ("import sqlite3\nfinal_answer(len(list(sqlite3.connect('a.db'))))", {}, "it uses sqlite3.connect"),
        (CODE, {"answer": "<DataFrame 3x2>"}, "its answer is no plain value"),
        (CODE, {"answer": ""}, "its answer is no plain value"),
        (
            CODE,
            {"inputs": (replace(ROWS, value="'ghp_" + "a1B2" * 9 + "'"),)},
            "a secret was taken out of it",
        ),
    ],
)
def test_what_proves_nothing_is_said_and_not_run(
    memory: CodeMemory, code: str, fields: dict[str, object], why: str
) -> None:
    """Unknown inputs, moments, tools, answers that are no values, and what was redacted."""
    fields = {"answer": "6", **fields}
    (main, *_) = learn(memory, code, **fields)  # type: ignore[arg-type]
    assert why in reason(memory, main)


OUTSIDE = words(
    "pandas.read_csv numpy.loadtxt sqlite3.connect polars.read_parquet polars.scan_csv zipfile.ZipFile PIL.Image.open "
    "openpyxl.load_workbook json.load tarfile.open open pathlib.Path os.environ os.getcwd sys.argv sys.stdin "
    "urllib3.PoolManager requests.get urllib.request.urlopen socket.socket sqlalchemy.create_engine "
    "pandas.Timestamp.now pandas.Timestamp.today datetime.datetime.now datetime.date.today time.time time.gmtime "
    "time.strftime arrow.utcnow random.choice numpy.random.default_rng secrets.token_hex uuid.uuid4 "
    "scipy.stats.norm.rvs locale.setlocale platform.node input id hash"
)
WITHIN = words(
    "json.loads re.search math.sqrt datetime.datetime.strptime time.strptime os.path.join uuid.uuid5 statistics.mean "
    "numpy.sum pandas.DataFrame csv.reader itertools.chain hashlib.sha256 collections.Counter sys.maxsize "
    "urllib.parse.urlparse random_words.pick knowledge.sum"
)


@pytest.mark.parametrize(("names", "refused"), [(OUTSIDE, True), (WITHIN, False)], ids=["outside", "within"])
def test_what_looks_outside_of_the_code_is_not_run(names: frozenset[str], refused: bool) -> None:
    """Files by whichever package, network, time, chance and the machine; names that resemble these are let through."""
    run = Run("run_1", "~ann", "x", answer="1")
    told = {name: not_checkable(run, Solution("~ann", "a", "x", symbols=(name,))) for name in names}
    why = "its answer depends on where and when it runs: it uses {}"
    assert told == {name: why.format(name) if refused else "" for name in names}


def test_a_world_that_is_not_here_is_no_failure(memory: CodeMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file or network says nothing of the code, and nothing is kept of it; its own errors do."""
    (main, *_) = learn(memory)
    found, before = check(memory, main), kinds(memory, main)

    def verdict(error: str) -> bool | None:
        monkeypatch.setattr(reproof, "isolated", lambda *_, **__: Ended(json.dumps({"error": error}).encode()))
        return memory.reprove(found).ok

    for error in (
        "FileNotFoundError: [Errno 2] No such file or directory: 'data.txt'",
        "OperationalError: unable to open database file",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "HTTPError: HTTP Error 503: Service Unavailable",
        "TimeoutError: it took too long",
    ):
        assert verdict(error) is None, error
    assert kinds(memory, main) == before
    assert verdict("KeyError: 'rows'") is False
    assert kinds(memory, main) == [*before, EvidenceKind.REPROVED_FAILED]


def test_time_by_the_clock_is_no_verdict_and_processor_time_is(
    memory: CodeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits may be on a machine that is busy; who computes for too long is too slow."""
    (main, *_) = learn(memory)
    found = check(memory, main)
    before = kinds(memory, main)
    for reason, ok in (("it took longer than 65 s", None), (f"{TOO_MUCH} than it may have", False)):
        monkeypatch.setattr(reproof, "isolated", lambda *_, why=reason, **__: Ended(b"", why))
        done = memory.reprove(found)
        assert (done.ok, done.reason) == (ok, reason)
    assert kinds(memory, main) == [*before, EvidenceKind.REPROVED_FAILED]


def test_proofs_of_days_to_come_are_looked_at_again(memory: CodeMemory) -> None:
    """A clock that was ahead keeps nothing from being due for ever."""
    now = time.time()
    (main, *_) = learn(memory, "found = sum(rows)\nfinal_answer(found)", "16", ended_at=now * 1000)
    assert [(found.solution.id, found.due) for found in memory.due(now)] == [
        (main.id, "all its proofs are dated later than today")
    ]
    assert memory.reprove(check(memory, main)).ok
    assert memory.due(time.time()) == []


def test_what_fails_each_night_is_retired_and_no_longer_due(memory: CodeMemory) -> None:
    """Three nights in a row are enough, whoever looks."""
    (main, *_) = learn(memory, "found = sum(rows)\nfinal_answer(found)", "17", ended_at=time.time() - 40 * DAY)
    nights = 0
    while due := memory.due():
        (found,) = due
        assert isinstance(found, Check)
        assert memory.reprove(found).ok is False
        nights += 1
        assert nights <= 3
    known = memory.node(main.id)[1]
    assert known.state is not State.PROVEN
    assert known.failures == nights


def test_a_seeded_function_has_no_check(memory: CodeMemory, tmp_path: Path) -> None:
    """No run shows how it is called; a node that is no solution cannot be proved at all."""
    (tmp_path / "money.py").write_text('def vat(x):\n    """Add the value added tax."""\n    return x * 1.19\n')
    memory.seed(tmp_path / "money.py")
    hit = next(iter(memory.recall("add the value added tax")))
    found = memory.check(hit.id)
    assert isinstance(found, Unchecked)
    assert found.reason.startswith("no run is kept")
    (problem,) = (other for _, other in memory.related(hit.id))
    with pytest.raises(MemuCodeError, match="only solutions"):
        memory.check(problem.id)
    with pytest.raises(UnknownIdError):
        memory.check("solution_ffff")


def test_code_of_a_space_that_is_not_trusted_never_runs(memory: CodeMemory) -> None:
    """Neither looked up nor handed over, and nothing is due there."""
    (main, *_) = learn(memory, ended_at=1.0)
    found = check(memory, main)
    watcher = Reader("bob", {"~ann": frozenset({Right.READ}), "~bob": frozenset(Right)})
    with CodeMemory.open(memory.settings.store, space="~bob", reader=watcher) as bob:
        assert bob.node(main.id)[0] == main
        with pytest.raises(AccessError, match="~ann"):
            bob.check(main.id)
        with pytest.raises(AccessError, match="is not run"):
            bob.reprove(found)
        assert bob.due() == []
    assert len(kinds(memory, main)) == 2


def test_the_right_to_write_is_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where others write too, code runs only if the setting names the space; so it is for agents."""
    team = Reader("ann", {"acme": frozenset(Right), "~ann": frozenset(Right)})
    store = tmp_path / "store"
    with CodeMemory.open(store, space="acme", reader=team) as ann:
        (main, *_) = learn(ann, ended_at=1.0)
        with pytest.raises(AccessError, match="MEMU_CODE_TRUST=acme"):
            ann.check(main.id)
        assert ann.due() == []
        assert (ann.trusts("acme"), ann.trusts("~ann")) == (False, False)
    monkeypatch.setenv("MEMU_CODE_TRUST", "acme, ~ann, other")
    with CodeMemory.open(store, space="acme", reader=team) as ann:
        found = check(ann, main)
        assert found.solution.id in {due.solution.id for due in ann.due()}
        assert ann.trusted == {"acme", "~ann"}
        with pytest.raises(AccessError, match="may not write there"):
            ann.reprove(replace(found, carrier=replace(found.carrier, space="other")))
        assert ann.reprove(found).ok


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"executor": "mars"}, "no executor 'mars'"),
        ({"seconds": 0.0}, "time limit"),
        ({"seconds": float("nan")}, "time limit"),
        ({"seconds": 1e9}, "time limit"),
    ],
)
def test_wrong_usage_is_refused_before_anything_runs(memory: CodeMemory, fields: dict[str, object], error: str) -> None:
    """An executor that does not exist, and a time that is none."""
    (main, *_) = learn(memory)
    with pytest.raises(UsageError, match=error):
        memory.reprove(check(memory, main), **fields)  # type: ignore[arg-type]


def test_a_sandbox_that_is_not_there_is_no_evidence(memory: CodeMemory) -> None:
    """What is missing is this machine's fault; the sentence says what to install."""
    (main, *_) = learn(memory)
    with pytest.raises(MemuCodeError, match=r"executor e2b cannot be used here.*install"):
        memory.reprove(check(memory, main), executor="e2b")
    assert len(kinds(memory, main)) == 2


def test_old_proofs_are_due_and_what_packages_have_overtaken(memory: CodeMemory) -> None:
    """After thirty days, the oldest first; a fresh proof, and what was never proven, is not."""
    now = time.time()
    old = learn(memory, ended_at=now - 40 * 86_400)
    assert [(found.solution.id, found.due) for found in memory.due(now)] == [
        (solution.id, "not seen to work for 40 days") for solution in sorted(old, key=lambda one: one.id)
    ]
    assert memory.due(now - 15 * 86_400) == []
    moved = "import numpy\nfound = int(numpy.sum(rows))\nfinal_answer(found)"
    packages = (("numpy", "0.1.0"),)
    environment = Environment("local", "3.11.7", packages, ("numpy",))
    (main,) = learn(memory, moved, "16", "run_2", environment=environment, ended_at=now)
    due = {found.solution.id: found.due for found in memory.due(now)}
    assert "and it was seen to work with 0.1.0" in due[main.id]
    assert memory.node(main.id)[1].state is State.TRIAL
    (hit,) = (hit for hit in memory.recall("the spread of the readings run_2") if hit.id == main.id)
    assert (hit.state, "0.1.0" in hit.reason) == (State.TRIAL, True)
    assert memory.reprove(check(memory, main)).ok
    assert memory.node(main.id)[1].state is State.PROVEN
    assert main.id not in {found.solution.id for found in memory.due(now)}


def test_what_is_retired_or_failed_is_not_due(memory: CodeMemory) -> None:
    """Only proofs grow old."""
    (main, *_) = learn(memory, "found = sum(rows)\nfinal_answer(found)", "16", ended_at=1.0)
    rows = tuple(
        Evidence("~ann", main.id, EvidenceKind.USED_FAILED, "ann", float(number), f"bad_{number}")
        for number in range(2, 8)
    )
    keep(memory._open_store(), memory.reader, memory._embedder, Extraction(evidence=rows))
    assert memory.due() == []
