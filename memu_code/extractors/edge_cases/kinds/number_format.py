"""Numbers as people write them."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import keyword, within
from memu_code.extractors.edge_cases.sites import Valued
from memu_code.extractors.edge_cases.written import source

_NUMBERS = frozenset(("int", "float", "Decimal", "to_numeric"))
_SIGNS = frozenset((",", ".", " ", "$", "€", "£", "%", "'", "_", "\u00a0"))


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(_, [argument, *_]) as call if called(call) in _NUMBERS:
            for node in within([argument]):
                match node:
                    case ast.Call(ast.Attribute(text, "replace"), [ast.Constant(sign), ast.Constant()]) if (
                        sign in _SIGNS
                    ):
                        return Found(f"{_bare(text)} is written with {sign!r}", source(call))
        case ast.Call() as call if called(call).startswith("read_"):
            for name in ("decimal", "thousands"):
                told = keyword(call, name)
                if isinstance(told, ast.Constant):
                    return Found(f"numbers are written with {source(told)}", f"{name}={source(told)}")
        case ast.Call(ast.Attribute(ast.Name("locale"), "atof" | "atoi"), [text]):
            return Found(f"{source(text)} is written as in the locale", source(site.node))
    return None


def _bare(text: ast.expr) -> str:
    """The text without what is replaced in it before."""
    match text:
        case ast.Call(ast.Attribute(inner, "replace" | "strip")):
            return _bare(inner)
    return source(text)


NUMBER_FORMAT = EdgeCaseKind(
    "number_format",
    "Numbers as people write them: decimal commas, thousands, currencies, percent.",
    shown=(
        Shown("x = float(cell.replace(',', '.'))", "cell is written with ','", "float(cell.replace(',', '.'))"),
        Shown("df = pd.read_csv(p, decimal=',')", "numbers are written with ','", "decimal=','"),
    ),
    near_misses=("t = text.replace(',', '.')", "x = float(cell)", "x = int(t.replace('a', 'b'))"),
    valued=_valued,
    prevents=("ValueError",),
)
