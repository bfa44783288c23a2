"""Export: what becomes training data and what does not, logs and tables that others read, a page that is harmless, and spans."""

from __future__ import annotations

import asyncio
import csv
import dataclasses
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import InputError
from redraft.exporting import TABLES, Run, certificate, claim_rows, csv_of, dpo_rows, inspect_log, parquet_of, read_runs, run_of, sft_rows
from redraft.models.scripted import ScriptedModel
from redraft.policy import Policy
from redraft.records import open_records
from redraft.refiner import Refiner
from redraft.telemetry import Telemetry
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.types import Decision, Task

RENT = "Rent: 150 * 40 = 6,200 euros."
ATTACK = "</div><script>alert(1)</script><img src=x onerror=alert(2)> \u202e\u0007 2 + 2 = 5. 東京の人口は多い。"


def exact(text: str, query: str = "") -> Run:
    refiner = Refiner("none")
    refiner.revise_sync(Task(query=query, kind="report"), text)
    return run_of("r1", refiner.trace.records)


def judged(rewrite: str = "Berley", verdict_of_rewrite: str = "contradicted") -> Run:
    """A run whose draft a model judged wrong, and whose rewrite it judged too."""

    def reply(request: Any) -> str:
        text = request.messages[-1].content
        if request.role == "planner":
            name = rewrite if rewrite in text.split("Tools:")[0] else "Aldon"
            return json.dumps({"claims": [{"quote": name, "focus": name, "statement": f"born in {name}", "tool": "search", "input": name}]})
        if request.role == "judge":
            status = verdict_of_rewrite if f"born in {rewrite}" in text.split("Evidence 1")[0] else "contradicted"
            return json.dumps({"verdict": status, "quote": "the book says so", "confidence": 0.95, "reason": "so it says"})
        return json.dumps({"text": rewrite})

    search = ScriptedTool(lambda call: page(call, "About this the book says so.", source=f"https://example.org/{call.input}"))
    refiner = Refiner(ScriptedModel([reply] * 60), tools=[CalculatorTool(), search], policy=Policy(max_turns=1, stops=("verified", "hard_cap")))
    refiner.revise_sync(Task(query="Where was he born?"), "Aldon")
    return run_of("r2", refiner.trace.records)


class TestTraining:
    def test_a_computed_correction_is_a_row_and_a_pair(self) -> None:
        (row,) = sft_rows([exact(RENT)])
        assert row["messages"][1] == {"role": "assistant", "content": "Rent: 150 * 40 = 6,000 euros."}
        assert row["messages"][0]["content"].endswith(RENT)
        assert row["methods"] == ["computed"]
        (pair,) = dpo_rows([exact(RENT)])
        assert (pair["chosen"], pair["rejected"], pair["rule"]) == ("Rent: 150 * 40 = 6,000 euros.", RENT, "repair")
        assert pair["because"][0]["expected"] == "6,000"
        assert len(pair["trace_hash"]) == 64

    def test_what_was_right_from_the_start_is_a_row_only_as_the_answer_to_a_question(self) -> None:
        right = "Rent: 150 * 40 = 6,000 euros."
        assert list(sft_rows([exact(right)])) == list(dpo_rows([exact(right)])) == []
        (row,) = sft_rows([exact(right, "What is the rent?")])
        assert row["messages"][0]["content"] == "What is the rent?"

    def test_an_answer_with_a_claim_that_was_not_checked_teaches_nothing(self) -> None:
        assert list(sft_rows([exact(RENT + " The sky is blue.")])) == []

    def test_what_a_model_judged_counts_only_where_it_is_asked_for(self) -> None:
        run = judged(verdict_of_rewrite="supported")
        assert [turn.decision.accepted for turn in run.turns] == [True]
        assert list(sft_rows([run])) == list(dpo_rows([run])) == list(claim_rows([run])) == []
        (pair,) = dpo_rows([run], judged=True)
        assert (pair["prompt"], pair["chosen"], pair["rejected"]) == ("Where was he born?", "Berley", "Aldon")
        assert {row["verdict"] for row in claim_rows([run], judged=True)} == {"supported", "contradicted"}

    def test_a_refused_rewrite_is_the_rejected_one_where_a_check_contradicts_it(self) -> None:
        run = exact(RENT)
        (turn,) = run.turns
        refused = Decision(accepted=False, rule="hard_fail", failed=("hard_fail",))
        spoilt = dataclasses.replace(turn, retained=turn.candidate, candidate=turn.retained, decision=refused)
        (pair,) = dpo_rows([dataclasses.replace(run, turns=(spoilt,))])
        assert (pair["chosen"], pair["rejected"], pair["rule"]) == ("Rent: 150 * 40 = 6,000 euros.", RENT, "hard_fail")
        harmless = dataclasses.replace(turn, retained=turn.candidate, decision=refused)
        assert list(dpo_rows([dataclasses.replace(run, turns=(harmless,))])) == []

    def test_claims_come_with_verdict_evidence_and_the_place_of_their_words(self) -> None:
        rows = list(claim_rows([exact(RENT + " The sky is blue.")]))
        assert [(row["claim"], row["verdict"]) for row in rows] == [("150 * 40 = 6,200", "contradicted"), ("150 * 40 = 6,000", "supported")]
        for row in rows:
            assert row["text"][row["span"][0] : row["span"][1]] == row["claim"]
            assert row["evidence"][0]["tool"] == "calculator"


class TestTables:
    def test_every_table_has_its_rows_in_csv_and_parquet(self, tmp_path: Path) -> None:
        import duckdb

        runs = [exact(RENT), judged()]
        for name, make in TABLES.items():
            rows = list(csv.DictReader(io.StringIO(csv_of(name, runs).decode(), newline="")))
            made = list(make(runs))
            assert len(rows) == len(made) > 0
            assert list(rows[0]) == list(made[0])
            path = tmp_path / f"{name}'s.parquet"
            assert parquet_of(name, runs, path) == len(made)
            with duckdb.connect() as database:
                found = database.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            assert [tuple(row.values()) for row in made] == [tuple(row) for row in found]

    def test_no_cell_is_a_formula(self) -> None:
        rows = list(csv.DictReader(io.StringIO(csv_of("runs", [exact("=HYPERLINK(1) says 2 + 2 = 5.")]).decode())))
        assert rows[0]["draft"].startswith("'=HYPERLINK")

    def test_an_empty_table_is_written_too(self, tmp_path: Path) -> None:
        assert (csv_of("runs", []), parquet_of("runs", [], tmp_path / "x.parquet")) == (b"", 0)


# Fields that Inspect's documentation of its log requires, by part; checked against inspect_ai itself when this was written.
REQUIRED = {
    "": {"version", "status", "eval", "plan", "results", "stats", "samples"},
    "eval": {"created", "task", "dataset", "model", "config"},
    "sample": {"id", "epoch", "input", "target", "messages", "output", "scores"},
    "model": {"event", "timestamp", "model", "input", "tools", "tool_choice", "config", "output"},
    "tool": {"event", "timestamp", "id", "function", "arguments", "result"},
    "info": {"event", "timestamp", "data"},
}


def test_a_log_of_inspect_has_what_it_requires() -> None:
    log = json.loads(json.dumps(inspect_log([exact(RENT), judged()])))
    assert log.keys() >= REQUIRED[""]
    assert log["eval"].keys() >= REQUIRED["eval"]
    assert (log["version"], log["status"], log["results"]["total_samples"]) == (2, "success", 2)
    kinds = set[str]()
    for sample in log["samples"]:
        assert sample.keys() >= REQUIRED["sample"]
        for event in sample["events"]:
            assert event.keys() >= REQUIRED[event["event"]]
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d", event["timestamp"])
            kinds.add(event["event"])
    assert kinds == {"model", "tool", "info"}
    with pytest.raises(InputError, match="no complete runs"):
        inspect_log([])


class _Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


class TestCertificate:
    def test_it_shows_the_run(self) -> None:
        run = exact(RENT)
        shown = _Page(certificate(run))
        for words in ("Turn 1: accepted", "the evidence gives", "6,000", run.trace_hash, "corrected", run.policy_hash):
            assert words in shown.text
        assert {"del", "ins", "mark"} <= set(shown.tags)
        assert [digest for _, digest in run.hashes if digest not in shown.text] == []

    @pytest.mark.parametrize("run", [exact(ATTACK, query="<b>Why?</b>\" onload='x'"), judged(rewrite="<i>Berley</i>")], ids=["exact", "judged"])
    def test_hostile_text_is_shown_and_does_nothing(self, run: Run) -> None:
        data = certificate(run)
        shown = _Page(data)
        assert not {"script", "img", "i", "iframe", "link", "object", "form"} & set(shown.tags)
        assert not [name for name, _ in shown.attributes if name.startswith("on") or name in ("src", "style", "action")]
        assert all(value is not None and value.startswith("#") for name, value in shown.attributes if name == "href")
        assert not re.search(r"url\(|@import|https?://", data.decode().split("</head>")[0])
        assert "default-src 'none'" in dict(shown.attributes)["content"] or any("default-src 'none'" in (value or "") for _, value in shown.attributes)
        assert not re.search("[\u202a-\u202e\u0007]", data.decode())

    def test_links_lead_to_what_is_there(self) -> None:
        shown = _Page(certificate(exact(RENT)))
        there = {value for name, value in shown.attributes if name == "id"}
        assert {(value or "")[1:] for name, value in shown.attributes if name == "href"} <= there

    def test_a_rewrite_too_long_to_compare_is_shown_whole(self) -> None:
        assert b"<del>" in certificate(exact(RENT + " a b c" * 6000))


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        return tmp_path / "home"

    def test_every_form(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from redraft.cli import run

        records = open_records(home=home)
        for text in (RENT, "2 + 2 = 4."):
            Refiner("none", records=records).revise_sync("", text)
        records.close()
        for form in ("sft", "dpo", "claims"):
            assert run(["export", "--all", "--format", form]) == 0
            lines = capsys.readouterr().out.strip().split("\n")
            assert len(lines) == (3 if form == "claims" else 1)
            json.loads(lines[0])
        assert run(["export", "--search", "6,000", "--format", "csv"]) == 0
        assert capsys.readouterr().out.count("\r\n") + 1 >= 2
        assert run(["export", "last", "--format", "html", "-o", "run.html"]) == 0
        assert Path("run.html").read_bytes().startswith(b"<!doctype html>")
        assert run(["export", "last", "--format", "inspect", "-o", "log.json"]) == 0
        assert json.loads(Path("log.json").read_text())["samples"][0]["output"]["completion"] == "2 + 2 = 4."
        assert run(["export", "--all", "--format", "parquet", "--table", "claims"]) == 2
        assert run(["export", "--all", "--format", "parquet", "--table", "claims", "-o", "no/such/x.parquet"]) == 2
        assert run(["export", "--all", "--format", "parquet", "--table", "claims", "-o", "x.parquet"]) == 0

    def test_a_damaged_record_is_not_exported(self, home: Path) -> None:
        records = open_records(home=home)
        refiner = Refiner("none", records=records)
        name = refiner.revise_sync("", RENT).run_id
        with records._database.write() as execute:  # pyright: ignore[reportPrivateUsage]
            execute("UPDATE redraft_events SET line = :line WHERE seq = 1", {"line": refiner.trace.records[1].line.replace(b"6,200", b"6,000")})
        with pytest.raises(InputError, match="record 1 was altered"):
            list(read_runs(records, [name]))


class TestTelemetry:
    def spans(self, *, content: bool) -> list[Any]:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        telemetry = Telemetry(provider, content=content)
        model = ScriptedModel(["2 + 2 = 5.", json.dumps({"claims": []})], name="openai:small")
        refiner = Refiner(model, tools=[CalculatorTool()], on_event=telemetry.event)
        asyncio.run(refiner.run(Task(query="A secret question?", kind="report")))
        return list(exporter.get_finished_spans())

    def test_runs_model_calls_and_tool_calls_are_spans_by_the_conventions(self) -> None:
        spans = self.spans(content=False)
        run = next(span for span in spans if span.name == "invoke_agent redraft")
        calls = [span for span in spans if span is not run]
        assert {span.name for span in calls} >= {"chat small", "execute_tool calculator"}
        assert all(span.parent is not None and span.parent.span_id == run.context.span_id for span in calls)
        chat = next(span for span in calls if span.name == "chat small")
        assert chat.kind.name == "CLIENT"
        assert dict(chat.attributes) | {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "small"} == dict(
            chat.attributes
        )
        assert chat.attributes["gen_ai.usage.output_tokens"] == 5
        assert run.attributes["redraft.stop_reason"]
        assert [event.name for event in run.events] == ["redraft.decided"]
        assert all(run.start_time <= span.start_time <= span.end_time for span in calls)

    def test_content_leaves_only_where_it_is_asked_for(self) -> None:
        def said(*, content: bool) -> str:
            return json.dumps([dict(span.attributes) for span in self.spans(content=content)])

        assert not re.search(r"secret|2 \+ 2", said(content=False))
        assert "secret" in said(content=True)

    def test_a_call_that_failed_is_an_error(self) -> None:
        from opentelemetry.sdk.trace import TracerProvider

        ended: list[Any] = []

        class Seen:
            def on_start(self, span: Any, parent_context: Any = None) -> None: ...

            def _on_ending(self, span: Any) -> None: ...

            def on_end(self, span: Any) -> None:
                ended.append(span)

            def shutdown(self) -> None: ...

            def force_flush(self, timeout_millis: int = 0) -> bool:
                return True

        provider = TracerProvider()
        provider.add_span_processor(Seen())  # pyright: ignore[reportArgumentType]
        Refiner(ScriptedModel([]), tools=[], on_event=Telemetry(provider).event).run_sync("Where?")
        chat = next(span for span in ended if span.name.startswith("chat"))
        assert (chat.status.status_code.name, chat.attributes["error.type"]) == ("ERROR", "ModelBroken")
