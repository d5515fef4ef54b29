"""The documents that are made from the code, so that they cannot lie: `python -m docs.rendering` writes them anew."""
