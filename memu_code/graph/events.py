"""The table `events`: what was said of jobs and runs, appended and never changed."""

from __future__ import annotations

from collections.abc import Iterable

from memu_code.graph import rows, sql
from memu_code.graph.visible import Visible
from memu_code.graph.writer import Writer
from memu_code.model import Clean, Event, Reader, Right
from memu_code.model.promotions import PROMOTIONS


class Announcer(Writer):
    """A store that events are appended to."""

    def write_events(self, events: Clean[tuple[Event, ...]], reader: Reader) -> None:
        """Append events; one whose id is there already is left as it was said first.

        Raises:
            AccessError: the reader may not write to a space that occurs in them, or not promote into one of which they
                say that something was promoted.
            StoreError: they could not be written.
        """
        self._check_right(reader, Right.WRITE, {event.space for event in events.value})
        self._check_right(reader, Right.PROMOTE, {event.space for event in events.value if event.kind in PROMOTIONS})
        self._connection.insert(
            "events",
            [rows.event_row(event) for event in events.value],
        )


class Events(Visible):
    """What was said of jobs and runs, as far as the reader may see it."""

    def events(self, kinds: Iterable[str], *, space: str, job: str | None = None) -> list[Event]:
        """The events of these kinds in a space, perhaps only those of one job, oldest first, each once."""
        of_job = "" if job is None else sql.equals("job", job)
        meant = sql.every(sql.one_of("kind", kinds), sql.equals("space", space), of_job)
        found = {row["id"]: row for row in self._rows("events", meant, rows.EVENT_COLUMNS)}
        events = self._connection.read(lambda: [rows.event_from(row) for row in found.values()])
        return sorted(events, key=lambda event: (event.at, event.id))
