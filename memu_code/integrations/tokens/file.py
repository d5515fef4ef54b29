"""The file that holds the tokens of a store as hashes, and who asks by what it holds right now.

It lies in the user's state directory, never in the store: who may write to a store, or to the bucket that it lies in,
must not thereby be able to name those who may ask a server of it.
"""

from __future__ import annotations

import hmac
import json
import math
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from memu_code.config import check_space
from memu_code.errors import StoreError, UnknownIdError, UsageError
from memu_code.integrations.tokens.granted import Token, check_name
from memu_code.integrations.tokens.secret import digest_of, well_formed
from memu_code.model import Right

FILE = "tokens.json"
VERSION = 1
MOST = 10_000  # tokens of one store
_LOCK_SECONDS = 10.0
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the file holds: the tokens, and the names of those that were revoked."""

    tokens: tuple[Token, ...] = ()
    gone: tuple[str, ...] = ()


class TokenFile:
    """The tokens of one store, in a file for its user alone; several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[Token, ...]:
        """All tokens, in the order in which they were made; none where there is no file.

        Raises:
            StoreError: the file is damaged, a newer version's, or may be read or written by others.
        """
        return self._kept().tokens

    def _kept(self) -> _Kept:
        try:
            with open(self.path, "rb", opener=_at_once) as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise StoreError(f"The tokens {self.path} are no file: remove what lies there.")
                if os.name == "posix" and found.st_uid not in (0, os.geteuid()):
                    raise StoreError(f"The tokens {self.path} are somebody else's: remove what lies there.")
                if os.name == "posix" and found.st_mode & _FOR_OTHERS:
                    what = "written" if found.st_mode & _WRITABLE else "read"
                    raise StoreError(f"The tokens {self.path} may be {what} by others: say chmod 600 {self.path}.")
                raw = file.read()
        except FileNotFoundError:
            return _Kept()
        except OSError as error:
            raise StoreError(f"The tokens {self.path} cannot be read: {error.strerror or error}.") from error
        return _parsed(raw, self.path)

    def add(self, token: Token, *, again: bool = False) -> None:
        """Keep one more. With `again`, its name may be that of one that was revoked: what that wrote is this one's.

        Raises:
            UsageError: there is, or without `again` was, one of this name in any case; or there are too many.
            StoreError: the file cannot be read or written.
        """
        with self._alone():
            kept = self._kept()
            same = token.name.casefold()
            for other in kept.tokens:
                if other.name.casefold() == same:
                    raise UsageError(f"There is a token named {other.name}: revoke it first, or take another name.")
            gone = [name for name in kept.gone if name.casefold() == same]
            if gone and not (again and token.name in gone):
                raise UsageError(
                    f"A token named {gone[0]} was revoked, and what it wrote stays that name's: take another name, or "
                    f"say --same-person with {gone[0]}."
                )
            if len(kept.tokens) >= MOST:
                raise UsageError(f"There are {MOST} tokens, and no room for more: revoke some.")
            self._write(_Kept((*kept.tokens, token), kept.gone))

    def revoke(self, name: str) -> Token:
        """The token of this name, which is gone from now on.

        Raises:
            UnknownIdError: there is none.
            StoreError: the file cannot be read or written.
        """
        with self._alone():
            kept = self._kept()
            for token in kept.tokens:
                if token.name == name:
                    left = tuple(other for other in kept.tokens if other is not token)
                    self._write(_Kept(left, (*(other for other in kept.gone if other != name), name)))
                    return token
        raise UnknownIdError(f"There is no token named {name[:60]!r}.")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(f"{self.path}.lock", timeout=_LOCK_SECONDS, mode=0o600):
                yield
        except Timeout as error:
            raise StoreError(f"Another process has been writing to {self.path} for {_LOCK_SECONDS:.0f} s.") from error
        except OSError as error:
            raise StoreError(f"The tokens {self.path} cannot be written: {error.strerror or error}.") from error

    def _write(self, kept: _Kept) -> None:
        rows = [_row(token) for token in kept.tokens]
        body = json.dumps({"version": VERSION, "tokens": rows, "gone": kept.gone}, indent=1)
        number, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{FILE}.")  # which only its user may read
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, os.path.realpath(self.path))
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


class Tokens:
    """Who asks, by a token; what the file holds is known again as soon as it has changed."""

    def __init__(self, file: TokenFile) -> None:
        self._file = file
        self._seen: tuple[int, ...] | None = None
        self._by_digest: dict[str, Token] = {}
        self.changes = 0  # how often the file was read: what rests on an older count is out of date

    def of(self, secret: str, now: float | None = None) -> Token | None:
        """The token that this is; None where it is unknown, revoked, expired or cut, which nobody can tell apart.

        Raises:
            StoreError: the file cannot be read, so nobody is known.
        """
        self._look()
        digest = digest_of(secret)
        token = self._by_digest.get(digest)  # of a hash nobody learns anything by the time that a look takes
        kept = token.digest if token else digest_of("")
        same = hmac.compare_digest(kept, digest)
        if token is None or not same or not well_formed(secret):
            return None
        return None if token.expired(time.time() if now is None else now) else token

    def _look(self) -> None:
        """Read the file again where it is another one, or changed."""
        try:
            found = os.stat(self._file.path)
            seen = (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
        except OSError:
            seen = None  # gone, or out of reach: reading says which
        if seen is not None and seen == self._seen:
            return
        self._seen, self._by_digest = None, {}
        tokens = self._file.read()
        self._by_digest = {token.digest: token for token in tokens}
        self._seen = seen
        self.changes += 1


def _at_once(path: str, flags: int) -> int:
    """Open without waiting, as for whoever writes into a pipe that lies there."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _row(token: Token) -> dict[str, Any]:
    return {
        "name": token.name,
        "sha256": token.digest,
        "grants": {space: sorted(rights) for space, rights in token.grants.items()},
        "space": token.space,
        "made_at": token.made_at,
        "expires_at": token.expires_at,
        "metrics": token.metrics,
    }


def _parsed(raw: bytes, path: Path) -> _Kept:
    """The tokens of a file's bytes, and the names of those that are gone.

    Raises:
        StoreError: they are damaged or a newer version's.
    """
    try:
        body = json.loads(raw)
        version = body["version"]
        if type(version) is not int:
            raise ValueError("no version")
        if version > VERSION:
            raise StoreError(f"The tokens {path} were written by a newer memu-code: upgrade memu-code.")
        kept = _Kept(tuple(map(_token, body["tokens"])), tuple(map(check_name, body["gone"])))
        names, digests = ({getattr(one, what) for one in kept.tokens} for what in ("name", "digest"))
        if not len(names) == len(digests) == len(kept.tokens):
            raise ValueError("two are of one name, or have one hash")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError) as error:
        raise StoreError(f"The tokens {path} are damaged: put a copy back, or remove the file and make new.") from error
    return kept


def _token(row: Mapping[str, Any]) -> Token:
    digest, expires = str(row["sha256"]), row["expires_at"]
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError("no hash")
    grants = {check_space(space): frozenset(map(Right, rights)) for space, rights in row["grants"].items()}
    return Token(
        check_name(row["name"]),
        digest,
        grants,
        check_space(row["space"]) if row["space"] else "",
        _moment(row["made_at"]),
        None if expires is None else _moment(expires),
        row["metrics"] is True,
    )


def _moment(at: object) -> float:
    if isinstance(at, bool) or not isinstance(at, int | float) or not math.isfinite(at):
        raise ValueError("no time")
    return float(at)
