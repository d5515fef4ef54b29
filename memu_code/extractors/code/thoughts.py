"""What an agent says beside its code."""

from __future__ import annotations

import re

_CODE = re.compile(r"<code>|```|\{code")


def spoken(text: str, limit: int) -> str:
    """The words before the first code in the first `limit` characters, without the label that some LLMs put first."""
    told = _CODE.split(text[:limit], maxsplit=1)[0].strip()
    if told.lower().startswith(("thought:", "thoughts:")):
        told = told.partition(":")[2].strip()
    return told
