"""Which version of a package this Python has, by the name that code imports it by."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

from memu_code.model import Environment


def installed_versions(packages: Iterable[str], environment: Environment | None = None) -> dict[str, str]:
    """The versions of these packages as far as they are known: of the environment, or of this very Python.

    Nothing is known of the packages of a sandbox that is elsewhere, but for what the environment says.
    """
    told = dict(environment.packages) if environment else {}
    here = environment is None or environment.sandbox == "local"
    found = {name: told.get(name) or (installed_version(name) if here else "") for name in packages}
    return {name: version for name, version in found.items() if version}


@cache
def installed_version(package: str) -> str:
    """The version of the distribution that a top-level package is from; empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        pass  # the distribution goes by another name, as PIL's does: look it up, which takes longer
    try:
        names = _distributions().get(package, [])
        return metadata.version(names[0]) if names else ""
    except metadata.PackageNotFoundError:
        return ""


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())
