"""The class and the message out of an error text, whichever executor wrote it."""

from __future__ import annotations

import builtins
import re

HEAD = 12_000
TAIL = 8_000
MAX_TEXT = HEAD + TAIL  # characters that are read of any error; a failed lookup can print a whole table

_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CLASS = r"[A-Za-z_][A-Za-z0-9_.]{0,120}"
_LINE = re.compile(rf"^(?:E {{2,8}})?({_CLASS})(?::[ \t]*(.*))?$")
_DUE = re.compile(rf"' due to: ({_CLASS}): ?")
_BECAUSE = re.compile(r"because\s+of\s+the\s+following\s+error:\s*")
_PARSING = re.compile(rf"Code parsing failed on line \d+ due to: ({_CLASS}): ?")
_YIELDED = "Executing code yielded an error:\n"
_HEADER = re.compile(rf"^({_CLASS})[ ]{{2,200}}Traceback \(most recent call last\)", re.MULTILINE)
_RULER = "-" * 70  # a notebook draws one of 75 above its traceback
_TRACEBACK = "Traceback (most recent call last):"
_FAILED = "Code execution failed at line '"
_GROUP = re.compile(r"^[ ]{0,40}\| ((?:Base)?ExceptionGroup): (.*)$", re.MULTILINE)
_TOOL = "Error executing tool '"
_ARGUMENTS = re.compile(rf"\}}: ({_CLASS}): ?")
_ENDINGS = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "Timeout", "NotFound", "Err", "Failed")
_OF_MODULE = re.compile(r"[a-z_]\w{0,60}(?:\.\w{1,60}){0,5}\.(?:[A-Z]\w{1,80}|[a-z]{0,20}error)")
_CARET = re.compile(r"[ \t|]{0,2000}\^[\^~ ]{0,2000}")
_LINE_NUMBER = re.compile(r"\((?:<[^<>\n]{1,60}>|[\w./\\-]{1,200}), line (\d{1,9})\)")
_BUILTIN = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name.isidentifier()
)


def capped(text: str) -> str:
    """The head and the tail of a long text."""
    return text if len(text) <= MAX_TEXT else f"{text[:HEAD]}\n{text[-TAIL:]}"


def without_ansi(text: str) -> str:
    return _ANSI.sub("", text).replace("\r\n", "\n")


def statement(text: str) -> str:
    """The statement of the top level that a local error text shows; empty where it shows none."""
    shown = text.partition(_FAILED)[2]
    return shown.partition("' due to: ")[0] if "' due to: " in shown else _BECAUSE.split(shown)[0].rstrip(" \n'")


def failing_line(text: str, message: str, code: str) -> str:
    """The line that a syntax error is about: as the text shows it, else by its number in the code; else empty."""
    match = _PARSING.search(text)
    if match:
        return text[match.end() :].partition("\n")[2].partition("\n")[0].rstrip(" ^")
    lines = text.splitlines()
    carets = [number for number, line in enumerate(lines) if number and _CARET.fullmatch(line)]
    if carets:
        return lines[carets[-1] - 1].strip()
    placed = _LINE_NUMBER.search(message)
    written = code.splitlines()
    return written[int(placed[1]) - 1] if placed and 0 < int(placed[1]) <= len(written) else ""


def parted(text: str) -> tuple[str, str]:
    """Class and message of an error; the class is empty where the text names none."""
    match = _PARSING.search(text)
    if match:
        return match[1], text[match.end() :].partition("(<unknown>")[0].strip()
    if text.startswith(_TOOL):
        for match in _ARGUMENTS.finditer(text):
            if _is_class(match[1]):
                return match[1], text[match.end() :].strip()
    if _FAILED in text:
        match = _DUE.search(text)
        if match:
            return match[1], text[match.end() :].strip()
        match = _BECAUSE.search(text)
        if match:
            return _named(text[match.end() :].strip())
    if _YIELDED in text:
        name, _, rest = text.partition(_YIELDED)[2].partition("\n")
        if re.fullmatch(_CLASS, name.strip()):
            return name.strip(), _before_traceback(rest)
    headers = [match[1] for match in _HEADER.finditer(text)]
    if headers:  # of a chain, the last was raised last
        return headers[-1], _after_last(text, headers[-1])
    group = _GROUP.search(text)
    if group:
        return group[1], group[2]
    if _TRACEBACK in text:
        raised = text.rpartition(_TRACEBACK)[2]
        at = re.search(rf"^{_CLASS}(?=:|$)", raised, re.MULTILINE)
        if at:
            return at[0], raised[at.end() :].removeprefix(":").strip()
    lines = [line.strip(" |\t") for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        for line in reversed(lines[-40:]):
            if _is_class(line.partition(":")[0]):
                return _named(line)
    return _named(text.strip())


def _named(text: str) -> tuple[str, str]:
    first, _, more = text.partition("\n")
    match = _LINE.match(first.strip())
    if match and _is_class(match[1]):
        message = match[2] or ""
        return match[1], f"{message}\n{more}".strip()
    return "", text


def _is_class(name: str) -> bool:
    """Whether a word is the name of an exception: one of Python's, by its ending, or as a class of a module."""
    name = name.strip()
    if name in _BUILTIN or name == "error" or _OF_MODULE.fullmatch(name):
        return True
    return bool(re.fullmatch(_CLASS, name)) and name.endswith(_ENDINGS)


def _after_last(text: str, name: str) -> str:
    """What stands behind the last line that begins with the class, as at the end of a notebook's traceback."""
    place = max(text.rfind(f"\n{name}: "), text.rfind(f"\n{name}:\n"))
    if place >= 0:
        return text[place + len(name) + 2 :].strip()
    return ""


def _before_traceback(text: str) -> str:
    kept = []
    for line in text.splitlines():
        if line.startswith(_RULER) or line.lstrip().startswith("Cell In") or "Traceback (most recent" in line:
            break
        kept.append(line)
    return "\n".join(kept).strip()
