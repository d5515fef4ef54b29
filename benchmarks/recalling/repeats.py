"""Whether one block says the same thing twice, in a store where most things are there several times."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.extracting.part import Goal, Part
from benchmarks.recalling.ours import SPACE, Ours
from benchmarks.recalling.questions import Doc, Questions, half
from benchmarks.recalling.sets import reworded
from benchmarks.recalling.vectors import Vectors
from memu_code.recall import FLOOR

SETS = ("mbpp", "humaneval")
QUERIES = 200
QUICK = 30
ASKED_FOR = 8  # hits for a block: more than an agent is offered, so that copies have room

SHARED = "team"
ELSEWHERE = "of another space"

Copy = tuple[str, Doc]  # what kind of copy it is, and the copy


def measure(data: Path, vectors: Vectors, quick: bool = False) -> Part:
    """The share of a block's entries that show a function which another entry of the block shows already."""
    figures: dict[str, Any] = {}
    entries = repeated = 0
    for name in SETS:
        questions = reworded(data, name).sample(QUICK if quick else QUERIES)
        wanted = {doc for query in questions.queries for doc in query.right}
        docs = [doc for doc in questions.docs if half(doc.id) or doc.id in wanted]
        copies = [copy for doc in docs for copy in _copies(doc)]
        with Ours(vectors, (SPACE, SHARED)) as memory:
            memory.keep((doc for _, doc in copies), {doc.id: SHARED for kind, doc in copies if kind == ELSEWHERE})
            shown, kinds = _shown(memory, questions)
        made = Counter(kind for kind, _ in copies)
        figures[name] = {"functions": len(docs), "copies": dict(made), **shown, "repeats by kind": dict(kinds)}
        entries += shown["entries"]
        repeated += shown["repeats"]
    share = repeated / max(1, entries)
    figures["share of entries that repeat another"] = round(share, 4)
    return Part(
        "repeats", figures, (Goal("repeats: entries that repeat another of their block", share, 0.0, "at most"),)
    )


def _shown(memory: Ours, questions: Questions) -> tuple[Counter[str], Counter[str]]:
    """Counts over the blocks for all queries, and which kinds of copies came beside which."""
    shown = Counter[str](entries=0, repeats=0)
    kinds = Counter[str]()
    for query in questions.queries:
        hits = memory.solutions(query.text, ASKED_FOR, FLOOR)
        _, ids = memory.block(hits)
        seen: dict[str, str] = {}
        again = 0
        for hit in (hit for hit in hits if hit.id in ids):
            function, kind = min(memory.docs(hit)).split("#")
            if function in seen:
                again += 1
                kinds[f"{kind} beside {seen[function]}"] += 1
            seen.setdefault(function, kind)
            shown["entries"] += 1
        shown["repeats"] += again
        shown["blocks"] += bool(ids)
        shown["blocks with a repeat"] += bool(again)
    return shown, kinds


def _copies(doc: Doc) -> Iterator[Copy]:
    """The function as several agents would come to it: as it is, and with differences that change nothing it does."""
    yield _copy(doc, "as it is", doc.code)
    yield _copy(doc, ELSEWHERE, doc.code)
    try:
        tree = ast.parse(doc.code)
    except SyntaxError:
        return
    main = next((node for node in reversed(tree.body) if isinstance(node, ast.FunctionDef)), None)
    if main is None:
        return
    names = [argument.arg for argument in main.args.args]
    yield _copy(doc, "other function name", _renamed(doc.code, main.name, {main.name: f"{main.name}_of"}))
    if names:
        code = _renamed(doc.code, main.name, {name: f"{name}_in" for name in names})
        yield _copy(doc, "other parameter names", code)
        yield _copy(doc, "with a call", f"{doc.code}\nanswer = {main.name}({', '.join(names)})")
    for kind, statement in (("with a print", "print('started')"), ("with a docstring", f"{doc.text!r}")):
        main.body.insert(0, ast.parse(statement).body[0])
        yield _copy(doc, kind, ast.unparse(tree))
        del main.body[0]
    main.returns = ast.Name("object")
    yield _copy(doc, "with an annotation", ast.unparse(tree))


def _renamed(code: str, function: str, names: Mapping[str, str]) -> str:
    """The code with other names, in calls of the function also for its keywords; text in strings stays as it is."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            for keyword in node.keywords:
                keyword.arg = names.get(keyword.arg or "", keyword.arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, ast.FunctionDef):
            node.name = names.get(node.name, node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [names.get(name, name) for name in node.names]
    return ast.unparse(tree)


def _copy(doc: Doc, kind: str, code: str) -> Copy:
    return kind, replace(doc, id=f"{doc.id}#{kind}", code=code)
