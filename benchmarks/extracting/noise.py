"""What agents write beside what they need: probes, prints, dead code, statements that fail. Seeded."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Collection, Mapping
from typing import Any

_X = re.compile(r"\bx\b(?!')")
_N = re.compile(r"(?:\b|(?<=_))N\b")
_UNUSED = ("json", "os", "csv", "glob", "statistics", "textwrap", "calendar", "uuid", "base64", "zlib")

# x is a name that the run has bound; N a number of its own for each piece, so that no two share a name.
_ANY = r"""print(x)
print('x is', x)
print(f'so far: {x!r:.40}')
print(type(x))
print(type(x).__name__, str(x)[:20])
x
type(x)
repr(x)[:10]
shown_N = str(x)
shown_N = repr(x)\nprint(shown_N[:5])
pair_N = (x, N)\nprint(pair_N)
alias_N = x\nprint(alias_N)
seen_N = [x]\nprint(len(seen_N))
flag_N = x is None
kind_N = type(x).__name__ if x else 'empty'
assert x is not None or x is None
if x:\n    print('there is something')
if not x:\n    print('empty')\nelse:\n    print('full')
try:\n    print(x[0])\nexcept Exception as error:\n    print(error)
try:\n    size_N = len(x)\nexcept TypeError:\n    size_N = None
def look_N(value):\n    return str(value)[:20]\nlook_N(x)
def look_N(value, deep=False):\n    if deep:\n        return list(map(look_N, value))\n    return repr(value)\nlook_N(x)
show_N = lambda value: f'<{value}>'\nprint(show_N(x))
class Seen_N:\n    def __init__(self, value):\n        self.value = value\nseen_N = Seen_N(x)\nprint(seen_N.value)
print(shown_N := str(x))
import io\nbuffer_N = io.StringIO()\nprint(x, file=buffer_N)\nprint(buffer_N.getvalue()[:3])
import time\nstart_N = time.time()\nprint(time.time() - start_N)
import copy\ncopy_N = copy.deepcopy(x)\nprint(copy_N)
table_N = {}\ntable_N['x'] = str(x)\ntable_N.setdefault('y', []).append(N)
log_N = []\nlog_N.append(str(x))\nlog_N += ['x']\nlog_N[0] = 'y'
text_N = 'a'\ntext_N += str(x)
unused_N = N
numbers_N = [number * 2 for number in range(N % 7)]\nprint(sum(numbers_N))
for turn_N in range(2):\n    print(turn_N, x)
while False:\n    print(x)
note_N: str = str(x)
# a note about x\nremark_N = 'done'
del_N = [1, 2]\ndel del_N[0]\ndel del_N"""

_LIST = r"""print(x[:3])
len(x)
print(len(x), x[:1])
copy_N = list(x)\ncopy_N.append(None)\nprint(len(copy_N))
copy_N = x[:]\ncopy_N[:1] = []\nprint(copy_N)
copy_N = x.copy()\ncopy_N.reverse()\nprint(copy_N[:1])
kept_N = [item for item in x if item]
sorted_N = sorted(x, key=str)\nprint(sorted_N)
count_N = 0\nfor item_N in x:\n    count_N += 1\nprint(count_N)
for place_N, item_N in enumerate(x[:2]):\n    print(place_N, item_N)
types_N = {type(item).__name__ for item in x}\nprint(types_N)
first_N = x[0] if x else None
longer_N = x + [N]
longer_N = [*x, N]\nlonger_N.pop()"""

_DICT = r"""print(list(x.items())[:2])
print(sorted(x, key=str)[:3])
copy_N = dict(x)\ncopy_N['extra'] = N\nprint(copy_N)
more_N = {**x, 'extra': N}\nmore_N.pop('extra')
for key_N, value_N in x.items():\n    print(key_N, value_N)
x.get('no such key')
missing_N = x.get('no such key', N)
swapped_N = {str(value): key for key, value in x.items()}"""

_TEXT = r"""print(x.upper()[:10])
parts_N = x.split()\nprint(parts_N[:2])
x.strip()
letters_N = {}\nfor letter_N in x:\n    letters_N[letter_N] = letters_N.get(letter_N, 0) + 1\nprint(letters_N)
print(len(x))
title_N = x.title().replace('A', 'b')"""

_NUMBER = r"""print(x + 1)
double_N = x * 2\nprint(double_N)
more_N = x\nmore_N += 1
print(x > N)
x == N"""

_FAILS = r"""print(missing_N)
missing_N(x)
x.no_such_attribute_N
result_N = x.no_such_method_N()
lost_N = int('seven')
lost_N = {}['k']
print([][3])
raise ValueError('try again')
import no_such_module_N
from collections import no_such_name_N
assert x is None and x is not None, 'as expected'
for turn_N in (1, 0):\n    print(1 // turn_N)
def broken_N(value):\n    return value.no_such_attribute_N\nbroken_N(x)
lost_N, other_N = (1,)
with open('/no/such/file_N') as file_N:\n    print(file_N.read())"""

_BROKEN = ("print(x", "for item in x\n    print(item)", "result = = x", "def f(:\n    pass", "  x = 1")

_FOR_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (list, _LIST),
    (dict, _DICT),
    (str, _TEXT),
    ((int, float), _NUMBER),
)


class Noise:
    """Pieces of noise about the names that a run has bound; `taken` are all names that the run itself needs."""

    def __init__(self, draw: random.Random, taken: Collection[str]) -> None:
        self._draw = draw
        self._number = 100
        self._taken = frozenset(taken)
        self._unused = [name for name in _UNUSED if name not in taken]

    def piece(self, space: Mapping[str, Any]) -> str:
        """Code that changes nothing that the answer rests on."""
        names = _plain(space)
        if not names or self._draw.random() < 0.1:
            return self._unused_import()
        name = self._draw.choice(names)
        lines = _ANY.splitlines()
        for types, text in _FOR_TYPES:
            if isinstance(space[name], types):
                lines += 3 * text.splitlines()
        return self._fitting(lines, name)

    def failure(self, space: Mapping[str, Any]) -> str:
        """Code whose last statement raises."""
        return self._fitting(_FAILS.splitlines(), self._draw.choice(_plain(space) or ["str"]))

    def unreadable(self) -> str:
        """Code that no Python can parse."""
        return self._draw.choice(_BROKEN)

    def before(self, name: str) -> str:
        """A binding of a name that is bound anew before anything reads it."""
        lines = ("x = None", "x = []\nx.append(N)", "x = 'to do'", "x = {}\nx['k'] = N", "x = N\nx += 1")
        return self._filled(self._draw.choice(lines), name)

    def _fitting(self, lines: list[str], name: str) -> str:
        """One of the lines, filled, which binds nothing and calls nothing that the run has names of its own for."""
        while True:
            text = self._filled(self._draw.choice(lines), name)
            words = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
            imports = {word for line in text.splitlines() if "import" in line for word in line.split()}
            if not (words - {name} | imports) & self._taken:
                return text

    def _unused_import(self) -> str:
        self._number += 1
        module = self._draw.choice(self._unused)
        forms = (f"import {module}", f"import {module} as unused_{self._number}", f"import {module}, math as m_N")
        return _N.sub(str(self._number), self._draw.choice(forms))

    def _filled(self, line: str, name: str) -> str:
        self._number += 1
        text = _N.sub(str(self._number), line.replace("\\n", "\n"))
        return _X.sub(name, text)


def _plain(space: Mapping[str, Any]) -> list[str]:
    """The names of values that can be looked at without being used up."""
    return [
        name
        for name, value in space.items()
        if not name.startswith("_")
        and name != "final_answer"
        and isinstance(value, (list, dict, str, int, float, tuple, set, frozenset, type(None)))
    ]
