"""The commands of whoever wants to know whether the memory pays: lift, and the receipts of a run or a node."""

from memu_code.cli.watching.commands import lift
from memu_code.cli.watching.receipts import gone, node_receipts, run_receipts

__all__ = ["gone", "lift", "node_receipts", "run_receipts"]
