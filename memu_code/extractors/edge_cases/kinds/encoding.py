"""Text in another encoding, or bytes that are no text."""

from __future__ import annotations

import ast
import re

from memu_code.extractors.code.words import words
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called, last_name
from memu_code.extractors.edge_cases.shapes import keyword
from memu_code.extractors.edge_cases.sites import Caught, Valued
from memu_code.extractors.edge_cases.written import source

# Calls that turn bytes into text, or text into bytes; others mean something else by `errors`.
_TEXTS = words(
    "FileHandler NamedTemporaryFile Popen TextIOWrapper bytearray bytes call check_call check_output decode encode "
    "fdopen genfromtxt loadtxt open read_csv read_fwf read_html read_json read_table read_text read_xml run savetxt "
    "str to_csv to_xml write_text"
)
_WRITERS = words("write_text to_csv to_xml savetxt FileHandler")
_OPENERS = words("io codecs os gzip bz2 lzma")  # modules whose `open` takes a path first
_USUAL = re.compile(r"utf.?8", re.IGNORECASE)
_NATIONAL = re.compile(r"(latin|iso|cp|windows|utf.?16|utf.?32|utf.?8.sig|gb|big5|shift|euc|koi8|mac)", re.IGNORECASE)
_CLASSES = frozenset(("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError"))


def _valued(site: Valued) -> Found | None:
    call = site.node
    if not isinstance(call, ast.Call) or called(call) not in _TEXTS:
        return None
    told = [f"{name}={source(value)}" for name in ("encoding", "errors") if (value := keyword(call, name)) is not None]
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("encode", "decode"):
        if not told and not _is_told(call.func.attr, call.args):
            return None
        told = [*map(source, call.args), *told]
    if not told or told == ["encoding=None"] or _writes_as_usual(call):
        return None
    return Found(f"{source(call.func)} meets text in another encoding", ", ".join(told))


def _writes_as_usual(call: ast.Call) -> bool:
    """Whether text is only written, in the usual encoding: no text of another one is met."""
    match keyword(call, "encoding"):
        case ast.Constant(str() as codec) if _USUAL.fullmatch(codec) and keyword(call, "errors") is None:
            return called(call) in _WRITERS or _opens_to_write(call)
    return False


def _opens_to_write(call: ast.Call) -> bool:
    of_path = isinstance(call.func, ast.Attribute) and last_name(call.func.value) not in _OPENERS
    place = 0 if of_path or called(call) == "NamedTemporaryFile" else 1
    mode = keyword(call, "mode") or (call.args[place] if len(call.args) > place else None)
    match mode:
        case ast.Constant(str() as said):
            return called(call) in ("open", "fdopen", "NamedTemporaryFile") and said[:1] in ("w", "a", "x")
    return False


def _is_told(method: str, arguments: list[ast.expr]) -> bool:
    """Whether a codec says more than that bytes are needed: it is not the usual one, or errors are dealt with."""
    match arguments:
        case [ast.Constant(str()), ast.Constant(str())]:
            return True
        case [ast.Constant(str() as codec)]:
            return method == "decode" and _NATIONAL.match(codec) is not None
    return False


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        return Found(f"{site.what} meets text in another encoding", site.handling)
    return None


ENCODING = EdgeCaseKind(
    "encoding",
    "Text in another encoding than the usual one, or bytes that are no text.",
    shown=(
        Shown(
            "y = open(p, encoding='utf-8', errors='replace').read()",
            "open meets text in another encoding",
            "encoding='utf-8', errors='replace'",
        ),
        Shown(
            "y = pd.read_csv(p, encoding='latin-1')", "pd.read_csv meets text in another encoding", "encoding='latin-1'"
        ),
        Shown("f = open(p, 'w', encoding='cp1252')", "open meets text in another encoding", "encoding='cp1252'"),
        Shown("y = raw.decode('utf-8', 'ignore')", "raw.decode meets text in another encoding", "'utf-8', 'ignore'"),
        Shown(
            "try:\n    t = raw.decode()\nexcept UnicodeDecodeError:\n    t = ''",
            "t = raw.decode() meets text in another encoding",
            "t = ''",
        ),
    ),
    near_misses=(
        "y = text.encode('utf-8')",
        "f = open(p, 'w', encoding='utf-8')",
        "with io.open(p, mode='a', encoding='UTF8') as f:\n    f.write(text)",
        "f = path.open('x', encoding='utf-8')",
        "f = gzip.open(p, 'wt', encoding='utf-8')",
        "f = NamedTemporaryFile('w', encoding='utf-8')",
        "path.write_text(text, encoding='utf-8')",
        "df.to_csv(p, encoding='utf-8')",
        "y = text.encode('utf-16')",
        "y = codecs.encode(text, 'rot_13')",
        "y = df.drop(columns='a', errors='ignore')",
        "y = pd.to_datetime(x, errors='raise')",
        "show(text, encoding='utf-8')",
    ),
    caught=_caught,
    valued=_valued,
    prevents=("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError"),
)
