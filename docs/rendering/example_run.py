"""One real run, learnt for real: an agent of smolagents in its own executor; only the LLM is scripted."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model

from memu_code import CodeMemory
from memu_code.graph import EmbedderMark, Store, View
from memu_code.model import Edge, Node, Relation, Run

TASK = "What is the mean price of the open orders? They are in the list `orders`."
ORDERS = [
    {"id": 1, "status": "open", "price": "12,50"},
    {"id": 2, "status": "open"},
    {"id": 3, "status": "paid", "price": "8,00"},
    {"id": 4, "status": "open", "price": "7,30"},
]
_FIRST = """\
def mean_price(rows):
    prices = [float(row["price"]) for row in rows]
    return round(sum(prices) / len(prices), 2)

opened = [row for row in orders if row["status"] == "open"]
final_answer(mean_price(opened))"""
_SECOND = _FIRST.replace(
    '[float(row["price"]) for row in rows]',
    '[\n        float(row["price"].replace(",", "."))\n        for row in rows\n    ]',
)
_THIRD = _SECOND.replace("for row in rows\n", 'for row in rows if "price" in row\n').replace(
    "len(prices), 2)", "len(prices), 2) if prices else 0"
)
_SCRIPT = (
    ("I average the prices of the open orders.", _FIRST),
    ("The prices are written with a decimal comma, so I put a point in its place.", _SECOND),
    ("One order has no price, so I leave such orders out.", _THIRD),
)
_SPACE = "~example"


@dataclass(frozen=True, slots=True)
class Learnt:
    """The run as it was kept, and its nodes and edges as they were read back from the store."""

    run: Run
    nodes: dict[str, Node]
    edges: tuple[Edge, ...]

    def graph(self) -> nx.DiGraph:
        """The graph of the run, without the symbols that code uses: ids, and on each edge its `relation`."""
        graph = nx.DiGraph()
        graph.add_node(self.run.id)
        graph.add_nodes_from(self.nodes)
        for edge in self.edges:
            graph.add_edge(edge.source, edge.target, relation=edge.relation)
        return graph


class Scripted(Model):  # type: ignore[misc]  # smolagents ships no types
    """An LLM that says what the script says, one reply a step."""

    def __init__(self) -> None:
        super().__init__(model_id="scripted")
        self._replies = iter(_SCRIPT)

    def generate(self, *_: object, **__: object) -> ChatMessage:
        """The next reply."""
        thought, code = next(self._replies)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: {thought}\n<code>\n{code}\n</code>")


def carry_out() -> Learnt:
    """Run the agent, learn from it into a new store, and read what was learnt back from there."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "store")
        with CodeMemory.open(place, space=_SPACE, embedder="default") as memory:
            agent = CodeAgent([], Scripted(), max_steps=len(_SCRIPT), verbosity_level=LogLevel.OFF)
            memory.attach(agent, job="example")
            agent.run(TASK, additional_args={"orders": ORDERS})
            run = memory.run(memory.runs()[0]["id"])
            store = Store(place, EmbedderMark(**memory.doctor()["embedder"]))
            return _read_back(run, store.as_seen_by(memory.reader))


def _read_back(run: Run, view: View) -> Learnt:
    edges = {edge.id: edge for edge in view.edges([run.id])}
    produced = [edge.target for edge in edges.values()]
    edges |= {edge.id: edge for edge in view.edges(produced) if edge.relation is not Relation.USES}
    ends = {end for edge in edges.values() for end in (edge.source, edge.target)} - {run.id}
    return Learnt(run, view.nodes(ends), tuple(sorted(edges.values(), key=lambda edge: edge.id)))
