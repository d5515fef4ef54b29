"""What only looks like a secret, as far as the rules were tuned on it: whole lines in the forms in which they stand."""

from __future__ import annotations

from functools import partial

from benchmarks.redacting.alphabets import ALNUM, BASE64, DIGITS, HEX, LOWER, UPPER, Draw
from benchmarks.redacting.sample import Maker

_LOREM = (
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna"
)
_words = partial(Draw.words, of=_LOREM.split())

TUNED: tuple[tuple[str, Maker], ...] = (
    ("git id", lambda d: f"commit {d.hex(40)}"),
    ("git id", lambda d: f"* {d.hex(7)} {_words(d, 5)}"),
    ("git id", lambda d: f'REVISION = "{d.hex(40)}"'),
    ("git id", lambda d: f"index {d.hex(7)}..{d.hex(7)} 100644"),
    ("md5", lambda d: f"{d.hex(32)}  data-{d.randint(1, 99)}.csv"),
    ("sha256", lambda d: f'    "sha256": "{d.hex(64)}",'),
    ("sha256", lambda d: f"model.safetensors sha256:{d.hex(64)}"),
    ("sha256", lambda d: f"EXPECTED_HASH = '{d.hex(64)}'"),
    ("uuid", lambda d: f'run_id = "{d.uuid()}"'),
    ("uuid", lambda d: f"INFO request {d.uuid()} took {d.randint(1, 999)} ms"),
    ("uuid", lambda d: f'{{"id": "{d.uuid()}", "name": "{_words(d, 2)}"}}'),
    ("image", lambda d: f'img = "data:image/png;base64,iVBORw0KGgo{d.text(BASE64, 120)}"'),
    ("image", lambda d: f'<img src="data:image/jpeg;base64,/9j/{d.text(BASE64, 100)}">'),
    ("image", lambda d: f"ICON_BASE64 = '{d.text(BASE64, 64)}'"),
    ("test vector", lambda d: f'expected = b64decode("{d.base64(24)}")'),
    ("test vector", lambda d: f"VECTORS = [('abc', '{d.hex(40)}'), ('', '{d.hex(40)}')]"),
    ("test vector", lambda d: f'assert encode(b"plant") == "{d.base64(30)}"'),
    ("lock file", lambda d: f'      "integrity": "sha512-{d.base64(64)}",'),
    ("lock file", lambda d: f"    --hash=sha256:{d.hex(64)} \\"),
    ("lock file", lambda d: f"go.mod h1:{d.base64(32)}"),
    ("public key", lambda d: f"ssh-rsa AAAAB3NzaC1yc2E{d.text(BASE64, 340)} ann@host"),
    ("public key", lambda d: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{d.text(BASE64, 43)} ann@host"),
    ("public key", lambda d: d.pem("PUBLIC KEY", 4)),
    ("certificate", lambda d: d.pem("CERTIFICATE", 5)),
    ("token in language models", lambda d: f"token_count = {d.randint(1, 9999)}"),
    (
        "token in language models",
        lambda d: f"max_tokens={d.choice((256, 1024, 4096))}, temperature=0.{d.randint(0, 9)}",
    ),
    ("token in language models", lambda d: f'pad_token = "<|{_words(d, 1)}|>"'),
    ("token in language models", lambda d: f"tokens = tokenizer.encode({_words(d, 1)})"),
    ("token in a parser", lambda d: f'token = "{d.choice(("identifier", "operator", "NEWLINE", "left_paren"))}"'),
    ("name without value", lambda d: "password = getpass.getpass('Password: ')"),
    ("name without value", lambda d: f"api_key = os.environ['{d.choice(('OPENAI', 'WEATHER'))}_API_KEY']"),
    ("name without value", lambda d: "def login(user: str, password: str, token: str | None = None) -> bool:"),
    ("name without value", lambda d: f"client = Client(api_key=settings.api_key, timeout={d.randint(1, 60)})"),
    ("placeholder", lambda d: f'api_key = "{d.choice(("YOUR_API_KEY", "your-api-key", "<api key>", "sk-..."))}"'),
    (
        "placeholder",
        lambda d: f"curl -H 'Authorization: Bearer {d.choice(('$TOKEN', '<token>', 'YOUR_TOKEN'))}' {_words(d, 1)}",
    ),
    (
        "placeholder",
        lambda d: f'password = "{d.choice(("my-password", "the-password", "test_secret", "DB_PASSWORD", "<token>"))}"',
    ),
    ("placeholder", lambda d: f'token = "{d.choice(("test-token", "my-token", "your-key-here", "API_TOKEN"))}"'),
    ("placeholder", lambda d: f"https://ann:{d.choice(('my-password', 'password', '<password>'))}@db.example.com"),
    ("placeholder", lambda d: f"export API_KEY={d.choice(('<your key>', 'changeme', 'xxxxxxxxxxxxxxxx'))}"),
    ("placeholder", lambda d: "url = f'postgresql://{user}:{password}@{host}/db'"),
    ("placeholder", lambda d: "aws_access_key_id = AKIAIOSFODNN7EXAMPLE"),
    ("message", lambda d: f'errors = {{"password": "Password must have at least {d.randint(6, 20)} characters."}}'),
    ("message", lambda d: "raise ValueError('The token is missing or invalid.')"),
    ("class of style", lambda d: f'<div class="sk-{_words(d, 1)}-link sk-toggleable__content">'),
    ("class of style", lambda d: f".css-{d.text(LOWER + DIGITS, 7)} {{ color: #{d.hex(6)}; }}"),
    ("colour", lambda d: f'palette = ["#{d.hex(6)}", "#{d.hex(6)}", "#{d.hex(6)}"]'),
    ("lorem", lambda d: _words(d, 12).capitalize() + "."),
    ("lorem", lambda d: f"# {_words(d, 10)}"),
    ("code", lambda d: f"for {_words(d, 1)} in range({d.randint(1, 99)}):"),
    ("code", lambda d: f"rows = [row for row in rows if row['{_words(d, 1)}'] > {d.randint(1, 99)}]"),
    ("code", lambda d: f"    return AbstractHTTP2ConnectionFactoryV{d.randint(1, 9)}Beta({_words(d, 1)})"),
    ("phone number", lambda d: f'phone = "+49 {d.text(DIGITS, 3)} {d.text(DIGITS, 7)}"'),
    ("number", lambda d: f"random.seed({d.getrandbits(63)})"),
    ("number", lambda d: f"{d.random()} {d.random()} {d.random()}"),
    ("hex dump", lambda d: f"{d.hex(8)}: {' '.join(d.hex(4) for _ in range(8))}  {d.text(ALNUM, 16)}"),
    (
        "minified",
        lambda d: "".join(
            f"function {d.text(LOWER, 1)}({d.text(LOWER, 1)}){{return {d.text(LOWER, 1)}+{d.randint(0, 9)}}}"
            for _ in range(5)
        ),
    ),
    ("dna", lambda d: f'sequence = "{d.text("ACGT", 80)}"'),
    ("braille", lambda d: "".join(chr(d.randint(0x2800, 0x28FF)) for _ in range(30))),
    ("path", lambda d: f'path = "/home/ann/projects/{d.text(LOWER, 8)}/v{d.randint(1, 9)}/Report2024Final.ipynb"'),
    ("url", lambda d: f"https://docs.example.com/d/{d.text(ALNUM, 44)}/edit"),
    ("url", lambda d: f"GET /api/v2/items?page={d.randint(1, 99)}&sort=-created HTTP/1.1"),
    ("jwt-like", lambda d: f"eyJ is how a JSON web token begins, in {_words(d, 3)}"),
    ("alphabet", lambda d: 'ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"'),
    ("identifier", lambda d: f"node_{d.text(HEX, 20)} -> node_{d.text(HEX, 20)} SOLVES"),
    ("identifier", lambda d: f'sku = "{d.text(UPPER, 3)}-{d.text(DIGITS, 4)}-{d.text(UPPER + DIGITS, 6)}"'),
    (
        "container",
        lambda d: f'{d.hex(12)}   nginx:1.{d.randint(10, 30)}   "/docker-entrypoint.s"   Up {d.randint(1, 9)} hours',
    ),
    (
        "traceback",
        lambda d: f"  File \"/app/main.py\", line {d.randint(1, 999)}, in {_words(d, 1)}\nKeyError: '{_words(d, 1)}'",
    ),
    ("table", lambda d: f"| {_words(d, 1)} | {d.random():.6f} | {d.randint(0, 10**9)} |"),
)
