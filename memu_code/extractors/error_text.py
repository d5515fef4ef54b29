"""The class and the message out of an error text, whichever executor wrote it."""

from __future__ import annotations

import re

HEAD = 12_000
TAIL = 8_000
MAX_TEXT = HEAD + TAIL  # characters that are read of any error; a failed lookup can print a whole table

_ANSI = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CLASS = r"[A-Za-z_][A-Za-z0-9_.]{0,120}"
_LINE = re.compile(rf"^({_CLASS})(?::[ \t]*(.*))?$")
_DUE = re.compile(rf"' due to: ({_CLASS}): ?")
_BECAUSE = re.compile(r"because\s+of\s+the\s+following\s+error:\s*")
_PARSING = re.compile(rf"Code parsing failed on line \d+ due to: ({_CLASS}): ?")
_YIELDED = "Executing code yielded an error:\n"
_HEADER = re.compile(rf"^({_CLASS})[ ]{{2,200}}Traceback \(most recent call last\)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last):"


def capped(text: str) -> str:
    """The head and the tail of a long text."""
    return text if len(text) <= MAX_TEXT else f"{text[:HEAD]}\n{text[-TAIL:]}"


def without_ansi(text: str) -> str:
    return _ANSI.sub("", text).replace("\r\n", "\n")


def parted(text: str) -> tuple[str, str]:
    """Class and message of an error; the class is empty where the text names none."""
    match = _PARSING.search(text)
    if match:
        return match[1], text[match.end() :].partition("(<unknown>")[0].strip()
    if "Code execution failed at line '" in text:
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
    header = _HEADER.search(text)
    if header:
        return header[1], _after_last(text, header[1])
    if _TRACEBACK in text:
        for line in text.rpartition(_TRACEBACK)[2].splitlines():
            if line.strip() and not line.startswith((" ", "\t", "|", "+")):
                return _named(line.strip())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
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
    """Whether a word is the name of an exception: by its ending, or as a word with inner capitals."""
    last = name.strip().rpartition(".")[2]
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{2,120}", last):
        return False
    ends = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "Timeout", "NotFound", "Err", "Failed")
    return last.endswith(ends)


def _after_last(text: str, name: str) -> str:
    """What stands behind the last line that begins with the class, as at the end of a notebook's traceback."""
    place = max(text.rfind(f"\n{name}: "), text.rfind(f"\n{name}:\n"))
    if place >= 0:
        return text[place + len(name) + 2 :].strip()
    return ""


def _before_traceback(text: str) -> str:
    kept = []
    for line in text.splitlines():
        if line.startswith("-----") or line.lstrip().startswith("Cell In") or "Traceback (most recent" in line:
            break
        kept.append(line)
    return "\n".join(kept).strip()
