"""Every value that memu_code passes around: frozen, slotted, without any I/O, importing nothing of ours.

A node says what it is; only the store knows where it lies. The identity of a node is a hash of its content, so the
same thing learnt twice, in two processes or two years, is one node.
"""

from memu_code.model.clean import Clean
from memu_code.model.evidence import REPROOF_SECONDS, Environment, Evidence, EvidenceKind, Executor, Extraction, State
from memu_code.model.hits import Found, Hit
from memu_code.model.injections import Arm, Injection, Offered, arm_of
from memu_code.model.moments import DAY, day_told, moment_told, span_of
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
    folded,
    told,
)
from memu_code.model.promotions import Promotion
from memu_code.model.readers import Reader, Right
from memu_code.model.receipts import Receipt, Used
from memu_code.model.runs import Call, Offer, Outcome, Picture, Run, Step, StepError
from memu_code.model.work import Event, FollowUp, Item, Recalled, Source, follow_up_id

__all__ = [
    "DAY",
    "REPROOF_SECONDS",
    "Arm",
    "Call",
    "Clean",
    "Edge",
    "EdgeCase",
    "Environment",
    "ErrorFix",
    "Event",
    "Evidence",
    "EvidenceKind",
    "Executor",
    "Extraction",
    "FollowUp",
    "Found",
    "Hit",
    "Injection",
    "Input",
    "Item",
    "Kind",
    "Node",
    "Offer",
    "Offered",
    "Origin",
    "Outcome",
    "Picture",
    "Problem",
    "Promotion",
    "Reader",
    "Recalled",
    "Receipt",
    "Relation",
    "Right",
    "Run",
    "Solution",
    "Source",
    "State",
    "Step",
    "StepError",
    "Symbol",
    "Used",
    "arm_of",
    "content_id",
    "day_told",
    "folded",
    "follow_up_id",
    "moment_told",
    "span_of",
    "told",
]
