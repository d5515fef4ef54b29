"""Folders of repositories as an archive tells them: no folder of a person's home stands in it as a whole path."""

from __future__ import annotations

import os
import re

_HOMES = re.compile(
    r"(?:/home|/Users|/export/home|[A-Za-z]:[\\/]Users)[\\/](?P<who>[^\\/]+)(?P<rest>(?:[\\/].*)?)", re.DOTALL
)


def without_home(root: str) -> str:
    """The folder from `~` on where it lies in one's own home, from `~NAME` on in that of somebody else."""
    own = os.path.expanduser("~").rstrip("\\/")
    if own and (root == own or root.startswith((f"{own}/", f"{own}\\"))):
        return f"~{root[len(own) :]}"
    found = _HOMES.fullmatch(root)
    return f"~{found['who']}{found['rest']}" if found else root


def at_home(root: str) -> str:
    """The folder where it lies here; as it is told where that home is not on this machine."""
    return os.path.expanduser(root) if root.startswith("~") else root
