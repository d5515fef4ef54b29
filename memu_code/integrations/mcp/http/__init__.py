"""The MCP server over HTTP: tokens, limits, metrics, and a clean end."""

from memu_code.integrations.mcp.http.address import Address, check_address
from memu_code.integrations.mcp.http.heaps import share_heaps
from memu_code.integrations.mcp.http.limits import Limits
from memu_code.integrations.mcp.http.server import serve

__all__ = ["Address", "Limits", "check_address", "serve", "share_heaps"]
