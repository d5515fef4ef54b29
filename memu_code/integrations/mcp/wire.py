"""Standard input and output taken for the protocol, before anything heavy is imported that might print."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wire:
    """The two file descriptors of the protocol."""

    reads: int
    writes: int


def claim() -> Wire:
    """Standard input and output, for the protocol alone from now on.

    Whatever prints, be it a library or a program that it starts, prints to standard error, and reads nothing.
    """
    wire = Wire(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire
