"""What went wrong in code that a loop ran, as the error of a step."""

from __future__ import annotations

import re
import traceback

from memu_code.integrations.shapes import cut, text_of
from memu_code.model import StepError

_ERROR_CAP = 4_000  # characters
_LAST_LINE = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning))\b(?::|$)", re.MULTILINE)


def raised(error: object) -> StepError | None:
    """The error of a step from an exception or its text; None where there was none.

    Of an exception's traceback only the lines of the code itself are kept: those of the loop and of the libraries
    below it say nothing of the code, and name folders.
    """
    if error is None or error is False or error == "":
        return None
    if isinstance(error, BaseException):
        name = type(error).__name__
        return StepError(name, cut(_told(error), _ERROR_CAP), name)
    text = cut(error if isinstance(error, str) else text_of(error, _ERROR_CAP), _ERROR_CAP)
    classes = _LAST_LINE.findall(text)
    name = classes[-1] if classes else ""
    return StepError(name or "Error", text, name)


def unread(error: object) -> StepError:
    """The error of a step where what was raised cannot be read: the step has failed all the same."""
    name = type(error).__name__ if issubclass(type(error), BaseException) else "Error"  # by its class: it may lie
    return StepError(name, f"{name}: (its text cannot be read)", name)


def _told(error: BaseException) -> str:
    last = "".join(traceback.format_exception_only(error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}' for frame in frames if _is_code(frame)]
    return "\n".join(["Traceback (most recent call last):", *lines, last]) if lines else last


def _is_code(frame: traceback.FrameSummary) -> bool:
    """Whether the frame is of code that came as a text: `<string>`, a notebook's cell."""
    return frame.filename.startswith("<") and not frame.filename.startswith("<frozen")
