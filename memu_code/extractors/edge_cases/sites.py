"""The places in code where an edge case may stand: a test that decides, an exception that is caught, a call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from memu_code.extractors.code.walking import walk
from memu_code.extractors.edge_cases.scope import Scope, called
from memu_code.extractors.edge_cases.written import short, source

SKIPPED = "skipped"  # the handling where nothing is done
NOTHING = ast.Pass()  # the code of that
LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break
Nodes = Sequence[ast.AST]
_TRIED_AT_MOST = 80  # characters of what was tried


@dataclass(frozen=True, slots=True)
class Tested:
    """A condition, and what is done where it holds.

    `done` is the code of that, and `handling` its text; `otherwise` is what runs where the condition does not hold.
    Whichever way round the code was written, the condition is the one under which `done` is done.
    """

    condition: ast.expr
    done: Nodes
    otherwise: Nodes
    scope: Scope
    loop: ast.AST | None = None

    @property
    def handling(self) -> str:
        return _handling(self.done)

    @property
    def skips(self) -> bool:
        return self.done[0] is NOTHING

    @property
    def leaves(self) -> bool:
        """Whether the function or the loop's turn ends there."""
        return isinstance(self.done[-1], LEAVES | ast.Assert)

    @property
    def returns(self) -> bool:
        """Whether the function ends there."""
        return isinstance(self.done[-1], ast.Return | ast.Raise | ast.Assert)

    @property
    def raises(self) -> bool:
        return isinstance(self.done[-1], ast.Raise | ast.Assert)

    @property
    def chooses(self) -> bool:
        """Whether it is one of two values: `a if test else b`."""
        return len(self.done) == 1 and isinstance(self.done[0], ast.expr)

    @property
    def chooses_value(self) -> bool:
        """Whether it is one of two values, and not merely the answer to the question."""
        return self.chooses and self.handling not in ("True", "False")

    def sets(self, thing: ast.expr) -> bool:
        """Whether the thing gets another value there."""
        text = ast.unparse(thing)
        return any(text in map(ast.unparse, _targets(node)) for node in self.done)


@dataclass(frozen=True, slots=True)
class Caught:
    """An exception handler: the classes that it catches, by their last names, or none where it catches all.

    `loop` is the one whose turn it ends where it goes on, and `passed` what runs where nothing was raised.
    """

    tried: Sequence[ast.stmt]
    classes: tuple[str, ...]
    done: Nodes
    loop: ast.AST | None = None
    passed: Sequence[ast.stmt] = ()

    @property
    def handling(self) -> str:
        return _handling(self.done)

    @property
    def raises(self) -> bool:
        return any(isinstance(node, ast.Raise) for node in self.done)

    @property
    def named(self) -> str:
        return ", ".join(self.classes) or "any exception"

    @property
    def what(self) -> str:
        """What was tried, in short: the first statement that calls something."""
        calls = (item for item in self.tried if any(isinstance(node, ast.Call) for node in walk(item)))
        told = short(source(next(calls, self.tried[0])), _TRIED_AT_MOST)
        return told if len(self.tried) == 1 or told.endswith("…") else f"{told}; …"

    def calls(self, *names: str) -> ast.Call | None:
        """The first call of one of these that was tried."""
        nodes = (node for statement in self.tried for node in walk(statement))
        return next((node for node in nodes if isinstance(node, ast.Call) and called(node) in names), None)


@dataclass(frozen=True, slots=True)
class Valued:
    """A call, a comparison, or an `or` that gives a value."""

    node: ast.expr
    scope: Scope


Site = Tested | Caught | Valued


def _handling(done: Nodes) -> str:
    return SKIPPED if done[0] is NOTHING else source(done)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [part for target in node.targets for part in getattr(target, "elts", [target])]
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []
