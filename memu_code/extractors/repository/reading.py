"""Functions and methods of a repository as solutions, with what a reader needs to run or understand each alone.

Seeding goes file by file, so that it can stop and go on: `source_files` lists them, `outline` indexes them all, and
`extract_file` gives the findings of one. A call into another file is told by the `USES` edge to the function's
qualified name, which that function's own solution carries too: a solution's id follows from its code, so an edge to it
would be wrong as soon as the other file changes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.structure import structure
from memu_code.extractors.code.symbols import packages
from memu_code.extractors.repository.code import assemble
from memu_code.extractors.repository.files import MAX_FILE_BYTES, SourceFile
from memu_code.extractors.repository.module import Function, Module, is_overload
from memu_code.extractors.repository.outline import ImportScope, Outline, dotted, is_test
from memu_code.model import (
    Edge,
    Environment,
    Evidence,
    EvidenceKind,
    Extraction,
    Input,
    Node,
    Origin,
    Problem,
    Relation,
    Solution,
    Symbol,
)

MAX_DESCRIPTION = 300
MIN_SUMMARY_WORDS = 3  # fewer say no more than the name does

NOWHERE = Environment(sandbox="")  # seeding runs nothing
_KEPT_DUNDERS = ("__init__", "__call__")
_ROLE = re.compile(r":[\w:+-]+:`~?([^`<]+?)(?:\s*<[^`>]*>)?`")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not taken, and why in a few words; `symbol` is empty where it is the whole file."""

    path: str
    symbol: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileFindings:
    """What one file gave."""

    extraction: Extraction = field(default_factory=Extraction)
    skipped: tuple[Skipped, ...] = ()


def extract_file(source: SourceFile, text: str, outline: Outline, *, space: str, actor: str, at: float) -> FileFindings:
    """The solutions of one file, with problems, edges and evidence, `at` being the time of seeding in epoch seconds.

    Taken are functions of the module and methods of its classes (`Class.method`), nested ones inside these. Passed over
    are tests and what serves them, overloads, special methods but `__init__` and `__call__`, and what does nothing of
    its own: empty bodies, abstract stubs, getters and setters of one line. A file that is refused or does not parse
    gives one `Skipped`. Never raises for what a file holds.
    """
    if source.refused:
        return FileFindings(skipped=(Skipped(source.path, "", source.refused),))
    if is_test(source.path):
        return FileFindings()
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    name = outline.names.get(source.path) or source.path.removesuffix(".py").replace("/", ".")
    scope = ImportScope(name, source.path.endswith("__init__.py"), frozenset(outline.names.values()))
    try:
        tree = guard(text, MAX_FILE_BYTES)
        module = Module(text, tree, scope, outline)
    except Unparsable as error:
        return FileFindings(skipped=(Skipped(source.path, "", error.reason),))
    skipped: list[Skipped] = []
    solutions: dict[str, Solution] = {}
    calls: dict[str, tuple[str, ...]] = {}
    nodes: list[Node] = []
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    for node, owner in _definitions(tree):
        symbol = f"{owner.name}.{node.name}" if owner else node.name
        made = assemble(module, node, owner)
        try:
            whole = guard(made.code)
        except Unparsable as error:
            skipped.append(Skipped(source.path, symbol, error.reason))
            continue
        summary = _summary(ast.get_docstring(node))
        solution = Solution(
            space=space,
            code=made.code,
            structure=structure(made.code),
            name=node.name if made.alone else "",
            signature=_signature(node) if made.alone else "",
            description=summary or _words(node, owner),
            inputs=tuple(Input(item) for item in made.missing),
            imports=tuple(name for name in packages(whole) if name != "__future__"),
            symbols=tuple(dict.fromkeys((*_own_names(outline, name, symbol), *made.symbols))),
            origin=Origin(str(outline.root), source.path, symbol, node.lineno, source.hash),
        )
        solutions[symbol], calls[symbol] = solution, made.calls
        nodes.append(solution)
        if summary:
            problem = Problem(space, summary)
            nodes.append(problem)
            edges.append(Edge(space, solution.id, Relation.SOLVES, problem.id))
        edges.extend(Edge(space, solution.id, Relation.USES, Symbol(used).id) for used in solution.symbols)
        where = f"{source.path}:{node.lineno}"
        evidence.append(Evidence(space, solution.id, EvidenceKind.SEEDED, actor, at, "", NOWHERE, where))
        for test in outline.tests.get(f"{name}.{symbol}", ()):
            evidence.append(Evidence(space, solution.id, EvidenceKind.TESTED, actor, at, "", NOWHERE, test))
    for symbol, solution in solutions.items():
        targets = (solutions.get(called) or solutions.get(f"{called}.__init__") for called in calls[symbol])
        edges.extend(
            Edge(space, solution.id, Relation.CALLS, target.id)
            for target in targets
            if target is not None and target is not solution
        )
    found = Extraction() + Extraction(tuple(nodes), tuple(edges), tuple(evidence))
    return FileFindings(found, tuple(skipped))


def _definitions(tree: ast.Module) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from ((item, node) for item in node.body if isinstance(item, Function) and _is_wanted(item))
        elif isinstance(node, Function) and _is_wanted(node):
            yield node, None


def _is_wanted(node: Function) -> bool:
    if node.name.startswith("__") and node.name.endswith("__") and node.name not in _KEPT_DUNDERS:
        return False
    if is_overload(node):
        return False
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return not all(_is_trivial(item) for item in body) if len(body) < 2 else True


def _is_trivial(node: ast.stmt) -> bool:
    """True for `pass`, `...`, `raise NotImplementedError`, `return self.x`, `self.x = x` and `return 3`."""
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return raised is not None and dotted(raised) == "NotImplementedError"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or (
            isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super().__init__"
        )
    value = node.value if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign) else None
    return (
        isinstance(node, ast.Pass)
        or isinstance(value, ast.Constant | ast.Name | ast.Attribute)
        or (isinstance(node, ast.Return) and value is None)
    )


def _summary(docstring: str | None) -> str:
    """The first paragraph in one line, without roles of reStructuredText; empty where it says next to nothing."""
    lines = []
    for line in (docstring or "").strip().splitlines():
        if not line.strip():
            break
        lines.append(line.strip())
    text = _ROLE.sub(r"\1", " ".join(lines))
    if len(text) > MAX_DESCRIPTION:
        text = text[: MAX_DESCRIPTION - 1].rpartition(" ")[0] + "…"
    return text if len(_WORD.findall(text)) >= MIN_SUMMARY_WORDS and "----" not in text else ""


def _words(node: Function, owner: ast.ClassDef | None) -> str:
    """The name in words, with the class before it and the parameters behind: `parse row (line, sep)`."""
    name = [] if node.name in _KEPT_DUNDERS else _WORD.findall(node.name)
    words = " ".join([*(_WORD.findall(owner.name) if owner else []), *name]).lower() or node.name
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters = [item.arg for item in every if item.arg not in ("self", "cls")]
    return f"{words} ({', '.join(parameters)})"[:MAX_DESCRIPTION] if parameters else words


def _signature(node: Function) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def _own_names(outline: Outline, module: str, symbol: str) -> tuple[str, ...]:
    """The qualified name of the definition itself, and the shortest under which its package offers it."""
    name = f"{module}.{symbol}"
    owner, dot, method = symbol.partition(".")
    alias = outline.aliases.get(f"{module}.{owner}")
    return (name, f"{alias}{dot}{method}") if alias else (name,)
