"""Facts about texts are counted over what a reader sees."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.tools.text import TextTool, letters_of
from redraft.types import Failure, ToolCall


async def value(call: str) -> str:
    result = await TextTool().run(ToolCall(tool="text", input=call))
    assert not isinstance(result, Failure), result
    return result[0].value


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('count_letter("strawberry", "r")', "3"),
        ('count_letter("Anna", "a")', "2"),
        ("count_letter('naïve', 'ï')", "1"),
        ('count_substring("banana", "ana")', "1"),
        ('count_word("the cat, the other cat", "the")', "2"),
        ('length("encyclopedia")', "12"),
        ('length("two words")', "9"),
        ('count_letters("two words!")', "8"),
        ('count_words("It\'s a well-known fact.")', "4"),
        ('count_vowels("onomatopoeia")', "8"),
        ('count_consonants("rhythm")', "6"),
        ('count_digits("a1b22")', "3"),
        ('count_distinct("banana")', "3"),
        ('nth_letter("planet", 3)', "a"),
        ('nth_letter("planet", -1)', "t"),
        ('nth_word("one two three", 2)', "two"),
        ('position("planet", "n")', "4"),
        ('reverse("planet")', "tenalp"),
        ('reverse("a🏳️‍🌈e\u0301")', "é🏳️‍🌈a"),
        ('reverse_words("one two three")', "three two one"),
        ('uppercase("straße")', "STRASSE"),
        ('lowercase("ABC")', "abc"),
        ('sort_letters("planet")', "aelnpt"),
        ('sort_words("pear Apple fig")', "Apple fig pear"),
        ('spell("cat")', "c-a-t"),
        ('remove_letter("banana", "a")', "bnn"),
        ('join("sun", "flower")', "sunflower"),
        ('longest_word("a bear ate")', "bear"),
        ('most_common_letter("banana")', "a"),
        ('is_palindrome("A man, a plan, a canal: Panama")', "yes"),
        ('is_palindrome("planet")', "no"),
        ('are_anagrams("listen", "Silent")', "yes"),
        ('are_anagrams("same", "same")', "no"),
        ('contains("rhythm", "e")', "no"),
        ('starts_with("planet", "pl")', "yes"),
        ('ends_with("planet", "net")', "yes"),
    ],
)
async def test_text_facts(call: str, expected: str) -> None:
    assert await value(call) == expected


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("", "empty"),
        ("planet", "bad_input"),
        ('length("a"', "bad_input"),
        ("length(3)", "bad_input"),
        ('length("a", "b")', "bad_input"),
        ('length(__import__("os"))', "bad_input"),
        ('eval("1")', "unsupported"),
        ('count_letter("planet", "pl")', "bad_input"),
        ('nth_letter("cat", 4)', "bad_input"),
        ('position("cat", "x")', "bad_input"),
        ('longest_word("aa bb")', "bad_input"),
        ('length("' + "a" * 200_000 + '")', "too_large"),
    ],
)
async def test_what_is_no_fact_fails_in_words(call: str, kind: str) -> None:
    result = await TextTool().run(ToolCall(tool="text", input=call))
    assert isinstance(result, Failure)
    assert result.kind == kind


@given(st.text(st.characters(codec="utf-8"), max_size=40))
async def test_reversing_keeps_every_character(text: str) -> None:
    turned = await value(f"reverse({json.dumps(text, ensure_ascii=False)})")
    assert sorted(turned) == sorted("".join(letters_of(text)))
    assert await value(f"length({json.dumps(text, ensure_ascii=False)})") == str(len(letters_of(text)))
