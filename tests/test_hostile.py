"""Input that nobody means well with, or that is merely huge or odd: handled or refused in words, in bounded time, and never with a wrong verdict.

Nothing is timed here: the long pages are so long that work which grows with their square would not end within a test run.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from redraft import __file__ as redraft_file
from redraft.claims.edits import apply, diff_edits
from redraft.claims.figures import read
from redraft.claims.match import match
from redraft.claims.segment import claims
from redraft.claims.statements import find
from redraft.cli import run
from redraft.cli.render import changes_table, console_on
from redraft.errors import InputError
from redraft.refiner import Refiner
from redraft.studies.evaluate import Results, Setting
from redraft.tools import open_tools
from redraft.types import Edit, Outcome, Task

SOURCE = Path(redraft_file).parents[1]


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Result]


@pytest.fixture
def redraft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Runs a command in an empty folder with an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    for name in ("REDRAFT_MODEL", "REDRAFT_SEARCH", "COLUMNS", "REDRAFT_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            capfdbinary.readouterr()
            code = run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            out, err = capfdbinary.readouterr()
        return Result(code, out, err.decode("utf-8", "replace"))

    return call


def statuses(outcome: Outcome) -> Counter[str]:
    return Counter(check.status for check in outcome.checks)


def check(text: str, **task: Any) -> Outcome:
    return Refiner(tools=open_tools(Task(query="", kind="report", **task), ["calculator", "units", "dates", "text"])).check_sync("", text)


# files that are no plain text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
def test_every_marked_encoding_is_read_and_written_back_in_itself(redraft: Call, tmp_path: Path, encoding: str) -> None:
    mark = {
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
        "utf-8": codecs.BOM_UTF8,
    }[encoding]
    (tmp_path / "page.md").write_bytes(mark + "2 + 2 = 5.\r\n".encode(encoding))
    assert redraft("fix", "page.md", "--write", "--quiet").code == 0
    assert (tmp_path / "page.md").read_bytes() == mark + "2 + 2 = 4.\r\n".encode(encoding)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("2 + 2 = 5.".encode("utf-16-le"), "UTF-16 text without its mark; convert it, for example: iconv -f UTF-16LE"),
        ("2 + 2 = 5.".encode("utf-16-be"), "UTF-16 text without its mark; convert it, for example: iconv -f UTF-16BE"),
        (codecs.BOM_UTF16_LE + "a\x00b".encode("utf-16-le"), "is a binary file"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8", "damaged or cut off"),
        (b"a\x00b", "is a binary file"),
        (b"caf\xe9", "iconv -f LATIN1"),
        (codecs.BOM_UTF8, "is empty"),
    ],
)
def test_what_is_no_text_is_named_for_what_it_is(redraft: Call, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "page.md").write_bytes(content)
    result = redraft("check", "page.md", "--json")
    assert (result.code, result.out) == (2, b"")
    assert words in result.err


def test_an_empty_name_and_an_empty_question_are_named(redraft: Call) -> None:
    assert "the name of the file is empty" in redraft("check", "").err
    assert "the question is empty" in redraft("ask", "-", "--model", "none").err


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "0"])
def test_only_finite_limits_are_limits(redraft: Call, value: str) -> None:
    for option in ("--deadline", "--budget-usd"):
        assert redraft("check", "-", option, value, stdin=b"2 + 2 = 5.").code == 2


# tables and sources


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.xlsx", b"PK\x03\x04", "cannot be read as a spreadsheet"),
        ("a.parquet", b"PAR1", "damaged or encrypted Parquet"),
        ("a.csv", b"", "is empty"),
    ],
)
def test_a_broken_table_is_refused_before_the_run_and_not_passed_over(redraft: Call, tmp_path: Path, name: str, content: bytes, words: str) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / name).write_bytes(content)
    result = redraft("check", "-", "--table", name, "--json", stdin=b"Revenue was 12 in March.")
    assert (result.code, result.out) == (2, b"")
    assert words in result.err


def test_rows_and_documents_that_were_left_out_are_said(redraft: Call, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n1,2,3,4\n5,6\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.txt").write_text("Paris is the capital of France.")
    (tmp_path / "docs" / "bad.txt").write_bytes(b"abc\x00def")
    result = redraft("check", "-", "--table", "a.csv", "--sources", "docs", "--json", stdin=b"Paris is the capital of France.")
    assert result.json["checks"]
    assert "broken rows were left out" in result.err
    assert "left out: docs" in result.err
    assert redraft("check", "-", "--sources", "docs", "--quiet", "--json", stdin=b"Paris.").err == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
@pytest.mark.parametrize("option", ["--table", "--sources"])
def test_a_pipe_is_refused_and_not_waited_for(redraft: Call, tmp_path: Path, option: str) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    assert "is a pipe or a device" in redraft("check", "-", option, "pipe.csv", stdin=b"Revenue was 12.").err


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names are text on this platform")
def test_a_file_name_that_is_no_text_is_cited_all_the_same(redraft: Call, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    name = os.fsdecode(b"docs/caf\xe9.md")
    (tmp_path / name).write_text("Berlin is the capital of Germany.")
    result = redraft("check", name, "--sources", "docs", "--json")
    assert result.code == 0
    assert "caf\ufffd.md" in json.dumps(result.json["evidence"], ensure_ascii=False)


# long pages


def test_statements_of_a_long_page_are_all_checked() -> None:
    page = "\n".join(f"{n} + {n % 7} = {n + n % 7 + (n == 3999)}." for n in range(4000))
    outcome = check(page)
    assert statuses(outcome) == {"supported": 3999, "contradicted": 1}


def test_a_long_line_of_dates_is_read() -> None:
    found = find("From 1 March 2024 to 5 March 2024 is 4 days. " * 4000)
    assert len(found) == 4000
    assert all(statement.holds for statement in found)


def test_a_wrong_figure_late_in_a_long_page_is_put_right() -> None:
    page = "\n".join([*(f"Line {n} says nothing." for n in range(6000)), "2 + 2 = 5."])
    outcome = Refiner(tools=open_tools(Task(query="", kind="report"), ["calculator"])).revise_sync("", page)
    assert outcome.answer == page.replace("= 5.", "= 4.")


def test_thousands_of_wrong_figures_are_put_right(redraft: Call, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("2 + 2 = 5.\n" * 1000)
    result = redraft("fix", "page.md")
    assert result.out.decode() == "2 + 2 = 4.\n" * 1000
    assert redraft("fix", "page.md", "--diff", "--quiet").out.count(b"+2 + 2 = 4.") == 1000


def test_thousands_of_code_blocks_have_an_id_each(redraft: Call) -> None:
    result = redraft("check", "-", "--json", stdin=b"```json\n[1]\n```\n\n```python\nx = 1\n```\n\n" * 1500)
    assert result.code == 0
    assert Counter(item["kind"] for item in result.json["checks"])["code"] == 3000


def test_what_is_no_claim_does_not_count_against_the_number_of_claims() -> None:
    outcome = check("# Heading\n\n" * 1000 + "2 + 2 = 5.")
    assert statuses(outcome) == {"skipped": 1000, "contradicted": 1}


def test_beyond_all_reason_the_rest_is_one_undecided_claim() -> None:
    outcome = check("# h\n" * 50_100)
    assert len(outcome.checks) == 50_001
    last = outcome.checks[-1]
    assert (last.status, last.claim.span[1]) == ("unavailable", 200_400)
    assert "was not looked at" in last.note


def test_claims_follow_their_places_through_thousands_of_edits() -> None:
    old = "\n".join(f"Item {n} costs {n} euros." for n in range(3000))
    edits = tuple(Edit(span=(at, at + 5), replacement="pounds") for at in range(len(old)) if old.startswith("euros", at) and at % 3 == 0)
    new = apply(old, edits)
    before, after = claims(old), claims(new)
    found = match(before, old, after, new, edits)
    assert [found.pairs[claim.id] for claim in before] == [claim.id for claim in after]
    assert diff_edits(old, new) == edits


def test_the_changes_of_a_long_page_are_shown_line_by_line() -> None:
    stream = io.StringIO()
    console = console_on(stream, plain_width=80)
    console.print(changes_table("a = 1\n" * 1500, "a = 2\n" * 1500, console))
    assert stream.getvalue().count("[+2+]") == 1500


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "1" + ")" * 10_000 + " = 1",
        "[({" * 4000,
        "a" * 1_000_000,
        "7" * 10_000 + " + 1 = 8. It is " + "3" * 10_000 + "%.",
        "9**9**9 = 1",
        "1" + " + 1" * 20_000 + " = 5",
        '"' * 100_000,
        "`" * 100_000,
        "1," * 50_000,
        "```json\n" + "[" * 100_000 + "\n```",
        "a\u0301" * 50_000,
        "\u200b" * 50_000 + "1",
        "3 m * " * 5000 + "= 4 m²",
        "3 m = " * 2000,
        "1 * 1 <= " * 2000,
        "from 9:40 to " * 10_000,
        "depart 9:40 arrive " * 10_000,
        "10–12 km (" * 5000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_depth_and_length_end_in_no_false_alarm(text: str) -> None:
    assert statuses(check(text))["contradicted"] == 0


# true all the same


@pytest.mark.parametrize(
    "text",
    [
        "2×3=6,10-3=7",
        "2×3=6，10-3=7。",
        "2×3=6,100-3=97",
        "所以2×3=6，8+4=12，10-3=7。",
        "0x10 = 16",
        "0x10 + 1 = 17",
        "0b101 = 5 and 0o17 = 15",
        "10 dB + 10 dB = 13 dB",
        "1,2 + 3 = 5",
        "1 to 31 March is 31 days",
        "First Street is 3-5 blocks away, at 1.234,56 or -5.",
    ],
)
def test_a_true_statement_in_an_odd_form_is_never_contradicted(text: str) -> None:
    assert statuses(check(text))["contradicted"] == 0


@pytest.mark.parametrize("text", ["2,5 + 2 = 4,6", "1,000 + 2 = 1,003", "2×3=6，10-3=8。", "1，000+1=1，002", "5 + 10 = 16"])
def test_a_false_one_still_is(text: str) -> None:
    assert statuses(check(text))["contradicted"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "((3 + 4) * 2 = 14",
        "3 + 4) * 2 = 14",
        "[3 + (4] * 2) = 11",
        "{3 + 4} = 7 (see [2)",
        "None of the 12 boxes holds 3-5 or -5.",
        "None of this is so: 2 + 2 = 4.",
        "1.234,56 + 0,44 = 1.235",
        "3-5 = -2, and 3 - 5 = -2",
        "-5 + 5 = 0",
        "First Street has 3 houses and Second Street has 4, in all 3 + 4 = 7.",
        "1/2^99 > 0",
        "1/2^99 = 1.58e-30",
        "\u05d4\u05e1\u05db\u05d5\u05dd \u05d4\u05d5\u05d0 3 + 4 = 7",
        "\u0627\u0644\u0645\u062c\u0645\u0648\u0639 \u0663 + \u0664 = \u0667",
        "\u202e7 = 4 + 3\u202c",
        "12\u200b + 3\u200b = 15",
        "1\u200b2 + 3 = 15",
        "\ufeff2 + 2 = 4",
        "2 + 2 = 4\x00",
        "2 +\x00 2 = 4",
        "2 + 2\x00 = 4 and \x00\x00",
        "\ud83d 2 + 2 = 4",
        "Ã¤ 2 + 2 = 4 â‚¬",
    ],
)
def test_a_true_statement_among_odd_characters_is_never_contradicted(text: str) -> None:
    assert statuses(check(text))["contradicted"] == 0


@pytest.mark.parametrize("text", ["3 \u200b+ 4 = 8", "\u05d4\u05e1\u05db\u05d5\u05dd 3 + 4 = 8", "\ufeff3 + 4 = 8", "(3 + 4) * 2 = 15 (see [2)"])
def test_a_false_one_among_them_still_is(text: str) -> None:
    assert statuses(check(text))["contradicted"] == 1


@pytest.mark.parametrize("quotation", ["50% (approx", "a+b* [c", "x{2}|y$", "\\d+ (?:z", "^(start", "C:\\new\\1", "what?? *really*"])
def test_signs_of_a_pattern_in_a_quotation_are_letters_like_others(redraft: Call, tmp_path: Path, quotation: str) -> None:
    (tmp_path / "source.txt").write_text(f"The report says {quotation} of it was lost at sea.", encoding="utf-8")
    (tmp_path / "other.txt").write_text("The report says that nothing of it was lost at sea.", encoding="utf-8")
    text = f"The report says “{quotation} of it was lost at sea”.".encode()
    found = redraft("check", "-", "--sources", "source.txt", "--json", stdin=text).json["checks"]
    assert "contradicted" not in {one["status"] for one in found}
    assert any(one["status"] == "supported" and one["method"] == "quoted" for one in found)
    assert redraft("check", "-", "--sources", "other.txt", "--json", stdin=text).code in (0, 1)


def test_a_claim_that_begins_with_none_of_is_not_read_as_one_of_some(redraft: Call, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("None of the twelve jurors objected to the verdict.")
    for text, never in (
        (b"None of the twelve jurors objected to the verdict.", "contradicted"),
        (b"All of the twelve jurors objected to the verdict.", "supported"),
        (b"One of the twelve jurors objected to the verdict.", "supported"),
    ):
        result = redraft("check", "-", "--sources", "source.txt", "--json", stdin=text)
        assert never not in {one["status"] for one in result.json["checks"]}


def test_a_table_of_two_gigabytes_is_refused_at_once(redraft: Call, tmp_path: Path) -> None:
    with (tmp_path / "huge.csv").open("wb") as table:
        table.write(b"month,revenue\n")
        table.truncate(2 << 30)  # a hole, which takes no room
    result = redraft("check", "-", "--table", "huge.csv", "--json", stdin=b"Revenue was 12 in March.")
    assert (result.code, result.out) == (2, b"")
    assert "2048 MB" in result.err


def test_a_currency_mark_between_two_figures_belongs_to_one() -> None:
    assert [quantity.text for quantity in read("8 €8 and 0%€0")] == ["8", "€8", "0%", "€0"]


# the terminal, the disk, other processes


def test_a_claim_is_readable_on_twenty_columns(redraft: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    result = redraft("check", "-", stdin=b"2 + 2 = 5.")
    assert result.code == 1
    assert b"2 + 2 = 5" in result.out
    assert max(map(len, result.out.decode().splitlines())) <= 20


def spawned(folder: Path, *arguments: str, stdout: Any = subprocess.PIPE) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "REDRAFT_HOME": str(folder / "home"), "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "redraft.cli", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.PIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full on this platform")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = spawned(tmp_path, "check", "-", "--json", stdout=full)
        _, err = process.communicate(b"2 + 2 = 5.")
    assert process.returncode == 4
    assert b"cannot write" in err
    assert b"internal error" not in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_says_so_and_nothing_else(tmp_path: Path, number: int, code: int) -> None:
    os.mkfifo(tmp_path / "page.md")
    process = spawned(tmp_path, "check", "page.md")
    with (tmp_path / "page.md").open("wb"):  # returns once the command has opened it too; it waits for a text that never comes
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (code, b"", b"redraft: interrupted\n")


def test_a_results_file_has_one_process_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    holder = (
        "import fcntl, sys, os\nfd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\nfcntl.lockf(fd, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()"
    )
    path = tmp_path / "out.jsonl"
    setting = Setting(metric="em", policy="guarded", policy_hash="0", model="none", seed=0)
    process = subprocess.Popen([sys.executable, "-c", holder, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    with pytest.raises(InputError, match="another process is writing"):
        Results(setting, path)
    process.communicate(b"")
    Results(setting, path)


def test_results_go_to_a_file_of_their_own(tmp_path: Path) -> None:
    setting = Setting(metric="em", policy="guarded", policy_hash="0", model="none", seed=0)
    with pytest.raises(InputError, match="not a file of its own"):
        Results(setting, tmp_path)
