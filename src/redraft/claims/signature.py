"""What a statement asserts beyond its wording: its figures, its names, whether it is negated, and how it is hedged.

Vocabularies and classes of characters only. Two statements that differ in these are never taken for the same one, however alike their words are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from redraft.claims.numbers import Quantity, read
from redraft.claims.words import fold, words

__all__ = ["Signature", "hedges", "keeps", "keeps_but_figures", "negated", "signature"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BEGINNING = re.compile(r"(?:^|[.!?:;。！？：；\n|>#*_\"“”‘'«»(（「『《•–—-])\s*$")
_QUOTED_NAME = re.compile(r"[《「『]([^》」』]{1,40})[》」』]|([\u30a1-\u30fa\u30fc]{2,})")
_DIGITS = re.compile(r"\d+")

_NEGATION = re.compile(
    r"\b(?:not(?! only\b| just\b| merely\b)|[a-z]+n['’]t|cannot|never|neither|nor|none|nobody|nothing|nowhere|without|no(?!\.? ?\d)|lack(?:s|ed|ing)?"
    r"|false|untrue|incorrect|unable|fail(?:s|ed)? to"
    r"|nicht(?! nur\b)|kein(?:e[nmrs]?)?|niemals|pas|jamais|aucune?|nunca|jamás|ning[uú]n[oa]?|não|не|нет|никогда)\b",
    re.IGNORECASE,
)
_NEGATION_CHINESE = re.compile(
    r"(?<![是能会要可差])不(?![仅但过断管论久少禁单光只妨如])|不(?=[是能会要可])(?!仅)|没|(?<!除)非(?![常洲凡])|(?<![毫])无(?![论数疑])|毫无|未(?![来必])|并非|勿|否(?=认|定)"
)
_ALTERNATIVE_CHINESE = re.compile(r"(\w)不\1|差不多|不得不|不能不|是否|能否|可否|无不|莫不|没关系")
_NEGATION_JAPANESE = re.compile(r"な(?:い|かった|く(?:て|な|は|、))|ません|(?:せ|され|でき|おら|なら)ず|ずに|まい(?![る])|ではな|でな")
_NOT_NEGATION_JAPANESE = re.compile(
    r"だけでな(?:く|い)|のみならず|な(?:ければ|くては)な(?:らな(?:い|かった)|りません)|に(?:違い|ちがい)(?:ない|ありません)|かもしれ(?:な(?:い|かった)|ません)"
    r"|(?:少|危|切|幼|もったい|きた|すく|あぶ)な(?:い|かった|く)|(?:では|じゃ)?ないか|ませんか"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|probably|presumably|supposedly|reportedly|allegedly|apparently|likely|seem(?:s|ed)?|appear(?:s|ed)? to"
    r"|somewhat|arguably|generally|usually|often|sometimes|believed|unclear|uncertain|unknown|several|various|numerous|some|many|few"
    r"|(?:about|around|roughly|approximately|nearly|almost|over|under|up to|at (?:least|most)|(?:more|less|fewer) than)(?=\s(?:an? )?[^\w\s]{0,2}\d))\b"
    r"|可能|也许|或许|大概|大约|左右|据说|似乎|好像|若干|一些|几乎|多少|以上|以下|[约約]"
    r"|かもしれ|だろう|でしょう|らしい|おそらく|たぶん|およそ|ほぼ|程度|ぐらい|くらい|いくつか|とされ|と言われ|といわれ",
    re.IGNORECASE,
)
_COMMON = frozenset(
    """
    a an the this that these those it its he his him she her they their them we us our i my you your who whom whose which what when where why
    how in on at by to from into onto upon over under about as for with within during before after between among through across against than
    then and or nor but if so because while although though since until unless whether also too only even still yet there here is are was were
    be been being am do does did has have had can could may might must shall should will would some any each every all both either neither none
    no not yes such same other another one two three four five six seven eight nine ten first second third next last finally however therefore
    thus hence moreover furthermore meanwhile instead overall additionally similarly according based given using let note step answer total
    result today now later once more most much many few several der die das ein eine und ist le la les un une et est el los las y es il lo che
    """.split()
)
_COMMON_HAN = frozenset(
    "的了是在和与及或也都就而其于以为被把对从到由等这那哪什么谁之所着过个些多少几时年月日因此所以但然后即则并且又将会可能有约共总计合元人中上下来去"
)
_NUMERALS_HAN = frozenset("零〇一二两三四五六七八九十百千万亿萬億兆")


class Signature(NamedTuple):
    """Figures in canonical form, sorted; names folded to lower case; whether the statement is negated."""

    figures: tuple[str, ...]
    names: frozenset[str]
    negated: bool


@lru_cache(maxsize=8192)
def signature(text: str) -> Signature:
    """What a rewrite that leaves the statement alone must keep. A capitalised word counts as a name unless it is a common word."""
    return Signature(tuple(sorted(_figures(text))), _names(text), negated(text))


def keeps(old: str, new: str) -> bool:
    """Whether `new` has the figures, names and negation of `old`. A name may move: it counts wherever it stands, in either case."""
    return signature(old).figures == signature(new).figures and keeps_but_figures(old, new)


def keeps_but_figures(old: str, new: str) -> bool:
    """Whether `new` has the names and the negation of `old`; its figures may be others."""
    if old == new:
        return True
    before, after = signature(old), signature(new)
    return before.negated == after.negated and before.names <= _known(new) and after.names <= _known(old) and not _han_replaced(old, new)


def negated(text: str) -> bool:
    """Whether the statement is negated, by the vocabulary of its language (English, Chinese, Japanese, and the plainest of some others)."""
    if _NEGATION.search(text):
        return True
    if re.search("[\u3041-\u3096]", text):
        return _NEGATION_JAPANESE.search(_NOT_NEGATION_JAPANESE.sub("", text)) is not None
    return _NEGATION_CHINESE.search(_ALTERNATIVE_CHINESE.sub("", text)) is not None


def hedges(text: str) -> frozenset[str]:
    """The words that make the statement less definite."""
    return frozenset(match.group().lower() for match in _HEDGE.finditer(text))


def _figures(text: str) -> list[str]:
    """Amounts as exact numbers, and every other run of digits (dates, ordinals, parts of names) as it stands."""
    flat = unicodedata.normalize("NFKC", text)
    quantities = read(flat)
    figures = [_canonical(quantity) for quantity in quantities]
    at = 0
    for quantity in quantities:
        figures += _DIGITS.findall(flat, at, quantity.span[0]) if quantity.span[0] > at else []
        at = quantity.span[1]
    return figures + _DIGITS.findall(flat[at:])


def _canonical(quantity: Quantity) -> str:
    upper = "" if quantity.high is None else ".." + _exact(quantity.high)
    return _exact(quantity.value) + upper + ("%" if quantity.percent else "")


def _exact(value: Fraction) -> str:
    """The value as a finite decimal where it is one, else as a fraction."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    places = value.denominator.bit_length() if rest == 1 else 0
    if rest != 1 or value.denominator == 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + f"{digits[:-places]}.{digits[-places:]}".rstrip("0")


def _names(text: str) -> frozenset[str]:
    names = {fold(first or second) for first, second in _QUOTED_NAME.findall(text)}
    for word in words(text):
        if not word.capital or fold(word.text) in _COMMON:
            continue
        begins = _BEGINNING.search(text, max(0, word.span[0] - 8), word.span[0]) is not None
        if begins and word.text.endswith(("ly", "ing")) and text[word.span[1] : word.span[1] + 2].strip()[:1].islower():
            continue  # "Additionally the …", "Using …": an adverb or a participle opens the sentence
        names.add(_bare(word.text))
    return frozenset(names)


def _known(text: str) -> frozenset[str]:
    """All words of a text and its quoted names, in the form names have."""
    return frozenset(_bare(word.text) for word in words(text)) | frozenset(fold(first or second) for first, second in _QUOTED_NAME.findall(text))


def _bare(word: str) -> str:
    return re.sub(r"'s?$", "", fold(word)).replace(".", "")


def _han_replaced(old: str, new: str) -> bool:
    """Whether Chinese characters of content were put in the place of others: names are not told from other words there, so neither may change."""
    before, after = (Counter(re.findall(f"[{_HAN}]", text)) for text in (old, new))
    gone, come = (set(part) - _COMMON_HAN - _NUMERALS_HAN for part in (before - after, after - before))
    return bool(gone) and bool(come)
