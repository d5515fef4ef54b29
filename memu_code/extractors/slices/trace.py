"""Who reads, binds and changes what: one walk over the tree, with a graph of aliases as its result."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Sequence

from memu_code.extractors.code.parse import check_time
from memu_code.extractors.code.scopes import (
    COMPREHENSIONS,
    DEFINITIONS,
    Scope,
    ScopeKind,
    bindings,
    parameters,
    resolve,
    scoped_children,
)
from memu_code.extractors.code.symbols import packages
from memu_code.extractors.code.walking import walk
from memu_code.extractors.slices import known
from memu_code.extractors.slices.aliases import contents
from memu_code.extractors.slices.calls import Calls, names
from memu_code.extractors.slices.holders import acts, find_holders
from memu_code.extractors.slices.kinds import Kinds
from memu_code.extractors.slices.lookups import acting, runs_unasked
from memu_code.extractors.slices.origins import Origins, Owner, called_name, is_import_path, names_a_file

FunctionDefinition = ast.FunctionDef | ast.AsyncFunctionDef


class Trace:
    """Statements that run one after the other in one namespace, walked once."""

    def __init__(self, statements: Sequence[ast.stmt], plain: Collection[str] = ()) -> None:
        tree = ast.Module(body=list(statements), type_ignores=[])
        # What is read behind a name after it was bound: the position of the statement that bound it, the names, and
        # whether they are looked up only when the name is called.
        self.later: dict[str, list[tuple[int, set[str], bool]]] = defaultdict(list)
        self._position = 0
        self._used_up: set[str] = set()  # iterators: who reads one, changes it
        self._scopes = resolve(tree)
        self._origins = Origins(self._scopes)
        self.aliases = self._origins.aliases
        self.functions = self._origins.functions
        self._makers: set[str] = set()  # functions and classes that make functions
        self._by_node: dict[ast.AST, Owner] = {}
        self._implicit: dict[str, list[Owner]] = defaultdict(list)  # what runs without a call, by its class
        self._loads: list[tuple[Owner, str, str]] = []  # who reads which name, and the node behind it
        redirected = False
        for node in walk(tree):
            self._declare(node)
            stores = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            redirected = redirected or (stores and vars(node)["attr"] in ("stdout", "stderr"))
        find_holders(tree, self._origins, self._makers)
        self._kinds = Kinds(tree, self._origins, plain)
        self._origins.may_view = self._kinds.may_view
        self._calls = Calls(self._origins, redirected)
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

    # -- names and functions

    def _declare(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._origins.take_import(node)
        elif isinstance(node, ast.ClassDef):
            self._origins.classes.add(node.name)
            if any(isinstance(inner, FunctionDefinition) and inner.name == "__call__" for inner in node.body):
                self._makers.add(node.name)
        elif isinstance(node, FunctionDefinition):
            self._declare_function(node)

    def _declare_function(self, node: FunctionDefinition) -> None:
        scope = self._scopes[node]
        names = [self._origins.key(parameter.arg, scope) for parameter in parameters(node)]
        makes = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.GeneratorExp, *DEFINITIONS)
        lazy = any(isinstance(inner, makes) and inner is not node for inner in walk(node))
        yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in walk(node))
        if any(isinstance(inner, (ast.Lambda, *DEFINITIONS)) and inner is not node for inner in walk(node)):
            self._makers.add(node.name)
        owner = Owner(parameters=set(names), result=f"#{node.name}()", lazy=lazy, yields=yields)
        self._by_node[node] = owner
        outer = scope.parent
        if outer is not None and isinstance(outer.node, ast.ClassDef):
            self._origins.methods[node.name].append(owner)
            self.functions[outer.node.name].append(owner)
            if runs_unasked(node):
                self._implicit[outer.node.name].append(owner)
            if node.name == "__init__":
                owner.parameters -= set(names[:1])  # a constructor may change what it makes
        else:
            self.functions[node.name].append(owner)
        self._keep_state(node, outer, scope)

    def _keep_state(self, node: FunctionDefinition, outer: Scope | None, scope: Scope) -> None:
        """What a function goes on holding between its calls: defaults that can change, and what wraps it."""
        name = outer.node.name if outer is not None and isinstance(outer.node, ast.ClassDef) else node.name
        plain = [*node.args.posonlyargs, *node.args.args]
        defaults = list(zip(reversed(plain), reversed(node.args.defaults), strict=False))
        defaults += [
            (key, value) for key, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value
        ]
        for parameter, value in defaults:
            if not isinstance(value, ast.Constant):
                key = self._origins.key(parameter.arg, scope)
                self.aliases.sees(name, key)
                self.aliases.sees(name, contents(key))
        wrappers = {called_name(item) if isinstance(item, ast.Call) else item for item in node.decorator_list}
        words = {item if isinstance(item, str) else getattr(item, "id", getattr(item, "attr", "")) for item in wrappers}
        if words - known.PLAIN_WRAPPERS:
            self._origins.held.add(name)

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
        classes = acting(self._implicit, self.aliases)
        names = self._kinds.made_of(classes) - self.functions.keys()
        for owner, name, key in self._loads:
            if name in names:
                owner.changed.update((key, contents(key)))
                owner.runs.add(key)
        return bool(classes)

    # -- the walk

    def _visit(self, node: ast.AST, scope: Scope, owner: Owner) -> None:
        inner = self._scopes.get(node)
        if isinstance(node, ast.Name):
            self._visit_name(node, scope, owner)
        elif isinstance(node, ast.Global):
            owner.reads.update(node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if names_a_file(node.value):
                owner.reads.update((f"file:{node.value}", known.OUTSIDE))
        else:
            if isinstance(node, ast.Import | ast.ImportFrom) and not known.STANDARD.issuperset(packages(node)):
                owner.reads.update((known.PATH, known.OUTSIDE))
            for name in bindings(node):
                self._bound(name, scope, owner)
        if isinstance(node, FunctionDefinition):
            body = self._by_node[node]
            body.position = self._position
            at_top = scope.binder(node.name)
            owner.runs.update(word for decorator in node.decorator_list for word in names(decorator))
            for child, where in scoped_children(node, scope, inner):
                self._visit(child, where, body if where is inner else owner)
            if at_top is None or at_top.kind is ScopeKind.MODULE:
                wrappers = {word for decorator in node.decorator_list for word in names(decorator)}
                self._read_behind(node.name, body.reads, late=True)
                self._read_behind(node.name, wrappers)
            elif isinstance(scope.node, ast.ClassDef):
                self._read_behind(scope.node.name, body.reads, late=True)
            else:
                owner.reads.update(body.reads)
                owner.runs.update(body.runs)
                owner.binds.update(body.binds)
                owner.changed.update(body.changed)
                owner.calls.extend(body.calls)
                owner.blind = owner.blind or body.blind
            return
        for child, where in scoped_children(node, scope, inner):
            self._visit(child, where, owner)
        if isinstance(node, ast.ClassDef):
            behind = {word for item in (*node.bases, *node.keywords, *node.decorator_list) for word in names(item)}
            self._read_behind(node.name, behind)
        self._relate(node, scope, owner)

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
            owner.runs.update(names(node.iter))
            self._drained(node.iter, scope, owner)
            self._bind(node.target, [contents(key) for key in self._origins.of(node.iter, scope)], scope, owner)
        elif isinstance(node, COMPREHENSIONS):
            first = node.generators[0]  # its parts stand in two scopes, so that it is not walked as a whole
            owner.runs.update(names(first.iter))
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
                for pattern in walk(case.pattern):
                    for name in bindings(pattern):
                        for key in keys:
                            self.aliases.same(self._origins.key(name, scope), key)

    def _stored(self, call: ast.Call, scope: Scope, owner: Owner) -> None:
        """Functions that an object was given, by a call for nothing else, may run whenever it is used again."""
        holder = self._origins.root(call.func)
        kept = isinstance(call.func, ast.Attribute) and call.func.attr not in known.LOOKS and holder
        if not kept or holder in self._origins.modules or self._origins.key(holder, scope) != holder:
            return
        for value in call.args:
            if isinstance(value, ast.Lambda) and acts(value, self._origins):
                body = Owner(position=self._position)
                self._visit(value.body, self._scopes[value], body)
                name = f"#{self._position}:{value.col_offset}"
                self.functions[name].append(body)
                owner.binds.add(name)
                self._read_behind(holder, {name})
                self._read_behind(name, body.reads, late=True)
            elif isinstance(value, ast.Name) and value.id in self.functions:
                self._read_behind(holder, {value.id})
            elif isinstance(value, ast.Attribute) and value.attr in known.MUTATORS:
                self.aliases.same(contents(holder), contents(self._origins.root(value)))

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
        names = [node.id for node in walk(target) if isinstance(node, ast.Name)]
        for name in names:
            if self._origins.key(name, scope) == name:
                self._read_behind(name, self._reads_later(value, scope))
                self._used_up.update([name] if self._is_iterator(value) else [])

    def _read_behind(self, name: str, names: set[str], *, late: bool = False) -> None:
        if names:
            self.later[name].append((self._position, names, late))

    def _is_iterator(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            name = called_name(value)
            makes = any(callee.yields for callee in self._origins.callees(value.func))
            return makes or name in known.LAZY or name in known.ITERATORS
        return isinstance(value, ast.GeneratorExp)

    def _reads_later(self, value: ast.expr, scope: Scope) -> set[str]:
        """The names that a value goes on reading: through a generator, or a function inside it."""
        found: set[str] = set()
        own = {name for node in walk(value) for name in bindings(node)}
        own.update(node.arg for node in walk(value) if isinstance(node, ast.arg))
        done = {node.func for node in walk(value) if isinstance(node, ast.Call) and self._is_done(node.func)}
        for node in walk(value):
            if isinstance(node, ast.GeneratorExp | ast.Lambda):
                found.update(inner.id for inner in walk(node) if isinstance(inner, ast.Name))
            elif (
                isinstance(node, ast.Name) and node not in done and (node.id in self.functions or node.id in self.later)
            ):
                found.add(node.id)
        return {name for name in found - own if self._origins.key(name, scope) == name}

    def _is_done(self, func: ast.expr) -> bool:
        """Whether a call of the function leaves nothing behind that goes on reading."""
        if not isinstance(func, ast.Name) or func.id in self._origins.classes:
            return False
        bodies = self.functions.get(func.id, [])
        return bool(bodies) and not any(body.lazy for body in bodies)

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
