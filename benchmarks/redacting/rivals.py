"""Other detectors on the same corpus: each gives for a line the texts that it takes for secrets."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.redacting.sample import Sample
from benchmarks.redacting.scoring import score

MARK = "[redacted]"


@dataclass(frozen=True, slots=True)
class Findings:
    """By the number of a line the texts that were found in it, and the seconds of processor time that it took."""

    lines: Mapping[int, Sequence[str]]
    seconds: float


def measured(samples: Sequence[Sample], findings: Findings) -> dict[str, Any]:
    """The figures of a rival, its findings being taken out of the lines."""
    place = 0

    def redact(text: str) -> str:
        nonlocal place
        lines = text.split("\n")
        for number, line in enumerate(lines, place):
            for found in sorted(findings.lines.get(number, ()), key=len, reverse=True):
                line = line.replace(found, MARK)
            lines[number - place] = line
        place += len(lines)
        return "\n".join(lines)

    size = sum(len(sample.text) + 1 for sample in samples)
    return {**score(samples, redact).figures(), "ms_a_kB": round(1e6 * findings.seconds / size, 3)}


def detect_secrets(samples: Sequence[Sample]) -> Findings:
    """Yelp's detect-secrets with all its default plugins and filters, line by line."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    lines: dict[int, list[str]] = {}
    started = time.process_time()
    with default_settings():
        for number, line in enumerate(_lines(samples)):
            lines[number] = [found.secret_value for found in scan_line(line) if found.secret_value]
    return Findings(lines, time.process_time() - started)


def credsweeper(samples: Sequence[Sample], programs: Path) -> Findings:
    """Samsung's CredSweeper, with its machine learning model."""
    found: dict[int, list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [str(programs / "credsweeper"), "--path", _written(samples, folder), "--save-json", str(out)]
        seconds = _run(command)[0]
        for credential in json.loads(out.read_text()):
            for line in credential["line_data_list"]:
                found[line["line_num"] - 1].append(line["value"])
    return Findings(found, seconds)


def kingfisher(samples: Sequence[Sample], programs: Path) -> Findings:
    """MongoDB's Kingfisher with its built-in rules, without asking any service."""
    found: dict[int, list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(programs / "kingfisher"), "scan", _written(samples, folder), "--format", "json"]
        seconds, out = _run([*command, "--no-validate", "--confidence", "low", "--no-dedup"])
        report, _ = json.JSONDecoder().raw_decode(out)
        for one in report["findings"]:
            first = one["finding"]["line"] - 1
            for number, part in enumerate(one["finding"]["snippet"].split("\n"), first):
                found[number].append(part)
    return Findings(found, seconds)


def _lines(samples: Sequence[Sample]) -> list[str]:
    return "\n".join(sample.text for sample in samples).split("\n")


def _written(samples: Sequence[Sample], folder: str) -> str:
    path = Path(folder) / "corpus.py"
    path.write_text("\n".join(_lines(samples)) + "\n", encoding="utf-8")
    return str(path)


def _run(command: Sequence[str]) -> tuple[float, str]:
    """Seconds that it took, and what it printed; these programs exit with another code where they find something."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return time.perf_counter() - started, done.stdout
