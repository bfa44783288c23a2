"""Published data sets as rows: recognised by their fields, the gold apart from the task, and every row of the shared sets read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import InputError, UnknownName
from redraft.studies.datasets import FORMATS, format_of, read_dataset
from redraft.studies.faults import MEANINGS
from redraft.studies.metrics import METRICS, metric_named, program_of
from redraft.studies.rows import Row
from redraft.types import Task

SECRET = "the-gold-4711"
HUMAN_EVAL = {
    "task_id": "T/1", "prompt": "from typing import List\n\n\ndef total(x: List[int]) -> int:\n    \"\"\" Sum. \"\"\"\n", "entry_point": "total",
    "canonical_solution": f"    return sum(x)  # {SECRET}\n", "test": f"def check(candidate):\n    assert candidate([1, 2]) == 3, '{SECRET}'\n",
}  # fmt: skip
PARAGRAPHS = [["Aldon", ["Aldon is a town.", " It lies on the Esk."]], ["Esk", ["The Esk is a river."]]]
# of each format a row, and what becomes of it: query, kind, answer, gold
CASES: dict[str, tuple[dict[str, Any], tuple[str, str, str | None, tuple[str, ...]]]] = {
    "redraft": ({"query": "q?", "answers": [SECRET]}, ("q?", "qa", None, (SECRET,))),
    "humaneval": (HUMAN_EVAL, (f"Complete this Python function. Give the whole function.\n\n{str(HUMAN_EVAL['prompt']).rstrip()}", "code", None, ())),
    "mbpp": (
        {"task_id": 2, "text": "Write a sum.", "code": SECRET, "test_list": ["assert f(1) == 1", f"assert f(2) == '{SECRET}'"],
         "test_setup_code": "import math"},
        ("Write a sum.\n\nYour function must pass a test such as this one:\nassert f(1) == 1", "code", None, ()),
    ),
    "gsm8k": ({"question": "How many?", "answer": f"{SECRET}\n#### 18"}, ("How many?", "math", None, (f"{SECRET}\n#### 18",))),
    "gsm8k-solutions": (
        {"question": "How many?", "ground_truth": f"{SECRET} 2 + 1\nA: 3", "small": {"is_correct": False, "solution": "2\nA: 2"}},
        ("How many?", "math", "2\nA: 2", ("3",)),
    ),
    "svamp": (
        {"ID": "c", "Body": "Dan has 4 pens", "Question": "How many?", "Equation": f"( 4.0 - {SECRET} )", "Answer": 1.0, "Type": "Subtraction"},
        ("Dan has 4 pens. How many?", "math", None, ("1.0",)),
    ),
    "ambignq": (
        {
            "id": "-8", "question": "Who won?",
            "annotations": [
                {"type": "singleAnswer", "answer": [SECRET, "B"]},
                {"type": "multipleQAs", "qaPairs": [{"question": f"Who won {SECRET}?", "answer": ["B"]}, {"question": "y", "answer": ["C"]}]},
            ],
        },
        ("Who won?", "qa", None, (SECRET, "B", "C")),
    ),
    "efficientqa": (
        {"question": "Who?", "answer": [SECRET], "def_correct_predictions": ["B"], "poss_correct_predictions": ["C"], "def_incorrect_predictions": ["D"]},
        ("Who?", "qa", None, (SECRET, "B")),
    ),
    "hotpotqa-distractor": (
        {"_id": "h", "question": "Which?", "answer": SECRET, "context": PARAGRAPHS, "supporting_facts": [[SECRET, 0]], "type": "bridge", "level": "hard"},
        ("Which?", "qa", None, (SECRET,)),
    ),
    "hotpotqa": ({"id": "h", "question": "Which?", "answer": SECRET, "level": "hard"}, ("Which?", "qa", None, (SECRET,))),
    "triviaqa": (
        {"question": "Who?", "question_id": "t1", "answer": {"value": SECRET, "aliases": [SECRET, "B"], "normalized_aliases": ["b"]}, "entity_pages": {}},
        ("Who?", "qa", None, (SECRET, "B")),
    ),
    "triviaqa-raw": (
        {"Question": "Who?", "QuestionId": "t1", "Answer": {"Value": SECRET, "Aliases": ["B"], "HumanAnswers": ["C"]}, "EvidencePages": []},
        ("Who?", "qa", None, (SECRET, "B", "C")),
    ),
    "nq-open": ({"question": "Who?", "answer": [SECRET, "B", "B"]}, ("Who?", "qa", None, (SECRET, "B"))),
    "squad": (
        {"id": "s", "question": "Who?", "context": "A page.", "answers": {"text": [SECRET, SECRET], "answer_start": [1, 1]}}, ("Who?", "qa", None, (SECRET,))
    ),
    "flask": (
        {"question_id": 7, "text": "Write.", "answer": SECRET, "domain_labeled": ["Math", "Law"], "metrics": ["Factuality"], "difficulty_labeled": "expert"},
        ("Write.", "report", None, (SECRET,)),
    ),
    "halueval": (
        {"knowledge": "A page.", "question": "Who?", "right_answer": SECRET, "hallucinated_answer": "B", "id": "1"}, ("Who?", "qa", "B", (SECRET,)),
    ),
    "halueval-general": (
        {"ID": "11", "user_query": "Write.", "chatgpt_response": "Text.", "hallucination": "yes", "hallucination_spans": [SECRET]},
        ("Write.", "report", "Text.", ()),
    ),
    "realtoxicityprompts": (
        {
            "filename": "f", "begin": 1, "challenging": True, "prompt": {"text": "He said", "toxicity": 0.1},
            "continuation": {"text": f" {SECRET}", "toxicity": 0.2},
        },
        ("Continue this text in one or two sentences:\n\nHe said", "safety", None, ()),
    ),
}  # fmt: skip


def read(folder: Path, *values: object, name: str = "auto") -> tuple[list[Row], list[str], str]:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in values), encoding="utf-8")
    rows, bad, found = read_dataset(path, name)
    return rows, [f"{item.line}: {item.message}" for item in bad], found


@pytest.mark.parametrize("name", CASES)
def test_a_format_is_recognised_by_its_fields_and_its_gold_stays_out_of_the_task(tmp_path: Path, name: str) -> None:
    values, (query, kind, answer, golds) = CASES[name]
    rows, bad, found = read(tmp_path, values)
    assert (bad, found) == ([], name)
    row = rows[0]
    assert (row.task.query, row.task.kind, row.task.answer, row.gold.answers) == (query, kind, answer, golds)
    assert SECRET not in repr(row.task)
    assert row.task == Task(query=query, kind=row.task.kind, answer=answer, context=row.task.context), "evidence and tests are what the data set gives to read"
    assert FORMATS[name].metric in METRICS


def test_every_format_has_a_case_or_is_asked_for_by_name() -> None:
    assert set(FORMATS) - set(CASES) == {"realtoxicityprompts-web"}
    assert [name for name, (values, _) in CASES.items() if (found := format_of(values)) is None or found.name != name] == []
    assert format_of({"anything": 1}) is None


def test_the_page_names_every_format_metric_and_fault() -> None:
    page = (Path(__file__).parents[1] / "docs" / "eval.md").read_text(encoding="utf-8")
    assert [name for name in (*FORMATS, *METRICS) if f"| `{name}` |" not in page] == []
    assert [meaning for meaning in MEANINGS.values() if f"| {meaning.partition(':')[0]} |" not in page] == []


def test_what_is_given_to_read_becomes_context(tmp_path: Path) -> None:
    pages = "Aldon\nAldon is a town. It lies on the Esk.\n\nEsk\nThe Esk is a river."
    given = dict(CASES["hotpotqa-distractor"][0])
    columns = {"title": ["Aldon", "Esk"], "sentences": [PARAGRAPHS[0][1], PARAGRAPHS[1][1]]}
    named = [{"title": title, "sentences": sentences} for title, sentences in PARAGRAPHS]
    for context in (PARAGRAPHS, named, columns):
        rows, bad, _ = read(tmp_path, given | {"context": context})
        assert (bad, rows[0].task.context) == ([], pages)
    assert read(tmp_path, given, name="hotpotqa")[0][0].task.context == ""
    assert read(tmp_path, CASES["squad"][0])[0][0].task.context == "A page."


def test_halueval_gives_a_draft_to_mend_and_one_to_leave_alone(tmp_path: Path) -> None:
    rows, _, _ = read(tmp_path, CASES["halueval"][0])
    assert [(row.id, row.task.answer, row.extra["draft"]) for row in rows] == [("1/hallucinated", "B", "hallucinated"), ("1/right", SECRET, "right")]
    assert rows[0].task.context == "A page."
    assert len({row.key for row in rows}) == 2


def test_the_webs_continuations_are_drafts_where_they_are_asked_for(tmp_path: Path) -> None:
    rows, _, name = read(tmp_path, CASES["realtoxicityprompts"][0], name="realtoxicityprompts-web")
    assert (name, rows[0].task.answer, rows[0].extra["prompt"]) == ("realtoxicityprompts-web", SECRET, "He said")


def test_code_is_judged_with_what_its_prompt_sets_up_be_it_whole_or_a_body(tmp_path: Path) -> None:
    gold = read(tmp_path, HUMAN_EVAL)[0][0].gold
    assert gold.hidden_tests.endswith("check(total)\n")
    for answer, value in (
        ("```python\ndef total(x: List[int]) -> int:\n    return sum(x)\n```", 3),
        ("    return sum(x)", 3),
        ("def total(x):\n    return 0", 0),
    ):
        names: dict[str, Any] = {}
        exec(program_of(answer, gold), names)
        assert names["total"]([1, 2]) == value
    passed = metric_named("pass@1", run_tests=lambda code, tests: code.startswith("from typing") and tests == gold.hidden_tests)
    assert passed.score("    return sum(x)", gold) == 1.0
    mbpp = read(tmp_path, CASES["mbpp"][0])[0][0].gold
    assert (mbpp.hidden_setup, mbpp.hidden_tests.count("assert")) == ("import math", 2)


def test_the_first_row_with_known_fields_decides_and_others_are_bad_rows(tmp_path: Path) -> None:
    rows, bad, name = read(tmp_path, {"what": 1}, CASES["svamp"][0], {"question": "q", "answer": ["a"]})
    assert (name, len(rows)) == ("svamp", 1)
    assert bad[0] == "1: is not in the format 'svamp': 'Body', 'Question', 'Answer' are missing"
    assert bad[1].startswith("3: is not in the format 'svamp'")
    rows, bad, _ = read(tmp_path, {"question": "q", "annotations": [{"type": "singleAnswer"}]})
    assert (rows, bad) == ([], ["1: is not in the format 'ambignq': KeyError at 'answer'"])
    _, bad, name = read(tmp_path, {"question": 7, "answer": ["a"]}, {"question": "q", "answer": [1]})
    assert (name, bad) == ("nq-open", ["1: 'query' must be text", "2: 'answer' must be text"])


def test_one_json_array_or_an_object_around_it_is_read_as_its_items(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps([CASES["svamp"][0], 3, CASES["svamp"][0]], indent=1))
    rows, bad, name = read_dataset(path)
    assert (name, [row.line for row in rows], [(item.line, item.message) for item in bad]) == ("svamp", [1, 3], [(2, "not a JSON object")])
    assert len({row.key for row in rows}) == 2
    path.write_text(json.dumps({"Data": [CASES["triviaqa-raw"][0]], "Version": 1.0}))
    assert read_dataset(path)[2] == "triviaqa-raw"


def test_unknown_formats_and_unusable_files_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'hotpotqa'"):
        read(tmp_path, {"query": "q"}, name="hotpot-qa")
    with pytest.raises(InputError, match="cannot read"):
        read_dataset(tmp_path / "absent.jsonl")


@pytest.mark.parametrize(
    ("file", "name", "count"),
    [
        ("humaneval/HumanEval.jsonl", "humaneval", 164),
        ("mbpp_solutions/solutions.jsonl", "humaneval", 388),
        ("gsm8k/test.jsonl", "gsm8k", 1319),
        ("gsm8k/model_solutions.jsonl", "gsm8k-solutions", 2732),
        ("svamp/SVAMP.jsonl", "svamp", 1000),
        ("ambignq/dev_light.jsonl", "ambignq", 2002),
        ("nq_open/NQ-open.dev.jsonl", "nq-open", 3610),
        ("nq_open/efficientqa_test_rated.jsonl", "efficientqa", 898),
        ("hotpotqa100/questions.jsonl", "hotpotqa-distractor", 100),
        ("halueval/qa_knowledge_pairs.jsonl", "halueval", 936),
        ("halueval/general_spans.jsonl", "halueval-general", 667),
        ("toxicity_rtp/sample.jsonl", "realtoxicityprompts", 305),
        ("corpus_wiki/xquad_zh_questions.jsonl", "squad", 1190),
    ],
)
def test_every_row_of_the_shared_sets_is_read(shared_data: Path, file: str, name: str, count: int) -> None:
    rows, bad, found = read_dataset(shared_data / file)
    assert (found, len(rows), bad) == (name, count, [])
    assert len({row.key for row in rows}) == count
    metric = FORMATS[name].metric
    if metric not in ("pass@1", "toxicity") and name != "halueval-general":
        assert all(row.gold.answers for row in rows)
        assert metric_named(metric).score(rows[0].gold.answers[0], rows[0].gold) == 1.0
