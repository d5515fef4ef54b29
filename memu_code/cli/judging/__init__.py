"""The commands of whoever judges what is known: feedback and audit, and the history of a solution."""

from memu_code.cli.judging.commands import audit, feedback, show_history

__all__ = ["audit", "feedback", "show_history"]
