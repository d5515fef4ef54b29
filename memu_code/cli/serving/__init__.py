"""The commands that serve the memory to others."""

from memu_code.cli.serving.serve import serve
from memu_code.cli.serving.tokens import token

__all__ = ["serve", "token"]
