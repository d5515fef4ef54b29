"""A better version of a solution, from code that somebody gives: it takes over what was known of the old one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memu_code.errors import MemuCodeError
from memu_code.extractors.code.parse import SOURCE_NAME, OutOfTime, Unparsable, guard, time_limit
from memu_code.extractors.code.scopes import BUILTINS, resolve, scoped_children
from memu_code.extractors.code.structure import tree_structure
from memu_code.extractors.code.symbols import imported, packages, symbols
from memu_code.extractors.code.walking import walk
from memu_code.extractors.edge_cases import edge_cases
from memu_code.extractors.solutions import extract_solutions, first_sentence, is_plain_value
from memu_code.graph import View
from memu_code.learn.inheriting import handed_on, inherited
from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    Extraction,
    Input,
    Relation,
    Run,
    Solution,
    Step,
    Symbol,
)
from memu_code.redact import redact_text

SECONDS = 2.0  # of computing that reading the given code may take
_WORD = re.compile(r"\w+")
_ANSWER = "final_answer"
_GIVEN = frozenset({_ANSWER, "get_ipython"})  # what every agent has, and what lines of a notebook's cell are short for
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class Refined:
    """A new version, what its code brings along, and all that ties it to what is known.

    `versions` are the new solutions, each with the one that it replaces: the given code first, then those functions of
    a program that it changes and that are solutions of their own.
    """

    versions: tuple[tuple[Solution, Solution], ...]
    edge_cases: tuple[EdgeCase, ...]
    edges: tuple[Edge, ...]
    redacted: bool

    @property
    def solution(self) -> Solution:
        """The given code as a solution."""
        return self.versions[0][0]


def refined(view: View, old: Solution, code: str) -> Refined:
    """The version that the code makes of an old one: in the same space, for the same problems.

    It inherits the problems and the fixes of the old one, and calls the same known functions as far as its code does.
    Edge cases are read from the code itself, so one that it no longer handles does not come along.

    Raises:
        MemuCodeError: the code is empty, does not parse, or is too large or too deeply nested to be read.
        StoreError: the store cannot be read.
    """
    text = redact_text(code)
    calls = {edge.target for edge in view.edges([old.id], (Relation.CALLS,)) if edge.source == old.id}
    callees = [node for node in view.nodes(calls).values() if isinstance(node, Solution) and node.space == old.space]
    try:
        with time_limit(SECONDS):
            guard(code)  # redaction would mend what is no text
            solution = _solution(old, text)
            called = _called(guard(solution.code))
            versions = ((solution, old), *_changed(solution, [node for node in callees if node.name in called]))
            cases = {new.id: _cases(new) for new, _ in versions}
    except Unparsable as refused:
        raise MemuCodeError(f"The code is refused, and nothing was written: {refused.reason}.") from None
    except OutOfTime:
        raise MemuCodeError("The code is refused, and nothing was written: it takes too long to read.") from None
    newer = {before.id: new.id for new, before in versions[1:]}
    kept = {newer.get(node.id, node.id) for node in callees if node.name in called} - {solution.id}
    edges = [edge for new, before in versions for edge in _ties(view, new, before, cases[new.id])]
    edges += [Edge(old.space, solution.id, Relation.CALLS, node) for node in sorted(kept)]
    every_case = {case.id: case for found in cases.values() for case in found}
    return Refined(versions, tuple(every_case.values()), tuple(edges), text != code and "[redacted:" in text)


def _changed(program: Solution, callees: Iterable[Solution]) -> Iterator[tuple[Solution, Solution]]:
    """The functions of a program that are others now, each with the known one of that name."""
    known = {node.name: node for node in callees}
    if not known or program.name:
        return
    end = "\nfinal_answer(answer)\n" if "answer" in _WORD.findall(program.code) else ""
    run = Run(
        id="given",
        space=program.space,
        task="given",
        environment=Environment(sandbox="", tools=program.tools),
        inputs=program.inputs,
        steps=(Step(1, program.code + end, ran=True, final=True),),
    )
    for node in extract_solutions(run, Extraction()).nodes:
        if isinstance(node, Solution) and (old := known.get(node.name)) and node.structure != old.structure:
            yield replace(node, description=node.description or old.description), old


def _cases(solution: Solution) -> list[EdgeCase]:
    found = edge_cases(solution.code)
    return [EdgeCase(solution.space, category, case.condition, case.handling) for category, case in found]


def _ties(view: View, new: Solution, old: Solution, cases: Iterable[EdgeCase]) -> Iterator[Edge]:
    yield from handed_on(inherited(view, old), new, old.space)
    for case in cases:
        yield Edge(old.space, new.id, Relation.HANDLES, case.id)
    for name in new.symbols:
        yield Edge(old.space, new.id, Relation.USES, Symbol(name).id)
    yield Edge(old.space, new.id, Relation.SUPERSEDES, old.id)


def needs_anew(new: Solution, old: Solution) -> list[str]:
    """The names that the new version needs from outside, and the old one did not."""
    before = {*old.tools, *(given.name for given in old.inputs)}
    return [name for name in (*new.tools, *(given.name for given in new.inputs)) if name not in before]


def _solution(old: Solution, text: str) -> Solution:
    """The code as a solution in the place of the old one. Raises `Unparsable`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tree = guard(text)
    if not any(not _is_idle(statement) for statement in tree.body):
        raise Unparsable("it does nothing")
    code = _with_answer(text, tree)
    tree = guard(code)
    _check_compiles(tree)
    function = _main_function(tree, old.name)
    called = _called(tree)
    known = {given.name: given for given in old.inputs}
    free = _free(tree) - _GIVEN
    if any(isinstance(node, ast.alias) and node.name == "*" for node in walk(tree)):
        free &= {*known, *old.tools}  # the star may bring all others
    tools = sorted(name for name in free if name in old.tools or (name in called and name not in known))
    told = ast.get_docstring(function) if function else None
    return Solution(
        space=old.space,
        code=code,
        structure=tree_structure(tree),
        name=function.name if function else "",
        signature=_signature(function) if function else "",
        description=first_sentence(told or "") or old.description,
        inputs=tuple(known.get(name, Input(name)) for name in sorted(free.difference(tools))),
        imports=tuple(name for name in packages(tree) if name != "__future__"),
        tools=tuple(tools),
        symbols=symbols(tree, tools),
    )


def _check_compiles(tree: ast.Module) -> None:
    """Refuse what only looks right, such as a lone `return`; a notebook's cell may await at its top level."""
    try:
        compile(tree, SOURCE_NAME, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        told = f" ({error.msg}, line {error.lineno or 0})" if isinstance(error, SyntaxError) else ""
        raise Unparsable(f"{type(error).__name__}{told}") from None


def _is_idle(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _with_answer(text: str, tree: ast.Module) -> str:
    """The code with a line break at its end, and `answer = x` where its last statement was `final_answer(x)`."""
    last = tree.body[-1]
    value = last.value if isinstance(last, ast.Expr) else None
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == _ANSWER
        and len(value.args) + len(value.keywords) == 1
        and not isinstance(value.args[0] if value.args else None, ast.Starred)
    ):
        told = ast.get_source_segment(text, value.args[0] if value.args else value.keywords[0].value)
        if told and last.col_offset == 0:
            before = text.split("\n")[: last.lineno - 1]
            text = "\n".join([*before, f"answer = ({told})" if "\n" in told else f"answer = {told}"])
    return text.strip("\n") + "\n"


def _main_function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """The function that the code is, where it only defines: the one of that name, else the only one or the last."""
    names = imported(tree)
    if not all(_defines(item, names) for item in tree.body):
        return None
    functions = [item for item in tree.body if isinstance(item, ast.FunctionDef)]
    same = [item for item in functions if item.name == name]
    return (same or functions)[-1] if functions else None


def _defines(statement: ast.stmt, names: dict[str, str]) -> bool:
    """Whether a statement defines, imports, binds a constant, or does nothing."""
    if isinstance(statement, ast.Try):
        return all(isinstance(item, ast.Import | ast.ImportFrom) for item in statement.body)
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return (
        isinstance(statement, _DEFINING) or _is_idle(statement) or (value is not None and is_plain_value(value, names))
    )


def _signature(function: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{function.name}({ast.unparse(function.args)}){returns}"


def _free(tree: ast.Module) -> set[str]:
    """The names that the code reads and nothing in it binds, apart from Python's own."""
    scopes = resolve(tree)
    found: set[str] = set()
    todo: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while todo:
        node, holder = todo.pop()
        scope = scopes[holder]
        if isinstance(node, ast.Name) and scope.binder(node.id) is None:
            found.add(node.id)
        inner = scopes.get(node) if node is not tree else None
        for child, where in scoped_children(node, scope, inner):
            todo.append((child, where.node))
    return found - BUILTINS


def _called(tree: ast.Module) -> set[str]:
    return {node.func.id for node in walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
