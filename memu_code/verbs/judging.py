"""The verbs of whoever judges what is known: feedback, better versions, and their history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memu_code.redact import outgoing
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.audit import Audit
    from memu_code.learn.feedback import Feedback
    from memu_code.learn.history import Version


class Judging(Desk):
    """A memory that can be told what is good, and looked through for what is not."""

    def feedback(self, node_id: str, verdict: str, *, note: str | None = None, code: str | None = None) -> Feedback:
        """A verdict, `up` or `down`, on a solution or a fix; `code` makes a version that is to replace the solution.

        Of one actor's verdicts on a node only the latest counts. The new version starts as `trial` and inherits the
        problems and fixes of the old one, which is offered until the new one is proven.

        Raises:
            UsageError: the verdict is neither, or the note is empty or too long.
            MemuCodeError: the node takes no feedback, or the code cannot be read; nothing was written.
            UnknownIdError: nothing, or more than one thing, has this id.
            AccessError: the reader may not write to the node's space.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.feedback import give_feedback

        store, trusted = self._open_store(), self.trusted
        return give_feedback(store, self.reader, self._embedder, node_id, verdict, note, code, trusted=trusted)

    def undo(self, node_id: str) -> Feedback:
        """One's own last feedback or refinement that concerns a node, taken back; nothing is deleted.

        Raises:
            MemuCodeError: there is nothing of one's own to take back.
            UnknownIdError: nothing, or more than one thing, has this id.
            AccessError: the reader may not write to the node's space.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.feedback import take_back

        return take_back(self._open_store(), self.reader, node_id, trusted=self.trusted)

    def history(self, node_id: str) -> tuple[Version, ...]:
        """The versions of the line that a solution stands in, newest first, with what each of them changed.

        Raises:
            UnknownIdError: nothing, or more than one thing, has this id.
            MemuCodeError: it is no solution.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.history import history

        return outgoing(history(self._view(), node_id, self.trusted))

    def audit(self, *, unseen_days: float = 90.0) -> Audit:
        """What is wrong or useless in all spaces that one may read: duplicates, echoes, secrets and more, with ids.

        `unseen_days` is the age, and the time since it was last shown, from which a node counts as never shown.

        Raises:
            UsageError: the number of days is not positive.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.audit import audit

        return outgoing(audit(self._view(), unseen_days=unseen_days))
