"""The secrets that the rules were tuned on."""

from __future__ import annotations

from functools import partial

from benchmarks.redacting.alphabets import ALNUM, BASE32, BASE64, BECH32, DIGITS, HEX, LOWER, URLSAFE, Draw
from benchmarks.redacting.sample import Secret, secret

_ANY = ("value", "x", "conf", "first", "item")


_s = partial(secret, _ANY)


def guise(draw: Draw) -> str:
    """A password that looks like a placeholder."""
    return draw.guise(("my", "the", "test"), ("MONKEY", "TURKEY", "KEYSTONE"), ("SuperSecret", "MyToken", "password"))


TUNED: tuple[Secret, ...] = (
    _s("aws access key id", lambda d: d.choice(("AKIA", "ASIA")) + d.text(BASE32, 16), "aws_access_key_id"),
    _s(
        "aws secret access key",
        lambda d: d.text(BASE64, 40),
        "aws_secret_access_key",
        "AWS_SECRET_ACCESS_KEY",
        bare=False,
    ),
    _s("github", lambda d: d.choice(("ghp_", "gho_", "ghs_", "ghu_")) + d.text(ALNUM, 36), "GITHUB_TOKEN", "gh_token"),
    _s("github fine-grained", lambda d: f"github_pat_{d.text(ALNUM, 22)}_{d.text(ALNUM, 59)}", "GITHUB_PAT"),
    _s("gitlab", lambda d: "glpat-" + d.text(URLSAFE, 20), "GITLAB_TOKEN", "private_token"),
    _s("slack bot", lambda d: f"xoxb-{d.text(DIGITS, 12)}-{d.text(DIGITS, 13)}-{d.text(ALNUM, 24)}", "SLACK_BOT_TOKEN"),
    _s("stripe", lambda d: d.choice(("sk_live_", "rk_live_", "sk_test_")) + d.text(ALNUM, 24, 99), "STRIPE_SECRET_KEY"),
    _s("twilio api key", lambda d: "SK" + d.hex(32), "TWILIO_API_KEY"),
    _s("twilio auth token", lambda d: d.hex(32), "TWILIO_AUTH_TOKEN", "auth_token", bare=False),
    _s("sendgrid", lambda d: f"SG.{d.text(URLSAFE, 22)}.{d.text(URLSAFE, 43)}", "SENDGRID_API_KEY"),
    _s("mailgun", lambda d: "key-" + d.hex(32), "MAILGUN_API_KEY"),
    _s("npm", lambda d: "npm_" + d.text(ALNUM, 36), "NPM_TOKEN"),
    _s("pypi", lambda d: "pypi-AgEIcHlwaS5vcmc" + d.text(URLSAFE, 150), "PYPI_TOKEN"),
    _s("docker hub", lambda d: "dckr_pat_" + d.text(URLSAFE, 27), "DOCKER_PASSWORD"),
    _s("hugging face", lambda d: "hf_" + d.text(ALNUM, 34), "HF_TOKEN"),
    _s("openai", lambda d: f"sk-proj-{d.text(URLSAFE, 74)}T3BlbkFJ{d.text(URLSAFE, 74)}", "OPENAI_API_KEY"),
    _s("openai old", lambda d: f"sk-{d.text(ALNUM, 20)}T3BlbkFJ{d.text(ALNUM, 20)}", "OPENAI_API_KEY", "api_key"),
    _s("anthropic", lambda d: f"sk-ant-api03-{d.text(URLSAFE, 93)}AA", "ANTHROPIC_API_KEY"),
    _s("google api key", lambda d: "AIzaSy" + d.text(URLSAFE, 33), "GOOGLE_API_KEY"),
    _s("databricks", lambda d: "dapi" + d.hex(32), "DATABRICKS_TOKEN"),
    _s("digitalocean", lambda d: "dop_v1_" + d.hex(64), "DIGITALOCEAN_TOKEN"),
    _s("datadog", lambda d: d.hex(32), "DD_API_KEY", "datadog_api_key", bare=False),
    _s("discord bot", lambda d: f"M{d.text(ALNUM, 23)}.{d.text(URLSAFE, 6)}.{d.text(URLSAFE, 38)}", "DISCORD_TOKEN"),
    _s("telegram bot", lambda d: f"{d.randint(10**8, 10**10 - 1)}:AA{d.text(URLSAFE, 33)}", "TELEGRAM_TOKEN"),
    _s("shopify", lambda d: "shpat_" + d.hex(32), "SHOPIFY_TOKEN"),
    _s("square", lambda d: "sq0atp-" + d.text(URLSAFE, 22), "SQUARE_TOKEN"),
    _s("atlassian", lambda d: "ATATT3" + d.text(URLSAFE, 186), "JIRA_API_TOKEN"),
    _s("linear", lambda d: "lin_api_" + d.text(ALNUM, 40), "LINEAR_API_KEY"),
    _s("notion", lambda d: f"ntn_{d.text(DIGITS, 11)}{d.text(ALNUM, 35)}", "NOTION_TOKEN"),
    _s("supabase", lambda d: "sbp_" + d.hex(40), "SUPABASE_ACCESS_TOKEN"),
    _s("vault", lambda d: "hvs." + d.text(URLSAFE, 92), "VAULT_TOKEN"),
    _s("tailscale", lambda d: f"tskey-auth-{d.text(ALNUM, 17)}-{d.text(ALNUM, 32)}", "TS_AUTHKEY"),
    _s("age", lambda d: "AGE-SECRET-KEY-1" + d.text(BECH32, 58), "AGE_KEY"),
    _s("azure storage", lambda d: d.base64(64), "AZURE_STORAGE_KEY", "account_key", bare=False),
    _s("jwt", lambda d: d.jwt({"sub": d.text(DIGITS, 10), "iat": d.randint(10**9, 2 * 10**9)}), "id_token", "session"),
    _s("heroku", lambda d: d.uuid(), "HEROKU_API_KEY", bare=False),
    _s("password", Draw.password, "password", "db_password", "DB_PASSWORD", "passwd", "PGPASSWORD", bare=False),
    _s("password like a placeholder", guise, "password", "db_password", "DB_PASSWORD", "PGPASSWORD", bare=False),
    _s("secret", lambda d: d.text(ALNUM, 16, 40), "client_secret", "SECRET_KEY", "app_secret", bare=False),
    _s(
        "api key without form",
        lambda d: d.text(LOWER + DIGITS, 24, 40),
        "api_key",
        "WEATHER_API_KEY",
        "x-api-key",
        bare=False,
    ),
    _s("high entropy", lambda d: d.text(ALNUM, 24, 48)),
    _s("high entropy, base64", lambda d: d.base64(d.choice((24, 30, 33)))),
    _s("hex token", lambda d: d.text(HEX, 40), "access_token", "auth_token", "API_TOKEN", bare=False),
)
