"""Keeps every test inside a folder of its own, away from the home directory of whoever runs it."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# Slow shared machines make deadlines flicker; a check that everybody waits for must not depend on chance.
settings.register_profile("local", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("check", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("deep", settings.get_profile("local"), max_examples=3000)
settings.load_profile("check" if os.environ.get("CI") else "local")


def house_environment(folder: Path) -> dict[str, str]:
    """The variables that make `folder` the whole world of a process: home, data, cache, settings and login."""
    return {
        "HOME": str(folder),
        "USERPROFILE": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_RUNTIME_DIR": str(folder / "runtime"),
        "LOGNAME": "tester",
        "USER": "tester",
        "HF_HOME": str(folder / "cache" / "huggingface"),
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_COLOR": "1",
        # Two workers share the cores: threads of OpenMP, which spin while they wait, would take most of the time.
        "OMP_NUM_THREADS": "1",
    }


def leaking_variables() -> list[str]:
    """Variables of the caller that would change what a test sees."""
    fixed = ("TOKENIZERS_PARALLELISM", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS")
    return [name for name in os.environ if name.startswith("MEMU_CODE_") or name in fixed]


def pytest_configure(config: pytest.Config) -> None:
    # Before any test module is imported: libraries read these variables once, at their own import.
    for name in leaking_variables():
        del os.environ[name]
    config.stash[_session_home] = tempfile.TemporaryDirectory(prefix="memu-code-tests-", ignore_cleanup_errors=True)
    os.environ.update(house_environment(Path(config.stash[_session_home].name)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if (home := config.stash.get(_session_home, None)) is not None:
        home.cleanup()


_session_home = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders, one after the other: pytest's own way to make one looks at all that it has made before."""
    street = tmp_path_factory.mktemp("homes")
    return (street / str(number) for number in count())


@pytest.fixture(autouse=True)
def house(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own; processes that it starts inherit it."""
    folder = next(homes)
    folder.mkdir()
    for name in leaking_variables():
        monkeypatch.delenv(name)
    for name, value in house_environment(folder).items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def uncollected() -> Iterator[None]:
    """What other tests have left in memory is not gone through within the time that a test takes."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of larger test data beside the repository; tests that need it are skipped where it is not."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder `shared` beside the repository is not there, and this test needs its data")
    return folder
