"""Code that does the same and says nothing: printed anew from its tree, or line by line where it is a change."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby

from memu_code.recall.addressed import addresses, addresses_in_code
from memu_code.recall.facts import SOURCE_NAME
from memu_code.recall.prose import is_prose, is_sentence
from memu_code.recall.strings import STRING, content

PLACEHOLDER = "[text left out]"  # stands for prose in a stranger's code, as a string as the prose was
_LONGEST = 50_000  # characters of code that are printed anew
_KEY_CHARACTERS = 60  # a longer key of a mapping is judged as any other text
_NAME_WORDS = 7  # a name of so many words is a sentence
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_DIFF = ("- ", "+ ", "  ")
# What makes one line of code parse by itself: `else:`, `except KeyError:`, `elif x:`, `return x`.
_AROUND = (("", ""), ("", "\n    pass"), ("if x:\n    pass\n", "\n    pass"), ("try:\n    pass\n", "\n    pass"))
_QUIETED = re.compile(rf"(?P<comment>[ \t]*#[^\n\r]*)|(?P<string>{STRING})", re.DOTALL)


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


def bare_change(delta: str) -> str:
    """A diff without comments and prose; a line that is no Python by itself or with its neighbours is left out."""
    lines: list[str] = []
    for mark, group in groupby(delta.split("\n"), key=lambda line: line[:2]):
        if mark not in _DIFF:
            continue
        told = [line[2:] for line in group]
        whole = "\n".join(told)
        parts: Iterable[str] = [whole] if parses(textwrap.dedent(whole)) else filter(_parses_alone, told)
        quiet = "\n".join(map(_quieted, parts))
        lines += [mark + line for line in quiet.split("\n") if line.strip()]
    text = "\n".join(lines)
    return "" if addresses_in_code(text) or addresses(text) else text


def parses(code: str) -> bool:
    """Whether this is Python."""
    try:
        ast.parse(code, SOURCE_NAME)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _speaks(text: str, tree: ast.AST) -> bool:
    """Whether the printed code still speaks: in one part, or in strings that are read one after the other."""
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    strings.sort(key=lambda node: (node.lineno, node.col_offset))
    return bool(addresses_in_code(text) or addresses(" ".join(str(node.value) for node in strings)))


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
        if isinstance(node.value, str) and is_prose(node.value):
            return ast.copy_location(ast.Constant(PLACEHOLDER), node)
        if isinstance(node.value, bytes) and is_prose(node.value.decode("latin-1")):
            return ast.copy_location(ast.Constant(PLACEHOLDER.encode()), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        written = [part for part in node.values if isinstance(part, ast.Constant)]
        if is_prose(" x ".join(str(part.value) for part in written)):
            for place, part in enumerate(written):
                part.value = " " if place else PLACEHOLDER
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        texts = list(_added(node))
        if len(texts) > 1 and is_prose(" ".join(str(text.value) for text in texts)):
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
        if split and isinstance(called, ast.Attribute) and not is_sentence(str(getattr(called.value, "value", ""))):
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


def _renamed(tree: ast.Module) -> bool:
    """Give names that speak others that do not; false where one of them is imported and has to stay."""
    imported = {part for node in ast.walk(tree) for part in _imported(node)}
    if any(map(name_speaks, imported)):
        return False
    others: dict[str, str] = {}
    for node in ast.walk(tree):
        for label in ("id", "arg", "name", "attr", "rest"):
            name = getattr(node, label, None)
            if isinstance(name, str) and not isinstance(node, ast.alias) and name_speaks(name):
                setattr(node, label, others.setdefault(name, f"name_{len(others) + 1}"))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [others.setdefault(n, f"name_{len(others) + 1}") if name_speaks(n) else n for n in node.names]
        if isinstance(node, ast.MatchClass) and any(map(name_speaks, node.kwd_attrs)):
            return False
    return True


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (name for alias in node.names for name in (alias.name, alias.asname or ""))
        yield getattr(node, "module", None) or ""


def name_speaks(name: str) -> bool:
    """Whether a name is a sentence, or says something to the model."""
    words = [word for word in _HUMP.split(name) if word]
    return len(words) >= _NAME_WORDS or (len(words) > 1 and bool(addresses(name)))


def _parses_alone(line: str) -> bool:
    return any(parses(f"{before}{line.strip()}{after}") for before, after in _AROUND)


def _quieted(text: str) -> str:
    return _QUIETED.sub(_quiet_part, text)


def _quiet_part(part: re.Match[str]) -> str:
    if part["comment"] is not None:
        return ""
    return repr(PLACEHOLDER) if is_prose(content(part)) else part["string"]
