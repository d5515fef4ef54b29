"""One wording for what the Pythons from 3.8 on say in different words.

Where a newer Python says more than an older one did, the newer words stay: older ones go out of use, and what they do
not tell cannot be made up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memu_code.extractors.errors.values import VALUE


@dataclass(frozen=True, slots=True)
class Wording:
    """A form of message of some classes, the name that it is about, and the one way to say it.

    `name` and `message` are templates of `re.Match.expand`. Data that the message takes over is taken out later.
    `either_way` says that which group comes first is chance; they follow the message, sorted.
    """

    classes: frozenset[str]
    form: re.Pattern[str]
    message: str
    name: str = ""
    either_way: bool = False


def worded(classes: str, form: str, message: str, name: str = "") -> Wording:
    return Wording(frozenset(classes.split()), re.compile(form), message, name)


_CALLED = r"(?:[\w.<>]{1,200}\.)?([A-Za-z_]\w{0,120}|<lambda>)\(\)"  # 3.10 on names the class of a method, 3.8 does not
_NAMELESS = frozenset(("<lambda>", "lambda_func", "__new__"))  # the code's own, whatever their parameters
_QUOTED_NAME = re.compile(r"'\w{1,120}'")
_MANY, _FEW = "too many arguments", "too few arguments"

# What requests and urllib3 raise where no connection came about; why stands behind `Caused by`.
_NO_CONNECTION = "ConnectionError SSLError ConnectTimeout ReadTimeout ProxyError RetryError MaxRetryError"
_CUT_OFF = "ConnectionError ProtocolError ChunkedEncodingError"
_CAUSE = r"Caused by (\w{1,80})\("
_NO_HOST = (
    "(?:NameResolutionError|getaddrinfo failed|Name or service not known|nodename nor servname|Name does not resolve"
    "|name resolution|No address associated)"
)
_SYSTEM = r"\[Errno -?\d{1,6}\] ([A-Z][\w ]{1,80})"
# What pandas says of keys: as many as were asked for at once, of a table's columns or of its rows.
_OF_TABLES = (
    (r"None of \[.{1,2000} are in the \[(columns|index)\]", r"none of them in the \1"),
    (r"\[.{1,2000}\] not in index", "some of them not in the index"),
    (r"\[.{1,2000}\] not found in axis", "not found in axis"),
    (r"Columns? not found: |Column\(s\) .{1,2000} do not exist", "no such column"),
)

NAMES = (
    worded("NameError", r"(?:global )?(?:name )?'([\w.]+)' is not defined", "not defined", r"\1"),
    worded("NameError", r"(?:cannot access )?free variable '\w+'", "not defined", VALUE),  # always the code's own
    worded("UnboundLocalError", r"(?:cannot access )?local variable '\w+'", "read before it is assigned"),
    worded(
        "AttributeError",
        r"(?:partially initialized )?module '([\w.]+)'(?: from '[^'\n]{0,500}')? has no attribute '(\w+)'",
        "no such attribute",
        r"\1.\2",
    ),
    worded(
        "AttributeError",
        r"(?:type object )?'(?:[\w.]{1,120}\.)?(\w+)'(?: object)? has no attribute '(\w+)'",
        "no such attribute",
        r"\1.\2",
    ),
    worded("AttributeError", r"can't set attribute|property '\w+' of '\w+' object has no setter", "it has no setter"),
    worded("ModuleNotFoundError ImportError", r"No module named '?([\w.]+)'?", "no such module", r"\1"),
    worded(
        "ImportError",
        r"cannot import name '?(\w+)'? from (?:partially initialized module )?'([\w.]+)'",
        "no such name in the module",
        r"\2.\1",
    ),
    worded("ImportError", r"cannot import name '?(\w+)'?", "no such name in the module", r"\1"),
)
CALLS = (
    worded("TypeError", rf"'(\w+)' is an invalid keyword argument for {_CALLED}", r"unexpected keyword '\1'", r"\2"),
    worded("TypeError", rf"{_CALLED} got an unexpected keyword argument '(\w+)'", r"unexpected keyword '\2'", r"\1"),
    worded("TypeError", rf"{_CALLED} got multiple values for argument '(\w+)'", r"'\2' is given twice", r"\1"),
    worded("TypeError", rf"{_CALLED} missing \d+ required positional arguments?: (.+)", r"missing \2", r"\1"),
    worded("TypeError", rf"{_CALLED} missing \d+ required keyword-only arguments?: (.+)", r"missing keyword \2", r"\1"),
    worded("TypeError", rf"{_CALLED} missing required argument ('\w+') \(pos \d+\)", r"missing \2", r"\1"),
    worded("TypeError", rf"{_CALLED} takes (?:from )?\d+ (?:to \d+ )?positional arguments? but \d+", _MANY, r"\1"),
    worded("TypeError", rf"{_CALLED} takes no (?:keyword )?(?:arguments|parameters)", _MANY, r"\1"),
    worded("TypeError", rf"{_CALLED} takes at most ", _MANY, r"\1"),
    worded("TypeError", rf"{_CALLED} takes at least ", _FEW, r"\1"),
    worded("TypeError", rf"{_CALLED} takes exactly \w+ (?:positional )?arguments? \(0 given", _FEW, r"\1"),
    worded("TypeError", rf"{_CALLED} takes exactly one (?:positional )?argument \(", _MANY, r"\1"),
    worded("TypeError", r"(?:\w+\.)?(\w+) expected at most \d+ arguments?, got", _MANY, r"\1"),
    worded("TypeError", r"(?:\w+\.)?(\w+) expected (?:at least )?\d+ arguments?, got 0", _FEW, r"\1"),
    worded("TypeError", r"(?:\w+\.)?(\w+) expected at least \d+ arguments?, got", _FEW, r"\1"),
    worded(
        "TypeError",
        r"Can't instantiate abstract class (\w+) with",
        "the class is abstract",
        r"\1",
    ),
)
TYPES = (
    worded("TypeError", r"an integer is required \(got type (\w+)\)", r"'\1' object is no integer"),
    worded("TypeError", r"'(\w+)' object cannot be interpreted as an integer", r"'\1' object is no integer"),
    worded("TypeError", r"string indices must be integers", "string indices must be integers"),
    worded("TypeError", r"cannot unpack non-iterable", "cannot unpack what is not iterable"),
    worded("TypeError", r"argument of type '(\w+)' is not (?:a container or )?iterable", r"no `in` for '\1'"),
    worded("TypeError", r"(?:cannot use .{1,200} \()?unhashable type: '(\w+)'", r"unhashable type: '\1'"),
    worded("TypeError", r"isinstance\(\) arg 2 must be", "arg 2 must be a type", "isinstance"),
    worded("TypeError", r"issubclass\(\) arg 2 must be", "arg 2 must be a type", "issubclass"),
    worded("TypeError", r"reduce\(\) of empty", "nothing to reduce, and no initial value", "reduce"),
    worded(
        "TypeError",
        r"unsupported operand type\(s\) for (\*\* or pow\(\)|[^\s=:]{1,3})=?: ('[\w.]+') and ('[\w.]+')",
        r"no \1 of \2 and \3",
    ),
    Wording(
        frozenset(("TypeError",)),
        re.compile(r"'[<>]=?' not supported between instances of ('[\w.]+') and ('[\w.]+')"),
        "no order of",
        either_way=True,
    ),
)
VALUES = (
    worded(
        "ValueError", r"(?:too many|not enough) values to unpack|need more than", "wrong number of values to unpack"
    ),
    worded("ValueError", r"(max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)", "empty", r"\1"),
    worded("ValueError", r"malformed node or string", "malformed node or string"),
    worded("ValueError", r"unconverted data remains", "unconverted data remains"),
    worded("ValueError", r"Exceeds the limit \(\d+(?: digits)?\) for integer string", "too many digits for an integer"),
    worded("ValueError", r".{1,2000} is not in (list|deque|tuple)$", r"value not in \1"),
    worded("ValueError", r"(list|deque|tuple)\.\w+\(x\): x not in", r"value not in \1"),
    worded(
        "ValueError",
        r".{1,1000}(?: does not start with | is not in the subpath of )",
        "not in the subpath",
    ),
    worded("ValueError", r"(?:Stop argument|Indices) for islice\(\)", "the bounds must not be negative", "islice"),
    worded("ValueError", r".{1,2000} is not a valid ([\w.]+)$", "no such member", r"\1"),
    worded("ValueError", r"Unknown format code ('.') for object of type ('\w+')", r"no format code \1 for \2"),
    worded("ValueError", r"empty range (?:in|for) randrange", "empty range", "randrange"),
    worded("ValueError", r"zip\(\) argument \d+ is (?:shorter|longer) than", "lengths differ", "zip"),
    worded("ValueError", r"month must be in", "month out of range"),
    worded("ValueError", r"day (?:is out of range for month|\d+ must be in)", "day out of range for month"),
    worded("ValueError", r"mutable default <class '([\w.]+)'> for field", r"mutable default \1 for a field"),
    worded("KeyError", r"['\"](pop from an empty set|popitem\(\): \w+ is empty|undefined character name)", r"\1"),
    *(worded("KeyError", rf"['\"](?:{form})", message) for form, message in _OF_TABLES),
    worded("KeyError", r"['\"]There is no item named", "no such item in the archive"),
    worded("KeyError", r"", "key not found"),
    worded("ZeroDivisionError", r".{0,40}negative power", "zero to a negative power"),
    worded("ZeroDivisionError", r"", "division by zero"),
    worded("RecursionError", r"maximum recursion depth exceeded", "maximum recursion depth exceeded"),
    worded("AssertionError", r"Assertion failed: |$", "assertion failed"),
    worded("UnicodeDecodeError", r"'([\w-]+)' codec can't decode", "bytes that are not of this encoding", r"\1"),
    worded("UnicodeEncodeError", r"'([\w-]+)' codec can't encode .{0,200}surrogates", "lone surrogates", r"\1"),
    worded("UnicodeEncodeError", r"'([\w-]+)' codec can't encode", "characters that it cannot encode", r"\1"),
    worded("JSONDecodeError", r"(.{1,200}?): line \d+ column \d+", r"\1"),
    worded("PatternError", r"(.{1,200}?) at position \d+", r"\1"),
    worded("OverflowError", r"\(\d+, '([^'\n]{1,200})'\)", r"\1"),
    worded("CalledProcessError", r"Command .{1,2000} returned non-zero", "non-zero exit status"),
    worded("TimeoutExpired", r"Command .{1,2000} timed out", "the command ran longer than allowed"),
    worded(_NO_CONNECTION, rf".{{0,1000}}Max retries exceeded.{{0,1500}}{_NO_HOST}", "the host's name is not known"),
    worded(_NO_CONNECTION, rf".{{0,1000}}Max retries exceeded.{{0,1500}}{_CAUSE}.{{0,600}}{_SYSTEM}", r"\1: \2"),
    worded(_NO_CONNECTION, rf".{{0,1000}}Max retries exceeded.{{0,1500}}{_CAUSE}", r"\1"),
    worded(_CUT_OFF, r"\(['\"]Connection (aborted|broken)[^\n]{0,300}?['\"], (\w{1,80})\(", r"connection \1: \2"),
    worded("ClientConnectorError", r"Cannot connect to host \S{1,300} ssl:\S{1,300} \[([^\[\]]{1,200})\]$", r"\1"),
    worded("HTTPError", r"(?:HTTP Error )?(\d{3})\b", "the server refused", r"\1"),
    worded("ValidationError", r"\d+ validation errors? for ([\w.]+)", "validation errors", r"\1"),
    worded("error", r"(?:ubyte|byte|short|ushort|int|'\w') format requires", "number out of the format's range"),
)
_BY_CLASS: dict[str, list[Wording]] = {}
for _wording in (*NAMES, *CALLS, *TYPES, *VALUES):
    for _name in _wording.classes:
        _BY_CLASS.setdefault(_name, []).append(_wording)

_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:a )real number\b"), "a number"),
    (re.compile(r"^Unicode-objects must be encoded"), "Strings must be encoded"),
    (re.compile(r"^\[(?:Errno|WinError) -?\d{1,6}\] ([^:\n]{1,200})(?::.*)?$"), r"\1"),
)


def common_wording(error_class: str, text: str) -> tuple[str, str] | None:
    """The name concerned and the message, where the text is one of the forms that several Pythons word differently."""
    for wording in _BY_CLASS.get(error_class, ()):
        match = wording.form.match(text)
        if match:
            name, message = match.expand(wording.name), match.expand(wording.message)
            if wording.either_way:
                message = f"{message} {' and '.join(sorted(match.groups()))}"
            return ("", _QUOTED_NAME.sub(VALUE, message)) if name in _NAMELESS else (name, message)
    return None


def reworded(text: str) -> str:
    """A message with the small differences between Pythons taken out, whatever its class."""
    for form, told in _PLAIN:
        text = form.sub(told, text)
    return text
