"""What a repository teaches: functions and methods with their imports, helpers, callers and tests."""

from memu_code.extractors.repository.reading import FileFindings, Skipped, extract_file

__all__ = ["FileFindings", "Skipped", "extract_file"]
