"""What kind of answer a question about a table asks for, and of which column: decided before any call is made, so that a name is never answered by a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from redraft.claims.words import STOP_WORDS, Word
from redraft.planning.mentions import Reading
from redraft.planning.named_columns import ColumnMention
from redraft.planning.qualities import COMPARATIVES, SUPERLATIVES, VERBS
from redraft.planning.sheets import Field, Sheet
from redraft.planning.superlatives import superlative
from redraft.planning.table_words import ORDINALS, SYNONYMS, root

__all__ = ["PERSONS", "Asked", "asked_end", "denotes", "key_of", "read_asked"]

Wanted = str
"""`amount`, `count`, `percent`, `ratio`, `name`, `rank` or `truth`."""
_PERCENT = re.compile(r"(?<!\d)(?<!\d )(?:\bper ?cent\b|%)|\b(?:percentage|proportion|what (?:share|fraction|part)|share)\b", re.IGNORECASE)
_TRUTH = re.compile(r"^\W*(?:is|are|was|were|does|do|did|has|have|had|true or false|so,? (?:is|does))\b", re.IGNORECASE)
_RANKING = re.compile(r"\b(?:rank|ranks|ranked|position|what place)\b", re.IGNORECASE)
_TIMES = re.compile(
    r"\bhow many times\b(?! (?:was|were|did|has|have)\b)|\bratio\b|\btimes (?:as|more|larger|higher|bigger|greater|\w+er than)\b|\bwhat multiple\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?P<count>how many(?! percent| per cent)|how often|what(?:['’]s| is| was| were)?\s+(?:the\s+)?(?:total\s+)?number of"
    r"|(?<!average )(?<!mean )(?<!median )(?<!highest )(?<!lowest )(?<!largest )(?<!smallest )(?<!greatest )(?<!fewest )number of"
    r"|count(?: of| up| the)?|tally)\b"
    r"|\b(?P<amount>how (?:much|old|long|far|high|tall|big|large|heavy|deep|wide|fast|hot|warm|cold|expensive|populous|rich|young|small|low|steep))\b"
    r"|\b(?P<name>which|who|whose|whom|where|when|name(?! of)|identify)\b|\b(?P<what>what(?:['’]s)?)\b",
    re.IGNORECASE,
)
_WHEN = {"date": "date day when", "time": "time when clock"}
PERSONS = frozenset(
    root(word) for word in "name person employee player patient author student teacher mayor manager coach artist driver member owner director winner".split()
)
_PLACES = frozenset(
    root(word)
    for word in "town city place location station ward country region venue village county state district port airport hall room site address".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The type of the answer; for a name the column it comes from, where the words tell; for a count the column that is counted."""

    wanted: Wanted
    target: int | None = None
    counted: int | None = None
    temporal: bool = False
    """Whether a date or a time of day is asked for."""
    sure: bool = True


def key_of(sheet: Sheet) -> int | None:
    """The column that names the rows: the first without repetitions, else the one with most labels."""
    plain = [place for place in sheet.dimensions if "(" not in sheet.fields[place].sql and not sheet.fields[place].temporal]
    free = [place for place in plain if not sheet.fields[place].ordered] or plain
    unique = [place for place in free if len(sheet.fields[place].values) == sheet.count]
    return unique[0] if unique else max(free, key=lambda place: len(sheet.fields[place].values), default=None)


def denotes(word: Word, column: Field) -> bool:
    """Whether a word may stand for the column: a part of its name, another word for it, or another form of the word ("departs" for departure)."""
    if word.stem in column.stems:
        return True
    low = word.text.lower()
    if any(names & set(column.stems) for names, _ in (*VERBS.get(low, ()), *SUPERLATIVES.get(low, ()), *COMPARATIVES.get(low, ()))):
        return True
    if any(word.stem in group and set(column.stems) & group for group in SYNONYMS):
        return True
    return any(_akin(part, word.stem) for part in column.stems)


def _akin(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: all but the last letter of the shorter begins the longer ("acquir", "acquisition")."""
    common = next((at for at, (first, second) in enumerate(zip(one, other, strict=False)) if first != second), min(len(one), len(other)))
    return common >= 5 and common >= min(len(one), len(other)) - 1


def read_asked(question: str, sheet: Sheet, reading: Reading, *, compares: bool) -> Asked:
    """The kind of answer that the question asks for."""
    if _TRUTH.search(question):
        return Asked(wanted="truth")
    asking = _ASKING.search(question)
    kind = asking.lastgroup if asking else None
    if _RANKING.search(question) and superlative(reading, question) is None and kind != "name":
        return Asked(wanted="rank")
    if _TIMES.search(question) and kind != "name":
        return Asked(wanted="ratio")
    measured = [mention for mention in reading.measures(sheet) if mention.strength >= 0.5]
    if compares:
        return Asked(wanted="percent" if _PERCENT.search(question) and not any(sheet.fields[one.field].percent for one in measured) else "amount")
    if asking is not None and kind == "name":
        return _named(asking, sheet, reading)
    if asking is not None and kind == "count":
        counted = _counted(asking, sheet, reading)
        return (
            Asked(wanted="amount", sure=False)
            if counted.wanted == "count" and counted.counted in (None, key_of(sheet)) and _pinned(sheet, reading)
            else counted
        )
    if _PERCENT.search(question):
        direct = any(sheet.fields[mention.field].percent for mention in measured)
        return Asked(wanted="amount" if direct else "percent")
    if kind == "amount":
        return Asked(wanted="amount")
    return _elliptic(asking.end() if asking else 0, bool(asking), question, sheet, reading)


def _pinned(sheet: Sheet, reading: Reading) -> bool:
    """Whether one row is named by its own name: there is nothing to count then."""
    key = key_of(sheet)
    own = [mention for mention in reading.values if mention.fields == (key,) and not mention.excluded]
    return key is not None and len(own) == 1 and len(sheet.rows(own[0].filters)) == 1


_PLACED = re.compile(rf"\b({'|'.join(list(ORDINALS)[1:])})\s+(?:in|by|on|for|when|place)\b", re.IGNORECASE)
_RATHER = re.compile(r"\b(more|fewer|less)\b(?!.*\bthan\b)", re.IGNORECASE)


def asked_end(question: str, reading: Reading) -> tuple[bool, int, tuple[int, int]] | None:
    """The superlative of a question: whether the top is asked for, the place from there, and where it is said.

    "Which is second in output?" and "which of them has more huts?" ask for an end too.
    """
    found = superlative(reading, question)
    if found is not None:
        return found
    naming = bool(re.search(r"\b(?:which|who)\b", question, re.IGNORECASE))
    for at, word in enumerate(reading.words):
        low = word.text.lower()
        if low in SUPERLATIVES and low.endswith("est"):
            before = reading.words[at - 1].text.lower() if at else ""
            return True, ORDINALS.get(before, 1), word.span
        if naming and low in COMPARATIVES and low.endswith("er") and not re.search(r"\bthan\b", question, re.IGNORECASE):
            return True, 1, word.span
    placed = _PLACED.search(question)
    if placed is not None:
        return True, ORDINALS[placed[1].lower()], placed.span(1)
    rather = _RATHER.search(question) if naming else None
    return (rather[1].lower() == "more", 1, rather.span(1)) if rather is not None else None


def _following(reading: Reading, end: int, most: int) -> list[Word]:
    return [word for word in reading.words if word.span[0] >= end][:most]


def _mention_at(mentions: Sequence[ColumnMention], word: Word) -> ColumnMention | None:
    fits = [mention for mention in mentions if mention.span[0] <= word.span[0] < mention.span[1]]
    return max(fits, key=lambda mention: mention.strength, default=None)


def _column_of(sheet: Sheet, reading: Reading, word: Word, places: Sequence[int]) -> int | None:
    mention = _mention_at([mention for mention in reading.columns if mention.field in places], word)
    if mention is not None:
        return mention.field
    fits = [place for place in places if denotes(word, sheet.fields[place])]
    return fits[0] if len(fits) == 1 else None


def _named(asking: re.Match[str], sheet: Sheet, reading: Reading) -> Asked:
    """ "Which month", "who", "where", "when": the column whose label is asked for, where it can be told."""
    word = asking.group().lower()
    plain = [place for place in sheet.dimensions if "(" not in sheet.fields[place].sql]
    if word == "when":
        return _moment(sheet, reading, ("date", "time"))
    if word in ("who", "whose", "whom"):
        persons = [place for place in plain if set(sheet.fields[place].stems) & PERSONS]
        named = [mention.field for mention in reading.dimensions(sheet) if mention.field in persons]
        return Asked(wanted="name", target=named[0] if named else persons[0] if len(persons) == 1 else None)
    if word == "where":
        return Asked(wanted="name", target=_place(sheet, reading, plain))
    for other in _following(reading, asking.end(), 4):
        found = _column_of(sheet, reading, other, plain)
        if found is not None:
            return Asked(wanted="name", target=found)
        if any(value.span[0] <= other.span[0] < value.span[1] for value in reading.values):
            break
        if other.text.lower() not in STOP_WORDS and other.text.lower() not in ("one", "of", "the"):
            if other.text.lower() in ("time", "date", "day", "year"):
                return _moment(sheet, reading, ("time",) if other.text.lower() == "time" else ("date",))
            if other.text.lower() not in SUPERLATIVES and not any(
                start <= other.span[0] < end for name in ("max", "min") for start, end in reading.operations.get(name, ())
            ):
                break
    return Asked(wanted="name")


def _place(sheet: Sheet, reading: Reading, plain: Sequence[int]) -> int | None:
    """The column that "where" asks for: one of places that is named, or that lies in the direction of the verb, or the only one."""
    located = [place for place in plain if set(sheet.fields[place].stems) & (_PLACES | _TO | _FROM)]
    if reading.operations.keys() & {"max", "min"} and key_of(sheet) in located:
        return key_of(sheet)
    named = [place for place in located if any(_column_of(sheet, reading, other, [place]) is not None for other in reading.words)]
    if len(named) == 1:
        return named[0]
    stems = {word.text.lower() for word in reading.words}
    for verbs, columns in ((_GOING, _TO), (_COMING, _FROM)):
        directed = [place for place in located if set(sheet.fields[place].stems) & columns]
        if stems & verbs and len(directed) == 1:
            return directed[0]
    free = [place for place in located if place != key_of(sheet)]
    return free[0] if len(free) == 1 else None


_TO = frozenset(root(word) for word in "to destination arrival terminus".split())
_FROM = frozenset(root(word) for word in "from origin start departure source".split())
_GOING = frozenset("go goes going head heads end ends arrive arrives bound terminate terminates travel travels run runs".split())
_COMING = frozenset("come comes start starts begin begins depart departs leave leaves set originate originates".split())


def _moment(sheet: Sheet, reading: Reading, kinds: Sequence[str]) -> Asked:
    """A date, a time, or a period: the column that the verb or noun of the question means, or the only one."""
    moments = [place for place in sheet.dimensions if sheet.fields[place].temporal in kinds]
    years = [
        place
        for place, column in enumerate(sheet.fields)
        if "date" in kinds and "(" not in column.sql and ((column.role == "measure" and column.years) or column.ordered)
    ]
    for places in (moments, [*moments, *years]):
        meant = [place for place in places if any(denotes(word, sheet.fields[place]) for word in reading.words)]
        if len(meant) == 1 or (not meant and len(places) == 1):
            target = (meant or places)[0]
            return Asked(wanted="name" if sheet.fields[target].role == "dimension" else "amount", target=target, temporal=True)
    return Asked(wanted="name", temporal=True, sure=bool(moments))


def _counted(asking: re.Match[str], sheet: Sheet, reading: Reading) -> Asked:
    """How many: of a measure ("how many goals") an amount, of rows or labels a count."""
    for word in _following(reading, asking.end(), 6):
        low = word.text.lower()
        if any(value.span[0] <= word.span[0] < value.span[1] for value in reading.values):
            break
        mention = _mention_at([one for one in reading.columns if one.strength >= 0.5], word)
        if mention is not None and low not in ("aged", "old"):
            field = sheet.fields[mention.field]
            return Asked(wanted="amount") if field.role == "measure" else Asked(wanted="count", counted=mention.field)
        if (low in STOP_WORDS and low not in ("from",)) or word.stem in _LIGHT_COUNTED or low in COMPARATIVES:
            continue
        dimensions = [place for place in sheet.dimensions if "(" not in sheet.fields[place].sql]
        found = next((place for place in dimensions if any(word.stem in group and set(sheet.fields[place].stems) & group for group in SYNONYMS)), None)
        return Asked(wanted="count", counted=found, sure=found is not None)
    return Asked(wanted="count", sure=False)


def _measure_behind(sheet: Sheet, reading: Reading, end: int) -> bool:
    """Whether a measure is the noun of the superlative: "lowest debt", unlike "newest ship"."""
    return any(_mention_at(reading.measures(sheet), word) is not None for word in _following(reading, end, 1))


_LIGHT_COUNTED = frozenset("differ distinct uniqu separat total singl individu".split())


_CHUNK_END = re.compile(r"[,;?]|\bi\.?e\b|\b(?:of|for|in|with|by|at|among|from|that|to|on|does|do|did)\b")


def _elliptic(start: int, what: bool, question: str, sheet: Sheet, reading: Reading) -> Asked:
    """ "What is the capital of X", "oldest club?", "fare for X?": the first thing named tells; a superlative may stand before it."""
    end = _CHUNK_END.search(question, start)
    chunk_end = end.start() if end is not None else len(question)
    asked = asked_end(question, reading)
    plain = [place for place in sheet.dimensions if "(" not in sheet.fields[place].sql]
    if what and asked is None:
        for word in _following(reading, start, 2):
            if word.text.lower() in ("time", "date", "day"):
                found = _moment(sheet, reading, ("time",) if word.text.lower() == "time" else ("date",))
                if found.target is not None or found.sure:
                    return found
    chunk = [word for word in reading.words if start <= word.span[0] < max(chunk_end, start + 1)]
    taken = [value.span for value in reading.values]
    chunk = [word for word in chunk if not any(first <= word.span[0] < last for first, last in taken)]
    dimensions = [place for word in chunk if (place := _column_of(sheet, reading, word, plain)) is not None]
    measures = [mention for word in chunk if (mention := _mention_at(reading.measures(sheet), word)) is not None and mention.strength >= 0.7]
    if dimensions and not measures:
        return Asked(wanted="name", target=dimensions[-1], temporal=bool(sheet.fields[dimensions[-1]].temporal))
    if dimensions and measures and asked is not None:
        return Asked(wanted="name", target=dimensions[-1])
    if measures:
        return Asked(wanted="amount")
    if asked is not None and question[slice(*asked[2])].lower() in SUPERLATIVES and not _measure_behind(sheet, reading, asked[2][1]):
        return Asked(wanted="name")
    if asked is None and re.search(r"\b(?:first|earliest|last|latest|most recent)\b", question[start:chunk_end], re.IGNORECASE):
        return Asked(wanted="name", sure=False)
    if reading.measures(sheet):
        return Asked(wanted="amount", sure=False)
    if reading.operations.keys() & {"sum", "average", "median", "difference", "change", "range"}:
        return Asked(wanted="amount", sure=False)
    later = [place for word in reading.words if (place := _column_of(sheet, reading, word, plain)) is not None]
    return Asked(wanted="name", target=later[0] if later else None, sure=False) if later and asked is None else Asked(wanted="amount", sure=False)
