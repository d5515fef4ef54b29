"""What one offer that was used has earned."""

from __future__ import annotations

from dataclasses import dataclass

ERROR_CHARACTERS = 200  # of an error's first line


@dataclass(frozen=True, slots=True)
class Merit:
    """How an offer was used, `called`, `whole`, `part` or `adapted`, and whether it did its work.

    `error` is what the step said in which it did not.
    """

    how: str
    good: bool
    error: str = ""

    @property
    def note(self) -> str:
        """The two for a row of evidence: `called`, or `called: KeyError: 'rows'`."""
        lines = self.error.rpartition("due to: ")[2].strip().splitlines()
        return f"{self.how}: {' '.join(lines[0].split())[:ERROR_CHARACTERS]}" if lines else self.how
