"""Whether all is well here, and what to do where it is not. Looks at packages without importing them."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from memu_code import __version__
from memu_code.cli.opening import Place, is_empty, opened
from memu_code.cli.page import Block, Facts, Grid, Note
from memu_code.config import read_settings, reader_of
from memu_code.errors import MemuCodeError
from memu_code.model import Right

OLDEST_SMOLAGENTS = (1, 26)  # the first whose callbacks see every ending of a run
ENOUGH_BYTES = 200_000_000  # of free disk: compacting a store of 50,000 nodes takes about so much for a moment
_PACKAGES = (
    "smolagents",
    "lancedb",
    "pyarrow",
    "libcst",
    "networkx",
    "onnxruntime",
    "tokenizers",
    "sentence-transformers",
    "typer",
    "rich",
)
_OPTIONAL = ("openai",)


def examine(place: Place) -> dict[str, Any]:
    """Versions, store, embedder and disk as facts, and under `problems` a sentence for each thing to be mended."""
    settings = read_settings(place.store, place.space, place.embedder)
    problems: list[str] = []
    packages = {name: _version(name) for name in (*_PACKAGES, *_OPTIONAL)}
    problems += [f"{name} is not installed: run `pip install {name}`." for name in _PACKAGES if packages[name] is None]
    if (found := packages["smolagents"]) and _number(found) < OLDEST_SMOLAGENTS:
        problems.append(f"smolagents {found} is too old: run `pip install 'smolagents>=1.26'`.")
    reader = reader_of(settings)
    if untrusted := sorted(space for space in settings.trusted if not reader.may(Right.WRITE, space)):
        problems.append(
            f"MEMU_CODE_TRUST changes nothing for {', '.join(untrusted)}, where you may not write: "
            "trust takes that right, which MEMU_CODE_WRITE gives."
        )
    free = _free_bytes(settings.store)
    embedder = _embedder_facts(settings.embedder, problems)
    exists = _exists(settings.store, problems)
    facts = _store_facts(place, problems) if embedder and exists else {}
    if free is not None and free < ENOUGH_BYTES:
        problems.append(f"Only {free / 1e6:.0f} MB are free where the store is: make room or move it.")
    return {
        "memu_code": __version__,
        "python": platform.python_version(),
        "packages": packages,
        "store": settings.store,
        "space": settings.space,
        "exists": exists,
        "embedder": embedder,
        "off": settings.off,
        "free_bytes": free,
        **facts,
        "problems": problems,
    }


def health_page(facts: Mapping[str, Any]) -> list[Block]:
    """What `examine` found."""
    packages = facts["packages"].items()
    free = facts["free_bytes"]
    embedder = facts["embedder"]
    known = (
        f"{embedder['name']}, {embedder['dimensions']} dimensions, sha256 {embedder['sha256'][:12]}" if embedder else ""
    )
    rows = (
        ("memu-code", facts["memu_code"]),
        ("python", facts["python"]),
        ("packages", "\n".join(f"{name} {version or 'not installed'}" for name, version in packages)),
        ("store", facts["store"] + ("" if facts["exists"] else " (not there yet)")),
        ("format", str(facts.get("format", ""))),
        ("embedder", known),
        ("space", facts["space"]),
        ("journals", str(facts["journals"]) if facts.get("journals") else ""),
        ("free disk", "" if free is None else f"{free / 1e9:.1f} GB"),
        ("changed since seeding", "\n".join(_changed(facts.get("changed_sources", {})))),
        ("memory", "off, since MEMU_CODE_OFF is set" if facts["off"] else ""),
    )
    page: list[Block] = [Facts(rows)]
    if tables := facts.get("tables"):
        counts = tuple(
            (name, str(table["rows"]), _indexed(table), str(table["version"])) for name, table in tables.items()
        )
        page.append(Grid(("table", "rows", "indexed", "version"), counts, numbers_from=1))
    problems = [f"Problem: {problem}" for problem in facts["problems"]]
    return [*page, Note("\n".join(problems) or "All is well.")]


def _indexed(table: Mapping[str, Any]) -> str:
    """The rows that every index of a table knows; the others are read one by one. Empty: a small one has no index."""
    return str(min(table["indexed"].values())) if table["indexed"] else ""


def _changed(sources: Mapping[str, int]) -> list[str]:
    return [f"{count} files of {root}: run `memu-code seed {root}`" for root, count in sorted(sources.items())]


def _embedder_facts(name: str | None, problems: list[str]) -> dict[str, Any] | None:
    """Which embedder it is, once a text went through it: that reads its files and checks them."""
    from memu_code.embed import open_embedder  # here, as in `opened`: it takes a while to import

    try:
        embedder = open_embedder(name)
        embedder.encode(["memu-code"])
        return asdict(embedder.identity)
    except MemuCodeError as error:
        problems.append(str(error))
        return None


def _exists(store: str, problems: list[str]) -> bool:
    """Whether there is a store; not so where it cannot be reached, which is a problem."""
    try:
        return not is_empty(store)
    except MemuCodeError as error:
        problems.append(str(error))
        return False


def _store_facts(place: Place, problems: list[str]) -> dict[str, Any]:
    """What the memory says of its store."""
    try:
        with opened(place) as memory:
            facts = memory.doctor()
    except MemuCodeError as error:
        problems.append(str(error))
        return {}
    problems += facts["problems"]
    told = ("format", "tables", "without_vector", "changed_sources", "journals")
    return {name: facts[name] for name in told if name in facts}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def _free_bytes(store: str) -> int | None:
    """Of the disk that a store's folder is on, or will be; None for an object store, or where it cannot be told."""
    if "://" in store:
        return None
    folder = Path(store)
    for place in (folder, *folder.parents):
        try:
            return shutil.disk_usage(place).free
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return None
    return None
