"""Redraft checks an answer against real tools, rewrites only what the evidence contradicts, and records why."""

__version__ = "0.1.0"
