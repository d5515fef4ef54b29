"""A text without secrets."""

from __future__ import annotations

from memu_code.redact.armour import without_private_keys
from memu_code.redact.chance import of_chance
from memu_code.redact.marks import as_code, mark, marked
from memu_code.redact.names import MIN_LENGTH, without_named
from memu_code.redact.personal import without_personal
from memu_code.redact.placeholders import is_filled_in
from memu_code.redact.places import without_placed
from memu_code.redact.runs import long_words
from memu_code.redact.services import BY_LENGTH, KEYS, without_aws_secrets

MAX_PASSES = 4  # what a first pass laid bare, a second one finds; more has not been seen

_REPLACEMENTS = {shape.kind: marked(shape.kind, is_filled_in) for shape in (*KEYS, *(shape for _, shape in BY_LENGTH))}
_AWS_ID = mark("aws_access_key")


def redact_text(text: str) -> str:
    """The text without secrets, as the store can take it: `[redacted:kind]` in their place, and no NUL or surrogate.

    Redacting twice is redacting once. A literal keeps its quotes, code that parsed still parses, and the number of
    lines stays as it was.
    """
    return without_secrets(text.encode("utf-8", "replace").decode("utf-8").replace("\x00", ""))


def without_secrets(text: str) -> str:
    """The text without secrets, and otherwise as it is: for what leaves the memory."""
    if len(text) < MIN_LENGTH:
        return text
    before = text
    for _ in range(MAX_PASSES):
        once = _pass(text)
        if once == text:
            break
        text = once
    return text if text == before else as_code(before, text)


def _pass(text: str) -> str:
    text = without_private_keys(text)
    words = long_words(text)
    after = _without_keys(text, words) if words else text
    after = without_personal(without_named(without_placed(after)))
    return _without_chance(after, words if after == text else long_words(after))


def _without_keys(text: str, words: list[tuple[int, int]]) -> str:
    together = "\n".join([text[start:end] for start, end in words])
    for shape in KEYS:
        if shape.hint in together:
            text = shape.pattern.sub(_REPLACEMENTS[shape.kind], text)
    longest = max(end - start for start, end in words)
    for length, shape in BY_LENGTH:
        if longest >= length and shape.hint in together:
            text = shape.pattern.sub(_REPLACEMENTS[shape.kind], text)
    return without_aws_secrets(text, _AWS_ID) if _AWS_ID in text else text


def _without_chance(text: str, words: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in of_chance(text, words):
        parts += [text[position:start], mark("high_entropy")]
        position = end
    return "".join([*parts, text[position:]]) if parts else text
