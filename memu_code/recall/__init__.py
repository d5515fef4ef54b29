"""Memory found: candidates, ranking, and the block for a prompt."""

from memu_code.recall.fixes import recall_fixes
from memu_code.recall.render import render
from memu_code.recall.solutions import FLOOR, OFFER_FLOOR, Encoder, recall_solutions
from memu_code.recall.texts import embedding_text, search_words

__all__ = [
    "FLOOR",
    "OFFER_FLOOR",
    "Encoder",
    "embedding_text",
    "recall_fixes",
    "recall_solutions",
    "render",
    "search_words",
]
