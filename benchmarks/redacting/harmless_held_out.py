"""What only looks like a secret and is reported on: other kinds and other lines than those of `harmless_tuned`."""

from __future__ import annotations

from functools import partial

from benchmarks.redacting.alphabets import ALNUM, BASE32, BASE58, BASE64, DIGITS, HEX, LOWER, UPPER, Draw
from benchmarks.redacting.sample import Maker

_WORDS = "pump valve logger stamp pressure meter plant river table column answer series window report total"
_w = partial(Draw.words, of=_WORDS.split())

HELD_OUT: tuple[tuple[str, Maker], ...] = (
    ("git id", lambda d: f"HEAD is now at {d.hex(9)} {_w(d, 4)}"),
    ("git id", lambda d: f"git+https://git.example.com/{_w(d)}@{d.hex(40)}"),
    ("git id", lambda d: f'    rev: "{d.hex(40)}"'),
    ("git id", lambda d: f"From {d.hex(40)} Mon Sep 17 00:00:00 2001"),
    ("checksum", lambda d: f"SHA1 ({_w(d)}.iso) = {d.hex(40)}"),
    ("checksum", lambda d: f'etag: W/"{d.hex(32)}"'),
    ("checksum", lambda d: f"assert digest == '{d.hex(128)}'"),
    ("checksum", lambda d: f"blake2b:{d.hex(64)}  {_w(d)}.tar.gz"),
    ("checksum", lambda d: f"integrity = 'sha384-{d.base64(48)}'"),
    ("checksum", lambda d: f'      <script src="a.js" integrity="sha256-{d.base64(32)}"></script>'),
    ("model checksum", lambda d: f'"model-0000{d.randint(1, 9)}-of-00009.safetensors": "{d.hex(64)}"'),
    ("docker", lambda d: f"FROM python@sha256:{d.hex(64)}"),
    ("docker", lambda d: f"{_w(d)}-{d.hex(10)}-{d.text(LOWER + DIGITS, 5)}   1/1   Running   0   {d.randint(1, 99)}m"),
    ("uuid", lambda d: f"    trace_id={d.hex(32)} span_id={d.hex(16)}"),
    ("uuid", lambda d: f"INSERT INTO {_w(d)} VALUES ('{d.uuid()}', {d.randint(1, 99)});"),
    ("uuid", lambda d: f"DELETE /v1/{_w(d)}/{d.uuid()} 204"),
    ("image", lambda d: f"![{_w(d)}](data:image/svg+xml;base64,PHN2Zy{d.text(BASE64, 80)})"),
    ("image", lambda d: f"'image/png': 'iVBORw0KGgoAAAANSUhEUgAA{d.text(BASE64, 500)}'"),
    ("image", lambda d: f"background: url(data:font/woff2;base64,d09GMgAB{d.text(BASE64, 200)})"),
    (
        "base64 block",
        lambda d: "\n".join(["Content-Transfer-Encoding: base64", "", *(d.text(BASE64, 76) for _ in range(4))]),
    ),
    ("base64 block", lambda d: "DATA = (\n" + "\n".join(f"    '{d.text(BASE64, 60)}'" for _ in range(4)) + "\n)"),
    ("test vector", lambda d: f"CIPHERTEXT = bytes.fromhex('{d.hex(64)}')"),
    ("test vector", lambda d: f'@pytest.mark.parametrize("encoded", ["{d.base64(18)}", "{d.base64(21)}"])'),
    ("test vector", lambda d: f"self.assertEqual(sign(message), '{d.base64(32)}')"),
    (
        "certificate",
        lambda d: "\n".join(
            (
                "-----BEGIN CERTIFICATE REQUEST-----",
                *(d.text(BASE64, 64) for _ in range(3)),
                "-----END CERTIFICATE REQUEST-----",
            )
        ),
    ),
    ("public key", lambda d: f"ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI{d.text(BASE64, 100)}= ann"),
    ("public key", lambda d: f'publishable_key = "pk_live_{d.text(ALNUM, 24)}"'),
    ("public key", lambda d: f"fingerprint: SHA256:{d.text(BASE64, 43)}"),
    ("address", lambda d: f'wallet = "{d.choice("13")}{d.text(BASE58, 33)}"'),
    ("address", lambda d: f"0x{d.hex(40)} sent {d.random():.4f}"),
    ("address", lambda d: f"ipfs://bafybei{d.text(LOWER + '234567', 52)}"),
    ("language models", lambda d: f"prompt_tokens={d.randint(1, 9999)} completion_tokens={d.randint(1, 999)} total"),
    ("language models", lambda d: f"inputs = tokenizer({_w(d)!r}, return_tensors='pt')"),
    (
        "language models",
        lambda d: f'special_tokens_map = {{"eos_token": "</s>", "unk_token": "<unk>", "n": {d.randint(0, 9)}}}',
    ),
    ("language models", lambda d: f"next_page_token = 'CAUQAA{d.text(ALNUM, 10)}'"),
    ("parser", lambda d: f"if token.type == 'NAME' and token.string == '{_w(d)}':"),
    ("parser", lambda d: f"expected token '{_w(d)}' at line {d.randint(1, 99)}"),
    ("name without value", lambda d: f"password = config.get('{_w(d)}', 'password')"),
    ("name without value", lambda d: "secret = boto3.client('secretsmanager').get_secret_value(SecretId=name)"),
    ("name without value", lambda d: "parser.add_argument('--api-key', help='the key of the service', required=True)"),
    ("name without value", lambda d: f"token: str = Field(default='', description='{_w(d, 3)}')"),
    ("name without value", lambda d: "API_KEY = st.secrets['weather']['api_key']"),
    ("name without value", lambda d: "password: ${{ secrets.DEPLOY_PASSWORD }}"),
    ("name without value", lambda d: f"secretKeyRef: {{name: {_w(d)}-secrets, key: password}}"),
    ("placeholder", lambda d: f"https://<user>:<password>@{_w(d)}.example.com/"),
    ("placeholder", lambda d: 'openai.api_key = "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"'),
    (
        "placeholder",
        lambda d: f'password = "{d.choice(("dummy-password", "your_password_here", "some-secret", "example_value"))}"',
    ),
    ("placeholder", lambda d: f"mongodb://ann:{d.choice(('my-password', '<token>', 'YOUR_PASSWORD'))}@{_w(d)}/db"),
    ("placeholder", lambda d: f'token_name: "{d.choice(("FAKE_TOKEN", "SLACK_BOT_TOKEN", "sample-token"))}"'),
    ("placeholder", lambda d: "Authorization: Bearer {{ access_token }}"),
    ("placeholder", lambda d: "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    ("placeholder", lambda d: f"password = '********'  # {_w(d, 2)}"),
    ("placeholder", lambda d: "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("message", lambda d: f"<label for='password'>Your new password ({d.randint(6, 12)} letters)</label>"),
    ("message", lambda d: "print('Enter the password for the database: ')"),
    ("message", lambda d: f'"token_expired": "Your {_w(d)} has expired, please log in again.",'),
    (
        "style",
        lambda d: f".Button_root__{d.text(ALNUM, 5)} .{_w(d, 2, '-')}-{d.text(LOWER + DIGITS, 6)} {{ margin: 0 }}",
    ),
    ("colour", lambda d: f"  --accent: #{d.hex(8)}; --muted: rgba({d.randint(0, 255)}, 0, 0, .5);"),
    ("prose", lambda d: f"The {_w(d)} of the {_w(d)} is {_w(d)}; see section {d.randint(1, 9)}.{d.randint(1, 9)}."),
    ("prose", lambda d: f"Key findings: {_w(d, 6)}."),
    ("code", lambda d: f"df = df.groupby('{_w(d)}').agg({{'{_w(d)}': 'mean'}}).reset_index()"),
    ("code", lambda d: f"key = lambda row: (row['{_w(d)}'], -row['{_w(d)}'])"),
    ("code", lambda d: f"class {_w(d).title()}V{d.randint(1, 9)}HTTPRequestHandlerFactoryImpl(Base{d.randint(1, 9)}):"),
    (
        "code",
        lambda d: f"from transformers import Qwen{d.randint(2, 3)}VLForConditionalGeneration, AutoModelForSeq2SeqLM",
    ),
    ("code", lambda d: f"cache_key = f'{{user}}:{_w(d)}:{{day}}'"),
    ("code", lambda d: f"primary_key = '{_w(d, 2, '_')}_id'; sort_key = '{_w(d)}'"),
    (
        "phone number",
        lambda d: f"Call +1 ({d.text(DIGITS, 3)}) {d.text(DIGITS, 3)}-{d.text(DIGITS, 4)} for the {_w(d)}.",
    ),
    ("number", lambda d: f"rng = np.random.default_rng({d.getrandbits(128)})"),
    ("number", lambda d: "[" + ", ".join(f"{d.gauss(0, 1):.8f}" for _ in range(8)) + "]"),
    ("hex dump", lambda d: f"0000{d.hex(4)}  {' '.join(d.hex(2) for _ in range(16))}  |{d.text(ALNUM, 16)}|"),
    ("hex dump", lambda d: "b'" + "".join(f"\\x{d.hex(2)}" for _ in range(24)) + "'"),
    (
        "minified",
        lambda d: (
            f'!function(e,t){{"object"==typeof exports?t(exports):t(e.{d.text(LOWER, 2)}={{}})}}'
            f"(this,function(e){{e.v={d.randint(1, 9)}}});"
        ),
    ),
    (
        "minified",
        lambda d: '{"version":3,"mappings":"' + ",".join(d.text("ACEGIKMOSUYgiqsu", 4, 5) for _ in range(12)) + '"}',
    ),
    ("dna", lambda d: f"@SEQ_{d.randint(1, 999)}\n{d.text('ACGTN', 60)}"),
    ("protein", lambda d: f">{_w(d)}\n{d.text('ACDEFGHIKLMNPQRSTVWY', 60)}"),
    ("braille", lambda d: f"title: {''.join(chr(d.randint(0x2800, 0x28FF)) for _ in range(12))}"),
    ("path", lambda d: f"/usr/lib/python3.11/site-packages/{_w(d)}-2.{d.randint(0, 9)}.dist-info/METADATA"),
    ("path", lambda d: f"s3://{_w(d)}-bucket/2026/11/30/part-{d.text(DIGITS, 5)}-{d.uuid()}.snappy.parquet"),
    ("path", lambda d: f"C:\\Users\\ann\\{_w(d)}\\Report{d.randint(2000, 2030)}Q{d.randint(1, 4)}Final.xlsx"),
    ("url", lambda d: f"https://video.example.com/watch?v={d.text(ALNUM + '-_', 11)}&t={d.randint(1, 99)}s"),
    ("url", lambda d: f"![fig](https://cdn.example.com/assets/{d.hex(32)}/{_w(d)}@2x.png)"),
    ("alphabet", lambda d: "digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_'"),
    ("licence", lambda d: f"SPDX-License-Identifier: Apache-2.0 ({_w(d)})"),
    ("ulid", lambda d: f"event 01{d.text(UPPER + DIGITS, 24)} {_w(d, 2)}"),
    ("totp label", lambda d: f"issue {d.text(UPPER, 4)}-{d.randint(1, 9999)}: {_w(d, 3)} ({d.text(BASE32, 6)})"),
    (
        "time",
        lambda d: (
            f"2026-11-{d.randint(10, 30)}T12:{d.randint(10, 59)}:07.{d.text(DIGITS, 6)}+00:00 {_w(d)}={d.random()}"
        ),
    ),
    ("traceback", lambda d: f"<{_w(d)}.{_w(d).title()} object at 0x7f{d.hex(10)}>"),
    ("table", lambda d: f"{_w(d):>10}  {d.randint(0, 10**6):>9}  {d.random():.3f}  {d.text(HEX, 8)}"),
)
