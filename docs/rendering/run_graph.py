"""The page of one real run and the graph that it became."""

from __future__ import annotations

from collections.abc import Iterator

from docs.rendering.example_run import Learnt
from docs.rendering.layout import boxes
from memu_code.model import EdgeCase, ErrorFix, Node, Problem, Solution

_HEAD = """\
# One run and its graph

An agent of smolagents was asked for the mean price of some orders. It ran in its own executor, failed twice, mended its
code and answered; only the LLM was scripted. A `CodeMemory` was attached and learnt from it, and everything below was
read back from its store. `make docs` does all of it again.

![The steps of the run on the left, and on the right the graph of what was learnt from them](pictures/run-graph.svg)
"""
_GUARDS = """\
Two of the edge cases are tied to the errors that they came of: the code that failed lacked the guard, the code that
ran has it, and it prevents that error. The third was there without an error, so only the solutions handle it.
"""


def run_graph_page(learnt: Learnt) -> str:
    """The page as Markdown: the picture, the steps, the nodes and the edges."""
    return "\n".join([_HEAD, _GUARDS, *_steps(learnt), *_nodes(learnt), *_edges(learnt)])


def _steps(learnt: Learnt) -> Iterator[str]:
    yield f"## The steps\n\nThe task: “{learnt.run.task.split(chr(10))[0]}”\n"
    for step in learnt.run.steps:
        yield f"{step.number}. {step.thought.removeprefix('Thought:').strip()}\n"
        yield _indented(f"```python\n{step.code}\n```\n")
        if step.error is not None:
            yield _indented(f"```\n{step.error.text}\n```\n")
        else:
            yield _indented(f"It ran, and answered {learnt.run.answer}.\n")


def _nodes(learnt: Learnt) -> Iterator[str]:
    yield "## The nodes\n"
    for box in boxes(learnt):
        yield f"**{box.title}**, `{box.id if box.kind != 'run' else 'run_…'}`\n"
        yield _content(learnt.nodes[box.id]) if box.kind != "run" else f"{box.text}\n"


def _content(node: Node) -> str:
    match node:
        case Problem(text=text):
            return f"{text}\n"
        case Solution(code=code):
            return f"```python\n{code.strip()}\n```\n"
        case EdgeCase(condition=condition, handling=handling):
            return f"When `{condition}`: `{handling}`\n"
        case ErrorFix(signature=signature, delta=delta, thought=thought):
            return f"`{signature}`. {thought}\n\n```diff\n" + "\n".join(delta) + "\n```\n"


def _edges(learnt: Learnt) -> Iterator[str]:
    titles = {box.id: box.title for box in boxes(learnt)}
    rows = [(titles[edge.source], str(edge.relation), titles[edge.target]) for edge in learnt.edges]
    yield "## The edges\n"
    yield "| from | relation | to |\n|---|---|---|"
    yield from (f"| {source} | `{relation}` | {target} |" for source, relation, target in sorted(rows))
    yield ""


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line else line for line in text.split("\n"))
