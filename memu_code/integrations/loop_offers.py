"""What a run of a loop is offered: recalled for its task or on demand, and noted for its receipt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from memu_code.integrations import hints
from memu_code.integrations.faults import Faults
from memu_code.integrations.offering import advice, brief_for, noted, offer_of, recalled
from memu_code.integrations.surface import Memory
from memu_code.model import Arm, Environment, Found, Hit, Injection, Offer, Run, StepError
from memu_code.recall import OFFER_FLOOR
from memu_code.recall.render import BUDGET


class Offers:
    """What one run was offered so far, or would have been were it not held out. Its methods may raise.

    `keep` puts an offer into the run's journal.
    """

    def __init__(
        self,
        memory: Memory,
        faults: Faults,
        environment: Environment,
        injection: Injection,
        keep: Callable[[Offer], None],
    ) -> None:
        self._memory, self._faults, self._environment, self._keep = memory, faults, environment, keep
        self.injection = injection
        self.made: list[Offer] = []

    @property
    def held_out(self) -> bool:
        """Whether the memory is silent in this run, by chance, to be compared with."""
        return self.injection.arm is Arm.HOLDOUT

    def block(self, asked: Run) -> str:
        """The block for a run that is asked this; a run without a job's name gets no brief."""
        brief = self._faults.safely("the brief of a job", partial(self._brief, asked), "") if asked.job else ""
        budget = BUDGET - self.injection.brief_tokens
        self.injection = replace(self.injection, floor=OFFER_FLOOR, budget=budget)
        text = self._faults.safely("recall", partial(self._snippets, asked.task, budget), "")
        return "" if self.held_out else "\n\n".join(part for part in (text, brief) if part)

    def found(self, query: str, k: int) -> Found:
        """What fits a query; nothing where the run is held out."""
        found = recalled(self._memory, query, self._environment, k)
        self._note(found, "text")
        return Found() if self.held_out else found

    def hint(self, error: StepError, code: str, repeated: bool) -> str:
        """What to tell the LLM of an error."""
        shown, fixes = advice(self._memory, self._faults, error, code, self._environment, self.made)
        self._note(fixes, "fix")
        return "" if self.held_out else hints.hint(fixes, repeated, self._memory.trusts, shown)

    def _snippets(self, task: str, budget: int) -> str:
        found = recalled(self._memory, task, self._environment)
        text, shown = self._memory.render(found, budget=budget) if found else ("", ())
        tokens = self._memory.count(text) if text else 0
        self._note((hit for node in shown for hit in found if hit.id == node), "text")
        self.injection = replace(self.injection, tokens=tokens)
        return text

    def _brief(self, asked: Run) -> str:
        found = brief_for(self._memory, asked)
        self.injection = replace(self.injection, brief_tokens=found.tokens)
        return found.text

    def _note(self, hits: Iterable[Hit], how: str) -> None:
        """Note what the run is offered; each thing once."""
        known = {one.node for one in self.injection.offered}
        new = [hit for hit in {hit.id: hit for hit in hits}.values() if hit.id not in known]
        made = [] if self.held_out else [offer_of(self._memory, hit, how) for hit in new]
        self.injection = noted(self.injection, new, how)
        for offer in made:
            self.made.append(offer)
            self._keep(offer)
