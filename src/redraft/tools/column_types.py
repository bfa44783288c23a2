"""What type each column of a text table has: one scan over every cell decides, so that nothing is guessed from a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["NUMBER_ENGLISH", "Typing", "literal", "quoted", "typed_columns"]

LARGE_ROWS = 100_000
PLACES_SPARE = 6
ABSENT = ("", "-", "–", "—", "n/a", "na", "null", "none", "nan", "#n/a", "?", "...", "…", "k. a.", "k.a.")
CURRENCY = r"US\$|USD|EUR|GBP|CHF|JPY|CNY|[$€£¥₹]"
NUMBER_CONTINENTAL = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$"
DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%m-%Y")
TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M")
NUMBER_ENGLISH = r"^[+-]?(\d+|\d{1,3}(,\d{3})+)?(\.\d+)?([eE][+-]?\d{1,3})?$"


@dataclass(frozen=True, kw_only=True, slots=True)
class Typing:
    """How to read the columns: an SQL expression for each, the unit that stood beside every figure of one, and what could not be told."""

    expressions: tuple[str, ...]
    units: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Profile:
    """How many cells of a column have which form."""

    counts: Mapping[str, int]
    unit: str

    def all(self, form: str) -> bool:
        return self.counts[form] == self.counts["filled"]


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def typed_columns(connection: DuckDBPyConnection, raw: str, names: Sequence[str], *, semicolons: bool) -> Typing:
    """Find the type that each cell of a column has; `semicolons` says that the file separates columns by them, as files with decimal commas do."""
    row = connection.execute(f"SELECT count(*) FROM {raw}").fetchone()
    large = bool(row) and int(row[0]) > LARGE_ROWS
    limit = 20_000 if large else None
    profiles = _profiles(connection, raw, names, limit)
    numbers = {column for column in names if _is_number(profiles[column])}
    perhaps = [column for column in names if column not in numbers and profiles[column].counts["filled"] and profiles[column].all("digits")]
    dates = {column: _date_format(counts, profiles[column].counts["filled"]) for column, counts in _dated(connection, raw, perhaps, limit).items()}
    continental = any(profiles[column].all("continental") and not profiles[column].all("english") for column in numbers)
    expressions, units, notes = list[str](), dict[str, str](), list[str]()
    for column in names:
        profile = profiles[column]
        expression = f"CASE WHEN {_absent(column)} AND {_text(column)} <> '-' THEN NULL ELSE {_text(column)} END"
        if column in numbers:
            comma = not profile.all("english") or (profile.all("continental") and (continental or (semicolons and profile.counts["commas"] > 0)))
            if profile.all("english") and profile.all("continental") and profile.counts["grouped"] and not continental:
                notes.append(f"column {column!r}: it cannot be told whether its figures have thousands separators or decimals")
            expression = f"CASE WHEN {_absent(column)} THEN NULL ELSE {_number(column, comma, profile, large)} END"
            if profile.unit:
                units[column] = profile.unit
        elif form := dates.get(column, ""):
            if form == "ambiguous":
                notes.append(f"column {column!r}: day and month of its dates cannot be told apart; it was read as text")
            else:
                expression = f"CAST(try_strptime({_text(column)}, {literal(form)}) AS {'TIMESTAMP' if '%H' in form else 'DATE'})"
        elif profile.counts["filled"] and not profile.counts["zeros"] and profile.counts["numbers"] * 2 > profile.counts["filled"]:
            notes.append(f"column {column!r} mixes figures and words: it was read as text")
        expressions.append(f"{expression} AS {quoted(column)}")
    if large:
        _keep_as_text_what_does_not_convert(connection, raw, names, expressions, notes)
    return Typing(expressions=tuple(expressions), units=units, notes=tuple(notes))


def _keep_as_text_what_does_not_convert(connection: DuckDBPyConnection, raw: str, names: Sequence[str], expressions: list[str], notes: list[str]) -> None:
    """Of a large file only the beginning was read closely: every later cell must convert without loss, or its column stays text."""
    typed = [index for index, expression in enumerate(expressions) if "CAST(" in expression]
    if not typed:
        return
    checks: list[str] = []
    for index in typed:
        column, value = names[index], expressions[index].rsplit(" AS ", 1)[0]
        places = f"length(split_part({_text(column)}, '.', 2)) > {PLACES_SPARE}" if "DECIMAL" in value else "false"
        checks.append(f"count(*) FILTER ({quoted(column)} IS NOT NULL AND NOT ({_absent(column)}) AND (({value}) IS NULL OR {places}))")
    failed = connection.execute(f"SELECT {', '.join(checks)} FROM {raw}").fetchone() or ()
    for index, count in zip(typed, failed, strict=True):
        if count:
            column = names[index]
            expressions[index] = f"{_text(column)} AS {quoted(column)}"
            notes.append(f"column {column!r}: {count} cells far down differ in form from the first ones, so that it was read as text")


def _text(column: str) -> str:
    return f"trim(replace(replace({quoted(column)}, chr(160), ' '), '\u202f', ' '))"


def _absent(column: str) -> str:
    return f"lower({_text(column)}) IN ({', '.join(map(literal, ABSENT))})"


def _unit(column: str) -> str:
    pattern = rf"(?:^[+-]?\s*({CURRENCY})\s*\(?[\d.])|(?:\d\)?\s*(%|[A-Za-z°µ/$€£¥₹²³]{{1,10}})$)"
    return f"coalesce(nullif(regexp_extract({_text(column)}, {literal(pattern)}, 1), ''), regexp_extract({_text(column)}, {literal(pattern)}, 2))"


def _digits(column: str) -> str:
    """The cell without currency, unit, typographic signs and the white space or apostrophes between groups of three."""
    cell = f"replace({_text(column)}, '−', '-')"
    cell = f"regexp_replace({cell}, '^([+-]?)\\s*(?:{CURRENCY})\\s*', '\\1')"
    cell = f"regexp_replace({cell}, '(\\d\\)?)\\s*(?:%|[A-Za-z°µ/$€£¥₹²³]{{1,10}})$', '\\1')"
    cell = f"regexp_replace({cell}, '^\\((.*)\\)$', '-\\1')"
    cell = f"regexp_replace({cell}, '^(-?)\\s*(?:{CURRENCY})\\s*', '\\1')"
    return f"regexp_replace({cell}, '(\\d)[ ''’](\\d{{3}})', '\\1\\2', 'g')"


def _cells(raw: str, limit: int | None) -> str:
    """All cells that are not empty, with the name of their column, cleaned: so each pattern is applied by one expression, however many columns there are."""
    source = f"(SELECT * FROM {raw} LIMIT {limit})" if limit else raw
    clean = f"SELECT col, {_digits('cell')} AS d, {_text('cell')} AS t, {_unit('cell')} AS u FROM (UNPIVOT {source} ON COLUMNS(*) INTO NAME col VALUE cell)"
    return f"WITH cells AS MATERIALIZED ({clean} WHERE NOT ({_absent('cell')}))"


def _profiles(connection: DuckDBPyConnection, raw: str, columns: Sequence[str], limit: int | None) -> dict[str, _Profile]:
    measures = {
        "filled": "count(*)",
        "numbers": r"count(*) FILTER (regexp_matches(d, '\d') AND regexp_matches(d, '^[+-]?[\d.,]+$'))",
        "english": rf"count(*) FILTER (regexp_matches(d, '\d') AND regexp_matches(d, {literal(NUMBER_ENGLISH)}))",
        "continental": f"count(*) FILTER (regexp_matches(d, {literal(NUMBER_CONTINENTAL)}))",
        "grouped": r"count(*) FILTER (regexp_matches(d, '^[+-]?\d{1,3}[.]\d{3}$'))",
        "bare": r"count(*) FILTER (regexp_matches(t, '^[+-]?[\d.,]+$'))",
        "digits": r"count(*) FILTER (regexp_matches(t, '\d'))",
        "commas": "count(*) FILTER (contains(d, ','))",
        "zeros": r"count(*) FILTER (regexp_matches(t, '^0\d'))",
        "powers": "count(*) FILTER (regexp_matches(d, '[eE]'))",
        "whole": r"max(length(regexp_replace(regexp_extract(d, '^[+-]?([\d.,]*?)([.,]\d+)?$', 1), '[.,]', '', 'g')))",
        "places": r"max(length(regexp_extract(d, '[.,](\d+)$', 1)))",
        "point_places": r"max(length(regexp_extract(d, '[.](\d+)$', 1)))",
        "units": "count(DISTINCT u) FILTER (u <> '')",
        "with_unit": "count(*) FILTER (u <> '')",
    }
    rows = connection.execute(f"{_cells(raw, limit)} SELECT col, max(u), {', '.join(measures.values())} FROM cells GROUP BY col").fetchall()
    empty = _Profile(counts=dict.fromkeys(measures, 0), unit="")
    found = {str(row[0]): _Profile(counts=dict(zip(measures, map(int, row[2:]), strict=True)), unit=str(row[1] or "")) for row in rows}
    return {column: found.get(column, empty) for column in columns}


def _dated(connection: DuckDBPyConnection, raw: str, columns: Sequence[str], limit: int | None) -> dict[str, tuple[int, ...]]:
    """For each column, how many cells each form of a date reads."""
    if not columns:
        return {}
    counts = ", ".join(f"count(try_strptime(t, {literal(form)}))" for form in (*DATE_FORMATS, *TIME_FORMATS))
    names = ", ".join(map(literal, columns))
    rows = connection.execute(f"{_cells(raw, limit)} SELECT col, {counts} FROM cells WHERE col IN ({names}) GROUP BY col").fetchall()
    return {str(row[0]): tuple(map(int, row[1:])) for row in rows}


def _is_number(profile: _Profile) -> bool:
    """Every cell is a figure of one convention, with the same unit or none; a code with leading zeros is no figure."""
    if not profile.counts["filled"] or profile.counts["zeros"] or max(profile.counts["english"], profile.counts["continental"]) < profile.counts["filled"]:
        return False
    return profile.counts["with_unit"] == 0 or profile.counts["units"] == 1


def _date_format(counts: Sequence[int], filled: int) -> str:
    """The form of date that reads every cell, `ambiguous` where day and month may be either way round, or nothing."""
    fits = [form for form, count in zip((*DATE_FORMATS, *TIME_FORMATS), counts, strict=True) if count == filled]
    if {"%d/%m/%Y", "%m/%d/%Y"} <= set(fits):
        return "ambiguous"
    return fits[0] if fits else ""


def _number(column: str, comma: bool, profile: _Profile, large: bool) -> str:
    digits = _text(column) if profile.all("bare") else _digits(column)
    digits = f"replace(replace({digits}, '.', ''), ',', '.')" if comma else f"replace({digits}, ',', '')"
    places = int(profile.counts["places"] if comma else profile.counts["point_places"])
    whole = profile.counts["whole"]
    if large and places:
        places = PLACES_SPARE
    if profile.counts["powers"] or whole + places > 18:
        return f"TRY_CAST({digits} AS DOUBLE)"
    return f"TRY_CAST({digits} AS DECIMAL(18, {places}))" if places else f"TRY_CAST({digits} AS BIGINT)"
