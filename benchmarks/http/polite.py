"""The clients of `benchmarks.http_server`, in a process of their own: `python -m benchmarks.http.polite < plan.json`.

The plan on standard input has `port`, `secrets` (a client each), `seconds`, `think` (the mean of an exponential pause
between two calls of a client, in seconds; 0: the next call follows at once), `seed`, and `questions`. The result, as
JSON on standard output, has for each tool the milliseconds of every call, all that went wrong, and how many recalls
found anything.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from typing import Any

from benchmarks.http.line import Line

ANSWER_SECONDS = 60.0  # that a client waits for one answer: the server's own limit is 30
MIX = (("recall", 60), ("recall_fix", 15), ("runs", 10), ("brief", 5), ("remember", 5), ("note_follow_up", 5))


def arguments_of(tool: str, chance: random.Random, questions: list[str], client: int, number: int) -> dict[str, Any]:
    """What a client asks with; every question and every run is another one."""
    task = f"{chance.choice(questions)} {chance.randrange(10_000)}"
    match tool:
        case "recall":
            return {"task": task}
        case "recall_fix":
            return {"error": f"KeyError: 'column {chance.randrange(200)}'", "code": "rows[0]['column']"}
        case "runs":
            return {"limit": 20}
        case "brief":
            return {"job": f"job {client % 8}"}
        case "note_follow_up":
            return {"job": f"job {client % 8}", "text": f"look at {client} {number}", "due": "2d"}
        case _:
            code = f"def answer_{client}_{number}(rows):\n    return len(rows) + {number}\n\n"
            code += f"print(answer_{client}_{number}([]))"
            return {
                "task": task,
                "outcome": "answered",
                "answer": str(number),
                "job": f"job {client % 8}",
                "steps": [
                    {"code": "rows[0]['column']", "executed": True, "error": "KeyError: 'column'"},
                    {"code": code, "executed": True, "output": str(number)},
                ],
            }


async def run(plan: dict[str, Any]) -> dict[str, Any]:
    """All clients at once, for the time of the plan."""
    taken: dict[str, list[float]] = {}
    wrong: dict[str, int] = {}
    answered = 0
    ends = time.perf_counter() + plan["seconds"]

    async def client(index: int, secret: str) -> None:
        nonlocal answered
        chance = random.Random(plan["seed"] * 1_000 + index)
        line, number = Line(plan["port"], secret), 0
        if plan["think"]:
            await asyncio.sleep(chance.uniform(0, 2 * plan["think"]))
        while time.perf_counter() < ends:
            number += 1
            tools, weights = zip(*MIX, strict=True)
            (tool,) = chance.choices(tools, weights)
            began = time.perf_counter()
            try:
                arguments = arguments_of(tool, chance, plan["questions"], index, number)
                status, answer = await asyncio.wait_for(line.call(tool, arguments), ANSWER_SECONDS)
                told = answer.get("result", {})
                if status != 200 or "error" in answer or told.get("isError"):
                    why = str(answer.get("error") or told.get("content"))[:200]
                    wrong[f"{tool} {status} {why}"] = wrong.get(f"{tool} {status} {why}", 0) + 1
                elif tool == "recall":
                    answered += bool(told["structuredContent"]["found"])
            except (OSError, EOFError, ValueError) as error:
                why = f"{tool} {type(error).__name__}"
                wrong[why] = wrong.get(why, 0) + 1
                await line.close()
            taken.setdefault(tool, []).append((time.perf_counter() - began) * 1_000)
            if plan["think"]:
                pause = chance.expovariate(1 / plan["think"])
                await asyncio.sleep(min(pause, max(0.0, ends - time.perf_counter())))
        await line.close()

    await asyncio.gather(*(client(index, secret) for index, secret in enumerate(plan["secrets"])))
    return {"milliseconds": taken, "wrong": wrong, "recalls_answered": answered}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
