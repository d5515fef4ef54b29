"""The verbs of the memory, a file for each group of them; `CodeMemory` is all of them together."""

from memu_code.verbs.asking import Asking
from memu_code.verbs.desk import Desk
from memu_code.verbs.ledger import Ledger
from memu_code.verbs.teaching import Teaching
from memu_code.verbs.upkeep import Upkeep

__all__ = ["Asking", "Desk", "Ledger", "Teaching", "Upkeep"]
