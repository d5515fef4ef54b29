"""The verbs of the memory, a file for each group of them; `CodeMemory` is all of them together."""

from memu_code.verbs.asking import Asking
from memu_code.verbs.desk import Desk
from memu_code.verbs.judging import Judging
from memu_code.verbs.keeping import Keeping
from memu_code.verbs.ledger import Ledger
from memu_code.verbs.proving import Proving
from memu_code.verbs.recording import Recording
from memu_code.verbs.sharing import Sharing
from memu_code.verbs.teaching import Teaching
from memu_code.verbs.upkeep import Upkeep
from memu_code.verbs.watching import Watching
from memu_code.verbs.work import Work

__all__ = [
    "Asking",
    "Desk",
    "Judging",
    "Keeping",
    "Ledger",
    "Proving",
    "Recording",
    "Sharing",
    "Teaching",
    "Upkeep",
    "Watching",
    "Work",
]
