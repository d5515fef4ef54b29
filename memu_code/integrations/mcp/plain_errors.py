"""What the SDK says of a request that failed, without the secrets that the request may have held, and short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from memu_code.redact import redact_text

_VERSION = "io.modelcontextprotocol/protocolVersion"
_READ, _TOLD = 2_000, 200  # characters of a client's words that are looked at, and that are told at most


async def plain_errors(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """A middleware of the SDK's server: its errors repeat names and addresses that a client gave.

    Raises:
        MCPError: what the request failed with, told so that anybody may read it.
    """
    try:
        return await call_next(ctx)
    except MCPError as error:
        raise MCPError(error.code, short(error.message), _plain(error.data)) from error
    except ValidationError:
        raise  # the SDK says no more of it than that there is one
    except ValueError as error:  # an unknown name
        raise MCPError(INVALID_PARAMS, short(str(error))) from error
    except Exception as error:
        raise MCPError(INTERNAL_ERROR, f"The server failed at this request ({type(error).__name__}).") from error


def short(words: str) -> str:
    """The beginning of a client's words, without the secrets in it; the time it takes does not grow with the rest."""
    return redact_text(words[:_READ])[:_TOLD]


def odd_version(params: Mapping[str, Any]) -> bool:
    """Whether a request asks for a version of the protocol that cannot be one.

    The SDK repeats what it does not know before any middleware is asked.
    """
    meta = params.get("_meta")
    asked = [params.get("protocolVersion"), meta.get(_VERSION) if isinstance(meta, Mapping) else None]
    return any(isinstance(version, str) and short(version) != version for version in asked)


def _plain(data: Any) -> Any:
    match data:
        case str():
            return short(data)
        case dict():
            return {name: _plain(value) for name, value in data.items()}
        case list():
            return list(map(_plain, data))
        case _:
            return data
