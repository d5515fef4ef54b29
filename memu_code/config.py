"""The settings of a process, read once from the environment and passed in from there."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from memu_code.errors import UsageError
from memu_code.model import Reader, Right, span_of

_SPACE = re.compile(r"~?[a-z0-9][a-z0-9._-]{0,62}(/[a-z0-9][a-z0-9._-]{0,62}){0,4}")
_RETENTION = ("MEMU_CODE_KEEP_FOR", "MEMU_CODE_KEEP_RUNS", "MEMU_CODE_KEEP_SIZE")
_REDACTABLE = frozenset({"cards", "emails"})
_SCHEMES = ("s3://", "gs://", "az://", "db://")
_ONE_SLASH = re.compile(r"(s3|gs|az|db):/?(?!/)")  # a folder of that name would be made in silence


_SIZE = re.compile(r"(\d{1,9})\s?([kKMG]?)B?")
_BYTES = {"": 1, "k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Retention:
    """How old runs of a space may be (seconds), how many there may be, and how many bytes they may take; None: any.

    False where nothing is limited.
    """

    seconds: float | None = None
    runs: int | None = None
    bytes: int | None = None

    def __bool__(self) -> bool:
        return (self.seconds, self.runs, self.bytes) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the store is, which space is one's own, which embedder is used, which other spaces are read, written and
    promoted into, whether the memory is off, which folder takes what cannot lie beside the store, which share of runs
    is held out, which runs are pruned when one has ended, and of which spaces code may be run here."""

    store: str
    space: str
    actor: str
    embedder: str | None = None
    also_read: tuple[str, ...] = ()
    also_write: tuple[str, ...] = ()
    also_promote: tuple[str, ...] = ()
    off: bool = False
    state: str = field(default_factory=lambda: platformdirs.user_state_dir("memu_code", appauthor=False))
    holdout: float = 0.0
    retention: Retention = Retention()
    trusted: frozenset[str] = frozenset()
    redact: frozenset[str] = frozenset()  # what is taken out beside secrets: `emails`, `cards`


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
        UsageError: it is empty, its scheme is not one of s3, gs, az and db, or it holds credentials or options.
    """
    if not uri.strip() or "\0" in uri:
        raise UsageError("The store needs a folder or a URI such as 's3://bucket/key'.")
    if mistyped := _ONE_SLASH.match(uri):
        raise UsageError(f"The store {_shown(uri)} has no proper name: write it as '{mistyped[1]}://bucket/key'.")
    if "://" not in uri:
        return str(Path(uri).expanduser().absolute())
    scheme, _, place = uri.partition("://")
    if "@" in place or "?" in place or "#" in place:  # which is not shown, since it may be a secret
        raise UsageError("A store is named without credentials and options, which go into the environment.")
    if not uri.startswith(_SCHEMES):
        raise UsageError(
            f"The store {_shown(uri)} has an unknown scheme: use a folder, 's3://', 'gs://', 'az://' or 'db://'."
        )
    if not place.strip("/") or re.search(r"^/|\s|//|/\.{1,2}(/|$)", place):
        raise UsageError(f"The store {_shown(uri)} has no proper name: write it as '{scheme}://bucket/key'.")
    return uri.rstrip("/")


def check_holdout(share: object, name: str = "holdout") -> float:
    """The share of runs in which the memory is silent, from 0 to 1.

    Raises:
        UsageError: it is no number, or not within these bounds.
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise UsageError(f"{name} must be a share of runs from 0 to 1, such as 0.1, not {_shown(str(share))}.")
    return float(share)


def check_redact(kinds: str) -> frozenset[str]:
    """What is to be taken out beside secrets, as `emails,cards` says it; nothing by default.

    Raises:
        UsageError: it names something else.
    """
    wanted = frozenset(kinds.replace(",", " ").split())
    if others := sorted(wanted - _REDACTABLE):
        raise UsageError(f"MEMU_CODE_REDACT takes {' and '.join(sorted(_REDACTABLE))}, not {_shown(others[0])}.")
    return wanted


def check_retention(
    age: str | None = None,
    runs: str | int | None = None,
    size: str | None = None,
    names: tuple[str, str, str] = ("older_than", "keep", "max_size"),
) -> Retention:
    """The limits that these texts say: `90d`, `500`, `500MB`; what is empty limits nothing.

    Raises:
        UsageError: one of them says nothing that is known.
    """
    seconds, count, most = None, None, None
    if age and (seconds := span_of(age)) is None:
        raise UsageError(f"{names[0]} must be an age such as 90d, 12h or 4w, not {_shown(age)}.")
    if runs not in (None, ""):
        if isinstance(runs, bool) or not re.fullmatch(r"\d{1,9}", str(runs).strip()):
            raise UsageError(f"{names[1]} must be a number of runs such as 500, not {_shown(str(runs))}.")
        count = int(str(runs))
    if size:
        if not (found := _SIZE.fullmatch(size.strip())):
            raise UsageError(f"{names[2]} must be a size such as 500MB or 2GB, not {_shown(size)}.")
        most = int(found[1]) * _BYTES[found[2]]
    return Retention(seconds, count, most)


def read_settings(
    store: str | None = None,
    space: str | None = None,
    embedder: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of this process: what is passed goes before `MEMU_CODE_*`, and that before the defaults.

    Raises:
        UsageError: the store, a space, the share that is held out or a limit of runs is not well formed.
    """
    login = _login(environ)
    age, runs, size = (environ.get(name) for name in _RETENTION)
    default_store = str(Path(platformdirs.user_data_dir("memu_code", appauthor=False)) / "store")
    own = check_space(space if space is not None else environ.get("MEMU_CODE_SPACE") or f"~{login}")
    private = {name for name in (f"~{login}", own) if name.startswith("~")}
    return Settings(
        store=check_store(store if store is not None else environ.get("MEMU_CODE_STORE") or default_store),
        space=own,
        actor=login,
        embedder=embedder or environ.get("MEMU_CODE_EMBEDDER") or None,
        also_read=_spaces(environ.get("MEMU_CODE_READ", "")),
        also_write=_spaces(environ.get("MEMU_CODE_WRITE", "")),
        also_promote=_spaces(environ.get("MEMU_CODE_PROMOTE", "")),
        off=environ.get("MEMU_CODE_OFF", "") not in ("", "0"),
        holdout=check_holdout(_number(environ.get("MEMU_CODE_HOLDOUT", "").strip() or "0"), "MEMU_CODE_HOLDOUT"),
        retention=check_retention(age, runs, size, _RETENTION),
        redact=check_redact(environ.get("MEMU_CODE_REDACT", "")),
        trusted=frozenset(private.union(_spaces(environ.get("MEMU_CODE_TRUST", "")))),
    )


def reader_of(settings: Settings) -> Reader:
    """Who a process is by its settings: all rights in its own space, and elsewhere what they name.

    To write to a space, or to promote into it, it has to be read: so those rights come with that to read.
    """
    grants: dict[str, frozenset[Right]] = {}
    named = {Right.READ: settings.also_read, Right.WRITE: settings.also_write, Right.PROMOTE: settings.also_promote}
    for right, spaces in named.items():
        for space in spaces:
            grants[space] = grants.get(space, frozenset()) | {Right.READ, right}
    return Reader(settings.actor, {**grants, settings.space: frozenset(Right)})


def _spaces(names: str) -> tuple[str, ...]:
    return tuple(check_space(name) for name in names.replace(",", " ").split())


def _number(text: str) -> float | str:
    """The number that a text is, or the text."""
    try:
        return float(text)
    except ValueError:
        return text


def _login(environ: Mapping[str, str]) -> str:
    """The login name, reduced to what a space may hold; containers without a user entry are called `user`."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = environ.get("USER", "")
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "user"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
