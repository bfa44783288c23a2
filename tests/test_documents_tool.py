"""The documents tool: every format, what is refused and in which words, ranking, quotations, scripts without spaces."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.tools.documents import DocumentsTool, read_sources
from redraft.tools.extract import decode, read_document
from redraft.types import Evidence, Failure, ToolCall

ENCRYPTED_PDF = (
    "JVBERi0xLjMKJeLjz9MKMSAwIG9iago8PAovUHJvZHVjZXIgPDkxMzdkNTQzNWQ+Cj4+CmVuZG9iagoyIDAgb2JqCjw8Ci9UeXBlIC9QYWdlcwovQ291bnQgMQovS2lkcyBbIDQgMCBSIF0KPj4KZW"
    "5kb2JqCjMgMCBvYmoKPDwKL1R5cGUgL0NhdGFsb2cKL1BhZ2VzIDIgMCBSCj4+CmVuZG9iago0IDAgb2JqCjw8Ci9UeXBlIC9QYWdlCi9SZXNvdXJjZXMgPDwKPj4KL01lZGlhQm94IFsgMC4wIDAu"
    "MCAxMDAgMTAwIF0KL1BhcmVudCAyIDAgUgo+PgplbmRvYmoKNSAwIG9iago8PAovViAyCi9SIDMKL0xlbmd0aCAxMjgKL1AgNDI5NDk2NzI5MgovRmlsdGVyIC9TdGFuZGFyZAovTyA8MGU1MjI5Mj"
    "VhM2U0ZTg3NGMzY2ZhY2JlZjUxMWE3M2FjNGVjMmJkODY1ZGNkM2Q0NjI3NjE0OTE3YWJmZDdlND4KL1UgPDQ1YTY3Yzc5OTE0YWI4NDQxZDA5Zjc1OTA0M2FmNmQ4MjhiZjRlNWU0ZTc1OGE0MTY0"
    "MDA0ZTU2ZmZmYTAxMDg+Cj4+CmVuZG9iagp4cmVmCjAgNgowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMTUgMDAwMDAgbiAKMDAwMDAwMDA1OSAwMDAwMCBuIAowMDAwMDAwMTE4IDAwMDAwIG"
    "4gCjAwMDAwMDAxNjcgMDAwMDAgbiAKMDAwMDAwMDI2MSAwMDAwMCBuIAp0cmFpbGVyCjw8Ci9TaXplIDYKL1Jvb3QgMyAwIFIKL0luZm8gMSAwIFIKL0lEIFsgPDc4ZTE2YmE1ZGI2NmQxN2QzMTUx"
    "Y2U4ZDliZGI3YjVhPiA8NzhlMTZiYTVkYjY2ZDE3ZDMxNTFjZThkOWJkYjdiNWE+IF0KL0VuY3J5cHQgNSAwIFIKPj4Kc3RhcnR4cmVmCjQ3NgolJUVPRgo="
)


def pdf(pages: list[str]) -> bytes:
    """A small valid PDF with one line of text on each page; an empty text makes a page without a text layer."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[str] = []
    for text in pages:
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET" if text else "0 0 10 10 re f"
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects) + 2} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    ).encode()


def ask(tool: DocumentsTool, query: str, attempt: int = 0) -> tuple[Evidence, ...] | Failure:
    return asyncio.run(tool.run(ToolCall(tool="documents", input=query, attempt=attempt)))


def hits(tool: DocumentsTool, query: str, attempt: int = 0) -> tuple[Evidence, ...]:
    found = ask(tool, query, attempt)
    assert not isinstance(found, Failure), found
    return found


TOWER = "# Tarn Tower\n\nTarn Tower is 330 metres tall. It opened on 3 May 1998.\n\n## Visitors\n\nIn 2019 about 412,000 people came."


def test_a_question_finds_the_passage_with_its_heading_source_and_relevance() -> None:
    tool = DocumentsTool(texts={"tower.md": TOWER, "bread.md": "Bread is baked from flour and water."})
    best = hits(tool, "How tall is Tarn Tower?")[0]
    assert "330 metres" in best.text
    assert best.source.startswith("tower.md#")
    assert "Tarn Tower" in best.title
    assert best.relevance > 0.9
    assert best.trust == 1.0


def test_relevance_falls_below_the_policy_where_the_passage_has_little_of_the_question() -> None:
    tool = DocumentsTool(texts={"bread.md": "Bread is baked from flour and water.", "tower.md": TOWER})
    weak = hits(tool, "Which minister opened the harbour tunnel with bread?")
    assert max(item.relevance for item in weak) < 0.35


def test_nothing_found_is_a_failure_of_kind_empty() -> None:
    found = ask(DocumentsTool(texts={"a": "Bread is baked."}), "xylophone quartet")
    assert isinstance(found, Failure)
    assert found.kind == "empty"


def test_without_documents_or_words_nothing_is_claimed() -> None:
    assert isinstance(ask(DocumentsTool(), "anything"), Failure)
    assert isinstance(ask(DocumentsTool(texts={"a": "x"}), "   "), Failure)
    assert isinstance(ask(DocumentsTool(texts={"a": "x"}), "??? !!!"), Failure)


def test_a_further_attempt_gives_the_next_unseen_hits() -> None:
    tool = DocumentsTool(texts={f"{n}.txt": f"Report {n} on the harbour." for n in range(12)})
    seen = [item.source for attempt in range(3) for item in hits(tool, "harbour", attempt)]
    assert len(seen) == len(set(seen)) == 12
    assert isinstance(ask(tool, "harbour", 3), Failure)


def test_the_context_of_the_task_is_evidence_too() -> None:
    assert hits(DocumentsTool(context="The meeting is on 4 June."), "When is the meeting?")[0].source == "context#p1"


@pytest.mark.parametrize("query", ['"', "NEAR(a b)", "title: x OR", "a* AND (", "50% (approx", "col:val -x ^y", "'; DROP TABLE passages; --", "\\", "\x00"])
def test_no_input_is_read_as_the_language_of_the_index(query: str) -> None:
    found = ask(DocumentsTool(texts={"a": "Some 50% (approx) of it, near a val."}), query)
    assert isinstance(found, tuple) or found.kind in ("empty", "bad_input")


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_query_gets_evidence_or_a_typed_failure(query: str) -> None:
    found = ask(DocumentsTool(texts={"a": TOWER, "b": "北京是中国的首都。"}), query)
    assert isinstance(found, (tuple, Failure))
    if isinstance(found, tuple):
        assert found
        assert all(0 <= item.relevance <= 1 for item in found)


def test_chinese_and_japanese_are_found_by_pairs_of_characters() -> None:
    tool = DocumentsTool(texts={"zh": "北京是中国的首都，人口约两千万。", "ja": "東京は日本の首都です。", "x": "上海是一个大城市。"})
    assert hits(tool, "中国的首都是哪里？")[0].source == "zh#p1"
    assert hits(tool, "日本の首都")[0].source == "ja#p1"
    assert hits(tool, "首都")[0].source in ("zh#p1", "ja#p1")


def test_long_texts_are_cut_at_paragraphs_and_nothing_is_lost() -> None:
    paragraphs = [" ".join(f"word{p}x{n}" for n in range(70)) + "." for p in range(9)]
    tool = DocumentsTool(texts={"long": "\n\n".join(paragraphs)})
    for number in range(9):
        best = hits(tool, f"word{number}x35")[0]
        assert f"word{number}x0 " in best.text
        assert f"word{number}x69." in best.text
        assert len(best.text.split()) <= 180


# Quotations and sources by name


def test_a_quotation_is_found_verbatim_up_to_typography() -> None:
    tool = DocumentsTool(texts={"speech.txt": "He paused. “We shall not – we cannot –\nturn back,” he said. Then he left."})
    found = hits(tool, 'quote: "We shall not - we cannot - turn back"')[0]
    assert found.value == "verbatim"
    assert "turn back" in found.text
    assert "paused" not in found.text


def test_a_near_miss_is_shown_as_one() -> None:
    tool = DocumentsTool(texts={"speech.txt": "Four score and seven years ago our fathers brought forth a new nation."})
    found = hits(tool, "quote: Four score and eight years ago our fathers brought forth a new nation")[0]
    assert found.value == "near miss"
    assert found.relevance < 1
    assert isinstance(ask(tool, "quote: nothing like this stands anywhere in the text"), Failure)


def test_a_quotation_across_two_passages_is_found() -> None:
    first = " ".join(["alpha"] * 99) + " the bridge was"
    tool = DocumentsTool(texts={"x": first + "\n\nclosed to all traffic on Monday. " + " ".join(["beta"] * 100)})
    assert hits(tool, "quote: the bridge was closed to all traffic")[0].value == "verbatim"


def test_a_source_is_found_by_path_file_name_and_title() -> None:
    tool = DocumentsTool(texts={"papers/annual-report.md": "# Annual Report 2020\n\nProfit rose.", "b.txt": "Other."})
    for name in ("papers/annual-report.md", "annual-report.md", "Annual report"):
        assert hits(tool, f"source: {name}")[0].source.startswith("papers/annual-report.md")
    assert isinstance(ask(tool, "source: missing.pdf"), Failure)


# Formats


def test_text_and_markdown_in_several_encodings(tmp_path: Path) -> None:
    for name, data in {
        "utf8.txt": "Zürich lies on the Limmat.".encode(),
        "bom.txt": "Zürich lies on the Limmat.".encode("utf-8-sig"),
        "utf16.txt": "Zürich lies on the Limmat.".encode("utf-16"),
        "latin.txt": "Zürich lies on the Limmat.".encode("latin-1"),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert read_document(tmp_path / name).sections[0].text == "Zürich lies on the Limmat."
    assert "Latin-1" in read_document(tmp_path / "latin.txt").notes[0]
    assert not read_document(tmp_path / "utf8.txt").notes


def test_mixed_encodings_keep_every_readable_byte() -> None:
    text, note = decode("für und ".encode() + "für".encode("latin-1"), "x.txt")
    assert text == "für und für"
    assert "1 bytes" in note


def test_a_chinese_file_in_its_old_encoding_is_read() -> None:
    text, note = decode("北京是中华人民共和国的首都，历史悠久。".encode("gb18030"), "x.txt")
    assert text.startswith("北京是")
    assert "GB18030" in note


def test_hidden_nodes_of_a_page_are_dropped_before_reading(tmp_path: Path) -> None:
    page = """<html><head><title>Tower</title><style>/* .open{} */ .no{display:none} .tab{display:none} .tab.open{display:block} @media print
    {.shown{display:none}}
    </style></head><body><nav>Menu secret0</nav><h1>Tarn Tower</h1><p>It is <b>330</b> metres tall.</p>
    <p style="display: none">secret1</p><p hidden>secret2</p><p aria-hidden="true">secret3</p><span style="visibility:hidden">secret4</span>
    <span style="font-size:0">secret5</span><div style="position:absolute;left:-9999px">secret6</div><p class="no">secret7</p><p class="tab">secret8</p>
    <p class="tab open">visible tab</p><p class="shown">visible on screen</p><div style="opacity:0">secret9</div><div style="text-indent:-999em">secretA</div>
    <template>secretB</template><script>secretC</script><!-- secretD --><div style="height:0;overflow:hidden">secretE</div>
    <table><tr><th>Year</th><th>Visitors</th></tr><tr><td>2019</td><td>412,000</td></tr></table></body></html>"""
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    document = read_document(path)
    text = document.sections[0].text
    assert document.title == "Tower"
    assert "secret" not in text
    assert "# Tarn Tower" in text
    assert "It is 330 metres tall." in text
    assert "visible tab" in text
    assert "visible on screen" in text
    assert "2019 | 412,000" in text


def test_pages_nested_a_thousand_deep_are_read(tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<html><body>" + "<div>" * 3000 + "deep inside" + "</div>" * 3000, encoding="utf-8")
    assert "deep inside" in read_document(path).sections[0].text


def test_a_pdf_of_200_pages_is_searched_with_its_page_numbers(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf([f"Page {n}: the code of room {n} is K{n * 7}." for n in range(1, 201)]))
    tool = DocumentsTool([path])
    assert hits(tool, "code K1036")[0].source == f"{path}#page=148"


def test_a_scanned_pdf_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf(["", ""]))
    with pytest.raises(InputError, match=r"no text.*text recognition"):
        read_document(path)


def test_pages_without_text_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "half.pdf"
    path.write_bytes(pdf(["Some words here.", ""]))
    assert "1 of 2 pages" in read_document(path).notes[0]


def test_an_encrypted_pdf_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(base64.b64decode(ENCRYPTED_PDF))
    with pytest.raises(InputError, match="encrypted"):
        read_document(path)
    found = ask(DocumentsTool([path]), "anything")
    assert isinstance(found, Failure)
    assert found.kind == "bad_input"
    assert "encrypted" in found.message


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.md", b" \n\t ", "is empty"),
        ("binary.txt", b"\x7fELF\x00\x01\x02", "binary"),
        ("nul.txt", b"text with\x00a NUL", "binary"),
        ("broken.pdf", b"%PDF-1.4 nothing follows", "damaged PDF"),
        ("not.pdf", b"just text", "not a PDF"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600, "old Office"),
        ("zip.docx", b"PK\x03\x04broken", "damaged archive"),
        ("rows.jsonl", b'{"name": "no text"}\n', "no row with a text"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=words):
        read_document(path)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt.*cannot be read"):
        DocumentsTool(["nowhere.txt"]).load()


def test_office_files_are_read(tmp_path: Path) -> None:
    import docx
    import pptx
    import xlsxwriter  # pyright: ignore[reportMissingTypeStubs]

    letter = docx.Document()
    letter.add_heading("Lease", 1)
    paragraph = letter.add_paragraph("The rent is 940 euros.")
    paragraph.add_run(" secret").font.hidden = True
    table = letter.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Deposit", "1,880 euros"
    letter.save(str(tmp_path / "lease.docx"))
    deck = pptx.Presentation()
    for words in ("Results", "Outlook"):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = words
        slide.placeholders[1].text = f"{words}: profit rose by 12 percent"
    deck.save(str(tmp_path / "deck.pptx"))
    book = xlsxwriter.Workbook(str(tmp_path / "sales.xlsx"))
    sheet = book.add_worksheet("Sales")
    for row, values in enumerate([("Region", "Units"), ("North", 120), ("South", 95)]):
        sheet.write_row(row, 0, values)
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "secret")
    hidden.hide()
    book.close()
    lease = read_document(tmp_path / "lease.docx").sections[0].text
    assert "# Lease" in lease
    assert "The rent is 940 euros." in lease
    assert "Deposit | 1,880 euros" in lease
    assert "secret" not in lease
    slides = read_document(tmp_path / "deck.pptx").sections
    assert [section.label for section in slides] == ["slide=1", "slide=2"]
    assert "12 percent" in slides[0].text
    sheets = read_document(tmp_path / "sales.xlsx").sections
    assert [section.label for section in sheets] == ["sheet=Sales"]
    assert "Region: North; Units: 120" in sheets[0].text


def test_rows_of_json_lines_are_passages_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"id": "a", "title": "Tower", "text": "It is 330 metres tall."}, {"id": "b", "title": "Bread", "text": "Flour and water."}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n", encoding="utf-8")
    tool = DocumentsTool([path])
    best = hits(tool, "How tall is the tower?")[0]
    assert (best.title, best.source) == ("Tower", f"{path}#id=a")
    assert "1 rows without a text" in tool.notes[0]


def test_a_folder_is_read_within_bounds_and_without_loops(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("Alpha facts.", encoding="utf-8")
    (tmp_path / "sub" / "b.md").write_text("Beta facts.", encoding="utf-8")
    (tmp_path / "sub" / "bad.txt").write_bytes(b"\x00\x01")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("Secret.", encoding="utf-8")
    os.symlink(tmp_path, tmp_path / "sub" / "loop")
    os.symlink(tmp_path / "a.txt", tmp_path / "same.txt")
    documents, notes = read_sources([tmp_path])
    assert [Path(document.source).name for document in documents] == ["a.txt", "b.md"]
    assert any("bad.txt" in note for note in notes)


def test_an_empty_folder_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no document that can be read"):
        read_sources([tmp_path])


def test_zero_width_characters_and_right_to_left_text() -> None:
    tool = DocumentsTool(texts={"zw": "The pass\u200bword is sw\u00adord\ufefffish.", "he": "ירושלים היא בירת ישראל.", "ar": "القاهرة عاصمة مصر."})
    assert hits(tool, "password swordfish")[0].text == "The password is swordfish."
    assert hits(tool, "בירת ישראל")[0].source == "he#p1"
    assert hits(tool, "quote: القاهرة عاصمة مصر")[0].value == "verbatim"


def test_the_tool_can_be_closed_twice_and_used_again() -> None:
    tool = DocumentsTool(texts={"a": "Bread is baked."})
    hits(tool, "bread")
    asyncio.run(tool.close())
    asyncio.run(tool.close())
    assert hits(tool, "bread")


@pytest.mark.parametrize(("questions", "first", "five"), [("xquad_en_questions", 0.90, 0.97), ("xquad_zh_questions", 0.85, 0.95)])
def test_recall_on_wikipedia_paragraphs(shared_data: Path, questions: str, first: float, five: float) -> None:
    tool = DocumentsTool([shared_data / "corpus_wiki" / "passages.jsonl"])
    rows = [json.loads(line) for line in (shared_data / "corpus_wiki" / f"{questions}.jsonl").read_text(encoding="utf-8").splitlines()]
    ranks: list[int] = []
    for row in rows:
        found = ask(tool, row["question"])
        ids = [item.source.rpartition("id=")[2] for item in found] if isinstance(found, tuple) else []
        ranks.append(ids.index(row["passage_id"]) if row["passage_id"] in ids else 99)
    assert sum(rank == 0 for rank in ranks) >= first * len(rows)
    assert sum(rank < 5 for rank in ranks) >= five * len(rows)
