"""What an evaluation tells beyond its headline: faults, how much is said, slices, toxicity, fluency, reports, and that an interruption changes none of it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import re
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.cli import run
from redraft.errors import InputError, UsageError
from redraft.studies.breakdown import breakdown
from redraft.studies.evaluate import Results, Setting, evaluate, is_abstention, score_outcome, summarise
from redraft.studies.faults import FAULTS, MEANINGS, fault_of
from redraft.studies.fluency import Fluency
from redraft.studies.informative import coverage, details, informativeness, reference_of
from redraft.studies.metrics import Metric, metric_named
from redraft.studies.report import to_html, to_markdown
from redraft.studies.reporting import evaluation_report, write_report
from redraft.studies.rows import Row, row_from_mapping
from redraft.studies.toxicity import average_maximum, distinct, mean_perplexity, perplexity, toxicity_probability
from redraft.studies.versus import compared, points, read_records
from redraft.types import Check, CheckStatus, Claim, Decision, Evidence, Method, Outcome, Problem, State, Task, Turn, Usage

SETTING = Setting(metric="em", policy="guarded", policy_hash="h", model="scripted:x", seed=0)
CLAIM = Claim(id="c", text="It is Lyon.", span=(0, 4))


def check(status: CheckStatus, method: Method | None = "judged") -> Check:
    return Check(claim=CLAIM, status=status, method=method)


def turn(text: str, *, accepted: bool = True, problem: bool = False, number: int = 1) -> Turn:
    problems = (Problem(claim=CLAIM, message="no"),) if problem else ()
    return Turn(number=number, problems=problems, candidate=State(text=text), decision=Decision(accepted=accepted, rule="repair"))


def outcome(draft: str, answer: str, *turns: Turn, checks: tuple[Check, ...] = (), evidence: str = "", **changes: Any) -> Outcome:
    base = Outcome(
        run_id="r", status="corrected" if draft != answer else "verified", changed=draft != answer, query="q", draft=draft, answer=answer,
        stop_reason="verified", checks=checks, draft_checks=checks, evidence=(Evidence(tool="web", input="i", text=evidence),) if evidence else (),
        turns=turns, usage=Usage(llm_calls=2, tool_calls=1, input_tokens=10, output_tokens=5, cost_usd=0.25, seconds=0.5), policy_name="guarded",
        policy_hash="h", model="scripted:x", trace_hash="t",
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


# ---- where runs went wrong


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (outcome("Paris", "Paris", checks=(check("supported"),)), None),
        (outcome("Lyon", "Paris", turn("Paris")), None),
        (outcome("", "", status="failed"), "no_answer"),
        (outcome("Lyon", "Lyon"), "claim_missed"),
        (outcome("Lyon", "Lyon", checks=(check("skipped", None),)), "claim_missed"),
        (outcome("Lyon", "Lyon", checks=(check("insufficient"),), evidence="Nothing of it."), "wrong_query"),
        (outcome("Lyon", "Lyon", checks=(check("unavailable", None),)), "wrong_query"),
        (outcome("Lyon", "Lyon", checks=(check("insufficient"),), evidence="The capital is PARIS, they say."), "verdict_missed"),
        (outcome("Lyon", "Lyon", checks=(check("insufficient"),), evidence="Comparisons are odious."), "wrong_query"),
        (outcome("Lyon", "Lyon", checks=(check("supported"),), evidence="The capital is Lyon."), "wrong_verdict"),
        (outcome("Lyon", "Nice", turn("Nice", problem=True), checks=(check("contradicted"),), evidence="The capital is Paris."), "bad_rewrite"),
        (outcome("Lyon", "Lyon", turn("Nice", accepted=False), checks=(check("contradicted", "computed"),)), "bad_rewrite"),
        (outcome("Lyon", "Nice", turn("Nice", problem=True), checks=(check("contradicted"),), evidence="Nice is a town."), "wrong_query"),
        (outcome("Lyon", "Lyon", turn("Paris", accepted=False), checks=(check("contradicted"),)), "wrong_decision"),
        (outcome("Lyon", "Nice", turn("Paris"), turn("Nice", number=2)), "wrong_decision"),
        (outcome("Paris", "Nice", turn("Nice"), checks=(check("insufficient"),)), "wrong_decision"),
        (outcome("Paris", "Nice", turn("Nice", problem=True), checks=(check("contradicted"),)), "wrong_verdict"),
    ],
)
def test_the_first_step_that_went_wrong_is_named(run: Outcome, fault: str | None) -> None:
    metric = metric_named("em")
    row = row_from_mapping({"query": "q", "answers": ["Paris"]})
    assert fault_of(run, ("Paris",), abstained=False, right=lambda text: metric.right(metric.score(text, row.gold))) == fault
    assert score_outcome(row, run, metric, SETTING)["score"]["fault"] == fault
    assert set(MEANINGS) == set(FAULTS)


def test_an_abstention_is_a_fault_of_its_own_even_from_a_right_draft() -> None:
    for draft in ("Paris", "Lyon"):
        assert fault_of(outcome(draft, "Not verified."), ("Paris",), abstained=True, right="Paris".__eq__) == "abstained"


def test_a_right_rewrite_in_chinese_evidence_is_found_without_spaces() -> None:
    found = outcome("上海", "上海", checks=(check("insufficient"),), evidence="中国的首都是北京市。")
    assert fault_of(found, ("北京",), abstained=False, right="北京".__eq__) == "verdict_missed"


# ---- how much is said


def test_who_abstains_always_or_answers_vaguely_does_not_win() -> None:
    right, wrong = [1.0, 1.0, 1.0, 0.0], [0.0] * 4
    careful = coverage(right, [True] * 4)
    silent = coverage(wrong, [False] * 4)
    picky = coverage([1.0, 0.0, 0.0, 0.0], [True, False, False, False])
    assert (careful.accuracy, careful.accuracy_answered, careful.f_score) == (0.75, 0.75, 0.75)
    assert (silent.answered, silent.accuracy_answered, silent.f_score) == (0.0, None, 0.0)
    assert (picky.accuracy_answered, picky.f_score) == (1.0, pytest.approx(0.4))
    assert careful.f_score > picky.f_score > silent.f_score
    with pytest.raises(ValueError, match="at least one"):
        coverage([], [])


def test_informativeness_counts_details_and_takes_hedges_off() -> None:
    reference = "Marie Curie won it in 1903 with Pierre Curie."
    assert informativeness(reference, reference) == 1.0
    assert informativeness("", reference) == informativeness("I do not know.", reference) == 0.0
    assert informativeness("Somebody won it.", reference) < 0.5
    assert informativeness("Perhaps Marie Curie won it in 1903 with Pierre Curie.", reference) == 0.5
    assert informativeness("anything", "To be or not to be") == 1.0
    assert details("Perhaps Lyon") == details("Lyon")
    assert reference_of("the draft", ()) == "the draft"
    assert reference_of("the draft", ("14 December 1972 UTC", "December 1972")) == "December 1972"
    assert reference_of("the draft", (" ".join(f"word{i}" for i in range(20)),)) == "the draft"


@given(st.text(max_size=60), st.text(max_size=60))
def test_informativeness_stays_in_range_and_a_text_says_all_of_itself(text: str, reference: str) -> None:
    assert 0.0 <= informativeness(text, reference) <= 1.0
    assert informativeness(text, text) in (0.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_the_f_score_lies_between_its_two_parts(pairs: list[tuple[float, bool]]) -> None:
    found = coverage([score for score, _ in pairs], [said for _, said in pairs])
    assert 0.0 <= found.accuracy <= 1.0
    if found.accuracy_answered:
        assert found.accuracy <= found.f_score + 1e-12
        assert found.f_score <= found.accuracy_answered + 1e-12


# ---- toxicity


def test_toxicity_figures_are_the_published_ones() -> None:
    scores = [[0.1, 0.6, 0.2], [0.3, 0.4, 0.49], [0.5, 0.0, 0.0]]
    assert average_maximum(scores) == pytest.approx((0.6 + 0.49 + 0.5) / 3)
    assert toxicity_probability(scores) == pytest.approx(2 / 3)
    texts = [["a b a", "a b"], ["c"]]  # of the first prompt: 5 words; a, b; ab, ba; aba
    assert [distinct(texts, n) for n in (1, 2, 3)] == pytest.approx([(2 / 5 + 1) / 2, (2 / 5 + 0) / 2, (1 / 5 + 0) / 2])
    assert perplexity([math.log(0.5), math.log(0.125)]) == pytest.approx(4.0)
    assert mean_perplexity([10.0, 20.0, 5000.0]) == 15.0
    assert mean_perplexity([]) is None
    for wrong in ([], [[]]):
        with pytest.raises(ValueError, match="each prompt needs"):
            average_maximum(wrong)
        with pytest.raises(ValueError, match="each prompt needs"):
            distinct([list[str]() for _ in wrong], 1)
    with pytest.raises(ValueError, match="at least one token"):
        perplexity([])


def toxic_words(text: str) -> float:
    if "unscored" in text:
        raise InputError("no score of toxicity: the scorer is down")
    return min(1.0, 0.3 * text.count("bad"))


def test_toxicity_is_better_the_lower_and_what_cannot_be_scored_is_said() -> None:
    metric = metric_named("toxicity", score_toxicity=toxic_words)
    runs = {"a": outcome("bad bad", "bad", turn("bad")), "b": outcome("fine", "bad bad", turn("bad bad")), "c": outcome("unscored", "unscored")}
    rows = [row_from_mapping({"query": name, "kind": "safety"}) for name in runs]
    said: list[Any] = []
    setting = dataclasses.replace(SETTING, metric="toxicity")
    records = evaluate(rows, opening(runs), metric, Results(setting), setting, on_row=lambda row, record: said.append(record))
    figures = summarise(records, metric, setting, seconds=0.0)
    assert (figures["n"], figures["before"], figures["after"], figures["p_value"]) == (2, 0.3, 0.45, None)
    assert (figures["wrong_to_right"], figures["right_to_wrong"]) == (1, 1), "0.5 and more is toxic"
    assert said[2] == "no score of toxicity: the scorer is down"
    found = breakdown(records, metric, setting)
    assert found["toxicity"]["prompts"] == 1, "rows with an equal query continue one prompt"
    assert found["toxicity"]["before"]["average_maximum"] == 0.6
    assert found["toxicity"]["after"]["probability"] == 1.0
    assert "average maximum toxicity" in to_markdown(evaluation_report(found, about={}))
    with pytest.raises(InputError, match="needs a scorer"):
        metric_named("toxicity")


def test_who_says_nothing_has_no_best_toxicity() -> None:
    metric = metric_named("toxicity", score_toxicity=toxic_words)
    runs = {"a": outcome("bad bad", ""), "b": outcome("bad", "fine", turn("fine"))}
    rows = [row_from_mapping({"query": name, "kind": "safety"}) for name in runs]
    setting = dataclasses.replace(SETTING, metric="toxicity")
    records = evaluate(rows, opening(runs), metric, Results(setting), setting)
    assert [record["score"]["after"] for record in records] == [1.0, 0.0]
    found = breakdown(records, metric, setting)["toxicity"]
    assert (found["before"]["empty"], found["before"]["average_maximum"]) == (0, 0.6), "one prompt, two drafts"
    assert (found["after"]["empty"], found["after"]["average_maximum"]) == (1, 0.0)
    nobody = breakdown(records[:1], metric, setting)["toxicity"]["after"]
    assert (nobody["empty"], nobody["average_maximum"], nobody["dist_1"]) == (1, None, None)


class Completions(BaseHTTPRequestHandler):
    """A server that gives log-probabilities: of every character −1, of the characters of the prompt −100."""

    mute = False

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = asked["prompt"] + "."
        shown = {
            "tokens": list(text), "text_offset": list(range(len(text))), "top_logprobs": None,
            "token_logprobs": [None] + [-100.0 if at < len("He said") else -1.0 for at in range(1, len(text) - 1)] + [-77.0],
        }  # fmt: skip
        choice = {"index": 0, "text": text, "finish_reason": "length", "logprobs": None if Completions.mute else shown}
        body = json.dumps({"id": "c", "object": "text_completion", "created": 1, "model": asked["model"], "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Completions) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1#tiny"
        http.shutdown()
        thread.join()


def test_fluency_is_the_perplexity_of_the_continuation_alone(server: str) -> None:
    fluency = Fluency(server)
    assert fluency.mean([("He said", " no."), ("He said", "")]) == (pytest.approx(math.e), "")
    Completions.mute = True
    try:
        assert fluency.mean([("He said", "no.")]) == (None, "tiny gave no log-probabilities")
    finally:
        Completions.mute = False
        fluency.close()
    with pytest.raises(UsageError, match="name one as"):
        Fluency("openai:gpt-5")


# ---- slices, turns, reports


def opening(runs: dict[str, Outcome], *, stop_at: int | None = None) -> Any:
    begun = 0

    async def run(task: Task) -> Outcome:
        nonlocal begun
        await asyncio.sleep(0)
        if begun == stop_at:
            raise KeyboardInterrupt
        begun += 1
        return runs[task.query]

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Any]:
        yield run

    return opened


RUNS = {
    "q0": outcome("Lyon", "Paris", turn("Nice", accepted=False), turn("Paris", number=2)),
    "q1": outcome("Paris", "Paris", checks=(check("supported"),)),
    "q2": outcome("<script>Lyon</script>", "<script>Lyon</script>", checks=(check("insufficient"),), status="unverified"),
    "q3": outcome("Paris", "This could not be verified.", status="unverified"),
}
ROWS: list[Row] = [
    row_from_mapping({"id": name, "query": name, "answers": ["Paris"], "topic": ["a", "<b>"] if name == "q0" else "a" if name < "q3" else None})
    for name in RUNS
]


def records(metric: Metric, path: Path | None = None) -> list[dict[str, Any]]:
    return evaluate(ROWS, opening(RUNS), metric, Results(SETTING, path), SETTING)


def test_the_breakdown_counts_what_the_records_say() -> None:
    metric = metric_named("em")
    found = breakdown(records(metric), metric, SETTING, slices=["topic", "status", "kind"])
    assert found["faults"] == dict.fromkeys(FAULTS, 0) | {"abstained": 1, "wrong_query": 1}
    assert [(item["turn"], item["mean"], item["running"], item["n"]) for item in found["by_turn"]] == [(0, 0.5, 4, 4), (1, 0.5, 1, 4), (2, 0.75, 1, 4)]
    assert [(item["value"], item["n"], item["before"], item["after"]) for item in found["slices"]["topic"]] == [
        ("a", 3, 0.333333, 0.666667), ("(none)", 1, 1.0, 0.0), ("<b>", 1, 0.0, 1.0),
    ]  # fmt: skip
    assert [item["value"] for item in found["slices"]["kind"]] == ["qa"]
    assert found["spent"]["seconds"] == {"mean": 0.5, "median": 0.5, "p90": 0.5, "sum": 2.0}
    assert found["spent"]["tokens"]["sum"] == 60
    assert found["spent"]["cost_usd"]["sum"] == 1.0
    assert found["answers"]["after"]["answered"] == 0.75
    assert found["ended"]["status"] == {"unverified": 2, "corrected": 1, "verified": 1}
    assert found["intervals"]["improvement_rate"][0] < 0.5 < found["intervals"]["improvement_rate"][1]
    with pytest.raises(InputError, match="no row has the field 'subject'; there are topic, kind"):
        breakdown(records(metric), metric, SETTING, slices=["subject"])


def test_reports_say_the_same_in_three_forms_and_escape_what_they_show(tmp_path: Path) -> None:
    metric = metric_named("em")
    found = breakdown(records(metric), metric, SETTING, slices=["topic"])
    report = evaluation_report(found, about={"data": "<i>x</i>.jsonl"}, drawn=False)
    page, text = to_html(report), to_markdown(report)
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<i>" not in page
    assert "&lt;b&gt;" in page
    for words in ("improvement rate", "wrong tool or query", "By topic", "90th percentile", "1 wrong → right", "0.5000", "which is not to say"):
        assert words in text
        assert words in page
    for name in ("a.md", "a.html", "a.json"):
        write_report(found, tmp_path / name, about={})
    assert json.loads((tmp_path / "a.json").read_text())["figures"]["wrong_to_right"] == 1
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    with pytest.raises(InputError, match="cannot write"):
        write_report(found, tmp_path / "a.md" / "b.json", about={})


def test_an_evaluation_that_is_interrupted_anywhere_goes_on_to_equal_bytes(tmp_path: Path) -> None:
    metric = metric_named("em")
    whole = tmp_path / "whole.jsonl"
    records(metric, whole)
    for stop_at in range(len(ROWS) + 1):
        path = tmp_path / f"{stop_at}.jsonl"
        if stop_at < len(ROWS):
            with pytest.raises(KeyboardInterrupt):
                evaluate(ROWS, opening(RUNS, stop_at=stop_at), metric, Results(SETTING, path), SETTING)
        torn = path.read_bytes() if path.exists() else b""
        path.write_bytes(torn + whole.read_bytes()[len(torn) :][:9])  # the line that was being written
        done = records(metric, path)
        assert path.read_bytes() == whole.read_bytes()
        write_report(breakdown(done, metric, SETTING), tmp_path / f"{stop_at}.md", about={})
    assert len({path.read_bytes() for path in tmp_path.glob("*.md")}) == 1


def test_our_own_marks_are_no_part_of_an_answer() -> None:
    metric = metric_named("em")
    record = score_outcome(ROWS[0], outcome("Paris", "Paris [unverified]", status="unverified", turns=(turn("Paris"),)), metric, SETTING)
    assert (record["score"]["after"], record["score"]["fault"]) == (1.0, None)
    marked = outcome("Paris", "Paris [unverified]", status="unverified")
    assert not is_abstention(marked), "the draft with a mark is still an answer"
    assert score_outcome(ROWS[0], marked, metric, SETTING)["score"]["abstained"] is False


# ---- against other evaluations


def test_another_evaluation_is_compared_row_by_row(tmp_path: Path) -> None:
    metric, path = metric_named("em"), tmp_path / "other.jsonl"
    mine = records(metric)
    direct = dataclasses.replace(SETTING, policy="direct", policy_hash="d")
    runs = {name: outcome("Lyon", "Lyon") for name in ("q0", "q1")} | {"q2": outcome("Paris", "Paris")}
    evaluate(ROWS[:3], opening(runs), metric, Results(direct, path), direct)
    with path.open("ab") as file:
        file.write(b'{"id": "torn')
    others = read_records(path, SETTING)
    found = compared(mine, others, metric, SETTING)
    assert (found["policy"], found["n"], found["this"], found["other"], found["difference"]) == ("direct", 3, 0.666667, 0.333333, 0.333333)
    assert (found["gained"], found["lost"], found["p_value"], found["tokens"]) == (2, 1, 1.0, [15.0, 15.0])
    assert found["shares"] == pytest.approx({"better": 2 / 3, "worse": 1 / 3, "tied": 0.0})
    assert found["ci95"][0] < 0.333333 < found["ci95"][1]
    n, arms = points({"this": mine, "direct": others}, SETTING)
    assert (n, [(arm["label"], round(arm["quality"], 3), arm["cost"]) for arm in arms]) == (3, [("this", 0.667, 15.0), ("direct", 0.333, 15.0)])
    whole = breakdown(mine, metric, SETTING) | {"versus": {"compared": [found], "n": n, "points": arms}}
    assert "| direct with scripted:x | 3 | 0.6667 | 0.3333 | +0.3333 |" in to_markdown(evaluation_report(whole, about={}))
    mirrored = compared(others, mine, metric, SETTING)
    assert [mirrored["ci95"][1], mirrored["ci95"][0]] == pytest.approx([-value for value in found["ci95"]])


def test_what_cannot_be_compared_is_refused_in_words(tmp_path: Path) -> None:
    metric, path = metric_named("em"), tmp_path / "other.jsonl"
    mine = records(metric, path)
    with pytest.raises(InputError, match="rows of the metric 'em'; compare with rows of the metric 'f1'"):
        read_records(path, dataclasses.replace(SETTING, metric="f1"))
    elsewhere = [{**item, "run": {**item["run"], "key": "x"}} for item in mine]
    with pytest.raises(InputError, match="no row in common"):
        compared(mine, elsewhere, metric, SETTING)
    assert points({"a": mine, "b": elsewhere}, SETTING) == (0, [])
    for content, message in (("", "has no row"), ('{"id": 1}\n{"id": 2}\n', "line 1 is not a row of an evaluation")):
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read_records(path, SETTING)
    with pytest.raises(InputError, match="cannot read"):
        read_records(tmp_path / "absent.jsonl", SETTING)


# ---- the command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    return tmp_path


def test_the_command_reads_a_data_set_slices_it_and_writes_reports(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"ID": f"c{i}", "Body": "Dan has 4 pens", "Question": f"How much is 4 + {i}?", "Answer": 4.0 + i, "Type": "Addition" if i % 2 else "Other"}
        for i in range(4)
    ]
    Path("svamp.json").write_text(json.dumps(rows))
    command = ["eval", "svamp.json", "--model", "none", "--json"]
    code = run([*command, "--slice", "type", "--report", "r.md", "--report", "r.json", "-o", "out.jsonl"])
    figures = json.loads(capfd.readouterr().out)
    assert (code, figures["n"], figures["metric"], list(figures)[-1]) == (0, 4, "numeric", "seconds")
    found = json.loads(Path("r.json").read_text())
    assert [(item["value"], item["n"]) for item in found["slices"]["type"]] == [("Addition", 2), ("Other", 2)]
    assert found["about"]["format"] == "svamp"
    assert "| Addition | 2 |" in Path("r.md").read_text()
    assert run([*command, "--policy", "direct", "--against", "out.jsonl", "--report", "v.md"]) == 0
    assert "| guarded with none | 4 |" in Path("v.md").read_text()
    before = Path("r.md").read_bytes(), Path("out.jsonl").read_bytes()
    assert run([*command, "--slice", "type", "--report", "r.md", "-o", "out.jsonl"]) == 0
    assert (Path("r.md").read_bytes(), Path("out.jsonl").read_bytes()) == before, "nothing is run again, and the report is the same to the byte"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--slice", "level"], "--slice level: no row has this field; there are topic, kind, status, stop_reason, model"),
        (["--report", "rows.jsonl"], "names a file that is used already"),
        (["--report", "a.md", "--report", "a.md"], "names a file that is used already"),
        (["--report", "."], "names a folder"),
        (["--against", "rows.jsonl", "--report", "a.md"], "rows.jsonl, line 1 is not a row of an evaluation"),
        (["--format", "swamp"], "did you mean 'svamp'?"),
        (["--format", "svamp"], "no row that can be evaluated"),
        (["--fluency", "http://127.0.0.1:9/v1#x"], "--fluency is for the reports of the metric 'toxicity'"),
        (["--metric", "toxicity"], "REDRAFT_SAFETY"),
    ],
)
def test_the_command_refuses_in_words_before_anything_runs(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.setenv("REDRAFT_SAFETY", "no-such-scorer")
    Path("rows.jsonl").write_text(json.dumps({"query": "q", "answer": "x", "answers": ["x"], "topic": "t"}) + "\n")
    assert run(["eval", "rows.jsonl", "--model", "none", *options]) == 2
    assert message in re.sub(r"\s+", " ", capfd.readouterr().err)
