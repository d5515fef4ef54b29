"""The documents cannot lie: commands in README run, no command is left out of it, and all options and limits exist.

A block of ```console is run from top to bottom, all blocks in one home, in a copy of the repository. A command exits
with 0 unless a comment behind it says otherwise: `# exits 1`. Above a block, `<!-- not run: reason -->` leaves it out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer

from memu_code.cli import app

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
SECONDS = 240  # the longest is the demo: two processes that import the agent framework


@dataclass(frozen=True, slots=True)
class Command:
    """A command line as README shows it, and the exit code that it promises."""

    line: str
    exits: int


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Each console block, with the reason why it is not run, or an empty one."""
    pattern = r"(?:<!-- not run: (?P<reason>[^>]+?) -->\n+)?^```console\n(?P<body>.*?)^```"
    for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield match["body"], match["reason"] or ""


def commands(text: str) -> list[Command]:
    """The memu-code commands of the blocks that are run; a line ending in a backslash goes on in the next."""
    found = []
    for body, reason in blocks(text):
        if reason:
            continue
        for line in body.replace("\\\n", " ").splitlines():
            if line.startswith("$ ") and "memu-code" in line:
                exits = re.search(r"#\s*exits (\d+)\s*$", line)
                found.append(Command(line[2:].strip(), int(exits[1]) if exits else 0))
    return found


def root_command() -> click.Group:
    command = typer.main.get_command(app)
    assert hasattr(command, "commands")
    return command  # type: ignore[return-value]


def options(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}


def subcommands() -> dict[str, click.Command]:
    return {name: command for name, command in root_command().commands.items() if not command.hidden}


def every_option() -> set[str]:
    found = options(root_command())
    todo = list(subcommands().values())
    while todo:
        command = todo.pop()
        found |= options(command)
        todo += getattr(command, "commands", {}).values()
    return found


def spans(text: str) -> list[str]:
    """What stands between back ticks in the text, and the lines of console blocks."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [*re.findall(r"`([^`\n]+)`", prose), *(command.line for command in commands(text))]


def _innermost(command: click.Command, words: list[str]) -> click.Command:
    """The command that is called in the end, where the words name one of a group."""
    inner = getattr(command, "commands", {}).get(words[0]) if words else None
    return _innermost(inner, words[1:]) if inner is not None else command


def unknown_words(text: str) -> list[str]:
    """Commands and options that the text names and the command line does not have."""
    known, wrong = subcommands(), []
    for span in spans(text):
        words = (
            shlex.split(span, comments=True) if span.count("'") % 2 == 0 and span.count('"') % 2 == 0 else span.split()
        )
        named = [word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)]
        if words and words[0] == "memu-code" and len(words) > 1:
            name, *rest = [word for word in words[1:] if not word.startswith("-")] or [""]
            if name and name not in known:
                wrong.append(f"{span}: no command {name}")
                continue
            allowed = options(root_command()) | (options(_innermost(known[name], rest)) if name else set())
        elif words and words[0].startswith("--"):
            allowed = every_option()
        else:
            continue
        wrong += [f"{span}: no option {option}" for option in named if option not in allowed]
    return wrong


def test_readme_has_commands_to_run() -> None:
    """A README without a console block would make the test below pass by doing nothing."""
    assert commands(README)


def test_each_command_of_readme_does_what_it_says(house: Path, tmp_path: Path) -> None:
    """A new user who types the page from top to bottom gets an answer from each command, and the promised exit code."""
    copy = tmp_path / "memu_code"
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "dist", "build")
    shutil.copytree(ROOT, copy, ignore=unwanted)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for command in commands(README):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command.line],
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == command.exits, f"$ {command.line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        assert done.stdout.strip() or done.stderr.strip(), f"$ {command.line}: said nothing"
    written = {path.name for path in copy.iterdir()} - {path.name for path in ROOT.iterdir()}
    assert not [name for name in written if "store" in name], "a store was made outside of the user's data directory"
    assert any(house.rglob("*.lance")), "nothing was kept in the user's data directory"


def test_readme_names_nothing_that_does_not_exist() -> None:
    """Commands and options in the text and in its blocks are the command line's own."""
    assert not unknown_words(README)


def test_readme_names_every_command() -> None:
    """A command that is not documented does not exist for a reader."""
    named = {span.split()[1] for span in spans(README) if span.startswith("memu-code ") and len(span.split()) > 1}
    assert subcommands().keys() <= named


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_no_document_names_what_does_not_exist(page: Path) -> None:
    """Commands and options in the text, and in the sessions that are shown, are the command line's own."""
    text = page.read_text()
    shown = re.findall(r"^\$ (memu-code .*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert not unknown_words("\n".join([text, *(f"`{line}`" for line in shown)]))


def test_the_limits_of_a_run_are_those_that_its_page_tells() -> None:
    """By the constants that cut; what is cut is tested with the recording."""
    from memu_code.integrations import shapes
    from memu_code.integrations.smolagents import causes, recording, steps

    table = dict(re.findall(r"^\| ([^|]+) \| ([\d,]+)[^|]* \|$", _section("runs.md", "Limits"), re.MULTILINE))
    told = {name: int(number.replace(",", "")) for name, number in table.items()}
    assert told == {
        "task, answer, arguments of a call": shapes.ANSWER_CAP,
        "code": shapes.CODE_CAP,
        "what the LLM wrote, what was printed or observed": shapes.OUTPUT_CAP,
        "error": causes._ERROR_CAP,
        "images of a step": steps._MOST_PICTURES,
    }
    assert shapes.TASK_CAP == steps._ARGUMENTS_CAP == shapes.ANSWER_CAP
    assert f"at most {recording._MOST_PIXELS // 10**6} million pixels" in _section("runs.md", "Limits")


def test_the_bounds_of_the_success_rate_are_those_that_its_page_tells() -> None:
    """Each row of the table is played as evidence: successes first, one an hour, in the place that it names."""
    from memu_code.graph import standing
    from memu_code.model import Environment, Evidence, EvidenceKind

    rows = re.findall(r"^\| (nothing|\d[^|]*) \| (\d\.\d\d) \|$", (ROOT / "docs/evidence.md").read_text(), re.MULTILINE)
    assert len(rows) >= 6
    now = 1_796_000_000.0 + 86_000.0
    for seen, bound in rows:
        kinds = [
            kind
            for number, what in re.findall(r"(\d+) (success|failure)", seen)
            for kind in [EvidenceKind.USED if what == "success" else EvidenceKind.USED_FAILED] * int(number)
        ]
        where = Environment("docker" if "another sandbox" in seen else "local")
        evidence = [
            Evidence("~ann", "solution_1", kind, "ann", now - 1000 + place, f"run_{place}", where)
            for place, kind in enumerate(kinds)
        ]
        found = standing(evidence, sandbox="local", now=now).lower_bound
        assert f"{found:.2f}" == bound, seen


def _section(page: str, title: str) -> str:
    return (ROOT / "docs" / page).read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    "text", ["`memu-code nothing`", "`memu-code stats --nothing`", "`--nothing`", "`memu-code follow-up add --all`"]
)
def test_a_lie_is_found(text: str) -> None:
    """The check above can fail."""
    assert unknown_words(text)


def test_blocks_are_read_as_this_page_says() -> None:
    """Several lines, marked exits, and blocks that are left out with a reason."""
    text = """
```console
$ memu-code stats
a line of output
$ memu-code query \\
    rows
$ memu-code show nothing   # exits 1
```

<!-- not run: waits for ever -->
```console
$ memu-code serve
```
"""
    assert [(shlex.split(command.line, comments=True)[1], command.exits) for command in commands(text)] == [
        ("stats", 0),
        ("query", 0),
        ("show", 1),
    ]
