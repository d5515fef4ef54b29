"""The public sets as docs, queries and views."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.extracting.rows import rows
from benchmarks.recalling.questions import Doc, Query, Questions, View

ASKED, STORED = "3.13.0", "3.8.18"  # the two Pythons whose wordings meet in `pyerrors`
SANITIZED = frozenset({"sanitized"})  # reworded by people
REWORDED = SANITIZED | {"BackTranslation", "SynonymSubstitution"}  # kinds that keep the task as it is

_PLACE = re.compile(r" \((?:<[^>]*>, line \d+|/[^)]*)\)$")  # file and line are no wording


def cosqa(data: Path) -> Questions:
    """Real web queries against functions with their docstrings: code of a repository, which nobody put as a task."""
    told = _docs(data / "cosqa")
    docs = tuple(Doc(doc.id, doc.code) for doc in told)
    views = {"docstring + code": [doc.code for doc in docs], "docstring": [doc.text for doc in told]}
    return _tasks("cosqa", docs, _queries(data / "cosqa", docs), views, "docstring", goal=0.02)


def conala(data: Path) -> Questions:
    """Titles of questions against the intent as somebody else put it, where the two differ."""
    docs = _docs(data / "conala")
    views = {"text": [doc.text for doc in docs], "text + code": [f"{doc.text}\n{doc.code}" for doc in docs]}
    return _tasks("conala", docs, _queries(data / "conala", docs), views, "text", goal=0.04)


def mbpp_text(data: Path) -> Questions:
    """Tasks as people put them anew, against the old wording."""
    docs = _docs(data / "mbpp")
    views = {"text": [doc.text for doc in docs], "text + code": [f"{doc.text}\n{doc.code}" for doc in docs]}
    return _tasks("mbpp_text", docs, _queries(data / "mbpp", docs, SANITIZED), views, "text", goal=0.01)


def mbpp_code(data: Path) -> Questions:
    """The same tasks against the code alone, as where nobody wrote down what it is for."""
    docs = tuple(Doc(doc.id, doc.code) for doc in _docs(data / "mbpp"))
    views = {"code": [doc.code for doc in docs]}
    return _tasks("mbpp_code", docs, _queries(data / "mbpp", docs, SANITIZED), views, "code", goal=0.03)


def reworded(data: Path, name: str) -> Questions:
    """One of the four sets where the same task is asked in other words: mbpp, humaneval, conala, cosqa."""
    if name in ("cosqa", "conala"):
        return TASK_SETS[name](data)
    docs = _docs(data / name)
    views = {"text": [doc.text for doc in docs]}
    return _tasks(name, docs, _queries(data / name, docs, REWORDED), views, "text")


def foreign(data: Path) -> list[str]:
    """Tasks that none of the four sets answers: long ones that each need several libraries."""
    return [row["query"] for row in rows(data / "bigcodebench" / "queries.jsonl")]


def llm_failures(data: Path) -> Questions:
    """Another LLM's failure on the same task: names and docstrings that would tell the task are taken out."""
    found = rows(data / "llm_failures" / "rows.jsonl")
    docs = tuple(
        Doc(
            row["id"],
            row["failing_anon"],
            error=row["error_anon"],
            fixed=_anonymous(row["fixed"], row["entry_point"]),
        )
        for row in found
    )
    of_task: dict[str, set[str]] = {}
    for row in found:
        of_task.setdefault(row["task_id"], set()).add(row["id"])
    queries = tuple(
        Query(doc.id, doc.error, frozenset(of_task[row["task_id"]] - {doc.id}), row["task_id"], doc.code, own=doc.id)
        for doc, row in zip(docs, found, strict=True)
        if len(of_task[row["task_id"]]) > 1
    )
    asked = tuple(f"{query.code}\n{query.text}" for query in queries)  # the error last, as a traceback has it
    both = tuple(f"{doc.code}\n{doc.error}" for doc in docs)
    views = (
        View("code + error", both, asked),
        View("code", tuple(doc.code for doc in docs), tuple(query.code for query in queries)),
        View("fix + code + error", tuple(f"{doc.fixed}\n{told}" for doc, told in zip(docs, both, strict=True)), asked),
    )
    return Questions("llm_failures", "error", docs, queries, views, "code", goal=0.10)


def pyerrors(data: Path) -> Questions:
    """Errors as Python 3.13 words them, against those of the same kind of mistake as 3.8 worded them.

    Stored is every mistake for which a fix is known. Asked is where the wording differs in more than file and line.
    """
    found = [row for row in rows(data / "pyerrors" / "rows.jsonl") if {ASKED, STORED} <= row["errors_by_python"].keys()]
    fixes = {row["id"]: row["fix"] or next(iter(row["fixes_that_run"]), "") for row in found}
    found = [row for row in found if fixes[row["id"]]]
    docs = tuple(Doc(row["id"], row["failing"], error=_told(row, STORED), fixed=fixes[row["id"]]) for row in found)
    topics: dict[str, set[str]] = {}
    for row in found:
        topics.setdefault(_topic(row), set()).add(row["id"])
    queries = tuple(
        Query(row["id"], _told(row, ASKED), frozenset(topics[_topic(row)]), _topic(row))
        for row in found
        if _PLACE.sub("", _told(row, ASKED)) != _PLACE.sub("", _told(row, STORED))
    )
    asked = tuple(query.text for query in queries)
    views = (
        View("error", tuple(doc.error for doc in docs), asked),
        View("error + code", tuple(f"{doc.error}\n{doc.code}" for doc in docs), asked),
    )
    return Questions("pyerrors", "error", docs, queries, views, "error", goal=0.15)


TASK_SETS: Mapping[str, Callable[[Path], Questions]] = {
    "cosqa": cosqa,
    "conala": conala,
    "mbpp_text": mbpp_text,
    "mbpp_code": mbpp_code,
}
SETS: Mapping[str, Callable[[Path], Questions]] = {**TASK_SETS, "llm_failures": llm_failures, "pyerrors": pyerrors}


def _docs(folder: Path) -> tuple[Doc, ...]:
    return tuple(Doc(row["doc_id"], row["code"], row["text"]) for row in rows(folder / "docs.jsonl"))


def _queries(folder: Path, docs: Iterable[Doc], kinds: frozenset[str] = frozenset()) -> tuple[Query, ...]:
    """The queries that some doc answers and that are worded differently, perhaps only of some kinds."""
    known = {doc.id for doc in docs}
    found = []
    for row in rows(folder / "queries.jsonl"):
        right = [doc for doc in row["rel"] if doc in known]
        if right and not row.get("same_wording") and (not kinds or row.get("kind") in kinds):
            found.append(Query(row["qid"], row["query"], frozenset(right), right[0]))
    return tuple(found)


def _tasks(
    name: str,
    docs: tuple[Doc, ...],
    queries: tuple[Query, ...],
    stored: Mapping[str, list[str]],
    question_view: str,
    goal: float = 0.0,
) -> Questions:
    asked = tuple(query.text for query in queries)
    views = tuple(View(view, tuple(texts), asked) for view, texts in stored.items())
    return Questions(name, "task", docs, queries, views, question_view, goal)


def _told(row: Mapping[str, Any], python: str) -> str:
    error = row["errors_by_python"][python]
    return f"{error['type']}: {error['msg']}"


def _topic(row: Mapping[str, Any]) -> str:
    """The kind of mistake; several rows of one kind are numbered."""
    return str(row["topic"]).rstrip("0123456789")


def _anonymous(code: str, entry_point: str) -> str:
    """The code without docstrings and comments, its function called `solution` as in the failing codes."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return re.sub(rf"\b{re.escape(entry_point)}\b", "solution", ast.unparse(tree))
