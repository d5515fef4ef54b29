"""Which job a task belongs to, where nobody has named one: its words, without what changes from night to night."""

from __future__ import annotations

import hashlib
import re

from memu_code.errors import UsageError
from memu_code.model import Run

LONGEST = 160  # characters of a job that is made from a task; a longer task is told apart by a hash behind them
_READ = 20_000  # characters of a task that are read
_NAME_CHARACTERS = 300  # of a job that somebody names

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[a-z]?\d+(?:[a-z]|st|nd|rd|th|am|pm)?|\d{4,8}t\d{2,6}z?")  # 30, W48, Q3, 30th, 20261130T0200Z
_HEX = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,}")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day)?|Tuesday|Wednesday|Thursday|Saturday)"
_CALENDAR = re.compile(f"{_MONTH}|{_WEEKDAY}", re.IGNORECASE)
_DATE = re.compile(
    rf"""(?<![\w.,/-])(?:{_WEEKDAY},?\s+)?(?:
        \d{{4}}-\d{{2}}-\d{{2}}(?:[T\s]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?
        | \d{{4}}-W\d{{2}}(?:-\d)? | \d{{4}}/\d{{1,2}}/\d{{1,2}} | \d{{1,2}}/\d{{1,2}}/\d{{4}}
        | \d{{1,2}}\.\d{{1,2}}\.\d{{4}}
        | \d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})?
        | {_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})? | {_MONTH}\s+\d{{4}}
    )(?![\w/-])""",
    re.VERBOSE,  # a month or a weekday has a capital: what may be, and what we sat on, is none
)


def job_of(task: str) -> str:
    """The job of a task that has no name: "Report for 2026-11-30" and "report for 2026-12-01" are both `report for`.

    The rule: lower case, words only, one space between them. Left out are numbers and dates (also with one letter or an
    ordinal's ending: `W48`, `30th`), names of months and weekdays that stand beside one, UUIDs, hexadecimal ids from
    seven characters on, and words with four digits or more (`INV2931`). Empty where nothing is left.
    """
    text = _UUID.sub(" 0 ", task[:_READ].casefold())
    words = [word for found in _WORD.findall(text) for word in _parts(found)]
    numbers = [_changes(word) for word in words]
    kept = [
        word
        for place, word in enumerate(words)
        if not numbers[place] and not (_CALENDAR.fullmatch(word) and any(numbers[max(0, place - 1) : place + 2]))
    ]
    job = " ".join(kept)
    if len(job) <= LONGEST:
        return job
    return f"{job[:LONGEST].rstrip()} {hashlib.sha256(job.encode('utf-8', 'replace')).hexdigest()[:8]}"


def same_task(one: Run, other: Run) -> bool:
    """Whether two runs were asked the same thing of the same data, so that the answer of one may be that of the other.

    Their tasks are the same word for word, or but for dates (days, weeks of ISO 8601, months with a day or a year), and
    so are their inputs, as far as both were kept. Of a task with images nobody can tell.
    """
    if one.images or other.images or one.inputs != other.inputs or not all(given.value for given in one.inputs):
        return False
    words, others = (_DATE.sub("<date>", run.task.strip()) for run in (one, other))
    return words == others


def check_job(name: str) -> str:
    """The name of a job as it is kept: any text, without white space around it.

    Raises:
        UsageError: it is empty, or longer than 300 characters.
    """
    kept = name.strip()
    if not kept:
        raise UsageError("The job needs a name, such as 'nightly-scan'.")
    if len(kept) > _NAME_CHARACTERS:
        raise UsageError(f"The name of a job has at most {_NAME_CHARACTERS} characters, not {len(kept)}.")
    return kept.encode("utf-8", "replace").decode("utf-8")  # no store takes half a character


def _parts(word: str) -> list[str]:
    """The word; where a script writes without spaces, what stands around its numbers, and each number as `0`."""
    return [word] if word.isascii() else [part for part in _DIGITS.sub(" 0 ", word).split() if part]


def _changes(word: str) -> bool:
    digits = sum(character.isdigit() for character in word)
    return digits >= 4 or bool(digits and (_NUMBER.fullmatch(word) or _HEX.fullmatch(word)))
