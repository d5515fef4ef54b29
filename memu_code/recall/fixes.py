"""From an error to the changes that mended it before."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping

from memu_code.graph import View
from memu_code.graph.judging import judged
from memu_code.graph.observations import heard
from memu_code.graph.quarantine import named_by, quarantine
from memu_code.model import Environment, ErrorFix, Hit, Kind, State
from memu_code.recall import ranking
from memu_code.recall.failing_code import code_likeness
from memu_code.recall.inert import marked
from memu_code.recall.provenance import actors_of, provenance
from memu_code.recall.solutions import Encoder
from memu_code.recall.texts import error_text, query_words, says_nothing

CANDIDATES = 40  # fixes that each arm may name
EXACT_AT_MOST = 100  # of one signature: all assertions that failed have the same, and there may be thousands
FLOOR = 0.75  # similarity of two messages below which they are not the same mistake; unrelated ones reach 0.55
EXACT = 1.0  # the same signature is the same mistake
BARE = 0.99  # the same as far as one of the two knows, whose text came without the code
SAME_CLASS = 0.05  # what another exception class takes away, and the same one adds
OTHER_CLASS = 0.5  # how near another class is to an error whose message says nothing: nobody can know
# Likeness of two codes from which another error in the same code is worth a look, and below which an error whose
# message says nothing is another one. On folds 1 and 2 of the llm_failures set 83 and 92 of 100 failures have one of
# the same task above it; the nearest of 384 programs for other tasks reaches the first in 42.
SAME_CODE = 0.55
LEAST_ALIKE = 0.35
CODE_WEIGHT = 0.2  # the failing code chooses between fixes of one error, and does no more than that

# A failed check says that the result is wrong, not why: its text is the check's, and all are the same kind of mistake.
# So there the code decides. Folds 1 and 2 of the llm_failures set have R@1 .80 with 0.5, .82 with 2 and with 4.
JUDGED = frozenset({"AssertionError", "CheckFailed"})
JUDGED_CODE_WEIGHT = 2.0


def recall_fixes(
    view: View,
    encoder: Encoder,
    *,
    signature: str,
    error_class: str,
    message: str,
    code: str = "",
    text: str = "",
    bare_signature: str = "",
    environment: Environment | None = None,
    k: int = 3,
    trusted: Container[str],
    quarantined: bool = False,
) -> list[Hit]:
    """At most k known fixes for an error, best first: those of the same signature, then of the same meaning.

    What is in quarantine in the spaces that are not `trusted` is left out or, with `quarantined`, marked.

    `bare_signature` is that of the text alone, where `signature` was made with the code beside it. `text` is the error
    as it was told: without code, the names that it quotes choose between fixes of one error.

    Raises:
        StoreError: the store cannot be read.
    """
    view = view.snapshot()
    told = error_text(error_class, message, code)
    words = query_words(f"{error_class} {message} {code or text}")
    named = _named(view, encoder, told, words, None if quarantined else trusted)
    # Of too many with one signature those come first whose code or message was found as well.
    exact = sorted(view.labelled(Kind.ERROR_FIX, signature), key=lambda node: (node not in named, node))
    closeness = named | dict.fromkeys(exact[:EXACT_AT_MOST], EXACT)
    nodes = {
        node: fix
        for node, fix in view.nodes(closeness).items()
        if isinstance(fix, ErrorFix) and fix.delta  # without one it is an error that nothing mended
    }
    if not quarantined:
        away = quarantine(view, nodes.values(), trusted)
        nodes = {node: fix for node, fix in nodes.items() if node not in away}
    silent = says_nothing(error_class, message)
    alike = _alike(code or text, nodes)
    same_code = SAME_CODE if code.strip() else math.inf  # the words of a text are no code
    weight = JUDGED_CODE_WEIGHT if error_class in JUDGED else CODE_WEIGHT
    evidence = view.evidence(nodes)
    promoted = view.promoted({node: fix.space for node, fix in nodes.items()})
    sandbox = environment.sandbox if environment else None
    hits: list[Hit] = []
    for node, fix in nodes.items():
        own = judged(fix, heard(evidence.get(node, ()), view.reader.actor), sandbox=sandbox)
        same_class = fix.error_class == error_class
        if closeness[node] == EXACT:
            meaning = EXACT
        elif signature == fix.bare_signature or bare_signature == fix.signature or (silent and same_class):
            meaning = BARE
        else:
            near = OTHER_CLASS if silent else closeness[node]
            meaning = min(near + (SAME_CLASS if same_class else -SAME_CLASS), BARE)
        least = same_code if meaning < FLOOR else LEAST_ALIKE if silent else 0.0
        if own.state is State.RETIRED or alike[node] < least:
            continue
        proof = ranking.proof_factor(own.state, own.lower_bound)
        hits.append(
            Hit(
                id=node,
                kind=Kind.ERROR_FIX,
                score=(meaning + weight * alike[node]) * proof / (1.0 + weight),
                why={"meaning": meaning, "code": weight * alike[node], "proof": proof},
                state=own.state,
                problem=f"{fix.error_class}: {fix.message}",
                code="\n".join(fix.delta),
                provenance=provenance(fix, evidence.get(node, ()), promoted.get(node)),
                space=fix.space,
                description=fix.thought,
                successes=own.successes,
                failures=own.failures,
                actors=actors_of(evidence.get(node, ())),
                promoted=promoted.get(node),
            )
        )
    strange = quarantine(view, [nodes[hit.id] for hit in hits], trusted) if quarantined else frozenset()
    known = {hit.code for hit in hits if hit.id not in strange}  # what is known anyway, no stranger needs to say
    told_once = (hit for hit in hits if hit.id not in strange or hit.code not in known)
    best = sorted(told_once, key=lambda hit: (-hit.score, hit.id))[:k]
    return list(marked(best, strange))


def _alike(code: str, nodes: Mapping[str, ErrorFix]) -> dict[str, float]:
    """How alike (0..1) the code is to what failed and to what mended it: code that fails at a task looks like both."""
    before = code_likeness(code, [fix.failing for fix in nodes.values()])
    after = code_likeness(code, [fix.fixed for fix in nodes.values()])
    return {node: (failed + mended) / 2 for node, failed, mended in zip(nodes, before, after, strict=True)}


def _named(view: View, encoder: Encoder, told: str, words: str, trusted: Container[str] | None) -> dict[str, float]:
    """How near (0..0.98) the errors are that a search by meaning and by words names."""
    if not told.strip() or not words:
        return {}
    named = named_by(view, encoder.encode([told])[0], words, CANDIDATES, (Kind.ERROR_FIX,), trusted)
    return {node: max(0.0, min(found.cosine, 0.98)) for node, found in named.items()}
