"""Generated programs and real ones that were spoilt: no exception, no hang, no dead process.

Child processes make programs from their numbers and extract from runs that hold them; each says with which it begins.
One that is silent for too long is killed, one that dies is noted, and the next begins behind that program.
Of all programs 4 % come from Python's grammar and 2 % from LibCST's nodes; 94 % are public code that was spoilt.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from benchmarks.extracting.mutations import mutated
from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.programs import codes
from benchmarks.extracting.rows import NoData
from memu_code.extractors import extract
from memu_code.extractors.code.reuse import reuse
from memu_code.extractors.code.structure import structure
from memu_code.model import Input, Offer, Outcome, Run, Step, StepError

COUNT, QUICK = 20_000, 300
BATCH = 250  # programs of one child
LIMIT = 20.0  # seconds for one program; the machine may be busy with other things
GRAMMAR, NODES = 0.04, 0.02  # shares of programs from Python's grammar and from LibCST's nodes; the rest are mutated
ROOT = Path(__file__).parents[2]


def measure(data: Path, quick: bool = False) -> Part:
    """Faults over all programs; the goal is that there are none."""
    if not (data / "bigcodebench" / "docs.jsonl").is_file():
        raise NoData(f"{data} is not there; name the data's folder with --data")
    count = QUICK if quick else COUNT
    started = time.perf_counter()
    size = min(BATCH, count // 2)
    starts = range(0, count, size)
    with ThreadPoolExecutor(2) as pool:
        batches = list(pool.map(lambda start: _batch(data, start, min(start + size, count)), starts))
    told = [row for batch in batches for row in batch]
    kinds = {kind: sum(row["kind"] == kind for row in told) for kind in ("grammar", "nodes", "mutated")}
    figures: dict[str, Any] = {
        "programs": len(told),
        "mix": kinds,
        "that parse": sum(row.get("parsed", False) for row in told),
        "that taught something": sum(row.get("nodes", 0) > 0 for row in told),
        "slowest_s": round(max(row.get("seconds", 0.0) for row in told), 2),
        "over_1_s": _slow(told),
        "faults": [row for row in told if row["fault"]][:20],
        "minutes": round((time.perf_counter() - started) / 60, 1),
    }
    return Part("fuzz", figures, goals(told, count))


def goals(told: Sequence[dict[str, Any]], count: int) -> tuple[Goal, ...]:
    """What is held against what the children said: all programs, no fault, and none that is slow."""
    faults = [
        Goal(f"fuzz: {kind}", sum(row["fault"].startswith(kind) for row in told), 0, "at most")
        for kind in ("exception", "hang", "dead")
    ]
    slow = Goal("fuzz: programs over 1 s", _slow(told), 0, "at most")
    return Goal("fuzz: programs", len(told), count, "at least"), *faults, slow


def _slow(told: Sequence[dict[str, Any]]) -> int:
    return sum(row.get("seconds", 0.0) > 1 for row in told)


def _batch(
    data: Path, start: int, stop: int, module: str = "benchmarks.extracting.fuzz", limit: float = LIMIT
) -> list[dict[str, Any]]:
    """What the children said of programs `start` to `stop`."""
    told: list[dict[str, Any]] = []
    while start < stop:
        command = [sys.executable, "-m", module, str(data), str(start), str(stop)]
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun, silent = {"number": start, "kind": "mutated"}, False
        assert child.stdout is not None
        try:
            for row in _lines(child.stdout, limit):
                if row.get("fault") is None:
                    begun = row
                else:
                    told.append(row)
        except TimeoutError:
            silent = True
            child.kill()
        errors = child.communicate()[1].decode(errors="replace")
        start = max([row["number"] for row in told], default=start - 1) + 1
        if start < stop:
            fault = "hang" if silent else f"dead: {child.returncode} {errors[-300:]}"
            told.append({**begun, "number": start, "fault": fault})
            start += 1
    return told


def _lines(stream: IO[bytes], limit: float) -> Iterator[dict[str, Any]]:
    """What the child says, until it ends; at first it has to make its programs. Raises `TimeoutError`."""
    patience, rest = 10 * limit, b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while selector.select(patience):
            read = os.read(stream.fileno(), 65_536)
            if not read:
                return
            *lines, rest = (rest + read).split(b"\n")
            yield from map(json.loads, lines)
            patience = limit
        raise TimeoutError


def programs(data: Path, start: int, stop: int) -> Iterator[tuple[int, str, str, str]]:
    """Number, kind and text of each program, and the real code that it was made of."""
    real = codes(data)
    count = stop - start
    generated = [("grammar", text) for text in _generated("from_grammar", round(GRAMMAR * count), start)]
    generated += [("nodes", text) for text in _generated("from_node", round(NODES * count), start)]
    for number in range(start, stop):
        chance = random.Random(number)
        code = chance.choice(real)
        if number - start < len(generated):
            kind, text = generated[number - start]
            yield number, kind, text, code
        else:
            yield number, "mutated", mutated(chance, code, real), code


def _generated(strategy: str, count: int, seed: int) -> list[str]:
    """Programs from hypothesmith, always the same for the same seed."""
    import hypothesis
    import hypothesmith

    found: list[str] = []
    if not count:
        return found

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(getattr(hypothesmith, strategy)())
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found[:count]


def runs(number: int, text: str, code: str) -> Run:
    """A run that holds the program: as its only step, as one of several, or as what failed before the real code."""
    chance = random.Random(number)
    answer = chance.choice(("\nfinal_answer(x)", "\nfinal_answer(result + 1)", "\nprint(x)", ""))
    offers = (Offer("node", chance.choice(("call", "text")), "f", code),)
    inputs = (Input("x"), Input("data", "list[int] len 3"))
    if number % 3 == 0:
        steps: tuple[Step, ...] = (Step(1, text + answer, "I think.", ran=True, final=True),)
    elif number % 3 == 1:
        steps = (Step(1, code, ran=True), Step(2, text, ran=True), Step(3, f"x = 1{answer}", ran=True, final=True))
    else:
        steps = (
            Step(1, text, "I try.", error=_error(chance, text)),
            Step(2, code, "I mend it.", ran=True),
            Step(3, f"x = 1{answer}", ran=True, final=True),
        )
    outcome = chance.choice((Outcome.ANSWERED, Outcome.ANSWERED, Outcome.MAX_STEPS))
    return Run(f"run_{number}", "~fuzz", "compute it", outcome=outcome, inputs=inputs, offers=offers, steps=steps)


def _error(chance: random.Random, text: str) -> StepError:
    lines = text.splitlines() or [""]
    place = chance.randrange(len(lines))
    told = (
        f"Code execution failed at line '{lines[place]}' due to: InterpreterError: The variable `x` is not defined.",
        f"Cell In[3], line {place + 1}\n----> {place + 1} {lines[place]}\n\nKeyError: 'x'",
        f"Code parsing failed on line {place + 1} due to: SyntaxError: invalid syntax",
        f"\nExecuting code yielded an error:\nTypeError\n{text[:200]}\nTraceback (most recent call last)",
        chance.choice(lines),
    )
    return StepError("AgentExecutionError", chance.choice(told))


class Failures(logging.Handler):
    """Keeps what extraction logs when one of its extractors fails, or with `WARNING` when it gives up."""

    def __init__(self, level: int = logging.ERROR) -> None:
        super().__init__(level)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(logging.Formatter().format(record)[-1500:])


def child(data: Path, start: int, stop: int) -> None:
    """Extract from each program, saying before and after which one it is."""
    failures = Failures()
    logger = logging.getLogger("memu_code")
    logger.addHandler(failures)
    logger.propagate = False
    for number, kind, text, code in programs(data, start, stop):
        say({"number": number, "kind": kind})
        before = time.thread_time()
        nodes, fault = 0, ""
        try:
            run = runs(number, text, code)
            nodes = len(extract(run).nodes)
            structure(text)
            reuse([text, code], run.offers)
        except Exception as error:  # what is looked for; whatever it is, it is told
            fault = f"exception: {type(error).__name__}: {error}"
        if failures.told:
            fault = f"exception: {failures.told.pop()}"
            failures.told.clear()
        row = {"number": number, "kind": kind, "fault": fault, "nodes": nodes, "parsed": _parsed(text)}
        say({**row, "seconds": round(time.thread_time() - before, 3)})


def _parsed(text: str) -> bool:
    from memu_code.extractors.code.parse import Unparsable, guard

    try:
        guard(text)
    except Unparsable:
        return False
    return True


def say(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="One batch of the fuzz benchmark.")
    parser.add_argument("data", type=Path)
    parser.add_argument("start", type=int)
    parser.add_argument("stop", type=int)
    options = parser.parse_args(arguments)
    child(options.data, options.start, options.stop)


if __name__ == "__main__":
    main()
