"""What a request asks for, in whichever of the forms of HTTP/1.1 it says so."""

from __future__ import annotations

import re
from urllib.parse import unquote

from starlette.types import Scope

_ABSOLUTE = re.compile(rb"https?://([^/]*)(.*)", re.IGNORECASE | re.DOTALL)


def origin_form(scope: Scope) -> Scope:
    """The request as if it named its path alone.

    One that names a whole address, as clients of proxies do, is to be answered too, and then asks the host in that
    address, whatever its `Host` says (RFC 9112, section 3.2.2).
    """
    whole = _ABSOLUTE.fullmatch(scope["raw_path"])
    if whole is None:
        return scope
    host, path = whole[1], whole[2] or b"/"
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {**scope, "path": unquote(path.decode("ascii")), "raw_path": path, "headers": [(b"host", host), *headers]}
