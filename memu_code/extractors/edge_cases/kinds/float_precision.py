"""Floats that are equal but for rounding."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called, last_name
from memu_code.extractors.edge_cases.shapes import number
from memu_code.extractors.edge_cases.sites import Valued
from memu_code.extractors.edge_cases.written import source

_TOLERANCE = 1e-2  # a difference above it is a distance, not an error of rounding
_WHOLE = frozenset(("floor", "ceil", "int", "len"))  # what they give is exact
_NAMES = frozenset(("eps", "epsilon", "tol", "tolerance", "atol", "rtol", "EPS", "EPSILON", "TOLERANCE"))


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Attribute(_, "isclose" | "allclose") | ast.Name("isclose" | "allclose"), [one, other, *_]):
            return Found(f"{source(one)} and {source(other)} differ by rounding", source(site.node))
        case ast.Compare(ast.Call(ast.Name("abs") | ast.Attribute(_, "abs"), [difference]), [operator], [limit]):
            small = number(limit)
            tiny = small is not None and 0 < small <= _TOLERANCE
            if (tiny or last_name(limit) in _NAMES) and not isinstance(operator, ast.Eq | ast.NotEq):
                return Found(f"{source(difference)} is nothing but rounding", source(site.node))
        case ast.Call(ast.Name("Decimal") | ast.Attribute(_, "Decimal"), [ast.Call(ast.Name("str"), [thing])]) if (
            called(thing) not in _WHOLE
        ):
            return Found(f"{source(thing)} is not exact as a float", source(site.node))
        case ast.Compare(ast.Call(ast.Name("round"), [one, _]), [ast.Eq()], [ast.Call(ast.Name("round"), [other, _])]):
            return Found(f"{source(one)} and {source(other)} differ by rounding", source(site.node))
    return None


FLOAT_PRECISION = EdgeCaseKind(
    "float_precision",
    "Floats that would be equal but for rounding.",
    shown=(
        Shown("ok = math.isclose(a, b)", "a and b differ by rounding", "math.isclose(a, b)"),
        Shown("if abs(a - b) < 1e-9:\n    n += 1", "a - b is nothing but rounding", "abs(a - b) < 1e-09"),
        Shown("price = Decimal(str(x))", "x is not exact as a float", "Decimal(str(x))"),
    ),
    near_misses=(
        "if abs(a - b) < 5:\n    n += 1",
        "y = round(x, 2)",
        "y = Decimal(str(floor(x)))",
        "if abs(x) > 0.5:\n    n += 1",
    ),
    valued=_valued,
)
