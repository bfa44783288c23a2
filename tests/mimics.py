"""Local servers that answer as the providers' APIs do: replies, errors and limits in their own words. Loopback only."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

AT_ONCE = {"retry-after": "0"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server sends back. Without a body it keeps the caller waiting until the server ends."""

    body: Mapping[str, Any] | bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Request:
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, Any]


class Mimic:
    """A server on a free loopback port that gives its answers in order, and the last one for ever."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.arrived = threading.Event()
        """Set with the first request."""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        mimic = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length", 0)))
                mimic.answer(self, content)

            def log_message(self, format: str, *args: object) -> None: ...

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A caller that hangs up is what some tests are about."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def answer(self, handler: BaseHTTPRequestHandler, content: bytes) -> None:
        with self._lock:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            self.requests.append(Request(path=handler.path, headers=headers, body=json.loads(content)))
            self.arrived.set()
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.body is None:
            self._ended.wait()
            handler.close_connection = True
            return
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **answer.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class OpenAIApi:
    """Chat completions, as OpenAI, Ollama, llama.cpp, vLLM and many others speak them."""

    key_header = ("authorization", "Bearer {key}")

    def __init__(self, model: str = "openai:gpt-4.1-mini", base: str = "OPENAI_BASE_URL", key: str = "OPENAI_API_KEY") -> None:
        self.model, self.base, self.key = model, base, key

    def name(self, url: str) -> str:
        return self.model.replace("URL", url)

    def settings(self, url: str, key: str) -> dict[str, Any]:
        return {self.key: key, **({self.base: f"{url}/v1"} if self.base else {})}

    def reply(self, text: str | None, *, finish: str = "stop") -> Answer:
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25, "prompt_tokens_details": {"cached_tokens": 16}}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return Answer(body={"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4.1-mini", "choices": [choice], "usage": usage})

    def nothing(self) -> Answer:
        return Answer(body={"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4.1-mini", "choices": []})

    def withheld(self) -> Answer:
        return self.reply(None, finish="content_filter")

    def error(self, status: int, message: str, code: str | None = None, headers: Mapping[str, str] = AT_ONCE) -> Answer:
        return Answer(status=status, headers=headers, body={"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}})

    def too_long(self) -> Answer:
        return self.error(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.", "context_length_exceeded")

    def no_schema(self) -> Answer:
        return self.error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.")

    def schema_sent(self, body: Mapping[str, Any]) -> bool:
        return "response_format" in body

    def max_tokens_sent(self, body: Mapping[str, Any]) -> int:
        return body.get("max_completion_tokens") or body["max_tokens"]


class AnthropicApi:
    key_header = ("authorization", "Bearer {key}")
    key = "ANTHROPIC_API_KEY"

    def name(self, url: str) -> str:
        return "anthropic:claude-haiku-4-5"

    def settings(self, url: str, key: str) -> dict[str, Any]:
        return {self.key: key, "ANTHROPIC_BASE_URL": url}

    def reply(self, text: str | None, *, finish: str = "end_turn") -> Answer:
        content = [] if text is None else [{"type": "text", "text": text}]
        usage = {"input_tokens": 4, "output_tokens": 5, "cache_read_input_tokens": 16, "cache_creation_input_tokens": 0}
        shape = {"id": "m", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "stop_reason": finish, "stop_sequence": None}
        return Answer(body={**shape, "content": content, "usage": usage})

    def nothing(self) -> Answer:
        return self.reply(None)

    def withheld(self) -> Answer:
        return self.reply(None, finish="refusal")

    def error(self, status: int, message: str, code: str | None = None, headers: Mapping[str, str] = AT_ONCE) -> Answer:
        kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error"}
        return Answer(status=status, headers=headers, body={"type": "error", "error": {"type": kinds.get(status, "invalid_request_error"), "message": message}})

    def too_long(self) -> Answer:
        return self.error(400, "prompt is too long: 210000 tokens > 200000 maximum")

    def no_schema(self) -> Answer:
        return self.error(400, "output_format: Extra inputs are not permitted")

    def schema_sent(self, body: Mapping[str, Any]) -> bool:
        return "output_format" in body or "output_config" in body

    def max_tokens_sent(self, body: Mapping[str, Any]) -> int:
        return body["max_tokens"]


class GoogleApi:
    key_header = ("x-goog-api-key", "{key}")
    key = "GOOGLE_API_KEY"

    def name(self, url: str) -> str:
        return "google:gemini-3.1-flash"

    def settings(self, url: str, key: str) -> dict[str, Any]:
        return {self.key: key, "GOOGLE_GEMINI_BASE_URL": url}

    def reply(self, text: str | None, *, finish: str = "STOP") -> Answer:
        candidate: dict[str, Any] = {"finishReason": finish, "index": 0}
        if text is not None:
            candidate["content"] = {"role": "model", "parts": [{"text": text}]}
        usage = {"promptTokenCount": 20, "candidatesTokenCount": 5, "totalTokenCount": 25, "cachedContentTokenCount": 16}
        return Answer(body={"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3.1-flash"})

    def nothing(self) -> Answer:
        return self.reply(None)

    def withheld(self) -> Answer:
        return self.reply(None, finish="SAFETY")

    def error(self, status: int, message: str, code: str | None = None, headers: Mapping[str, str] = AT_ONCE) -> Answer:
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL"}
        return Answer(status=status, headers=headers, body={"error": {"code": status, "message": message, "status": names.get(status, "UNKNOWN")}})

    def too_long(self) -> Answer:
        return self.error(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).")

    def no_schema(self) -> Answer:
        return self.error(400, "JSON mode is not enabled for this model")

    def schema_sent(self, body: Mapping[str, Any]) -> bool:
        return any("schema" in name.lower() for name in body.get("generationConfig", {}))

    def max_tokens_sent(self, body: Mapping[str, Any]) -> int:
        return body["generationConfig"]["maxOutputTokens"]


class BedrockApi:
    """The Converse API. Access keys, as the library sends a bearer token over https only: no secret is ever sent, only a signature."""

    key_header = ("x-amz-security-token", "{key}")

    def name(self, url: str) -> str:
        return "bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0"

    def settings(self, url: str, key: str) -> dict[str, Any]:
        keys = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": key, "AWS_SESSION_TOKEN": key}
        return {**keys, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url, "AWS_DEFAULT_REGION": "us-east-1"}

    def reply(self, text: str | None, *, finish: str = "end_turn") -> Answer:
        content = [] if text is None else [{"text": text}]
        usage = {"inputTokens": 4, "outputTokens": 5, "totalTokens": 25, "cacheReadInputTokens": 16, "cacheWriteInputTokens": 0}
        output = {"message": {"role": "assistant", "content": content}}
        return Answer(body={"output": output, "stopReason": finish, "usage": usage, "metrics": {"latencyMs": 1}})

    def nothing(self) -> Answer:
        return self.reply(None)

    def withheld(self) -> Answer:
        return self.reply(None, finish="content_filtered")

    def error(self, status: int, message: str, code: str | None = None, headers: Mapping[str, str] = AT_ONCE) -> Answer:
        kinds = {
            401: "UnrecognizedClientException", 403: "AccessDeniedException", 404: "ResourceNotFoundException",
            429: "ThrottlingException", 500: "InternalServerException",
        }  # fmt: skip
        kind = kinds.get(status, "ValidationException")
        return Answer(status=status, headers={"x-amzn-errortype": kind, **headers}, body={"message": message})

    def too_long(self) -> Answer:
        return self.error(400, "Input is too long for requested model.")

    def no_schema(self) -> Answer:
        return self.error(400, "The model returned the following errors: output_config: Extra inputs are not permitted")

    def schema_sent(self, body: Mapping[str, Any]) -> bool:
        return "outputConfig" in body

    def max_tokens_sent(self, body: Mapping[str, Any]) -> int:
        return body["inferenceConfig"]["maxTokens"]


Api = OpenAIApi | AnthropicApi | GoogleApi | BedrockApi
APIS: dict[str, Api] = {
    "openai": OpenAIApi(),
    "ollama": OpenAIApi("ollama:llama3.2", "OLLAMA_BASE_URL", "OLLAMA_API_KEY"),
    "url": OpenAIApi("URL/v1#some-model", "", "REDRAFT_API_KEY"),
    "anthropic": AnthropicApi(),
    "google": GoogleApi(),
    "bedrock": BedrockApi(),
}
