"""The arms: which memory a run of day 2 has, and how it offers functions; and the order in which runs are played."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.acting import house
from benchmarks.acting.forms import BESIDE_TASK, CODE_ALONE, TO_COPY
from benchmarks.acting.proving import prove
from benchmarks.acting.tasks import PER_FAMILY, Task, tasks
from memu_code import CodeMemory, Run

SPACE = "~bench"
NONE, LEARNT, SEEDED, PROVEN = "no memory", "learnt", "seeded", "proven"
OFFERS = ("text", "call", "both")
FORMS = (  # tried in the arm of proven helpers
    ("text", BESIDE_TASK),
    ("text", CODE_ALONE),
    ("text", TO_COPY),
    ("both", BESIDE_TASK),
)
DAY_1 = "day 1"
_PATIENCE = 60  # seconds


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to be played: the arm, how functions are offered in it, the task, and the block's form if it is another."""

    arm: str
    offer: str
    task: Task
    form: str = ""

    @property
    def name(self) -> str:
        """Of the arm with its ways."""
        return f"{self.arm} {self.offer}".strip() + (f", {self.form}" if self.form else "")

    @property
    def key(self) -> str:
        return f"{self.name} {self.task.name}"


def planned(per_family: int = PER_FAMILY, after: int = 0, *, forms: bool = False) -> Iterator[Planned]:
    """All runs in their order: day 1 first, then each task of day 2 in all arms, so that a part is a fair part.

    Of day 2 the first `after` tasks of each family are left out. The block's other forms are asked for by `forms`.
    """
    for task in tasks(1):
        yield Planned(DAY_1, "text", task)
    for task in tasks(2, per_family, after):
        yield Planned(NONE, "", task)
        yield Planned(SEEDED, "text", task)  # what has not run yet is offered as text only
        for arm in (LEARNT, PROVEN):
            for offer in OFFERS:
                yield Planned(arm, offer, task)
        for offer, form in FORMS if forms else ():
            yield Planned(PROVEN, offer, task, form)


class Stores:
    """The stores of a benchmark, in its folder: one for each run of day 1, and from them one for each arm."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new_day_1(self, task: Task) -> Path:
        """An empty store for a run of day 1; what a killed run has left there is gone."""
        path = self._day_1(task)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def copy(self, arm: str, work: Path) -> Path:
        """A copy of an arm's store, so that no run of day 2 learns from another."""
        place = Path(tempfile.mkdtemp(dir=work)) / "store"
        shutil.copytree(self._folder / arm, place)
        return place

    def make(self, solved: Mapping[str, Task]) -> None:
        """Make the stores of the arms that are not there: of day 1, of the helpers, of these after a use."""
        if not (self._folder / LEARNT).exists():
            with self._new(LEARNT) as memory:
                for task in solved.values():
                    with CodeMemory.open(self._day_1(task), space=SPACE) as taught:
                        memory.remember(_kept(taught))
            self._done(LEARNT)
        for arm in (SEEDED, PROVEN):
            if not (self._folder / arm).exists():
                with self._new(arm) as memory:
                    memory.seed(Path(house.__file__).parent)
                    if arm == PROVEN:
                        prove(memory)
                self._done(arm)

    def _day_1(self, task: Task) -> Path:
        return self._folder / "day 1" / task.family

    def _new(self, arm: str) -> CodeMemory:
        shutil.rmtree(self._folder / f".{arm}", ignore_errors=True)
        return CodeMemory.open(self._folder / f".{arm}", space=SPACE)

    def _done(self, arm: str) -> None:
        (self._folder / f".{arm}").rename(self._folder / arm)


def _kept(memory: CodeMemory) -> Run:
    """The one run of a store; on a busy machine it may still be learnt from in the background.

    Raises:
        TimeoutError: it is not there after a minute.
    """
    for _ in range(_PATIENCE):
        for row in memory.runs(1):
            return memory.run(run_id=row["id"])
        time.sleep(1.0)
    raise TimeoutError(f"the run of day 1 is not in {memory.settings.store}")
