"""The command line: every option, exit code and line of bad input, with real tools and the scripted or no model."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from redraft import __file__ as redraft_file
from redraft import __version__
from redraft.cli import run
from redraft.cli.app import COMMANDS, app
from redraft.cli.render import changes_table, console_on
from redraft.cli.safe import one_line, safe
from redraft.settings import load_settings
from redraft.studies.rows import EXAMPLE_ROW

SOURCE = Path(redraft_file).parents[1]
WRONG = "Costs: 150 * 40 = 6,200.\n"
RIGHT = "Costs: 150 * 40 = 6,000.\n"
EMPTY_READING = json.dumps({"claims": [], "requirements": []})
OUTCOME_KEYS = [
    "schema", "run_id", "status", "changed", "query", "draft", "answer", "stop_reason", "checks", "draft_checks", "evidence", "turns", "usage",
    "policy", "model", "trace_hash",
]  # fmt: skip


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Result]


@pytest.fixture
def redraft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Runs a command in an empty folder with an empty home, and nothing of the caller's environment."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name in ("REDRAFT_MODEL", "REDRAFT_DATABASE_URL", "REDRAFT_DEBUG", "COLUMNS"):
            monkeypatch.delenv(name)

    def call(*arguments: str | Path) -> Result:
        code = run([str(item) for item in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Result(code, out, err.decode("utf-8"))

    return call


def script(*replies: str | dict[str, str], name: str = "script.jsonl") -> str:
    Path(name).write_text("\n".join(json.dumps(reply) for reply in replies) + "\n", encoding="utf-8")
    return f"scripted:{name}"


def write(content: str | bytes, name: str = "page.md") -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


# ---- help, names, wrong use


def test_help_lists_every_command_with_the_words_of_the_command_itself(redraft: Call) -> None:
    result = redraft("--help")
    assert result.code == 0
    context = app.make_context("redraft", [], resilient_parsing=True)
    for name, (_, summary) in COMMANDS.items():
        command = app.get_command(context, name)
        assert command is not None
        assert command.short_help == summary
        assert summary in result.text
        assert redraft(name, "--help").code == 0


def test_help_needs_no_heavy_import() -> None:
    code = "import sys; from redraft.cli import run; run(['--help']); print(*sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"rich", "pydantic", "pydantic_ai", "openai", "duckdb", "asyncio", "redraft.refiner"} & set(modules)


def test_check_without_a_model_imports_no_client_and_no_database() -> None:
    code = "import sys; from redraft.cli import run; run(['check', '-', '--model', 'none', '--json', '--quiet']); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], input=RIGHT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["status"] == "verified"
    assert not {"pydantic_ai", "openai", "duckdb", "xllamacpp", "rich"} & set(done.stderr.split())


def test_without_a_command_the_help_is_shown_as_it_is(redraft: Call) -> None:
    result = redraft()
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith("Usage: redraft")
    assert "redraft: " not in result.err


def test_little_is_imported_before_ctrl_c_is_taken() -> None:
    code = "import sys; before = set(sys.modules); import redraft.cli; print(*sorted(set(sys.modules) - before))"
    modules = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCE)}).stdout.split()
    assert "redraft.cli" in modules
    assert not {"typing", "signal", "enum", "re", "importlib", "click"} & set(modules)


def test_version(redraft: Call) -> None:
    assert redraft("--version").text == f"redraft {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "did you mean 'check'?"),
        (["check", "page.md", "--polcy", "guarded"], "--policy"),
        (["check", "page.md", "--policy", "gaurded"], "did you mean 'guarded'?"),
        (["check", "page.md", "--tool", "calculater"], "did you mean 'calculator'?"),
        (["check", "page.md", "--model", "nome"], "did you mean 'none'?"),
        (["check", "page.md", "--kind", "poem"], "'qa', 'math', 'code', 'report', 'safety'"),
        (["check", "page.md", "--deadline", "0"], "--deadline"),
        (["check", "page.md", "--deadline", "soon"], "--deadline"),
        (["fix", "page.md", "--max-turns", "-1"], "--max-turns"),
        (["check", "page.md", "--budget-tokens", "0"], "--budget-tokens"),
        (["check", "page.md", "--budget-usd", "-3"], "--budget-usd"),
        (["check", "page.md", "--format", "pdf"], "--format"),
        (["check", "page.md", "--json", "--format", "sarif"], "exclude each other"),
        (["check", "page.md", "extra.md"], "unexpected extra argument"),
        (["fix", "--write"], "--write needs a FILE"),
        (["fix", "page.md", "--diff", "--json"], "exclude each other"),
        (["ask"], "Missing argument 'QUERY'"),
        (["ask", ""], "question is empty"),
        (["ask", "  \n "], "question is empty"),
        (["eval", "absent.jsonl"], "cannot read absent.jsonl"),
        (["eval", "page.md", "--metric", "f2"], "did you mean 'f1'?"),
        (["eval", "page.md", "--metric", "em", "--tolerance", "0.1"], "for the metric 'numeric' alone"),
        (["policies", "show", "gaurded"], "did you mean 'guarded'?"),
        (["policies", "guarded"], "redraft policies show guarded"),
        (["prompts", "show", "corect"], "did you mean 'correct'?"),
        (["policies", "diff", "a"], "Missing argument"),
    ],
)
def test_wrong_use_exits_with_2_and_says_how_to_mend_it(redraft: Call, arguments: list[str], message: str) -> None:
    write(RIGHT)
    result = redraft(*arguments)
    assert (result.code, result.out) == (2, b"")
    assert message in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x7fELF\x00\x01\x02", "binary file"),
        (b"caf\xe9 au lait", "not UTF-8 text (byte 3); convert it"),
        (b"x" * ((4 << 20) + 1), "larger than 4 MB; split it"),
    ],
)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_an_unusable_file_is_refused_in_words(redraft: Call, command: str, content: bytes, message: str) -> None:
    write(content)
    result = redraft(command, "page.md")
    assert (result.code, result.out) == (2, b"")
    assert message in result.err


def test_files_that_are_not_there_or_are_folders(redraft: Call) -> None:
    assert "there is no file 'absent.md'" in redraft("check", "absent.md").err
    assert "is a folder" in redraft("check", ".").err
    write(RIGHT)
    for arguments in (["--sources", "absent"], ["--table", "absent.csv"], ["--tests", "absent.py"], ["--table", ""]):
        result = redraft("check", "page.md", *arguments)
        assert result.code == 2, arguments
        assert "Traceback" not in result.err
    write(b"\x00\x01\x02", "broken.xlsx")
    result = redraft("check", "page.md", "--table", "broken.xlsx")
    assert result.code == 2
    assert "broken.xlsx" in result.err


def test_the_message_is_harmless_on_a_terminal(redraft: Call) -> None:
    result = redraft("check", "a\x1b[31mb\u202e.md")
    assert result.code == 2
    assert "\x1b" not in result.err
    assert "\u202e" not in result.err


# ---- ask


@pytest.mark.parametrize(
    ("draft", "arguments", "code", "status"),
    [
        ("2 + 2 = 4", [], 0, "verified"),
        ("2 + 2 = 5", [], 0, "corrected"),
        ("2 + 2 = 5", ["--max-turns", "0"], 1, "disputed"),
        ("Harald was born in Bergen.", [], 3, "unverified"),
    ],
)
def test_ask_exits_by_status(redraft: Call, draft: str, arguments: list[str], code: int, status: str) -> None:
    model = script(draft, EMPTY_READING, EMPTY_READING, EMPTY_READING, EMPTY_READING)
    result = redraft("ask", "Say something.", "--model", model, "--kind", "report", "--json", *arguments)
    assert (result.json["status"], result.code) == (status, code)
    assert list(result.json) == OUTCOME_KEYS
    assert result.text.count("\n") == 1
    assert result.json["model"] == model


def test_ask_without_an_answer_exits_with_4_and_still_gives_an_outcome(redraft: Call) -> None:
    result = redraft("ask", "Why?", "--model", script({"error": "unreachable", "text": "no connection"}), "--json")
    assert (result.code, result.json["status"], result.json["answer"]) == (4, "failed", "")
    assert "no connection" in result.err
    assert redraft("ask", "Why?", "--model", script({"error": "unreachable"}), "--quiet", "--json").err == ""


def test_ask_shows_the_answer_the_verdicts_and_what_changed(redraft: Call) -> None:
    result = redraft("ask", "Say something.", "--model", script("2 + 2 = 5", EMPTY_READING, EMPTY_READING), "--kind", "report")
    assert result.text.startswith("2 + 2 = 4\n")
    assert "[-5-]" in result.text
    assert "[+4+]" in result.text
    assert "✔ supported" in result.text
    assert "✎ corrected" in result.text
    assert "calculator" in result.text


def test_quiet_ask_prints_the_answer_alone(redraft: Call) -> None:
    result = redraft("ask", "Say something.", "--quiet", "--model", script("2 + 2 = 5", EMPTY_READING, EMPTY_READING), "--kind", "report")
    assert (result.code, result.text, result.err) == (0, "2 + 2 = 4\n", "")


def test_ask_reads_a_question_from_standard_input(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"Say something.\n")
    result = redraft("ask", "-", "--model", script("2 + 2 = 4", EMPTY_READING), "--kind", "report", "--json")
    assert result.json["query"] == "Say something."


def test_a_model_that_returns_garbage_still_ends_with_an_outcome(redraft: Call) -> None:
    for reply in ("", "}{", "x" * 100_000, "对不起", "null"):
        result = redraft("ask", "Why?", "--model", script(*[reply] * 12), "--json")
        assert result.code in (1, 3, 4), reply[:10]
        assert list(result.json) == OUTCOME_KEYS


# ---- check


def test_check_gives_a_verdict_for_every_claim_and_changes_nothing(redraft: Call) -> None:
    write(WRONG + "2 + 2 = 4.\nHarald was born in Bergen.\n")
    result = redraft("check", "page.md")
    assert result.code == 1
    for words in ("✘ contradicted", "✔ supported", "○ not checkable", "expected: 6,000", "calculator: 150*40"):
        assert words in result.text
    assert Path("page.md").read_text().startswith(WRONG)


def test_check_json_is_one_outcome_whose_spans_are_the_text(redraft: Call) -> None:
    write(WRONG)
    result = redraft("check", "page.md", "--json")
    assert list(result.json) == OUTCOME_KEYS
    assert (result.code, result.json["status"], result.json["changed"]) == (1, "disputed", False)
    assert result.json["answer"] == WRONG
    for check in result.json["checks"]:
        start, end = check["span"]
        assert WRONG[start:end]
    assert redraft("check", "page.md", "--format", "json").json["status"] == "disputed"


def test_check_exit_codes(redraft: Call) -> None:
    write(RIGHT)
    assert redraft("check", "page.md").code == 0
    assert redraft("check", "page.md", "--strict").code == 0
    write("Harald was born in Bergen.\n")
    assert redraft("check", "page.md").code == 0
    assert redraft("check", "page.md", "--strict").code == 3
    write(WRONG + "Harald was born in Bergen.\n")
    assert redraft("check", "page.md", "--strict").code == 1


def test_check_reads_standard_input(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, WRONG.encode())
    assert redraft("check", "--json").json["answer"] == WRONG
    give_stdin(monkeypatch, b"")
    result = redraft("check", "-")
    assert (result.code, "standard input is empty" in result.err) == (2, True)


def test_several_paths_may_follow_an_option_after_the_file(redraft: Call) -> None:
    write(RIGHT)
    write("a,b\n1,2\n", "one.csv")
    write("c,d\n3,4\n", "two.csv")
    Path("docs").mkdir()
    write("Harald was born in Bergen.\n", "docs/harald.txt")
    arguments = ("check", "page.md", "--table", "one.csv", "two.csv", "--sources", "docs", "--json", "--query", "How much?", "--kind", "report")
    assert redraft(*arguments).json["status"] == "verified"
    assert redraft("check", "--table", "one.csv", "page.md", "--json").code == 0


def test_all_common_options_are_taken(redraft: Call) -> None:
    write(RIGHT)
    write("assert True\n", "tests.py")
    result = redraft(
        "check", "page.md", "--model", "none", "--evaluator", "none", "--judge", "none", "--policy", "guarded", "--tool", "calculator", "--query", "q",
        "--kind", "report", "--max-turns", "2", "--deadline", "30", "--budget-tokens", "1000", "--budget-usd", "1", "--strict", "--json", "--quiet",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")


def test_markdown_report(redraft: Call) -> None:
    write("x\n" + WRONG)
    result = redraft("check", "page.md", "--format", "markdown")
    assert "| 2 | ✘ contradicted | 150 \\* 40 = 6,200 |" in result.text


def test_sarif_marks_the_deciding_words_of_contradicted_claims(redraft: Call) -> None:
    write("x\n" + WRONG + "Harald was born in Bergen.\n")
    log = redraft("check", "page.md", "--format", "sarif").json
    assert log["version"] == "2.1.0"
    (sarif_run,) = log["runs"]
    (result,) = sarif_run["results"]
    assert (result["level"], result["kind"], result["ruleId"]) == ("error", "fail", "number")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"], region["snippet"]["text"]) == (2, 19, 24, "6,200")
    assert sarif_run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "number"
    assert "could not be decided" in sarif_run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    strict = redraft("check", "page.md", "--format", "sarif", "--strict").json["runs"][0]["results"]
    assert {(item["kind"], item["level"]) for item in strict} == {("fail", "error"), ("open", "none")}


def test_junit_counts_failures_and_skips(redraft: Call) -> None:
    write(WRONG + "2 + 2 = 4.\nHarald was \x0b born in <Bergen> & \x1b[1mVoss.\n")
    result = redraft("check", "page.md", "--format", "junit")
    suite = ElementTree.fromstring(result.text)[0]
    assert suite.attrib["failures"] == "1"
    assert int(suite.attrib["tests"]) == len(suite)
    assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped")) >= 1
    assert suite.find("testcase/failure") is not None


# ---- fix


def test_fix_prints_the_corrected_text_alone_and_leaves_every_other_byte(redraft: Call) -> None:
    page = "\ufeff# Cost\r\n\r\nÜber: 150 * 40 = 6,200.  \r\n\tend\u00a0\u200b\r\nno newline".encode()
    write(page)
    result = redraft("fix", "page.md")
    assert result.out == page.replace(b"6,200", b"6,000")
    assert "[-6,200-]" in result.err
    assert Path("page.md").read_bytes() == page
    assert result.code == 0
    assert redraft("fix", "page.md", "--quiet").err == ""


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The Aurora X2 costs 139 euros in Europe.", "The Aurora X2 costs 129 euros in Europe."),
        ("Harald Berg was born in Oslo in 1951.", "Harald Berg was born in Oslo in 1961."),
        ("The Aurora X2 was released on 3 May 2019.", "The Aurora X2 was released on 5 June 2019."),
    ],
)
def test_fix_puts_in_the_figure_that_a_document_has(redraft: Call, text: str, source: str) -> None:
    write(text)
    Path("evidence").mkdir()
    write(source, "evidence/a.txt")
    result = redraft("fix", "page.md", "--sources", "evidence", "--quiet")
    assert (result.code, result.text) == (0, source)


def test_fix_leaves_a_figure_whose_right_form_is_another(redraft: Call) -> None:
    write("Harald Berg was born in Oslo in 1951.")
    Path("evidence").mkdir()
    write("Harald Berg was born in Oslo on 4 May 1961.", "evidence/a.txt")
    result = redraft("fix", "page.md", "--sources", "evidence", "--quiet")
    assert (result.code, result.text) == (1, "Harald Berg was born in Oslo in 1951.")


def test_fix_reports_the_old_claim_its_evidence_and_the_new_one(redraft: Call) -> None:
    write("Costs: 150 * 40 = 6,200. And 1 + 1 = 2. Hello?\n")
    report = redraft("fix", "page.md").err
    for words in ("✘ contradicted", "[-6,200-]", "[+6,000+]", "expected: 6,000", "✔ supported"):
        assert words in report
    assert report.splitlines()[-2].startswith("✎ corrected  (verified)  2 supported, 1 skipped")


def test_wordings_that_share_few_words_are_shown_whole() -> None:
    console = console_on(io.StringIO())
    with console.capture() as shown:
        console.print(changes_table("It rose by 6,200 in May.", "Turnover fell a little.", console))
        console.print(changes_table("It rose by 6,200 in May.", "It rose by 6,000 in May.", console))
    assert "[-It rose by 6,200 in May.-]" in shown.get()
    assert "[+Turnover fell a little.+]" in shown.get()
    assert "It rose by [+6,000+] in May." in shown.get()


def test_columns_set_the_width_of_what_is_piped(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    write(WRONG)
    for columns in (60, 90):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, redraft("check", "page.md").text.splitlines())) <= columns
    monkeypatch.setenv("COLUMNS", "many")
    assert redraft("check", "page.md").code == 1


def test_fix_keeps_utf_16(redraft: Call) -> None:
    page = b"\xff\xfe" + WRONG.encode("utf-16-le")
    write(page)
    assert redraft("fix", "page.md", "--quiet").out == b"\xff\xfe" + RIGHT.encode("utf-16-le")


def test_fix_diff_can_be_applied(redraft: Call) -> None:
    write("a\r\n" + WRONG + "last")
    result = redraft("fix", "page.md", "--diff", "--quiet")
    assert result.text.splitlines()[:2] == ["--- a/page.md", "+++ b/page.md"]
    assert "-Costs: 150 * 40 = 6,200.\n+Costs: 150 * 40 = 6,000.\n" in result.text
    assert "\\ No newline at end of file" in result.text
    assert Path("page.md").read_bytes() == ("a\r\n" + WRONG + "last").encode()
    assert redraft("fix", write(RIGHT, "right.md"), "--diff", "--quiet").out == b""


def test_fix_write_replaces_the_file_and_keeps_its_mode_and_its_link(redraft: Call) -> None:
    write(WRONG, "real.md")
    Path("real.md").chmod(0o640)
    Path("link.md").symlink_to("real.md")
    result = redraft("fix", "link.md", "--write", "--quiet")
    assert (result.code, result.out, result.err) == (0, b"", "")
    assert Path("link.md").is_symlink()
    assert Path("real.md").read_text() == RIGHT
    assert stat.S_IMODE(Path("real.md").stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["link.md", "real.md"]
    before = Path("real.md").stat().st_mtime_ns
    assert redraft("fix", "real.md", "--write", "--quiet").code == 0
    assert Path("real.md").stat().st_mtime_ns == before, "what is right is not touched"


def test_fix_write_with_json_prints_the_outcome(redraft: Call) -> None:
    write(WRONG)
    result = redraft("fix", "page.md", "--write", "--json")
    assert (result.json["status"], result.json["changed"], Path("page.md").read_text()) == ("corrected", True, RIGHT)


def test_fix_does_not_write_where_it_may_not(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    write(WRONG)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    result = redraft("fix", "page.md", "--write")
    assert result.code == 2
    assert "write-protected; nothing was written" in result.err
    assert Path("page.md").read_text() == WRONG


def test_fix_exits_with_1_while_something_is_contradicted(redraft: Call) -> None:
    write(WRONG)
    assert redraft("fix", "page.md", "--max-turns", "0", "--quiet").code == 1


# ---- settings


def test_flags_win_over_environment_and_environment_over_file(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    write(RIGHT)
    replies = [EMPTY_READING] * 4
    write(f'model = "{script(*replies, name="file.jsonl")}"\npolicy = "mine"\n[policies.mine]\nbase = "guarded"\nmin_sources = 2\n', "redraft.toml")
    result = redraft("check", "page.md", "--json")
    assert (result.json["model"], result.json["policy"]["name"]) == ("scripted:file.jsonl", "mine")
    monkeypatch.setenv("REDRAFT_MODEL", script(*replies, name="environment.jsonl"))
    assert redraft("check", "page.md", "--json").json["model"] == "scripted:environment.jsonl"
    assert redraft("check", "page.md", "--json", "--model", "none", "--policy", "guarded").json["policy"]["name"] == "guarded"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("model = \n", "not valid TOML"),
        ("modell = 'none'\n", "did you mean 'model'?"),
        ("model = 3\n", "model must be text"),
        ("tools = 'calculator'\n", "tools must be a list"),
        ("policies = 1\n", "must be a table"),
        ("timeout_seconds = -1\n", "must be a number that is not negative"),
        ("retries = 'many'\n", "must be a number that is not negative"),
        ("[keys]\npath = 'x'\n", "must be the name of a key's environment variable"),
        ("policy = 'mine'\n[policies.mine]\nmin_source = 2\n", "did you mean 'min_sources'?"),
    ],
)
def test_a_malformed_settings_file_is_named(redraft: Call, settings: str, message: str) -> None:
    write(RIGHT)
    write(settings, "redraft.toml")
    result = redraft("check", "page.md")
    assert result.code == 2
    assert message in result.err


def test_the_file_of_the_folder_wins_over_that_of_the_home_and_keys_reach_the_models_only(tmp_path: Path) -> None:
    for name, text in (("home", 'model = "none"\nretries = 1\n[keys]\nOPENAI_API_KEY = "k"\n'), ("work", 'model = "local"\ntimeout_seconds = 9\n')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "redraft.toml").write_text(text)
    settings = load_settings(tmp_path / "work", {"REDRAFT_HOME": str(tmp_path / "home")})
    assert settings.model == "local"
    assert settings.for_models == {"OPENAI_API_KEY": "k", "retries": 1, "timeout_seconds": 9}
    assert "k'" not in repr(settings).replace("keys'", "")
    assert load_settings(tmp_path / "work", {"REDRAFT_HOME": str(tmp_path), "REDRAFT_MODEL": "none"}).model == "none"


def test_a_policy_may_come_from_a_file(redraft: Call) -> None:
    write(RIGHT)
    write("base = 'guarded'\nmax_turns = 1\n", "strict.toml")
    assert redraft("check", "page.md", "--json", "--policy", "strict.toml").json["policy"]["name"] == "strict"
    assert "there is no file absent.toml" in redraft("check", "page.md", "--policy", "absent.toml").err


# ---- policies, prompts, tools, doctor


def test_policies_of_a_file_are_shown_and_compared(redraft: Call) -> None:
    write('base = "controlled"\nsamples = 3\n', "mine.toml")
    shown = redraft("policies", "show", "mine.toml", "--json").json
    assert (shown["name"], shown["bound"], shown["scale_0_to_100"]["gain"]) == ("mine", 36, 2.0)
    differing = redraft("policies", "diff", "controlled", "mine.toml", "--json").json
    assert {key: differing[key] for key in ("samples", "bound")} == {"samples": [1, 3], "bound": [18, 36]}
    assert set(differing) == {"name", "samples", "bound", "hash"}
    write("sample = 3\n", "typo.toml")
    assert "did you mean 'samples'" in redraft("policies", "show", "typo.toml").err


def test_prompts_are_listed_shown_exported_and_replaced(redraft: Call) -> None:
    names = {row["name"]: row["variables"] for row in redraft("prompts", "list", "--json").json}
    assert set(names["reflect.judged"]) == {"examples", "query", "answer"}
    assert "{answer}: the answer under examination" in redraft("prompts", "show", "reflect.judged").text
    assert redraft("prompts", "export", "mine").code == 0
    assert {path.stem for path in Path("mine").iterdir()} == set(names)
    assert "not an empty folder" in redraft("prompts", "export", "mine").err
    write("MINE {examples} {query} {answer}\n", "mine/reflect.judged.txt")
    assert "MINE" in redraft("prompts", "show", "reflect.judged", "--prompts", "mine").text
    reply = script({"text": json.dumps({"verdict": "right"}), "contains": "MINE "})
    fixed = redraft("fix", write("It stands."), "--policy", "basic-reflection", "--prompts", "mine", "--model", reply, "--json").json
    assert (fixed["stop_reason"], fixed["usage"]["llm_calls"]) == ("no_problem", 1)
    write("MINE {examples} {query}\n", "mine/reflect.judged.txt")
    assert "{answer} is missing" in redraft("fix", "page.md", "--prompts", "mine", "--model", "none").err


def test_policies_and_tools_as_json(redraft: Call) -> None:
    policies = redraft("policies", "--json").json
    assert {"guarded", "direct"} <= {policy["name"] for policy in policies}
    assert all(set(policy) == {"name", "summary", "source"} for policy in policies)
    tools = redraft("tools", "--json").json
    assert {"calculator", "units", "dates", "text", "table", "documents", "python"} <= {tool["name"] for tool in tools}
    assert all(set(tool) == {"name", "summary", "available", "why_not"} for tool in tools)
    assert "calculator" in redraft("tools").text
    assert "guarded" in redraft("policies").text


def test_a_policy_is_printed_and_compared(redraft: Call) -> None:
    shown = redraft("policies", "show", "guarded", "--json").json
    assert (shown["name"], len(shown["hash"]), shown["control"]["gain"]) == ("guarded", 16, 0.02)
    assert "control.gain = 0.02" in redraft("policies", "show", "guarded").text
    assert "max_turns: 3 → 0" in redraft("policies", "diff", "guarded", "direct").text
    assert redraft("policies", "diff", "guarded", "direct", "--json").json["max_turns"] == [3, 0]


def test_doctor_names_keys_and_never_shows_them(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-value")
    report = redraft("doctor", "--json")
    assert report.json["keys"] == ["OPENAI_API_KEY"]
    assert "secret-value" not in report.text
    assert report.json["home"]["writable"] is True
    assert {extra["name"] for extra in report.json["extras"]} >= {"local", "tables", "documents", "sandbox"}
    assert [item["name"] for item in report.json["sandboxes"]]
    text = redraft("doctor")
    assert "OPENAI_API_KEY" in text.text
    assert "secret-value" not in text.text + text.err
    assert not (Path.cwd().parent / "home").exists(), "doctor leaves nothing behind"


def test_doctor_reports_a_broken_settings_file(redraft: Call) -> None:
    write("model = \n", "redraft.toml")
    result = redraft("doctor")
    assert result.code == 1
    assert "not valid TOML" in result.text


# ---- eval


def eval_rows(*rows: dict[str, Any] | str) -> str:
    return write("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", "rows.jsonl")


def test_eval_counts_and_writes_rows_and_goes_on_where_it_stopped(redraft: Call) -> None:
    data = eval_rows(
        {"id": "a", "query": "q", "answer": "2 + 2 = 5", "answers": ["2 + 2 = 4"], "kind": "report", "topic": "sums"},
        "{broken",
        {"id": "b", "query": "q", "answer": "3 + 3 = 6", "answers": ["3 + 3 = 6"], "kind": "report"},
        {"id": "c", "query": "no gold", "answer": "x"},
    )
    result = redraft("eval", data, "--model", "none", "--json", "-o", "out.jsonl")
    figures = result.json
    assert (result.code, figures["n"], figures["before"], figures["after"]) == (0, 2, 0.5, 1.0)
    assert (figures["wrong_to_right"], figures["right_to_wrong"], figures["model"], figures["policy"]) == (1, 0, "none", "guarded")
    assert "line 2: skipped: not JSON" in result.err
    assert "line 4: skipped: has no 'answers'" in result.err
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [(line["id"], line["score"]["after"]) for line in lines] == [("a", 1.0), ("b", 1.0)]
    assert lines[0]["topic"] == "sums"
    stamp = Path("out.jsonl").stat().st_mtime_ns
    assert redraft("eval", data, "--model", "none", "--json", "-o", "out.jsonl").json["wrong_to_right"] == 1
    assert Path("out.jsonl").stat().st_mtime_ns == stamp
    assert redraft("eval", data, "--model", "none", "--limit", "1", "--json").json["n"] == 1
    other = redraft("eval", data, "--model", "none", "--metric", "numeric", "-o", "out.jsonl")
    assert (other.code, "another evaluation" in other.err) == (2, True)
    assert "wrong_to_right" in redraft("eval", data, "--model", "none").text


def test_eval_tells_the_oracle_policy_what_is_wrong_and_nothing_more(redraft: Call) -> None:
    rows = [{"id": "a", "query": "Which river?", "answer": "Esk", "answers": ["Esk"]}, {"id": "b", "query": "Which hill?", "answer": "Hay", "answers": ["Low"]}]
    write("".join(json.dumps(row) + "\n" for row in rows), "data.jsonl")
    finding = {"action": "finding", "plausible": "yes", "truthful": "no", "problem": "another", "answer": "Low"}
    result = redraft(
        "eval", "data.jsonl", "--policy", "critic-oracle", "--metric", "em", "--model", script(json.dumps(finding)), "--tool", "calculator", "--json"
    )
    assert (result.json["before"], result.json["after"], result.json["usage"]["llm_calls"]) == (0.5, 1.0, 1)
    assert "redraft eval" in redraft("fix", write("Esk"), "--policy", "critic-oracle", "--model", "none").err


def test_eval_refuses_what_it_cannot_evaluate(redraft: Call) -> None:
    data = eval_rows({"query": "q", "answer": "x"})
    result = redraft("eval", data, "--model", "none", "--json")
    assert (result.code, result.out) == (2, b"")
    assert "no row that can be evaluated" in result.err
    assert "names the data file itself" in redraft("eval", data, "--model", "none", "-o", data).err


def test_eval_runs_hidden_tests_for_pass_at_1(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pydantic_monty")
    monkeypatch.setattr("redraft.cli.scoring.TEST_SECONDS", 0.5)
    good = "```python\ndef add(a, b):\n    return a + b\n```"
    data = eval_rows(
        {"query": "Write add.", "answer": good, "hidden_tests": "assert add(1, 2) == 3"},
        {"query": "Write add.", "answer": good.replace("+", "-"), "hidden_tests": "assert add(1, 2) == 3"},
        {"query": "Write add.", "answer": "def add(a, b):\n    while True: pass", "hidden_tests": "assert add(1, 2) == 3"},
        {"query": "Write add.", "answer": "import sys\nsys.exit(0)", "hidden_tests": "assert add(1, 2) == 3"},
    )
    figures = redraft("eval", data, "--model", "none", "--metric", "pass@1", "--policy", "direct", "--json").json
    assert (figures["n"], figures["before"]) == (4, 0.25)


def test_eval_drafts_with_the_model_where_a_row_brings_no_answer(redraft: Call) -> None:
    data = eval_rows({"query": "Say something.", "answers": ["2 + 2 = 4"], "kind": "report"})
    model = script("2 + 2 = 5", EMPTY_READING, EMPTY_READING)
    figures = redraft("eval", data, "--model", model, "--json").json
    assert (figures["before"], figures["after"], figures["mean_turns"]) == (0.0, 1.0, 1.0)
    assert figures["usage"]["llm_calls"] >= 2


# ---- demo


def test_the_demo_runs_with_another_model_and_counts(redraft: Call) -> None:
    result = redraft("demo", "--model", script(*["I do not know."] * 400), "--json", "--quiet")
    assert result.code == 0
    assert result.json["n"] == len(result.json["rows"]) == 27
    assert result.json["right_before"] == 0
    assert "bad at these tasks" in result.json["note"]
    assert result.json["guard"] is True


def test_the_demo_shows_rows_and_a_footer_and_can_do_without_the_guard(redraft: Call) -> None:
    result = redraft("demo", "--no-guard", "--model", script(*["1296"] * 400), "--quiet")
    assert result.code == 0
    assert "What is 48 times 27?" in result.text
    assert "right before 1 of 27" in result.text
    assert "right→wrong" in result.text
    assert "guard off" in result.text


def test_the_demo_fits_a_narrow_terminal(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = redraft("demo", "--model", script(*["I do not know."] * 400), "--quiet").text
    rows, _, footer = text.partition("right before")
    assert max(map(len, rows.splitlines())) <= 80
    assert rows.count("question  ") == 27
    assert "What is 48 times 27?" in rows
    assert "kept, unverified" in rows
    assert "kept, unverified" in footer


def test_eval_shows_what_a_row_looks_like(redraft: Call) -> None:
    assert EXAMPLE_ROW in redraft("eval", "--help").text
    data = eval_rows({"question": "q"}, {"question": "r"}, {"query": "q", "answer": "x", "answers": ["x"]})
    result = redraft("eval", data, "--model", "none", "--json")
    assert (result.json["n"], result.err.count("'query' is missing"), result.err.count(EXAMPLE_ROW)) == (1, 2, 1)


def test_a_model_that_fails_in_every_row_is_said_once(redraft: Call) -> None:
    data = eval_rows(*({"query": f"Why {i}?", "answers": ["x"]} for i in range(3)))
    result = redraft("eval", data, "--model", script(*[{"error": "denied", "text": "the key was refused"}] * 9), "--json")
    assert (result.json["abstained"], result.json["after"]) == (3, 0.0)
    assert result.err.count("the key was refused") <= 2


# ---- interruptions


def test_ctrl_c_while_reading_ends_with_130_and_leaves_the_file(tmp_path: Path) -> None:
    fifo = tmp_path / "page.md"
    os.mkfifo(fifo)
    process = subprocess.Popen([sys.executable, "-m", "redraft.cli", "check", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    with fifo.open("wb"):  # opens once the command reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert (out, err.decode()) == (b"", "redraft: interrupted\n")


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "redraft.cli", "policies", "show", "guarded", "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


# ---- text made harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[31mred", "a<U+001B>[31mred"),
        ("a\u202eb", "a<U+202E>b"),
        ("a\x00\x07\x9b", "a<U+0000><U+0007><U+009B>"),
        ("line\nline\ttab\r\n", "line\nline\ttab\n"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("می\u200cخواهم 👩\u200d💻 日本", "می\u200cخواهم 👩\u200d💻 日本"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_what_would_be_obeyed_is_shown(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a  b\n c") == "a b c"
    assert one_line("abcdefgh", 5) == "abcd…"


def test_control_characters_in_a_text_do_not_reach_the_terminal(redraft: Call) -> None:
    write("Costs\x1b[31m: 150 * 40 = 6,200 [red]u\u202eno[/red].\n")
    result = redraft("check", "page.md")
    assert "\x1b" not in result.text
    assert "\u202e" not in result.text
    assert result.code == 1


def give_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


# ---- models over HTTP, in a process of their own


def start(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY") and not name.startswith("REDRAFT_")}
    environment = {**kept, "REDRAFT_HOME": str(home), "retries": "0"}
    return subprocess.Popen(
        [sys.executable, "-m", "redraft.cli", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home, env=environment, start_new_session=True
    )


@pytest.mark.parametrize("command", [["ask", "Why?"], ["fix", "page.md", "--write"], ["eval", "rows.jsonl", "-o", "out.jsonl"]])
def test_ctrl_c_during_a_model_call_ends_with_130_without_a_traceback_or_a_lost_file(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "page.md").write_text(WRONG)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"query": "Why?", "answers": ["x"]}))
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = start(tmp_path, *command, "--model", f"http://127.0.0.1:{server.getsockname()[1]}/v1#m")
        connection, _ = server.accept()  # the call has begun, and gets no answer
        with connection:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
    assert (process.returncode, out) == (130, b"")
    assert err.decode().splitlines()[-1] == "redraft: interrupted"
    assert b"Traceback" not in err
    assert (tmp_path / "page.md").read_text() == WRONG
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".redraft")]


def test_without_a_network_the_run_ends_with_an_outcome(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    process = start(tmp_path, "ask", "Why?", "--json", "--model", f"http://127.0.0.1:{port}/v1#m")
    out, err = process.communicate()
    assert process.returncode == 4
    assert json.loads(out)["status"] == "failed"
    assert b"Traceback" not in err
    assert b"no draft" in err


def test_a_missing_key_is_named(redraft: Call) -> None:
    result = redraft("ask", "Why?", "--model", "openai:some-model")
    assert (result.code, result.out) == (2, b"")
    assert "OPENAI_API_KEY" in result.err
    assert redraft("ask", "Why?", "--model", "opnai:some-model").code == 2


def test_documents_that_cannot_be_read_are_said_before_the_run(redraft: Call) -> None:
    write(RIGHT)
    write(b"%PDF-1.4 broken", "broken.pdf")
    result = redraft("check", "page.md", "--sources", "broken.pdf", "--json")
    assert (result.code, result.out) == (2, b"")
    assert "broken.pdf" in result.err


def test_a_large_answer_is_checked(redraft: Call) -> None:
    write("x" * 1_000_000 + "\n\n" + WRONG)
    result = redraft("check", "page.md", "--json")
    assert (result.code, result.json["status"]) == (1, "disputed")
