"""What a run of any host is offered: recalled for its task, told of its job and its errors, and noted for its receipt.

What may raise here is called under the host's `Faults`; what may hang is bounded in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from memu_code.integrations import hints
from memu_code.integrations.faults import Faults, within
from memu_code.integrations.surface import Journal, Memory
from memu_code.model import Environment, Extraction, Found, Hit, Injection, Offer, Offered, Run, StepError
from memu_code.recall import OFFER_FLOOR
from memu_code.recall.inert import shown_code
from memu_code.runs.brief import Brief

RECALL_SECONDS = 20.0  # a first recall may have to load an embedder
FIX_SECONDS = 3.0
LEARN_SECONDS = 10.0
QUERY_CAP = 2_000  # characters of a task that recall is asked


def recalled(memory: Memory, query: str, environment: Environment, k: int = 5) -> Found:
    """What fits the query and can run there; nothing for an empty one.

    Only reading is bounded in time, since what comes too late must not touch the run.
    """
    query = query[:QUERY_CAP]
    if not query.strip():
        return Found()
    look = partial(memory.recall, query, k, environment=environment, floor=OFFER_FLOOR)
    return within(RECALL_SECONDS, "recall", look)


def brief_for(memory: Memory, asked: Run) -> Brief:
    """What the last runs of the run's job did."""
    return within(RECALL_SECONDS, "the brief of a job", partial(memory.brief, asked.job, run=asked))


def known_fix(memory: Memory, faults: Faults, error: StepError, code: str, environment: Environment) -> Hit | None:
    """The fix that is known of an error and can be told; None where there is none, or looking for it fails."""

    def look() -> Hit | None:
        return hints.shown_fix(memory.recall_fix(error.text, code=code, environment=environment, k=1), memory.trusts)

    return faults.safely("a known fix", lambda: within(FIX_SECONDS, "a known fix", look), None)


def advice(
    memory: Memory, faults: Faults, error: StepError, code: str, environment: Environment, offers: Iterable[Offer]
) -> tuple[tuple[str, Offer] | None, list[Hit]]:
    """What can be told of an error: what an offer has shown and the code took for defined, or else the known fix."""
    shown = hints.shown_only(error, offers)
    fix = None if shown else known_fix(memory, faults, error, code, environment)
    return shown, [fix] if fix else []


def noted(injection: Injection, hits: Iterable[Hit], how: str) -> Injection:
    """The receipt with what the run is offered, or would be were it not held out; each thing once."""
    known = {one.node for one in injection.offered}
    unique = {hit.id: hit for hit in hits if hit.id not in known}
    new = tuple(Offered(hit.id, how, hit.score, dict(hit.why)) for hit in unique.values())
    return replace(injection, offered=injection.offered + new)


def offer_of(memory: Memory, hit: Hit, how: str) -> Offer:
    """The offer of a hit as a function to `call`, as `text`, or as a `fix`: with the code that the run was shown."""
    if how == "call":
        return Offer(hit.id, how, hit.name, hit.code)
    code = hints.mended_code(hit) if how == "fix" else shown_code(hit.code, trusted=memory.trusts(hit.space))
    return Offer(hit.id, "text", hit.name, code)


def learnt_from(memory: Memory, faults: Faults, run: Run, journal: Journal | None) -> Extraction | None:
    """What a run taught; None where that failed, or goes on in the background.

    Its journal goes once the run is in the store, and waits for the next open if it is not.
    """

    def tell(say: Callable[[Journal], None]) -> None:
        if journal is not None:
            faults.safely("the journal of a run", partial(say, journal), None)

    def remember() -> Extraction:
        try:
            learnt = memory.remember(run)
        except BaseException:
            tell(lambda kept: kept.keep())
            raise
        tell(lambda kept: kept.discard())
        return learnt

    tell(lambda kept: kept.end(run))
    return faults.safely("learning", partial(within, LEARN_SECONDS, "learning", remember), None)
