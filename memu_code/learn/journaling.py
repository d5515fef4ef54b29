"""A run kept while it goes on: each value goes into its journal without secrets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memu_code.model import Offer, Run, Step
from memu_code.redact import clean
from memu_code.runs import Journal, Places, seal


class RunJournal:
    """The journal of a run. Every method but `discard` raises JournalError where the disk is full or gone."""

    def __init__(self, places: Places, run: Run) -> None:
        self._journal = Journal(places, clean(replace(run, steps=())))
        self._actor = run.actor

    @property
    def path(self) -> Path:
        """Its file."""
        return self._journal.path

    def step(self, step: Step) -> None:
        """Keep a finished step: on disk when this returns."""
        self._journal.add(seal("step", clean(step)))

    def offer(self, offer: Offer) -> None:
        """Keep that the run was offered something after it began."""
        self._journal.add(seal("offer", clean(offer)))

    def end(self, run: Run) -> None:
        """Keep how the run ended, as that of whoever it began as; from now on the journal is complete."""
        self._journal.add(seal("end", clean(replace(run, steps=(), actor=self._actor))))

    def discard(self) -> None:
        """Take the journal away, its run being in the store."""
        self._journal.discard()

    def keep(self) -> None:
        """Leave the journal to the next open of the store."""
        self._journal.keep()
