"""What a server counts, for Prometheus; in a registry of its own, so that two servers in a process do not mix."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from memu_code.integrations.mcp.http.calls import Call

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
_FRESH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the store can be read right now, and how many journals of runs lie beside it."""

    reachable: bool
    waiting: int


class Metrics:
    """Calls by tool and outcome, their seconds, and the health of the store, which `health` looks up (it may block)."""

    def __init__(self, health: Callable[[], Health], running: Callable[[], int]) -> None:
        self._health = health
        self._looked = (0.0, Health(False, 0))
        self.registry = CollectorRegistry()
        ProcessCollector(namespace="memu_code", registry=self.registry)
        self._calls = Counter(
            "memu_code_calls", "Requests by tool and outcome.", ("tool", "outcome"), registry=self.registry
        )
        self._refused = Counter(
            "memu_code_refused", "Requests refused before a tool was reached.", ("status",), registry=self.registry
        )
        self._seconds = Histogram(
            "memu_code_call_seconds", "Seconds of a call.", ("tool",), buckets=_BUCKETS, registry=self.registry
        )
        self._received = Counter("memu_code_received_bytes", "Bytes of bodies received.", registry=self.registry)
        self._sent = Counter("memu_code_sent_bytes", "Bytes of bodies sent.", registry=self.registry)
        Gauge("memu_code_running", "Calls going on.", registry=self.registry).set_function(running)
        self._up = Gauge("memu_code_store_up", "1 where the store can be read.", registry=self.registry)
        self._waiting = Gauge(
            "memu_code_journals", "Journals of runs that go on or wait to be taken in.", registry=self.registry
        )

    def count(self, call: Call) -> None:
        self._received.inc(call.received)
        self._sent.inc(call.sent)
        if call.tool:
            self._calls.labels(call.tool, call.outcome).inc()
            self._seconds.labels(call.tool).observe(call.seconds)
        elif call.status >= 400:
            self._refused.labels("gone" if call.outcome == "gone" else str(call.status)).inc()

    def page(self) -> bytes:
        """All of it in Prometheus' text format; the store is asked at most every five seconds. Blocks."""
        at, health = self._looked
        if time.monotonic() - at > _FRESH_SECONDS or not at:
            health = self._health()
            self._looked = (time.monotonic(), health)
        self._up.set(health.reachable)
        self._waiting.set(health.waiting)
        return generate_latest(self.registry)
