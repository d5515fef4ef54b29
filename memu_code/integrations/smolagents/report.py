"""The one line in the agent's own log: what a run was offered, and what was learnt from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memu_code.integrations.smolagents.recording import Recording
from memu_code.model import ErrorFix, Extraction, Kind

_NAMES = {
    Kind.SOLUTION: ("solution", "solutions"),
    Kind.ERROR_FIX: ("fix", "fixes"),
    Kind.EDGE_CASE: ("edge case", "edge cases"),
}


def line(recording: Recording, learnt: Extraction | None) -> str:
    """`memu_code: 2 offered (proven a1b2, trial c3d4), learnt 1 solution, 1 fix`; None: it could not be learnt."""
    if recording.held_out:
        silent = sum(one.how != "fix" for one in recording.injection.offered)
        return f"memu_code: held out ({silent} would have been offered), {_learnt(learnt)}"
    shown = ", ".join(f"{state} {_short(node)}" for node, state in recording.shown)
    offered = f"{len(recording.shown)} offered ({shown})" if shown else "nothing offered"
    return f"memu_code: {offered}, {_learnt(learnt)}"


def _short(node: str) -> str:
    return node.rpartition("_")[2][:4]


def _learnt(learnt: Extraction | None) -> str:
    if learnt is None:
        return "not learnt from (see the log of memu_code)"
    counts = Counter(node.kind for node in learnt.nodes if not isinstance(node, ErrorFix) or node.delta)
    return "learnt " + (", ".join(_counted(counts)) or "nothing new")


def _counted(counts: Counter[Kind]) -> Iterable[str]:
    for kind, (one, many) in _NAMES.items():
        if counts[kind]:
            yield f"{counts[kind]} {one if counts[kind] == 1 else many}"
