"""The table `receipts`: what each run was offered and what came of it, a row a run."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memu_code.graph import sql
from memu_code.graph.rows import Row
from memu_code.graph.visible import Visible
from memu_code.graph.writer import Writer
from memu_code.model import Clean, Reader, Receipt, Right
from memu_code.model.plain import plain, value_from

_COLUMNS = ("space", "run", "job", "actor", "at")  # of a receipt; the rest stands in the body
_RECEIPT = ["id", *_COLUMNS, "body"]


class Accountant(Writer):
    """A store that receipts are appended to."""

    def write_receipts(self, receipts: Clean[tuple[Receipt, ...]], reader: Reader, *, replace: bool = False) -> None:
        """Append receipts; that of a run which has one is left out, or takes its place, as its run does.

        Raises:
            AccessError: the reader may not write to a space that occurs in them.
            StoreError: they could not be written.
        """
        self._check_right(reader, Right.WRITE, {receipt.space for receipt in receipts.value})
        self._connection.insert("receipts", [receipt_row(receipt) for receipt in receipts.value], replace=replace)


class Receipts(Visible):
    """What runs were offered, as far as the reader may see it."""

    def receipts(
        self,
        *,
        runs: Iterable[str] | None = None,
        nodes: Iterable[str] | None = None,
        job: str | None = None,
        since: float | None = None,
        space: str | None = None,
        limit: int | None = None,
    ) -> list[Receipt]:
        """The receipts, newest first: of these runs, of runs that were offered one of these nodes, of a job, a space.

        `since` is in seconds since the epoch, UTC; without a limit all of them come.
        """
        meant = sql.every(
            "" if runs is None else sql.one_of("run", runs),
            "" if nodes is None else sql.some(*(sql.contains("body", json.dumps(node)) for node in nodes)),
            "" if job is None else sql.equals("job", job),
            "" if since is None else sql.at_least("at", since),
            "" if space is None else sql.equals("space", space),
        )
        if limit is None:
            found = list({row["id"]: row for row in self._rows("receipts", meant, _RECEIPT)}.values())
        else:
            found = self._newest("receipts", meant, _RECEIPT, "at", limit)
        receipts = self._connection.read(lambda: [_receipt(row) for row in found])
        return sorted(receipts, key=lambda one: (-one.at, one.run))


def receipt_row(receipt: Receipt) -> Row:
    """A receipt as it stands in its table."""
    rest = plain(receipt)
    row = {name: rest.pop(name) for name in _COLUMNS}
    return {"id": receipt.id, **row, "body": json.dumps(rest, ensure_ascii=False)}


def _receipt(row: Row) -> Receipt:
    return value_from(Receipt, json.loads(row["body"]) | {name: row[name] for name in _COLUMNS})
