"""Whether a run used a snippet or a function that it was offered, and whether it was this that failed."""

from __future__ import annotations

import ast
from collections import defaultdict

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.reuse import Use, Written, binds
from memu_code.extractors.credit.blame import Failure, blamed
from memu_code.extractors.credit.merit import Merit
from memu_code.extractors.deltas.mending import failed
from memu_code.extractors.slices.timeline import failing_statements
from memu_code.model import Offer, Run, Step

_UNCHANGED = ("called", "whole")
_CLEAREST = ("called", "whole", "part", "adapted")


class Snippets:
    """The statements that a run wrote, how far each of its steps came, and what failed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._through: set[int] = set()  # places of statements that ran to their end
        self._failures: list[Failure] = []
        self._troubled: list[int] = []  # positions of steps that failed, or whose answer was refused
        self._ran: list[int] = []
        self._places: dict[int, set[int]] = defaultdict(set)
        statements: list[ast.stmt] = []
        steps: list[int] = []
        for position, step in enumerate(run.steps):
            try:
                body = guard(step.code).body
            except Unparsable:
                continue
            start = len(statements)
            statements += body
            steps += [position] * len(body)
            self._places[position] = set(range(start, len(statements)))
            self._through.update(start + index for index in self._came(position, step, body, start))
        self._written = Written(statements, steps)

    def _came(self, position: int, step: Step, body: list[ast.stmt], start: int) -> range:
        """The indices of the statements of a step that ran to their end, as far as anybody knows."""
        if step.ran or step.final:
            self._ran.append(position)
            if step.rejected:
                self._troubled.append(position)
            return range(len(body))
        if not failed(step) or step.error is None:
            return range(0)
        self._troubled.append(position)
        found = failing_statements(step.code, body, step.error.text)
        if found and found[0] == found[-1]:
            self._failures.append(Failure(position, start + found[0], body[found[0]], step))
        return range(found[0] if found else 0)

    def merit(self, offer: Offer) -> Merit | None:
        """How the offer was used and whether it did its work; None where it was not used or nobody can tell.

        It did where the run's answer was accepted and nothing speaks against it. It did not where a statement that is
        its own, or a call of it, raised, or where it was changed after a step that failed and held it; unless the
        same code ran again, unchanged, in a later step of an answered run: then it was given the wrong thing.
        """
        use = self._written.use(offer)
        if use is None:
            return None
        names = self._names(offer, use)
        blame = [failure.step for failure in self._failures if blamed(failure, offer, use, names, self._written)]
        trouble = max([*blame, *self._mended(offer, use, names)], default=-1)
        good = self._written.use(offer, self._through) if self._run.solved else None
        if trouble < 0:
            return Merit(good.how, good=True) if good else None
        if good and good.how in _UNCHANGED and self._again(names, good, trouble):
            return Merit(good.how, good=True)
        error = self._run.steps[trouble].error
        return Merit(use.how, good=False, error=error.text if error else "")

    def _names(self, offer: Offer, use: Use) -> frozenset[str]:
        """What the offered functions are called in the run's code."""
        if use.how == "called":
            return frozenset((offer.name,))
        defined = (self._written.statements[place] for place in use.places)
        return frozenset(node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef))

    def _again(self, names: frozenset[str], use: Use, trouble: int) -> bool:
        """Whether the offer, as it is, was used in a later step that ran."""
        later = {place for position in self._ran if position > trouble for place in self._places[position]}
        if any(names & self._written.binds[place] for place in later - use.places):
            return False
        return any(place in use.places or names & self._written.calls[place] for place in later)

    def _mended(self, offer: Offer, use: Use, names: frozenset[str]) -> list[int]:
        """The steps in trouble that held the offer, and after which a changed form of it ran."""
        found: list[int] = []
        for position in self._troubled:
            places = self._places[position]
            if not any(place in use.places or names & self._written.calls[place] for place in places):
                continue
            before = self._written.use(offer, places)
            how = before.how if before else use.how
            later = [self._places[other] for other in self._ran if other > position]
            if any(self._changed(offer, how, names, there) for there in later):
                found.append(position)
        return found

    def _changed(self, offer: Offer, how: str, names: frozenset[str], places: set[int]) -> bool:
        now = self._written.use(offer, places)
        if now and now.how != "called" and _CLEAREST.index(now.how) > _CLEAREST.index(how):
            return how != "called" or now.how != "whole"
        kept = now.places if now else frozenset()
        return any(names & binds(self._written.statements[place]) for place in places - kept)
