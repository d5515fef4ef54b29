"""The nightly job of a small plant: four tasks, each night in other words and with other data.

The true answers come from the values that the data were written from, never from reading them back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Order = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One task: a short name, what the agent is told, the true answer, and the pages that its tool serves, if any."""

    name: str
    task: str
    truth: float
    pages: tuple[tuple[Order, ...], ...] = ()


def jobs(night: int) -> tuple[Job, ...]:
    """The tasks of a night (1 or 2), the same at every call."""
    chance = random.Random(night)
    makers: tuple[Callable[[int, random.Random], Job], ...] = (_stamps, _meters, _orders, _stops)
    return tuple(make(night, chance) for make in makers)


def is_right(answer: object, truth: float) -> bool:
    """Whether an agent's answer is the true one, to half a hundredth; a number in a text counts as a number."""
    try:
        return abs(float(str(answer).strip()) - truth) < 0.005
    except ValueError:
        return False


def _stamps(night: int, chance: random.Random) -> Job:
    words = {
        1: "Our plant loggers stamp events by ISO week, as in 2026-W07-3 14:05: year, week, day of the week, time. "
        "How many minutes lie between the earliest and the latest of these logger stamps? Answer with a whole number.",
        2: "Last night's stamps of the plant loggers, written as ISO year, week and weekday with the time of day. "
        "Give the minutes from the first stamp to the last one as a whole number.",
    }
    start = datetime(2026, 2, 11, 14, 5) + timedelta(days=9 * night)
    moments = [start + timedelta(minutes=chance.randrange(6_000)) for _ in range(6)]
    written = []
    for moment in moments:
        year, week, day = moment.isocalendar()
        written.append(f"{year}-W{week:02d}-{day} {moment:%H:%M}")
    span = (max(moments) - min(moments)).total_seconds() / 60
    return Job("logger stamps", f"{words[night]}\nstamps = {written}", span)


def _meters(night: int, chance: random.Random) -> Job:
    words = {
        1: "Add up the kWh column of this export of the energy meters. Columns are separated by semicolons, numbers "
        "have decimal commas, and a meter that gave no reading shows n/a. Answer with a number.",
        2: "The new export of the energy meters: semicolons between the columns, a comma before the decimals, n/a "
        "where there was no reading. What is the total of the kWh column, as a number?",
    }
    lines = ["meter;hall;kWh"]
    readings = [round(chance.uniform(20, 900), 2) for _ in range(7)]
    for number, reading in enumerate(readings, 1):
        lines.append(f"M{number:02d};{chance.choice('ABC')};{reading:.2f}".replace(".", ","))
    lines.insert(3, "M99;C;n/a")
    export = "\n".join(lines)
    return Job("meter export", f"{words[night]}\n```\n{export}\n```", round(sum(readings), 2))


def _orders(night: int, chance: random.Random) -> Job:
    wanted = {1: "open", 2: "late"}[night]
    words = {
        1: "The tool fetch_orders serves the order book page by page. Sum the amount of all orders whose status is "
        f'"{wanted}", over all pages. Answer with a number.',
        2: f'What do all "{wanted}" orders of the order book amount to in sum? Read every page of it with the tool '
        "fetch_orders. Answer with a number.",
    }
    orders: list[Order] = [
        {"id": number, "status": chance.choice(("open", "late", "paid")), "amount": round(chance.uniform(5, 400), 2)}
        for number in range(1, 15 + 5 * night)
    ]
    pages = tuple(tuple(orders[start : start + 6]) for start in range(0, len(orders), 6))
    amount = sum(order["amount"] for order in orders if order["status"] == wanted)
    return Job("order book", words[night], round(amount, 2), pages)


def _stops(night: int, chance: random.Random) -> Job:
    words = {
        1: "Sum up these machine downtimes, which are written in hours and minutes as in 1h 05m. "
        "Answer with the whole number of minutes.",
        2: "The machine downtimes of the packing line in hours and minutes. "
        "How many minutes did it stand still in sum? Answer with a whole number.",
    }
    minutes = [chance.choice((45, 60, 65, 90, 120, 150, 185)) for _ in range(5)] + [25]
    chance.shuffle(minutes)
    written = [_duration(value) for value in minutes]
    return Job("downtimes", f"{words[night]}\ndowntimes = {written}", sum(minutes))


def _duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours}h"] if hours else []
    return " ".join(parts + ([f"{rest:02d}m"] if rest else []))
