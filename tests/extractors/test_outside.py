"""Commands of the shell and the kernel: kept where the answer may rest on what they did outside, and only there."""

from __future__ import annotations

import pytest

from memu_code.extractors.code.cells import plain
from tests.extractors.solved import main

READS = {
    "a file": "final_answer(open('b.csv').read() + '')",
    "a file of a name": "name = 'b.' + 'csv'\n---\nfinal_answer(open(name).read() + '')",
    "a table": "import pandas as pd\nfinal_answer(pd.read_csv('b.csv').sum())",
    "a path": "from pathlib import Path\np = Path('b.csv')\nfinal_answer(p.read_text() + '')",
    "a module": "import m\nfinal_answer(m.f(1))",
    "a variable": "import os\nfinal_answer(os.environ['TOKEN'] + '')",
    "a variable in another way": "import os\nfinal_answer(os.getenv('TOKEN') + '')",
    "the folder": "import os\nfinal_answer(len(os.listdir()))",
    "inside a function": "def f():\n    return open('b.csv').read()\nfinal_answer(f() + '')",
}
ACTS = (
    "!wget -q http://a/b.csv",
    "!echo 1 > b.csv",
    "!curl http://a | tee b.csv",
    "!cat a && unzip b.zip",
    "%env TOKEN=abc",
    "%set_env TOKEN abc",
    "names = !python make.py",
    "import os\nos.system('echo 1 > n.txt')",
    "import subprocess\nsubprocess.run(['touch', 'n.txt'])",
    "import subprocess\nsubprocess.run(line, shell=True)",
    "import os\nos.chdir('data')",
    "def make():\n    import os\n    os.system('touch n.txt')\nmake()",
)
OPAQUE = (
    "%%writefile {name}.py\ndef f(x): return x",
    "%%bash\necho 1 > b.csv",
    "%%sh\nwget http://a/b.csv",
    "%%script python\nopen('b.csv', 'w')",
    "%%!\ntouch b.csv",
    "%%perl\nprint 1",
)
QUIET = (
    "!ls -l",
    "!cat b.csv | head -3",
    "!pip install -q lxml && pip install 'rich>=2'",
    "%matplotlib inline",
    "%pip install lxml",
    "%env TOKEN",
    "!nvidia-smi",
    "%%bash\nls\npip install lxml",
    "%%html\n<b>",
)


@pytest.mark.parametrize("reads", READS.values(), ids=READS)
@pytest.mark.parametrize("act", ACTS)
def test_a_command_is_kept_where_the_answer_looks_outside(act: str, reads: str) -> None:
    """The line stands in the solution, or there is none."""
    code = main(f"line = 'touch n'\n---\n{act}\n---\n{reads}")
    assert not code or plain(act).splitlines()[-1] in code


@pytest.mark.parametrize("act", ACTS[:7])
def test_a_command_does_not_cost_the_solution(act: str) -> None:
    """It can be told, as the call that it is short for."""
    assert plain(act) in main(f"{act}\n---\n{READS['a file']}")


@pytest.mark.parametrize("reads", READS.values(), ids=READS)
@pytest.mark.parametrize("cell", OPAQUE)
def test_a_cell_in_another_language_leaves_no_solution_that_looks_outside(cell: str, reads: str) -> None:
    """Nobody can see what it wrote."""
    assert main(f"{cell}\n---\n{reads}") == ""
    assert main(reads) != ""


@pytest.mark.parametrize("reads", [READS["a module"], READS["inside a function"].replace("b.csv", "m.py")])
@pytest.mark.parametrize(
    "writes",
    [
        "%%writefile m.py\ndef f(x): return x",
        "%%file -a m.py\ndef f(x): return x",
        "from pathlib import Path\nPath('m.py').write_text('f = str')",
        "with open('m.py', 'w') as file:\n    file.write('f = str')",
    ],
)
def test_a_module_that_the_run_wrote_is_kept_with_what_imports_it(writes: str, reads: str) -> None:
    """A cell that goes to a file is the call that writes it; without it there is no module."""
    code = main(f"{writes}\n---\n{reads}")
    assert "m.py" in code.partition("import m")[0]
    assert main(f"{writes}\n---\nimport math\nfinal_answer(math.sqrt(4))") == "import math\nanswer = math.sqrt(4)\n"


@pytest.mark.parametrize("cell", [*ACTS[:8], *OPAQUE, *QUIET])
def test_an_answer_that_looks_at_nothing_outside_needs_no_command(cell: str) -> None:
    """What commands wrote is no part of it."""
    assert main(f"line = 'touch n'\n---\n{cell}\n---\nrows = [3, 1]\nfinal_answer(max(rows))") == (
        "rows = [3, 1]\nanswer = max(rows)\n"
    )


@pytest.mark.parametrize("reads", READS.values(), ids=READS)
@pytest.mark.parametrize("cell", QUIET)
def test_a_command_that_only_looks_or_installs_is_left_out(cell: str, reads: str) -> None:
    """What is installed stands on top of the solution, as a comment."""
    code = main(f"{cell}\n---\n{reads}")
    lines = [line for line in code.splitlines() if not line.startswith("# needs: ")]
    assert "\n".join(lines) + "\n" == main(reads)
