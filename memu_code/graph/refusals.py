"""What LanceDB and object stores say when something fails, told in one sentence and without a secret."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memu_code.graph.options import SERVICE, VARIABLE, secrets

_LONGEST = 240
_CREDENTIALS = {
    "s3://": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile that AWS_PROFILE names",
    "gs://": "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS",
    "az://": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    SERVICE: "LANCEDB_API_KEY",
}
_REGION = re.compile(r"<(?:Region|BucketRegion)>([a-z0-9-]{3,30})<|expecting '([a-z0-9-]{3,30})'")


SILENT = "operation timed out"  # what is raised where nothing was said at all


@dataclass(frozen=True, slots=True)
class _Kind:
    """Words by which a failure is known, and what is said of it."""

    words: re.Pattern[str]
    told: str


def _kind(words: str, told: str) -> _Kind:
    return _Kind(re.compile(words, re.IGNORECASE), told)


# Looked through in this order: an answer of the store says more than that there were retries.
_KINDS = (
    _kind(
        r"ExpiredToken|TokenRefreshRequired|InvalidToken",
        "its credentials have expired: get new ones, or unset AWS_SESSION_TOKEN",
    ),
    _kind(
        r"no providers in chain|CredentialsNotLoaded|Failed to get AWS credentials|TokenRequest|no Azure account name"
        r"|metadata\.google\.internal|169\.254\.169\.254",
        "no credentials were found: set {credentials}",
    ),
    _kind(r"resolve region|prevents automatic region detection", "its region is not known: set AWS_REGION"),
    _kind(
        r"PermanentRedirect|BareRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint",
        "the bucket is in another region{region}: set AWS_REGION to it",
    ),
    _kind(
        r"InvalidAccessKeyId|SignatureDoesNotMatch|Unauthori[sz]ed|Unauthenticated|InvalidAuthentication|status:? 401"
        r"|\b401\b.*(?:api|key)",
        "its credentials are refused: check {credentials}",
    ),
    _kind(r"RequestTimeTooSkewed", "the clock of this machine is wrong by more than the store allows"),
    _kind(
        r"AccessDenied|Forbidden|status:? 403|PermissionDenied|AuthorizationFailure",
        "its credentials may not do that there: they must be allowed to list, read, write and delete",
    ),
    _kind(
        r"NoSuchBucket|ContainerNotFound|bucket does not exist|Bucket .{3,80} not found|404 Not Found: database",
        "there is no such bucket or database: make it first, or check its name and its endpoint",
    ),
    _kind(
        r"allow_http|URL scheme is not allowed",
        f"its endpoint is not encrypted: use https://, or say {VARIABLE}='allow_http=true'",
    ),
    _kind(
        r"certificate|invalid peer|UnknownIssuer|tls handshake",
        "the certificate of its endpoint is not trusted on this machine",
    ),
    _kind(
        r"invalid (?:list|put|get|xml|multipart) |InvalidListResponse|unexpected (?:end of xml|body)|missing field"
        r"|header.*missing|Missing (?:ETag|header)|unknown start event|ill-formed|IllFormed",
        "what answers at its endpoint does not speak the protocol of an object store",
    ),
    _kind(
        r"status:? (?:429|5\d\d)|SlowDown|ServiceUnavailable|InternalError|Server error|Hit retry limit",
        "the object store answers that it is broken or busy",
    ),
    _kind(
        rf"{SILENT}|TimedOut|kind: Timeout|request timed out|deadline has elapsed",
        f"it does not answer in time; a slow network may need more, as in {VARIABLE}='timeout=60s'",
    ),
    _kind(
        r"error sending request|connection (?:refused|reset|closed)|dns error|failed to lookup|ConnectError|tcp connect"
        r"|error decoding response body|IncompleteMessage|broken pipe|unreachable|request or response body error",
        "it cannot be reached: check the network and its endpoint",
    ),
)
_PLACE = re.compile(r",? ?/\S+\.rs:\d+:\d+")  # where in LanceDB's own source
_ECHOED = re.compile(r"((?:x-amz-security-token|authorization|x-api-key)[:=]\s*)[^\s<&]+", re.IGNORECASE)
_CONFLICT = re.compile(r"conflict|too many concurrent writers|TooMuchWriteContention", re.IGNORECASE)


def reason(uri: str, error: BaseException) -> str:
    """Why something failed: of a folder the first line of the error, of another store what to do about it."""
    text = str(error).strip()
    if "://" not in uri:
        return _first_line(text, error)
    if (kind := _kind_of(text)) is None:
        return _without_secrets(_first_line(_PLACE.sub("", text), error))
    found = _REGION.search(text)
    region = f", {found[1] or found[2]}" if found else ""
    credentials = next(known for scheme, known in _CREDENTIALS.items() if uri.startswith(scheme))
    return f"{kind.told.format(region=region, credentials=credentials)}."


def is_away(error: BaseException) -> bool:
    """Whether a store that is no folder was out of reach, or let nobody in: all that is known here."""
    return _kind_of(str(error)) is not None


def is_conflict(error: BaseException) -> bool:
    """Whether somebody else wrote at the same time, so that it is worth while to try again."""
    return _CONFLICT.search(str(error)) is not None


def scrubbed(uri: str, error: Exception) -> Exception:
    """The same error without secrets in it and in those it came from, since whoever logs it logs them all.

    S3 repeats the headers of a request that it refuses, a session's token among them.
    """
    link: BaseException | None = error if "://" in uri else None
    while link is not None:
        text = str(link)
        if (clean := _without_secrets(text)) != text:
            link.args = (clean,)
        link = link.__cause__ or link.__context__
    return error


def _kind_of(text: str) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.words.search(text)), None)


def _first_line(text: str, error: BaseException) -> str:
    """The first line, since LanceDB's errors hold whole stack traces."""
    first = text.splitlines()[0] if text else type(error).__name__
    return first if len(first) <= _LONGEST else first[: _LONGEST - 3] + "..."


def _without_secrets(text: str) -> str:
    for secret in secrets():
        text = text.replace(secret, "***")
    return _ECHOED.sub(r"\1***", text)
