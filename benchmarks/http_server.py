"""`memu-code serve --http` under 64 clients for a minute, and under 10,000 rude requests.

    python -m benchmarks.http_server [--seconds 60]

A real server process on a store of some thousand nodes; the clients are a process of their own on the same cores. They
ask for a mix of recalls, fixes, lists, briefs and whole runs to be kept, every question another one. What is stored was
brought by somebody else, as in any team, and every other solution is promoted. The server trusts no shared space, which
is the default: each recall has to see to it that nothing in quarantine is shown. What that costs is shown by a second
server on the same store, which trusts the space.

- with think time (the figure that the goal is for): each of 64 clients pauses for 5 seconds on average (exponential)
  after each answer, as an agent does whose LLM writes a step, 60 seconds long;
- as a closed loop: each asks again at once, for a third of that time; that shows how much the server does at the most.

With `--seconds` all is shorter or longer in proportion, the rude requests too.

Goals: no error, 95th percentile of recall under 500 ms with think time, memory flat (not more than 10 % above what it
was after 10 s); each rude request answered properly, nothing revealed, the server alive, exit code 0 at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.cold_query import fill
from benchmarks.http.line import Line
from benchmarks.http.polite import MIX
from benchmarks.http.rude import attack, kinds
from benchmarks.percentiles import percentiles
from benchmarks.result import save
from memu_code import CodeMemory, Reader, Right, Run, Step
from memu_code.graph.promoting import promotion_event
from memu_code.integrations.tokens import FILE, Token, TokenFile, digest_of, new_secret, read_grants, writing_space
from memu_code.model import Clean, Promotion, Solution

CLIENTS = 64
SECONDS, THINK = 60, 5.0
NODES = 5_000
RUDE = 10_000
PATIENCE = 180.0  # seconds for clients to begin and to end
GOAL_MS, GOAL_GROWTH = 500.0, 1.10
SPACE, HIDDEN, MARKER = "acme", "~zed", "zanzibar_marker"
TELLING = ("Traceback", 'File "', "site-packages", MARKER)
QUESTIONS = [
    f"{verb} {thing} of source"
    for verb in ("parse", "sort", "merge", "count", "filter", "plot", "convert", "validate", "split", "group")
    for thing in ("log lines", "csv rows", "time stamps", "user names", "prices", "graph edges", "json records")
]


_BEGAN = time.perf_counter()


class Server:
    """The server process, and its memory over time."""

    def __init__(self, store: Path, rate: float, *, trusting: bool) -> None:
        command = [sys.executable, "-m", "memu_code", "serve", "--http", "--port", "0", "--rate", str(rate)]
        environment = {**os.environ, "MEMU_CODE_READ": HIDDEN, "MEMU_CODE_TRUST": SPACE if trusting else ""}
        self.process = subprocess.Popen(
            [*command, "--store", str(store), "--space", SPACE], stderr=subprocess.PIPE, env=environment
        )
        self.lines: list[str] = []
        self.port = 0
        self.kilobytes: list[tuple[float, int]] = []
        assert self.process.stderr is not None
        ready, _, _ = select.select([self.process.stderr], [], [], 120)
        first = self.process.stderr.readline().decode() if ready else ""
        found = re.search(r":(\d+)/mcp", first)
        if found is None:
            self.process.kill()
            raise SystemExit(f"The server did not start: {first}")
        self.port = int(found[1])
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.decode("utf-8", "replace"))

    def watch(self, stop: threading.Event) -> None:
        """Note the resident memory each second."""
        began = time.monotonic()
        while not stop.wait(1.0):
            with suppress(OSError):
                status = Path(f"/proc/{self.process.pid}/status").read_text()
                resident = re.search(r"VmRSS:\s+(\d+)", status)
                self.kilobytes.append((time.monotonic() - began, int(resident[1]) if resident else 0))

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self._reading.join(5)
        return code


def prepare(store: Path) -> TokenFile:
    """A store with nodes of ann's, every other solution promoted, and one in a private space; its file of tokens."""
    with CodeMemory.open(store, space=SPACE) as memory:
        _promote(memory, [node.id for node in fill(memory, NODES).nodes if isinstance(node, Solution)][::2])
    with CodeMemory.open(store, space=HIDDEN) as memory:
        code = f"def count_{MARKER}(rows):\n    return len(rows)\n\nfinal_answer(count_{MARKER}([]))"
        step = Step(1, code, "", "0", ran=True, final=True)
        memory.remember(Run("run_00000000000000000002", HIDDEN, f"count the {MARKER}", answer="0", steps=(step,)))
        return TokenFile(memory.places.own / FILE)


def _promote(memory: CodeMemory, nodes: list[str]) -> None:
    promoted = (Promotion(node, SPACE, "~carol", node, "carol", 2.0, "of use", nodes=(node,)) for node in nodes)
    carol = Reader("carol", {SPACE: frozenset(Right)})
    memory._open_store().write_events(Clean(tuple(map(promotion_event, promoted))), carol)


def under_load(server: Server, secrets: list[str], seconds: float, think: float, seed: int) -> dict[str, Any]:
    """What the clients measured, and the server's memory over that time."""
    plan = {"port": server.port, "secrets": secrets, "seconds": seconds, "think": think, "seed": seed}
    stop = threading.Event()
    server.kilobytes.clear()
    watching = threading.Thread(target=server.watch, args=(stop,))
    watching.start()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.http.polite"],
            input=json.dumps({**plan, "questions": QUESTIONS}),
            capture_output=True,
            text=True,
            check=True,
            timeout=seconds + PATIENCE,
        )
    finally:  # or else a failed stage would leave a thread for which the process waits
        stop.set()
        watching.join()
    found = json.loads(done.stdout)
    early = next((kilobytes for at, kilobytes in server.kilobytes if at >= 10), server.kilobytes[-1][1])
    calls = sum(map(len, found["milliseconds"].values()))
    return {
        "seconds": seconds,
        "think_seconds_mean": think,
        "calls": calls,
        "calls_per_second": round(calls / seconds, 1),
        "wrong": found["wrong"],
        "recalls_answered": found["recalls_answered"],
        "milliseconds": {tool: percentiles(taken) for tool, taken in sorted(found["milliseconds"].items())},
        "resident_mb_after_10_s": round(early / 1024, 1),
        "resident_mb_at_end": round(server.kilobytes[-1][1] / 1024, 1),
    }


def under_attack(server: Server, secret: str, gone: str, good: str, count: int) -> dict[str, Any]:
    """What came back for the rude requests, and whether the server serves on."""

    async def work() -> dict[str, Any]:
        rude = await attack(server.port, kinds(server.port, secret, gone), count, 7, TELLING)
        line = Line(server.port, good)
        status, answer = await line.call("recall", {"task": QUESTIONS[0]})
        await line.close()
        return {**rude, "serves_on": status == 200 and not answer["result"].get("isError")}

    return asyncio.run(work())


def give(file: TokenFile, name: str, *grants: str) -> str:
    secret, held = new_secret(), read_grants(grants)
    file.add(Token(name, digest_of(secret), held, writing_space(held), time.time()))
    return secret


def say(stage: str) -> None:
    """What is done now, with the time since the process began, on standard error."""
    print(f"{time.perf_counter() - _BEGAN:6.0f} s  {stage}", file=sys.stderr, flush=True)


def main() -> int:
    reading = argparse.ArgumentParser(prog="python -m benchmarks.http_server")
    reading.add_argument("--seconds", type=float, default=SECONDS, help="how long each server is asked with think time")
    seconds = reading.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"  # no token of this benchmark is left to anybody
        store = Path(folder, "store")
        say(f"filling a store with {NODES} nodes")
        file = prepare(store)
        secrets = [give(file, f"client-{number}", f"{SPACE}:read,write") for number in range(CLIENTS)]
        rude, gone = give(file, "rude", f"{SPACE}:read"), give(file, "gone", f"{SPACE}:read")
        file.revoke("gone")
        server = Server(store, rate=10_000, trusting=False)  # the limits of a rate would hide what the server can do
        try:
            say("with think time, the space not trusted")
            thinking = under_load(server, secrets, seconds, THINK, 1)
            say("as a closed loop")
            closed = under_load(server, secrets, seconds / 3, 0, 2)
            say("rude requests")
            attacked = under_attack(server, rude, gone, secrets[0], round(RUDE * seconds / SECONDS))
        finally:
            code = server.end()
        say("a server that trusts the space, with think time and as a closed loop")
        trusting = Server(store, rate=10_000, trusting=True)
        try:
            trusted = {
                "with_think_time": under_load(trusting, secrets, seconds, THINK, 3),
                "closed_loop": under_load(trusting, secrets, seconds / 3, 0, 4),
            }
        finally:
            trusting.end()
    told = [line for line in server.lines if any(word in line for word in (*TELLING, "mcode_"))]
    growth = thinking["resident_mb_at_end"] / thinking["resident_mb_after_10_s"]
    p95 = thinking["milliseconds"]["recall"]["p95"]
    reached = {
        "no_error": not any(load["wrong"] for load in (thinking, closed, *trusted.values())),
        "recall_p95": p95 < GOAL_MS,
        "memory_flat": growth <= GOAL_GROWTH,
        "rude": not attacked["improper_count"] and attacked["serves_on"] and not told and code == 0,
    }
    save(
        "http_server",
        {
            "recall_p95_ms": p95,
            "recall_p95_ms_trusted": trusted["with_think_time"]["milliseconds"]["recall"]["p95"],
            "goal_ms": GOAL_MS,
            "memory_growth": round(growth, 3),
            "goal_growth": GOAL_GROWTH,
            "reached": reached,
            "clients": CLIENTS,
            "mix_percent": dict(MIX),
            "nodes": NODES,
            "with_think_time": thinking,
            "closed_loop": closed,
            "trusted": trusted,
            "rude": {**attacked, "exit_code": code, "telling_log_lines": told[:5], "log_lines": len(server.lines)},
        },
    )
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
