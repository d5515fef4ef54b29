"""The verbs of proof: whether what is known still holds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memu_code.errors import MemuCodeError
from memu_code.model import REPROOF_SECONDS, Node, Solution
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.checks import Check, Unchecked
    from memu_code.learn.reproof import Reproof


class Proving(Desk):
    """A memory that can look again whether what it knows still holds."""

    def source(self, node: Node) -> str:
        """What became of the source of a seeded solution: `same`, `changed`, `gone` or `unknown`; else empty.

        It is `unknown` where the repository is not on this machine. Reads that one file, and nothing of the store.
        """
        from memu_code.learn.sources_moved import source_state

        found = source_state(node) if isinstance(node, Solution) else None
        return str(found) if found else ""

    def check(self, node_id: str) -> Check | Unchecked:
        """How a solution is proved again: what would run, with which inputs, to come to which answer; or why not.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
            MemuCodeError: it is no solution.
            AccessError: it is of a space that is not trusted.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.checks import check_of, told
        from memu_code.learn.reproof import require_trust

        view = self._view()
        full = view.resolve(node_id)
        node = view.nodes([full]).get(full)
        if not isinstance(node, Solution):
            raise MemuCodeError(f"{full} is no solution: only solutions can be proved again.")
        require_trust(self.reader, self.trusted, [node.space])
        return told(check_of(view, node))

    def due(self, now: float | None = None) -> list[Check | Unchecked]:
        """The checks of all proven solutions that were not seen to work for 30 days, or whose packages have moved on.

        Only of spaces that are trusted.

        Raises:
            StoreError: the store cannot be read.
        """
        from memu_code.learn.checks import due_checks, told

        return [told(one) for one in due_checks(self._view(), self.trusted, time.time() if now is None else now)]

    def reprove(self, check: Check, *, executor: str = "local", seconds: float = REPROOF_SECONDS) -> Reproof:
        """What came of running a check now, in a process of its own; the evidence for it is kept.

        `seconds` are of processor time; by the clock it may take twice as many and five more. `executor` is one of
        smolagents' own: `local`, `docker`, `e2b`, `modal` or `blaxel`.

        Raises:
            UsageError: there is no such executor, or the time is not within 0 and 3600 seconds.
            AccessError: the code is of a space that is not trusted; nothing was run.
            MemuCodeError: the executor cannot be used here.
            StoreError: the evidence could not be written.
        """
        from memu_code.learn.reproof import reprove

        return reprove(self._open_store(), self.reader, self.trusted, check, executor=executor, seconds=seconds)
