"""Arithmetic statements of a text: what is claimed to equal what, which figure is derived, and the expression that decides it.

Precision first: where a text can be read in a way that makes the statement true, that reading is taken; where a reading is open, the statement is
marked uncertain and can be supported but never contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from redraft.claims.clocks import clocks
from redraft.claims.equations import equations
from redraft.claims.figures import decimal_mark, plain, read
from redraft.claims.grammar import phrases
from redraft.claims.impossible_dates import impossible_dates
from redraft.claims.inequalities import inequalities
from redraft.claims.measures import calendar, conversions
from redraft.claims.segment import blocks
from redraft.claims.statement import Statement, StatementKind
from redraft.claims.steps import Steps, finished
from redraft.claims.symbols import identities
from redraft.claims.unit_products import products
from redraft.types import Span

__all__ = ["Statement", "StatementKind", "find", "finding"]


def find(text: str) -> tuple[Statement, ...]:
    """All arithmetic statements of a text, in the order of the figures they derive."""
    return finished(finding(text))


def finding(text: str) -> Steps[tuple[Statement, ...]]:
    """`find` in steps, one for each line."""
    flat = _without_code(plain(text))
    mark = decimal_mark(flat) if any(c in flat for c in ".,") else ""
    found: list[Statement] = []
    lines = list(re.finditer(r"[^\n]+", flat))
    compared = _COMPARED.search(flat) is not None
    for line in lines:
        if _SIGN.search(flat, *line.span()):
            here = list(equations(text, flat, line.span(), mark))
            if any(s.ambiguous and s.holds is False for s in here):
                here = _other_convention(here, list(equations(text, flat, line.span(), ",")))
            if any(s.holds is False for s in here):
                here = _apart(here, text, flat, line.span(), mark)
            found.extend(_readable(here, flat))
        if compared and _COMPARED.search(flat, *line.span()):
            found.extend(inequalities(flat, line.span(), mark))
        yield
    found = _with_units(found, text, flat, lines)
    known = {s.focus for s in found}
    for line in lines:
        found.extend(_said(text, flat, line.span(), known))
        yield
    return tuple(sorted(found, key=lambda s: (s.focus, s.span)))


def _with_units(found: list[Statement], text: str, flat: str, lines: Sequence[re.Match[str]]) -> list[Statement]:
    """The statements, those about products of measurements in place of what their figures alone would say."""
    made: dict[Span, Statement] = {}
    for line in lines:
        if _MULTIPLIED.search(line[0]) and _changes_units(line[0]):
            for statement in products(line[0], read(line[0])):
                moved = _moved(statement, line.start(), text)
                made.setdefault(moved.focus, moved)
    return [*(s for s in found if s.focus not in made), *made.values()] if made else found


def _changes_units(line: str) -> bool:
    """Whether units of several kinds, or a unit and its power, stand behind the figures of a line."""
    units = [unit for word in _UNIT_WORD.findall(line) if (unit := word.lower().removesuffix("s")) in _SYMBOLS]
    return len(units) > 1 and (len(set(units)) > 1 or _POWER.search(line) is not None)


def _other_convention(here: list[Statement], there: list[Statement]) -> list[Statement]:
    """Statements that are false under the usual convention, in the reading of the other one where that makes them true."""
    true = {s.focus: s for s in there if s.holds}
    return [true.get(s.focus, s) if s.ambiguous and s.holds is False else s for s in here]


def _apart(here: list[Statement], text: str, flat: str, span: Span, mark: str) -> list[Statement]:
    """False statements in the light of the reading in which a comma between digits sets two statements apart ("2×3=6,10-3=7").

    Two statements or more that are all true so are what was meant; a single one leaves open which reading was.
    """
    start, end = span
    line = flat[start:end]
    cut = _TIGHT_COMMA.sub(";", line)
    if cut == line:
        return here
    there = list(equations(text, flat[:start] + cut + flat[end:], span, mark))
    if len(there) > 1 and all(s.holds for s in there):
        return there
    loose = {match.start() + start for match in _LOOSE_COMMA.finditer(line)}
    if not loose or not there or not all(s.holds for s in there):
        return here
    return [replace(s, certain=False) if s.holds is False and any(s.span[0] <= place < s.span[1] for place in loose) else s for s in here]


def _readable(here: list[Statement], flat: str) -> Iterator[Statement]:
    """Without what is no product (0x10 is sixteen), and uncertain where the unit does not add up as numbers do (decibels)."""
    for statement in here:
        start, end = statement.span
        if _PREFIXED.search(flat, max(0, start - 1), end):
            continue
        yield replace(statement, certain=False) if _LOGARITHMIC.search(flat, start, end + 5) else statement


def _without_code(text: str) -> str:
    """The text with code blanked out, equally long, be it fenced, indented or within a line: code is executed, not read."""
    if _MAY_BE_CODE.search(text) is None:
        return text
    parts: list[str] = []
    at = 0
    for block in blocks(text):
        if block.kind == "code":
            start, end = block.span
            parts += (text[at:start], _NO_BREAK.sub(" ", text[start:end]))
            at = end
    text = "".join((*parts, text[at:]))
    return _INLINE_CODE.sub(lambda match: " " * len(match[0]), text) if "`" in text else text


_MAY_BE_CODE = re.compile(r"`|~~~|^(?: {4}|\t)", re.MULTILINE)
_NO_BREAK = re.compile(r"[^\n]")
_INLINE_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")


def _said(text: str, flat: str, span: Span, known: set[Span]) -> Iterator[Statement]:
    """Statements of one line that are made in words, not with signs, except those whose figure is known to be derived already; they become known."""
    start, end = span
    line = flat[start:end]
    low = line.lower()
    worded, measured = _WORDS.search(low), _MEASURED.search(low)
    dated = ("day" in low or "leap" in low or _WEEKDAY.search(low)) and _DATED.search(low)
    lettered = "=" in low and _LETTER.search(low)
    timed = _CLOCK.search(low) is not None and _LENGTH.search(low)
    odd = ("31" in low or "30" in low or "29" in low) and _LONG_DAY.search(low)
    if not (worded or measured or dated or lettered or timed or odd):
        return
    figures = read(line, numerals=_NUMERALS.search(low) is not None) if worded or measured or dated else ()
    said = (
        *(phrases(line, figures) if worded else ()),
        *(conversions(line, figures) if measured else ()),
        *(calendar(line, figures) if dated else ()),
        *(identities(line) if lettered else ()),
        *(clocks(line) if timed else ()),
        *(impossible_dates(line) if odd else ()),
    )
    for statement in said:
        moved = _moved(statement, start, text)
        if moved.focus not in known:
            known.add(moved.focus)
            yield moved


def _moved(statement: Statement, by: int, text: str) -> Statement:
    """The statement of a line as one of the whole text, with the figure as it is written there."""
    shown = statement.shown
    if shown is not None:
        span = _shift(shown.span, by)
        shown = replace(shown, span=span, text=text[span[0] : span[1]])
    return replace(
        statement, span=_shift(statement.span, by), focus=_shift(statement.focus, by), operands=tuple(_shift(o, by) for o in statement.operands), shown=shown
    )


def _shift(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


_VERB = r"\b(?:is|are|was|were|equals?|makes?|gives?|yields?|totals?|becomes?|being|be|comes|amounts|works|results|corresponds)\b|[=≈]"
_WORDS = re.compile(
    r"(?<![a-z])(?=[%\d½¼¾⅓⅔√acdfhmopqrst]|[^\x00-\x7f])(?:"  # most characters begin none of these
    r"(?:%|percent|per cent|half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|\d|[½¼¾⅓⅔]) (?:[a-z]+ ){0,2}?(?:out )?of\b"
    r"|(?:%|percent|per cent)(?=.{0,60}\bfrom\b)|\bfrom\b.{1,60}\bto\b.{1,90}(?:%|percent|per cent|\d)"
    r"|\b(?:sum|total|average|mean|median|product|difference|ratio|quotient|square|cube|root)s? (?:of|between|for|value|score|price)\b"
    r"|\btotal(?:s|l?ing|l?ed)?\b.{0,12}\d|\bsumm?(?:s|ing|ed)?\b (?:up )?to\b|\badd(?:s|ed|ing)?\b.{0,80}\d|\b(?:average|averages|together"
    r"|combine)\b.{0,24}\d|\bsubtracting\b"
    rf"|\b(?:plus|minus|times|multiplied|divided|added|twice|double|triple|thrice|quadruple|half|third|quarter|tenth|squared|cubed"
    rf"|power)\b(?=.{{1,80}}?(?:{_VERB}))"
    r"|√|sqrt|\d!|\b(?:remainder|rem|r) \d|\bof .{1,40}\("
    r"|[加减乘除从由]|一半|[的の](?:\d|平均|平方|立方|总|和|合|二乗|百分)|足す|引く|掛け|かける|割る|プラス|マイナス)",
)


_MEASURED = re.compile(
    r"[\d½¼¾][ -]?(?:degrees? )?(?:[°º] ?[cf]\b|km/h|m/s|[a-z]{1,12})\s?(?:\(|=|≈|,? or |is |are |was |equals? |equates |converts? |corresponds "
    r"|comes |makes |contains? |has |have )[^.\n]{0,20}\d"
    r"|\d\s?(?:[公千厘毫英]?[里米尺分寸克斤升]|磅|[摄华]氏度|小时|分钟|時間|[ァ-ヿ]{2,8})\s?(?:约?等[于於]|相当于|就?是|约为|は|が|[（(])",
)


_DATED = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b.{0,30}\d{4}|\d{4}.{0,24}\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bleap year\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.{0,60}\bdays\b|\bdays\b.{0,30}\b(?:between|from)\b.{0,40}\d{4}"
    r"|\d{4}-\d\d-\d\d.{0,40}\bdays\b|\d\s?[日号號].{0,8}(?:星期|[礼禮]拜|[周週]|曜)",
)


_NUMERALS = re.compile(r"[加减乘除]|等于|足す|引く|掛|割る")


_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)\b|星期|[礼禮]拜|[周週]|曜")


_LETTER = re.compile(r"(?<![a-z'’])[a-z](?![a-z'’])[^=\n]{0,60}=[^=\n]{0,60}(?<![a-z])[a-z](?![a-z'’])")


_TIGHT_COMMA = re.compile(r"(?<=\d),(?=\d)")


_LOOSE_COMMA = re.compile(r"(?<=\d),(?!\d{3}(?!\d))(?=\d)")
"""A comma that sets no thousands apart."""


_PREFIXED = re.compile(r"(?<![\w.,])0[xXbBoO][0-9A-Fa-f]")


_LOGARITHMIC = re.compile(r"\d ?(?:d[Bb](?:[A-Za-z]{0,3})|Np)\b")


_SIGN = re.compile(r"[=≈≃≅≒]|\\approx")


_COMPARED = re.compile(r"[<>](?<![<>/-].)(?![<>/-])|[≤≥≠⩽⩾]|!=|\\(?:[lg]t|[lgn]eq?)\b")


_MULTIPLIED = re.compile(r"[*/×÷·⋅]|\bx\b|times|divided|multiplied|average speed")


_UNIT_WORD = re.compile(r"(?<=\d)[ -]?(?:square |cubic |sq |cu )?([A-Za-zµΩ]+)")


_POWER = re.compile(r"[²³^/]|\b(?:square|cubic|sq|cu|per)\b")


_SYMBOLS = frozenset(
    "m cm mm km in ft mi yd mile metre meter kilometre kilometer inche inch feet foot yard g kg mg t lb oz gram kilogram tonne pound s sec second"
    " min minute h hr hour day week w kw mw gw wh kwh mwh watt kilowatt j kj mj joule n kn newton pa kpa mpa bar v kv volt mv a ma amp ampere ω l"
    " ml cl litre liter gallon hz khz mhz mph kph kmh ha acre b kb mb gb tb bit mbp gbp byte mbit gbit kcal cal".split()
) | {""}
"""Lower case spellings, without the s of a plural (that of seconds is then empty), for which it is worth while to look for units that multiply."""


_CLOCK = re.compile(r"\d:[0-5]\d(?!\d)|\d ?[ap]\.?m\b")


_LENGTH = re.compile(r"(?:\d|[a-z]) ?-?(?:h|hrs?|hours?|mins?|minutes?)\b|\dm\b")


_LONG_DAY = re.compile(
    r"\b(?:29|3[01])(?:st|nd|rd|th)?(?: of)?[ -](?:feb|apr|june?|sep|nov)|\b(?:feb|apr|june?|sep|nov)[a-z]{0,6}\.?[ -](?:29|3[01])(?!\d)"
    r"|\b\d{4}-(?:02|04|06|09|11)-(?:29|3[01])\b|\b(?:29|3[01])\.(?:0?[2469]|11)\.\d{4}|年\s?0?(?:[2469]|11)\s?月\s?(?:29|3[01])"
)
