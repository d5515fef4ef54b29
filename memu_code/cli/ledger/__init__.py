"""The commands of the ledger: which runs there were, and one of them told again."""

from memu_code.cli.ledger.commands import replay, runs

__all__ = ["replay", "runs"]
