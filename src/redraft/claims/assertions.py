"""Splitting a test suite into single assertions, without running it.

Understands plain assertions, `def check(candidate)`, functions and classes in the manner of pytest, and `unittest.TestCase`. A function is unrolled
into its statements, so that each assertion gets a verdict of its own; where that would change its meaning it stays one test.
"""

from __future__ import annotations

import ast
import builtins
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["Statement", "Tests", "split_tests"]

BUILTINS = frozenset(dir(builtins))
LOOKS_OUTSIDE = frozenset({"sys", "io", "contextlib", "mock", "inspect", "builtins", "os", "subprocess", "importlib", "types"})
RUNNERS = frozenset({"unittest.main", "pytest.main", "doctest.testmod"})
COMPARED = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual", "assertMultiLineEqual"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One statement to run. Those of one `group` share their names; `left` and `right` are set for an equality, `right` being what is expected."""

    kind: Literal["setup", "test"]
    source: str
    group: int = 0
    left: str = ""
    right: str = ""
    name: str = ""
    """The function that the statement was in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tests:
    """A test suite, taken apart."""

    statements: tuple[Statement, ...] = ()
    free: frozenset[str] = frozenset()
    """Names that the tests use and do not define, built-in ones included."""
    imported: frozenset[str] = frozenset()
    """Names that they import from a module that is not of the standard library: perhaps the program's."""
    reaches_out: bool = False
    problem: str = ""
    """Why the suite cannot be read."""

    @property
    def needed(self) -> frozenset[str]:
        """Names that the program should define."""
        return (self.free - BUILTINS) | self.imported


def split_tests(source: str, entry: str = "", defined: frozenset[str] = frozenset()) -> Tests:
    """The statements of a suite in the order to run them.

    `entry` is what a `check(candidate)` is given that the suite never calls; `defined` are the names of the program, which an import may name.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Tests(problem=f"the given tests are not Python ({type(error).__name__})")
    splitter = _Splitter(source, tree, entry, defined)
    statements = tuple(splitter.run())
    return Tests(
        statements=statements,
        free=_free(tree),
        imported=frozenset(splitter.imported),
        reaches_out=bool(splitter.modules & LOOKS_OUTSIDE),
    )


class _Splitter:
    def __init__(self, source: str, tree: ast.Module, entry: str, defined: frozenset[str]) -> None:
        self.source, self.tree, self.entry, self.defined = source, tree, entry, defined
        self.functions = {node.name: node for node in tree.body if isinstance(node, Function)}
        self.called: set[str] = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        self.imported: set[str] = set()
        self.modules: set[str] = set()
        self.groups = 0

    def run(self) -> Iterator[Statement]:
        later: list[ast.stmt] = []
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from self._import(node)
            elif _is_test_function(node) or _is_test_class(node):
                later.append(node)
            elif isinstance(node, Function) or not self._is_runner(node):
                yield from self._statement(node, 0, "")
        for node in later:
            yield from self._function(node, ()) if isinstance(node, ast.FunctionDef) else self._class(node)
        for name, function in self.functions.items():
            if name.startswith("check") and name not in self.called and self.entry and len(function.args.args) == 1:
                yield from self._inlined(function, (self.entry,))

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Statement]:
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        roots = {name.split(".")[0] for name in names}
        self.modules |= roots
        if isinstance(node, ast.ImportFrom):
            self.modules |= {alias.name for alias in node.names}
            if not roots & (sys.stdlib_module_names | {"pytest"}) or node.level:
                self.imported |= {alias.name for alias in node.names if alias.name != "*"}
                if all(alias.name in self.defined or alias.name == "*" for alias in node.names):
                    for alias in node.names:
                        if alias.asname and alias.asname != alias.name:
                            yield Statement(kind="setup", source=f"{alias.asname} = {alias.name}")
                    return
        yield Statement(kind="setup", source=ast.unparse(node))

    def _is_runner(self, node: ast.stmt) -> bool:
        """Whether a statement only starts the tests: `unittest.main()`, `test_f()`, `if __name__ == "__main__": …`."""
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            return True
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        name = ast.unparse(node.value.func)
        return name in RUNNERS or (name in self.functions and _is_test_function(self.functions[name]))

    def _statement(self, node: ast.stmt, group: int, name: str) -> Iterator[Statement]:
        call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        if call is not None and isinstance(call.func, ast.Name) and call.func.id in self.functions:
            yield from self._call(call, self.functions[call.func.id], group, name)
        elif isinstance(node, ast.Assert):
            left, right = self._sides(node.test)
            yield Statement(kind="test", source=self._text(node), group=group, left=left, right=right, name=name)
        elif call is not None and _is_assertion(call):
            yield self._assertion(node, call, group, name)
        else:
            defines = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            tests = not defines and any(isinstance(part, ast.Assert) or _is_assertion(part) for part in ast.walk(node))
            tests = tests or (isinstance(node, ast.With) and "raises" in ast.unparse(node.items[0].context_expr))
            yield Statement(kind="test" if tests else "setup", source=self._text(node), group=group, name=name)

    def _call(self, call: ast.Call, function: Function, group: int, name: str) -> Iterator[Statement]:
        plain = not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args) and len(call.args) == len(function.args.args)
        if plain and _unrolls(function) and any(isinstance(node, ast.Assert) for node in ast.walk(function)) and not _calls(function, function.name):
            yield from self._inlined(function, tuple(ast.unparse(arg) for arg in call.args), outer=group)
        else:
            yield Statement(kind="test", source=ast.unparse(call), group=group, name=name)

    def _inlined(self, function: Function, arguments: tuple[str, ...], outer: int = 0) -> Iterator[Statement]:
        if not _unrolls(function):
            yield Statement(kind="test", source=f"{function.name}({', '.join(arguments)})", group=outer, name=function.name)
            return
        group = self._group() if outer == 0 else outer
        for parameter, argument in zip(function.args.args, arguments, strict=False):
            if parameter.arg != argument:
                yield Statement(kind="setup", source=f"{parameter.arg} = {argument}", group=group)
        for node in _body(function):
            yield from self._statement(node, group, function.name)

    def _function(self, function: ast.FunctionDef, before: Iterable[str], owner: str = "") -> Iterator[Statement]:
        """A test function in a group of its own, once for each row of its parameters."""
        rows = _rows(function)
        wanted = [arg.arg for arg in function.args.args if arg.arg != "self"]
        for row in rows if rows is not None else [{}]:
            group = self._group()
            name = f"{owner}.{function.name}" if owner else function.name
            if rows is None or set(row) != set(wanted) or not _unrolls(function):
                source = f"{function.name}()" if not wanted and not owner else ""
                yield Statement(kind="setup", source=self._text(function), group=group)
                yield Statement(kind="test", source=source or f"raise ImportError({name!r} + ' needs a fixture or a runner')", group=group, name=name)
                continue
            yield from (Statement(kind="setup", source=line, group=group) for line in before)
            yield from (Statement(kind="setup", source=f"{key} = {value}", group=group) for key, value in row.items())
            inside = [one for node in _body(function) for one in self._statement(node, group, name)]
            if inside and not any(one.kind == "test" for one in inside):
                inside[-1] = replace(inside[-1], kind="test")  # a test that only has to end without an error
            yield from inside

    def _class(self, node: ast.stmt) -> Iterator[Statement]:
        assert isinstance(node, ast.ClassDef)
        yield Statement(kind="setup", source=self._text(node))
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        unit = any("TestCase" in ast.unparse(base) for base in node.bases)
        for name, method in methods.items():
            if name.startswith("test"):
                before = [f"self = {node.name}({name!r})" if unit else f"self = {node.name}()"]
                before += [f"self.{setup}()" for setup in ("setUpClass", "setUp", "setup_method") if setup in methods]
                yield from self._function(method, before, node.name)

    def _assertion(self, node: ast.stmt, call: ast.Call, group: int, name: str) -> Statement:
        """`self.assertEqual(a, b)` and the like, with both sides where it is an equality."""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in COMPARED and len(call.args) >= 2 and not call.keywords:
            left, right = (ast.unparse(arg) for arg in call.args[:2])
            if _has_call(call.args[1]) and not _has_call(call.args[0]):
                left, right = right, left
            return Statement(kind="test", source=self._text(node), group=group, left=left, right=right, name=name)
        return Statement(kind="test", source=self._text(node), group=group, name=name)

    def _sides(self, test: ast.expr) -> tuple[str, str]:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            return "", ""
        left, right = test.left, test.comparators[0]
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
            return "", ""
        if _has_call(right) and not _has_call(left):
            left, right = right, left
        return ast.unparse(left), ast.unparse(right)

    def _text(self, node: ast.stmt) -> str:
        segment = ast.get_source_segment(self.source, node, padded=True)
        if segment is None:
            return ast.unparse(node)
        text = textwrap.dedent(segment)
        try:
            ast.parse(text)
        except SyntaxError:  # a string over several lines that begins further left
            return ast.unparse(node)
        return text if not getattr(node, "decorator_list", None) else ast.unparse(node)

    def _group(self) -> int:
        self.groups += 1
        return self.groups


def _is_test_function(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test") and (not node.args.args or _rows(node) is not None or bool(node.decorator_list))


def _is_test_class(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or any("TestCase" in ast.unparse(base) for base in node.bases))


def _rows(function: ast.FunctionDef) -> list[dict[str, str]] | None:
    """The arguments of each call of a test function, as source; None if only its runner knows them."""
    rows: list[dict[str, str]] = [{}]
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.parametrize" or len(decorator.args) != 2:
            return None
        names, values = decorator.args
        if not isinstance(names, ast.Constant) or not isinstance(names.value, str) or not isinstance(values, (ast.List, ast.Tuple)):
            return None
        keys = [key.strip() for key in names.value.split(",")]
        fresh: list[dict[str, str]] = []
        for value in values.elts:
            parts = value.elts if len(keys) > 1 and isinstance(value, (ast.Tuple, ast.List)) else [value]
            if len(parts) != len(keys):
                return None
            fresh.append(dict(zip(keys, map(ast.unparse, parts), strict=True)))
        rows = [row | more for row in rows for more in fresh]
    return rows


def _is_assertion(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id == "self" and node.func.attr.startswith("assert")


def _unrolls(function: Function) -> bool:
    """Whether the statements of a function do the same outside it."""
    inner = list(_own_nodes(function.body))
    simple = not (function.args.vararg or function.args.kwarg or function.args.kwonlyargs or function.args.defaults)
    stays = (ast.Return, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.Await, ast.AsyncFor, ast.AsyncWith)
    return simple and isinstance(function, ast.FunctionDef) and not any(isinstance(node, stays) for node in inner)


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _own_nodes(ast.iter_child_nodes(node))


def _body(function: Function) -> list[ast.stmt]:
    """The statements of a function without its doc string."""
    first, *rest = function.body
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return rest if documented else function.body


def _calls(function: Function, name: str) -> bool:
    return any(isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name for node in ast.walk(function))


def _has_call(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _free(tree: ast.Module) -> frozenset[str]:
    bound: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return frozenset(used - bound - {"__name__"})
