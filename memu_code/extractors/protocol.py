"""What an extractor is: a pure function from a run to what it teaches, with examples of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memu_code.model import EdgeCase, ErrorFix, Extraction, Node, Relation, Run, Solution


@dataclass(frozen=True, slots=True)
class Example:
    """A run, and what must be found in it: the texts of all nodes of the extractor's kind, and relations among them."""

    title: str
    run: Run
    texts: tuple[str, ...]
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Extractor:
    """`extract` takes a run and what the extractors before it found, and returns what it adds. It does no I/O."""

    extract: Callable[[Run, Extraction], Extraction]
    examples: tuple[Example, ...]


def text_of(node: Node) -> str:
    """A node as the examples show it."""
    if isinstance(node, Solution):
        return node.code
    if isinstance(node, EdgeCase):
        return f"{node.category}: {node.condition} -> {node.handling}"
    if isinstance(node, ErrorFix):
        return "\n".join((node.signature, *node.delta))
    return node.text
