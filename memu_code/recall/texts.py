"""How a node is found: the text that is embedded and the words that are indexed.

The embedder reads 256 tokens, and an embedding of code says less than one of what is said of it: on 30 questions about
scipy name and docstring found 24 among the first five, with the code behind them 21, in a sixth of the time. Where
little is said the code has to speak: on cosqa, whose docstrings are short, it takes R@1 from .44 to .58. Where somebody
put a task, it stands before the code that solved it: on conala the code alone comes first for .28 of the questions, the
task for .65, and the two in one text for .71 (folds 1 and 2, with the words).
"""

from __future__ import annotations

import re

from memu_code.model import ErrorFix, Node, Problem, Solution

QUERY_CHARACTERS = 2_000  # what is read of a query; the embedder reads about half of it
_CODE_CHARACTERS = 4_000  # of code that goes into the words
_PROSE_CHARACTERS = 800  # of a docstring: what it says first is what it is about
_TELLING_CHARACTERS = 160  # prose from this length on speaks for itself
_CODE_SHOWN = (
    150  # of code behind short prose: on cosqa as good as 800 (R@1 .56 and .58, R@5 .83), in a third of the time
)
_DOCSTRING = re.compile(r'[rRuU]?("""|\'\'\')(?P<text>.*?)\1', re.DOTALL)
# Where a docstring turns from saying what to listing how: numpy's, Google's and Sphinx' sections, and examples. A
# section's name stands alone or before a colon: "Returns the nodes in order" is what is said first.
_SECTION = re.compile(
    r"^[ \t]*(?:(?:Parameters|Returns|Yields|Raises|Args|Arguments|Examples?|Notes)[ \t]*(?::|$)|:\w+|>>>)", re.M
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def split_name(name: str) -> str:
    """The words of an identifier: `parsePlantLog` and `parse_plant_log` are both `parse plant log`."""
    return " ".join(part.lower() for part in _HUMP.split(name) if part)


def embedding_text(node: Node, task: str = "") -> str:
    """What is embedded of a node; empty for an edge case and a way that failed, reached from their solution only.

    `task` is what somebody asked for where a solution was found, unless that is said of the code anyway.
    """
    if isinstance(node, Problem):
        return node.text[:QUERY_CHARACTERS]
    if isinstance(node, Solution):
        prose, code = _prose_and_code(node)
        told = f"{split_name(_title(node))}. {prose}".strip(". ")
        if task and task not in prose:
            told = f"{task[:_PROSE_CHARACTERS]}\n{told}".strip()
        return told if len(prose) >= _TELLING_CHARACTERS else f"{told}\n{code[:_CODE_SHOWN]}".strip()
    if isinstance(node, ErrorFix) and node.delta:
        return error_text(node.error_class, node.message, node.failing)
    return ""


def error_text(error_class: str, message: str, code: str) -> str:
    """What is embedded of an error: class and message, and where the message says nothing the code that failed."""
    told = f"{error_class}: {message}"
    return (code if says_nothing(error_class, message) and code.strip() else told)[:QUERY_CHARACTERS]


def says_nothing(error_class: str, message: str) -> bool:
    """Whether an error has no message, or is an `assert` without words: then only the code tells what it was about."""
    return not message.strip() or (error_class, message) == ("AssertionError", "assertion failed")


def _title(node: Solution) -> str:
    """The name of the function or method, where the code is one."""
    return node.name or (node.origin.symbol if node.origin else "")


def _prose_and_code(node: Solution) -> tuple[str, str]:
    """What is said of the code, and the code itself from its main definition on, without that docstring."""
    main = _title(node).rsplit(".", 1)[-1]
    start = node.code.rfind(f"def {main}(") if main else -1
    code = node.code[max(start, 0) :]
    found = _DOCSTRING.search(code) if start >= 0 else None
    if found is None:
        return node.description, code
    prose = " ".join(_SECTION.split(found["text"], maxsplit=1)[0].split())
    whole = prose if len(prose) > len(node.description) else node.description
    return whole[:_PROSE_CHARACTERS], code[: found.start()] + code[found.end() :].lstrip()


def said_words(node: Node) -> str:
    """What is said of a node in words, its code left aside."""
    if isinstance(node, Solution):
        return f"{_title(node)} {_prose_and_code(node)[0]}"
    return node.text if isinstance(node, Problem) else ""


def search_words(node: Node) -> str:
    """The words by which the full-text index finds a node, identifiers split as well as whole."""
    if isinstance(node, Problem):
        return query_words(node.text)
    if isinstance(node, Solution):
        code = node.code[:_CODE_CHARACTERS]
        return query_words(" ".join((_title(node), node.description, *node.symbols, code)))
    if isinstance(node, ErrorFix):
        told = " ".join((node.error_class, node.message, *node.symbols, *node.delta))
        return query_words(f"{told} {node.failing[:_CODE_CHARACTERS]}")
    return query_words(f"{node.category} {node.condition} {node.handling}")


def query_words(text: str) -> str:
    """Each word of a text once, identifiers whole and split, in the order of their first appearance."""
    return " ".join(dict.fromkeys(words_of(text)))


def words_of(text: str) -> list[str]:
    """The words of a text as often as they stand there: each identifier whole, then its parts, in lower case."""
    words: list[str] = []
    for name in _IDENTIFIER.findall(text[: 2 * _CODE_CHARACTERS]):
        words.append(name.lower())
        words += split_name(name).split()
    return words
