"""A file or a folder that is not there, or is there already."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import keyword, within
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_EXISTS = frozenset(("exists", "isfile", "isdir", "is_file", "is_dir"))
_REPLACES = frozenset(("remove", "unlink", "rmtree", "rename", "FileExistsError"))
_CLASSES = frozenset(("FileNotFoundError", "NotADirectoryError", "FileExistsError", "IsADirectoryError"))


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Call() as call) if called(call) in _EXISTS:
            return Found(f"{_path(call)} is not there", site.handling)
        case ast.Call() as call if called(call) in _EXISTS:
            if any(called(node) in _REPLACES for node in within(site.done)):
                return Found(f"{_path(call)} is there already", site.handling)
    return None


def _path(call: ast.Call) -> str:
    return source(call.args[0]) if call.args else source(getattr(call.func, "value", call.func))


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(_, _, _) as call if called(call) in ("makedirs", "mkdir", "unlink"):
            for name, told in (("exist_ok", "is there already"), ("missing_ok", "is not there")):
                match keyword(call, name):
                    case ast.Constant(True):
                        return Found(f"{_path(call)} {told}", f"{name}=True")
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        there = "finds the file there already" if site.classes == ("FileExistsError",) else "finds no such file"
        return Found(f"{site.what} {there}", site.handling)
    return None


MISSING_FILE = EdgeCaseKind(
    "missing_file",
    "A file or a folder that is not there, or is there already.",
    shown=(
        Shown("if not os.path.exists(p):\n    os.makedirs(p)", "p is not there", "os.makedirs(p)"),
        Shown("rows = read(p) if p.is_file() else []", "p is not there", "[]"),
        Shown("os.makedirs(out, exist_ok=True)", "out is there already", "exist_ok=True"),
        Shown(
            "try:\n    t = read(p)\nexcept FileNotFoundError:\n    t = ''", "t = read(p) finds no such file", "t = ''"
        ),
    ),
    near_misses=(
        "there = os.path.exists(p)",
        "if os.path.exists(p):\n    rows = read(p)\nelif ask():\n    rows = []",
        "os.makedirs(p)",
        "if p.suffix:\n    print(p)",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("FileNotFoundError", "FileExistsError", "NotADirectoryError", "IsADirectoryError", "OSError"),
)
