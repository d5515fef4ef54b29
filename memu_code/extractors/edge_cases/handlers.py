"""Edge cases that stand in an exception handler: what may be raised, and what is done then."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.edge_cases.found import Found, source, statements

_SUPPRESS = m.Call(func=m.Name("suppress") | m.Attribute(attr=m.Name("suppress")))
_LEAVES = m.SimpleStatementLine(body=[m.ZeroOrMore(), m.Break() | m.Return() | m.Raise()])


def exception_caught(node: cst.CSTNode) -> Iterator[Found]:
    if isinstance(node, cst.Try):
        for handler in node.handlers:
            caught = source(handler.type) or "any exception"
            yield Found(f"{source(statements(node.body))} raises {caught}", source(statements(handler.body)))
    elif isinstance(node, cst.With):
        for item in node.items:
            if m.matches(item.item, _SUPPRESS):
                call = cst.ensure_type(item.item, cst.Call)
                caught = ", ".join(source(argument.value) for argument in call.args)
                yield Found(f"{source(statements(node.body))} raises {caught}", "skipped")


def retry(node: cst.CSTNode) -> Iterator[Found]:
    """A loop that tries until it works: the body of `try` leaves the loop, the handler does not."""
    if not isinstance(node, cst.For | cst.While):
        return
    for statement in statements(node.body):
        if not isinstance(statement, cst.Try) or not statement.handlers:
            continue
        after = statement.orelse.body if statement.orelse is not None else None
        body = [*statements(statement.body), *statements(after)]
        if not body or not m.matches(body[-1], _LEAVES):
            continue
        for handler in statement.handlers:
            inside = statements(handler.body)
            if inside and not m.matches(inside[-1], _LEAVES):
                loop = node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), orelse=None)
                yield Found(
                    f"{source(body[0])} raises {source(handler.type) or 'any exception'}",
                    f"{source(loop).removesuffix(' pass')} {source(inside)}",
                )
