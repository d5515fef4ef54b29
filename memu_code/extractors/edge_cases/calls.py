"""Edge cases that stand in a call or an expression: a default, an encoding, a set that drops what comes twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.edge_cases.found import Found, source

_PLAIN = m.Arg(star="", keyword=None)
_KEYED = m.Call(func=m.Attribute(attr=m.Name("get") | m.Name("setdefault") | m.Name("pop")), args=[_PLAIN, _PLAIN])
_CODEC = m.Call(func=m.Attribute(attr=m.Name("decode") | m.Name("encode")), args=[m.AtLeastN(_PLAIN, n=1)])
_ONCE = m.Call(func=m.Name("set") | m.Attribute(value=m.Name("dict"), attr=m.Name("fromkeys")), args=[_PLAIN])
_DROPS = m.Call(func=m.Attribute(attr=m.Name("drop_duplicates") | m.Name("unique")))
_LOOK_UPS = m.Name("getattr") | m.Name("next")
# Calls that turn bytes into text, or text into bytes; others mean something else by `errors`.
_TEXTS = re.compile(
    r"FileHandler|NamedTemporaryFile|Popen|TemporaryFile|TextIOWrapper|bytearray|bytes|call|check_call|check_output|"
    r"decode|encode|fdopen|genfromtxt|getoutput|loadtxt|open|read_(csv|fwf|html|json|table|text|xml)|run|savetxt|str|"
    r"to_csv|to_xml|write_text"
)
_TRUTHS = m.Comparison() | m.BooleanOperation() | m.UnaryOperation(operator=m.Not())


def missing_key(node: cst.CSTNode) -> Iterator[Found]:
    if m.matches(node, _KEYED):
        call = cst.ensure_type(node, cst.Call)
        container = source(cst.ensure_type(call.func, cst.Attribute).value)
        yield Found(f"{source(call.args[0].value)} not in {container}", source(call.args[1].value))


def default_value(node: cst.CSTNode) -> Iterator[Found]:
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        if not m.matches(node.left, _TRUTHS) and not m.matches(node.right, _TRUTHS | m.Call()):
            yield Found(f"not {source(node.left)}", source(node.right))
    elif isinstance(node, cst.Call):
        for argument in node.args:
            if argument.keyword is not None and argument.keyword.value == "default":
                yield Found(f"nothing in {source(node.args[0].value)}", source(argument.value))
        plain = [argument for argument in node.args if argument.keyword is None and not argument.star]
        if m.matches(node.func, _LOOK_UPS) and len(plain) == (3 if m.matches(node.func, m.Name("getattr")) else 2):
            yield Found(f"nothing from {source(node.with_changes(args=node.args[:-1]))}", source(plain[-1].value))


def encoding(node: cst.CSTNode) -> Iterator[Found]:
    if not isinstance(node, cst.Call):
        return
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    if not isinstance(name, cst.Name) or not _TEXTS.fullmatch(name.value):
        return
    told = [item for item in node.args if item.keyword is not None and item.keyword.value in ("encoding", "errors")]
    handling = ", ".join(f"{item.keyword.value}={source(item.value)}" for item in told if item.keyword is not None)
    if m.matches(node, _CODEC):
        handling = ", ".join(source(item.value) for item in node.args)
    if handling:
        yield Found(f"text of {source(node.func)}", handling)


def duplicates(node: cst.CSTNode) -> Iterator[Found]:
    if m.matches(node, _ONCE):
        argument = cst.ensure_type(node, cst.Call).args[0].value
        if not m.matches(argument, m.SimpleString() | m.List() | m.Tuple()):
            yield Found(f"duplicates in {source(argument)}", source(node))
    elif m.matches(node, _DROPS):
        base = cst.ensure_type(cst.ensure_type(node, cst.Call).func, cst.Attribute).value
        yield Found(f"duplicates in {source(base)}", source(node))
