"""Each kind of secret that the benchmark draws is found, code stays code, and harmless lines stay as they are."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.redacting import harmless_held_out, harmless_tuned
from benchmarks.redacting.alphabets import ALNUM, Draw
from benchmarks.redacting.sample import Secret
from benchmarks.redacting.secrets_held_out import HELD_OUT
from benchmarks.redacting.secrets_tuned import TUNED
from memu_code.redact import personal, redact_text

KINDS = {secret.kind: secret for secret in (*TUNED, *HELD_OUT) if not secret.kind.startswith("high entropy")}
LINES = {
    f"{kind} {number}": make for number, (kind, make) in enumerate((*harmless_tuned.TUNED, *harmless_held_out.HELD_OUT))
}
MAY_BE_WRONG = frozenset({"test vector", "image"})  # base64 by itself, of which some is taken for a key


@pytest.mark.parametrize("secret", KINDS.values(), ids=KINDS)
def test_each_kind_is_taken_out_of_code_settings_and_json(secret: Secret) -> None:
    """Four draws of each, behind its own name."""
    for seed in range(4):
        draw = Draw(seed)
        value, name = secret.make(draw), draw.choice(secret.names).replace("-", "_")
        for text in (f"{name} = '{value}'", json.dumps({name: value}), f"{name}: '{value}'", f"f({name}=b'{value}')"):
            after = redact_text(text)
            assert value not in after, text
            assert value[len(value) // 2 :] not in after, text
            assert redact_text(after) == after


@pytest.mark.parametrize("kind", LINES)
def test_harmless_lines_stay(kind: str) -> None:
    """Every byte of them, but for base64 that might as well be a key."""
    changed = [line for seed in range(3) if redact_text(line := LINES[kind](Draw(seed))) != line]
    assert not changed or kind.rpartition(" ")[0] in MAY_BE_WRONG


def _drawn(make: st.SearchStrategy[int], secrets: list[Secret]) -> st.SearchStrategy[str]:
    return st.builds(lambda seed, secret: secret.make(Draw(seed)), make, st.sampled_from(secrets))


bare = _drawn(st.integers(0, 10**9), [secret for secret in KINDS.values() if secret.bare])
literals = st.builds(
    str.format,
    st.sampled_from(
        ["'{}'", '"{}"', "b'{}'", "r'{}'", "f'{{x}} {}'", '"""\n{}\n"""', "'a' '{}'", "rb'{}'", "('{}'\n)"]
    ),
    bare,
)
statements = st.builds(
    str.format,
    st.sampled_from(
        [
            "x = {0}",
            "call({0}, key={1})",
            "d = {{'k': {0}, 'n': [1, {1}]}}",
            "def f(a={0}):\n    '''Doc.'''\n    return a + {1}",
            "if x == {0}:\n    print({1})  # seen",
            "password = {0}",
            "async def g():\n    return [{0} for _ in {1}]",
            "match x:\n    case {{'a': 1}}:\n        y = {0}",
        ]
    ),
    literals,
    literals,
)


@given(st.lists(statements, min_size=1, max_size=4).map("\n".join))
def test_code_with_secrets_parses_after_as_before(code: str) -> None:
    """The same nodes, the same types of literals, the same number of lines; and once is enough."""
    before = ast.parse(code)
    after = redact_text(code)
    assert "[redacted:" in after
    tree = ast.parse(after)
    told = [(type(node), type(getattr(node, "value", None))) for node in ast.walk(before)]
    assert [(type(node), type(getattr(node, "value", None))) for node in ast.walk(tree)] == told
    assert after.count("\n") == code.count("\n")
    assert redact_text(after) == after


values = st.recursive(
    st.text(max_size=20) | bare | st.sampled_from(["hunter22", "it's", 'a"b', "a\\", "x\ny"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["password", "token", "a", "api_key"]) | st.text(max_size=5), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(values, st.booleans())
def test_json_stays_json(value: object, ascii_only: bool) -> None:
    """Also JSON within JSON: rows of the store hold it as text."""
    once = json.dumps(value, ensure_ascii=ascii_only)
    for text in (once, json.dumps({"body": once})):
        json.loads(redact_text(text))


_GUISES = (
    "my-Kj3$kfj38fjK2q", "the-9x!Kd83hdkwq", "test-9f8Kd02!kdPq", "test_9f8Kd02kdPq", "SuperSecret123", "MONKEY99_TREE",
    "TURKEY2024", "my-k3!dks8", "some_Tiger9", "dummy.K3d9", "example_kd8K", "HOCKEY_77", "mySecret99", "your-Tiger88",
    "change-7Hk2!dkq", "PASSPORT_2019", "@Hunter22@", "invalid-K3d9",
)  # fmt: skip
_PLACEHOLDERS = (
    "my-password", "the-password", "your-key-here", "<token>", "test-token", "test_password", "my_secret_password",
    "some-password-here", "YOUR_API_KEY", "OPENAI_API_KEY", "DB_PASSWORD", "dummy-key", "fake-token", "example-secret",
    "your password here", "change-me", "S3_SECRET_KEY_2", "${DB_PASSWORD}", "$DB_PASSWORD", "%PASSWORD%",
)  # fmt: skip
_STANDS = (
    'password = "{}"', "DB_PASSWORD={}", 'export DB_PASSWORD="{}"', "  password: {}", '{{"password": "{}"}}',
    'f(password="{}", x=1)', 'os.environ["DB_PASSWORD"] = "{}"', "https://ann:{}@host/x", "INFO password={} retries=3",
)  # fmt: skip


@pytest.mark.parametrize("password", _GUISES)
@pytest.mark.parametrize("stands", _STANDS)
def test_a_password_that_begins_like_a_placeholder_is_taken_out(password: str, stands: str) -> None:
    """`my-`, `test_`, a telling word or KEY in capitals make no placeholder of what is no word besides."""
    if "." in password and stands.startswith("INFO"):
        password = password.replace(".", "-")  # `a.b9` there may be an attribute
    after = redact_text(stands.format(password))
    assert "[redacted:" in after
    assert password[4:] not in after


@pytest.mark.parametrize("value", _PLACEHOLDERS)
@pytest.mark.parametrize("stands", _STANDS)
def test_a_placeholder_stays(value: str, stands: str) -> None:
    """What is to be filled in, in the words in which documentation says so."""
    if " " not in value or "'" in stands or '"' in stands:
        line = stands.format(value)
        assert redact_text(line) == line


def test_a_passphrase_is_no_message() -> None:
    """A message about passwords speaks of rules; a passphrase may have small words in it too."""
    for said in ("to be or not to be 9", "the password of my cat is 9"):
        assert said not in redact_text(f'password = "{said}"')
    for line in ('password = "You must enter at least 8 characters."', 'password = "Your login is not valid here"'):
        assert redact_text(line) == line


def test_a_name_in_code_that_looks_like_a_key_stays_a_name() -> None:
    """Code parses afterwards, whatever its names are."""
    name = f"sk_live_{'a8Kd0Zq2Lm4Np6Rs8Tv1Wx3Y'}"
    after = redact_text(f"import os\n{name} = os.getcwd()\nprint({name})\n")
    assert ast.unparse(ast.parse(after)).count("redacted_stripe_key") == 2


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("mail ann.example@plant.io now", "mail [redacted:email] now"),
        ("x = 'ann@plant.co.uk'", "x = '[redacted:email]'"),
        ("ann@example.com, git@git.host.io:x/y, a @ b, @decorated.call", None),
        ("paid with 4111 1111 1111 1111 today", "paid with [redacted:card] today"),
        ("card = 4111111111111111", "card = 0"),
        ("card = '5500-0000-0000-0004'", "card = '[redacted:card]'"),
        ("number 4111111111111112, 1234567890123456 and 20261130120000", None),
    ],
)
def test_mail_addresses_and_cards_go_where_somebody_asks_for_it(
    text: str, after: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before; a number stays a number, and what has no right check digit is no card."""
    monkeypatch.setattr(personal, "_wanted", set())
    assert redact_text(text) == text
    personal.also_redact({"emails", "cards"})
    assert redact_text(text) == (text if after is None else after)
    assert redact_text(redact_text(text)) == redact_text(text)


@given(st.text(st.sampled_from(ALNUM), min_size=24, max_size=60), st.sampled_from(["sha256:{}", "{}", "x {} y"]))
def test_hex_is_never_taken_for_a_key_by_chance_alone(word: str, form: str) -> None:
    """Hashes and ids are of hex digits, and so is nothing that chance gives away."""
    digits = word.encode().hex()[: len(word)]
    text = form.format(digits)
    assert redact_text(text) == text
