"""Claims about a table that turn on a name or a direction instead of a figure: who is highest, second, lower than another, and whether something rose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from redraft.claims.numbers import Quantity, agrees, show
from redraft.claims.segment import clauses
from redraft.planning.derivations import Derivation, comparisons, known
from redraft.planning.label_derivations import groups
from redraft.planning.mentions import Reading, ValueMention
from redraft.planning.sheets import Filter, Sheet
from redraft.planning.table_words import BEATING, DIRECTIONS, NOBODY, ORDINALS, RANKING, root
from redraft.types import Evidence, Failure, Span, ToolCall, ToolResult, Verdict

__all__ = ["LESS", "MORE", "name_claims", "superlative"]

NameClaim = tuple[tuple[Span, Span], tuple[ToolCall, ...], Callable[[Sequence[ToolResult]], Verdict | None], tuple[ToolResult, ...] | None]
"""Clause and focus, the look-ups, the rule that reads them, and their results where the table stands in the text."""
Doubts = Callable[[str, Reading, Sequence[Quantity]], str]
"""Why a clause is not accounted for, or nothing."""
MORE = frozenset(
    root(word)
    for word in (
        "higher more larger greater bigger exceeded exceeds exceed outsold outperformed surpassed outpaced beat outstripped outnumbered above ahead topped"
    ).split()
)
LESS = frozenset(root(word) for word in "lower less fewer smaller below behind trailed lagged trails lags".split())
_SPOILERS = re.compile(
    r"\b(?:one of|among|amongst|joint|tied|equal|jointly|not|never|no|neither|nor|almost|nearly|hardly|except|excluding)\b|n't\b"
    r"|\b(?:if|would|could|should|may|might|expected|forecast|target|budget|planned)\b",
    re.IGNORECASE,
)


def name_claims(text: str, span: Span, ranked: Sequence[tuple[Sheet, Reading]], figures: Sequence[Quantity], doubts: Doubts) -> Iterator[NameClaim]:
    """The claims of one sentence that a superlative, a comparison or a trend makes about names of the table; open where `doubts` gives a reason."""
    for sheet, reading in ranked:
        found = False
        for part in clauses(text, span):
            local = reading.within(part)
            if not local.values or not sheet.certain or _spoiled(text, part, local) or reading.excluding:
                continue
            claim = _superlative_claim(text, part, sheet, local, reading, figures)
            if claim is None and not any(part[0] <= figure.span[0] < part[1] for figure in figures):
                claim = _comparison_claim(text, part, sheet, local)
            if claim is not None:
                found = True
                doubt = doubts(text, local, figures)
                yield (claim[0], (), _open(doubt), None) if doubt else claim
        if found:
            return


def _spoiled(text: str, part: Span, local: Reading) -> bool:
    """Whether a negation, a hedge or a plan stands in the way; "no one beats" is none."""
    asked = _ranked(local)
    spoilers = [match.group().lower() for match in _SPOILERS.finditer(text, *part)]
    if asked is not None and local.words and any(word.text.lower() in NOBODY for word in local.words):
        spoilers = [word for word in spoilers if word not in NOBODY]
    return bool(spoilers)


def superlative(reading: Reading, text: str) -> tuple[bool, int, Span] | None:
    """Whether the words ask for the top (True) or the bottom, the place counted from there, and where they say so."""
    ranked = _ranked(reading)
    if ranked is not None:
        return ranked
    for name, high in (("max", True), ("min", False)):
        for place in sorted(reading.operations.get(name, ()), key=lambda span: -_ordinal_before(reading, span)):
            at = next((number for number, word in enumerate(reading.words) if word.span[0] == place[0]), 0)
            before = reading.words[at - 1] if at else None
            said = text[place[0] : place[1]].lower()
            if said in ("most", "least") and before is not None and before.text.lower() in ("at", "the") and before.text.lower() == "at":
                continue
            if not high and any(word.text.lower() in ("least",) for word in reading.words[at : at + 1]) and before is not None and before.text.lower() == "at":
                continue
            rank = ORDINALS.get(before.text.lower(), 2 if before.text.lower() == "next" else 1) if before is not None else 1
            return high, rank, place
    return None


def _ordinal_before(reading: Reading, span: Span) -> bool:
    return any(word.text.lower() in (*ORDINALS, "next") and 0 < span[0] - word.span[1] <= 1 for word in reading.words)


def _ranked(reading: Reading) -> tuple[bool, int, Span] | None:
    """A place in the order said without a superlative: "ranks second", "came last", "the runner-up", "nobody beats ..."."""
    found = reading.words
    for at, word in enumerate(found):
        low = word.text.lower()
        near = [other.stem for other in found[max(0, at - 2) : at + 2] if other is not word]
        if low == "runner" and at + 1 < len(found) and found[at + 1].text.lower() == "up":
            return True, 2, (word.span[0], found[at + 1].span[1])
        superlative_follows = any(word.span[1] <= place[0] <= word.span[1] + 1 for name in ("max", "min") for place in reading.operations.get(name, ()))
        if (low in ORDINALS or low == "last") and not superlative_follows and any(stem in RANKING for stem in near):
            bottom = any(place[0] >= word.span[1] for place in reading.operations.get("min", ())) or low == "last"
            return not bottom, ORDINALS.get(low, 1), word.span
        if low in ("any", "every", "all", "anyone", "everyone") and any(other.text.lower() in ("other", "others", "else") for other in found[at + 1 : at + 2]):
            compared = [other for other in found[:at] if other.stem in MORE | LESS]
            if compared and any(other.text.lower() == "than" for other in found[max(0, at - 2) : at]):
                return compared[-1].stem in MORE, 1, compared[-1].span
        if low in NOBODY:
            beaten = next((other for other in found[at + 1 : at + 5] if other.stem in BEATING), None)
            if beaten is not None:
                return True, 1, beaten.span
    return None


def _measure(sheet: Sheet, *readings: Reading) -> tuple[int, float] | None:
    """The one measure that is named, or the only one there is."""
    for reading in readings:
        best: dict[int, float] = {}
        for mention in reading.measures(sheet):
            best[mention.field] = max(best.get(mention.field, 0), mention.strength)
        if best:
            top = max(best.values())
            leading = [field for field, strength in best.items() if strength == top]
            return (leading[0], top) if len(leading) == 1 else None
    return (sheet.measures[0], 0.4 if sheet.fields[sheet.measures[0]].stems else 0.5) if len(sheet.measures) == 1 else None


def _superlative_claim(text: str, part: Span, sheet: Sheet, local: Reading, reading: Reading, figures: Sequence[Quantity]) -> NameClaim | None:
    asked = superlative(local, text)
    measure = _measure(sheet, local, reading)
    if asked is None or measure is None:
        return None
    high, rank, place = asked
    if _INDEFINITE.search(text, part[0], place[0]):
        return None
    labels = [mention for mention in local.values if not mention.excluded]
    winner = _winner(text, sheet, labels, place)
    if winner is None or len(winner.filters) != 1 or len(winner.filters[0].values) != 1:
        return None
    dimension = winner.filters[0].field
    outside = [
        mention
        for mention in reading.values
        if mention not in local.values and mention.fields != winner.fields and mention.span[1] <= part[0] and ";" not in text[mention.span[1] : part[0]]
    ]
    rest = [mention for mention in (*labels, *outside) if mention is not winner]
    if any(dimension in mention.fields for mention in rest) or len({mention.fields for mention in rest}) < len(rest):
        return None
    filters = tuple(condition for mention in rest for condition in mention.filters)
    found = list(groups(sheet, measure[0], dimension, filters, high=high, place=rank))
    asked_way = [one for one in found if _way(one) in local.operations] or found
    names = {one.name for one in asked_way}
    said = winner.filters[0].values[0]
    natural = next((one for one in asked_way if one.natural), None)
    if natural is None:
        return None
    foreign = reading.foreign and not any(word.text.lower() in NOBODY for word in local.words)
    surely = measure[1] >= 0.5 and not foreign and not reading.unresolved and not local.restricted(figures) and len(sheet.fields[dimension].values) > 1
    if said == natural.name:
        return (part, winner.span), (ToolCall(tool="table", input=natural.sql),), _named(natural, said, "supported", None), known(sheet, (natural,))
    own = (*filters, *winner.filters)
    given = any(part[0] <= figure.span[0] < part[1] and _has(sheet, own, figure) for figure in figures)
    if said in names or not surely or given or (winner.partial and len(names) > 1):
        return (part, winner.span), (), _open("more than one reading of the superlative is possible"), None
    expected = natural.name if len(names) == 1 and not winner.partial else None
    return (part, winner.span), (ToolCall(tool="table", input=natural.sql),), _named(natural, said, "contradicted", expected), known(sheet, (natural,))


_INDEFINITE = re.compile(r"\ban?\s+(?:\w+\s+)?$")
"""Before "maximum of 24.6": it names a figure of the row, not the row that stands at the end."""


def _has(sheet: Sheet, filters: Sequence[Filter], figure: Quantity) -> bool:
    """Whether the rows have the figure in some column: then the sentence gives the row's own figure, and what it calls the end of may be another column."""
    return any(agrees(abs(cell), figure) is True for place in sheet.measures for cell in sheet.figures(place, filters))


def _way(derivation: Derivation) -> str:
    return "sum" if "sum(" in derivation.sql else "average" if "avg(" in derivation.sql else "other"


def _winner(text: str, sheet: Sheet, labels: Sequence[ValueMention], place: Span) -> ValueMention | None:
    """The label that the superlative is said of: the only one, or the one that no preposition or genitive makes a mere setting."""
    if len(labels) == 1:
        return labels[0] if not _setting(text, labels[0], place, alone=True) else None
    free = [mention for mention in labels if not _setting(text, mention, place, alone=False)]
    if len(free) == 1:
        return free[0]
    entities = [mention for mention in (free or labels) if not all(sheet.fields[field].ordered for field in mention.fields)]
    periods = [mention for mention in labels if mention not in entities]
    if len(entities) == 1 and not _genitive(text, entities[0], place):
        return entities[0] if not _opening(text, entities[0], place) else None
    return periods[0] if len(periods) == 1 and len(entities) == 1 else None


def _setting(text: str, mention: ValueMention, place: Span, *, alone: bool) -> bool:
    """Whether the label only says where or when: "In March, ..." before, or "... in March" after the superlative with another label around."""
    if _genitive(text, mention, place):
        return True
    before = text[max(0, mention.span[0] - 12) : mention.span[0]].lower()
    cue = re.search(r"\b(?:in|during|for|within|of|at|on|across)\s+(?:the\s+)?$", before)
    if not cue:
        return False
    verb = re.search(
        r"\b(?:was|were|is|are|came|occurred|happened|fell|recorded|seen|found|belongs?|goes|went|achieved|reached|registered|observed|posted)\b[^.;]{0,16}$",
        text[max(0, mention.span[0] - 30) : mention.span[0]].lower(),
    )
    if alone and mention.span[0] > place[1] and _VALUED.match(text, mention.span[1]):
        return True
    return not verb and not (alone and mention.span[0] > place[1])


_VALUED = re.compile(r"\s+(?:was|is|were|are|came to|stood at|amounted to|reached|hit)\s+(?:(?:only|just|about|around|nearly|almost|roughly)\s+)?[$€£]?\d")
"""What makes of the label before it where the figure was found: "the lowest pass rate in science was 79%"."""


def _opening(text: str, mention: ValueMention, place: Span) -> bool:
    """Whether the label opens the sentence as where or when the rest holds: "In Ashford the figure peaked in 2019"."""
    return bool(re.search(r"(?:^|[.;:!?\n]\s*|,\s)(?:In|At|For|On|Within|Across|Of)\s+(?:the\s+)?$", text[: mention.span[0]])) and mention.span[1] <= place[0]


def _genitive(text: str, mention: ValueMention, place: Span) -> bool:
    return bool(re.match(r"['’]s?\s", text[mention.span[1] : mention.span[1] + 3])) and mention.span[1] <= place[0]


def _named(derivation: Derivation, said: str, status: str, expected: str | None) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = _read(results)
        if evidence is None or evidence.value != derivation.name:
            return Verdict(status="insufficient", note="the table could not be read again to confirm the name")
        note = f"{derivation.label} is {derivation.name} ({show(derivation.value)})" + ("" if status == "supported" else f", not {said}")
        return Verdict(
            status="supported" if status == "supported" else "contradicted",
            method="computed",
            confidence=1.0,
            evidence=(evidence,),
            note=note,
            expected=expected,
        )

    return decide


def _read(results: Sequence[ToolResult]) -> Evidence | None:
    return results[0][0] if results and not isinstance(results[0], Failure) else None


def _open(note: str) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        return Verdict(status="insufficient", note=note)

    return decide


def _comparison_claim(text: str, part: Span, sheet: Sheet, local: Reading) -> NameClaim | None:
    """ "North sold more than South", "revenue rose from Q1 to Q2": the sign of a difference."""
    measure = _measure(sheet, local)
    by_fields: dict[tuple[int, ...], list[ValueMention]] = {}
    for mention in local.values:
        by_fields.setdefault(mention.fields, []).append(mention)
    compared = [group for group in by_fields.values() if len(group) == 2]
    if measure is None or len(compared) != 1 or any(len(group) > 2 for group in by_fields.values()):
        return None
    one, other = compared[0]
    base = tuple(condition for group in by_fields.values() if len(group) == 1 for condition in group[0].filters)
    sign, focus = _said_order(text, sheet, local, one, other)
    if not sign or focus is None:
        return None
    found = [each for each in comparisons(sheet, measure[0], base + one.filters, base + other.filters) if each.operation == "difference"]
    if not found:
        return None
    agree = {each.direction for each in found}
    surely = measure[1] >= 0.5 and not local.foreign and not local.unresolved and not local.restricted(()) and len(agree) == 1
    status = "supported" if found[0].direction == sign else "contradicted"
    if status == "contradicted" and not surely:
        return (part, focus), (), _open("more than one reading of the comparison is possible"), None
    return (part, focus), (ToolCall(tool="table", input=found[0].sql),), _signed(found[0], status), known(sheet, found[:1])


def _said_order(text: str, sheet: Sheet, local: Reading, one: ValueMention, other: ValueMention) -> tuple[int, Span | None]:
    """Which sign the difference of the first over the second named must have, and the word that says so."""
    between = [word for word in local.words if one.span[1] <= word.span[0] and word.span[1] <= other.span[0]]
    more = [word for word in between if word.stem in MORE]
    less = [word for word in between if word.stem in LESS]
    setting = re.search(r"\b(?:compared (?:with|to)|relative to|against|versus|unlike)\s+(?:the\s+)?$", text[max(0, one.span[0] - 20) : one.span[0]].lower())
    after = [word for word in local.words if word.span[0] >= other.span[1]]
    if setting and not all(sheet.fields[field].ordered for field in one.fields):
        up, down = [word for word in after if word.stem in MORE], [word for word in after if word.stem in LESS]
        return (-1 if up else 1, (up or down)[0].span) if len(up) + len(down) == 1 else (0, None)
    linked = any(word.text.lower() == "than" for word in between) or any(
        word.text.lower().endswith("ed") or word.stem in ("beat", "exce", "outsell", "exceed") for word in more + less
    )
    if linked and bool(more) != bool(less) and not all(sheet.fields[field].ordered for field in one.fields):
        word = (more or less)[0]
        return (1 if more else -1), word.span
    gap = text[max(0, one.span[0] - 8) : one.span[0]].lower(), text[one.span[1] : other.span[0]].lower()
    if (
        all(sheet.fields[field].ordered for field in one.fields)
        and re.search(r"\b(?:from|between) $", gap[0])
        and re.fullmatch(r"\s*(?:to|and|until|through)\s+", gap[1])
    ):
        for name, sign in (("up", -1), ("down", 1)):
            stems = {entry[0] for entry in DIRECTIONS[name] if len(entry) == 1}
            words = [word for word in local.words if word.stem in stems]
            others = {entry[0] for entry in DIRECTIONS["down" if name == "up" else "up"]}
            if len(words) == 1 and not any(word.stem in others for word in local.words):
                return sign, words[0].span
    return 0, None


def _signed(derivation: Derivation, status: str) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        evidence = _read(results)
        try:
            value = Fraction(evidence.value) if evidence is not None else None
        except (ValueError, ZeroDivisionError):
            value = None
        if evidence is None or value is None or (value > 0) - (value < 0) != derivation.direction:
            return Verdict(status="insufficient", note="the table could not be read again to confirm the comparison")
        note = f"{derivation.label} = {show(derivation.value)}"
        return Verdict(status="supported" if status == "supported" else "contradicted", method="computed", confidence=1.0, evidence=(evidence,), note=note)

    return decide
