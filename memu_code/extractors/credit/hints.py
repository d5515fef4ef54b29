"""Whether a fix that was offered after a failed step was taken in the next one, and helped."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.structure import outlined
from memu_code.extractors.code.walking import walk
from memu_code.extractors.credit.merit import Merit
from memu_code.extractors.deltas.mending import failed
from memu_code.extractors.errors.signature import signature
from memu_code.model import Offer, Run, Step

TAKEN = 0.5  # share of the fix's lines that must be new in the next step


def credit_fix(run: Run, offer: Offer) -> Merit | None:
    """`whole` or `part` where lines of the fix are new in the step after a failed one; None where they nowhere are.

    Good where that step ran to its end, bad where it failed with the very same error. Where it failed with another
    one, nobody knows.
    """
    wanted = _lines(offer.code)
    merit: Merit | None = None
    for before, after in _pairs(run.steps) if wanted else ():
        taken = wanted & _lines(after.code) - _lines(before.code)
        if len(taken) < TAKEN * len(wanted):
            continue
        how = "whole" if taken == wanted else "part"
        if after.ran or after.final:
            return Merit(how, good=True)
        if _key(before) == _key(after):
            merit = Merit(how, good=False)
    return merit


def _pairs(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Each step that failed, with the next one that holds code."""
    written = [step for step in steps if step.code.strip()]
    for before, after in pairwise(written):
        if failed(before):
            yield before, after


def _lines(code: str) -> frozenset[str]:
    """The lines of code, whatever its variables are called; of code that does not parse those that do by themselves."""
    found: set[str] = set()
    for tree in _trees(code):
        imports = [node for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        rest = ast.Module([node for node in tree.body if node not in imports], [])
        found.update(ast.unparse(node) for node in imports)
        found.update(shape for _, shape, _ in outlined(rest, literals=True))
    return frozenset(found)


def _trees(code: str) -> list[ast.Module]:
    try:
        return [guard(code)]
    except Unparsable:
        return [tree for line in code.splitlines() for tree in _alone(line.strip())]


def _alone(line: str) -> list[ast.Module]:
    """The tree of a single line, which may open a block."""
    for text in (line, f"{line} pass"):
        try:
            return [guard(text)] if line else []
        except Unparsable:
            continue
    return []


def _key(step: Step) -> str:
    error = step.error
    return signature(error.text, type=error.type, root=error.root, code=step.code).key if error else ""
