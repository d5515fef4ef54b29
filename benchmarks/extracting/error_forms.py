"""How each executor of smolagents shows an exception, with all that differs between two processes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception: its class, with its module where it is no builtin, its message, and the code that raised it."""

    error_class: str
    message: str
    code: str

    @property
    def syntax(self) -> bool:
        return self.error_class in ("SyntaxError", "IndentationError", "TabError")

    @property
    def line(self) -> str:
        """The line that a traceback shows: the one that a syntax error names, else the last."""
        lines = self.code.splitlines()
        named = re.search(r"line (\d+)\)$", self.message)
        return lines[int(named[1]) - 1] if named and int(named[1]) <= len(lines) else lines[-1]


def bare(raised: Raised, chance: random.Random) -> str:
    """The last line alone, as somebody pastes it."""
    return f"{raised.error_class}: {raised.message}" if raised.message else raised.error_class


def traceback(raised: Raised, chance: random.Random) -> str:
    """Python's own traceback, of some file and line."""
    line = chance.randint(1, 900)
    shown = f'  File "/home/{chance.choice(("ann", "bo"))}/job_{line}.py", line {line}'
    last = raised.line
    if raised.syntax:
        message = raised.message.partition(" (<")[0]
        return f"{shown}\n    {last}\n    ^\n{raised.error_class}: {message}\n"
    within = chance.choice(("", f'  File "/usr/lib/x.py", line {line + 5}, in go\n    return f({line})\n'))
    head = "Traceback (most recent call last):"
    return f"{head}\n{shown}, in <module>\n    {last}\n{within}{bare(raised, chance)}\n"


def notebook(raised: Raised, chance: random.Random) -> str:
    """The traceback of a Jupyter kernel, as docker, modal and blaxel show it; with or without colours."""
    name = raised.error_class.rpartition(".")[2]
    cell, line = chance.randint(1, 99), chance.randint(2, 30)
    last = raised.line
    red, green, off = chance.choice(
        (("\x1b[91m", "\x1b[32m", "\x1b[39m"), ("\x1b[0;31m", "\x1b[0;36m", "\x1b[0m"), ("",) * 3)
    )
    if raised.syntax:
        message = raised.message.partition(" (<")[0]
        return (
            f"  Cell {green}In[{cell}]{off}, line {line}\n    {last}\n      ^\n{red}{name}{off}{red}:{off} {message}\n"
        )
    return (
        f"{red}{'-' * 75}{off}\n{red}{name}{off}{' ' * max(2, 42 - len(name))}Traceback (most recent call last)\n"
        f"Cell {green}In[{cell}]{off}{green}, line {line}{off}\n"
        f"{green}      {line - 1}{off} x = {line}\n{green}----> {line}{off} {last}\n\n"
        f"{red}{name}{off}: {raised.message}"
    )


def e2b(raised: Raised, chance: random.Random) -> str:
    """What e2b shows: the prints before, class, message, and the kernel's traceback."""
    name = raised.error_class.rpartition(".")[2]
    printed = chance.choice(("", "before\n", "KeyError: 'x'\nTraceback of nothing\n", "row 1: [1, 2]\n" * 3))
    message = raised.message.replace("<snippet>", f"<ipython-input-{chance.randint(1, 99)}-426f67482c1b>")
    return f"{printed}\nExecuting code yielded an error:\n{name}\n{message}\n{notebook(raised, chance)}"


FORMS: dict[str, Callable[[Raised, random.Random], str]] = {
    "bare": bare,
    "traceback": traceback,
    "notebook": notebook,
    "e2b": e2b,
}


def older(local: str) -> str:
    """The local interpreter's text in its older wording, where the class it names is only the interpreter's own."""
    before, marker, message = local.rpartition("' due to: InterpreterError: ")
    return f"{before}'\nbecause of the following error:\n{message}" if marker else local
