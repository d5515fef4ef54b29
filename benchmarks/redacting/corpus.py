"""The corpus: secrets in the forms in which they stand, and as many lines of what only looks like them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.redacting import (
    forms_held_out,
    forms_tuned,
    fresh,
    harmless_held_out,
    harmless_tuned,
    secrets_held_out,
    secrets_tuned,
)
from benchmarks.redacting.alphabets import ALNUM, DIGITS, UPPER, URLSAFE, Draw
from benchmarks.redacting.sample import Sample, Secret

Forms = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """What a corpus is drawn from: kinds of secrets, forms, and harmless lines."""

    secrets: Sequence[Secret]
    named: Forms
    bare: Forms
    own: Sequence[tuple[str, str, str]]
    harmless: Sequence[tuple[str, Callable[[Draw], str]]]


PARTS = {
    "tuned": Part(secrets_tuned.TUNED, forms_tuned.NAMED, forms_tuned.BARE, forms_tuned.OWN, harmless_tuned.TUNED),
    "held out": Part(
        secrets_held_out.HELD_OUT,
        forms_held_out.NAMED,
        forms_held_out.BARE,
        forms_held_out.OWN,
        harmless_held_out.HELD_OUT,
    ),
    "fresh": Part(fresh.SECRETS, fresh.NAMED, fresh.BARE, fresh.OWN, fresh.HARMLESS),
}


def corpus(part: Part, seed: int, lines: int) -> list[Sample]:
    """Samples of at least this many lines, of which half have secrets in them; the same for the same seed."""
    draw = Draw(seed)
    with_secrets: list[Sample] = []
    without: list[Sample] = []
    while sum(sample.lines for sample in with_secrets) < lines / 2:
        with_secrets.append(_own(part, draw) if draw.random() < 0.2 else _secret(part, draw))
    while sum(sample.lines for sample in without) < lines / 2:
        kind, make = part.harmless[len(without) % len(part.harmless)]
        without.append(Sample(make(draw), (), kind, "harmless"))
    samples = [*with_secrets, *without]
    draw.shuffle(samples)
    return samples


def _secret(part: Part, draw: Draw) -> Sample:
    secret = draw.choice(part.secrets)
    forms = part.bare if secret.bare and draw.random() < 0.5 else part.named
    form = draw.choice(list(forms))
    template = draw.choice(forms[form])
    value, name = secret.make(draw), draw.choice(secret.names)
    if form == "command":
        name = name.lower().replace("_", "-") if "--" in template else name
    return Sample(template.format(name=name, secret=value), (value,), secret.kind, form)


def _own(part: Part, draw: Draw) -> Sample:
    kind, what, template = draw.choice(part.own)
    value = _value(what, draw)
    text = template.format(secret=value)
    if what.startswith("pem"):
        lines = value.replace("\\n", "\n").split("\n")
        return Sample(text, tuple(line for line in lines if line and not line.startswith("-----")), kind, what)
    return Sample(text, (value,), kind, what)


def _value(what: str, draw: Draw) -> str:
    match what:
        case "password":
            return draw.password().replace("'", "x")
        case "url password":
            return "".join(letter for letter in draw.password() if letter not in "@#?/%^&+=") + "7Q"
        case "guise" | "other guise":
            made = secrets_tuned.guise(draw) if what == "guise" else secrets_held_out.guise(draw)
            return made.replace("$", "!")
        case "basic":
            return base64.b64encode(f"ann:{draw.password()}".encode()).decode()
        case "azure":
            return draw.base64(64)
        case "pem":
            return draw.pem(draw.choice(("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY")), draw.randint(3, 8))
        case "pem in a literal":
            return draw.pem("OPENSSH PRIVATE KEY", draw.randint(3, 6)).replace("\n", "\\n")
        case "hex":
            return draw.hex(40)
        case "slack webhook":
            workspace, channel = (draw.text(UPPER + DIGITS, 10) for _ in range(2))
            return f"T{workspace}/B{channel}/{draw.text(ALNUM, 24)}"
        case "discord webhook":
            return draw.text(URLSAFE, 68)
        case _:
            return draw.choice((draw.text(ALNUM, 24, 48), draw.text(URLSAFE, 32, 43)))
