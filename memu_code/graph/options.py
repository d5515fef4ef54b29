"""How a store that is no folder is reached: address, credentials and time limits, out of the environment.

What LanceDB reads from the environment itself (`AWS_ACCESS_KEY_ID`, `GOOGLE_SERVICE_ACCOUNT`,
`AZURE_STORAGE_ACCOUNT_KEY` and their like, profiles, roles of a machine) stays there. Added here are limits in time,
which must suit a prompt that waits, the endpoint, and whatever `MEMU_CODE_STORE_OPTIONS` says: `timeout=60s`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from lancedb.remote import ClientConfig, RetryConfig, TimeoutConfig

from memu_code.errors import UsageError

SERVICE = "db://"  # LanceDB Enterprise and Cloud
VARIABLE = "MEMU_CODE_STORE_OPTIONS"

# A request that hangs is given up after `timeout` and not sent again, since no time is left then for retries; one that
# is refused, or answered with 5xx, is sent again at once, three times within a second or two.
LIMITS = {
    "connect_timeout": "2s",
    "timeout": "8s",
    "client_max_retries": "3",
    "client_retry_timeout": "6",  # seconds, after which nothing is sent again
    "download_retry_count": "1",
    "lance_aimd_max_retries": "0",  # retries of retries, which would multiply all of the above
}
_GENERAL = (
    *LIMITS,
    *("allow_http", "allow_invalid_certificates", "user_agent", "http1_only", "http2_only", "randomize_addresses"),
    *("pool_idle_timeout", "pool_max_idle_per_host", "proxy_url", "proxy_ca_certificate", "proxy_excludes"),
    *("region", "virtual_hosted_style_request", "s3_express", "endpoint", "account_name", "service_account"),
)
_PREFIXES = ("aws_", "google_", "azure_", "lance_")
_SERVICE_OPTIONS = ("api_key", "region", "host_override", "timeout", "connect_timeout", "allow_http")
_ENDPOINTS = ("aws_endpoint", "aws_endpoint_url", "endpoint", "endpoint_url")  # all names of one thing
_DURATION = re.compile(r"(\d{1,6})\s?(ms|s|m)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SECRET_NAME = re.compile(r"SECRET|TOKEN|KEY|PASSWORD|SAS|CREDENTIAL", re.IGNORECASE)
_SECRET_OWNER = re.compile(r"(?:AWS|AZURE|GOOGLE|LANCEDB)_")
_SHORTEST_SECRET = 6  # a shorter value would blot out words of a message


def connect_arguments(uri: str, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """What `lancedb.connect` needs for a store beside its URI; nothing for a folder.

    Raises:
        UsageError: a setting is malformed, unknown or missing, or would send everything over the network unencrypted.
    """
    if "://" not in uri:
        return {}
    given = store_options(environ)
    if uri.startswith(SERVICE):
        return _service(uri, given, environ)
    return {"storage_options": _storage(uri, given, environ)}


def store_options(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The options of `MEMU_CODE_STORE_OPTIONS`, `key=value` with spaces between them, quoted as in a shell.

    Raises:
        UsageError: it is not made of such pairs.
    """
    try:
        words = shlex.split(environ.get(VARIABLE, ""))
    except ValueError:
        raise UsageError(f"{VARIABLE} has a quote that is never closed.") from None
    options = {}
    for number, word in enumerate(words, 1):
        key, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z0-9_]+", key):  # which may be a secret, so it is not shown
            raise UsageError(f"Word {number} of {VARIABLE} is no option: write key=value, such as timeout=60s.")
        options[key.lower()] = value
    return options


def patience(environ: Mapping[str, str] = os.environ) -> float:
    """How many seconds are waited before a store has to show that it answers at all: half of what a request may take.

    Raises:
        UsageError: the time that is set is none.
    """
    return _seconds("timeout", store_options(environ).get("timeout", LIMITS["timeout"])).total_seconds() / 2


def secrets(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The values that no message may hold, longest first."""
    found = {value for name, value in environ.items() if _SECRET_OWNER.match(name) and _SECRET_NAME.search(name)}
    try:
        found.update(value for name, value in store_options(environ).items() if _SECRET_NAME.search(name))
    except UsageError:
        found.update(environ.get(VARIABLE, "").split())
    return sorted((value for value in found if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)


def _storage(uri: str, given: dict[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    for key in given:
        if key not in (*_GENERAL, *_ENDPOINTS) and not key.startswith(_PREFIXES):
            raise UsageError(f"{VARIABLE} has an unknown option {key!r}{_like(key, _GENERAL)}.")
    named = [given.pop(key) for key in _ENDPOINTS if key in given]
    options = {**LIMITS, **given}
    if not uri.startswith("s3://"):
        if named:
            options["azure_endpoint" if uri.startswith("az://") else "google_base_url"] = named[0]
            _encrypted(named[0], options)
        account = environ.get("AZURE_STORAGE_ACCOUNT_NAME")
        if account and uri.startswith("az://"):  # LanceDB needs it before it looks into the environment
            options.setdefault("azure_storage_account_name", account)
        return options
    known = (environ.get(name, "") for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"))
    if endpoint := next(filter(None, (*named, *known)), ""):
        options["aws_endpoint"] = endpoint
        options.setdefault("allow_http", environ.get("AWS_ALLOW_HTTP", "false"))
        _encrypted(endpoint, options)
    region = options.pop("region", "") or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    if region or endpoint:  # LanceDB asks AWS without either, and without a region behind an endpoint the machine
        options.setdefault("aws_region", region or "us-east-1")
    return options


def _encrypted(endpoint: str, options: dict[str, str]) -> None:
    """Refuse what is no address, or goes over the network unencrypted without anybody having said so."""
    try:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError("The endpoint of the store must be an address such as https://minio.example:9000.")
    if parts.username or parts.password:
        raise UsageError("The endpoint of the store must hold no credentials: they belong in the environment.")
    if parts.scheme == "http":
        if host not in _LOOPBACK and options.get("allow_http", "").lower() not in ("1", "true"):
            raise UsageError(
                f"The endpoint http://{host} is not encrypted: use https://, or say {VARIABLE}='allow_http=true'."
            )
        options["allow_http"] = "true"


def _service(uri: str, given: dict[str, str], environ: Mapping[str, str]) -> dict[str, Any]:
    for key in given:
        if key not in _SERVICE_OPTIONS:
            known = _like(key, _SERVICE_OPTIONS)
            raise UsageError(f"{VARIABLE} has an option {key!r} that {SERVICE} does not know{known}.")
    api_key = given.get("api_key") or environ.get("LANCEDB_API_KEY", "")
    if not api_key:
        raise UsageError(f"The store {uri} needs an API key: set LANCEDB_API_KEY.")
    host = given.get("host_override") or environ.get("LANCEDB_HOST_OVERRIDE") or None
    if host:
        _encrypted(host, given)
    whole, begin = (_seconds(key, given.get(key, LIMITS[key])) for key in ("timeout", "connect_timeout"))
    return {
        "api_key": api_key,
        "region": given.get("region") or environ.get("LANCEDB_REGION") or "us-east-1",
        "host_override": host,
        "client_config": ClientConfig(
            retry_config=RetryConfig(retries=2, connect_retries=1, read_retries=1),
            timeout_config=TimeoutConfig(timeout=whole, connect_timeout=begin, read_timeout=whole),
        ),
    }


def _seconds(key: str, text: str) -> timedelta:
    if not (found := _DURATION.fullmatch(text.strip())):
        raise UsageError(f"{VARIABLE} needs a time such as 10s for {key}, not {text[:20]!r}.")
    return timedelta(seconds=int(found[1]) * _SECONDS[found[2]])


def _like(key: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(key, known, 1)
    return f": is {near[0]!r} meant?" if near else ""
