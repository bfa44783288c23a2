"""Search engines by name: which there are, which can be used here, and one object for each that every run of the process shares."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import lru_cache

from redraft.errors import MissingKey, UnknownName, UsageError
from redraft.protocols import Tool
from redraft.tools.search.bocha import Bocha
from redraft.tools.search.brave import Brave
from redraft.tools.search.chain import SearchChain
from redraft.tools.search.duckduckgo import DuckDuckGo
from redraft.tools.search.exa import Exa
from redraft.tools.search.serpapi import SerpApi
from redraft.tools.search.serper import Serper
from redraft.tools.search.tavily import Tavily
from redraft.tools.search.web import SearchProvider, WebSearch
from redraft.tools.search.wikipedia import Wikipedia
from redraft.tools.search.wolfram import Wolfram
from redraft.tools.toolbox.guarded import Guarded, GuardSettings

__all__ = ["ENGINES", "engine_names", "open_engine", "open_search"]

ENGINES: Mapping[str, type[SearchProvider]] = {engine.name: engine for engine in (Tavily, Brave, Serper, SerpApi, Exa, Bocha, Wikipedia, DuckDuckGo, Wolfram)}
"""In the order of preference where the user names none. WolframAlpha computes and is no part of the chain unless it is named."""


def engine_names(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The engines of the chain: those that `REDRAFT_SEARCH` names, in its order, else those with a key. Without a key none is asked unless it is named.

    Raises:
        UnknownName: `REDRAFT_SEARCH` names an engine that there is not.
    """
    values = os.environ if environment is None else environment
    named = tuple(dict.fromkeys(part.strip().lower() for part in values.get("REDRAFT_SEARCH", "").split(",") if part.strip()))
    for name in named:
        if name not in ENGINES:
            raise UnknownName("search engine", name, ENGINES, "from REDRAFT_SEARCH")
    return named or tuple(name for name, engine in ENGINES.items() if engine.key_name and values.get(engine.key_name) and engine is not Wolfram)


def open_engine(name: str, environment: Mapping[str, str] | None = None) -> Tool:
    """One engine, guarded; the same object for every run, so that its breaker, limits and cache are shared.

    Raises:
        MissingKey: its key is not set.
        UsageError: a setting of it is no number.
    """
    values = os.environ if environment is None else environment
    engine = ENGINES[name]
    key = values.get(engine.key_name, "") if engine.key_name else ""
    if engine.key_name and not key.strip():
        raise MissingKey(name, engine.key_name)
    upper = name.upper()
    rate = _number(values, f"REDRAFT_{upper}_RATE", engine.rate_per_second)
    price = _number(values, f"REDRAFT_{upper}_PRICE_USD", engine.price_usd)
    similarity = _number(values, "REDRAFT_SEARCH_SIMILARITY", None)
    if similarity is not None and not 0 < similarity <= 1:
        raise UsageError("REDRAFT_SEARCH_SIMILARITY must be above 0 and at most 1; only 1 is worth its error")
    return _shared(name, key.strip(), values.get(f"REDRAFT_{upper}_URL", ""), rate, price, similarity)


def _number(values: Mapping[str, str], name: str, default: float | None) -> float | None:
    given = values.get(name, "").strip()
    if not given:
        return default
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise UsageError(f"{name} must be a number that is not negative")
    return number


@lru_cache(maxsize=64)
def _shared(name: str, key: str, url: str, rate: float | None, price: float | None, similarity: float | None) -> Guarded:
    engine = ENGINES[name]
    tool = engine(key, url=url) if issubclass(engine, WebSearch) else DuckDuckGo()
    settings = GuardSettings(
        timeout_seconds=tool.timeout_seconds, rate_per_second=rate, concurrency=engine.concurrency, price_usd=price, unseen=True, similarity=similarity
    )
    return Guarded(tool, settings)


def open_search(environment: Mapping[str, str] | None = None) -> Tool:
    """The chain of engines as the tool `search`.

    Raises:
        UsageError: no engine has a key and `REDRAFT_SEARCH` names none, or it names one that does not exist or lacks its key.
    """
    names = engine_names(environment)
    if not names:
        keys = ", ".join(engine.key_name for engine in ENGINES.values() if engine.key_name and engine is not Wolfram)
        raise UsageError(f"the tool 'search' has no engine; set one of {keys}, or REDRAFT_SEARCH=wikipedia,duckduckgo to search without a key")
    return _chain(tuple(open_engine(name, environment) for name in names))


@lru_cache(maxsize=16)
def _chain(tools: tuple[Tool, ...]) -> SearchChain:
    return SearchChain(tools)
