"""What well-known functions and methods do to the objects that they are given: the facts that a slice rests on."""

from __future__ import annotations

import re
import sys

from memu_code.extractors.code.scopes import BUILTINS
from memu_code.extractors.code.words import words

STREAM = "file:<stdout>"  # where prints go, in the form in which files are named
OUTSIDE = "file:<outside>"  # files, modules and variables that the shell or the kernel may change
PATH = "file:<sys.path>"  # where imports are looked for, in the same form
STANDARD = sys.stdlib_module_names

# Functions whose result shares nothing with their arguments and that change none of them.
FRESH = words(
    """abs all any ascii bin bool bytes callable chr complex deepcopy display divmod final_answer float format hash help
    hex id input int isinstance issubclass len oct open ord pow pprint print range repr round str sum type"""
)
# Functions whose result is a new container around the same elements.
COPIES = words("dict frozenset list set sorted tuple Counter OrderedDict defaultdict deque copy")
# Functions whose result goes on reading its arguments later.
LAZY = words("enumerate filter iter map reversed zip")
# Functions and methods whose result is used up by reading it.
ITERATORS = words("open finditer reader DictReader iterrows itertuples chain cycle count islice groupby product")
USED_UP = LAZY | ITERATORS
PICKS = words("max min next getattr reduce")  # the result is one of the arguments, or out of one
# Functions that change what they are given, also when their result is used.
CHANGES = words(
    """next setattr delattr setitem delitem iadd iconcat shuffle heappush heappop heapify heapreplace
    heappushpop insort insort_left insort_right
    update_wrapper"""
)
# Methods that change their object, also when their result is used.
MUTATORS = words(
    """add append appendleft choice clear close commit connect difference_update discard execute executemany
    executescript extend extendleft feed fetchall fetchmany fetchone fit fit_transform gauss insert integers
    intersection_update move_to_end next normal partial_fit pop popitem popleft put randint random read readline
    readlines remove reverse rotate seek send setdefault shuffle sort subtract symmetric_difference_update throw
    truncate uniform update write writelines writerow writerows"""
)
# Functions and methods that read all elements of what they are given.
DRAINS = words(
    """all any bytes dict DictReader deque extend frozenset fromkeys join list load max min OrderedDict Counter parse
    read_csv read_json reader set sorted sum tuple update writelines writerows"""
)
# Methods that only containers with a length have, or that are asked of nothing that is used up by iterating.
SIZED = words(
    """append astype columns difference extend get groupby head insert intersection items keys reshape sort split
    strip tolist to_dict union values"""
)
# Methods whose result is a list or a dictionary of its own.
PLAIN_METHODS = words("tolist to_dict to_list")
# Modules whose functions give whole values: nothing that is used up by iterating, unless `ITERATORS` names it.
WHOLE_MODULES = words(
    """ast base64 bisect collections copy dataclasses datetime decimal difflib fractions glob hashlib html json math
    numpy operator pandas platform pprint random re statistics string textwrap time unicodedata uuid"""
)
# Modules whose functions see nothing of the outside.
CLOSED_MODULES = words(
    """abc bisect collections copy dataclasses datetime decimal enum fractions functools heapq itertools json math
    operator random re statistics string textwrap typing"""
)
# Commands of the kernel that bind names which stand nowhere in the code.
BINDING_MAGICS = words("load run store")
# Functions, methods and names that look at the outside whatever they belong to.
LOOK_OUTSIDE = words("environ exists getenv glob is_dir is_file iterdir listdir open read_bytes read_text rglob stat")
# Functions that look at the names of the code around them.
LOOKING = words("eval globals locals vars dir")
# Types whose methods may be called with the object as the first argument.
TYPES = words("bytearray Counter OrderedDict defaultdict deque dict list set")
# Methods that put their arguments into their object.
STORES = words("""add append appendleft extend extendleft insert put send setdefault update writerow writerows""")
# Methods that only look; on a line of their own they are a probe.
LOOKS = words(
    """all any argmax argmin astype capitalize casefold corr count cov date describe difference dtypes encode decode
    endswith exists fetch_info find format from_iterable get group groupby groups groupdict head hist index info
    intersection isalnum isalpha isdigit isdisjoint isfile islower isna isnull isspace issubset issuperset isupper
    items join keys length lower lstrip max mean median min most_common nunique partition plot quantile replace
    rfind round rpartition rsplit rstrip sample search show split splitlines startswith std strftime strip sum
    swapcase tail time title to_dict to_list to_string tolist total_seconds translate union unique upper
    value_counts values var zfill"""
)
# Methods whose result is no part of their object.
FRESH_METHODS = words(
    """capitalize casefold count encode decode endswith exists find format group groups groupdict index isalnum
    isalpha isdigit isdisjoint isfile islower isspace issubset issuperset isupper join lower lstrip replace rfind
    rsplit rstrip split splitlines startswith strftime strip swapcase title to_string total_seconds translate
    upper zfill"""
)
PARTS = words("get pop popleft popitem setdefault values items keys fetchone fetchall most_common")
# Modules whose functions print or wait, and change none of the objects that they are given.
QUIET_MODULES = words("pprint sys time traceback warnings")
# Functions that may turn warnings into errors, and the names under which those are caught.
FILTERS = words("filterwarnings simplefilter")
CAUGHT = frozenset(name for name in BUILTINS if name.endswith("Warning")) | {"Exception", "BaseException"}
# Those that draw, all on the same sheet.
DRAWS = words("hist plot")  # methods that only look, unless there is a sheet to draw on
DRAWING_MODULES = words("matplotlib seaborn sns plt")
# Methods that, given a message, write it to wherever their object, or one inside it, was told to.
LOGS = words("debug info warning error critical exception log")
# Functions of modules whose result is a part of the module's state.
STATES = words("axes figure gca gcf getLogger getcontext subplots")
# Makers of functions and classes that keep no state between their calls.
PURE_MAKERS = words("attrgetter compile itemgetter namedtuple vectorize NewType TypeVar")
# Calls in the body of a class that give each object what it needs, or a value that nobody changes.
FIELD_MAKERS = words("Field auto classmethod field property staticmethod")
# Decorators that leave a function without a state that could show.
PLAIN_WRAPPERS = words(
    """cache classmethod contextmanager dataclass final lru_cache overload property setter staticmethod
    total_ordering wraps"""
)
# Functions, and keywords of functions, that call what they are given.
APPLIERS = words("apply applymap filter map reduce starmap submit run_in_executor Thread")
CALLBACKS = words("callback func function key target")
# Keywords for where a call is to write to.
TARGETS = words("buf file out stream")
# Context managers that leave what they are given as it is; what the block does to their result is followed anyway.
OPENERS = words(
    """catch_warnings closing connect fdopen nullcontext open Pool ProcessPoolExecutor scandir suppress
    ThreadPoolExecutor urlopen TarFile ZipFile"""
)
# Modules with a state that every call of them moves on.
STATEFUL_MODULES = words("random")

# Methods and functions that write to a file whose name they are given as text.
WRITERS = words(
    """copy copyfile dump makedirs mkdir move rename savefig savetxt save to_csv to_excel to_feather to_html to_json
    to_parquet to_pickle touch unlink urlretrieve write_bytes write_text rmtree remove"""
)
# Those of them that get the name as an argument, and those whose object is the path.
SAVERS = words("savefig savetxt save to_csv to_excel to_feather to_html to_json to_parquet to_pickle urlretrieve")
PATH_METHODS = words("mkdir open touch unlink write_bytes write_text")

# Decorators that leave a function what it is.
HARMLESS_DECORATORS = words(
    """functools.cache functools.lru_cache functools.wraps functools.total_ordering contextlib.contextmanager
    dataclasses.dataclass staticmethod classmethod property typing.overload typing.final"""
)
# Calls that make a plain constant.
PLAIN_CALLS = words(
    """re.compile frozenset set dict list tuple collections.namedtuple decimal.Decimal datetime.timedelta
    datetime.date datetime.datetime pathlib.Path str int float bytes range collections.OrderedDict
    collections.defaultdict collections.Counter logging.getLogger typing.TypeVar"""
)
# Types whose objects can be iterated again and again, and whose slices are copies.
PLAIN_TYPES = words("bool bytes dict float frozenset int list NoneType range set str tuple")


def is_plain(seen: str) -> bool:
    """Whether the type of an input, as it was seen (`list[dict] len 4`), is built in, and what it holds is too."""
    types = re.findall(r"[A-Za-z_][\w.]*", seen.partition(" len ")[0])
    return bool(types) and all(name in PLAIN_TYPES for name in types)
