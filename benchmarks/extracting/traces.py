"""Recorded runs of agents as runs of ours, and the pairs that are learnt from them.

`smolagents`: the recording lost the line breaks; they are put back where the numbers of the lines stand.
`intercode_python` and `ldb`: a step is a program, and tests are run on it by somebody else. A step whose tests fail has
failed: the error is the assertion, or the exception that was met in its place. A step ran where its tests passed; it
gave the answer where the run as a whole was solved too. `reflexion` keeps the last program only, so that nothing can be
paired there; it tells whether something is learnt from runs that were not solved.

These give fewer pairs than a hundred, so all of them were judged, and beside them pairs from `llm_failures`, drawn by a
fixed seed. What was judged there is the change only: that the reference mends the failing program is given.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.extracting.failures import run as failing_run
from benchmarks.extracting.rows import rows
from memu_code.extractors import extract
from memu_code.extractors.deltas.mending import Mended, mended
from memu_code.model import EvidenceKind, Outcome, Run, Solution, Step, StepError

CHECKED = Path(__file__).parent / "pairs_checked.json"
SETS = ("smolagents", "intercode_python", "reflexion", "ldb")
FAILURES = "llm_failures"

_EXCEPTIONS = (  # how the recorders cut an exception down to its message
    (r"name '\w+' is not defined|cannot access local variable", "NameError"),
    (r"invalid syntax|was never closed|unterminated|unmatched|expected ':'|f-string", "SyntaxError"),
    (r"unexpected indent|unindent does not match|expected an indented block", "IndentationError"),
    (r"maximum recursion depth", "RecursionError"),
    (r"object has no attribute|has no attribute", "AttributeError"),
    (r"not supported between|unsupported operand|object is not|doesn't define|can't convert", "TypeError"),
    (r"takes \d+ positional|missing \d+ required", "TypeError"),
    (r"invalid literal for|could not convert|not enough values|too many values|substring not found", "ValueError"),
    (r"index out of range", "IndexError"),
    (r"division by zero|modulo by zero", "ZeroDivisionError"),
    (r"No module named", "ModuleNotFoundError"),
)
_GOT = "# Real Execution Output:"


def runs(data: Path) -> Iterator[tuple[str, Run]]:
    """All runs with the name of their set."""
    made = {"smolagents": _smolagents, "intercode_python": _intercode, "reflexion": _reflexion, "ldb": _ldb}
    for name in SETS:
        for row in rows(data / "agent_traces" / f"{name}.jsonl"):
            yield name, made[name](row)


def failures(data: Path) -> Iterator[tuple[str, Run]]:
    """The programs of `llm_failures`, each followed by its reference."""
    for row in rows(data / FAILURES / "rows.jsonl"):
        yield FAILURES, failing_run(row, row, "local")


def _run(row: dict[str, Any], task: str, steps: list[Step], solved: bool) -> Run:
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    return Run(row["id"], "~benchmark", task, outcome=outcome, steps=tuple(steps))


def _failing(number: int, code: str, text: str) -> Step:
    return Step(number, code, error=StepError("AgentExecutionError", text))


def _smolagents(row: dict[str, Any]) -> Run:
    steps: list[Step] = []
    for number, told in enumerate(row["steps"], 1):
        code, error = unfolded(told["code"] or ""), told["error"]
        if error:
            steps.append(_failing(number, code, error))
        else:
            final = "final answer:" in (told["observation"] or "").lower()
            steps.append(Step(number, code, ran=bool(code.strip()), final=final))
    return _run(row, row["task"] or "", steps, any(step.final for step in steps))


def unfolded(code: str) -> str:
    """Code with the line breaks that a display with numbered lines has lost; ` 4 5 # Read` stands two lines on."""
    done, rest = "", code
    number = 2
    while True:
        number = max(number, done.count("\n") + 2)
        line, found, after = rest.partition("\n")
        match = re.search(rf"(?:^| {{1,4}}){number}(?: |$)", line)
        if match is not None:
            done += line[: match.start()] + "\n"
            rest = line[match.end() :] + found + after
        elif found:
            done += line + "\n"
            rest = after
        else:
            return done + rest
        number += 1


def _intercode(row: dict[str, Any]) -> Run:
    steps: list[Step] = []
    for number, told in enumerate(row["steps"], 1):
        text = str(told["observation"])
        raised = re.search(r"(?:Error executing action: |'error': [\"']Error: )(.+?)[\"'}]*$", text)
        if raised:
            steps.append(_failing(number, told["code"], _worded(raised[1])))
        elif told["reward"] < 1:
            steps.append(_failing(number, told["code"], f"AssertionError: {text}"))
        else:
            steps.append(Step(number, told["code"], ran=True, final=True))
    return _run(row, row["task"], steps, any(step.final for step in steps))


def _reflexion(row: dict[str, Any]) -> Run:
    solved = bool(row["is_solved"])
    step = Step(1, row["solution"], ran=True, final=True)
    if not solved:
        step = _failing(1, row["solution"], "AssertionError: the tests failed")
    return _run(row, row["prompt"], [step], solved)


def _ldb(row: dict[str, Any]) -> Run:
    steps: list[Step] = []
    solved = bool(row["is_solved"]) and not row["steps"][-1]["feedback"]
    for number, told in enumerate(row["steps"], 1):
        if told["feedback"]:
            steps.append(_failing(number, told["code"], _feedback(told["feedback"][0])))
        else:
            steps.append(Step(number, told["code"], ran=True, final=solved and number == len(row["steps"])))
    return _run(row, row["task"], steps, solved)


def _feedback(told: str) -> str:
    test, _, got = told.partition(_GOT)
    text = _worded(got.strip())
    return text if not text.startswith("AssertionError") else f"AssertionError: {test.strip()} gave {got.strip()}"


def _worded(message: str) -> str:
    """The message with the class that its wording belongs to."""
    name = next((name for form, name in _EXCEPTIONS if re.search(form, message)), "AssertionError")
    return f"{name}: {message}"


def pair_id(run: str, pair: Mended) -> str:
    """Tells a pair by the row, the failing code and the change, and holds none of their text."""
    text = "\0".join((run, pair.failing.code, *pair.delta))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def pairs(found: Iterable[tuple[str, Run]]) -> Iterator[tuple[str, str, Run, Mended]]:
    """Set, id, run and pair of all pairs that are learnt, each change once for a run."""
    for name, run in found:
        seen: set[tuple[str, ...]] = set()
        for pair in mended(run):
            if pair.delta not in seen:
                seen.add(pair.delta)
                yield name, pair_id(run.id, pair), run, pair


def checked(data: Path) -> dict[str, Any]:
    """How the pairs were judged by hand, and what was learnt from runs that were not solved."""
    judged = {item["id"]: item["judgement"] for item in json.loads(CHECKED.read_text(encoding="utf-8"))["pairs"]}
    found = {key: name for name, key, _, _ in pairs(runs(data))}
    beside = {key for _, key, _, _ in pairs(failures(data))}
    counts = Counter(judged.get(key, "unjudged") for key in found)
    drawn = Counter(judged[key] for key in beside if key in judged)
    return {
        "pairs": len(found),
        "by set": dict(Counter(found.values())),
        "judged right": counts["right"],
        "judged wrong": counts["wrong"],
        "unjudged": counts["unjudged"],
        "judged, not learnt any more": len(judged.keys() - found.keys() - beside),
        "precision": _share(counts),
        "programs judged beside": drawn.total(),
        "precision beside": _share(drawn),
        "solved from unsolved": _solved_from_unsolved(data),
    }


def _share(counts: Counter[str]) -> float:
    judged = counts["right"] + counts["wrong"]
    return counts["right"] / judged if judged else 0.0


def _solved_from_unsolved(data: Path) -> int:
    """How many solutions, and pieces of evidence that something was answered, runs gave that were not solved."""
    count = 0
    for _, run in runs(data):
        if not run.solved:
            found = extract(run)
            count += sum(isinstance(node, Solution) for node in found.nodes)
            count += sum(row.kind is EvidenceKind.ANSWERED for row in found.evidence)
    return count
