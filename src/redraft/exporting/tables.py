"""Runs, claims, turns and calls as flat tables: CSV by the standard library, Parquet by DuckDB."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from redraft.errors import MissingExtra, UsageError
from redraft.events import ModelCalled
from redraft.exporting.runs import Run

__all__ = ["TABLES", "csv_of", "parquet_of"]

Rows = Iterator[dict[str, Any]]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _runs(runs: Iterable[Run]) -> Rows:
    for run in runs:
        usage, worthy = run.usage, [check for check in run.final.checks if check.claim.checkworthy]
        yield {
            "run": run.id,
            "started": run.at,
            "query": run.task.query,
            "kind": run.task.kind,
            "policy": str(run.policy.get("name", "")),
            "policy_hash": run.policy_hash,
            "model": run.models.get("writer", ""),
            "status": run.status,
            "stop_reason": run.reason,
            "changed": run.final.text != run.draft.text,
            "draft": run.draft.text,
            "answer": run.final.text,
            "turns": len(run.turns),
            "accepted": sum(turn.decision.accepted for turn in run.turns),
            "supported": sum(check.status == "supported" for check in worthy),
            "contradicted": sum(check.status == "contradicted" for check in run.final.checks),
            "undecided": sum(check.undecided for check in worthy),
            "llm_calls": usage.llm_calls,
            "tool_calls": usage.tool_calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost_usd": usage.cost_usd,
            "seconds": usage.seconds,
            "trace_hash": run.trace_hash,
        }


def _claims(runs: Iterable[Run]) -> Rows:
    for run in runs:
        for place, text in (("draft", run.draft), ("answer", run.final)):
            for check in text.checks:
                yield {
                    "run": run.id,
                    "of": place,
                    "claim": check.claim.text,
                    "start": check.claim.span[0],
                    "end": check.claim.span[1],
                    "kind": check.claim.kind,
                    "importance": check.claim.importance,
                    "verdict": check.status,
                    "method": check.method or "",
                    "plan": check.plan,
                    "confidence": check.confidence,
                    "expected": check.expected or "",
                    "note": check.note,
                    "sources": " ".join(dict.fromkeys(run.evidence[name].source or run.evidence[name].tool for name in check.evidence if name in run.evidence)),
                }


def _turns(runs: Iterable[Run]) -> Rows:
    for run in runs:
        for turn in run.turns:
            yield {
                "run": run.id,
                "turn": turn.number,
                "problems": len(turn.problems),
                "accepted": turn.decision.accepted,
                "rule": turn.decision.rule,
                "failed": " ".join(turn.decision.failed),
                "gain": turn.decision.figures.get("gain"),
                "reason": turn.decision.reason,
                "candidate": turn.candidate.text,
            }


def _calls(runs: Iterable[Run]) -> Rows:
    for run in runs:
        for place, call in enumerate(run.calls):
            of_model = isinstance(call, ModelCalled)
            reply = call.reply if of_model else None
            yield {
                "run": run.id,
                "call": place,
                "kind": "model" if of_model else "tool",
                "name": call.request.role if of_model else call.call.tool,
                "model": call.model if of_model else "",
                "started_seconds": call.started_seconds,
                "seconds": call.seconds,
                "input_tokens": reply.input_tokens if reply else 0,
                "output_tokens": reply.output_tokens if reply else 0,
                "cost_usd": (reply.cost_usd if reply else None) if of_model else call.cost_usd,
                "failed": (call.error_type if of_model else call.failure.kind if call.failure else "") or "",
            }


TABLES: Mapping[str, Callable[[Iterable[Run]], Rows]] = {"runs": _runs, "claims": _claims, "turns": _turns, "calls": _calls}
"""The tables by name."""


def csv_of(table: str, runs: Iterable[Run]) -> bytes:
    """One table as CSV in UTF-8. A text that a spreadsheet would take for a formula gets a quotation mark in front."""
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in TABLES[table](runs):
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\r\n")
            writer.writeheader()
        writer.writerow({name: _plain(value) for name, value in row.items()})
    return out.getvalue().encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return str(value).lower() if isinstance(value, bool) else value


def parquet_of(table: str, runs: Iterable[Run], path: Path) -> int:
    """Write one table as Parquet; returns the number of rows.

    Raises:
        MissingExtra: DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("Parquet", "tables") from None
    rows = [{name: _whole(value) for name, value in row.items()} for row in TABLES[table](runs)]
    types = {name: _type([row[name] for row in rows]) for name in (rows[0] if rows else {"run": ""})}
    columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
    try:
        with duckdb.connect(":memory:") as database:
            database.execute(f"CREATE TABLE rows ({columns})")
            if rows:
                database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(types))})", [list(row.values()) for row in rows])
            quoted = str(path).replace("'", "''")
            database.execute(f"COPY rows TO '{quoted}' (FORMAT parquet)")
    except duckdb.Error as error:
        raise UsageError(f"cannot write {path}: {str(error).splitlines()[0]}") from None
    return len(rows)


def _whole(value: Any) -> Any:
    """Texts without halves of surrogate pairs, which no file in UTF-8 can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _type(values: list[Any]) -> str:
    known: set[type[Any]] = {type(value) for value in values if value is not None}
    if known == {bool}:
        return "BOOLEAN"
    if known == {int}:
        return "BIGINT"
    return "DOUBLE" if known and known <= {int, float} else "VARCHAR"
