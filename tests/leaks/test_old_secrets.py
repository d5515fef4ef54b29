"""A store that was filled by weaker rules: no verb gives out a secret that today's rules know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.config import read_settings
from memu_code.graph import View
from memu_code.model import Clean, ErrorFix, Extraction, Kind
from memu_code.redact import outgoing, redact_text
from memu_code.redact.values import _walk
from tests.leaks.paths import LONG, VERBS
from tests.leaks.planted import EVERYTHING, SPACES, Planted, Tiny, _embedded, _plot, mark_of, picture_of

SECRET = f"dop_v1_{'0f3a9c1d' * 8}"
SPACE = SPACES[0]
_WORD = re.compile(rf"(?<![A-Za-z0-9_]){mark_of(SPACE)}(?![A-Za-z0-9_])")


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    """One space in which each free text holds the secret."""
    renamed: dict[str, str] = {}
    plot = _walk(_plot(SPACE), lambda text: _WORD.sub(SECRET, text), renamed)
    plot = _walk(plot, lambda text: renamed.get(text, text), {})
    plot = replace(plot, runs=(*plot.runs[:2], replace(plot.runs[2], job=f"job {SECRET}")))
    settings = replace(read_settings(str(tmp_path_factory.mktemp("old") / "store"), SPACE), trusted=frozenset({SPACE}))
    memory = CodeMemory(settings, EVERYTHING, Tiny())
    planted = Planted(memory, {SPACE: plot})
    store = planted.store
    found = Extraction(plot.nodes, plot.edges, plot.evidence)
    store.write(Clean(found), _embedded(found.nodes), EVERYTHING)
    store.write_runs([Clean(run) for run in plot.runs], EVERYTHING)
    store.write_receipts(Clean((plot.receipt,)), EVERYTHING)
    store.write_events(Clean(plot.events), EVERYTHING)
    store.write_sources(Clean((plot.source,)), EVERYTHING)
    memory.keep_picture(picture_of(plot.mark))
    yield planted
    memory.close()


@pytest.mark.parametrize("name", [*VERBS, *LONG])
def test_no_verb_gives_out_what_an_older_version_kept(old: Planted, name: str, tmp_path: Path) -> None:
    """Whatever it tells of, values and all."""
    told = repr({**VERBS, **LONG}[name](old.memory, old, old.plots[SPACE], tmp_path))
    assert SECRET not in told


def test_the_secret_is_there_and_a_mark_is_told_in_its_place(old: Planted, tmp_path: Path) -> None:
    """The store holds it in every table that has texts; most verbs that tell texts show the mark."""
    view: View = old.view(EVERYTHING)
    for table in ("nodes", "evidence", "runs", "steps", "receipts", "events", "sources"):
        assert SECRET in repr(view.rows_in(table)), table
    told = {name: repr(ask(old.memory, old, old.plots[SPACE], tmp_path)) for name, ask in VERBS.items()}
    marked = {name for name, text in told.items() if "[redacted:" in text}
    assert marked >= {
        *("recall", "recall_fix", "node", "related", "history", "promotions", "check", "runs", "kept_run"),
        *("full_steps", "conversation", "receipts", "brief", "follow_ups", "recall_work"),
    }
    assert f"job {redact_text(SECRET)}" in old.memory.jobs()


def test_what_is_changed_is_told_without_the_secret(old: Planted) -> None:
    """A dry promotion, a follow-up noted again, and the same closed."""
    memory, plot = old.memory, old.plots[SPACE]
    told = [memory.promote(plot.ids[0], SPACES[2], dry_run=True), memory.feedback(plot.ids[0], "up")]
    told += [memory.note_follow_up(f"ask {SECRET}", job="common"), memory.close_follow_up(f"follow_up_{plot.mark}")]
    assert SECRET not in repr(told)
    assert "[redacted:" in repr(told[0])


def test_what_is_told_keeps_the_id_it_is_stored_under(old: Planted) -> None:
    """Else nothing more could be asked of it, and no quarantine would hold it."""
    memory, plot = old.memory, old.plots[SPACE]
    for node in plot.nodes:
        told, _, _ = memory.node(node.id)
        assert told.id == node.id
        assert isinstance(told, type(node))
        assert outgoing(told) == told
        assert {other.id for _, other in memory.related(told.id)} <= set(plot.ids)
    fix = next(node for node in plot.nodes if isinstance(node, ErrorFix) and node.delta)
    assert memory.node(fix.id)[0].kind is Kind.ERROR_FIX
    assert redact_text(SECRET) in repr(memory.node(fix.id)[0])
