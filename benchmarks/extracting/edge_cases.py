"""Edge cases: of those that the extractor finds in public code, how many are right, by kind and by hand.

The sample is drawn anew each time: of each kind the first few by the hash of row and finding. What is in the sample and
was not judged yet counts against the goal, so the list cannot go stale behind a change of the extractor. The kinds were
narrowed after a look at this sample. A second one, the next of each kind, was judged once and no kind was changed
for it; it is told apart, without a goal, and with how many of it are no longer found.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.rows import rows
from memu_code.extractors.code.parse import Unparsable
from memu_code.extractors.edge_cases import edge_cases
from memu_code.extractors.edge_cases.kinds import KINDS

PER_KIND = 4  # findings of each kind that are judged, as far as there are so many
QUICK_ROWS = 60  # of each set
CHECKED = Path(__file__).with_name("edge_cases_checked.json")
_TASKS = ("mbpp", "humaneval", "bigcodebench")
_MORE = ("cosqa",)  # functions of public repositories, for kinds that the others hold too little of


@dataclass(frozen=True, slots=True)
class Finding:
    """One edge case in one row; `key` tells it from all others without a word of the data."""

    row: str
    kind: str
    condition: str
    handling: str

    @property
    def key(self) -> str:
        told = "\0".join((self.row, self.kind, self.condition, self.handling))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def findings(data: Path, quick: bool) -> tuple[list[Finding], list[Finding]]:
    """What is found in tasks and traces, and what is found in the functions that fill the sample up."""
    first = [case for row, code in _codes(data, _TASKS, quick) for case in _found(row, code)]
    first += [case for row, code in _traces(data, quick) for case in _found(row, code)]
    return first, [case for row, code in _codes(data, _MORE, quick) for case in _found(row, code)]


def sample(found: list[Finding], more: list[Finding]) -> list[Finding]:
    """Some findings of each kind, the same for the same findings."""
    by_kind: dict[str, list[Finding]] = defaultdict(list)
    for group in (found, more):
        for case in sorted(group, key=lambda case: case.key):
            if len(by_kind[case.kind]) < PER_KIND:
                by_kind[case.kind].append(case)
    return [case for kind in KINDS for case in by_kind[kind]]


def measure(data: Path, quick: bool = False) -> Part:
    """Precision by kind and in all, over the judged findings of the sample."""
    found, more = findings(data, quick)
    checked = json.loads(CHECKED.read_text(encoding="utf-8"))
    judged = {item["case"]: item["right"] for item in checked if "draw" not in item}
    second = {item["case"]: item["right"] for item in checked if "draw" in item}
    drawn = [*found, *more] if quick else sample(found, more)  # a quick look judges whatever it meets of the list
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for case in drawn:
        if case.key in judged:
            seen[case.kind] += 1
            right[case.kind] += judged[case.key]
    total = sum(seen.values())
    precision = sum(right.values()) / total if total else 0.0
    unjudged = len(drawn) - total
    again = [second[key] for key in dict.fromkeys(case.key for case in (*found, *more)) if key in second]
    figures: dict[str, Any] = {
        "kinds": len(KINDS),
        "found": len(found),
        "found_by_kind": dict(sorted(Counter(case.kind for case in found).items())),
        "judged": total,
        "unjudged": unjudged,
        "precision": round(precision, 4),
        "precision_by_kind": {kind: f"{right[kind]} of {seen[kind]}" for kind in KINDS if seen[kind]},
        "second_draw": f"{sum(again)} right of {len(again)}",
        "second_draw_precision": round(sum(again) / len(again), 4) if again else "not measured",
        "second_draw_no_longer_found": "not measured" if quick else len(second) - len(again),
        "never_seen": [kind for kind in KINDS if not seen[kind]],
    }
    goals = [Goal("kinds of edge cases", len(KINDS), 16, "at least")]
    goals.append(Goal("precision of edge cases", precision, 0.95, "at least"))
    if not quick:
        goals.append(Goal("edge cases of the sample that nobody judged", unjudged, 0, "at most"))
    return Part("edge_cases", figures, tuple(goals))


def _found(row: str, code: str) -> Iterator[Finding]:
    try:
        for kind, case in edge_cases(code):
            yield Finding(row, kind, *case)
    except Unparsable:
        return


def _codes(data: Path, sets: tuple[str, ...], quick: bool) -> Iterator[tuple[str, str]]:
    for name in sets:
        for row in rows(data / name / "docs.jsonl")[: QUICK_ROWS if quick else None]:
            yield row["doc_id"], row["code"]


def _traces(data: Path, quick: bool) -> Iterator[tuple[str, str]]:
    for row in rows(data / "agent_traces" / "smolagents.jsonl")[: QUICK_ROWS if quick else None]:
        for place, step in enumerate(row["steps"]):
            if step["code"]:
                yield f"{row['id']}:{place}", step["code"]
