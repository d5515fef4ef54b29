"""The options of `memu-code serve --http`, and the server that they ask for."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memu_code.cli.opening import Place, opened
from memu_code.cli.screen import say
from memu_code.errors import UsageError

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

HttpOption = Annotated[bool, typer.Option("--http", help="Over HTTP, for those with a token; see `memu-code token`.")]
HostOption = Annotated[
    str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen; by default 127.0.0.1.")
]
PortOption = Annotated[
    int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="By default 8765; 0 is any free one.")
]
CertificateOption = Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help="A certificate, as PEM.")]
KeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key, as PEM.")]
InsecureOption = Annotated[
    bool, typer.Option("--allow-insecure", help="Listen beyond this machine without TLS: a proxy in front has it.")
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option("--allow-host", metavar="NAME", help="A name by which clients ask; may be given again."),
]
OriginsOption = Annotated[
    list[str] | None,
    typer.Option("--allow-origin", metavar="URL", help="A web page's origin that may ask; may be given again."),
]
RateOption = Annotated[
    float | None,
    typer.Option("--rate", metavar="N", min=0.01, max=100_000, help="Requests a second of one token; by default 20."),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was said of the server; None or empty where nothing was."""

    host: str | None
    port: int | None
    certificate: Path | None
    key: Path | None
    allow_insecure: bool
    names: tuple[str, ...]
    origins: tuple[str, ...]
    rate: float | None

    def refuse_without_http(self) -> None:
        """Refuse options that would be of no effect.

        Raises:
            UsageError: there is one.
        """
        given = (self.host, self.port, self.certificate, self.key, self.rate)
        if any(value is not None for value in given) or self.allow_insecure or self.names or self.origins:
            raise UsageError("--host, --port and the like are for a server over HTTP: say --http, too.")


def serve_over_http(place: Place, wanted: Wanted) -> None:
    """Serve until SIGTERM or Ctrl-C; a line of JSON on standard error for each call.

    Raises:
        UsageError: it would listen beyond this machine in the clear.
        MemuCodeError: the memory, the tokens, the certificate or the port cannot be had.
    """
    from memu_code.integrations.mcp.http import Address, Limits, check_address, serve, share_heaps

    default = Address()
    address = Address(
        wanted.host or default.host,
        default.port if wanted.port is None else wanted.port,
        wanted.certificate,
        wanted.key,
        wanted.allow_insecure,
        wanted.names,
        wanted.origins,
    )
    check_address(address)  # before a store is made for nothing
    limits = Limits() if wanted.rate is None else Limits(rate=wanted.rate, burst=max(1.0, 3 * wanted.rate))
    share_heaps()  # before the database begins its threads
    with opened(place) as memory:

        def ready(url: str) -> None:
            say(f"Serving {memory.settings.store} at {url}")
            for sentence in curtailed(memory):
                say(sentence)

        serve(memory, address, limits, sys.stderr, ready)


def curtailed(memory: CodeMemory) -> list[str]:
    """A sentence for each token that was granted more than this server may do itself; none where all is well."""
    from memu_code.integrations.tokens import FILE, TokenFile

    sentences = []
    now = time.time()
    for token in TokenFile(memory.places.own / FILE).read():
        if token.expired(now):
            continue
        held = token.reader(memory.reader).grants
        less = [space for space, rights in token.grants.items() if held.get(space, frozenset()) != rights]
        if less:
            sentences.append(
                f"The token {token.name} has less than it was granted in {', '.join(less[:5])}: this server may not do "
                "more. Start it with --space, MEMU_CODE_READ, MEMU_CODE_WRITE or MEMU_CODE_PROMOTE."
            )
    return sentences
