"""The same code with other data and other names of its own, and what comes of running it."""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import keyword
import random
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence

from smolagents.local_python_executor import LocalPythonExecutor

from benchmarks.extracting.error_forms import Raised

RUN_SECONDS = 120
IMPORTS = ("collections", "datetime", "itertools", "math", "queue", "random", "re", "stat", "statistics", "time")

_TOKEN = re.compile(
    r"(?P<text>[a-zA-Z]{0,2}(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"))|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)"
)
_BOUND = (
    re.compile(r"\b(?:def|class)\s+([A-Za-z_]\w*)"),
    re.compile(r"\b(?:for|as|nonlocal|global)\s+([A-Za-z_]\w*)"),
    re.compile(r"(?:^|[\n;])\s*([A-Za-z_]\w*)\s*[-+*/|&]?=(?!=)"),
    re.compile(r"(?:^|\n)\s*([A-Za-z_]\w*)\s*,\s*\*?[A-Za-z_]\w*\s*="),
    re.compile(r"(?:^|\n)\s*[A-Za-z_]\w*\s*,\s*\*?([A-Za-z_]\w*)\s*="),
)
_PARAMETERS = re.compile(r"(?:\bdef\s+\w+\s*\(|\blambda\b)([^):]*)")
_RUNNER = """
import json, sys
out = []
for code in json.load(sys.stdin):
    try:
        exec(compile(code, "<snippet>", "exec"), {"__name__": "__main__"})
        out.append(None)
    except BaseException as error:
        kind = type(error)
        own = kind.__module__ in ("builtins", "__main__")
        name = kind.__name__ if own else kind.__module__ + "." + kind.__qualname__
        out.append((name, str(error)[:20000]))
sys.stdout = sys.__stdout__
print("\\n@@" + json.dumps(out))
"""


def adder(a: int, b: int) -> int:
    """The tool that the recorded errors use."""
    return a + b


def other(code: str, chance: random.Random) -> str:
    """The code with other texts and numbers, and other names for what it binds itself.

    What may be what the mistake is about stays: imported and undefined names, attributes, 0, 1, texts that steer
    (format directives, modes, encodings), and what is raised on purpose.
    """
    own = _own_names(code)
    methods = set(re.findall(r"\bdef\s+(\w+)", code))
    code_line = ""
    letters = dict(zip(_ALPHABET, chance.sample(_ALPHABET, 26), strict=True))

    def changed(match: re.Match[str]) -> str:
        if match["name"]:
            attribute = code_line[: match.start()].rstrip().endswith(".") and match["name"] not in methods
            ours = match["name"] in own and not attribute
            return f"{match['name']}_{letters['n']}{letters['m']}" if ours else match["name"]
        if match["number"]:
            number = match["number"]
            return str(int(number) + chance.randint(1, 5)) if number.isdigit() and number not in "01" else number
        text = match["text"]
        if "%" in text or "{" in text or "\\" in text or len(text) < 4 or text[1:-1] in _STEERING or "<" in text:
            return text
        return re.sub(r"[a-z]", lambda letter: letters[letter[0]], text)

    lines = []
    for code_line in code.split("\n"):
        stays = re.match(r"\s*(?:from|import|raise)\b", code_line)
        lines.append(code_line if stays else _TOKEN.sub(changed, code_line))
    return "\n".join(lines)


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_STEERING = frozenset(("rb", "wb", "utf-8", "utf8", "ascii", "latin-1"))


def _own_names(code: str) -> set[str]:
    names = {match[1] for form in _BOUND for match in form.finditer(code)}
    for match in _PARAMETERS.finditer(code):
        names.update(re.findall(r"[A-Za-z_]\w*", match[1]))
    imported = set(re.findall(r"\w+", " ".join(re.findall(r"\b(?:import|from)\b[^\n]*", code))))
    return {name for name in names - imported if not hasattr(builtins, name) and not keyword.iskeyword(name)}


def run_plain(codes: Sequence[str], python: str = sys.executable) -> list[Raised | None]:
    """What each piece of code raises in one process of a Python; None where it raises nothing."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, "-W", "ignore", "-c", _RUNNER],
            input=json.dumps(list(codes)),
            capture_output=True,
            text=True,
            cwd=folder,
            timeout=RUN_SECONDS,
            check=False,
        )
    told = json.loads(done.stdout.rpartition("@@")[2])
    return [Raised(found[0], found[1], code) if found else None for found, code in zip(told, codes, strict=True)]


def run_local(code: str, chance: random.Random, every_import: bool = True) -> tuple[str, str] | None:
    """The text that smolagents' own interpreter shows for this code, and the class at the root of it."""
    imports = ["*"] if every_import else chance.sample(IMPORTS, len(IMPORTS))
    executor = LocalPythonExecutor(additional_authorized_imports=imports)
    executor.send_tools({"adder": adder})
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            executor(code)
    except Exception as error:
        root: BaseException = error
        while root.__context__ is not None:
            root = root.__context__
        return str(error), type(root).__name__
    return None
