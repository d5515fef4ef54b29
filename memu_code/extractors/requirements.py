"""What has to be installed before a solution runs: the installations that its run made in cells of a notebook.

They become comments on top of the solution's code, which is where the next one looks, and which its identity does not
depend on.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memu_code.extractors.code.cells import commands
from memu_code.extractors.code.commands import commands_in, joined
from memu_code.extractors.code.commands import installed as installation
from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.protocol import Example, Extractor
from memu_code.model import Environment, Extraction, Run, Solution, Step

MAX_INSTALLED = 20  # packages of one run
NEEDS = "# needs: "

_TOOLS = re.compile("pip|conda|mamba|apt")  # most code need not be read


def installed(run: Run) -> dict[str, str]:
    """The packages that the run's cells installed, each with its tool: `lxml` to `pip`; none where nothing ran."""
    found: dict[str, str] = {}
    for step in run.steps:
        if not _executed(step) or not _TOOLS.search(step.code):
            continue
        for command in _commands(step.code):
            told = installation(command)
            if told is not None:
                tool, packages = told
                found.update(dict.fromkeys(packages, tool))
    return dict(list(found.items())[:MAX_INSTALLED])


def _executed(step: Step) -> bool:
    """Whether the commands of the cell may have run: where a cell is taken for Python, it does not even parse."""
    return step.ran or (
        step.error is not None and step.error.root != "SyntaxError" and "SyntaxError" not in step.error.text
    )


def _commands(code: str) -> Iterator[list[str]]:
    """The commands of a cell, those that it hands to `subprocess` or `os.system` among them."""
    for line in commands(code):
        yield from joined(line)
    try:
        yield from commands_in(guard(code))
    except Unparsable:
        return


def _module(package: str) -> str:
    return re.split(r"[\[=~!<>]", package, maxsplit=1)[0].replace("-", "_").lower()


def _needed(solution: Solution, packages: Iterable[str], elsewhere: frozenset[str]) -> list[str]:
    """Those of the packages that the solution may need: not those that only other code of the run imports by name.

    What is imported goes by other names than what is installed (`bs4`, `beautifulsoup4`), so that in doubt it is kept.
    """
    own = {name.lower() for name in solution.imports if name not in sys.stdlib_module_names}
    return [name for name in packages if _module(name) in own or _module(name) not in elsewhere] if own else []


def extract_requirements(run: Run, found: Extraction) -> Extraction:
    """The solutions of the run once more, with what they need on top, where the run installed something."""
    packages = installed(run)
    if not packages:
        return Extraction()
    solutions = [node for node in found.nodes if isinstance(node, Solution)]
    imported = frozenset(name.lower() for node in solutions for name in node.imports)
    told: list[Solution] = []
    for solution in solutions:
        needed = _needed(solution, packages, imported)
        by_tool: dict[str, list[str]] = {}
        for name in needed:
            by_tool.setdefault(packages[name], []).append(name)
        lines = [f"{NEEDS}{tool} install {shlex.join(names)}\n" for tool, names in by_tool.items()]
        if lines:
            told.append(replace(solution, code="".join([*lines, solution.code])))
    return Extraction(tuple(told))


REQUIREMENTS = Extractor(
    extract_requirements,
    (
        Example(
            "a package that a cell installed",
            Run(
                "example",
                "~example",
                "the titles in the page",
                environment=Environment(sandbox="docker", tools=("load",)),
                steps=(
                    Step(1, "!pip install -q lxml\npage = load('page')", ran=True),
                    Step(
                        2,
                        "from lxml import html\nfinal_answer(html.fromstring(page).xpath('//h1/text()'))",
                        ran=True,
                        final=True,
                    ),
                ),
            ),
            (
                "# needs: pip install lxml\n"
                "from lxml import html\n"
                "page = load('page')\n"
                "answer = html.fromstring(page).xpath('//h1/text()')\n",
            ),
        ),
    ),
)
