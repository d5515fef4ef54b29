"""An audit finds what is wrong or useless, each thing in its place, and nothing where all is well."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from memu_code.errors import UsageError
from memu_code.extractors.code.structure import structure
from memu_code.graph import Embedded, EmbedderMark, Store
from memu_code.integrations.hints import hint
from memu_code.learn.audit import Audit, audit
from memu_code.model import (
    Clean,
    Edge,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Found,
    Hit,
    Kind,
    Node,
    Offer,
    Origin,
    Problem,
    Reader,
    Relation,
    Right,
    Run,
    Solution,
    State,
    Step,
)
from memu_code.recall.render import OWN_WORDS, render

K = EvidenceKind
NOW = 1_790_000_000.0
DAY = 86_400.0
ALL = Reader("ann", {space: frozenset(Right) for space in ("~ann", "acme", "~bob")})
ANN = Reader("ann", {space: frozenset(Right) for space in ("~ann", "acme")})
CODE = """\
rows = [row.strip().split(';') for row in text.splitlines() if row]
answer = {row[0]: float(row[1]) for row in rows}
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2


class Shelf:
    """A store to put things into as they are, past redaction and extraction."""

    def __init__(self, place: Path) -> None:
        self.store = Store(str(place), EmbedderMark("none", 2, "00"))

    def put(self, *nodes: Node, edges: tuple[Edge, ...] = (), rows: tuple[Evidence, ...] = ()) -> None:
        how = {node.id: Embedded("x", "x", np.array([1.0, 0.0], dtype=np.float32)) for node in nodes}
        self.store.write(Clean(Extraction(nodes, edges, rows)), how, ALL)

    def run(self, name: str, *made: Node, **fields: object) -> None:
        """A run of now, and the nodes that it produced."""
        space = made[0].space if made else "~ann"
        values = {"task": "sum the export", "answer": "1", **fields}
        self.store.write_run(Clean(Run(name, space, ended_at=NOW, **values)), ALL)  # type: ignore[arg-type]
        self.put(*made, edges=tuple(Edge(space, name, Relation.PRODUCED, node.id) for node in made))

    def look(self, days: float = 90.0, reader: Reader = ANN) -> Audit:
        return audit(self.store.as_seen_by(reader), unseen_days=days, now=NOW)

    def found(self, name: str, days: float = 90.0) -> list[tuple[str, ...]]:
        """The ids of each group of one finding."""
        return [group.ids for group in self.look(days)[name].groups]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "store")


def solution(code: str = CODE, space: str = "~ann", **fields: object) -> Solution:
    return Solution(space, code, structure(code), **fields)  # type: ignore[arg-type]


def fix(*delta: str, space: str = "~ann", signature: str = "ValueError") -> ErrorFix:
    return ErrorFix(space, signature, "ValueError", "bad", "x", "y", delta)


def seen(node: Node, kind: EvidenceKind, days_ago: float = 0.0, run: str = "run_1") -> Evidence:
    return Evidence(node.space, node.id, kind, "ann", NOW - days_ago * DAY, run)


def ids(*nodes: Node) -> tuple[str, ...]:
    return tuple(sorted(node.id for node in nodes))


def test_a_memory_in_good_order_has_no_findings(shelf: Shelf) -> None:
    """Two solutions of two runs, shown and used: every finding is there, and all are empty."""
    one, two = solution(), solution("import re\nanswer = re.findall(r'[a-z]+@[a-z.]+', load('mails'))\n")
    shelf.run("run_1", one)
    shelf.run("run_2", two, task="find the addresses")
    shelf.put(rows=tuple(seen(node, kind) for node in (one, two) for kind in (K.RAN_OK, K.SHOWN, K.USED)))
    report = shelf.look()
    assert report.nodes == 2
    assert {finding.name: finding.groups for finding in report.findings} == dict.fromkeys(
        (
            "exact_duplicates",
            "near_duplicates",
            "echoes",
            "never_used",
            "not_shown",
            "contradicting",
            "secrets",
            "speaks_to_the_model",
            "without_provenance",
        ),
        (),
    )


def test_the_same_code_in_two_spaces_is_an_exact_duplicate(shelf: Shelf) -> None:
    """Other locals and comments do not matter, and neither does a space that the reader may not see."""
    mine, ours = solution(), solution(CODE.replace("row", "line") + "# sums\n", "acme")
    theirs = solution(space="~bob")
    shelf.put(mine, ours, theirs)
    assert shelf.found("exact_duplicates") == [ids(mine, ours)]
    assert shelf.found("near_duplicates") == []
    assert shelf.look()["exact_duplicates"].groups[0].why == "in acme, ~ann"


def test_a_renamed_function_is_a_near_duplicate(shelf: Shelf) -> None:
    """Code that differs in its public names only has another structure, and looks the same; tiny code says nothing."""
    function = "def total(rows):\n    return sum(float(row['amount']) for row in rows if row['state'] == 'paid')\n"
    one, two = solution(function), solution(function.replace("total", "paid_sum").replace("rows", "items"))
    other = solution(function.replace("'paid'", "'open'"))
    small = [solution(f"def {name}(x):\n    return x\n") for name in "ab"]
    shelf.put(one, two, other, *small)
    assert shelf.found("near_duplicates") == [ids(one, two)]


def test_words_of_the_block_and_copies_of_an_offer_are_echoes(shelf: Shelf) -> None:
    """What an agent took over from its prompt is no knowledge of its own."""
    offered, copied = solution(space="acme"), solution(CODE)
    hit = Hit(offered.id, Kind.SOLUTION, 0.9, {}, State.PROVEN, "sum", CODE, name="f", signature="f(x)")
    block, _ = render([hit], len, trusted={hit.space}, callables=frozenset({offered.id}), budget=9_000)
    told = Problem("~ann", f"Sum the export. {block}")
    shelf.put(offered)
    shelf.run("run_1", copied, told, offers=(Offer(offered.id, "text", "", CODE),))
    assert shelf.found("echoes") == sorted([ids(copied), ids(told)])


def test_our_own_words_are_known_wherever_we_say_them() -> None:
    """The block, its list of functions and a hint each hold a sentence that the audit looks for."""
    hit = Hit("solution_1", Kind.SOLUTION, 0.9, {}, State.PROVEN, "sum", CODE, name="f", signature="f(x)")
    block, _ = render(Found((hit,)).hits, len, trusted={hit.space}, callables=frozenset({"solution_1"}), budget=9_000)
    known = Hit("fix_1", Kind.ERROR_FIX, 0.9, {}, State.PROVEN, "ValueError", "- a\n+ b")
    said = hint([known], False, lambda space: True)
    told = [words for words in OWN_WORDS if words in " ".join(block.split()) or words in said]
    assert len(told) == len(OWN_WORDS)


@pytest.mark.parametrize(("shown", "used", "found"), [(5, 0, True), (4, 0, False), (9, 1, False)])
def test_what_is_shown_and_never_used_is_found(shelf: Shelf, shown: int, used: int, found: bool) -> None:
    """Five runs that did not use it say something; one run that did is enough."""
    node = solution()
    rows = [seen(node, K.SHOWN, run=f"run_{number}") for number in range(shown)]
    rows += [seen(node, K.SHOWN, days_ago=0.1, run="run_0")]  # the same run twice is one run
    shelf.put(node, rows=(*rows, *(seen(node, K.USED, run=f"run_{number}") for number in range(used))))
    assert shelf.found("never_used") == ([ids(node)] if found else [])


@pytest.mark.parametrize(
    ("known", "shown", "found"),
    [(100, None, True), (100, 95, True), (100, 10, False), (10, None, False), (-5, None, False)],
)
def test_what_nobody_was_shown_for_long_is_found(shelf: Shelf, known: float, shown: float | None, found: bool) -> None:
    """It must have been known for as long; what claims to be from the future is as new as can be."""
    node = solution()
    rows = (seen(node, K.RAN_OK, known), *([seen(node, K.SHOWN, shown)] if shown is not None else []))
    shelf.put(node, rows=rows)
    assert shelf.found("not_shown") == ([ids(node)] if found else [])
    assert shelf.found("not_shown", days=365.0) == []


def test_different_answers_to_one_task_contradict(shelf: Shelf) -> None:
    """Two solutions that answered the same task differently; not one that gives each day's own answer."""
    one, two, daily = solution(), solution(CODE.replace("float", "int")), solution("answer = len(load('today'))\n")
    shelf.run("run_1", one, answer="{'a': 1.5}")
    shelf.run("run_2", two, answer="{'a': 1}", task="Sum  THE export")
    for number in range(3):
        shelf.run(f"run_d{number}", daily, task="count today's rows", answer=str(number))
    shelf.run("run_8", solution("answer = 1 + len(load('a'))\n"), answer="7", task="count the rows")
    shelf.run("run_9", solution("answer = 2 + len(load('a'))\n"), answer="7", task="count the rows")
    assert shelf.found("contradicting") == [ids(one, two)]


def test_fixes_that_undo_each_other_contradict(shelf: Shelf) -> None:
    """One takes out what the other puts in, and the other way round."""
    one, two = fix("- f = '%Y'", "+ f = '%G'"), fix("- f = '%G'", "+ f = '%Y'", signature="KeyError")
    shelf.put(one, two, fix("- f = '%d'", "+ f = '%G'"), fix("+ f = '%Y'"))
    assert shelf.found("contradicting") == [ids(one, two)]


def test_a_stored_secret_is_found_wherever_it_lies(shelf: Shelf) -> None:
    """In code, in a note, in a run's answer, in a step: each is named by its id, and the secret is not repeated."""
    code, noted = solution(f"key = '{KEY}'\nanswer = call(key)\n"), solution()
    note = Evidence("~ann", noted.id, K.DOWN, "ann", NOW, note=f"use {KEY}")
    shelf.put(code, noted, rows=(note,))
    shelf.run("run_answer", answer=KEY)
    shelf.run("run_step", steps=(Step(1, f"print('{KEY}')", ran=True),))
    shelf.run("run_clean", answer="[redacted:openai_key] was there")
    report = shelf.look()
    assert report["secrets"].ids == tuple(sorted([code.id, noted.id, "run_answer", "run_step"]))
    assert {group.why for group in report["secrets"].groups} == {"openai_key"}
    assert KEY not in repr(report)


def test_what_nobody_vouches_for_is_found(shelf: Shelf) -> None:
    """No run, no repository, no feedback; a verdict that was taken back vouches for nothing."""
    made, alone = solution(), solution("answer = 1 + len(load('a'))\n")
    seeded = solution("answer = 2 + len(load('a'))\n", origin=Origin("/r", "a.py", "f", 1, "00"))
    praised, doubted = (solution(f"answer = {number} + len(load('a'))\n") for number in (3, 4))
    orphan = fix("- a", "+ b")
    up, down = seen(praised, K.UP, run=""), seen(doubted, K.DOWN, run="")
    undone = Evidence("~ann", doubted.id, K.UNDONE, "ann", NOW, note=down.id)
    shelf.run("run_1", made)
    shelf.put(alone, seeded, praised, doubted, orphan, Problem("~ann", "a task"), rows=(up, down, undone))
    assert shelf.look()["without_provenance"].ids == ids(alone, doubted, orphan)


def test_code_that_cannot_be_read_is_looked_over_all_the_same(shelf: Shelf) -> None:
    """Broken, deep and empty code neither stops an audit nor counts as alike."""
    shelf.put(
        *(solution(code) for code in ("def (", "x = " + "[" * 1500, "", "\ud800".encode("utf-8", "replace").decode()))
    )
    report = shelf.look()
    assert report["near_duplicates"].groups == ()
    assert report.nodes == 4


@pytest.mark.parametrize("days", [-1.0, math.nan, math.inf])
def test_a_number_of_days_that_is_none_is_wrong_usage(shelf: Shelf, days: float) -> None:
    """It is told before anything is read."""
    with pytest.raises(UsageError, match="number of days"):
        shelf.look(days)
