"""Blank lines, and white space around what counts."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import empty_literal
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Attribute(text, "strip"), [])):
            return Found(f"{source(text)} is blank", site.handling)
        case ast.Compare(ast.Call(ast.Attribute(text, "strip"), []), [ast.Eq()], [right]) if empty_literal(right):
            return Found(f"{source(text)} is blank", site.handling)
        case ast.Call(ast.Attribute(text, "isspace"), []) if site.leaves or site.skips:
            return Found(f"{source(text)} is blank", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Attribute(ast.Constant(" "), "join"), [ast.Call(ast.Attribute(text, "split"), [])]):
            return Found(f"runs of white space in {source(text)}", source(site.node))
        case ast.Call(ast.Attribute(_, "sub"), [ast.Constant("\\s+" | "\\s{2,}" | " +"), ast.Constant(" "), text, *_]):
            return Found(f"runs of white space in {source(text)}", source(site.node))
        case ast.Call(ast.Name("int" | "float"), [ast.Call(ast.Attribute(text, "strip"), []) as stripped]):
            return Found(f"white space around {source(text)}", source(stripped))
    return None


WHITESPACE = EdgeCaseKind(
    "whitespace",
    "Blank lines, and white space around or between what counts.",
    shown=(
        Shown("for line in lines:\n    if not line.strip():\n        continue", "line is blank", "continue"),
        Shown("clean = re.sub(r'\\s+', ' ', text)", "runs of white space in text", "re.sub('\\\\s+', ' ', text)"),
        Shown("clean = ' '.join(text.split())", "runs of white space in text", "' '.join(text.split())"),
        Shown("n = float(cell.strip())", "white space around cell", "cell.strip()"),
    ),
    near_misses=(
        "parts = text.split()",
        "bare = re.sub(r'\\s+', '', text)",
        "if c.isspace():\n    n += 1",
        "t = '-'.join(text.split())",
    ),
    tested=_tested,
    valued=_valued,
    prevents=("ValueError", "IndexError"),
)
