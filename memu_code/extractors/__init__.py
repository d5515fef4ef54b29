"""What a run teaches: nodes, the edges between them, and the evidence of what happened when they ran. Pure, no I/O."""

from __future__ import annotations

import logging
from dataclasses import replace

from memu_code.extractors.alternatives import ALTERNATIVES
from memu_code.extractors.code.parse import OutOfTime, time_limit
from memu_code.extractors.code.scopes import bound_in
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.edge_cases import EDGE_CASES
from memu_code.extractors.fixes import FIXES
from memu_code.extractors.protocol import Extractor
from memu_code.extractors.requirements import REQUIREMENTS
from memu_code.extractors.solutions import SOLUTIONS
from memu_code.model import Edge, ErrorFix, Extraction, Relation, Run, Solution

__all__ = ["EXTRACTORS", "Extractor", "extract"]

log = logging.getLogger(__name__)

MAX_STEPS = 200  # steps of one run that are read: the last ones, which hold the answer
MAX_CODE = 300_000  # characters of all their code
LEAST_SECONDS = 0.8  # of computing that any run is given, which is fifty times what most need
PER_SECOND = 60_000  # characters of code for each second that a larger run is given

# In this order: each sees what those before it found.
EXTRACTORS: dict[str, Extractor] = {
    "solutions": SOLUTIONS,
    "requirements": REQUIREMENTS,
    "fixes": FIXES,
    "edge_cases": EDGE_CASES,
    "alternatives": ALTERNATIVES,
}


def extract(run: Run) -> Extraction:
    """Everything that a run teaches. Never raises: an extractor that fails is logged, and the others' results stand.

    Of a run that takes longer to read than its size allows for, what was found until then is kept.
    """
    size = sum(len(step.code) for step in run.steps[-MAX_STEPS:])
    if size > MAX_CODE:
        log.warning("run %s holds more code than is read; nothing is learnt from it", run.id)
        return Extraction()
    if len(run.steps) > MAX_STEPS:
        run = replace(run, steps=run.steps[-MAX_STEPS:])
    found = Extraction()
    with time_limit(max(LEAST_SECONDS, size / PER_SECOND)):
        for name, extractor in EXTRACTORS.items():
            try:
                made = extractor.extract(run, found)
                found = found + made if made != Extraction() else found
            except OutOfTime:
                log.warning("run %s takes too long to read; what %s and later extractors find is lost", run.id, name)
                break
            except Exception:  # the code is anybody's; a bug that it meets must not cost what was learnt beside it
                log.exception("extractor %s failed on run %s", name, run.id)
    for kept in (nodes_of, names_in, bound_in):
        kept.cache_clear()  # they hold the trees of the run
    produced = tuple(
        Edge(run.space, run.id, Relation.PRODUCED, node.id)
        for node in found.nodes
        if isinstance(node, Solution | ErrorFix)
    )
    return found + Extraction(edges=produced)
