"""What an audit looks for: each finding a pure function over all that is known, its time linear in the size of that."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from memu_code.extractors.code.structure import nameless_structure
from memu_code.graph.verdicts import SAID, not_undone
from memu_code.graph.whole import texts
from memu_code.model import DAY, ErrorFix, Evidence, EvidenceKind, Input, Node, Run, Solution, folded
from memu_code.model.promotions import is_away
from memu_code.recall.inert import speech_in
from memu_code.recall.render import OWN_WORDS
from memu_code.redact import redact_text

SHOWN_AT_LEAST = 5  # runs that were shown a node and did not use it, before that says something
WORDS_AT_LEAST = 8  # of code; anybody writes less in the same way: `def first(rows): return rows[0]`
_USED = frozenset({EvidenceKind.USED, EvidenceKind.USED_FAILED})
_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\[redacted:(\w+)\]")
_ANSWER_CHARACTERS = 40


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """Ids that belong together in a finding, sorted, and what can be said of them beside that."""

    ids: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """All that a reader may see, as the findings need it.

    `produced` gives by node the runs that made it; `forms` by code its structure apart from names; `steps` reads
    the run and the texts of every step, which may be many.
    """

    nodes: Mapping[str, Node]
    evidence: Mapping[str, list[Evidence]]
    produced: Mapping[str, set[str]]
    runs: Sequence[Run]
    steps: Callable[[], Iterable[tuple[str, tuple[str, ...]]]]
    forms: Mapping[str, str]
    now: float
    unseen_days: float

    @property
    def solutions(self) -> Iterator[Solution]:
        return (node for node in self.nodes.values() if isinstance(node, Solution))

    @property
    def fixes(self) -> Iterator[ErrorFix]:
        return (node for node in self.nodes.values() if isinstance(node, ErrorFix))

    @property
    def judged(self) -> Iterator[Solution | ErrorFix]:
        """What is offered, and stands or falls by evidence."""
        return (node for node in self.nodes.values() if isinstance(node, Solution | ErrorFix))

    def rows(self, node: str) -> list[Evidence]:
        return self.evidence.get(node, [])


def forms_of(codes: Iterable[str]) -> dict[str, str]:
    """By code its structure up to the names that it gives; nothing of code that is too short to tell anything."""
    return {code: nameless_structure(code) for code in codes if len(_WORD.findall(code)) >= WORDS_AT_LEAST}


def exact_duplicates(known: Material) -> Iterator[Group]:
    """The same structure or the same text in several nodes, and the same fix in several spaces."""
    groups: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for solution in known.solutions:
        groups["solution", solution.structure].add(solution.id)
    for fix in known.fixes:
        groups["fix", fix.signature, *(fix.delta or (fix.failing,))].add(fix.id)
    for ids in groups.values():
        if len(ids) > 1:
            yield Group(tuple(sorted(ids)), _spaces(known, ids))


def near_duplicates(known: Material) -> Iterator[Group]:
    """Solutions that differ in structure, and in nothing but names."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for solution in known.solutions:
        if form := known.forms.get(solution.code):
            groups[form][solution.id] = solution.structure
    for ids in groups.values():
        if len(set(ids.values())) > 1:
            yield Group(tuple(sorted(ids)), _spaces(known, ids))


def echoes(known: Material) -> Iterator[Group]:
    """Nodes that hold words of the injected block, and solutions that a run made of what it was offered."""
    for node in known.nodes.values():
        if any(words in text for text in _texts_of(node) for words in OWN_WORDS):
            yield Group((node.id,), "it holds words of the block")
    made: dict[str, list[Solution]] = defaultdict(list)
    for solution in known.solutions:
        for name in known.produced.get(solution.id, ()):
            made[name].append(solution)
    found: dict[tuple[str, str], str] = {}
    for run in known.runs:
        for solution in made.get(run.id, ()):
            form = known.forms.get(solution.code)
            for offer in run.offers:
                if form and offer.node != solution.id and known.forms.get(offer.code) == form:
                    found.setdefault((solution.id, offer.node), run.id)
    for (copy, offered), where in found.items():
        yield Group((copy,), f"a copy of {offered}, which {where} was offered")


def never_used(known: Material) -> Iterator[Group]:
    """Nodes that many runs were shown, and none used."""
    for node in known.nodes:
        rows = known.rows(node)
        shown = {row.run or row.id for row in rows if row.kind is EvidenceKind.SHOWN}
        if len(shown) >= SHOWN_AT_LEAST and all(row.kind not in _USED for row in rows):
            yield Group((node,), f"shown in {len(shown)} runs")


def not_shown(known: Material) -> Iterator[Group]:
    """Solutions and fixes that were known before the given days, and that nobody was shown within them."""
    before = known.now - known.unseen_days * DAY
    for node in known.judged:
        rows = known.rows(node.id)
        shown = [row.at for row in rows if row.kind is EvidenceKind.SHOWN]
        if rows and min(row.at for row in rows) <= before and max(shown, default=before) <= before:
            days = int((known.now - max(shown)) / DAY) if shown else 0
            yield Group((node.id,), f"last shown {days} days ago" if shown else "never shown")


def contradicting(known: Material) -> Iterator[Group]:
    """Different answers to the same task with the same inputs by different solutions; fixes that undo each other."""
    yield from _answers(known)
    changes: dict[tuple[tuple[str, ...], tuple[str, ...]], set[str]] = defaultdict(set)
    for fix in known.fixes:
        gone, come = _changed(fix.delta, "- "), _changed(fix.delta, "+ ")
        if gone and come:
            changes[gone, come].add(fix.id)
    for (gone, come), ids in changes.items():
        others = changes.get((come, gone), set())
        if gone < come and others:
            yield Group(tuple(sorted(ids | others)), "one undoes what the other changes")


def secrets(known: Material) -> Iterator[Group]:
    """Ids of nodes and runs whose stored text redaction would change today, with the kinds of what was found."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in known.nodes.values():
        found[node.id].update(kind for text in _texts_of(node) for kind in _kinds(text))
    for rows in known.evidence.values():
        for row in rows:
            if row.note:
                found[row.node].update(_kinds(row.note))
    for run in known.runs:
        found[run.id].update(kind for text in texts(asdict(run)) for kind in _kinds(text))
    for name, told in known.steps():
        found[name].update(kind for text in told for kind in _kinds(text))
    for name, kinds in found.items():
        if kinds:
            yield Group((name,), ", ".join(sorted(kinds)))


def speaking(known: Material) -> Iterator[Group]:
    """Ids of nodes in which something speaks to the model that reads them, with the kinds of that."""
    for node in known.nodes.values():
        if kinds := speech_in(node):
            yield Group((node.id,), ", ".join(map(str, kinds)))


def without_provenance(known: Material) -> Iterator[Group]:
    """Solutions and fixes that no run made here or elsewhere, of no repository, and that nobody said anything of."""
    for node in known.judged:
        seeded = isinstance(node, Solution) and node.origin is not None
        if seeded or known.produced.get(node.id):
            continue
        if not any(row.kind in SAID or is_away(row.run) for row in not_undone(known.rows(node.id))):
            yield Group((node.id,))


def _answers(known: Material) -> Iterator[Group]:
    made: dict[str, set[str]] = defaultdict(set)
    for solution in known.solutions:
        for name in known.produced.get(solution.id, ()):
            made[name].add(solution.id)
    tasks: dict[tuple[str, tuple[Input, ...]], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for run in known.runs:
        if run.solved and made.get(run.id):
            task = (folded(run.task), run.inputs)
            tasks[task][" ".join(run.answer.split())] |= made[run.id]
    for answers in tasks.values():
        # What gave several answers reads other data each time, and says nothing of which is right.
        often = Counter(node for nodes in answers.values() for node in nodes)
        alone = {answer: {node for node in nodes if often[node] == 1} for answer, nodes in answers.items()}
        told = {answer: nodes for answer, nodes in alone.items() if nodes}
        if len(told) > 1:
            ids = {node for nodes in told.values() for node in nodes}
            shown = " or ".join(sorted(repr(answer[:_ANSWER_CHARACTERS]) for answer in told))
            yield Group(tuple(sorted(ids)), f"the answer was {shown}")


def _changed(delta: Iterable[str], mark: str) -> tuple[str, ...]:
    return tuple(line[len(mark) :].strip() for line in delta if line.startswith(mark))


def _texts_of(node: Node) -> Iterator[str]:
    yield from texts(asdict(node))


def _kinds(text: str) -> Iterable[str]:
    """The kinds of secrets that a text holds."""
    redacted = redact_text(text)
    return () if redacted == text else Counter(_MARK.findall(redacted)) - Counter(_MARK.findall(text))


def _spaces(known: Material, ids: Iterable[str]) -> str:
    return "in " + ", ".join(sorted({known.nodes[node].space for node in ids}))
