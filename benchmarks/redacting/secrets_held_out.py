"""The secrets that are reported on: other services than those that the rules were tuned on.

The rules of those that have a form of their own were written from what the services publish. The others have none, so
that only their name, or chance, can give them away.
"""

from __future__ import annotations

from functools import partial

from benchmarks.redacting.alphabets import ALNUM, BASE64, DIGITS, HEX, LOWER, UPPER, URLSAFE, Draw
from benchmarks.redacting.sample import Secret, secret

_NEUTRAL = ("result", "data2", "given", "entry", "config_value")


_bare = partial(secret, _NEUTRAL)
_named = partial(secret, (), bare=False)


def _passphrase(draw: Draw) -> str:
    words = ("correct", "horse", "battery", "staple", "lantern", "gravel", "velvet", "socket", "thimble", "walnut")
    return draw.choice(("-", "_", ".")).join(draw.sample(words, 4)) + str(draw.randint(0, 99))


def guise(draw: Draw) -> str:
    """A password that looks like a placeholder, in other words than the tuned ones."""
    beginnings = ("some", "dummy", "sample", "example", "fake", "your", "change", "invalid")
    return draw.guise(beginnings, ("DONKEY", "HOCKEY", "COMPASS", "PASSAGE"), ("TopSecret", "OldPassword", "secret"))


HELD_OUT: tuple[Secret, ...] = (
    _bare("groq", lambda d: "gsk_" + d.text(ALNUM, 52), "GROQ_API_KEY"),
    _bare("perplexity", lambda d: "pplx-" + d.text(ALNUM, 48), "PPLX_API_KEY"),
    _bare("replicate", lambda d: "r8_" + d.text(ALNUM, 37), "REPLICATE_API_TOKEN"),
    _bare("langsmith", lambda d: f"lsv2_pt_{d.hex(32)}_{d.hex(10)}", "LANGSMITH_API_KEY"),
    _bare("pinecone", lambda d: f"pcsk_{d.text(ALNUM, 6)}_{d.text(ALNUM, 63)}", "PINECONE_API_KEY"),
    _bare("nvidia", lambda d: "nvapi-" + d.text(URLSAFE, 64), "NVIDIA_API_KEY"),
    _bare("google oauth secret", lambda d: "GOCSPX-" + d.text(URLSAFE, 28), "client_secret"),
    _bare("google access token", lambda d: "ya29." + d.text(URLSAFE, 120, 200), "access_token"),
    _bare("gitlab runner", lambda d: "glrt-" + d.text(URLSAFE, 20), "RUNNER_TOKEN"),
    _bare("gitlab deploy", lambda d: "gldt-" + d.text(URLSAFE, 20), "CI_DEPLOY_PASSWORD"),
    _bare("bitbucket app password", lambda d: "ATBB" + d.text(ALNUM, 32), "BITBUCKET_PASSWORD"),
    _bare("rubygems", lambda d: "rubygems_" + d.hex(48), "GEM_HOST_API_KEY"),
    _bare("nuget", lambda d: "oy2" + d.text(LOWER + DIGITS, 43), "NUGET_KEY"),
    _bare("postman", lambda d: f"PMAK-{d.hex(24)}-{d.hex(34)}", "POSTMAN_API_KEY"),
    _bare("pulumi", lambda d: "pul-" + d.hex(40), "PULUMI_ACCESS_TOKEN"),
    _bare("sonar", lambda d: d.choice(("sqp_", "squ_")) + d.hex(40), "SONAR_TOKEN"),
    _bare("terraform cloud", lambda d: f"{d.text(ALNUM, 14)}.atlasv1.{d.text(URLSAFE, 67)}", "TF_API_TOKEN"),
    _bare("doppler", lambda d: "dp.pt." + d.text(ALNUM, 43), "DOPPLER_TOKEN"),
    _bare("heroku new", lambda d: "HRKU-AA" + d.text(URLSAFE, 58), "HEROKU_API_KEY"),
    _bare("fly.io", lambda d: "fo1_" + d.text(URLSAFE, 43), "FLY_API_TOKEN"),
    _bare("planetscale", lambda d: "pscale_tkn_" + d.text(URLSAFE, 43), "PSCALE_TOKEN"),
    _bare(
        "azure ad secret",
        lambda d: f"{d.text(ALNUM, 3)}{d.randint(0, 9)}Q~{d.text(ALNUM + '_-.', 34)}",
        "AZURE_CLIENT_SECRET",
    ),
    _bare("alibaba", lambda d: "LTAI" + d.text(ALNUM, 20), "ALIBABA_ACCESS_KEY_ID"),
    _bare(
        "slack app",
        lambda d: f"xapp-1-A{d.text(UPPER + DIGITS, 10)}-{d.text(DIGITS, 13)}-{d.hex(64)}",
        "SLACK_APP_TOKEN",
    ),
    _bare(
        "slack user",
        lambda d: f"xoxp-{d.text(DIGITS, 12)}-{d.text(DIGITS, 12)}-{d.text(DIGITS, 13)}-{d.hex(32)}",
        "SLACK_TOKEN",
    ),
    _bare("mailchimp", lambda d: f"{d.hex(32)}-us{d.randint(1, 21)}", "MAILCHIMP_API_KEY"),
    _bare("brevo", lambda d: f"xkeysib-{d.hex(64)}-{d.text(ALNUM, 16)}", "BREVO_API_KEY"),
    _bare("resend", lambda d: f"re_{d.text(ALNUM, 8)}_{d.text(ALNUM, 24)}", "RESEND_API_KEY"),
    _bare("stripe webhook", lambda d: "whsec_" + d.text(ALNUM, 32), "STRIPE_WEBHOOK_SECRET"),
    _bare("square oauth", lambda d: "sq0csp-" + d.text(URLSAFE, 43), "SQUARE_SECRET"),
    _bare("plaid", lambda d: f"access-production-{d.uuid()}", "PLAID_ACCESS_TOKEN"),
    _bare("razorpay", lambda d: "rzp_live_" + d.text(ALNUM, 14), "RAZORPAY_KEY_ID"),
    _bare("shippo", lambda d: "shippo_live_" + d.hex(40), "SHIPPO_TOKEN"),
    _bare("grafana", lambda d: f"glsa_{d.text(ALNUM, 32)}_{d.hex(8)}", "GRAFANA_TOKEN"),
    _bare("new relic", lambda d: "NRAK-" + d.text(UPPER + DIGITS, 27), "NEW_RELIC_API_KEY"),
    _bare("sentry", lambda d: "sntryu_" + d.hex(64), "SENTRY_AUTH_TOKEN"),
    _bare("dynatrace", lambda d: f"dt0c01.{d.text(UPPER + DIGITS, 24)}.{d.text(UPPER + DIGITS, 64)}", "DT_API_TOKEN"),
    _bare("figma", lambda d: "figd_" + d.text(URLSAFE, 40), "FIGMA_TOKEN"),
    _bare("airtable", lambda d: f"pat{d.text(ALNUM, 14)}.{d.hex(64)}", "AIRTABLE_TOKEN"),
    _bare("hubspot", lambda d: f"pat-na1-{d.uuid()}", "HUBSPOT_TOKEN"),
    _bare("typeform", lambda d: f"tfp_{d.text(ALNUM, 44)}_{d.text(ALNUM, 14)}", "TYPEFORM_TOKEN"),
    _bare("artifactory", lambda d: "AKCp" + d.text(ALNUM, 69), "ARTIFACTORY_API_KEY"),
    _bare("high entropy, 40", lambda d: d.text(ALNUM, 40)),
    _bare("high entropy, 22 to 30", lambda d: d.text(ALNUM, 22, 30)),
    _bare("high entropy, for URLs", lambda d: d.urlsafe(d.choice((24, 32, 36)))),
    _named("algolia", lambda d: d.hex(32), "ALGOLIA_ADMIN_KEY", "algolia_api_key"),
    _named("cloudflare", lambda d: d.text(URLSAFE, 40), "CF_API_TOKEN", "cloudflare_api_key"),
    _named("mistral", lambda d: d.text(ALNUM, 32), "MISTRAL_API_KEY", "mistral_key"),
    _named("snyk", lambda d: d.uuid(), "SNYK_TOKEN"),
    _named("okta", lambda d: "00" + d.text(URLSAFE, 40), "OKTA_API_TOKEN"),
    _named("zendesk", lambda d: d.text(ALNUM, 40), "ZENDESK_TOKEN", "zendesk_api_key"),
    _named("weights and biases", lambda d: d.hex(40), "WANDB_API_KEY"),
    _named("auth0", lambda d: d.text(URLSAFE, 64), "AUTH0_CLIENT_SECRET", "auth0_secret"),
    _named("trello", lambda d: d.hex(64), "TRELLO_TOKEN"),
    _named("google cloud storage hmac", lambda d: d.text(BASE64, 40), "gcs_secret_key"),
    _named("session secret", lambda d: d.text(HEX, 48), "SESSION_SECRET", "jwt_secret", "JWT_SIGNING_KEY"),
    _named("encryption key", lambda d: d.base64(32), "ENCRYPTION_KEY", "fernet_key"),
    _named("passphrase", _passphrase, "ssh_passphrase", "KEY_PASSPHRASE", "password"),
    _named("password like a placeholder", guise, "root_password", "admin_pwd", "MYSQL_ROOT_PASSWORD", "userPassword"),
    _named("password", Draw.password, "root_password", "admin_pwd", "MYSQL_ROOT_PASSWORD", "userPassword", "smtp_pass"),
)
