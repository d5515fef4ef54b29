"""Write the rendered documents: the extractors with their examples, and one real run turned into its graph.

    python -m docs.rendering

The picture needs matplotlib: the extra `bench`.
"""

from __future__ import annotations

from pathlib import Path

from docs.rendering.example_run import carry_out
from docs.rendering.extractors import extractors_page
from docs.rendering.picture import draw
from docs.rendering.run_graph import run_graph_page

DOCS = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write all of them."""
    (DOCS / "extractors.md").write_text(extractors_page(), encoding="utf-8")
    learnt = carry_out()
    (DOCS / "run-graph.md").write_text(run_graph_page(learnt), encoding="utf-8")
    (DOCS / "pictures").mkdir(exist_ok=True)
    draw(learnt, DOCS / "pictures" / "run-graph.svg")


if __name__ == "__main__":
    main()
