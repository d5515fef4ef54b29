"""Values that a function or an operator cannot take."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

VALUES: tuple[Mistake, ...] = (
    same("int_text", "int('12a')", "int('')", "int('3.5')", 'int("it\'s")'),
    same("float_text", "float('n/a')", "float('1,5')", "float('')"),
    same("not_in_list", "[1, 2].index(5)", "['a'].index('b')", "[(1, 2)].index((3, 4))"),
    same("remove_missing", "[1, 2].remove(5)", "rows = ['a']\nrows.remove('zz')"),
    same("substring", "'abc'.index('z')", "'a b'.index('needle, in')"),
    same("empty_separator", "'a'.split('')", "'x,y'.split('')"),
    same("negative_sqrt", "import math\nmath.sqrt(-1)", "import math\nx = -77.5\nmath.sqrt(x)"),
    same("bad_month", "import datetime\ndatetime.date(2024, 13, 1)", "import datetime\ndatetime.date(1999, 0, 7)"),
    same("bad_day", "import datetime\ndatetime.date(2023, 2, 29)", "import datetime\ndatetime.date(2024, 4, 31)"),
    same("bad_hour", "import datetime\ndatetime.time(25, 1)", "import datetime\ndatetime.time(99)"),
    same(
        "strptime_format",
        "from datetime import datetime\ndatetime.strptime('2024-01-02', '%d.%m.%Y')",
        "import datetime as d\nd.datetime.strptime(\"it's 5\", '%H:%M')",
    ),
    same(
        "strptime_rest",
        "from datetime import datetime\ndatetime.strptime('2024-01-02 10:00', '%Y-%m-%d')",
        "import datetime as d\nd.datetime.strptime('12:30:59', '%H:%M')",
    ),
    same(
        "bad_directive",
        "from datetime import datetime\ndatetime.strptime('x', '%Q')",
        "from datetime import datetime\ndatetime.strptime('2024', '%Y %Q')",
    ),
    same(
        "isoformat",
        "from datetime import date\ndate.fromisoformat('1.2.2024')",
        "from datetime import date\ndate.fromisoformat('May 5th')",
    ),
    same("too_many_slices", "range(1, 5, 0)", "range(10, 2, 0)"),
    same("zero_step", "[1, 2][::0]", "'abc'[::0]"),
    same("math_log", "import math\nmath.factorial(-1)", "import math\nmath.factorial(-50)"),
    same("chr_range", "chr(-1)", "chr(99999999)"),
    same("strict_zip", "import random\nrandom.sample([1], 4)", "import random\nrandom.sample(['a', 'b'], 9)"),
    same("choice_empty", "import random\nrandom.choice([])", "import random\nrandom.choice(())"),
    same("division", "1 / 0", "x = 5.0\ny = 0\nx / y", "total = 9\ntotal // 0", "7 % 0"),
    same("overflow_exp", "import math\nmath.exp(1000)", "import math\nmath.exp(987654)"),
    same("overflow_power", "2.0 ** 5000", "10.5 ** 1234"),
    same("huge_int_to_float", "float(10 ** 400)", "x = 7 ** 900\nfloat(x)"),
    same(
        "recursion",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "def down(tree):\n    return [down(tree)]\ndown({})",
        local=False,
    ),
    same("assertion", "assert 1 == 2", "x = []\nassert x"),
    same("encode_ascii", "'ä'.encode('ascii')", "'naïve £'.encode('ascii')"),
    same("decode_utf8", "'ä'.encode('latin-1').decode('utf-8')", "'xyzé1'.encode('latin-1').decode('utf-8')"),
    same("unknown_encoding", "'a'.encode('utf9')", "'other text'.encode('utf9')"),
    same("hex_text", "int('xyz', 16)", "int('0xg', 16)"),
    same("fromhex", "bytearray.fromhex('zz')", "bytearray.fromhex('12 3q')", local=False),
)
