"""Enumerate, execute, then choose: what a small model is asked to pick from (notes: a 135M model cannot write a call, but can pick one)."""

from __future__ import annotations

from dataclasses import dataclass

from redraft.types import Evidence, ToolCall

__all__ = ["Option"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One well-typed call, already executed, that could answer the question."""

    call: ToolCall
    label: str
    """How the choosing model sees it, operation first: `multiply(12, 4)`."""
    result: tuple[Evidence, ...]
    answer: str
    """The bare answer it gives, in the wording that would stand in place of the draft: `397.8`."""
    fit: float
    """How well the words of the question ask for this call, by vocabulary rules: 1 unambiguous, 0 not at all."""
