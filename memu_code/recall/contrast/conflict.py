"""How likely stored code is wrong for what is asked, by the two wordings alone, and how that is told.

The weights are probabilities: how often the stored code fails where this difference stands between two wordings. They
were fitted on two thirds of mbpp (`python -m benchmarks.recalling.contrast_weights`), towards equal weights for each
strength, and rounded to one digit. Several differences are joined by a noisy or (Pearl, 1988).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from memu_code.recall.contrast.comparing import Difference, Strength, compare
from memu_code.recall.contrast.lexicon import Kind
from memu_code.recall.contrast.reading import read

# The two wordings disagree: 0.7, which is the prior, to 0.85 where the data had many.
OPPOSITE_WEIGHT = 0.8
# "All" and "any" often stand for each other: "any number of the list", "all pairs".
QUANTIFIER_WEIGHT = 0.5
# Other names: code is used with another column or file as it is. Of 490 right pairs of conala 49 differ in names.
ENTITY_WEIGHT = 0.3
# They agree in part: one names more sides of a dimension than the other.
PARTIAL_WEIGHT = 0.3
# Only one of them tells: what people leave out or add in other words for the same task weighs nothing.
MISSING_WEIGHT: Mapping[Kind, float] = {
    **dict.fromkeys((Kind.OPERATION, Kind.POSITION, Kind.ACTION, Kind.CASE, Kind.SETS), 0.4),
    **dict.fromkeys((Kind.PARITY, Kind.SIGN, Kind.ITEM, Kind.QUANTIFIER, Kind.CLASS), 0.3),
    **dict.fromkeys((Kind.NEGATION, Kind.UNIQUENESS, Kind.EXTREME, Kind.CONDITION), 0.2),
    **dict.fromkeys((Kind.QUANTITY, Kind.BOUND, Kind.SAMENESS, Kind.TYPE, Kind.NOTATION), 0.1),
}
# Two are set by judgement, since what was fitted on has hardly any of them. A whole sentence of which the other text
# says nothing is a requirement of its own, or a remark: 3 of 70 rewordings by people have one.
SENTENCE_WEIGHT = 0.4
# One telling word in another's place, and the lexicon knows neither as the other's synonym or opposite. People do so in
# 2 of 70 rewordings, machines that replace words at random in 3 of 10.
REPLACED_WEIGHT = 0.2
# The longer the texts, the more is told in one of them only; a dozen words is what the weights were fitted on.
SHORT = 12

# What a conflict takes from the relevance: with these, rewordings of mbpp, conala and cosqa (folds 1 and 2) come first
# at least as often as by the cosine alone. With more for the conflict, or without the bound on twins, those of conala
# and cosqa do not: in real questions the same task is told with much left out.
CONFLICT_WEIGHT = 0.1  # of the conflict: settles which of two near tasks is meant
OPPOSED_WEIGHT = 0.3  # in addition, where twins have an opposite: a near miss falls from 0.95 to 0.6
TWINS = (
    0.5  # share of the telling words that two wordings have in common from which an opposite is a changed requirement
)

_TOLD = 3  # differences that a sentence names
_WORTH_TELLING = 0.4


def differences(asked: str, stored: str) -> tuple[Difference, ...]:
    """The differences between two wordings that matter, heaviest first: what is asked for, and what is stored.

    Typing slips, inflections, spellings and synonyms are no differences. Any text can be compared; of a long one the
    first 2,000 characters are.
    """
    found = [(weight, difference) for difference, weight in _weighted(asked, stored) if weight > 0.0]
    return tuple(difference for _, difference in sorted(found, key=lambda pair: -pair[0]))


def conflict(asked: str, stored: str) -> float:
    """How likely (0..1) the stored code is wrong for what is asked, by the two wordings alone; the same either way."""
    return _noisy_or([weight for _, weight in _weighted(asked, stored)])


def _noisy_or(weights: Sequence[float]) -> float:
    return 1.0 - prod(1.0 - weight for weight in weights)


def contrast_factor(asked: str, stored: str) -> float:
    """What the differences between two wordings leave of the relevance, in 0.6..1; 1 where there is none."""
    weights = [weight for _, weight in _weighted(asked, stored)]
    opposed = max(weights, default=0.0) >= OPPOSITE_WEIGHT and alike(asked, stored) >= TWINS
    return 1.0 - CONFLICT_WEIGHT * _noisy_or(weights) - (OPPOSED_WEIGHT if opposed else 0.0)


def alike(asked: str, stored: str) -> float:
    """The Jaccard similarity of the words of two texts that tell something."""
    one, other = read(asked).telling, read(stored).telling
    return len(one & other) / len(one | other) if one | other else 1.0


def told_differences(found: Sequence[Difference]) -> str:
    """A sentence on how the stored task differs, for a reader of its code; empty where nothing is worth saying.

    It holds words of both texts: whoever shows it has to treat it as text that was stored.
    """
    told = [phrase for phrase in map(_phrase, found) if phrase][:_TOLD]
    return f"the stored task differs: {'; '.join(told)}" if told else ""


def _phrase(difference: Difference) -> str:
    if difference.asked and difference.stored:
        return f"asked for {difference.asked}, this is for {difference.stored}"
    if weigh(difference) < _WORTH_TELLING:
        return ""
    return f"asked for {difference.asked}" if difference.asked else f"this is for {difference.stored}"


def weigh(difference: Difference) -> float:
    """The weight of a difference between short texts."""
    if difference.kind is Kind.WORDING:
        return REPLACED_WEIGHT
    if difference.kind is Kind.SENTENCE:
        return SENTENCE_WEIGHT
    if difference.kind is Kind.ENTITY and difference.strength is Strength.OPPOSITE:
        return ENTITY_WEIGHT
    if difference.strength is Strength.OPPOSITE:
        return QUANTIFIER_WEIGHT if difference.kind is Kind.QUANTIFIER else OPPOSITE_WEIGHT
    if difference.strength is Strength.PARTIAL:
        return PARTIAL_WEIGHT
    return MISSING_WEIGHT.get(difference.kind, 0.0)


def _weighted(asked: str, stored: str) -> list[tuple[Difference, float]]:
    longer = max(len(read(asked).told), len(read(stored).told), SHORT)
    share = SHORT / longer
    return [(found, weigh(found) * (1.0 if _whole(found) else share)) for found in compare(asked, stored)]


def _whole(difference: Difference) -> bool:
    """Whether a difference weighs the same in a long text."""
    return difference.kind is Kind.SENTENCE or difference.strength is Strength.OPPOSITE
