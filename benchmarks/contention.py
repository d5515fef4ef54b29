"""How many runs a second a team's store takes, and how long its readers wait meanwhile.

    python -m benchmarks.contention [--seconds 60 --writers 32 --readers 8]

Each writer and each reader is a process of its own with a `CodeMemory` of its own on one local store. A writer
remembers one run after the other, without a pause: `memory.remember`, with redaction, extraction, embedding and all.
The runs are those of `benchmarks.contending`. A reader asks for a task in other words and then thinks for half a
second. At the end every run that was told to be kept is looked for, with its steps, nodes, edges and evidence, each of
which must be there once. Before all that, one writer works alone on a store of its own, for the ratio.

Goals on two cores: 40 runs a second in all, 95 % of recalls under 250 ms, nothing lost or doubled, no error.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import lancedb

from benchmarks.contending import KNOWN, SHARE, run_of, task_of
from benchmarks.percentiles import percentiles
from benchmarks.result import save
from memu_code import CodeMemory
from memu_code.model import Reader, Right

SPACE = "acme/data-eng"
GOALS = {"runs_a_second": 40.0, "recall_ms_p95": 250.0}
ALONE_SECONDS = 10.0
THINKS = 0.5  # seconds between two questions of a reader
TABLES = ("nodes", "edges", "evidence", "steps", "runs")


def member(place: str, actor: str) -> CodeMemory:
    """The memory of somebody of a team that trusts its space: or else readers would find nothing that others wrote."""
    os.environ["MEMU_CODE_TRUST"] = SPACE
    return CodeMemory.open(place, space=SPACE, reader=Reader(actor, {SPACE: frozenset(Right)}))


def write(place: str, told: str, number: int, seconds: float, share: float, begin: Barrier) -> None:
    """Remember runs until the time is over; `told` gets a line for each that was kept, and one for the end."""
    errors: list[str] = []
    with Path(told).open("w") as lines, member(place, f"dev{number}") as memory:
        memory.recall("load what is loaded once")
        memory.remember(run_of(SPACE, f"dev{number}", number, 0, time.time()))
        begin.wait()
        processor, end, count = time.process_time(), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            count += 1
            run, began = run_of(SPACE, f"dev{number}", number, count, time.time(), share), time.perf_counter()
            try:
                found = memory.remember(run)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}"[:300])
                continue
            ids = {name: [one.id for one in getattr(found, name)] for name in ("nodes", "edges", "evidence")}
            line = {"run": run.id, "steps": len(run.steps), "ms": 1000 * (time.perf_counter() - began), **ids}
            lines.write(json.dumps(line) + "\n")
        used = time.process_time() - processor
        lines.write(json.dumps({"errors": errors, "processor_s": used, "ended": time.monotonic()}) + "\n")


def read(place: str, told: str, number: int, seconds: float, share: float, begin: Barrier) -> None:
    """Ask until the time is over; `told` gets a line for each answer, and one for the end."""
    errors: list[str] = []
    with Path(told).open("w") as lines, member(place, f"reader{number}") as memory:
        memory.recall("load what is loaded once")
        begin.wait()
        time.sleep(THINKS * number / 8)
        processor, end, count = time.process_time(), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            count += 1
            task, began = (
                task_of((7 * count + number) % KNOWN).replace("without what", "leaving out all that"),
                time.perf_counter(),
            )
            try:
                hits = len(memory.recall(task).hits)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}"[:300])
                continue
            lines.write(json.dumps({"hits": hits, "ms": 1000 * (time.perf_counter() - began)}) + "\n")
            time.sleep(THINKS)
        used = time.process_time() - processor
        lines.write(json.dumps({"errors": errors, "processor_s": used, "ended": time.monotonic()}) + "\n")


def contend(folder: Path, writers: int, readers: int, seconds: float, share: float) -> dict[str, Any]:
    """The figures of so many writers and readers on one new store in this folder, and what its check found."""
    place = str(folder / "store")
    member(place, "maker").close()
    context = multiprocessing.get_context("spawn")
    begin = context.Barrier(writers + readers + 1)
    tells = {f"writer{number}": folder / f"writer{number}.jsonl" for number in range(writers)}
    asked = {f"reader{number}": folder / f"reader{number}.jsonl" for number in range(readers)}
    work = [(write, path, number) for number, path in enumerate(tells.values())]
    work += [(read, path, number) for number, path in enumerate(asked.values())]
    processes = [
        context.Process(target=target, args=(place, str(path), number, seconds, share, begin), name=path.stem)
        for target, path, number in work
    ]
    began = run_together(processes, begin)
    found, kept = figures(tells.values(), asked.values(), began, processes)
    return {"writers": writers, "readers": readers, **found, **check(Path(place), kept, writers)}


def run_together(processes: Iterable[BaseProcess], begin: Barrier) -> float:
    """The moment at which all of them began; they have ended."""
    for process in processes:
        process.start()
    begin.wait(600)
    began = time.monotonic()
    for process in processes:
        process.join()
    return began


def figures(
    tells: Iterable[Path], asked: Iterable[Path], began: float, processes: Iterable[BaseProcess]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What writers and readers told of how it went, and the lines of the runs that were kept."""
    kept, write_ends = told_lines(tells)
    answers, read_ends = told_lines(asked)
    took = max((end["ended"] for end in write_ends), default=time.monotonic()) - began  # one clock for all processes
    found = {
        "seconds": round(took, 1),
        "runs": len(kept),
        "runs_a_second": round(len(kept) / took, 2),
        "remember_ms": percentiles([line["ms"] for line in kept]),
        "recalls": len(answers),
        "recalls_with_hits": sum(line["hits"] > 0 for line in answers),
        "recall_ms": percentiles([line["ms"] for line in answers]),
        "processor_ms_a_run": round(1000 * sum(end["processor_s"] for end in write_ends) / max(len(kept), 1), 1),
        "processor_ms_a_recall": round(1000 * sum(end["processor_s"] for end in read_ends) / max(len(answers), 1), 1),
        "errors": [error for end in (*write_ends, *read_ends) for error in end["errors"]][:20],
        "failed_processes": [process.name for process in processes if process.exitcode],
    }
    return found, kept


def told_lines(paths: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The lines of what was done, and the last lines."""
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [line for line in lines if "ms" in line], [line for line in lines if "errors" in line]


def check(place: Path, kept: list[dict[str, Any]], writers: int) -> dict[str, Any]:
    """What is lost or doubled in the store of what was told to be kept, and how much it holds."""
    files = [path for path in place.rglob("*") if path.is_file()]
    return {
        **compared({name: Counter(_ids(place, name)) for name in TABLES}, kept, writers),
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "files_by_folder": dict(Counter(str(path.parent.relative_to(place)) for path in files)),
    }


def compared(ids: Mapping[str, Counter[str]], kept: list[dict[str, Any]], writers: int) -> dict[str, Any]:
    """What is lost or doubled of what was kept, and of each writer's first run; `ids` counts those of each table."""
    steps = {line["run"]: line["steps"] for line in kept}
    steps |= {run.id: len(run.steps) for run in (run_of(SPACE, "", number, 0, 0.0) for number in range(writers))}
    wanted = {name: {one for line in kept for one in line[name]} for name in ("nodes", "edges", "evidence")}
    wanted["runs"] = set(steps)
    wanted["steps"] = {f"{run}:{number:06d}" for run, count in steps.items() for number in range(1, count + 1)}
    return {
        "lost": {name: len(wanted[name] - ids[name].keys()) for name in TABLES},
        "doubled": {name: sum(count - 1 for count in ids[name].values()) for name in TABLES},
        "never_told": {name: len(ids[name].keys() - wanted[name]) for name in ("runs", "steps")},
        "rows": {name: sum(ids[name].values()) for name in TABLES},
    }


def _ids(place: Path, name: str) -> Iterator[str]:
    yield from (
        lancedb.connect(str(place)).open_table(name).search().select(["id"]).limit(None).to_arrow()["id"].to_pylist()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--known", type=float, default=SHARE, help="share of the runs that do what is known already")
    parser.add_argument("--folder", type=Path, help="where the stores are made, to be looked at afterwards")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for name in ("alone", "together"):
            Path(folder, name).mkdir()
        alone = contend(Path(folder, "alone"), 1, 0, min(given.seconds, ALONE_SECONDS), given.known)
        together = contend(Path(folder, "together"), given.writers, given.readers, given.seconds, given.known)
    flaws = [
        *together["errors"],
        *together["failed_processes"],
        *(f"{kind} {name}" for kind in ("lost", "doubled", "never_told") for name, n in together[kind].items() if n),
    ]
    reached = {
        "runs_a_second": together["runs_a_second"] >= GOALS["runs_a_second"],
        "recall_ms_p95": together["recall_ms"].get("p95", 0.0) < GOALS["recall_ms_p95"],
        "nothing_wrong": not flaws,
    }
    save(
        "contention",
        {
            "reached": reached,
            "flaws": flaws,
            "goals": GOALS,
            "known_share": given.known,
            "to_one_alone": round(together["runs_a_second"] / alone["runs_a_second"], 2),
            "together": together,
            "alone": alone,
        },
    )
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
