"""What `show` says of runs that were pruned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memu_code.cli.pages import moment, short
from memu_code.errors import UnknownIdError
from memu_code.model import Evidence

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory


def mark_pruned(memory: CodeMemory, evidence: Sequence[Evidence]) -> tuple[dict[str, Any], list[Evidence]]:
    """The runs of the evidence that were pruned, as JSON, and the same evidence with a mark at those runs."""
    pruned = memory.pruned_runs(row.run for row in evidence)
    marked = [replace(row, run=f"{row.run} (pruned)") if row.run in pruned else row for row in evidence]
    return {"pruned_runs": sorted(pruned)}, marked


def was_pruned(memory: CodeMemory, name: str, unknown: UnknownIdError) -> UnknownIdError:
    """The same error, or one that says so where the run is known to have been pruned."""
    pruned: Iterable[tuple[str, float]] = memory.pruned_runs([name]).items()
    for run, at in pruned:
        return UnknownIdError(
            f"The run {short(run, 60)} was pruned on {moment(at)}; what was learnt from it is still there."
        )
    return unknown
