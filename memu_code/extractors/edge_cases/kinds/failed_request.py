"""A request that the network or the server did not answer well."""

from __future__ import annotations

import ast
import re

from memu_code.extractors.code.words import words
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import last_name
from memu_code.extractors.edge_cases.shapes import number
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_REQUESTS = ("get", "post", "put", "request", "head", "delete", "patch", "urlopen", "urlretrieve", "gethostbyname")
_ANSWERS = re.compile(r"(?:^|_)(?:r|res|resp|response|answer|reply|e|err|error|exc|exception)\d?$", re.IGNORECASE)
_CLASSES = words(
    "RequestException HTTPError URLError ConnectionError ConnectError ConnectionRefusedError ConnectionResetError "
    "HTTPStatusError RequestError SSLError gaierror ClientError"
)


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(ast.Attribute(answer, "status_code" | "status" as asked), [operator], [code]) if (
            asked == "status_code" or _is_answer(site, answer)
        ):
            told = number(code)
            fine = told is not None and 200 <= told < 300
            if (fine and isinstance(operator, ast.NotEq)) or (
                told is not None and told >= 300 and isinstance(operator, ast.Eq | ast.GtE | ast.Gt)
            ):
                return Found(f"{source(answer)} failed: {source(site.condition)}", site.handling)
        case ast.UnaryOp(ast.Not(), ast.Attribute(answer, "ok")) if site.scope.comes_from(answer, *_REQUESTS):
            return Found(f"{source(answer)} failed: not ok", site.handling)
    return None


def _is_answer(site: Tested, thing: ast.expr) -> bool:
    """Whether it is the answer of a server: orders and threads have a status too."""
    return _ANSWERS.search(last_name(thing)) is not None or site.scope.comes_from(thing, *_REQUESTS)


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Attribute(answer, "raise_for_status"), []):
            return Found(f"{source(answer)} failed: its status is 400 or more", source(site.node))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        call = site.calls(*_REQUESTS)
        what = site.what if call is None else source(call)
        return Found(f"{what} is not answered ({site.named})", site.handling)
    return None


FAILED_REQUEST = EdgeCaseKind(
    "failed_request",
    "A request that the network or the server did not answer well.",
    shown=(
        Shown("if r.status_code != 200:\n    print('failed')", "r failed: r.status_code != 200", "print('failed')"),
        Shown("if resp.status >= 400:\n    n += 1", "resp failed: resp.status >= 400", "n += 1"),
        Shown("r.raise_for_status()", "r failed: its status is 400 or more", "r.raise_for_status()"),
        Shown(
            "try:\n    r = fetch(u)\nexcept requests.exceptions.RequestException:\n    r = None",
            "r = fetch(u) is not answered (RequestException)",
            "r = None",
        ),
    ),
    near_misses=(
        "print(r.status_code)",
        "if order.status == 'open':\n    n += 1",
        "if order.status == 404:\n    n += 1",
        "if job.status != 200:\n    n += 1",
        "if r.status_code == 201:\n    made()\nelif x:\n    other()",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("HTTPError", "ConnectionError", "RequestException", "URLError"),
)
