"""Every text of a value is searched, what must stay stays, and what points to a text follows it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from memu_code.model import (
    Clean,
    Edge,
    Environment,
    Evidence,
    EvidenceKind,
    Extraction,
    Input,
    Kind,
    Origin,
    Outcome,
    Problem,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
    content_id,
)
from memu_code.redact import clean

BODY = "a8Kd0Zq2Lm4Np6Rs8Tv1Wx3Yz5Bc7Df9Gh1Jk3"
HEX = "3f2a9c1b7d5e4f60a1b2c3d4e5f60718"
KEY_LINES = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "aB3=",
]


def solution(code: str) -> Solution:
    origin = Origin("repo", "a.py", "f", 1, HEX)
    return Solution("~ann", code, structure=HEX, inputs=(Input("api_key", "str len 9"),), origin=origin)


def test_every_text_of_a_value_is_searched() -> None:
    """Fields within fields, tuples and mappings; numbers, members of enumerations, ids and hashes stay as they are."""
    step = Step(1, "password = 'hunter22'", observation="got " + "sk-" + BODY, error=StepError("E", "pwd='hunter22'"))
    environment = Environment(tools=("search", "token='abc123xyz'"), packages=(("a", "1"),))
    run = Run(
        uuid.UUID(int=7).hex, "~ann", "log in with " + "hf" + f"_{BODY[:34]}", environment=environment, steps=(step,)
    )
    value = clean(run).value
    assert "hunter22" not in repr(value)
    assert "abc123xyz" not in repr(value)
    assert BODY[:20] not in repr(value)
    assert value.id == run.id
    assert value.outcome is Outcome.ANSWERED
    assert value.environment.packages == (("a", "1"),)
    kept = solution("rows = load()")
    assert clean(kept).value is kept
    assert clean(solution("token = 'abc123xyz'")).value.id == solution("token = 'abc123xyz'").id
    assert clean(content_id(Kind.PROBLEM, "x")).value == content_id(Kind.PROBLEM, "x")


def test_a_mapping_gives_its_values_away_by_their_names() -> None:
    """A password is known by its key, also where the value is a word like any other."""
    value = clean({"password": "hunter22", "n": 3, "nested": [{"api_key": "abcdefgh"}], "token": "identifier"}).value
    assert value == {
        "password": "[redacted:password]",
        "n": 3,
        "nested": [{"api_key": "[redacted:api_key]"}],
        "token": "identifier",
    }


def test_edges_and_evidence_follow_a_node_whose_identity_was_a_secret() -> None:
    """A problem's id is made of its text: what points to it points to the redacted one, and doubles become one."""
    first, second = (Problem("~ann", f"log in with password='{word}'") for word in ("hunter22", "hunter23"))
    code = solution("login(password='hunter22')")
    found = Extraction(
        (code, first, second),
        tuple(Edge("~ann", code.id, Relation.SOLVES, problem.id) for problem in (first, second)),
        (Evidence("~ann", first.id, EvidenceKind.RAN_OK, "ann", 1.0),),
    )
    value = clean(found).value
    (problem,) = [node for node in value.nodes if isinstance(node, Problem)]
    assert problem.text == "log in with password='[redacted:password]'"
    assert [(edge.source, edge.target) for edge in value.edges] == [(code.id, problem.id)]
    assert value.evidence[0].node == problem.id
    assert clean(value).value == value


def test_a_key_over_several_lines_of_a_tuple_is_seen_as_one() -> None:
    """The changed lines of a fix stand apart; a private key among them is still a private key."""
    lines = (
        "+key = '''-----BEGIN PRIVATE KEY-----",
        *(f"+{line}" for line in KEY_LINES),
        "+-----END PRIVATE KEY-----'''",
    )
    value = clean(lines).value
    assert len(value) == len(lines)
    assert not any(line[:12] in text for line in KEY_LINES[:2] for text in value)


@pytest.mark.parametrize("value", [b"bytes", object(), {1, 2}, Problem])
def test_what_cannot_be_searched_is_refused(value: Any) -> None:
    """An unknown type might hide anything, so it never becomes clean."""
    with pytest.raises(TypeError, match="searched for secrets"):
        clean(value)


def test_clean_says_so() -> None:
    """The result is marked, since the mark is what the store asks for."""
    assert clean("rows") == Clean("rows")
