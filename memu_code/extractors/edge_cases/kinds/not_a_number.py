"""Values that are missing in numbers: NaN."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import same
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source

_ABSENT = frozenset(("isnan", "isna", "isnull"))
_PRESENT = frozenset(("notna", "notnull", "isfinite"))


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Call(function, arguments) as call if called(call) in _ABSENT:
            return Found(f"{_told(function, arguments)} is NaN", site.handling)
        case ast.UnaryOp(ast.Not(), ast.Call(function, arguments) as call) if called(call) in _PRESENT:
            return Found(f"{_told(function, arguments)} is NaN", site.handling)
        case ast.Compare(one, [ast.NotEq()], [other]) if same(one, other):
            return Found(f"{source(one)} is NaN", site.handling)
    return None


def _told(function: ast.expr, arguments: list[ast.expr]) -> str:
    return source(arguments[0]) if arguments else source(getattr(function, "value", function))


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Attribute(thing, "dropna" | "fillna")):
            return Found(f"NaN in {source(thing)}", source(site.node))
        case ast.Call(ast.Attribute(_, "nan_to_num" | "nanmean" | "nansum" | "nanmedian" | "nanstd"), [thing, *_]):
            return Found(f"NaN in {source(thing)}", source(site.node))
    return None


NOT_A_NUMBER = EdgeCaseKind(
    "not_a_number",
    "Values that are missing in a column or an array: NaN.",
    shown=(
        Shown("if math.isnan(x):\n    x = 0", "x is NaN", "x = 0"),
        Shown("clean = df.dropna(subset=['age'])", "NaN in df", "df.dropna(subset=['age'])"),
        Shown("y = row['a'] if pd.notna(row['a']) else 0", "row['a'] is NaN", "0"),
        Shown("m = np.nanmean(values)", "NaN in values", "np.nanmean(values)"),
    ),
    near_misses=("gaps = df.isna().sum()", "x = float('nan')", "if x != y:\n    n += 1"),
    tested=_tested,
    valued=_valued,
    prevents=("ValueError", "IntCastingNaNError"),
)
