"""Sandboxes without a network: smolagents' own remote executors in front of a small kernel in this process."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import traceback
from types import SimpleNamespace
from typing import Any

from smolagents.monitoring import AgentLogger, LogLevel
from smolagents.remote_executors import (
    BlaxelExecutor,
    DockerExecutor,
    E2BExecutor,
    ModalExecutor,
    RemotePythonExecutor,
    _websocket_run_code_raise_errors,
)

from memu_code.extractors.code.cells import plain

RED, GREEN, PLAIN = "\x1b[91m", "\x1b[92m", "\x1b[39m"


class Kernel:
    """Runs cells in one namespace, awaits at the top level, and words its errors as IPython does."""

    def __init__(self) -> None:
        self.count = 0
        self.commands: list[str] = []
        self.printed: list[str] = []
        self.names: dict[str, Any] = {"get_ipython": lambda: self, "print": self._print}

    def _print(self, *values: object, **options: Any) -> None:
        self.printed.append(" ".join(map(str, values)) + "\n")

    def system(self, command: str) -> None:
        self.commands.append(command)

    def getoutput(self, command: str) -> list[str]:
        self.commands.append(command)
        return ["one.csv", "two.csv"]

    def run_line_magic(self, name: str, line: str) -> None:
        self.commands.append(f"%{name} {line}")

    def run(self, code: str) -> tuple[str, object, tuple[str, str, str] | None]:
        """What was printed, the value of the last expression, and name, value and traceback of an error."""
        self.count += 1
        self.printed.clear()
        try:
            return "", self._value(code), None
        except BaseException as error:
            return "", None, (type(error).__name__, str(getattr(error, "value", error)), self._told(error, code))
        finally:
            self.names.pop("_", None)

    def _value(self, code: str) -> object:
        tree = ast.parse(plain(code))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self._run(tree, "exec")
        return self._run(ast.Expression(last.value), "eval") if isinstance(last, ast.Expr) else None

    def _run(self, tree: Any, mode: str) -> object:
        made = eval(compile(tree, "<cell>", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), self.names)
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    def _told(self, error: BaseException, code: str) -> str:
        frames = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"]
        line = frames[0] if frames else getattr(error, "lineno", None) or 1
        text = (code.splitlines() or [""])[min(line, len(code.splitlines())) - 1]
        name = type(error).__name__
        place = f"{GREEN}Cell{PLAIN} {GREEN}In[{self.count}]{PLAIN}{GREEN}, line {line}{PLAIN}"
        if isinstance(error, SyntaxError):
            return f"  {place}\n{RED}    {text}{PLAIN}\n        ^\n{RED}{name}{PLAIN}{RED}:{PLAIN} {error.msg}\n"
        head = f"{RED}{name}{PLAIN}{' ' * 30}Traceback (most recent call last)"
        arrow = f"{GREEN}----> {line}{PLAIN} {text}"
        return f"{RED}{'-' * 75}{PLAIN}\n{head}\n{place}\n{arrow}\n\n{RED}{name}{PLAIN}: {error}"


class _Socket:
    """A websocket to a kernel, as the gateway of a container offers it."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.messages: list[dict[str, Any]] = []

    def send(self, request: str) -> None:
        asked = json.loads(request)
        _, value, error = self.kernel.run(asked["content"]["code"])
        told = [("stream", {"text": text}) for text in self.kernel.printed]
        if error:
            told.append(("error", {"ename": error[0], "evalue": error[1], "traceback": error[2].split("\n")}))
        elif value is not None:
            told.append(("execute_result", {"data": {"text/plain": repr(value)}}))
        told.append(("status", {"execution_state": "idle"}))
        head = {"msg_id": asked["header"]["msg_id"]}
        self.messages = [{"parent_header": head, "msg_type": kind, "content": content} for kind, content in told]

    def recv(self) -> str:
        return json.dumps(self.messages.pop(0))


class _Gateway:
    """In place of the constructors, which start containers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        RemotePythonExecutor.__init__(self, [], AgentLogger(level=LogLevel.OFF))
        self.kernel = Kernel()

    def install_packages(self, additional_imports: list[str]) -> list[str]:
        return additional_imports

    def run_code_raise_errors(self, code: str) -> Any:
        return _websocket_run_code_raise_errors(code, _Socket(self.kernel), self.logger)  # type: ignore[attr-defined]


class Docker(_Gateway, DockerExecutor):  # type: ignore[misc]
    pass


class Modal(_Gateway, ModalExecutor):  # type: ignore[misc]
    pass


class Blaxel(_Gateway, BlaxelExecutor):  # type: ignore[misc]
    pass


class WasmExecutor(_Gateway, RemotePythonExecutor):  # type: ignore[misc]
    """One that smolagents does not know."""


class E2B(E2BExecutor):  # type: ignore[misc]
    """The real reader of e2b's results in front of the kernel."""

    def __init__(self) -> None:
        RemotePythonExecutor.__init__(self, [], AgentLogger(level=LogLevel.OFF))
        self.kernel = Kernel()
        self.sandbox = SimpleNamespace(run_code=self._result)

    def _result(self, code: str) -> Any:
        _, value, error = self.kernel.run(code)
        results = [SimpleNamespace(is_main_result=True, text=repr(value))] if value is not None else []
        told = SimpleNamespace(name=error[0], value=error[1], traceback=error[2]) if error else None
        logs = SimpleNamespace(stdout=list(self.kernel.printed))
        return SimpleNamespace(logs=logs, error=told, results=results)


SANDBOXES = {"docker": Docker, "modal": Modal, "blaxel": Blaxel, "wasm": WasmExecutor, "e2b": E2B}
