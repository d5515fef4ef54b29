"""The verbs of whoever shares: which spaces there are, and what is brought from one into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memu_code.model import Promotion
from memu_code.redact import outgoing
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.promotion.bringing import Promoted
    from memu_code.learn.promotion.membership import Membership
    from memu_code.learn.promotion.withdrawing import TakenBack


class Sharing(Desk):
    """A memory of which others may see what was promoted."""

    def spaces(self) -> list[Membership]:
        """The spaces in which this memory's reader may do anything, by name: rights, trust, and how much is there.

        Raises:
            StoreError: the store cannot be read.
        """
        from memu_code.learn.promotion.membership import memberships

        return memberships(self._view(), self.trusted)

    def promote(
        self, node_id: str, space: str, *, why: str = "", task: str | None = None, dry_run: bool = False
    ) -> Promoted:
        """A copy of a solution or a fix for whoever reads `space`; promoted already, nothing changes.

        What lies in `space` already, brought by somebody, is vouched for there, with what would go along.

        The problems that it solves, edge cases, fixes met on the way, and the functions that it calls go along, as far
        as they are of its own space, and so does the evidence, under another name for each run. `task` is told instead
        of the wordings of the tasks; then thoughts and notes stay behind too. `dry_run` only says what.

        Raises:
            UsageError: that is no name of a space, a text is longer than 2000 characters, or `task` is given for what
                lies there already.
            UnknownIdError: nothing, or more than one thing, has this id.
            MemuCodeError: it is neither a solution nor a fix, or it is retired.
            AccessError: the reader may not read `space`, or not promote into it.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.promotion.bringing import promote_node

        store, trusted = self._open_store(), self.trusted
        return outgoing(
            promote_node(
                store, self.reader, self._embedder, node_id, space, why, task, trusted=trusted, dry_run=dry_run
            )
        )

    def unpromote(
        self, node_id: str, space: str, *, why: str = "", dry_run: bool = False, grace: float | None = None
    ) -> TakenBack:
        """What went when a promotion was taken back, and the proof that no byte of it is left.

        `node_id` is that of the node or of its copy. What others have given or seen work there since stays, as theirs.
        `grace` is as in `forget`.

        Raises:
            UsageError: that is no name of a space, or the reason is longer than 2000 characters.
            UnknownIdError: nothing, or more than one thing, has this id.
            MemuCodeError: it is not promoted into that space.
            AccessError: the reader may not read `space`, or not promote into it.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.erasure import GRACE_SECONDS
        from memu_code.learn.promotion.withdrawing import take_promotion_back

        patience = GRACE_SECONDS if grace is None else grace
        done = take_promotion_back(
            self._open_store(), self.reader, self._embedder, node_id, space, why, self.places, patience, dry_run=dry_run
        )
        return outgoing(done)

    def promotions(self, node_id: str) -> list[Promotion]:
        """How a node came into its space by promotion, oldest first, with what was taken back; empty where it did not.

        Raises:
            UnknownIdError: nothing, or more than one thing, has this id.
            StoreError: the store cannot be read.
        """
        view = self._view()
        full = view.resolve(node_id)
        return outgoing(view.promotion_log({name: node.space for name, node in view.nodes([full]).items()}))
