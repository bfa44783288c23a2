"""Redraft as an MCP server: `check_answer`, `fix_answer` and `explain_run` for any MCP client.

server.py   the three tools, their arguments as untrusted data, and their results
explain.py  a run in words, from its outcome or from its record
"""

from redraft.mcp.server import Act, Runs, build_server

__all__ = ["Act", "Runs", "build_server"]
