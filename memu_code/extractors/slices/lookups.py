"""Properties and special methods that change something: a look at their object is a call of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from memu_code.extractors.code.words import words
from memu_code.extractors.slices.aliases import Aliases
from memu_code.extractors.slices.origins import Owner

_CALLED = words("__call__ __enter__ __exit__ __init__ __init_subclass__ __new__ __post_init__")  # seen where they run


def runs_unasked(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method runs without a call of it: a property, or a special method that a look-up stands for."""
    special = node.name.startswith("__") and node.name.endswith("__") and node.name not in _CALLED
    return special or any(getattr(item, "id", "") == "property" for item in node.decorator_list)


def acting(implicit: Mapping[str, Sequence[Owner]], aliases: Aliases) -> set[str]:
    """The classes among whose such methods one changes something.

    Which of them runs at `len(a)`, `a << 3` or `f'{a}'` is not told apart: their objects are rare, and the safe side
    costs no more than a probe that is kept.
    """
    return {name for name, bodies in implicit.items() if any(_changes_something(body, aliases) for body in bodies)}


def _changes_something(body: Owner, aliases: Aliases) -> bool:
    seen = aliases.witnesses(body.changed) | body.binds
    outside = any(name.startswith("file:") or not ("@" in name or name.startswith("#")) for name in seen)
    called = [callee for callees, _ in body.calls for callee in callees]
    inner = any(callee.binds or aliases.witnesses(callee.changed) - callee.parameters for callee in called)
    return outside or body.changes_arguments or inner
