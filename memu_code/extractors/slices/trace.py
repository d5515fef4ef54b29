"""Who reads, binds and changes what: one walk over the tree, with a graph of aliases as its result."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from memu_code.extractors.code.parse import check_time
from memu_code.extractors.code.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    Scope,
    ScopeKind,
    bindings,
    bound_in,
    defaults,
    resolve,
    scoped_children,
)
from memu_code.extractors.code.symbols import packages
from memu_code.extractors.code.walking import children, names_in, walk
from memu_code.extractors.slices import known
from memu_code.extractors.slices.aliases import contents
from memu_code.extractors.slices.calls import Calls
from memu_code.extractors.slices.declarations import Declarations, FunctionDefinition
from memu_code.extractors.slices.holders import acts, find_holders
from memu_code.extractors.slices.kinds import Kinds
from memu_code.extractors.slices.later import Later
from memu_code.extractors.slices.lookups import acting
from memu_code.extractors.slices.origins import Origins, Owner, called_name, is_import_path, names_a_file

_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef)
# The classes of nodes that say something about aliases and changes.
_RELATED = frozenset(
    (
        *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.Delete, ast.Return, ast.Expr, ast.Match),
        *(ast.For, ast.AsyncFor, ast.comprehension, *COMPREHENSIONS, ast.withitem),
        *(ast.Call, ast.Subscript, ast.Attribute, ast.Starred, ast.Compare, ast.YieldFrom),
    )
)


class Trace:
    """Statements that run one after the other in one namespace, walked once."""

    def __init__(self, statements: Sequence[ast.stmt], plain: Collection[str] = ()) -> None:
        tree = ast.Module(body=list(statements), type_ignores=[])
        nodes = walk(tree)
        self._position = 0
        self._used_up: set[str] = set()  # iterators: who reads one, changes it
        self._scopes = resolve(tree)
        self._origins = Origins(self._scopes)
        self.aliases = self._origins.aliases
        self.functions = self._origins.functions
        self.later = Later(self._origins)
        self._given: list[tuple[int, list[Owner], set[str]]] = []  # where own functions were given others
        self._loads: list[tuple[Owner, str, str]] = []  # who reads which name, and the node behind it
        self._declared = Declarations(nodes, self._origins)
        self._by_node = self._declared.bodies
        find_holders(nodes, self._origins, self._declared.makers)
        self._kinds = Kinds(nodes, self._origins, plain)
        self._origins.may_view = self._kinds.may_view
        self._calls = Calls(self._origins, any(map(_redirects, nodes)))
        module = self._scopes[tree]
        self.owners = [Owner() for _ in statements]
        for position, (statement, owner) in enumerate(zip(statements, self.owners, strict=True)):
            check_time()
            self._position = position
            self._visit(statement, module, owner)
        for owner in (*self.owners, *self._by_node.values()):
            owner.changed.update(owner.reads & self._used_up)
        self._settle()
        if self._look_ups_act():
            self._settle()
        self._put_away()

    def _settle(self) -> None:
        """Carry changes of parameters from functions to their callers, until nothing new is found."""
        everyone = [*self.owners, *self._by_node.values()]
        for _ in range(len(everyone) + 1):
            news = False
            for owner in self._by_node.values():
                if not owner.changes_arguments and owner.parameters & self.aliases.witnesses(owner.changed):
                    owner.changes_arguments = news = True
            for owner in everyone:
                for callees, arguments in owner.calls:
                    known_to = owner.changed.issuperset(arguments)
                    if not known_to and any(callee.changes_arguments for callee in callees):
                        owner.changed.update(arguments)
                        news = True
            if not news:
                return

    def _look_ups_act(self) -> bool:
        """Let whoever reads an object whose look-ups change something change it; whether there are any."""
        classes = acting(self._declared.implicit, self.aliases)
        names = self._kinds.made_of(classes) - self.functions.keys()
        for owner, name, key in self._loads:
            if name in names:
                owner.changed.update((key, contents(key)))
                owner.runs.add(key)
        return bool(classes)

    # -- the walk

    def _visit(self, node: ast.AST, scope: Scope, owner: Owner) -> None:
        if isinstance(node, ast.Name):
            self._visit_name(node, scope, owner)
            return
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and names_a_file(node.value):
                owner.reads.update((f"file:{node.value}", known.OUTSIDE))
            return
        if isinstance(node, ast.Global):
            owner.reads.update(node.names)
        elif isinstance(node, _IMPORTS) and not known.STANDARD.issuperset(packages(node)):
            owner.reads.update((known.PATH, known.OUTSIDE))
        for name in bindings(node):
            self._bound(name, scope, owner)
        inner = self._scopes.get(node)
        if isinstance(node, FUNCTIONS):
            self._take_defaults(node, scope)
        if isinstance(node, _DEFINED):
            self._define(node, scope, owner)
            return
        if inner is None:
            for child in children(node):
                self._visit(child, scope, owner)
        else:
            for child, where in scoped_children(node, scope, inner):
                self._visit(child, where, owner)
        if isinstance(node, ast.ClassDef):
            behind = {word for item in (*node.bases, *node.keywords, *node.decorator_list) for word in names_in(item)}
            self.later.add(self._position, node.name, behind)
            if "__init_subclass__" in self._origins.methods:
                owner.runs.update(*map(names_in, node.bases))
            for base in node.bases if node.name in self._origins.sharing else ():
                for key in self._origins.of(base, scope):
                    self.aliases.shares(node.name, key)
        if node.__class__ in _RELATED:
            self._relate(node, scope, owner)

    def _define(self, node: FunctionDefinition, scope: Scope, owner: Owner) -> None:
        """A function that is defined: its body is an owner of its own."""
        body, inner = self._by_node[node], self._scopes[node]
        body.position = self._position
        at_top = scope.binder(node.name)
        wrappers = {word for decorator in node.decorator_list for word in names_in(decorator)}
        owner.runs.update(wrappers)
        makers = [callee for wrapper in wrappers for callee in self.functions.get(wrapper, ())]
        if makers:
            self._given.append((self._position, makers, {node.name}))
        for child, where in scoped_children(node, scope, inner):
            self._visit(child, where, body if where is inner else owner)
        if at_top is None or at_top.kind is ScopeKind.MODULE:
            self.later.add(self._position, node.name, body.reads, late=True)
            self.later.add(self._position, node.name, wrappers)
        elif isinstance(scope.node, ast.ClassDef):
            self.later.add(self._position, scope.node.name, body.reads, late=True)
        else:
            owner.reads.update(body.reads)
            owner.runs.update(body.runs)
            owner.binds.update(body.binds)
            owner.changed.update(body.changed)
            owner.calls.extend(body.calls)
            owner.blind = owner.blind or body.blind

    def _take_defaults(self, node: Function, scope: Scope) -> None:
        """What is given by default is the same object at each call."""
        for parameter, value in defaults(node):
            key = self._origins.key(parameter.arg, self._scopes[node])
            for other in self._origins.of(value, scope):
                self.aliases.same(key, other)

    def _visit_name(self, node: ast.Name, scope: Scope, owner: Owner) -> None:
        if node.id == "environ":
            owner.reads.add(known.OUTSIDE)
        if not isinstance(node.ctx, ast.Store):
            key = self._origins.key(node.id, scope)
            self._loads.append((owner, node.id, key))
            if key == node.id:
                owner.reads.add(key)
        if not isinstance(node.ctx, ast.Load):
            self._bound(node.id, scope, owner)

    def _bound(self, name: str, scope: Scope, owner: Owner) -> None:
        if self._origins.key(name, scope) == name:
            owner.binds.add(name)

    def _relate(self, node: ast.AST, scope: Scope, owner: Owner) -> None:
        """Take in what one node says about aliases and changes; its children are done already."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, scope, owner)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value, scope, owner)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, scope, owner)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            owner.runs.update(names_in(node.iter))
            self._drained(node.iter, scope, owner)
            self._bind(node.target, [contents(key) for key in self._origins.of(node.iter, scope)], scope, owner)
        elif isinstance(node, COMPREHENSIONS):
            first = node.generators[0]  # its parts stand in two scopes, so that it is not walked as a whole
            owner.runs.update(names_in(first.iter))
            self._drained(first.iter, scope, owner)
            keys = [contents(key) for key in self._origins.of(first.iter, scope)]
            self._bind(first.target, keys, self._scopes[node], owner)
        elif isinstance(node, ast.withitem):
            if node.optional_vars is not None:
                self._assign(node.optional_vars, node.context_expr, scope, owner)
            self._calls.entered(node.context_expr, scope, owner)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if not isinstance(target, ast.Name):
                    owner.changed.update(self._bases(target, scope))
        elif isinstance(node, ast.Return) and node.value is not None:
            for key in self._origins.of(node.value, scope):
                if scope.node in self._by_node:  # else it stands outside of any function, which Python rejects later
                    self.aliases.same(self._by_node[scope.node].result, key)
        elif isinstance(node, ast.Subscript) and self._origins.root(node) in self._origins.filling:
            owner.changed.update(self._bases(node, scope))
        elif isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load):
            self._drained(node.value, scope, owner)
        elif isinstance(node, ast.Compare):
            for operator, value in zip(node.ops, node.comparators, strict=True):
                if isinstance(operator, ast.In | ast.NotIn):
                    self._drained(value, scope, owner)
        elif isinstance(node, ast.Attribute) and node.attr == "environ":
            owner.reads.add(known.OUTSIDE)
        elif isinstance(node, ast.YieldFrom):
            self._drained(node.value, scope, owner)
        elif isinstance(node, ast.Call):
            self._calls.take(node, scope, owner)
            callees = self._origins.callees(node.func)
            if callees and (names := self._given_to(node, scope, owner)):
                self._given.append((self._position, callees, names))
            if called_name(node) in known.DRAINS and not self._origins.callees(node.func):
                for value in node.args:
                    self._drained(value, scope, owner)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            if isinstance(call, ast.Call):
                self._calls.discarded(call, scope, owner)
                self._stored(call, scope, owner)
        elif isinstance(node, ast.Match):
            keys = [contents(key) for key in self._origins.of(node.subject, scope)]
            keys += self._origins.of(node.subject, scope)
            for case in node.cases:
                for name in bound_in(case.pattern):
                    for key in keys:
                        self.aliases.same(self._origins.key(name, scope), key)

    def _stored(self, call: ast.Call, scope: Scope, owner: Owner) -> None:
        """Functions that were given away, by a call for nothing else, may run whenever their new place is used."""
        holder = self._origins.root(call.func)
        kept = isinstance(call.func, ast.Attribute) and call.func.attr not in known.LOOKS and bool(holder)
        kept = kept and holder not in self._origins.modules and self._origins.key(holder, scope) == holder
        if kept:
            self.later.add(self._position, holder, self._given_to(call, scope, owner))

    def _given_to(self, call: ast.Call, scope: Scope, owner: Owner) -> set[str]:
        """The functions among what a call is given that do something."""
        values = (*call.args, *(keyword.value for keyword in call.keywords))
        return {name for value in values for name in self._runs_later(value, scope, owner)}

    def _runs_later(self, value: ast.expr, scope: Scope, owner: Owner) -> Iterator[str]:
        """The function that a value is, if it does something: its name, or one that is made up for it."""
        body = Owner(position=self._position)
        if isinstance(value, ast.Name) and value.id in self.functions:
            yield value.id
            return
        if isinstance(value, ast.Lambda) and acts(value, self._origins):
            self._visit(value.body, self._scopes[value], body)
        elif isinstance(value, ast.Attribute) and value.attr in known.MUTATORS:
            body.changed.update(self._origins.of(value.value, scope))
        elif isinstance(value, ast.Name) and value.id in self._origins.changers:
            body.changed.update(self._origins.of(value, scope))
        else:
            return
        name = f"#{self._position}:{value.col_offset}"
        self.functions[name].append(body)
        owner.binds.add(name)
        self.later.add(self._position, name, body.reads, late=True)
        yield name

    def _put_away(self) -> None:
        """Let what own functions were given be read behind all that they change."""
        for position, callees, names in self._given:
            check_time()
            reached = dict.fromkeys(callees)
            todo = list(reached)
            while todo:  # they may hand it on
                new = [callee for others, _ in todo.pop().calls for callee in others if callee not in reached]
                reached |= dict.fromkeys(new)
                todo += new
            for name in self.aliases.witnesses(key for callee in reached for key in callee.changed):
                self.later.add(position, name, names)

    def _drained(self, value: ast.expr, scope: Scope, owner: Owner) -> None:
        """The elements of the value are read: where they come one by one, they are gone then."""
        for part in self._kinds.drained_by(value):
            owner.changed.update(self._origins.of(part, scope))

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope, owner: Owner) -> None:
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            starred = any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
            if not starred and len(target.elts) == len(value.elts):
                for one, other in zip(target.elts, value.elts, strict=True):
                    self._assign(one, other, scope, owner)
                return
        if isinstance(target, ast.Tuple | ast.List):
            self._drained(value, scope, owner)
        self._bind(target, self._origins.of(value, scope), scope, owner)
        holder = scope.node if scope.kind is ScopeKind.CLASS else None
        if isinstance(holder, ast.ClassDef) and holder.name in self._origins.sharing:
            for key in self._origins.of(value, scope):
                self.aliases.holds(holder.name, key)
        for name in names_in(target):
            if self._origins.key(name, scope) == name:
                self.later.add(self._position, name, self.later.read_by(value, scope))
                self._used_up.update([name] if self.later.is_iterator(value) else [])

    def _bind(self, target: ast.expr, keys: list[str], scope: Scope, owner: Owner) -> None:
        if isinstance(target, ast.Name):
            for key in keys:
                self.aliases.same(self._origins.key(target.id, scope), key)
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self._bind(item, [contents(key) for key in keys], scope, owner)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, [contents(key) for key in keys], scope, owner)
        else:
            self._store(target, owner)
            for base in self._bases(target, scope):
                owner.changed.add(base)
                for key in keys:
                    self.aliases.holds(base, key)

    def _augment(self, node: ast.AugAssign, scope: Scope, owner: Owner) -> None:
        if isinstance(node.target, ast.Name):
            key = self._origins.key(node.target.id, scope)
            if key == node.target.id:
                owner.reads.add(key)
            owner.changed.add(key)  # `+=` on a list changes it for everybody
            for other in self._origins.of(node.value, scope):
                self.aliases.shares(key, other)
        else:
            self._store(node.target, owner)
            owner.changed.update((*self._bases(node.target, scope), *self._origins.of(node.target, scope)))
            for key in self._origins.of(node.value, scope):
                for base in self._bases(node.target, scope):
                    self.aliases.holds(base, key)

    def _store(self, target: ast.expr, owner: Owner) -> None:
        """What lies at the end of a way from a module is the module's state."""
        root = self._origins.root(target)
        if is_import_path(target):
            owner.changed.add(known.PATH)
        if root in self._origins.modules:
            owner.changed.add(root)
        if isinstance(target, ast.Attribute) and target.attr in ("stdout", "stderr"):
            owner.changed.update((known.STREAM, contents(root)))
        owner.hidden = owner.hidden or root in ("globals", "locals")

    def _bases(self, target: ast.expr, scope: Scope) -> list[str]:
        """The objects that change when something is stored to `target`: `a` for `a[0]` and `a.b`."""
        if isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
            return self._origins.of(target.value, scope)
        if isinstance(target, ast.Tuple | ast.List):
            return [base for item in target.elts for base in self._bases(item, scope)]
        return []


def _redirects(node: ast.AST) -> bool:
    """Whether the node exchanges `sys.stdout`, or anything that goes by such a name."""
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in ("stdout", "stderr")
