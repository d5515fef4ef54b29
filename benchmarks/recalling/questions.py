"""What is stored, what is asked, and what would be right: the same for every system."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

FOLDS = 3
HELD_OUT = 0  # the fold for reporting only; numbers are set on 1 and 2


def fold(task: str) -> int:
    """The fold (0..2) of a task; all wordings of one task are in the same."""
    return int(hashlib.sha256(task.encode()).hexdigest(), 16) % FOLDS


def half(name: str) -> bool:
    """One half of all names, always the same one and unrelated to the folds."""
    return hashlib.sha256(f"half {name}".encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Doc:
    """One thing to store: code with its task in words (or none), or a failing code with its error and its fix."""

    id: str
    code: str
    text: str = ""
    error: str = ""
    fixed: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One question. `right` are the ids that answer it, `task` is what its fold goes by, `own` is not to be found."""

    id: str
    text: str
    right: frozenset[str]
    task: str
    code: str = ""
    own: str = ""

    @property
    def fold(self) -> int:
        return fold(self.task)


@dataclass(frozen=True, slots=True)
class View:
    """One way in which a rival can look at a set: a text for each doc and each query, in their order."""

    name: str
    stored: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """A set. The first view is the one that the set's name promises; rivals may do better with another.

    `question_view` names the view that holds the task in words alone, for a rival that looks at nothing else.
    """

    name: str
    kind: Literal["task", "error"]
    docs: tuple[Doc, ...]
    queries: tuple[Query, ...]
    views: tuple[View, ...]
    question_view: str = ""
    goal: float = 0.0  # how far ours should be ahead of the best rival

    def sample(self, most: int) -> Questions:
        """The same with at most so many queries, spread evenly."""
        step = max(1, len(self.queries) // most)
        kept = slice(0, step * most, step)
        views = tuple(View(view.name, view.stored, view.asked[kept]) for view in self.views)
        return replace(self, queries=self.queries[kept], views=views)


# What a system gives for one query: best first, the ids that an item stands for and its score. Items that the system
# itself cannot tell apart have the same score.
Answer = Sequence[tuple[frozenset[str], float]]
