"""From an error to the changes that mended it before."""

from __future__ import annotations

from memu_code.graph import View, standing
from memu_code.model import Environment, ErrorFix, Hit, Kind, State
from memu_code.recall import ranking
from memu_code.recall.failing_code import code_likeness
from memu_code.recall.solutions import Encoder
from memu_code.recall.texts import error_text, query_words

CANDIDATES = 40  # fixes that each arm may name
EXACT_AT_MOST = 100  # of one signature: all assertions that failed have the same, and there may be thousands
FLOOR = 0.75  # similarity of two messages below which they are not the same mistake; unrelated ones reach 0.55
EXACT = 1.0  # the same signature is the same mistake
SAME_CLASS = 0.05  # what another exception class takes away, and the same one adds
SAME_CODE = 0.6  # likeness from which another error in the same code is worth a look
CODE_WEIGHT = 0.2  # the failing code chooses between fixes of one error, and does no more than that


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
    view = view.snapshot()
    told = error_text(error_class, message, code)
    named = _named(view, encoder, told, query_words(f"{error_class} {message} {code}"))
    # Of too many with one signature those come first whose code or message was found as well.
    exact = sorted(view.labelled(Kind.ERROR_FIX, signature), key=lambda node: (node not in named, node))
    closeness = named | dict.fromkeys(exact[:EXACT_AT_MOST], EXACT)
    nodes = {
        node: fix
        for node, fix in view.nodes(closeness).items()
        if isinstance(fix, ErrorFix) and fix.delta  # without one it is an error that nothing mended
    }
    alike = dict(zip(nodes, code_likeness(code, [fix.failing for fix in nodes.values()]), strict=True))
    if not message.strip():  # the vectors are those of the codes
        alike = {node: (found + named.get(node, 0.0)) / 2 for node, found in alike.items()}
    evidence = view.evidence(nodes)
    sandbox = environment.sandbox if environment else None
    hits: list[Hit] = []
    for node, fix in nodes.items():
        own = standing(evidence.get(node, ()), sandbox)
        kind = SAME_CLASS if fix.error_class == error_class else -SAME_CLASS
        meaning = closeness[node] if closeness[node] == EXACT else closeness[node] + kind
        if own.state is State.RETIRED or (meaning < FLOOR and alike[node] < SAME_CODE):
            continue
        proof = ranking.proof_factor(own.state, own.lower_bound)
        why = {"meaning": meaning, "code": CODE_WEIGHT * alike[node], "proof": proof}
        hits.append(
            Hit(
                id=node,
                kind=Kind.ERROR_FIX,
                score=min(1.0, (meaning + CODE_WEIGHT * alike[node]) * proof / (1.0 + CODE_WEIGHT)),
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


def _named(view: View, encoder: Encoder, told: str, words: str) -> dict[str, float]:
    """How near (0..0.99) the errors are that a search by meaning and by words names."""
    if not told.strip() or not words:
        return {}
    named = view.candidates(encoder.encode([told])[0], words, CANDIDATES, (Kind.ERROR_FIX,))
    return {node: max(0.0, min(found.cosine, 0.99)) for node, found in named.items()}
