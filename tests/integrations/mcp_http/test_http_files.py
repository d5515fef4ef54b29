"""Room for connections beside the files of the store."""

from __future__ import annotations

import resource

import pytest

from memu_code.integrations.mcp.http.files import room_for


@pytest.mark.parametrize(
    ("soft", "hard", "room", "left"),
    [
        (1_024, 4_096, 1_024, 1_536),  # raised
        (1_024, resource.RLIM_INFINITY, 1_024, 1_536),
        (1_024, 1_024, 512, 1_024),  # as far as it goes
        (256, 256, 128, 256),
        (256, 1_200, 688, 1_200),
        (4_096, 4_096, 1_024, 4_096),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 1_024, resource.RLIM_INFINITY),
    ],
)
def test_connections_leave_the_store_its_files(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, room: int, left: int
) -> None:
    """The limit is raised as far as it may be; where that is too little, there are fewer connections."""
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: limits.append(pair))
    assert room_for(1_024) == room
    assert limits[-1] == (left, hard)
