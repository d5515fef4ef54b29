"""The commands of keeping and losing: export and import, forget, pin and prune."""

from memu_code.cli.keeping.carrying import export, import_archive
from memu_code.cli.keeping.losing import forget
from memu_code.cli.keeping.pruning import pin, prune
from memu_code.cli.keeping.shown import mark_pruned, was_pruned

__all__ = ["export", "forget", "import_archive", "mark_pruned", "pin", "prune", "was_pruned"]
