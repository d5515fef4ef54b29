"""One nightly job, run by real agents on two nights: what the memory learns on the first it uses on the second."""

from memu_code.demo.results import Comparison, TaskResult
from memu_code.demo.stage import Stage, compare_nights

__all__ = ["Comparison", "Stage", "TaskResult", "compare_nights"]
