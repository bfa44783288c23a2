"""A writer, evaluators and judges whose texts carry their true quality: what they say is a function of what they are asked, so that a study of them repeats."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from redraft.types import DIMENSIONS, Ability, Message, ModelReply, ModelRequest, Role

MARK = re.compile(r"quality (\d\d\d)")
CRITERIA = ("accuracy", "completeness", "reasoning", "usefulness")


def drawn(*parts: object) -> float:
    """A number from 0 to 1 that depends on the parts alone."""
    return int(hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12


def quality_in(text: str) -> int:
    """The true quality, in thousandths, of the last marked text in a prompt."""
    found = MARK.findall(text)
    return int(found[-1]) if found else 500


def last_block(prompt: str) -> str:
    """What the markers of the last quoted block but evidence hold; the whole prompt without one."""
    blocks = re.findall(r"\[([0-9a-f]{16})\n(.*?)\n\1\]", prompt, re.S)
    return next((text for _, text in reversed(blocks) if MARK.search(text)), prompt)


class Simulated:
    """Plays every part. A rewrite moves the quality by up to `step` towards better, or by a third of that towards worse with the given probability."""

    def __init__(
        self, name: str, *, noise: float = 0.04, bias: float = 0.0, step: int = 80, regressions: float = 0.25, ability: Ability = "capable", tell: bool = False
    ) -> None:
        self.name = name
        self.ability: Ability = ability
        self.requests: list[ModelRequest] = []
        self._noise, self._bias, self._step, self._regressions, self._tell = noise, bias, step, regressions, tell

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        prompt = request.messages[-1].content
        text = self._reply(request, prompt)
        words = sum(len(message.content.split()) for message in request.messages)
        return ModelReply(text=text, input_tokens=words, output_tokens=len(text.split()), cost_usd=0.0001 * words, model=self.name)

    async def close(self) -> None: ...

    def _reply(self, request: ModelRequest, prompt: str) -> str:
        if request.role == "writer":
            return f"The draft has quality {300 + int(300 * drawn('draft', prompt)):03d}."
        if request.role == "evaluator":
            return self._evaluation(request, last_block(prompt))
        if request.role == "judge":
            return self._judgement(request, prompt)
        old = self._retained(prompt)
        up = drawn("up", self.name, old, prompt) >= self._regressions
        change = int(self._step * drawn("size", old, prompt)) if up else -int(self._step * drawn("size", old, prompt) / 3)
        return self._rewritten(request, f"Rewritten, this has quality {max(0, min(999, old + change)):03d}." + " More words." * (1 if up else 0))

    def _retained(self, prompt: str) -> int:
        """The quality of the text that is to be rewritten: the first that is quoted after the question."""
        found = MARK.findall(prompt)
        return int(found[0]) if found else 500

    def _rewritten(self, request: ModelRequest, text: str) -> str:
        fields = (request.schema or {}).get("properties", {})
        return json.dumps({"text": text, "edits": []}) if "text" in fields else text

    def _evaluation(self, request: ModelRequest, text: str) -> str:
        true = quality_in(text) / 1000
        ratings = []
        for name in DIMENSIONS:
            score = true + self._bias + self._noise * 2 * (drawn(self.name, name, text, request.sample) - 0.5)
            ratings.append(
                {"dimension": name, "score": round(100 * max(0.0, min(1.0, score)), 2), "reason": "as marked", "quote": f"quality {quality_in(text):03d}"}
            )
        return json.dumps({"ratings": ratings, "defects": [], "decision": "accept"})

    def _judgement(self, request: ModelRequest, prompt: str) -> str:
        if "refined" in (request.schema or {}).get("properties", {}):
            blocks = MARK.findall(prompt)
            first = int(blocks[0]) > int(blocks[1]) if self._tell else drawn("guess", prompt) < 0.5
            return json.dumps({"refined": "first" if first else "second"})
        text = last_block(prompt)
        true = quality_in(text) / 1000
        marks = []
        for name in CRITERIA:
            score = true + self._bias + self._noise * 2 * (drawn(self.name, name, text, request.sample) - 0.5)
            marks.append({"criterion": name, "points": max(1, min(7, round(1 + 6 * score)))})
        return json.dumps({"marks": marks, "verdict": "right" if true + self._bias >= 0.5 else "wrong"})


class SimulatedServer:
    """An OpenAI-compatible server on a free loopback port, behind which each model name is a part; `after` is called with the number of each request."""

    def __init__(self, models: Mapping[str, Simulated], after: Callable[[int], None] = lambda count: None) -> None:
        self.count = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
                reply = asyncio.run(models[body["model"]].complete(request_in(body)))
                usage = {
                    "prompt_tokens": reply.input_tokens,
                    "completion_tokens": reply.output_tokens,
                    "total_tokens": reply.input_tokens + reply.output_tokens,
                }
                message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply.text}}
                content = json.dumps(
                    {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [message], "usage": usage}
                ).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                server.count += 1
                after(server.count)

            def log_message(self, format: str, *args: object) -> None: ...

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A caller that is killed hangs up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def request_in(body: Mapping[str, Any]) -> ModelRequest:
    """The request that an API call carries: its part is told by the model's name and the shape that is asked for."""
    messages = tuple(Message(role=item["role"], content=item["content"]) for item in body["messages"])
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    fields = (schema or {}).get("properties", {})
    role: Role = "judge" if "verdict" in fields or "refined" in fields else "evaluator" if "ratings" in fields else "corrector"
    if role == "corrector" and messages[0].content.startswith("Today is"):
        role = "writer"
    return ModelRequest(role=role, messages=messages, schema=schema, sample=int(body.get("seed", 0)))
