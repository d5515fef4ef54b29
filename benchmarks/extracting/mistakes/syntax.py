"""Code that does not parse."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

SYNTAX: tuple[Mistake, ...] = (
    same("no_colon", "if True\n    pass", "for k in [1]\n    print(k)", "def f(a)\n    return a"),
    same("never_closed", "print((1, 2)", "x = (1 +\ny = 2"),
    same("never_closed_bracket", "x = [1, 2", "rows = ['a',\nfor r in rows:\n    print(r)"),
    same("unmatched", "x = 1)", "print('a'))"),
    same("mismatch", "x = [1, 2)", "f(1)[3)"),
    same("open_string", "s = 'abc", "name = \"it's"),
    same("open_triple", "s = '''abc", "s = '''long\ntext\n"),
    same("no_block", "if True:\nx = 1", "if 5 > 3:\nprint('a')"),
    same("unexpected_indent", "x = 1\n  y = 2", "import math\n    print(math.pi)"),
    same("bad_dedent", "if 1:\n    x = 1\n  y = 2", "for i in 'a':\n        print(i)\n    print(2)"),
    same("print_statement", "print 'a'", 'print "long text", 5'),
    same("assign_to_literal", "5 = x", "'a' = name"),
    same("assign_to_call", "f() = 3", "len(rows) = 5"),
    same("comparison", "if x = 5:\n    pass", "while size = 'a':\n    pass"),
    same("return_outside", "return 5", "x = 1\nreturn x", local=False),
    same("break_outside", "break", "x = 3\nif x:\n    break", local=False),
    same("await_outside", "def f():\n    await g()", "def run(a):\n    x = 1\n    await a", local=False),
    same("positional_after_keyword", "f(a=1, 2)", "go(size='x', y)"),
    same("missing_comma", "x = [1 2]", "f(a b)", "d = {'a': 1 'b': 2}"),
    same("bad_character", "x = “a”", "print(“long text”)"),
    same("leading_zero", "x = 012", "f(007)"),
    same("bad_decimal", "x = 5abc", "y = 12px"),
    same("try_alone", "try:\n    pass\nx = 1", "try:\n    f(3)\nprint(1)"),
    same("non_default", "def f(a=1, b):\n    pass", "def go(x, y='z', w):\n    return x"),
    same("duplicate_argument", "def f(a, a):\n    pass", "def go(size, b, size):\n    pass", local=False),
    same("keyword_repeated", "f(a=1, a=2)", "go(size=3, x=1, size=4)", local=False),
    same("backslash", "x = 1 \\ 2", "y = 'a' \\ + 'b'"),
    same("unicode_escape", "p = 'C:\\Users'", "path = 'D:\\Users\\x'"),
    same("assign_to_keyword", "None = 5", "None = 'a'"),
    same("increment", "x = 1\nx++", "total = 5\ntotal++"),
    same("else_if", "if 1:\n    pass\nelse if 2:\n    pass", "x = 3\nif x:\n    x = 2\nelse if x == 2:\n    x = 1"),
    same("shell_line", "!pip install numpy", "!pip install -q pandas"),
    same("fstring_brace", "f'{a'", "f'total {x, y'"),
    same("fstring_empty", "f'{}'", "f'a {} b'"),
)
