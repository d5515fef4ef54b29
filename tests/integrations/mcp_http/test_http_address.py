"""Where the server may listen, and by which names it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memu_code.cli import app
from memu_code.errors import MemuCodeError, UsageError
from memu_code.integrations.mcp.http.address import Address, allowed, bound, check_address, is_loopback, named

Some = Path("some.pem")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "::1", "[::1]"])
def test_this_machine_alone_needs_no_certificate(host: str) -> None:
    """Nobody else can listen in."""
    assert is_loopback(host)
    check_address(Address(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.7", "192.168.1.4", "no such host", "a" * 300])
def test_other_machines_are_not_served_in_the_clear(host: str) -> None:
    """Only with TLS, or if one says that something else does it."""
    with pytest.raises(UsageError, match="tokens would be sent in the clear"):
        check_address(Address(host=host))
    check_address(Address(host=host, certificate=Some, key=Some))
    check_address(Address(host=host, allow_insecure=True))


@pytest.mark.parametrize("address", [Address(certificate=Some), Address(key=Some)])
def test_half_a_certificate_is_refused(address: Address) -> None:
    """It would look like TLS and be none."""
    with pytest.raises(UsageError, match="needs both"):
        check_address(address)


def test_the_names_that_are_answered() -> None:
    """This machine's own, the address, and those that were given; no wildcard address is a name."""
    hosts = allowed(Address(host="10.0.0.7", names=("memory.acme.example",))).allowed_hosts
    assert {"127.0.0.1:*", "localhost", "10.0.0.7:*", "memory.acme.example", "memory.acme.example:*"} <= set(hosts)
    everywhere = allowed(Address(host="0.0.0.0", origins=("https://tool.acme.example",)))
    assert not any(host.startswith("0.0.0.0") for host in everywhere.allowed_hosts)
    assert "https://tool.acme.example" in everywhere.allowed_origins
    assert (named("::1"), named("10.0.0.7")) == ("[::1]", "10.0.0.7")


def test_a_port_in_use_is_refused_with_a_sentence() -> None:
    """Nothing is served, and the other server is not disturbed."""
    with bound(Address(port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(MemuCodeError, match=f"Port {port} of 127.0.0.1 cannot be used"), bound(Address(port=port)):
            pass


@pytest.mark.parametrize("host", ["203.0.113.9", "no such host", "a" * 300, "x\0y"])
def test_an_address_that_is_not_here_is_refused_with_a_sentence(host: str) -> None:
    """Whatever the system says of it."""
    with pytest.raises(MemuCodeError), bound(Address(host=host, port=0)):
        pass


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--http", "--host", "0.0.0.0"), "in the clear"),
        (("--http", "--tls-cert", "cert.pem"), "TLS needs both"),
        (("--port", "1"), "say --http, too"),
        (("--http", "--port", "70000"), "65535"),
    ],
)
def test_wrong_options_are_refused_before_a_store_is_made(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    """One sentence, exit code 2, and nothing on the disk."""
    refused = CliRunner().invoke(app, ["serve", *arguments, "--store", str(tmp_path / "store")])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert told in refused.stderr
    assert list(tmp_path.iterdir()) == []
