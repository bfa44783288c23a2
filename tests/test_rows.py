"""Task rows: what is read, what is refused in words, and where the gold is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.studies.rows import EXAMPLE_ROW, read_rows, row_from_mapping
from redraft.types import Task


def write(folder: Path, *lines: object, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def test_a_full_row_becomes_a_task_and_its_gold_apart(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    path = write(
        tmp_path,
        {
            "id": "q1", "query": "How many?", "answer": "3", "answers": ["4", "four"], "kind": "math", "context": "c", "documents": ["docs"],
            "tables": ["t.csv"], "tests": "assert True", "hidden_tests": "assert f()", "difficulty": 7,
        },
    )  # fmt: skip
    rows, bad = read_rows(path)
    assert not bad
    assert rows[0].task == Task(
        query="How many?", kind="math", answer="3", context="c", documents=(str(tmp_path / "docs"),), tables=(str(tmp_path / "t.csv"),), tests="assert True"
    )
    assert rows[0].gold.answers == ("4", "four")
    assert rows[0].gold.hidden_tests == "assert f()"
    assert rows[0].extra == {"difficulty": 7}
    assert rows[0].id == "q1"


def test_the_example_is_a_row(tmp_path: Path) -> None:
    rows, bad = read_rows(write(tmp_path, EXAMPLE_ROW))
    assert (len(rows), bad, rows[0].gold.answers) == (1, [], ("397.8",))


def test_defaults_numbers_and_line_ids(tmp_path: Path) -> None:
    rows, _ = read_rows(write(tmp_path, {"query": "q", "answer": 12, "answers": 12.5}, "", {"query": "c", "hidden_tests": "assert 1"}))
    assert [row.id for row in rows] == ["1", "3"]
    assert (rows[0].task.answer, rows[0].gold.answers, rows[0].task.kind) == ("12", ("12.5",), "qa")
    assert rows[1].task.kind == "code"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{not json", "not JSON"),
        ("[1]", "not a JSON object"),
        ("{}", "'query' is missing or empty"),
        ('{"query": "  "}', "'query' is missing or empty"),
        ('{"query": 7}', "'query' must be text"),
        ('{"query": "q", "kind": "poem"}', "must be one of qa, math"),
        ('{"query": "q", "answer": ["x"]}', "'answer' must be text"),
        ('{"query": "q", "answers": [true]}', "'answers' must be text"),
        ('{"query": "q", "tables": ["absent.csv"]}', "there is no 'absent.csv'"),
        ('{"query": "q", "documents": [1]}', "must be a list of paths"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_kept(tmp_path: Path, line: str, message: str) -> None:
    rows, bad = read_rows(write(tmp_path, {"query": "good"}, line, {"query": "good too"}))
    assert [row.line for row in rows] == [1, 3]
    assert bad[0].line == 2
    assert message in bad[0].message


@pytest.mark.parametrize(("content", "message"), [(b"", "is empty"), (b"\n \n", "is empty"), (b"\x00\x01", "binary"), (b'{"query": "\xff"}', "not UTF-8")])
def test_an_unusable_file_is_refused_in_words(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_rows(path)
    with pytest.raises(InputError, match="cannot read"):
        read_rows(tmp_path / "absent.jsonl")


def test_a_byte_order_mark_and_separators_inside_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"query": "a\u2028b"}, ensure_ascii=False).encode() + b"\r\n")
    rows, bad = read_rows(path)
    assert not bad
    assert rows[0].task.query == "a\u2028b"


def test_evidence_that_contains_the_gold_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "docs" / "out.jsonl"
    output.parent.mkdir()
    path = write(tmp_path, {"query": "q", "documents": ["."]}, {"query": "q2", "documents": ["docs"]}, {"query": "q3", "documents": ["rows.jsonl"]})
    rows, bad = read_rows(path, forbidden=(output,))
    assert not rows
    assert [item.line for item in bad] == [1, 2, 3]
    assert all("gold" in item.message for item in bad)


def test_equal_rows_are_all_kept_under_keys_of_their_own(tmp_path: Path) -> None:
    rows, _ = read_rows(write(tmp_path, {"query": "q"}, {"query": "q"}, {"query": "r"}))
    assert len({row.key for row in rows}) == 3
    assert row_from_mapping({"query": "q"}).key == rows[0].key
