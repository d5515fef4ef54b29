"""Callable memory: functions of ours, defined in an agent's own executor before its first step.

They run with the agent's own rights: same imports, same tools, same limits. On any doubt a function stays text.
"""

from __future__ import annotations

import ast
import keyword
import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from smolagents import LocalPythonExecutor
from smolagents.local_python_executor import BASE_PYTHON_TOOLS, ERRORS, check_import_authorized

from memu_code.integrations.smolagents.calling import called_as_python
from memu_code.integrations.smolagents.definitions import Definitions, Unfit, definitions_of, imports_of
from memu_code.integrations.surface import Memory
from memu_code.model import Hit, State

log = logging.getLogger("memu_code")
_BOOKKEEPING = ("_print_outputs", "_operations_count")  # of the executor: what step 1 finds must be as it was
_GONE = object()


class Shelf:
    """The functions of ours that stand in one agent's executor."""

    def __init__(self) -> None:
        self._ours: list[tuple[dict[str, Any], str, object]] = []  # namespace, name, what we put there

    def clear(self) -> None:
        """Take everything out again that the agent has not redefined since."""
        for namespace, name, value in self._ours:
            if namespace.get(name, _GONE) is value:
                del namespace[name]
        self._ours.clear()

    def put(
        self, memory: Memory, agent: Any, hits: Iterable[Hit], inputs: Iterable[str], *, silent: bool = False
    ) -> dict[str, list[str]]:
        """Define what can be called; the ids of those hits, each with the names that it bound.

        `inputs` are the names of variables that the run brings along; a function of the same name stays text. With
        `silent` nothing is run or bound: it is only said what could be called.
        """
        executor = getattr(agent, "python_executor", None)
        if not isinstance(executor, LocalPythonExecutor):
            return {}
        # a function keeps the tools that are there when it is defined, so they go first, as they do in agent.run()
        executor.send_tools({**agent.tools, **agent.managed_agents})
        brought = frozenset(inputs)
        callables: dict[str, list[str]] = {}
        for hit in hits:
            try:
                found = _fit(memory, executor, hit)
                names = _names(executor, found, brought)
                if not silent:
                    self._define(executor, found, names, hit)
                callables[hit.id] = names
            except Unfit as reason:
                log.debug("%s stays text: %s", hit.id, reason)
        return callables

    def take_out(self, names: Iterable[str]) -> None:
        """Take these names of ours out again, for a function that found no room in the prompt."""
        gone = set(names)
        kept = [entry for entry in self._ours if entry[1] not in gone]
        self._ours = [entry for entry in self._ours if entry[1] in gone]
        self.clear()
        self._ours = kept

    def _define(self, executor: LocalPythonExecutor, found: Definitions, names: list[str], hit: Hit) -> None:
        state, tools = executor.state, executor.custom_tools
        places = [(tools if name in found.functions else state, name) for name in names]
        known = [(namespace, name, namespace[name]) for namespace, name in places if name in namespace]
        if len(known) < len(places):
            with _unnoticed(executor, found.functions):
                executor(hit.code)
                for name in found.functions:
                    tools[name] = called_as_python(tools[name], executor)
            for namespace, name, value in known:  # whoever put it there can take it out again
                namespace[name] = value
            there = {name for _, name, _ in known}
            self._ours += [(namespace, name, namespace[name]) for namespace, name in places if name not in there]


def _fit(memory: Memory, executor: LocalPythonExecutor, hit: Hit) -> Definitions:
    """What the hit defines, where everything it asks for is granted here; raises Unfit otherwise."""
    if not hit.name.isidentifier() or keyword.iskeyword(hit.name):
        raise Unfit("it has no name to call it by")
    if hit.state is not State.PROVEN:
        raise Unfit(f"it is not proven but {hit.state}")
    space = hit.space
    if not space or not memory.trusts(space):
        raise Unfit(f"the space {space or '(unknown)'} is not trusted")
    found = definitions_of(hit.code)
    if hit.name not in found.functions:
        raise Unfit(f"it does not define {hit.name}")
    for module in found.imports:
        if not _allowed(module, executor):
            raise Unfit(f"the import of {module} is not authorised")
        top = module.partition(".")[0]
        if top not in sys.modules and find_spec(top) is None:
            raise Unfit(f"{top} is not installed")
    if "final_answer" in found.needs:
        raise Unfit("it gives an answer by itself")
    missing = found.needs - executor.static_tools.keys() - BASE_PYTHON_TOOLS.keys() - ERRORS.keys() - {"__name__"}
    if missing:
        raise Unfit(f"it needs {', '.join(sorted(missing))}")
    return found


def _names(executor: LocalPythonExecutor, found: Definitions, inputs: frozenset[str]) -> list[str]:
    """The names that the definitions bind, where each is free or holds just this; raises Unfit otherwise."""
    state, tools = executor.state, executor.custom_tools
    names = [*found.functions, *found.values, *found.imported]
    taken = inputs | executor.static_tools.keys() | ERRORS.keys() | set(keyword.kwlist)
    for name in names:
        source = found.functions.get(name, "")
        same_function = name not in tools or getattr(tools[name], "__source__", None) == source
        same_import = name not in state or _same(state[name], *found.imported.get(name, ("", "")))
        if name in taken or not (same_function and same_import):
            raise Unfit(f"the name {name} is taken")
    return names


def runs_here(agent: Any, code: str) -> bool:
    """Whether the code is plain Python, and the agent's executor would let every import of it pass.

    True where that is not local: an executor in a sandbox has rules of its own, which only it knows. Code of a
    notebook's cell that awaits something at the top level runs only there.
    """
    executor = getattr(agent, "python_executor", None)
    if not isinstance(executor, LocalPythonExecutor):
        return True
    try:
        tree = ast.parse(code)
        compile(tree, "<offer>", "exec", dont_inherit=True)
        imports = list(imports_of(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # stored code may be anything
        return False
    return all(_allowed(module, executor) for module in imports)


def _allowed(module: str, executor: LocalPythonExecutor) -> bool:
    return bool(module) and check_import_authorized(module, executor.authorized_imports)


def _same(value: object, module: str, name: str) -> bool:
    """Whether importing would bind this very value; the executor copies modules, so there the name is what tells."""
    if name:
        return getattr(sys.modules.get(module), name, _GONE) is value
    return bool(module) and isinstance(value, ModuleType) and value.__name__ == module


@contextmanager
def _unnoticed(executor: LocalPythonExecutor, functions: Iterable[str]) -> Iterator[None]:
    """Run code in the executor so that only what it defines stays; nothing at all stays where it fails."""
    state, tools = executor.state, executor.custom_tools
    before, tools_before = dict(state), dict(tools)
    try:
        yield
    except Exception as error:
        state.clear()
        state.update(before)
        tools.clear()
        tools.update(tools_before)
        raise Unfit(f"its definition failed: {type(error).__name__}: {error}") from error
    made = {name: tools[name] for name in functions}
    tools.clear()  # the executor keeps the methods of a class there too
    tools.update(tools_before | made)
    for name in _BOOKKEEPING:
        if name in before:
            state[name] = before[name]
        else:
            state.pop(name, None)
