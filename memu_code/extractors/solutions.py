"""Solutions: the code that led to an accepted answer, and the functions in it that can be used again.

A run teaches none where nothing was computed (the answer was typed in, mostly after reading a print), where the slice
needs a name that the run did not define or a state that a failed statement may have left half done, where it rests on
what only the local interpreter does, and where its code is longer than a prompt could take: such code would not run
for the next one who finds it. A run that only called what it was offered, or wrote it down again, teaches another
wording of the problem that this solves, and no code.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterable, Sequence

from memu_code.extractors.code.structure import tree_structure
from memu_code.extractors.code.symbols import imported, packages, qualified, symbols
from memu_code.extractors.code.thoughts import spoken
from memu_code.extractors.code.walking import walk
from memu_code.extractors.protocol import Example, Extractor
from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.assembly import Assembly
from memu_code.extractors.slices.called import called
from memu_code.extractors.slices.dialect import Dialect
from memu_code.extractors.slices.known import HARMLESS_DECORATORS, PLAIN_CALLS
from memu_code.extractors.slices.offered import Reused, reused, same_as
from memu_code.extractors.slices.slicing import Part, Slice, Slicer, says_something
from memu_code.extractors.slices.timeline import Came
from memu_code.model import (
    Edge,
    Evidence,
    EvidenceKind,
    Extraction,
    Input,
    Problem,
    Relation,
    Run,
    Solution,
    Step,
    Symbol,
)

log = logging.getLogger(__name__)

MAX_FUNCTIONS = 20  # a run that defines more is a library pasted in; the first ones are kept
MAX_DESCRIPTION = 200  # characters
MAX_THOUGHT = 4_000  # characters of a thought or a docstring that are looked at

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


def extract_solutions(run: Run, found: Extraction) -> Extraction:
    """The main solution of a solved run and its reusable functions, the problem that they solve, and the evidence."""
    if not run.solved or not run.task.strip():
        return Extraction()
    try:
        slicer = Slicer(run)
        assembly = Assembly(slicer)
    except NoSlice as reason:
        log.debug("run %s teaches no solution: %s", run.id, reason)
        return Extraction()
    everything = [piece.statement for piece in slicer.pieces]
    local = run.environment.sandbox == "local"
    dialect = Dialect(everything, (item.name for item in run.inputs)) if local else None
    main = _main(run, slicer, assembly, dialect)
    if main and (ours := _reused(run, main[1], slicer)).merely:
        problem = Problem(run.space, run.task)
        return Extraction((problem,), tuple(Edge(run.space, node, Relation.SOLVES, problem.id) for node in ours.nodes))
    functions = list(_functions(run, slicer, assembly, dialect)) if main or not slicer.roots else []
    functions = [(solution, cut) for solution, cut in functions if not same_as(solution.code, run.offers)]
    return _connected(run, main, functions, slicer)


def _reused(run: Run, cut: Slice, slicer: Slicer) -> Reused:
    own = [part.piece.statement for part in cut.parts if part.piece.step >= 0]
    carried = {part.piece.source for part in cut.parts if part.piece.step < 0}
    return reused(own, carried, run.offers, slicer.ending)


def _ran(slicer: Slicer, function: Solution, cut: Slice) -> bool:
    """Whether the function was called, as it is kept: an answer that only hands it over proves nothing about it."""
    definitions = [
        part.position
        for part in cut.parts
        if isinstance(part.piece.statement, ast.FunctionDef) and part.piece.statement.name == function.name
    ]
    return function.name in called(slicer.pieces, max(definitions, default=-1))


def _connected(
    run: Run,
    main: tuple[Solution, Slice] | None,
    functions: list[tuple[Solution, Slice]],
    slicer: Slicer,
) -> Extraction:
    everything = [*([main] if main else []), *functions]
    if not everything:
        return Extraction()
    problem = Problem(run.space, run.task)
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    for solution, cut in everything:
        edges.append(Edge(run.space, solution.id, Relation.SOLVES, problem.id))
        ours = _reused(run, cut, slicer).nodes
        edges.extend(Edge(run.space, solution.id, Relation.CALLS, node) for node in ours)
        edges.extend(Edge(run.space, solution.id, Relation.USES, Symbol(name).id) for name in solution.symbols)
        proved = _ran(slicer, solution, cut) if solution.name else True
        for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED) if proved else ():
            evidence.append(Evidence(run.space, solution.id, kind, run.actor, run.ended_at, run.id, run.environment))
    if main:
        ids = dict.fromkeys(solution.id for solution, _ in functions if solution.id != main[0].id)
        edges.extend(Edge(run.space, main[0].id, Relation.CALLS, target) for target in ids)
    return Extraction((problem, *(solution for solution, _ in everything)), tuple(edges), tuple(evidence))


def _main(run: Run, slicer: Slicer, assembly: Assembly, dialect: Dialect | None) -> tuple[Solution, Slice] | None:
    try:
        cut = slicer.answer()
        own = [part.piece.statement for part in cut.parts]
        if not says_something(own, slicer.ending):
            raise NoSlice("the answer was typed in, not computed")
        if dialect:
            dialect.check(own)
        code, tree = assembly.code(cut)
    except NoSlice as reason:
        log.debug("run %s teaches no main solution: %s", run.id, reason)
        return None
    last = slicer.pieces[-1].step
    return _solution(run, code, tree, cut, description=first_sentence(run.steps[last].thought)), cut


def _functions(
    run: Run, slicer: Slicer, assembly: Assembly, dialect: Dialect | None
) -> Iterable[tuple[Solution, Slice]]:
    """The functions that the answer rests on and that stand on their own."""
    try:
        within = slicer.answer().parts if slicer.roots else tuple(_last_definitions(slicer))
    except NoSlice:
        return
    seen: set[str] = set()
    for part in within:
        node = part.piece.statement
        if not isinstance(node, ast.FunctionDef) or part.piece.step < 0 or node.name in seen | slicer.ending:
            continue
        seen.add(node.name)
        if len(seen) > MAX_FUNCTIONS:
            return
        try:
            cut = slicer.definition(node.name)
            _check_closed(cut, node.name)
            if dialect:
                dialect.check([part.piece.statement for part in cut.parts])
            code, tree = assembly.code(cut)
        except NoSlice as reason:
            log.debug("run %s: function %s is not kept: %s", run.id, node.name, reason)
            continue
        told = ast.get_docstring(node) or ""
        description = first_sentence(told) or first_sentence(
            _first_with(node.name, run.steps[: part.piece.step + 1]).thought
        )
        yield _solution(run, code, tree, cut, description=description, definition=node), cut


def _first_with(name: str, steps: Sequence[Step]) -> Step:
    """The first step that wrote a function of this name, else the last: a later one speaks of what it mends in it."""
    written = re.compile(rf"\bdef\s+{re.escape(name)}\s*\(")
    return next((step for step in steps if written.search(step.code)), steps[-1])


def _last_definitions(slicer: Slicer) -> Iterable[Part]:
    """What a run that only defines functions, and calls none, leaves behind in its last step."""
    last = slicer.pieces[-1].step
    for position, piece in enumerate(slicer.pieces):
        if piece.step == last and piece.came is Came.THROUGH:
            yield Part(position, piece, frozenset())


def _check_closed(cut: Slice, name: str) -> None:
    """Raises `NoSlice` unless the slice is made of definitions, imports and plain constants only."""
    if cut.inputs:
        raise NoSlice(f"it reads the run's inputs {', '.join(cut.inputs)}")
    statements = [part.piece.statement for part in cut.parts]
    names = imported(ast.Module(body=statements, type_ignores=[]))
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            for decorator in statement.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                plain = called.id if isinstance(called, ast.Name) else ""
                if (qualified(called, names) or plain) not in HARMLESS_DECORATORS:
                    raise NoSlice("it is decorated by something that may act")
            if isinstance(statement, ast.FunctionDef) and statement.name == name and says_nothing(statement):
                raise NoSlice("it only returns what it is given")
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            if statement.value is None or not is_plain_value(statement.value, names):
                raise NoSlice("it needs a value that is computed")
        elif isinstance(statement, ast.Try):
            if not all(isinstance(inner, ast.Import | ast.ImportFrom) for inner in statement.body):
                raise NoSlice("it needs a statement that acts")
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            raise NoSlice("it needs a statement that acts")


def says_nothing(function: ast.FunctionDef) -> bool:
    """Whether the function does no more than return a constant or its argument."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if not body or all(isinstance(node, ast.Pass | ast.Global) for node in body):
        return True
    return (
        len(body) == 1 and isinstance(body[0], ast.Return) and isinstance(body[0].value, ast.Constant | ast.Name | None)
    )


def is_plain_value(value: ast.expr, names: dict[str, str]) -> bool:
    """Whether the value is a constant, or a container or a well-known object made of constants."""
    for node in walk(value):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            if (qualified(node.func, names) or called) not in PLAIN_CALLS:
                return False
        elif isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.comprehension | ast.Lambda):
            return False
    return True


def _solution(
    run: Run, code: str, tree: ast.Module, cut: Slice, *, description: str, definition: ast.FunctionDef | None = None
) -> Solution:
    seen = {item.name: Input(item.name, item.seen) for item in run.inputs}  # values belong to the run
    signature = ""
    if definition is not None:
        returns = f" -> {ast.unparse(definition.returns)}" if definition.returns else ""
        signature = f"{definition.name}({ast.unparse(definition.args)}){returns}"
    return Solution(
        space=run.space,
        code=code,
        structure=tree_structure(tree),
        name=definition.name if definition is not None else "",
        signature=signature,
        description=description,
        inputs=tuple(seen.get(name, Input(name)) for name in cut.inputs),
        imports=packages(tree),
        tools=cut.tools,
        symbols=symbols(tree, cut.tools),
    )


def first_sentence(text: str) -> str:
    """The first sentence of a thought or a docstring, without markup, at most 200 characters; empty for none."""
    sentence = " ".join(_SENTENCE_END.split(spoken(text, MAX_THOUGHT), maxsplit=1)[0].split())
    if len(sentence) > MAX_DESCRIPTION:
        sentence = sentence[: MAX_DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
    return sentence


SOLUTIONS = Extractor(
    extract_solutions,
    (
        Example(
            "state over two steps, a probe, and a function that can be used again",
            Run(
                "example",
                "~example",
                "how many words are in the text",
                inputs=(Input("text", "str len 40"),),
                steps=(
                    Step(
                        1,
                        "import re, json\n"
                        "def words(text):\n"
                        '    """All words of a text, in lower case."""\n'
                        "    return re.findall(r'[a-z]+', text.lower())\n"
                        "print(text[:10])",
                        ran=True,
                    ),
                    Step(2, "found = words(text)\nprint(found)\nfinal_answer(len(found))", ran=True, final=True),
                ),
            ),
            (
                "how many words are in the text",
                "import re\n\n"
                "def words(text):\n"
                '    """All words of a text, in lower case."""\n'
                "    return re.findall(r'[a-z]+', text.lower())\n\n"
                "found = words(text)\n"
                "answer = len(found)\n",
                "import re\n\n"
                "def words(text):\n"
                '    """All words of a text, in lower case."""\n'
                "    return re.findall(r'[a-z]+', text.lower())\n",
            ),
            (Relation.SOLVES, Relation.CALLS, Relation.USES),
        ),
        Example(
            "an answer that was typed in",
            Run(
                "example",
                "~example",
                "what is six times seven",
                steps=(Step(1, "final_answer(42)", ran=True, final=True),),
            ),
            (),
        ),
    ),
)
