"""Memory made: from a run or a repository through extraction and redaction into the store."""

from memu_code.learn.remember import remember_run
from memu_code.learn.seed import SeedReport, seed_repository

__all__ = ["SeedReport", "remember_run", "seed_repository"]
