"""A stored solution runs again in smolagents' own executors, and its process comes to an end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memu_code.integrations.reproof import remote
from memu_code.integrations.shapes import inputs_of, literal_of
from memu_code.memory import CodeMemory
from memu_code.model import Environment, EvidenceKind
from tests.integrations import kernels

JOB = {
    "code": "import json\nanswer = sorted(rows)",
    "inputs": {"rows": "[3, 1, 2]"},
    "authorized": ["json"],
    "packages": [],
    "seconds": 20.0,
    "memory": 500_000_000,
}


class Docker(kernels.Docker):
    """A container that says when it is put away."""

    away = 0

    def __init__(self, packages: list[str], logger: Any) -> None:
        super().__init__()

    def cleanup(self) -> None:
        type(self).away += 1


@pytest.fixture
def real(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        yield memory


def test_a_run_that_an_agent_made_can_be_proved_again(real: CodeMemory, code_agent: Any) -> None:
    """Its small inputs were kept; the code comes to the same answer in a new process, and that is recorded."""
    code = "def largest(rows):\n    return max(rows) + len(name)\nfound = largest(rows)\nfinal_answer(found)"
    agent = real.attach(code_agent(code))
    assert agent.run("the largest of the rows", additional_args={"rows": [3, 9], "name": "ab"}) == 11
    hits = list(real.recall("the largest of the rows"))
    check = real.check(next(hit.id for hit in hits if not hit.name))
    assert check.inputs == {"rows": "[3, 9]", "name": "'ab'"}
    assert real.reprove(check).ok
    row = real.node(check.solution.id)[2][-1]
    assert (row.kind, row.environment.sandbox) == (EvidenceKind.REPROVED_OK, "local")
    assert all(not given.value for given in real.node(check.solution.id)[0].inputs)  # type: ignore[union-attr]


def test_a_sandbox_gets_the_same_code_and_is_put_away() -> None:
    """The answer comes back as a run would have kept it, and an error as the executor words it."""
    before = Docker.away
    assert remote(JOB, Docker)() == "[1, 2, 3]"
    assert remote({**JOB, "code": "answer = 'text'"}, Docker)() == "text"
    assert remote({**JOB, "code": "answer = object()"}, Docker)() == "<no plain value>"
    with pytest.raises(Exception, match="ZeroDivisionError"):
        remote({**JOB, "code": "answer = 1 / 0"}, Docker)()
    with pytest.raises(Exception, match="it took too long"):
        remote({**JOB, "code": "while True: pass", "seconds": 0.2}, Docker)()
    assert Docker.away == before + 5


def worker(job: dict[str, Any]) -> dict[str, str]:
    command = [sys.executable, "-m", "memu_code.integrations.reproof"]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    told: dict[str, str] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize(
    ("job", "told"),
    [
        ({"code": "print('noise')\nanswer = {'b': 1.5, 'a': rows}"}, {"answer": "{'a': [3, 1, 2], 'b': 1.5}"}),
        ({"code": "raise SystemExit(3)"}, {"error": "SystemExit: 3"}),
        ({"code": "rows = [0] * 10**9\nanswer = 1"}, {"error": "MemoryError"}),
        ({"authorized": ["no_such_package"]}, {"error": "InterpreterError: Non-installed authorized modules"}),
    ],
)
def test_the_process_says_what_came_of_it(job: dict[str, Any], told: dict[str, str]) -> None:
    """Prints go nowhere, an answer is told as a run keeps it, and any error, even one that ends programs, is told."""
    found = worker({**JOB, "executor": "local", **job})
    assert found.keys() == told.keys()
    assert all(found[name].startswith(text) for name, text in told.items())


def test_the_process_needs_neither_store_nor_embedder() -> None:
    """It is there in a moment, and leaves the memory to the code."""
    code = "import sys, memu_code.integrations.reproof\nprint({'lancedb', 'torch', 'libcst'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    "value", [1, True, None, -1.5, "a'b", b"x", [1, [2, {"a": (1,)}]], {1, 2}, {}, (), [], 10**300]
)
def test_a_small_plain_value_is_kept_as_its_literal(value: object) -> None:
    """Which gives the same value again."""
    (given,) = inputs_of({"x": value})
    assert eval(given.value) == value
    assert given.value == literal_of(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x", "a" * 2_000),
        ("x", list(range(2_000))),
        ("x", [10**5_000]),
        ("x", float("nan")),
        ("x", object()),
        ("x", Environment()),
        ("x", [[[[[[[[1]]]]]]]]),
        ("x", "postgres://ann:hunter22@host/db"),
        ("x", {"password": "hunter22"}),
        ("x", ["ghp_" + "a1B2" * 9]),
        ("api_key", "x"),
        ("auth", 1234),
        ("x", set()),
    ],
)
def test_what_is_large_secret_or_no_plain_value_is_not_kept(name: str, value: object) -> None:
    """Only its type and shape are."""
    (given,) = inputs_of({name: value})
    assert given.seen
    assert given.value == ""


def test_all_values_of_a_run_together_are_small() -> None:
    """The first ones are kept until there is no room."""
    given = inputs_of({f"x{number}": "a" * 900 for number in range(10)})
    assert [bool(item.value) for item in given] == [True] * 4 + [False] * 6
