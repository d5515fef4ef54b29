"""Cells of a notebook: every line that is no Python becomes the call that it is short for, in its place."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.code.cells import as_cell, commands, plain
from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.requirements import installed
from memu_code.model import Run, Step, StepError


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("!pip install lxml\nx = 1", "get_ipython().system('pip install lxml')\nx = 1"),
        ("%pip install -q a b", "get_ipython().run_line_magic('pip', 'install -q a b')"),
        ("pip install lxml", "get_ipython().run_line_magic('pip', 'install lxml')"),
        ("names = !ls *.csv", "names = get_ipython().getoutput('ls *.csv')"),
        ("a, b = !ls", "a, b = get_ipython().getoutput('ls')"),
        ("x = %sql select 1", "x = get_ipython().run_line_magic('sql', 'select 1')"),
        ("!!ls", "get_ipython().getoutput('ls')"),
        ("if a:\n    !ls\n    b = 1", "if a:\n    get_ipython().system('ls')\n    b = 1"),
        ("df?", "get_ipython().run_line_magic('pinfo', 'df')"),
        ("??df.head", "get_ipython().run_line_magic('pinfo', 'df.head')"),
        ("%matplotlib inline", "get_ipython().run_line_magic('matplotlib', 'inline')"),
        ("%time y = f(3)\ny", "y = f(3)\ny"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1\n!ls", "\n\nx = 1\nget_ipython().system('ls')"),
        ("%cd 'my data'", "__import__('os').chdir('my data')"),
        ("!pip install a \\\n   b\nx = 1", "get_ipython().system('pip install a b')\n\nx = 1"),
        ("!echo don't\nx = '''\n!a\n%b\n'''\n!c", None),
        ("x = (1\n  %b)\n!c", "x = (1\n  %b)\nget_ipython().system('c')"),
        ("x = a \\\n%b\n!c", "x = a \\\n%b\nget_ipython().system('c')"),
        ("%%writefile m.py\nX = 1\n!a\n", "open('m.py', 'w').write('X = 1\\n!a\\n')\n\n\n"),
        ("\n%%file -a 'n.txt'\nit's", "\nopen('n.txt', 'a').write(\"it's\\n\")\n"),
        ("!ls\nx = await f()", "get_ipython().system('ls')\nx = await f()"),
    ],
)
def test_special_lines_are_calls(cell: str, python: str | None) -> None:
    """Of as many lines as before, and parsable; text and expressions that only look like one stay as they are."""
    found = plain(cell)
    assert found.count("\n") == cell.count("\n")
    assert ast.dump(guard(cell)) == ast.dump(ast.parse(found))
    if python is None:
        assert "'''\n!a\n%b\n'''" in found
    else:
        assert found == python


@pytest.mark.parametrize("cell", ["%%bash\nls", "%%html\n<b>", "x = (", "%", "x = !", "x = 1\n  !ls\ny ="])
def test_what_is_no_python_at_all_stays_refused(cell: str) -> None:
    """Another language in the cell, and plain mistakes."""
    with pytest.raises(Unparsable):
        guard(cell)


@pytest.mark.parametrize("line", ["!ls -l 'a b'", "%cd_ data", "names = !ls", "%pinfo x", '    !a "b"'])
def test_calls_of_the_kernel_are_told_as_they_were_written(line: str) -> None:
    """So a fix says what to write."""
    assert as_cell(ast.unparse(ast.parse(plain(line).strip()))) == line.strip()


def test_python_is_left_alone() -> None:
    """Code that parses has no special lines."""
    assert commands("x = 5 % 3\ny = a != b\nz = '!ls'\nif x: pass") == []
    assert as_cell("x = get_ipython()") == "x = get_ipython()"


@given(st.text(alphabet="!%? \\\n'\"#()[]=x.a1pipinstall", max_size=200))
def test_any_cell_keeps_its_lines(cell: str) -> None:
    """Whatever it is made of."""
    assert plain(cell).count("\n") == cell.count("\n")
    commands(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "!ls\n" * 12_000,
        "!a\\\n" * 12_000,
        "'" * 50_000,
        "a " * 25_000 + "= !ls",
        "%" * 50_000,
        "!x'''" * 10_000,
        "a." * 25_000 + "?",
        "a[ " * 16_000 + " = !b",
        "a=!" * 16_000,
        " " * 50_000 + "!",
        "pip install " + "a " * 20_000,
    ],
    ids=range(11),
)
def test_no_cell_takes_long(cell: str) -> None:
    """Each line is looked at once."""
    before = time.thread_time()
    plain(cell)
    commands(cell)
    assert time.thread_time() - before < 2


@pytest.mark.parametrize(
    ("cell", "packages"),
    [
        ("!pip install -q lxml 'pandas==2.1' git+https://x/y", {"lxml": "pip", "pandas==2.1": "pip"}),
        ("%pip install -r requirements.txt lxml[html]", {"lxml[html]": "pip"}),
        ("!{sys.executable} -m pip3 install --upgrade lxml > /dev/null", {"lxml": "pip"}),
        ("%%bash\nsudo apt-get -y install poppler-utils && ls\nuv pip install lxml", None),
        ("!ls\nx = 'pip install lxml'", {}),
        ("!pip uninstall lxml", {}),
        ('!pip install "pandas>=2" lxml', {"pandas>=2": "pip", "lxml": "pip"}),
        ("!pip install 'pandas>=2,<3' 'a b'", {"pandas>=2,<3": "pip"}),
        ("!pip install -U pip && pip install lxml; pip install rich", {"lxml": "pip", "rich": "pip"}),
        ("!cd x && TOKEN=1 python3 -m pip install lxml | tail -1", {"lxml": "pip"}),
        ("import subprocess\nsubprocess.run(['pip', 'install', '-q', 'lxml'])", {"lxml": "pip"}),
        (
            "import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'lxml'])",
            {"lxml": "pip"},
        ),
        (
            "import subprocess, sys\nsubprocess.run(f'{sys.executable} -m pip install lxml', shell=True)",
            {"lxml": "pip"},
        ),
        ("import os\nos.system('pip install lxml # for pages')", {"lxml": "pip"}),
        ("!pip install 'lxml", {}),
        ("print('pip install lxml')", {}),
    ],
)
def test_installations_are_found(cell: str, packages: dict[str, str] | None) -> None:
    """Packages with their tool, without options and addresses."""
    wanted = {"poppler-utils": "apt-get", "lxml": "pip"} if packages is None else packages
    assert installed(Run("r", "~a", "t", steps=(Step(1, cell, ran=True),))) == wanted


def test_what_never_ran_installed_nothing() -> None:
    """Where a cell is taken for Python, its commands are a syntax error."""
    error = StepError("AgentExecutionError", "Code parsing failed on line 1 due to: SyntaxError: invalid syntax")
    assert installed(Run("r", "~a", "t", steps=(Step(1, "!pip install lxml", error=error),))) == {}
