"""Keys and tokens that are known by their own form, as the services that give them out describe it.

A row names the kind, how such a key begins, and how it goes on. Publishable keys are none: Stripe's `pk_`, an account's
id, a public key. What has no form of its own, such as 32 hex digits, is found by the name that it stands behind.
"""

from __future__ import annotations

import re

from memu_code.redact.marks import Shape
from memu_code.redact.placeholders import is_filled_in

_A = r"[A-Za-z0-9]"
_W = r"[A-Za-z0-9_-]"
_H = r"[0-9a-f]"
_B = r"[A-Za-z0-9+/]"
_UUID = rf"{_H}{{8}}-(?:{_H}{{4}}-){{3}}{_H}{{12}}"

_BEGINNINGS: tuple[tuple[str, str, str], ...] = (
    # models and data
    ("anthropic_key", "sk-ant-", rf"{_W}{{16,}}"),
    # A digit and a capital, or 32 hex digits: `sk-estimator-doc-link` is a style class.
    ("openai_key", "sk-", rf"(?=[a-z_-]*[A-Z0-9])(?=[A-Za-z_-]*[0-9]){_W}{{20,}}"),
    ("openrouter_key", "sk-or-v1-", rf"{_H}{{40,}}"),
    ("huggingface_token", "hf_", rf"{_A}{{30,}}"),
    ("huggingface_token", "api_org_", rf"{_A}{{30,}}"),
    ("google_key", "AIza", rf"{_W}{{35,}}"),
    ("google_secret", "GOCSPX-", rf"{_W}{{20,}}"),
    ("google_token", "ya29.", rf"{_W}{{20,}}"),
    ("google_token", "1//0", rf"{_W}{{30,}}"),
    ("groq_key", "gsk_", rf"{_A}{{40,}}"),
    ("perplexity_key", "pplx-", rf"{_A}{{32,}}"),
    ("xai_key", "xai-", rf"{_A}{{60,}}"),
    ("nvidia_key", "nvapi-", rf"{_W}{{40,}}"),
    ("replicate_token", "r8_", rf"{_A}{{30,}}"),
    ("fireworks_key", "fw_", rf"{_A}{{20,}}"),
    ("pinecone_key", "pcsk_", r"[A-Za-z0-9_]{40,}"),
    ("langsmith_key", "lsv2_", rf"(?:pt|sk)_{_H}{{32}}_{_H}{{10}}"),
    ("databricks_token", "dapi", rf"{_H}{{32}}(?:-[0-9])?"),
    ("prefect_key", "pnu_", rf"{_A}{{36,}}"),
    # source code and packages
    ("github_token", "github_pat_", r"[A-Za-z0-9_]{30,}"),
    *(("github_token", f"gh{which}_", rf"{_A}{{30,}}") for which in "oprsu"),
    *(
        ("gitlab_token", f"gl{which}-", rf"{_W}{{20,}}(?:\.[0-9a-z]{{9}})?")
        for which in ("pat", "dt", "rt", "cbt", "ft", "ptt", "agent", "oas", "soat", "imt", "ffct")
    ),
    ("gitlab_token", "GR1348941", rf"{_W}{{20,}}"),
    ("atlassian_token", "ATATT3", r"[A-Za-z0-9_=-]{50,}"),
    ("atlassian_token", "ATCTT3", r"[A-Za-z0-9_=-]{50,}"),
    ("bitbucket_token", "ATBB", rf"{_A}{{28,}}"),
    ("npm_token", "npm_", rf"{_A}{{36,}}"),
    ("pypi_token", "pypi-", rf"{_W}{{50,}}"),
    ("rubygems_key", "rubygems_", rf"{_H}{{48}}"),
    ("nuget_key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("crates_token", "cio", rf"{_A}{{32}}(?![A-Za-z0-9])"),
    ("clojars_token", "CLOJARS_", r"[a-z0-9]{60}"),
    ("docker_token", "dckr_pat_", rf"{_W}{{20,}}"),
    ("docker_token", "dckr_oat_", rf"{_W}{{20,}}"),
    ("artifactory_token", "AKCp", rf"{_A}{{60,}}"),
    ("artifactory_token", "cmVmd", rf"{_A}{{59,}}"),
    ("postman_key", "PMAK-", rf"{_H}{{24}}-{_H}{{34}}"),
    ("circleci_token", "CCIPAT_", rf"{_A}{{10,}}_{_H}{{40}}"),
    ("buildkite_token", "bkua_", rf"{_H}{{40}}"),
    ("pulumi_token", "pul-", rf"{_H}{{40}}"),
    ("sonar_token", "sqp_", rf"{_H}{{40}}"),
    ("sonar_token", "squ_", rf"{_H}{{40}}"),
    ("sonar_token", "sqa_", rf"{_H}{{40}}"),
    ("sourcegraph_token", "sgp_", rf"(?:(?:{_H}{{16}}|local)_)?{_H}{{40}}"),
    ("octopus_key", "API-", r"[A-Z0-9]{26,32}(?![A-Za-z0-9])"),
    ("readme_key", "rdme_", r"[a-z0-9]{70}"),
    # clouds
    *(("aws_access_key", which, r"[0-9A-Z]{16}(?![0-9A-Za-z_])") for which in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("aws_session_token", "IQoJb3JpZ2lu", rf"{_B}{{100,}}={{0,2}}"),
    ("aws_session_token", "FwoGZXIvYXdz", rf"{_B}{{100,}}={{0,2}}"),
    ("aws_bedrock_key", "ABSK", rf"{_B}{{100,}}={{0,2}}"),
    ("alibaba_key", "LTAI", rf"{_A}{{12,24}}(?![A-Za-z0-9])"),
    *(("digitalocean_token", f"do{which}_v1_", rf"{_H}{{64}}") for which in "opr"),
    ("heroku_key", "HRKU-", rf"{_W}{{30,}}"),
    ("cloudflare_key", "v1.0-", rf"{_H}{{24}}-{_H}{{140,}}"),
    ("flyio_token", "fo1_", rf"{_W}{{40,}}"),
    ("flyio_token", "fm2_", rf"{_B}{{60,}}={{0,3}}"),
    ("netlify_token", "nfp_", rf"{_A}{{36,}}"),
    ("render_key", "rnd_", rf"{_A}{{28,}}"),
    ("vercel_token", "vercel_blob_rw_", r"[A-Za-z0-9_]{30,}"),
    ("scalingo_token", "tk-us-", rf"{_W}{{48}}"),
    ("tailscale_key", "tskey-", rf"[a-z]{{2,8}}-{_A}{{8,}}(?:-{_A}{{8,}})?"),
    ("vault_token", "hvs.", rf"{_W}{{24,}}"),
    ("vault_token", "hvb.", rf"{_W}{{24,}}"),
    ("vault_token", "hvr.", rf"{_W}{{24,}}"),
    ("vault_token", "s.", rf"(?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z]){_A}{{24}}(?![A-Za-z0-9])"),
    *(("doppler_token", f"dp.{which}.", r"[A-Za-z0-9.]{40,}") for which in ("pt", "st", "ct", "sa", "scim", "audit")),
    ("onepassword_token", "ops_eyJ", rf"{_B}{{100,}}={{0,3}}"),
    ("onepassword_key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("age_key", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    ("openshift_token", "sha256~", rf"{_W}{{43}}"),
    # databases
    ("supabase_key", "sbp_", rf"{_H}{{40}}"),
    ("supabase_key", "sb_secret_", rf"{_W}{{20,}}"),
    *(("planetscale_token", f"pscale_{which}_", r"[A-Za-z0-9_=.-]{32,}") for which in ("tkn", "pw", "oauth")),
    ("neon_key", "npg_", rf"{_A}{{12,}}"),
    ("mongodb_key", "mdb_sa_sk_", rf"{_W}{{20,}}"),
    ("clickhouse_key", "4b1d", rf"{_A}{{38}}(?![A-Za-z0-9])"),
    # messages and mail
    *(("slack_token", f"xox{which}-", r"[A-Za-z0-9-]{10,}") for which in "abceoprs"),
    ("slack_token", "xoxe.xox", r"[bp]-[0-9]-[A-Za-z0-9-]{20,}"),
    ("slack_token", "xapp-", r"[A-Za-z0-9-]{10,}"),
    ("twilio_key", "SK", rf"{_H}{{32}}(?![0-9A-Za-z])"),
    ("sendgrid_key", "SG.", rf"{_W}{{16,}}\.{_W}{{16,}}"),
    ("mailgun_key", "key-", rf"{_H}{{32}}(?![0-9A-Za-z])"),
    ("brevo_key", "xkeysib-", rf"{_H}{{64}}-{_A}{{16}}"),
    ("brevo_key", "xsmtpsib-", rf"{_H}{{64}}-{_A}{{16}}"),
    ("resend_key", "re_", rf"(?=[A-Za-z]*[0-9]){_A}{{8}}_{_A}{{20,}}"),
    # payments and shops
    *(("stripe_key", f"{which}k_{mode}_", rf"{_A}{{16,}}") for which in "rs" for mode in ("live", "test", "prod")),
    ("stripe_webhook_secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    ("square_token", "sq0atp-", rf"{_W}{{22,}}"),
    ("square_token", "sq0csp-", rf"{_W}{{40,}}"),
    ("square_token", "EAAA", rf"(?=[A-Za-z_-]*[0-9]){_W}{{56,}}"),
    ("facebook_token", "EAA", rf"(?=[A-Za-z]*[0-9]){_A}{{90,}}"),
    *(("shopify_token", f"shp{which}_", r"[0-9a-fA-F]{32}") for which in ("at", "ca", "pa", "ss", "ua")),
    ("plaid_token", "access-sandbox-", _UUID),
    ("plaid_token", "access-development-", _UUID),
    ("plaid_token", "access-production-", _UUID),
    ("razorpay_key", "rzp_live_", rf"{_A}{{14,}}"),
    ("razorpay_key", "rzp_test_", rf"{_A}{{14,}}"),
    ("flutterwave_key", "FLWSECK", r"(?:_TEST)?-[0-9a-z]{12,32}(?:-X)?"),
    ("shippo_token", "shippo_live_", r"[0-9a-fA-F]{40}"),
    ("shippo_token", "shippo_test_", r"[0-9a-fA-F]{40}"),
    ("easypost_key", "EZAK", rf"{_A}{{54}}"),
    ("easypost_key", "EZTK", rf"{_A}{{54}}"),
    ("duffel_token", "duffel_live_", rf"{_W}{{43}}"),
    ("duffel_token", "duffel_test_", rf"{_W}{{43}}"),
    # watching and feature flags
    ("grafana_token", "glc_", rf"{_B}{{32,}}={{0,2}}"),
    ("grafana_token", "glsa_", rf"{_A}{{32}}_[0-9a-fA-F]{{8}}"),
    ("grafana_token", "eyJrIjoi", rf"{_A}{{60,}}={{0,2}}"),
    ("newrelic_key", "NRAK-", r"[A-Z0-9]{27}"),
    ("newrelic_key", "NRII-", rf"{_W}{{32}}"),
    ("newrelic_key", "NRJS-", rf"{_H}{{19}}"),
    ("sentry_token", "sntrys_", r"[A-Za-z0-9+/=_-]{40,}"),
    ("sentry_token", "sntryu_", rf"{_H}{{64}}"),
    ("dynatrace_token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("honeycomb_key", "hcaik_", r"[a-z0-9]{50,}"),
    ("posthog_key", "phx_", rf"{_A}{{40,}}"),
    ("launchdarkly_key", "sdk-", _UUID),
    ("launchdarkly_key", "api-", _UUID),
    # work
    ("linear_key", "lin_api_", rf"{_A}{{32,}}"),
    ("linear_key", "lin_oauth_", rf"{_H}{{64}}"),
    ("notion_token", "ntn_", rf"{_A}{{40,}}"),
    ("notion_token", "secret_", rf"{_A}{{43}}(?![A-Za-z0-9])"),
    ("figma_token", "figd_", rf"{_W}{{36,}}"),
    ("airtable_token", "pat", rf"{_A}{{14}}\.{_H}{{64}}"),
    ("hubspot_token", "pat-na1-", _UUID),
    ("hubspot_token", "pat-eu1-", _UUID),
    ("typeform_token", "tfp_", r"[A-Za-z0-9_.=-]{50,}"),
    ("contentful_token", "CFPAT-", rf"{_W}{{43}}"),
    ("mapbox_token", "sk.eyJ", rf"{_W}{{30,}}\.{_W}{{20,}}"),
    ("dropbox_token", "sl.", rf"{_W}{{100,}}"),
    ("yandex_key", "AQVN", rf"{_W}{{35,38}}(?![A-Za-z0-9_-])"),
    ("harness_token", "pat.", rf"{_W}{{22}}\.{_A}{{24}}\.{_A}{{20}}"),
    ("harness_token", "sat.", rf"{_W}{{22}}\.{_A}{{24}}\.{_A}{{20}}"),
    ("jwt", "eyJ", r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10,}"),
)


def _apart(width: int) -> str:
    """Nothing of a longer word before the beginning, of `width` characters, which stands before this.

    The `n` of a line break in a literal is no part of one, nor is what ends a percent escape or a terminal's colour.
    """
    before = (r"(?<=\\[nrt]", r"(?<=%[0-9A-F][0-9A-F]", r"(?<=[0-9]m")
    return rf"(?:(?<![A-Za-z0-9_-].{{{width}}})|{'|'.join(rf'{one}.{{{width}}})' for one in before)})"


def shape(kind: str, beginning: str, rest: str) -> Shape:
    """A key that begins with these letters, and not in the middle of a longer word."""
    # The look behind stands behind the beginning, so that the search can leap from one to the next.
    return Shape(kind, beginning, re.escape(beginning) + _apart(len(beginning)) + rest, re.DOTALL)


_WITHIN = (
    ("mailchimp_key", "-us", rf"(?<![0-9A-Za-z]){_H}{{32}}-us[0-9]{{1,2}}(?![0-9A-Za-z])"),
    ("azure_secret", "Q~", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("azure_devops_token", "AZDO", rf"(?<![A-Za-z0-9]){_A}{{76}}AZDO{_A}{{4}}(?![A-Za-z0-9])"),
    ("terraform_token", ".atlasv1.", rf"(?<![A-Za-z0-9]){_A}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,}}"),
    ("maxmind_key", "_mmk", rf"(?<![A-Za-z0-9]){_A}{{6}}_{_A}{{29}}_mmk"),
)

# Each needs a long word, which has its hint.
KEYS: tuple[Shape, ...] = (
    *(shape(*row) for row in _BEGINNINGS),
    *(Shape(*row) for row in _WITHIN),
)

# By the length of a long word from which on they are looked for in it: they have neither beginning nor hint.
BY_LENGTH: tuple[tuple[int, Shape], ...] = (
    (
        50,
        Shape("mailgun_key", "-", rf"(?<![0-9A-Za-z]){_H}{{32}}-{_H}{{8}}-{_H}{{8}}(?![0-9A-Za-z-])"),
    ),
    (
        58,
        Shape(
            "discord_token",
            ".",
            rf"(?<![A-Za-z0-9_-])[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,38}}(?![A-Za-z0-9_-])",
        ),
    ),
)

_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=_-])(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])")
_AWS_REACH = 400  # characters between an access key's id and its secret


def without_aws_secrets(text: str, id_mark: str) -> str:
    """The text without the 40 characters that stand near an AWS access key's id, which is a mark by now."""
    parts: list[str] = []
    position = start = 0
    while (at := text.find(id_mark, start)) >= 0:
        first, last = max(position, at - _AWS_REACH), at + _AWS_REACH
        for found in _AWS_SECRET.finditer(text, first, last):
            secret = found["secret"]
            mixed = not secret.isalnum() or not (secret.islower() or secret.isdigit() or secret.isupper())
            if mixed and not is_filled_in(secret):
                parts += [text[position : found.start()], "[redacted:aws_secret_key]"]
                position = found.end()
        start = max(at + len(id_mark), position)
    return "".join([*parts, text[position:]])
