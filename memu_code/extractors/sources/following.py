"""Statements followed as far as their constants lead: which calls code makes, and with which known arguments."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from memu_code.extractors.sources import literals
from memu_code.extractors.sources.literals import UNKNOWN, PathText
from memu_code.extractors.sources.values import BUDGET, LEAST, Values, same

_ROUNDS = 60  # of a `while` whose condition is known


class Follower(Values):
    """Follows the steps of one run, one after the other: names keep their values between them, as in an executor."""

    def begin(self) -> None:
        """Another step begins, with a budget of its own."""
        self._left, self._sure, self._depth = BUDGET, True, 0

    def statement(self, node: ast.stmt) -> None:
        """Follow one statement of the top level. Raises Spent, or RecursionError for what nests too deep."""
        self._sure, self._depth = True, 0
        self._left = max(self._left, LEAST)  # what was wasted before does not cost the rest
        self._statement(node)

    def forget(self, node: ast.AST) -> None:
        """Nothing is known any more of the names that are bound in here."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self._names[inner.id] = UNKNOWN

    # How a block may be left: "", "break", "continue", "return", perhaps after "maybe ".

    def _block(self, body: Sequence[ast.stmt]) -> str:
        doubt = ""
        before = self._sure
        for node in body:
            leaving = self._statement(node)
            if leaving.startswith("maybe "):
                doubt, self._sure = leaving, False
            elif leaving:
                self._sure = before
                return f"maybe {leaving}" if doubt else leaving
        self._sure = before
        return doubt

    def _statement(self, node: ast.stmt) -> str:
        self._spend()
        match node:
            case ast.Expr(value=value) | ast.Assert(test=value):
                self._value(value)
            case ast.Assign(targets=targets, value=value):
                known = self._value(value)
                for target in targets:
                    self._bind(target, known)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._bind(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                before = self._names.get(target.id, UNKNOWN) if isinstance(target, ast.Name) else UNKNOWN
                self._bind(target, literals.binary(op, before, self._value(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                return self._choice(self._value(test), body, orelse)
            case ast.For() | ast.AsyncFor():
                return self._loop(node)
            case ast.While():
                return self._while(node)
            case ast.Try() | ast.TryStar():
                return self._try(node)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    known = self._value(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, known if isinstance(known, PathText) else UNKNOWN)
                return self._block(body)
            case ast.Match(subject=subject, cases=cases):
                self._value(subject)
                return self._branches([case.body for case in cases])
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._functions[node.name] = node
                self._names.pop(node.name, None)
            case ast.ClassDef():
                self._names[node.name] = UNKNOWN
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    self._modules[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self._modules[alias.asname or alias.name] = f"{module}.{alias.name}" if module else alias.name
            case ast.Return(value=value):
                self._returned = self._value(value) if value is not None else UNKNOWN
                return "return"
            case ast.Raise():
                return "return"
            case ast.Break():
                return "break"
            case ast.Continue():
                return "continue"
            case ast.Delete(targets=targets):
                for target in targets:
                    self._bind(target, UNKNOWN)
        return ""

    def _choice(self, test: object, body: list[ast.stmt], orelse: list[ast.stmt]) -> str:
        if literals.whole(test) and isinstance(test, bool | int | str | list | tuple | dict | None):
            return self._block(body if test else orelse)
        return self._branches([body, orelse])

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]]) -> str:
        """Each may run: what they look at is not sure, and names are known after them only where all agree."""
        before, ends, doubt = dict(self._names), [], ""
        for body in bodies:
            self._names = dict(before)
            with self._doubted():
                leaving = self._block(body).removeprefix("maybe ")
            raises = bool(body) and isinstance(body[-1], ast.Raise)  # a run that went on did not come here
            if leaving and not raises:
                doubt = f"maybe {leaving}"
            ends.append(self._names)
        self._names = {
            name: ends[0][name]
            if all(name in end and same(end[name], ends[0][name]) for end in ends) and name in ends[0]
            else UNKNOWN
            for name in {name for end in ends for name in end}
        }
        return doubt

    def _loop(self, node: ast.For | ast.AsyncFor) -> str:
        rounds = literals.elements(self._value(node.iter))
        if rounds is None:
            self.forget(node)
            with self._doubted():
                leaving = self._block(node.body)
            self.forget(node)
            return leaving if leaving.endswith("return") and leaving.startswith("maybe") else ""
        return self._rounds(node, rounds)

    def _rounds(self, node: ast.For | ast.AsyncFor, rounds: Sequence[object]) -> str:
        before, doubt = self._sure, ""
        for element in rounds:
            self._bind(node.target, element)
            leaving = self._block(node.body)
            if leaving == "break":
                break
            if leaving == "return":
                doubt = f"maybe {leaving}" if doubt else leaving
                break
            if leaving.startswith("maybe ") and not leaving.endswith("continue"):
                self._sure = False
                doubt = leaving if leaving.endswith("return") else doubt
        else:
            self._block(node.orelse)
        self._sure = before
        return doubt

    def _while(self, node: ast.While) -> str:
        before, doubt = self._sure, ""
        for _ in range(_ROUNDS):
            test, state = self._value(node.test), dict(self._names)
            if test is UNKNOWN:
                self.forget(node)
                with self._doubted():
                    self._block(node.body)
                self.forget(node)
                break
            if not test:
                break
            leaving = self._block(node.body)
            if leaving in ("break", "return"):
                doubt = leaving.replace("break", "")
                break
            if leaving.startswith("maybe ") and not leaving.endswith("continue"):
                self._sure = False
                doubt = leaving if leaving.endswith("return") else doubt
            if len(state) == len(self._names) and all(same(state[name], self._names[name]) for name in state):
                break  # nothing known changes any more: each further round is the same
        self._sure = before
        return doubt

    def _try(self, node: ast.Try | ast.TryStar) -> str:
        leaving = self._block(node.body)
        if node.handlers:
            doubt = self._branches([[], *(handler.body for handler in node.handlers)])
            leaving = leaving or doubt
        if not leaving:
            leaving = self._block(node.orelse)
        return self._block(node.finalbody) or leaving
