"""The memories that are compared: ours, the same without evidence, and counters that credit all that was shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from scipy.special import betaincinv

from benchmarks.year.world import Contender, Need, Recurring
from memu_code.graph.standing import QUANTILE
from memu_code.model import Environment, Evidence, EvidenceKind, Solution, State
from memu_code.recall import ranking
from memu_code.recall.proof import proofs

K = EvidenceKind
OFFERED = 3  # snippets of a block
SPACE = "~year"
START = 1_735_689_600.0  # seconds since the epoch of the first day, a midnight
DAY = 86_400.0


class Remembering:
    """Which solutions are known, under which wordings, and the order by relevance: all there is without evidence."""

    def __init__(self, problems: Iterable[Recurring]) -> None:
        self.known: dict[str, dict[str, set[int]]] = defaultdict(dict)
        for problem in problems:
            for contender in problem.contenders:
                if contender.id in problem.known:
                    self.known[problem.id][contender.id] = {contender.wording}

    def learn(self, need: Need, contender: Contender) -> None:
        """A run wrote this by itself, and its answer was accepted."""
        self.known[need.problem.id].setdefault(contender.id, set()).add(need.wording)

    def ranked(self, need: Need) -> list[str]:
        """The ids of what is offered, best first."""
        known = self.known[need.problem.id]
        factors = self.factors(list(known), need)
        scores = {
            node: max(need.problem.likeness[need.wording][wording] for wording in wordings) * factors[node]
            for node, wordings in known.items()
        }
        offered = {node: score for node, score in scores.items() if score > 0.0}
        return ranking.diverse({node: f"answer = {node}()" for node in offered}, offered, OFFERED)

    def factors(self, nodes: Sequence[str], need: Need) -> Mapping[str, float]:
        """What is left of the relevance of each node."""
        return dict.fromkeys(nodes, 1.0)

    def happened(self, need: Need, offered: Sequence[str], used: str, *, failed: bool, answered: bool) -> None:
        """A run ended: what it was offered, what credit found of it in its code, if anything, and how that went."""
        if used and answered and not failed:  # the task's wording becomes another problem that it solves
            self.known[need.problem.id][used].add(need.wording)

    def disliked(self, need: Need, used: str) -> None:
        """A person said `down` of the result."""


class WithEvidence(Remembering):
    """Ours: rows of evidence, the state and the bound that follow from them, and what ranking makes of both."""

    def __init__(self, problems: Iterable[Recurring]) -> None:
        super().__init__(problems)
        self.rows: dict[str, list[Evidence]] = defaultdict(list)
        for node in (node for nodes in self.known.values() for node in nodes):
            for kind in (K.RAN_OK, K.ANSWERED):
                self.add(node, kind, "run_before", 0.0, Environment(packages=((node[:-1], "1.4"),)))

    def evidence(self, ids: Iterable[str]) -> Mapping[str, list[Evidence]]:
        """What the store would give: the rows of each node."""
        return {node: self.rows[node] for node in ids}

    def factors(self, nodes: Sequence[str], need: Need) -> Mapping[str, float]:
        uses = {item.id for item in need.problem.contenders if item.package}
        solutions = {
            node: Solution(SPACE, "", node, imports=(need.problem.id,) if node in uses else ()) for node in nodes
        }
        environment = Environment(need.sandbox, packages=((need.problem.id, need.version),))
        known = proofs(self, solutions, environment, START + need.day * DAY)
        return {
            node: ranking.order_factor(found.standing.state, found.standing.lower_bound) * found.factor
            for node, found in known.items()
        }

    def learn(self, need: Need, contender: Contender) -> None:
        super().learn(need, contender)
        for kind in (K.RAN_OK, K.ANSWERED):
            self._seen(need, contender.id, kind)

    def happened(self, need: Need, offered: Sequence[str], used: str, *, failed: bool, answered: bool) -> None:
        super().happened(need, offered, used, failed=failed, answered=answered)
        for node in offered:
            self._seen(need, node, K.SHOWN)
        if used and failed:
            self._seen(need, used, K.USED_FAILED)
        elif used and answered:
            for kind in (K.USED, K.RAN_OK, K.ANSWERED):
                self._seen(need, used, kind)

    def disliked(self, need: Need, used: str) -> None:
        self._seen(need, used, K.DOWN)

    def _seen(self, need: Need, node: str, kind: EvidenceKind) -> None:
        environment = Environment(need.sandbox, packages=((need.problem.id, need.version),))
        self.add(node, kind, f"run_{need.number}", need.day, environment)

    def add(self, node: str, kind: EvidenceKind, run: str, day: float, environment: Environment) -> None:
        self.rows[node].append(Evidence(SPACE, node, kind, "ann", START + day * DAY, run, environment))


class Counting(Remembering):
    """Counters that know no use: each run's outcome is credited to all that it was offered."""

    def __init__(self, problems: Iterable[Recurring]) -> None:
        super().__init__(problems)
        self.counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for node in (node for nodes in self.known.values() for node in nodes):
            self.counts[node][0] += 1

    def factors(self, nodes: Sequence[str], need: Need) -> Mapping[str, float]:
        bounds = {node: betaincinv(1 + self.counts[node][0], 1 + self.counts[node][1], QUANTILE) for node in nodes}
        return {node: ranking.order_factor(State.PROVEN, float(bound)) for node, bound in bounds.items()}

    def learn(self, need: Need, contender: Contender) -> None:
        super().learn(need, contender)
        self.counts[contender.id][0] += 1

    def happened(self, need: Need, offered: Sequence[str], used: str, *, failed: bool, answered: bool) -> None:
        super().happened(need, offered, used, failed=failed, answered=answered)
        for node in offered:
            self.counts[node][0 if answered else 1] += 1

    def disliked(self, need: Need, used: str) -> None:
        self.counts[used][1] += 1


ARMS: Mapping[str, type[Remembering]] = {
    "evidence": WithEvidence,
    "no evidence": Remembering,
    "counters without credit": Counting,
}
