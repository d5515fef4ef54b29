"""What the memory knows: nodes and the edges between them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


class Kind(StrEnum):
    """What a node is."""

    SOLUTION = "solution"
    PROBLEM = "problem"
    EDGE_CASE = "edge_case"
    ERROR_FIX = "error_fix"
    SYMBOL = "symbol"
    RUN = "run"


class Relation(StrEnum):
    """What an edge says of its two nodes."""

    SOLVES = "SOLVES"
    PRODUCED = "PRODUCED"
    HANDLES = "HANDLES"
    FIXED_ON_THE_WAY = "FIXED_ON_THE_WAY"
    FAILED_ALTERNATIVE = "FAILED_ALTERNATIVE"
    USES = "USES"
    CALLS = "CALLS"
    SUPERSEDES = "SUPERSEDES"
    MERGED = "MERGED"  # from an id that no node has any more to the node that has taken it in


def content_id(kind: str, *parts: str) -> str:
    """The identity of content: `<kind>_` and 20 hex digits of SHA-256 over the parts, each prefixed by its length."""
    digest = hashlib.sha256()
    for part in (kind, *parts):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return f"{kind}_{digest.hexdigest()[:20]}"


def folded(text: str) -> str:
    """The words of a text, whatever their case and the white space between them."""
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class Input:
    """A name that code expects from outside: its name, and type and shape as seen (`list[int] len 4`), or empty.

    `value` is a Python literal, kept of a run's own inputs where they are small and plain; a solution has none.
    """

    name: str
    seen: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where seeded code comes from: repository root, file inside it, qualified name, first line, hash of the file."""

    root: str
    path: str
    symbol: str
    line: int
    file_hash: str

    @property
    def repository(self) -> str:
        """The last name of the root, which tells nothing of the machine that it is on."""
        return self.root.replace("\\", "/").rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Solution:
    """The smallest self-contained code that solved a problem, or a reusable function of it.

    `code` runs alone once `inputs` and `tools` are there; where it came from a run, its last statement binds `answer`.
    `structure` is the hash of its tree that survives renaming of locals, comments and reformatting.
    `name` and `signature` are set where the code is definitions only, so that it can be called: `parse(text, sep=',')`.
    """

    kind: ClassVar[Kind] = Kind.SOLUTION
    space: str
    code: str
    structure: str
    name: str = ""
    signature: str = ""
    description: str = ""
    inputs: tuple[Input, ...] = ()
    imports: tuple[str, ...] = ()  # top-level packages: ("re", "pandas")
    tools: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()  # qualified names that it uses
    origin: Origin | None = None

    @property
    def id(self) -> str:
        return content_id(self.kind, self.space, self.structure)


@dataclass(frozen=True, slots=True)
class Problem:
    """A task in words, as a person put it; case and white space do not make another problem."""

    kind: ClassVar[Kind] = Kind.PROBLEM
    space: str
    text: str

    @property
    def id(self) -> str:
        return content_id(self.kind, self.space, folded(self.text))


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """A condition and how the code deals with it: category `empty`, condition `not rows`, handling `return []`."""

    kind: ClassVar[Kind] = Kind.EDGE_CASE
    space: str
    category: str
    condition: str
    handling: str

    @property
    def id(self) -> str:
        return content_id(self.kind, self.space, self.category, self.condition, self.handling)


@dataclass(frozen=True, slots=True)
class ErrorFix:
    """An error that was met and the change that mended it, or the statement that failed where its way was given up.

    `signature` is the same for the same mistake with other data. `delta` holds the changed statements in the manner of
    a diff: lines that begin with `- ` or `+ `, and with two spaces those that only tell the place; it is empty where
    nothing mended the error, and `failing` is then the one statement. `thought` is what the LLM said when it mended it.
    `bare_signature` is what the error's text alone gives, where that is another than with the code beside it.
    """

    kind: ClassVar[Kind] = Kind.ERROR_FIX
    space: str
    signature: str
    error_class: str
    message: str
    failing: str
    fixed: str
    delta: tuple[str, ...]
    thought: str = ""
    sandbox: str = ""
    symbols: tuple[str, ...] = ()
    bare_signature: str = ""

    @property
    def id(self) -> str:
        return content_id(self.kind, self.space, self.signature, *(self.delta or (self.failing,)))


@dataclass(frozen=True, slots=True)
class Symbol:
    """A qualified name that code uses. Its id carries the name itself, so it needs no row and belongs to no space."""

    kind: ClassVar[Kind] = Kind.SYMBOL
    name: str

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.name}"


Node = Solution | Problem | EdgeCase | ErrorFix  # what has a row of its own


def _line(code: str) -> str:
    return " ".join(code.split())


def told(node: Node) -> str:
    """A node in one line."""
    if isinstance(node, Problem):
        return node.text
    if isinstance(node, EdgeCase):
        return f"{node.category}: {node.condition} -> {node.handling}"
    if isinstance(node, ErrorFix):
        return f"{node.error_class}: {node.message}" if node.delta else f"{_line(node.failing)} -> {node.signature}"
    return node.signature or node.description or node.code.strip().splitlines()[-1]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation from one node to another; it is seen by whoever may see `space`, the space of its source."""

    space: str
    source: str
    relation: Relation
    target: str

    @property
    def id(self) -> str:
        return content_id("edge", self.space, self.source, self.relation, self.target)
