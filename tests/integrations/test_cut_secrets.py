"""No half of a secret is left where a text is cut."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.integrations.shapes import cut, text_of
from memu_code.redact import redact_text
from memu_code.runs.answer_items import items_of

_CHARACTERS = string.ascii_letters + string.digits


def _letters(count: int) -> str:
    return "".join(random.Random(count).choices(_CHARACTERS, k=count))


BODY = "\n".join(_letters(64 + line)[line:] for line in range(25))
SECRETS = (
    f"sk-ant-{_letters(90)}",
    f"password = '{_letters(60)}'",
    f'{{"api_key": "{_letters(400)}"}}',
    f"https://user:{_letters(30)}@host/x",
    f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----",
)
LONG = re.compile(r"[A-Za-z0-9]{24,}")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SECRETS), st.integers(-100, 2_000), st.booleans(), st.integers(0, 30_000))
def test_a_cut_leaves_no_half_of_a_secret(secret: str, inside: int, at_the_end: bool, more: int) -> None:
    """Wherever it stands, at the first cut or at the second, in texts of any length."""
    near, far = ("a line of words\n" * 200)[: max(0, (1_000 if at_the_end else 3_000) - inside)], "more words\n" * 400
    rest = "more words\n" * (more // 11)
    text = f"{far}{rest}{secret}\n{near}" if at_the_end else f"{near}\n{secret}\n{far}{rest}"
    kept = redact_text(cut(text, 4_000))
    assert "characters cut" in kept
    for value in LONG.findall(secret):
        assert not any(value[at : at + 8] in kept for at in range(len(value) - 8))


@pytest.mark.parametrize("wrap", [lambda text: [text], lambda text: {"a": text}, lambda text: (text.encode(),)])
@pytest.mark.parametrize("length", [0, 90, 150, 180, 200, 230, 480, 500, 700, 725, 730, 735, 740, 900])
@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_value_in_few_words_has_no_half_of_a_secret(
    length: int, at_the_end: bool, wrap: Callable[[str], object]
) -> None:
    """Whichever container it is in, as text or as bytes."""
    key = _letters(90)
    near, far = "word " * (length // 5), "word " * 2_000
    text = f"{far} sk-ant-{key} {near}" if at_the_end else f"{near} sk-ant-{key} {far}"
    kept = redact_text(text_of(wrap(text), 4_000))
    assert not any(key[at : at + 8] in kept for at in range(len(key) - 8))


@pytest.mark.parametrize("length", range(0, 400, 7))
def test_an_item_of_an_answer_has_no_half_of_a_secret(length: int) -> None:
    """Its words are cut between words."""
    key = _letters(90)
    (item,) = items_of({"pump": "w " * (length // 2) + f"sk-ant-{key}" + " w" * 300})
    kept = redact_text(item.verdict)
    assert not any(key[at : at + 8] in kept for at in range(len(key) - 8))
