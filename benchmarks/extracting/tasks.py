"""Tasks with a reference and tests, one form for all public sets: the stuff that runs are made of."""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extracting.rows import rows

SETS = ("llm_failures", "humanevalfix", "quixbugs", "mbpp", "humaneval")
_CALLS = Path(__file__).parent / "quixbugs_calls.json"


@dataclass(frozen=True, slots=True)
class Task:
    """`failing` and `reference` define the function `entry`; `test` raises unless it is right.

    `calls` are calls of `entry` that need nothing but the reference, as they stand in the test.
    """

    id: str
    set: str
    text: str
    failing: str
    reference: str
    entry: str
    test: str
    calls: tuple[str, ...]


def tasks(data: Path, name: str) -> Iterator[Task]:
    """All tasks of a set that have a call to be made. Raises `NoData`."""
    if name in ("mbpp", "humaneval"):
        for row in rows(data / name / "docs.jsonl"):
            if row["oracle"] == "ok":
                yield _task(row, name, "", row["code"], f"{row['test']}\ncheck({row['entry_point']})\n")
    elif name == "quixbugs":  # its rows carry no tests: the reference itself says what is right, on inputs of our own
        calls = json.loads(_CALLS.read_text(encoding="utf-8"))
        for row in rows(data / name / "rows.jsonl"):
            entry = row["program"]
            if entry in calls:
                test = _differential(row["fixed"], entry, calls[entry])
                row |= {"entry_point": entry, "text": row["task"]}
                yield _task(row, name, row["buggy"], row["fixed"], test, tuple(calls[entry]["calls"]))
    else:
        for row in rows(data / name / "rows.jsonl"):
            yield _task(row, name, row.get("failing") or row["buggy"], row["fixed"], row["test"])


def _task(row: dict[str, Any], name: str, failing: str, reference: str, test: str, calls: tuple[str, ...] = ()) -> Task:
    entry = _tested(test, reference, row["entry_point"])
    found = calls or tuple(_calls(test, entry, reference))
    text = row.get("text") or row["task"]
    helpers = _helpers(test, reference, entry)
    return Task(str(row.get("id") or row["doc_id"]), name, text, failing, reference, entry, helpers + test, found)


def _helpers(test: str, reference: str, entry: str) -> str:
    """Functions of the reference that the test calls beside the one that it is about."""
    words = {node.id for node in ast.walk(ast.parse(test)) if isinstance(node, ast.Name)} - {entry}
    found = [node for node in ast.parse(reference).body if isinstance(node, ast.FunctionDef) and node.name in words]
    return "".join(f"{ast.unparse(node)}\n" for node in found)


def _tested(test: str, reference: str, entry: str) -> str:
    """The function of the reference that the test calls: in a few rows it is another than the entry that is named."""
    called = {
        node.func.id
        for node in ast.walk(ast.parse(test))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    defined = [node.name for node in ast.parse(reference).body if isinstance(node, ast.FunctionDef)]
    if entry in called or "candidate" in called:
        return entry
    return next((name for name in defined if name in called), entry)


def _calls(test: str, entry: str, reference: str) -> Iterator[str]:
    """The calls in a test whose arguments are written out."""
    names = {node.name for node in ast.parse(reference).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    allowed = names | set(dir(builtins))
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("candidate", entry):
            free = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)} - {"candidate", entry}
            if free <= allowed and (node.args or node.keywords):
                node.func.id = entry
                yield ast.unparse(node)


def _differential(reference: str, entry: str, calls: dict[str, Any]) -> str:
    """A test that holds a function against the reference, with the arguments made anew for each."""
    shown = calls.get("shown", "repr")
    return (
        f"_right = {{}}\nexec({reference!r}, _right)\n"
        f"def _shown(value):\n    return ({shown})(value)\n"
        f"for _call in {calls['calls']!r}:\n"
        f"    _one = _shown(eval(_call, globals()))\n"
        f"    _other = _shown(eval(_call, {{**globals(), {entry!r}: _right[{entry!r}]}}))\n"
        f"    assert _one == _other, (_call, _one, _other)\n"
    )
