"""Errors of the standard library."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

LIBRARIES: tuple[Mistake, ...] = (
    same(
        "json_empty",
        "import json\njson.loads('')",
        "import json\njson.loads('<html>')",
        "import json\njson.loads('  x')",
    ),
    same("json_single", "import json\njson.loads(\"{'a': 1}\")", "import json\njson.loads(\"  {'key': [2]}\")"),
    same("json_extra", "import json\njson.loads('1 2')", 'import json\njson.loads(\'{"a": 1}\\n{"a": 2}\')'),
    same("json_string", "import json\njson.loads('\"abc')", 'import json\njson.loads(\'{"a": "long text\')'),
    same("json_comma", "import json\njson.loads('[1 2]')", 'import json\njson.loads(\'{"a": 1 "b": 2}\')'),
    same("json_none", "import json\njson.loads(None)", "import json\nreply = {}.get('body')\njson.loads(reply)"),
    same("re_paren", "import re\nre.compile('(a')", "import re\nre.findall('x(y|(z)', 'text')"),
    same("re_repeat", "import re\nre.compile('*a')", "import re\nre.search('+', 'a+b')"),
    same("re_escape", "import re\nre.compile('\\\\p')", "import re\nre.sub('ab\\\\p', '', 'text')"),
    same("re_bracket", "import re\nre.compile('[a')", "import re\nre.match('x[0-9', '')"),
    same("no_group", "import re\nre.match('a', 'a').group(3)", "import re\nre.search('(b)', 'ab').group('name')"),
    same("decimal_text", "from decimal import Decimal\nDecimal('x')", "import decimal\ndecimal.Decimal('1,5')"),
    same(
        "decimal_zero",
        "from decimal import Decimal\nDecimal(1) / Decimal(0)",
        "from decimal import Decimal\nDecimal('7.50') / 0",
    ),
    same(
        "decimal_float",
        "from decimal import Decimal\nDecimal('1.1') + 0.5",
        "from decimal import Decimal\nDecimal(3) + 2.25",
    ),
    same(
        "fraction_text",
        "from fractions import Fraction\nFraction('x')",
        "from fractions import Fraction\nFraction('1/2/3')",
    ),
    same("mean_empty", "import statistics\nstatistics.mean([])", "import statistics as s\ns.mean(())"),
    same("stdev_one", "import statistics\nstatistics.stdev([1])", "import statistics as s\ns.stdev([7.5])"),
    same("median_empty", "import statistics\nstatistics.median([])", "import statistics\nstatistics.median(())"),
    same("struct_size", "import struct\nstruct.unpack('<I', b'a')", "import struct\nstruct.unpack('>hh', b'abc')"),
    same("struct_range", "import struct\nstruct.pack('B', 300)", "import struct\nstruct.pack('B', -5)"),
    same(
        "unknown_character",
        "import unicodedata\nunicodedata.lookup('nope')",
        "import unicodedata\nunicodedata.lookup('BIG DOG')",
    ),
    same(
        "no_unicode_name",
        "import unicodedata\nunicodedata.name('\\x00')",
        "import unicodedata\nunicodedata.name('\\n')",
    ),
    same("base64_padding", "import base64\nbase64.b64decode('abc')", "import base64\nbase64.b64decode('aGVsbG8')"),
    same(
        "deque_empty",
        "from collections import deque\ndeque().popleft()",
        "import collections as c\nq = c.deque([1])\nq.popleft()\nq.popleft()",
    ),
    same(
        "no_table",
        "import sqlite3\nsqlite3.connect(':memory:').execute('select * from users')",
        "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('select name, age from users where age > 3')",
    ),
    same(
        "sql_syntax",
        "import sqlite3\nsqlite3.connect(':memory:').execute('selec 1')",
        "import sqlite3\nsqlite3.connect(':memory:').execute('selec a, b from t')",
    ),
    same(
        "sql_bindings",
        "import sqlite3\nsqlite3.connect(':memory:').execute('select ?', (1, 2))",
        "import sqlite3\nsqlite3.connect(':memory:').execute('select ?, ?, ?', ())",
    ),
    same(
        "csv_none",
        "import csv\nlist(csv.reader(None))",
        "import csv\nrows = None\nfor row in csv.reader(rows):\n    pass",
    ),
    same(
        "url_type",
        "import urllib.request\nurllib.request.urlopen('example')",
        "import urllib.request as r\nr.urlopen('www.host.org/a?b=1')",
        local=False,
    ),
    same(
        "missing_file",
        "open('/tmp/none-1/a.csv')",
        "import pathlib\npathlib.Path('no such/b.txt').read_text()",
        local=False,
    ),
    same("missing_folder", "import os\nos.listdir('nowhere')", "import os\nos.listdir('/none/at/all')"),
    same("is_folder", "open('/')", "open('/tmp')", local=False),
    same(
        "relative_path",
        "from pathlib import Path\nPath('/a/b').relative_to('/c')",
        "from pathlib import Path\nPath('/srv/data/x.csv').relative_to('/home/ann')",
    ),
    same(
        "xml",
        "import xml.etree.ElementTree as e\ne.fromstring('<a>')",
        "import xml.etree.ElementTree as e\ne.fromstring('<a><b></b>')",
    ),
    same(
        "enum_value",
        "import enum\nC = enum.Enum('C', 'RED BLUE')\nC(9)",
        "import enum\nC = enum.Enum('C', 'RED BLUE')\nC('x')",
    ),
    same(
        "enum_key",
        "import enum\nC = enum.Enum('C', 'RED')\nC['x']",
        "import enum\nC = enum.Enum('C', 'RED')\nC['PINK']",
    ),
    same(
        "ip_address",
        "import ipaddress\nipaddress.ip_address('1.2.3')",
        "import ipaddress\nipaddress.ip_address('host.name')",
    ),
    same("uuid_text", "import uuid\nuuid.UUID('x')", "import uuid\nuuid.UUID('1234-5678')"),
    same("literal_eval", "import ast\nast.literal_eval('f(1)')", "import ast\nast.literal_eval('open(\"a\")')"),
    same(
        "heap_mixed",
        "import heapq\nh = [1]\nheapq.heappush(h, 'a')",
        "import heapq\nh = [7, 8]\nheapq.heappush(h, 'long')",
    ),
    same(
        "copy_lock",
        "import copy, threading\ncopy.deepcopy(threading.Lock())",
        "import copy, threading\nx = {'lock': threading.Lock()}\ncopy.deepcopy(x)",
    ),
    same(
        "frozen",
        "import dataclasses\nC = dataclasses.make_dataclass('C', ['x'], frozen=True)\nC(1).x = 2",
        "import dataclasses\nP = dataclasses.make_dataclass('P', ['x'], frozen=True)\nP([]).x = 'a'",
    ),
    same(
        "bisect_key",
        "import itertools\nlist(itertools.islice([1], -1))",
        "import itertools\nlist(itertools.islice('abc', -7))",
    ),
    same("reduce_empty", "import functools\nfunctools.reduce(max, [])", "import functools as f\nf.reduce(min, ())"),
    same(
        "string_template",
        "from string import Template\nTemplate('$a').substitute()",
        "from string import Template\nTemplate('$who owes $what').substitute(who='x')",
    ),
    same("format_key", "'{a}'.format()", "'{name} is {age}'.format(name='x')"),
    same("format_index", "'{} {}'.format(1)", "'{0} {5}'.format('a', 'b')"),
    same("format_code", "'{:d}'.format('a')", "'{:d} rows'.format('many')"),
    same(
        "no_section",
        "import configparser\nconfigparser.ConfigParser().get('a', 'b')",
        "import configparser as c\nc.ConfigParser().get('server', 'port')",
    ),
    same(
        "no_header",
        "import configparser\nconfigparser.ConfigParser().read_string('a=1')",
        "import configparser\nconfigparser.ConfigParser().read_string('port: 80\\n')",
    ),
    same("quotation", 'import shlex\nshlex.split("a \'b")', "import shlex\nshlex.split('x \"y z')"),
    same("hash_name", "import hashlib\nhashlib.new('md99')", "import hashlib\nhashlib.new('md99', b'data')"),
    same("hash_text", "import hashlib\nhashlib.md5('a')", "import hashlib\ntext = 'long text'\nhashlib.md5(text)"),
    same("queue_empty", "import queue\nqueue.Queue().get_nowait()", "import queue as q\nq.Queue(5).get(block=False)"),
    same(
        "not_zip",
        "import io, zipfile\nzipfile.ZipFile(io.BytesIO('x'.encode()))",
        "import io, zipfile\nzipfile.ZipFile(io.BytesIO('other text'.encode()))",
    ),
    same("not_gzip", "import gzip\ngzip.decompress('ab12'.encode())", "import gzip\ngzip.decompress('other'.encode())"),
    same("odd_hex", "import binascii\nbinascii.unhexlify('abc')", "import binascii\nbinascii.unhexlify('1')"),
    same(
        "locale",
        "import locale\nlocale.setlocale(locale.LC_ALL, 'xx_XX')",
        "import locale\nlocale.setlocale(locale.LC_ALL, 'yy_ZZ.utf8')",
    ),
    same(
        "month_number",
        "import calendar\ncalendar.monthrange(2024, 13)",
        "import calendar\ncalendar.monthrange(1999, 44)",
    ),
    same(
        "timestamp",
        "import datetime\ndatetime.datetime.fromtimestamp(1e20)",
        "import datetime\ndatetime.datetime.fromtimestamp(7e21)",
    ),
    same(
        "year_range", "import datetime\ndatetime.datetime(0, 1, 1)", "import datetime\ndatetime.datetime(99999, 5, 5)"
    ),
    same("delta_str", "import datetime\ndatetime.timedelta('1')", "import datetime\ndatetime.timedelta(days='two')"),
    same(
        "date_plus_int",
        "import datetime\ndatetime.date(2024, 1, 1) + 1",
        "import datetime as d\nd.date(1999, 5, 5) + 30",
    ),
    same(
        "replace_day",
        "import datetime\ndatetime.date(2024, 1, 31).replace(month=2)",
        "import datetime\ndatetime.date(1999, 5, 31).replace(month=6)",
    ),
    same(
        "counter_list",
        "from collections import Counter\nCounter([[1], [2]])",
        "import collections\ncollections.Counter([['a', 'b']])",
    ),
    same(
        "namedtuple",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\nP(1)",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\nP('a')",
    ),
    same(
        "unique",
        "import sqlite3\nd = sqlite3.connect(':memory:')\nd.execute('create table t (a unique)')\n"
        "d.execute('insert into t values (1)')\nd.execute('insert into t values (1)')",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t (a unique)')\n"
        "for i in (7, 7):\n    c.execute('insert into t values (?)', (i,))",
    ),
    same(
        "no_column",
        "import sqlite3\nd = sqlite3.connect(':memory:')\nd.execute('create table t (a)')\n"
        "d.execute('select b from t')",
        "import sqlite3\nx = sqlite3.connect(':memory:')\nx.execute('create table t (a, c)')\n"
        "x.execute('select a, b from t')",
    ),
    same("pattern_group", "import re\nre.sub('a', r'\\1', 'a')", "import re\nre.sub('b+', 'x\\\\1', 'abb')"),
    same(
        "urlparse_port",
        "from urllib.parse import urlparse\nurlparse('http://a:b').port",
        "from urllib.parse import urlparse\nurlparse('https://host.org:http/x').port",
    ),
    same("random_range", "import random\nrandom.randint(5, 1)", "import random\nrandom.randint(77, -2)"),
    same("quantize", "import statistics\nstatistics.quantiles([1])", "import statistics\nstatistics.quantiles([2.5])"),
    same("mode_empty", "import statistics\nstatistics.mode([])", "import statistics\nstatistics.mode(())"),
    same("no_context", "with 5:\n    pass", "count = 77\nwith count:\n    pass", local=False),
    same("comb_float", "import math\nmath.comb(2.5, 1)", "import math\nmath.comb(7.25, 3)"),
    same("gcd_str", "import math\nmath.gcd('a', 2)", "import math\nmath.gcd('12', 18)"),
    same(
        "itemgetter",
        "import operator\nsorted([{'a': 1}], key=operator.itemgetter('b'))",
        "from operator import itemgetter\nsorted([{'x': 2}, {'x': 1}], key=itemgetter('name'))",
    ),
    same(
        "pickle_lambda",
        "import pickle\npickle.dumps(lambda: 1)",
        "import pickle\nf = lambda x: x\npickle.dumps(f)",
        local=False,
    ),
    same(
        "command",
        "import subprocess\nsubprocess.run(['false'], check=True)",
        "import subprocess\nsubprocess.check_call(['sh', '-c', 'exit 7'])",
        local=False,
    ),
    same(
        "no_command",
        "import subprocess\nsubprocess.run(['no-such-tool'])",
        "import subprocess\nsubprocess.run(['other', '-x'])",
        local=False,
    ),
)
