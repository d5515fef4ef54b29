"""What a call does to what it is given, to its own name and to files: the changes that a slice has to follow."""

from __future__ import annotations

import ast

from memu_code.extractors.code.commands import only_looks, run_by
from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.scopes import Scope, ScopeKind
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.aliases import contents
from memu_code.extractors.slices.origins import Origins, Owner, called_name, is_import_path, opens_to_write


class Calls:
    """Writes the effects of calls into their owners; `redirected` says that the code itself exchanges `sys.stdout`."""

    def __init__(self, origins: Origins, redirected: bool) -> None:
        self._origins = origins
        self._redirected = redirected

    def take(self, call: ast.Call, scope: Scope, owner: Owner) -> None:
        """Any call, whether its result is used or not."""
        func = call.func
        name = called_name(call)
        arguments = self._origins.arguments(call, scope)
        bases = self._origins.of(func.value, scope) if isinstance(func, ast.Attribute) else []
        callees = self._origins.callees(func)
        if callees:
            owner.calls.append((callees, [*arguments, *bases]))
        owner.runs.update(names_in(func))
        if name not in known.FRESH:
            owner.runs.update(*map(names_in, (*call.args, *call.keywords)))
            self._handed(call, name, scope, owner)
        if name in known.CHANGES or isinstance(func, ast.Lambda):
            owner.changed.update(arguments)
        if name == "print" and self._redirected:
            owner.changed.update(("sys", "sys*"))
            owner.reads.add(known.STREAM)
        for keyword in call.keywords:
            if keyword.arg in known.TARGETS and not self._origins.is_module(keyword.value):
                owner.changed.update(self._origins.of(keyword.value, scope))
        if name == "chdir":
            owner.changed.update(("open", known.OUTSIDE))
        if self._origins.looks_outside(call):
            owner.reads.add(known.OUTSIDE)
        self._run(call, owner)
        if isinstance(func, ast.Name) and name == "exec" and len(call.args) == 1 and not call.keywords:
            owner.hidden = True  # with a namespace of its own, that is what changes
        if isinstance(func, ast.Name) and name in known.LOOKING:
            self._look(call, name, owner)
        if name == "open":
            owner.reads.update(key for key in self._origins.path(call, scope) if key.startswith("file:"))
        if name in known.WRITERS or name == "open":
            self._written(call, name, scope, owner)
        if not isinstance(func, ast.Attribute):
            self._own_state(func, scope, owner)
            return
        if self._origins.is_module(func.value):
            owner.changed.update(bases if self._origins.is_stateful(func) else ())
        elif name in known.MUTATORS or (name == "get" and not call.args):
            owner.changed.update(bases)
            if (
                isinstance(func.value, ast.Name) and func.value.id in known.TYPES and call.args
            ):  # `list.append(rows, 1)`
                owner.changed.update(self._origins.of(call.args[0], scope))
                bases = self._origins.of(call.args[0], scope)
        if name in known.MUTATORS and is_import_path(func.value):
            owner.changed.add(known.PATH)
        if name in known.STORES:
            for base in bases:
                for key in arguments:
                    self._origins.aliases.holds(base, key)
                    self._origins.aliases.shares(base, key)

    def _run(self, call: ast.Call, owner: Owner) -> None:
        """A command of the shell or the kernel may write any file, also a module, and set variables of the system."""
        commands = run_by(call)
        if commands is not None and not (commands and only_looks(commands)):
            owner.changed.add(known.OUTSIDE)
            owner.reads.add(known.OUTSIDE)
            owner.hidden = owner.hidden or (bool(commands) and commands[0][0] in known.BINDING_MAGICS)

    def _look(self, call: ast.Call, name: str, owner: Owner) -> None:
        """What a call reads that goes by the names of the whole code: those that stand in a text, or all of them."""
        if name not in known.LOOKING or len(call.args) > 1 or call.keywords:
            return  # with a namespace of its own
        text = call.args[0] if call.args else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and name == "eval":
            try:
                owner.quoted.update(names_in(guard(text.value.strip())))
                owner.reads.update(owner.quoted)
            except Unparsable:
                owner.blind = True
        elif name == "eval" or text is None:
            owner.blind = True

    def discarded(self, call: ast.Call, scope: Scope, owner: Owner) -> None:
        """A call whose result nobody takes is there for what it does to its object and arguments."""
        func = call.func
        arguments = self._origins.arguments(call, scope)
        if self._origins.callees(func):
            return  # what the code's own functions change is known better
        if isinstance(func, ast.Name):
            if func.id in known.FRESH | known.COPIES | known.LAZY:
                return
            owner.changed.update(arguments)
            if func.id in self._origins.modules and func.id not in known.CHANGES:
                owner.changed.add(self._origins.key(func.id, scope))
        elif isinstance(func, ast.Attribute):
            self._discarded_method(call, func, arguments, scope, owner)

    def _discarded_method(
        self, call: ast.Call, func: ast.Attribute, arguments: list[str], scope: Scope, owner: Owner
    ) -> None:
        root = self._origins.root(func)
        bases = self._origins.of(func.value, scope)
        inside = [contents(base) for base in bases]
        if root in known.DRAWING_MODULES:
            owner.changed.update(() if func.attr == "show" else self._origins.modules & known.DRAWING_MODULES)
            return
        if root in known.QUIET_MODULES:
            if func.attr in known.FILTERS and "error" in ast.dump(call):
                owner.changed.update(known.CAUGHT)
            return
        if func.attr in known.LOGS and call.args:
            owner.changed.update([*bases, *inside])  # a handler inside may write to anything
            return
        if func.attr in known.DRAWS and (sheets := self._origins.modules & known.DRAWING_MODULES):
            owner.changed.update((*sheets, *bases))
            return
        if func.attr in known.LOOKS:
            return
        owner.changed.update(bases)
        if root in self._origins.modules:
            owner.changed.add(root)
        if func.attr in known.MUTATORS:
            return
        owner.changed.update(arguments)
        module = self._origins.is_module(func.value)
        if module and func.attr != "basicConfig":
            return
        owner.changed.update(inside)
        if func.attr not in known.WRITERS:
            for base in bases:
                for key in arguments:
                    self._origins.aliases.holds(base, key)

    def entered(self, value: ast.expr, scope: Scope, owner: Owner) -> None:
        """The manager of a `with` block acts on what it was given, by what the block does: they belong together."""
        if isinstance(value, ast.Call):
            if called_name(value) in known.OPENERS:
                return
            owner.changed.update(self._origins.arguments(value, scope))
        owner.changed.update(self._origins.of(value, scope))

    def _own_state(self, func: ast.expr, scope: Scope, owner: Owner) -> None:
        """What was made by a call may keep a state between its calls, and so may anything taken out of something."""
        if not isinstance(func, ast.Name):
            if not isinstance(func, ast.Subscript) or self._origins.root(func) in self._origins.held:
                owner.changed.update(self._origins.of(func, scope))
            return
        key = self._origins.key(func.id, scope)
        binder = scope.binder(func.id)
        inner = binder is not None and binder.kind is ScopeKind.COMPREHENSION
        if func.id in self._origins.held and (key == func.id or inner):
            owner.changed.update((key, contents(key)))
            owner.acts = owner.acts or func.id in self._origins.closures
        elif key == func.id and self._origins.is_stateful(func):
            owner.changed.add(key)

    def _handed(self, call: ast.Call, name: str, scope: Scope, owner: Owner) -> None:
        """Functions with a state, and methods that change their object, may be called by whom they are handed to."""
        parts = [(value, name in known.APPLIERS) for value in call.args]
        parts += [(item.value, item.arg in known.CALLBACKS) for item in call.keywords]
        for value, applied in parts:
            if isinstance(value, ast.Name) and value.id in self._origins.closures:
                key = self._origins.key(value.id, scope)
                owner.changed.update((key, contents(key)))
            elif isinstance(value, ast.Attribute):
                bases = self._origins.of(value.value, scope)
                if self._origins.is_module(value.value):
                    owner.changed.update(bases if self._origins.is_stateful(value) else ())
                elif value.attr in self._origins.methods:
                    owner.calls.append((self._origins.methods[value.attr], bases))
                elif value.attr in known.MUTATORS or (
                    applied and value.attr not in known.LOOKS | known.FRESH_METHODS | known.PARTS
                ):
                    owner.changed.update(bases)

    def _written(self, call: ast.Call, name: str, scope: Scope, owner: Owner) -> None:
        """A file that is written is something that later code may read, by a literal or a variable that names it."""
        if name == "open" and not opens_to_write(call):
            return
        if name in known.PATH_METHODS:
            owner.changed.update(self._origins.path(call, scope))
        elif name in known.SAVERS:
            owner.changed.update(self._origins.arguments(call, scope))
        texts = [value.value for value in nodes_of(call) if isinstance(value, ast.Constant)]
        owner.changed.update(f"file:{text}" for text in texts if isinstance(text, str) and len(text) > 3)
        if any(isinstance(text, str) and text.endswith(".py") for text in texts):
            owner.changed.update((known.PATH, known.OUTSIDE))  # it may be imported, or run by a command
