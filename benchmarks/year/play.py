"""One year of one memory: each run is offered what is known, uses it or not, and leaves what it saw."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from benchmarks.year.memories import Remembering
from benchmarks.year.world import Contender, Flaw, Need, Recurring

USES = (0.70, 0.12, 0.05)  # how likely an agent uses the first, second and third snippet; else it writes its own code
MISSED = 0.05  # of uses that credit does not find: the code was changed beyond recognition
FALSE = 0.0001  # of runs with code of their own that pass for a use of the first snippet (docs/evidence.md, Credit)
ELSEWHERE = 0.08  # of runs fail in code that has nothing to do with a snippet
NOTICED = 0.60  # of wrong results show themselves in the run, in a check; code that breaks always does, by its error
MENDS = 0.50  # of runs whose failure was noticed go on with code of their own
COMPLAINS = 0.30  # of wrong results that were accepted are found out by a person, who says so
TEN_USES = 10


@dataclass(slots=True)
class Seen:
    """What one run's recall was like: whether the first snippet works, whether the oracle's does, who led."""

    first: bool
    oracle: bool
    planted: bool  # a planted wrong solution stands first
    settled: bool  # the memory of this problem, which has a planted one, was used ten times before


def year(memory: Remembering, needs: list[Need]) -> list[Seen]:
    """The runs of the year in their order."""
    uses: dict[str, int] = defaultdict(int)
    found = []
    for need in needs:
        by_id = {item.id: item for item in need.problem.contenders}
        offered = memory.ranked(need)
        known = [by_id[node] for node in memory.known[need.problem.id]]
        best = max(known, key=lambda item: (item.chance(need.day, need.sandbox), item.id))
        planted = any(item.flaw is Flaw.WRONG for item in by_id.values())
        found.append(
            Seen(
                bool(offered) and _works(by_id[offered[0]], need),
                _works(best, need),
                bool(offered) and by_id[offered[0]].flaw is Flaw.WRONG,
                planted and uses[need.problem.id] >= TEN_USES,
            )
        )
        used = _choice(offered, need.dice.choice)
        uses[need.problem.id] += bool(used)
        _run(memory, need, offered, by_id.get(used))
    return found


def _works(item: Contender, need: Need) -> bool:
    return item.works(need.day, need.sandbox, need.case)


def _choice(offered: list[str], dice: float) -> str:
    for node, share in zip(offered, USES, strict=False):
        if dice < share:
            return node
        dice -= share
    return ""


def _run(memory: Remembering, need: Need, offered: list[str], used: Contender | None) -> None:
    """The agent uses a snippet or writes its own; what is noticed to be wrong is no answer, and may be mended."""
    dice = need.dice
    if dice.elsewhere < ELSEWHERE:
        memory.happened(need, offered, used.id if used else "", failed=False, answered=False)
        return
    failed = bool(used) and not _passes(used, need)
    answered = bool(used) and not failed
    own = _own(need.problem, dice.own) if not used or (failed and dice.mends < MENDS) else None
    if own:
        answered = _passes(own, need)
    credited = used.id if used and dice.missed >= MISSED else ""
    if not used and offered and dice.missed < FALSE:
        credited = offered[0]
    memory.happened(need, offered, credited, failed=failed, answered=answered)
    if own and answered:
        memory.learn(need, own)
    if credited and answered and not failed and used and not _works(used, need) and dice.complains < COMPLAINS:
        memory.disliked(need, credited)


def _passes(item: Contender | None, need: Need) -> bool:
    """Whether a run gets through with it: it works, or it gives a wrong result that nobody notices."""
    if item is None or _works(item, need):
        return item is not None
    return item.flaw in (Flaw.RARE, Flaw.WRONG) and need.dice.noticed >= NOTICED


def _own(problem: Recurring, dice: float) -> Contender:
    """What an agent writes by itself: any contender but a planted one."""
    among = [item for item in problem.contenders if item.flaw is not Flaw.WRONG]
    return among[int(dice * len(among))]
