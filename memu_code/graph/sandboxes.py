"""What works where: from the evidence of one node to a matrix of sandbox × Python × packages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from memu_code.graph.observations import Observation, observations
from memu_code.model import ErrorFix, Evidence, EvidenceKind, Executor, Node, Solution

REASON_CHARACTERS = 80  # of an error's first line

# What says that the code ran somewhere; praise, blame and repositories say nothing about a place.
_RAN = frozenset(
    {
        EvidenceKind.RAN_OK,
        EvidenceKind.RAN_ERROR,
        EvidenceKind.ANSWERED,
        EvidenceKind.CHECK_PASSED,
        EvidenceKind.CHECK_FAILED,
        EvidenceKind.USED,
        EvidenceKind.USED_FAILED,
        EvidenceKind.REPROVED_OK,
        EvidenceKind.REPROVED_FAILED,
    }
)
_FAILED = _RAN - {EvidenceKind.RAN_OK, EvidenceKind.ANSWERED, EvidenceKind.CHECK_PASSED, EvidenceKind.USED}
_IMPORT = re.compile(
    r"Import (?:of |from )(?P<forbidden>[\w.]+) is not allowed"
    r"|(?:No module named '?|Non-installed authorized modules: )(?P<missing>\w[\w.]*)"
)
_USES = frozenset({"called", "whole", "part", "adapted"})  # how it was used, which a note begins with
_REFUSED = re.compile(r"(?:ImportError|ModuleNotFoundError): ([\w.]+): (?:the import is not allowed|no such module)")


@dataclass(frozen=True, slots=True)
class Tried:
    """How often code worked in one sandbox, with one Python and these package versions, and why it failed there."""

    sandbox: str
    python: str = ""
    packages: tuple[tuple[str, str], ...] = ()
    successes: int = 0
    tries: int = 0
    reasons: tuple[str, ...] = field(default=())


def matrix(evidence: Iterable[Evidence], imports: Collection[str] | None = None) -> tuple[Tried, ...]:
    """A cell for each sandbox, Python and set of package versions that the code met, in the order of these.

    Only the packages of `imports` count, or all for None. A try is an observation, of which `standing` counts as many;
    evidence that says nothing of a place is left out.
    """
    cells: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[tuple[bool, str]]] = {}
    for seen in _tries(evidence):
        where = seen.environment
        packages = tuple(pair for pair in where.packages if imports is None or pair[0] in imports)
        reason = next((told for row in seen.rows if (told := why(row.note))), "") if not seen.good else ""
        cells.setdefault((where.sandbox, where.python, packages), []).append((seen.good, reason))
    return tuple(_cell(*place, tries) for place, tries in sorted(cells.items()))


def by_sandbox(cells: Iterable[Tried]) -> dict[str, Tried]:
    """The cells of each sandbox taken together, by its name."""
    together: dict[str, Tried] = {}
    for cell in cells:
        before = together.get(cell.sandbox, Tried(cell.sandbox))
        together[cell.sandbox] = Tried(
            cell.sandbox,
            successes=before.successes + cell.successes,
            tries=before.tries + cell.tries,
            reasons=tuple(dict.fromkeys((*before.reasons, *cell.reasons))),
        )
    return together


def fails_in(sandbox: str, evidence: Iterable[Evidence]) -> bool:
    """Whether code is known to fail in a sandbox: more often than it works there."""
    here = [row for row in evidence if row.environment.sandbox == sandbox]
    if all(row.kind not in _FAILED for row in here):
        return False
    seen = [found.good for found in _tries(here)]
    return seen.count(True) < seen.count(False)


def told_sandboxes(cells: Iterable[Tried]) -> tuple[str, ...]:
    """A line for each sandbox, `local: 5 of 5`, with what it fails on there; and one for where it was never tried."""
    together = by_sandbox(cells)
    lines = [f"{name}: {_told(tried)}" for name, tried in together.items()]
    never = [name for name in Executor if name not in together]
    return (*lines, f"never tried: {', '.join(never)}") if lines and never else tuple(lines)


def why(note: str) -> str:
    """Why code failed, in a few words, from the error that evidence keeps: `import lxml`, or its first line."""
    if found := _IMPORT.search(note):
        return f"`import {found['forbidden'] or found['missing']}`"
    how, _, error = note.partition(": ")
    lines = (error if how in _USES else "" if note in _USES else note).strip().splitlines()
    line = " ".join(lines[0].split()) if lines else ""
    return line if len(line) <= REASON_CHARACTERS else line[: REASON_CHARACTERS - 3] + "..."


def avoided(solution: Solution, met: Iterable[Node]) -> tuple[str, ...]:
    """The imports that a solution does without since its runs were refused them: `import requests`.

    `met` are the errors that it is tied to: those mended on the way, and the ways that were given up.
    """
    refused = (_REFUSED.fullmatch(error.signature) for error in met if isinstance(error, ErrorFix))
    names = {found[1] for found in refused if found}
    return tuple(f"import {name}" for name in sorted(names) if name.partition(".")[0] not in solution.imports)


def _tries(evidence: Iterable[Evidence]) -> list[Observation]:
    return observations(evidence, kinds=_RAN)


def _cell(sandbox: str, python: str, packages: tuple[tuple[str, str], ...], tries: list[tuple[bool, str]]) -> Tried:
    reasons = dict.fromkeys(sorted(reason for _, reason in tries if reason))
    return Tried(sandbox, python, packages, sum(good for good, _ in tries), len(tries), tuple(reasons))


def _told(tried: Tried) -> str:
    counts = f"{tried.successes} of {tried.tries}"
    return f"{counts}, fails on {'; '.join(tried.reasons)}" if tried.reasons else counts
