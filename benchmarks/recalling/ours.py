"""Ours, as it is: a store filled through `keep` and asked through the functions of `recall`."""

from __future__ import annotations

import ast
import re
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from benchmarks.recalling.questions import Answer, Doc, Query
from benchmarks.recalling.vectors import Vectors
from memu_code import CodeMemory
from memu_code.extractors.code.structure import structure
from memu_code.extractors.code.symbols import packages, symbols
from memu_code.extractors.deltas.form import changes, difference
from memu_code.extractors.errors.signature import signature
from memu_code.extractors.solutions import first_sentence
from memu_code.learn.keep import keep
from memu_code.model import (
    Edge,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Hit,
    Node,
    Problem,
    Reader,
    Relation,
    Right,
    Solution,
)
from memu_code.recall import recall_fixes, recall_solutions, render

SPACE = "~bench"
K = 11  # hits asked for where the order is judged: ten, and one that may be the query itself

_DEFINED = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)


class Ours:
    """A memory in a folder of its own, gone after use."""

    def __init__(self, vectors: Vectors, spaces: Collection[str] = (SPACE,)) -> None:
        self._vectors = vectors
        self._spaces = spaces
        self._place = tempfile.TemporaryDirectory()
        self._memory = CodeMemory.open(f"{self._place.name}/store", space=SPACE, reader=_reader(spaces))
        self._docs: dict[str, set[str]] = defaultdict(set)

    def keep(self, docs: Iterable[Doc], spaces: Mapping[str, str] | None = None) -> None:
        """Keep each doc as proven: a solution with its problem, or a fix where the doc has an error.

        `spaces` says by the doc's id in which space; all others are in one.
        """
        nodes: list[Node] = []
        edges: list[Edge] = []
        evidence: list[Evidence] = []
        for doc in docs:
            space = (spaces or {}).get(doc.id, SPACE)
            node = fix_of(doc, space) if doc.error or doc.fixed else solution_of(doc, space)
            self._docs[node.id].add(doc.id)
            nodes.append(node)
            if doc.text and isinstance(node, Solution):
                problem = Problem(space, doc.text)
                nodes.append(problem)
                edges.append(Edge(space, node.id, Relation.SOLVES, problem.id))
            evidence += [
                Evidence(space, node.id, kind, "bench", 1.0, f"run_{doc.id}")
                for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
            ]
        found = Extraction(tuple(nodes), tuple(edges), tuple(evidence))
        keep(self._memory._open_store(), self._memory.reader, self._vectors, found)

    def solutions(self, task: str, k: int = K, floor: float = 0.0, without: Collection[str] = ()) -> tuple[Hit, ...]:
        """The hits for a task, best first, for somebody who does not see the spaces `without`."""
        seen = [space for space in self._spaces if space not in without]
        view = self._memory._open_store().as_seen_by(_reader(seen))
        return recall_solutions(view, self._vectors, task, k, floor=floor, trusted=self._spaces)

    def fixes(self, query: Query, k: int = K) -> list[Hit]:
        """The hits for an error, best first."""
        key = signature(query.text, code=query.code)
        return recall_fixes(
            self._memory._view(),
            self._vectors,
            signature=key.key,
            error_class=key.error_class,
            message=key.message,
            code=query.code,
            text=query.text,
            bare_signature=signature(query.text).key if query.code else "",
            k=k,
            trusted=self._spaces,
        )

    def answer(self, query: Query, kind: str) -> Answer:
        """The hits for a query as an answer."""
        return self.as_answer(self.solutions(query.text) if kind == "task" else self.fixes(query))

    def as_answer(self, hits: Sequence[Hit]) -> Answer:
        """The docs behind the hits. Hits of which every part of the score is equal are ties."""
        places: list[int] = []
        for at, hit in enumerate(hits):
            tied = at > 0 and hit.score == hits[at - 1].score and hit.why == hits[at - 1].why
            places.append(places[-1] if tied else at)
        return [(self.docs(hit), -float(at)) for hit, at in zip(hits, places, strict=True)]

    def docs(self, hit: Hit) -> frozenset[str]:
        """The docs that a hit stands for: those whose code is the same but for names and looks are one solution."""
        return frozenset(self._docs[hit.id])

    def block(self, hits: Sequence[Hit]) -> tuple[str, tuple[str, ...]]:
        """The block for a prompt and the ids that are in it."""
        return render(hits, self._vectors.count, trusted=self._spaces)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memory.close()
        self._place.cleanup()


def _reader(spaces: Iterable[str]) -> Reader:
    return Reader("bench", {space: frozenset(Right) for space in spaces})


def solution_of(doc: Doc, space: str) -> Solution:
    """The doc's code as the extractors would keep it: named where it is definitions only."""
    try:
        tree = ast.parse(doc.code)
    except (SyntaxError, ValueError):  # code for Python 2
        named = _DEFINED.search(doc.code)
        name = named[1] if named else ""
        return Solution(space, doc.code, structure(doc.code), name=name, description=first_sentence(doc.text))
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    plain = all(isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom) for node in tree.body)
    main = definitions[-1] if definitions and plain else None
    return Solution(
        space,
        doc.code,
        structure(doc.code),
        name=main.name if main else "",
        signature=f"{main.name}({ast.unparse(main.args)})" if main else "",
        description=first_sentence((ast.get_docstring(main) if main else "") or ""),
        imports=packages(tree),
        symbols=symbols(tree, ()),
    )


def fix_of(doc: Doc, space: str) -> ErrorFix:
    """The doc's error and fix as the extractors would keep them."""
    key, bare = signature(doc.error, code=doc.code), signature(doc.error)
    old, new = doc.code.splitlines(), doc.fixed.splitlines()
    return ErrorFix(
        space,
        key.key,
        key.error_class,
        key.message,
        doc.code,
        doc.fixed,
        difference(old, changes(old, new)),
        bare_signature=bare.key if bare.key != key.key else "",
    )
