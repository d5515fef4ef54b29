"""The settings of a process, read once from the environment and passed in from there."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from memu_code.errors import UsageError

_SPACE = re.compile(r"~?[a-z0-9][a-z0-9._-]{0,62}(/[a-z0-9][a-z0-9._-]{0,62}){0,4}")
_SCHEMES = ("s3://", "gs://", "az://", "db://")


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the store is, which space is one's own, which embedder is used, which other spaces are read, and whether
    the memory is off."""

    store: str
    space: str
    actor: str
    embedder: str | None = None
    also_read: tuple[str, ...] = ()
    off: bool = False


def check_space(name: str) -> str:
    """The name of a space as it was given, where it is one: `~ann`, `acme`, `acme/data-eng`.

    Raises:
        UsageError: it is not made of lower-case letters, digits, `.`, `_`, `-`, with `/` between parts.
    """
    if not _SPACE.fullmatch(name):
        raise UsageError(
            f"{_shown(name)} is no name of a space: use lower-case letters, digits, '.', '_' and '-', "
            "with '/' between parts and '~' before a person, as in '~ann' or 'acme/data-eng'."
        )
    return name


def check_store(uri: str) -> str:
    """The store's place as LanceDB takes it: an absolute folder, or a URI whose scheme is known.

    Raises:
        UsageError: it is empty, or its scheme is not one of s3, gs, az and db.
    """
    if not uri.strip() or "\0" in uri:
        raise UsageError("The store needs a folder or a URI such as 's3://bucket/key'.")
    if "://" not in uri:
        return str(Path(uri).expanduser().absolute())
    if not uri.startswith(_SCHEMES):
        raise UsageError(
            f"The store {_shown(uri)} has an unknown scheme: use a folder, 's3://', 'gs://', 'az://' or 'db://'."
        )
    return uri


def read_settings(
    store: str | None = None,
    space: str | None = None,
    embedder: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of this process: what is passed goes before `MEMU_CODE_*`, and that before the defaults.

    Raises:
        UsageError: the store or a space is not well formed.
    """
    login = _login(environ)
    default_store = str(Path(platformdirs.user_data_dir("memu_code", appauthor=False)) / "store")
    also = tuple(check_space(name) for name in environ.get("MEMU_CODE_READ", "").replace(",", " ").split())
    return Settings(
        store=check_store(store if store is not None else environ.get("MEMU_CODE_STORE") or default_store),
        space=check_space(space if space is not None else environ.get("MEMU_CODE_SPACE") or f"~{login}"),
        actor=login,
        embedder=embedder or environ.get("MEMU_CODE_EMBEDDER") or None,
        also_read=also,
        off=environ.get("MEMU_CODE_OFF", "") not in ("", "0"),
    )


def _login(environ: Mapping[str, str]) -> str:
    """The login name, reduced to what a space may hold; containers without a user entry are called `user`."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = environ.get("USER", "")
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "user"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
