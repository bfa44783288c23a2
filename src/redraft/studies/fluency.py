"""Fluency: how likely a model finds a continuation after its prompt. Needs a server that gives the log-probabilities of the tokens that it is shown.

That is the completions endpoint with `echo` (vLLM has it; chat endpoints and llama.cpp's have not). What cannot be had is None, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from redraft.errors import UsageError
from redraft.studies.toxicity import mean_perplexity, perplexity

__all__ = ["NOT_NAMED", "Fluency"]

NOT_NAMED = "no model that gives log-probabilities was named"


class Fluency:
    """Perplexities through the model NAME of a server, `http://HOST:PORT/v1#NAME`; its key is `REDRAFT_API_KEY`.

    Raises:
        UsageError: the address is none, or names no model.
    """

    def __init__(self, address: str) -> None:
        url, _, name = address.partition("#")
        if not url.startswith(("http://", "https://")) or not name:
            raise UsageError(f"{address!r} is no model that gives log-probabilities; name one as http://HOST:PORT/v1#NAME")
        from openai import OpenAI

        self.name = name
        self._client = OpenAI(base_url=url, api_key=os.environ.get("REDRAFT_API_KEY") or "none", timeout=60.0, max_retries=2)

    def mean(self, pairs: Sequence[tuple[str, str]]) -> tuple[float | None, str]:
        """The mean perplexity of continuations, each after its prompt, or None and why there is none. Empty continuations count for nothing."""
        from openai import OpenAIError

        try:
            values = [perplexity(found) for prompt, text in pairs if text.strip() and (found := self._log_probabilities(prompt, text))]
        except (OpenAIError, ValueError) as error:
            return None, f"{self.name} gave no log-probabilities ({type(error).__name__})"
        found = mean_perplexity(values)
        return found, "" if found is not None else f"{self.name} gave no log-probabilities"

    def _log_probabilities(self, prompt: str, text: str) -> list[float]:
        """Of the tokens of the continuation alone. One space parts it from the prompt, as in CRITIC's evaluation."""
        before = prompt.strip()
        whole = f"{before} {text.strip()}"
        reply = self._client.completions.create(model=self.name, prompt=whole, max_tokens=1, echo=True, logprobs=0, temperature=0)
        shown = reply.choices[0].logprobs if reply.choices else None
        if shown is None or not shown.text_offset or not shown.token_logprobs:
            return []
        pairs = zip(shown.text_offset, shown.token_logprobs, strict=False)
        return [float(value) for offset, value in pairs if len(before) <= offset < len(whole) and value is not None]  # pyright: ignore[reportUnnecessaryComparison]

    def close(self) -> None:
        self._client.close()
