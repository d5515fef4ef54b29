"""A solution memory for code agents: what one run learnt, the next one uses.

Start with `CodeMemory.open()`, then `memory.attach(agent)`; or ask it: `memory.recall("parse plant logger stamps")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memu_code.errors import MemuCodeError
from memu_code.model import Environment, Found, Hit, Outcome, Reader, Right, Run, State, Step, StepError

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory as CodeMemory

__version__ = "0.1.0"

__all__ = [
    "CodeMemory",
    "Environment",
    "Found",
    "Hit",
    "MemuCodeError",
    "Outcome",
    "Reader",
    "Right",
    "Run",
    "State",
    "Step",
    "StepError",
]


def __getattr__(name: str) -> Any:
    # The database takes a second or two to import, and `memu-code --help`, a wrong option and whoever only needs the
    # values must not wait for it.
    if name == "CodeMemory":
        from memu_code.memory import CodeMemory

        globals()[name] = CodeMemory
        return CodeMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
