"""A run that has ended, as it is written together with what it taught."""

from __future__ import annotations

from dataclasses import dataclass

from memu_code.graph import rows
from memu_code.graph.receipts import receipt_row
from memu_code.graph.rows import Row
from memu_code.model import Clean, Receipt, Run


@dataclass(frozen=True, slots=True)
class Ended:
    """A run and the receipt of what it was offered; with `replace` they take the place of what was told before."""

    run: Clean[Run]
    receipts: Clean[tuple[Receipt, ...]]
    replace: bool = False

    @property
    def spaces(self) -> set[str]:
        """Where it writes to."""
        return {self.run.value.space, *(receipt.space for receipt in self.receipts.value)}

    @property
    def replaced(self) -> set[str]:
        """The tables in which its rows take the place of others."""
        return {"receipts", "runs"} if self.replace else set()

    def rows(self) -> dict[str, list[Row]]:
        """Its rows by table."""
        run = self.run.value
        return {
            "receipts": [receipt_row(receipt) for receipt in self.receipts.value],
            "steps": rows.step_rows(run),
            "runs": [rows.run_row(run)],
        }
