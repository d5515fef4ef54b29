"""A function of the local executor, called as Python calls it.

By itself the executor prefers a variable of the agent to a default value of that name, takes such a variable for an
argument that is missing, and drops arguments that are too many.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from typing import Any

from smolagents import LocalPythonExecutor
from smolagents.local_python_executor import evaluate_ast


def called_as_python(function: Callable[..., Any], executor: LocalPythonExecutor) -> Callable[..., Any]:
    """The function that the executor has just defined, for plain parameters; calling it wrongly raises TypeError.

    Default values are worked out here, once, as Python does it.
    """
    definition: ast.FunctionDef = function.__ast__  # type: ignore[attr-defined]
    names = [parameter.arg for parameter in definition.args.args]
    values = [
        evaluate_ast(default, executor.state, executor.static_tools, executor.custom_tools, executor.authorized_imports)
        for default in definition.args.defaults
    ]
    defaults = [Parameter.empty] * (len(names) - len(values)) + values
    signature = Signature(
        [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in zip(names, defaults, strict=True)
        ]
    )

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{definition.name}() is called wrongly: {error}") from None
        bound.apply_defaults()
        return function(**bound.arguments)

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call
