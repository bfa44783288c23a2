"""A claim against a passage: what supports it, what contradicts it, and all that does neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.compare import compare

TOWER = "Tarn Tower is 330 metres tall. It was built by Lena Falk and opened on 3 May 1998. About 300 people work there."


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Tarn Tower is 330 metres tall.", TOWER),
        ("Tarn Tower opened on 3 May 1998.", TOWER),
        ("Tarn Tower opened in May 1998.", TOWER),
        ("Tarn Tower opened in 1998.", TOWER),
        ("Tarn Tower opened in the 1990s.", TOWER),
        ("Tarn Tower was built by Lena Falk.", TOWER),
        ("Lena Falk built Tarn Tower.", TOWER),
        ("About 300 people work there.", TOWER),
        ("Paris is the capital of France.", "The capital of France is Paris, on the Seine."),
        ("The bridge was not damaged.", "The bridge was not damaged by the storm."),
        ("The company employs 2,150 people.", "The company employs 2150 people in Leeds."),
        ("The company made a profit of 1.2 million euros.", "The company made a profit of 1,234,567 euros."),
        ("The lake is 2 km long.", "The lake is 2,000 metres long."),
        ("The dose is over 200 grams.", "The dose is 250 grams."),
        ("The president of the U.S. lives in the White House.", "The president of the United States lives in the White House."),
        ("The war lasted from 1914 to 1918.", "The war lasted from 1914 to 1918 and cost many lives."),
    ],
)
def test_full_coverage_is_supported(claim: str, passage: str) -> None:
    result = compare(claim, passage)
    assert result.verdict == "supported", result
    assert result.quote in passage
    assert result.quote


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("Tarn Tower is 300 metres tall.", TOWER, "330"),
        ("Tarn Tower opened on 3 May 1989.", TOWER, "3 May 1998"),
        ("Tarn Tower opened on 4 May 1998.", TOWER, "3 May 1998"),
        ("Tarn Tower opened in 1989.", TOWER, None),
        ("The club won four league titles.", "The club won five league titles.", "five"),
        ("The company employs 215 people.", "The company employs 2,150 people.", "2,150"),
        ("Profit rose by 12%.", "Profit rose by 21%.", "21%"),
        ("The book costs $12.", "The book costs $15.", "$15"),
        ("The bridge was damaged.", "The bridge was not damaged.", None),
        ("The bridge was not damaged.", "The bridge was damaged.", None),
        ("Iron is more reactive than gold.", "Gold is more reactive than iron.", None),
        ("Profits increased in the second quarter.", "Profits decreased in the second quarter.", None),
        ("The temperature was -5 degrees.", "The temperature was 5 degrees.", None),
        ("Ines Calder was the 12th president of Velmora.", "Tomas Brandt was the 12th president of Velmora.", "Tomas Brandt"),
        ("The dose is more than 200 grams.", "The dose is 150 grams.", None),
        ("The contract runs for 3-5 years.", "The contract runs for 7 years.", None),
    ],
)
def test_one_conflicting_place_is_contradicted(claim: str, passage: str, expected: str | None) -> None:
    result = compare(claim, passage)
    assert result.verdict == "contradicted", result
    assert result.quote in passage
    assert result.words_claim
    assert result.words_passage
    for start, end in result.words_claim:
        assert claim[start:end].strip()
    for start, end in result.words_passage:
        assert passage[start:end] in result.quote
    if expected:
        assert result.expected is not None
        assert expected in result.expected


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        # similarity is not entailment, and no conflict either where the thing is another one
        ("Tarn Tower is 330 metres tall.", "Sund Tower is 310 metres tall."),
        ("The height of Tarn Tower is unknown.", TOWER),
        ("Tarn Tower cost 12 million euros.", TOWER),
        # the passage is coarser, hedged or about another time
        ("Tarn Tower opened on 3 May 1998.", "Tarn Tower opened in 1998."),
        ("302 people work in the tower.", "About 300 people work in the tower."),
        ("Paris has 2.1 million inhabitants.", "In 1921 Paris had 2.9 million inhabitants."),
        ("The company may have sold the bridge.", "The company denied that it sold the bridge."),
        ("The company sold the bridge.", "The company may have sold the bridge."),
        ("The company sold the bridge.", "The company planned to sell the bridge."),
        ("The company sold the bridge.", "If the company sold the bridge, it would lose money."),
        ("The company sold the bridge.", "Has the company sold the bridge?"),
        # what happens more than once has more than one date
        ("Brede won the cup in 1998.", "Brede won the cup in 2003."),
        # qualifiers
        ("Ines Calder is the president of Velmora.", "Ines Calder is the vice president of Velmora."),
        ("Ines Calder is the president of Velmora.", "Ines Calder is the former president of Velmora."),
        ("Velmora is the largest island of the north.", "Velmora is one of the largest islands of the north."),
        ("Only members may enter the hall.", "Members may enter the hall."),
        ("All members voted for the plan.", "Members voted for the plan."),
        ("None of the members voted for the plan.", "Some of the members voted for the plan."),
        ("Alaric defeated Joss Maren at Brede.", "Joss Maren met Alaric at Brede, where he defeated the duke."),
        ("Ada Lind married Bo Falk.", "Bo Falk married Ada Lind."),
        ("Velmora borders Sundland.", "Sundland borders Velmora."),
        # names made of ordinary words, labels
        ("He lives at First Street 5.", "He lives at Second Street 5."),
        ("The U-30 sank 18 ships.", "The U-27 sank 12 ships."),
        ("It took 3-5 days.", "It took 4 days."),
        ("About 1,000 came in 1500.", "About 1,500 came in 1000."),
        ("The town bought 1998 trees.", "The town bought trees in 1998."),
        ("The tower has five floors and two lifts.", "The tower has two floors and five lifts."),
        ("Bread is baked.", ""),
        ("", TOWER),
        ("50% (approx", "50% (approx of it"),
    ],
)
def test_everything_else_is_not_decided_against_the_claim(claim: str, passage: str) -> None:
    assert compare(claim, passage).verdict != "contradicted"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Tarn Tower is 330 metres tall.", "Tarn Tower is 300 metres tall."),
        ("Tarn Tower opened on 3 May 1998.", "Tarn Tower opened in 1998."),
        ("302 people work in the tower.", "About 300 people work in the tower."),
        ("The company sold the bridge.", "The company may have sold the bridge."),
        ("The company sold the bridge.", "The company did not sell the bridge."),
        ("Ines Calder is the president of Velmora.", "Ines Calder is the vice president of Velmora."),
        ("Velmora is the largest island of the north.", "Velmora is one of the largest islands of the north."),
        ("All members voted for the plan.", "Members voted for the plan."),
        ("Joss Maren defeated Alaric.", "Alaric defeated Joss Maren."),
        ("Twice released two albums.", "While Twice released five albums, Blackpink released two."),
        ("The tower has five floors and two lifts.", "The tower has two floors and five lifts."),
        ("The temperature was -5 degrees.", "The temperature was 5 degrees."),
        ("The lease is renewable.", "The lease is non-renewable."),
        ("The company sold the bridge.", "Has the company sold the bridge?"),
        ("First Street is closed.", "One Street is closed."),
    ],
)
def test_what_the_passage_does_not_say_is_not_supported(claim: str, passage: str) -> None:
    assert compare(claim, passage).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        ("北京是中国的首都。", "北京是中国的首都，人口约两千万。", "supported"),
        ("该塔高330米。", "该塔高330米，建于1998年。", "supported"),
        ("该塔高300米。", "该塔高330米。", "contradicted"),
        ("2020年利润增长了12%。", "2020年利润增长了21%。", "contradicted"),
        ("東京タワーの高さは300メートルです。", "東京タワーの高さは333メートルです。", "contradicted"),
        ("中国是北京的首都。", "北京是中国的首都。", "unclear"),
        ("张三打败了李四。", "李四打败了张三。", "unclear"),
        ("甲公司利润增长了12%。", "乙公司利润增长了21%。", "unclear"),
        ("公司没有出售大桥。", "公司出售了大桥。", "unclear"),
    ],
)
def test_scripts_without_spaces_are_compared_character_by_character_in_order(claim: str, passage: str, verdict: str) -> None:
    assert compare(claim, passage).verdict == verdict


def test_a_focus_keeps_other_places_out() -> None:
    claim = "Tarn Tower is 300 metres tall."
    assert compare(claim, TOWER, focus="300").verdict == "contradicted"
    assert compare(claim, TOWER, focus="Tarn").verdict == "unclear"


def test_a_title_says_what_the_passage_is_about() -> None:
    assert compare("Tarn Tower opened in 1998.", "It opened on 3 May 1998.", title="Tarn Tower").verdict == "supported"
    assert compare("Sund Tower opened in 1998.", "It opened on 3 May 1998.", title="Tarn Tower").verdict == "unclear"
    assert compare("It opened in 1989.", "It opened on 3 May 1998.", title="Tarn Tower", subject="Sund Tower").verdict == "unclear"


def test_a_passage_that_says_both_decides_nothing() -> None:
    assert compare("Tarn Tower is 330 metres tall.", "Tarn Tower is 330 metres tall. Tarn Tower is 300 metres tall.").verdict == "unclear"


def test_two_different_conflicts_leave_the_repair_open() -> None:
    result = compare("The club won four league titles.", "The club won five league titles. The club won six league titles.")
    assert result.verdict == "contradicted"
    assert result.expected is None


SENTENCES = [
    "Tarn Tower is 330 metres tall.",
    "The club won five league titles in 1998.",
    "Lena Falk built the bridge in Sundhamn.",
    "Iron is more reactive than copper.",
    "The company did not sell the bridge.",
    "None of the members voted for the plan.",
    "Profit rose by 12% to 3.4 million euros.",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_never_contradicts_itself(sentence: str) -> None:
    assert compare(sentence, sentence).verdict != "contradicted"


@given(st.sampled_from(SENTENCES), st.sampled_from(SENTENCES))
def test_spans_lie_in_their_texts_and_the_quote_is_verbatim(claim: str, passage: str) -> None:
    result = compare(claim, passage)
    assert all(0 <= start <= end <= len(claim) for start, end in result.words_claim)
    assert all(0 <= start <= end <= len(passage) for start, end in result.words_passage)
    assert result.quote in passage


@given(st.text(max_size=120), st.text(max_size=200))
def test_any_text_can_be_compared(claim: str, passage: str) -> None:
    assert compare(claim, passage).quote in passage


def test_stance_of_recorded_evidence(shared_data: Path) -> None:
    rows = [json.loads(line) for line in (shared_data / "factcheck_bench" / "claim_evidence_stance.jsonl").read_text(encoding="utf-8").splitlines()]
    decided: dict[str, list[str]] = {"supported": [], "contradicted": [], "unclear": []}
    for row in rows:
        decided[compare(row["claim"], row["evidence"]).verdict].append(row["stance"])
    supported, contradicted = decided["supported"], decided["contradicted"]
    assert len(supported) >= 20
    assert supported.count("completely-support") >= 0.9 * len(supported)
    assert contradicted.count("refute") >= 0.85 * len(contradicted)


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        ("The Aurora X2 was discontinued in 2022.", "The Aurora X2 charges in 3 hours. Its predecessor, the Aurora X1, was discontinued in 2022.", "unclear"),
        ("The Aurora X2 was discontinued in 2022.", "The Aurora X2 charges in 3 hours. The predecessor was discontinued in 2022.", "unclear"),
        ("The Aurora X2 was discontinued in 2022.", "The Aurora X2 charges in 3 hours. The Aurora X1 was discontinued in 2022.", "unclear"),
        ("The Aurora X2 was discontinued in 2022.", "The Aurora X2 charges in 3 hours. It was discontinued in 2022.", "supported"),
        ("The Aurora X2 was discontinued in 2022.", "The Aurora X2 is a lamp. The lamp was discontinued in 2022.", "supported"),
        ("Anna Weiss was fined in 2020.", "Anna Weiss leads the company. Her deputy, Paul Grau, was fined in 2020.", "unclear"),
        ("Anna Weiss was fined in 2020.", "Anna Weiss leads the company. In March she was fined in 2020.", "supported"),
        ("The Pelican 3 sold 9,500 copies in 2023.", "The Pelican 3 is a novel. Its successor, the Pelican 4, sold 9,500 copies in 2023.", "unclear"),
        (
            "The Aurora X1 costs 129 euros in Europe.",
            "Its predecessor, the Aurora X1, was discontinued in 2022. The Aurora X2 costs 129 euros in Europe.",
            "unclear",
        ),
    ],
)
@pytest.mark.parametrize("titled", [False, True])
def test_what_is_said_of_a_neighbouring_thing_is_not_lent(claim: str, passage: str, verdict: str, titled: bool) -> None:
    title = " ".join(claim.split()[: 3 if claim.startswith("The") else 2]) if titled else ""
    assert compare(claim, passage, title=title).verdict == verdict
