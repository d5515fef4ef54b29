"""A memory with one run, and a client that asks it in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from memu_code import CodeMemory
from memu_code.integrations.mcp.server import make_server
from tests.integrations.mcp.clients import RUN, Asker, asker


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path_factory.mktemp("memory") / "store", space="~tester") as memory:
        yield memory


@pytest.fixture(scope="module")
def ask(memory: CodeMemory, portal: BlockingPortal) -> Iterator[Asker]:
    """A client of a server in this process; its memory holds one run."""
    with asker(make_server(lambda context: memory), portal) as asked:
        asked.told("remember", **RUN)
        yield asked
