"""The runs that writers record at once: three steps of about ten lines, another task each, a share of them known."""

from __future__ import annotations

from memu_code.model import Environment, Outcome, Run, Step, StepError

KNOWN = 20  # tasks that are done again and again, by everybody
SHARE = 0.1  # of the runs, of a known task
_FAILS_EVERY = 3  # runs, one fails in its second step and is mended in its third
_ENVIRONMENT = Environment(sandbox="local", python="3.11.7", packages=(("smolagents", "1.26.0"),))
_WEEKS = 52

_AIMS = ("add up", "average", "find the largest of", "count", "sort", "find the spread of", "halve", "number")
_WORKINGS = (
    "return round(sum(good), {n})",
    "return sum(good) / max(len(good), {n})",
    "return max(good, default=-{n}.0)",
    "return len(good) + 0 * {n}",
    "return sorted(good)[:{n}]",
    "return max(good) - min(good) if len(good) > {n} else 0.0",
    "return [value / 2 for value in good if value != {n}]",
    "return list(enumerate(good, {n}))",
)
_THINGS = (
    *("pressures", "flows", "levels", "temperatures", "losses", "orders", "invoices", "deliveries", "readings"),
    *("alarms", "shifts", "batches", "pumps", "valves", "leaks", "returns", "weights", "speeds", "delays", "stocks"),
)
_FIRST = """
import re
import statistics

rows_{n} = ["{n}.5 units", "", "22 units", "n/a", "{m} units"] * 4
kept = []
for row in rows_{n}:
    number = re.search(r"[0-9.]+", row)
    if number:
        kept.append(float(number[0]))
print(len(kept), statistics.mean(kept))
"""
_SECOND = '''
def {name}(values, limit={n}):
    """{aim} the {thing} of plant {n} that are within a limit."""
    good = []
    for value in values:
        if value is None:
            continue
        if 0 <= value <= limit + {m}:
            good.append(value)
    {working}
result = {name}({given})
print(result)
'''
_THIRD = """
report = {{"plant": {n}, "week": {m}}}
try:
    report["result"] = {name}(kept)
except ValueError as error:
    report["result"] = None
    report["error"] = str(error)
if report["result"] is None:
    report["result"] = 0.0
report["rows"] = len(kept)
final_answer(report)
"""


def task_of(number: int) -> str:
    """The task of a number, another for each."""
    aim, thing = _AIMS[number % len(_AIMS)], _THINGS[number // len(_AIMS) % len(_THINGS)]
    return (
        f"{aim.capitalize()} the {thing} of plant {number} in week {number % _WEEKS + 1}, without what is out of range"
    )


def run_of(space: str, actor: str, writer: int, count: int, at: float, share: float = SHARE) -> Run:
    """The count-th run of a writer, which began at `at`, in seconds since the epoch; a share of them are known."""
    before, until = int(count * share), int((count + 1) * share)
    number = before % KNOWN if until > before else KNOWN + 1_000 * count + writer
    aim, thing = _AIMS[number % len(_AIMS)], _THINGS[number // len(_AIMS) % len(_THINGS)]
    words = {
        "n": number,
        "m": number % _WEEKS + 1,
        "name": f"{aim.split()[0]}_{thing}",
        "aim": aim.capitalize(),
        "thing": thing,
        "working": _WORKINGS[number % len(_WORKINGS)].format(n=number % 97 + 1),
    }
    first, second = _FIRST.format(**words), _SECOND.format(given="kept", **words)
    third = _THIRD.format(**words)
    seen = Step(1, first, "The rows have to be read first.", "Execution logs:\n12 17.3", ran=True, at=at)
    did = Step(2, second, "Now a function for what is asked.", "Execution logs:\n207.6", ran=True, at=at + 1)
    if number % _FAILS_EVERY == 0:
        line = f"result = {words['name']}(rows_{number})"
        reason = "TypeError: '<=' not supported between instances of 'int' and 'str'"
        text = f"Code execution failed at line '{line}' due to: {reason}"
        wrong = _SECOND.format(given=f"rows_{number}", **words)
        did = Step(2, wrong, "Now a function.", error=StepError("AgentExecutionError", text, "TypeError"), at=at + 1)
        third = second + third
    answer = f"{{'plant': {number}, 'result': 207.6, 'rows': 12}}"
    last = Step(3, third, "The numbers have to be given, not the rows.", answer, ran=True, final=True, at=at + 2)
    return Run(
        f"run_{writer:03d}_{count:06d}",
        space,
        task_of(number),
        job=f"plant-{writer}",
        actor=actor,
        outcome=Outcome.ANSWERED,
        answer=answer,
        started_at=at,
        ended_at=at + 3,
        environment=_ENVIRONMENT,
        steps=(seen, did, last),
    )
