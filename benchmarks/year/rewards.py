"""What becomes of the order when snippets are shown in runs that end well without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchmarks.year.memories import DAY, SPACE, START, WithEvidence
from benchmarks.year.world import DAYS, RUNS, SANDBOXES, Dice, Need, Recurring
from memu_code.extractors.credit import credit
from memu_code.model import Environment, Evidence, Offer, Outcome, Run, Step

GOOD_RUNS = 5  # answered runs in which a snippet is only shown
OVER_DAYS = 90.0  # the time that these are spread over

_SNIPPET = "def {name}(rows):\n    total = 0\n    for row in rows:\n        total += row * {number}\n    return total\n"
_OWN = "lines = [line.strip() for line in text.splitlines() if line]\nfinal_answer(len(lines))"


@dataclass(frozen=True, slots=True)
class Orders:
    """How many orders there are; in how many something that was only shown came first, and how many changed else."""

    compared: int = 0
    flipped: int = 0
    sunk: int = 0

    def __add__(self, other: Orders) -> Orders:
        return Orders(self.compared + other.compared, self.flipped + other.flipped, self.sunk + other.sunk)


def orders(memory: WithEvidence, problems: Iterable[Recurring]) -> Orders:
    """What becomes of the orders when all that is not first is shown in runs that end well without it.

    Asked is each problem in each sandbox, one after the other and each by itself. The order is taken first. Then
    GOOD_RUNS runs more are offered what did not come first, write code of their own, and are answered; `credit` makes
    of them what it makes of any run. What was shown in vain for long may sink behind what was not, by `disuse`.
    """
    found = Orders()
    for need in _asked(problems):
        before = memory.ranked(need)
        kept = {node: list(memory.rows[node]) for node in before}
        for row in _credited(need, before[1:]):
            memory.rows[row.node].append(row)
        after = memory.ranked(need)
        memory.rows.update(kept)
        flip = bool(before) and after[:1] != before[:1]
        found += Orders(1, flip, after != before and not flip)
    return found


def _credited(need: Need, shown: list[str]) -> Iterator[Evidence]:
    """The rows that `credit` gives for the runs, in which these snippets were offered and not used."""
    offers = tuple(
        Offer(node, "text", node, _SNIPPET.format(name=node, number=place)) for place, node in enumerate(shown)
    )
    run = Run(
        "run",
        SPACE,
        need.problem.id,
        actor="ann",
        outcome=Outcome.ANSWERED,
        answer="3",
        steps=(Step(1, _OWN, ran=True, final=True),),
        offers=offers,
        environment=Environment(need.sandbox, packages=((need.problem.id, need.version),)),
    )
    rows = credit(run)
    for number in range(GOOD_RUNS):
        day = need.day - OVER_DAYS * number / (GOOD_RUNS - 1)
        name = f"shown_{need.problem.id}_{need.sandbox}_{number}"
        yield from (replace(row, at=START + day * DAY, run=name) for row in rows)


def _asked(problems: Iterable[Recurring]) -> Iterator[Need]:
    dice = Dice(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    for problem in problems:
        for sandbox in SANDBOXES:
            yield Need(RUNS, DAYS, problem, sandbox, 0, 0.5, dice)
