"""How well a corpus was redacted: by line, and by span."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.redacting.sample import Sample

_MARK = re.compile(r"\[redacted(?::\w+)?\]|redacted_\w+")
_LEFT = 8  # characters in a row of a secret that may not be left over


@dataclass(slots=True)
class Score:
    """Counts over the lines and the secrets of a corpus."""

    found: int = 0  # lines with a secret that were touched
    missed: int = 0
    false: int = 0  # lines without one that were touched
    right: int = 0  # lines without one that were left as they are
    gone: int = 0  # secrets of which nothing is left
    left: int = 0
    whole: int = 0  # lines in which nothing but the secret was touched
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        flagged = self.found + self.false
        return {
            "recall_lines": _share(self.found, self.found + self.missed),
            "precision_lines": _share(self.found, flagged),
            "recall_spans": _share(self.gone, self.gone + self.left),
            "harmless_text_kept": _share(self.whole, self.found),
            "lines": {
                "with_secret": self.found + self.missed,
                "harmless": self.false + self.right,
                "missed": self.missed,
                "false": self.false,
            },
        }


def score(samples: Sequence[Sample], redact: Callable[[str], str]) -> Score:
    """The score of a function that puts `[redacted...]` in the place of secrets."""
    total = Score()
    for sample in samples:
        _add(total, sample, redact(sample.text))
    return total


def _add(total: Score, sample: Sample, after: str) -> None:
    counts = total.by_kind.setdefault(sample.kind, Counter())
    for secret in sample.secrets:
        gone = not _is_left(secret, sample.text, after)
        total.gone += gone
        total.left += not gone
        if not gone:
            total.misses.append(f"missed [{sample.kind}; {sample.form}] {sample.text}  ->  {after}")
    before, now = sample.text.split("\n"), after.split("\n")
    now += [""] * (len(before) - len(now))
    for line, other in zip(before, now, strict=False):
        inside = [secret for secret in sample.secrets if secret in line]
        if inside:
            found = not any(_is_left(secret, line, other) for secret in inside)
            total.found += found
            total.missed += not found
            total.whole += found and _is_whole(line, inside, other)
            counts["found" if found else "missed"] += 1
        else:
            total.false += other != line
            total.right += other == line
            counts["right" if other == line else "false"] += 1
            if other != line:
                total.misses.append(f"false [{sample.kind}] {line}  ->  {other}")


def _is_left(secret: str, before: str, after: str) -> bool:
    """Whether eight characters of the secret in a row are still there, which do not stand elsewhere in the text."""
    rest, after = before.replace(secret, "\0"), _MARK.sub("\0", after)
    size = min(_LEFT, len(secret))
    parts = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return any(part in after and part not in rest for part in parts)


def _is_whole(line: str, secrets: Sequence[str], after: str) -> bool:
    """Whether all of the line but the secrets, and what belongs to them such as a token's beginning, is still there."""
    pattern = re.escape(line)
    for secret in secrets:
        pattern = pattern.replace(re.escape(secret), r".{0,60}", 1)
    return re.fullmatch(pattern, after, re.DOTALL) is not None


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0
