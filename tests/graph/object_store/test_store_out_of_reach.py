"""A store that is silent, broken, hostile or gone: the agent goes on, its run waits, and no secret is told."""

from __future__ import annotations

import logging
import traceback
from concurrent.futures import ThreadPoolExecutor

import lancedb
import pytest
from typer.testing import CliRunner

from benchmarks.fault_proxy import Fault, FaultProxy
from benchmarks.s3_server import KEY_ID, SECRET, S3Server
from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory
from memu_code.cli import app
from memu_code.errors import UnreachableError
from memu_code.graph import Store, outage
from memu_code.runs import waiting
from tests.graph.conftest import MARK
from tests.graph.object_store.conftest import client_of

TOKEN = "IQoJb3JpZ2luX2VjEJr//////////session-token"


AZURE_KEY = "YXp1cmUta2V5LTk4NzY1NDMyMTA="


def place_of(name: str) -> str:
    """The store in the bucket of this name, by its scheme."""
    schemes = {"azure": "az", "google": "gs"}
    return f"{schemes.get(name, 's3')}://{name}/team"


def said(status: int, code: str, text: str = "", more: str = "") -> Fault:
    """What S3 answers when it refuses something, with all that it repeats of the request."""
    repeated = f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId><CanonicalRequest>GET\n/\nx-amz-security-token:{TOKEN}\n"
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{text}</Message>{more}'
    return Fault(status=status, body=f"{start}{repeated}</CanonicalRequest></Error>".encode())


REGION = "<Region>eu-central-1</Region>"
FAULTS = {
    "key": (said(403, "InvalidAccessKeyId"), "its credentials are refused: check AWS_ACCESS_KEY_ID and"),
    "secret": (said(403, "SignatureDoesNotMatch"), "its credentials are refused: check AWS_ACCESS_KEY_ID and"),
    "expired": (said(400, "ExpiredToken"), "its credentials have expired"),
    "denied": (said(403, "AccessDenied"), "its credentials may not do that there"),
    "bucket": (said(404, "NoSuchBucket", "The specified bucket does not exist"), "there is no such bucket or database"),
    "region": (said(400, "AuthorizationHeaderMalformed", more=REGION), "in another region, eu-central-1: set"),
    "moved": (said(301, "PermanentRedirect"), "the bucket is in another region: set AWS_REGION"),
    "skewed": (said(403, "RequestTimeTooSkewed"), "the clock of this machine is wrong"),
    "busy": (said(503, "SlowDown"), "the object store answers that it is broken or busy"),
    "broken": (said(500, "InternalError"), "the object store answers that it is broken or busy"),
    "website": (Fault(status=200, body=b"<html>Welcome!</html>"), "does not speak the protocol of an object store"),
    "azure": (said(403, "AuthorizationFailure"), "its credentials may not do that there"),
    "google": (said(404, "NoSuchBucket"), "there is no such bucket or database"),
    "hangs": (Fault(hang=True), "it does not answer in time"),
    "drops": (Fault(drop=True), "it cannot be reached: check the network and its endpoint"),
}


def test_each_refusal_is_one_sentence_without_a_secret(
    proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In the error, in those behind it, in the log, and on the command line, which exits with 1."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    options = f"timeout=4s client_max_retries=0 endpoint={proxy.endpoint} google_skip_signature=true"
    account = f"azure_storage_account_name=acme azure_storage_account_key={AZURE_KEY}"
    monkeypatch.setenv("MEMU_CODE_STORE_OPTIONS", f"{options} {account}")
    caplog.set_level(logging.DEBUG)
    proxy.faults = {name: fault for name, (fault, _) in FAULTS.items()}

    def refused(name: str) -> UnreachableError:
        with pytest.raises(UnreachableError) as caught:
            Store(place_of(name), MARK)
        return caught.value

    with ThreadPoolExecutor(len(FAULTS)) as together:
        errors = dict(zip(FAULTS, together.map(refused, FAULTS), strict=True))
    for name, (_, sentence) in FAULTS.items():
        assert str(errors[name]).startswith(f"The store {place_of(name)} cannot be "), name
        assert sentence in str(errors[name])
    told = ["".join(traceback.format_exception(error)) for error in errors.values()]
    for name in ("secret", "hangs"):
        found = CliRunner().invoke(app, ["query", "parse stamps", "--store", f"s3://{name}/team"])
        assert (found.exit_code, found.stdout) == (1, "")
        assert FAULTS[name][1] in found.stderr
        assert len(found.stderr.splitlines()) == 1
        told.append(found.stderr)
    assert not [text for text in (*told, caplog.text) if SECRET in text or TOKEN in text or AZURE_KEY in text]


def test_the_service_is_asked_with_its_key_which_is_never_told(
    proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LanceDB Enterprise itself is not there to be asked; what is sent to its address is."""
    monkeypatch.delenv("MEMU_CODE_STORE_OPTIONS")
    monkeypatch.setenv("LANCEDB_API_KEY", SECRET)
    monkeypatch.setenv("LANCEDB_HOST_OVERRIDE", proxy.endpoint)
    proxy.faults = {"v1": Fault(status=401, body=f"no such key: {SECRET}".encode())}
    with pytest.raises(
        UnreachableError, match="db://team cannot be opened: its credentials are refused: check LANCE"
    ) as e:
        Store("db://team", MARK)
    assert proxy.headers["x-api-key"] == SECRET
    assert SECRET not in "".join(traceback.format_exception(e.value))


def test_the_doctor_says_what_is_wrong_with_a_store_out_of_reach(proxy: FaultProxy) -> None:
    """As one problem among its facts."""
    proxy.faults = {"sick": FAULTS["hangs"][0]}
    found = CliRunner().invoke(app, ["doctor", "--store", "s3://sick/team"])
    assert found.exit_code == 1
    told = " ".join(found.stdout.split())
    assert told.count("Problem: ") == 1
    assert "Problem: The store s3://sick/team cannot be opened: it does not answer in time" in told


def test_a_run_goes_on_without_its_store_and_is_taken_in_later_once(
    server: S3Server, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No block and the same answer; a store that was waited for once is not tried again for the run's whole length."""
    monkeypatch.setattr(outage, "SLOW", 0.3)
    monkeypatch.setattr(outage, "FIRST_PAUSE", 240.0)  # a busy machine may take long for the rest
    tried: list[str] = []
    connect = lancedb.connect
    monkeypatch.setattr(lancedb, "connect", lambda uri, **rest: (tried.append(uri), connect(uri, **rest))[1])
    server.make("silent")
    proxy.faults = {"silent": FAULTS["hangs"][0]}
    with CodeMemory.open("s3://silent/team") as memory:
        agent = memory.attach(scripted_agent(lambda step: ("x = nowhere", "final_answer(6)")[step - 1], 2))
        assert agent.run("Add up the pressures of all valves") == 6
        assert len(waiting(memory.places)) == 1
    assert tried == ["s3://silent/team"]
    assert FAULTS["hangs"][1] in caplog.text
    assert SECRET not in caplog.text
    proxy.faults = {}
    monkeypatch.delenv("MEMU_CODE_STORE_OPTIONS")
    monkeypatch.setattr(outage, "_known", {})  # as another process, which knows nothing of it
    for _ in range(2):
        with CodeMemory.open("s3://silent/team") as memory:
            (row,) = memory.runs()
            assert (row["outcome"], row["steps"], len(waiting(memory.places))) == ("answered", 2, 0)


def test_a_bucket_that_vanishes_in_the_middle_of_a_run_changes_nothing(
    at_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the run would have taught waits until there is a bucket again."""
    at_server.make("vanishing")

    def code_of(step: int) -> str:
        if step == 2:
            client_of(at_server).delete_dir("vanishing")
        return ("x = 1", "final_answer(6)")[step - 1]

    with CodeMemory.open("s3://vanishing/team") as memory:
        assert memory.attach(scripted_agent(code_of, 2)).run("Add up the pressures of all valves") == 6
        assert len(waiting(memory.places)) == 1
    at_server.make("vanishing")
    monkeypatch.setattr(outage, "_known", {})
    with CodeMemory.open("s3://vanishing/team") as memory:
        assert [(row["outcome"], row["steps"]) for row in memory.runs()] == [("answered", 2)]
