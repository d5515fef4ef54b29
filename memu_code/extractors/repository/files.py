"""The Python files of a repository that are worth reading: what git would show, without what others wrote."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

from memu_code.errors import UsageError
from memu_code.extractors.code.parse import Unparsable

MAX_FILE_BYTES = 1_000_000
HASH_DIGITS = 20

VENDORED = frozenset({"vendor", "_vendor", "vendored", "third_party", "extern"})
NEVER_SOURCE = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".eggs", "__pycache__", "node_modules", "site-packages"}
)
BUILT = frozenset({"build", "dist"})  # a package of that name is source: `pip/_internal/operations/build/`
ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")

_UNREADABLE = "cannot be read: "
_END_OF_PATH = "ps_d"
_IGNORE_BYTES = 1_000_000  # of an ignore file; more is no list of patterns that a person wrote
_STARS_AT_MOST = 3  # in one part of a pattern; one that has more is passed over


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its path below the root with `/`, the first 20 hex digits of its SHA-256, its size in bytes.

    Where `refused` holds a reason, the file (or folder, whose path then ends in `/`) was not read and has no hash.
    """

    path: str
    hash: str
    size: int
    refused: str = ""

    @property
    def unreadable(self) -> bool:
        """Whether it was there and could not be looked at, which may be otherwise the next time."""
        return self.refused.startswith(_UNREADABLE)


def base_folder(root: Path) -> Path:
    """The resolved folder that paths are relative to: the root itself, or the folder of a root that is one file.

    Raises UsageError where the root does not exist, is neither a folder nor a .py file, or cannot be read.
    """
    try:
        folder = root.expanduser().resolve(strict=True)
        if folder.is_file() and folder.suffix == ".py":
            return folder.parent
        if not folder.is_dir():
            raise UsageError(f"{root} is neither a folder nor a .py file.")
        os.scandir(folder).close()
    except FileNotFoundError:
        raise UsageError(f"There is no folder or file {root}.") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{root} cannot be read: {_why(error)}.") from None
    return folder


def source_files(root: Path) -> Iterator[SourceFile]:
    """Each Python file below the root once, in an order that depends on names only.

    Left out: what git ignores (.gitignore files at every level, .git/info/exclude), virtual environments, vendored and
    built folders, installed packages below the root, and symbolic links. The root itself is always looked into,
    whatever it is called. Raises UsageError as `base_folder` does, on the call and not on the first item.
    """
    base = base_folder(root)
    resolved = root.expanduser().resolve()
    if resolved != base:
        return iter((_read(resolved, resolved.name),))
    return _walk(base)


def read_text(root: Path, source: SourceFile) -> str:
    """The text of one file with its BOM taken off, its coding cookie obeyed and its line ends made `\\n`.

    Raises Unparsable where the file is refused, gone, or not in the encoding that it claims.
    """
    if source.refused:
        raise Unparsable(source.refused)
    try:
        raw = (base_folder(root) / source.path).read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        return raw.decode(encoding)
    except (OSError, UsageError) as error:
        raise Unparsable(f"cannot be read: {_why(error)}") from None
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise Unparsable(f"not text in its own encoding: {_why(error)}") from None


def _walk(base: Path) -> Iterator[SourceFile]:
    todo = [(base, "", _Ignored.above(base))]
    while todo:
        folder, prefix, above = todo.pop()
        try:
            with os.scandir(folder) as scan:
                entries = sorted((entry.name, _kind(entry)) for entry in scan)
        except OSError as error:
            yield SourceFile(prefix, "", 0, f"{_UNREADABLE}{_why(error)}")
            continue
        names = {name for name, _ in entries}
        if prefix and not names.isdisjoint(ENVIRONMENT_MARKS):
            continue
        if prefix and folder.name in BUILT and "__init__.py" not in names:
            continue
        ignored = above.within(folder, prefix) if ".gitignore" in names else above
        below = []
        for name, kind in entries:
            path = prefix + name
            if _is_foreign(name) if kind == "folder" else not (kind == "file" and name.endswith(".py")):
                continue
            if not _is_text(name):
                yield SourceFile(path.encode("utf-8", "backslashreplace").decode(), "", 0, "its name is no valid text")
            elif kind == "folder":
                if not ignored.covers(path + "/"):
                    below.append((folder / name, path + "/", ignored))
            elif not ignored.covers(path):
                yield _read(folder / name, path)
        todo.extend(reversed(below))


def _read(file: Path, path: str) -> SourceFile:
    try:
        size = file.stat().st_size
        if size > MAX_FILE_BYTES:
            return SourceFile(path, "", size, f"larger than {MAX_FILE_BYTES // 1_000_000} MB")
        raw = file.read_bytes()
    except OSError as error:
        return SourceFile(path, "", 0, f"{_UNREADABLE}{_why(error)}")
    return SourceFile(path, hashlib.sha256(raw).hexdigest()[:HASH_DIGITS], len(raw))


def _is_foreign(name: str) -> bool:
    return name in NEVER_SOURCE or name in VENDORED or name.endswith(".egg-info")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).rstrip(".")


@dataclass(frozen=True, slots=True)
class _Ignored:
    """The ignore files that hold in a folder, weakest first, each with the folder that its patterns start from.

    Paths are counted from the root; `offset` is the root's own path within its git repository, empty or ending in `/`.
    """

    offset: str = ""
    rules: tuple[tuple[str, tuple[RegexPattern, ...]], ...] = ()

    @classmethod
    def above(cls, base: Path) -> _Ignored:
        """What holds for the root from outside: its repository's exclude file, and .gitignore files on the way down.

        Nothing holds where these ignore the root itself: who names `.venv/lib/.../networkx` wants it read.
        """
        top = next((folder for folder in (base, *base.parents) if (folder / ".git").exists()), base)
        rules: tuple[tuple[str, tuple[RegexPattern, ...]], ...] = (("", _patterns(top / ".git" / "info" / "exclude")),)
        at = ""
        for part in base.relative_to(top).parts:
            rules = (*rules, (at, _patterns(top / at / ".gitignore")))
            at += part + "/"
            if cls("", rules).covers(at):
                return cls()
        return cls(at, rules)

    def within(self, folder: Path, prefix: str) -> _Ignored:
        """The same with the .gitignore of one folder more, which overrules those above it."""
        return _Ignored(self.offset, (*self.rules, (self.offset + prefix, _patterns(folder / ".gitignore"))))

    def covers(self, path: str) -> bool:
        """True where git ignores this path, given that it does not ignore the folder around it; folders end in `/`."""
        full = self.offset + path
        for start, patterns in reversed(self.rules):
            for pattern in reversed(patterns):
                if _matches(pattern, full[len(start) :]):
                    return bool(pattern.include)
        return False


def _matches(pattern: RegexPattern, path: str) -> bool:
    """True where the pattern means this very path, and not just a folder around it, which was judged before.

    pathspec's own verdict mixes the two: with `a` and `!/b/` it gives back `b/a/c.py`, which git ignores. Its regular
    expressions mark the end of the named path by a group; those without one (`a/**`) match all that lies below, and
    the two that are not tied to the start mean any folder (`*/`) and anything (`*`).
    """
    if pattern.regex is None:
        return False
    found = pattern.regex.search(path)
    names_a_path = _END_OF_PATH in pattern.regex.groupindex
    if found is not None and not pattern.regex.pattern.startswith("^"):
        return not names_a_path or path.endswith("/")
    return found is not None and (found.end() == len(path)) == names_a_path


def _patterns(file: Path) -> tuple[RegexPattern, ...]:
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):  # git, too, follows no link here, and a device has no end
            return ()
        with file.open("rb") as source:
            lines = source.read(_IGNORE_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:  # most folders have none, and git passes over one that it cannot read
        return ()
    spec = GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))
    return tuple(spec.patterns)


def _is_pattern(line: str) -> bool:
    # Each star of a part multiplies the time by the length of a name: with more, one file can halt the walk for hours.
    if any(part.count("*") > _STARS_AT_MOST for part in line.replace("**", "").split("/")):
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:  # git, too, passes over a pattern that means nothing
        return False
    return True
