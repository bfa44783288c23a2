"""Reading replies of models: what is JSON is read, what is nearly JSON is read without loss, and nothing is guessed from words."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel

from redraft.effects import Effects
from redraft.errors import ModelUnreachable, Stopped
from redraft.events import Event
from redraft.lenient_json import find_json
from redraft.models import Reply, ScriptedModel
from redraft.policy import Budgets
from redraft.structured import ask, parse, read_json, schema_of
from redraft.types import Message, ModelRequest


class Verdict(BaseModel):
    verdict: Literal["supported", "contradicted", "not enough evidence"]
    quote: str = ""
    confidence: float = 0.5


class Item(BaseModel):
    text: str
    importance: Literal[1, 2, 3] = 2


class Items(BaseModel):
    model_config = ConfigDict(extra="ignore")
    claims: list[Item]


class Words(BaseModel):
    problems: list[str] = Field(default_factory=list)


class Bare(RootModel[list[Item]]):
    pass


QUOTE = {"verdict": "supported", "quote": "the tower is 330 m"}
PLAIN = json.dumps(QUOTE)
FENCES = "Use\n```python\nprint('```')\n```\nand ``x``, then {braces} and [brackets]"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        f"  \n{PLAIN}\n",
        f"```json\n{PLAIN}\n```",
        f"````markdown\n```json\n{PLAIN}\n```\n````",
        f"Sure! Here is the JSON you asked for:\n\n{PLAIN}\n\nLet me know if you need more [help].",
        f"As noted in [see page 3 and [2], the verdict follows.\n{PLAIN}",
        f"The set {{x, y}} does not matter. {PLAIN}",
        '{"verdict": "supported", "quote": "the tower is 330 m",}',
        '{\n  // the verdict\n  "verdict": "supported", # final\n  /* as\n  found */ "quote": "the tower is 330 m"\n}',
        "{'verdict': 'supported', 'quote': 'the tower is 330 m', 'confidence': 0.5}",
        '{verdict: "supported", quote: "the tower is 330 m"}',
        '{"verdict": supported, "quote": "the tower is 330 m"}',
        f'<think>Maybe {{"verdict": "contradicted"}}? No.</think>\n{PLAIN}',
        f"<thinking>a</thinking><reflection>[1]</reflection>{PLAIN}",
        f"I weigh the evidence first.</think>{PLAIN}",
        f'{{"result": {PLAIN}}}',
        f"[{PLAIN}]",
        f'{{"draft": 1}}\n{PLAIN}\n[1, 2]',
        f'{{"verdict": "contradicted"}} On reflection: {PLAIN}',
    ],
)
def test_a_reply_is_read_whatever_stands_around_it(text: str) -> None:
    assert parse(text, Verdict) == Verdict(verdict="supported", quote="the tower is 330 m")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "supported",
        "No revision needed.",
        "There is no problem with the name, but the year is wrong.",
        "it is correct",
        "The claim is supported by the evidence.",
        '"supported"',
        "null",
        "{}",
        "[]",
        '{"verdict": "not supported"}',
        '{"verdict": "supported by nothing"}',
        '{"verdict": "unsupported"}',
        '{"verdict": "supported or contradicted"}',
        '{"verdict": ["supported"]}',
        '{"verdict": true}',
        '{"verdict": null}',
        '{"quote": "supported"}',
        '{"verdict": "supported',
        '{"verdict": "suppor',
        '{"verdict"',
        '<think>{"verdict": "supported"}',
        '<think>{"verdict": "supported"} but then',
        "Ich kann das leider nicht beurteilen.",
        "这个说法是正确的。",
    ],
)
def test_a_verdict_is_never_taken_from_words(text: str) -> None:
    assert parse(text, Verdict) is None
    assert parse(text, Words) is None


@pytest.mark.parametrize("written", ["Supported", "SUPPORTED", " supported. ", "**supported**", "`supported`"])
def test_a_member_of_a_closed_set_may_be_dressed(written: str) -> None:
    assert parse(json.dumps({"verdict": written}), Verdict) == Verdict(verdict="supported")


def test_a_member_of_several_words_is_read_with_its_usual_joints() -> None:
    assert parse('{"verdict": "NOT_ENOUGH_EVIDENCE"}', Verdict) == Verdict(verdict="not enough evidence")


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Here:\n{}\nDone.", "<think>x</think>{}"])
@pytest.mark.parametrize(
    "inner", [FENCES, "line 1\nline 2\n\nline 4", "a \\ b \" c ' d", "</think> <think>", "\u2028 \u200b ü 汉字", "}]}{", "// no # comment /* */"]
)
def test_what_stands_in_a_string_is_kept_without_loss(wrap: str, inner: str) -> None:
    text = wrap.replace("{}", json.dumps({"claims": [{"text": inner}]}, ensure_ascii=False))
    assert parse(text, Items) == Items(claims=[Item(text=inner)])


def test_line_breaks_inside_a_string_are_kept() -> None:
    assert parse('{"claims": [{"text": "def f():\n\treturn 1\n"},]}', Items) == Items(claims=[Item(text="def f():\n\treturn 1\n")])


def test_a_string_with_invalid_escapes_is_kept() -> None:
    assert parse(r"""{"claims": [{"text": "\d+ \(x\) it\'s \u0041"},]}""", Items) == Items(claims=[Item(text=r"\d+ \(x\) it\'s A")])


def test_single_quoted_strings_keep_their_marks() -> None:
    assert parse("""{'claims': [{'text': 'he said "no", it\\'s off'}]}""", Items) == Items(claims=[Item(text='he said "no", it\'s off')])


WHOLE = json.dumps({"claims": [{"text": "first"}, {"text": "second", "importance": 3}, {"text": "third"}]})


def test_a_reply_cut_off_anywhere_keeps_exactly_its_complete_items() -> None:
    ends = [WHOLE.index("}"), WHOLE.index("}", WHOLE.index("second")), WHOLE.index("}", WHOLE.index("third"))]
    for length in range(len(WHOLE)):
        read = parse(WHOLE[:length], Items)
        complete = sum(length > end for end in ends)
        assert ([claim.text for claim in read.claims] if read else []) == ["first", "second", "third"][:complete], WHOLE[:length]


def test_a_list_of_which_nothing_was_complete_is_not_an_empty_list() -> None:
    assert parse('{"problems": ["the first probl', Words) is None
    assert parse('{"problems": [', Words) is None
    assert parse('{"problems": []}', Words) == Words()


def test_what_was_cut_off_is_not_completed() -> None:
    assert parse('{"verdict": "contradicted", "quote": "the tower is 3', Verdict) == Verdict(verdict="contradicted")
    assert parse('{"quote": "a", "confidence": 0.9', Verdict) is None
    assert read_json('{"a": 1, "b": 12') == {"a": 1}
    assert read_json('{"a": [1, 2, 3') == {"a": [1, 2]}


def test_items_that_do_not_fit_are_dropped_and_the_rest_is_kept() -> None:
    text = '{"claims": [{"text": "a"}, {"importance": 2}, "b", {"text": "c", "importance": 9}, {"text": "d", "importance": "3"}]}'
    assert parse(text, Items) == Items(claims=[Item(text="a")])
    assert parse('{"claims": [{"importance": 2}, 7]}', Items) is None
    assert parse('{"claims": []}', Items) == Items(claims=[])


def test_a_bare_list_stands_for_the_only_list_of_a_shape() -> None:
    for text in ('[{"text": "a"}, {"text": "b"}]', '```\n[{"text": "a"}, {"text": "b"}]```', '{"text": "a"}\n{"text": "b"}\n'):
        assert parse(text, Items) == Items(claims=[Item(text="a"), Item(text="b")])
    assert parse('[{"text": "a"}]', Bare) == Bare([Item(text="a")])


def test_marks_that_are_not_escaped_are_read_as_the_last_resort() -> None:
    assert parse('{"verdict": "supported", "quote": "he said "yes" to it"}', Verdict) == Verdict(verdict="supported", quote='he said "yes" to it')
    text = '{"claims": [{"text": "he said "yes" then"}, {"text": "b"}]}'
    assert parse(text, Items) == Items(claims=[Item(text='he said "yes" then'), Item(text="b")])


def test_a_verdict_inside_a_spoilt_string_does_not_count() -> None:
    """A page may contain JSON of its own, and a model may quote it without escaping it."""
    text = '{"verdict": "contradicted", "quote": "the page says "{"verdict": "supported"}" in its footer"}'
    assert parse(text, Verdict) is None
    assert parse('{"problems": ["he said "no" here"], "notes": ["fine"]}', Words) in (None, Words(problems=['he said "no" here']))


def test_the_value_that_fits_best_wins() -> None:
    text = '{"verdict": "supported"} is the form; mine is {"verdict": "contradicted", "quote": "q", "confidence": 0.9} as {"quote": "x"}.'
    assert parse(text, Verdict) == Verdict(verdict="contradicted", quote="q", confidence=0.9)


def test_a_number_that_is_none_is_not_read() -> None:
    assert parse('{"verdict": "supported", "confidence": NaN}', Verdict) is None
    assert parse('{"verdict": "supported", "confidence": ' + "9" * 5000 + "}", Verdict) is None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "{" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 10_000,
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        '{"claims":[' * 5_000,
        '["' * 50_000,
        "[/*" * 50_000,
        "{'" * 50_000,
        "[1," * 50_000,
        "[1, x" * 50_000,
        '{"a": 1, x' * 50_000,
        "\\" * 1_000_000,
        '"' * 1_000_000,
        "x" * 1_000_000,
        "{}[]" * 60_000,
        "<think>" * 150_000,
        "</think>" * 100_000,
        '{"verdict": "supported", ' * 40_000,
        '{"a b": "x "y" z", ' * 50_000,
        "\x00\ud800{" * 50_000,
    ],
    ids=lambda text: text[:12].encode("ascii", "backslashreplace").decode(),
)
def test_a_hostile_reply_is_nothing_and_takes_no_time(text: str) -> None:
    assert parse(text, Verdict) is None
    assert parse(text, Items) is None
    read_json(text)


def test_a_value_after_much_garbage_is_found() -> None:
    assert parse("[" * 10_000 + PLAIN + "]" * 10_000, Verdict) == Verdict(**QUOTE)  # type: ignore[arg-type]
    assert parse("garbage ] } ' \" " * 50_000 + PLAIN, Verdict) == Verdict(**QUOTE)  # type: ignore[arg-type]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, min_size=1) | st.lists(JSON, min_size=1), st.sampled_from(["{}", "```json\n{}\n```", "Here it is:\n{}\nThat is all."]))
def test_every_json_value_is_read_back(value: Any, wrap: str) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        assert read_json(wrap.replace("{}", text)) == value


@given(st.dictionaries(st.text(min_size=1), st.lists(st.text() | st.integers() | st.booleans() | st.none(), min_size=1), min_size=1))
def test_what_python_prints_is_read_back(value: dict[str, Any]) -> None:
    text = repr(value)
    if "\\x" not in text and "\\U" not in text and "\\u" not in text:  # escapes that JSON does not know are kept as they are written
        assert read_json(text) == value


@given(st.text())
def test_no_text_raises(text: str) -> None:
    for shape in (Verdict, Items, Words, Bare):
        parse(text, shape)
    find_json(text)


@settings(max_examples=200)
@given(st.text(alphabet="{}[]\"',:\\/*# \nntruefalse019.-`", max_size=60))
def test_no_mixture_of_marks_raises(text: str) -> None:
    for found in find_json(text):
        assert 0 <= found.start < found.end <= len(text)
    parse(text, Items)


@given(JSON.filter(lambda value: isinstance(value, dict) and bool(value)), st.data())
def test_what_was_cut_off_is_part_of_the_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    read = read_json(text[: data.draw(st.integers(0, len(text) - 1))])
    assert read is None or _within(read, value)


def _within(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return all(key in whole and _within(item, whole[key]) for key, item in part.items())
    if isinstance(part, list):
        return all(_within(one, other) for one, other in zip(part, whole, strict=False)) and len(part) <= len(whole)
    return part == whole


def test_the_schema_says_no_titles_but_keeps_fields_of_that_name() -> None:
    class Book(BaseModel):
        title: str
        pages: list[Item]

    schema = schema_of(Book)
    assert "title" not in schema
    assert schema["properties"]["title"] == {"type": "string"}
    assert schema["properties"]["pages"]["items"]["$ref"] == "#/$defs/Item"


class Sink:
    def write(self, event: Event) -> None: ...


def effects_of(model: ScriptedModel, **budgets: Any) -> Effects:
    return Effects(writer=model, tools={}, sink=Sink(), budgets=Budgets(**budgets))


REQUEST = ModelRequest(role="judge", messages=(Message(role="user", content="Is it so?"),), max_tokens=200, temperature=0.7)


async def test_ask_sends_the_schema_and_reads_the_reply() -> None:
    model = ScriptedModel([PLAIN])
    effects = effects_of(model)
    assert await ask(effects, model, REQUEST, Verdict) == Verdict(verdict="supported", quote="the tower is 330 m")
    assert model.requests[0].schema == schema_of(Verdict)
    assert effects.usage.repairs == 0
    assert effects.warnings == []


async def test_a_reply_that_cannot_be_read_is_repaired_once_with_little_context() -> None:
    broken = "I find it supported. " + "x" * 50_000 + " The end."
    model = ScriptedModel([broken, PLAIN])
    effects = effects_of(model)
    assert await ask(effects, model, REQUEST, Verdict) == Verdict(verdict="supported", quote="the tower is 330 m")
    repair = model.requests[1]
    content = repair.messages[-1].content
    assert repair.role == "repair"
    assert repair.temperature == 0
    assert len(content) < 8_000
    assert "Is it so?" not in content
    assert "I find it supported." in content
    assert "The end." in content
    assert '"contradicted"' in content
    assert "there is no JSON value in it" in content
    assert effects.usage.repairs == 1
    assert effects.usage.llm_calls == 2


async def test_a_repair_that_fails_leaves_nothing_and_says_so() -> None:
    for second in ("still nothing", ModelUnreachable("gone"), Reply(error="quota", text="full")):
        model = ScriptedModel(["nothing", second, PLAIN])
        effects = effects_of(model)
        assert await ask(effects, model, REQUEST, Verdict) is None
        assert model.left == 1
        assert len(effects.warnings) == 1


async def test_no_repair_beyond_the_bound_of_the_policy() -> None:
    model = ScriptedModel(["nothing", PLAIN])
    effects = effects_of(model, repairs=0)
    assert await ask(effects, model, REQUEST, Verdict) is None
    assert len(model.requests) == 1


async def test_a_failing_model_is_no_reply_and_a_spent_budget_stops() -> None:
    model = ScriptedModel([ModelUnreachable("gone"), "nothing", PLAIN])
    effects = effects_of(model, llm_calls=2)
    assert await ask(effects, model, REQUEST, Verdict) is None
    with pytest.raises(Stopped, match="call_budget"):
        await ask(effects, model, REQUEST, Verdict)


async def test_dropped_items_are_told() -> None:
    model = ScriptedModel(['{"claims": [{"text": "a"}, {"importance": 1}]}'])
    effects = effects_of(model)
    assert await ask(effects, model, REQUEST, Items) == Items(claims=[Item(text="a")])
    assert effects.warnings == ["1 part(s) of a reply of scripted could not be used (judge)"]
