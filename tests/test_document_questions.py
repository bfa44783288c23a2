"""Options from documents under the grounding guard: offered where the documents have the answer, never where they lack it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.candidates import candidates
from redraft.claims.questions import coverage, equivalent, read_question
from redraft.effects import Effects
from redraft.models.none import NoModel
from redraft.planning.answers import verify_answer
from redraft.planning.document_questions import options
from redraft.planning.options import Option
from redraft.policy import Budgets
from redraft.tools.documents import DocumentsTool
from redraft.types import Evidence, Task

OWN = Path(__file__).resolve().parents[1] / "benchmarks" / "documents_questions.jsonl"
DOCUMENTS = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]


class Sink:
    def write(self, event: object) -> None:
        """Keeps nothing."""


def effects(texts: dict[str, str]) -> Effects:
    return Effects(writer=NoModel(), tools={"documents": DocumentsTool(texts=texts)}, sink=Sink(), budgets=Budgets())


def texts(*, without: str = "") -> dict[str, str]:
    return {f"{row['title']}.txt": f"# {row['title']}\n\n{row['text']}" for row in DOCUMENTS if row["title"] != without}


async def offered(query: str, documents: dict[str, str], **settings: bool) -> tuple[Option, ...]:
    return await options(Task(query=query), effects(documents), **settings)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote it?", "person"),
        ("By whom was it written?", "person"),
        ("Where is it?", "place"),
        ("In which city was he born?", "place"),
        ("When did it open?", "date"),
        ("In what year did it open?", "date"),
        ("How many people live there?", "number"),
        ("How tall is the tower?", "number"),
        ("What is the population of Velmora?", "number"),
        ("Which company makes it?", "name"),
        ("The war ended with a treaty signed in which year?", "date"),
        ("What does it feed on?", "phrase"),
        ("Which is older, Tarn Tower or Sund Tower?", "choice"),
        ("Is the tower open?", "yes_no"),
        ("谁写了这本书？", "person"),
        ("首都在哪里？", "place"),
        ("有多少人？", "number"),
        ("哪一年开放？", "date"),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(question: str, kind: str) -> None:
    assert read_question(question).type == kind


@pytest.mark.parametrize(
    ("question", "sentence", "first"),
    [
        ("Who designed the museum?", "The museum was designed by the architect Lena Falk in Osterby.", "Lena Falk"),
        ("Where was Eleanor Marsh born?", "Eleanor Marsh was a British botanist born in Truro.", "Truro"),
        ("When did Eleanor Marsh die?", "Eleanor Marsh (5 May 1856 – 12 January 1931) was a botanist.", "12 January 1931"),
        ("When was Eleanor Marsh born?", "Eleanor Marsh (5 May 1856 – 12 January 1931) was a botanist.", "5 May 1856"),
        ("How many people does it employ?", "It runs 640 kilometres of track and employs 2,150 people.", "2,150"),
        ("Which prize did it win?", "The book by Miriam Holloway won the Atwell Prize.", "Atwell Prize"),
        ("How long is the bridge?", "The bridge is 486 metres long and carries 21,000 vehicles.", "486 metres"),
    ],
)
def test_the_best_candidate_is_of_the_kind_and_near_the_question(question: str, sentence: str, first: str) -> None:
    assert candidates(read_question(question), sentence)[0].text == first


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Paris", "Paris, France"),
        ("the lira", "lira"),
        ("Captain Joss Maren", "Joss Maren"),
        ("William Jefferson Clinton", "William Clinton"),
        ("Napoléon", "Napoleon"),
        ("in 1998", "1998"),
        ("UNESCO", "unesco"),
        ("2,150", "2,150"),
    ],
)
def test_answers_that_name_the_same_are_equivalent(first: str, second: str) -> None:
    assert equivalent(first, second)
    assert equivalent(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("First Street", "Second Street"),
        ("3", "3.5"),
        ("-5", "5"),
        ("New York", "York"),
        ("1998", "1989"),
        ("Anna Weiss", "Anna Lind"),
        ("", ""),
        ("One Street", "First Street"),
    ],
)
def test_answers_that_differ_are_not(first: str, second: str) -> None:
    assert not equivalent(first, second)


async def test_most_questions_are_answered_by_the_first_option() -> None:
    documents = texts()
    asked = [(question, gold) for row in DOCUMENTS for question, gold in row["questions"]]
    firsts = [(await offered(question, documents), gold) for question, gold in asked]
    right = sum(bool(found) and any(equivalent(found[0].answer, wanted) for wanted in gold) for found, gold in firsts)
    assert right >= 0.9 * len(asked)


@pytest.mark.parametrize("title", [row["title"] for row in DOCUMENTS])
async def test_without_the_document_there_is_no_option(title: str) -> None:
    documents = texts(without=title)
    for row in DOCUMENTS:
        if row["title"] == title:
            for question, _ in row["questions"]:
                assert await offered(question, documents) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Who designed the harbour tunnel of Osterby?",
        "What is the population of Velmora?",
        "Who founded Port Aldis?",
        "When did the director of Norrland Rail retire?",
        "What is the capital of Sundland?",
        "Is Port Aldis the capital of Velmora?",
        "",
        "???",
    ],
)
async def test_what_the_documents_do_not_say_is_not_offered(question: str) -> None:
    assert await offered(question, texts()) == ()


async def test_without_the_guard_weaker_passages_are_offered_too() -> None:
    question = "Who designed the harbour tunnel of Osterby?"
    assert await offered(question, texts(), guard=False)


async def test_an_option_carries_its_evidence_and_sentence() -> None:
    best = (await offered("What is the currency of Velmora?", texts()))[0]
    assert best.answer == "lira"
    assert best.call.tool == "documents"
    assert "the currency is the lira" in best.result[0].text
    assert best.result[0].source.startswith("Velmora.txt#")
    assert best.answer in best.result[0].text
    assert 0 < best.fit <= 1


@given(st.text(max_size=80), st.text(max_size=120))
def test_any_question_and_sentence_can_be_read(question: str, sentence: str) -> None:
    read = read_question(question)
    assert 0 <= coverage(read, sentence) <= 1
    for candidate in candidates(read, sentence):
        assert sentence[candidate.span[0] : candidate.span[1]] == candidate.text
        assert 0 <= candidate.fit <= 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_equivalence_is_symmetric(first: str, second: str) -> None:
    assert equivalent(first, second) == equivalent(second, first)


AURORA = "# Aurora X2\n\nThe Aurora X2 charges in 3 hours. Its predecessor, the Aurora X1, was discontinued in 2022."
WEISS = "# Weiss Ltd\n\nAnna Weiss leads the company. Her deputy, Paul Grau, was fined in 2020."
PELICAN = "# Pelican 3\n\nThe Pelican 3 is a novel. Its successor, the Pelican 4, sold 9,500 copies in 2023."


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("When was the Aurora X2 discontinued?", AURORA, None),
        ("When was the Aurora X1 discontinued?", AURORA, "2022"),
        ("What is the predecessor of the Aurora X2?", AURORA, "Aurora X1"),
        ("When was the Aurora X2 discontinued?", "# Aurora X2\n\nThe Aurora X2 charges in 3 hours. It was discontinued in 2022.", "2022"),
        ("When was Anna Weiss fined?", WEISS, None),
        ("Who is the deputy of Anna Weiss?", WEISS, "Paul Grau"),
        ("How many copies did the Pelican 3 sell in 2023?", PELICAN, None),
    ],
)
async def test_what_is_said_of_a_neighbouring_thing_is_no_answer(question: str, text: str, answer: str | None) -> None:
    found = await offered(question, {"a.txt": text})
    assert [option.answer for option in found[:1]] == ([answer] if answer else [])


GLUED = "Red Gables is a 1989 drama by Mina Okoro.The Tin Choir is a 1991 film. It is a documentary of three Norland rock groups."


@pytest.mark.parametrize(
    ("query", "answer", "text", "status"),
    [
        ("Which documentary is about Norland rock groups, Red Gables or The Tin Choir?", "The Tin Choir", GLUED, "supported"),
        ("Which documentary is about Norland rock groups, Red Gables or The Tin Choir?", "Red Gables", GLUED, None),
        ("Which genus has more species, Arnweed or Brinnia?", "Arnweed", "Arnweed is a genus of 48 species. Brinnia is a genus of four species.", "supported"),
        ("Which genus has more species, Arnweed or Brinnia?", "Brinnia", "Arnweed is a genus of 48 species. Brinnia is a genus of four species.", None),
        ("Were Red Gables and The Tin Choir released in the same year?", "no", GLUED, "supported"),
        ("Were Red Gables and The Tin Choir released in the same year?", "yes", GLUED, None),
        ("Who was born first, Ian Croft or Ada Lovell?", 'Ian "Red" Croft', 'Ian "Red" Croft (born 1901) sang. Ada Lovell (born 1931) wrote.', "supported"),
        ("Who was born first, Ian Croft or Ada Lovell?", "Ada Lovell", "Ian Croft (12 May 190130 June 1970) sang. Ada Lovell (born 1931) wrote.", None),
    ],
)
def test_of_two_things_the_one_that_has_what_is_asked(query: str, answer: str, text: str, status: str | None) -> None:
    verdict = verify_answer(query, answer, [Evidence(tool="documents", input=query, source="a.txt", text=text)])
    assert (verdict.status if verdict else None) == status


def test_an_answer_that_another_sentence_outdoes_is_not_supported() -> None:
    text = "The mill of Orrin burned down in 1911. The mill of Orrin was built by Ada Lovell in 1884."
    evidence = [Evidence(tool="documents", input="", source="a.txt", text=text)]
    right = verify_answer("When was the mill of Orrin built by Ada Lovell?", "1884", evidence)
    assert right is not None
    assert right.status == "supported"
    assert verify_answer("When was the mill of Orrin built by Ada Lovell?", "1911", evidence) is None
