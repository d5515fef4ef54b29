"""Every value that memu_code passes around: frozen, slotted, without any I/O, importing nothing of ours.

A node says what it is; only the store knows where it lies. The identity of a node is a hash of its content, so the
same thing learnt twice, in two processes or two years, is one node.
"""

from memu_code.model.clean import Clean
from memu_code.model.evidence import Environment, Evidence, EvidenceKind, Extraction, State
from memu_code.model.hits import Found, Hit
from memu_code.model.nodes import (
    Edge,
    EdgeCase,
    ErrorFix,
    Input,
    Kind,
    Node,
    Origin,
    Problem,
    Relation,
    Solution,
    Symbol,
    content_id,
    told,
)
from memu_code.model.readers import Reader, Right
from memu_code.model.runs import Offer, Outcome, Run, Step, StepError

__all__ = [
    "Clean",
    "Edge",
    "EdgeCase",
    "Environment",
    "ErrorFix",
    "Evidence",
    "EvidenceKind",
    "Extraction",
    "Found",
    "Hit",
    "Input",
    "Kind",
    "Node",
    "Offer",
    "Origin",
    "Outcome",
    "Problem",
    "Reader",
    "Relation",
    "Right",
    "Run",
    "Solution",
    "State",
    "Step",
    "StepError",
    "Symbol",
    "content_id",
    "told",
]
