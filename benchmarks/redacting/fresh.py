"""A second set that no rule has seen: written when the rules were done, and looked at once, to be reported."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.redacting.alphabets import ALNUM, BASE64, DIGITS, HEX, LOWER, UPPER, URLSAFE, Draw
from benchmarks.redacting.sample import Secret


def _bare(kind: str, make: Callable[[Draw], str], *names: str) -> Secret:
    return Secret(kind, make, names or ("cfg", "thing", "option3"))


def _named(kind: str, make: Callable[[Draw], str], *names: str) -> Secret:
    return Secret(kind, make, names, bare=False)


SECRETS: tuple[Secret, ...] = (
    _bare("xai", lambda d: "xai-" + d.text(ALNUM, 80), "XAI_API_KEY"),
    _bare("gitlab trigger", lambda d: "glptt-" + d.hex(40), "TRIGGER_TOKEN"),
    _bare("circleci", lambda d: f"CCIPAT_{d.text(ALNUM, 22)}_{d.hex(40)}", "CIRCLE_TOKEN"),
    _bare("netlify", lambda d: "nfp_" + d.text(ALNUM, 40), "NETLIFY_AUTH_TOKEN"),
    _bare("supabase secret", lambda d: "sb_secret_" + d.text(URLSAFE, 31), "SUPABASE_SERVICE_KEY"),
    _bare("linear oauth", lambda d: "lin_oauth_" + d.hex(64), "LINEAR_TOKEN"),
    _bare("contentful", lambda d: "CFPAT-" + d.text(URLSAFE, 43), "CONTENTFUL_TOKEN"),
    _bare("shopify shared secret", lambda d: "shpss_" + d.hex(32), "SHOPIFY_API_SECRET"),
    _bare("easypost", lambda d: "EZAK" + d.text(ALNUM, 54), "EASYPOST_API_KEY"),
    _bare("mongodb service account", lambda d: "mdb_sa_sk_" + d.text(URLSAFE, 40), "ATLAS_CLIENT_SECRET"),
    _bare("stripe restricted", lambda d: "rk_live_" + d.text(ALNUM, 99), "STRIPE_KEY"),
    _bare("high entropy, 32", lambda d: d.text(ALNUM, 32)),
    _bare("high entropy, 64", lambda d: d.text(ALNUM + "-_", 64)),
    _named("codecov", lambda d: d.uuid(), "CODECOV_TOKEN"),
    _named("deepl", lambda d: d.uuid() + ":fx", "DEEPL_AUTH_KEY", "deepl_api_key"),
    _named("twitch", lambda d: d.text(LOWER + DIGITS, 30), "TWITCH_CLIENT_SECRET"),
    _named("rabbitmq", Draw.password, "RABBITMQ_DEFAULT_PASS", "rabbit_password"),
    _named("ldap", Draw.password, "ldap_bind_password", "LDAP_ADMIN_PASSWORD"),
    _named("django", lambda d: "django-insecure-" + d.text(LOWER + DIGITS + "!@#%^&*-_=+", 50), "SECRET_KEY"),
    _named("vapid", lambda d: d.urlsafe(32), "VAPID_PRIVATE_KEY"),
    _named("hmac", lambda d: d.hex(64), "webhook_signing_secret", "HMAC_SECRET"),
    _named("basic", lambda d: d.base64(18), "registry_auth_token"),
)
NAMED: dict[str, tuple[str, ...]] = {
    "code": (
        'app.config["{name}"] = "{secret}"',
        "{name} = ('{secret}')",
        "return dict({name}='{secret}')",
        "@dataclass\nclass C:\n    {name}: str = '{secret}'",
        "config.set('main', '{name}', '{secret}')",
        "payload = {{'grant': 'x', '{name}': f'{secret}'}}",
        "n = 3; {name} = '{secret}'",
    ),
    "compose file": ("    environment:\n      {name}: {secret}", '      - "{name}={secret}"'),
    "systemd": ('Environment="{name}={secret}"', "Environment={name}={secret}"),
    "makefile": ("\t{name}={secret} ./deploy.sh", "{name} := {secret}"),
    "terraform": ('variable "{name}" {{\n  default = "{secret}"\n}}', '  {name} = "{secret}"'),
    "java properties": ("spring.datasource.{name}={secret}",),
    "shell": ("$ echo ${name}\n{name}={secret}", "set -x {name} {secret}"),
    "log line": ("level=info msg=start {name}={secret} pid=3", "    [config] {name} => {secret}"),
    "locals": ("Locals:\n  {name} = '{secret}'\n  n = 3", "{name}: '{secret}' (str)"),
    "yaml": ('{name}: "{secret}"  # do not commit', "{{ {name}: '{secret}', n: 3 }}"),
}
BARE: dict[str, tuple[str, ...]] = {
    "code": (
        "foo = bar('{secret}').baz()",
        "x: str = '{secret}'",
        "TABLE = {{1: '{secret}', 2: 'b'}}",
        "return ['{secret}']",
    ),
    "notebook output": ("('{secret}', 3)", "array(['{secret}'], dtype=object)"),
    "log line": ("INFO:root:value={secret}", "... {secret} ..."),
    "json lines": ('{{"ts": 3, "v": "{secret}"}}',),
    "html": ("<td>{secret}</td>", '<input value="{secret}">'),
    "toml": ('second = "{secret}"',),
}
OWN: tuple[tuple[str, str, str], ...] = (
    ("authorization", "token", "http.addHeader('Authorization', 'Bearer {secret}')"),
    ("authorization", "hex", "  -H 'PRIVATE-TOKEN: {secret}' \\"),
    ("authorization", "basic", "proxy-authorization: Basic {secret}"),
    ("cookie", "token", "document.cookie = 'auth_token={secret}'"),
    ("url", "url password", "sftp://backup:{secret}@files.example.com:22/daily"),
    ("url", "url password", "SQLALCHEMY_DATABASE_URI = 'oracle+cx_oracle://ann:{secret}@db:1521/x'"),
    ("url", "url password", "ftp.connect('ftp://ann:{secret}@ftp.example.com')"),
    ("url", "token", "wss://stream.example.com/live?access_token={secret}"),
    ("connection string", "password", '"Data Source=db;Initial Catalog=plant;User ID=ann;Password={secret}"'),
    ("connection string", "password", "dsn = 'user=ann password={secret} host=db'"),
    ("command", "password", "mysqldump --user=ann --password={secret} plant > plant.sql"),
    ("command", "password", "redis-cli -h cache --pass {secret} ping"),
    ("command", "token", "hub login --token {secret}"),
    ("sentence", "password", "The password is {secret}, do not tell anybody."),
    ("private key", "pem", "key: |\n{secret}"),
)
HARMLESS: tuple[tuple[str, Callable[[Draw], str]], ...] = (
    ("git id", lambda d: f"Merge pull request #{d.randint(1, 999)} ({d.hex(40)})"),
    ("git id", lambda d: f"submodule {d.hex(40)} vendor/x (v1.2-{d.randint(1, 99)}-g{d.hex(7)})"),
    ("checksum", lambda d: f'known_hash="md5:{d.hex(32)}",'),
    ("checksum", lambda d: f"resolved https://registry.example.org/a/-/a-1.0.tgz#{d.hex(40)}"),
    ("checksum", lambda d: f'      "checksum": "10/{d.hex(128)}"'),
    ("uuid", lambda d: f"[{d.uuid()}] job done in {d.random():.2f} s"),
    ("image", lambda d: f'{{"mime": "image/gif", "data": "R0lGODlh{d.text(BASE64, 120)}"}}'),
    ("image", lambda d: f"url('data:image/webp;base64,UklGR{d.text(BASE64, 90)}')"),
    ("base64 block", lambda d: "\n".join(f'    "{d.text(BASE64, 72)}"' for _ in range(4))),
    ("certificate", lambda d: "ca: |\n" + "\n".join("  " + line for line in d.pem("CERTIFICATE", 4).split("\n"))),
    ("public key", lambda d: f"sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5{d.text(BASE64, 80)} ann"),
    ("test vector", lambda d: f'    (b"input", "{d.hex(64)}"),'),
    ("test vector", lambda d: f"ciphertext: {d.hex(96)}"),
    ("nix", lambda d: f"/nix/store/{d.text('0123456789abcdfghijklmnpqrsvwxyz', 32)}-python3-3.11.9/bin/python"),
    ("kubernetes", lambda d: f"pod/pump-{d.hex(9)}-{d.text(LOWER + DIGITS, 5)} condition met"),
    ("language models", lambda d: f"Token indices sequence length is longer ({d.randint(600, 9999)} > 512)"),
    ("language models", lambda d: f'tokens = ["{d.text(LOWER, 4)}", "##{d.text(LOWER, 3)}", "[SEP]"]'),
    (
        "language models",
        lambda d: f"usage: {{'input_tokens': {d.randint(1, 9999)}, 'output_tokens': {d.randint(1, 999)}}}",
    ),
    ("name without value", lambda d: "secret_name = f'{env}-database'; token_url = BASE + '/oauth/token'"),
    ("name without value", lambda d: "if not hmac.compare_digest(token, expected_token):"),
    ("name without value", lambda d: "kms_key_arn = module.kms.key_arn"),
    ("name without value", lambda d: "password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt())"),
    ("name without value", lambda d: "assert response.json()['token'] == session.token"),
    ("placeholder", lambda d: "TOKEN=${TOKEN:?set the token first}"),
    ("placeholder", lambda d: "api_key: <insert your key>"),
    ("placeholder", lambda d: "client = OpenAI(api_key='...')"),
    ("placeholder", lambda d: "DATABASE_URL=postgres://USER:PASSWORD@HOST:5432/NAME"),
    ("message", lambda d: "KeyError: 'password'"),
    ("message", lambda d: f"401 Unauthorized: token expired {d.randint(2, 59)} minutes ago"),
    ("style", lambda d: f'<div class="MuiBox-root css-{d.text(LOWER + DIGITS, 6)} jss{d.randint(1, 99)}">'),
    ("prose", lambda d: f"Passwords of at least {d.randint(8, 20)} characters are required by the policy."),
    ("prose", lambda d: f"The secret of good pumps is {d.choice(('care', 'oil', 'patience'))}."),
    ("code", lambda d: "sorted(rows, key=operator.itemgetter('stamp', 'pump'), reverse=True)"),
    ("code", lambda d: f"np.testing.assert_allclose(result, [{d.random():.10f}, {d.random():.10f}])"),
    ("code", lambda d: f"class TestIPv6HTTPSConnectionPoolV{d.randint(1, 9)}(unittest.TestCase):"),
    ("code", lambda d: "ENCRYPTED_KEY_FILE = pathlib.Path(__file__).with_name('key.pem')"),
    ("number", lambda d: f"{d.getrandbits(256)}"),
    ("hex dump", lambda d: f"mac {':'.join(d.hex(2) for _ in range(6))} at 0x{d.hex(12)}"),
    ("minified", lambda d: f"var a={d.randint(1, 9)},b=function(){{return a*{d.randint(1, 9)}}};!function(){{b()}}();"),
    ("dna", lambda d: f"primer = Seq('{d.text('ACGT', 24)}')"),
    ("path", lambda d: f"gs://plant-data/{d.text(LOWER, 6)}/2026-11-30T12-00-{d.text(DIGITS, 2)}Z/{d.hex(16)}.json.gz"),
    ("url", lambda d: f"https://forms.example.com/r/{d.text(ALNUM, 40)}"),
    ("url", lambda d: f"https://www.example.com/p/{d.text(UPPER + DIGITS, 10)}?ref=sr_1_{d.randint(1, 9)}"),
    ("identifier", lambda d: f"arn:aws:iam::{d.text(DIGITS, 12)}:role/PlantReaderRole{d.randint(1, 9)}"),
    ("identifier", lambda d: f"doi:10.{d.text(DIGITS, 4)}/{d.text(LOWER + DIGITS, 10)}"),
    ("identifier", lambda d: f"span {d.text(HEX, 16)} parent {d.text(HEX, 16)}"),
    ("table", lambda d: "  ".join(f"{d.uniform(-9, 9):8.4f}" for _ in range(8))),
)
