"""What of a bucket cannot be seen or is just changing is left alone, and a forgetting says so in the end."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from pyarrow import fs

from benchmarks.s3_server import S3Server
from memu_code import CodeMemory
from memu_code.errors import UnreachableError
from memu_code.graph import objects
from memu_code.graph.objects import Objects
from tests.learn.kept import SPACE, a_run, reader


@pytest.fixture
def bucket(tmp_path: Path) -> Objects:
    """A table with one version that names one of its two files; both are old."""
    found = Objects.__new__(Objects)
    found._uri, found._base, found._files = "s3://bucket/key", PurePosixPath(tmp_path), fs.LocalFileSystem()
    for name, data in (("data/kept", ""), ("data/lost", ""), ("_versions/1.manifest", "kept"), ("data/new", "")):
        path = tmp_path / "nodes.lance" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data)
        if name.startswith("data/") and name != "data/new":
            os.utime(path, (1.0, 1.0))
    return found


def files(tmp_path: Path) -> set[str]:
    return set(os.listdir(tmp_path / "nodes.lance" / "data"))


def test_a_file_that_no_version_names_goes(bucket: Objects, tmp_path: Path) -> None:
    """Once it is old."""
    assert bucket.drop_orphans(["nodes"]) == 1
    assert files(tmp_path) == {"kept", "new"}


@pytest.mark.parametrize("versions", [["1.manifest"], ["1.manifest", "2.manifest"], []])
def test_nothing_goes_where_a_version_goes_meanwhile(
    bucket: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: list[str]
) -> None:
    """One of them, all of them, or before any was seen: what it named may be alive in one that came later."""
    folder = tmp_path / "nodes.lance" / "_versions"
    (folder / "2.manifest").write_text("kept")
    listed = Objects._listed

    def then_gone(self: Objects, under: PurePosixPath) -> list[Any]:
        if not versions:
            for path in folder.iterdir():
                path.unlink()
        found = listed(self, under)
        for name in versions:
            (folder / name).unlink()
        return found

    monkeypatch.setattr(Objects, "_listed", then_gone)
    assert bucket.drop_orphans(["nodes"]) == 0
    assert files(tmp_path) == {"kept", "lost", "new"}


@pytest.mark.parametrize(
    "name", ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH", "GOOGLE_SERVICE_ACCOUNT_KEY"]
)
def test_a_service_account_that_only_lancedb_finds_is_said(name: str) -> None:
    """With what to set beside it; without asking anybody."""
    with pytest.raises(UnreachableError, match="set GOOGLE_APPLICATION_CREDENTIALS"):
        Objects("gs://bucket/key", {name: "/keys/one.json"})
    assert Objects("gs://bucket/key", {name: "/keys/one.json", "GOOGLE_APPLICATION_CREDENTIALS": "/keys/one.json"})


def test_endpoints_and_credentials_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that LanceDB has of them."""
    given: list[dict[str, Any]] = []
    for name in ("GcsFileSystem", "AzureFileSystem"):
        monkeypatch.setattr(objects.fs, name, lambda *_, **more: given.append(more))
    options = {"MEMU_CODE_STORE_OPTIONS": "endpoint=https://here.example:9000"}
    client = {"AZURE_CLIENT_ID": "a", "AZURE_CLIENT_SECRET": "b", "AZURE_TENANT_ID": "c"}
    Objects("gs://bucket/key", options)
    Objects("az://bucket/key", {**options, **client, "AZURE_STORAGE_ACCOUNT_NAME": "ann"})
    Objects("az://bucket/key", {**options, "AZURE_CLIENT_ID": "a", "AZURE_STORAGE_ACCOUNT_KEY": "key"})
    assert (given[0]["scheme"], given[0]["endpoint_override"]) == ("https", "here.example:9000")
    assert (given[1]["blob_storage_scheme"], given[1]["blob_storage_authority"]) == ("https", "here.example:9000")
    assert [given[1][name] for name in ("client_id", "client_secret", "tenant_id")] == ["a", "b", "c"]
    assert (given[2]["client_id"], given[2]["account_key"]) == (None, "key")


def test_a_forgetting_is_completed_where_the_objects_cannot_be_seen(
    at_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows and old versions go, nothing is pending, and the proof says that the bytes were not looked at."""

    def refused(*_: object) -> list[Any]:
        raise UnreachableError("The objects cannot be read: no.")

    monkeypatch.setattr(Objects, "_listed", refused)
    with CodeMemory.open("s3://memory/unseen", space=SPACE, reader=reader(SPACE)) as memory:
        memory.remember(a_run("giraffe"))
        _, proof = memory.forget("run_0000", grace=0.0)
        assert proof.found == ("The objects cannot be read: no.",)
        assert not memory._open_store().pending()
        assert memory.runs() == []
