"""A text checked against documents by rule: quotations, citations, statements, bare answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from redraft.effects import Effects
from redraft.models.none import NoModel
from redraft.planning.answers import verify_answer
from redraft.planning.documents import answer_route, routes
from redraft.policy import Budgets
from redraft.protocols import Route
from redraft.tools.documents import DocumentsTool
from redraft.types import Evidence, Failure, Task, ToolCall, ToolResult, Verdict


class Sink:
    def write(self, event: object) -> None:
        """Keeps nothing."""


def effects(texts: Mapping[str, str]) -> Effects:
    return Effects(writer=NoModel(), tools={"documents": DocumentsTool(texts=texts)}, sink=Sink(), budgets=Budgets())


async def decided(text: str, texts: Mapping[str, str]) -> list[tuple[Route, Verdict | None]]:
    run = effects(texts)
    found: list[tuple[Route, Verdict | None]] = []
    for route in await routes(text, run):
        assert route.claim.text == text[route.claim.span[0] : route.claim.span[1]]
        results = [await run.use(call) for call in route.calls]
        found.append((route, route.decide(results)))
    return found


async def statuses(text: str, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(route.claim.kind, verdict.status if verdict else "open") for route, verdict in await decided(text, texts)]


TOWER = {
    "tower.md": "# Tarn Tower\n\nTarn Tower is 330 metres tall. It opened on 3 May 1998. The architect was Lena Falk. “We built it for everyone in this town,” "
    "said "
    "Mayor Holt at the opening. The tower was not damaged by the storm of 2007.",
    "annual-report.md": "# Annual Report\n\nProfit rose by 12% to 3.4 million euros in 2020. The company employs 2,150 people.",
}


async def test_without_documents_there_is_nothing_to_check() -> None:
    run = Effects(writer=NoModel(), tools={}, sink=Sink(), budgets=Budgets())
    assert await routes("Tarn Tower is 330 metres tall.", run) == ()


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("Tarn Tower is 330 metres tall.", "supported", None),
        ("Tarn Tower is 300 metres tall.", "contradicted", "330"),
        ("Tarn Tower opened in 1998.", "supported", None),
        ("Tarn Tower opened in 1989.", "contradicted", "1998"),
        ("Tarn Tower was damaged by the storm of 2007.", "contradicted", None),
        ("Tarn Tower has three restaurants.", "open", None),
        ("Sund Tower is 300 metres tall.", "open", None),
    ],
)
async def test_a_statement_is_compared_with_the_passages(text: str, status: str, expected: str | None) -> None:
    ((route, verdict),) = await decided(text, TOWER)
    assert (verdict.status if verdict else "open") == status
    if verdict is not None:
        assert verdict.method == "quoted"
        assert verdict.evidence
        assert verdict.quote in verdict.evidence[0].text
        assert route.plan == "rule"
    if expected:
        assert verdict is not None
        assert verdict.expected is not None
        assert expected in verdict.expected


async def test_a_pronoun_is_checked_as_what_it_stands_for() -> None:
    found = await decided("Tarn Tower is a landmark. It opened in 1989.", TOWER)
    assert [verdict.status if verdict else "open" for _, verdict in found] == ["open", "contradicted"]
    assert "Tarn Tower" in found[1][0].claim.query
    assert await statuses("Sund Tower is a landmark. It opened in 1989.", TOWER) == [("fact", "open"), ("fact", "open")]
    assert await statuses("It opened in 1989.", TOWER) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("# North\n\nThe company was founded in 1987 by Anna Berg.", "The company was founded in 1987 by Anna Berg."),
        ("Anna Berg was born in Oslo. The company was founded in 1987.", "The company was founded in 1987."),
        ("Anna Berg was born in Oslo. She was elected in 1987.", "Anna Berg was elected in 1987."),
        ("Tarn Tower is a landmark. Its lift opened in 1989.", "Tarn Tower's lift opened in 1989."),
        ("Tarn Tower is a landmark. The tower opened in 1989.", "Tarn Tower opened in 1989."),
    ],
)
async def test_a_noun_of_another_kind_is_not_taken_for_the_last_name(text: str, query: str) -> None:
    route, verdict = (await decided(text, TOWER))[-1]
    assert route.calls[0].input == query
    assert (route.claim.query or route.claim.text) == query
    assert (verdict is not None) == ("Tower" in query and "lift" not in query)


async def test_sources_that_disagree_decide_nothing_and_are_named() -> None:
    texts = {"a.txt": "Tarn Tower is 330 metres tall.", "b.txt": "Tarn Tower is 300 metres tall."}
    ((_, verdict),) = await decided("Tarn Tower is 330 metres tall.", texts)
    assert verdict is not None
    assert verdict.status == "insufficient"
    assert "a.txt" in verdict.note
    assert "b.txt" in verdict.note


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Mayor Holt said, “We built it for everyone in this town.”", "supported"),
        ('Mayor Holt said, "We built it for everyone in this town."', "supported"),
        ("Mayor Holt said, “We built it for everyone in this country.”", "contradicted"),
        ("According to the report, “we built it for everyone in this country”.", "contradicted"),
        ("Somebody once said, “We built it for everyone in this country.”", "insufficient"),
        ("Mayor Holt said, “Nobody will ever need a tower this tall.”", "insufficient"),
    ],
)
async def test_quotations_are_looked_up(text: str, status: str) -> None:
    found = [(route, verdict) for route, verdict in await decided(text, TOWER) if route.claim.kind == "quote"]
    assert len(found) == 1
    route, verdict = found[0]
    assert verdict is not None
    assert verdict.status == status
    assert route.claim.focus is not None
    if status == "contradicted":
        assert (verdict.expected or "").rstrip(".") == "We built it for everyone in this town"
        assert "town" in verdict.note
    if status == "supported":
        assert verdict.confidence == 1.0
        assert verdict.quote in verdict.evidence[0].text


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Profit rose by 12% in 2020 (annual-report.md).", "supported"),
        ("Profit rose by 21% in 2020 (annual-report.md).", "contradicted"),
        ("Profit rose by 12% in 2020 [1].\n\n## References\n\n[1] Annual Report", "supported"),
        ("Profit rose by 12% in 2020 [7].\n\n## References\n\n[1] Annual Report", "contradicted"),
        ("Profit rose by 12% in 2020 (missing.pdf).", "insufficient"),
        ("Profit rose by 12% in 2020 (Holt, 2019).", "insufficient"),
        ("Profit rose by 12% in 2020 (tower.md).", "open"),
    ],
)
async def test_citations_exist_and_support(text: str, status: str) -> None:
    found = [verdict for route, verdict in await decided(text, TOWER) if route.claim.kind == "citation"]
    assert [verdict.status if verdict else "open" for verdict in found] == [status]


async def test_a_tool_that_fails_proves_nothing() -> None:
    (route,) = await routes("Tarn Tower is 300 metres tall.", effects(TOWER))
    failure = Failure(tool="documents", input="x", kind="timeout", message="gave no answer within 60 s")
    verdict = route.decide([failure])
    assert verdict is not None
    assert verdict.status == "unavailable"
    empty = route.decide([Failure(tool="documents", input="x", kind="empty", message="nothing found in 2 documents")])
    assert empty is None


async def test_weak_evidence_counts_as_none() -> None:
    (route,) = await routes("Tarn Tower is 300 metres tall.", effects(TOWER))
    strong: ToolResult = (Evidence(tool="documents", input="x", text="Tarn Tower is 330 metres tall.", relevance=0.9),)
    weak: ToolResult = (Evidence(tool="documents", input="x", text="Tarn Tower is 330 metres tall.", relevance=0.2),)
    assert route.decide([weak]) is None
    verdict = route.decide([strong])
    assert verdict is not None
    assert verdict.status == "contradicted"


@pytest.mark.parametrize(
    "text",
    ["", "   ", "“", "[1", "(((", "None of it.", "50% (approx", "> ", "> “", "- \n- \n", "שלום לכולם בעיר הזאת היום", "a\u200bb " * 50, "\x00", "A" * 5000],
)
async def test_odd_texts_give_no_accusation(text: str) -> None:
    assert all(status != "contradicted" for _, status in await statuses(text, TOWER))


# Bare answers


async def answer(query: str, given: str, texts: Mapping[str, str]) -> str:
    run = effects(texts)
    route = await answer_route(Task(query=query, answer=given), run)
    assert route is not None
    verdict = route.decide([await run.use(call) for call in route.calls])
    return verdict.status if verdict else "open"


@pytest.mark.parametrize(
    ("query", "given", "status"),
    [
        ("How tall is Tarn Tower?", "330 metres", "supported"),
        ("How tall is Tarn Tower?", "300 metres", "open"),
        ("How tall is Tarn Tower?", "30 metres", "open"),
        ("When did Tarn Tower open?", "3 May 1998", "supported"),
        ("When did Tarn Tower open?", "2007", "open"),
        ("Who was the architect of Tarn Tower?", "Lena Falk", "supported"),
        ("Who was the architect of Tarn Tower?", "Tarn Tower", "open"),
        ("Who was the architect of Tarn Tower?", "12%", "open"),
        ("How many people does the company employ?", "2,150", "supported"),
        ("How many people does the company employ?", "150", "open"),
        ("Is Tarn Tower tall?", "no", "open"),
        ("Who wrote the Harbour Song?", "Lena Falk", "open"),
    ],
)
async def test_a_bare_answer_is_supported_only_by_a_sentence_about_the_question(query: str, given: str, status: str) -> None:
    assert await answer(query, given, TOWER) == status


@pytest.mark.parametrize(
    ("query", "given", "status"),
    [
        ("Who was born first, Ada Lind or Bo Falk?", "Ada Lind", "supported"),
        ("Who was born first, Ada Lind or Bo Falk?", "Bo Falk", "open"),
        ("Which painter is Danish, Ada Lind or Bo Falk?", "Bo Falk", "supported"),
        ("Which painter is Danish, Ada Lind or Bo Falk?", "Ada Lind", "open"),
        ("Are both Ada Lind and Bo Falk painters?", "yes", "supported"),
        ("Are both Ada Lind and Bo Falk Danish?", "yes", "open"),
    ],
)
async def test_two_things_are_compared_by_what_is_said_of_each(query: str, given: str, status: str) -> None:
    texts = {"a": "Ada Lind (4 May 1871 – 1930) was a Swedish painter.", "b": "Bo Falk (born 1902) was a Danish painter and teacher."}
    assert await answer(query, given, texts) == status


async def test_no_answer_no_question_no_route() -> None:
    run = effects(TOWER)
    assert await answer_route(Task(query="", answer="x"), run) is None
    assert await answer_route(Task(query="Who?", answer=" "), run) is None


def test_a_negated_sentence_does_not_answer() -> None:
    passage = (Evidence(tool="documents", input="", text="The tower was not designed by Lena Falk."),)
    assert verify_answer("Who designed the tower?", "Lena Falk", passage) is None


def test_many_statements_run_over_one_index() -> None:
    text = " ".join(f"Station {n} opened in {1900 + n}." for n in range(60))
    texts = {"stations.txt": "\n\n".join(f"Station {n} opened in {1900 + n + (n % 5 == 0)}." for n in range(60))}
    found = asyncio.run(statuses(text, texts))
    assert [number for number, (_, status) in enumerate(found) if status == "contradicted"] == list(range(0, 60, 5))
    assert ToolCall(tool="documents", input="x").attempt == 0


@pytest.mark.parametrize(("mark", "rest"), [(",", " the mayor said, according to the document"), (".", ""), ("", " stands in the document")])
async def test_a_mended_quotation_keeps_the_mark_before_its_closing_one(mark: str, rest: str) -> None:
    text = f'{"" if rest else "According to the document: "}"We built it for anyone in this town{mark}"{rest}{"." if rest else ""}'
    (found,) = [(route, verdict) for route, verdict in await decided(text, TOWER) if route.claim.kind == "quote"]
    route, verdict = found
    assert verdict is not None
    assert verdict.expected == f"We built it for everyone in this town{mark}"
    assert route.claim.focus is not None
    assert text[route.claim.focus[0] : route.claim.focus[1]].endswith(mark or "town")
