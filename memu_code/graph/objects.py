"""The objects that a store in a bucket is made of, beside what LanceDB shows of them: counted, searched, tidied up.

A forgetting has to prove that no byte is left, which takes the bytes themselves.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from pyarrow import fs

from memu_code.errors import UnreachableError
from memu_code.graph.options import SERVICE, connect_arguments
from memu_code.graph.refusals import reason

# A write puts its files there first, and names them in a new version of the table afterwards. One that loses against
# another writer leaves files that no version names. So old must they be before they can be nobody's.
ORPHAN_SECONDS = 300.0
_PART = 8_000_000  # bytes that are searched at a time
_TRYING = timedelta(seconds=10)  # pyarrow would try for a quarter of an hour
# by which LanceDB finds a service account, and pyarrow does not
_GOOGLE_KEYS = (
    "google_service_account",
    "google_service_account_path",
    "google_service_account_key",
    "service_account",
)


class Objects:
    """The objects under a store's URI.

    Raises:
        UnreachableError: the service behind `db://` shows none, or the bucket cannot be listed or read.
    """

    def __init__(self, uri: str, environ: Mapping[str, str] = os.environ) -> None:
        self._uri = uri
        if uri.startswith(SERVICE):
            raise UnreachableError(f"The bytes of {uri} lie with the service: they cannot be seen from here.")
        parts = urlsplit(uri)
        self._base = PurePosixPath(parts.netloc, parts.path.strip("/"))
        try:
            self._files = _file_system(parts.scheme, connect_arguments(uri, environ)["storage_options"], environ)
        except (OSError, ValueError) as error:
            raise self._refused(error) from None

    def size(self) -> int:
        """The bytes of all objects."""
        return sum(found.size for found in self._listed(self._base))

    def search(self, wanted: Sequence[bytes]) -> tuple[int, int, list[str]]:
        """How many objects there are, how many bytes they have, and the names of those that hold one of these texts."""
        objects = self._listed(self._base)
        held = [self._shown(found) for found in objects if self._holds(found, wanted)]
        return len(objects), sum(found.size for found in objects), held

    def indexes(self, tables: Collection[str]) -> set[str]:
        """The indexes of these tables that have files, each as `table/id`."""
        found = (PurePosixPath(known.path).relative_to(self._base) for known in self._listed(self._base))
        return {
            f"{name}/{path.parts[2]}"
            for path in found
            for name in tables
            if path.parts[:2] == (f"{name}.lance", "_indices")
        }

    def drop_orphans(self, tables: Collection[str]) -> int:
        """How many files went that no version of these tables names, and that no write can still be about to name.

        None goes of a table of which a version went while it was looked at.
        """
        gone = 0
        for name in tables:
            there = self._listed(self._base / f"{name}.lance")
            versions = [self._read(known) for known in there if "/_versions/" in known.path]
            if not versions or not all(versions):  # somebody else is tidying up: what they left is not known here
                continue
            manifests = b"".join(versions)
            newest = max((known.mtime_ns for known in there), default=0)
            for known in there:
                old = newest - known.mtime_ns >= ORPHAN_SECONDS * 1e9
                if old and (mark := _mark(known.path)) and mark not in manifests:
                    self._delete(known)
                    gone += 1
        return gone

    def _listed(self, under: PurePosixPath) -> list[Any]:
        try:
            found = self._files.get_file_info(fs.FileSelector(str(under), allow_not_found=True, recursive=True))
        except OSError as error:
            raise self._refused(error) from None
        return [known for known in found if known.type == fs.FileType.File]

    def _holds(self, known: Any, wanted: Sequence[bytes]) -> bool:
        longest = max(map(len, wanted), default=1)
        return any(text in part for part in self._parts(known, longest - 1) for text in wanted)

    def _read(self, known: Any) -> bytes:
        return b"".join(self._parts(known, 0))

    def _parts(self, known: Any, overlap: int) -> Iterator[bytes]:
        """The bytes of an object in parts that overlap by so many; nothing of one that has gone meanwhile."""
        try:
            with self._files.open_input_file(known.path) as file:
                kept = b""
                while part := file.read(_PART):
                    yield kept + part
                    kept = (kept + part)[-overlap:] if overlap else b""
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refused(error) from None

    def _delete(self, known: Any) -> None:
        try:
            self._files.delete_file(known.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refused(error) from None

    def _shown(self, known: Any) -> str:
        return f"{self._uri}/{PurePosixPath(known.path).relative_to(self._base)}"

    def _refused(self, error: Exception) -> UnreachableError:
        return UnreachableError(f"The objects of {self._uri} cannot be read: {reason(self._uri, error)}")


def _mark(path: str) -> bytes:
    """The bytes by which a version names this file; none for files that are named in another way."""
    parts = PurePosixPath(path).parts
    if parts[-2] in ("data", "_transactions"):
        return parts[-1].encode()
    if "_indices" in parts:
        try:
            return UUID(parts[parts.index("_indices") + 1]).bytes
        except ValueError:
            return b""
    return b""


def _file_system(scheme: str, options: Mapping[str, str], environ: Mapping[str, str]) -> Any:
    """pyarrow's way to the same objects, by the same settings."""

    def told(*names: str) -> str | None:
        found = (options.get(name.lower()) or environ.get(name.upper()) for name in names)
        return next(filter(None, found), None)

    if scheme == "gs":
        if told(*_GOOGLE_KEYS) and not told("google_application_credentials"):
            raise ValueError("set GOOGLE_APPLICATION_CREDENTIALS to the file of the service account as well")
        endpoint = urlsplit(told("google_base_url") or "")
        return fs.GcsFileSystem(
            scheme=endpoint.scheme or None, endpoint_override=endpoint.netloc or None, retry_time_limit=_TRYING
        )
    if scheme == "az":
        endpoint = urlsplit(told("azure_endpoint", "azure_storage_endpoint") or "")
        client, secret, tenant = (
            told(f"azure_storage_{name}", f"azure_{name}") for name in ("client_id", "client_secret", "tenant_id")
        )
        whole = bool(client and secret and tenant)
        return fs.AzureFileSystem(
            told("azure_storage_account_name", "account_name") or "",
            account_key=told("azure_storage_account_key", "account_key"),
            sas_token=told("azure_storage_sas_token", "azure_storage_sas_key"),
            blob_storage_authority=endpoint.netloc or None,
            blob_storage_scheme=endpoint.scheme or None,
            client_id=client if whole else None,
            client_secret=secret if whole else None,
            tenant_id=tenant if whole else None,
        )
    endpoint = urlsplit(options.get("aws_endpoint", ""))
    key, secret = told("aws_access_key_id"), told("aws_secret_access_key")
    return fs.S3FileSystem(
        access_key=key if secret else None,
        secret_key=secret if key else None,
        session_token=told("aws_session_token") if key and secret else None,
        region=options.get("aws_region"),
        endpoint_override=endpoint.netloc or None,
        scheme=endpoint.scheme or "https",
        force_virtual_addressing=options.get("aws_virtual_hosted_style_request") == "true",
        request_timeout=10,
        connect_timeout=3,
    )
