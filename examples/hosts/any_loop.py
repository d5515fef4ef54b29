"""Any loop that lets an LLM write code, with a memory: two runs of one job, as two nights would be.

    python examples/hosts/any_loop.py FOLDER

The store is made in the folder. The LLM is scripted here: put a call of yours into `ask`.
"""

from __future__ import annotations

import contextlib
import io
import sys

from memu_code import CodeMemory

TASK = "Sum the amounts of the orders, in the house format."
ORDERS = "A-1: 12,50 EUR\nA-2: 7,50 EUR"
NAIVE = "total = sum(float(line.split(': ')[1]) for line in orders.splitlines())\nprint(total)"
MENDED = """\
def amounts(orders):
    \"\"\"The amounts of orders in the house format, such as `A-1: 12,50 EUR`.\"\"\"
    return [float(line.split(': ')[1].removesuffix(' EUR').replace(',', '.')) for line in orders.splitlines()]

total = sum(amounts(orders))
print(total)"""


def ask(prompt: str) -> str:
    """The code that the LLM writes. This one knows the house format only once it has seen the error or the memory."""
    return MENDED if "could not convert" in prompt or "def amounts" in prompt else NAIVE


def solve(memory: CodeMemory, task: str, orders: str) -> tuple[str, int]:
    """The answer, and how many steps it took."""
    with memory.run(task=task, job="orders", llm="scripted", inputs={"orders": orders}) as run:
        prompt = "\n\n".join(part for part in (task, run.block) if part)
        for number in range(1, 5):
            code = ask(prompt)
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(code, {"orders": orders})
            except Exception as error:
                run.step(code, printed.getvalue(), error)
                prompt = "\n\n".join(part for part in (prompt, repr(error), run.hint()) if part)
            else:
                run.step(code, printed.getvalue())
                run.answer(printed.getvalue().strip())
                return printed.getvalue().strip(), number
    return "", number


def main(folder: str) -> None:
    """Two nights; what the first one had to find out, the second one knows."""
    with CodeMemory.open(folder) as memory:
        for night in ("first", "second"):
            answer, steps = solve(memory, TASK, ORDERS)
            print(f"{night} night: {answer} after {steps} {'step' if steps == 1 else 'steps'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
