"""What an LLM may see of a hit: stored text as data, with nothing in it that speaks to its reader.

Code of a space that is not trusted comes without comments, docstrings, prose and names that speak, printed anew from
its tree; its words come short. Of a trusted space all comes as it is stored, unless something in it speaks to the
model: then that is treated as a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from memu_code.model import EdgeCase, ErrorFix, Hit, Kind, Node, Problem, Solution
from memu_code.recall.addressed import Speech, addresses, addresses_in_code
from memu_code.recall.bare import bare, bare_change, name_speaks, parses
from memu_code.recall.lines import one_line
from memu_code.recall.prose import is_prose

STRANGERS_CHARACTERS = 120  # of what a stranger says of a thing
STRANGERS_TASK = "a task like this one"
_LINK = re.compile(r"(?:https?|ftp|data|file|javascript):\S+|\bwww\.\S+", re.IGNORECASE)


def inert(hit: Hit, *, trusted: bool) -> Hit:
    """The hit as an LLM may see it; its code is empty where nothing of it can be shown."""
    told = hit if trusted else _from_stranger(hit)
    return replace(
        told,
        code=shown_code(hit.code, trusted=trusted, change=hit.kind is Kind.ERROR_FIX),
        problem=one_line(told.problem),
        description=one_line(told.description),
        signature=one_line(told.signature),
        name="" if addresses(told.name) else told.name,
        edge_cases=tuple(map(one_line, told.edge_cases)),
        fixes=tuple(map(one_line, told.fixes)),
        failed_alternatives=tuple(map(one_line, told.failed_alternatives)),
        avoids=tuple(map(one_line, told.avoids)),
        provenance=one_line(told.provenance),
        reason=one_line(told.reason),
        differs=one_line(told.differs),
    )


def marked(hits: Iterable[Hit], quarantined: Container[str]) -> Iterator[Hit]:
    """The hits with what there is to say against them: that they are in quarantine, and how they speak to a model."""
    for hit in hits:
        yield replace(hit, quarantine=hit.id in quarantined, speaks=tuple(map(str, speech_of(hit))))


def in_short(text: str) -> str:
    """What a stranger says of something: a short line without links."""
    return one_line(_LINK.sub("(link)", text), STRANGERS_CHARACTERS)


def speech_of(hit: Hit) -> tuple[Speech, ...]:
    """How anything of a hit speaks to the model, before any of it is left out."""
    tied = (*hit.edge_cases, *hit.fixes, *hit.failed_alternatives, *hit.avoids)
    return _speech([hit.code], (hit.problem, hit.description, hit.signature, hit.reason, *tied))


def speech_in(node: Node) -> tuple[Speech, ...]:
    """How anything of a node speaks to the model."""
    match node:
        case Solution():
            return _speech([node.code], (node.name, node.signature, node.description))
        case ErrorFix():
            return _speech([node.failing, node.fixed, "\n".join(node.delta)], (node.message, node.thought))
        case Problem():
            return _speech((), [node.text])
        case EdgeCase():
            return _speech((), (node.category, node.condition, node.handling))


def _speech(codes: Iterable[str], texts: Iterable[str]) -> tuple[Speech, ...]:
    found = {kind for code in codes for kind in addresses_in_code(code)}
    found.update(kind for text in texts for kind in addresses(text))
    return tuple(kind for kind in Speech if kind in found)


def shown_code(code: str, *, trusted: bool, change: bool = False) -> str:
    """Code as an LLM may see it: as it is stored, or bare; `change` is one in the manner of a diff."""
    if trusted and not addresses_in_code(code) and (change or not addresses(code) or parses(code)):
        return code
    return bare_change(code) if change else bare(code)


def _from_stranger(hit: Hit) -> Hit:
    """The hit with what others said of it cut short, and without what only a reader needs."""
    return replace(
        hit,
        problem=(_error(hit.problem) if hit.kind is Kind.ERROR_FIX else in_short(hit.alike)) or STRANGERS_TASK,
        description="",
        signature="",
        edge_cases=tuple(in_short(case) for case in hit.edge_cases if not is_prose(case)),
        fixes=tuple(filter(None, map(_error, hit.fixes))),
        failed_alternatives=tuple(filter(None, map(_error, hit.failed_alternatives))),
        avoids=tuple(in_short(part) for part in hit.avoids if not is_prose(part)),
    )


def _error(text: str) -> str:
    """An error that a stranger met, in short; where its message is prose, its class alone, or nothing."""
    if not is_prose(text):
        return in_short(text)
    name = text.partition(":")[0]
    return name if all(part.isidentifier() for part in name.split(".")) and not name_speaks(name) else ""
