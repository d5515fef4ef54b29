"""A store of any size, filled fast: made-up tasks and code with a natural spread of words and of vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from memu_code.graph import EmbedderMark, Store, rows, schema
from memu_code.graph.connection import Connection
from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Problem,
    Relation,
    Solution,
    Symbol,
)
from memu_code.recall import embedding_text, search_words

BATCH = 20_000  # nodes that are made at a time
TEXTS = 3_000  # texts that are really embedded; all vectors are mixed of theirs
SPACES = ("~ann", "~ann", "~ann", "acme", "~bob")  # a reader of the first two sees four fifths
_MIX = 0.5  # how far a made-up vector lies from a real one, in the direction of a difference of two others
_NEAR = 0.25  # the same for a solution and its problem
_ENVIRONMENT = Environment("local", "3.12.4", (("pandas", "2.2.3"), ("numpy", "2.1.0")), ("re", "math"))

_VERBS = """parse count group sort filter merge split join convert read write find remove replace compute sum average
validate format extract flatten rotate compress encode decode hash download plot sample round clip rank shift scan trim
pivot invert match tokenize normalise schedule retry align interpolate summarise deduplicate index reverse map"""
_THINGS = """plant logger stamps|csv rows|json records|customer orders|sensor readings|log lines|invoice totals|dates
|time zones|file names|email addresses|matrix columns|graph edges|sentences|word frequencies|temperatures|prices
|user sessions|html tables|image tiles|bank transfers|ip addresses|version numbers|stock levels|polygon corners
|protein sequences|chess moves|exchange rates|meter counts|delivery routes|survey answers|train delays|xml nodes
|binary trees|key value pairs|phone numbers|error messages|pixel values|audio frames|weather reports"""
_WAYS = """by day|by month|per customer|with empty values left out|in descending order|without duplicates|from a folder
|from a text file|above a threshold|in a given window|with two decimals|with a default for what is missing|as a dict
|as a list of tuples|and return the largest|and return the smallest|and keep the first of each|across all sheets
|with a regular expression|ignoring upper and lower case|in batches of a hundred|for each region"""
_SYMBOLS = """re.sub re.findall json.loads csv.DictReader datetime.datetime.strptime pandas.read_csv pandas.DataFrame
collections.Counter collections.defaultdict itertools.groupby math.sqrt statistics.mean numpy.array os.path.join
pathlib.Path functools.reduce heapq.nlargest random.choice urllib.request.urlopen hashlib.sha256"""


def _words(text: str) -> list[str]:
    return text.split()


def _phrases(text: str) -> list[str]:
    return [phrase.strip() for phrase in text.replace("\n", " ").split("|")]


def task(chance: random.Random) -> str:
    """A task in words; the first verbs, things and ways are by far the most frequent, as in Zipf's law."""
    verb, thing, way = (_zipf(chance, items) for items in (_words(_VERBS), _phrases(_THINGS), _phrases(_WAYS)))
    return f"{verb} the {thing} {way}"


def _zipf(chance: random.Random, items: Sequence[str]) -> str:
    return items[min(int(len(items) ** chance.random()) - 1, len(items) - 1)]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Mixes of real vectors, which lie about as real ones do: shape (texts, dimensions), each of length 1."""

    real: np.ndarray
    chance: np.random.Generator

    def mixed(self, around: np.ndarray, distance: float) -> np.ndarray:
        """Vectors around these, shifted by differences of two real ones; float32 of the same shape, of length 1."""
        count = len(self.real)
        one, other = (self.real[self.chance.integers(0, count, len(around))] for _ in range(2))
        shifted = around + distance * (one - other)
        return np.asarray(shifted / np.linalg.norm(shifted, axis=1, keepdims=True), dtype=np.float32)


def fill(uri: str, mark: EmbedderMark, nodes: int, texts: Sequence[str], real: np.ndarray) -> None:
    """Make a store with so many nodes, their edges and their evidence; `real` holds the vectors of `texts`."""
    Store(uri, mark).close()
    connection = Connection(uri)
    schemas = schema.tables(mark.dimensions)
    vectors = Vectors(real, np.random.default_rng(7))
    left = nodes
    for number in range(0, nodes, BATCH):
        chance = random.Random(number)
        found = _batch(chance, texts, number, min(BATCH, left))
        left -= len(found.nodes)
        table = _nodes_table(found, vectors, dict(zip(texts, range(len(texts)), strict=True)), schemas["nodes"])
        connection.table("nodes").add(table, on_bad_vectors="null")
        edges = [rows.edge_row(edge) for edge in found.edges]
        connection.table("edges").add(pa.Table.from_pylist(edges, schema=schemas["edges"]))
        evidence = [rows.evidence_row(row) for row in found.evidence]
        connection.table("evidence").add(pa.Table.from_pylist(evidence, schema=schemas["evidence"]))
    connection.close()


def _batch(chance: random.Random, texts: Sequence[str], start: int, size: int) -> Extraction:
    made: list[Solution | Problem | EdgeCase | ErrorFix] = []
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    before: dict[str, Solution] = {}
    for nodes, ties, seen in _tasks(chance, texts, start, before):
        if len(made) + len(nodes) > size:
            break
        made += nodes
        edges += ties
        evidence += seen
    return Extraction(tuple(made), tuple(edges), tuple(evidence))


def _tasks(
    chance: random.Random, texts: Sequence[str], start: int, before: dict[str, Solution]
) -> Iterator[tuple[list[Solution | Problem | EdgeCase | ErrorFix], list[Edge], list[Evidence]]]:
    """One solved task after the other: solution and problem, and now and then an edge case, a fix, a new version."""
    number = start
    while True:
        number += 1
        space = chance.choice(SPACES)
        text = f"{chance.choice(texts)} {_detail(chance, number)}"
        solution = _solution(chance, space, text, number)
        problem = Problem(space, text)
        nodes: list[Solution | Problem | EdgeCase | ErrorFix] = [solution, problem]
        tie = partial(Edge, space, solution.id)
        edges = [tie(Relation.SOLVES, problem.id)]
        edges += [tie(Relation.USES, Symbol(name).id) for name in solution.symbols]
        if number % 4 == 0:
            case = EdgeCase(space, "empty", f"not rows_{number}", "return []")
            nodes.append(case)
            edges.append(tie(Relation.HANDLES, case.id))
        if number % 4 == 1:
            fix = _fix(chance, space, number)
            nodes.append(fix)
            edges.append(tie(Relation.FIXED_ON_THE_WAY, fix.id))
        if number % 10 == 0 and space in before:
            edges.append(tie(Relation.SUPERSEDES, before[space].id))
        if number % 10 == 5 and space in before:
            edges.append(tie(Relation.CALLS, before[space].id))
        before[space] = solution
        yield nodes, edges, _evidence(chance, solution, number)


def _detail(chance: random.Random, number: int) -> str:
    """The tail of a text that makes it one of its own: rare words, as every real task has."""
    return f"for {_zipf(chance, _phrases(_THINGS)).split()[0]}_{number % 5_000} of site {number}"


def _solution(chance: random.Random, space: str, text: str, number: int) -> Solution:
    words = text.split()
    name = f"{words[0]}_{words[2]}_{number % 977}"
    symbols = tuple(sorted({_zipf(chance, _words(_SYMBOLS)) for _ in range(3)}))
    lines = [f"import {symbol.split('.', 1)[0]}" for symbol in symbols]
    lines += [f"def {name}(rows, limit={number % 90}):", "    result = []", "    for row in rows:"]
    for symbol in symbols:
        column = f"{_zipf(chance, _words(_VERBS))}_{_zipf(chance, _phrases(_THINGS)).split()[-1]}"
        lines.append(f"        {column} = {symbol}(row['{column}'], row.get('{words[-1]}', {number}))")
        lines.append(f"        result.append({column})")
    lines += ["    return result[:limit]", f"answer = {name}(rows)"]
    return Solution(
        space,
        "\n".join(lines),
        f"structure {number}",
        name,
        f"{name}(rows, limit={number % 90})",
        text,
        imports=tuple(symbol.split(".", 1)[0] for symbol in symbols),
        symbols=symbols,
    )


def _fix(chance: random.Random, space: str, number: int) -> ErrorFix:
    column = _zipf(chance, _phrases(_THINGS)).split()[-1]
    message = f"'{column}_{number}'"
    delta = (f"- row['{column}']", f"+ row.get('{column}_{number}')")
    return ErrorFix(space, f"KeyError {column} {number}", "KeyError", message, delta[0], delta[1], delta)


def _evidence(chance: random.Random, solution: Solution, number: int) -> list[Evidence]:
    kinds = [EvidenceKind.RAN_OK, EvidenceKind.ANSWERED]
    kinds += [EvidenceKind.SHOWN, EvidenceKind.USED] * chance.choice((0, 0, 1))
    at = 1.7e9 + number
    return [
        Evidence(solution.space, solution.id, kind, "ann", at, f"run_{number}_{place // 2}", _ENVIRONMENT)
        for place, kind in enumerate(kinds)
    ]


def _nodes_table(found: Extraction, vectors: Vectors, positions: dict[str, int], columns: pa.Schema) -> pa.Table:
    """The rows of these nodes; those of one task have vectors beside each other, as their texts are alike."""
    dimensions = vectors.real.shape[1]
    base = vectors.real[vectors.chance.integers(0, len(vectors.real), len(found.nodes))].copy()
    for place, node in enumerate(found.nodes):
        if isinstance(node, Problem):
            base[place] = vectors.real[positions[node.text.rsplit(" for ", 1)[0]]]
    told = vectors.mixed(base, _MIX)
    for place, node in enumerate(found.nodes[:-1]):
        if isinstance(node, Solution):
            told[place] = told[place + 1]  # its problem's
    told = vectors.mixed(told, _NEAR)
    raw = [rows.node_row(node, embedding_text(node), search_words(node), None) for node in found.nodes]
    for row in raw:
        del row["vector"]
    lists = pa.FixedSizeListArray.from_arrays(
        pa.array(told.reshape(-1)), dimensions, mask=pa.array([not row["text"] for row in raw])
    )
    bare = pa.schema([field for field in columns if field.name != "vector"])
    return pa.Table.from_pylist(raw, schema=bare).append_column(columns.field("vector"), lists).cast(columns)
