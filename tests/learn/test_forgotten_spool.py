"""What a killed writer laid down for the store is forgotten with the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.graph import Store
from memu_code.model import Outcome, Run, Step

MARKER = "giraffes of the northern plant"


def test_no_byte_is_left_of_what_waited_in_the_spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that its process laid down before it was killed is taken in, planned for, and gone; so is half a file."""
    with CodeMemory.open(tmp_path / "store") as memory:
        steps = (Step(1, f"answer = '{MARKER}'\nfinal_answer(answer)", ran=True, final=True),)
        run = Run(
            "run_1", memory.space, f"count the {MARKER}", actor=memory.actor, outcome=Outcome.ANSWERED, steps=steps
        )

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Store, "_take_in", killed)
            with pytest.raises(KeyboardInterrupt):
                memory.remember(run)
        (laid,) = (tmp_path / "store" / "spool").iterdir()
        assert MARKER.encode() in laid.read_bytes()
        laid.with_name(f".{laid.name}").write_bytes(laid.read_bytes()[:-9])
        assert memory.runs() == []
        plan, proof = memory.forget(space=memory.space, grace=0.0)
        assert "run_1" in plan.gone.get("runs", ()) or memory.space in plan.whole
        assert proof.markers
        assert proof.found == ()
        assert memory.runs() == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if MARKER.encode() in path.read_bytes()]
