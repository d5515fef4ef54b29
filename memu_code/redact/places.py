"""Secrets that are known by where they stand: in addresses, headers, cookies, connection strings and commands."""

from __future__ import annotations

import re

from memu_code.redact.marks import Shape, marked
from memu_code.redact.placeholders import is_placeholder
from memu_code.redact.services import shape

_TOKEN = r"[A-Za-z0-9._~+/=-]"
_SCHEME = r"bearer|basic|token|digest|apikey|api-key|bot|ssws|sso-key|key|splunk|genie-?key"

_WORDS = re.compile(r"[A-Za-z_]+(?:[_.-][A-Za-z]+)*|[A-Za-z_]+\.[a-z_]\w*")

_PARAMETER = (
    r"(?:x-)?(?:api_?-?key|access_?token|auth_?token|id_token|refresh_token|token|client_secret|secret|password|passwd"
    r"|pwd|sig|signature|key|auth|code|access_key|subscription-key|apikey|app_key|private_token|amz-signature"
    r"|amz-security-token|amz-credential|goog-signature|session_?id|sid|jwt)=(?P<secret>[A-Za-z0-9._~+/%=!$*@:-]{6,})"
)

PLACES: tuple[Shape, ...] = (
    shape("key", "sk-live-", r"[A-Za-z0-9_-]{3,}"),
    Shape(
        "authorization",
        "uthorization",
        rf"uthorization\\{{0,2}}[\"']?\s{{0,4}}[:=,]\s{{0,4}}\\{{0,2}}[bf]?[\"']?(?:{_SCHEME})\s{{1,4}}"
        rf"(?P<secret>{_TOKEN}{{6,}})",
        re.IGNORECASE,
    ),
    Shape(
        "authorization",
        "uthorization",
        r"uthorization\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}\\{0,2}[\"']?"
        r"(?P<secret>(?=[^\s\"'(]{0,60}[0-9])(?=[^\s\"']{0,60}[A-Za-z])[A-Za-z0-9._~+/=-]{16,})(?![(\w])",
        re.IGNORECASE,
    ),
    Shape("bearer_token", "earer ", rf"[Bb]earer (?P<secret>(?=[^\s0-9]{{0,40}}[0-9]){_TOKEN}{{16,}})"),
    Shape(
        "cookie",
        "ookie",
        r"ookie\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}\\{0,2}[\"']?(?:[^\s=;\"']{1,60}=[^\s;\"']{0,300};\s{0,2}){0,6}?"
        r"[A-Za-z0-9_.-]{0,30}(?:sess|sid|auth|token|jwt|csrf|remember|login)[A-Za-z0-9_.-]{0,30}="
        r"(?P<secret>[^\s;\"'\\]{12,1000})",
        re.IGNORECASE,
    ),
    Shape("url_password", "@", r"://[^\s/:@\"'<>{}]{0,200}:(?P<secret>[^\s/\"'<>]{1,200})@"),
    Shape(
        "url_token",
        "@",
        r"://(?P<secret>(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,200})(?=:?(?:x-oauth-basic)?@)",
    ),
    Shape("url_parameter", "?", rf"\?{_PARAMETER}", re.IGNORECASE),
    Shape("url_parameter", "&", rf"&(?:amp;)?{_PARAMETER}", re.IGNORECASE),
    Shape("slack_webhook", "hooks.slack", r"hooks\.slack\.com/\w{1,20}/(?P<secret>[A-Za-z0-9/+]{20,})"),
    Shape("discord_webhook", "/webhooks/", r"/webhooks/[0-9]{5,25}/(?P<secret>[A-Za-z0-9_-]{40,})"),
    Shape("teams_webhook", "/IncomingWebhook/", r"/IncomingWebhook/(?P<secret>[A-Za-z0-9/-]{30,})"),
    Shape("azure_key", "AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,})"),
    Shape("azure_key", "SharedAccessKey=", r"SharedAccessKey=(?P<secret>[A-Za-z0-9+/=]{20,})"),
    Shape("azure_signature", "SharedAccessSignature", r"[ &]sig=(?P<secret>[A-Za-z0-9%+/=]{20,})"),
    Shape("telegram_token", ":AA", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    Shape("paypal_token", "access_token$", r"access_token\$[a-z]{4,12}\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    Shape(
        "jdbc_password",
        "jdbc:oracle",
        r"jdbc:oracle:\w{1,8}:[^\s/@\"']{1,60}/(?P<secret>[^\s@\"']{1,100})@",
    ),
    Shape(
        "password",
        "curl",
        r"(?<=\s)(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"'$]{1,100}:(?P<secret>[^\s\"'$][^\s\"']{2,200})",
    ),
    Shape("password", "sshpass", r"sshpass\s{1,4}-p\s{0,4}[\"']?(?P<secret>[^\s\"'$][^\s\"']{2,200})"),
    Shape(
        "password",
        "mysql",
        r"mysql(?:dump|admin)?\s[^\n|;]{0,200}?\s-p(?P<secret>[^\s\"'$-][^\s\"']{3,100})",
    ),
    Shape(
        "password",
        ":5432:",
        r"^[\w.*-]{1,200}:5432:[^\s:]{1,100}:[^\s:]{1,100}:(?P<secret>[^\s]{3,200})$",
        re.MULTILINE,
    ),
    *(
        Shape(
            "password",
            beginning,
            rf"{beginning}\(\s{{0,8}}[bfr]?(?P<quote>[\"'])[^\"'\n]{{1,100}}(?P=quote)\s{{0,4}},\s{{0,8}}[bfr]?"
            r"(?P<other>[\"'])(?P<secret>[^\"'\n]{4,200})(?P=other)",
        )
        for beginning in ("BasicAuth", "DigestAuth", "basic_auth")
    ),
    Shape("private_key", '"kty"', r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<secret>[A-Za-z0-9_-]{20,})\""),
)

_MAY_BE_WORDS = frozenset({"authorization", "cookie", "url_parameter"})


def _is_said(value: str) -> bool:
    """Whether a value is a placeholder, a word, or a name of code."""
    words = _WORDS.fullmatch(value) and (len(value) < 20 or "." in value)
    return bool(words) or is_placeholder(value)


_REPLACEMENTS = tuple(
    marked(place.kind, _is_said if place.kind in _MAY_BE_WORDS else is_placeholder) for place in PLACES
)


def without_placed(text: str) -> str:
    """The text with marks in the place of secrets that their surroundings give away."""
    for place, replacement in zip(PLACES, _REPLACEMENTS, strict=True):
        if place.hint in text:
            text = place.pattern.sub(replacement, text)
    return text
