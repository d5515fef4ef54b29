"""Tasks that come back: ten families, each explained on day 1 and asked for again on day 2 without that."""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from smolagents import Tool

from benchmarks.acting.house import bills, logs, meters, packs, pages, prices, ranks, stamps, tables, tags

DAYS = (1, 2)
PER_FAMILY = 2  # tasks of day 2
_FAILS = 2  # times that a meter is busy before it answers

Made = tuple[Mapping[str, Any], Any]
_all_orders: Any = pages.all_orders  # the helpers that take tools carry no types
_read_patiently: Any = meters.read_patiently
_bill_total: Any = bills.bill_total


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of task: its explanation, two wordings, the second for day 2 only, and data with the right answer."""

    name: str
    explained: str
    first: str
    second: str
    make: Callable[[random.Random], Made]
    tools: Callable[[Any], list[Tool]] = field(default=lambda _: [])


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a day: what is asked, the variables that it comes with, its tools (made anew each time), the answer."""

    family: str
    day: int
    number: int
    text: str
    given: Mapping[str, Any]
    answer: Any
    new_tools: Callable[[], list[Tool]]

    @property
    def name(self) -> str:
        return f"{self.family} {self.day}.{self.number}"


class Orders(Tool):  # type: ignore[misc]  # smolagents ships no types
    """The order book."""

    name = "fetch_orders"
    description = "One page of the order book: a dict with `orders`, a list of dicts with id and amount, and `next`."
    inputs = {"number": {"type": "integer", "description": "The number of the page."}}  # noqa: RUF012
    output_type = "object"

    def __init__(self, book: list[list[dict[str, int]]]) -> None:
        super().__init__()
        self.book = book

    def forward(self, number: int) -> dict[str, Any]:
        if not 0 <= number < len(self.book):
            raise LookupError(f"there is no page {number}")
        after = number + 1 if number + 1 < len(self.book) else None
        return {"orders": [dict(order) for order in self.book[number]], "next": after}


class Meters(Tool):  # type: ignore[misc]  # smolagents ships no types
    """Meters that are busy at first."""

    name = "read_meter"
    description = "The reading of a meter, a number."
    inputs = {"name": {"type": "string", "description": "The name of the meter."}}  # noqa: RUF012
    output_type = "integer"

    def __init__(self, readings: Mapping[str, int]) -> None:
        super().__init__()
        self.readings, self.asked = readings, dict.fromkeys(readings, 0)

    def forward(self, name: str) -> int:
        self.asked[name] += 1
        if self.asked[name] <= _FAILS:
            raise TimeoutError(f"meter {name} is busy")
        return self.readings[name]


def tasks(day: int, per_family: int = PER_FAMILY, after: int = 0) -> list[Task]:
    """The tasks of a day, always the same ones: one of each family on day 1, else `per_family` after the first ones."""
    numbers = range(1, 2) if day == 1 else range(after + 1, after + per_family + 1)
    return [_task(family, day, number) for number in numbers for family in FAMILIES]


def is_right(given: object, answer: object) -> bool:
    """Whether an answer is the exact one: numbers by value, also where they come as a text."""
    if isinstance(given, str) and not isinstance(answer, str):
        try:
            given = ast.literal_eval(given.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False
    if isinstance(answer, bool) or isinstance(given, bool):
        return given is answer
    if isinstance(answer, int | float):
        return isinstance(given, int | float) and math.isclose(given, answer, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(answer, dict):
        return (
            isinstance(given, dict)
            and given.keys() == answer.keys()
            and all(is_right(given[key], answer[key]) for key in answer)
        )
    if isinstance(answer, list):
        return (
            isinstance(given, list | tuple)
            and len(given) == len(answer)
            and all(is_right(one, other) for one, other in zip(given, answer, strict=True))
        )
    return isinstance(given, str) and given.strip() == answer


def _task(family: Family, day: int, number: int) -> Task:
    given, answer = family.make(random.Random(f"{family.name} {day} {number}"))
    text = f"{family.first} {family.explained}" if day == 1 else (family.first, family.second)[(number - 1) % 2]
    shown = {name: value for name, value in given.items() if not name.startswith("_")}
    return Task(family.name, day, number, text, shown, answer, lambda: family.tools(given.get("_tool")))


def _stamps(chance: random.Random) -> Made:
    given = [f"W{chance.randint(1, 52):02}.{chance.randint(1, 7)}/{chance.randint(2021, 2026)}" for _ in range(5)]
    return {"stamps": given}, min(map(stamps.stamp_to_date, given))


def _packs(chance: random.Random) -> Made:
    names = sorted(packs.PACK_KILOGRAMS)
    given = [f"{chance.randint(2, 9)} {chance.choice(names)}" for _ in range(6)]
    return {"packs": given}, packs.total_kilograms(given)


def _orders(chance: random.Random) -> Made:
    book = [[{"id": 10 * page + n, "amount": chance.randint(5, 90)} for n in range(4)] for page in range(4)]

    def fetch(number: int) -> dict[str, Any]:
        return dict(Orders(book).forward(number))

    return {"_tool": book}, sum(order["amount"] for order in _all_orders(fetch))


def _meters(chance: random.Random) -> Made:
    readings = {f"m{n}": chance.randint(100, 999) for n in range(1, 4)}
    tool = Meters(readings)
    answer = sum(_read_patiently(tool.forward, name) for name in readings)
    return {"meters": list(readings), "_tool": readings}, answer


def _values(chance: random.Random) -> Made:
    given = [chance.randint(10, 500) for _ in range(chance.choice((14, 17, 23)))]
    return {"values": given}, ranks.lab_percentile(given, 90)


def _table(chance: random.Random) -> Made:
    lines = ["! scale 4"]
    for n in range(5):
        weight = f"{chance.randint(1, 3)}.{chance.randint(100, 999)},{chance.randint(10, 99)}"
        lines.append(f"{n}|^bolt|nut {chance.randint(1, 9)}^|{weight}" if n % 2 else f"{n}|plate|{weight}")
    text = "\n".join([*lines, "! end"])
    return {"table": text}, round(sum(tables.scale_number(row[2]) for row in tables.scale_rows(text)), 2)


def _bill(chance: random.Random) -> Made:
    def line(void: bool) -> dict[str, Any]:
        made: dict[str, Any] = {"qty": {"n": chance.randint(1, 6)}, "price_mills": chance.randint(200, 9000)}
        return {**made, "void": True} if void else made

    bundle = {"lines": [line(False), line(True), line(False)]}
    given = {"lines": [line(False), line(True), {"bundle": bundle}, line(False)]}
    return {"bill": given}, _bill_total(given)


def _tags(chance: random.Random) -> Made:
    given = []
    for n in range(8):
        start = f"{chance.choice('ABCDKLMX')}{chance.choice('ABCDKLMX')}-{chance.randint(1000, 9999)}-"
        valid = [tag for check in range(7) if tags.tag_is_valid(tag := f"{start}{check}")]
        given.append(valid[0] if n % 3 else f"{start}{chance.randint(0, 6)}")
    return {"tags": given}, [tag for tag in given if tags.tag_is_valid(tag)]


def _lines(chance: random.Random) -> Made:
    given = []
    for n in range(14):
        level, pump = chance.choice("IWEEF"), chance.randint(1, 3)
        text = chance.choice(("pressure low", "drill: pressure low", "valve stuck", "seal hot"))
        given.append(f"[07:{n:02}:{chance.randint(0, 59):02}|{level}|pump-{pump}] {text}")
    return {"lines": given}, logs.failures_by_pump(given)


def _prices(chance: random.Random) -> Made:
    given = [chance.randint(100, 999) for _ in range(7)]
    return {"cents": given}, sum(prices.canteen_price(price) for price in given)


FAMILIES = (
    Family(
        "stamps",
        "A stamp such as 'W07.3/2026' means weekday 3 (Wednesday) of the ISO week 7 of the year 2026: "
        "datetime.date.fromisocalendar(2026, 7, 3) gives its date.",
        "`stamps` is a list of plant stamps. Answer with the earliest of them as an ISO date such as '2026-02-11'.",
        "Which is the earliest of the plant stamps in the list `stamps`? Answer with its ISO date, 'YYYY-MM-DD'.",
        _stamps,
    ),
    Family(
        "packs",
        "A sack has 25 kg, a drum 180 kg, a crate 12 kg and a pallet 640 kg; '3 drum' are three drums.",
        "`packs` is a list of packs of the store room. Answer with their total weight in kilograms, a number.",
        "What do the packs of the store room in the list `packs` weigh together, in kilograms?",
        _packs,
    ),
    Family(
        "orders",
        "Pages count from 0. `fetch_orders(0)` gives a dict: 'orders' is the list, 'next' the number of the page that "
        "follows, or None in the last one.",
        "Read the whole order book with the tool fetch_orders. Answer with the sum of the amounts of all orders.",
        "What do the amounts of all orders in the order book come to?",
        _orders,
        lambda book: [Orders(book)],
    ),
    Family(
        "meters",
        "A meter that is busy raises an error; ask it again in a loop with try and except, up to five times.",
        "`meters` is a list of meters. Read each with the tool read_meter and answer with the sum of the readings.",
        "Read the meters in the list `meters` and answer with the sum of what they show.",
        _meters,
        lambda readings: [Meters(readings)],
    ),
    Family(
        "percentile",
        "It is the value by nearest rank: of the sorted list that at place math.ceil(0.9 * n), counted from 1. "
        "numpy and pandas may not be imported here.",
        "Answer with the 90th percentile of the list `values` as the laboratory takes it.",
        "What is the laboratory's 90th percentile of the numbers in the list `values`?",
        _values,
    ),
    Family(
        "tables",
        "Fields stand between '|'; a field in '^' may hold a '|' itself; lines that begin with '!' are comments. "
        "The third field is the weight, with a decimal comma and dots between thousands: '1.234,50' is 1234.5.",
        "`table` is a text, a table that a scale wrote. Answer with the sum of its weights, rounded to two places.",
        "Sum the weights in the scale table, the text `table`. Round to two places.",
        _table,
    ),
    Family(
        "bills",
        "`bill['lines']` is a list of dicts. A line with 'void' does not count. A line with 'bundle' holds another "
        "bill. Any other costs line['qty']['n'] * line['price_mills'] thousandths of a euro.",
        "`bill` is a bill of the shop, a dict. Answer with its total in euros, a number.",
        "What does the shop bill in the dict `bill` come to, in euros?",
        _bill,
    ),
    Family(
        "tags",
        "Of 'KD-4821-3', the digits 4, 8, 2, 1 times 3, 1, 3, 1 and the letters (A is 1, B is 2 ...) are summed; the "
        "sum modulo 7 has to be the last digit.",
        "`tags` is a list of tool tags. Answer with the list of those that are valid, in their order.",
        "Which of the tool tags in the list `tags` are valid? Answer with a list, in their order.",
        _tags,
    ),
    Family(
        "logs",
        "In '[07:15:02|E|pump-3] seal hot' E is the level and pump-3 the pump. A line is a failure where its level is "
        "E or F, unless its text has the word drill in it.",
        "`lines` is a list of the pumps' log lines. Answer with a dict of the number of failures by pump.",
        "Count the failures of each pump in the log `lines`. Answer with a dict such as {'pump-1': 2}.",
        _lines,
    ),
    Family(
        "prices",
        "The canteen rounds each price to the nearest 5 cents, and a half up: (price * 2 + 5) // 10 * 5.",
        "`cents` is a list of prices. Answer with the sum of what the canteen takes for them, in cents.",
        "What does the canteen take for all the prices in the list `cents` together, in cents?",
        _prices,
    ),
)
