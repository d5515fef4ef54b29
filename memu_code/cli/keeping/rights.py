"""What takes away what others may have written asks for more than a name on the command line."""

from __future__ import annotations

from memu_code.config import check_space, read_settings, reader_of
from memu_code.errors import AccessError
from memu_code.model import Right


def check_right(space: str | None) -> None:
    """Let a space be named by those only who may write there without naming it.

    Raises:
        AccessError: neither their own space nor MEMU_CODE_WRITE says so.
    """
    mine = reader_of(read_settings())
    if space is not None and not mine.may(Right.WRITE, check_space(space)):
        raise AccessError(
            f"{mine.actor} may not write in the space {space!r}. "
            f"MEMU_CODE_WRITE={space} gives your own commands that right."
        )
