"""Quotations: which are checked, where they stand in a source; citations and the list of sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.quotes import citations, locate, quotations


def found(text: str) -> list[str]:
    return [text[quotation.inner[0] : quotation.inner[1]] for quotation in quotations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('She said, "The bridge will open in May next year."', ["The bridge will open in May next year."]),
        ("She said, “The bridge will open in May.” Then she left.", ["The bridge will open in May."]),
        ("Er sagte: „Die Brücke wird im Mai eröffnet.“", ["Die Brücke wird im Mai eröffnet."]),
        ("Il dit : «le pont ouvrira en mai prochain»", ["le pont ouvrira en mai prochain"]),
        ("他说：「我们明天一起去北京参观长城。」", ["我们明天一起去北京参观长城。"]),
        ("他说：“我们明天一起去北京参观长城。”", ["我们明天一起去北京参观长城。"]),
        ("『これはとても大切な問題です』と述べた。", ["これはとても大切な問題です"]),
        ("She said, ‘it isn’t over until it’s over’, and left.", ["it isn’t over until it’s over"]),
        ("“I think,” he said, “we should all go home now.”", ["we should all go home now."]),
        ("He said “they told me ‘do it now’ and I did”.", ["they told me ‘do it now’ and I did"]),
        ("He wrote “50% (approx of all users left”.", ["50% (approx of all users left"]),
    ],
)
def test_quotations_are_found_whatever_their_marks(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The so-called “expert” was wrong.",
        "He read “The Lord of the Rings” twice.",
        "It isn't Tom's fault; it's the boys' dog's ball.",
        "An opening “mark that never closes again in this text.",
        'Run `print("this is not a quotation at all")` now.',
        '```\nx = "this is not a quotation at all"\n```',
        'The screen is 27" wide and the table is 40" wide and long.',
        "",
    ],
)
def test_terms_titles_code_and_stray_marks_are_no_quotations(text: str) -> None:
    assert found(text) == []


def test_a_block_quotation_keeps_its_attribution() -> None:
    text = "Lincoln began:\n\n> Four score and seven years ago\n> our fathers brought forth\n> — Abraham Lincoln\n"
    quotation = quotations(text)[0]
    assert quotation.text == "Four score and seven years ago\nour fathers brought forth"
    assert quotation.attribution == "Abraham Lincoln"


def test_an_inline_quotation_knows_what_the_sentence_says_outside_it() -> None:
    quotation = quotations("It rained. “We will rebuild the old bridge,” said Mayor Holt. He left.")[0]
    assert quotation.attribution == "said Mayor Holt."


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("we shall not turn back", "He said we shall\n  not turn back."),
        ('He said "no" - twice', "“He said ‘no’ – twice”"),
        ("wait... and see", "wait… and see"),
        ("The bridge is closed", "today the bridge is closed again"),
        ("we […] are happy to go", "And we, the people of this town, are happy to go."),
        ("we ... are happy to go", "And we, the people of this town, are happy to go."),
        ("[T]he bridge is closed", "Sadly the bridge is closed."),
        ("the brige [sic] is closed", "the brige is closed"),
        ("the bridge is closed,", "the bridge is closed. It"),
        ("50% (approx", "about 50% (approx. half) of it"),
        ("a.*b[c]+(d|e)?", "x a.*b[c]+(d|e)? y"),
        ("we go\u200bto the fair", "we goto the fair"),
        ("我们明天去北京", "他说： 我们明天 去北京。"),
        ("ＡＢＣ公司成立", "ABC公司成立于"),
        ("שלום לכולם", "אמר: שלום לכולם היום"),
    ],
)
def test_a_quotation_is_verbatim_up_to_white_space_and_typography(quote: str, passage: str) -> None:
    located = locate(quote, passage)
    assert located is not None
    assert located.exact
    assert located.difference == ""


@pytest.mark.parametrize(
    ("quote", "passage", "difference"),
    [
        ("Four score and eight years ago our fathers came", "Four score and seven years ago our fathers came.", "seven"),
        ("ask not what your nation can do for you", "And so ask not what your country can do for you — ask", "country"),
        ("we will never again close the old bridge", "we will close the old bridge", "never again"),
        ("the quick brown fox jumped over the dog", "the quick brown fox jumped over the lazy old dog", "lazy"),
        ("我们明天一起去上海参观长城", "据报道，我们明天一起去北京参观长城。", "北京"),
    ],
)
def test_a_near_miss_says_how_the_source_differs(quote: str, passage: str, difference: str) -> None:
    located = locate(quote, passage)
    assert located is not None
    assert not located.exact
    assert difference in located.difference
    assert located.ratio < 1


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("art of war", "a party of warriors"),
        ("the cat", "the category"),
        ("it is five", "it is fifty"),
        ("the bridge was closed by the mayor", "Bread is baked from flour, water and salt."),
        ("", "something"),
        ("...", "something ... here"),
        ("words", ""),
    ],
)
def test_what_is_not_there_is_not_found(quote: str, passage: str) -> None:
    assert locate(quote, passage) is None


@given(st.text(max_size=60), st.text(max_size=120))
def test_no_text_breaks_the_look_up(quote: str, passage: str) -> None:
    located = locate(quote, passage)
    if located is not None:
        assert 0 <= located.span[0] < located.span[1] <= len(passage)
        assert located.exact == (located.difference == "")


@given(
    st.lists(st.sampled_from("the old bridge of Tarn will open in May (again) 50% [x] a.b*c".split()), min_size=3, max_size=8), st.text("xyz .,", max_size=20)
)
def test_words_that_stand_in_a_passage_are_found_verbatim(chosen: list[str], around: str) -> None:
    quote = " ".join(chosen)
    located = locate(quote.replace("[x]", "x"), f"{around} {quote.replace('[x]', 'x')} {around}")
    assert located is not None
    assert located.exact


@given(st.text(max_size=200))
def test_spans_of_quotations_and_citations_lie_in_the_text(text: str) -> None:
    for quotation in quotations(text):
        assert 0 <= quotation.span[0] <= quotation.inner[0] <= quotation.inner[1] <= quotation.span[1] <= len(text)
    for citation in citations(text):
        assert 0 <= citation.span[0] < citation.span[1] <= len(text)


TEXT = """Profit rose by 12 percent [1]. Costs fell [2, 4]. Others disagree (Holt & Lind, 2019). See report-q3.pdf and https://example.org/a_(b).
The tower opened in 1998.[^t] Lind et al. (2020) measured it. A [link](https://example.org) is one too.

[^t]: Tower records, tower.md

## References

[1] Annual Report 2020. annual.pdf
[2] "The Cost of Bridges". https://example.org/costs
"""


def test_citations_of_every_form_are_found() -> None:
    kinds = [(citation.kind, citation.key) for citation in citations(TEXT)]
    assert ("number", "1") in kinds
    assert ("number", "2") in kinds
    assert ("number", "4") in kinds
    assert ("author", "Holt & Lind, 2019") in kinds
    assert ("author", "Lind et al., 2020") in kinds
    assert ("file", "report-q3.pdf") in kinds
    assert ("note", "t") in kinds
    assert ("url", "https://example.org") in kinds


def test_a_citation_knows_its_entry_and_its_sentence() -> None:
    by_key = {citation.key: citation for citation in citations(TEXT)}
    assert by_key["1"].entry == "Annual Report 2020. annual.pdf"
    assert by_key["1"].listed is True
    assert by_key["4"].listed is False
    assert by_key["t"].entry == "Tower records, tower.md"
    start, end = by_key["t"].sentence
    assert TEXT[start:end].startswith("The tower opened in 1998.")


def test_without_a_list_of_sources_no_number_is_missing_from_it() -> None:
    assert [citation.listed for citation in citations("It rose [7]. It fell [8].")] == [None, None]


@pytest.mark.parametrize("text", ["a[0] = b[1]x", "In May (the fifth month) of 2019 it fell.", "Version 1.2.txtish", "f(2019)", "See e.g. Mr. Holt."])
def test_what_is_no_citation(text: str) -> None:
    assert [citation for citation in citations(text) if citation.kind in ("author", "file", "url")] == []


@pytest.mark.parametrize("opening", ["", "\n", "Title\n\n"])
def test_a_quotation_may_begin_the_text(opening: str) -> None:
    (found,) = quotations(opening + '"We build lamps that outlast their owners," said the founder.')
    assert found.text == "We build lamps that outlast their owners,"


def test_indented_code_quotes_nobody() -> None:
    line = '"We build lamps that outlast their owners"'
    assert quotations(f"The code is below.\n\n    name = {line}\n\nThe end.") == ()
    assert len(quotations(f"- The first.\n\n    Anna said {line} there.\n\n    Paul said {line} too.\n")) == 2
