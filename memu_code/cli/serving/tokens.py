"""`memu-code token`: who may ask `memu-code serve --http`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from memu_code.cli.options import JsonOption, StoreOption
from memu_code.cli.page import Grid
from memu_code.cli.pages import moment
from memu_code.cli.screen import say, write_json, write_page, write_text
from memu_code.config import read_settings
from memu_code.errors import UsageError
from memu_code.integrations.tokens import (
    FILE,
    Token,
    TokenFile,
    check_name,
    digest_of,
    new_secret,
    read_grants,
    writing_space,
)
from memu_code.model import Right, span_of
from memu_code.runs import Places

token = typer.Typer(
    name="token",
    help="Give people and machines a token for `memu-code serve --http`, list the tokens, and revoke them.",
    rich_markup_mode=None,
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whose it is; what it writes is kept under it.")]


@token.command("add")
def add(
    name: NameArgument,
    grants: Annotated[
        list[str] | None,
        typer.Option("--grant", metavar="SPACE:RIGHTS", help="As in acme/data-eng:read,write; may be given again."),
    ] = None,
    writes_to: Annotated[
        str | None,
        typer.Option("--writes-to", metavar="SPACE", help="Which space it writes to; by default the first it may."),
    ] = None,
    expires: Annotated[
        str, typer.Option("--expires", metavar="AGE", help="When it ends: 90d, 12h or 4w from now, or never.")
    ] = "90d",
    metrics: Annotated[bool, typer.Option("--metrics", help="It may read the server's metrics.")] = False,
    same_person: Annotated[
        bool,
        typer.Option(
            "--same-person", help="The name was a revoked token's, or is this user's own, for the same person."
        ),
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token and print it, this once: only its hash is kept.

    It never gives more than the server itself may do, whatever it is granted.

    Example: memu-code token add ann --grant acme/data-eng:read,write --expires 90d
    """
    held = read_grants(grants or ())
    if not held and not metrics:
        raise UsageError("Say what the token may do, as in --grant acme:read,write, or --metrics.")
    now = time.time()
    secret = new_secret()
    space = writing_space(held, writes_to)
    made = Token(check_name(name), digest_of(secret), held, space, now, _end(expires, now), metrics)
    own = read_settings(store).actor
    if name.casefold() == own.casefold() and not same_person:
        raise UsageError(
            f"{own} writes here without a token, and is offered at once what this one would bring: take another name, "
            "or say --same-person."
        )
    _file(store).add(made, again=same_person)
    if as_json:
        write_json({"token": secret, **_shape(made, now)}, as_is=True)
        return
    write_text(secret, as_is=True)
    say(f"This is shown once. {made.name} {_ends(made, now)}; `memu-code token revoke {made.name}` ends it at once.")


@token.command("list")
def listed(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the tokens: names, rights and ends; the tokens themselves are not known.

    Example: memu-code token list
    """
    tokens, now = _file(store).read(), time.time()
    if as_json:
        write_json([_shape(one, now) for one in tokens])
    elif tokens:
        rows = tuple(
            (one.name, "\n".join(_grants(one)), _written(one), moment(one.made_at), _ends(one, now)) for one in tokens
        )
        write_page([Grid(("name", "may", "writes to", "made", "ends"), rows)])
    else:
        say("There is no token: `memu-code token add NAME --grant SPACE:read,write` makes one.")


@token.command("revoke")
def revoke(name: NameArgument, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """End a token at once; a server that is running refuses it from the next request on.

    Example: memu-code token revoke ann
    """
    gone = _file(store).revoke(name)
    if as_json:
        write_json({"name": gone.name, "revoked": True})
    else:
        write_text(f"{gone.name} is revoked.")


def _file(store: str | None) -> TokenFile:
    settings = read_settings(store)
    return TokenFile(Places(settings.store, Path(settings.state)).own / FILE)


def _end(told: str, now: float) -> float | None:
    if told.strip().lower() == "never":
        return None
    seconds = span_of(told)
    if not seconds:
        raise UsageError(f"--expires must be an age such as 90d, 12h or 4w, or never, not {told[:40]!r}.")
    return now + seconds


def _ends(one: Token, now: float) -> str:
    if one.expires_at is None:
        return "never expires"
    return f"{'expired' if one.expired(now) else 'expires'} {moment(one.expires_at)}"


def _grants(one: Token) -> list[str]:
    told = [f"{space}: {', '.join(sorted(rights))}" for space, rights in one.grants.items()]
    return [*told, "metrics"] if one.metrics else told


def _written(one: Token) -> str:
    """The space that it writes to; empty for one that may only read."""
    return one.space if Right.WRITE in one.grants.get(one.space, ()) else ""


def _shape(one: Token, now: float) -> dict[str, Any]:
    """A token without itself; times are in seconds since the epoch, UTC."""
    return {
        "name": one.name,
        "grants": {space: sorted(rights) for space, rights in one.grants.items()},
        "space": _written(one),
        "metrics": one.metrics,
        "made_at": one.made_at,
        "expires_at": one.expires_at,
        "expired": one.expired(now),
    }
