"""Scores of one answer against its gold, each under its own name. Nothing here is read by the loop.

`em` is ours: numbers compare as numbers, CJK text after NFKC, everything else as in SQuAD. The metrics named after a data set follow its
reference to the letter, faults included: `em-squad` deletes the minus and the point, `em-critic` strips every final s and reads "first" as 1.
`toxicity` compares with nothing: it is a scorer's figure, and the lower the better.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Literal, get_args

from redraft.claims import numbers
from redraft.claims.numbers import Quantity
from redraft.errors import InputError, UnknownName
from redraft.studies.rows import Gold
from redraft.studies.toxicity import TOXIC

__all__ = [
    "BINARY",
    "METRICS",
    "Metric",
    "MetricName",
    "NormaliserName",
    "code_of",
    "exact_match",
    "metric_named",
    "normalise",
    "numeric_match",
    "pass_at_k",
    "program_of",
    "token_f1",
    "whole_number",
]

MetricName = Literal["em", "em-squad", "em-trivia", "em-critic", "f1", "f1-hotpot", "numeric", "gsm8k", "pass@1", "toxicity"]
NormaliserName = Literal["em", "squad", "trivia", "critic"]
METRICS: tuple[MetricName, ...] = get_args(MetricName)
BINARY: frozenset[str] = frozenset(METRICS) - {"f1", "f1-hotpot", "toxicity"}
"""Metrics whose value is 0 or 1, for which McNemar's test is defined."""
RIGHT = 1 - 1e-9

CJK = re.compile(
    r"[\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
LEAD_IN = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence)\b,?\s*)?(?:the|my|our)?\s*(?:final|correct|right|short)?\s*(?:answer|result|solution)"
    r"(?: to (?:the|this|your) question)?\s*(?:is|was|:|=)\s*:?\s*",
    re.IGNORECASE,
)
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
CURRENCIES = {
    "dollar": "$",
    "dollars": "$",
    "usd": "$",
    "us$": "$",
    "euro": "€",
    "euros": "€",
    "eur": "€",
    "yen": "¥",
    "jpy": "¥",
    "pounds sterling": "£",
    "gbp": "£",
}
TRIVIA_MARKS = "‘’´`"
CRITIC_WORDS = (
    ("first", "1"), ("second", "2"), ("third", "3"), ("fourth", "4"), ("fifth", "5"), ("zero", "0"), ("one", "1"), ("two", "2"),
    ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """A metric with its settings: `score(answer, gold)` lies in [0, 1]."""

    name: MetricName
    score: Callable[[str, Gold], float]

    @property
    def binary(self) -> bool:
        return self.name in BINARY

    @property
    def lower_is_better(self) -> bool:
        return self.name == "toxicity"

    @property
    def worst(self) -> float:
        """What an empty text scores: a policy that says nothing must not win."""
        return 1.0 if self.lower_is_better else 0.0

    @property
    def needs(self) -> Literal["answers", "hidden_tests", ""]:
        """The key of a row without which the metric is undefined."""
        return "hidden_tests" if self.name == "pass@1" else "" if self.name == "toxicity" else "answers"

    def right(self, value: float) -> bool:
        """Whether a score counts as right: the full score; of toxicity, what is not toxic."""
        return value < TOXIC if self.lower_is_better else value >= RIGHT


def metric_named(
    name: str,
    *,
    tolerance: float | None = None,
    run_tests: Callable[[str, str], bool] | None = None,
    score_toxicity: Callable[[str], float] | None = None,
) -> Metric:
    """The metric of this name.

    `tolerance` is the relative difference that `numeric` allows. `run_tests(code, tests)` executes code for `pass@1`; `score_toxicity(text)` gives a score
    in [0, 1] for `toxicity`.

    Raises:
        UnknownName: there is none; the message names the nearest.
        InputError: `pass@1` without something that runs tests, `toxicity` without a scorer, or a tolerance that is none.
    """
    if name not in METRICS:
        raise UnknownName("metric", name, METRICS)
    if tolerance is not None and (name != "numeric" or not 0 <= tolerance < 1):
        raise InputError("--tolerance is a relative difference from 0 to below 1, for the metric 'numeric' alone")
    scores: Mapping[MetricName, Callable[[str, Gold], float]] = {
        "em": _best(lambda answer, gold: exact_match(answer, gold)),
        "em-squad": _best(lambda answer, gold: normalise(answer, "squad") == normalise(gold, "squad")),
        "em-trivia": _best(lambda answer, gold: normalise(answer, "trivia") == normalise(gold, "trivia")),
        "em-critic": _critic,
        "f1": _best(lambda answer, gold: token_f1(answer, gold)),
        "f1-hotpot": _best(lambda answer, gold: token_f1(answer, gold, hotpot=True)),
        "numeric": _best(lambda answer, gold: numeric_match(answer, gold, tolerance=tolerance)),
        "gsm8k": _best(lambda answer, gold: numeric_match(_marked(answer), _marked(gold))),
        "pass@1": lambda answer, gold: float(run_tests(program_of(answer, gold), gold.hidden_tests)) if run_tests else 0.0,
        "toxicity": lambda answer, gold: score_toxicity(answer) if score_toxicity else 0.0,
    }
    if name == "pass@1" and run_tests is None:
        raise InputError("the metric 'pass@1' needs something that runs tests")
    if name == "toxicity" and score_toxicity is None:
        raise InputError("the metric 'toxicity' needs a scorer")
    chosen: MetricName = next(item for item in METRICS if item == name)
    return Metric(name=chosen, score=scores[chosen])


def exact_match(answer: str, gold: str) -> bool:
    """Our exact match: two numbers compare as numbers (−5 ≠ 5, 1.0 = 1, 3-5 is no number), everything else by SQuAD's normalisation.

    A lead-in such as "The answer is" does not count. Where SQuAD would join or drop signs of figures, the figures must be equal too.
    """
    return any(_same(form, gold) for form in dict.fromkeys((answer, LEAD_IN.sub("", answer, count=1))))


def numeric_match(answer: str, gold: str, *, tolerance: float | None = None) -> bool:
    """Whether the final number of the answer is the gold number, exactly or within a relative difference."""
    found, wanted = numbers.final(answer), numbers.final(gold)
    if found is None or wanted is None:
        return False
    if tolerance:
        return abs(found.value - wanted.value) <= Fraction(str(tolerance)) * abs(wanted.value)
    return found.value == wanted.value


def token_f1(answer: str, gold: str, *, hotpot: bool = False) -> float:
    """Token F1 over SQuAD's normalisation; CJK text counts by character. With `hotpot`, yes, no and noanswer match themselves alone."""
    if hotpot:
        sides = normalise(answer, "squad"), normalise(gold, "squad")
        if sides[0] != sides[1] and any(side in ("yes", "no", "noanswer") for side in sides):
            return 0.0
    found, wanted = _tokens(answer), _tokens(gold)
    shared = sum((Counter(found) & Counter(wanted)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(found), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def pass_at_k(samples: int, passed: int, k: int) -> float:
    """pass@k = 1 − C(n − c, k) / C(n, k), and 1 where n − c < k (Chen et al. 2021).

    Raises:
        ValueError: not 0 ≤ c ≤ n and 1 ≤ k ≤ n.
    """
    if not (0 <= passed <= samples and 1 <= k <= samples):
        raise ValueError("pass@k needs 0 <= passed <= samples and 1 <= k <= samples")
    return 1 - comb(samples - passed, k) / comb(samples, k)


def normalise(text: str, name: NormaliserName = "em") -> str:
    """The text as the named exact match compares it."""
    match name:
        case "squad":
            bare = "".join(mark for mark in text.lower() if mark not in string.punctuation)
            return _without_articles(bare)
        case "trivia":
            spaced = "".join(" " if mark in string.punctuation or mark in TRIVIA_MARKS else mark for mark in text.lower())
            return _without_articles(spaced)
        case "critic":
            return _normalise_critic(text)
        case "em":
            return _normalise_cjk(text) if CJK.search(text) else normalise(unicodedata.normalize("NFKC", text), "squad")


def code_of(answer: str) -> str:
    """The code of an answer: its fenced blocks joined, or the whole answer where there is no fence."""
    blocks = re.findall(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1`*~*[ \t]*$", answer, re.DOTALL | re.MULTILINE)
    return "\n\n".join(block for _, block in blocks) if blocks else answer


def program_of(answer: str, gold: Gold) -> str:
    """The code that the hidden tests run on: what is set up before it, then the answer's code, be it a whole program or the body of the given head."""
    code = code_of(answer)
    return f"{gold.hidden_setup.rstrip()}\n\n{code}" if gold.hidden_setup.strip() else code


def _best(compare: Callable[[str, str], float | bool]) -> Callable[[str, Gold], float]:
    return lambda answer, gold: max((float(compare(answer, item)) for item in gold.answers), default=0.0)


def _same(answer: str, gold: str) -> bool:
    found, wanted = whole_number(answer), whole_number(gold)
    if found is not None and wanted is not None:
        units = [CURRENCIES.get(item.unit, item.unit) for item in (found, wanted) if item.unit]
        return found.value == wanted.value and len(set(units)) < 2
    left, right = normalise(answer), normalise(gold)
    if not left or not right:  # "A" and "the" are empty after normalisation: the letters decide
        return bool(answer.strip()) and answer.strip().casefold() == gold.strip().casefold()
    return left == right and _figures(answer) == _figures(gold)


def whole_number(text: str) -> Quantity | None:
    """The number that the text is, if it is one and nothing else but its unit; a range, an ordinal or a name with a figure is none."""
    bare = text.strip().rstrip(".!").strip()
    found = numbers.read(bare)
    if len(found) != 1 or found[0].high is not None or found[0].bound:
        return None
    before, after = bare[: found[0].span[0]], bare[found[0].span[1] :]
    if before.strip() or after.strip().lower() not in ("", found[0].unit):
        return None
    return found[0]


def _figures(text: str) -> list[str]:
    """Figures as written, with a minus that is a sign and without thousands commas; what SQuAD's deletion of marks would conflate stays apart."""
    plain = unicodedata.normalize("NFKC", text).replace("−", "-")
    figures: list[str] = []
    for match in DIGITS.finditer(plain):
        before = plain[: match.start()]
        sign = "-" if before.endswith("-") and not before[-2:-1].isalnum() else ""
        figures.append(sign + re.sub(r",(?=\d{3}(?:\D|$))", "", match.group()))
    return figures


def _marked(text: str) -> str:
    """What follows the last `####`, where GSM8K writes its final answer."""
    return text.rpartition("####")[2]


def _tokens(text: str) -> list[str]:
    if not CJK.search(text):
        return normalise(text, "squad").split()
    return CJK.sub(lambda match: f" {match.group()} ", _normalise_cjk(text, keep_spaces=True)).split()


def _normalise_cjk(text: str, *, keep_spaces: bool = False) -> str:
    folded = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(mark for mark in folded if not unicodedata.category(mark).startswith("P") and mark not in string.punctuation)
    return " ".join(bare.split()) if keep_spaces else "".join(bare.split())


def _without_articles(text: str) -> str:
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", text).split())


def _normalise_critic(text: str) -> str:
    marks = string.punctuation + TRIVIA_MARKS + "–"
    spaced = "".join(" " if mark in marks else mark for mark in text.lower())
    if len(spaced.split(" ")) > 1:
        spaced = re.sub(r"\b(?:a|an|the)\b", " ", spaced)
    plain = " ".join(" ".join(word.rstrip("s") for word in spaced.split(" ")).split())
    for word, digit in CRITIC_WORDS:
        plain = plain.replace(word, digit)
    plain = re.sub(r"(?<=\w)(?:st|nd|rd|th)\b", "", plain)
    return {"true": "yes", "false": "no"}.get(plain, plain)


def _critic(answer: str, gold: Gold) -> float:
    """CRITIC's own exact match: its lax normalisation, and all references joined count as one more reference."""
    references: Sequence[str] = (*gold.answers, " ".join(gold.answers))
    found = normalise(answer, "critic")
    return float(bool(gold.answers) and bool(found) and any(found == normalise(item, "critic") for item in references))
