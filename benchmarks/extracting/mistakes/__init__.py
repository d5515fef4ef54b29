"""Mistakes that code makes, each in variants that differ in data and in names of their own.

Whatever a variant shares with the others (a class, a method, a missing name, a type) is what the mistake is about.
Only the standard library is used, so that every Python from 3.8 on can make them.
"""

from __future__ import annotations

from benchmarks.extracting.mistakes.libraries import LIBRARIES
from benchmarks.extracting.mistakes.mistake import Mistake
from benchmarks.extracting.mistakes.names import LOOKUPS, NAMES
from benchmarks.extracting.mistakes.own import OWN
from benchmarks.extracting.mistakes.syntax import SYNTAX
from benchmarks.extracting.mistakes.types import TYPES
from benchmarks.extracting.mistakes.values import VALUES

__all__ = ["MISTAKES", "Mistake"]

MISTAKES: tuple[Mistake, ...] = (*NAMES, *LOOKUPS, *TYPES, *OWN, *VALUES, *LIBRARIES, *SYNTAX)
