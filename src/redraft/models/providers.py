"""How each provider is reached: its key and address from the environment or the settings, its library imported when chosen.

Every function here returns a `Connect`: it opens a client that never retries by itself (`remote` does, the same way for all) and closes it again.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from redraft.errors import MissingExtra, MissingKey, UsageError
from redraft.models.remote import Connect

if TYPE_CHECKING:
    from pydantic_ai.models import Model as PydanticModel

__all__ = ["PROVIDERS", "Access", "anthropic", "bedrock", "google", "ollama", "openai_api", "openai_compatible", "openai_url"]

NO_KEY = "none-needed"
"""What a server that asks for no key is sent: the client library wants something."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """How to reach a model, and the secrets that no message may show."""

    connect: Connect
    secrets: tuple[str, ...] = ()
    priced: bool = True
    """Whether the provider's price list holds: not where anyone may serve a model under any name."""


def openai_api(name: str, values: Mapping[str, str]) -> Access:
    """OpenAI, or the server that OPENAI_BASE_URL names."""
    base_url = values.get("OPENAI_BASE_URL") or None
    key = values.get("OPENAI_API_KEY") or ""
    if not key and base_url is None:
        raise MissingKey("openai", "OPENAI_API_KEY")
    return Access(connect=openai_compatible(name, base_url=base_url, key=key or NO_KEY), secrets=(key,), priced=base_url is None)


def openai_url(url: str, values: Mapping[str, str]) -> Access:
    """Any OpenAI-compatible server: `http://HOST:PORT/v1#NAME`. It gets REDRAFT_API_KEY, and no other key."""
    parts = urlsplit(url)
    shown = f"{parts.scheme}://{parts.hostname or ''}"
    if parts.username or parts.password or parts.query:
        raise UsageError(f"the address of a model ({shown}…) must hold no key and no query; a key goes into the environment variable REDRAFT_API_KEY")
    try:
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or not parts.fragment:
        raise UsageError(f"a model at an address is written {parts.scheme}://HOST:PORT/v1#NAME, with the server's name for the model after #")
    key = values.get("REDRAFT_API_KEY") or ""
    return Access(connect=openai_compatible(parts.fragment, base_url=url.partition("#")[0], key=key or NO_KEY), secrets=(key,), priced=False)


def ollama(name: str, values: Mapping[str, str]) -> Access:
    """Ollama's OpenAI-compatible address: OLLAMA_BASE_URL, else OLLAMA_HOST, else this machine."""
    base_url = values.get("OLLAMA_BASE_URL") or values.get("OLLAMA_HOST") or "127.0.0.1"
    if "://" not in base_url:
        base_url = f"http://{base_url}"
    parts = urlsplit(base_url)
    if parts.port is None and "OLLAMA_BASE_URL" not in values:
        base_url = parts._replace(netloc=f"{parts.netloc}:11434").geturl()
    if not base_url.rstrip("/").endswith("/v1"):
        base_url = base_url.rstrip("/") + "/v1"
    key = values.get("OLLAMA_API_KEY") or ""
    return Access(connect=openai_compatible(name, base_url=base_url, key=key or NO_KEY), secrets=(key,), priced=False)


def openai_compatible(name: str, *, base_url: str | None, key: str, loopback: bool = False) -> Connect:
    """Any server that speaks OpenAI's chat completions. Without a `base_url` it is OpenAI's own."""

    async def connect() -> AsyncGenerator[PydanticModel]:
        import openai
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider

        # a proxy from the environment must not see what goes to our own process
        transport = openai.DefaultAioHttpClient(trust_env=not loopback, verify=not loopback)
        async with openai.AsyncOpenAI(base_url=base_url, api_key=key, http_client=transport, max_retries=0) as client:
            profile = None
            if base_url is not None:
                client.organization = client.project = None  # OpenAI's own, of no concern to another server
                profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
            yield OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)

    return connect


def anthropic(name: str, values: Mapping[str, str]) -> Access:
    """Anthropic, or the server that ANTHROPIC_BASE_URL names."""
    _need("anthropic", "anthropic")
    key = values.get("ANTHROPIC_API_KEY") or ""
    if not key:
        raise MissingKey("anthropic", "ANTHROPIC_API_KEY")
    base_url = values.get("ANTHROPIC_BASE_URL") or None

    async def connect() -> AsyncGenerator[PydanticModel]:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        async with AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0) as client:
            yield AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))

    return Access(connect=connect, secrets=(key,))


def google(name: str, values: Mapping[str, str]) -> Access:
    """The Gemini API, or the server that GOOGLE_GEMINI_BASE_URL names."""
    _need("google.genai", "google")
    key = values.get("GOOGLE_API_KEY") or values.get("GEMINI_API_KEY") or ""
    if not key:
        raise MissingKey("google", "GOOGLE_API_KEY")
    base_url = values.get("GOOGLE_GEMINI_BASE_URL") or None

    async def connect() -> AsyncGenerator[PydanticModel]:
        import httpx2
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        async with httpx2.AsyncClient(timeout=None) as transport:
            provider = GoogleProvider(api_key=key, base_url=base_url, http_client=transport)
            try:
                yield GoogleModel(name, provider=provider)
            finally:
                provider.client.close()

    return Access(connect=connect, secrets=(key,))


def bedrock(name: str, values: Mapping[str, str]) -> Access:
    """Amazon Bedrock: a bearer token, or what the usual AWS chain finds (variables, profile, role)."""
    _need("boto3", "bedrock")
    boto3, exceptions = _untyped("boto3"), _untyped("botocore.exceptions")
    token = values.get("AWS_BEARER_TOKEN_BEDROCK") or ""
    try:
        session = boto3.Session(
            aws_access_key_id=values.get("AWS_ACCESS_KEY_ID") or None,
            aws_secret_access_key=values.get("AWS_SECRET_ACCESS_KEY") or None,
            aws_session_token=values.get("AWS_SESSION_TOKEN") or None,
            region_name=values.get("AWS_DEFAULT_REGION") or values.get("AWS_REGION") or None,
            botocore_session=_bearer_session(token) if token else None,
        )
        known = bool(token) or session.get_credentials() is not None
    except exceptions.BotoCoreError as error:
        raise UsageError(f"the AWS configuration cannot be used: {error}") from None
    if not known:
        raise MissingKey("bedrock", "AWS_BEARER_TOKEN_BEDROCK (or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)")
    if session.region_name is None:
        raise UsageError("bedrock needs a region; set the environment variable AWS_DEFAULT_REGION, for example to us-east-1")
    endpoint = values.get("AWS_ENDPOINT_URL_BEDROCK_RUNTIME") or values.get("AWS_ENDPOINT_URL") or None

    async def connect() -> AsyncGenerator[PydanticModel]:
        from pydantic_ai.models.bedrock import BedrockConverseModel
        from pydantic_ai.providers.bedrock import BedrockProvider

        signature = {"signature_version": "bearer"} if token else {}
        config = _untyped("botocore.config").Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=120, **signature)
        client = session.client("bedrock-runtime", config=config, endpoint_url=endpoint)
        with _daemon_loop() as loop:
            try:
                yield _aside(BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client)), loop)
            finally:
                client.close()

    secrets = tuple(values.get(variable) or "" for variable in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"))
    return Access(connect=connect, secrets=secrets)


def _bearer_session(token: str) -> Any:
    """AWS's library takes such a token from the environment only; ours may come from the settings."""
    session = _untyped("botocore.session").Session()
    held = _untyped("botocore.tokens").FrozenAuthToken(token)

    def token_for(**arguments: Any) -> Any:
        return held

    session.get_auth_token = token_for
    session.get_credentials = lambda: None
    return session


@contextmanager
def _daemon_loop() -> Generator[asyncio.AbstractEventLoop]:
    """An event loop in a daemon thread, whose worker threads are daemons too.

    AWS's library blocks a thread until the server answers, and Python waits for such threads at exit, but not for daemons: without this an
    interrupt would take as long as the answer does.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="redraft-bedrock", daemon=True)
    thread.start()

    async def drain() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(drain(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _aside(model: PydanticModel, loop: asyncio.AbstractEventLoop) -> PydanticModel:
    """The model, with its requests made on another event loop."""
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.wrapper import WrapperModel
    from pydantic_ai.settings import ModelSettings

    class AsideModel(WrapperModel):
        async def request(
            self, messages: list[ModelMessage], model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
        ) -> ModelResponse:
            asked = self.wrapped.request(messages, model_settings, model_request_parameters)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, loop))

    return AsideModel(model)


PROVIDERS = {"openai": openai_api, "anthropic": anthropic, "bedrock": bedrock, "google": google, "ollama": ollama}


def _need(package: str, extra: str) -> None:
    parent = package.partition(".")[0]
    if importlib.util.find_spec(parent) is None or importlib.util.find_spec(package) is None:
        raise MissingExtra(f"a model of {extra}", extra)


def _untyped(module: str) -> Any:
    """A module of a library without type information."""
    return importlib.import_module(module)
