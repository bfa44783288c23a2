"""Figures that no rule derives, decided by a capable model's SQL: read only, one value, from the table; whatever else a query does proves nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.models.scripted import Reply, ScriptedModel
from redraft.policy import Policy
from redraft.refiner import Refiner
from redraft.tools.table import TableTool
from redraft.types import Check, Evidence, Outcome, Task

TABLE = "shop,opened,takings,staff\nOak,2019,500,4\nElm,2021,620,5\nAsh,2023,280,2\nFir,2018,940,7\n"
TEXT = "The shops that opened after 2018 took {} for each member of staff."
RIGHT = "SELECT round(sum(takings) * 1.0 / sum(staff), 1) FROM shops WHERE opened > 2018"
JUDGED = Reply(role="judge", text=json.dumps({"verdict": "insufficient", "quote": "", "confidence": 0.5, "reason": "the rows do not say"}))


CONFIRMED = Reply(role="judge", text=json.dumps({"verdict": "contradicted", "quote": "127.3", "confidence": 0.9, "reason": "the query gives another figure"}))


def checked(folder: Path, sql: str, figure: str = "127.3", *, seconds: float = 20.0, judged: Reply = JUDGED) -> tuple[Check, Outcome]:
    """The check of the one sentence when a model writes this query for it."""
    path = folder / "shops.csv"
    path.write_text(TABLE, encoding="utf-8")
    text = TEXT.format(figure)
    claim = {"quote": text, "focus": figure, "statement": text, "kind": "number", "tool": "table", "input": sql}
    model = ScriptedModel([Reply(role="planner", text=json.dumps({"claims": [claim], "requirements": []})), *[judged] * 4])
    refiner = Refiner(model, tools=[TableTool([path], timeout_seconds=seconds)], policy=Policy(counter_search=False, chain=0))
    outcome = refiner.check_sync(Task(query="", kind="report"), text)
    return next(check for check in outcome.checks if figure in check.claim.text), outcome


def evidence(check: Check, outcome: Outcome) -> list[Evidence]:
    return [item for item in outcome.evidence if item.id in check.evidence]


@pytest.mark.parametrize(("figure", "status"), [("127.3", "supported"), ("141.9", "contradicted")])
def test_the_models_query_decides_what_no_rule_derives_and_is_the_evidence(tmp_path: Path, figure: str, status: str) -> None:
    check, outcome = checked(tmp_path, RIGHT, figure, judged=CONFIRMED)
    assert (check.status, check.method, check.plan) == (status, "computed", "chosen")
    assert check.confidence < 1.0
    assert [(item.tool, item.input, item.value) for item in evidence(check, outcome)] == [("table", RIGHT, "127.3")]


def test_a_query_that_a_second_look_does_not_confirm_overturns_nothing(tmp_path: Path) -> None:
    check, _ = checked(tmp_path, RIGHT, "141.9")
    assert check.status == "insufficient"


def test_without_a_model_the_figure_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "shops.csv"
    path.write_text(TABLE, encoding="utf-8")
    outcome = Refiner("none", tools=[TableTool([path])]).check_sync(Task(query="", kind="report"), TEXT.format("141.9"))
    assert not [check for check in outcome.checks if check.status in ("supported", "contradicted")]


ATTEMPTS = {
    "write": "INSERT INTO shops VALUES ('Yew', 2020, 1, 1)",
    "overwrite": "UPDATE shops SET takings = 127.3",
    "drop": "DROP TABLE shops",
    "two statements": RIGHT + "; DELETE FROM shops",
    "copy out": "COPY shops TO 'out.csv'",
    "attach": "ATTACH 'other.db' AS other",
    "extension": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "setting": "SET enable_external_access=true",
    "read a file": "SELECT count(*) FROM read_csv('shops.csv')",
    "read a file by name": "SELECT count(*) FROM 'shops.csv'",
    "read text": "SELECT content FROM read_text('/etc/hostname')",
    "environment": "SELECT getenv('HOME') FROM shops",
    "catalog": "SELECT count(*) FROM information_schema.tables",
    "wrong column": "SELECT sum(turnover) FROM shops",
    "wrong table": "SELECT sum(takings) FROM stores",
    "not SQL": "the takings of the shops, please",
    "many rows": "SELECT shop, takings FROM shops",
    "no row": "SELECT takings FROM shops WHERE shop = 'Yew'",
    "constant": "SELECT 127.3",
    "constant beside a table": "SELECT 127.3 FROM shops LIMIT 1",
    "constant in an aggregate": "SELECT max(127.3) FROM shops",
    "constant in a subquery": "WITH v AS (SELECT 127.3 AS x FROM shops) SELECT max(x) FROM v",
    "constant hidden in a sum": "SELECT sum(takings) * 0 + 127.3 FROM shops",
    "constant as text": "SELECT CAST('127.3' AS DOUBLE) + 0 * min(staff) FROM shops",
    "one side constant": "SELECT 127.3 UNION SELECT sum(takings) FROM shops WHERE shop = 'Yew'",
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_does_more_than_read_or_shows_nothing_decides_nothing(tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.iterdir())
    check, _ = checked(tmp_path, ATTEMPTS[name])
    assert check.status in ("insufficient", "unavailable"), check
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({path.name for path in before} | {"shops.csv"})
    assert (tmp_path / "shops.csv").read_text(encoding="utf-8") == TABLE


def test_a_query_without_end_is_stopped_and_decides_nothing(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT staff FROM shops UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    check, _ = checked(tmp_path, endless, seconds=0.5)
    assert check.status in ("insufficient", "unavailable"), check
