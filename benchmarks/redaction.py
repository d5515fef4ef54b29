"""How well secrets are taken out: recall and precision on a drawn corpus, harmless code, speed, and rivals.

    python -m benchmarks.redaction [--rivals BIN] [--lines 6000] [--seed 20261130]

*tuned*: the kinds, forms and harmless lines that the rules were made on, with other seeds. *held out* and *fresh*:
other services, other forms and other harmless lines, each written before any rule had seen it, and drawn with a seed
of its own. What they showed at the first look is kept in `FIRST_LOOK`; afterwards the rules were mended by it, so that
what they show now is no measure of what is unseen. Goals: recall 99 %, precision 97 %; under 0.1 % of the lines of the
standard library, networkx and scikit-learn touched; at most 1.5 times the time of the rules before.

Rivals run on the same corpus: detect-secrets, and with `--rivals` the programs `credsweeper` and `kingfisher` of a
folder. The figures of the rules before are kept in `BEFORE`.
"""

from __future__ import annotations

import argparse
import ast
import re
import sysconfig
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.redacting import rivals
from benchmarks.redacting.corpus import PARTS, corpus
from benchmarks.redacting.sample import Sample
from benchmarks.redacting.scoring import score
from benchmarks.result import save
from memu_code.redact import redact_text

GOAL_RECALL, GOAL_PRECISION, GOAL_TOUCHED, GOAL_RATIO = 0.99, 0.97, 0.001, 1.5
# The rules before, measured on these corpora with the default seed and number of lines. Their time on code is told as
# a share of the time in which `ast.parse` reads it, which machines agree on.
BEFORE = {
    "tuned": {"recall_lines": 0.6827, "precision_lines": 0.9502, "recall_spans": 0.6951, "ms_a_kB": 0.162},
    "held out": {"recall_lines": 0.3899, "precision_lines": 0.8631, "recall_spans": 0.4023, "ms_a_kB": 0.141},
    "fresh": {"recall_lines": 0.337, "precision_lines": 1.0, "recall_spans": 0.337, "ms_a_kB": 0.137},
}
BEFORE_TO_PARSE = {"standard library": 0.204, "networkx": 0.216, "sklearn": 0.236}
# By line, at the one look before any rule was changed by it; seeds 20261130 and 77.
FIRST_LOOK = {
    "held out": {"recall_lines": 0.9763, "precision_lines": 0.9727, "lines": 6000},
    "fresh": {"recall_lines": 0.9447, "precision_lines": 1.0, "lines": 4000},
    # A kind of its own, drawn after the rules had been mended for the tuned ones of it: `my-...`, `MONKEY99_TREE`.
    "passwords like placeholders, held out": {"recall_lines": 0.8947, "lines": 38},
}
_ROUNDS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rivals", type=Path, help="a folder with the programs credsweeper and kingfisher")
    parser.add_argument("--lines", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=20261130)
    given = parser.parse_args()
    figures: dict[str, Any] = {"corpora": {}, "rivals": {}}
    for name, part in PARTS.items():
        samples = corpus(part, given.seed, given.lines)
        found = score(samples, redact_text)
        figures["corpora"][name] = {
            **found.figures(),
            "ms_a_kB": round(_seconds(redact_text, samples) * 1e6 / _size(samples), 3),
            "by_kind": {kind: dict(counts) for kind, counts in sorted(found.by_kind.items())},
        }
        others: dict[str, Any] = {"rules before": BEFORE[name]}
        others["detect-secrets 1.5"] = rivals.measured(samples, rivals.detect_secrets(samples))
        if given.rivals:
            others["credsweeper"] = rivals.measured(samples, rivals.credsweeper(samples, given.rivals))
            others["kingfisher"] = rivals.measured(samples, rivals.kingfisher(samples, given.rivals))
        figures["rivals"][name] = others
    figures["first_look"] = FIRST_LOOK
    figures["harmless_code"] = {name: _touched(name, folder) for name, folder in _code().items()}
    reached = {
        "recall": all(part["recall_lines"] >= GOAL_RECALL for part in figures["corpora"].values()),
        "precision": all(part["precision_lines"] >= GOAL_PRECISION for part in figures["corpora"].values()),
        "unseen": all(part["recall_lines"] >= GOAL_RECALL for part in FIRST_LOOK.values()),
        "harmless": all(part["share"] < GOAL_TOUCHED for part in figures["harmless_code"].values()),
        "speed": all(part["ratio_to_rules_before"] <= GOAL_RATIO for part in figures["harmless_code"].values()),
    }
    save("redaction", {"reached": reached, "seed": given.seed, **figures})
    return 0 if all(reached.values()) else 1


def _seconds(redact: Callable[[str], str], samples: Sequence[Sample]) -> float:
    best = float("inf")
    for _ in range(_ROUNDS):
        started = time.process_time()
        for sample in samples:
            redact(sample.text)
        best = min(best, time.process_time() - started)
    return best


def _size(samples: Sequence[Sample]) -> int:
    return sum(len(sample.text) for sample in samples)


def _code() -> dict[str, Path]:
    folders = {"standard library": Path(sysconfig.get_paths()["stdlib"])}
    for name in ("networkx", "sklearn"):
        if (spec := find_spec(name)) and spec.origin:
            folders[name] = Path(spec.origin).parent
    return folders


def _touched(name: str, folder: Path) -> dict[str, Any]:
    """The share of lines of real code in which something is taken for a secret, by kind, and the time it takes."""
    lines = hit = 0
    redacting = parsing = 0.0
    kinds: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" in path.relative_to(folder).parts:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        started = time.process_time()
        after = redact_text(text)
        middle = time.process_time()
        _parse(text)
        redacting += middle - started
        parsing += time.process_time() - middle
        lines += text.count("\n") + 1
        changed = [(one, other) for one, other in zip(text.split("\n"), after.split("\n"), strict=True) if one != other]
        hit += len(changed)
        kinds.update(kind for _, other in changed for kind in re.findall(r"redacted[:_](\w+)", other))
    return {
        "lines": lines,
        "touched": hit,
        "share": round(hit / lines, 6),
        "kinds": dict(kinds.most_common()),
        "ratio_to_parsing": round(redacting / parsing, 3),
        "ratio_to_rules_before": round(redacting / parsing / BEFORE_TO_PARSE[name], 2),
    }


def _parse(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(SyntaxError, ValueError):  # the standard library has files that are to be refused
            ast.parse(text)


if __name__ == "__main__":
    raise SystemExit(main())
