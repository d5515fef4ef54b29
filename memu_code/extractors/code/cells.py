"""The cell of a notebook as plain Python: sandboxes that run a kernel take `%magic`, `!command` and `name?` too.

Each such line is written as the call that it is short for, as the kernel itself does, so that it can be parsed, keeps
its line number and is seen as a change. `as_cell` writes such calls short again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

SHELL = "get_ipython().system"
OUTPUT = "get_ipython().getoutput"
MAGIC = "get_ipython().run_line_magic"

_CELL = re.compile(r"\s*%%(\w+|!)[^\n]*(?:\n|\Z)")
_SHELLS = frozenset(("bash", "sh", "script", "!", "cmd"))
_TRANSPARENT = frozenset(("time", "capture", "prun"))  # the body is Python, and binds its names as usual
_WRITERS = frozenset(("writefile", "file"))  # the body goes to a file
_APPENDS = frozenset(("-a", "--append"))
_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?:"
    r"(?P<target>[A-Za-z_][\w.,\[\] \t*]*?)[ \t]*=[ \t]*(?P<taken>!|%(?=\w))(?P<source>[^\n]+)"
    r"|(?P<mark>!!?|%(?=\w))(?P<command>[^\n]*)"
    r"|(?P<installer>(?:pip3?|conda|mamba)[ \t]+(?:un)?install[ \t]+[^\n=()]+)"  # works without its mark
    r"|\?\??[ \t]*(?P<asked>[\w.]+)|(?P<named>%{0,2}[A-Za-z_][\w.]*)\?\??[ \t]*;?"
    r")[ \t]*(?:\n|\Z)"
)
# A text in quotation marks, also one without its end.
TEXT = (
    r"'''(?:\\.|[^\\])*?(?:'''|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)"
    r"|'(?:\\.|[^'\\\n])*+'?|\"(?:\\.|[^\"\\\n])*+\"?"
)
# What decides where the next statement begins: text, comments, brackets, ends of lines.
_TOKEN = re.compile(
    TEXT + r"|#[^\n]*"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<joined>\\\n)|(?P<end>\n)",
    re.DOTALL,
)
_QUOTED = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_CALLED = re.compile(rf"get_ipython\(\)\.(?:(system|getoutput)\({_QUOTED}\)|run_line_magic\({_QUOTED}, {_QUOTED}\))")


@dataclass(frozen=True, slots=True)
class Special:
    """A line that is no Python, from `start` to `end` in the cell, as `python` of one line; `command` is its text."""

    start: int
    end: int
    command: str
    python: str


def plain(code: str) -> str:
    """The cell as Python of as many lines; the code itself where no line of it is anything else.

    A cell in another language (`%%bash`) stays what it is: it cannot be read.
    """
    head = _CELL.match(code)
    if head and head[1] in _WRITERS:
        return _writing(head[0], code[head.end() :]) or code
    if head and head[1] not in _TRANSPARENT:
        return code
    parts: list[str] = []
    end = head.end() if head else 0
    if head:
        parts.append("\n" * head[0].count("\n"))
    for special in _specials(code, end):
        text = code[special.start : special.end]
        parts += [code[end : special.start], special.python, "\n" * text.count("\n")]
        end = special.end
    return "".join([*parts, code[end:]])


def cell_magic(code: str) -> str:
    """The word behind `%%` that says what the whole cell is; empty for Python, also where it is timed or captured."""
    head = _CELL.match(code)
    return head[1] if head and head[1] not in _TRANSPARENT else ""


def commands(code: str) -> list[str]:
    """The commands of a cell that are for the shell or the kernel, `pip install lxml` among them, in their order."""
    head = _CELL.match(code)
    if head and head[1] in _WRITERS:
        return []
    if head and head[1] in _SHELLS:
        return [line.strip() for line in code[head.end() :].splitlines() if line.strip()]
    return [special.command for special in _specials(code, 0)]


def as_cell(line: str) -> str:
    """A line of Python with calls of the kernel written short: `!ls`, `%cd data`, `names = !ls`."""
    return _CALLED.sub(_short, line) if "get_ipython()" in line else line


def _short(match: re.Match[str]) -> str:
    try:
        told = [ast.literal_eval(text) for text in match.groups()[1:] if text]
    except (SyntaxError, ValueError):
        return match[0]
    return f"!{told[0]}" if match[1] else f"%{' '.join(told)}".rstrip()


def _writing(head: str, body: str) -> str:
    """The call that writes the body of a cell to the file named in its first line; empty where a variable names it."""
    words = head.split()[1:]
    names = [word.strip("'\"") for word in words if word not in _APPENDS]
    if len(names) != 1 or {"{", "$"} & set(names[0]):
        return ""
    text = body if body.endswith("\n") else f"{body}\n"  # as the kernel ends it
    call = f"open({names[0]!r}, {'a' if len(words) > 1 else 'w'!r}).write({text!r})"
    return "\n" * head[: head.index("%")].count("\n") + call + "\n" * (body.count("\n") + 1)


def _specials(code: str, start: int) -> Iterator[Special]:
    """The lines that are no Python, where a statement may begin: not inside brackets, text or a continued line."""
    while start < len(code):
        match = _LINE.match(code, start)
        if match:
            end = match.end()
            while code.endswith("\\\n", start, end) and end < len(code):  # the command goes on
                end = code.find("\n", end) + 1 or len(code)
            yield _special(match, start, end, code)
            start = end
        else:
            start = _next_statement(code, start)


def _next_statement(code: str, start: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(code, start):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        elif token["end"] and not depth:
            return token.end()
    return len(code)


def _special(match: re.Match[str], start: int, end: int, code: str) -> Special:
    rest = " ".join(line.rstrip("\\").strip() for line in code[match.end() : end].splitlines())

    def whole(text: str) -> str:
        return f"{text.rstrip(chr(92)).strip()} {rest}".strip()

    if match["target"]:
        command = whole(match["source"])
        value = f"{OUTPUT}({command!r})" if match["taken"] == "!" else _magic(command)
        return Special(start, end, command, f"{match['indent']}{match['target']} = {value}")
    if match["mark"] in ("!", "!!"):
        command = whole(match["command"])
        call = SHELL if match["mark"] == "!" else OUTPUT
        return Special(start, end, command, f"{match['indent']}{call}({command!r})")
    asked = match["asked"] or match["named"]
    command = f"pinfo {asked}" if asked else whole(match["command"] or match["installer"])
    return Special(start, end, command, f"{match['indent']}{_magic(command)}")


def _magic(command: str) -> str:
    name, _, rest = command.partition(" ")
    rest = rest.strip()
    if name == "time" and rest:
        return rest  # the statement runs as if it stood alone
    if name == "cd" and rest:
        return f"__import__('os').chdir({rest.strip(chr(39) + chr(34))!r})"
    return f"{MAGIC}({name!r}, {rest!r})"
