"""The metrics against the published definitions, written down here a second time and in another way, on every row of the shared sets.

What is compared: every gold answer as an answer, forms of it that a model would give, the gold of the next row, and every answer that was recorded.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from redraft.studies.datasets import read_dataset
from redraft.studies.metrics import MetricName, metric_named, token_f1
from redraft.studies.rows import Gold, Row

Pairs = Iterator[tuple[str, Gold]]


# ---- the references


@cache
def squad(text: str) -> str:
    """SQuAD's evaluation, version 1.1."""
    plain = text.lower().translate(dict.fromkeys(map(ord, string.punctuation)))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())


@cache
def trivia(text: str) -> str:
    """TriviaQA's evaluation: marks become spaces."""
    plain = text.replace("_", " ").lower().translate(dict.fromkeys(map(ord, string.punctuation + "‘’´`"), " "))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split()).strip()


@cache
def critic(text: str) -> str:
    """CRITIC's evaluation, step by step as its code has it."""
    plain = text.lower().translate(dict.fromkeys(map(ord, string.punctuation + "‘’´`–"), " "))
    if plain.count(" "):
        plain = re.sub(r"\b(a|an|the)\b", " ", plain)
    plain = " ".join(" ".join(re.sub("s+$", "", word) for word in plain.split(" ")).split())
    words = "first second third fourth fifth zero one two three four five six seven eight nine".split()
    for word, digit in zip(words, "123450123456789", strict=True):
        plain = plain.replace(word, digit)
    plain = re.sub(r"(?<=\w)(st|nd|rd|th)\b", "", plain)
    return "yes" if plain == "true" else "no" if plain == "false" else plain


def overlap(first: Sequence[str], second: Sequence[str]) -> float:
    left = list(second)
    same = 0
    for token in first:
        if token in left:
            left.remove(token)
            same += 1
    return 2 * same / (len(first) + len(second)) if same else 0.0


def f1(answer: str, gold: str) -> float:
    return overlap(squad(answer).split(), squad(gold).split())


def f1_hotpot(answer: str, gold: str) -> float:
    left, right = squad(answer), squad(gold)
    closed = {"yes", "no", "noanswer"}
    return 0.0 if left != right and (left in closed or right in closed) else f1(answer, gold)


def em_critic(answer: str, golds: Sequence[str]) -> float:
    def one(gold: str) -> bool:
        left, right = critic(answer), critic(gold)
        return left == right and bool(left.split())

    return float(any(map(one, [*golds, " ".join(golds)])))


def gsm8k_number(text: str) -> Decimal | None:
    """GSM8K's regular expression, and equality as numbers."""
    found = re.search(r"#### (\-?[0-9\.\,]+)", text)
    return Decimal(found.group(1).replace(",", "").rstrip(".")) if found else None


REFERENCES: dict[MetricName, Callable[[str, Sequence[str]], float]] = {
    "em-squad": lambda answer, golds: max(float(squad(answer) == squad(gold)) for gold in golds),
    "em-trivia": lambda answer, golds: max(float(trivia(answer) == trivia(gold)) for gold in golds),
    "em-critic": em_critic,
    "f1": lambda answer, golds: max(f1(answer, gold) for gold in golds),
    "f1-hotpot": lambda answer, golds: max(f1_hotpot(answer, gold) for gold in golds),
}


# ---- what is compared


def forms(answer: str) -> list[str]:
    return [
        answer,
        answer.upper(),
        f"The {answer}.",
        f"The answer is {answer}.",
        answer.replace(" ", "_"),
        f"{answer} (an old-one)",
        answer[: len(answer) // 2],
    ]


def of_golds(rows: Sequence[Row]) -> Pairs:
    for row, following in zip(rows, [*rows[1:], rows[0]], strict=True):
        for answer in (*row.gold.answers, *(form for gold in row.gold.answers[:1] for form in forms(gold)), *following.gold.answers[:2], ""):
            yield answer, row.gold


def of_ratings(path: Path) -> Pairs:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for name in ("def_correct_predictions", "poss_correct_predictions", "def_incorrect_predictions"):
            for prediction in row[name]:
                yield prediction, Gold(answers=tuple(row["answer"]))


def of_trials(path: Path) -> Pairs:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for trial in row["trials"]:
            yield str(trial["answer"]), Gold(answers=(row["gold"],))


def has_cjk(text: str) -> bool:
    return re.search(r"[\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff]", text) is not None


def differing(pairs: Pairs) -> tuple[int, list[Any]]:
    metrics = {name: metric_named(name) for name in REFERENCES}
    count, found = 0, list[Any]()
    for answer, gold in pairs:
        count += 1
        for name, reference in REFERENCES.items():
            if name.startswith("f1") and any(map(has_cjk, (answer, *gold.answers))):
                continue  # ours counts characters there, which the reference does not
            mine, theirs = metrics[name].score(answer, gold), reference(answer, gold.answers)
            if mine != pytest.approx(theirs, abs=1e-12):
                found.append((name, answer, gold.answers, mine, theirs))
    return count, found


@pytest.mark.parametrize(
    ("file", "least"),
    [
        ("nq_open/NQ-open.dev.jsonl", 3610),
        ("ambignq/dev_light.jsonl", 2002),
        ("hotpotqa100/questions.jsonl", 100),
        ("corpus_wiki/hotpot_questions.jsonl", 100),
        ("corpus_wiki/xquad_en_questions.jsonl", 1190),
        ("halueval/qa_knowledge_pairs.jsonl", 936),
    ],
)
def test_every_row_scores_as_the_published_definitions_say(shared_data: Path, file: str, least: int) -> None:
    rows, bad, _ = read_dataset(shared_data / file)
    assert (len(rows) >= least, bad) == (True, [])
    count, found = differing(of_golds(rows))
    assert count > 8 * len(rows)
    assert found == []


def test_every_rated_prediction_scores_as_the_published_definitions_say(shared_data: Path) -> None:
    count, found = differing(of_ratings(shared_data / "nq_open" / "efficientqa_test_rated.jsonl"))
    assert count > 1500
    assert found == []


def test_every_recorded_hotpot_answer_scores_as_the_published_definitions_say(shared_data: Path) -> None:
    count, found = differing(of_trials(shared_data / "reflexion_hotpot" / "trajectories.jsonl"))
    assert count > 500
    assert found == []


def test_gsm8k_agrees_with_its_definition_on_every_row(shared_data: Path) -> None:
    rows, bad, name = read_dataset(shared_data / "gsm8k" / "test.jsonl")
    metric = metric_named("gsm8k")
    assert (len(rows), bad, name) == (1319, [], "gsm8k")
    for row, following in zip(rows, [*rows[1:], rows[0]], strict=True):
        wanted = gsm8k_number(row.gold.answers[0])
        assert wanted is not None
        assert metric.score(row.gold.answers[0], row.gold) == 1.0
        assert metric.score(f"The answer is {wanted:,}.", row.gold) == 1.0
        other = gsm8k_number(following.gold.answers[0])
        assert metric.score(following.gold.answers[0], row.gold) == float(other == wanted)
        assert metric.score(f"{-wanted if wanted else 1}", row.gold) == 0.0


def test_gsm8k_agrees_with_the_recorded_verdict_on_every_solution(shared_data: Path) -> None:
    """The recorded verdict compares the final lines `A: …` of solution and gold as numbers; so must ours."""
    recorded = [json.loads(line) for line in (shared_data / "gsm8k" / "model_solutions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows, _, name = read_dataset(shared_data / "gsm8k" / "model_solutions.jsonl")
    verdicts = [value["is_correct"] for item in recorded for value in item.values() if isinstance(value, dict)]
    metric = metric_named("gsm8k")
    assert (name, len(rows)) == ("gsm8k-solutions", len(verdicts))
    differing = [
        (row.task.answer, row.gold.answers, verdict)
        for row, verdict in zip(rows, verdicts, strict=True)
        if bool(metric.score(row.task.answer or "", row.gold)) != verdict
    ]
    assert differing == []


def test_svamp_numbers_are_read_as_numbers_on_every_row(shared_data: Path) -> None:
    rows, bad, name = read_dataset(shared_data / "svamp" / "SVAMP.jsonl")
    metric = metric_named("numeric")
    assert (len(rows), bad, name) == (1000, [], "svamp")
    for row in rows:
        value = Decimal(row.gold.answers[0])
        plain = f"{value.normalize():f}"
        assert metric.score(plain, row.gold) == metric.score(f"{plain}.0 apples", row.gold) == metric_named("em").score(plain, row.gold) == 1.0
        assert metric.score(f"{value + 1}", row.gold) == 0.0


def test_chinese_f1_counts_characters_on_every_row(shared_data: Path) -> None:
    """As in the evaluation of Chinese reading comprehension: characters of the script one by one, other words whole, marks left out."""

    def tokens(text: str) -> list[str]:
        return re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+", "".join(mark for mark in text.lower() if mark.isalnum() or mark.isspace()))

    rows, bad, _ = read_dataset(shared_data / "corpus_wiki" / "xquad_zh_questions.jsonl")
    assert (len(rows), bad) == (1190, [])
    compared = 0
    for row, following in zip(rows, [*rows[1:], rows[0]], strict=True):
        gold = row.gold.answers[0]
        for answer in (gold, f"{gold}。", f"答案是{gold}", following.gold.answers[0]):
            if has_cjk(answer) and has_cjk(gold) and not re.search(r"[^\w\s。，、（）《》“”·]", answer + gold):
                compared += 1
                assert token_f1(answer, gold) == pytest.approx(overlap(tokens(answer), tokens(gold)))
    assert compared > 2000


def test_our_own_match_departs_from_squad_only_where_figures_or_a_lead_in_decide(shared_data: Path) -> None:
    mine, theirs = metric_named("em"), metric_named("em-squad")
    figures = re.compile(
        r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|million|dozen|half)\b", re.I
    )
    departures = 0
    for file in ("nq_open/NQ-open.dev.jsonl", "hotpotqa100/questions.jsonl"):
        rows, _, _ = read_dataset(shared_data / file)
        for answer, gold in of_golds(rows[::3]):
            if mine.score(answer, gold) != theirs.score(answer, gold):
                departures += 1
                said = f"{answer} {' '.join(gold.answers)}"
                assert figures.search(said) or answer.startswith("The answer is") or has_cjk(said) or not squad(answer), (answer, gold)
    assert departures > 100
