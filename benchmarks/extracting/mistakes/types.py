"""Wrong types and wrong arguments."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

TYPES: tuple[Mistake, ...] = (
    same("str_plus_int", "'a' + 1", "label = 'n: '\nlabel + len('abc')"),
    same("int_plus_str", "1 + 'a'", "x = 3\ny = '4'\nx + y"),
    same("none_plus_int", "None + 1", "best = {}.get('x')\nbest + 20"),
    same("list_plus_int", "[1] + 2", "rows = ['a']\nrows + 77"),
    same("less_int_str", "1 < 'a'", "if 30 < '4':\n    pass"),
    same("sort_mixed", "sorted([3, 'a'])", "sorted([1, 2, 'zz', 4])"),
    same("call_int", "x = 5\nx()", "total = 77\ntotal(1, 2)"),
    same("call_str", "w = 'a'\nw()", "name = 'x y'\nname(3)"),
    same("call_list", "x = [1]\nx(0)", "rows = []\nrows('a')"),
    same("call_none", "f = None\nf()", "{}.get('go')(1)"),
    same("iterate_int", "list(5)", "sum(77)", local=False),
    same("for_int", "for i in 5:\n    pass", "n = 12\nfor step in n:\n    print(step)", local=False),
    same("unhashable_list", "{[1]: 2}", "d = {}\nd[['a', 'b']] = 1", "{(1, 2), [3]}"),
    same("unhashable_dict", "{{}: 1}", "set([{'a': 1}])", local=False),
    same("unpack_none", "a, b = None", "left, right = [].sort()", local=False),
    same("too_many_values", "a, b = 1, 2, 3", "x, y, z = [[], 2, 'a', 4]"),
    same("not_enough_values", "a, b, c = 1, 2", "x, y = [5]"),
    same(
        "missing_argument", "def f(a, b):\n    pass\nf(1)", "def g(left, right):\n    return left\ng('x')", local=False
    ),
    same("too_many_arguments", "def f(a):\n    pass\nf(1, 2)", "def go(n, m):\n    return n\ngo(1, 2, 3)", local=False),
    same("unexpected_keyword", "def f(a):\n    pass\nf(b=1)", "def go(n):\n    return n\ngo(size=3)", local=False),
    same(
        "method_arguments",
        "class A:\n    def go(self):\n        pass\nA().go(1)",
        "class Box:\n    def put(self, x):\n        pass\nBox().put(1, 2)",
        local=False,
    ),
    same("sorted_cmp", "sorted([1], cmp=len)", "rows = ['b', 'a']\nsorted(rows, cmp=None)"),
    same("round_str", "round('1.5')", "round('n/a')"),
    same("abs_str", "abs('-1')", "abs('x')"),
    same("int_none", "int(None)", "value = {}.get('a')\nint(value)"),
    same("int_list", "int([1])", "int(['a', 'b'])"),
    same("float_none", "float(None)", "x = None\nfloat(x)"),
    same("range_float", "range(2.5)", "range(0, 10 / 5)", local=False),
    same("join_int", "','.join([1, 2])", "' '.join(['a', 'b', 3])"),
    same("format_none", "'{:.2f}'.format(None)", "'{:>10}'.format(None)"),
    same("percent_d", "'%d' % 'a'", "'%d rows' % 'twelve'"),
    same("percent_few", "'%s %s' % 'a'", "'%s-%s-%s' % ('a', 'b')"),
    same("percent_many", "'%s' % ('a', 'b')", "'x' % 5"),
    same("max_empty", "max([])", "max([x for x in (1, 2) if x > 3])"),
    same("min_empty", "min([])", "min(())"),
    same("len_none", "len(None)", "rows = {}.get('r')\nlen(rows)"),
    same("in_int", "1 in 5", "'a' in 77"),
    same("in_str", "1 in 'abc'", "22 in '221'"),
    same("bad_unary", "-'a'", "-'twelve'"),
    same("isinstance_arg", "isinstance(1, 'int')", "isinstance('a', 5)"),
    same(
        "json_datetime",
        "import json, datetime\njson.dumps(datetime.date(2024, 1, 2))",
        "import json, datetime\njson.dumps({'a': [datetime.date(1999, 12, 31)]})",
    ),
    same("json_set", "import json\njson.dumps({1, 2})", "import json\njson.dumps({'k': {'a'}})"),
    same(
        "date_minus_datetime",
        "from datetime import date, datetime\ndatetime(2024, 1, 1) - date(2024, 1, 1)",
        "import datetime as d\nd.datetime(1999, 5, 6, 7) - d.date(2000, 2, 2)",
    ),
    same(
        "naive_aware",
        "from datetime import datetime, timezone\ndatetime(2024, 1, 1) < datetime.now(timezone.utc)",
        "from datetime import datetime, timezone\ndatetime.now(timezone.utc) < datetime(1999, 2, 3, 4)",
    ),
    same(
        "strptime_int",
        "from datetime import datetime\ndatetime.strptime(2024, '%Y')",
        "import datetime as d\nd.datetime.strptime(17, '%d.%m')",
    ),
    same("re_on_none", "import re\nre.sub('a', 'b', None)", "import re\nre.findall(r'\\d+', None)"),
    same(
        "bytes_pattern",
        "import re\nre.search('a', 'b'.encode())",
        "import re\nre.findall(r'\\d+', 'x1'.encode('utf-16'))",
    ),
    same("bytes_plus_str", "b'a' + 'b'", "b'long' + 'text here'"),
)
