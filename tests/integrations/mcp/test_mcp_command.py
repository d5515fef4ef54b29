"""`memu-code serve` before it serves, and what its page says of it."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memu_code.cli import app
from memu_code.cli.opening import Place
from memu_code.cli.serving.serve import opening
from memu_code.errors import StoreError
from memu_code.integrations.mcp import arguments, messages, stdio
from tests.integrations.mcp.clients import Asker


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, and nothing is served."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["serve"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "memu-code: `memu-code serve` needs the MCP SDK, the extra `mcp`: "
        "run `pip install 'mcp>=2.3' prometheus-client`.\n"
    )


def test_the_first_word_does_not_wait_for_the_database() -> None:
    """Clients wait only so long for a server to start; the store is opened while they say who they are."""
    code = "import sys, memu_code.integrations.mcp.stdio; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert not {"lancedb", "numpy", "libcst", "torch", "smolagents"} & set(done.stdout.split())


@pytest.mark.parametrize(("option", "value"), [("--space", "No Space"), ("--store", "ftp://somewhere")])
def test_wrong_options_are_said_before_anything_is_served(option: str, value: str) -> None:
    """A client shows the sentence as the reason why its server did not start."""
    done = CliRunner().invoke(app, ["serve", option, value])
    assert (done.exit_code, done.stdout) == (2, "")
    assert value in done.stderr


def test_a_store_that_cannot_be_opened_is_said_at_each_use(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The server is there, so that an agent reads the reason; standard error has it too."""
    place = tmp_path / "store"
    place.write_text("no folder")
    with opening(Place(str(place), None, None)) as memory:
        for _ in range(2):
            with pytest.raises(StoreError, match="store"):
                memory()
    assert str(place) in capfd.readouterr().err


def test_the_page_s_configurations_start_the_server(root: Path) -> None:
    """Each of them is well formed, and what it starts is `memu-code serve`."""
    page = (root / "docs" / "mcp.md").read_text()
    found = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    found += [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    assert {key for told in found for key in told} == {"mcpServers", "servers", "context_servers", "mcp_servers"}
    for told in found:
        ((_, servers),) = told.items()
        assert servers["memu-code"]["command"] == "memu-code"
        assert servers["memu-code"]["args"] == ["serve"]


def test_the_page_tells_the_tools_and_the_limits(root: Path, ask: Asker) -> None:
    """By the server that lists them, and by the constants that refuse."""
    page = (root / "docs" / "mcp.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (yes )?\|$", page, re.MULTILINE))
    tools = ask.portal.call(ask.client.list_tools).tools
    assert {tool.name: not tool.annotations.read_only_hint for tool in tools if tool.annotations} == {
        name: bool(writes) for name, writes in rows.items()
    }
    limits = " ".join(page.partition("**Limits**")[2].partition("\n\n")[0].split())
    told = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", limits)]
    assert told == [
        arguments.CODE_CHARACTERS,
        arguments.OUTPUT_CHARACTERS,
        arguments.TEXT_CHARACTERS,
        arguments.MOST_STEPS,
        arguments.MOST_HITS,
        messages.MOST_BYTES // 1024**2,
    ]
    assert f"for {stdio.PATIENCE:g} seconds at most" in page
    assert stdio.HURRY == 1.0
