"""An agent of Agno with a memory: two runs of one job, as two nights would be.

    python examples/hosts/agno_agent.py FOLDER

The store is made in the folder. The LLM is scripted here: give the agent `OpenAIChat(...)` or any other model of Agno.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from agno.tools.python import PythonTools

from memu_code import CodeMemory

TASK = "Sum the amounts of the orders 'A-1: 12,50 EUR' and 'A-2: 7,50 EUR', in the house format."
ORDERS = "orders = ['A-1: 12,50 EUR', 'A-2: 7,50 EUR']\n"
NAIVE = ORDERS + "total = sum(float(order.split(': ')[1]) for order in orders)"
MENDED = ORDERS + "total = sum(float(order.split(': ')[1].removesuffix(' EUR').replace(',', '.')) for order in orders)"


class Scripted(Model):
    """Knows the house format only once it has seen the error, or finds it in its prompt."""

    def __init__(self) -> None:
        super().__init__(id="scripted")

    def invoke(self, messages: list[Message], *args: Any, **kwargs: Any) -> ModelResponse:
        results = [str(message.content) for message in messages if message.role == "tool"]
        if results and not results[-1].startswith("Error"):
            return ModelResponse(role="assistant", content=f"The total is {results[-1]}.")
        seen = "\n".join(str(message.content) for message in messages)
        code = MENDED if results or "removesuffix" in seen else NAIVE
        arguments = json.dumps({"code": code, "variable_to_return": "total"})
        call = {"id": f"call_{len(results)}", "type": "function"}
        call["function"] = {"name": "run_python_code", "arguments": arguments}  # type: ignore[assignment]
        return ModelResponse(role="assistant", content="I compute it.", tool_calls=[call])

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return self.invoke(*args, **kwargs)

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        yield self.invoke(*args, **kwargs)

    async def ainvoke_stream(self, *args: Any, **kwargs: Any) -> Any:
        yield self.invoke(*args, **kwargs)

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response


def main(folder: str) -> None:
    """Two nights; what the first one had to find out, the second one knows."""
    with CodeMemory.open(folder) as memory:
        for night in ("first", "second"):
            agent = Agent(model=Scripted(), tools=[PythonTools(base_dir=Path(folder))], telemetry=False)
            memory.attach(agent, job="orders")
            answer = agent.run(TASK).content
            failed = sum(step.error is not None for step in memory.run(memory.runs(1)[0]["id"]).steps)
            print(f"{night} night: {answer} Failed steps: {failed}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
