"""Routes for code: its syntax is parsed, the given tests and its own doctests are executed, data formats are read by their parsers.

One verdict for each assertion of the given tests; all of them share one call of the `python` tool, which is paid once. The answer's own doctests
are claims of the answer, not of the task: they can count against it, and never as a requirement that was met.
"""

from __future__ import annotations

import asyncio
import builtins
import re
from collections import Counter
from collections.abc import Callable, Sequence

from redraft.claims.assertions import Statement, Tests, split_tests
from redraft.claims.code import CodeBlock, Example, Program, Syntax, code_blocks, defined_names, examples, prepared, program, syntax, top_statements
from redraft.claims.segment import claim_id
from redraft.effects import Effects
from redraft.planning.formats import FORMATS, as_schema, read_format
from redraft.protocols import Route
from redraft.types import Claim, Evidence, Failure, Span, Task, ToolCall, ToolResult, Verdict

__all__ = ["routes"]

TOOL = "python"
FAILED = frozenset({"failed", "error", "timeout", "memory", "output", "crashed"})
MAX_SOURCE = 100_000


async def routes(text: str, task: Task, effects: Effects) -> tuple[Route, ...]:
    """Routes for every block of code in a text, for the tests that were given with the task, and for the doctests in the code."""
    schema = as_schema(task.tests)
    tests = "" if schema is not None else task.tests
    blocks = code_blocks(text)
    seen: Counter[str] = Counter()
    found: list[Route] = []
    for block in blocks:
        if block.language in FORMATS:
            found.append(await _format_route(block, schema, seen))
        elif block.language not in ("python", "pycon"):
            note = f"no parser for {block.language} here" if block.language else "the block does not say its language"
            found.append(_fixed(_claim(block.source, block.span, seen), Verdict(status="skipped", note=note)))
    bare = task.kind == "code" or bool(tests.strip())
    answer = await asyncio.to_thread(_program, text, task, tests, bare)
    found += _syntax_routes(blocks, answer, seen, tested=bool(tests.strip()) or task.kind != "code")
    if tests.strip():
        found += await asyncio.to_thread(_test_routes, text, task, tests, answer, effects)
    found += _doctest_routes(text, task, answer, effects, seen)
    return tuple(found)


def _program(text: str, task: Task, tests: str, bare: bool) -> Program | None:
    if len(text) > MAX_SOURCE:
        return None
    needed = split_tests(tests).needed if tests.strip() else frozenset[str]()
    return program(text, _prompt(task), needed, bare=bare)


def _prompt(task: Task) -> str:
    """Where the code stands that the answer continues: the context, or else the query."""
    return task.context if "def " in task.context else task.query


# syntax


def _syntax_routes(blocks: Sequence[CodeBlock], answer: Program | None, seen: Counter[str], *, tested: bool) -> list[Route]:
    """One route for each Python block, and for a bare program."""
    found: list[Route] = []
    spans = [(block.source, block.span) for block in blocks if block.language == "python"]
    if not spans and answer is not None:
        spans = [("", answer.span)]
    for source, span in spans:
        whole = answer is not None and answer.span == span
        result = answer.syntax if whole and answer is not None else syntax(source)
        shown = source or (answer.source if answer else "")
        claim = _claim(shown, span, seen)
        found.append(_fixed(claim, _syntax_verdict(result, shown, alone=whole and not tested)))
    return found


def _syntax_verdict(result: Syntax, source: str, *, alone: bool) -> Verdict:
    """`alone`: the code is the whole answer and no tests came with the task, so that parsing says nothing of the task."""
    if result.status == "invalid":
        where = f"line {result.line}: " if result.line else ""
        evidence = (_parsed("python", source, f"SyntaxError: {where}{result.message}"),)
        return Verdict(status="contradicted", method="executed", confidence=1.0, evidence=evidence, note=f"it is not Python: {where}{result.message}")
    if result.status == "unclear":
        return Verdict(status="insufficient", note=f"it does not parse as Python, but it may not be meant to: {result.message}")
    evidence = (_parsed("python", source, "it parses"),)
    if alone:
        return Verdict(status="insufficient", evidence=evidence, note="it parses; no tests were given to show what it does")
    note = "it parses as Python; this says nothing of what it does"
    return Verdict(status="supported", method="executed", confidence=1.0, evidence=evidence, note=note)


def _parsed(tool: str, source: str, text: str) -> Evidence:
    return Evidence(tool=tool, input=source, title="syntax", text=text)


# tests


def _test_routes(text: str, task: Task, tests: str, answer: Program | None, effects: Effects) -> list[Route]:
    """One route for each test of the suite that came with the task. Their ids depend on the suite alone."""
    names = defined_names(answer.source) if answer else frozenset[str]()
    suite = split_tests(tests, answer.entry if answer else "", names)
    claims = _test_claims(suite, answer.span if answer else (0, len(text)))
    if suite.problem or not any(claims):
        note = suite.problem or "the given tests hold no assertion"
        claim = Claim(id=claim_id(tests, "code"), text="the given tests", span=(0, len(text)), kind="code", importance=3, requirement=True)
        return [_fixed(claim, Verdict(status="unavailable", note=note))]
    if (reason := _cannot(text, task, answer, effects)) is not None:
        return [_fixed(claim, reason) for claim in claims if claim is not None]
    assert answer is not None
    call = ToolCall(tool=TOOL, input=_suite_input(answer, suite, names))
    made: list[Route] = []
    for index, claim in enumerate(claims):
        if claim is not None:
            made.append(Route(claim=claim, calls=(call,), decide=_read(index, suite.statements[index].source)))
    return made


def _cannot(text: str, task: Task, answer: Program | None, effects: Effects) -> Verdict | None:
    """The verdict on every test where they cannot run, or None."""
    if answer is None:
        if len(text) > MAX_SOURCE:
            return Verdict(status="unavailable", note=f"the answer has more than {MAX_SOURCE:,} characters; no code was looked for")
        other = [block.language for block in code_blocks(text) if block.language]
        if other:
            return Verdict(status="unavailable", note=f"the answer is in {other[0]}; tests are run for Python")
        if not _asks_for_code(task):
            return Verdict(status="insufficient", note="the answer holds no Python code, and the task does not say that it must")
        evidence = Evidence(tool=TOOL, input=text, title="syntax", text="no Python code was found in the answer")
        return Verdict(status="contradicted", method="executed", confidence=1.0, evidence=(evidence,), note="the answer holds no code, so the test cannot pass")
    if answer.syntax.status == "invalid":
        where = f"line {answer.syntax.line}: " if answer.syntax.line else ""
        evidence = _parsed(TOOL, answer.source, f"SyntaxError: {where}{answer.syntax.message}")
        return Verdict(status="contradicted", method="executed", confidence=1.0, evidence=(evidence,), note="the code does not parse, so the test cannot pass")
    if answer.syntax.status == "unclear":
        return Verdict(status="insufficient", note=f"the code does not parse ({answer.syntax.message})")
    if TOOL not in effects.tools:
        return Verdict(status="unavailable", note="the test was not run: there is no sandbox in this run; run: pip install 'redraft[sandbox]'")
    return None


_CODE = re.compile(
    r"\b(?:code|functions?|programs?|class|methods?|scripts?|python|implement\w*|def|algorithm|subroutine|modules?|returns?)\b|代码|函数|程序|関数|コード",
    re.IGNORECASE,
)


def _asks_for_code(task: Task) -> bool:
    """Whether an answer without code is none; where a task of code has tests and no words, the tests are what it asks for."""
    words = f"{task.query}\n{task.context}".strip()
    return task.kind == "code" and (not words or _CODE.search(words) is not None)


def _test_claims(suite: Tests, span: Span) -> list[Claim | None]:
    """A claim for each test, None for each statement that only prepares."""
    seen: dict[tuple[str, str], int] = {}
    made: list[Claim | None] = []
    for statement in suite.statements:
        if statement.kind == "setup":
            made.append(None)
            continue
        key = (statement.name, statement.source)
        seen[key] = seen.get(key, -1) + 1
        identity = claim_id(f"{statement.name}\x1f{statement.source}", "code", seen[key])
        made.append(Claim(id=identity, text=statement.source, span=span, kind="code", importance=3, requirement=True))
    return made


def _suite_input(answer: Program, suite: Tests, names: frozenset[str]) -> str:
    from redraft.claims.suites import Step, Suite, suite_input

    def step(one: Statement) -> Step:
        return Step(kind=one.kind, source=one.source, left=one.left, right=one.right, group=one.group)

    taken = {name for name in (suite.free & names) if not _built_in(name) or name == answer.entry} | (suite.imported & names) | {answer.entry}
    if not any(not _built_in(name) for name in taken):
        taken |= suite.free & names  # a program that is asked to define a name like a built-in one
    steps = tuple(map(step, suite.statements))
    return suite_input(Suite(program=answer.source, steps=steps, names=tuple(sorted(taken - {""})), reaches_out=suite.reaches_out))


def _built_in(name: str) -> bool:
    return hasattr(builtins, name)


def _read(index: int, source: str) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    """The verdict on one step of a suite, from the result that all of its steps share."""

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        result = results[0]
        if isinstance(result, Failure):
            return Verdict(status="unavailable", note=f"the test was not run: {result.message}")
        if index >= len(result):
            return Verdict(status="unavailable", note="the sandbox reported nothing of this test")
        evidence = result[index]
        outcome, words = evidence.title, evidence.text.removeprefix(source).strip("\n")
        if outcome == "passed":
            return Verdict(status="supported", method="executed", confidence=1.0, evidence=(evidence,), note="the test passed")
        if outcome in FAILED:
            return Verdict(status="contradicted", method="executed", confidence=1.0, evidence=(evidence,), note=f"the test {words}"[:600])
        if outcome == "unsupported":
            return Verdict(status="unavailable", evidence=(evidence,), note=words)
        return Verdict(status="insufficient", evidence=(evidence,), note=words)

    return decide


# doctests


def _doctest_routes(text: str, task: Task, answer: Program | None, effects: Effects, seen: Counter[str]) -> list[Route]:
    """Routes for the examples in the answer's own code and transcripts, all run against the answer's program."""
    from redraft.claims.suites import Step, Suite, suite_input

    code = [block for block in code_blocks(text) if block.language in ("python", "pycon")]
    python = [block.source for block in code if block.language == "python"]
    session = len(python) > 1 and all(syntax(source).status == "valid" for source in python)
    if session or answer is None:
        start = prepared(_prompt(task))
    else:
        start = answer.source
    places = [(block.source, block.span[0], session and block.language == "python") for block in code]
    if not places and answer is not None:
        places = [(text[answer.span[0] : answer.span[1]], answer.span[0], False)]
    found: list[tuple[Example, int]] = []
    for source, begin, runs in places:
        if runs:  # the blocks of a text are one session: each is run where it stands, and sees what stands before it
            found += [(Example(source=part, want="", span=(0, 0)), begin) for part in top_statements(source)]
        found += [(example, begin) for example in examples(source)]
    if not any(example.want for example, _ in found) or (answer is not None and answer.syntax.status != "valid"):
        return []
    steps = tuple(Step(kind="doctest", source=example.source, want=example.want) for example, _ in found)
    call = ToolCall(tool=TOOL, input=suite_input(Suite(program=start, steps=steps)))
    made: list[Route] = []
    for index, (example, start) in enumerate(found):
        if not example.want:
            continue
        span = (start + example.span[0], start + example.span[1])
        claim = _claim(text[span[0] : span[1]], span, seen)
        if TOOL not in effects.tools:
            made.append(_fixed(claim, Verdict(status="unavailable", note="the example was not run: there is no sandbox in this run")))
        else:
            made.append(Route(claim=claim, calls=(call,), decide=_read_example(index, [example for example, _ in found])))
    return made


_UNKNOWN = re.compile(r"^(?:NameError|ImportError|ModuleNotFoundError)\b", re.MULTILINE)


_RAISED = re.compile(r"^\w*(?:Error|Exception|Exit|Interrupt)\b")
_NOT_RUN = FAILED - {"failed"} | {"unsupported", "not_run", "undecidable"}


def _read_example(index: int, steps: Sequence[Example]) -> Callable[[Sequence[ToolResult]], Verdict | None]:
    """As for a test, but a name that no block of the text gives is a part that was left out, not a wrong example; no more is one after code that broke."""
    read = _read(index, steps[index].source)

    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        verdict = read(results)
        if verdict is None or verdict.status != "contradicted":
            return verdict
        if _UNKNOWN.search(verdict.evidence[0].value or verdict.note.removeprefix("the test failed with ")):
            return Verdict(status="insufficient", evidence=verdict.evidence, note="the example needs a name that the code of the text does not give")
        before = [] if isinstance(results[0], Failure) else [item for item, step in zip(results[0][:index], steps, strict=False) if not step.want]
        if any(item.title in _NOT_RUN or _RAISED.match(item.value) for item in before):
            return Verdict(status="insufficient", evidence=verdict.evidence, note="code that stands before the example could not be run")
        return verdict

    return decide


# data formats


async def _format_route(block: CodeBlock, schema: object, seen: Counter[str]) -> Route:
    claim = _claim(block.source, block.span, seen)
    return _fixed(claim, await asyncio.to_thread(read_format, block.language, block.source, schema))


def _claim(source: str, span: Span, seen: Counter[str]) -> Claim:
    """A claim of the answer about its own code; its text is the code. `seen` counts how often each text has been claimed."""
    occurrence = seen[source]
    seen[source] += 1
    return Claim(id=claim_id(source, "code", occurrence), text=source, span=span, kind="code")


def _fixed(claim: Claim, verdict: Verdict) -> Route:
    def decide(results: Sequence[ToolResult]) -> Verdict | None:
        return verdict

    return Route(claim=claim, decide=decide)
