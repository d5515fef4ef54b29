"""How the code of one function is cut out of its module, with all that it needs."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from memu_code.extractors.repository.code import MAX_HELPERS
from memu_code.model import Relation
from tests.extractors.repositories import seed


def test_a_function_carries_the_imports_constants_and_helpers_that_it_needs(tmp_path: Path) -> None:
    """The code is the module cut down to one function: it runs alone, and nothing in it is without a use."""
    module = '''
        """A module."""
        import json, os
        import numpy as np
        from re import compile as make, escape
        from pathlib import Path

        SEP = ","  # between fields
        UNUSED = 1
        PATTERN = make(SEP + "+")

        def unrelated(path):
            return os.listdir(path), np.zeros(3), escape("x")

        def _clean(text):
            return PATTERN.sub(SEP, text)

        def parse(text: str, limit: int = 3) -> list[str]:
            """Split a line of a plant log into its fields.

            Empty fields are dropped.
            """
            return [json.loads(part) for part in _clean(text).split(SEP)][:limit]
    '''
    solution = seed(tmp_path, {"log.py": module})["parse"]
    assert solution.code == dedent('''\
        import json
        from re import compile as make

        SEP = ","
        PATTERN = make(SEP + "+")


        def _clean(text):
            return PATTERN.sub(SEP, text)


        def parse(text: str, limit: int = 3) -> list[str]:
            """Split a line of a plant log into its fields.

            Empty fields are dropped.
            """
            return [json.loads(part) for part in _clean(text).split(SEP)][:limit]
        ''')
    assert (solution.name, solution.signature) == ("parse", "parse(text: str, limit: int=3) -> list[str]")
    assert solution.description == "Split a line of a plant log into its fields."
    assert solution.imports == ("json", "re")
    assert solution.symbols == ("log.parse", "json.loads", "log.PATTERN", "log.SEP", "log._clean", "re.compile")
    assert solution.inputs == ()
    namespace: dict[str, object] = {}
    exec(solution.code, namespace)
    assert namespace["parse"]("1,,2,3,4") == [1, 2, 3]  # type: ignore[operator]


def test_methods_stand_under_the_header_of_their_class(tmp_path: Path) -> None:
    """A method shows its class's head and the attributes it reads, and names what lies elsewhere."""
    module = '''
        from abc import ABC
        from dataclasses import dataclass

        class Base:
            def close(self):
                return [item for item in (1, 2)]

        @dataclass
        class Reader(Base, ABC):
            """Reads things."""

            size: int = 3
            other: str = "no"
            COUNT = [1, 2]

            def __init__(self, path):
                self.path = path
                self.seen = 0

            def read(self, n=COUNT):
                """Read so many rows from the file."""
                self.seen = self.seen + 1
                return self.open(self.path)[: self.size + n[0]]

            def open(self, path):
                return list(path)

            @property
            def total(self):
                return self.size + self.seen

            @total.setter
            def total(self, value):
                self.size = value - self.seen
    '''
    found = seed(tmp_path, {"reader.py": module})
    assert found["Reader.read"].code == dedent('''\
        from abc import ABC
        from dataclasses import dataclass
        from reader import Base


        @dataclass
        class Reader(Base, ABC):
            size: int = 3
            COUNT = [1, 2]
            # elsewhere in the class: self.open(), self.path

            def read(self, n=COUNT):
                """Read so many rows from the file."""
                self.seen = self.seen + 1
                return self.open(self.path)[: self.size + n[0]]
        ''')
    assert found["Reader.read"].name == found["Reader.read"].signature == ""
    assert found.targets("Reader.read", Relation.CALLS) == {found["Reader.open"].id}
    assert "@total.setter" in found["Reader.total"].code
    assert found["Reader.total"].inputs == ()
    assert found["Reader.__init__"].description == "reader (path)"


def test_async_functions_are_taken_and_not_offered_as_callable(tmp_path: Path) -> None:
    """Code that has to be awaited is worth reading, but cannot be called as it is."""
    found = seed(tmp_path, {"a.py": "import asyncio\nasync def f(x):\n    return await asyncio.sleep(x)\n"})
    assert (found["f"].name, found["f"].imports) == ("", ("asyncio",))


def test_decorators_stay_and_only_harmless_ones_leave_a_function_callable(tmp_path: Path) -> None:
    """A decorator that may register something is kept in the text, and the function is not offered as callable."""
    module = """
        from functools import lru_cache
        from app import command
        @lru_cache(maxsize=None)
        def quiet(x): return x + 1
        @command("run")
        def loud(x): return quiet(x) + 1
        def calls_loud(x): return loud(x) + 1
        def acts(x=open("f")): return x.read()
    """
    found = seed(tmp_path, {"a.py": module})
    assert (found["quiet"].name, found["loud"].name) == ("quiet", "")
    assert '@command("run")\ndef loud' in found["loud"].code
    assert found["calls_loud"].name == "", "what it takes along would act when it is defined"
    assert found["acts"].name == ""


def test_nested_functions_closures_and_shadowed_names_need_nothing_from_the_module(tmp_path: Path) -> None:
    """Parameters, locals, comprehensions and inner functions hide the module's names, as Python's scopes do."""
    module = """
        import re
        value = 1
        def helper(): return value + 2
        def outer(re, items):
            value = re + 1
            def inner(helper):
                nonlocal value
                value += helper
                return [helper for helper in items]
            return inner(lambda helper: helper), value
        def top(a):
            b = a
            return b + value
    """
    found = seed(tmp_path, {"a.py": module})
    assert found["outer"].code.startswith("def outer")
    assert found["outer"].name == "outer"
    assert found["top"].code == "value = 1\n\n\ndef top(a):\n    b = a\n    return b + value\n"


def test_names_that_change_or_are_made_by_code_that_acts_are_imported_from_their_module(tmp_path: Path) -> None:
    """State, and values whose making may do something, are not copied; the function is then not offered alone."""
    module = """
        import app
        CACHE = {}
        CACHE["a"] = 1
        CONNECTION = app.connect()
        TABLE = {"a": 1}
        TABLE.update(b=2)
        LIMIT = 3
        LIMIT += 1
        def get(key): return CACHE[key], CONNECTION, TABLE, LIMIT
    """
    solution = seed(tmp_path, {"pkg/__init__.py": "", "pkg/store.py": module})["get"]
    assert solution.code.startswith("from pkg.store import CACHE, CONNECTION, LIMIT, TABLE\n\n\ndef get")
    assert solution.name == ""


def test_large_helpers_are_imported_instead(tmp_path: Path) -> None:
    """What would make the code too large stays in its module; small helpers still come along."""
    lines = "\n".join(f"    x = x + {number}" for number in range(MAX_HELPERS // 12))
    small = "def small(x):\n    return x + 1\n"
    module = f"def big(x):\n{lines}\n    return x\n\n{small}\ndef f(x):\n    return big(small(x))\n"
    solution = seed(tmp_path, {"a.py": module})["f"]
    assert solution.code.startswith("from a import big\n\n\ndef small(x):")
    assert solution.name == ""


def test_helpers_share_one_budget(tmp_path: Path) -> None:
    """Two of three middling helpers fit, and the third is imported."""
    helper = "def {name}(x):\n" + "    x = x + 1\n" * (MAX_HELPERS * 2 // 5 // 14) + "    return x\n"
    module = "".join(helper.format(name=name) for name in "abc") + "def f(x):\n    return a(b(c(x)))\n"
    solution = seed(tmp_path, {"mod.py": module})["f"]
    assert solution.code.startswith("from mod import c\n\n\ndef a(x):")
    assert "def b(x):" in solution.code


def test_relative_imports_become_absolute_everywhere(tmp_path: Path) -> None:
    """At the top, inside functions and in fallbacks, an import names its whole package, so that it works anywhere."""
    module = """
        from . import sibling
        from .. import top as t
        from .other import (
            a,
            b as c,
        )
        try:
            from .fast import go
        except ImportError:
            from .slow import go
        def f(x):
            from .late import d; from ..top import e
            return sibling.s(x), t.u(x), a(x), c(x), go(x), d(x), e(x)
    """
    files = {"pkg/__init__.py": "", "pkg/top.py": "", "pkg/sub/__init__.py": "", "pkg/sub/mod.py": module}
    solution = seed(tmp_path, files)["f"]
    assert solution.code == dedent("""\
        from pkg.sub import sibling
        from pkg import top as t
        from pkg.sub.other import a, b as c

        try:
            from pkg.sub.fast import go
        except ImportError:
            from pkg.sub.slow import go


        def f(x):
            from pkg.sub.late import d; from pkg.top import e
            return sibling.s(x), t.u(x), a(x), c(x), go(x), d(x), e(x)
        """)
    assert solution.imports == ("pkg",)


def test_a_relative_import_that_leads_nowhere_is_a_missing_input(tmp_path: Path) -> None:
    """In a file that is no part of a package such an import cannot work, and the code still parses."""
    found = seed(
        tmp_path, {"a.py": "from ..x import y\ndef f(): return y + 1\ndef g():\n    from . import z\n    return z()\n"}
    )
    assert [item.name for item in found["f"].inputs] == ["y"]
    assert found["f"].name == found["g"].name == ""


def test_annotations_are_evaluated_only_where_they_can_be(tmp_path: Path) -> None:
    """The future import is kept just where an annotation would fail without it."""
    module = """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        from collections.abc import Iterable
        if TYPE_CHECKING:
            from heavy import Frame
        def plain(x: int | None, y: Iterable[str]) -> dict[str, int]: return {"a": x}
        def typed(x: Frame) -> int: return x.size + 1
        def later(x: "int" | None) -> Later: return x
        class Later: ...
    """
    found = seed(tmp_path, {"a.py": module})
    assert found["plain"].code.startswith("from collections.abc import Iterable\n\n\ndef plain")
    assert found["typed"].code.startswith("from __future__ import annotations\n\n\ndef typed")
    assert "later" not in found.solutions, "a body that only gives its argument back is trivial"
    assert found["typed"].imports == ()
    for name in ("plain", "typed"):
        exec(found[name].code, {})


def test_unknown_names_become_inputs(tmp_path: Path) -> None:
    """What nobody binds is listed, so that a reader knows what is missing."""
    solution = seed(tmp_path, {"a.py": "def f(x):\n    return spark.read(x) + dbutils\n"})["f"]
    assert [item.name for item in solution.inputs] == ["dbutils", "spark"]
    assert solution.name == ""


def test_names_from_a_star_import_are_found_where_they_are_defined(tmp_path: Path) -> None:
    """A star is replaced by an import of just the names that are used."""
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "def make(): return [1] * 2\n",
        "pkg/b.py": "from .a import *\ndef f(): return make() + [2]\n",
    }
    assert seed(tmp_path, files)["f"].code.startswith("from pkg.a import make\n\n\ndef f")


def test_a_file_whose_name_is_no_module_gives_code_that_parses(tmp_path: Path) -> None:
    """Nothing can be imported from `my-script.py`, so what stays there is an input and not an import."""
    solution = seed(tmp_path, {"my-script.py": "import app\nSTATE = app.load()\ndef f(x):\n    return STATE[x]\n"})["f"]
    assert [item.name for item in solution.inputs] == ["STATE"]
    assert solution.code.startswith("def f")


def test_types_that_only_newer_python_knows_do_not_disturb(tmp_path: Path) -> None:
    """Type parameters are the function's own; a Python that cannot parse them skips the file and says so."""
    found = seed(tmp_path, {"a.py": "def first[T](items: list[T]) -> T:\n    return items[0]\n"})
    if found.skipped:
        assert "SyntaxError" in found.skipped[0].reason
    else:
        assert (found["first"].inputs, found["first"].name) == ((), "first")


def test_a_constant_in_the_header_of_a_class_is_taken_along(tmp_path: Path) -> None:
    """A type variable among the bases is written once, where a base class would be imported."""
    module = """
        from typing import Generic, TypeVar
        V = TypeVar("V")
        class Base: ...
        class Box(Base, Generic[V]):
            def put(self, value: V) -> V:
                return self.check(value)
    """
    assert seed(tmp_path, {"box.py": module})["Box.put"].code.startswith(
        'from typing import Generic, TypeVar\nfrom box import Base\n\nV = TypeVar("V")\n\n\nclass Box'
    )
