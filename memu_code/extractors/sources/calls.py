"""Which calls look at something outside of the code, and at what: by the name of what is called, and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from memu_code.extractors.code.words import words
from memu_code.extractors.sources.literals import UNKNOWN, PathText

OWN_TOOLS = frozenset(("final_answer", "note_follow_up", "recall_work"))  # they look at nothing outside
_TEXT_CHARACTERS = 300

_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_SQL = re.compile(r"\s*(?:select\b.*\bfrom\b|with\b.*\bas\b.*\bselect\b)", re.IGNORECASE | re.DOTALL)
_SHORT_SQL = re.compile(
    r"\s*(?:select|with|show|describe|explain|pragma|from)\b", re.IGNORECASE
)  # where SQL is expected
_SQL_WRITES = re.compile(r"\b(?:insert|update|delete|drop|create|alter)\b", re.IGNORECASE)
# What is done with a URL or a path without looking behind it.
_HANDLING = words(
    "print str repr len bool isinstance sorted set list dict tuple append extend add insert update remove index count "
    "join startswith endswith replace split rsplit strip lstrip rstrip format find match fullmatch compile sub findall "
    "finditer urlparse urlsplit urljoin quote unquote Path PurePath PosixPath log info debug warning error exception "
    "write writelines dumps loads sleep exists is_file is_dir mkdir makedirs unlink rmdir rename touch enumerate zip "
    "map filter reversed iter next min max any all range int float frozenset chain product deque Counter Request type"
)
_WRITING = ("write_", "to_", "save", "dump")
_READING = ("read_", "load", "open_", "parse_file", "from_file", "scan_")  # how such a name begins
_READERS = words(
    "open read listdir scandir walk glob iglob rglob iterdir read_text read_bytes urlopen urlretrieve ZipFile TarFile "
    "connect imread genfromtxt fromfile File"
)
_NO_FILES = frozenset(("loads", "load_dotenv", "load_module", "readline", "readlines"))
_ASKING = ("execute", "query", "sql", "read_sql")
_SEARCHING = frozenset(("search", "web_search", "search_web", "query"))
_PLACES = ("url", "uri", "link", "href", "urls", "path", "file", "filename", "filepath_or_buffer", "fname", "io")
_QUERIES = ("sql", "query", "statement", "stmt", "operation", "q")
_OF_PATHS = words("open read_text read_bytes iterdir glob rglob")


def looked_at(
    name: str, receiver: object, args: Sequence[object], keywords: Mapping[str, object], tools: frozenset[str]
) -> list[str]:
    """What a call looks at, each in at most 300 characters; nothing where it looks at nothing, or that is not known.

    `name` is the dotted name, modules under their real names; `receiver` the known value before the last dot.
    """
    if name in OWN_TOOLS:
        return []
    if name in tools:
        return [_cut(text) for text in _of_tool(name, args, keywords)]
    last = name.rpartition(".")[2]
    if last in _HANDLING or last.startswith(_WRITING):
        return []
    if isinstance(receiver, PathText):
        return [_cut(text) for text in _of_path(receiver, last, args, keywords)]
    if isinstance(receiver, str | list | dict | tuple | int | float):
        return []
    return [_cut(text) for text in dict.fromkeys(_of_library(name, last, args, keywords))]


def reads(name: str) -> bool:
    """Whether what is called so reads files, or what else lies outside of the code."""
    last = name.rpartition(".")[2]
    return last in _READERS or (last.startswith(_READING) and last not in _NO_FILES)


def _of_tool(name: str, args: Sequence[object], keywords: Mapping[str, object]) -> Iterator[str]:
    """All arguments of a tool that are known; of the only one, if it is a list, each member."""
    if not args and not keywords:
        yield f"{name}()"
        return
    known = [one for one in (*args, *keywords.values()) if one is not UNKNOWN]
    if len(known) == 1 and isinstance(known[0], list | tuple):
        yield from (str(one) for one in known[0] if isinstance(one, str | int | float) and str(one).strip())
        return
    texts = [one for one in args if isinstance(one, str | int | float)]
    named = {key: one for key, one in keywords.items() if isinstance(one, str | int | float)}
    if len(texts) + len(named) == 1:
        yield from (str(one) for one in (*texts, *named.values()) if str(one).strip())
    elif texts or named:
        yield ", ".join([*map(str, texts), *(f"{key}={one}" for key, one in named.items())])


def _of_path(path: str, last: str, args: Sequence[object], keywords: Mapping[str, object]) -> Iterator[str]:
    if last not in _OF_PATHS or (last == "open" and _to_write(args[0] if args else keywords.get("mode"))):
        return
    pattern = args[0] if args and last in ("glob", "rglob") and isinstance(args[0], str) else ""
    yield f"{path.rstrip('/')}/{pattern}" if pattern else str(path)


def _of_library(name: str, last: str, args: Sequence[object], keywords: Mapping[str, object]) -> Iterator[str]:
    if last == "open" and _to_write(args[1] if len(args) > 1 else keywords.get("mode")):
        return
    places = [one for value in (*args, *_of(keywords, _PLACES)) for one in _texts(value)]
    urls = [one for one in places if _URL.fullmatch(one)]
    if urls:
        yield from (url + _asked(keywords.get("params")) for url in urls)
        return
    sql = _SHORT_SQL if last.startswith(_ASKING) else _SQL
    for value in (*args, *_of(keywords, _QUERIES)):
        if isinstance(value, str) and sql.match(value) and not _SQL_WRITES.search(value):
            yield " ".join(value.split())
            return
    if name.startswith(("re.", "regex.")):
        return
    if reads(name):
        named = [*args[:1], *_of(keywords, _PLACES)]
        yield from (one for value in named for one in _texts(value) if _is_path(one))
    elif last in _SEARCHING:
        asked = [*args[:1], *_of(keywords, _QUERIES)]
        yield from (one.strip() for one in asked if isinstance(one, str) and one.strip())


def _of(keywords: Mapping[str, object], names: Sequence[str]) -> list[object]:
    return [keywords[name] for name in names if name in keywords]


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [str(value)]
    return [str(one) for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _asked(params: object) -> str:
    """The known parameters of a request, as they stand in its URL."""
    if not isinstance(params, dict):
        return ""
    pairs = [f"{key}={value}" for key, value in params.items() if isinstance(value, str | int | float)]
    return "?" + "&".join(pairs) if pairs else ""


def _is_path(text: str) -> bool:
    return bool(text.strip()) and "\n" not in text and len(text) <= _TEXT_CHARACTERS


def _to_write(mode: object) -> bool:
    return isinstance(mode, str) and any(letter in mode for letter in "wax")


def _cut(text: str) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[: _TEXT_CHARACTERS - 3]}..."
