"""`memu-code serve`: the memory for any MCP client."""

from __future__ import annotations

import importlib.util
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memu_code.cli.opening import Place
from memu_code.cli.options import EmbedderOption, SpaceOption, StoreOption
from memu_code.cli.screen import say
from memu_code.cli.serving.over_http import (
    CertificateOption,
    HostOption,
    HttpOption,
    InsecureOption,
    KeyOption,
    NamesOption,
    OriginsOption,
    PortOption,
    RateOption,
    Wanted,
    serve_over_http,
)
from memu_code.config import read_settings
from memu_code.errors import MemuCodeError

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory


def serve(
    http: HttpOption = False,
    host: HostOption = None,
    port: PortOption = None,
    certificate: CertificateOption = None,
    key: KeyOption = None,
    allow_insecure: InsecureOption = False,
    names: NamesOption = None,
    origins: OriginsOption = None,
    rate: RateOption = None,
    store: StoreOption = None,
    space: SpaceOption = None,
    embedder: EmbedderOption = None,
) -> None:
    """Serve the memory to an MCP client over standard input and output, or to many over HTTP.

    A client starts this by itself, from its configuration. It ends when the client closes its end; over HTTP, at
    SIGTERM or Ctrl-C.

    Example: claude mcp add memu-code -- memu-code serve
    """
    require_sdk()
    place = Place(store, space, embedder)
    read_settings(store, space, embedder)  # what is wrong with the options is said before anything is served
    wanted = Wanted(host, port, certificate, key, allow_insecure, tuple(names or ()), tuple(origins or ()), rate)
    if http:
        serve_over_http(place, wanted)
        return
    wanted.refuse_without_http()
    if sys.stdin.isatty():
        say("This speaks MCP: a client starts it from its configuration. Ctrl-C ends it.")
    from memu_code.integrations.mcp.wire import claim

    wire = claim()  # from here on, whatever prints does so to standard error
    from memu_code.integrations.mcp.server import make_server
    from memu_code.integrations.mcp.stdio import serve as serve_stdio

    with opening(place) as memory:
        serve_stdio(make_server(lambda context: memory()), wire)


def require_sdk() -> None:
    """Refuse where the MCP SDK is not installed.

    Raises:
        MemuCodeError: it is not.
    """
    if importlib.util.find_spec("mcp") is None:
        raise MemuCodeError(
            "`memu-code serve` needs the MCP SDK, the extra `mcp`: run `pip install 'mcp>=2.3' prometheus-client`."
        )


@contextmanager
def opening(place: Place) -> Iterator[Callable[[], CodeMemory]]:
    """The memory, once it is open: it opens meanwhile, since clients wait only so long for a server's first word.

    What keeps it from opening is raised by each use.
    """
    future: Future[CodeMemory] = Future()

    def work() -> None:
        try:
            from memu_code.memory import CodeMemory

            future.set_result(CodeMemory.open(place.store, space=place.space, embedder=place.embedder))
        except MemuCodeError as error:
            say(str(error))
            future.set_exception(error)
        except BaseException as error:
            logging.getLogger("memu_code").exception("The memory cannot be opened")
            future.set_exception(error)

    threading.Thread(target=work, name="memu-code opening", daemon=True).start()
    try:
        yield future.result
    finally:
        if future.done() and future.exception() is None:
            future.result().close()
