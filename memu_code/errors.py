"""The few errors that memu_code raises; every message is one sentence that a person can act on."""


class MemuCodeError(Exception):
    """Something was refused for a reason that the message states; the command line exits with 1."""


class UsageError(MemuCodeError):
    """The call itself was wrong: an unknown scheme, a bad name, an empty query; the command line exits with 2."""


class StoreError(MemuCodeError):
    """The store cannot be opened, read or written as asked."""


class UnreachableError(StoreError):
    """The store is damaged, gone, locked or out of reach: something that may be better at the next try."""


class AccessError(MemuCodeError):
    """The reader holds no grant for what was asked."""


class UnknownIdError(MemuCodeError):
    """No node or run with this id can be seen by the reader."""


class JournalError(UnreachableError):
    """The journal of a run cannot be written: the disk is full, or no folder takes it."""
