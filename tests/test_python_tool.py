"""The python tool: evidence of what code does, typed failures of what it cannot, and never the interpreter that runs Redraft."""

from __future__ import annotations

import os

import pytest

from redraft.claims.suites import Step, Suite, read_suite, suite_input
from redraft.errors import UnknownName
from redraft.protocols import Tool
from redraft.tools.python import PythonTool
from redraft.tools.sandbox import Limits
from redraft.types import Evidence, Failure, ToolCall, ToolResult

LIMITS = Limits(seconds=0.5, total_seconds=4)


def need(name: str) -> None:
    there, why = PythonTool().available()[name]
    if not there:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {name}: {why}")
        pytest.skip(f"{name}: {why}")


async def run(source: str, sandbox: str = "auto") -> ToolResult:
    tool = PythonTool(sandbox, limits=LIMITS)  # type: ignore[arg-type]
    try:
        return await tool.run(ToolCall(tool="python", input=source))
    finally:
        await tool.close()


def test_it_is_a_tool() -> None:
    assert isinstance(PythonTool(), Tool)
    assert PythonTool().name == "python"


def test_an_unknown_sandbox_is_wrong_use() -> None:
    with pytest.raises(UnknownName, match="did you mean 'bubblewrap'"):
        PythonTool("bubblewrapp")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "text", "value"),
    [
        ("2 ** 10", "1024", "1024"),
        ("print('a')\nprint('b')", "a\nb", "a\nb"),
        ("print(6 * 7)\n'ignored as value'", "42\n'ignored as value'", "42"),
        ("[c for c in 'strawberry' if c == 'r']", "['r', 'r', 'r']", "['r', 'r', 'r']"),
        ("x = 1", "it printed nothing", ""),
        ("xs = [1, 2]\nk = 2\n{x: [x * k for _ in range(k)] for x in xs}", "{1: [2, 2], 2: [4, 4]}", "{1: [2, 2], 2: [4, 4]}"),
    ],
)
async def test_output_and_value_are_evidence(source: str, text: str, value: str) -> None:
    need("monty")
    result = await run(source)
    assert not isinstance(result, Failure)
    assert (result[0].text, result[0].value, result[0].title) == (text, value, "output")


async def test_an_error_is_evidence_with_type_message_and_line() -> None:
    need("monty")
    result = await run("x = {}\nx['a']\n")
    assert not isinstance(result, Failure)
    assert result[0].title == "error"
    assert result[0].text == "KeyError: 'a' (line 2)"
    assert result[0].value == ""


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("", "bad_input"),
        ("  \n", "bad_input"),
        ("a\0b", "bad_input"),
        ("\ud800", "bad_input"),
        ("x = 1\n" * 100_000, "bad_input"),
        ("while True: pass", "timeout"),
        ("print('a' * 10 ** 6)", "too_large"),
        ("x = 'a' * (1 << 31)", "too_large"),
    ],
)
async def test_what_cannot_be_run_is_a_typed_failure(source: str, kind: str) -> None:
    need("monty")
    result = await run(source)
    assert isinstance(result, Failure)
    assert result.kind == kind
    assert result.message


@pytest.mark.parametrize(
    "source",
    [
        "import heapq\nheapq.nlargest(1, [1, 3, 2])",
        "class A(dict):\n    pass\nA(a=1)['a'] + 2",
        "def g():\n    yield 3\nnext(g())",
        "from fractions import Fraction\nint(Fraction(9, 3))",
        "import statistics\nstatistics.median([3])",
    ],
)
async def test_the_full_interpreter_takes_what_the_small_one_lacks(source: str) -> None:
    need("bubblewrap")
    result = await run(source)
    assert not isinstance(result, Failure)
    assert result[0].value in ("[3]", "3")


async def test_without_the_full_interpreter_it_is_unsupported_and_not_run_bare() -> None:
    need("monty")
    result = await run("import heapq\nheapq.nlargest(1, [1, 3, 2])", "monty")
    assert isinstance(result, Failure)
    assert result.kind == "unsupported"
    assert "ModuleNotFoundError" in result.message


async def test_a_suite_gives_one_piece_of_evidence_for_each_step() -> None:
    need("monty")
    steps = (
        Step(kind="setup", source="candidate = f"),
        Step(kind="test", source="assert candidate(2) == 4", left="candidate(2)", right="4"),
        Step(kind="test", source="assert candidate(2) == 5", left="candidate(2)", right="5"),
    )
    result = await run(suite_input(Suite(program="def f(x): return x * 2\n", steps=steps, names=("f",))))
    assert not isinstance(result, Failure)
    assert [item.title for item in result] == ["passed", "passed", "failed"]
    assert result[2].text == "assert candidate(2) == 5\nfailed: expected 5, got 4"
    assert isinstance(result[0], Evidence)


def test_a_suite_survives_its_spelling_as_a_call() -> None:
    suite = Suite(program="x = '…'\n", steps=(Step(kind="doctest", source="x", want="'…'", group=2),), names=("x",), reaches_out=True)
    assert read_suite(suite_input(suite)) == suite
    assert read_suite("print(1)") is None
    assert read_suite('{"program": 1}') is None
    assert read_suite('{"program":') is None
