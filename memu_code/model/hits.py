"""What recall gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memu_code.model.evidence import State
from memu_code.model.nodes import Kind
from memu_code.model.promotions import Promotion


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that recall found. `score` is in 0..1; `why` holds the named parts of the score."""

    id: str
    kind: Kind
    score: float
    why: Mapping[str, float]
    state: State
    problem: str
    code: str
    edge_cases: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    failed_alternatives: tuple[str, ...] = ()
    provenance: str = ""
    space: str = ""
    name: str = ""
    signature: str = ""
    description: str = ""
    successes: int = 0
    failures: int = 0
    avoids: tuple[str, ...] = ()  # imports that it does without since they were refused: `import requests`
    reason: str = ""  # why it is on trial or retired, where that is more than its evidence
    newer: str = ""  # a person's version that is to replace it once it is proven, where that one was found as well
    actors: tuple[str, ...] = ()  # who gave it or saw it work, the first one first
    promoted: Promotion | None = None  # how it came into its space, where it was not learnt there
    differs: str = ""  # how the stored task differs from the one that was asked for, where that is worth saying
    alike: str = ""  # the words of the stored task that were asked for too: all that a stranger's says to an LLM
    quarantine: bool = False  # somebody else's, which nobody has vouched for: for people to see, not for a prompt
    speaks: tuple[str, ...] = ()  # how it speaks to a model, where it does: `override`, `role`, `tool` ...


@dataclass(frozen=True, slots=True)
class Found:
    """The hits, best first, and the block for a prompt that was made of them; false where nothing is relevant."""

    hits: tuple[Hit, ...] = ()
    text: str = ""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:
        return bool(self.hits)
