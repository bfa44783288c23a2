"""Models by name, each against a local server that speaks its API: replies, usage, limits, and every failure in our words."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import (
    InputError,
    MissingExtra,
    MissingKey,
    ModelBroken,
    ModelDenied,
    ModelError,
    ModelQuota,
    ModelRefused,
    ModelUnreachable,
    UnknownName,
    UsageError,
)
from redraft.models import Reply, ScriptedModel, open_model
from redraft.protocols import Model
from redraft.types import Message, ModelRequest
from tests.mimics import APIS, Answer, Api, Mimic

KEY = "sk-test-0123456789abcdef0123456789abcdef"
VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY",
    "GOOGLE_GEMINI_BASE_URL", "OLLAMA_BASE_URL", "OLLAMA_HOST", "OLLAMA_API_KEY", "REDRAFT_API_KEY", "REDRAFT_THREADS", "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_REGION",
)  # fmt: skip
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"], "additionalProperties": False}
REQUEST = ModelRequest(
    role="judge",
    messages=(
        Message(role="system", content="You judge."),
        Message(role="user", content="Is it so?"),
        Message(role="assistant", content="Perhaps."),
        Message(role="user", content="Say."),
    ),
    max_tokens=77,
    seed=5,
    stop=("END",),
)
STRUCTURED = ModelRequest(role="judge", messages=(Message(role="user", content="Is it so?"),), schema=SCHEMA)

api_of = pytest.mark.parametrize("api", APIS.values(), ids=APIS)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The tests see no key and no configuration of whoever runs them."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))


@asynccontextmanager
async def served(api: Api, *answers: Answer, **settings: Any) -> AsyncIterator[tuple[Model, Mimic]]:
    with Mimic(answers) as mimic:
        model = open_model(api.name(mimic.url), settings={**api.settings(mimic.url, KEY), **settings})
        try:
            yield model, mimic
        finally:
            await model.close()


async def failure(api: Api, *answers: Answer, request: ModelRequest = REQUEST, **settings: Any) -> tuple[ModelError, int]:
    """The error of a call, and how many requests it made. No error ever shows a key."""
    async with served(api, *answers, **settings) as (model, mimic):
        with pytest.raises(ModelError) as caught:
            await model.complete(request)
        error = caught.value
        assert KEY not in str(error) + repr(error) + repr(model) + model.name
        assert error.__cause__ is None
        assert error.__context__ is None or error.__suppress_context__
        return error, len(mimic.requests)


@api_of
async def test_a_reply_comes_with_its_usage(api: Api) -> None:
    async with served(api, api.reply("It is so.")) as (model, mimic):
        reply = await model.complete(REQUEST)
        assert (await model.complete(REQUEST)).text == "It is so."
    assert reply.text == "It is so."
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (20, 5, 16)
    assert reply.finish == "stop"
    assert model.ability == "capable"
    sent = mimic.requests[0]
    header, value = api.key_header
    assert sent.headers[header] == value.format(key=KEY)
    assert api.max_tokens_sent(sent.body) == 77
    words = json.dumps(sent.body)
    for said in ("You judge.", "Is it so?", "Perhaps.", "Say.", "END"):
        assert said in words


async def test_the_settings_of_a_request_are_sent() -> None:
    async with served(APIS["openai"], APIS["openai"].reply("x")) as (model, mimic):
        await model.complete(REQUEST)
    body = mimic.requests[0].body
    assert (body["temperature"], body["seed"], body["stop"]) == (0, 5, ["END"])
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert "grammar" not in body


async def test_a_price_that_is_known_is_given_and_one_that_is_not_is_none() -> None:
    async with served(APIS["anthropic"], APIS["anthropic"].reply("x")) as (model, _):
        cost = (await model.complete(REQUEST)).cost_usd
        assert cost is not None
        assert 0 < cost < 0.001
    for name in ("url", "ollama", "openai"):  # whoever serves these may ask any price, whatever the model is called
        async with served(APIS[name], APIS[name].reply("x")) as (model, _):
            assert (await model.complete(REQUEST)).cost_usd is None


@api_of
@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_said_without_the_key(api: Api, status: int) -> None:
    error, requests = await failure(api, api.error(status, f"Incorrect API key provided: {KEY[:12]}***cdef.", "invalid_api_key"))
    assert isinstance(error, ModelDenied)
    assert KEY[:10] not in str(error)
    assert "key was refused" in str(error)
    assert requests == 1


@api_of
async def test_an_unknown_model_is_refused_with_what_the_server_says(api: Api) -> None:
    error, requests = await failure(api, api.error(404, "The model `gpt-9` does not exist", "model_not_found"))
    assert isinstance(error, ModelRefused)
    assert "check the name" in str(error)
    assert "does not exist" in str(error)
    assert requests == 1


@api_of
async def test_a_request_that_is_not_accepted_is_not_sent_again(api: Api) -> None:
    error, requests = await failure(api, api.error(400, f"temperature: must be below 2 (key {KEY})" + " x" * 500))
    assert isinstance(error, ModelRefused)
    assert "temperature" in str(error)
    assert len(str(error)) < 500
    assert requests == 1


@api_of
async def test_a_long_request_is_refused_with_a_remedy(api: Api) -> None:
    error, requests = await failure(api, api.too_long())
    assert isinstance(error, ModelRefused)
    assert "shorten" in str(error)
    assert requests == 1


@api_of
async def test_a_short_rate_limit_is_waited_for_once(api: Api) -> None:
    limit = api.error(429, "Rate limit reached", "rate_limit_exceeded")
    async with served(api, limit, api.reply("x")) as (model, mimic):
        assert (await model.complete(REQUEST)).text == "x"
    assert len(mimic.requests) == 2
    error, requests = await failure(api, limit)
    assert isinstance(error, ModelQuota)
    assert error.retryable
    assert requests == 2


@api_of
async def test_a_long_rate_limit_is_told_and_not_waited_for(api: Api) -> None:
    error, requests = await failure(api, api.error(429, "Rate limit reached", "rate_limit_exceeded", {"retry-after": "61"}))
    assert isinstance(error, ModelQuota)
    assert error.retry_after_seconds == 61
    assert "61 s" in str(error)
    assert requests == 1


async def test_a_used_up_credit_is_not_asked_again() -> None:
    api = APIS["openai"]
    error, requests = await failure(api, api.error(429, "You exceeded your current quota, please check your plan.", "insufficient_quota"))
    assert isinstance(error, ModelQuota)
    assert "used up" in str(error)
    assert requests == 1


@api_of
async def test_a_failing_server_is_asked_once_more(api: Api) -> None:
    async with served(api, api.error(500, "Internal error"), api.reply("x")) as (model, mimic):
        assert (await model.complete(REQUEST)).text == "x"
    assert len(mimic.requests) == 2
    error, requests = await failure(api, api.error(500, "Internal error"))
    assert isinstance(error, ModelUnreachable)
    assert "HTTP 500" in str(error)
    assert requests == 2
    error, requests = await failure(api, api.error(503, "Overloaded"), retries=0)
    assert isinstance(error, ModelUnreachable)
    assert requests == 1


@api_of
async def test_no_answer_in_time_is_unreachable(api: Api) -> None:
    error, requests = await failure(api, Answer(body=None), timeout_seconds=0.3)
    assert isinstance(error, ModelUnreachable)
    assert "0.3 s" in str(error)
    assert requests <= 1


@api_of
async def test_no_server_is_unreachable(api: Api) -> None:
    with Mimic([api.nothing()]) as mimic:
        url = mimic.url
    model = open_model(api.name(url), settings={**api.settings(url, KEY), "retries": 0})
    with pytest.raises(ModelUnreachable, match="network"):
        await model.complete(REQUEST)
    await model.close()


@api_of
@pytest.mark.parametrize("body", [b"<html>It works!</html>", b'{"choices": [{"mess', b"[]", b"\xff\xfe"])
async def test_a_body_that_is_no_reply_is_broken(api: Api, body: bytes) -> None:
    error, _ = await failure(api, Answer(body=body, headers={"retry-after": "0"}))
    assert isinstance(error, ModelBroken)


@api_of
@pytest.mark.parametrize("text", ["", " \n"])
async def test_an_empty_reply_is_broken(api: Api, text: str) -> None:
    for answer in (api.reply(text), api.nothing()):
        error, _ = await failure(api, answer)
        assert isinstance(error, ModelBroken)


@api_of
async def test_a_withheld_reply_is_refused(api: Api) -> None:
    error, requests = await failure(api, api.withheld())
    assert isinstance(error, ModelRefused)
    assert "content filter" in str(error)
    assert requests == 1


@api_of
async def test_a_long_or_foreign_reply_is_given_as_it_is(api: Api) -> None:
    for text in ("汉字 ü 🙂 " * 12_000, "</s> <|im_end|> [INST]"):
        async with served(api, api.reply(text)) as (model, _):
            assert (await model.complete(REQUEST)).text == text


@api_of
async def test_a_schema_is_sent_where_it_is_taken_and_said_in_words_where_it_is_not(api: Api) -> None:
    answer = api.reply('{"verdict": "so"}')
    async with served(api, answer) as (model, mimic):
        assert json.loads((await model.complete(STRUCTURED)).text) == {"verdict": "so"}
    native = api.schema_sent(mimic.requests[0].body)
    assert native or "JSON schema" in json.dumps(mimic.requests[0].body)
    if not native:
        return
    async with served(api, api.no_schema(), answer) as (model, mimic):
        await model.complete(STRUCTURED)
        await model.complete(STRUCTURED)
    assert [api.schema_sent(request.body) for request in mimic.requests] == [True, False, False]
    assert "JSON schema" in json.dumps(mimic.requests[1].body)


async def test_a_refusal_for_another_reason_does_not_give_up_schemas() -> None:
    api = APIS["openai"]
    refusal = api.error(400, "messages: too many")
    async with served(api, refusal, refusal, api.reply("{}"), api.reply("{}")) as (model, mimic):
        with pytest.raises(ModelRefused, match="too many"):
            await model.complete(STRUCTURED)
        await model.complete(STRUCTURED)
    assert [api.schema_sent(request.body) for request in mimic.requests] == [True, False, True]


@pytest.mark.parametrize(
    ("status", "message"), [(500, "response_format is not implemented"), (422, "response_format: extra fields not permitted"), (501, "grammar not supported")]
)
async def test_other_ways_to_refuse_a_schema(status: int, message: str) -> None:
    api = APIS["url"]
    async with served(api, api.error(status, message), api.reply("{}")) as (model, mimic):
        assert (await model.complete(STRUCTURED)).text == "{}"
    assert [api.schema_sent(request.body) for request in mimic.requests] == [True, False]


async def test_a_model_that_thinks_its_tokens_away_gets_more_once() -> None:
    api = APIS["openai"]
    async with served(api, api.reply("", finish="length"), api.reply("x")) as (model, mimic):
        reply = await model.complete(REQUEST)
        await model.complete(REQUEST)
    assert reply.text == "x"
    assert (reply.input_tokens, reply.output_tokens) == (40, 10)
    first, second, third = (api.max_tokens_sent(request.body) for request in mimic.requests)
    assert first == 77
    assert second == third > 5000
    error, requests = await failure(api, api.reply("", finish="length"))
    assert isinstance(error, ModelBroken)
    assert requests == 2


COLD = ("openai:gpt-5", "openai:gpt-5-mini", "openai:o3", "anthropic:claude-opus-4-8", "anthropic:claude-sonnet-5-5", "bedrock:us.anthropic.claude-opus-4-8")
WARM = ("openai:gpt-5.2", "openai:gpt-4o", "openai:gpt-9-unheard-of", "anthropic:claude-haiku-4-5", "google:gemini-3.5-flash", "bedrock:amazon.nova-pro-v1:0")


@pytest.mark.parametrize("name", [*COLD, *WARM])
async def test_no_setting_is_sent_that_a_model_is_known_to_refuse(name: str) -> None:
    api = APIS[name.partition(":")[0]]
    with Mimic([api.reply("x")]) as mimic:
        model = open_model(name, settings=api.settings(mimic.url, KEY))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (await model.complete(REQUEST)).text == "x"
        await model.close()
    assert ("temperature" in json.dumps(mimic.requests[0].body)) == (name in WARM)


async def test_a_url_gets_its_own_key_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {variable: f"secret-{number}-of-someone-else" for number, variable in enumerate(VARIABLES) if variable.endswith(("KEY", "TOKEN", "BEDROCK"))}
    for variable, secret in {**secrets, "OPENAI_ORG_ID": "org-secret-1", "OPENAI_PROJECT_ID": "proj-secret-2", "OPENAI_ADMIN_KEY": "adm-secret-3"}.items():
        monkeypatch.setenv(variable, secret)
    monkeypatch.setenv("REDRAFT_API_KEY", KEY)
    api = APIS["url"]
    with Mimic([api.reply("x")]) as mimic:
        model = open_model(f"{mimic.url}/v1#m")
        await model.complete(REQUEST)
        await model.close()
        monkeypatch.delenv("REDRAFT_API_KEY")
        model = open_model(f"{mimic.url}/v1#m")
        await model.complete(REQUEST)
        await model.close()
    first, second = mimic.requests
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.path == "/v1/chat/completions"
    assert first.body["model"] == "m"
    assert "secret" not in json.dumps([dict(first.headers), dict(second.headers)])


async def test_a_key_of_the_environment_wins_over_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-environment")
    async with served(APIS["openai"], APIS["openai"].reply("x")) as (model, mimic):
        await model.complete(REQUEST)
    assert mimic.requests[0].headers["authorization"] == "Bearer sk-from-environment"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"OLLAMA_HOST": "HOST"}, "/v1/chat/completions"),
        ({"OLLAMA_BASE_URL": "http://HOST/v1/"}, "/v1/chat/completions"),
        ({"OLLAMA_HOST": "http://HOST/"}, "/v1/chat/completions"),
    ],
)
async def test_where_ollama_is(settings: dict[str, str], expected: str) -> None:
    with Mimic([APIS["ollama"].reply("x")]) as mimic:
        host = mimic.url.removeprefix("http://")
        model = open_model("ollama:m", settings={key: value.replace("HOST", host) for key, value in settings.items()})
        await model.complete(REQUEST)
        await model.close()
    assert mimic.requests[0].path == expected


@pytest.mark.parametrize(
    ("name", "variable"),
    [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("google:x", "GOOGLE_API_KEY"), ("bedrock:x", "AWS_BEARER_TOKEN_BEDROCK")],
)
def test_a_missing_key_is_named(name: str, variable: str) -> None:
    with pytest.raises(MissingKey, match=variable):
        open_model(name)


def test_a_missing_region_is_named() -> None:
    with pytest.raises(UsageError, match="AWS_DEFAULT_REGION"):
        open_model("bedrock:x", settings={"AWS_BEARER_TOKEN_BEDROCK": KEY})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "known: "),
        ("gpt-5", "known: "),
        ("lokal", "did you mean 'local'"),
        ("opena:gpt-5", "did you mean 'openai:NAME'"),
        ("NONE", "known: "),
        ("openai", "known: "),
    ],
)
def test_an_unknown_name_says_what_there_is(name: str, said: str) -> None:
    if name == "openai":
        with pytest.raises(UsageError, match="openai:NAME"):
            open_model(name)
        return
    with pytest.raises(UnknownName) as caught:
        open_model(name)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["openai:", "ollama: ", "scripted:", "local:", "http://", "http://#m", "http://127.0.0.1/v1", "https://127.0.0.1:99999/v1#m"])
def test_an_incomplete_name_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError):
        open_model(name)


@pytest.mark.parametrize("url", [f"http://user:{KEY}@127.0.0.1/v1#m", f"http://127.0.0.1/v1?key={KEY}#m"])
def test_a_key_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError, match="REDRAFT_API_KEY") as caught:
        open_model(url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "value"), [("timeout_seconds", "soon"), ("timeout_seconds", "-1"), ("retries", "nan"), ("timeout_seconds", "inf"), ("retries", -2)]
)
def test_a_setting_that_is_no_number_is_wrong_use(setting: str, value: object) -> None:
    with pytest.raises(UsageError, match=setting):
        open_model("http://127.0.0.1:1/v1#m", settings={setting: value})


@pytest.mark.parametrize(
    ("package", "name", "extra"), [("xllamacpp", "local", "local"), ("anthropic", "anthropic:x", "anthropic"), ("boto3", "bedrock:x", "bedrock")]
)
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, package: str, name: str, extra: str) -> None:
    import importlib.util

    real: Callable[..., Any] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda wanted, package_=None: None if wanted == package else real(wanted, package_))
    with pytest.raises(MissingExtra, match=rf"redraft\[{extra}\]"):
        open_model(name)


async def test_a_cancelled_call_ends_at_once_and_the_model_goes_on() -> None:
    api = APIS["openai"]
    async with served(api, Answer(body=None), api.reply("x")) as (model, mimic):
        call = asyncio.create_task(model.complete(REQUEST))
        while not mimic.requests:
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await model.complete(REQUEST)).text == "x"


def test_a_model_serves_several_event_loops_and_a_forgotten_close_leaves_nothing_open() -> None:
    api = APIS["url"]
    with Mimic([api.reply("x")]) as mimic:
        model = open_model(f"{mimic.url}/v1#m")
        for _ in range(3):
            assert asyncio.run(model.complete(REQUEST)).text == "x"
    assert len(mimic.requests) == 3


@pytest.mark.parametrize("api", [APIS["anthropic"], APIS["google"], APIS["bedrock"]], ids=["anthropic", "google", "bedrock"])
def test_every_provider_is_closed_with_its_loop(api: Api) -> None:
    with Mimic([api.reply("x")]) as mimic:
        model = open_model(api.name(mimic.url), settings=api.settings(mimic.url, KEY))
        for _ in range(2):
            assert asyncio.run(model.complete(REQUEST)).text == "x"


async def test_closing_twice_is_allowed_and_a_later_call_opens_again() -> None:
    api = APIS["openai"]
    async with served(api, api.reply("x")) as (model, _):
        await model.close()
        await model.complete(REQUEST)
        await model.close()
        await model.close()
        assert (await model.complete(REQUEST)).text == "x"


INTERRUPTED = """
import asyncio, json, sys
from redraft.models import open_model
from redraft.types import Message, ModelRequest
name, settings = json.loads(sys.argv[1])
try:
    asyncio.run(open_model(name, settings=settings).complete(ModelRequest(role="judge", messages=(Message(role="user", content="Is it so?"),))))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("api", [APIS["openai"], APIS["bedrock"]], ids=["openai", "bedrock"])
def test_an_interrupt_ends_a_waiting_call_at_once_and_quietly(api: Api) -> None:
    with Mimic([Answer(body=None)]) as mimic:
        arguments = json.dumps([api.name(mimic.url), api.settings(mimic.url, KEY)])
        process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        mimic.arrived.wait(60)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint) == (130, "")


def test_opening_a_model_imports_no_client() -> None:
    code = (
        "import sys; from redraft.models import open_model; open_model('http://127.0.0.1:1/v1#m'); open_model('none');"
        "print(sorted({'openai', 'pydantic_ai', 'boto3', 'anthropic', 'xllamacpp', 'aiohttp', 'platformdirs'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ── none and scripted ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_no_model_refuses() -> None:
    model = open_model("none")
    assert model.ability == "none"
    with pytest.raises(ModelRefused, match="no model was given"):
        await model.complete(REQUEST)
    await model.close()


def asked(role: Any, content: str) -> ModelRequest:
    return ModelRequest(role=role, messages=(Message(role="user", content=content),))


async def test_a_script_gives_its_answers_in_order_by_role_and_content() -> None:
    model = ScriptedModel(
        [
            "first",
            Reply(text="judged", role="judge"),
            Reply(text="about Rome", contains="Rome"),
            lambda request: request.messages[0].content.upper(),
            ModelUnreachable("gone"),
            Reply(error="quota"),
        ]
    )
    assert (await model.complete(asked("writer", "Rome"))).text == "first"
    assert (await model.complete(asked("writer", "Rome?"))).text == "about Rome"
    assert (await model.complete(asked("writer", "paris"))).text == "PARIS"
    assert (await model.complete(asked("judge", "x"))).text == "judged"
    with pytest.raises(ModelUnreachable, match="gone"):
        await model.complete(asked("writer", "x"))
    with pytest.raises(ModelQuota, match="quota"):
        await model.complete(asked("writer", "x"))
    with pytest.raises(ModelBroken, match="all of its 6 answers were used"):
        await model.complete(asked("writer", "x"))
    assert [request.role for request in model.requests] == ["writer", "writer", "writer", "judge", "writer", "writer", "writer"]


async def test_a_script_that_does_not_fit_says_so() -> None:
    model = ScriptedModel([Reply(text="x", role="judge")])
    with pytest.raises(ModelBroken, match=r"request 1 \(writer\): 1 of its 1 answers are left"):
        await model.complete(asked("writer", "x"))


async def test_a_script_file(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    lines = ['"397.8"', '{"text": "a\u2028b", "role": "judge"}', '{"error": "denied", "contains": "secret"}', "", '{"text": ""}']
    file.write_text("\r\n".join(lines), encoding="utf-8-sig")
    model = open_model(f"scripted:{file}")
    assert model.ability == "capable"
    assert (await model.complete(asked("writer", "x"))).text == "397.8"
    assert (await model.complete(asked("judge", "x"))).text == "a\u2028b"
    assert (await model.complete(asked("writer", "x"))).text == ""
    with pytest.raises(ModelDenied):
        await model.complete(asked("writer", "a secret"))
    await model.close()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b'"a"\nnot json', "line 2: not JSON"),
        (b"[" * 100_000, "line 1: not JSON"),
        (b"3", "line 1: a JSON string"),
        (b'{"answer": "x"}', "unknown key 'answer'"),
        (b'{"text": 3}', "text must be a string"),
        (b'{"role": "judge"}', "neither a text nor an error"),
        (b'{"text": "x", "role": "boss"}', "role 'boss' is not known; one of: writer"),
        (b'{"error": "tired"}', "error 'tired' is not known"),
        (b"\xff\xfe\x00", "cannot read the script"),
    ],
)
def test_a_script_that_cannot_be_read_says_where(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "script.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_model(f"scripted:{file}")
    assert said in str(caught.value)


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-such"):
        open_model(f"scripted:{tmp_path / 'no-such.jsonl'}")
