"""What a command for the shell does, as far as its words tell: what it installs, and whether it only looks."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence

from memu_code.extractors.code.cells import MAGIC, OUTPUT, SHELL, cell_magic, commands
from memu_code.extractors.code.walking import walk
from memu_code.extractors.code.words import words

MAX_COMMAND = 5_000  # characters that are looked at

_JOINS = re.compile(r"[;&|()]+")
_PYTHON = re.compile(r"\S*python[\d.]*\S*|\{?sys\.executable\}?")
_TOOL = re.compile(r"(?P<tool>pip|conda|mamba|apt-get|apt)[\d.]*")
_ASSIGNED = re.compile(r"\w+=.*", re.DOTALL)
_NAMED = re.compile(r"[A-Za-z0-9][\w.\-]*(?:\[[\w,\-]+\])?(?:(?:[=~!<>]=|[<>])[\w.*\-]+,?)*")
_TAKES_VALUE = words("-r -c -e -i -t -n --index-url --extra-index-url --target --name")
_LOOKS = words(
    """cat cd date df du echo env false file free grep head hostname id ls lscpu nproc nvidia-smi printenv ps pwd sleep
    tail top true uname uptime wc whereis which who whoami"""
)
_RUNNERS = words("call check_call check_output getoutput getstatusoutput Popen popen run spawnl spawnv system")
_SHOWN = words("html HTML javascript js latex markdown svg SVG")  # cells that are only for the eye
_OUTSIDE = words("environ open os pathlib shutil subprocess system write")
_QUIET_MAGICS = words(
    """alias autoreload colors config doctest_mode history hist load_ext logstate lsmagic ls matplotlib pdoc pinfo
    pinfo2 psource pprint precision prun psearch pwd pylab reload_ext time timeit who who_ls whos"""
)


def joined(command: str) -> list[list[str]]:
    """The commands of one line that `&&`, `;` and `|` join, each as its words without quotation marks."""
    reader = shlex.shlex(command[:MAX_COMMAND], posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    found: list[list[str]] = [[]]
    try:
        for word in reader:
            if word.startswith("#"):
                break
            if _JOINS.fullmatch(word):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # a quotation mark without its end
        return [part.split() for part in _JOINS.split(command[:MAX_COMMAND]) if part.strip()]
    return [part for part in found if part]


def installed(command: Sequence[str]) -> tuple[str, list[str]] | None:
    """The tool and the packages of a command that installs; none for any other command."""
    rest = _bare(command)
    if len(rest) > 2 and _PYTHON.fullmatch(rest[0]) and rest[1] == "-m":
        rest = rest[2:]
    rest = rest[1:] if rest[:1] == ["uv"] else rest
    tool = _TOOL.fullmatch(rest[0]) if rest else None
    behind = [word for word in rest[1:] if not word.startswith("-")]
    if tool is None or behind[:1] not in (["install"], ["add"]):
        return None
    found: list[str] = []
    previous = ""
    for word in rest[rest.index(behind[0]) + 1 :]:
        if word in (">", ">>", "<"):
            break
        if previous not in _TAKES_VALUE and _NAMED.fullmatch(word) and word != "pip":
            found.append(word)
        previous = word
    return tool["tool"], found


def only_looks(line: Sequence[Sequence[str]]) -> bool:
    """Whether the commands leave all files as they were, but for what they install."""
    for command in line:
        rest = _bare(command)
        if not installed(command) and (not rest or rest[0] not in _LOOKS or any(">" in word for word in rest)):
            return False
    return True


def run_by(call: ast.Call) -> list[list[str]] | None:
    """The commands that a call of the standard library, or of the kernel, hands to the shell; none for other calls.

    Without a command in it where the call does not say which.
    """
    name = ast.unparse(call.func) if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    texts = [_text(value) for value in call.args[:2]]
    if name == MAGIC:
        return _of_magic(texts)
    root, _, last = name.rpartition(".")
    if name not in (SHELL, OUTPUT) and not (root in ("os", "subprocess") and last in _RUNNERS):
        return None
    first = call.args[0] if call.args else None
    if isinstance(first, ast.List | ast.Tuple):
        return [[_text(item) or _name(item) for item in first.elts]]
    return joined(texts[0]) if texts and texts[0] else []


def acts_outside(cell: str) -> bool:
    """Whether a cell that cannot be read as Python may change files, modules or variables of the system."""
    language = cell_magic(cell)
    if language in _SHOWN:
        return False
    if language:
        told = commands(cell)
        return not told or not all(only_looks(joined(line)) for line in told)
    return not _OUTSIDE.isdisjoint(re.findall(r"\w+", cell))


def commands_in(tree: ast.AST) -> Iterator[list[str]]:
    """Every command that calls in the tree run."""
    for node in walk(tree):
        if isinstance(node, ast.Call):
            yield from run_by(node) or ()


def _of_magic(texts: Sequence[str]) -> list[list[str]] | None:
    """A command of the kernel as one of the shell; none where it concerns nothing but the kernel."""
    name, rest = (*texts, "", "")[:2]
    if name in _QUIET_MAGICS or (name == "env" and not re.search(r"[\s=]", rest)):
        return None
    return joined(f"{name} {rest}") if name != "env" else []


def _bare(command: Sequence[str]) -> list[str]:
    """The words of a command without `sudo` and without what it sets in front."""
    rest = list(command)
    while rest and (rest[0] == "sudo" or _ASSIGNED.fullmatch(rest[0])):
        rest.pop(0)
    return rest


def _text(value: ast.expr) -> str:
    """A text that is written down, with `{name}` for what is put in; empty for any other value."""
    if isinstance(value, ast.JoinedStr):
        return "".join(_text(part) or f"{{{_name(part)}}}" for part in value.values)
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _name(value: ast.expr) -> str:
    return ast.unparse(value.value if isinstance(value, ast.FormattedValue) else value)
