"""Blocks, sentences, clauses and claims: spans are the source text, in three languages and in Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.segment import blocks, claim_id, claims, clauses, sentences


def words(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. J. R. Smith left. He is 3.5 years older.", ["Dr. J. R. Smith left.", "He is 3.5 years older."]),
        ("Fruit, e.g. apples and pears, is sold. It is fresh.", ["Fruit, e.g. apples and pears, is sold.", "It is fresh."]),
        ("He lives in the U.S. He moved there in 1999.", ["He lives in the U.S.", "He moved there in 1999."]),
        ("The U.S. Senate voted. It passed.", ["The U.S. Senate voted.", "It passed."]),
        ("It grew by approx. 5 % in Jan. 2020. Then it fell.", ["It grew by approx. 5 % in Jan. 2020.", "Then it fell."]),
        ('"It works." She smiled.', ['"It works."', "She smiled."]),
        ("He said (it was late.) Then he left.", ["He said (it was late.)", "Then he left."]),
        ("Well... it depends. Yes.", ["Well... it depends.", "Yes."]),
        ("See Fig. 3 and No. 7. Both agree.", ["See Fig. 3 and No. 7.", "Both agree."]),
        ("我喜欢。你呢？很好！", ["我喜欢。", "你呢？", "很好！"]),
        ("他说：“是的。”然后走了。", ["他说：“是的。”", "然后走了。"]),
        ("これは本です。それはペンです。", ["これは本です。", "それはペンです。"]),
        ("「はい。」と言った。次へ。", ["「はい。」と言った。", "次へ。"]),
        ("Version 1.2.3 is out. Visit example.com today.", ["Version 1.2.3 is out.", "Visit example.com today."]),
        ("", []),
        ("   \n\n  ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert words(text) == expected


MARKDOWN = """# Title

First paragraph. Still the first
paragraph.

- item one
- item two
  goes on
1. numbered

| a | b |
|---|---|
| 1 | 2 |

> quoted text

```python
x = 1. Not a sentence.
```
"""


def test_blocks_of_markdown() -> None:
    found = [(block.kind, MARKDOWN[block.span[0] : block.span[1]]) for block in blocks(MARKDOWN)]
    assert found == [
        ("heading", "Title"),
        ("paragraph", "First paragraph. Still the first\nparagraph."),
        ("list_item", "item one"),
        ("list_item", "item two\n  goes on"),
        ("list_item", "numbered"),
        ("table_row", "a | b"),
        ("table_row", "1 | 2"),
        ("quote", "quoted text"),
        ("code", "x = 1. Not a sentence.\n"),
    ]


def test_code_knows_its_language_and_a_row_its_cells() -> None:
    found = blocks(MARKDOWN)
    assert found[-1].language == "python"
    row = next(block for block in found if block.kind == "table_row")
    assert [MARKDOWN[a:b] for a, b in row.cells] == ["a", "b"]


def test_code_is_no_claim_and_a_heading_is_not_checkworthy() -> None:
    found = claims(MARKDOWN)
    assert not any("x = 1" in claim.text for claim in found)
    assert not found[0].checkworthy


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    assert [block.kind for block in blocks("text\n```\ncode\nmore")] == ["paragraph", "code"]


@pytest.mark.parametrize(
    ("text", "worthy"),
    [
        ("Hello!", False),
        ("I hope this helps.", False),
        ("In my opinion, blue is nicer.", False),
        ("Who wrote it?", False),
        ("你好。", False),
        ("这是谁写的吗？", False),
        ("Paris is the capital of France.", True),
        ("None of the 12 members voted.", True),
        ("Yes, the river is 300 km long.", True),
        ("巴黎是法国的首都。", True),
    ],
)
def test_checkworthiness(text: str, worthy: bool) -> None:
    assert [claim.checkworthy for claim in claims(text)] == [worthy]


def test_clauses_with_statements_of_their_own_are_claims() -> None:
    text = "The team won the cup in 1998, but the coach left the club; he moved to Spain in May."
    assert [claim.text for claim in claims(text)] == ["The team won the cup in 1998", "the coach left the club", "he moved to Spain in May."]


def test_a_short_part_is_no_clause() -> None:
    text = "It is small but fine."
    assert clauses(text, (0, len(text))) == ((0, len(text)),)


def test_ids_are_stable_and_tell_occurrences_apart() -> None:
    text = "It rained. It rained."
    first, second = claims(text)
    assert first.id != second.id
    assert claims("It rained.")[0].id == first.id == claim_id("It rained.", "fact")


@given(st.text(alphabet="ab A.!?。！？…\"'”)(\n-|#`>*1,;：“\u200b\x00", max_size=120))
def test_spans_are_the_source_without_outer_white_space(text: str) -> None:
    end = 0
    for a, b in sentences(text):
        assert 0 <= a < b <= len(text)
        assert text[a:b] == text[a:b].strip()
        assert a >= end
        end = b
    for claim in claims(text):
        assert text[claim.span[0] : claim.span[1]] == claim.text
    for block in blocks(text):
        assert 0 <= block.span[0] <= block.span[1] <= len(text)


@pytest.mark.parametrize("text", ["(" * 20_000, ". " * 20_000, "a" + " " * 100_000 + "b", "```\n" * 5_000, "| " * 20_000, ", and " * 10_000, "!" * 50_000])
def test_hostile_text_is_cut_all_the_same(text: str) -> None:
    claims(text)


def test_an_indented_block_after_an_empty_line_is_code_and_an_indented_list_line_is_not() -> None:
    text = "Some text.\n\n    3 + 3 = 7\n\n    x = 1\n\nMore.\n\n- item\n\n    still the item\n"
    kinds = [(block.kind, text[slice(*block.span)]) for block in blocks(text)]
    assert ("code", "    3 + 3 = 7\n\n    x = 1") in kinds
    assert all(kind != "code" for kind, words in kinds if "still" in words)
