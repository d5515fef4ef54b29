"""The statement that gave a run's answer, rewritten so that it binds `answer` in plain Python."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.code.scopes import DEFINITIONS
from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.slices.known import MUTATORS

_CONDITIONAL = (ast.If, ast.For, ast.While, ast.Try, ast.Match, ast.AsyncFor, ast.With, ast.AsyncWith)
Line = cst.SimpleStatementLine | cst.BaseCompoundStatement
ANSWER = "answer"
FINAL = "final_answer"


class NoSlice(Exception):
    """Nothing can be learnt as a solution; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def calls_one_of(node: ast.AST, names: frozenset[str]) -> bool:
    return any(
        isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id in names
        for item in nodes_of(node)
    )


def roots(statements: Sequence[ast.stmt], ending: frozenset[str]) -> list[int]:
    """The indices of statements that may have given the answer: conditional ones, then at most one that surely did."""
    found = []
    for index, statement in enumerate(statements):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if calls_one_of(statement, ending):
            found.append(index)
            if not isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.Match):
                break
    return found


def implied_root(statements: Sequence[ast.stmt]) -> int | None:
    """Where nothing is called to answer: the last expression or assignment, if nothing but definitions follows it."""
    skipped = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)
    for index in range(len(statements) - 1, -1, -1):
        statement = statements[index]
        if isinstance(statement, skipped):
            continue
        if isinstance(statement, ast.Assign | ast.AugAssign):
            return index
        if isinstance(statement, ast.AnnAssign):
            return index if statement.value is not None else None
        if not isinstance(statement, ast.Expr) or isinstance(statement.value, ast.Constant):
            return None
        call = statement.value
        changes = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS
        return None if changes else index
    return None


def _binds(value: cst.BaseExpression) -> cst.Assign:
    return cst.Assign([cst.AssignTarget(cst.Name(ANSWER))], _bare(value))


def _bare(value: cst.BaseExpression) -> cst.BaseExpression:
    """The value in a form that may stand on a line of its own: a generator or `x := 1` needs its brackets."""
    needs = isinstance(value, cst.GeneratorExp | cst.NamedExpr | cst.Yield)
    if needs and not value.lpar:
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    multiline = "\n" in cst.Module([]).code_for_node(value) and not value.lpar
    closed = isinstance(value, cst.List | cst.Dict | cst.Set | cst.ListComp | cst.SetComp | cst.DictComp)
    if multiline and not closed:
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return value


def _argument(call: cst.Call) -> cst.BaseExpression:
    if len(call.args) != 1 or call.args[0].star:
        raise NoSlice("the answer is not one value")
    return call.args[0].value


class _Ending:
    """Finds the value that an expression gives as the answer."""

    def __init__(self, ending: frozenset[str]) -> None:
        self.ending = ending

    def value(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in self.ending:
            return _argument(node) if node.func.value == FINAL else node
        if isinstance(node, cst.IfExp):
            body, other = self.value(node.body), self.value(node.orelse)
            if body is not None and other is not None:
                return node.with_changes(body=body, orelse=other)
            if body is not None or other is not None:
                raise NoSlice("the answer is given under a condition inside an expression")
        conditional = isinstance(node, cst.BooleanOperation | cst.Lambda | cst.BaseComp | cst.IfExp)
        for child in node.children:
            found = self.value(child)
            if found is not None:
                if conditional:
                    raise NoSlice("the answer is given under a condition inside an expression")
                return found
        return None


class _Rewrite(cst.CSTTransformer):
    """Puts `answer = value` (with `returns`: `return value`) where the answer was given, `depth` functions deep."""

    def __init__(self, ending: frozenset[str], *, returns: bool, depth: int) -> None:
        self.ending = _Ending(ending)
        self.returns = returns
        self.depth = depth
        self.loops = 0
        self.functions = 0
        self.done: set[int] = set()
        self.keep: list[cst.CSTNode] = []  # so that an id is not given twice

    def visit_For_body(self, node: cst.For) -> None:
        self.loops += 1

    def leave_For_body(self, node: cst.For) -> None:
        self.loops -= 1

    def visit_While_body(self, node: cst.While) -> None:
        self.loops += 1

    def leave_While_body(self, node: cst.While) -> None:
        self.loops -= 1

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.functions += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        self.functions -= 1
        return updated_node

    def _small(self, body: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement] | None:
        """The statements of one line up to the answer, or none where it is not among them."""
        for index, small in enumerate(body):
            value = self.ending.value(small)
            if value is None:
                continue
            if self.functions > self.depth:
                raise NoSlice("the answer is given inside a nested function")
            before = list(body[:index])
            if self.returns:
                return [*before, cst.Return(_bare(value))]
            if self.loops > 1:
                raise NoSlice("the answer is given inside nested loops")
            return [*before, _binds(value), *([cst.Break()] if self.loops else [])]
        return None

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        smalls = self._small(updated_node.body)
        if smalls is None:
            return updated_node
        lines = [
            updated_node.with_changes(body=[small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
            if position == 0
            else cst.SimpleStatementLine([small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
            for position, small in enumerate(smalls)
        ]
        self.done.add(id(lines[-1]))
        self.keep.extend(lines)
        return cst.FlattenSentinel(lines)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        smalls = self._small(updated_node.body)
        if smalls is None:
            return updated_node
        return updated_node.with_changes(
            body=[small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for small in smalls]
        )

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        for position, line in enumerate(updated_node.body):
            if id(line) in self.done:
                return updated_node.with_changes(body=updated_node.body[: position + 1])
        return updated_node


def in_tail(statement: ast.stmt, ending: frozenset[str]) -> bool:
    """Whether nothing more runs in the statement once it has given the answer, so that it may as well bind it.

    A loop is left by `break`, whatever stands around the answer in it.
    """
    if isinstance(statement, ast.For | ast.While | ast.AsyncFor):
        return not any(calls_one_of(inner, ending) for inner in statement.orelse) or _tail(statement.orelse, ending)
    if isinstance(statement, ast.If):
        return _tail(statement.body, ending) and _tail(statement.orelse, ending)
    if isinstance(statement, ast.With | ast.AsyncWith):
        return _tail(statement.body, ending)
    if isinstance(statement, ast.Match):
        return all(_tail(case.body, ending) for case in statement.cases)
    if isinstance(statement, ast.Try):
        early = statement.orelse and any(calls_one_of(inner, ending) for inner in statement.body)
        blocks = [statement.body, statement.orelse, *(handler.body for handler in statement.handlers)]
        return not early and not statement.finalbody and all(_tail(block, ending) for block in blocks)
    return True


def _tail(body: Sequence[ast.stmt], ending: frozenset[str]) -> bool:
    """Whether only the last statement gives the answer, or one behind which nothing runs."""
    for index, statement in enumerate(body):
        if not calls_one_of(statement, ending) or isinstance(statement, DEFINITIONS):
            continue
        if not in_tail(statement, ending):
            return False
        if index < len(body) - 1 and isinstance(statement, _CONDITIONAL):
            return False
    return True


def rewritten(node: Line, ending: frozenset[str], *, returns: bool = False) -> list[Line]:
    """The statement with the answer bound instead of given, or returned where it stands in a function.

    With `returns`, the statement itself is to become part of a function. Raises `NoSlice` where that cannot be said
    in Python.
    """
    function = isinstance(node, cst.FunctionDef)
    found = node.visit(_Rewrite(ending, returns=returns or function, depth=1 if function else 0))
    if isinstance(found, cst.FlattenSentinel):
        return list(found)
    if isinstance(found, cst.RemovalSentinel):
        raise NoSlice("nothing is left of the answer")
    return [found]


def implied(node: cst.BaseSmallStatement) -> list[cst.BaseSmallStatement]:
    """The last expression or assignment of a run without a call that answers, with `answer` bound to its value."""
    if isinstance(node, cst.Assign | cst.AnnAssign) and node.value is not None:
        return [_binds(node.value)]
    if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
        return [node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT), _binds(cst.Name(node.target.value))]
    if not isinstance(node, cst.Expr):
        raise NoSlice("the last statement has no value")
    value = node.value
    if m.matches(value, m.Call(func=m.Name("print"))):
        call = cst.ensure_type(value, cst.Call)
        told = [item.value for item in call.args if not item.keyword and not item.star]
        told = [item for item in told if not m.matches(item, m.SimpleString() | m.ConcatenatedString())]
        if len(told) != 1:
            raise NoSlice("what is printed last is not one value")
        value = told[0]
    return [_binds(value)]


def nested(node: Line, rest: Sequence[Line]) -> Line:
    """The statement with `rest` as its `else`: what runs only where it did not give the answer."""
    block = cst.Else(cst.IndentedBlock(list(rest)))
    if isinstance(node, cst.For | cst.While) and node.orelse is None:
        own = m.findall(node.body, m.Break())
        given = m.findall(node.body, m.Assign(targets=[m.AssignTarget(m.Name(ANSWER))]))
        if len(own) == len(given):
            return node.with_changes(orelse=block)
    if isinstance(node, cst.If) and _always_answers(node.body):
        if node.orelse is None:
            return node.with_changes(orelse=block)
        if isinstance(node.orelse, cst.If):
            return node.with_changes(orelse=nested(node.orelse, rest))
    raise NoSlice("the answer is given at several places")


def _always_answers(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return m.matches(last, m.Assign(targets=[m.AssignTarget(m.Name(ANSWER))])) if last is not None else False
