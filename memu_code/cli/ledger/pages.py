"""Runs as pages: a list of them, and one told again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.pages import moment, short
from memu_code.model import Run, Step

_TASK_CHARACTERS = 70  # of a task in a list
_OPENS = re.compile(r"(?:<\w+>|```\w*)\s*\Z")  # what an LLM puts around its code
_CLOSES = re.compile(r"\A\s*(?:</\w+>|```)")
_SEEN_CHARACTERS = 2_000  # of what a step printed or failed with; `--json` has the whole


def runs_page(runs: Sequence[Mapping[str, Any]]) -> list[Block]:
    """The runs, a row each."""
    rows = tuple(
        (
            moment(run["started_at"]),
            run["outcome"],
            str(run["steps"]),
            short(run["job"], _TASK_CHARACTERS),
            short(" ".join(run["task"].split()), _TASK_CHARACTERS),
            run["id"],
        )
        for run in runs
    )
    return [Grid(("began", "outcome", "steps", "job", "task", "run"), rows)]


def replay_page(run: Run) -> list[Block]:
    """The run from its task to its answer, each step with all that the LLM wrote."""
    facts = (
        ("task", run.task),
        ("images", ", ".join(f"{image.width}x{image.height} {image.file}".rstrip() for image in run.images)),
        ("job", run.job),
        ("agent", " ".join(part for part in (run.agent, _class(run)) if part)),
        ("LLM", run.llm),
        ("when", f"{moment(run.started_at)}, {max(0.0, run.ended_at - run.started_at):.1f} s"),
        ("called by", run.parent),
        ("goes on with", run.follows),
    )
    page: list[Block] = [Title(f"{run.id} · {run.outcome}", str(run.outcome)), Facts(facts)]
    actions = 0
    for step in run.steps:
        actions += step.kind != "planning"
        page += _told(step, actions)
    if run.answer.strip():
        page += [Title("Answer" if run.solved else "Last words"), Note(run.answer)]
    return page


def _class(run: Run) -> str:
    return f"({run.agent_class})" if run.agent_class and run.agent_class != run.agent else ""


def _told(step: Step, number: int) -> Iterator[Block]:
    name = "Plan" if step.kind == "planning" else "Out of steps" if step.kind == "max_steps" else f"Step {number}"
    yield Title(f"{name} · {step.seconds:.1f} s{_tokens(step)}")
    before, after = (step.output[0], step.output[-1]) if len(step.output) > 1 else (step.said or "", "")
    if text := _OPENS.sub("", before).strip():
        yield Note(text)
    if step.code.strip() and len(step.output) != 1:
        yield Code(step.code)
    if text := _CLOSES.sub("", after).strip():
        yield Note(text)
    calls = [f"{call.name}({short(call.arguments, _SEEN_CHARACTERS)})" for call in step.calls if call.arguments]
    if calls:
        yield Note("\n".join(calls))
    if step.observation.strip():
        yield Note(short(step.observation, _SEEN_CHARACTERS))
    for image in step.images:
        yield Note(f"<image {image.width}x{image.height}> {image.file}".rstrip())
    if step.error:
        yield Note(f"{step.error.root or step.error.type}: {short(step.error.text, _SEEN_CHARACTERS)}")


def _tokens(step: Step) -> str:
    return f", {step.tokens_in} tokens in, {step.tokens_out} out" if step.tokens_in or step.tokens_out else ""
