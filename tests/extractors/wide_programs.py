"""A wide range of Python for random programs: closures, decorators, classes, generators, context managers, match."""

from __future__ import annotations

from tests.extractors.programs import Grammar

PRELUDE = """import math, random, heapq, functools, itertools, copy, operator, json, re, io, sys
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
a, b, c = 1, 2, 3
xs = [3, 1, 2]
ys = [5, 4]
zs = [6]
d = {'k': [1]}
e = {'u': 1, 'v': 2}
s = {1, 2}
n = [xs, [7, 8]]
log = []
@dataclass
class Box:
    size: int = 1
    items: list = field(default_factory=list)
    def put(self, q):
        self.items.append(q)
        return self
    @property
    def total(self):
        return sum(self.items) + self.size
    @classmethod
    def of(cls, items):
        return cls(items=items)
    @staticmethod
    def twice(q):
        return q * 2
box = Box()
class Count:
    made = 0
    shared = []
    def __init__(self, start=0):
        self.at = start
        Count.made += 1
    def __call__(self, by=1):
        self.at += by
        return self.at
    def __enter__(self):
        self.at += 10
        return self
    def __exit__(self, *rest):
        self.at -= 1
        return True
    def __getitem__(self, key):
        self.at += 1
        return self.at + key
    def __iadd__(self, by):
        self.at += by
        return self
    def __len__(self):
        return self.at
    def __iter__(self):
        yield self.at
        self.at += 1
count = Count()
def make(start):
    held = [start]
    def more(by=1):
        held[0] += by
        return held[0]
    return more
tick = make(1)
def logged(func):
    @functools.wraps(func)
    def inner(*args, **kwargs):
        log.append(func.__name__)
        return func(*args, **kwargs)
    return inner
@logged
def double(q):
    return q * 2
def gen(items):
    for item in itertools.islice(items, 20):
        yield item + 1
stream = gen(xs)
def spread(*args, **kwargs):
    return list(args) + sorted(kwargs)
def fill(items, value=0, seen=[]):
    seen.append(value)
    items.append(value)
    return seen
@contextmanager
def opened(items):
    items.append(0)
    yield items
    items.append(-1)
Pair = namedtuple('Pair', 'left right')
pair = Pair(xs, ys)
add = partial(operator.add, 1)
dq = deque(ys)
"""

TEMPLATES = r"""i = 7
i = j + 7
i += j
i, j = j, i
l = m
l = list(m)
l = m[::-1]
l[7:7] = [i]
l[:1] = m
del l[:1]
l *= 2
l.insert(0, i)
l.extend(x for x in m[:9] if x > 7)
i = len(l)
l.clear()
box = Box(i, l)
box.put(i)
box.put(i).put(7)
i = box.total
box.size = i
box.size += 7
l = box.items
box = Box.of(l)
box = replace(box, size=7)
other = box
other.put(7)
i = Box.twice(j)
box = copy.copy(box)
box = copy.deepcopy(box)
count = Count(i)
count()
i = count(7)
i = count.at
with count as other2:\n    i = 7\n    raise ValueError
with count:\n    pass
i = count[7]
count += 7
i = len(count)
i = sum(count)
Count.made = 7
i = Count.made
Count.shared.append(i)
l = Count.shared
count.shared.append(7)
count.at = i
setattr(count, 'at', 7)
i = getattr(count, 'at')
tick = make(i)
tick()
i = tick(7)
tock = tick
tock()
i = double(j)
l = log
double(7)
stream = gen(l)
i = next(stream, 7)
l = list(stream)
for x in stream:\n    i += x\n    break
l = spread(*m, **e)
l = spread(i, *m[:1], key=7)
fill(l, i)
l = fill(m, 7)
fill(value=i, items=l)
with opened(l) as held:\n    held.append(i)
with opened(l):\n    i = len(l)
with suppress(ZeroDivisionError):\n    i = 7 // j
pair = Pair(l, m)
pair.left.append(i)
l, m = pair
l = pair.right
add = partial(operator.add, i)
i = add(j)
apply = l.append
apply = l.append\napply(i)
list(map(l.append, [i, 7]))
[m.append(x) for x in l[:2]]
l = [y for x in n for y in x if y > 7]
l = [(y := x + i) for x in m]
d = {'k': l, 'q': m}
d['k'] += [i]
d.update(k=l)
d.update({'q': [i]})
d |= {'r': l}
l = d.pop('q', m)
l = d.setdefault('r', m)
for k2 in list(d):\n    d[k2].append(7)
for k2, v2 in d.items():\n    d[k2] = v2[:2]
e['u'] = i
e['w'] = e.get('w', 0) + i
i = e.pop('u', 7)
del e['v']
i = sum(e.values())
for k2 in e:\n    e[k2] += 7
s.add(i)
s |= {i, 7}
s.discard(i)
s2 = s\ns2.add(7)
l = sorted(s)
s -= {7}
n.append(l)
n[-1].append(7)
n = [l, *n[:2]]
first, *rest = l
first, *rest = l\nrest.append(i)
n[0], n[1] = n[1], n[0]
n = copy.copy(n)
n = copy.deepcopy(n)
for r in n:\n    for x in r[:2]:\n        i += x
for x in l:\n    if x > 7:\n        i = x\n        break\nelse:\n    i = 0
for p, l[0] in enumerate(m[:2]):\n    i = p
while l:\n    i = l.pop()\nelse:\n    j = 7
while True:\n    i += 1\n    if i > 7:\n        break
try:\n    i = l[7]\nexcept IndexError:\n    i = 0\nelse:\n    j = 1\nfinally:\n    m.append(i)
try:\n    i = 7 // j\nexcept ZeroDivisionError as bad:\n    i = len(str(bad))
try:\n    l.append(7)\n    raise ValueError('x')\nexcept ValueError:\n    pass
match l:\n    case [x, *y]:\n        i = x\n        y.append(7)\n    case []:\n        i = 0
match e:\n    case {'u': w, **others}:\n        j = w\n    case _:\n        j = 7
match j:\n    case 1 | 2:\n        l.append(7)\n    case x if x > 7:\n        i = x
i = 7 if l else j
l = l or m
l = m and [i]
i = (j := 7) + j
text = f'{i}-{len(l)}'
text = f'{l!r:>7}'
i = len(text) if 'text' in dir() else 7
global_change = None
def bump():\n    global i\n    i += 7
def bump():\n    l.append(7)\n    return l
bump()
def outer():\n    t = 0\n    def inner(q):\n        nonlocal t\n        t += q + i\n        return t\n    return inner
deep = outer()\ni = deep(7) + deep(1)
def outer():\n    return lambda q: l.append(q)
outer()(i)
funcs = [lambda q=i: q + j for i in range(2)]\ni = funcs[0]()
funcs = {'f': l.append, 'g': tick}
funcs['f'](i)
i = funcs['g']()
k = lambda q, z=l: z.append(q)
k(i)
k = lambda: i
j = k()
class Own(Count):\n    made = 7\n    def __call__(self, q=1):\n        l.append(q)\n        return super().__call__(q)
count = Own(i)
class Bag:\n    held = l\n    top = i
Bag.held.append(7)
i = Bag.top
Bag.top = 7
bag = Bag()\nbag.held += [i]
class Reg(type):\n    pass
def wraps(func):\n    l.append(7)\n    return func
@wraps\ndef g2(q):\n    return q + i
j = g2(7)
@functools.lru_cache\ndef g3(q):\n    return q + len(l)
j = g3(1)
i = reduce(lambda x, y: x + y, l, 7)
i = reduce(operator.add, l, j)
l = sorted(m, key=lambda x: -x)
l.sort(key=lambda x: (x % 2, x))
i = max(l, default=7)
l = list(zip(l, m))
it = iter(l)
i = next(it, 7)
l = list(it)
z = zip(xs, ys)
l = [p + q for p, q in z]
l = list(itertools.chain(l, m))
i = list(itertools.accumulate(l))[-1] if l else 7
g4 = itertools.islice(iter(l), 2)
dq.append(i)
dq.appendleft(7)
i = dq.popleft() if dq else 7
dq.rotate(1)
dq = deque(l, maxlen=3)
cn = Counter(l)
cn = Counter(l)\ncn.update(m)\ni = cn[7]
dd = defaultdict(list)
dd = defaultdict(list)\ndd[i].append(j)\nl = dd[i]
i = json.loads(json.dumps(j))
l = json.loads(json.dumps(m))
buf = io.StringIO()\nprint(i, l, file=buf)\ni = len(buf.getvalue())
random.seed(7)
i = random.randint(0, 7)
random.shuffle(l)
l = random.sample(m, min(2, len(m)))
heapq.heappush(l, i)
i = heapq.heappop(l) if l else 7
heapq.heapify(l)
del l[0]
del xs
i = l[7]
i = 7 // j
i = undefined_name
undefined_name(l)
l.no_such()
for x in list(l):\n    m.append(x // j)
print(i, l)
print(l.pop())
print(f'{l.append(7)}')
assert l or True
l
l.count(i)
i == j
len(l)
box
str(box)
vars(box)['size'] = 7
box.__dict__['size'] = i
i = box.size; j = i + 1
if l:\n    l2 = l\nelse:\n    l2 = m\nl2.append(7)
(l if i > 7 else m).append(i)
(l or m).append(7)
[l, m][0].append(i)
{'k': l}['k'].append(7)
(lambda q: q.append(7))(l)
l.append(l.pop() if l else 7)
l.append(i) if i > 7 else m.append(7)
i > 7 and l.append(i)
_ = l.append(i)
_ = [l.pop() for _ in range(1) if l]
any(l.append(x) for x in m[:1])
l += m
l = l + m
l[:] = [x + 1 for x in l]
l[i % len(l) if l else slice(0)] = [7] if not l else 7
i = i
l = l[:]
e = dict(e, u=7)
e = {**e, 'v': i}
e = dict(zip('uv', l))
e = {q: w + i for q, w in e.items()}
d = dict.fromkeys('kq', l)
d = {'k': l.copy()}
l = [*m]
l = [x for x in m]
l = list(filter(None, m))
l = list(map(lambda x: x + i, m))
l = [[q for q in m if q != i] for _ in range(1)][0]
t = (l, i)
t = (l, i)\nt[0].append(7)
t2 = l, m = m, l
i = j = 7
l = m = [7]
l = n[0] = m
for l[0] in m[:1]:\n    pass
for n[0] in [m]:\n    pass
import math as mm
i = mm.floor(7.5)
from math import floor as fl; i = fl(j)
i = operator.itemgetter(0)(l) if l else 7
operator.setitem(l, 0, i)
operator.iadd(l, [i])
list.append(l, i)
dict.update(d, {'k': l})
super_list = list.append\nsuper_list(l, 7)
raise ValueError('stop')""".splitlines()

ASKED = """(a, b, c)
xs
(xs, ys)
n
d
e
sorted(s)
box
box.total
count.at
tick()
log
list(stream)
pair
add(a)
list(dq)
sorted(zs, key=str)
double(a)
Count.made
Count.shared
bump()
k(1)
k()
Bag.held
Bag.top
deep(1)
g2(1)
fill(zs)
funcs['f'](2)
l2
cn
dict(dd)
t
rest
buf.getvalue()
text
list(z)
list(it)
(a, xs, ys, zs)""".splitlines()

WIDE = Grammar(PRELUDE, tuple(TEMPLATES), tuple(ASKED))
