"""One requirement changed, in the wording of a task and in its code: near misses with a proof.

An edit replaces a word (or adds a sentence) and names the change of the code that belongs to it. `unseen` marks edits
whose new words the lexicon of `recall.contrast` does not have: it was written before them and does not grow by them, so
that this group tells what is noticed of words that nobody thought of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

# From here on a text shows what it asked for already; numbers within calls and lists are no requirements either.
_SHOWN = re.compile(r">>>|\bexamples?\b|\be\.g\.", re.IGNORECASE)
MUTANTS = 4  # places of a code that are changed, one at a time


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` becomes `new` in a wording; without `old`, the sentence `new` is added. `change` is a key of `CHANGES`."""

    old: str
    new: str
    change: str
    unseen: bool = False

    def reword(self, text: str) -> str:
        """The wording with the change; the same where the edit does not apply to it."""
        if not self.old:
            return f"{text.rstrip(' .')}. {self.new}"
        shown = _SHOWN.search(text)
        end = shown.start() if shown else len(text)
        return (
            re.sub(rf"(?<![\w,(\[.-])(?<!, ){self.old}\b(?![,)\]])", self.new, text[:end], flags=re.IGNORECASE)
            + text[end:]
        )


def _both(change: str, *pairs: str) -> list[Edit]:
    """An edit in either direction for each `one/other`."""
    halves = [pair.split("/") for pair in pairs]
    return [edit for one, other in halves for edit in (Edit(one, other, change), Edit(other, one, change))]


SEEN = (
    *_both("extreme", "smallest/largest", "minimum/maximum", "lowest/highest", "shortest/longest", "min/max"),
    *_both("extreme", "least/most", "smaller/larger"),
    *_both("order", "ascending/descending", "increasing/decreasing"),
    *_both("compare", "greater/less", "greater/smaller", "more/less", "above/below", "positive/negative"),
    *_both("compare", "even/odd", "equal/unequal", "unique/duplicate", "same/different", "valid/invalid"),
    *_both("compare", "prime/composite", "vowels/consonants", "vowel/consonant"),
    *_both("ends", "first/last", "start/end", "left/right", "starts/ends", "starting/ending", "prefix/suffix"),
    *_both("case", "uppercase/lowercase", "upper/lower"),
    *_both("arithmetic", "sum/product", "add/subtract", "multiply/divide", "union/intersection", "sum/difference"),
    *_both("quantifier", "all/any"),
    *_both("constant", "square/cube", "days/hours", "minutes/seconds", "binary/octal", "area/perimeter"),
    *_both("constant", "row/column", "rows/columns", "triangle/rectangle", "sphere/cylinder", "radius/diameter"),
    *_both("view", "keys/values", "key/value"),
    *_both("truth", "with/without", "contains/does not contain", "sorted/unsorted"),
    *_both("constant", "two/three", "three/four", "four/five", "2/3", "3/4", "5/6", "10/20", "second/third", "one/two"),
    *_both("constant", "1/2", "7/8", "11/13", "nth/first", "index/value", "words/characters", "degrees/radians"),
)

UNSEEN = tuple(
    Edit(old, new, change, unseen=True)
    for change, pairs in {
        "second": "largest/secondary maximum/secondary highest/secondary smallest/secondary minimum/secondary",
        "seven": "even/sevenfold odd/sevenfold",
        "norm": "sum/norm total/norm",
        "compare": "divisible/coprime palindrome/pangram prime/semiprime woodball/googol monotonic/bumpy",
        "truth": "palindrome/pangram prime/semiprime perfect/sublime valid/whimsical sorted/jumbled majority/plurality",
        "penultimate": "first/penultimate last/penultimate beginning/penultimate",
        "shape": "circle/annulus sphere/spheroid triangle/heptagon cube/tesseract cylinder/frustum square/kite "
        "rectangle/deltoid cone/frustum pentagon/heptagon volume/inertia area/centroid perimeter/apothem "
        "average/midrange median/midhinge angle/azimuth number/bell nth/antepenultimate",
        "base": "binary/ternary digits/nibbles digit/nibble decimal/duodecimal hexadecimal/duodecimal octal/ternary",
        "text": "vowels/umlauts vowel/umlaut spaces/ampersands whitespaces/ampersands space/ampersand comma/ampersand "
        "parentheses/chevrons brackets/chevrons underscore/tilde colon/tilde uppercase/cyrillic lowercase/cyrillic",
    }.items()
    for old, new in (pair.split("/") for pair in pairs.split())
)

# What is added to a task, by the type of its result, with what becomes of the result.
ADDED = {
    "int": (
        ("Bisected.", "value / 2"),
        ("Report the reciprocal.", "1 / value"),
        ("With its polarity flipped.", "-value"),
    ),
    "float": (("Bisected.", "value / 2"), ("Report the reciprocal.", "1 / value")),
    "list": (
        ("Leave the outermost ones off.", "value[1:-1]"),
        ("As a deque.", "__import__('collections').deque(value)"),
    ),
    "tuple": (
        ("Leave the outermost ones off.", "value[1:-1]"),
        ("As a deque.", "__import__('collections').deque(value)"),
    ),
    "str": (("Surround it by asterisks.", "f'*{value}*'"), ("Mask it by asterisks.", "'*' * len(value)")),
    "bool": (("Answer yay or nay.", "'yay' if value else 'nay'"),),
    "dict": (("Forget a portion of them.", "dict(list(value.items())[: len(value) // 2])"),),
}


def added(entry: str, test: str) -> Iterator[tuple[Edit, str]]:
    """Each sentence that can be added to a task with this test, with the code to put behind the task's own."""
    for sentence, change in ADDED.get(_result(test), ()):
        head = f"_inner = {entry}\ndef {entry}(*args, **kwargs):\n    value = _inner(*args, **kwargs)\n"
        wrapper = f"{head}    return {change}\n"
        yield Edit("", sentence, "added", unseen=True), wrapper


def _result(test: str) -> str:
    """The type of the first result that a test expects, where it is written out."""
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            try:
                return type(ast.literal_eval(node.test.comparators[0])).__name__
            except ValueError:
                continue
    return ""


def mutants(code: str, change: str) -> list[str]:
    """The code with a change made at one place, for each of the first places where it can be made."""
    found = []
    for place in range(MUTANTS):
        mutation = _Mutation(change, place)
        tree = mutation.visit(ast.parse(code))
        if mutation.met <= place:
            break
        found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return found


def _swaps(*pairs: str) -> dict[str, str]:
    halves = [pair.split("/") for pair in pairs]
    return {one: other for pair in halves for one, other in (pair, pair[::-1])}


_NAMES = {
    "extreme": _swaps("min/max", "nsmallest/nlargest"),
    "case": _swaps("upper/lower", "isupper/islower"),
    "ends": _swaps("startswith/endswith", "lstrip/rstrip", "find/rfind"),
    "quantifier": _swaps("all/any"),
    "arithmetic": _swaps("union/intersection"),
    "view": _swaps("keys/values"),
}
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    **{ast.Add: ast.Mult, ast.Mult: ast.Add, ast.Sub: ast.Add, ast.Div: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
}
_ENDS = {"ends": {0: -1, -1: 0}, "penultimate": {0: -2, -1: -2}}
_BASES = {2: 3, 8: 3, 10: 16, 16: 12}


class _Mutation(ast.NodeTransformer):
    """Makes one change at its `place`-th possible place, and counts the places in `met`."""

    def __init__(self, change: str, place: int) -> None:
        self.change = change
        self.place = place
        self.met = 0

    def _here(self) -> bool:
        self.met += 1
        return self.met - 1 == self.place

    def _named(self, name: str) -> str:
        other = _NAMES.get(self.change, {}).get(name)
        return other if other and self._here() else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._named(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._named(node.attr)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if self.change == "second" and name in ("min", "max") and len(node.args) == 1 and self._here():
            return ast.parse(f"sorted({ast.unparse(node.args[0])})[{1 if name == 'min' else -2}]", mode="eval").body
        if self.change == "norm" and name == "sum" and len(node.args) == 1 and self._here():
            return ast.parse(f"sum(_v * _v for _v in {ast.unparse(node.args[0])})", mode="eval").body
        if self.change == "order" and name == "sorted" and not node.keywords and self._here():
            node.keywords.append(ast.keyword("reverse", ast.Constant(True)))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        other = _COMPARISONS.get(type(node.ops[0]))
        if self.change in ("compare", "extreme", "order", "truth", "constant") and other and self._here():
            node.ops[0] = other()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        other = _OPERATORS.get(type(node.op))
        if self.change in ("arithmetic", "shape") and other and self._here():
            node.op = other()
        if self.change == "norm" and isinstance(node.op, ast.Add) and self._here():
            node.right = ast.BinOp(node.right, ast.Mult(), node.right)
        if self.change == "seven" and isinstance(node.op, ast.Mod) and self._here():
            node.right = ast.Constant(7)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        if isinstance(value, bool):
            if self.change in ("order", "truth") and self._here():
                node.value = not value
        elif isinstance(value, int):
            if self.change in ("constant", "shape") and self._here():
                node.value = value + 1
            elif value in _ENDS.get(self.change, {}) and self._here():
                node.value = _ENDS[self.change][value]
            elif self.change == "base" and value in _BASES and self._here():
                node.value = _BASES[value]
        elif isinstance(value, str) and self.change == "text" and value and self._here():
            node.value = "~" * len(value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if self.change == "truth" and isinstance(node.value, ast.Compare | ast.BoolOp | ast.Call) and self._here():
            node.value = ast.UnaryOp(ast.Not(), node.value)
        return node
