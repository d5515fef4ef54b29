"""The page of the extractors: what each is for, and its own examples, a run in and what is learnt out."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from memu_code.extractors import EXTRACTORS, Extractor
from memu_code.extractors.edge_cases.kind import EdgeCaseKind
from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.extractors.protocol import Example
from memu_code.model import Run, Step

_HEAD = """\
# Extractors

What a run teaches is found by extractors: pure functions from a run to nodes and edges, without an LLM. Each carries
its own examples, and the tests run every one of them. This page is made from them by `make docs`.
"""
_EDGE_CASES = """\
## Kinds of edge cases

{count} kinds, in the order in which they are asked: the first that knows a place in the code takes it. A comment says
what is found in the code above it: the condition, and what is done then.
"""


def extractors_page() -> str:
    """The whole page as Markdown."""
    parts = [_HEAD]
    for name, extractor in EXTRACTORS.items():
        parts.extend(_extractor(name, extractor))
    parts.append(_EDGE_CASES.format(count=len(KINDS)))
    for kind in KINDS.values():
        parts.extend(_kind(kind))
    return "\n".join(parts)


def _extractor(name: str, extractor: Extractor) -> Iterator[str]:
    yield f"## {name.replace('_', ' ').capitalize()}\n\n{inspect.getdoc(extractor.extract)}\n"
    for example in extractor.examples:
        yield from _example(example)


def _example(example: Example) -> Iterator[str]:
    yield f"**{example.title.capitalize()}.** The task is “{example.run.task}”.\n"
    yield "\n".join(f"{_step(step)}\n" for step in example.run.steps)
    yield f"{_ending(example.run)} Learnt:{'' if example.texts else ' nothing.'}\n"
    yield from (f"```\n{text}\n```\n" for text in example.texts)
    if example.relations:
        yield f"Among the edges: {', '.join(f'`{relation}`' for relation in example.relations)}.\n"


def _step(step: Step) -> str:
    said = [f"```python\n{step.code}\n```"]
    if step.error is not None:
        said.append(f"```\n{step.error.text}\n```")
    return f"Step {step.number} {'failed' if step.error else 'ran'}:\n\n" + "\n".join(said)


def _ending(run: Run) -> str:
    return "The answer was accepted." if run.solved else f"The run ended without an answer ({run.outcome})."


def _kind(kind: EdgeCaseKind) -> Iterator[str]:
    yield f"### `{kind.name}`\n\n{kind.finds}\n"
    found = "\n\n".join(f"{shown.code}\n# {shown.condition} -> {shown.handling}" for shown in kind.shown)
    yield f"```python\n{found}\n```\n"
    missed = "\n\n".join(kind.near_misses)
    yield f"Not this:\n\n```python\n{missed}\n```\n"
