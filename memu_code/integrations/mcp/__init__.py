"""The memory as an MCP server, for agents of any framework and in any language; needs the extra `mcp`."""
