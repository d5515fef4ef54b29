"""Arrays for random programs: views, copies, and functions that work in place."""

from __future__ import annotations

from tests.extractors.programs import Grammar

PRELUDE = """import numpy as np
a, b, c = 1, 2, 3
xs = np.array([3.0, 1.0, 2.0, 5.0])
ys = np.arange(4.0)
zs = np.zeros(4)
grid = np.arange(8.0).reshape(2, 4)
d = {'k': xs, 'rows': [ys, zs]}
def halve(v):
    v /= 2
    return v.sum()
def tail(v):
    return v[1:]
def total(v):
    return float(v.sum())
class Held:
    def __init__(self, v):
        self.part = v[:2]
    def put(self, q):
        self.part[0] = q
held = Held(zs)
"""
TEMPLATES = (
    "l = m[:]",
    "w = l[1:]\\nw[:] = 7",
    "w = l[:2]\\nw *= 2",
    "l[1:] = m[1:]",
    "l[:2].sort()",
    "l[::2] += 7",
    "l = m * 2",
    "l = m.copy()",
    "w = l[1:].copy()\\nw[0] = 7",
    "print(l[:2])",
    "print(l.tolist()[1:])",
    "print(total(l[1:]))",
    "i = total(l)",
    "i = halve(l[:2])",
    "halve(m)",
    "tail(l)[:] = 7",
    "w = tail(l)\\nw += i",
    "grid[0] = l",
    "w = grid[1]\\nw[0] = 7",
    "w = grid[:, 1:]\\nw[:] = i",
    "w = grid.T\\nw[0, 0] = 7",
    "w = grid.ravel()\\nw[1] = 7",
    "w = grid.reshape(4, 2)[1:]\\nw[0] = 7",
    "for row in grid:\\n    row += 1",
    "for row in grid[:1]:\\n    row[0] = i",
    "for w in [l[1:], m]:\\n    w[0] = 7",
    "d['k'][1:] = 7",
    "d['rows'][0][:1] = i",
    "w = d['rows'][:1]\\nw[0][:] = 7",
    "w = d['rows'][:1]\\nw.append(1)",
    "d['k'] = l[1:]",
    "held.put(7)",
    "held = Held(l)",
    "held.part += 1",
    "np.add(l, 1, out=l)",
    "np.sort(l)",
    "l.sort()",
    "l.fill(7)",
    "w = np.sort(l)[:2]\\nw[0] = 7",
    "w = np.flip(l)\\nw[0] = 7",
    "w = np.asarray(l)[1:]\\nw[0] = 7",
    "i = j + 7",
    "l = [q for q in m.tolist()][1:]\\nl = np.array(l + [7.0])",
    "raise ValueError(i)",
)
ASKED = (
    "xs.tolist()",
    "[xs.tolist(), ys.tolist()]",
    "zs.tolist() + [a]",
    "grid.tolist()",
    "d['k'].tolist()",
    "held.part.tolist()",
    "total(ys) + b",
)
ARRAYS = Grammar(PRELUDE, TEMPLATES, ASKED)
