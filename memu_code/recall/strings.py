"""The strings that are written in Python code, also in code that does not parse."""

from __future__ import annotations

import re

# For patterns with DOTALL that have other parts before it. A quote that nothing closes is an apostrophe here: what it
# begins is searched as what it is. `redact.marks` counts it as a string to its end, since a secret may have been cut.
STRING = (
    r"(?P<quotes>\"\"\"|''')(?P<long>.*?)(?P=quotes)"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>(?:[^'\\\n]|\\.)*)'"
)


def content(string: re.Match[str]) -> str:
    """What stands between the quotes, as it is written; empty where the match is another part of the pattern."""
    return string["long"] or string["double"] or string["single"] or ""
