"""`python -m memu_code.demo`: one night in a process of its own. Each result goes to a file as a line of JSON."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any


def main() -> int:
    """Run the night that the arguments name; 1 where it was refused, which the file then says."""
    parser = argparse.ArgumentParser(prog="python -m memu_code.demo")
    parser.add_argument("--night", type=int, choices=(1, 2), required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--space")
    parser.add_argument("--embedder")
    parser.add_argument("--llm")
    parser.add_argument("--model")
    options = parser.parse_args()

    # After the arguments: these imports take seconds.
    from memu_code.demo.night import Llm, run_night
    from memu_code.errors import MemuCodeError
    from memu_code.memory import CodeMemory

    def write(line: Mapping[str, Any]) -> None:
        with options.result.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            reason = f" ({record.exc_info[1]})" if record.exc_info and record.exc_info[1] else ""
            write({"logged": record.getMessage() + reason})

    logging.getLogger("memu_code").addHandler(Told(logging.WARNING))
    llm = Llm(options.llm, options.model) if options.llm else None
    try:
        with CodeMemory.open(options.store, space=options.space, embedder=options.embedder) as memory:
            for result in run_night(options.night, memory, llm):
                write({"result": asdict(result)})
    except MemuCodeError as error:
        write({"refused": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
