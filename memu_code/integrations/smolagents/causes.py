"""The true exception class behind smolagents' errors, and their text without ballast.

The local executor raises `InterpreterError` for much that Python calls otherwise, and `AgentExecutionError` around it;
remote executors hand over a coloured traceback as text only.
"""

from __future__ import annotations

import re

from smolagents.utils import AgentError, AgentParsingError

from memu_code.integrations.shapes import cut
from memu_code.model import StepError

_ERROR_CAP = 4_000
_MOST_LINKS = 50  # of a chain of exceptions
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NAMED = re.compile(r"(?:\w+\.)*(\w+)(?=:|$|\n)")
_LAST_LINE = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning))\b(?::|$)", re.MULTILINE)
_INDEXED = re.compile(r"Could not index .*: (KeyError|IndexError|TypeError|AttributeError): ", re.DOTALL)
_WORDINGS = (  # what the local executor says, and what Python would have raised
    ("Could not index ", "KeyError"),
    ("Forbidden function evaluation", "NameError"),
    (" is not defined", "NameError"),
    ("Import of ", "ImportError"),
    ("Import from ", "ImportError"),
    ("Module ", "ImportError"),
    (" has no attribute ", "AttributeError"),
    ("Cannot unpack ", "ValueError"),
)
_SNIPPET = "Here is your code snippet:"  # from here on a parsing error repeats the whole output of the LLM


def step_error(error: AgentError, outer: BaseException | None, output: str = "") -> StepError:
    """The error of a step as a value: class, text of at most about 4,000 characters, true class where it is known.

    `outer` is the exception that was being handled when the run began: what hangs on the chain from there on is not
    the step's. `output` is what the LLM wrote.
    """
    text = str(error)
    if isinstance(error, AgentParsingError):
        short = text.partition(_SNIPPET)[0].rstrip()
        before, found, after = text[len(short) :].partition(output) if output else (text[len(short) :], "", "")
        rest = tuple(cut(part, _ERROR_CAP) for part in ((before, after) if found else (before,)) if before)
        return StepError(type(error).__name__, cut(short, _ERROR_CAP), rest=rest)
    return StepError(type(error).__name__, cut(text, _ERROR_CAP), root_class(error, text, outer))


def root_class(error: BaseException, text: str, outer: BaseException | None) -> str:
    """The exception class that Python would have named, or an empty string where nothing tells.

    The class in the text goes first (with `raise X from Y` the chain ends at Y), unless it is the executor's own.
    """
    ends_at = _end_of_chain(error, outer)
    if "exceeded the maximum execution time" in text[:200]:
        return "TimeoutError"
    named, message = _named_in(text)
    if named and named != "InterpreterError":
        # a missing text key among number keys: the executor's own search for similar names fails, and hides it
        hidden = named == "TypeError" and "has no len()" in message and ends_at in ("KeyError", "IndexError")
        return ends_at if hidden else named
    if ends_at and ends_at != "InterpreterError":
        return ends_at
    if not named:
        found = _LAST_LINE.findall(_ANSI.sub("", text[-_ERROR_CAP:]))
        return found[-1] if found else ""
    indexed = _INDEXED.match(message)
    if indexed:
        return indexed[1]
    return next((python for wording, python in _WORDINGS if wording in message), "InterpreterError")


def _named_in(text: str) -> tuple[str, str]:
    """Class and message of `Code execution failed at line '...' due to: Class: message`, also in its older wording."""
    if not text.startswith(("Code execution failed", "Code parsing failed")):
        return "", ""
    for wording in (" due to: ", " because of the following error:"):
        _, found, rest = text.partition(wording)
        match = _NAMED.match(rest.lstrip()) if found else None
        if match:
            return match[1], rest.lstrip()[match.end() + 1 :].lstrip()[:_ERROR_CAP]
    return "", ""


def _end_of_chain(error: BaseException, outer: BaseException | None) -> str:
    link: BaseException | None = error.__context__
    last, links = "", 0
    while link is not None and link is not outer and links < _MOST_LINKS:
        if not isinstance(link, AgentError):
            last = type(link).__name__
        link, links = link.__context__, links + 1
    return last
