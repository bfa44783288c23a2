"""One adapter for every model that pydantic-ai reaches: a request in, a reply out, and every failure as a `ModelError`.

A model that refuses structured output is asked in words instead, and that is remembered for as long as the model is held.
Connections belong to the event loop that opened them; they are closed with it, or by `close`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from redraft.effects import again
from redraft.errors import ModelBroken, ModelDenied, ModelError, ModelQuota, ModelRefused, ModelUnreachable
from redraft.types import Ability, Message, ModelReply, ModelRequest

if TYPE_CHECKING:
    from pydantic_ai import messages as chat
    from pydantic_ai.models import Model as PydanticModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

__all__ = ["CallOptions", "Connect", "RemoteModel"]

Connect = Callable[[], "AsyncGenerator[PydanticModel]"]
"""Opens a connection, yields it once, and closes it when the generator is closed. It must reach its `yield` without waiting."""

REASONING_TOKENS = 8192
"""Room for a model that reasons before it answers, given once a reply came back empty because its tokens had run out."""
SCHEMA_REFUSALS = frozenset({400, 404, 415, 422, 500, 501})
ABOUT_SCHEMAS = re.compile(r"response.?format|json.?schema|structured|output.?(?:config|format)|grammar|strict", re.IGNORECASE)
ABOUT_LENGTH = re.compile(r"(?:exceed|longer|maximum).{0,60}context (?:size|length|window)|context (?:size|length|window).{0,60}exceed", re.I)
LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|rk|key|AIza|Bearer)[-_ ]?[\w*.-]{8,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class CallOptions:
    """How one call is made. A retry happens only where it can help: a broken connection, an overloaded server, a short rate limit."""

    timeout_seconds: float = 120.0
    """For the whole call, retries included."""
    retries: int = 1
    pause_seconds: float = 0.5
    """Before a retry, where the server does not say how long to wait."""
    longest_pause_seconds: float = 20.0
    """A server that asks for a longer wait is not asked again: the caller learns how long."""


class RemoteModel:
    """A model behind an API. `priced`: it is the provider itself that answers, so that its price list holds."""

    def __init__(
        self,
        name: str,
        connect: Connect,
        *,
        ability: Ability = "capable",
        takes_grammar: bool = False,
        priced: bool = True,
        options: CallOptions | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.ability: Ability = ability
        self._connect = connect
        self._takes_grammar = takes_grammar
        self._priced = priced
        self._options = options or CallOptions()
        self._secrets = tuple(secret for secret in secrets if secret)
        self._native = True
        self._headroom = 0
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[PydanticModel, AsyncGenerator[PydanticModel]]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<model {self.name}>"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer the request.

        Raises:
            ModelError: the call failed; a subclass says how.
        """
        seconds = self._options.timeout_seconds
        model = await self._connected()  # not on the clock: the first time it imports the provider's library
        try:
            async with asyncio.timeout(seconds):
                return await self._complete(model, request)
        except TimeoutError:
            raise ModelUnreachable(f"{self.name} did not answer within {seconds:g} s; is it overloaded, or the request too long?") from None

    async def close(self) -> None:
        """Close the connections of the running event loop; those of others close with theirs."""
        held = self._open.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()

    async def _connected(self) -> PydanticModel:
        loop = asyncio.get_running_loop()
        held = self._open.get(loop)
        if held is None:
            # The loop closes generators that are still open when it ends, so a forgotten close() leaves no open socket behind.
            opening = self._connect()
            held = self._open[loop] = (await anext(opening), opening)
        return held[0]

    async def _complete(self, model: PydanticModel, request: ModelRequest) -> ModelReply:
        responses = [await self._exchange(model, request)]
        if not responses[0].text and responses[0].finish_reason == "length" and not self._headroom:
            again()
            self._headroom = REASONING_TOKENS
            responses.append(await self._exchange(model, request))
        return self._reply(responses)

    async def _exchange(self, model: PydanticModel, request: ModelRequest) -> chat.ModelResponse:
        if request.schema is None or (self._takes_grammar and request.grammar is not None):
            return await self._send(model, request, native=False)
        if self._native and model.profile.get("supports_json_schema_output", False):
            try:
                return await self._send(model, request, native=True)
            except _SchemaRefused:
                again()
                response = await self._send(model, _in_words(request), native=False)
                self._native = False
                return response
        return await self._send(model, _in_words(request), native=False)

    async def _send(self, model: PydanticModel, request: ModelRequest, *, native: bool) -> chat.ModelResponse:
        from pydantic_ai.direct import model_request

        turns, parameters, settings = _turns(request.messages), _parameters(request, native=native), self._settings(model, request)
        for left in range(self._options.retries, -1, -1):
            try:
                return await model_request(model, turns, model_request_parameters=parameters, model_settings=settings)
            except Exception as error:
                if native and _refuses_schema(error):
                    raise _SchemaRefused from None
                pause = self._pause(error) if left else None
                if pause is None:
                    raise self._failure(error) from None
            await asyncio.sleep(pause)
            again()
        raise AssertionError("unreachable")

    def _settings(self, model: PydanticModel, request: ModelRequest) -> ModelSettings:
        settings: dict[str, Any] = {"max_tokens": request.max_tokens + self._headroom, "temperature": request.temperature, "seed": request.seed}
        if _refuses_temperature(model.profile):
            del settings["temperature"]
        if request.stop:
            settings["stop_sequences"] = list(request.stop)
        if self._takes_grammar and request.grammar is not None:
            settings["extra_body"] = {"grammar": request.grammar}
        return settings  # pyright: ignore[reportReturnType]

    def _reply(self, responses: Sequence[chat.ModelResponse]) -> ModelReply:
        last = responses[-1]
        text, finish = last.text or "", last.finish_reason or "stop"
        if not text.strip():
            if finish == "content_filter":
                raise ModelRefused(f"{self.name} withheld its reply (content filter); rephrase the question or name another model")
            if finish == "length":
                raise ModelBroken(f"{self.name} used up its tokens before it wrote a reply")
            raise ModelBroken(f"{self.name} sent an empty reply")
        costs = [_cost(response) if self._priced else None for response in responses]
        return ModelReply(
            text=text,
            input_tokens=sum(response.usage.input_tokens for response in responses),
            output_tokens=sum(response.usage.output_tokens for response in responses),
            cached_tokens=sum(response.usage.cache_read_tokens for response in responses),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            model=last.model_name or "",
            finish=finish,
        )

    def _pause(self, error: Exception) -> float | None:
        """How long to wait before the same call is made again; None if that cannot help."""
        from pydantic_ai import exceptions as e

        if isinstance(error, (e.ModelTimeoutError, e.ModelQuotaExceededError)) or not isinstance(
            error, (e.ModelRateLimitError, e.ModelUnavailableError, e.ModelServerError, e.ModelConnectionError)
        ):
            return None
        pause = self._options.pause_seconds if error.retry_after is None else error.retry_after
        return pause if pause <= self._options.longest_pause_seconds else None

    def _failure(self, error: Exception) -> ModelError:
        """The failure in our words. What the provider said is shown shortened and without keys, and not at all where it is about a key."""
        from pydantic_ai import exceptions as e

        name, wait = self.name, getattr(error, "retry_after", None)
        status = getattr(error, "status_code", 0)
        said = self._said(error)
        too_long = f"{name}: the request is longer than the model's context; shorten the text or name a model with a longer one"
        match error:
            case e.ModelAuthenticationError():
                return ModelDenied(f"{name}: the key was refused (HTTP {status or 401}); check the provider's key and what it may use")
            case e.ModelQuotaExceededError():
                return ModelQuota(f"{name}: the quota or credit is used up{said}", retry_after_seconds=wait)
            case e.ModelRateLimitError():
                when = f"; it asks to wait {wait:g} s" if wait is not None else ""
                return ModelQuota(f"{name}: too many requests{when}", retry_after_seconds=wait)
            case e.ModelContextWindowExceededError():
                return ModelRefused(too_long)
            case e.ModelRequestRejectedError() if ABOUT_LENGTH.search(said):
                return ModelRefused(too_long)
            case e.ModelNotFoundError():
                return ModelRefused(f"{name}: the server knows no such model or address; check the name and the base URL{said}")
            case e.ContentFilterError():
                return ModelRefused(f"{name}: the provider's content filter stopped the request; rephrase it or name another model")
            case e.ModelTimeoutError():
                return ModelUnreachable(f"{name}: no connection, or no answer in time; check the network and the server's address")
            case e.ModelConnectionError():
                return ModelUnreachable(f"{name}: cannot be reached; check the network and the server's address")
            case e.ModelUnavailableError() | e.ModelServerError():
                return ModelUnreachable(f"{name}: the server failed (HTTP {status or 500}){said}", retry_after_seconds=wait)
            case e.ModelRequestRejectedError():
                return ModelRefused(f"{name}: the request was not accepted (HTTP {status or 400}){said}")
            case e.ModelHTTPError():
                kind = ModelUnreachable if error.status_code >= 500 or error.status_code == 408 else ModelRefused
                return kind(f"{name}: the server answered HTTP {error.status_code}{said}")
            case e.UserError():
                return ModelRefused(f"{name}: this request cannot be made{said}")
            case _:
                return ModelBroken(f"{name}: the reply could not be read, or the call failed in a way that has no name ({type(error).__name__})")

    def _said(self, error: Exception) -> str:
        body = getattr(error, "body", None)
        message = _message_in(body) if body is not None else str(error)
        for secret in self._secrets:
            message = message.replace(secret, "[key]")
        message = " ".join(LOOKS_LIKE_A_KEY.sub("[key]", message).split())
        return f": {message[:300]}" if message else ""


def _refuses_temperature(profile: Mapping[str, Any]) -> bool:
    if profile.get("anthropic_disallows_sampling_settings") or profile.get("bedrock_disallows_sampling_settings"):
        return True
    return bool(profile.get("openai_supports_reasoning") and profile.get("thinking_enabled_by_default"))


class _SchemaRefused(Exception):
    """The server does not take a schema for its reply."""


def _refuses_schema(error: Exception) -> bool:
    """Whether the same request without a schema may be accepted. A refusal for any other reason is met again at once, at no harm."""
    from pydantic_ai import exceptions as e

    if isinstance(error, e.UserError):
        return True
    if not isinstance(error, e.ModelHTTPError) or error.status_code not in SCHEMA_REFUSALS:
        return False
    if isinstance(error, (e.ModelAuthenticationError, e.ModelQuotaExceededError, e.ModelContextWindowExceededError)):
        return False
    return error.status_code in (400, 422) or ABOUT_SCHEMAS.search(_message_in(error.body)) is not None


def _message_in(body: object) -> str:
    """The sentence meant for people in a provider's error body."""
    while isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        body = next((fields[key] for key in ("error", "message", "Message", "detail", "details") if fields.get(key)), "")
    return body if isinstance(body, str) else json.dumps(body, default=str)


def _in_words(request: ModelRequest) -> ModelRequest:
    """The request with its schema in the last message, for a server that does not take schemas."""
    rule = "Reply with one JSON value that matches this JSON schema, and with nothing else.\n" + json.dumps(request.schema, ensure_ascii=False)
    *before, last = request.messages
    return dataclasses.replace(request, messages=(*before, Message(role=last.role, content=f"{last.content}\n\n{rule}")), schema=None)


def _turns(messages: Sequence[Message]) -> list[chat.ModelMessage]:
    from pydantic_ai import messages as chat

    turns: list[chat.ModelMessage] = []
    for message in messages:
        if message.role == "assistant":
            turns.append(chat.ModelResponse(parts=[chat.TextPart(content=message.content)]))
            continue
        part = chat.SystemPromptPart(content=message.content) if message.role == "system" else chat.UserPromptPart(content=message.content)
        if turns and isinstance(turns[-1], chat.ModelRequest):
            turns[-1] = chat.ModelRequest(parts=[*turns[-1].parts, part])
        else:
            turns.append(chat.ModelRequest(parts=[part]))
    return turns


def _parameters(request: ModelRequest, *, native: bool) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if not native or request.schema is None:
        return ModelRequestParameters(output_mode="text", allow_text_output=True)
    shape = OutputObjectDefinition(json_schema=dict(request.schema), name="Reply", strict=True)
    return ModelRequestParameters(output_mode="native", allow_text_output=True, output_object=shape)


def _cost(response: chat.ModelResponse) -> float | None:
    """US dollars, or None where the price or the usage is not known."""
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
