"""From an error to the changes that mended it before."""

from __future__ import annotations

from memu_code.graph import View, standing
from memu_code.model import Environment, ErrorFix, Hit, Kind, State
from memu_code.recall import ranking
from memu_code.recall.solutions import Encoder

CANDIDATES = 20
FLOOR = 0.75  # similarity of two messages below which they are not the same mistake; unrelated ones reach 0.55
EXACT = 1.0  # the same signature is the same mistake
SAME_CLASS = 0.05  # what another exception class takes away, and the same one adds
CODE_WEIGHT = 0.1  # the failing code chooses between fixes of one error, and does no more than that


def recall_fixes(
    view: View,
    encoder: Encoder,
    *,
    signature: str,
    error_class: str,
    message: str,
    code: str = "",
    environment: Environment | None = None,
    k: int = 3,
) -> list[Hit]:
    """At most k known fixes for an error, best first: those of the same signature, then of the same meaning.

    Raises:
        StoreError: the store cannot be read.
    """
    closeness = dict.fromkeys(view.labelled(Kind.ERROR_FIX, signature), EXACT) if signature else {}
    if message.strip():
        vector = encoder.encode([f"{error_class}: {message}"])[0]
        for node, cosine in view.nearest(vector, CANDIDATES, (Kind.ERROR_FIX,)):
            closeness.setdefault(node, min(cosine, 0.99))
    nodes = view.nodes(closeness)
    evidence = view.evidence(nodes)
    sandbox = environment.sandbox if environment else None
    hits: list[Hit] = []
    for node, fix in nodes.items():
        if not isinstance(fix, ErrorFix) or not fix.delta:  # an error that nothing mended
            continue
        own = standing(evidence.get(node, ()), sandbox)
        kind = SAME_CLASS if fix.error_class == error_class else -SAME_CLASS
        meaning = closeness[node] if closeness[node] == EXACT else closeness[node] + kind
        if own.state is State.RETIRED or meaning < FLOOR:
            continue
        alike = CODE_WEIGHT * ranking.likeness(code, fix.failing) if code.strip() else 0.0
        proof = ranking.proof_factor(own.state, own.lower_bound)
        why = {"meaning": meaning, "code": alike, "proof": proof}
        hits.append(
            Hit(
                id=node,
                kind=Kind.ERROR_FIX,
                score=min(1.0, (meaning + alike) * proof / (1.0 + CODE_WEIGHT)),
                why=why,
                state=own.state,
                problem=f"{fix.error_class}: {fix.message}",
                code="\n".join(fix.delta),
                provenance=", ".join(part for part in (fix.space, fix.sandbox) if part),
                space=fix.space,
                description=fix.thought,
                successes=own.successes,
                failures=own.failures,
            )
        )
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]
