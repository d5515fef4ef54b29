"""The verbs of somebody who asks: what is known of a task, of an error, of a node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memu_code.errors import UnknownIdError, UsageError
from memu_code.graph import Standing
from memu_code.graph.quarantine import quarantine
from memu_code.model import Environment, Evidence, Found, Hit, Node, Relation
from memu_code.recall import FLOOR, recall_fixes, recall_solutions, render
from memu_code.recall.inert import inert
from memu_code.recall.proof import standings
from memu_code.recall.render import BUDGET
from memu_code.redact import outgoing
from memu_code.verbs.desk import Desk

QUERY_BYTES = 200_000  # a longer query is refused: it is a document, not a question


class Asking(Desk):
    """A memory that can be asked."""

    def recall(
        self,
        task: str,
        k: int = 5,
        *,
        environment: Environment | None = None,
        floor: float = FLOOR,
        quarantined: bool = False,
    ) -> Found:
        """At most k solutions for a task, best first, and the block for a prompt; false when nothing is relevant.

        With an environment, code that cannot run there is left out. Nothing with a score below `floor` (0..1) comes
        back: the default suits somebody who asks, `recall.OFFER_FLOOR` is for what nobody has asked for.

        With `quarantined`, what others brought and nobody vouched for is among the hits, and marked; it is never in the
        block. The hits hold what was stored, for people; `as_data` gives what an LLM may see of one.

        Raises:
            UsageError: the task is empty or longer than 200 kB, or k is not positive.
            StoreError: the store cannot be read.
        """
        check_query(task)
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}.")
        hits = recall_solutions(
            self._view(),
            self._embedder,
            task,
            k,
            environment,
            floor,
            trusted=self.trusted,
            quarantined=quarantined,
        )
        hits = outgoing(hits)
        return Found(hits, render(hits, self._embedder.count, trusted=self.trusted)[0])

    def render(
        self, found: Found, *, callables: frozenset[str] = frozenset(), budget: int = BUDGET
    ) -> tuple[str, tuple[str, ...]]:
        """The block for a prompt within a budget of tokens, and the ids that are in it."""
        return render(found.hits, self._embedder.count, trusted=self.trusted, callables=callables, budget=budget)

    def as_data(self, hit: Hit) -> Hit | None:
        """What an LLM may see of a hit: as the block shows it; None where it is in quarantine, or nothing is left."""
        told = inert(hit, trusted=self.trusts(hit.space))
        return told if told.code.strip() and not hit.quarantine else None

    def quarantined(self, node_ids: Iterable[str]) -> frozenset[str]:
        """Those of these nodes that are in quarantine: not offered to an agent of this memory's reader.

        Raises:
            StoreError: the store cannot be read.
        """
        view = self._view()
        return quarantine(view, view.nodes(node_ids).values(), self.trusted)

    def recall_fix(
        self,
        error: str,
        *,
        code: str = "",
        environment: Environment | None = None,
        k: int = 3,
        quarantined: bool = False,
    ) -> list[Hit]:
        """At most k known fixes for an error text, best first; `code` is what failed just now.

        With `quarantined`, what others brought and nobody vouched for is among them, and marked.

        Raises:
            UsageError: the error text is empty.
            StoreError: the store cannot be read.
        """
        if not error.strip():
            raise UsageError("There is no error text to look for.")
        from memu_code.extractors.errors.signature import signature

        key = signature(error, code=code)
        hits = recall_fixes(
            self._view(),
            self._embedder,
            signature=key.key,
            error_class=key.error_class,
            message=key.message,
            code=code,
            text=error,
            bare_signature=signature(error).key if code.strip() else "",
            environment=environment,
            k=k,
            trusted=self.trusted,
            quarantined=quarantined,
        )
        return outgoing(hits)

    def node(self, node_id: str) -> tuple[Node, Standing, list[Evidence]]:
        """A node by its id or the beginning of it, its standing, and its evidence, oldest first.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        view = self._view()
        full = view.resolve(node_id)
        found = view.nodes([full]).get(full)
        if found is None:
            raise UnknownIdError(f"{full} is a run, not a node.")
        known = standings(view, [found], self.trusted)[full]
        return outgoing((found, known, view.evidence([full]).get(full, [])))

    def related(self, node_id: str) -> list[tuple[Relation, Node]]:
        """What a node is tied to, whichever end of the edge it is: problems, edge cases, fixes, callers and callees."""
        view = self._view()
        ties = {
            edge.target if edge.source == node_id else edge.source: edge.relation
            for edge in view.edges([node_id])
            if edge.relation is not Relation.USES
        }
        nodes = view.nodes(ties)
        return outgoing(sorted(((ties[other], nodes[other]) for other in nodes), key=lambda tie: (tie[0], tie[1].id)))

    def stats(self) -> dict[str, Any]:
        """How much there is that the reader may see: of each kind of node, edges, evidence, runs, steps, files."""
        view = self._view()
        return {"store": self.settings.store, "spaces": sorted(view.spaces()), **view.counts()}


def check_query(text: str) -> str:
    """The query as it is, where it can be asked.

    Raises:
        UsageError: it is empty or longer than 200 kB.
    """
    if not text.strip():
        raise UsageError("The query is empty: say in a few words what is to be done.")
    if len(text.encode("utf-8", "replace")) > QUERY_BYTES:
        raise UsageError(f"The query is longer than {QUERY_BYTES // 1000} kB: say in a few words what is to be done.")
    return text
