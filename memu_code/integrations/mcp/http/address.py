"""Where a server listens: what may be bound, by which names it is asked, its certificate and its socket."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp.server.transport_security import TransportSecuritySettings

from memu_code.errors import MemuCodeError, UsageError

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens and by which names it may be asked; `certificate` and `key` are PEM files."""

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    key: Path | None = None
    allow_insecure: bool = False
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def check_address(address: Address) -> None:
    """Let no server be reached from other machines in the clear, unless that was asked for.

    Raises:
        UsageError: it would be, or half of a certificate is given.
    """
    if (address.certificate is None) != (address.key is None):
        raise UsageError("TLS needs both, --tls-cert and --tls-key.")
    if not address.allow_insecure and address.certificate is None and not is_loopback(address.host):
        raise UsageError(
            f"{address.host[:60]!r} can be reached from other machines, and tokens would be sent in the clear: give "
            "--tls-cert and --tls-key, or --allow-insecure where something before the server does TLS."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches this address; of a name, whether all its addresses are so."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        pass
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None)} if host else set()
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(ipaddress.ip_address(one.split("%")[0]).is_loopback for one in found)


def allowed(address: Address) -> TransportSecuritySettings:
    """The `Host` and `Origin` headers that are answered, in lower case: this machine's, the address, and those given.

    A page in a browser whose own name was made to point here (DNS rebinding) sends its name in both.
    """
    own = () if address.host in ("0.0.0.0", "::", "") else (named(address.host),)
    names = (*_LOOPBACK, *(name.lower() for name in (*own, *address.names)))
    hosts = [form for name in names for form in (name, f"{name}:*")]
    origins = [f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in _LOOPBACK for port in ("", ":*")]
    origins += [origin.lower().rstrip("/") for origin in address.origins]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def tls_of(address: Address) -> ssl.SSLContext | None:
    """The TLS context of its certificate; None where it has none.

    Raises:
        MemuCodeError: the files cannot be read, or do not belong together.
    """
    if address.certificate is None or address.key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(address.certificate, address.key, password=lambda: "")  # never ask for one
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or type(error).__name__
        raise MemuCodeError(f"The certificate {address.certificate} cannot be used with its key: {reason}.") from error
    return context


@contextmanager
def bound(address: Address) -> Iterator[socket.socket]:
    """A socket that listens there.

    Raises:
        MemuCodeError: the port is in use, or the address is none of this machine.
    """
    host = address.host.strip("[]")
    try:
        family, kind, number, _, place = socket.getaddrinfo(host, address.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, number)
    except (OSError, UnicodeError) as error:
        raise MemuCodeError(f"There is no address {host[:60]!r} on this machine.") from error
    with listening:
        try:
            if os.name == "posix":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen()  # at once: of two that are only bound, the second would learn of it too late
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise MemuCodeError(f"Port {address.port} of {host[:60]} cannot be used: {reason}.") from error
        yield listening


def named(host: str) -> str:
    """The host as it stands in a URL."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
