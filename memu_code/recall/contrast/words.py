"""From a text to its words in a common form: phrases joined, numbers read, endings and spellings evened out."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

CHARACTERS = 2_000  # what is read of a text: a requirement is told in less
WORDS = 400
_WORD_CHARACTERS = 40

# What is worth one word, in the order in which it is looked for: what a text must hold for it, the phrase, the word.
_MORE = "(?:greater|more|larger|bigger|higher)"
_LESS = "(?:less|fewer|smaller|lower)"
_PHRASES = (
    ("or not", r"\b(?:whether )?or not\b", " "),
    ("no", r"\bno\.? of\b", " howmany "),
    ("number of", r"\bnumbers? of\b", " howmany "),
    ("how many", r"\bhow many\b", " howmany "),
    (">=", r">=", " atleast "),
    ("≥", "≥", " atleast "),
    (" than", rf"\b(?:no|not) {_LESS} than\b", " atleast "),
    (" than or ", rf"\b{_MORE} than or (?:is |are )?equal\w*(?: to)?\b", " atleast "),
    ("least", r"\bat (?:the )?least\b", " atleast "),
    ("or ", r"\bor (?:more|greater|above|larger|higher)\b", " atleast "),
    ("<=", r"<=", " atmost "),
    ("≤", "≤", " atmost "),
    (" than", rf"\b(?:no|not) {_MORE} than\b", " atmost "),
    (" than or ", rf"\b{_LESS} than or (?:is |are )?equal\w*(?: to)?\b", " atmost "),
    ("most", r"\bat (?:the )?most\b", " atmost "),
    ("or ", r"\bor (?:less|fewer|below|smaller|lower)\b", " atmost "),
    ("up to", r"\bup to (?=\d)", " atmost "),
    ("=", r"!=", " different "),
    ("≠", "≠", " different "),
    ("not ", r"\bnot (?:equal|the same|identical)\b", " different "),
    ("=", r"==", " equal "),
    ("decreas", r"\bnon ?-? ?decreas\w+", " ascending "),
    ("increas", r"\bnon ?-? ?increas\w+", " descending "),
    (" to ", r"\b(?:low|lowest|small|smallest|least) to (?:high|highest|large|largest|greatest)\b", " ascending "),
    (" to ", r"\b(?:high|highest|large|largest|greatest) to (?:low|lowest|small|smallest|least)\b", " descending "),
    (" than", rf"\b{_MORE} than once\b", " morethanonce "),
    (" than", rf"\b{_MORE} than\b", " morethan "),
    (" than", rf"\b{_LESS} than\b", " lessthan "),
    (" once", r"\b(?:only|exactly|just) once\b", " onlyonce "),
    ("common", r"\b(?:greatest|highest) common (?:divisor|factor)", " gcd "),
    ("common", r"\b(?:least|lowest|smallest) common multiple", " lcm "),
    ("square root", r"\bsquare root", " sqrt "),
    ("cube root", r"\bcube root", " cbrt "),
    ("standard dev", r"\bstandard deviation", " stdev "),
    ("difference", r"\b(symmetric|set) difference", r" \1difference "),
    ("wise", r"\bbit-?wise (and|or|xor|not)\b", r" bit\1 "),
    ("logical", r"\blogical (and|or)\b", r" logical\1 "),
    ("exclusive or", r"\bexclusive or\b", " xor "),
    ("binary search", r"\bbinary search(?! tree)", " binarysearch "),
    (" tree", r"\bbinary (?:search )?tree", " binarytree "),
    ("linked list", r"\blinked list", " linkedlist "),
    ("regular exp", r"\bregular expression", " regularexpression "),
    ("place", r"\bin[- ]place\b", " inplace "),
    ("case", r"\b(upper|lower|title|camel|snake|kebab|pascal)[- ]case", r" \1case "),
    (
        "case",
        r"\bcase[- ]insensitiv\w*|\bignor\w+ (?:the )?case\b|\bregardless of (?:the )?case\b",
        " caseinsensitive ",
    ),
    ("case", r"\bcase[- ]sensitiv\w*", " casesensitive "),
    ("clockwise", r"\b(?:counter|anti)[- ]?clockwise", " counterclockwise "),
    ("angled", r"\bright[- ]angled", " rightangled "),
    ("order", r"\b(pre|in|post|level)-order\b", r" \1order "),
    ("-", r"\b(utf|base|sha|latin|md|bz)-(\d+)\b", r" \1\2 "),
    (" but ", r"\b(all|any|every|no)(thing)? but\b", r" every\2 except "),
    ("n't", r"n't\b", " not "),
    ("cannot", r"\bcannot\b", " can not "),
    (",", r"(?<=\d),(?=\d{3}\b)", ""),
    ("%", "%", " percent "),
    ("$", "[$]", " dollar "),
    (" >", r"(?<= )> ?(?=\w)", " morethan "),
    (" <", r"(?<= )< ?(?=\w)", " lessthan "),
)
_SUBSTITUTIONS = tuple((needed, re.compile(pattern), text) for needed, pattern, text in _PHRASES)
_SIGNS = str.maketrans({"’": "'", **{sign: f" {digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}})
# Links, data (a date, a time, a duration such as 3h05m; 3x3 and 1e5 are none), pasted heads of functions, and the frame
# of a task: "Write a Python function".
_NO_REQUIREMENT = re.compile(
    r"https?://\S+|\b\d{1,4}(?:[-/.:]\d{1,4}){2}\b|\b\d{1,2}:\d{2}\b|\b\d+(?!x\d|e\d)[^\W\d_]+\d+\w*"
    r"|\bdef \w+\([^)]*\)[^:]{0,80}:|\"\"\"|'\'\'|\b(?:write|create|implement|define|develop|make|need) "
    r"(?:an?|the|me an?) (?:[\w-]+ ){0,2}?(?:function|program|script|method|code|routine|snippet)s?\b",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r">>>|\bexamples? ?(?::|input\b|for\b|\d)|\bfor examples?\b|\be\.g\.", re.IGNORECASE)
_TOKEN = re.compile(r"(?P<number>(?<![^\W_])\d+(?:\.\d+)?)(?P<ordinal>st|nd|rd|th)?|[^\W\d_]+\d*|[.,;:()\[\]]")
_VOWEL = re.compile("[aeiouy]")

_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBERS = {
    **{word: str(value) for value, word in enumerate(_CARDINALS.split())},
    **{word: str(value) for value, word in enumerate(_ORDINALS.split())},
    **{"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"},
    **{"hundred": "100", "thousand": "1000", "million": "1000000", "dozen": "12", "pair": "2", "couple": "2"},
    **{"twice": "2", "double": "2", "thrice": "3", "triple": "3", "triplet": "3", "single": "1", "half": "0.5"},
}
# These are said without counting: "one by one", "the first thing", "a single pass".
_LOOSE = frozenset({"one", "first", "single", "pair", "couple", "double", "half", "twice"})
_IRREGULAR = {
    **{"indices": "index", "vertices": "vertex", "matrices": "matrix", "children": "child", "people": "person"},
    **{"feet": "foot", "inches": "inch", "maxima": "maximum", "minima": "minimum", "criteria": "criterion"},
    **{"men": "man", "women": "woman", "found": "find", "gave": "give", "gives": "give"},
    **{"written": "write", "wrote": "write", "made": "make", "built": "build", "kept": "keep", "taken": "take"},
    **{"bought": "buy", "sold": "sell", "sent": "send", "got": "get", "chosen": "choose", "shown": "show"},
    **{"began": "begin", "begun": "begin", "lost": "lose", "won": "win", "has": "have", "had": "have"},
    **{"parentheses": "parenthesis", "dashes": "dash", "grey": "gray", "seconds": "secondunit"},
    **{"halves": "half", "daily": "daily", "series": "series", "thrown": "throw", "analyse": "analyze"},
}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: as it stands there, its stem, and the number that it tells (else empty)."""

    text: str
    stem: str
    number: str = ""
    loose: bool = False

    @property
    def stop(self) -> bool:
        """Whether this is no word but a sign that ends a clause."""
        return not self.stem


def requirement(text: str) -> str:
    """The part of a text that is read: without control over its length, and without what follows as an example."""
    text = unicodedata.normalize("NFKC", text[:CHARACTERS].translate(_SIGNS))[:CHARACTERS]
    text = _NO_REQUIREMENT.sub(" ", text)
    found = _EXAMPLES.search(text)
    return text[: found.start()] if found and text[: found.start()].strip() else text


def words(text: str) -> tuple[Word, ...]:
    """The words of a requirement in their order, at most `WORDS`."""
    text = f" {text.lower()} "
    for needed, pattern, replacement in _SUBSTITUTIONS:
        if needed in text:
            text = pattern.sub(replacement, text)
    found: list[Word] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if match["number"]:
            found.append(Word(token[:_WORD_CHARACTERS], match["number"], _plain(match["number"])))
        elif token[0].isalpha():
            number = _NUMBERS.get(token, "")
            found.append(Word(token[:_WORD_CHARACTERS], stem(token), number, token in _LOOSE))
        else:
            found.append(Word(token, ""))
        if len(found) == WORDS:
            break
    return tuple(found)


def _plain(number: str) -> str:
    whole, _, part = number[:_WORD_CHARACTERS].partition(".")
    return ".".join(piece for piece in (whole.lstrip("0") or "0", part.rstrip("0")) if piece)


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """The word without its ending, in American spelling: `minimises` and `minimizing` are both `minimiz`."""
    word = _IRREGULAR.get(word, word)[:_WORD_CHARACTERS]
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    elif word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    else:
        for ending in ("ing", "ed"):
            root = word.removesuffix(ending)
            if root != word and len(root) > 2 and _VOWEL.search(root):
                word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
                break
    if word.endswith("tre") and len(word) > 4:
        word = word[:-2] + "er"
    if word.endswith("our") and len(word) > 4:
        word = word[:-2] + "r"
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if word.endswith("ally") and len(word) > 7:
        word = word[:-2]
    word = word.removesuffix("e") if len(word) > 3 else word
    if word.endswith(("is", "ys", "iz", "yz")) and len(word) > 5:
        word = word[:-1] + "z"
    if word.endswith("ll") and len(word) > 4:
        word = word[:-1]
    return _IRREGULAR.get(word, word)


def slips(one: str, other: str) -> int:
    """The optimal string alignment distance, as far as 3: letters put in, left out, changed, or swapped."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, against in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > 2:
            return 3
    return row[-1]
