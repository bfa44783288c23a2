"""Published data sets as task rows: each format by the fields of its rows, read as its authors publish it (JSON lines, or one JSON array).

A format turns one published row into our own row format (`rows.py`), and says nothing to the loop that its readers were not told: what is gold goes under
`answers` and `hidden_tests`, which only metrics read, and what would give the gold away (explanations, supporting facts, programs) is left out or goes
under a key of its own, which is copied to the output row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redraft.errors import InputError, UnknownName
from redraft.studies.metrics import MetricName
from redraft.studies.rows import BadRow, Row, read_lines, rows_from

__all__ = ["FORMATS", "OWN", "Format", "format_named", "format_of", "read_dataset"]

Values = Mapping[str, Any]
OWN = "redraft"
"""The name of our own row format."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A published shape of rows. `shape` gives our rows for one of theirs; a row without one of the `fields` is none of them."""

    name: str
    summary: str
    metric: MetricName
    """The metric that its authors, or most who report on it, use."""
    fields: tuple[str, ...]
    shape: Callable[[Values], Sequence[Values]]
    fits: Callable[[Values], bool] = lambda values: True
    """Beyond the names of the fields: whether this is the shape that a row without a named format has."""


def read_dataset(path: Path, name: str = "auto", *, forbidden: Iterable[Path] = ()) -> tuple[list[Row], list[BadRow], str]:
    """The rows of a file in a published format or our own, those that cannot be used, and the format's name.

    With `auto` the first row that has the fields of a format decides for the whole file.

    Raises:
        InputError: the file cannot be read, is not text, or is empty.
        UnknownName: there is no such format.
    """
    wanted = None if name == "auto" else format_named(name)
    lines, unreadable = read_lines(path)
    if name == "auto":
        wanted = next((found for _, values in lines if (found := format_of(values)) is not None), None)
    shape = None if wanted is None or wanted.name == OWN else _shaping(wanted)
    rows, bad = rows_from(lines, path, forbidden=forbidden, shape=shape)
    return rows, sorted((*unreadable, *bad), key=lambda item: item.line), wanted.name if wanted else OWN


def format_named(name: str) -> Format:
    """The format of this name.

    Raises:
        UnknownName: there is none; the message names the nearest.
    """
    if name not in FORMATS:
        raise UnknownName("format", name, ("auto", *FORMATS))
    return FORMATS[name]


def format_of(values: Values) -> Format | None:
    """The format that a row has, by its fields; None if by none."""
    return next((item for item in FORMATS.values() if all(field in values for field in item.fields) and item.fits(values)), None)


def _shaping(wanted: Format) -> Callable[[Values], Sequence[Values]]:
    def shape(values: Values) -> Sequence[Values]:
        missing = [field for field in wanted.fields if field not in values]
        if missing:
            raise InputError(f"is not in the format {wanted.name!r}: {', '.join(map(repr, missing))} {'is' if len(missing) == 1 else 'are'} missing")
        try:
            return wanted.shape(values)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise InputError(f"is not in the format {wanted.name!r}: {type(error).__name__} at {error}") from None

    return shape


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{field!r} must be text")
    return value


def _texts(value: object, field: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise InputError(f"{field!r} must be a list of texts")
    return [_text(item, field) for item in cast("list[object]", value)]


def _distinct(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _kept(values: Values, *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _own(values: Values) -> Sequence[Values]:
    return (values,)


def _human_eval(values: Values) -> Sequence[Values]:
    prompt, name = _text(values["prompt"], "prompt"), _text(values["entry_point"], "entry_point")
    tests = _text(values["test"], "test")
    # MultiPL-E calls check itself at the end of its tests, HumanEval leaves it to the caller
    called = tests if "test_check()" in tests.rpartition("\n\n")[2] else f"{tests}\n\ncheck({name})\n"
    key = "task_id" if "task_id" in values else "name"
    query = f"Complete this Python function. Give the whole function.\n\n{prompt.rstrip()}"
    row = {"id": values[key], "query": query, "kind": "code", "hidden_tests": called, "hidden_setup": prompt, "entry_point": name}
    if "solution" in values:
        row |= {"answer": _text(values["solution"], "solution"), **_kept(values, "model", "strategy")}
    return (row,)


def _mbpp(values: Values) -> Sequence[Values]:
    wanted = _text(values.get("text") or values["prompt"], "text")
    tests = _texts(values["test_list"], "test_list")
    hidden = "\n".join([*tests, *_texts(values.get("challenge_test_list") or [], "challenge_test_list")])
    setup = "\n".join([*_texts(values.get("test_imports") or [], "test_imports"), str(values.get("test_setup_code") or "")]).strip()
    # the first assertion shows the name and the form of the arguments, as in the authors' prompt
    query = f"{wanted}\n\nYour function must pass a test such as this one:\n{tests[0]}"
    return ({"id": values["task_id"], "query": query, "kind": "code", "hidden_tests": hidden, "hidden_setup": setup},)


def _gsm8k(values: Values) -> Sequence[Values]:
    return ({**_kept(values, "id"), "query": values["question"], "kind": "math", "answers": [_text(values["answer"], "answer")]},)


def _gsm8k_solutions(values: Values) -> Sequence[Values]:
    """One row for each recorded solution, which is its draft."""
    gold = _text(values["ground_truth"], "ground_truth")
    final = gold.rpartition("\nA:")[2].strip() if "\nA:" in gold else gold
    rows: list[Values] = []
    for system, solution in values.items():
        if isinstance(solution, dict) and "solution" in solution:
            draft = _text(cast("Values", solution)["solution"], "solution")
            rows.append({"query": values["question"], "kind": "math", "answer": draft, "answers": [final], "system": system})
    return rows


def _svamp(values: Values) -> Sequence[Values]:
    body = _text(values["Body"], "Body").strip()
    story = body if body.endswith((".", "?", "!", ",")) else f"{body}."
    row = {"id": values["ID"], "query": f"{story} {_text(values['Question'], 'Question').strip()}", "kind": "math", "answers": [values["Answer"]]}
    return ({**row, **({"type": values["Type"]} if "Type" in values else {})},)


def _ambignq(values: Values) -> Sequence[Values]:
    """Any answer that an annotator gives, to the question or to one of its readings, with its aliases."""
    answers: list[str] = []
    several = False
    for note in cast("list[Values]", values["annotations"]):
        pairs = cast("list[Values]", note.get("qaPairs") or [])
        several = several or bool(pairs)
        for pair in pairs if note["type"] == "multipleQAs" else [note]:
            answers += _texts(pair["answer"], "answer")
    return ({**_kept(values, "id"), "query": values["question"], "answers": _distinct(answers), "ambiguous": several},)


def _nq_open(values: Values) -> Sequence[Values]:
    return ({**_kept(values, "id"), "query": values["question"], "answers": _distinct(_texts(values["answer"], "answer"))},)


def _efficientqa(values: Values) -> Sequence[Values]:
    """What raters called definitely correct counts beside the annotated answers."""
    accepted = _distinct((*_texts(values["answer"], "answer"), *_texts(values["def_correct_predictions"], "def_correct_predictions")))
    return ({**_kept(values, "id"), "query": values["question"], "answers": accepted},)


def _paragraphs(context: object) -> str:
    """Title and text of each paragraph, as published: a list of [title, sentences], of {title, sentences}, or one of columns."""
    if isinstance(context, dict):
        columns = cast("Mapping[str, Any]", context)
        pairs: list[Any] = list(zip(columns["title"], columns["sentences"], strict=True))
    else:
        pairs = [(item["title"], item["sentences"]) if isinstance(item, dict) else item for item in cast("list[Any]", context)]
    return "\n\n".join(f"{title}\n{''.join(sentences).strip()}" for title, sentences in pairs)


def _hotpot(values: Values) -> Sequence[Values]:
    key = "id" if "id" in values else "_id"
    return ({"id": values[key], "query": values["question"], "answers": [_text(values["answer"], "answer")], **_kept(values, "type", "level")},)


def _hotpot_distractor(values: Values) -> Sequence[Values]:
    return tuple({**row, "context": _paragraphs(values["context"])} for row in _hotpot(values))


def _trivia(values: Values) -> Sequence[Values]:
    small = "question" in values
    given = values["answer" if small else "Answer"]
    names = ("value", "aliases", "human_answers") if small else ("Value", "Aliases", "HumanAnswers")
    answers = _distinct(text for name in names for text in _texts(given.get(name) or [], name))
    identity = values.get("question_id", values.get("QuestionId"))
    return ({**({"id": identity} if identity is not None else {}), "query": values["question" if small else "Question"], "answers": answers},)


def _squad(values: Values) -> Sequence[Values]:
    given = values["answers"]
    answers = _texts(cast("Values", given)["text"] if isinstance(given, dict) else given, "answers")
    return ({**_kept(values, "id", "context", "title"), "query": values["question"], "answers": _distinct(answers)},)


def _flask(values: Values) -> Sequence[Values]:
    """The reference answer is gold, though of an open question: a blind judge says more of such answers than any comparison."""
    row = {"id": values["question_id"], "query": values["text"], "kind": "report", "answers": [_text(values["answer"], "answer")]}
    return ({**row, "domain": values.get("domain_labeled"), "skills": values.get("metrics"), "difficulty": values.get("difficulty_labeled")},)


def _halueval_qa(values: Values) -> Sequence[Values]:
    """Two rows of each: the invented answer as a draft, which should be mended, and the right one, which should be left alone."""
    common = {"query": values["question"], "context": _text(values["knowledge"], "knowledge"), "answers": [_text(values["right_answer"], "right_answer")]}
    name = values.get("id", values["question"])
    return tuple(
        {**common, "id": f"{name}/{draft}", "answer": _text(values[field], field), "draft": draft}
        for draft, field in (("hallucinated", "hallucinated_answer"), ("right", "right_answer"))
    )


def _halueval_general(values: Values) -> Sequence[Values]:
    """Without an answer to compare with: the labels are kept, and no metric of answers is defined."""
    row = {"query": values["user_query"], "kind": "report", "answer": _text(values["chatgpt_response"], "chatgpt_response")}
    return ({**_kept(values, "hallucination", "hallucination_spans"), "id": values.get("ID", values["user_query"]), **row},)


def _toxicity_prompt(values: Values) -> Sequence[Values]:
    prompt = values["prompt"]
    name = f"{values['filename']}|{values['begin']}" if "filename" in values else _text(prompt["text"], "prompt")
    query = f"Continue this text in one or two sentences:\n\n{_text(prompt['text'], 'prompt')}"
    return ({"id": name, "query": query, "kind": "safety", "prompt": prompt["text"], **_kept(values, "challenging")},)


def _toxicity_continuation(values: Values) -> Sequence[Values]:
    return tuple({**row, "answer": _text(values["continuation"]["text"], "continuation").strip()} for row in _toxicity_prompt(values))


def _is_text(name: str) -> Callable[[Values], bool]:
    return lambda values: isinstance(values[name], str)


def _is(name: str, *kinds: type) -> Callable[[Values], bool]:
    return lambda values: isinstance(values[name], kinds)


_ALL = (
    Format(name=OWN, summary="our own rows", metric="em", fields=("query",), shape=_own),
    Format(
        name="humaneval", summary="HumanEval, and MBPP in its form (MultiPL-E)", metric="pass@1", fields=("prompt", "entry_point", "test"), shape=_human_eval
    ),
    Format(name="mbpp", summary="MBPP, whole and sanitised", metric="pass@1", fields=("task_id", "test_list"), shape=_mbpp),
    Format(
        name="gsm8k",
        summary="GSM8K",
        metric="gsm8k",
        fields=("question", "answer"),
        shape=_gsm8k,
        fits=lambda values: isinstance(values["answer"], str) and "####" in values["answer"],
    ),
    Format(
        name="gsm8k-solutions",
        summary="GSM8K's recorded solutions of models, one row each, as drafts",
        metric="gsm8k",
        fields=("question", "ground_truth"),
        shape=_gsm8k_solutions,
    ),
    Format(name="svamp", summary="SVAMP", metric="numeric", fields=("Body", "Question", "Answer"), shape=_svamp),
    Format(name="ambignq", summary="AmbigNQ, light", metric="f1", fields=("question", "annotations"), shape=_ambignq),
    Format(
        name="efficientqa",
        summary="EfficientQA with raters' verdicts",
        metric="em-squad",
        fields=("question", "answer", "def_correct_predictions"),
        shape=_efficientqa,
    ),
    Format(
        name="hotpotqa-distractor",
        summary="HotpotQA with its ten paragraphs given",
        metric="f1-hotpot",
        fields=("question", "answer", "context", "supporting_facts"),
        shape=_hotpot_distractor,
        fits=_is_text("answer"),
    ),
    Format(
        name="hotpotqa",
        summary="HotpotQA, the question alone",
        metric="f1-hotpot",
        fields=("question", "answer"),
        shape=_hotpot,
        fits=lambda values: isinstance(values["answer"], str) and ("supporting_facts" in values or "level" in values),
    ),
    Format(
        name="triviaqa",
        summary="TriviaQA, as published by Hugging Face",
        metric="em-trivia",
        fields=("question", "answer"),
        shape=_trivia,
        fits=_is("answer", dict),
    ),
    Format(
        name="triviaqa-raw", summary="TriviaQA, the authors' files", metric="em-trivia", fields=("Question", "Answer"), shape=_trivia, fits=_is("Answer", dict)
    ),
    Format(name="nq-open", summary="NQ-open", metric="em-squad", fields=("question", "answer"), shape=_nq_open, fits=_is("answer", list)),
    Format(name="squad", summary="SQuAD, XQuAD, flat", metric="f1", fields=("question", "answers"), shape=_squad),
    Format(name="flask", summary="FLASK and FLASK-Hard", metric="f1", fields=("question_id", "text", "answer"), shape=_flask),
    Format(
        name="halueval",
        summary="HaluEval questions: the invented and the right answer, as drafts",
        metric="em",
        fields=("knowledge", "question", "right_answer", "hallucinated_answer"),
        shape=_halueval_qa,
    ),
    Format(
        name="halueval-general",
        summary="HaluEval, general queries with labels",
        metric="em",
        fields=("user_query", "chatgpt_response"),
        shape=_halueval_general,
    ),
    Format(
        name="realtoxicityprompts",
        summary="RealToxicityPrompts, prompts that the model continues",
        metric="toxicity",
        fields=("prompt",),
        shape=_toxicity_prompt,
        fits=lambda values: isinstance(values["prompt"], dict) and "text" in values["prompt"],
    ),
    Format(
        name="realtoxicityprompts-web",
        summary="RealToxicityPrompts, the web's continuations as drafts",
        metric="toxicity",
        fields=("prompt", "continuation"),
        shape=_toxicity_continuation,
        fits=lambda values: False,
    ),
)
FORMATS: Mapping[str, Format] = {item.name: item for item in _ALL}
"""By name, in the order in which a file's format is looked for."""
