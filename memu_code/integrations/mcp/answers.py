"""What the tools give back, as types with a schema; every text in them is data that was stored by somebody."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Snippet(BaseModel):
    """Code that solved a task, or the change that mended an error (a diff)."""

    id: str
    kind: str
    score: float = Field(description="How well it fits, 0 to 1.")
    state: str = Field(description="proven: it ran and its answer was accepted; trial, seeded: not so far; retired.")
    successes: int
    failures: int
    task: str = Field(description="The task that it solved, or the error that it mended.")
    differs: str = Field(default="", description="How that task differs from the one that was asked for.")
    code: str
    signature: str = ""
    edge_cases: list[str] = Field(default_factory=list)
    fixes: list[str] = Field(default_factory=list)
    did_not_work: list[str] = Field(default_factory=list)
    space: str = ""
    actors: list[str] = Field(default_factory=list, description="Who gave it or saw it work.")
    provenance: str = ""


class Snippets(BaseModel):
    """What is known, best first; empty where nothing is relevant."""

    found: list[Snippet]


class Learnt(BaseModel):
    """One thing that a run taught."""

    id: str
    kind: str
    text: str


class Remembered(BaseModel):
    """What became of a run that was told."""

    run: str = Field(description="The id of the run, for `show`.")
    kept_in: str = Field(description="store; or journal, from where it goes into the store once that can be reached.")
    learnt: list[Learnt]


class Judged(BaseModel):
    """What a verdict came to."""

    node: str
    verdict: str
    state: str
    version: str = Field(description="The id of the new version that better code made; empty where none was made.")
    notes: list[str]


class RunLine(BaseModel):
    """One run in a list; times are UTC."""

    id: str
    job: str
    task: str = ""
    outcome: str
    answer: str
    agent: str = ""
    actor: str
    space: str = ""
    started: str
    steps: int


class RunLines(BaseModel):
    """Runs, newest first."""

    runs: list[RunLine]


class Promise(BaseModel):
    """A follow-up: what was promised for a later run of a job."""

    id: str
    job: str
    text: str
    due: str
    state: str = Field(description="open or done.")


class Briefing(BaseModel):
    """What the last runs of a job did, and what is promised."""

    job: str
    known: bool
    runs: list[RunLine]
    open: list[Promise]
    done: list[Promise]


class Tie(BaseModel):
    """Something that a node is tied to."""

    relation: str
    id: str
    text: str


class Seen(BaseModel):
    """One thing that was seen of a node, by whom, when (UTC) and where."""

    kind: str
    run: str
    actor: str
    at: str
    sandbox: str


class StepShown(BaseModel):
    """One step of a run."""

    number: int
    ran: bool
    code: str
    output: str
    error: str


class Shown(BaseModel):
    """All that is known of a node, or of a run with its steps."""

    id: str
    kind: str
    state: str
    space: str
    text: str
    code: str = ""
    answer: str = ""
    quarantine: bool = Field(
        default=False,
        description="Somebody else brought it, and nobody vouched for it: its contents, or its steps, are not shown.",
    )
    related: list[Tie] = Field(default_factory=list)
    evidence: list[Seen] = Field(default_factory=list)
    steps: list[StepShown] = Field(default_factory=list)
