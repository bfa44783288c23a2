"""Code in answers: blocks, syntax, tests taken apart, and the verdicts that running them gives."""

# ruff: noqa: E501
# A program is easier to read as one string

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.claims.assertions import split_tests
from redraft.claims.code import code_blocks, examples, program, syntax
from redraft.effects import Effects
from redraft.errors import ModelRefused
from redraft.planning.code import routes
from redraft.planning.formats import as_schema, read_format
from redraft.policy import Budgets
from redraft.tools.python import PythonTool
from redraft.tools.sandbox import Limits
from redraft.types import Claim, ModelReply, ModelRequest, Task, TaskKind, Verdict

LIMITS = Limits(seconds=0.5, total_seconds=4)
DOUBLE = "def double(x):\n    return 2 * x\n"
TESTS = "assert double(2) == 4\nassert double(3) == 6\n"


class NoModel:
    name = "none"
    ability = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise ModelRefused("there is no model")

    async def close(self) -> None:
        return None


class NoSink:
    def write(self, event: object) -> None:
        return None


def need(name: str) -> None:
    there, why = PythonTool().available()[name]
    if not there:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {name}: {why}")
        pytest.skip(f"{name}: {why}")


async def verdicts(text: str, task: Task | None = None, *, tools: bool = True) -> list[tuple[Claim, Verdict]]:
    task = task or Task(query="", kind="report")
    tool = PythonTool(limits=LIMITS)
    effects = Effects(writer=NoModel(), tools={"python": tool} if tools else {}, sink=NoSink(), budgets=Budgets())
    found: list[tuple[Claim, Verdict]] = []
    for route in await routes(text, task, effects):
        verdict = route.decide([await effects.use(call) for call in route.calls])
        assert verdict is not None
        found.append((route.claim, verdict))
    await tool.close()
    return found


async def outcomes(text: str, tests: str, query: str = "") -> list[str]:
    found = await verdicts(text, Task(query=query, kind="code", tests=tests))
    return [verdict.status for claim, verdict in found if claim.requirement]


def fenced(source: str, label: str = "python") -> str:
    return f"Here it is:\n\n```{label}\n{source}```\n\nThat is all.\n"


# reading

SYNTAX = [
    ("x = 1\n", "valid"),
    ("def f(x):\nreturn x\n", "invalid"),
    ("print('a'\n", "invalid"),
    ("for i in range(3) print(i)\n", "invalid"),
    ("    x = 1\n    y = 2\n", "valid"),
    ("def f(...):\n    ...\n", "unclear"),
    ("print 'hello'\n", "unclear"),
    ("%matplotlib inline\nx = 1\nfoo bar baz\n", "unclear"),
    ("type Pair[T] = tuple[T, T]\n", "unclear"),
    ("x = <your code here>\n", "unclear"),
    ("- x = 1\n+ x = 2 y\n", "unclear"),
    ("repeat until done: take the next\n", "unclear"),
    ("$ pip install x\nx = 1\n", "unclear"),
    ("", "valid"),
]


@pytest.mark.parametrize(("source", "status"), SYNTAX)
def test_only_what_is_surely_meant_as_python_is_invalid(source: str, status: str) -> None:
    assert syntax(source).status == status


@given(st.text(max_size=200))
def test_reading_never_raises(text: str) -> None:
    assert syntax(text).status
    assert all(block.source in text or block.source.strip() for block in code_blocks(text))
    examples(text)
    program(text, text, frozenset({"f"}), bare=True)
    split_tests(text)


def test_a_block_is_found_where_it_stands_with_its_language() -> None:
    text = "~~~py\nx = 1\n~~~\n\n```\nimport os\n```\n\n```json\n{}\n```\n\n```\nsome words\n```\n\n```python\n>>> 1 + 1\n2\n```\n"
    blocks = code_blocks(text)
    assert [block.language for block in blocks] == ["python", "python", "json", "", "pycon"]
    assert [text[slice(*block.span)].rstrip() for block in blocks] == ["x = 1", "import os", "{}", "some words", ">>> 1 + 1\n2"]


def test_examples_of_doc_strings_stand_where_their_spans_say() -> None:
    source = 'def f(x):\n    """Twice.\n\n    >>> f(2)\n    4\n    >>> f(\n    ...     3)\n    6\n    """\n    return 2 * x\n'
    found = examples(source)
    assert [(example.source, example.want) for example in found] == [("f(2)", "4"), ("f(\n    3)", "6")]
    assert source[slice(*found[0].span)] == ">>> f(2)\n    4"


# taking tests apart


def assertions_in(source: str, entry: str = "", defined: str = "") -> list[str]:
    found = split_tests(source, entry, frozenset(defined.split()))
    assert not found.problem
    return [statement.source for statement in found.statements if statement.kind == "test"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert f(1) == 2\nassert f(2) == 4", ["assert f(1) == 2", "assert f(2) == 4"]),
        (
            "def check(candidate):\n    assert candidate(1) == 2\n    x = 3\n    assert candidate(x) == 6\ncheck(f)",
            ["assert candidate(1) == 2", "assert candidate(x) == 6"],
        ),
        ("def check(c):\n    assert c(1) == 2\n\ndef test_check():\n    check(f)\n\ntest_check()", ["assert c(1) == 2"]),
        ("def test_a():\n    assert f(1)\n\ndef test_b():\n    assert f(2)\n", ["assert f(1)", "assert f(2)"]),
        ("def check(c):\n    for i in range(3):\n        assert c(i) == i\ncheck(f)", ["for i in range(3):\n    assert c(i) == i"]),
        ("def check(c):\n    if c(1):\n        return\n    assert c(2)\ncheck(f)", ["check(f)"]),
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n        self.assertTrue(f(2))\nunittest.main()",
            ["self.assertEqual(f(1), 2)", "self.assertTrue(f(2))"],
        ),
        (
            "import pytest\n@pytest.mark.parametrize('a, b', [(1, 2), (2, 4)])\ndef test_f(a, b):\n    assert f(a) == b",
            ["assert f(a) == b", "assert f(a) == b"],
        ),
        ("assert f(1) == 2, 'text, with == in it'", ["assert f(1) == 2, 'text, with == in it'"]),
        ("if __name__ == '__main__':\n    assert False", []),
    ],
)
def test_each_assertion_is_a_test(source: str, expected: list[str]) -> None:
    assert assertions_in(source) == expected


def test_a_check_that_is_never_called_is_given_the_entry() -> None:
    assert assertions_in("def check(candidate):\n    assert candidate(1) == 2\n", "f") == ["assert candidate(1) == 2"]


def test_the_expected_side_is_the_one_that_calls_nothing() -> None:
    (statement,) = split_tests("assert 4 == f(2)").statements
    assert (statement.left, statement.right) == ("f(2)", "4")


def test_a_name_imported_from_elsewhere_may_be_the_answers() -> None:
    found = split_tests("from solution import f as g\nassert g(1)", "", frozenset({"f"}))
    assert [statement.source for statement in found.statements] == ["g = f", "assert g(1)"]
    assert found.needed == {"f"}


# the program of an answer

HEADER = 'from typing import List\n\n\ndef total(xs: List[int]) -> int:\n    """The sum.\n    >>> total([1, 2])\n    3\n    """\n'
TOTAL = "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n\ncheck(total)\n"


@pytest.mark.parametrize(
    "answer",
    [
        "    return sum(xs)\n",
        "return sum(xs)",
        "\n    result = 0\n    for x in xs:\n        result += x\n    return result",
        "result = 0\n    for x in xs:\n        result += x\n    return result",
        "def total(xs: List[int]) -> int:\n    return sum(xs)\n",
        HEADER + "    return sum(xs)\n",
        fenced("def total(xs: List[int]) -> int:\n    return sum(xs)\n"),
        fenced("def helper(xs):\n    return sum(xs)\n") + fenced("def total(xs):\n    return helper(xs)\n"),
        "Sure, here is the function:\n\ndef total(xs):\n    return sum(xs)\n\nIt adds the numbers up.",
        fenced("    return sum(xs)\n"),
    ],
)
async def test_a_body_a_function_and_a_block_are_all_the_answers_program(answer: str) -> None:
    need("monty")
    assert await outcomes(answer, TOTAL, HEADER) == ["supported", "supported"]


async def test_a_body_that_is_wrong_is_contradicted_with_expected_and_got() -> None:
    need("monty")
    found = await verdicts("    return len(xs)\n", Task(query=HEADER, kind="code", tests=TOTAL))
    first = next(verdict for claim, verdict in found if claim.requirement)
    assert first.status == "contradicted"
    assert first.method == "executed"
    assert first.confidence == 1.0
    assert first.note == "the test failed: expected 3, got 2"
    assert "assert candidate([1, 2]) == 3" in first.evidence[0].text


# verdicts


async def test_ids_of_given_tests_depend_on_the_tests_alone() -> None:
    one = await verdicts(fenced(DOUBLE), Task(query="q", kind="code", tests=TESTS))
    two = await verdicts(fenced("def double(x):\n    return x\n"), Task(query="q", kind="code", tests=TESTS))
    three = await verdicts("no code at all", Task(query="q", kind="code", tests=TESTS))
    ids = [[claim.id for claim, _ in found if claim.requirement] for found in (one, two, three)]
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids[0])) == 2


async def test_equal_assertions_have_different_ids() -> None:
    found = await verdicts(fenced(DOUBLE), Task(query="q", kind="code", tests="assert double(1) == 2\nassert double(1) == 2\n"))
    assert len({claim.id for claim, _ in found if claim.requirement}) == 2


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        ("def double(x):\n    while True:\n        pass\n", r"did not finish within"),
        ("def double(x):\n    while True:\n        print('a' * 1000)\n", r"printed more than|did not finish"),
        ("def double(x):\n    return 'a' * (1 << 33)\n", r"memory"),
        ("def double(x):\n    raise KeyError(x)\n", r"KeyError: 2"),
        ("def double(x):\n    import os\n    os._exit(0)\n", r"ended before"),
        ("def double(x):\n    return x +\n", r"does not parse"),
        ("def triple(x):\n    return 3 * x\n", r"NameError"),
        ("I cannot help with that.", r"no code"),
    ],
)
async def test_what_never_comes_back_is_a_failed_test(answer: str, note: str) -> None:
    need("bubblewrap")
    found = [verdict for claim, verdict in await verdicts(answer, Task(query="", kind="code", tests=TESTS)) if claim.requirement]
    assert found[0].status == "contradicted"
    assert re.search(note, found[0].note)
    assert all(verdict.status != "supported" for verdict in found)


@pytest.mark.parametrize(
    "tests",
    [
        "import numpy_that_is_missing\nassert double(2) == 4",
        "def test_x(tmp_path):\n    assert double(2) == 4",
        "def test(:",
        "x = 1",
        "import pytest\n@pytest.fixture\ndef two(): return 2\ndef test_x(two):\n    assert double(two) == 4",
    ],
)
async def test_tests_that_cannot_run_decide_nothing(tests: str) -> None:
    need("bubblewrap")
    statuses = await outcomes(fenced(DOUBLE), tests)
    assert statuses
    assert not {"supported", "contradicted"} & set(statuses)


async def test_without_a_sandbox_nothing_is_decided() -> None:
    found = await verdicts(fenced(DOUBLE), Task(query="", kind="code", tests=TESTS), tools=False)
    assert {verdict.status for claim, verdict in found if claim.requirement} == {"unavailable"}


async def test_an_answer_in_another_language_is_not_contradicted() -> None:
    assert set(await outcomes(fenced("const double = x => 2 * x;\n", "js"), TESTS)) == {"unavailable"}


async def test_own_doctests_are_executed_and_are_no_requirement() -> None:
    need("monty")
    source = 'def double(x):\n    """\n    >>> double(2)\n    4\n    >>> double(3)\n    7\n    """\n    return 2 * x\n'
    text = fenced(source)
    found = [(claim, verdict) for claim, verdict in await verdicts(text) if claim.text.startswith(">>>")]
    assert [verdict.status for _, verdict in found] == ["supported", "contradicted"]
    assert not any(claim.requirement for claim, _ in found)
    assert all(text[slice(*claim.span)] == claim.text for claim, _ in found)


async def test_a_transcript_is_run_as_it_stands() -> None:
    need("monty")
    found = await verdicts(fenced(">>> x = 3\n>>> x * 2\n6\n>>> [x for _ in range(2)]\n[3, 4]\n", "pycon"))
    shown = [verdict.status for claim, verdict in found if claim.text.startswith(">>>")]
    assert shown == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ("class Stack: pass\n", None),
        ("k = 2\nassert [double(k) for _ in range(k)] == [4, 4]\n", "supported"),
        ("def test_scope():\n    k = 2\n    assert [double(k) for _ in range(k)] == [k * 2 for _ in range(k)]\n", "supported"),
        ("import math\nassert math.isclose(double(0.1), 0.2)\n", "supported"),
        (
            "import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.k = 2\n    def test_a(self):\n        self.assertEqual(double(self.k), 4)\n",
            "supported",
        ),
        ("import pytest\ndef test_raises():\n    with pytest.raises(TypeError):\n        double(None)\n", "supported"),
    ],
)
async def test_tests_in_every_manner(tests: str, expected: str | None) -> None:
    need("bubblewrap")
    statuses = await outcomes(fenced(DOUBLE), tests)
    assert set(statuses) == ({expected} if expected else {"unavailable"})


async def test_a_block_of_python_is_parsed_and_a_bare_program_without_tests_proves_nothing() -> None:
    (claim, verdict), *_ = await verdicts(fenced(DOUBLE))
    assert (claim.kind, verdict.status, verdict.method) == ("code", "supported", "executed")
    (_, broken), *_ = await verdicts(fenced("def f(:\n    pass\n"))
    assert broken.status == "contradicted"
    assert "line 1" in broken.note
    (_, alone), *_ = await verdicts(DOUBLE, Task(query="", kind="code"))
    assert alone.status == "insufficient"


# formats

FORMATS = [
    ("json", '{"a": [1, 2]}', "supported"),
    ("json", '{"a": 1,}', "contradicted"),
    ("json", '{"a": NaN}', "contradicted"),
    ("json", '{"a": 1}\n{"a": 2}', "supported"),
    ("json", '{"a": 1, ...}', "insufficient"),
    ("json", '{"a": 1 // one\n}', "insufficient"),
    ("json", "[" * 100_000, "unavailable"),
    ("yaml", "a:\n  - 1\n  - {b: !Ref c}\n", "supported"),
    ("yaml", "a: [1, 2\nb: 3", "contradicted"),
    ("yaml", "a: &a [x]\nb: [*a, *a]\n", "supported"),
    ("toml", "a = 1\n[b]\nc = [1, 2]\n", "supported"),
    ("toml", "a = = 1\n", "contradicted"),
    ("xml", "<a><b x='1'/></a>", "supported"),
    ("xml", "<a/><b/>", "supported"),
    ("xml", "<a><b></a>", "contradicted"),
    ("xml", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "insufficient"),
    ("xml", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>', "insufficient"),
    ("sql", "SELECT a, count(*) FROM t WHERE b = 'c' GROUP BY a;", "supported"),
    ("sql", "SELECT a FROM WHERE b = 1", "contradicted"),
    ("sql", "SELECT a FROM t WHERE id = ANY(...)", "insufficient"),
    ("json", " ", "skipped"),
]


@pytest.mark.parametrize(("language", "source", "status"), FORMATS)
def test_formats_are_read_by_their_parsers(language: str, source: str, status: str) -> None:
    if language in ("yaml", "xml", "sql"):
        pytest.importorskip({"yaml": "yaml", "xml": "defusedxml", "sql": "sqlglot"}[language])
    assert read_format(language, source).status == status


async def test_a_json_schema_is_applied() -> None:
    pytest.importorskip("jsonschema")
    schema = '{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}'
    assert as_schema(schema) is not None
    task = Task(query="", kind="report", tests=schema)
    for source, status in (('{"a": 1}', "supported"), ('{"a": "x"}', "contradicted"), ("{}", "contradicted")):
        ((_, verdict),) = await verdicts(f"```json\n{source}\n```\n", task)
        assert verdict.status == status
    remote = '{"type": "object", "$ref": "http://127.0.0.1:9/x.json"}'
    ((_, verdict),) = await verdicts("```json\n{}\n```\n", Task(query="", kind="report", tests=remote))
    assert verdict.status == "insufficient"


@pytest.mark.parametrize("name", ["humaneval"])
def test_all_given_suites_are_taken_apart(name: str, shared_data: object) -> None:
    import json
    from pathlib import Path

    path = Path(str(shared_data)) / name / "HumanEval.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = split_tests(row["test"], row["entry_point"])
        assert not found.problem
        assert any(statement.kind == "test" for statement in found.statements), row["task_id"]


def blocks_of(*blocks: tuple[str, str]) -> str:
    return "Text.\n\n" + "\n\nMore.\n\n".join(f"```{label}\n{source}```" for label, source in blocks) + "\n\nEnd.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (blocks_of(("python", DOUBLE), ("pycon", ">>> double(2)\n4\n"), ("python", "name = 'x'\n")), ["supported"]),
        (blocks_of(("python", DOUBLE), ("pycon", ">>> double(2)\n5\n"), ("python", "name = 'x'\nprint(name)\n")), ["contradicted"]),
        (
            blocks_of(("python", DOUBLE), ("pycon", ">>> double(2)\n4\n"), ("python", "def double(x):\n    return 3 * x\n"), ("pycon", ">>> double(2)\n6\n")),
            ["supported", "supported"],
        ),
        (blocks_of(("python", DOUBLE), ("python", "x = double(4)\n\n\nfor i in range(2):\n    print(i)\n"), ("pycon", ">>> x\n8\n")), ["supported"]),
        (blocks_of(("pycon", ">>> load(2)\n4\n")), ["insufficient"]),
        (blocks_of(("python", DOUBLE), ("python", "x = 1\nx = load()\n"), ("pycon", ">>> x\n8\n")), ["insufficient"]),
    ],
)
async def test_the_blocks_of_a_text_are_one_session(text: str, expected: list[str]) -> None:
    need("monty")
    assert [verdict.status for claim, verdict in await verdicts(text) if claim.text.startswith(">>>")] == expected


@pytest.mark.parametrize(
    ("kind", "query", "expected"),
    [
        ("report", "Write a function double(x) in Python.", "insufficient"),
        ("code", "Say something of lamps.", "insufficient"),
        ("code", "Write a function double(x) in Python.", "contradicted"),
    ],
)
async def test_an_answer_without_code_fails_tests_only_where_code_was_asked_for(kind: TaskKind, query: str, expected: str) -> None:
    found = await verdicts("No code is here, sorry.", Task(query=query, kind=kind, tests=TESTS))
    assert {verdict.status for claim, verdict in found if claim.requirement} == {expected}
