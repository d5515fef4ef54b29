"""Who asks: from the token of a request to a memory with its rights, on the server's one store and embedder."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mcp.server.mcpserver import Context
from starlette.datastructures import Headers
from starlette.types import Scope

from memu_code.errors import StoreError
from memu_code.integrations.mcp.http.calls import call_of
from memu_code.integrations.mcp.http.limits import Buckets, Limits
from memu_code.integrations.mcp.http.refusals import Refused
from memu_code.integrations.tokens import Token, Tokens

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

_KEY = "memu_code.memory"
_log = logging.getLogger("memu_code")


class Callers:
    """Lets those in who have a token; the others are told nothing but that they have none, and only so often."""

    def __init__(self, memory: CodeMemory, tokens: Tokens, limits: Limits) -> None:
        self._memory = memory
        self._tokens = tokens
        self._known = Buckets(limits.rate, limits.burst)
        self._unknown = Buckets(limits.refused_rate, limits.refused_burst)
        self._memories: dict[str, CodeMemory] = {}
        self._changes = 0

    def admit(self, scope: Scope) -> Token:
        """Whose request this is; it is noted on the call.

        Raises:
            Refused: there is no token, or none that is valid now; its holder, or the address, asks too often; or the
                tokens cannot be read, so nobody is known.
        """
        call = call_of(scope)
        try:
            token = self._tokens.of(_bearer(scope))
        except StoreError as error:
            _log.error("%s", error)
            raise Refused(503, retry_after=30) from error
        if token is None:
            if wait := self._unknown.take(call.address):
                raise Refused(429, retry_after=wait)
            raise Refused(401)
        call.token = token.name
        if wait := self._known.take(token.digest):
            raise Refused(429, retry_after=wait)
        return token

    def lend(self, scope: Scope, token: Token) -> None:
        """Put the memory of this token where the tools find it.

        Raises:
            Refused: the token has no rights that this server could give.
        """
        if self._changes != self._tokens.changes:
            self._memories, self._changes = {}, self._tokens.changes
        memory = self._memories.get(token.digest)
        if memory is None:  # at most one a token in the file
            memory = self._memory.as_reader(token.reader(self._memory.reader), token.space)
            self._memories[token.digest] = memory
        if not memory.reader.grants:
            raise Refused(403, "This token has no rights on this server.")
        scope["state"][_KEY] = memory


def memory_of(context: Context) -> CodeMemory:
    """The memory of whoever sent the request that a tool is answering: the SDK hands the HTTP request on with it."""
    request = context.request_context.request
    assert request is not None, "over HTTP there is always a request"
    memory: CodeMemory = request.scope["state"][_KEY]
    return memory


def _bearer(scope: Scope) -> str:
    """The token of a request; empty where there is none, or several, of which nobody could say which counts."""
    sent = Headers(scope=scope).getlist("authorization")
    scheme, _, secret = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    return secret.strip() if scheme.lower() == "bearer" else ""
