"""The text of a slice: the statements as they were written, imports on top, the answer bound at the end."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.code.parse import SOURCE_NAME, Unparsable, apart, guard, parse_guarded
from memu_code.extractors.code.scopes import BUILTINS, bindings
from memu_code.extractors.code.structure import REFLECTIVE
from memu_code.extractors.code.walking import walk
from memu_code.extractors.slices.answers import ANSWER, FINAL, Line, NoSlice, implied, in_tail, nested, rewritten
from memu_code.extractors.slices.effects import exposed
from memu_code.extractors.slices.known import PATH
from memu_code.extractors.slices.slicing import Part, Slice, Slicer

_ITSELF = m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Name(ANSWER))], m.Name(ANSWER))])

MAX_CODE = 20_000  # characters; what is longer is mostly pasted data, and no prompt could take it


class Assembly:
    """Writes slices of one run as code. Trees of steps that no slice touches are never made."""

    def __init__(self, slicer: Slicer) -> None:
        self._slicer = slicer
        self._statements: dict[str, list[tuple[Line, int]]] = {}
        self._apart: dict[str, list[str]] = {}

    def code(self, cut: Slice) -> tuple[str, ast.Module]:
        """Code that runs alone, given its inputs and tools, and its tree. Raises `NoSlice`."""
        try:
            try:
                body = self._body(cut)
            except NoSlice:  # an answer from within nested loops, or at several places: `return` says it
                body = self._as_function(cut)
            body = body if self._moves(cut) else _hoisted(body, _bound(cut))
            code = cst.Module(_tidy(body)).code.strip("\n") + "\n"
            tree = guard(code, 4 * MAX_CODE)
            # rejects what only looks right, such as a lone `return`; a notebook's cell may await at its top level
            compile(tree, SOURCE_NAME, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (Unparsable, SyntaxError, ValueError, cst.CSTValidationError, RecursionError) as error:
            raise NoSlice(f"the slice cannot be written: {type(error).__name__}") from None
        if len(code) > MAX_CODE:
            raise NoSlice("the slice is longer than anybody would read")
        if any(isinstance(node, ast.Name) and node.id == FINAL for node in walk(tree)):
            raise NoSlice("the answer is given in a way that plain Python has no words for")
        return code, tree

    def _body(self, cut: Slice) -> list[Line]:
        ends = set(self._slicer.roots)
        blocks: list[list[Line]] = [[]]
        given: list[list[Line]] = []
        for part in cut.parts:
            if part.position in ends:
                given.append(self._answer(part))
                blocks.append([])
            else:
                blocks[-1].extend(self._written(part))
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

    def _as_function(self, cut: Slice) -> list[Line]:
        """The slice as a function that returns the answer. Raises `NoSlice` where it would act otherwise."""
        if self._slicer.implied:
            raise NoSlice("the last value is under a condition")
        statements = [part.piece.statement for part in cut.parts]
        words = {node.id for statement in statements for node in walk(statement) if isinstance(node, ast.Name)}
        if words & REFLECTIVE or any(isinstance(node, ast.Global) for item in statements for node in walk(item)):
            raise NoSlice("the answer is given at several places, by code that looks at its own names")
        outside = exposed(statements) & (BUILTINS | set(cut.tools))
        if outside & _bound(cut):
            raise NoSlice("the answer is given at several places, by code that rebinds what it uses")
        name = next(name for name in ("solve", "find_answer", "compute_answer") if name not in words)
        imports: list[Line] = []
        body: list[Line] = []
        for part in cut.parts:
            if part.position in self._slicer.roots:
                body.extend(rewritten(self._statement(part)[0], self._slicer.ending, returns=True))
            else:
                for line in self._written(part):
                    (imports if _import_line(line) and not self._moves(cut) else body).append(line)
        given = ", ".join(cut.inputs)
        head = cst.ensure_type(cst.parse_statement(f"def {name}({given}):\n    pass\n"), cst.FunctionDef)
        return [
            *imports,
            head.with_changes(body=cst.IndentedBlock(_tidy(body))),
            cst.ensure_type(cst.parse_statement(f"{ANSWER} = {name}({given})"), cst.SimpleStatementLine),
        ]

    def _statement(self, part: Part) -> tuple[Line, int]:
        """The statement with nothing beside it on its line, and its place on that line."""
        source, index = part.piece.source, part.piece.index
        if source not in self._apart:
            self._apart[source] = apart(source)
        if self._apart[source]:  # nothing but what is needed is made a tree of
            source, index = self._apart[source][index], 0
        if source not in self._statements:
            self._statements[source] = list(_flat(_read(source)))
        return self._statements[source][index]

    def _answer(self, part: Part) -> list[Line]:
        node, _ = self._statement(part)
        if self._slicer.implied:
            line = cst.ensure_type(node, cst.SimpleStatementLine)
            return [line.with_changes(body=[small]) for small in implied(line.body[0])]
        if not in_tail(part.piece.statement, self._slicer.ending):
            raise NoSlice("more runs behind the answer")
        return rewritten(node, self._slicer.ending)

    def _written(self, part: Part) -> list[Line]:
        node, _ = self._statement(part)
        if isinstance(node, cst.FunctionDef) and node.name.value in self._slicer.ending:
            return rewritten(node, frozenset({FINAL}))
        if isinstance(node, cst.SimpleStatementLine):
            small = node.body[0]
            if isinstance(small, cst.Import | cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                return [node.with_changes(body=[_pruned(small, part.wanted)])]
        return [node]


def _read(source: str) -> cst.Module:
    try:
        return parse_guarded(source)
    except Unparsable:  # Python takes a mixture of tabs and spaces, LibCST does not
        return parse_guarded(ast.unparse(guard(source)))


def _flat(module: cst.Module) -> Iterable[tuple[Line, int]]:
    """Each statement of the top level by itself, as the standard library counts them."""
    for number, line in enumerate(module.body):
        if number == 0:
            line = line.with_changes(leading_lines=[*module.header, *getattr(line, "leading_lines", ())])
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) == 1:
            yield line, 0
            continue
        for place, small in enumerate(line.body):
            alone = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            leading = line.leading_lines if place == 0 else ()
            yield cst.SimpleStatementLine([alone], leading_lines=leading), place


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
        for node in walk(part.piece.statement)
        if not isinstance(node, ast.Import | ast.ImportFrom)
        for name in bindings(node)
    }


def _hoisted(body: Sequence[Line], bound: set[str]) -> list[Line]:
    """Imports first, each once, unless a name that one of them binds is also bound otherwise."""
    module = cst.Module([])
    imports: dict[str, Line] = {}
    others = []
    for node in body:
        if _import_line(node):
            line = cst.ensure_type(node, cst.SimpleStatementLine)
            bare = line.with_changes(leading_lines=[], trailing_whitespace=cst.TrailingWhitespace())
            imports.setdefault(module.code_for_node(bare).strip(), bare)
        else:
            others.append(node)
    names: list[str] = []
    for text in imports:
        names.extend(name for node in ast.parse(text).body for name in bindings(node) if "." not in text)
    if len(names) != len(set(names)) or bound & set(names):
        return list(body)
    first = [node for text, node in imports.items() if text.startswith("from __future__")]
    return [*first, *(node for node in imports.values() if node not in first), *others]


def _tidy(body: Sequence[Line]) -> list[Line]:
    """Without a doubled `answer = answer` at the end, and with blank lines around definitions only."""
    lines = list(body)
    twice = m.SimpleStatementLine([m.Assign([m.AssignTarget(m.Name(ANSWER))])])
    if len(lines) > 1 and m.matches(lines[-2], twice) and m.matches(lines[-1], _ITSELF):
        lines.pop()
    tidy: list[Line] = []
    apart = False
    for node in lines:
        leading = [line for line in getattr(node, "leading_lines", ()) if line.comment is not None]
        defines = isinstance(node, cst.FunctionDef | cst.ClassDef)
        if tidy and (defines or apart):
            leading = [cst.EmptyLine(indent=False), *leading]
        tidy.append(node.with_changes(leading_lines=leading))
        apart = defines
    return tidy
