"""Memory kept: the only room that knows LanceDB and networkx."""

from memu_code.graph.ended import Ended
from memu_code.graph.reindex import reindex
from memu_code.graph.standing import Standing, standing
from memu_code.graph.store import Embedded, EmbedderMark, Store
from memu_code.graph.view import View

__all__ = ["Embedded", "EmbedderMark", "Ended", "Standing", "Store", "View", "reindex", "standing"]
