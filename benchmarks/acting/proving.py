"""What makes helpers of a repository more than text: each has run once, in an agent whose answer was accepted."""

from __future__ import annotations

import inspect
from types import ModuleType

from benchmarks.acting.house import bills, logs, meters, packs, pages, prices, ranks, stamps, tables, tags
from benchmarks.acting.tasks import Meters, Orders
from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory

USES: dict[ModuleType, str] = {
    stamps: "stamp_to_date('W07.3/2026')",
    packs: "total_kilograms(['2 sack', '3 drum'])",
    pages: "len(all_orders(fetch_orders))",
    meters: "read_patiently(read_meter, 'a')",
    ranks: "lab_percentile([3, 9, 7, 12, 5], 50)",
    tables: "[scale_number(row[2]) for row in scale_rows('1|plate|1,50')]",
    bills: "bill_total({'lines': [{'qty': {'n': 2}, 'price_mills': 750}]})",
    tags: "tag_is_valid('KD-4821-3')",
    logs: "failures_by_pump(['[07:15:02|E|pump-3] seal hot'])",
    prices: "canteen_price(123)",
}


def prove(memory: CodeMemory) -> None:
    """Run each helper once in a real agent, on an example that is in no task; the memory keeps those runs."""
    for module, use in USES.items():
        code = f"{inspect.getsource(module)}\nfinal_answer({use})"
        tools = [Orders([[{"id": 1, "amount": 5}]]), Meters({"a": 7})]
        agent = scripted_agent({1: code}.__getitem__, 1, tools)
        memory.attach(agent, offer="text", holdout=0.0)
        agent.run(f"Try this: {use.partition('(')[0]}")
