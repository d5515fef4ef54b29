"""What the tools take: each field with what it means for an agent, and how long it may be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

CODE_CHARACTERS = 50_000  # of one step; longer code is not read by what extracts
OUTPUT_CHARACTERS = 100_000
TEXT_CHARACTERS = 20_000  # of a task, a thought or an answer
NAME_CHARACTERS = 300
MOST_STEPS = 200  # of one run; what extracts reads no more
MOST_NAMES = 200
MOST_HITS = 20
MOST_RUNS = 100

Task = Annotated[
    str, Field(min_length=1, max_length=TEXT_CHARACTERS, description="The task in words, as a person would put it.")
]
Code = Annotated[str, Field(max_length=CODE_CHARACTERS, description="Python code.")]
Output = Annotated[str, Field(max_length=OUTPUT_CHARACTERS, description="What the code printed or returned.")]
ErrorText = Annotated[
    str, Field(max_length=OUTPUT_CHARACTERS, description="The error text, best the whole traceback; empty for none.")
]
Answer = Annotated[str, Field(max_length=TEXT_CHARACTERS, description="The final answer to the task.")]
Executed = Annotated[
    bool, Field(description="True only if this code really ran. What was only written is never learnt as solved.")
]
Job = Annotated[
    str,
    Field(
        max_length=NAME_CHARACTERS,
        description="The name of the recurring job that this belongs to, such as nightly-scan; empty for none.",
    ),
]
NodeId = Annotated[
    str, Field(min_length=1, max_length=NAME_CHARACTERS, description="An id that another tool gave, or its beginning.")
]
Hits = Annotated[int, Field(ge=1, le=MOST_HITS, description="How many at the most.")]
Verdict = Annotated[Literal["up", "down"], Field(description="up: it worked. down: it is wrong or did not fit.")]
HowItEnded = Annotated[
    Literal["answered", "max_steps", "model_error", "error", "killed", "interrupted", "abandoned"],
    Field(
        description="answered: the task is solved, by code that ran, and nobody refused the answer. error: it failed. "
        "abandoned: it was given up. interrupted, killed, max_steps (no steps were left), model_error (the LLM failed)."
    ),
]


class StepTaken(BaseModel):
    """One step: the code that was written, whether it ran, and what came of it."""

    model_config = ConfigDict(extra="forbid")

    code: Code = ""
    executed: Executed
    output: Output = ""
    error: ErrorText = ""
    thought: Annotated[str, Field(max_length=TEXT_CHARACTERS, description="Why the step was taken, in a sentence.")] = (
        ""
    )


class Where(BaseModel):
    """Where the code ran. Code that works in one sandbox may fail in another, so evidence is kept for each."""

    model_config = ConfigDict(extra="forbid")

    sandbox: Annotated[
        str,
        Field(
            min_length=1,
            max_length=60,
            description="The kind of place: python for an interpreter on this machine, docker, e2b, jupyter.",
        ),
    ] = "python"
    python: Annotated[str, Field(max_length=60, description="The version of Python, such as 3.11.7.")] = ""
    packages: Annotated[
        dict[str, str], Field(max_length=MOST_NAMES, description="Versions of the packages used, by name.")
    ] = Field(default_factory=dict)
    tools: Annotated[
        list[Annotated[str, Field(max_length=NAME_CHARACTERS)]],
        Field(max_length=MOST_NAMES, description="Functions of the agent that the code calls and does not define."),
    ] = Field(default_factory=list)
