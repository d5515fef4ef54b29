"""A journal that an agent does not wait for where the disk hangs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from memu_code.integrations.faults import Breakdown, Faults
from memu_code.integrations.surface import Journal
from memu_code.model import Offer, Run, Step

PATIENCE = 1.0  # seconds that an agent waits for a line to be on disk


class Patient:
    """A journal whose calls are done in their order, in a thread of our own.

    Each call waits until its line is on disk, a second at most. Behind one that took longer they wait no more, until
    the disk has caught up; what is then not written when the process ends is lost, as it would be with the hanging disk
    in any case. What the journal raises is raised here.
    """

    def __init__(self, begin: Callable[[], Journal | None]) -> None:
        self._begin = begin
        self._journal: Journal | None = None
        self._todo: deque[Callable[[], None]] = deque()
        self._alone = threading.Lock()
        self._busy = self._late = False

    def open(self) -> bool:
        """Begin the journal; false where there is none to be had.

        Raises:
            TimeoutError: it takes longer, and goes on in the background.
        """
        self._do("the beginning", self._open)
        return self._late or self._journal is not None

    def _open(self) -> None:
        self._journal = self._begin()

    def step(self, step: Step) -> None:
        """Keep a finished step."""
        self._tell("a step", lambda journal: journal.step(step))

    def offer(self, offer: Offer) -> None:
        """Keep what the run was offered after it began."""
        self._tell("an offer", lambda journal: journal.offer(offer))

    def end(self, run: Run) -> None:
        """Keep how the run ended."""
        self._tell("the end", lambda journal: journal.end(run))

    def discard(self) -> None:
        """Take the journal away, its run being in the store."""
        self._tell("the removal", lambda journal: journal.discard())

    def keep(self) -> None:
        """Leave the journal to the next open of the store."""
        self._tell("the closing", lambda journal: journal.keep())

    def _tell(self, what: str, say: Callable[[Journal], None]) -> None:
        self._do(what, lambda: say(self._journal) if self._journal is not None else None)

    def _do(self, what: str, call: Callable[[], None]) -> None:
        done = threading.Event()
        raised: list[Exception] = []

        def work() -> None:
            try:
                call()
            except Exception as error:  # handed to the caller's thread, if that still waits
                raised.append(error)
            except BaseException as error:
                raised.append(Breakdown(f"{what} was left by {type(error).__name__}"))
            finally:
                done.set()

        with self._alone:
            self._todo.append(work)
            begins, self._busy = not self._busy, True
            late = self._late
        if begins:
            self._start()
        if late:
            return
        if not done.wait(PATIENCE):
            with self._alone:
                self._late = self._busy
            if self._late:
                raise TimeoutError(f"{what} took longer than {PATIENCE:g} s and goes on in the background")
        if raised:
            raise raised[0]

    def _start(self) -> None:
        try:
            threading.Thread(target=self._work, name="memu_code journal", daemon=True).start()
        except RuntimeError:  # the interpreter is shutting down, or the machine is out of threads
            self._work()

    def _work(self) -> None:
        while True:
            with self._alone:
                if not self._todo:
                    self._busy = self._late = False
                    return
                work = self._todo.popleft()
            work()


def opened(faults: Faults, begin: Callable[[], Journal | None]) -> Patient | None:
    """A journal that has begun, or begins in the background; None where no place takes it."""
    journal = Patient(begin)
    try:
        return journal if journal.open() else None
    except TimeoutError as error:
        faults.report("the journal of a run", error)
        return journal
    except Exception as error:  # ours alone: the run is then learnt from at its end, or not at all
        faults.report("the journal of a run", error)
        return None
