"""The text of a slice: the statements as they were written, imports on top, the answer bound at the end.

LibCST's tree of a statement costs far more than all else, so that it is made only of what is not taken over as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.code.parse import SOURCE_NAME, Unparsable, apart, guard, parse_guarded
from memu_code.extractors.code.scopes import BUILTINS, DEFINITIONS, bindings
from memu_code.extractors.code.structure import REFLECTIVE
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices.answers import ANSWER, FINAL, Line, NoSlice, implied, in_tail, nested, rewritten
from memu_code.extractors.slices.effects import exposed
from memu_code.extractors.slices.known import PATH
from memu_code.extractors.slices.slicing import Part, Slice, Slicer

_ITSELF = f"{ANSWER} = {ANSWER}"
_MODULE = cst.Module([])
_MIXED = re.compile("[\\t\\f]")  # Python takes a mixture of tabs and spaces, LibCST does not
_IMPORTS = (ast.Import, ast.ImportFrom)

MAX_CODE = 20_000  # characters; what is longer is mostly pasted data, and no prompt could take it


@dataclass(frozen=True, slots=True)
class Written:
    """A statement of the top level: the comments above it, its text, and what kind of statement it is."""

    comments: str  # each with the end of its line
    text: str
    imports: bool = False
    defines: bool = False
    answers: bool = False  # it binds `answer`, and nothing else


class Assembly:
    """Writes slices of one run as code. Trees of steps that no slice touches are never made."""

    def __init__(self, slicer: Slicer) -> None:
        self._slicer = slicer
        self._statements: dict[str, list[Line]] = {}
        self._apart: dict[str, list[str]] = {}

    def code(self, cut: Slice) -> tuple[str, ast.Module]:
        """Code that runs alone, given its inputs and tools, and its tree. Raises `NoSlice`."""
        try:
            try:
                body = self._body(cut)
            except NoSlice:  # an answer from within nested loops, or at several places: `return` says it
                body = self._as_function(cut)
            body = body if self._moves(cut) else _hoisted(body, _bound(cut))
            code = _joined(body).strip("\n") + "\n"
            tree = guard(code, 4 * MAX_CODE)
            # rejects what only looks right, such as a lone `return`; a notebook's cell may await at its top level
            compile(tree, SOURCE_NAME, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (Unparsable, SyntaxError, ValueError, cst.CSTValidationError, RecursionError) as error:
            raise NoSlice(f"the slice cannot be written: {type(error).__name__}") from None
        if len(code) > MAX_CODE:
            raise NoSlice("the slice is longer than anybody would read")
        if FINAL in names_in(tree):
            raise NoSlice("the answer is given in a way that plain Python has no words for")
        return code, tree

    def _body(self, cut: Slice) -> list[Written]:
        if len(self._slicer.roots) > 1:
            return [_written(line) for line in self._nested(cut)]
        body: list[Written] = []
        for part in cut.parts:
            if part.position in self._slicer.roots:
                body.extend(_written(line) for line in self._answer(part))
            else:
                body.append(self._as_it_stands(part) or _written(self._line(part)))
        return body

    def _nested(self, cut: Slice) -> list[Line]:
        """The slice with all that stands behind a statement that may give the answer in its `else`."""
        ends = set(self._slicer.roots)
        blocks: list[list[Line]] = [[]]
        given: list[list[Line]] = []
        for part in cut.parts:
            if part.position in ends:
                given.append(self._answer(part))
                blocks.append([])
            else:
                blocks[-1].append(self._line(part))
        rest: list[Line] = []
        for block, lines in zip(reversed(blocks[:-1]), reversed(given), strict=True):
            if rest:
                if len(lines) != 1:
                    raise NoSlice("the answer is given at several places")
                lines = [nested(lines[0], rest)]
            rest = [*block, *lines]
        return rest or blocks[0]

    def _moves(self, cut: Slice) -> bool:
        """Whether the code changes where imports are looked for, so that they have to stay behind that."""
        return any(PATH in self._slicer.flow.effects[part.position].changes for part in cut.parts)

    def _as_function(self, cut: Slice) -> list[Written]:
        """The slice as a function that returns the answer. Raises `NoSlice` where it would act otherwise."""
        if self._slicer.implied:
            raise NoSlice("the last value is under a condition")
        statements = [part.piece.statement for part in cut.parts]
        words = frozenset().union(*map(names_in, statements))
        if words & REFLECTIVE or any(isinstance(node, ast.Global) for item in statements for node in nodes_of(item)):
            raise NoSlice("the answer is given at several places, by code that looks at its own names")
        outside = exposed(statements) & (BUILTINS | set(cut.tools))
        if outside & _bound(cut):
            raise NoSlice("the answer is given at several places, by code that rebinds what it uses")
        name = next(name for name in ("solve", "find_answer", "compute_answer") if name not in words)
        imports: list[Line] = []
        body: list[Line] = []
        for part in cut.parts:
            if part.position in self._slicer.roots:
                body.extend(rewritten(self._statement(part), self._slicer.ending, returns=True))
            else:
                line = self._line(part)
                (imports if _import_line(line) and not self._moves(cut) else body).append(line)
        given = ", ".join(cut.inputs)
        head = cst.ensure_type(cst.parse_statement(f"def {name}({given}):\n    pass\n"), cst.FunctionDef)
        inner = cst.parse_module(_joined(map(_written, body))).body if body else ()
        return [
            *map(_written, imports),
            _written(head.with_changes(body=cst.IndentedBlock(inner))),
            Written("", f"{ANSWER} = {name}({given})", answers=True),
        ]

    def _parted(self, part: Part) -> list[str]:
        source = part.piece.source
        if source not in self._apart:
            self._apart[source] = apart(source)
        return self._apart[source]

    def _statement(self, part: Part) -> Line:
        """The tree of the statement with nothing beside it on its line."""
        source, index = part.piece.source, part.piece.index
        if parted := self._parted(part):  # nothing but what is needed is made a tree of
            source, index = parted[index], 0
        if source not in self._statements:
            self._statements[source] = list(_flat(_read(source)))
        return self._statements[source][index]

    def _answer(self, part: Part) -> list[Line]:
        node = self._statement(part)
        if self._slicer.implied:
            line = cst.ensure_type(node, cst.SimpleStatementLine)
            return [line.with_changes(body=[small]) for small in implied(line.body[0])]
        if not in_tail(part.piece.statement, self._slicer.ending):
            raise NoSlice("more runs behind the answer")
        return rewritten(node, self._slicer.ending)

    def _as_it_stands(self, part: Part) -> Written | None:
        """The statement as it was written, where nothing of it has to change and only Python has to read it."""
        statement = part.piece.statement
        imports, defines = isinstance(statement, _IMPORTS), isinstance(statement, DEFINITIONS)
        parted = self._parted(part)
        text = parted[part.piece.index] if parted else "\f"
        if _MIXED.search(text) or (defines and vars(statement)["name"] in self._slicer.ending):
            return None
        if imports and ("#" in text or not part.wanted.issuperset(bindings(statement))):
            return None
        lines = text.splitlines(keepends=True)
        first = next(place for place, line in enumerate(lines) if line.strip() and not line.startswith("#"))
        comments = "".join(line for line in lines[:first] if line.startswith("#"))
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        answers = [getattr(target, "id", "") for target in targets] == [ANSWER]
        text = "".join(lines[first:]).rstrip("\n")
        return Written(comments, text.strip() if imports else text, imports, defines, answers)

    def _line(self, part: Part) -> Line:
        """The statement as a tree: an import without what is not needed, a function that answers with `return`."""
        node = self._statement(part)
        if isinstance(node, cst.FunctionDef) and node.name.value in self._slicer.ending:
            return rewritten(node, frozenset({FINAL}))[0]
        if isinstance(node, cst.SimpleStatementLine):
            small = node.body[0]
            if isinstance(small, cst.Import | cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                return node.with_changes(body=[_pruned(small, part.wanted)])
        return node


def _read(source: str) -> cst.Module:
    try:
        return parse_guarded(source)
    except Unparsable:
        return parse_guarded(ast.unparse(guard(source)))


def _flat(module: cst.Module) -> Iterable[Line]:
    """Each statement of the top level by itself, as the standard library counts them."""
    for number, line in enumerate(module.body):
        if number == 0:
            line = line.with_changes(leading_lines=[*module.header, *getattr(line, "leading_lines", ())])
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) == 1:
            yield line
            continue
        for place, small in enumerate(line.body):
            alone = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            yield cst.SimpleStatementLine([alone], leading_lines=line.leading_lines if place == 0 else ())


def _written(node: Line) -> Written:
    leading = [line for line in getattr(node, "leading_lines", ()) if line.comment is not None]
    comments = "".join(map(_MODULE.code_for_node, leading))
    bare = {"trailing_whitespace": cst.TrailingWhitespace()} if _import_line(node) else {}
    text = _MODULE.code_for_node(node.with_changes(leading_lines=[], **bare)).rstrip("\n")
    binds = m.matches(node, m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Name(ANSWER))])]))
    return Written(comments, text, _import_line(node), isinstance(node, cst.FunctionDef | cst.ClassDef), binds)


def _pruned(small: cst.Import | cst.ImportFrom, wanted: frozenset[str]) -> cst.Import | cst.ImportFrom:
    aliases = () if isinstance(small.names, cst.ImportStar) else small.names
    kept = [alias for alias in aliases if (alias.evaluated_alias or alias.evaluated_name.partition(".")[0]) in wanted]
    if not kept or len(kept) == len(aliases):
        return small
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return small.with_changes(names=kept)


def _import_line(node: Line) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _bound(cut: Slice) -> set[str]:
    """The names that anything but an import binds."""
    return {
        name
        for part in cut.parts
        for node in nodes_of(part.piece.statement)
        if not isinstance(node, ast.Import | ast.ImportFrom)
        for name in bindings(node)
    }


def _hoisted(body: Sequence[Written], bound: set[str]) -> list[Written]:
    """Imports first, each once, unless a name that one of them binds is also bound otherwise."""
    imports = {line.text: replace(line, comments="") for line in body if line.imports}
    names: list[str] = []
    for text in imports:
        names.extend(name for node in ast.parse(text).body for name in bindings(node) if "." not in text)
    if len(names) != len(set(names)) or bound & set(names):
        return list(body)
    first = sorted(imports.values(), key=lambda line: not line.text.startswith("from __future__"))
    return [*first, *(line for line in body if not line.imports)]


def _joined(body: Iterable[Written]) -> str:
    """The text of the statements, without a doubled `answer = answer`, and with blank lines around definitions only."""
    lines = list(body)
    if len(lines) > 1 and lines[-2].answers and lines[-1].text == _ITSELF:
        lines.pop()
    parts: list[str] = []
    apart = False
    for line in lines:
        parts += ["\n" if parts and (line.defines or apart) else "", line.comments, line.text, "\n"]
        apart = line.defines
    return "".join(parts)
