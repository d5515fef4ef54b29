"""The world of the simulated year: problems, the solutions that compete for them, and the runs that need one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

PROBLEMS = 200
RUNS = 2_000
DAYS = 365
POPULARITY = 1.0  # problem number n comes up with a weight of 1 / n^POPULARITY: Zipf
WORDINGS = {"usual": 0.85, "second": 0.1, "third": 0.05}  # how often a problem is asked for in which words
SANDBOXES = {"local": 0.7, "docker": 0.2, "e2b": 0.1}
# How alike two wordings of one problem are to recall; `python -m benchmarks.learning --data` measures it.
LIKENESS_MEAN, LIKENESS_SPREAD = 0.79, 0.12
KNOWN_AT_FIRST = 2  # solutions of each problem that the memory begins with, beside a planted one
PLANTED_EVERY = 4  # each fourth problem has a wrong solution planted in the memory


class Flaw(StrEnum):
    """What may be wrong with a solution."""

    NONE = "none"
    RARE = "rare"  # wrong in a case that comes up now and then
    SANDBOX = "sandbox"  # breaks in one sandbox
    STALE = "stale"  # breaks from the day on which a package moves on
    WRONG = "wrong"  # always; its answer was accepted once all the same


# Each problem has one contender without a flaw and OTHERS whose flaws are drawn by these weights.
OTHERS = 3
FLAWS = {Flaw.NONE: 0.4, Flaw.RARE: 0.2, Flaw.SANDBOX: 0.2, Flaw.STALE: 0.2}
RARE = (0.01, 0.08)  # how often a solution that is wrong in rare cases is wrong


@dataclass(frozen=True, slots=True)
class Contender:
    """One of the solutions that compete for a problem."""

    id: str
    flaw: Flaw
    rare: float = 0.0
    breaks_in: str = ""
    stale_from: float = DAYS
    package: bool = False  # whether it uses the problem's package
    wording: int = 0  # under which it was first learnt

    def works(self, day: float, sandbox: str, case: float) -> bool:
        """Whether it solves its problem there and then; `case` (0..1) says which case of the problem comes up."""
        return case < self.chance(day, sandbox)

    def chance(self, day: float, sandbox: str) -> float:
        """How likely it works there and then."""
        if self.flaw is Flaw.WRONG or sandbox == self.breaks_in or day >= self.stale_from:
            return 0.0
        return 1.0 - self.rare


@dataclass(frozen=True, slots=True)
class Recurring:
    """A problem that comes again: its contenders, those known at first, and how alike its wordings are."""

    id: str
    contenders: tuple[Contender, ...]
    known: tuple[str, ...]
    moves_on: float  # the day on which the package of this problem has a new major version
    likeness: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Dice:
    """What is left to chance in a run, each in 0..1; drawn before it begins, so each memory meets the same."""

    choice: float  # which of the snippets the agent uses
    missed: float  # whether credit overlooks the use
    own: float  # which contender the agent writes by itself
    elsewhere: float  # whether the run fails in code that has nothing to do with a snippet
    noticed: float  # whether a wrong result is noticed in the run
    mends: float  # whether the agent then tries something of its own
    complains: float  # whether a person says `down` of a wrong result that the run did not notice


@dataclass(frozen=True, slots=True)
class Need:
    """A run that is about to begin: when, where, for what, in which words, and in which case of the problem."""

    number: int
    day: float
    problem: Recurring
    sandbox: str
    wording: int
    case: float
    dice: Dice

    @property
    def version(self) -> str:
        """The installed version of the package that some of the problem's contenders use."""
        return "2.0" if self.day >= self.problem.moves_on else "1.4"


def problems(seed: int) -> list[Recurring]:
    """The problems of a world; the same for the same seed."""
    chance = random.Random(f"problems {seed}")
    return [_problem(number, chance) for number in range(PROBLEMS)]


def needs(seed: int, among: list[Recurring]) -> list[Need]:
    """The runs of the year in their order; problem number n comes up with a weight of 1 / sqrt(n + 1)."""
    chance = random.Random(f"needs {seed}")
    weights = [1.0 / (number + 1) ** POPULARITY for number in range(len(among))]
    found = []
    for number in range(RUNS):
        (problem,) = chance.choices(among, weights)
        sandbox = list(SANDBOXES)[_drawn(SANDBOXES, chance)]
        day = DAYS * number / RUNS
        dice = Dice(*(chance.random() for _ in range(7)))
        found.append(Need(number, day, problem, sandbox, _drawn(WORDINGS, chance), chance.random(), dice))
    return found


def _drawn(weights: Mapping[str, float], chance: random.Random) -> int:
    return chance.choices(range(len(weights)), list(weights.values()))[0]


def _problem(number: int, chance: random.Random) -> Recurring:
    name = f"p{number:03d}"

    moves_on = chance.uniform(0.2, 0.8) * DAYS
    letters = chance.sample("abcde", 5)  # ties go to the smaller id, which must not favour one kind
    flaws = [Flaw.NONE, *chance.choices(list(FLAWS), list(FLAWS.values()), k=OTHERS)]
    contenders = [
        Contender(
            f"{name}{letter}",
            flaw,
            rare=chance.uniform(*RARE) if flaw is Flaw.RARE else 0.0,
            breaks_in=chance.choice(list(SANDBOXES)) if flaw is Flaw.SANDBOX else "",
            stale_from=moves_on if flaw is Flaw.STALE else DAYS,
            package=flaw in (Flaw.STALE, Flaw.RARE),
            wording=_drawn(WORDINGS, chance),
        )
        for letter, flaw in zip(letters, flaws, strict=False)
    ]
    known = [item.id for item in chance.sample(contenders, KNOWN_AT_FIRST)]
    if number % PLANTED_EVERY == 0:
        planted = Contender(f"{name}{letters[-1]}", Flaw.WRONG, wording=_drawn(WORDINGS, chance))
        contenders.append(planted)
        known.append(planted.id)
    return Recurring(name, tuple(contenders), tuple(known), moves_on, _likeness(chance))


def _likeness(chance: random.Random) -> tuple[tuple[float, ...], ...]:
    table = [[1.0] * len(WORDINGS) for _ in range(len(WORDINGS))]
    for one in range(len(WORDINGS)):
        for other in range(one):
            drawn = chance.gauss(LIKENESS_MEAN, LIKENESS_SPREAD)
            table[one][other] = table[other][one] = min(0.99, max(0.5, drawn))
    return tuple(tuple(row) for row in table)
