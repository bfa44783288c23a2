"""The table tool: what it reads, what it refuses, and what its database can never reach."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import InputError
from redraft.tools.table import TableTool
from redraft.types import Evidence, Failure, ToolCall

SHEET = """<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"""


def write_xlsx(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    """A workbook with inline strings, by hand: enough of the format for a reader."""

    def cell(value: object) -> str:
        return f"<c><v>{value}</v></c>" if isinstance(value, (int, float)) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    with zipfile.ZipFile(path, "w") as book:
        entries = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
        links = "".join(
            f'<Relationship Id="r{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/s{n}.xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        book.writestr(
            "xl/workbook.xml",
            '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
            f' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>{entries}</sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{links}</Relationships>'
        )
        book.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r0"'
            ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>')
        for n, rows in enumerate(sheets.values(), 1):
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            book.writestr(f"xl/worksheets/s{n}.xml", SHEET.format(rows=body))


async def ask(path: Path | list[Path], sql: str, **limits: Any) -> tuple[Evidence, ...] | Failure:
    tool = TableTool(path if isinstance(path, list) else [path], **limits)
    try:
        return await tool.run(ToolCall(tool="table", input=sql))
    finally:
        await tool.close()


async def value(path: Path, sql: str) -> str:
    result = await ask(path, sql)
    assert not isinstance(result, Failure), result
    return result[0].value


async def schema(path: Path) -> dict[str, Any]:
    return json.loads(await value(path, "schema"))["tables"][0]


def file(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "total"),
    [
        ("a,b\nx,1\ny,2.5\n", "3.5"),
        ("a;b\nx;1.234,56\ny;2,5\n", "1237.06"),
        ("a\tb\nx\t1\ny\t2\n", "3"),
        ("a|b\nx|1\ny|2\n", "3"),
        ('a,b\nx,"$1,200.50"\ny,$3\n', "1203.5"),
        ("a,b\nx,12.5%\ny,7.5 %\n", "20"),
        ("a,b\nx,(5)\ny,−3\n", "-8"),
        ("a,b\nx,1 234\ny,2\n", "1236"),
        ("a,b\nx,n/a\ny,4\nz,-\n", "4"),
        ("a,b\nx,3 kg\ny,4 kg\n", "7"),
        ("\ufeffa,b\r\nx,1\r\ny,2\r\n", "3"),
        ("Sales of the year\n\na,b,c\nx,1,2\ny,2,2\n", "3"),
        ("a,b\nx,0.1\ny,0.2\n", "0.3"),
    ],
)
async def test_figures_are_read_in_every_usual_dialect(tmp_path: Path, content: str, total: str) -> None:
    assert await value(file(tmp_path, content), "SELECT sum(b) FROM t") == total


@pytest.mark.parametrize(
    ("encoding", "text"), [("cp1252", "Stadt,Größe\nMünchen,1\nKöln,2\n"), ("utf-16", "Stadt,Größe\nMünchen,1\n"), ("utf-8-sig", "Stadt,Größe\nMünchen,1\n")]
)
async def test_encodings_are_found(tmp_path: Path, encoding: str, text: str) -> None:
    assert await value(file(tmp_path, text.encode(encoding)), "SELECT \"Größe\" FROM t WHERE Stadt = 'München'") == "1"


async def test_broken_rows_are_reported_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    table = await schema(file(tmp_path, "a,b,c\n1,2,3\n1,2,3,4\n5,6\n7,8,9\n"))
    assert table["rows"] == 3
    assert table["broken_rows"] == 1
    assert table["notes"] == ["1 broken rows were left out (lines 3)"]


async def test_duplicate_empty_and_reserved_column_names(tmp_path: Path) -> None:
    table = await schema(file(tmp_path, "select,,Price,price\n1,2,3,4\n"))
    assert [column["name"] for column in table["columns"]] == ["select", "column_2", "Price", "price_2"]
    assert await value(file(tmp_path, "select,b\n1,2\n"), 'SELECT "select" FROM t') == "1"


async def test_quotes_line_breaks_and_right_to_left_text_in_cells(tmp_path: Path) -> None:
    path = file(tmp_path, 'name,n\n"O\'Brien ""Q""",1\n"two\nlines",2\n"שלום",3\n')
    assert await value(path, "SELECT n FROM t WHERE name = 'O''Brien \"Q\"'") == "1"
    assert await value(path, "SELECT n FROM t WHERE name = 'שלום'") == "3"


async def test_codes_with_leading_zeros_and_mixed_columns_stay_text(tmp_path: Path) -> None:
    table = await schema(file(tmp_path, "code,mixed,day\n007,1,2024-01-31\n010,two,2024-02-29\n011,3,2024-03-01\n"))
    assert [column["kind"] for column in table["columns"]] == ["text", "text", "date"]
    assert table["notes"] == ["column 'mixed' mixes figures and words: it was read as text"]


async def test_dates_whose_day_and_month_cannot_be_told_apart_stay_text(tmp_path: Path) -> None:
    table = await schema(file(tmp_path, "day,n\n01/02/2024,1\n03/04/2024,2\n"))
    assert table["columns"][0]["kind"] == "text"
    assert "cannot be told apart" in table["notes"][0]


async def test_nul_bytes_are_dropped(tmp_path: Path) -> None:
    assert await value(file(tmp_path, b"a,b\nx\x00,1\ny,2\n"), "SELECT b FROM t WHERE a = 'x'") == "1"


async def test_a_hundred_columns_and_zero_rows(tmp_path: Path) -> None:
    table = await schema(file(tmp_path, ",".join(f"c{n}" for n in range(100)) + "\n" + ",".join("1" * 100) + "\n"))
    assert len(table["columns"]) == 100
    assert (await schema(file(tmp_path, "a,b\n")))["rows"] == 0


async def test_sheets_of_a_workbook_are_tables(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    write_xlsx(path, {"North": [["item", "n"], ["x", 1.5], ["y", 2]], "South": [["item", "n"], ["z", 4]], "Empty": []})
    assert await value(path, "SELECT sum(n) FROM book_north") == "3.5"
    assert await value(path, "SELECT n FROM book_south") == "4"


async def test_parquet(tmp_path: Path) -> None:
    import duckdb

    duckdb.sql("SELECT 1 AS a, 2.5 AS b UNION ALL SELECT 2, 3").write_parquet(str(tmp_path / "p.parquet"))
    assert await value(tmp_path / "p.parquet", "SELECT sum(b) FROM p") == "5.5"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.csv", None, "there is no file"),
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b" \n\n", "nothing but white space"),
        ("binary.csv", bytes(range(256)) * 40, "binary"),
        ("zip.csv", b"PK\x03\x04 rest", "office document or a ZIP"),
        ("paper.pdf", b"%PDF-1.7", "not a kind of table"),
        ("secret.xlsx", b"\xd0\xcf\x11\xe0" + b"0" * 600, "encrypted"),
        ("no.xlsx", b"plain text", "no spreadsheet"),
        ("no.parquet", b"plain text", "no Parquet file"),
        ("locked.parquet", b"PARE0000PARE", "encrypted"),
    ],
)
async def test_files_that_are_no_tables_are_refused_in_words(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        TableTool.validate([path])
    result = await ask(path, "SELECT 1")
    assert isinstance(result, Failure)
    assert result.kind == "bad_input"


async def test_a_damaged_spreadsheet_is_refused_in_words(tmp_path: Path) -> None:
    result = await ask(file(tmp_path, b"PK\x03\x04 not really", "t.xlsx"), "schema")
    assert isinstance(result, Failure)
    assert "save it again" in result.message


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        TableTool.validate([tmp_path])


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE t",
        "INSERT INTO t VALUES (1, 2)",
        "COPY t TO 'out.csv'",
        "ATTACH 'x.db'",
        "PRAGMA database_list",
        "SET memory_limit = '9GB'",
        "INSTALL httpfs",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT (SELECT count(*) FROM read_csv('/etc/passwd'))",
        "SELECT getenv('HOME')",
        "SELECT current_setting('memory_limit')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM information_schema.tables",
        "PIVOT t ON a",
        "",
        "SELECT \x00 1",
        "SELECT " + "1+" * 40_000 + "1",
    ],
)
async def test_only_reading_the_tables_is_allowed(tmp_path: Path, sql: str) -> None:
    result = await ask(file(tmp_path, "a,b\n1,2\n"), sql)
    assert isinstance(result, Failure)
    assert result.kind == "denied"


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nothing FROM t", "t(a, b)"),
        ("SELECT a FROM other", "t(a, b)"),
        ("SELECT * FROM '/etc/passwd'", "t(a, b)"),
        ("SELEC a FROM t", "not valid SQL"),
        ("SELECT CAST('x' AS INTEGER)", "does not fit the type"),
    ],
)
async def test_failures_say_what_to_write_instead(tmp_path: Path, sql: str, words: str) -> None:
    result = await ask(file(tmp_path, "a,b\n1,2\n"), sql)
    assert isinstance(result, Failure)
    assert result.kind == "bad_input"
    assert words in result.message


async def test_listings_and_subqueries_are_allowed(tmp_path: Path) -> None:
    path = file(tmp_path, "a,b\n1,2\n3,4\n")
    assert await value(path, "SHOW TABLES") == "t"
    assert await value(path, "WITH x AS (SELECT a FROM t) SELECT max(a) FROM x;") == "3"
    result = await ask(path, "DESCRIBE t")
    assert not isinstance(result, Failure)


async def test_a_query_without_rows_is_empty_not_evidence(tmp_path: Path) -> None:
    path = file(tmp_path, "a,b\n1,2\n")
    for sql in ("SELECT a FROM t WHERE a = 9", "SELECT sum(a) FROM t WHERE a = 9"):
        result = await ask(path, sql)
        assert isinstance(result, Failure)
        assert result.kind == "empty"


async def test_output_is_capped_and_says_so(tmp_path: Path) -> None:
    path = file(tmp_path, "a\n" + "\n".join(str(n) for n in range(500)) + "\n")
    result = await ask(path, "SELECT a FROM t", max_rows=5)
    assert not isinstance(result, Failure)
    assert result[0].text.count("\n") == 6
    assert "cut" in result[0].text
    assert result[0].value == ""


async def test_an_endless_query_is_stopped(tmp_path: Path) -> None:
    sql = "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c WHERE a.range + b.range + c.range = -1"
    result = await ask(file(tmp_path, "a,b\n1,2\n"), sql, timeout_seconds=0.8)
    assert isinstance(result, Failure)
    assert result.kind == "timeout"


async def test_a_path_with_wildcards_is_that_file_alone(tmp_path: Path) -> None:
    file(tmp_path, "a,b\n9,9\n", "t1.csv")
    assert await value(file(tmp_path, "a,b\n1,2\n", "t[1].csv"), "SELECT sum(a) FROM t_1") == "1"


async def test_no_file_is_loaded_before_the_first_use(tmp_path: Path) -> None:
    tool = TableTool([tmp_path / "later.csv"])
    file(tmp_path, "a,b\n1,2\n", "later.csv")
    result = await tool.run(ToolCall(tool="table", input="scan later"))
    assert not isinstance(result, Failure)
    assert json.loads(result[0].value) == [["1", "2"]]
    await tool.close()
    await tool.close()


async def test_two_files_of_one_name_get_two_tables(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    one, two = file(tmp_path, "a,b\n1,2\n"), file(tmp_path / "x", "a,b\n5,6\n")
    result = await ask([one, two], "SELECT (SELECT a FROM t) + (SELECT a FROM t_2)")
    assert not isinstance(result, Failure)
    assert result[0].value == "6"


def odd_book(path: Path) -> None:
    """A workbook as people keep them: merged labels, per cent, dates as dates and as text, formulas without values, a hidden sheet."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    percent, day = book.add_format({"num_format": "0.0%"}), book.add_format({"num_format": "yyyy-mm-dd"})
    data = book.add_worksheet("Data")
    data.write_row(0, 0, ["Region", "City", "Sales", "Share", "Date", "Written", "Double", "Amount"])
    rows = [
        ("", "Oslo", 1200, 0.4, 5, "05.01.2024", "1,200"),
        ("", "Bergen", 1800, 0.5, 6, "25.02.2024", "1,800"),
        ("South", "Rome", 900, 0.1, 7, "05.03.2024", "900"),
    ]
    for number, (region, city, sales, share, date, written, amount) in enumerate(rows, 1):
        data.write_row(number, 0, [region, city, sales])
        data.write_number(number, 3, share, percent)
        data.write_number(number, 4, 45000 + date, day)
        data.write_string(number, 5, written)
        data.write_formula(number, 6, f"=C{number + 1}*2", None, "")
        data.write_string(number, 7, amount)
    data.merge_range(1, 0, 2, 0, "North")
    old = book.add_worksheet("Old")
    old.write_row(0, 0, ["Region", "Sales"])
    old.write_row(1, 0, ["North", 99999])
    old.hide()
    book.close()


async def test_a_label_merged_over_rows_belongs_to_each_of_them(tmp_path: Path) -> None:
    odd_book(tmp_path / "b.xlsx")
    assert await value(tmp_path / "b.xlsx", "SELECT sum(Sales) FROM b WHERE Region = 'North'") == "3000"


async def test_hidden_sheets_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    odd_book(tmp_path / "b.xlsx")
    result = await ask(tmp_path / "b.xlsx", "schema")
    assert not isinstance(result, Failure)
    assert "hidden sheets were left out: Old" in result[0].text
    assert "99999" not in result[0].value


async def test_per_cent_dates_text_dates_and_separators_in_cells_are_typed(tmp_path: Path) -> None:
    odd_book(tmp_path / "b.xlsx")
    assert await value(tmp_path / "b.xlsx", "SELECT sum(Share) FROM b") == "1"
    assert await value(tmp_path / "b.xlsx", "SELECT max(year(Date)) FROM b") == "2023"
    assert await value(tmp_path / "b.xlsx", "SELECT max(Written) FROM b") == "2024-03-05"
    assert await value(tmp_path / "b.xlsx", "SELECT sum(Amount) FROM b") == "3900"


async def test_formulas_without_saved_values_are_empty_not_zero(tmp_path: Path) -> None:
    odd_book(tmp_path / "b.xlsx")
    result = await ask(tmp_path / "b.xlsx", "SELECT Double FROM b WHERE City = 'Rome'")
    assert isinstance(result, Failure)
    assert result.kind == "empty"


def test_a_table_of_two_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(2 << 30)
    with pytest.raises(InputError, match="extract"):
        TableTool.validate([path])
