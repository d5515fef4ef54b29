"""Texts made to break a reader of error texts."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.errors.signature import signature

KILLED_AFTER = 100  # seconds for all texts; they take one or two, and a quadratic pattern takes hours

# Each beginning leads to other patterns; each piece, repeated a million characters long, is what one of them dreads.
SCRIPT = r"""
from memu_code.extractors.errors.signature import signature
STARTS = (
    "", "ValueError: ", "TypeError: ", "SyntaxError: invalid syntax. ", "KeyError: ", "ImportError: No module named '",
    "TypeError: f() missing 1 required positional argument: ", "Check x failed with error: ",
    "Code execution failed at line '", "Error executing tool 'x' with arguments {",
    "Code execution failed at line 'x' due to: InterpreterError: Object ",
    "Code execution failed at line 'x' due to: InterpreterError: Could not index ",
    "Code execution failed at line 'x' due to: InterpreterError: This is not a correct function: ",
    "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\n",
)
PIECES = (
    "'", '"', "`", "[", "{", "(", "<", "\\", "/a", "1e", "a.", "x' ", "' due to: ", "<class '", "0x", "1,",
    "1:", "~/", ": ", "at 0x1 ", "can't ", "Error: ", "Traceback (most recent call last):\n",
    "E    Traceback (most recent call last)", "\x1b[", "\x1b[1;", "url: ", "a@", "a@b", "f(", "(…", "…, ", "x=",
    "None,", "{'a':", "a\\'", "b'", "%s", "^\n", " ^", "because of ", "because of the following error: ",
    "Object ", "Could not index ", "word ", "&&", "a ? b ", "\t", "Executing code yielded an error:\n",
    "}: KeyError: ", "\u2028", "\0", "abcdef0123456789", "..", "./a", "\n \n", "\ud800",
)
for start in STARTS:
    for piece in PIECES:
        text = start + piece * (1_000_000 // len(piece))
        found = signature(text, code=text[: 2_000])
        assert 0 < len(found.key) <= 400
print("all read")
"""


def test_no_text_takes_more_than_linear_time() -> None:
    """A megabyte of what each pattern dreads is read, seven hundred times over, before the process would be killed."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=KILLED_AFTER, check=False
    )
    assert done.stdout.strip() == "all read", done.stderr[-2_000:]


@given(st.text(max_size=400), st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_nothing_raises(text: str, code: str, reported: str, root: str) -> None:
    """Any text, any code, any class: there is a signature."""
    found = signature(text, code=code, type=reported, root=root)
    assert 0 < len(found.key) <= 400


@given(
    st.lists(st.sampled_from(["Traceback (most recent call last):\n", "KeyError", ": ", "'a'", "\n", "  File ", "^"]))
)
def test_fragments_of_errors_raise_nothing(pieces: list[str]) -> None:
    """Torn and doubled tracebacks have a signature too."""
    assert signature("".join(pieces)).key
