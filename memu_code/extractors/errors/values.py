"""Data in a message: whatever is only a value becomes one sign, so that the message is the same with other data."""

from __future__ import annotations

import builtins
import keyword
import re

VALUE = "…"

_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]{0,120}")
_INNER = r"(?:[^{0}\\\n]|\\.|(?<=\w){0}(?=\w)){{0,2000}}"
_QUOTED = re.compile(
    rf"(?<!\w)[bBuUrR]?(?:'({_INNER.format(chr(39))})'(?!\w)|\"({_INNER.format(chr(34))})\"(?!\w)|`([^`\n]{{0,2000}})`)"
)
_CUT = re.compile(r"(?<!\w)[bBuUrR]?(?:'[^'\n]{0,2000}|\"[^\"\n]{0,2000}|[\[{(][^\[\]{}()\n]{0,2000})$")
_TYPE = re.compile(r"<(?:class|enum|module) '([\w.]{1,120})'[^<>\n]{0,300}>")
_OBJECT = re.compile(r"<([A-Za-z_][\w.]{0,80})[^<>\n]{0,200} at 0x[0-9a-fA-F]{1,32}>")
_URL = re.compile(r"\b[a-z]{2,10}://\S{1,1000}|(?<=url: )\S{1,1000}")
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
_PATH = re.compile(
    r"(?<![\w<.])(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][\w.\-]{1,100}){2,20}/?|(?<![\w<.])(?:\.{1,2}/|~/)[\w.\-]{1,100}"
)
_HEX = re.compile(
    r"\b0x[0-9a-fA-F]{1,64}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|(?<![\w.])(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[0-9a-f]{16,128}(?![\w.+-])"
)
_NUMBER = re.compile(
    r"(?<![\w<.])[-+]?\.?\d(?:[\d_:.,/T+-]{0,400}\d)?(?:[eE][-+]?\d{1,4}|(?:x\d{1,20}){1,8})?%?[A-Za-z]{0,3}(?!\w)|(?<!\w)-?(?:nan|inf)(?!\w)"
)
_LIST = re.compile(r"\[[^\[\]]{0,2000}\]|\{[^{}]{0,2000}\}")
_DATA = rf"(?:{VALUE}|None|True|False|nan|inf|newaxis|[A-Za-z_]\w{{0,40}}=(?={VALUE}|None|True|False)|[,:\s])"
_TUPLE = re.compile(rf"(?<!\w)\((?=[^()]{{0,2000}}{VALUE}|\s*\)){_DATA}{{1,2000}}\)")
_CALL = re.compile(rf"\b[A-Za-z_][\w.]{{0,80}}\((?=[^()]{{0,2000}}{VALUE}){_DATA}{{1,2000}}\)")
_SEVERAL = re.compile(rf"{VALUE}(?:(?:\s?[,:/x]\s?|\s){VALUE})+")

_WORDS = frozenset((*dir(builtins), *keyword.kwlist))


def without_data(text: str, *, names: bool, own: bool = False, cut: bool = False) -> str:
    """A message in which every value reads `…`: numbers, texts, containers, paths, addresses, printed objects.

    With `names`, what stands in quotes and may be a name of the program stays; with `own`, only those that Python
    itself has, because the others are the writer's. `cut` says that the text ends in the middle of something.
    """

    def quoted(match: re.Match[str]) -> str:
        inner = next(group for group in match.groups() if group is not None)
        kept = names and (bool(_IDENTIFIER.fullmatch(inner)) or (0 < len(inner) <= 2 and not inner.isalnum()))
        if kept and own and _IDENTIFIER.fullmatch(inner):
            kept = inner in _WORDS
        return f"'{inner}'" if kept else VALUE

    text = _TYPE.sub(lambda match: match[1].rpartition(".")[2], text)
    text = _OBJECT.sub(lambda match: f"<{match[1].rpartition('.')[2]}>", text)
    text = _QUOTED.sub(quoted, text)
    if cut:
        text = _CUT.sub(VALUE, text)
    for pattern in (_URL, _MAIL, _PATH, _HEX, _NUMBER):
        text = pattern.sub(VALUE, text)
    before = ""
    while before != text and len(before) != len(text):
        before = text
        text = _CALL.sub(VALUE, _TUPLE.sub(VALUE, _LIST.sub(VALUE, text)))
    return " ".join(_SEVERAL.sub(VALUE, text).split())
