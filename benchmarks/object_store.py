"""Eight machines that write one bucket for a minute: is anything lost or doubled, and how fast is it?

    python -m benchmarks.object_store [--seconds 60 --writers 8]

A real S3 server (moto's) runs on loopback, in one process. Each writer, and a reader, is a process with a home, caches
and a state folder of its own: they have nothing in common but the bucket, so no lock either. They do what those of
`benchmarks.contention` do: a writer remembers one run after the other, without a pause, a tenth of which all writers
know; the reader asks, and then thinks for half a second.

Looked for afterwards: every run that was told to be kept, with its steps, nodes, edges and evidence, each of which must
be there once. Goal: nothing lost, nothing doubled, and no error. The times are moto's as much as ours: it is one
Python process, on the same two cores as all the others.

Then, how long an agent waits for a bucket that fails: at the opening, and in each of two runs of two steps, where it
failed from the beginning, and where it begins to fail only after the opening. Goal: an open or a run waits 20 s at the
most, and the answer is right; the second run does not wait at all, unless the store is only slow.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from benchmarks.contention import TABLES, compared, figures, member, read, run_together, write
from benchmarks.fault_proxy import Fault, FaultProxy
from benchmarks.result import save
from benchmarks.s3_server import S3Server, environment
from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory
from memu_code.graph.connection import Connection

STORE = "s3://memory/team"
KNOWN_SHARE = 0.1  # of the runs
_FOLDERS = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


def on_a_machine(home: str, work: Callable[..., None], told: str, number: int, seconds: float, begin: Barrier) -> None:
    """Do the work as on a machine of its own: with nothing of what the other processes have on disk."""
    os.environ.update({name: f"{home}/{name}" for name in _FOLDERS})
    work(STORE, told, number, seconds, KNOWN_SHARE, begin)


def contend(folder: Path, writers: int, seconds: float) -> dict[str, Any]:
    """The figures of so many writers and one reader on a new store in the bucket, and what its check found."""
    member(STORE, "maker").close()
    context = multiprocessing.get_context("spawn")
    begin = context.Barrier(writers + 2)
    tells = [folder / f"writer{number}.jsonl" for number in range(writers)]
    work = [(write, path, number) for number, path in enumerate(tells)] + [(read, folder / "reader.jsonl", 0)]
    processes = [
        context.Process(
            target=on_a_machine,
            args=(str(folder / path.stem), doing, str(path), number, seconds, begin),
            name=path.stem,
        )
        for doing, path, number in work
    ]
    began = run_together(processes, begin)
    found, kept = figures(tells, [folder / "reader.jsonl"], began, processes)
    return {"writers": writers, **found, **check(kept, writers)}


def check(kept: list[dict[str, Any]], writers: int) -> dict[str, Any]:
    """What is lost or doubled in the bucket of what was told to be kept, and how much it holds."""
    connection = Connection(STORE)
    objects = connection.objects()
    count, size, _ = objects.search(()) if objects else (0, 0, [])
    ids = {name: Counter(row["id"] for row in connection.scan(name)) for name in TABLES}
    return {**compared(ids, kept, writers), "objects": count, "bytes": size}


FAULTS = {
    "none": Fault(),
    "silent": Fault(hang=True),
    "closes": Fault(drop=True),
    "busy": Fault(status=503, body=b"<Error><Code>SlowDown</Code></Error>"),
    "refuses": Fault(status=403, body=b"<Error><Code>SignatureDoesNotMatch</Code></Error>"),
    "half_a_second_late": Fault(delay=0.5),
}
GOAL_SECONDS = 20.0


def waits(name: str, port: int) -> dict[str, Any]:
    """Seconds that an agent spends at the opening and in its runs, with a bucket that fails in this way."""
    seconds: dict[str, float] = {}
    right: list[bool] = []

    def timed(what: str, work: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        result = work()
        seconds[what] = round(time.perf_counter() - began, 2)
        return result

    def run(memory: CodeMemory | None, what: str) -> None:
        agent = scripted_agent(lambda step: ("x = nowhere", "final_answer(6)")[step - 1], 2)
        if memory is not None:
            memory.attach(agent)
        right.append(timed(what, lambda: agent.run("Add up the pressures of all valves of the plant")) == 6)

    with FaultProxy(port) as proxy:
        os.environ.update(environment(proxy.endpoint))
        run(None, "a_run_without_memory")
        for when in ("at_first", "later"):
            place = f"s3://memory/{name}-{when}"
            member(place, "maker").close()
            proxy.faults = {"memory": FAULTS[name]} if when == "at_first" else {}
            with timed(f"{when}_open", partial(member, place, "dev")) as memory:
                if when == "later":
                    memory.recall("load what is loaded once")
                    proxy.faults = {"memory": FAULTS[name]}
                run(memory, f"{when}_first_run")
                run(memory, f"{when}_second_run")
            proxy.faults = {}
    return {**seconds, "answers_right": all(right)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--writers", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, S3Server("memory") as server:
        os.environ.update(server.environment)
        os.environ.update({name: f"{folder}/main/{name}" for name in _FOLDERS})
        told = contend(Path(folder), given.writers, given.seconds)
        silence = {name: waits(name, server.port) for name in FAULTS}
    waited = [value for found in silence.values() for name, value in found.items() if name != "answers_right"]
    reached = {
        "nothing_lost": not any(told["lost"].values()),
        "nothing_doubled": not any(told["doubled"].values()),
        "no_error": not told["errors"] and not told["failed_processes"],
        "waits": max(waited) <= GOAL_SECONDS and all(found["answers_right"] for found in silence.values()),
    }
    save("object_store", {"reached": reached, **told, "seconds_with_a_bucket_that": silence})
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
