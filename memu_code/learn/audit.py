"""What is wrong or useless in a memory, with counts and ids: nothing is changed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memu_code.errors import UsageError
from memu_code.graph import View
from memu_code.learn import findings
from memu_code.learn.findings import Group, Material, forms_of
from memu_code.model import Relation, Solution

_CHECKS: Mapping[str, tuple[Callable[[Material], Iterable[Group]], str]] = {
    "exact_duplicates": (findings.exact_duplicates, "The same code in several nodes or spaces."),
    "near_duplicates": (findings.near_duplicates, "Code that differs in nothing but names."),
    "echoes": (findings.echoes, "What was injected, learnt back as if it were new."),
    "never_used": (findings.never_used, "Shown in five runs or more, and used in none."),
    "not_shown": (findings.not_shown, "Known for long, and not shown to anybody since."),
    "contradicting": (
        findings.contradicting,
        "Solutions that gave different answers to one task, and fixes that undo each other: one may be wrong.",
    ),
    "secrets": (findings.secrets, "Text that looks like a secret: change that secret, and take out what holds it."),
    "speaks_to_the_model": (
        findings.speaking,
        "Text that gives orders to whoever reads it: it is left out of prompts; look where it came from.",
    ),
    "without_provenance": (
        findings.without_provenance,
        "No run, no repository and no person stands for it.",
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing that was looked for: its name, what it means, and what was found, in groups of ids."""

    name: str
    means: str
    groups: tuple[Group, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids of it, each once, sorted."""
        return tuple(sorted({node for group in self.groups for node in group.ids}))


@dataclass(frozen=True, slots=True)
class Audit:
    """How many nodes were looked at, and all findings, those that found nothing among them."""

    nodes: int
    findings: tuple[Finding, ...]

    def __getitem__(self, name: str) -> Finding:
        return next(finding for finding in self.findings if finding.name == name)


def audit(view: View, *, unseen_days: float, now: float | None = None) -> Audit:
    """What is wrong or useless in all that a view shows. It reads the whole store once; time grows with its size.

    Raises:
        UsageError: the number of days is not positive, or no number.
        StoreError: the store cannot be read.
    """
    if not (unseen_days >= 0 and math.isfinite(unseen_days)):
        raise UsageError(f"The number of days must be 0 or more, not {unseen_days}.")
    nodes = view.every_node()
    runs = view.every_run()
    codes = {node.code for node in nodes.values() if isinstance(node, Solution)}
    codes.update(offer.code for run in runs for offer in run.offers)
    material = Material(
        nodes=nodes,
        evidence=view.every_evidence(),
        produced=view.every_tie((Relation.PRODUCED,)),
        runs=runs,
        steps=view.every_step,
        forms=forms_of(codes),
        now=time.time() if now is None else now,
        unseen_days=unseen_days,
    )
    return Audit(
        len(nodes),
        tuple(Finding(name, means, tuple(sorted(check(material)))) for name, (check, means) in _CHECKS.items()),
    )
