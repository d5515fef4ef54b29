"""The catalogue of edge cases: one kind a file, here in the order in which they are asked.

A place in code is one edge case: of the kinds that know it the first takes it, so the narrower stand before the wider.
"""

from __future__ import annotations

from memu_code.extractors.edge_cases.kind import EdgeCaseKind
from memu_code.extractors.edge_cases.kinds.base_case import BASE_CASE
from memu_code.extractors.edge_cases.kinds.bounds import BOUNDS
from memu_code.extractors.edge_cases.kinds.default_value import DEFAULT_VALUE
from memu_code.extractors.edge_cases.kinds.division_by_zero import DIVISION_BY_ZERO
from memu_code.extractors.edge_cases.kinds.duplicates import DUPLICATES
from memu_code.extractors.edge_cases.kinds.empty import EMPTY
from memu_code.extractors.edge_cases.kinds.encoding import ENCODING
from memu_code.extractors.edge_cases.kinds.end_of_data import END_OF_DATA
from memu_code.extractors.edge_cases.kinds.exception_caught import EXCEPTION_CAUGHT
from memu_code.extractors.edge_cases.kinds.failed_request import FAILED_REQUEST
from memu_code.extractors.edge_cases.kinds.float_precision import FLOAT_PRECISION
from memu_code.extractors.edge_cases.kinds.invalid_value import INVALID_VALUE
from memu_code.extractors.edge_cases.kinds.letter_case import LETTER_CASE
from memu_code.extractors.edge_cases.kinds.missing_attribute import MISSING_ATTRIBUTE
from memu_code.extractors.edge_cases.kinds.missing_file import MISSING_FILE
from memu_code.extractors.edge_cases.kinds.missing_key import MISSING_KEY
from memu_code.extractors.edge_cases.kinds.missing_module import MISSING_MODULE
from memu_code.extractors.edge_cases.kinds.negative import NEGATIVE
from memu_code.extractors.edge_cases.kinds.no_match import NO_MATCH
from memu_code.extractors.edge_cases.kinds.none import NONE
from memu_code.extractors.edge_cases.kinds.not_a_number import NOT_A_NUMBER
from memu_code.extractors.edge_cases.kinds.number_format import NUMBER_FORMAT
from memu_code.extractors.edge_cases.kinds.ordering import ORDERING
from memu_code.extractors.edge_cases.kinds.overflow import OVERFLOW
from memu_code.extractors.edge_cases.kinds.parsing_fallback import PARSING_FALLBACK
from memu_code.extractors.edge_cases.kinds.retry import RETRY
from memu_code.extractors.edge_cases.kinds.time_out import TIME_OUT
from memu_code.extractors.edge_cases.kinds.time_zone import TIME_ZONE
from memu_code.extractors.edge_cases.kinds.too_few import TOO_FEW
from memu_code.extractors.edge_cases.kinds.whitespace import WHITESPACE
from memu_code.extractors.edge_cases.kinds.wrong_length import WRONG_LENGTH
from memu_code.extractors.edge_cases.kinds.wrong_type import WRONG_TYPE

_IN_ORDER = (
    RETRY,
    NUMBER_FORMAT,
    PARSING_FALLBACK,
    MISSING_FILE,
    MISSING_MODULE,
    FAILED_REQUEST,
    TIME_OUT,
    TIME_ZONE,
    ENCODING,
    END_OF_DATA,
    NO_MATCH,
    DIVISION_BY_ZERO,
    OVERFLOW,
    NOT_A_NUMBER,
    WHITESPACE,
    LETTER_CASE,
    FLOAT_PRECISION,
    ORDERING,
    DUPLICATES,
    DEFAULT_VALUE,
    MISSING_KEY,
    MISSING_ATTRIBUTE,
    WRONG_TYPE,
    NONE,
    BASE_CASE,
    WRONG_LENGTH,
    EMPTY,
    TOO_FEW,
    BOUNDS,
    NEGATIVE,
    INVALID_VALUE,
    EXCEPTION_CAUGHT,
)
KINDS: dict[str, EdgeCaseKind] = {kind.name: kind for kind in _IN_ORDER}
