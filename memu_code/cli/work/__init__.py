"""The commands of the work record: the brief of a job, its follow-ups, and a search in what earlier runs did."""

from memu_code.cli.work.commands import brief, follow_up, recall_work

__all__ = ["brief", "follow_up", "recall_work"]
