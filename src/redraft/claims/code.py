"""Code in an answer, read without running it: blocks and their language, syntax, doctests, and the program that tests are to run against."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import textwrap
import warnings
from dataclasses import dataclass
from typing import Literal

from redraft.claims.segment import blocks
from redraft.types import Span

__all__ = [
    "CodeBlock",
    "Example",
    "Program",
    "Syntax",
    "code_blocks",
    "defined_names",
    "examples",
    "language",
    "prepared",
    "program",
    "syntax",
    "top_statements",
]

LANGUAGES = {
    "python": "python py python3 py3 ipython sage",
    "pycon": "pycon doctest python-repl pyconsole",
    "json": "json",
    "jsonl": "jsonl ndjson",
    "sql": "sql sqlite sqlite3 mysql postgres postgresql pgsql psql tsql mssql bigquery snowflake duckdb",
    "xml": "xml svg xsd xsl xslt rss plist",
    "yaml": "yaml yml",
    "toml": "toml",
}
LABELS = {label: name for name, labels in LANGUAGES.items() for label in labels.split()}
BUILTINS = frozenset(dir(builtins))
MAX_CUTS = 60
PROMPT = re.compile(r"^[ \t]*>>> ?", re.MULTILINE)
PLACEHOLDER = re.compile(
    r"\.\.\.|…|<[A-Za-z][\w ./-]*>|\[[A-Z][\w ]* here\]|\byour[_ ]?(?:code|api|\w*here)\b|\{\{|\bpseudo-?code\b",
    re.IGNORECASE,
)
NEWER = re.compile(r"^\s*(?:type\s+\w+\s*(?:\[.*\])?\s*=|(?:async\s+)?def\s+\w+\s*\[|class\s+\w+\s*\[|except\*?\s+\w+\s*,\s*\w+.*:)|\bt['\"]")
OLDER = re.compile(r"^\s*(?:print|exec)\s+[^\s(=]|^\s*except\s+[\w.]+\s*,\s*\w+\s*:|^\s*raise\s+\w+\s*,|\b0[0-7]+L?\b|<>|`\w+`", re.MULTILINE)
PYTHON_LINE = re.compile(
    r"^\s*(?:def \w+|class \w+|import \w+|from [\w.]+ import|for .+ in .+|while .+|if .+|return\b|print\()|^\s*\w+(?:\[.*\])? ?[-+*/]?= ?\S",
    re.MULTILINE,
)
CERTAIN_LINE = re.compile(r"^(?:def \w+\(.*:|class \w+.*:|import \w+$|from [\w.]+ import \w|print\(.+\)$)", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!]\w*.*$", re.MULTILINE)
MARKED = re.compile(r"^(?:[-+](?![-+\d]).*|@@.*@@.*|\$ .*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeBlock:
    """One piece of code: `text[span[0]:span[1]]` is its source."""

    span: Span
    source: str
    language: str
    """`python`, `pycon`, `json`, …; the label as it stands where we know nothing of it; empty where there is none."""
    fenced: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Syntax:
    """Whether a source is Python: `unclear` where it is a sketch, an excerpt, a transcript or another version of Python."""

    status: Literal["valid", "invalid", "unclear"]
    message: str = ""
    line: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """One example of a doctest: what is typed and what it shows (nothing: it only prepares); `span` is where it stands in the source."""

    source: str
    want: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """The program of an answer, with what the prompt had written before it."""

    source: str
    span: Span
    """Where the answer's own part stands in the answer."""
    syntax: Syntax
    entry: str = ""
    """The function that the prompt asks for, where one can be told."""


def code_blocks(text: str) -> tuple[CodeBlock, ...]:
    """The fenced code of a text, in order."""
    found: list[CodeBlock] = []
    for block in blocks(text):
        if block.kind == "code" and block.fenced:
            source = _plain(text[block.span[0] : block.span[1]])
            found.append(CodeBlock(span=block.span, source=source, language=language(block.language, source)))
    return tuple(found)


def _plain(source: str) -> str:
    """The source of a block without the marks of a quotation around it."""
    lines = source.split("\n")
    if all(line.lstrip().startswith(">") and not line.lstrip().startswith(">>>") for line in lines if line.strip()):
        return "\n".join(re.sub(r"^\s*> ?", "", line) for line in lines)
    return source


def language(label: str, source: str) -> str:
    """The language of a block by its label; without one, Python where the source can hardly be anything else."""
    label = label.strip("{}. ").lower()
    if label in LABELS:
        known = LABELS[label]
        return "pycon" if known == "python" and PROMPT.match(source.lstrip("\n")) else known
    if label:
        return label
    if PROMPT.match(source.lstrip("\n")):
        return "pycon"
    return "python" if _certainly_python(source) else ""


def syntax(source: str) -> Syntax:
    """Whether a source is Python. It is invalid only if nothing suggests that it was not meant to be complete Python of this version."""
    error = _syntax_error(source)
    if error is None:
        return Syntax(status="valid")
    message, line = error
    if _syntax_error(textwrap.dedent(source)) is None:
        return Syntax(status="valid")
    if _syntax_error("def _():\n" + textwrap.indent(textwrap.dedent(source), "    ")) is None:
        return Syntax(status="unclear", message="an excerpt of a longer program", line=line)
    lines = source.split("\n")
    near = "\n".join(lines[max(0, (line or 1) - 2) : (line or 1) + 1])
    if PLACEHOLDER.search(source):
        return Syntax(status="unclear", message="a sketch with parts left out", line=line)
    if NEWER.search(near) or ("f-string" in message and sys.version_info < (3, 12)):
        return Syntax(status="unclear", message="perhaps of a newer Python", line=line)
    if OLDER.search(source):
        return Syntax(status="unclear", message="of an older Python", line=line)
    if MAGIC.search(source) or MARKED.search(source):
        return Syntax(status="unclear", message="a notebook cell, a shell transcript or a difference between two files", line=line)
    if not _looks_like_python(source):
        return Syntax(status="unclear", message="it does not look like Python", line=line)
    return Syntax(status="invalid", message=message, line=line)


def _syntax_error(source: str) -> tuple[str, int | None] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        return error.msg, error.lineno
    except (ValueError, RecursionError, MemoryError):
        return "the parser gave up", None
    return None


def _looks_like_python(source: str) -> bool:
    return PYTHON_LINE.search(source) is not None


def _certainly_python(source: str) -> bool:
    return _syntax_error(source) is None and CERTAIN_LINE.search(source) is not None


def defined_names(source: str) -> frozenset[str]:
    """Names that a source binds at its top level; none if it does not parse."""
    if _syntax_error(source) is not None:
        return frozenset()
    names: set[str] = set()
    for node in _statements(ast.parse(source).body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        else:
            names.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    return frozenset(names)


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a body and of the branches in it, but not of the functions and classes."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        if isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            found += _statements(node.body)
            found += _statements(getattr(node, "orelse", []))
            found += _statements(getattr(node, "finalbody", []))
            for handler in getattr(node, "handlers", []):
                found += _statements(handler.body)
    return found


def top_statements(source: str) -> tuple[str, ...]:
    """The statements at the top level of a source, each as it can be run alone in a session; none if it does not parse."""
    if _syntax_error(source := textwrap.dedent(source)) is not None:
        return ()
    return tuple(ast.unparse(node) for node in ast.parse(source).body)


def prepared(prompt: str) -> str:
    """The Python that a prompt gives and that runs as it stands; empty if there is none."""
    head = _code_of(prompt)
    return head if _syntax_error(head) is None else ""


def examples(source: str) -> tuple[Example, ...]:
    """The doctest examples in a source: those of a transcript, or of the doc strings of a program, each where it stands."""
    import doctest  # slow to import, and few texts need it

    parser = doctest.DocTestParser()
    try:
        found = parser.get_examples(_doc_strings(source))
    except ValueError:  # a prompt without the blank after it, or an example indented unevenly
        return ()
    starts = [match.start() for match in re.finditer(r"^", source, re.MULTILINE)]
    made: list[Example] = []
    for example in found:
        if example.options.get(doctest.SKIP):
            continue
        first, last = example.lineno, example.lineno + example.source.count("\n") + example.want.count("\n")
        end = starts[last] if last < len(starts) else len(source)
        want = example.want.rstrip()
        made.append(Example(source=example.source.rstrip("\n"), want=want, span=_trim(source, starts[first], end)))
    return tuple(made)


def _doc_strings(source: str) -> str:
    """A program with all but its doc strings blanked out, line by line; a source that does not parse as it is."""
    if ">>>" not in source or _syntax_error(source) is not None:
        return source
    lines = source.split("\n")
    kept = [""] * len(lines)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            for number in range(first.lineno - 1, first.end_lineno or first.lineno):
                line = lines[number]
                if number == (first.end_lineno or 0) - 1:
                    line = line.encode()[: first.end_col_offset].decode(errors="ignore").rstrip().rstrip("'\"")
                kept[number] = re.sub(r"^(\s*)[rRuU]?(?:\"\"\"|'''|\"|')", r"\1", line, count=1) if number == first.lineno - 1 else line
    return "\n".join(kept)


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def program(text: str, prompt: str, needed: frozenset[str], *, bare: bool) -> Program | None:
    """The program that an answer is: its Python blocks, or the whole text where that is code (`bare` allows it), after what the prompt began.

    `needed` are the names that the tests take from it. None: the answer holds no Python.
    """
    head = _code_of(prompt)
    entry = _entry(head, needed)
    wanted = needed | ({entry} if entry else frozenset[str]())
    python = [block for block in code_blocks(text) if block.language == "python"]
    if python:
        own, span = _chosen(python, wanted)
    elif bare and not code_blocks(text) and text.strip():
        span = _trim(text, 0, len(text))
        begin = text.rfind("\n", 0, span[0]) + 1  # the indentation of the first line belongs to it
        own, span = text[begin : span[1]], (begin, span[1])
    else:
        return None
    source = _composed(head, own, wanted, entry)
    if source is None and not python and (cut := _cut(text)) is not None:
        own, span = cut
        source = _composed(head, own, wanted, entry)
    if source is not None:
        return Program(source=source, span=span, syntax=Syntax(status="valid"), entry=entry or _only_function(own))
    found = syntax(own)
    if not python and found.status == "unclear" and not _looks_like_python(own):
        return None
    return Program(source=own, span=span, syntax=found, entry=entry)


def _cut(text: str) -> tuple[str, Span] | None:
    """The code in a text that has words around it and no fences: from the first definition on, as many lines as parse."""
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if re.match(r"(?:from \w|import \w|def \w|class \w|async def \w|@\w)", line)]
    for start in starts[:MAX_CUTS]:
        for end in range(len(lines), max(start, len(lines) - MAX_CUTS), -1):
            source = "\n".join(lines[start:end])
            if re.search(r"^(?:def|class|async def)\b", source, re.MULTILINE) and _syntax_error(source) is None:
                begin = sum(len(line) + 1 for line in lines[:start])
                return source, _trim(text, begin, begin + len(source))
    return None


def _chosen(python: list[CodeBlock], wanted: frozenset[str]) -> tuple[str, Span]:
    """The last block that defines most of what is wanted; with the ones before it where it needs their names."""
    best = max(range(len(python)), key=lambda index: (len(defined_names(python[index].source) & wanted), index))
    block = python[best]
    own = defined_names(block.source)
    before = [other for other in python[:best] if _syntax_error(other.source) is None]
    missing = _free_names(block.source) - own - BUILTINS
    helpers = [other for other in before if (defined_names(other.source) & (missing | (wanted - own)))]
    source = "\n\n".join((*(other.source for other in helpers), block.source))
    return source, block.span


def _free_names(source: str) -> frozenset[str]:
    if _syntax_error(source) is not None:
        return frozenset()
    tree = ast.parse(source)
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - stored)


def _code_of(prompt: str) -> str:
    """The Python that a prompt holds: its blocks, itself, or its end from the first line that begins a definition; empty if there is none."""
    fenced = [block.source for block in code_blocks(prompt) if block.language == "python"]
    if fenced:
        return "\n\n".join(fenced) + "\n"
    for match in re.finditer(r"^(?:from|import|def|class|async def|@)\b", prompt, re.MULTILINE):
        tail = prompt[match.start() :]
        if _syntax_error(tail) is None or _syntax_error(tail.rstrip() + "\n    pass\n") is None:
            return tail
    return ""


def _entry(head: str, needed: frozenset[str]) -> str:
    """The function that a prompt asks for: the last one it begins, or the one of them that the tests name."""
    names = [match.group(1) for match in re.finditer(r"^(?:async )?def (\w+)", head, re.MULTILINE)]
    named = [name for name in names if name in needed]
    return (named or names or [""])[-1]


def _only_function(source: str) -> str:
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)] if _syntax_error(source) is None else []
    return names[-1] if names else ""


def _composed(head: str, own: str, wanted: frozenset[str], entry: str) -> str | None:
    """The prompt's code and the answer's as one program that parses: a whole program, or the continuation of a function; None if neither."""
    whole = _syntax_error(own) is None
    if whole and (not wanted or defined_names(own) & wanted or not head):
        return f"{head.rstrip()}\n\n\n{own}\n" if head and _syntax_error(head) is None else own + "\n"
    if head and entry:
        flat = textwrap.dedent(own)
        first, *rest = own.split("\n")
        for body in (own, textwrap.indent(flat, "    "), "\n".join([f"    {first.lstrip()}", *rest])):
            source = f"{head.rstrip()}\n{body}\n"
            if _syntax_error(source) is None and _has_body(source, entry):
                return source
    if whole:
        return f"{head.rstrip()}\n\n\n{own}\n" if head and _syntax_error(head) is None else own + "\n"
    return None


def _has_body(source: str, entry: str) -> bool:
    """Whether the last function of that name does more than to be documented."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == entry]
    return bool(found) and any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in found[-1].body)
