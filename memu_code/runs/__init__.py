"""What happened: the journal that a run is kept in while it goes on, and a kept run as plain values again."""

from memu_code.runs.full_steps import full_steps
from memu_code.runs.journal import Journal
from memu_code.runs.left import Left, claimed, described, failed, overdue, unreadable, waiting
from memu_code.runs.lines import seal
from memu_code.runs.moments import moment_of
from memu_code.runs.pictures import keep_picture, read_picture
from memu_code.runs.places import Places

__all__ = [
    "Journal",
    "Left",
    "Places",
    "claimed",
    "described",
    "failed",
    "full_steps",
    "keep_picture",
    "moment_of",
    "overdue",
    "read_picture",
    "seal",
    "unreadable",
    "waiting",
]
