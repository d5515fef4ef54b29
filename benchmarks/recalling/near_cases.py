"""Pairs of wordings of which is known whether the code stored for the one solves the other."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.extracting.rows import rows
from benchmarks.recalling.edits import SEEN, UNSEEN, Edit, added, mutants
from benchmarks.recalling.questions import fold
from benchmarks.recalling.verdicts import PASSED, WRONG, verdicts

NEAR = 0.7  # cosine of two tasks' wordings from which one is easily taken for the other
A_TASK = 8  # edits of one task in each group, so that no task outweighs the others
SEEN_WORD, UNSEEN_WORD, ADDED_SENTENCE, NEAR_TASK = "seen word", "unseen word", "added sentence", "near task"
EDITED = (SEEN_WORD, UNSEEN_WORD, ADDED_SENTENCE)
_REWORDED = ("sanitized", "BackTranslation")  # wordings that are edited: those that read like a person's


@dataclass(frozen=True, slots=True)
class Case:
    """`changed` says that the code stored under `stored` fails the tests of what is asked for."""

    set: str
    task: str
    group: str
    asked: str
    stored: str
    changed: bool

    @property
    def fold(self) -> int:
        return fold(self.task)


def tasks(data: Path, name: str) -> list[dict[str, Any]]:
    """The tasks of a set whose own code passes its tests."""
    return [row for row in rows(data / name / "docs.jsonl") if row["oracle"] == "ok"]


def reworded(data: Path, name: str, docs: Sequence[dict[str, Any]]) -> list[Case]:
    """The set's own rewordings: the same task in other words."""
    texts = {doc["doc_id"]: doc["text"] for doc in docs}
    queries = [row for row in rows(data / name / "queries.jsonl") if not row["same_wording"]]
    return [
        Case(name, row["rel"][0], row["kind"], row["query"], texts[row["rel"][0]], False)
        for row in queries
        if row["rel"][0] in texts
    ]


def edited(name: str, docs: Sequence[dict[str, Any]], others: Sequence[Case]) -> list[Case]:
    """Wordings with one requirement changed, where the code that was changed alike fails the task's tests."""
    wordings: dict[str, list[str]] = defaultdict(list)
    for case in others:
        if case.group in _REWORDED:
            wordings[case.task].append(case.asked)
    drafts: list[tuple[Case, list[str], str]] = []
    for doc in docs:
        test = f"{doc['test']}\ncheck({doc['entry_point']})\n"
        mutated: dict[str, list[str]] = {}
        for edit, asked in _edits([doc["text"], *wordings[doc["doc_id"]]]):
            if edit.change not in mutated:
                mutated[edit.change] = mutants(doc["code"], edit.change)
            group = UNSEEN_WORD if edit.unseen else SEEN_WORD
            drafts.append((Case(name, doc["doc_id"], group, asked, doc["text"], True), mutated[edit.change], test))
        for edit, wrapper in added(doc["entry_point"], test):
            case = Case(name, doc["doc_id"], ADDED_SENTENCE, edit.reword(doc["text"]), doc["text"], True)
            drafts.append((case, [f"{doc['code']}\n{wrapper}"], test))
    programs = sorted({(code, test) for _, codes, test in drafts for code in codes})
    wrong = {program for program, verdict in zip(programs, verdicts(programs), strict=True) if verdict == WRONG}
    taken: dict[tuple[str, str], int] = defaultdict(int)
    kept = []
    for case, codes, test in drafts:
        place = (case.task, case.group)
        if taken[place] < A_TASK and any((code, test) in wrong for code in codes):
            taken[place] += 1
            kept.append(case)
    return kept


def _edits(wordings: Sequence[str]) -> Iterator[tuple[Edit, str]]:
    seen = set(wordings)
    for edit in (*SEEN, *UNSEEN):
        for wording in wordings:
            asked = edit.reword(wording)
            if asked not in seen:
                seen.add(asked)
                yield edit, asked


def neighbours(name: str, docs: Sequence[dict[str, Any]], vectors: NDArray[np.float32], kept: set[str]) -> list[Case]:
    """Each task asked for in its own words where only a near one is stored; changed where that one's code fails.

    `vectors` has a row for each of the docs; stored are those whose id is in `kept`.
    """
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0.0)
    drafts = []
    for asked, stored in zip(*np.nonzero(cosines >= NEAR), strict=True):
        wanted, other = docs[asked], docs[stored]
        if other["doc_id"] in kept and _arity(wanted) == _arity(other) and wanted["text"] != other["text"]:
            drafts.append((wanted, other))
    programs = [(other["code"], f"{wanted['test']}\ncheck({other['entry_point']})\n") for wanted, other in drafts]
    return [
        Case(name, other["doc_id"], NEAR_TASK, wanted["text"], other["text"], verdict != PASSED)
        for (wanted, other), verdict in zip(drafts, verdicts(programs), strict=True)
    ]


def _arity(doc: dict[str, Any]) -> int:
    found = [
        len(node.args.args)
        for node in ast.walk(ast.parse(doc["code"]))
        if isinstance(node, ast.FunctionDef) and node.name == doc["entry_point"]
    ]
    return found[-1] if found else -1
