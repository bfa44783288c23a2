"""Privacy: what remote models, search engines and records are told, and keys that nobody is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import MissingExtra, ModelUnreachable, UnknownName
from redraft.models.scripted import Reply, ScriptedModel
from redraft.outcome import to_json
from redraft.privacy import WITHHELD_KEY, PrivacyMode, Shield, environment_keys
from redraft.refiner import Refiner
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool, page
from redraft.trace import verify
from redraft.types import Evidence, Failure, Message, ModelRequest, Outcome, Task, ToolCall

MAIL, PHONE, CARD = "jane.roe@mail.example", "415-555-2671", "4111 1111 1111 1111"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
KEY = "zq-planted-9f8e7d6c5b4a"
QUERY = "Where does the contact jane.roe@mail.example work?"


class Remote(ScriptedModel):
    """A scripted model that passes for somebody else's."""

    def __init__(self, replies: Any) -> None:
        super().__init__(replies, name="remote:model")


def task(**more: Any) -> Task:
    return Task(query=QUERY, **more)


def shield(mode: PrivacyMode, **more: Any) -> Shield:
    return Shield(mode, task(), **more)


# ── placeholders ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Write to {MAIL} today.", MAIL),
        (f"Call {PHONE} now.", PHONE),
        (f"Card: {CARD}.", CARD),
        ("手机13812345678，请联系。", "13812345678"),
        ("身份证110101199003074610。", "110101199003074610"),
        (f"token {TOKEN}", TOKEN),
        ("key AKIAIOSFODNN7EXAMPLE here", "AKIAIOSFODNN7EXAMPLE"),
        ("password = hunter2secret9", "hunter2secret9"),
        ("postgres://bob:s3cretpass@db.example/x", "s3cretpass"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----", "MIIEabc"),
    ],
)
def test_identifiers_and_secrets_are_hidden_and_come_back(text: str, secret: str):
    guard = shield("on")
    hidden = guard.hidden(text)
    assert secret not in hidden
    assert guard.shown(hidden) == text


@pytest.mark.parametrize(
    "text",
    [
        "The tower is 330 metres high and was built in 1889.",
        "Sales rose by 12.5 % to 4,800,000 in 2023.",
        "Ada Marsh was born in Corwick on 4 August 1961.",
        "The password is required to log in.",
        "2340*17/100 = 397.8",
        "法国的首都是巴黎。",
    ],
)
def test_facts_are_left_as_they_are(text: str):
    assert shield("on").hidden(text) == text


def test_names_of_people_are_hidden_in_strict_alone():
    text = "Contact John Smith in Leeds."
    assert "John Smith" in shield("on").hidden(text)
    assert "John Smith" not in shield("strict").hidden(text)


def test_the_same_words_have_the_same_placeholder_and_different_ones_do_not():
    guard = shield("on")
    one, two = guard.hidden(f"{MAIL} wrote to other@mail.example"), guard.hidden(f"from {MAIL}")
    placeholder = one.split()[0]
    assert placeholder in two
    assert len(set(one.split()) & set(two.split())) == 1


def test_outside_text_cannot_name_a_placeholder():
    guard = shield("on")
    guard.hidden(MAIL)
    assert guard.shown("EMAIL_1 EMAIL_1_00000 EMAIL_9_abcde") == "EMAIL_1 EMAIL_1_00000 EMAIL_9_abcde"


def test_an_original_with_quotation_marks_does_not_spoil_a_json_reply():
    guard = shield("on", secrets=())
    hidden = guard.hidden('-----BEGIN PRIVATE KEY-----\n"a\\b"\n-----END PRIVATE KEY-----')
    shown = guard.shown(json.dumps({"quote": hidden}), in_json=True)
    assert json.loads(shown)["quote"].count("\n") == 2


def test_an_unknown_mode_is_named():
    with pytest.raises(UnknownName, match="strict"):
        Refiner("none", privacy="stric")  # pyright: ignore[reportArgumentType]


def test_without_the_extra_it_says_what_to_install():
    code = "import sys\nsys.modules['argus_redact'] = None\nfrom redraft.refiner import Refiner\nRefiner('none', privacy='on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert MissingExtra.__name__ in done.stderr
    assert "pip install 'redraft[privacy]'" in done.stderr


# ── a run ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

FOUND = f"The contact {MAIL} works in the harbour office, telephone {PHONE}."


def respond(request: ModelRequest) -> str:
    """Answers with the words it is shown, placeholders included, as a remote model would."""
    prompt = request.messages[-1].content
    if request.role == "planner":
        answer = prompt.split("The answer:\n")[1].split("\n", 2)[1].split("\n")[0]
        claims = [{"quote": answer, "focus": answer, "statement": f"the contact works in the {answer}", "tool": "search", "input": prompt.split("\n")[3]}]
        return json.dumps({"claims": claims, "requirements": []})
    if request.role == "judge":
        sentence = next(line for line in prompt.partition("Evidence 1")[2].splitlines() if "works in the harbour office" in line)
        right = "harbour office" in prompt.split("decide it:")[1].split("Evidence 1")[0]
        return json.dumps(
            {"verdict": "supported" if right else "contradicted", "quote": sentence, "replacement": None if right else "harbour office", "confidence": 0.9}
        )
    if request.role == "corrector":
        found = next(word for word in prompt.split() if "PHONE_" in word or "415" in word).strip(".,")
        return json.dumps({"edits": [], "text": f"harbour office, {found}" if "also" in prompt else "harbour office"})
    return "town hall"


def run(model: ScriptedModel, mode: PrivacyMode, seen: list[str] | None = None) -> tuple[Outcome, Refiner]:
    def search(call: ToolCall) -> Any:
        if seen is not None:
            seen.append(call.input)
        return page(call, FOUND, source="https://people.example", title="Contacts")

    refiner = Refiner(model, tools=[CalculatorTool(), ScriptedTool(search)], privacy=mode)
    return refiner.revise_sync(task(), "town hall"), refiner


@pytest.mark.parametrize("mode", ["on", "strict"])
def test_a_remote_model_a_search_engine_and_the_record_get_placeholders_only(mode: PrivacyMode):
    asked: list[str] = []
    model = Remote([respond] * 40)
    outcome, refiner = run(model, mode, asked)
    prompts = "\n".join(message.content for request in model.requests for message in request.messages)
    record = refiner.trace.to_jsonl().decode()
    for secret in (MAIL, PHONE):
        assert secret not in prompts
        assert secret not in record
        assert all(secret not in text for text in asked)
    assert outcome.answer == "harbour office"
    assert outcome.status == "corrected"
    assert outcome.query == QUERY
    assert verify(refiner.trace.to_jsonl(), expect=outcome.trace_hash).complete


def test_the_returned_answer_has_the_originals():
    draft = f"Reach {MAIL} in the town hall.\n"

    def answer(request: ModelRequest) -> str:
        prompt = request.messages[-1].content
        if request.role == "planner":
            line = next(line for line in prompt.splitlines() if line.startswith("Reach "))
            focus = "harbour office" if "harbour" in line else "town hall"
            return json.dumps({"claims": [{"quote": line, "focus": focus, "statement": line, "tool": "search", "input": "contact"}], "requirements": []})
        if request.role == "corrector":
            line = next(line for line in prompt.splitlines() if line.startswith("Reach "))
            return json.dumps({"edits": [], "text": line.replace("town hall", "harbour office") + "\n"})
        return respond(request)

    model = Remote([answer] * 40)
    tools = [ScriptedTool(lambda call: page(call, FOUND, source="https://people.example"))]
    outcome = Refiner(model, tools=tools, privacy="on").revise_sync(Task(query="", kind="report"), draft)
    assert outcome.answer == draft.replace("town hall", "harbour office")
    assert all(MAIL not in message.content for request in model.requests for message in request.messages)


def test_a_local_model_is_told_everything_in_on_and_nothing_in_strict():
    for mode, told in (("on", True), ("strict", False)):
        model = ScriptedModel([respond] * 40)
        run(model, mode)  # pyright: ignore[reportArgumentType]
        prompts = "\n".join(message.content for request in model.requests for message in request.messages)
        assert (MAIL in prompts) is told


def test_strict_hides_other_peoples_data_in_the_outcome_too():
    strict = json.dumps(to_json(run(Remote([respond] * 40), "strict")[0]))
    assert PHONE not in strict
    assert PHONE in json.dumps(to_json(run(Remote([respond] * 40), "on")[0]))


def test_evidence_is_named_by_what_is_recorded_of_it():
    outcome, refiner = run(Remote([respond] * 40), "strict")
    shown = {item.id for item in outcome.evidence}
    assert {name for check in outcome.checks for name in check.evidence} <= shown
    payloads = [record.payload for record in refiner.trace.records]
    recorded = {Evidence(**item).id for payload in payloads if payload["type"] == "tool_called" for item in payload["evidence"]}
    named = {name for payload in payloads if payload["type"] == "verified" for check in payload["checks"] for name in check["evidence"]}
    assert named
    assert named <= recorded


def test_off_without_keys_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    for name in list(os.environ):
        if environment_keys({name: os.environ[name]}):
            monkeypatch.delenv(name)
    model, tool = Remote([]), CalculatorTool()
    guard = shield("off")
    assert guard.model(model) is model
    assert guard.tool(tool) is tool


# ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys_are_known_by_the_names_of_their_variables():
    values = {
        "TAVILY_API_KEY": "tvly-123456",
        "HOME": "/nowhere",
        "DB_PASSWORD": "longenough1",
        "X_TOKEN": "short",
        "KEYBOARD": "qwertyuiop",
        "GITHUB_PAT": "pat-1234567",
    }
    assert environment_keys(values) == ("tvly-123456", "longenough1", "pat-1234567")


MODES: list[PrivacyMode] = ["off", "on", "strict"]


def leaking(where: str) -> Callable[[ToolCall], Any]:
    def search(call: ToolCall) -> Any:
        if where == "page":
            return page(call, f"{FOUND} The server's key is {KEY}.", title=KEY, source=f"https://x.example/?api_key={KEY}")
        if where == "failure":
            return Failure(tool=call.tool, input=call.input, kind="denied", message=f"401 for api_key={KEY}")
        raise RuntimeError(f"GET https://x.example/?key={KEY}")

    return search


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", ["page", "failure", "exception", "model error", "model reply"])
def test_a_planted_key_is_in_no_prompt_record_or_outcome(mode: PrivacyMode, where: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PLANTED_API_KEY", KEY)

    def answer(request: ModelRequest) -> str:
        if where == "model error" and request.role == "judge":
            raise ModelUnreachable(f"Bearer {KEY} was refused")
        text = respond(request)
        return text.replace("0.9", f'0.9, "reason": "{KEY}"') if where == "model reply" else text

    model = Remote([answer] * 40)
    events: list[Any] = []
    refiner = Refiner(model, tools=[ScriptedTool(leaking(where))], privacy=mode, on_event=events.append)
    outcome = refiner.revise_sync(task(), "town hall")
    prompts = "\n".join(message.content for request in model.requests for message in request.messages)
    for shown in (prompts, refiner.trace.to_jsonl().decode(), json.dumps(to_json(outcome)), repr(outcome), repr(events), "\n".join(outcome.warnings)):
        assert KEY not in shown


def test_a_key_is_found_as_addresses_and_json_write_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ODD_SECRET", 'a/b+c"d=e&f')
    guard = shield("off")
    for form in ('x a/b+c"d=e&f y', "x a%2Fb%2Bc%22d%3De%26f y", 'x a/b+c\\"d=e&f y'):
        assert guard.hidden(form) == f"x {WITHHELD_KEY} y"


def test_keys_of_a_settings_file_are_given_by_hand():
    assert shield("off", secrets=["from-a-file-123"]).hidden("it is from-a-file-123.") == f"it is {WITHHELD_KEY}."


def test_the_request_of_a_shielded_model_keeps_its_form():
    model = Remote([Reply(text="ok")])
    guarded = shield("on").model(model)
    request = ModelRequest(role="writer", messages=(Message(role="user", content=f"mail {MAIL}"),), seed=3, max_tokens=7)

    async def ask() -> str:
        return (await guarded.complete(request)).text

    import asyncio

    assert asyncio.run(ask()) == "ok"
    assert (model.requests[0].seed, model.requests[0].max_tokens) == (3, 7)
    assert guarded.name == "remote:model"


# ── the command line ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def command(*arguments: str, folder: Path, extra: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REDRAFT_HOME": str(folder / "home"), "TAVILY_API_KEY": KEY, "OPENAI_API_KEY": KEY, "REDRAFT_API_KEY": KEY, **(extra or {})}
    return subprocess.run(
        [sys.executable, "-m", "redraft.cli", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "page.md", "--sources", "source.txt", "--json"],
        ["fix", "page.md", "--sources", "source.txt", "--privacy", "on"],
        ["check", "page.md", "--sources", "source.txt", "--privacy", "strict", "--format", "markdown"],
        ["ask", "What is 17% of 2,340?", "--model", "http://127.0.0.1:9/v1#m"],
        ["ask", "What is 17% of 2,340?", "--model", "scripted:script.jsonl", "--json"],
        ["doctor"],
        ["tools"],
        ["check", "page.md", "--model", "nonsense"],
    ],
    ids=" ".join,
)
def test_no_output_of_the_command_line_has_a_key(arguments: list[str], tmp_path: Path):
    (tmp_path / "page.md").write_text("We sold 12 * 3 = 35 boxes. “The harbour has 12 cranes.”\n", encoding="utf-8")
    (tmp_path / "source.txt").write_text(f"The harbour has 14 cranes. The key {KEY} stands here.\n", encoding="utf-8")
    (tmp_path / "script.jsonl").write_text(json.dumps(f"The key is {KEY}") + "\n", encoding="utf-8")
    done = command(*arguments, folder=tmp_path)
    assert KEY not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in ("source.txt", "script.jsonl")]
    assert all(KEY.encode() not in path.read_bytes() for path in kept)


def test_the_option_is_checked(tmp_path: Path):
    (tmp_path / "page.md").write_text("1 + 1 = 3\n", encoding="utf-8")
    assert command("check", "page.md", "--privacy", "sometimes", folder=tmp_path).returncode == 2
