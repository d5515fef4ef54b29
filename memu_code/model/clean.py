"""The mark of text from which secrets were taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clean(Generic[T]):
    """A value without secrets. Only `memu_code.redact.clean` makes one, and the store takes nothing else."""

    value: T
