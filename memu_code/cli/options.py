"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="A folder or a URI such as s3://bucket/key; by default MEMU_CODE_STORE, or your data directory.",
    ),
]
SpaceOption = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="NAME",
        help="Whose memory: ~ann is private, acme/data-eng is shared; by default MEMU_CODE_SPACE, or your own.",
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="MODEL",
        help="A sentence-transformers model by name or path; by default MEMU_CODE_EMBEDDER, or the built-in one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
WhyOption = Annotated[bool, typer.Option("--why", help="Show every part of each score as a table.")]
