"""Edits: applied exactly, followed through, found again, and no more than needed; all else byte for byte."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.claims.edits import align, apply, diff_edits, map_span, same_but_space
from redraft.types import Edit, Span


def edit(low: int, high: int, replacement: str, group: int = 0) -> Edit:
    return Edit(span=(low, high), replacement=replacement, group=group)


class TestApply:
    def test_edits_are_applied_in_any_order(self):
        edits = [edit(13, 17, "2.0"), edit(0, 3, "One"), edit(5, 5, "and ")]
        assert apply("one, two and 3.14 more", edits) == "One, and two and 2.0 more"
        assert apply("one, two and 3.14 more", reversed(edits)) == apply("one, two and 3.14 more", edits)

    def test_an_insertion_may_touch_a_replacement(self):
        assert apply("abc", [edit(1, 1, "X"), edit(1, 2, "Y")]) == "aXYc"
        assert apply("abc", [edit(1, 2, "Y"), edit(2, 2, "X")]) == "aYXc"

    def test_the_same_edit_given_twice_is_one(self):
        assert apply("abc", [edit(0, 1, "X"), edit(0, 1, "X", group=3)]) == "Xbc"

    @pytest.mark.parametrize(
        "edits",
        [
            [edit(0, 2, "X"), edit(1, 3, "Y")],
            [edit(0, 2, "X"), edit(0, 2, "Y")],
            [edit(1, 1, "X"), edit(1, 1, "Y")],
            [edit(0, 3, "X"), edit(1, 1, "Y")],
            [edit(-1, 2, "X")],
            [edit(2, 1, "X")],
            [edit(0, 4, "X")],
            [edit(0, 1, "fine"), edit(4, 4, "X")],
        ],
    )
    def test_overlapping_or_outside_edits_change_nothing(self, edits: list[Edit]):
        with pytest.raises(ValueError, match=r"overlap|outside"):
            apply("abc", edits)

    def test_line_endings_and_odd_characters_stay(self):
        text = "a\r\n\tb\u200b\ud800 3\x00\r"
        assert apply(text, [edit(text.index("3"), text.index("3") + 1, "4")]) == text.replace("3", "4")
        assert apply("", []) == ""


class TestMapSpan:
    @pytest.mark.parametrize(
        ("span", "edits", "expected"),
        [
            ((4, 8), [], (4, 8)),
            ((4, 8), [edit(0, 2, "xxxxx")], (7, 11)),
            ((4, 8), [edit(9, 10, "")], (4, 8)),
            ((4, 8), [edit(5, 6, "xyz")], (4, 10)),
            ((4, 8), [edit(4, 8, "x")], (4, 5)),
            ((4, 8), [edit(4, 8, "")], (4, 4)),
            ((4, 8), [edit(4, 4, "xx")], (6, 10)),
            ((4, 8), [edit(8, 8, "xx")], (4, 8)),
            ((4, 8), [edit(2, 4, "")], (2, 6)),
            ((4, 8), [edit(3, 5, "x")], None),
            ((4, 8), [edit(7, 9, "x")], None),
            ((4, 8), [edit(4, 9, "x")], None),
            ((4, 8), [edit(3, 8, "x")], None),
            ((4, 8), [edit(0, 20, "x")], None),
            ((4, 8), [edit(5, 6, "xyz"), edit(0, 1, "")], (3, 9)),
        ],
    )
    def test_table(self, span: Span, edits: list[Edit], expected: Span | None):
        assert map_span(span, edits) == expected


class TestAlign:
    def test_a_quotation_too_long_for_a_near_match_must_stand_there(self):
        """A near match of one of this size would hold everything up for minutes."""
        words = [f"w{number % 97}ord" for number in range(3000)]
        text = " ".join(words)
        assert align(" ".join(words[100:2900]), text) is not None
        assert align(" ".join([*words[100:2900:2], "gone"]), text) is None
        assert align("x" * 20_000, f'"{"x" * 20_500}" {text}') is None

    @pytest.mark.parametrize(
        ("quote", "text", "found"),
        [
            ("It is 3.", "So. It is 3. Yes.", "It is 3."),
            (" It is 3.\n", "So. It is 3. Yes.", "It is 3."),
            ("the “best” one", 'it was the "best" one', 'the "best" one'),
            ("the best one", "it was the\n   best one", "the\n   best one"),
            ("don't stop", "we don’t  stop", "don’t  stop"),
            ("1990-1995", "from 1990–1995 on", "1990–1995"),
            ("The capital is Paris", "The **capital** is *Paris*.", "The **capital** is *Paris"),
            ("the answer", "that is **the answer** here", "the answer"),
            ("wait...", "wait… what", "wait…"),
            ("file", "a ﬁle here", "ﬁle"),
            ("soft hyphen", "a soft hy\u00adphen here", "soft hy\u00adphen"),
            ("北京是首都", "北京是\n首都。", "北京是\n首都"),
            ("北京是首都", "中国北京是首都吗", "北京是首都"),
            ("１２個", "全部で12個ある", "12個"),
            ("50% (approx", "costs 50% (approx. half", "50% (approx"),
            ("3 * 4", "so 3 * 4 is", "3 * 4"),
        ],
    )
    def test_exact_and_up_to_marks(self, quote: str, text: str, found: str):
        span = align(quote, text)
        assert span is not None
        assert text[span[0] : span[1]] == found

    @pytest.mark.parametrize(
        ("quote", "text"),
        [
            ("", "text"),
            (" \n", "text"),
            ("\u200b", "text"),
            ("not there", "nothing of the kind"),
            ("is 3", "it is 35 now"),
            ("is 3", "it is 3.5 now"),
            ("is 3", "it is 3,500 now"),
            ("500 now", "it is 3,500 now"),
            ("run", "he was running"),
            ("run", "an overrun"),
            ("34", "3*4 = 12"),
            ("word", ""),
        ],
    )
    def test_never_cuts_a_word_or_a_figure(self, quote: str, text: str):
        assert align(quote, text) is None

    def test_a_whole_word_further_on_is_found(self):
        assert align("is 3", "it is 35, or it is 3") == (16, 20)
        assert align("is  3", "it is 35, or it is\n3") == (16, 20)

    def test_start_leaves_out_what_comes_before(self):
        text = "Yes. No. Yes."
        assert align("Yes.", text) == (0, 4)
        assert align("Yes.", text, start=1) == (9, 13)
        assert align("yes  indeed", "yes indeed, yes\nindeed", start=3) == (12, 22)
        assert align("Yes.", text, start=10) is None

    def test_nearly_equal_words_are_found_whole(self):
        text = "Before. The committee has approved the annual budget of the town on Monday. After."
        span = align("The comittee has approved the anual budget of the town on Monday.", text)
        assert span is not None
        assert text[span[0] : span[1]] == "The committee has approved the annual budget of the town on Monday."

    @pytest.mark.parametrize(
        "quote",
        [
            "The tower in the old harbour is 300 metres high and white.",
            "The tower in the old harbour is not 330 metres high and white.",
            "The tower in the Red harbour is 330 metres high and white.",
        ],
    )
    def test_a_near_match_with_another_figure_name_or_negation_is_none(self, quote: str):
        assert align(quote, "The tower in the old harbour is 330 metres high and white.") is None

    def test_among_like_sentences_the_one_with_the_figures_is_found(self):
        text = "".join(f"Sentence number {n} of the report says something about item {n * 7}. " for n in range(2000))
        span = align("Sentence numbr 1300 of the report says somthing about item", text)
        assert span is not None
        assert text[span[0] : span[1]] == "Sentence number 1300 of the report says something about item"
        assert align("Sentence numbr 4321 of the report says somthing about item", text) is None

    def test_patterns_in_the_quotation_are_plain_text(self):
        assert align("a.*b (c|d)+ [e", "x a.*b (c|d)+ [e y") == (2, 16)


class TestDiff:
    @pytest.mark.parametrize(
        ("old", "new", "edits"),
        [
            ("same", "same", []),
            ("", "new text", [((0, 0), "new text")]),
            ("old", "", [((0, 3), "")]),
            ("It is 2,340 now.", "It is 2,341 now.", [((6, 11), "2,341")]),
            ("don't go", "won't go", [((0, 5), "won't")]),
            ("它是波恩的。", "它是柏林的。", [((2, 4), "柏林")]),
            ("a b c", "a x c", [((2, 3), "x")]),
            ("1\r\n2\r\n3", "1\r\n4\r\n3", [((3, 4), "4")]),
        ],
    )
    def test_table(self, old: str, new: str, edits: list[tuple[Span, str]]):
        assert [(edit.span, edit.replacement) for edit in diff_edits(old, new)] == edits

    def test_long_texts_are_compared_by_words_too(self):
        lines = [f"Line {n} of the long report says that {n} plus {n} is {2 * n}.\n" for n in range(2_000)]
        new = [*lines]
        new[3] = new[3].replace("is 6", "is 7")
        new[1_990] = "Something else entirely.\n"
        old_text, new_text = "".join(lines), "".join(new)
        edits = diff_edits(old_text, new_text)
        assert apply(old_text, edits) == new_text
        assert (old_text[slice(*edits[0].span)], edits[0].replacement) == ("6", "7")
        assert sum(edit.span[1] - edit.span[0] for edit in edits) < 100

    def test_huge_texts_are_compared_by_lines_first(self):
        lines = [f"row {n}, {n}\n" for n in range(25_000)]
        new = ["Title\n", *lines]
        new[20_000] = "row 0\n"
        new[20_001] = "a " * 110_000 + "\n"
        assert apply("".join(lines), diff_edits("".join(lines), "".join(new))) == "".join(new)
        old = "Start\n" + "".join(lines[:4]) + "b " * 110_000
        edits = diff_edits(old, "Begin\n" + "".join(lines[:4]) + "c " * 110_000)
        assert apply(old, edits) == "Begin\n" + "".join(lines[:4]) + "c " * 110_000
        assert (edits[0].span, edits[0].replacement) == ((0, 5), "Begin")

    def test_huge_texts_of_lines_that_have_nothing_in_common_end_too(self):
        old, new = ("".join(f"{letter}{n}\n" for n in range(101_000)) for letter in "xy")
        assert [(edit.span, edit.replacement) for edit in diff_edits(old, new)] == [((0, len(old)), new)]


def test_same_but_space():
    assert same_but_space("a  b\n", " a b")
    assert same_but_space("", " \n\t")
    assert not same_but_space("ab", "a b")
    assert not same_but_space("a", "A")


# Laws

TEXT = st.text(alphabet=st.sampled_from("ab1 ,.\n汉字é’\u200b"), max_size=30)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(TEXT)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = [edit(low, high, draw(TEXT)) for low, high in zip(cuts[::2], cuts[1::2], strict=False)]
    distinct = [item for n, item in enumerate(edits) if n == 0 or item.span != edits[n - 1].span]
    return text, distinct


@given(edited())
@settings(max_examples=300, deadline=None)
def test_untouched_text_stays_and_every_span_is_followed(case: tuple[str, list[Edit]]):
    text, edits = case
    new = apply(text, edits)
    assert len(new) == len(text) + sum(len(item.replacement) - (item.span[1] - item.span[0]) for item in edits)
    for low in range(len(text) + 1):
        for high in range(low + 1, len(text) + 1):
            span = map_span((low, high), edits)
            if span is None:
                assert any(a < low < b or a < high < b or (a <= low and high <= b) for a, b in (item.span for item in edits))
                continue
            inside = [edit(item.span[0] - low, item.span[1] - low, item.replacement) for item in edits if low <= item.span[0] and item.span[1] <= high]
            inside = [item for item in inside if item.span != (0, 0) and item.span != (high - low, high - low)]
            assert new[span[0] : span[1]] == apply(text[low:high], inside)


@given(TEXT, TEXT)
@settings(max_examples=300, deadline=None)
def test_a_difference_leads_from_the_one_to_the_other(old: str, new: str):
    edits = diff_edits(old, new)
    assert apply(old, edits) == new
    assert (not edits) == (old == new)
    assert all(a.span[1] < b.span[0] for a, b in pairwise(edits))


@given(st.text(alphabet=st.characters(codec=None), max_size=40), st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken(old: str, new: str):
    assert apply(old, diff_edits(old, new)) == new
    span = align(old, new)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(new)


@given(TEXT, TEXT, TEXT)
@settings(max_examples=200, deadline=None)
def test_a_quotation_that_is_there_between_spaces_is_found(before: str, quote: str, after: str):
    text = f"{before} {quote} {after}"
    span = align(quote, text)
    wanted = "".join(quote.split()).replace("\u200b", "")
    if not wanted:
        return
    assert span is not None
    found = text[span[0] : span[1]]
    assert same_but_space(found.replace("\u200b", ""), quote.replace("\u200b", "")) or found.strip() == found
