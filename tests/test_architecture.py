"""The layout of the design, read off the source with `ast`: one way only, no cycle, no effects in the pure files, complete `__all__`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import redraft

ROOT = Path(redraft.__file__).parent
LAYERS: tuple[tuple[str, ...], ...] = (
    ("types", "errors", "events", "policy", "policies", "settings", "prompts"),
    ("protocols", "course", "effects"),
    ("claims",),
    ("comparison", "control", "stopping"),
    ("lenient_json", "structured", "quoting", "screening", "planning"),
    (
        "judge",
        "entailed",
        "weighing",
        "recalled",
        "cascade",
        "generate",
        "verify",
        "critique",
        "correct",
        "evaluate",
        "examples",
        "interact",
        "probe",
        "plainly",
        "reflect",
        "rewrite",
    ),
    ("loop",),
    ("strategies",),
    ("catalogue", "payloads", "trace", "records", "outcome"),
    ("models", "tools", "oracle", "memory"),
    ("privacy",),
    ("refiner",),
    ("replay", "exporting", "telemetry"),
    ("durable", "service", "viewer", "mcp", "cli", "studies"),
)
"""From the lowest to the highest: a file may import what stands in its own line or above it here."""
PURE = ("control", "comparison", "stopping", "policy", "policies", "claims")
FORBIDDEN_MODULES = frozenset(
    """
    aiohttp asyncio ctypes duckdb ftplib glob http httpx httpx2 importlib io logging multiprocessing openai os pathlib platform random requests
    secrets select shutil signal socket sqlite3 ssl subprocess tempfile threading time urllib urllib3 uuid
    """.split()
)
FORBIDDEN_CALLS = frozenset({"open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"})
FORBIDDEN_ATTRIBUTES = frozenset({"now", "today", "utcnow", "monotonic", "perf_counter", "read_text", "write_text", "urandom"})
FORBIDDEN_READINGS = frozenset({"stdin", "stdout", "stderr", "argv", "environ"})
MACHINE_PATH = re.compile(r"(?<![\w.:/{}<>~-])/(?:home|root|Users|work|opt|mnt|srv|var|tmp)/[A-Za-z0-9_.]")

FILES = sorted(ROOT.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in FILES}


def name_of(path: Path) -> str:
    """`redraft.claims.edits` for its file; a package for its `__init__.py`."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports(tree: ast.AST, *, module: str, lazy: bool) -> Iterator[str]:
    """Modules of this package that are imported at run time: `TYPE_CHECKING` blocks excluded, imports inside functions only if `lazy`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not lazy:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, module)
            yield from (f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names)
        yield from imports(node, module=module, lazy=lazy)


def absolute(node: ast.ImportFrom, module: str) -> str:
    if not node.level:
        return node.module or ""
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
    return f"{base}.{node.module}" if node.module else base


@cache
def graph(*, lazy: bool) -> dict[str, set[str]]:
    found = {name: set(imports(TREES[path], module=name, lazy=lazy)) for name, path in MODULES.items()}
    return {name: {target for target in targets if target in MODULES and target != name} for name, targets in found.items()}


def cycle_in(edges: dict[str, set[str]]) -> list[str]:
    """One cycle, or nothing."""
    done: set[str] = set()

    def visit(name: str, above: list[str]) -> list[str]:
        if name in above:
            return [*above[above.index(name) :], name]
        if name in done:
            return []
        for target in sorted(edges.get(name, ())):
            if found := visit(target, [*above, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(edges) if (found := visit(name, []))), [])


def upward(edges: dict[str, set[str]]) -> list[str]:
    rank = {part: level for level, line in enumerate(LAYERS) for part in line}
    return [
        f"{name} imports {target}"
        for name, targets in sorted(edges.items())
        for target in sorted(targets)
        if rank.get(part_of(name), 99) < rank.get(part_of(target), -1)
    ]


def impurities(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in FORBIDDEN_MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FORBIDDEN_MODULES:
            yield node.module or ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield f"{node.func.id}()"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FORBIDDEN_ATTRIBUTES:
            yield f".{node.func.attr}()"
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_READINGS:
            yield f".{node.attr}"


def public_names(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")}


def exported(tree: ast.Module) -> set[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return set(ast.literal_eval(node.value))
    return None


def test_there_is_no_import_cycle():
    assert cycle_in(graph(lazy=False)) == []


def test_every_part_has_a_place_in_the_layout():
    parts = {part_of(name) for name in MODULES} - {""}
    assert parts - {part for line in LAYERS for part in line} == set()


def test_nothing_imports_upward_not_even_inside_functions():
    assert upward(graph(lazy=True)) == []


@pytest.mark.parametrize("name", [name for name in MODULES if part_of(name) in PURE])
def test_pure_files_touch_nothing_outside(name: str):
    assert list(impurities(TREES[MODULES[name]])) == []


@pytest.mark.parametrize("name", [name for name in MODULES if part_of(name) in PURE])
def test_pure_files_import_nothing_that_has_effects(name: str):
    allowed = {"types", "errors", "events", "policy", "protocols", *PURE, ""}
    assert {target for target in graph(lazy=True)[name] if part_of(target) not in allowed} == set()


def test_every_module_says_what_it_offers():
    """`__all__` names what exists, and nothing that one file takes from another is missing from it."""
    offered = {name: exported(TREES[path]) for name, path in MODULES.items()}
    assert [name for name, names in offered.items() if names is None and public_names(TREES[MODULES[name]])] == []
    taken = [
        f"{name} takes {alias.name} from {node.module}"
        for name, path in MODULES.items()
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.ImportFrom) and node.module in MODULES and not node.module.endswith(".guest")
        for alias in node.names
        if f"{node.module}.{alias.name}" not in MODULES and alias.name not in (offered[node.module] or set())
    ]
    assert taken == []


def test_no_file_names_a_path_of_a_machine():
    found = [f"{name}: {line.strip()}" for name, path in MODULES.items() for line in path.read_text(encoding="utf-8").splitlines() if MACHINE_PATH.search(line)]
    assert found == []


class TestTheTestItself:
    """Each rule finds what it is for."""

    def test_a_cycle(self):
        assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c", "a"]
        assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []

    def test_an_upward_import(self):
        assert upward({"redraft.control": {"redraft.loop"}, "redraft.loop": {"redraft.control"}}) == ["redraft.control imports redraft.loop"]

    @pytest.mark.parametrize(
        "code",
        [
            "import os",
            "from pathlib import Path",
            "import urllib.request",
            "open('x')",
            "datetime.now()",
            "from time import sleep",
            "def f():\n    import random",
            "x.read_text()",
        ],
    )
    def test_an_effect(self, code: str):
        assert list(impurities(ast.parse(code)))

    def test_a_type_checking_block_is_no_import(self):
        code = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import redraft.loop\ndef f():\n    import redraft.trace\n"
        assert list(imports(ast.parse(code), module="redraft.types", lazy=False)) == ["typing"]
        assert list(imports(ast.parse(code), module="redraft.types", lazy=True)) == ["typing", "redraft.trace"]

    def test_relative_imports_are_followed(self):
        inside = ast.parse("from . import edits\nfrom .edits import apply\nfrom ..types import Edit")
        assert list(imports(inside, module="redraft.claims.match", lazy=False)) == ["redraft.claims.edits", "redraft.claims.edits", "redraft.types"]

    def test_a_missing_name(self):
        tree = ast.parse("__all__ = ['a']\ndef a(): ...\ndef b(): ...\ndef _c(): ...\n")
        assert (exported(tree), public_names(tree)) == ({"a"}, {"a", "b"})
        assert exported(ast.parse("x = 1")) is None

    @pytest.mark.parametrize(
        ("text", "found"),
        [("x = '/home/me/data'", True), ("open('/srv/x')", True), ("https://a.org/home/x", False), ("../srv/x", False), ("/{srv}/", False)],
    )
    def test_a_machine_path(self, text: str, found: bool):
        assert bool(MACHINE_PATH.search(text)) == found
