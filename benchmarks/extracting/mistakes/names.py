"""Names that are not there, and look-ups that find nothing."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

NAMES: tuple[Mistake, ...] = (
    same("undefined_np", "x = np.zeros(3)", "total = [np.mean([1, 2])]"),
    same("undefined_pd", "pd.DataFrame({'a': [1]})", "frame = pd.read_csv('b.csv')"),
    same("undefined_datetime", "datetime.now()", "day = datetime.strptime('2024', '%Y')"),
    same("undefined_mean", "mean([9])", "y = [mean(k) for k in ([1], [4])]"),
    same("del_undefined_cache", "del cache", "a = 1\ndel cache"),
    same("list_push", "[1].push(2)", "rows = ['a', 'b']\nrows.push('c')", "[{'a': [1]}, (2, 3)].push(0)"),
    same("dict_has_key", "{'a': 1}.has_key('a')", "d = {3: [4]}\nif d.has_key(5):\n    pass"),
    same("str_append", "'ab'.append('c')", "name = 'a [1], b'\nname.append('x')"),
    same("none_group", "import re\nre.match('a', 'b').group()", "import re\nm = re.search(r'\\d', 'x')\nm.group(1)"),
    same("none_append", "[].append(1).append(2)", "rows = None\nrows.append({'a': 2})"),
    same("int_split", "(5).split(',')", "total = 7_000\ntotal.split()"),
    same("float_len", "len(1.5)", "x = 2e7\nlen(x)"),
    same("math_foo", "import math\nmath.square(2)", "import math as m\nprint(m.square(77))"),
    same("datetime_no_parse", "import datetime\ndatetime.parse('2024')", "import datetime as d\nd.parse('1 May 2020')"),
    same("no_module", "import pandaz", "import pandaz as p\np.x", local=False),
    same("no_submodule", "import json.reader", "import json.reader as r", local=False),
    same("cannot_import", "from math import square", "from math import pi, square", local=False),
    same("moved_abc", "from collections import Mapping2", "from collections import deque, Mapping2", local=False),
    same(
        "unbound_local",
        "n = 0\ndef up():\n    n += 1\nup()",
        "total = 5\ndef add(value):\n    total = total + value\nadd(3)",
        local=False,
    ),
    same(
        "unbound_free",
        "def outer():\n    def inner():\n        return late\n    inner()\n    late = 1\nouter()",
        "def run():\n    def step():\n        return size + 1\n    step()\n    size = 2\nrun()",
        local=False,
    ),
)
LOOKUPS: tuple[Mistake, ...] = (
    same("missing_key", "{'a': 1}['b']", "d = {'x': {'y': 2}}\nd['x']['z']", "{1: 2}[('a', 3)]", local=False),
    same("missing_text_key", "{'a': 1}['b']", "d = {'rows': [1, 2], 'k': None}\nd['cols']"),
    same("pop_missing_key", "{'a': 1}.pop('b')", "d = {}\nd.pop('user: name')"),
    same("empty_set", "set().pop()", "s = {1}\ns.pop()\ns.pop()"),
    same("list_index", "[1, 2][5]", "rows = [['a'], []]\nrows[1][0]", "[][-1]"),
    same("tuple_index", "(1, 2)[5]", "pair = ('a',)\npair[-4]"),
    same("string_index", "'abc'[9]", "word = ''\nword[0]"),
    same("pop_empty", "[].pop()", "rows = [1]\nrows.pop()\nrows.pop()"),
    same("pop_out_of_range", "[1].pop(4)", "rows = ['a', 'b']\nrows.pop(-9)"),
    same("assign_index", "x = [1]\nx[3] = 2", "rows = [[], []]\nrows[7] = 'a'"),
    same("string_key_on_list", "[1, 2]['a']", "rows = [{'a': 1}]\nrows['name']"),
    same("float_key_on_list", "[1, 2][1.5]", "rows = ['x']\nmid = len(rows) / 2\nrows[mid]"),
    same("slice_of_int", "x = 5\nx[0]", "(7).bit_length()[1]"),
    same("subscript_none", "None[0]", "found = {}.get('a')\nfound['b']"),
    same("no_item_assignment", "s = 'abc'\ns[0] = 'x'", "name = ''\nname[2] = 'long text'"),
    same("tuple_assignment", "t = (1, 2)\nt[0] = 5", "pair = ('a', [])\npair[1] = None"),
    same("next_empty", "next(iter([]))", "it = iter('a')\nnext(it)\nnext(it)"),
    same("dict_changed", "d = {1: 2}\nfor k in d:\n    d[k + 5] = 0", "d = {'a': 1}\nfor w in d:\n    d[w + 'x'] = 2"),
)
