"""Data formats in fenced code, read by well-kept parsers: JSON (with a schema where one is given), SQL, XML, YAML and TOML.

A block is contradicted only where it is surely meant to be complete: elisions, comments and placeholders make it a sketch.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import Any, cast

from redraft.types import Evidence, Verdict

__all__ = ["FORMATS", "as_schema", "read_format"]

MAX_SOURCE = 100_000
MAX_REPORTED = 5
SKETCH = re.compile(r"\.\.\.|…|<[A-Za-z][\w -]*>|\{\{|\$\{|\{%|\[[A-Z][\w ]* here\]", re.IGNORECASE)
COMMENT = re.compile(r"^\s*(?://|#|/\*)|\s//\s", re.MULTILINE)
PROCEDURAL = re.compile(r"\b(?:begin|declare|delimiter|procedure|function|trigger|execute|language|do)\b|^\s*\\|^GO$", re.IGNORECASE | re.MULTILINE)
SQL_PLACEHOLDER = re.compile(r"%s|%\(|\?|:\w+|@\w+|\$\d|&\w+|#\w+#")
DIALECTS = ("", "postgres", "mysql", "sqlite", "tsql", "bigquery", "snowflake", "duckdb", "oracle", "spark", "clickhouse")


class _Wrong(Exception):
    """The source is not of its format; the message says where."""


class _Sketch(Exception):
    """The source is not of its format, and perhaps is not meant to be."""


def read_format(language: str, source: str, schema: object = None) -> Verdict:
    """The verdict on a block of a data format: supported if its parser takes it (and the schema, for JSON), never a guess."""
    if len(source) > MAX_SOURCE:
        return Verdict(status="unavailable", note=f"longer than {MAX_SOURCE:,} characters; it was not parsed")
    if not source.strip():
        return Verdict(status="skipped", note="an empty block")
    try:
        note = FORMATS[language](source)
        if schema is not None and language in ("json", "yaml"):
            note = _matches(source, language, schema)
    except _Wrong as error:
        evidence = Evidence(tool=language, input=source, title="syntax", text=str(error))
        return Verdict(status="contradicted", method="executed", confidence=1.0, evidence=(evidence,), note=str(error))
    except _Sketch as error:
        return Verdict(status="insufficient", note=str(error))
    except ImportError as error:
        return Verdict(status="unavailable", note=f"the parser is not installed ({error.name}); run: pip install 'redraft[sandbox]'")
    except (RecursionError, MemoryError):
        return Verdict(status="unavailable", note="nested too deeply to be parsed here")
    evidence = Evidence(tool=language, input=source, title="syntax", text=note)
    return Verdict(status="supported", method="executed", confidence=1.0, evidence=(evidence,), note=note)


def as_schema(text: str) -> dict[str, Any] | None:
    """The JSON schema that a text is, or None."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = {"$schema", "type", "properties", "items", "anyOf", "allOf", "oneOf", "enum", "$ref", "required"}
    return cast("dict[str, Any]", value) if isinstance(value, dict) and known & cast("dict[str, Any]", value).keys() else None


def _refused(constant: str) -> float:
    raise _Wrong(f"{constant} is not JSON")


def _json(source: str) -> str:
    try:
        json.loads(source, parse_constant=_refused)
    except json.JSONDecodeError as error:
        lines = [line for line in source.splitlines() if line.strip()]
        if len(lines) > 1 and all(_is_json(line) for line in lines):
            return "it parses as one JSON value a line"
        if SKETCH.search(source) or COMMENT.search(source):
            raise _Sketch("not JSON, but it has elisions or comments, so it may only be a sketch") from None
        raise _Wrong(f"not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    return "it parses as JSON"


def _is_json(line: str) -> bool:
    try:
        json.loads(line, parse_constant=_refused)
    except (ValueError, _Wrong):
        return False
    return True


def _matches(source: str, language: str, schema: object) -> str:
    import jsonschema
    from referencing import Registry

    library: Any = jsonschema
    value: object = json.loads(source) if language == "json" else _yaml_value(source)
    checker: Any = library.validators.validator_for(schema, default=library.Draft202012Validator)
    try:
        checker.check_schema(schema)
        # A registry of its own, empty: the default one fetches references from the network
        found: list[Any] = sorted(checker(schema, registry=cast("Any", Registry)()).iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
    except library.SchemaError as error:
        raise _Sketch(f"the given JSON schema is not one: {str(error)[:200]}") from None
    except Exception as error:  # an unresolvable reference: the library's own exceptions differ between its versions
        raise _Sketch(f"the given JSON schema cannot be used ({type(error).__name__})") from None
    if found:
        told = "; ".join(f"{error.json_path}: {error.message[:160]}" for error in found[:MAX_REPORTED])
        raise _Wrong(f"it does not match the schema: {told}")
    return f"it parses as {language.upper()} and matches the schema"


def _yaml_value(source: str) -> object:
    import yaml

    try:
        return yaml.safe_load(source)
    except yaml.YAMLError:
        raise _Sketch("it has tags that are not read here, so the schema was not tried") from None


def _sql(source: str) -> str:
    import sqlglot
    from sqlglot.errors import SqlglotError

    problem = ""
    for dialect in DIALECTS:
        try:
            found = sqlglot.parse(source, read=dialect or None)
        except (SqlglotError, ValueError) as error:
            problem = problem or str(error).split("\n", 1)[0][:200]
            continue
        if any(type(one).__name__ in ("Command", "Alias", "Column") for one in found if one is not None):
            raise _Sketch("a statement that the parser does not know in detail")
        return "it parses as SQL" + (f" ({dialect})" if dialect else "")
    if SKETCH.search(source) or PROCEDURAL.search(source) or SQL_PLACEHOLDER.search(source):
        raise _Sketch("not SQL for this parser, but it has placeholders, elisions or procedural parts")
    raise _Wrong(f"not SQL in any dialect that was tried: {problem}")


def _xml(source: str) -> str:
    import defusedxml.ElementTree as safe
    from defusedxml import DefusedXmlException

    parse: Callable[[str], object] = safe.fromstring
    try:
        parse(source.strip())
    except DefusedXmlException:
        raise _Sketch("it declares entities, which are not expanded here") from None
    except (safe.ParseError, ValueError) as error:
        if _parses(parse, f"<_>{source}</_>"):
            return "it parses as XML content (several elements, or text beside them)"
        if SKETCH.search(re.sub(r"<[^<>]*>", "", source)) or "unbound prefix" in str(error):
            raise _Sketch("not XML by itself, but it may be an excerpt") from None
        raise _Wrong(f"not XML: {error}") from None
    return "it parses as XML"


def _parses(parse: Callable[[str], object], source: str) -> bool:
    from xml.etree.ElementTree import ParseError

    try:
        parse(source)
    except (ParseError, ValueError):
        return False
    return True


def _yaml(source: str) -> str:
    import yaml

    library: Any = yaml
    try:
        list(library.compose_all(source, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        if SKETCH.search(source):
            raise _Sketch("not YAML, but it has elisions or placeholders") from None
        mark: Any = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise _Wrong(f"not YAML: {where}{getattr(error, 'problem', None) or type(error).__name__}") from None
    return "it parses as YAML"


def _toml(source: str) -> str:
    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        if SKETCH.search(source):
            raise _Sketch("not TOML, but it has elisions or placeholders") from None
        raise _Wrong(f"not TOML: {error}") from None
    return "it parses as TOML"


FORMATS: dict[str, Callable[[str], str]] = {"json": _json, "jsonl": _json, "sql": _sql, "xml": _xml, "yaml": _yaml, "toml": _toml}
