"""A text that cannot be read as what it should be."""

from __future__ import annotations

import ast

from memu_code.extractors.code.words import words
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import keyword, within
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_PARSERS = words(
    "int float complex Decimal Fraction loads strptime fromisoformat literal_eval to_datetime to_numeric to_timedelta "
    "safe_load fromstring UUID ip_address ip_network parse_date isoparse b64decode unhexlify fromhex"
)
_FAILURES = words(
    "ValueError JSONDecodeError SyntaxError InvalidOperation ParserError ParseError ParsingError YAMLError "
    "OutOfBoundsDatetime Error Exception TypeError AddressValueError"
)
_DIGITS = frozenset(("isdigit", "isnumeric", "isdecimal"))


def _caught(site: Caught) -> Found | None:
    call = site.calls(*_PARSERS)
    if call is None or site.raises or not set(site.classes) <= _FAILURES or len(site.tried) > 3:
        return None
    return Found(f"{source(call)} cannot be read", site.handling)


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Attribute(thing, method))) if method in _DIGITS:
            if any(called(node) in ("int", "float") for node in within((*site.done, *site.otherwise))):
                return Found(f"{source(thing)} is no number", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    if isinstance(site.node, ast.Call) and called(site.node) in ("to_datetime", "to_numeric", "to_timedelta"):
        match keyword(site.node, "errors"):
            case ast.Constant("coerce"):
                return Found(f"{source(site.node.args[0]) if site.node.args else 'a value'} cannot be read", "NaN")
    return None


PARSING_FALLBACK = EdgeCaseKind(
    "parsing_fallback",
    "A text that cannot be read as the number, date or structure that it should be.",
    shown=(
        Shown("try:\n    x = int(s)\nexcept ValueError:\n    x = None", "int(s) cannot be read", "x = None"),
        Shown("n = int(s) if s.isdigit() else 0", "s is no number", "0"),
        Shown("t = pd.to_datetime(df['t'], errors='coerce')", "df['t'] cannot be read", "NaN"),
    ),
    near_misses=(
        "try:\n    x = int(s)\nexcept ValueError:\n    raise RuntimeError(s)",
        "x = int(s)",
        "if c.isdigit():\n    n += 1",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("ValueError", "JSONDecodeError", "SyntaxError", "InvalidOperation", "TypeError"),
)
