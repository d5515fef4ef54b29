"""The same mistakes with other data, as agents meet them: really run again, and shown by each executor.

Each source counts in `dropped` which variants it leaves out, and why.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.extracting.error_forms import FORMS, Raised, older
from benchmarks.extracting.mistakes import MISTAKES
from benchmarks.extracting.variants import other, run_local, run_plain
from memu_code.extractors.errors.signature import signature

NEW = "3.13.0"

# What the local interpreter says in its own class where plain Python raises this one.
LOCAL_WORDS = {
    "NameError": ("is not defined",),
    "AttributeError": ("has no attribute",),
    "ImportError": ("has no attribute",),
    "TypeError": ("Cannot unpack non-tuple", "This is not a correct function"),
    "ValueError": ("Cannot unpack tuple",),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One error as an agent meets it; `variant` tells the runs with other data apart."""

    text: str
    code: str
    form: str
    variant: int
    reported: str = ""
    root: str = ""

    def key(self, with_code: bool = True) -> str:
        code = self.code if with_code else ""
        return signature(self.text, type=self.reported, root=self.root, code=code).key


def _forms(raised: Raised, variant: int, chance: random.Random) -> Iterator[Shown]:
    for name, form in FORMS.items():
        yield Shown(form(raised, chance), raised.code, name, variant)


def _local(code: str, variant: int, chance: random.Random, every_import: bool = True) -> Iterator[Shown]:
    found = run_local(code, chance, every_import)
    if found is None:
        return
    text, root = found
    yield Shown(text, code, "local", variant, "AgentExecutionError", root)
    if older(text) != text:
        yield Shown(older(text), code, "older local", variant, "AgentExecutionError", root)


def of_mistakes(chance: random.Random, step: int, dropped: Counter[str]) -> dict[str, list[Shown]]:
    groups: dict[str, list[Shown]] = {}
    mistakes = MISTAKES[::step]
    raised = iter(run_plain([code for mistake in mistakes for code in mistake.codes]))
    for mistake in mistakes:
        group = groups.setdefault(mistake.name, [])
        for variant, code in enumerate(mistake.codes):
            found = next(raised)
            if found is None:
                dropped["no error in this Python"] += 1
                continue
            group.extend(_forms(found, variant, chance))
            local = list(_local(code, variant, chance)) if mistake.local else []
            dropped["not made in the local interpreter"] += not local
            group.extend(local)
    return groups


def of_pyerrors(
    found: Sequence[dict[str, Any]], chance: random.Random, dropped: Counter[str]
) -> dict[str, list[Shown]]:
    """Per row: its text as Python 3.13 says it, and two runs with other data in this Python and the interpreter."""
    groups: dict[str, list[Shown]] = {}
    codes = [other(row["failing"], chance) for row in found for _ in range(2)]
    for number, (row, again) in enumerate(zip(found, _by_two(run_plain(codes)), strict=True)):
        told = row["errors_by_python"].get(NEW)
        if told is None:
            dropped["rows without an error in the newest Python"] += 1
            continue
        group = groups.setdefault(f"{row['topic']} {number}", [])
        group.extend(_forms(Raised(told["type"], told["msg"], row["failing"]), 0, chance))
        for variant, raised in enumerate(again, 1):
            if raised is None or raised.error_class != told["type"]:
                dropped["no error in this Python" if raised is None else "another class in this Python"] += 1
                continue
            group.extend(_forms(raised, variant, chance))
            local = list(_local(raised.code, variant, chance))
            meant = [shown for shown in local if _means(shown, told["type"])]
            dropped["another error or none in the local interpreter"] += not meant
            group.extend(meant)
    return groups


def _means(shown: Shown, error_class: str) -> bool:
    """Whether the local interpreter met the same mistake as Python, and not one of its own limits."""
    if shown.root != "InterpreterError":
        return shown.root == error_class
    return any(words in shown.text for words in LOCAL_WORDS.get(error_class, ()))


def _by_two(raised: Sequence[Raised | None]) -> Iterator[tuple[Raised | None, Raised | None]]:
    return zip(raised[::2], raised[1::2], strict=True)


def of_recorded(
    found: Sequence[dict[str, Any]], chance: random.Random, dropped: Counter[str]
) -> dict[str, list[Shown]]:
    """Per name: what was recorded, and the same with other data: run again where that can be, reworded elsewhere."""
    groups: dict[str, list[Shown]] = defaultdict(list)
    for row in found:
        if not row["error_message"]:
            dropped["rows without an error"] += 1
            continue
        group = groups[row["name"]]
        reported, root = row["error_type"], row["root_exception"] or ""
        group.append(Shown(row["error_message"], row["code"], "recorded", 0, reported, root))
        local = row["executor"] == "LocalPythonExecutor"
        for variant in (1, 2):
            code = other(row["code"], chance)
            again = [] if not local or row["raw_model_output"] else list(_local(code, variant, chance, False))
            if again and again[0].root == root:
                group.extend(again)
            else:
                dropped["not run again, or with another class: reworded in its stead"] += 1
                text = _reworded(row["error_message"], chance)
                group.append(Shown(text, row["code"], "reworded", variant, reported, root))
    return dict(groups)


def _reworded(text: str, chance: random.Random) -> str:
    """The text with what a second process, another cell or another answer of the LLM would change."""
    text = re.sub(r"In\[\d+\]", f"In[{chance.randint(1, 99)}]", text)
    text = re.sub(r"\bline \d+", f"line {chance.randint(1, 99)}", text)
    text = re.sub(r"time of \d+", f"time of {chance.randint(2, 99)}", text)
    text = re.sub(r"0x[0-9a-f]+", hex(chance.getrandbits(44)), text)
    text = re.sub(r"code snippet:\n.*", f"code snippet:\nanother answer {chance.random()}", text)
    return text if chance.random() < 0.5 else re.sub(r"\x1b\[[0-9;]*m", "", text)
