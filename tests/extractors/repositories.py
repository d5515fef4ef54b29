"""A small repository written by a test, and all that is found in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from memu_code.extractors.code.parse import Unparsable
from memu_code.extractors.repository import Skipped, extract_file
from memu_code.extractors.repository.files import read_text, source_files
from memu_code.extractors.repository.outline import outline
from memu_code.model import Extraction, Relation, Solution


@dataclass
class Seeded:
    """All that was found in a small repository."""

    found: Extraction
    skipped: list[Skipped]

    def __getitem__(self, symbol: str) -> Solution:
        return self.solutions[symbol]

    @property
    def solutions(self) -> dict[str, Solution]:
        nodes = (node for node in self.found.nodes if isinstance(node, Solution))
        return {node.origin.symbol: node for node in nodes if node.origin is not None}

    def targets(self, symbol: str, relation: Relation) -> set[str]:
        source = self[symbol].id
        return {edge.target for edge in self.found.edges if edge.source == source and edge.relation is relation}


def seed(root: Path, files: Mapping[str, str | bytes]) -> Seeded:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())
    sources = list(source_files(root))
    index = outline(root, sources)
    found = Extraction()
    skipped: list[Skipped] = []
    for source in sources:
        try:
            text = read_text(root, source)
        except Unparsable as error:
            skipped.append(Skipped(source.path, "", error.reason))
            continue
        findings = extract_file(source, text, index, space="acme", actor="ann", at=12.5)
        found += findings.extraction
        skipped.extend(findings.skipped)
    for node in found.nodes:
        if isinstance(node, Solution):
            ast.parse(node.code)
    return Seeded(found, skipped)
