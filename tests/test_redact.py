"""No secret gets through, nothing that only looks like one is harmed, and code stays code."""

from __future__ import annotations

import ast
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.redact import redact_text

BODY = "a8Kd0Zq2Lm4Np6Rs8Tv1Wx3Yz5Bc7Df9Gh1Jk3"  # 38 letters and digits, of nobody
HEX = "3f2a9c1b7d5e4f60a1b2c3d4e5f60718"


def secrets() -> dict[str, str]:
    """One of each kind, put together here so that no scanner takes this file for a leak."""
    return {
        "anthropic": "sk-" + f"ant-api03-{BODY}-{BODY}AA",
        "openai": "sk-" + BODY,
        "openai project": "sk-" + f"proj-{BODY}_{BODY}-x",
        "openai, hexadecimal": "sk-" + HEX,
        "live key": "sk-" + "live-123",
        "github": "ghp" + f"_{BODY[:36]}",
        "github app": "ghs" + f"_{BODY[:36]}",
        "github fine-grained": "github" + f"_pat_11ABCDEFG0{BODY}_{BODY}",
        "gitlab": "glpat" + f"-{BODY[:20]}",
        "aws id": "AKIA" + "Z7Q2M4X6B8N1C3V5",
        "google": "AIza" + BODY[:35],
        "slack": "xoxb" + f"-123456789012-{BODY}",
        "stripe": "sk" + f"_live_{BODY[:24]}",
        "stripe test": "rk" + f"_test_{BODY[:24]}",
        "hugging face": "hf" + f"_{BODY[:34]}",
        "npm": "npm" + f"_{BODY[:36]}",
        "pypi": "pypi-" + f"AgEIcHlwaS5vcmc{BODY}{BODY}",
        "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + f"zdWIiOiIxMjM0NTY3ODkwIn0.{BODY}",
        "sendgrid": "SG" + f".{BODY[:22]}.{BODY}",
    }


PLACES = {
    "alone": "{}",
    "a literal": "value = '{}'",
    "a call": 'client = Client("{}", retries=3)',
    "a raw literal": "value = r'{}'",
    "an f-string": "value = f'{{prefix}} {}'",
    "a doc string": 'def f():\n    """Uses {} for now."""\n    return 1',
    "a comment": "x = 1  # {}\ny = 2",
    "a dict": "d = {{'id': '{}', 'n': 3}}",
    "a list over lines": "keys = [\n    '{}',\n    'other',\n]",
    "a line break in a literal": "text = 'first\\n{}\\nlast'",
    "an error": "InterpreterError: Could not index {{'a': '{}'}} with 'b'",
    "a url": "url = 'https://host/path?id=1&k={}&x=2'",
}


def parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", secrets())
def test_a_key_is_taken_out_wherever_it_stands(name: str, place: str) -> None:
    """Each provider's key, in code, in errors and in plain text; what was code before is code after."""
    text = PLACES[place].format(secrets()[name])
    cleaned = redact_text(text)
    assert secrets()[name] not in cleaned
    assert secrets()[name][8:20] not in cleaned
    assert "[redacted:" in cleaned
    assert parses(cleaned) == parses(text) or place == "alone"
    assert cleaned.count("\n") == text.count("\n")


PASSWORDS = [
    "hunter22",
    "S3CRET-value",
    "correct horse battery staple",
    "p@ss:w/rd?#1",
    "it's mine",
    "+plus+start",
    "日本語のパスワード",
]
NAMED = [
    "password = {}",
    "password={}",
    "password: str = {}",
    "self.db_password = {}",
    "PASSWORD2 = {}",
    "connect('host', user='ann', passwd={}, port=3)",
    "settings = {{'password': {}, 'user': 'ann'}}",
    "settings = {{'db': {{'Password' : {}}}}}",
    "os.environ['DB_PASSWORD'] = {}",
    "client_secret = (\n    {}\n)",
    "x = 1; pwd = {}; y = 'b'",
    "login(secret={})",
]


@pytest.mark.parametrize("template", NAMED)
@pytest.mark.parametrize("password", PASSWORDS)
def test_a_value_behind_a_telling_name_is_taken_out(template: str, password: str) -> None:
    """Assignments, keyword arguments, dict entries and settings, in either quotes; the rest of the code stands."""
    for literal in (repr(password), '"' + password + '"', '"""' + password + '"""', "r" + repr(password)):
        code = template.format(literal)
        cleaned = redact_text(code)
        assert password not in cleaned
        assert parses(cleaned), cleaned
        before = [type(node) for node in ast.walk(ast.parse(code))]
        assert [type(node) for node in ast.walk(ast.parse(cleaned))] == before


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"user": "ann", "api_key": "abc123xyz"}', "abc123xyz"),
        ('{\\"access_key\\": \\"abc123xyz\\"}', "abc123xyz"),
        ('aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY"', "K7MDENG"),
        ("secret_key = 'abc123xyz'", "abc123xyz"),
        ("token: 'abc123xyz'", "abc123xyz"),
        ("curl -H 'Authorization: Bearer abc.def-123' https://host", "abc.def-123"),
        ('headers = {"Authorization": "Basic dXNlcjpwdzEyMw=="}', "dXNlcjpwdzEyMw"),
        ('headers = {"authorization": "token abcdef123"}', "abcdef123"),
        ("sent 'Bearer 0a1b2c3d4e5f60718293' and got 401", "0a1b2c3d"),
        ("postgresql://ann:hunter22@db.host:5432/plant", "hunter22"),
        ("redis://:hunter22@cache/0", "hunter22"),
        ("https://ann:p@ss@host/x", "p@ss"),
        ("GET /rows?since=3&api_key=abc123xyz&n=1", "abc123xyz"),
        ("export OPENAI_API_KEY=abc123xyz\n", "abc123xyz"),
        ('password = "a\\"bcdefg"', "bcdefg"),
        ("don't; password='hunter22'", "hunter22"),
        ("AccountKey=" + BODY + BODY + "==;Endpoint=x", BODY),
        ("https://hooks.slack.com/services/T0AB/B0CD/" + BODY[:24], BODY[:24]),
    ],
)
def test_secrets_of_other_forms_are_taken_out(text: str, secret: str) -> None:
    """Headers, addresses, JSON inside a string, shells."""
    cleaned = redact_text(text)
    assert secret not in cleaned
    assert "[redacted:" in cleaned


HARMLESS = [
    "token = tokenizer.encode(x)",
    "password = input()",
    "password = getpass.getpass('Your password, please: ')",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key = os.environ.get('OPENAI_API_KEY', '')",
    "api_key = 'OPENAI_API_KEY'",
    "api_key = '<your key here>'",
    "api_key = 'your-api-key'",
    "password = '****'",
    "password = 'changeme'",
    "password = f'{prefix}{number}'",
    "password = '{password}'",
    "password = '$DB_PASSWORD'",
    "token = 'identifier'",
    "pad_token = '<|endoftext|>'",
    "sep_token = '[SEP]'",
    "token_type = 'bearer-of-things'",
    "tokenizer = 'bert-base-uncased'",
    "secretary = 'Ann Example'",
    "credentials = 'service-account.json'",
    "private_key = '/etc/keys/id_rsa'",
    "print('password=', user, 'given')",
    "print('password: ' + user + ' was given')",
    "url = 'x?token=' + token + '&n=1'",
    'text = "password: \'" + password + "\' is wrong"',
    "headers = {'Authorization': f'Bearer {token}'}",
    "headers = {'Authorization': 'Bearer ' + token}",
    "if not password: raise ValueError('password is missing')",
    "def login(user: str, password: str, token: str | None = None) -> bool: ...",
    "url = f'postgresql://{user}:{password}@{host}/db'",
    "url = 'http://localhost:8080/path@2'",
    "url = 'https://user:%s@host' % password",
    "commit 1f3870be274f6c49b3e31a0c6728957fdc9a2b11",
    "id = '550e8400-e29b-41d4-a716-446655440000'",
    "img = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'",
    "<div class='sk-estimator-doc-link sk-toggleable__content'>",
    "task-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "if '-----BEGIN PRIVATE KEY-----' in text and '-----END PRIVATE KEY-----' in text: keep(text)",
    "hf_hub_download(repo_id='x/y'); npm_install_all(); sk_test_data = 1",
    "the bearer of this letter may enter",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Names without values, lookups, placeholders, hashes, images: every byte of them."""
    assert redact_text(text) == text


KEY_LINES = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "aB3=",
]


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize(
    ("before", "between", "after"),
    [
        ("", "\n", "\n"),
        ('key = """', "\n", '"""'),
        ("key = '", "\\n", "'"),
        ("key = (\n    '", "\\n'\n    '", "')"),
        ("load(\n  key='", "'\n   '", "')"),
    ],
)
def test_a_private_key_is_taken_out_line_by_line(label: str, end: bool, before: str, between: str, after: str) -> None:
    """In a file, in one literal, in a literal a line, even cut off before its end; no line is lost."""
    lines = [f"-----BEGIN {label}-----", *KEY_LINES, *([f"-----END {label}-----"] if end else [])]
    text = before + between.join(lines) + after
    cleaned = redact_text(text)
    for line in KEY_LINES[:2]:
        assert line[:12] not in cleaned
    assert cleaned.count("\n") == text.count("\n")
    assert parses(cleaned) == parses(text)


def test_what_the_store_cannot_take_is_replaced() -> None:
    """Lone surrogates and NUL never reach it; all else of Unicode does."""
    assert redact_text("a\ud800b\x00c é 東 🙂 \u202e\r\n\t") == "a?bc é 東 🙂 \u202e\r\n\t"


pieces = st.sampled_from([*secrets().values(), *HARMLESS, *(t.replace("{}", "'hunter22'") for t in NAMED), *KEY_LINES])
glue = st.text(st.sampled_from(string.punctuation + " \n\\abAB01_"), max_size=6) | st.sampled_from(
    [
        "password=",
        "'token': '",
        '"',
        "'",
        "-----BEGIN PRIVATE KEY-----",
        "://u:",
        "@",
        "Authorization: Bearer ",
        "sk-",
        "eyJ",
    ]
)
messes = st.lists(pieces | glue | st.text(st.characters(codec=None), max_size=8), max_size=8).map("".join)


@given(messes)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """Whatever is glued to whatever."""
    once = redact_text(text)
    assert redact_text(once) == once
    assert once.count("\n") == text.count("\n")
    assert "\x00" not in once
    once.encode("utf-8")


@given(messes, st.sampled_from(sorted(secrets().values())), messes)
def test_a_key_among_words_is_always_found(before: str, secret: str, after: str) -> None:
    """Spaces around a key are enough, whatever else is in the text."""
    assert f" {secret} " not in redact_text(f"{before} {secret} {after}")


literals = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30).map(repr) | st.sampled_from(
    [repr(secret) for secret in secrets().values()] + ["'hunter22'", '"a, b"', "'+x+'", "f'{x}'", '""', "'\\''"]
)
statements = st.builds(
    str.format,
    st.sampled_from(
        [
            "password = {0}",
            "x = {0} + token + {1}",
            "f({0}, secret={1})",
            "d = {{'api_key': {0}, {1}: 'token='}}",
            "print('password=', {0}, x, 'b')",
            "print('token: \"', x, {1})",
            "y = 'secret:' + str(x) + {0}",
            "z = [{0}, {1}]",
        ]
    ),
    literals,
    literals,
)


@given(st.lists(statements, max_size=4).map("\n".join))
def test_code_stays_code(code: str) -> None:
    """Generated statements with telling names and any literals parse after it as they did before."""
    assert parses(code)
    assert parses(redact_text(code)), redact_text(code)


ADVERSARIES = {
    "prefixes": "sk-",
    "jwt": "eyJaaaaaaaaaaa.",
    "names": "password=",
    "openings": 'password="',
    "crossed": "password='password=\"",
    "escapes": 'password=\\"\\\\',
    "addresses": "://a:b",
    "keys": "-----BEGIN PRIVATE KEY-----",
    "headers": "Authorization: Bearer ",
    "annotations": "token: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    "spaces": "secret        :        ",
    "queries": "?token=a",
    "grown": "İpassword = 'x' ",
    "chance": "aB3dE5gH7jK9mN1pQ2rS4t\n",
    "connections": "host=a password=b ;",
    "lone names": "_pass=",
}


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("name", ADVERSARIES)
def test_time_grows_with_the_text_and_no_faster(name: str) -> None:
    """400 kB that were made to be slow take about four times a quarter of it."""

    def seconds(size: int) -> float:
        text = 'password="' + ADVERSARIES[name] * (size // len(ADVERSARIES[name]))
        start = time.process_time()
        redact_text(text)
        return time.process_time() - start

    quarter, whole = min(seconds(100_000) for _ in range(2)), seconds(400_000)
    most = min(1.6, 12 * quarter + 0.1)
    if whole >= most:  # other processes may have been in its way
        whole = seconds(400_000)
    assert whole < most


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=s3cr3tvalue99", "s3cr3tvalue99"),
        ("PATH=/bin\nAPI_KEY=ab12cd34ef\nHOME=/root", "ab12cd34ef"),
        ("database:\n  password: hunter2hunter\n", "hunter2hunter"),
        ("x" * 50 + "\nMIIEpAIBAAKCAQEA1c7\nabcDEF123+/\n-----END RSA PRIVATE KEY-----\nrest", "MIIEpAIBAAKCAQEA1c7"),
    ],
)
def test_unquoted_settings_and_headless_keys_are_found(text: str, secret: str) -> None:
    """A line of an environment or a settings file, and a key whose first line was cut off."""
    redacted = redact_text(text)
    assert secret not in redacted
    assert redacted.count("\n") == text.count("\n")
    assert redact_text(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    ["MAX_TOKENS=4096", "TOKEN=tokenizer", "    token: Token", "password: str", "KEY_COUNT=12", "secret: None"],
)
def test_settings_that_hold_no_secret_stay(text: str) -> None:
    """Numbers, names and annotations behind a telling word are left alone."""
    assert redact_text(text) == text
