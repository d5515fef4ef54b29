"""What the scripted LLM knows by itself: for each kind of task a first attempt, and how to mend it by its error.

It is written as a small LLM would: the first attempt overlooks something that only the data or the executor tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mend:
    """What an error tells: how it reads, what is thought about it, and the function that is written then."""

    error: re.Pattern[str]
    thought: str
    code: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A kind of task: words that name it, the function that is written at first, and mended ones by what went wrong."""

    words: frozenset[str]
    function: str
    naive: str
    thought: str
    mended: tuple[Mend, ...]


_STAMPS = '''\
from datetime import datetime

def minutes_between_stamps(stamps):
    """Minutes between the first and the last of some plant logger stamps."""
    moments = [datetime.strptime(stamp, "{format}") for stamp in stamps]
    return int((max(moments) - min(moments)).total_seconds() // 60)
'''

_METERS_WITH_CSV = '''\
import csv
import io

def total_of_meters(export):
    """Total of the kWh column in an export of energy meters."""
    rows = csv.DictReader(io.StringIO(export), delimiter=";")
    return round(sum(float(row["kWh"].replace(",", ".")) for row in rows), 2)
'''
_METERS = '''\
def total_of_meters(export):
    """Total of the kWh column in an export of energy meters, with semicolons and decimal commas."""
    lines = export.strip().split("\\n")
    column = lines[0].split(";").index("kWh")
    total = 0.0
    for line in lines[1:]:
        reading = line.split(";")[column]
{guard}        total += float(reading.replace(".", "").replace(",", "."))
    return round(total, 2)
'''
_NO_READING = '        if reading == "n/a":\n            continue\n'

_ORDERS = '''\
def sum_of_orders(status):
    """Sum of the amounts of all orders with a status, over all pages of the order book."""
    amount = 0.0
    page = 1
    while True:
{fetch}
        amount += sum(order["amount"] for order in orders if order["status"] == status)
        page += 1
    return round(amount, 2)
'''
_UNTIL_EMPTY = "        orders = fetch_orders(page=page)\n        if not orders:\n            break"
_UNTIL_REFUSED = """\
        try:
            orders = fetch_orders(page=page)
        except LookupError:
            break"""

_STOPS = '''\
def minutes_of_downtime(downtimes):
    """Sum of machine downtimes written in hours and minutes, in minutes."""
    total = 0
    for text in downtimes:
        hours, minutes = text.split()
        total += 60 * int(hours.rstrip("h")) + int(minutes.rstrip("m"))
    return total
'''
_STOPS_BY_PATTERN = '''\
import re

def minutes_of_downtime(downtimes):
    """Sum of machine downtimes written in hours and minutes, in minutes."""
    total = 0
    for text in downtimes:
        for number, unit in re.findall(r"(\\d+)([hm])", text):
            total += int(number) * (60 if unit == "h" else 1)
    return total
'''

SKILLS = (
    Skill(
        words=frozenset({"stamps", "iso", "week"}),
        function="minutes_between_stamps",
        naive=_STAMPS.format(format="%Y-%m-%d %H:%M"),
        thought="I parse the logger stamps as dates and take the minutes between the first and the last.",
        mended=(
            Mend(
                re.compile("does not match format"),
                "The logger stamps hold an ISO week and a weekday, so the format is %G-W%V-%u.",
                _STAMPS.format(format="%G-W%V-%u %H:%M"),
            ),
        ),
    ),
    Skill(
        words=frozenset({"export", "kwh", "meters"}),
        function="total_of_meters",
        naive=_METERS_WITH_CSV,
        thought="I read the export with the csv module and add up the kWh column.",
        mended=(
            Mend(
                re.compile(r"Import of \w+ is not allowed|Import from \w+ is not allowed"),
                "The csv module is not allowed here, so I split the lines of the export at the semicolons myself.",
                _METERS.format(guard=""),
            ),
            Mend(
                re.compile("could not convert string to float"),
                "A meter without a reading shows n/a instead of a number, so I leave it out of the kWh total.",
                _METERS.format(guard=_NO_READING),
            ),
        ),
    ),
    Skill(
        words=frozenset({"orders", "fetch_orders", "page"}),
        function="sum_of_orders",
        naive=_ORDERS.format(fetch=_UNTIL_EMPTY),
        thought="I fetch page after page of the order book until one is empty, and sum the amounts.",
        mended=(
            Mend(
                re.compile("page .* does not exist"),
                "The order book refuses a page after the last one, so I stop at that error.",
                _ORDERS.format(fetch=_UNTIL_REFUSED),
            ),
        ),
    ),
    Skill(
        words=frozenset({"downtimes", "hours", "minutes"}),
        function="minutes_of_downtime",
        naive=_STOPS,
        thought="I split each downtime into hours and minutes and sum them.",
        mended=(
            Mend(
                re.compile("unpack"),
                "Some downtimes have only hours or only minutes, so I look for each number with its unit.",
                _STOPS_BY_PATTERN,
            ),
        ),
    ),
)
