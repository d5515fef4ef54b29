"""The public data that the benchmark reads; it is not part of this repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class NoData(Exception):
    """The folder or file with the data is not there."""


def rows(path: Path) -> list[dict[str, Any]]:
    """All rows of a JSON lines file. Raises `NoData` where it is not there."""
    if not path.is_file():
        raise NoData(f"{path} is not there; name the data's folder with --data")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
