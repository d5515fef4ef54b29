"""Slices of random programs: statements that share and change state, told as steps that ran or failed."""

from __future__ import annotations

import contextlib

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.assembly import Assembly
from memu_code.extractors.slices.slicing import Slicer
from tests.extractors.programs import Grammar, answer_of, program

PRELUDE = """import math, random, heapq
from contextlib import nullcontext
a, b, c = 1, 2, 3
xs = [3, 1, 2]
ys = [5, 4]
d = {'k': [1]}
n = [xs, [7, 8]]
def f(q):
    return q + 1
def h(q):
    ys.append(q)
def clear(items):
    items[:] = items[:1]
def keep(items):
    return items
k = lambda q: q * 2
class C:
    def __init__(self, held):
        self.held = held
    def add(self, q):
        self.held.append(q)
        return self
o = C(xs)
g = iter(ys)
zs = [6]
"""

TEMPLATES = """i = 7
i = j + 7
i += j
i, j = j, i
l = [i, 7]
l = m
l = list(m)
l = sorted(m)
l = m + [i]
l = m[1:]
l += [i]
l.append(i)
l.sort()
l[0] = i
del l[0]
i = l.pop()
i = l[0] if l else 0
i = len(l)
i = sum(x + j for x in l)
l = [x + i for x in m if x > 7]
[l.append(x) for x in list(m)]
for i in list(l):\\n    m.append(i + 1)
for i in list(l):\\n    j += i
for r in list(n):\\n    r.append(i)
while i > 0:\\n    i -= 1
if i > 7:\\n    j = 1
if i > 7:\\n    j = 1\\nelse:\\n    j = 2
if (i := len(l)) > 1:\\n    j = i
try:\\n    i = l[5]\\nexcept IndexError:\\n    i = 0
with nullcontext(l) as m:\\n    m.append(7)
n = [l, m]
n[0].append(i)
l = n[0]
l, m = n
z = n[-1]\\nz.append(7)
d['k'] = l
d['k'].append(i)
d.setdefault('7', []).append(i)
l = d.get('k', m)
for q, w in d.items():\\n    w.append(7)
d = {q: list(w) for q, w in d.items()}
def f(q):\\n    return q + i
def f(q):\\n    return f2(q) + i\\ndef f2(q):\\n    return q - 7
i = f(j)
i = k(j)
k = lambda q: q + i
l = list(map(k, m))
l = [f(x) for x in m]
def h(q):\\n    l.append(q)
h(i)
t = h
t = h\\nt(i)
clear(l)
l = keep(m)
i = max(l)
o = C(l)
o.add(i)
l = o.held
o2 = o.add(i)\\no2.add(7)
g = (x + i for x in list(l))
j = sum(g)
g = iter(l)
i = next(g, 0)
random.seed(7)
i = random.randint(0, 7)
random.shuffle(l)
heapq.heappush(l, i)
i = math.floor(j / 2)
def inc():\\n    global i\\n    i += 1
inc()
print(i, l)
print(l.pop())
i = 7 // j
i = l[7]
i = undefined_name
for x in list(l):\\n    m.append(x // j)
l.extend(m)
e = enumerate(list(l))\\nfor p, q in e:\\n    i += p
s = set(l)\\ns.add(i)
l = sorted(s)
i = [j, 7][0]; j = i + 1
import math as mm; i = mm.ceil(j)
del s
sum = 7
del sum
l = [i] * 3
l = (i, j)
l = list(reversed(m))
m = [q for q in n[0]]
""".splitlines()

NARROW = Grammar(
    PRELUDE,
    tuple(TEMPLATES),
    ("(a, b)", "xs", "(xs, ys)", "n", "d", "o.held", "sorted(zs)", "f(a)", "k(b)", "list(g)", "len(ys)"),
)


@settings(max_examples=100)
@given(st.integers(0, 100_000))
def test_a_slice_gives_the_answer_that_the_whole_run_gave(seed: int) -> None:
    """Executed alone, the slice of any program binds what its steps, executed one after the other, gave."""
    told = program(seed, NARROW)
    assume(" at 0x" not in told.answer and not told.answer.endswith("Error"))
    try:
        slicer = Slicer(told.run)
        code, _ = Assembly(slicer).code(slicer.answer())
    except NoSlice:
        code = ""
    # Only what a failed statement may have left half done is reason enough for no slice.
    assert answer_of(code) == told.answer if code else told.failed
    assert "print(" not in code or ".pop()" in code


def test_most_programs_with_failed_steps_still_have_a_slice() -> None:
    """A failed step costs a slice only where the answer rests on what it left half done."""
    cut = failed = 0
    for seed in range(60):
        told = program(seed, NARROW)
        if told.failed:
            failed += 1
            with contextlib.suppress(NoSlice):
                slicer = Slicer(told.run)
                cut += bool(Assembly(slicer).code(slicer.answer()))
    assert failed >= 10
    assert cut >= 0.6 * failed
