"""The absent model: only what can be decided without a model is decided."""

from __future__ import annotations

from redraft.errors import ModelRefused
from redraft.types import Ability, ModelReply, ModelRequest

__all__ = ["NoModel"]


class NoModel:
    """Answers no request. Callers look at `ability` and do not ask; one that asks is told why there is no answer."""

    name = "none"
    ability: Ability = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Refuse.

        Raises:
            ModelRefused: always.
        """
        raise ModelRefused(f"no model was given (--model none), and this needs one ({request.role}); name one with --model or REDRAFT_MODEL")

    async def close(self) -> None:
        """Nothing to release."""
