"""Only what was really used earns or loses, by what became of it in the run."""

from __future__ import annotations

import pytest

from memu_code.extractors.credit import credit
from memu_code.model import EvidenceKind, Offer, Outcome, Run, Step, StepError

CODE = '''import re

def readings(text, sep=";"):
    """The numbers of a line of the plant's log."""
    found = []
    for part in text.split(sep):
        match = re.search(r"(-?\\d+(?:\\.\\d+)?) *(bar|kPa)", part)
        if match is None:
            continue
        value = float(match.group(1))
        found.append(value if match.group(2) == "bar" else value / 100)
    return found
'''
TEXT = Offer("solution_text", "text", "readings", CODE)
CALL = Offer("solution_call", "call", "readings", CODE)
OTHER = Offer("solution_other", "text", "", "pairs = sorted(zip(names, ages), key=lambda pair: (-pair[1], pair[0]))\n")
ANSWER = "final_answer(sum(readings(line)))"
ADAPTED = CODE.replace("kPa", "mbar").replace("/ 100", "/ 1000").replace("found", "kept").replace('sep=";"', 'sep=","')
ZERO = "ZeroDivisionError: division by zero"


def ran(code: str, number: int = 1, *, final: bool = False, rejected: bool = False) -> Step:
    return Step(number, code, ran=True, final=final, rejected=rejected)


def broke(code: str, at: str, error: str = "ValueError: could not convert", number: int = 1) -> Step:
    """A step that failed at a statement of the top level, as the local executor tells it."""
    text = f"Code execution failed at line '{at}' due to: {error}"
    return Step(number, code, error=StepError("AgentExecutionError", text))


def judged(*steps: Step, offers: tuple[Offer, ...] = (TEXT,), outcome: Outcome = Outcome.ANSWERED) -> dict[str, str]:
    """By node what the run says of it but for `shown`: `used whole`, or `used_failed called`."""
    rows = credit(Run("run_1", "~ann", "t", outcome=outcome, offers=offers, steps=steps, ended_at=9.0))
    assert {row.node for row in rows if row.kind is EvidenceKind.SHOWN} == {offer.node for offer in offers}
    told = (EvidenceKind.USED, EvidenceKind.USED_FAILED)
    return {row.node: f"{row.kind} {row.note.partition(':')[0]}" for row in rows if row.kind in told}


def test_a_copy_in_an_answered_run_is_used_and_has_run() -> None:
    """Whole code that ran in an answered run earns `used`, and the two rows that prove it."""
    rows = credit(Run("run_1", "~ann", "t", offers=(TEXT,), steps=(ran(CODE), ran(ANSWER, 2, final=True))))
    assert [row.kind for row in rows] == [
        EvidenceKind.SHOWN,
        EvidenceKind.USED,
        EvidenceKind.RAN_OK,
        EvidenceKind.ANSWERED,
    ]
    assert {row.note for row in rows[1:]} == {"whole"}


def test_adapted_code_is_used_but_not_proven() -> None:
    """Other names and other literals make it `adapted`: it earns, and says nothing of the code as it is stored."""
    rows = credit(Run("run_1", "~ann", "t", offers=(TEXT,), steps=(ran(f"{ADAPTED}\n{ANSWER}", final=True),)))
    assert [(row.kind, row.note) for row in rows[1:]] == [(EvidenceKind.USED, "adapted")]


def test_a_call_of_an_offered_function_is_used() -> None:
    """What was offered as a function is used by calling it."""
    assert judged(ran(ANSWER, final=True), offers=(CALL, OTHER)) == {CALL.node: "used called"}


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.ANSWERED])
def test_a_run_that_ended_badly_elsewhere_says_nothing(outcome: Outcome) -> None:
    """Used, and never the trouble: neither earns nor loses."""
    steps = ran(CODE), ran("total = sum(readings(line))", 2), broke("x = 1 / 0", "x = 1 / 0", ZERO, 3)
    assert judged(*steps, outcome=outcome) == {}


@pytest.mark.parametrize(
    ("code", "at", "error"),
    [
        (ANSWER, ANSWER, "ValueError: could not convert string to float: '1,5'"),
        ("rows = [readings(line) for line in lines]", "rows = [readings(line) for line in lines]", "TypeError: no str"),
        ("x = readings(y)", "x = readings(y)", "IndexError: no such group"),
        ("x = readings(y)", "x = readings(y)", "InterpreterError: The variable `match` is not defined."),
    ],
)
def test_a_call_that_raised_loses(code: str, at: str, error: str) -> None:
    """An unsolved run whose step failed in a call of it speaks against it, whichever way it was offered."""
    called = judged(broke(code, at, error), offers=(CALL,), outcome=Outcome.MAX_STEPS)
    copied = judged(ran(CODE), broke(code, at, error, 2), outcome=Outcome.MAX_STEPS)
    assert (called, copied) == ({CALL.node: "used_failed called"}, {TEXT.node: "used_failed whole"})


@pytest.mark.parametrize(
    ("code", "at", "error"),
    [
        ("y = readings(line)\nx = y[9] / 0", "x = y[9] / 0", ZERO),
        ("x = readings(lines[9])", "x = readings(lines[9])", "IndexError: list index out of range"),
        ("x = readings(rows['a'])", "x = readings(rows['a'])", "KeyError: 'a'"),
        ("x = readings(line)", "x = readings(line)", "InterpreterError: The variable `line` is not defined."),
        ("x = readings(a.text)", "x = readings(a.text)", "AttributeError: 'int' object has no attribute 'text'"),
        ("x = readings(1, 2, 3)", "x = readings(1, 2, 3)", "TypeError: readings() is called wrongly: too many"),
        ("def own(a):\n    return a[0]\nx = own(readings(b))", "x = own(readings(b))", "ValueError: something"),
        (
            "for line in lines:\n    x = readings(line)\n    total += x / n",
            "for line in lines:\n    x = readings(line)\n    total += x / n",
            ZERO,
        ),
        ("import lxml\nx = readings(a)", "import lxml", "InterpreterError: Import of lxml is not allowed."),
    ],
)
def test_a_step_that_may_have_failed_elsewhere_says_nothing(code: str, at: str, error: str) -> None:
    """Where the failing statement, or the error, is of other code, or nobody can tell, the offer does not lose."""
    assert judged(broke(code, at, error), offers=(CALL,), outcome=Outcome.MAX_STEPS) == {}


def test_a_frame_of_a_traceback_tells_that_it_was_the_offered_code() -> None:
    """A sandbox that runs Python shows in which function it was."""
    code = f"{CODE}\ndef own(a):\n    return readings(a)\nx = own(1)"
    trace = (
        "ValueError                                Traceback (most recent call last)\n"
        "Cell In[7], line 16\n     14 def own(a):\n---> 16 x = own(1)\n\n"
        "Cell In[7], line 10, in readings(text, sep)\n---> 10 value = float(match.group(1))\n\nValueError: bad"
    )
    step = Step(1, code, error=StepError("AgentExecutionError", trace))
    assert judged(step, outcome=Outcome.MAX_STEPS) == {TEXT.node: "used_failed whole"}


def test_what_was_given_the_wrong_thing_and_then_worked_is_used() -> None:
    """It raised, and the same code, unchanged, gave the accepted answer later: the input was at fault."""
    steps = broke(f"{CODE}\nx = readings(9)", "x = readings(9)"), ran("final_answer(readings(str(9)))", 2, final=True)
    assert judged(*steps) == {TEXT.node: "used whole"}


def test_what_raised_and_was_left_loses_in_an_answered_run_too() -> None:
    """The run went another way: its answer is no merit of what had failed."""
    steps = broke("x = readings(9)", "x = readings(9)"), ran("final_answer([float(p) for p in a])", 2, final=True)
    assert judged(*steps, offers=(CALL,)) == {CALL.node: "used_failed called"}


@pytest.mark.parametrize(
    "first",
    [
        ran(f"{CODE}\n{ANSWER}", rejected=True),
        broke(f"{CODE}\nfor a in b:\n    c = readings(a) / 0", "for a in b:\n    c = readings(a) / 0", ZERO),
    ],
)
@pytest.mark.parametrize("mended", [ADAPTED, "def readings(text):\n    return [float(a) for a in text.split()]"])
def test_what_had_to_be_changed_before_it_worked_loses(first: Step, mended: str) -> None:
    """After a refused answer, or an error that may have come from anywhere, the run changed it and was answered."""
    assert judged(first, ran(f"{mended}\n{ANSWER}", 2, final=True)) == {TEXT.node: "used_failed whole"}


def test_a_second_offer_of_the_same_node_is_credited_once() -> None:
    """Shown twice and used once is one use, as the clearer of the two ways."""
    both = (TEXT, Offer(TEXT.node, "call", "readings", CODE))
    assert judged(ran(ANSWER, final=True), offers=both) == {TEXT.node: "used called"}


FIX = Offer("error_fix_1", "text", "", "import datetime\nday = datetime.datetime.strptime(text, '%G-W%V-%u')")
BAD = "import datetime\nd = datetime.datetime.strptime(stamp, '%Y-%m-%d')"
MENDED = BAD.replace("%Y-%m-%d", "%G-W%V-%u")
AT = "d = datetime.datetime.strptime(stamp, '%Y-%m-%d')"
ERROR = "ValueError: time data '{}' does not match format '{}'"


def test_a_fix_is_used_where_its_lines_are_new_in_the_next_step() -> None:
    """Whatever the variables are called; the step has to run, whether or not the run is solved."""
    steps = broke(BAD, AT, ERROR.format("x", "%Y-%m-%d")), ran(MENDED, 2)
    assert judged(*steps, offers=(FIX,)) == {FIX.node: "used part"}
    assert judged(*steps, offers=(FIX,), outcome=Outcome.MAX_STEPS) == {FIX.node: "used part"}


def test_a_fix_that_left_the_error_as_it_was_loses() -> None:
    """The same error again, with the lines taken over: it did not help. Another error says nothing."""
    first = broke(BAD, AT, ERROR.format("x", "%Y-%m-%d"))
    at = AT.replace("%Y-%m-%d", "%G-W%V-%u")
    again = broke(MENDED, at, ERROR.format("y", "%G-W%V-%u"), 2)
    assert judged(first, again, offers=(FIX,), outcome=Outcome.MAX_STEPS) == {FIX.node: "used_failed part"}
    another = broke(f"{MENDED}\nx = 1 / 0", "x = 1 / 0", ZERO, 2)
    assert judged(first, another, offers=(FIX,), outcome=Outcome.MAX_STEPS) == {}


@pytest.mark.parametrize("code", ["import json\nd = json.loads(stamp)", BAD, "d = ("])
def test_a_fix_that_was_not_taken_is_only_shown(code: str) -> None:
    """Other code, the same code, and broken code are no use of it."""
    assert judged(broke(BAD, AT), ran(code, 2, final=True), offers=(FIX,)) == {}


def test_the_lines_of_a_fix_that_opens_a_block_are_found() -> None:
    """A fix is lines out of a diff, which need not parse together."""
    fix = Offer("error_fix_2", "text", "", "if not rows:\n    continue_with = None\nelse:\nfor row in rows[1:]:")
    steps = (
        broke("for r in got:\n    use(r)", "use(r)"),
        ran("if not got:\n    x = None\nfor r in got[1:]:\n    use(r)", 2),
    )
    assert judged(*steps, offers=(fix,)) == {fix.node: "used whole"}


@pytest.mark.parametrize("code", ["", "x = (", "\0", "x = 1\n" * 9000, "print(readings)", "import readings"])
def test_code_that_says_nothing_credits_nothing(code: str) -> None:
    """Empty, broken, huge or unrelated code leaves the rows `shown` alone."""
    assert judged(ran(code, final=True), offers=(TEXT, CALL, FIX)) == {}
