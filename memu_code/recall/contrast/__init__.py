"""The same task or another one? Two wordings held against each other."""

from memu_code.recall.contrast.comparing import Difference, Strength
from memu_code.recall.contrast.conflict import alike, conflict, contrast_factor, differences, told_differences
from memu_code.recall.contrast.lexicon import Kind

__all__ = ["Difference", "Kind", "Strength", "alike", "conflict", "contrast_factor", "differences", "told_differences"]
