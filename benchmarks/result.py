"""What every result carries: the figures, the inputs, the commit and the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
_PACKAGES = ("lancedb", "libcst", "networkx", "numpy", "onnxruntime", "smolagents", "tokenizers")


def save(name: str, figures: dict[str, Any]) -> Path:
    """Write `results/<name>.json` and print it; the figures come first."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=RESULTS, check=False)
    dirty = subprocess.run(
        ["git", "status", "--porcelain", "--", ".", ":!results"],
        capture_output=True,
        text=True,
        cwd=RESULTS.parent.parent,
        check=False,
    )
    changed = [line for line in dirty.stdout.splitlines() if "benchmarks/results/" not in line]
    result = {
        **figures,
        "commit": commit.stdout.strip() + ("+changes" if changed else ""),
        "machine": {
            "processor": platform.machine(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "system": platform.system(),
            "python": platform.python_version(),
            "packages": {package: version(package) for package in _PACKAGES},
        },
        "date": datetime.now(UTC).date().isoformat(),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    print(f"written to {path}")
    return path
