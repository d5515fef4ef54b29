"""Names behind which a state may hide that shows only when they are called: closures, bound methods, instances."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from memu_code.extractors.code.scopes import bound_in
from memu_code.extractors.code.walking import children, nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import Origins, called_name


def find_holders(nodes: Sequence[ast.AST], origins: Origins, makers: Container[str]) -> None:
    """Note in `origins` what is bound to the result of a call, taken out of something, or bound to such a name.

    `makers` are functions and classes of the code that make functions. Without regard to scope and order.
    """
    taken: list[tuple[set[str], set[str]]] = []
    for node in nodes:
        bound, value = _binding(node)
        if value is None:
            continue
        parts = list(_parts(value, origins, calls=True))
        acts = any(isinstance(part, ast.Lambda) for part in parts)
        made = {called_name(part) for part in parts if isinstance(part, ast.Call)}
        if isinstance(value, ast.Attribute) and value.attr in known.MUTATORS:
            origins.changers |= bound
        if "defaultdict" in made:
            origins.filling |= bound
        if acts or made or any(isinstance(part, ast.Attribute) for part in parts):  # `add = rows.append`
            origins.held |= bound
        if acts or any(name in makers for name in made):
            origins.closures |= bound
        outside = _parts(value, origins, calls=False)  # what a closure returns is no closure
        taken.append((bound, {part.id for part in outside if isinstance(part, ast.Name)}))
    for names in (origins.held, origins.closures):
        size = -1
        while size < len(names):
            size = len(names)
            for bound, words in taken:
                names |= bound if words & names else set()


def _binding(node: ast.AST) -> tuple[set[str], ast.expr | None]:
    """The names that a node binds to a value, or to what is in it, and the value."""
    value: ast.expr | None
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        targets, value = [node.target], node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        targets, value = [node.target], node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        targets, value = [node.optional_vars], node.context_expr
    else:
        return set(), None
    return set().union(*map(bound_in, targets)), value


def _parts(value: ast.expr, origins: Origins, *, calls: bool) -> Iterator[ast.AST]:
    """The nodes of a value, without makers of what keeps no state and without lambdas that change nothing."""
    todo: list[ast.AST] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Call) and (not calls or called_name(node) in known.PURE_MAKERS):
            continue
        if isinstance(node, ast.Lambda) and not acts(node, origins):
            continue
        yield node
        todo.extend(children(node))


def acts(value: ast.Lambda, origins: Origins) -> bool:
    """Whether a lambda may change something when it is called, other than by a function of the top level."""
    if any(not isinstance(default, ast.Constant | None) for default in (*value.args.defaults, *value.args.kw_defaults)):
        return True
    for node in nodes_of(value.body):
        if isinstance(node, ast.NamedExpr):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            quiet = origins.is_module(node.func.value) and not origins.is_stateful(node.func)
            if not quiet and node.func.attr not in known.LOOKS | known.FRESH_METHODS:
                return True
    return False
