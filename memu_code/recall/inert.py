"""What an LLM may see of a hit: stored text as data, with nothing in it that speaks to its reader.

Code of a space that is not trusted comes without comments, docstrings, prose and names that speak, printed anew from
its tree; its words come short. Of a trusted space all comes as it is stored, unless something in it speaks to the
model: then that is treated as a stranger's.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from memu_code.model import EdgeCase, ErrorFix, Hit, Kind, Node, Problem, Solution
from memu_code.recall.addressed import Speech, addresses, addresses_in_code
from memu_code.recall.facts import SOURCE_NAME
from memu_code.recall.lines import one_line

PLACEHOLDER = "[text left out]"  # stands for prose in a stranger's code, as a string as the prose was
STRANGERS_CHARACTERS = 120  # of what a stranger says of a thing
STRANGERS_TASK = "a task like this one"
_LONGEST = 50_000  # characters of code that are printed anew
_KEY_CHARACTERS = 60  # a longer key of a mapping is judged as any other text
_NAME_WORDS = 7  # a name of so many words is a sentence
_LONG_TEXT = 8  # words, or letters of a script without spaces, that are prose in any language
_SHORT_TEXT = 4  # words that are prose where two of them are words of English sentences
_SENTENCES = (
    "the a an to of you your this that it its must please should will would be are was were have do does can cannot"
    " could may not only always never"
)
_SENTENCE_WORDS = frozenset(_SENTENCES.split())
_SQL = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA)\b")
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile("[\u0590-\u08ff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LINK = re.compile(r"(?:https?|ftp|data|file|javascript):\S+|\bwww\.\S+", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_DIFF = ("- ", "+ ", "  ")
# What makes one line of code parse by itself: `else:`, `except KeyError:`, `elif x:`, `return x`.
_AROUND = (("", ""), ("", "\n    pass"), ("if x:\n    pass\n", "\n    pass"), ("try:\n    pass\n", "\n    pass"))
_QUIETED = re.compile(
    r"(?P<comment>[ \t]*#[^\n\r]*)|(?P<string>(?P<quotes>\"\"\"|''')(?P<long>.*?)(?P=quotes)"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>(?:[^'\\\n]|\\.)*)')",
    re.DOTALL,
)


def inert(hit: Hit, *, trusted: bool) -> Hit:
    """The hit as an LLM may see it; its code is empty where nothing of it can be shown."""
    told = hit if trusted else _from_stranger(hit)
    return replace(
        told,
        code=shown_code(hit.code, trusted=trusted, change=hit.kind is Kind.ERROR_FIX),
        problem=one_line(told.problem),
        description=one_line(told.description),
        signature=one_line(told.signature),
        name="" if addresses(told.name) else told.name,
        edge_cases=tuple(map(one_line, told.edge_cases)),
        fixes=tuple(map(one_line, told.fixes)),
        failed_alternatives=tuple(map(one_line, told.failed_alternatives)),
        avoids=tuple(map(one_line, told.avoids)),
        provenance=one_line(told.provenance),
        reason=one_line(told.reason),
        differs=one_line(told.differs),
    )


def marked(hits: Iterable[Hit], quarantined: Container[str]) -> Iterator[Hit]:
    """The hits with what there is to say against them: that they are in quarantine, and how they speak to a model."""
    for hit in hits:
        yield replace(hit, quarantine=hit.id in quarantined, speaks=tuple(map(str, speech_of(hit))))


def in_short(text: str) -> str:
    """What a stranger says of something: a short line without links."""
    return one_line(_LINK.sub("(link)", text), STRANGERS_CHARACTERS)


def speech_of(hit: Hit) -> tuple[Speech, ...]:
    """How anything of a hit speaks to the model, before any of it is left out."""
    return _speech([hit.code], (hit.problem, hit.description, hit.signature, hit.reason, *hit.edge_cases, *hit.fixes))


def speech_in(node: Node) -> tuple[Speech, ...]:
    """How anything of a node speaks to the model."""
    match node:
        case Solution():
            return _speech([node.code], (node.name, node.signature, node.description))
        case ErrorFix():
            return _speech([node.failing, node.fixed, "\n".join(node.delta)], (node.message, node.thought))
        case Problem():
            return _speech((), [node.text])
        case EdgeCase():
            return _speech((), (node.category, node.condition, node.handling))


def _speech(codes: Iterable[str], texts: Iterable[str]) -> tuple[Speech, ...]:
    found = {kind for code in codes for kind in addresses_in_code(code)}
    found.update(kind for text in texts for kind in addresses(text))
    return tuple(kind for kind in Speech if kind in found)


def shown_code(code: str, *, trusted: bool, change: bool = False) -> str:
    """Code as an LLM may see it: as it is stored, or bare; `change` is one in the manner of a diff."""
    if trusted and not addresses_in_code(code) and (change or not addresses(code) or _parses(code)):
        return code
    return _bare_change(code) if change else bare(code)


def bare(code: str) -> str:
    """Code that does the same and says nothing: printed anew without comments, docstrings, prose and names that speak.

    Strings that the code works with stay: keys, formats, patterns, separators, SQL. Prose becomes a string that says
    that it was left out, so that its type stays. Empty where the code does not parse, or where what speaks cannot be
    taken out.
    """
    if len(code) > _LONGEST:
        return ""
    try:
        tree = ast.parse(code, SOURCE_NAME)
        for node in ast.walk(tree):
            _without_strings(node)
        if not _renamed(tree):
            return ""
        _Quiet().visit(tree)
        text = ast.unparse(ast.fix_missing_locations(tree))
        printed = ast.parse(text, SOURCE_NAME)
        same = ast.dump(printed) == ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # stored code may be anything
        return ""
    return text if same and not _speaks(text, printed) else ""


def _from_stranger(hit: Hit) -> Hit:
    """The hit with what others said of it cut short, and without what only a reader needs."""
    return replace(
        hit,
        problem=in_short(hit.problem if hit.kind is Kind.ERROR_FIX else hit.alike) or STRANGERS_TASK,
        description="",
        signature="",
        edge_cases=tuple(in_short(case) for case in hit.edge_cases if not _is_prose(case)),
        fixes=tuple(map(in_short, hit.fixes)),
        failed_alternatives=tuple(map(in_short, hit.failed_alternatives)),
    )


def _speaks(text: str, tree: ast.AST) -> bool:
    """Whether the printed code still speaks: in one part, or in strings that are read one after the other."""
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    strings.sort(key=lambda node: (node.lineno, node.col_offset))
    return bool(addresses_in_code(text) or addresses(" ".join(str(node.value) for node in strings)))


def _parses(code: str) -> bool:
    try:
        ast.parse(code, SOURCE_NAME)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_strings(node: ast.AST) -> None:
    """Take out the statements that are nothing but a string: docstrings, and comments in disguise."""
    for label in ("body", "orelse", "finalbody"):
        statements = getattr(node, label, None)
        if isinstance(statements, list):
            kept = [one for one in statements if not (isinstance(one, ast.Expr) and _is_text(one.value))]
            setattr(node, label, kept or ([ast.Pass()] if label == "body" and not isinstance(node, ast.Module) else []))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


class _Quiet(ast.NodeTransformer):
    """The tree with prose replaced by a placeholder of the same type."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and _is_prose(node.value):
            return ast.copy_location(ast.Constant(PLACEHOLDER), node)
        if isinstance(node.value, bytes) and _is_prose(node.value.decode("latin-1")):
            return ast.copy_location(ast.Constant(PLACEHOLDER.encode()), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        written = [part for part in node.values if isinstance(part, ast.Constant)]
        if _is_prose(" x ".join(str(part.value) for part in written)):
            for place, part in enumerate(written):
                part.value = " " if place else PLACEHOLDER
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        texts = list(_added(node))
        if len(texts) > 1 and _is_prose(" ".join(str(text.value) for text in texts)):
            for text in texts:
                text.value = PLACEHOLDER
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        key = node.slice
        node.value = self.visit(node.value)
        node.slice = key if isinstance(key, ast.Constant) and _is_key(key) else self.visit(key)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node.keys = [
            key if key is None or (isinstance(key, ast.Constant) and _is_key(key)) else self.visit(key)
            for key in node.keys
        ]
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        split = isinstance(called, ast.Attribute) and called.attr == "split" and _is_text(called.value)
        if split and isinstance(called, ast.Attribute) and not _is_sentence(str(getattr(called.value, "value", ""))):
            node.args = [self.visit(given) for given in node.args]
            node.keywords = [self.visit(given) for given in node.keywords]
            return node
        return self.generic_visit(node)


def _added(node: ast.expr) -> Iterator[ast.Constant]:
    """The strings that stand side by side in an addition."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _added(node.left)
        yield from _added(node.right)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node


def _is_key(node: ast.Constant) -> bool:
    key = node.value
    return not isinstance(key, str) or (len(key) <= _KEY_CHARACTERS and not addresses(key))


def _is_prose(text: str) -> bool:
    """Whether a string is words for a reader, and nothing that code works with."""
    if _is_sentence(text) or addresses(text) or len(_UNSPACED.findall(text)) >= _LONG_TEXT:
        return True
    return len(_WORD.findall(text)) >= _LONG_TEXT and " " in text.strip() and not _SQL.match(text)


def _is_sentence(text: str) -> bool:
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) >= _SHORT_TEXT and len(_SENTENCE_WORDS.intersection(words)) > 1


def _renamed(tree: ast.Module) -> bool:
    """Give names that speak others that do not; false where one of them is imported and has to stay."""
    imported = {part for node in ast.walk(tree) for part in _imported(node)}
    if any(map(_name_speaks, imported)):
        return False
    others: dict[str, str] = {}
    for node in ast.walk(tree):
        for label in ("id", "arg", "name", "attr", "rest"):
            name = getattr(node, label, None)
            if isinstance(name, str) and not isinstance(node, ast.alias) and _name_speaks(name):
                setattr(node, label, others.setdefault(name, f"name_{len(others) + 1}"))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [others.setdefault(n, f"name_{len(others) + 1}") if _name_speaks(n) else n for n in node.names]
        if isinstance(node, ast.MatchClass) and any(map(_name_speaks, node.kwd_attrs)):
            return False
    return True


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (name for alias in node.names for name in (alias.name, alias.asname or ""))
        yield getattr(node, "module", None) or ""


def _name_speaks(name: str) -> bool:
    words = [word for word in _HUMP.split(name) if word]
    return len(words) >= _NAME_WORDS or (len(words) > 1 and bool(addresses(name)))


def _bare_change(delta: str) -> str:
    """A diff without comments and prose; a line that is no Python by itself or with its neighbours is left out."""
    lines: list[str] = []
    for mark, group in groupby(delta.split("\n"), key=lambda line: line[:2]):
        if mark not in _DIFF:
            continue
        told = [line[2:] for line in group]
        whole = "\n".join(told)
        parts: Iterable[str] = [whole] if _parses(textwrap.dedent(whole)) else filter(_parses_alone, told)
        quiet = "\n".join(map(_quieted, parts))
        lines += [mark + line for line in quiet.split("\n") if line.strip()]
    text = "\n".join(lines)
    return "" if addresses_in_code(text) or addresses(text) else text


def _parses_alone(line: str) -> bool:
    return any(_parses(f"{before}{line.strip()}{after}") for before, after in _AROUND)


def _quieted(text: str) -> str:
    return _QUIETED.sub(_quiet_part, text)


def _quiet_part(part: re.Match[str]) -> str:
    if part["comment"] is not None:
        return ""
    said = next((text for group in ("long", "double", "single") if (text := part[group]) is not None), "")
    return repr(PLACEHOLDER) if _is_prose(said) else part["string"]
