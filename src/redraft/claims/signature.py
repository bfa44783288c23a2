"""What a statement asserts beyond its wording: its figures, its names, and whether it is negated.

Vocabularies and character classes only (English, Chinese, Japanese); two statements with different signatures are never taken for the same one.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

__all__ = ["Signature", "fold", "hedged", "keeps", "negated", "signature", "without_figures", "words"]

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_FIGURE = re.compile(
    r"(?<![\w.,])(?P<sign>[-−+])?(?P<number>\d[\d,.'’ \u00a0\u202f]*\d|\d)(?:\s?(?P<scale>万|萬|亿|億|千|百|thousand|million|billion|trillion)(?![a-z]))?"
    r"(?P<percent>\s?(?:%|％|percent\b|per cent\b|パーセント))?|(?P<bare>\d+(?:[.,]\d+)*)"
)
_SCALES = {
    "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "thousand": 3, "million": 6, "billion": 9, "trillion": 12,
}  # fmt: skip
_WORD = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+(?:['’\-][^\W\d_{_CJK}]+)*|\d+(?:[.,]\d+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；\n\"“”‘'(（「『*_#>|•\-–—]\s*)$")
_ENGLISH_NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b|\s+just\b)|[a-z]+n['’]t|cannot|never|neither|nor|none|nobody|nothing|nowhere|without|no(?!\s*\.?\s*\d)|lacks?|lacked|lacking)\b",
    re.I,
)
_CHINESE_NEGATION = re.compile(r"不(?![仅但过断管论久少禁单光只妨如])|没有?(?!关系)|(?<!除)非(?![常洲凡])|无(?![论数疑])|未(?![来必婚])|並非|并非|毫无|莫|勿")
_JAPANESE_NEGATION = re.compile(
    r"(?<![少危切幼])(?<!かもしれ)(?<!ちがい)(?<!違い)(?<!ならば)(?<!なければなら)(?<!なくてはなら)(?<!もったい)な(?:い(?!か(?:な|と))|かった|く(?:て|な|は))|ません(?!か)|(?:せ|され|でき|おら|なら)ず|ずに|ではな"
)
_JAPANESE_BENIGN = re.compile(
    r"だけでなく|のみならず|なければならな(?:い|かった)|なくてはならない|に(?:違い|ちがい)ない|かもしれな(?:い|かった)|少なくとも|問題ない"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|probably|presumably|supposedly|reportedly|allegedly|apparently|likely|seems?|seemed|appears?|appeared"
    r"|roughly|approximately|about|around|nearly|almost|some|several|various|many|few|certain|somewhat|arguably|generally|usually"
    r"|often|sometimes|believed|thought|unclear|uncertain|unknown|so-called|at (?:least|most)|more than|less than|over|under|up to)\b"
    r"|可能|也许|或许|大概|大约|约|左右|据说|似乎|好像|若干|一些|某些?|几乎|多少|以上|以下|かもしれ|だろう|でしょう|らしい|おそらく|たぶん|およそ|ほぼ|程度|ぐらい|くらい|いくつか|約|とされ|と言われ|といわれ",
    re.I,
)
_FUNCTION_WORDS = frozenset(
    """a an and are as at be been but by did do does for from had has have he her his how i if in is it its my no not of on or our she so than that
    the their them then there these they this those to was we were what when where which who whom whose why will with would you your all also
    any both each after before during since until while although because however therefore thus hence here yes let about over under into out
    more most some many such only very just answer total sum note step first second third finally next another other one two three four five six
    seven eight nine ten""".split()
)


class Signature(NamedTuple):
    """Figures in canonical form, sorted; names in lower case; whether the statement is negated."""

    figures: tuple[str, ...]
    names: frozenset[str]
    negated: bool


def fold(text: str) -> str:
    """The text for comparison: compatibility forms, case, typographic marks and white space folded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> list[str]:
    """The words of a text in lower case; each CJK character is one."""
    return [word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def negated(text: str) -> bool:
    """Whether a negation of English, Chinese or Japanese governs the statement, by vocabulary."""
    if _ENGLISH_NEGATION.search(text):
        return True
    if re.search(r"[\u3040-\u30ff]", text):
        return bool(_JAPANESE_NEGATION.search(_JAPANESE_BENIGN.sub("", text)))
    return bool(_CHINESE_NEGATION.search(text))


def hedged(text: str) -> frozenset[str]:
    """The hedges that a text uses."""
    return frozenset(match.group().casefold() for match in _HEDGE.finditer(text))


def signature(text: str) -> Signature:
    """What a rewrite that leaves the statement alone must keep: its figures, names and negation."""
    return Signature(tuple(sorted(_figures(text))), frozenset(_names(text)), negated(text))


def keeps(old: str, new: str) -> bool:
    """Whether `new` has the figures, names and negation of `old`: a name counts wherever it stands, so that word order may change."""
    before, after = signature(old), signature(new)
    if before.figures != after.figures or before.negated != after.negated:
        return False
    return before.names <= set(words(new)) and after.names <= set(words(old))


def without_figures(text: str) -> str:
    """The text with every figure left out."""
    return _FIGURE.sub(" ", unicodedata.normalize("NFKC", text))


def _figures(text: str) -> list[str]:
    return [_canonical(match) for match in _FIGURE.finditer(unicodedata.normalize("NFKC", text))]


def _canonical(match: re.Match[str]) -> str:
    digits = re.sub(r"[,'’\s]", "", match.group("number") or match.group("bare")).rstrip(".")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return digits
    value = value.scaleb(_SCALES.get(match.group("scale") or "", 0))
    sign = "-" if match.group("sign") in ("-", "−") else ""
    return sign + format(value.normalize(), "f") + ("%" if match.group("percent") else "")


def _names(text: str) -> list[str]:
    names: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if not word[0].isupper() or word.casefold() in _FUNCTION_WORDS:
            continue
        starts = _SENTENCE_START.search(text[max(0, match.start() - 8) : match.start()]) is not None
        if starts and word[1:].islower() and not re.match(r"\s[A-Z]", text[match.end() : match.end() + 2]):
            continue
        names.append(unicodedata.normalize("NFKC", word).casefold())
    names.extend(re.findall(r"[\u30a0-\u30ff]{2,}", text))
    return names
