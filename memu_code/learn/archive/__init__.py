"""A memory as one portable file: written, checked, and taken in elsewhere."""

from memu_code.learn.archive.loading import Loaded, load_archive
from memu_code.learn.archive.reading import Archive
from memu_code.learn.archive.selecting import Wanted
from memu_code.learn.archive.writing import Written, write_archive

__all__ = ["Archive", "Loaded", "Wanted", "Written", "load_archive", "write_archive"]
