"""What commands say where little is to be said: quiet runs, counts of one, JSON with letters of every script, and causes that are named rightly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.cli import run
from redraft.cli.wording import counted, json_text


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))


def test_a_quiet_check_says_nothing_but_its_exit_code(capfd: pytest.CaptureFixture[str]) -> None:
    Path("page.md").write_text("2 + 2 = 5\n", encoding="utf-8")
    assert run(["check", "page.md", "--quiet", "--no-record"]) == 1
    assert capfd.readouterr() == ("", "")
    assert run(["check", "page.md", "--quiet", "--json", "--no-record"]) == 1
    assert json.loads(capfd.readouterr().out)["status"] == "disputed"
    assert run(["check", "nothing.md", "--quiet"]) == 2
    assert "nothing.md" in capfd.readouterr().err


def test_a_quiet_fix_prints_the_text_alone(capfd: pytest.CaptureFixture[str]) -> None:
    Path("page.md").write_text("2 + 2 = 5\n", encoding="utf-8")
    assert run(["fix", "page.md", "--quiet", "--no-record"]) == 0
    assert capfd.readouterr() == ("2 + 2 = 4\n", "")


def test_ask_without_a_model_is_wrong_use_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "hi", "--model", "none"]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "--model" in said.err


def test_policies_take_json_at_both_places(capfd: pytest.CaptureFixture[str]) -> None:
    for arguments in (["policies", "--json", "show", "guarded"], ["policies", "show", "guarded", "--json"]):
        assert run(arguments) == 0
        assert json.loads(capfd.readouterr().out)["name"] == "guarded"
    assert run(["policies", "--json", "diff", "guarded", "critic"]) == 0
    assert isinstance(json.loads(capfd.readouterr().out), dict)


def test_calibration_names_rows_without_a_label_as_the_cause(capfd: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_text('{"query": "What is 2 + 2?", "answer": "4"}\n', encoding="utf-8")
    assert run(["calibrate", "checks", "rows.jsonl", "--model", "none"]) == 2
    said = capfd.readouterr().err
    assert "label" in said
    assert "--model is missing" not in said


def test_an_unknown_prompt_is_answered_with_the_nearest(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["prompts", "show", "corect"]) == 2
    assert "did you mean 'correct'?" in capfd.readouterr().err


def test_one_is_no_plural(capfd: pytest.CaptureFixture[str]) -> None:
    Path("page.md").write_text("2 + 2 = 5\n", encoding="utf-8")
    run(["check", "page.md", "--no-record"])
    assert ", 1 tool call, " in capfd.readouterr().out
    assert [counted(n, "turn") for n in (0, 1, 1200)] == ["0 turns", "1 turn", "1,200 turns"]


def test_json_keeps_letters_and_escapes_what_a_terminal_obeys(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        encoding = "UTF-8"

    value = {"a": "収入 é 😀", "b": "\x1b[2J \x9b \u202e \u2028 \ud800"}
    monkeypatch.setattr("sys.stdout", Stream())
    text = json_text(value)
    assert "収入 é 😀" in text
    assert all(mark.isprintable() for mark in text)
    assert json.loads(text.encode()) == value
    monkeypatch.setattr(Stream, "encoding", "latin-1")
    assert json_text(value).isascii()
    assert json.loads(json_text(value)) == value
