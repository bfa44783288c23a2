"""The grammar of arithmetic said in words: percentages of amounts, changes from one figure to another, totals, averages, products, ratios, roots.

A pattern sees the operation words of a sentence and a mark for each figure, nothing else; its builder says what the figures make together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from redraft.claims import phrases as build
from redraft.claims.figures import Quantity
from redraft.claims.sketch import SENTENCE_END, N, P, Sketch, sketch
from redraft.claims.statement import Statement
from redraft.types import Span

__all__ = ["phrases"]


def _any(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


# Vocabulary.

HEDGE = _any("exactly", "precisely", "about", "approximately", "roughly", "around", "nearly", "almost", "just", "only", "over", "under", "some", "equal to",
             "therefore", "thus", "then", "also", "a total of", "an average of")  # fmt: skip
EQUALS = _any("is", "are", "was", "were", "equals?", "=", "≈", "makes?", "gives?", "comes? (?:out )?to", "amounts? to", "yields?", "works? out (?:to|at)",
              "would be", "will be", "should be", "being", "totals?", "becomes?", "results? in", "corresponds? to")  # fmt: skip
VERB = rf"(?:{EQUALS}(?: {HEDGE}){{0,2}},?)"
NO_UNIT = _any("is", "are", "was", "were", "equals?", "and", "or", "but", "to", "from", "of", "for", "with", "in", "on", "at", "by", "plus", "minus", "times",
               "per", "if", "when", "which", "that", "makes?", "gives?", "squared", "cubed")  # fmt: skip
UNIT = rf"(?:[ -](?!{NO_UNIT}\b)[a-zµ°\u00e0-\u017f][\w'-]*){{0,3}}"
ONE = rf"{N}{UNIT}"
LIST = rf"{ONE}(?:, (?:and )?{ONE}){{0,40}},? (?:and|&|plus) {ONE}"
PERCENTS = LIST.replace(N, f"[{N}{P}]")
ENUMERATED = rf"{N}(?:、{N}){{0,40}}(?:和|与|と|、){N}"
END = rf"(?![a-z0-9_%]|[.,:/^]\d|{N}|{P}| ?[-+*/×÷^=] ?[{N}{P}\d(])"
RESULT = rf"(?P<r>{N}|{P}){END}"
FIGURE = rf"(?P<r>{N}){END}"
THE = r"(?:the |a |an |your |its |their |our |his |her |all |these |those )?"
JUST = r"(?:just |only |about |nearly |over )?"
CJK_IS = "(?:是|为|等于|得|は)"
CJK_CHANGE = "(?:增长|增加|上升|提高|上涨|增幅|涨幅|下降|减少|降低|下跌|降幅|跌幅|降)"
CHANGE = _any(
    "rose", "rises?", "risen", "rising", "increas(?:e[sd]?"
    "|ing)", "gr[eo]ws?", "grown", "growing", "climb(?:s|ed|ing)?", "jump(?:s|ed|ing)?", "surg(?:es?|ed|ing)",
    "soar(?:s|ed|ing)?", "gain(?:s|ed|ing)?", "went up", "goes up", "going up", "advanced?", "expand(?:s|ed)?", "fell", "falls?", "fallen", "falling",
    "drop(?:s|ped|ping)?", "declin(?:e[sd]?|ing)", "decreas(?:e[sd]?|ing)", "shr[aiu]nk", "shrinks", "went down", "goes down", "going down", "slip(?:s|ped)?",
    "dip(?:s|ped)?", "plunge[sd]?", "sank", "sinks?", "reduc(?:e[sd]?|ing|tion)",
    "lower(?:ed|s)?", "cut", "raised?", "up", "down", "chang(?:e[sd]?|ing)", "growth",
    "hike", "improve[sd]?", "improvement", r"appreciat\w+", r"depreciat\w+", r"discount\w*", "marked",
)  # fmt: skip
LINK = _any(
    ",", r"\(", ":", ";", "-", "–", "—", " ", r"an?\b", r"the\b", r"which\b", r"this\b", r"that\b", r"it\b", r"i\.e\.", r"is\b", r"was\b", r"means?\b",
    r"meaning\b", r"represents?\b", r"representing\b", r"or\b", r"of\b", r"by\b", r"for\b", r"about\b", r"approximately\b", r"roughly\b", r"nearly\b",
    r"almost\b", r"around\b", r"some\b", r"overall\b", r"total\b", r"net\b", r"marking\b", r"equals?\b", r"equal to\b", r"corresponds? to\b",
    r"equivalent to\b",
    r"relative\b", r"percentage\b", r"percent\b", CHANGE,
) + "{0,24}"  # fmt: skip
PERIOD = rf"(?: in (?:[a-z]+ )?{N}| (?:in|per|each|a)(?: [a-z][\w-]*){{1,3}})?"
MORE = rf"(?:{CHANGE}|less|fewer|lower|more|higher|greater|gain|loss)"
SHARE_VERB = rf"(?:is|are|was|were|equals|represents?|makes? up|=)(?: {HEDGE})?"
PART_VERB = rf"(?:,? \(?(?:or|i\.e\.,?|that is,?|namely)? ?| ?\(|,? {VERB} |,? (?:represents?|representing|makes? up|which is) ){HEDGE}? ?"
ADD_UP = _any("add(?:s|ed)? up to", "sum(?:s|med)? (?:up )?to", "together (?:make|total|equal|are|is)", "combine to", "total")
TOTAL_LEAD = _any(
    "for", "making", "giving", "bringing", "yielding", "which (?:makes|gives|is|totals)", "that(?:'s| is)", "adding up to", "so", "or", r"i\.e\.,?"
)
TOTAL_NOUN = r"(?:to )?(?:a |the |an )?(?:grand |combined |overall )?(?:total(?:s|ing|ling|led)?|sum)(?: \w+)?(?: of| is| to|:)?"
FACTOR = "|".join(build.FACTORS)
WORDED = "|".join(sorted((re.escape(word) for word in build.OPERATIONS), key=len, reverse=True))

Builder = Callable[[Sketch, re.Match[str]], "Statement | None"]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern, the words without which it need not be tried, and what its figures make."""

    trigger: re.Pattern[str]
    pattern: re.Pattern[str]
    build: Builder


def _rule(trigger: str, pattern: str, builder: Builder) -> _Rule:
    return _Rule(re.compile(trigger), re.compile(pattern), builder)


def _averaged(words: str) -> str:
    return rf"(?:average|(?:arithmetic )?mean|median)(?: value| score| price)? (?:of|for) (?:the )?(?:numbers |values |figures )?(?P<list>{words})"


_RULES: tuple[_Rule, ...] = (
    _rule(f"{P}|{N} of", rf"(?P<p>{P}|{N}) of {THE}(?P<n>{N}){UNIT} {VERB} {FIGURE}", build.share_of),
    _rule(f"{P}|{N} of", rf"(?P<r>{N}){UNIT} {SHARE_VERB} (?P<p>{P}|{N}) of {THE}(?P<n>{N}){END}", build.is_share_of),
    _rule(P, rf"(?P<n>{N}){UNIT} (?:out )?of {THE}(?P<m>{N}){UNIT}{PART_VERB}(?P<r>{P})(?! of)", build.part_of),
    _rule(
        "from",
        rf"from (?P<a>{N}|{P}){UNIT}(?:{PERIOD}| {N}) to {JUST}(?P<b>{N}|{P}){UNIT}{PERIOD}{LINK}{CHANGE}{LINK}(?P<r>{P}|{N}){END}",
        build.change,
    ),
    _rule(
        "from",
        rf"from (?P<a>{N}|{P}){UNIT}(?:{PERIOD}| {N}) to {JUST}(?P<b>{N}|{P}){UNIT}{PERIOD}(?:,? ?\(|, | [-–—] )(?:an? |or |by |up |down "
        rf"|i\.e\. )?(?:{HEDGE} )?(?P<r>{P}) {MORE}",
        build.change,
    ),
    _rule("from", rf"{CHANGE} (?:by |of )?(?:{HEDGE} )?(?P<r>{P})(?:,? | \()from (?P<a>{N}|{P}){UNIT}{PERIOD} to {JUST}(?P<b>{N}|{P}){END}", build.change),
    _rule("from", rf"(?P<r>{P}) {CHANGE} from (?P<a>{N}|{P}){UNIT} to {JUST}(?P<b>{N}|{P}){END}", build.change),
    _rule("from", rf"from (?P<a>{N}){UNIT} to (?P<b>{N}){UNIT},? (?:is|was|represents|means|equals) an? (?:{HEDGE} )?(?P<r>{P}) {CHANGE}", build.change),
    _rule("of ", rf"\bof {THE}(?P<m>{N}){UNIT}, (?P<n>{N}){UNIT} \((?P<r>{P})\)", build.part_of),
    _rule("adding", rf"adding (?P<list>{LIST}),? {VERB} {RESULT}", build.total),
    _rule("sum|total", rf"(?:sum|total) of (?P<list>{LIST}) {VERB} {RESULT}", build.total),
    _rule("sum|total|add|together|combine", rf"(?P<list>{LIST}) (?:together |combined )?{ADD_UP} (?:{HEDGE} )?{FIGURE}", build.total),
    _rule(
        "total|sum|add",
        rf"(?P<list>{LIST})(?:,? |: | ?[-–—] | ?\()(?:{TOTAL_LEAD}(?: (?:it|this|that|us|you|him|her|them))? )?(?:{TOTAL_NOUN}|adding up to|add up to"
        rf"|sum(?:s|ming)? to)"
        rf" (?:{HEDGE} )?{FIGURE}",
        build.running_total,
    ),
    _rule("average|mean|median", rf"{_averaged(PERCENTS)} {VERB} {RESULT}", build.mean),
    _rule("average", rf"(?P<list>{LIST}) (?:have an average of|average(?:s)?(?: out)? (?:to|at)?) ?{FIGURE}", build.mean),
    _rule("product", rf"product of (?P<list>{LIST}) {VERB} {RESULT}", build.product),
    _rule("difference", rf"difference (?:between|of) (?P<a>{N}){UNIT} and (?P<b>{N}){UNIT} {VERB} {RESULT}", build.difference),
    _rule("subtract", rf"subtracting (?P<a>{N}){UNIT} from (?P<b>{N}){UNIT},? (?:{VERB}|leaves?) {RESULT}", build.difference),
    _rule("ratio|quotient", rf"(?:ratio|quotient) of (?P<a>{N}|{P}){UNIT} (?:to|and) (?P<b>{N}|{P}){UNIT} {VERB} {RESULT}", build.ratio),
    _rule(
        "plus|minus|times|multiplied|divided|added|power|[加减乘除]|足す|引く|掛|かけ|割|プラス|マイナス",
        rf"(?P<list>[{N}{P}]{UNIT}(?:\s?(?:{WORDED})\s?[{N}{P}]{UNIT}){{1,20}}),?\s?(?:{VERB}|{CJK_IS}|イコール|だと|で)\s?{RESULT}",
        build.worded,
    ),
    _rule(
        "half|twice|double|triple|thrice|third|quarter|tenth|two times|quadruple",
        rf"\b(?P<f>{FACTOR})(?: of)? (?P<n>{N}|{P}){UNIT} {VERB} {RESULT}",
        build.multiple,
    ),
    _rule("square[^d]|cube[^d]", rf"(?:square|cube) of (?P<n>{N}) {VERB} {RESULT}", build.power),
    _rule("squared|cubed", rf"(?P<n>{N}) (?:squared|cubed) {VERB} {RESULT}", build.power),
    _rule("root", rf"(?:square|cube) root of (?P<n>{N}) {VERB} {RESULT}", build.root),
    _rule("√|sqrt", rf"(?:√|\\?sqrt\s?[({{]?)\s?(?P<n>{N})[)}}]?\s?(?:=|≈|is|equals)\s?{RESULT}", build.root_sign),
    _rule("!", rf"(?P<n>{N})!\s?(?:=|is|equals)\s?{RESULT}", build.factorial_sign),
    _rule(
        r"\br |rem",
        rf"(?P<a>{N}){UNIT} ?(?:/|÷|divided by) ?(?P<b>{N}){UNIT} ?(?:=|is|equals|gives) ?(?P<q>{N}){UNIT},? ?(?:with |and )?(?:a )?(?:remainder"
        rf"|rem\.?|r)(?: of| is)?:? ?{FIGURE}",
        build.division,
    ),
    _rule("[的の]", rf"(?P<n>{N})[的の](?:平方|立方|2乗|二乗){CJK_IS}\s?{RESULT}", build.power),
    _rule("[的の]", rf"(?P<n>{N})[的の](?P<p>{P}|{N})(?:{CJK_IS}|=|约为|即)\s?{FIGURE}", build.share_of),
    _rule(
        "[从由].*[到至为]",
        rf"[从由](?P<a>{N})[^\s。；，{N}{P}]{{0,6}}?(?:到|至|为)了?(?P<b>{N})[^。；{N}{P}]{{0,12}}?{CJK_CHANGE}(?:了|幅度?为|约|近)?(?P<r>{P})",
        build.change,
    ),
    _rule("一半", rf"(?P<n>{N})[^\s。；，{N}{P}]{{0,3}}?的(?P<f>一半){CJK_IS}\s?{RESULT}", build.multiple),
    _rule("和|合计|合計|总", rf"(?P<list>{ENUMERATED})[的の](?:总)?(?:和|合計|合计){CJK_IS}\s?{RESULT}", build.total),
    _rule("平均", rf"(?P<list>{ENUMERATED})[的の]平均(?:数|值|値)?{CJK_IS}\s?{RESULT}", build.mean),
)
_TRAIL = re.compile(
    rf"(?:[\s,(:;–—-]|\b(?:for|making|giving|with|which|that|this|an?|the|of|to|up|increase|decrease|total|grand|combined|sum|adds?|{HEDGE}|{VERB})"
    rf"|{CJK_IS}){{1,12}}$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"squared|cubed|square|cube|√|sqrt|!")
_DOUBTFUL = re.compile(
    r"\b(?:not|n't|never|wrong(?:ly)?|incorrect(?:ly)?|false(?:ly)?|mistake(?:n|nly)?|error|myth|fallacy|suppose|assum(?:e|ing)|imagine|pretend"
    r"|instead of|if|unless|boolean|wrote|writes|said|says|told|claims?|claimed|believes?|believed|thinks?|thought|argues?|insists?|joke|binary|base|modulo"
    r"|mod|hypothetical(?:ly)?|would have)\b|不是|不等于|错|如果|假如|ではない|もし"
)


def phrases(text: str, figures: Sequence[Quantity] | None = None) -> Iterator[Statement]:
    """The statements in words of a text, with what our own evaluation says of them."""
    seen = sketch(text, figures)
    if len(seen.figures) < 2 and not _ALONE.search(seen.words):
        return
    taken: set[Span] = set()
    for rule in _RULES:
        if not rule.trigger.search(seen.words):
            continue
        for match in rule.pattern.finditer(seen.words):
            statement = rule.build(seen, match)
            if statement is not None and statement.focus not in taken:
                taken.add(statement.focus)
                yield _doubted(seen, match, replace(statement, left=_TRAIL.sub("", statement.left) or statement.left))


def _doubted(seen: Sketch, match: re.Match[str], statement: Statement) -> Statement:
    """False statements in a negation, a supposition or a question are not held against the text."""
    if statement.holds or not statement.certain:
        return statement
    begin = seen.sentence_start(match.start())
    stop = SENTENCE_END.search(seen.words, match.end(), match.end() + 200)
    end = stop.start() if stop else min(len(seen.words), match.end() + 200)
    asked = end < len(seen.words) and seen.words[end] in "?？"
    return replace(statement, certain=not asked and _DOUBTFUL.search(seen.words, begin, end) is None)
