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

With `--seconds` all is shorter or longer in proportion, the rude requests too. Each stage is told on standard error as
it begins and as it ends. One that fails is told and noted, and the others go on; every wait is bounded.

Goals: no error, 95th percentile of recall under 500 ms with think time, memory flat (not more than 10 % above what it
was after 10 s); each rude request answered properly, nothing revealed, the server alive, exit code 0 at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cold_query import fill
from benchmarks.http.line import Line
from benchmarks.http.polite import MIX
from benchmarks.http.rude import SLOW, attack, kinds
from benchmarks.http.served import Server
from benchmarks.http.stages import Stages
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
PATIENCE = 120.0  # seconds for clients to begin, and for their last answers
GOAL_MS, GOAL_GROWTH = 500.0, 1.10
SPACE, HIDDEN, MARKER = "acme", "~zed", "zanzibar_marker"
TELLING = ("Traceback", 'File "', "site-packages", MARKER)
QUESTIONS = [
    f"{verb} {thing} of source"
    for verb in ("parse", "sort", "merge", "count", "filter", "plot", "convert", "validate", "split", "group")
    for thing in ("log lines", "csv rows", "time stamps", "user names", "prices", "graph edges", "json records")
]


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
    early, last = server.resident(after=10)
    calls = sum(map(len, found["milliseconds"].values()))
    return {
        "seconds": seconds,
        "think_seconds_mean": think,
        "calls": calls,
        "calls_per_second": round(calls / seconds, 1),
        "wrong": found["wrong"],
        "recalls_answered": found["recalls_answered"],
        "milliseconds": {tool: percentiles(taken) for tool, taken in sorted(found["milliseconds"].items())},
        "resident_mb_after_10_s": early,
        "resident_mb_at_end": last,
    }


def under_attack(server: Server, secret: str, gone: str, good: str, count: int) -> dict[str, Any]:
    """What came back for the rude requests, and whether the server serves on."""

    async def work() -> dict[str, Any]:
        rude = await attack(server.port, kinds(server.port, secret, gone), count, 7, TELLING)
        line = Line(server.port, good)
        status, answer = await asyncio.wait_for(line.call("recall", {"task": QUESTIONS[0]}), SLOW)
        await line.close()
        return {**rude, "serves_on": status == 200 and not answer["result"].get("isError")}

    return asyncio.run(work())


def measured(
    stages: Stages, store: Path, work: dict[str, Callable[[Server], Any]], *, trusting: bool
) -> dict[str, Any]:
    """What each stage found on a server of its own, by the stage's name, and how that server ended."""
    named = "trusted" if trusting else "not trusted"
    environment = {"MEMU_CODE_READ": HIDDEN, "MEMU_CODE_TRUST": SPACE if trusting else ""}
    # the limits of a rate would hide what the server can do
    server = stages.run(f"start, {named}", lambda: Server(store, SPACE, 10_000, environment))
    if server is None:
        return {}
    found: dict[str, Any] = {}
    try:
        for name, one in work.items():
            found[name] = stages.run(f"{name}, {named}", partial(one, server))
    finally:
        found["exit_code"] = stages.run(f"end, {named}", server.end)
    told = [line for line in server.lines if any(word in line for word in (*TELLING, "mcode_"))]
    return {**found, "telling_log_lines": told[:5], "log_lines": len(server.lines)}


def give(file: TokenFile, name: str, *grants: str) -> str:
    secret, held = new_secret(), read_grants(grants)
    file.add(Token(name, digest_of(secret), held, writing_space(held), time.time()))
    return secret


def p95_of(found: dict[str, Any]) -> float | None:
    """Milliseconds of recall with think time; None where that stage failed."""
    thinking = found.get("with_think_time") or {}
    recalls = thinking.get("milliseconds", {}).get("recall")
    return None if recalls is None else float(recalls["p95"])


def reached(plain: dict[str, Any], trusted: dict[str, Any]) -> dict[str, bool]:
    """Which goals were reached; one whose stage failed was not."""
    loads = [found.get(name) for found in (plain, trusted) for name in ("with_think_time", "closed_loop")]
    thinking, rude = plain.get("with_think_time"), plain.get("rude")
    return {
        "no_error": all(load is not None and not load["wrong"] for load in loads),
        "recall_p95": (p95_of(plain) or GOAL_MS) < GOAL_MS,
        "memory_flat": thinking is not None
        and thinking["resident_mb_at_end"] <= GOAL_GROWTH * thinking["resident_mb_after_10_s"],
        "rude": rude is not None and not rude["improper_count"] and not rude["not_sent"] and rude["serves_on"],
        "nothing_told": all(found.get("telling_log_lines") == [] for found in (plain, trusted)),
        "ended_well": all(found.get("exit_code") == 0 for found in (plain, trusted)),
    }


def main() -> int:
    reading = argparse.ArgumentParser(prog="python -m benchmarks.http_server")
    reading.add_argument("--seconds", type=float, default=SECONDS, help="how long each server is asked with think time")
    seconds = reading.parse_args().seconds
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # or else its servers would be left behind
    stages = Stages()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"  # no token of this benchmark is left to anybody
        store = Path(folder, "store")
        file = stages.run(f"fill a store with {NODES} nodes", lambda: prepare(store))
        if file is None:
            return 1
        secrets = [give(file, f"client-{number}", f"{SPACE}:read,write") for number in range(CLIENTS)]
        rude, gone = give(file, "rude", f"{SPACE}:read"), give(file, "gone", f"{SPACE}:read")
        file.revoke("gone")

        def loads(seed: int) -> dict[str, Callable[[Server], Any]]:
            return {
                "with_think_time": lambda server: under_load(server, secrets, seconds, THINK, seed),
                "closed_loop": lambda server: under_load(server, secrets, seconds / 3, 0, seed + 1),
            }

        count = round(RUDE * seconds / SECONDS)
        attacked = {"rude": lambda server: under_attack(server, rude, gone, secrets[0], count)}
        plain = measured(stages, store, {**loads(1), **attacked}, trusting=False)
        trusted = measured(stages, store, loads(3), trusting=True)
    goals = reached(plain, trusted)
    save(
        "http_server",
        {
            "recall_p95_ms": p95_of(plain),
            "recall_p95_ms_trusted": p95_of(trusted),
            "goal_ms": GOAL_MS,
            "goal_growth": GOAL_GROWTH,
            "reached": goals,
            "missed": [goal for goal, good in goals.items() if not good],
            "failed": stages.failed,
            "clients": CLIENTS,
            "mix_percent": dict(MIX),
            "nodes": NODES,
            "not_trusted": plain,
            "trusted": trusted,
        },
    )
    return 0 if all(goals.values()) and not stages.failed else 1


if __name__ == "__main__":
    raise SystemExit(main())
