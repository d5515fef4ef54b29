"""How a stored solution can be proved again: what runs, with which inputs, to come to which answer; and what is due."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memu_code.errors import UnknownIdError
from memu_code.extractors.sources.calls import reads
from memu_code.graph import View, standing
from memu_code.graph.disuse import last_of_use
from memu_code.graph.judging import judged
from memu_code.model import DAY, Relation, Run, Solution, State
from memu_code.recall.installed import installed_versions
from memu_code.redact import outgoing

DUE_DAYS = 30.0  # a proof that is older has to be looked at again
RUNS_AT_MOST = 20  # of a solution that are looked at for one that kept enough

# What gives another answer another time or elsewhere, whether the code is right or not: time, chance, the machine, the
# network, and files by whichever package (`extractors.sources` knows what such calls are called).
_MOMENT = re.compile(
    r"(?:.*\.)?(?:now|today|utcnow|rvs)"
    r"|time\.(?!strptime$|mktime$|sleep$|struct_time$).*"
    r"|sys\.(?!maxsize$|float_info\b|exit$|getrecursionlimit$|setrecursionlimit$).*"
    r"|os\.(?!path\.(?:join|basename|dirname|split|splitext|normpath)$).*"
    r"|uuid\.uuid[14]|urllib\.request(?:\..*)?|http\.client(?:\..*)?|numpy\.random(?:\..*)?"
    r"|(?:random|secrets|socket|ssl|subprocess|multiprocessing|pathlib|tempfile|shutil|glob|getpass|platform|locale"
    r"|requests|httpx|aiohttp|urllib3|ftplib|smtplib|imaplib|poplib|paramiko|boto3|redis|pymongo|psycopg2?|sqlalchemy"
    r")(?:\..*)?|open|input|id|hash"
)
_SHAPE = re.compile(r"<[A-Za-z_][\w.]*(?: [^<>\n]*)?>")
_REDACTED = "[redacted:"


@dataclass(frozen=True, slots=True)
class Check:
    """How a solution is proved again: the code that runs, with the values of its inputs, and the answer to come to.

    A function is proved by the `carrier`, the solution of the same run that called it; else that is the solution
    itself. `due` says why it should be looked at again, where that is why it is here.
    """

    solution: Solution
    carrier: Solution
    run: Run
    due: str = ""

    @property
    def inputs(self) -> dict[str, str]:
        """The literals of the inputs that the code reads, by name."""
        wanted = {given.name for given in self.carrier.inputs}
        return {given.name: given.value for given in self.run.inputs if given.name in wanted and given.value}

    @property
    def authorized(self) -> tuple[str, ...]:
        """The imports that the run was allowed, as far as the code needs them."""
        allowed, needed = self.run.environment.authorized_imports, self.carrier.imports
        if "*" in allowed:
            return tuple(item for name in needed for item in (name, f"{name}.*"))
        return tuple(name for name in allowed if name.partition(".")[0] in needed)


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A solution that cannot be proved again, and why."""

    solution: Solution
    reason: str
    due: str = ""


def check_of(view: View, solution: Solution, due: str = "") -> Check | Unchecked:
    """How a solution is proved again, by the newest of its runs that kept enough for it.

    Raises:
        StoreError: the store cannot be read.
    """
    reasons: list[str] = []
    for run, carrier in _runs(view, solution):
        if not (reason := _reason(run, carrier)):
            return Check(solution, carrier, run, due)
        reasons.append(reason)
    return Unchecked(
        solution, reasons[0] if reasons else "no run is kept that led to it and shows how it is called", due
    )


def told(check: Check | Unchecked) -> Check | Unchecked:
    """The same without secrets that an older version kept; what ran with one cannot be proved again without it."""
    after = outgoing(check)
    if not isinstance(check, Check) or not isinstance(after, Check):
        return after
    if reason := _reason(after.run, after.carrier):
        return Unchecked(after.solution, reason, check.due)
    return after


def due_checks(view: View, trusted: Collection[str], now: float) -> list[Check | Unchecked]:
    """The proven solutions whose proof is older than DUE_DAYS or was taken back by a package's new version.

    Only those of spaces that are trusted, the longest unproved first.

    Raises:
        StoreError: the store cannot be read.
    """
    solutions = {
        node: value
        for node, value in view.every_node().items()
        if isinstance(value, Solution) and value.space in trusted
    }
    evidence = view.evidence(solutions)
    found: list[tuple[float, str, str]] = []
    for node, rows in evidence.items():
        if standing(rows, now=now).state is not State.PROVEN:
            continue
        last = last_of_use(row for row in rows if row.at <= now)
        known = judged(solutions[node], rows, installed=installed_versions(solutions[node].imports), now=now)
        if known.state is State.TRIAL:
            found.append((last, node, known.reason))
        elif known.state is State.PROVEN and now - last > DUE_DAYS * DAY:
            days = f"not seen to work for {(now - last) / DAY:.0f} days"
            found.append((last, node, days if last > -math.inf else "all its proofs are dated later than today"))
    return [check_of(view, solutions[node], why) for _, node, why in sorted(found)]


def _runs(view: View, solution: Solution) -> Iterator[tuple[Run, Solution]]:
    """The solved runs that led to a solution, newest first, each with the solution that came to its answer."""
    ties = view.edges([solution.id], (Relation.PRODUCED, Relation.CALLS))
    runs = {edge.source for edge in ties if edge.relation is Relation.PRODUCED}
    callers = {edge.source for edge in ties if edge.relation is Relation.CALLS and edge.target == solution.id}
    mains = {node: main for node, main in view.nodes(callers).items() if isinstance(main, Solution) and not main.name}
    seen = {row.run: row.at for row in view.evidence([solution.id]).get(solution.id, ())}
    for node in sorted(runs, key=lambda run: (-seen.get(run, 0.0), run))[:RUNS_AT_MOST]:
        try:
            run = view.run(node, solution.space)
        except UnknownIdError:  # forgotten since
            continue
        if not run.solved or run.space != solution.space:
            continue
        if not solution.name:
            yield run, solution
        else:
            made = {edge.target for edge in view.edges([run.id], (Relation.PRODUCED,))}
            yield from ((run, main) for other, main in sorted(mains.items()) if other in made)


def _reason(run: Run, carrier: Solution) -> str:
    """Why this code cannot be held against this run's answer; empty where it can."""
    if carrier.tools:
        return f"it calls {', '.join(carrier.tools)}, which only an agent has"
    moment = [name for name in carrier.symbols if _MOMENT.fullmatch(name) or reads(name)]
    if moment:
        return f"its answer depends on where and when it runs: it uses {', '.join(moment[:3])}"
    values = {given.name: given.value for given in run.inputs}
    missing = [given.name for given in carrier.inputs if not values.get(given.name)]
    if missing:
        return f"the value of {', '.join(missing)} was not kept: it is large, secret, or no plain value"
    if not run.answer or _SHAPE.fullmatch(run.answer):
        return "its answer is no plain value"
    if any(_REDACTED in text for text in (run.answer, carrier.code, *values.values())):
        return "a secret was taken out of it"
    return ""
