"""The commands of whoever shares: which spaces there are, and what is brought from one into another."""

from memu_code.cli.sharing.commands import promote, spaces
from memu_code.cli.sharing.shown import node_promotions

__all__ = ["node_promotions", "promote", "spaces"]
