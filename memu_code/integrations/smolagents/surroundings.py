"""Where an agent's code runs: sandbox, Python, rights and tools."""

from __future__ import annotations

import platform
from typing import Any

from smolagents import LocalPythonExecutor
from smolagents.local_python_executor import PythonExecutor
from smolagents.remote_executors import RemotePythonExecutor

from memu_code.model import Environment


def sandbox_of(agent: Any) -> str:
    """`local`, `docker`, `e2b` ...: the executor's class in lower case without `executor`.

    The class, because `agent.executor_type` is only what the constructor was told. A class of the user's own that is
    made from one of smolagents' sandboxes runs its code there, so it has that name. An agent without an executor
    calls its tools in this very process: `local`.
    """
    executor = getattr(agent, "python_executor", None)
    if executor is None or isinstance(executor, LocalPythonExecutor):
        return "local"
    made_from = [base for base in type(executor).__mro__ if base not in (PythonExecutor, RemotePythonExecutor)]
    theirs = [base for base in made_from if base.__module__.partition(".")[0] == "smolagents"]
    name = (theirs or made_from)[0].__name__.strip("_").lower()
    return name.removesuffix("executor").removesuffix("python").strip("_") or "unknown"


def environment_of(agent: Any) -> Environment:
    """The environment as known before a run. Python's version only where the code runs in this process."""
    sandbox = sandbox_of(agent)
    return Environment(
        sandbox=sandbox,
        python=platform.python_version() if sandbox == "local" else "",
        authorized_imports=tuple(getattr(agent, "authorized_imports", ())),
        tools=tuple(sorted({*agent.tools, *agent.managed_agents})),
    )
