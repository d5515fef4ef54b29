"""How a store that is no folder is reached: settings out of the environment, and refusals without a secret."""

from __future__ import annotations

import shlex
from datetime import timedelta
from typing import Any

import lancedb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.config import check_store
from memu_code.errors import UsageError
from memu_code.graph.connection import Connection
from memu_code.graph.options import LIMITS, VARIABLE, connect_arguments, secrets, store_options
from memu_code.graph.refusals import reason, scrubbed

KEY = "not-so-secret/0123456789abcdef"


def storage(uri: str = "s3://bucket/key", **environ: str) -> dict[str, str]:
    return dict(connect_arguments(uri, environ)["storage_options"])


def test_a_folder_needs_nothing() -> None:
    """Whatever the environment says."""
    assert connect_arguments("/tmp/store", {VARIABLE: "timeout=1s", "AWS_ENDPOINT_URL": "nonsense"}) == {}


@pytest.mark.parametrize("uri", ["s3://bucket/key", "gs://bucket/key", "az://container/key"])
def test_each_bucket_has_limits_in_time(uri: str) -> None:
    """Which `MEMU_CODE_STORE_OPTIONS` changes."""
    assert storage(uri) == LIMITS
    changed = storage(uri, **{VARIABLE: "timeout=60s  'proxy_excludes=a.example, b.example'"})
    assert changed == {**LIMITS, "timeout": "60s", "proxy_excludes": "a.example, b.example"}


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"])
def test_an_endpoint_has_a_region_and_is_encrypted(name: str) -> None:
    """An address of this machine need not be encrypted, another one only where that was said."""
    found = storage(**{name: "https://minio.example:9000"})
    assert (found["aws_endpoint"], found["aws_region"], found["allow_http"]) == (
        "https://minio.example:9000",
        "us-east-1",
        "false",
    )
    assert storage(**{name: "http://127.0.0.1:9000", "AWS_REGION": "eu-west-1"})["allow_http"] == "true"
    with pytest.raises(UsageError, match=r"The endpoint http://minio\.example is not encrypted: use https://"):
        storage(**{name: "http://minio.example:9000"})
    assert storage(**{name: "http://minio.example", VARIABLE: "allow_http=true"})["allow_http"] == "true"
    assert storage(**{name: "http://minio.example", "AWS_ALLOW_HTTP": "true"})["allow_http"] == "true"


def test_one_endpoint_is_left_of_several() -> None:
    """What is said here goes before what AWS's own tools read, and the address of S3 before that of all services."""
    environ = {"AWS_ENDPOINT_URL": "https://all.example", "AWS_ENDPOINT_URL_S3": "https://s3.example"}
    assert storage(**environ)["aws_endpoint"] == "https://s3.example"
    found = storage(**environ, **{VARIABLE: "endpoint=https://mine.example region=eu-west-3"})
    assert (found["aws_endpoint"], found["aws_region"]) == ("https://mine.example", "eu-west-3")
    assert "endpoint" not in found


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("time_out=5s", "unknown option 'time_out': is 'timeout' meant?"),
        ("wholly=other", r"unknown option 'wholly'\."),
        (f"timeout=5s {KEY}", r"Word 2 of MEMU_CODE_STORE_OPTIONS is no option: write key=value"),
        (f"'timeout=5s {KEY}", "has a quote that is never closed"),
        (f"endpoint=https://me:{KEY.replace('/', '')}@minio.example", "must hold no credentials"),
        (f"endpoint=minio:9000/{KEY}", "must be an address such as https://"),
    ],
)
def test_what_is_malformed_is_refused_without_being_shown(options: str, told: str) -> None:
    """It may be a secret."""
    with pytest.raises(UsageError, match=told) as refused:
        storage(**{VARIABLE: options})
    assert KEY not in str(refused.value)
    assert KEY.replace("/", "") not in str(refused.value)


@pytest.mark.parametrize(
    "uri",
    [
        f"s3://AKID:{KEY}@bucket/key",
        f"az://container/key?sig={KEY}",
        f"gs://bucket#{KEY}",
        f"ftp://me:{KEY}@host/x",
        "s3://",
        "s3:///key",
        "s3://bucket/../other",
        "s3://bucket/a key",
    ],
)
def test_a_uri_holds_a_name_and_nothing_else(uri: str) -> None:
    """Credentials in it would stand in every log."""
    with pytest.raises(UsageError) as refused:
        check_store(uri)
    assert KEY not in str(refused.value)


def test_a_uri_is_the_same_with_and_without_its_last_slash() -> None:
    """Or else its journals would be looked for elsewhere."""
    assert check_store("s3://bucket/key/") == check_store("s3://bucket/key") == "s3://bucket/key"


@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "db"])
@pytest.mark.parametrize("rest", [":/bucket/key", ":bucket/key", ":", ":/"])
def test_a_scheme_with_too_few_slashes_is_no_folder(scheme: str, rest: str) -> None:
    """Or else a store would be made in the working directory, and nobody would miss the bucket."""
    with pytest.raises(UsageError, match=f"write it as '{scheme}://bucket/key'"):
        check_store(f"{scheme}{rest}")
    assert check_store(f"folder/{scheme}{rest}").endswith(f"folder/{scheme}{rest.rstrip('/')}")


def test_the_service_gets_key_region_and_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """They reach `lancedb.connect`, with limits in time."""
    asked: list[tuple[str, dict[str, Any]]] = []

    class Answered(Exception):
        """Enough is known."""

    def connect(uri: str, **arguments: Any) -> None:
        asked.append((uri, arguments))
        raise Answered

    monkeypatch.setattr(lancedb, "connect", connect)
    monkeypatch.setenv("LANCEDB_API_KEY", "sk_" + "7" * 20)
    monkeypatch.setenv("LANCEDB_REGION", "eu-west-1")
    monkeypatch.setenv("LANCEDB_HOST_OVERRIDE", "https://lancedb.example")
    monkeypatch.setenv(VARIABLE, "timeout=12s")
    with pytest.raises(Exception, match="The store db://team cannot be opened"):
        Connection("db://team")
    ((uri, arguments),) = asked
    limits = arguments["client_config"].timeout_config
    assert uri == "db://team"
    assert (arguments["api_key"], arguments["region"]) == ("sk_" + "7" * 20, "eu-west-1")
    assert arguments["host_override"] == "https://lancedb.example"
    assert (limits.timeout, limits.connect_timeout) == (timedelta(seconds=12), timedelta(seconds=2))


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, "The store db://team needs an API key: set LANCEDB_API_KEY"),
        ({"LANCEDB_API_KEY": KEY, "LANCEDB_HOST_OVERRIDE": "http://lancedb.example"}, "is not encrypted"),
        ({"LANCEDB_API_KEY": KEY, VARIABLE: "timeout=soon"}, "needs a time such as 10s for timeout, not 'soon'"),
        ({"LANCEDB_API_KEY": KEY, VARIABLE: "aws_region=x"}, "an option 'aws_region' that db:// does not know"),
    ],
)
def test_what_the_service_cannot_be_asked_with_is_refused(environ: dict[str, str], told: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(UsageError, match=told) as refused:
        connect_arguments("db://team", environ)
    assert KEY not in str(refused.value)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,20}", fullmatch=True), st.text("abcXYZ019 =+/'\"\\,;", max_size=30)))
def test_every_option_comes_through_a_shells_quotes(options: dict[str, str]) -> None:
    """Whatever signs its value has."""
    quoted = (shlex.quote(f"{key}={value}") for key, value in options.items())
    assert store_options({VARIABLE: " ".join(quoted)}) == options


def test_no_message_holds_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that the environment holds nor one that a store repeats; the errors behind it neither."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    monkeypatch.setenv(VARIABLE, "azure_storage_account_key=azure-key-98765 timeout=5s")
    assert secrets() == [KEY, "azure-key-98765"]
    first = RuntimeError(f"the header x-amz-security-token:IQoJb3JpZ2luX2VjE is wrong, says {KEY}")
    error = RuntimeError(f"something new with {KEY} and azure-key-98765")
    error.__cause__ = first
    assert reason("s3://bucket/key", error) == "something new with *** and ***"
    scrubbed("s3://bucket/key", error)
    assert str(first) == "the header x-amz-security-token:*** is wrong, says ***"
    assert reason("/tmp/store", RuntimeError(f"a folder named {KEY}\nand more")) == f"a folder named {KEY}"
