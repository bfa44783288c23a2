"""doctor: what is installed, what is missing, and the one command that adds it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from redraft import __version__

__all__ = ["doctor_command", "examine_installation"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Extra:
    """An optional part: the modules that show that it is there, and what it adds."""

    name: str
    modules: tuple[str, ...]
    adds: str


EXTRAS = (
    _Extra(name="local", modules=("xllamacpp",), adds="the embedded model and GGUF files"),
    _Extra(name="tables", modules=("duckdb", "python_calamine"), adds="figures against CSV, XLSX and Parquet"),
    _Extra(name="documents", modules=("selectolax", "pypdfium2", "docx", "pptx", "python_calamine"), adds="HTML, PDF, DOCX and PPTX as evidence"),
    _Extra(name="sandbox", modules=("pydantic_monty",), adds="running code, doctests and tests"),
    _Extra(name="anthropic", modules=("anthropic",), adds="models of Anthropic"),
    _Extra(name="bedrock", modules=("boto3",), adds="models on Amazon Bedrock"),
    _Extra(name="google", modules=("google.genai",), adds="models of Google"),
    _Extra(name="search", modules=("httpx2", "ddgs"), adds="web search and page fetching"),
    _Extra(name="safety", modules=("profanity_check",), adds="an offline signal of profanity for safety scoring"),
    _Extra(name="mcp", modules=("mcp",), adds="tools of MCP servers, and redraft mcp"),
    _Extra(name="e2b", modules=("e2b",), adds="rented machines of E2B as a sandbox"),
    _Extra(name="modal", modules=("modal",), adds="rented containers of Modal as a sandbox"),
    _Extra(name="privacy", modules=("argus_redact", "detect_secrets"), adds="redaction of personal data and secrets"),
    _Extra(name="entailment", modules=("onnxruntime", "tokenizers"), adds="a local entailment model by path"),
    _Extra(name="postgres", modules=("sqlalchemy", "psycopg"), adds="records on a PostgreSQL server"),
    _Extra(name="telemetry", modules=("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"), adds="spans to an OpenTelemetry collector"),
    _Extra(name="viewer", modules=("starlette", "uvicorn", "jinja2"), adds="redraft view: recorded runs in the browser"),
)
KEYS = (
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK",
    "REDRAFT_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY", "SERPER_API_KEY", "SERPAPI_API_KEY", "EXA_API_KEY", "BOCHA_API_KEY", "WOLFRAM_APP_ID",
    "PERSPECTIVE_API_KEY", "E2B_API_KEY", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "REDRAFT_MCP_SERVER_TOKEN",
)  # fmt: skip


@click.command("doctor", short_help="Say what is installed, what is missing and what adds it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor_command(as_json: bool) -> int:
    """Look at this installation. Keys are named, never shown. Exits with 1 if something that is there does not work."""
    from redraft.cli.inform import print_json

    report = examine_installation()
    if as_json:
        print_json(report)
    else:
        _print_report(report)
    return 1 if report["problems"] else 0


def examine_installation() -> dict[str, Any]:
    """What `redraft doctor --json` prints."""
    from redraft.settings import CONFIG_NAME, Settings, home_folder, load_settings
    from redraft.tools import TOOLS

    problems: list[str] = []
    try:
        settings = load_settings()
    except Exception as error:
        problems.append(f"settings: {error}")
        settings = Settings(home=home_folder())
    writable, why = _writable(settings.home)
    if not writable:
        problems.append(f"{settings.home} cannot be written ({why}); set REDRAFT_HOME to a folder that can")
    extras = [{"name": extra.name, "installed": _installed(extra.modules), "adds": extra.adds} for extra in EXTRAS]
    missing = [str(extra["name"]) for extra in extras if not extra["installed"]]
    return {
        "version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "home": {"path": str(settings.home), "writable": writable},
        "settings": [str(path) for path in (settings.home / CONFIG_NAME, Path.cwd() / CONFIG_NAME) if path.is_file()],
        "model": settings.model,
        "extras": extras,
        "tools": [{"name": info.name, "available": info.why_not is None, "why_not": info.why_not} for info in TOOLS.values()],
        "sandboxes": _sandboxes(),
        "embedded_model": _embedded_model(),
        "keys": sorted({name for name in KEYS if os.environ.get(name)} | set(settings.keys)),
        "add": f"pip install 'redraft[{','.join(missing)}]'" if missing else None,
        "problems": problems,
    }


def _installed(modules: tuple[str, ...]) -> bool:
    try:
        return all(find_spec(module) is not None for module in modules)
    except ModuleNotFoundError:  # the parent of a dotted name is not there
        return False


def _writable(folder: Path) -> tuple[bool, str]:
    """Whether files can be made in the folder, or in the nearest one above it that exists; nothing is left behind."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return True, ""
    except OSError as error:
        return False, error.strerror or str(error)


def _sandboxes() -> list[dict[str, Any]]:
    from redraft.tools.python import PythonTool

    chosen = os.environ.get("REDRAFT_SANDBOX", "").strip().lower()
    rows: list[dict[str, Any]] = []
    for name, (there, detail) in {**PythonTool().available(), **PythonTool("e2b").available(), **PythonTool("modal").available()}.items():
        rented = name in ("e2b", "modal") and there and chosen != name
        rows.append({"name": name, "available": there, "detail": f"used only with REDRAFT_SANDBOX={name}" if rented else detail})
    return rows


def _embedded_model() -> dict[str, Any]:
    from redraft.models.weights import EMBEDDED, weights_path

    path = weights_path(os.environ)
    present = path.is_file() and path.stat().st_size == EMBEDDED.bytes
    return {"name": EMBEDDED.file, "present": present, "path": str(path), "download_bytes": 0 if present else EMBEDDED.wheel_bytes}


def _print_report(report: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from redraft.cli.render import box_for, console_on, yes_or_no
    from redraft.cli.safe import one_line

    console = console_on(sys.stdout)
    console.print(Text(f"redraft {report['version']}, Python {report['python']}, {report['platform']}", style="bold"))
    table = Table("", "what", "detail", box=box_for(console), pad_edge=False)

    def line(good: bool, what: str, detail: str) -> None:
        table.add_row(yes_or_no(good, console), Text(one_line(what)), Text(one_line(detail)))

    for extra in report["extras"]:
        line(extra["installed"], f"extra {extra['name']}", extra["adds"])
    for tool in report["tools"]:
        line(tool["available"], f"tool {tool['name']}", tool["why_not"] or "")
    for sandbox in report["sandboxes"]:
        line(sandbox["available"], f"sandbox {sandbox['name']}", sandbox["detail"])
    weights = report["embedded_model"]
    line(weights["present"], "embedded model", weights["path"] if weights["present"] else f"{weights['download_bytes'] >> 20} MB, fetched on first use")
    line(report["home"]["writable"], "cache and records", report["home"]["path"])
    line(bool(report["settings"]), "settings", ", ".join(report["settings"]) or "no redraft.toml (none is needed)")
    line(bool(report["keys"]), "keys", ", ".join(report["keys"]) or "none is set (none is needed for --model local and none)")
    console.print(table)
    for problem in report["problems"]:
        console.print(Text(f"problem: {one_line(problem)}", style="bold red"), soft_wrap=True)
    console.print(Text(f"To add what is missing: {report['add']}" if report["add"] else "Every extra is installed."), soft_wrap=True)
