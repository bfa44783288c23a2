"""OpenTelemetry: a run, its model calls and its tool calls as spans by the conventions for generative AI (semantic conventions 1.41, in development).

    from redraft.telemetry import Telemetry
    Refiner("openai:gpt-5", on_event=Telemetry().event)

Spans are made from the events of a run, with the times that the events have, so that nothing else of the program knows of them. They carry no text of
prompts, replies, answers or evidence unless `content=True`; then what the record's shield hides is hidden here too, because events are what it gives out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from redraft.errors import MissingExtra
from redraft.events import Decided, Event, ModelCalled, Started, StoppedRun, ToolCalled

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

__all__ = ["LONGEST_WAIT_SECONDS", "PROVIDERS", "Telemetry", "open_telemetry"]

PROVIDERS: Mapping[str, str] = {"openai": "openai", "anthropic": "anthropic", "bedrock": "aws.bedrock", "google": "gcp.gemini", "ollama": "ollama"}
"""Names of providers in the conventions, by the part of a model's name before its colon."""
LONGEST_WAIT_SECONDS = 2
"""How long a program that ends waits for a collector that does not answer."""
_SECOND = 1_000_000_000
_LONGEST = 8_000


class Telemetry:
    """Makes the spans of one run after the other; `event` is what `Refiner(on_event=...)` takes. For runs at the same time, one for each.

    `provider`: where the spans go; None is the one that the program has set up.

    Raises:
        MissingExtra: OpenTelemetry is not installed.
    """

    def __init__(self, provider: TracerProvider | None = None, *, content: bool = False) -> None:
        try:
            self._api = import_module("opentelemetry.trace")
        except ImportError:
            raise MissingExtra("OpenTelemetry", "telemetry") from None
        self._tracer: Tracer = self._api.get_tracer("redraft", tracer_provider=provider)
        self._content = content
        self._run: Span | None = None
        self._began = 0

    def event(self, event: Event) -> None:
        """Take the next event of a run."""
        match event:
            case Started():
                self._start(event)
            case ModelCalled():
                self._model(event)
            case ToolCalled():
                self._tool(event)
            case Decided():
                self._decided(event)
            case StoppedRun():
                self._stop(event)
            case _:
                pass

    def _start(self, event: Started) -> None:
        if self._run is not None:
            self._run.end()
        self._began = time.time_ns()
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "redraft",
            "gen_ai.request.model": event.models.get("writer", ""),
            "redraft.policy.name": str(event.policy.get("name", "")),
            "redraft.policy.hash": event.policy_hash,
            "redraft.task.kind": event.task.kind,
        }
        if self._content:
            attributes["redraft.task.query"] = event.task.query[:_LONGEST]
        self._run = self._tracer.start_span("invoke_agent redraft", attributes=attributes, start_time=self._began)

    def _model(self, event: ModelCalled) -> None:
        request, reply = event.request, event.reply
        provider, _, name = event.model.partition(":")
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS.get(provider, provider),
            "gen_ai.request.model": name or event.model,
            "gen_ai.request.max_tokens": request.max_tokens,
            "gen_ai.request.temperature": request.temperature,
            "gen_ai.request.seed": request.seed,
            "gen_ai.output.type": "text" if request.schema is None else "json",
            "redraft.role": request.role,
        }
        if reply is not None:
            attributes |= {
                "gen_ai.response.model": reply.model or name or event.model,
                "gen_ai.response.finish_reasons": [reply.finish],
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": reply.cached_tokens,
            }
        if self._content:
            attributes["redraft.request"] = request.messages[-1].content[:_LONGEST]
            attributes["redraft.reply"] = reply.text[:_LONGEST] if reply is not None else ""
        span = self._call(f"chat {name or event.model}", self._api.SpanKind.CLIENT, event.started_seconds, attributes)
        self._end(span, event.started_seconds + event.seconds, event.error_type)

    def _tool(self, event: ToolCalled) -> None:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": event.call.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": event.key,
            "redraft.evidence.count": len(event.evidence),
        }
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = event.call.input[:_LONGEST]
            attributes["gen_ai.tool.call.result"] = "\n".join(item.text for item in event.evidence)[:_LONGEST]
        span = self._call(f"execute_tool {event.call.tool}", self._api.SpanKind.INTERNAL, event.started_seconds, attributes)
        failed = event.failure.kind if event.failure is not None and event.failure.kind != "empty" else ""
        self._end(span, event.started_seconds + event.seconds, failed)

    def _decided(self, event: Decided) -> None:
        if self._run is not None:
            decision = event.decision
            self._run.add_event("redraft.decided", {"redraft.turn": event.turn, "redraft.accepted": decision.accepted, "redraft.rule": decision.rule})

    def _stop(self, event: StoppedRun) -> None:
        if self._run is None:
            return
        usage = event.usage
        self._run.set_attributes(
            {
                "redraft.status": event.status,
                "redraft.stop_reason": event.reason,
                "redraft.llm_calls": usage.llm_calls,
                "redraft.tool_calls": usage.tool_calls,
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
            }
        )
        if self._content:
            self._run.set_attribute("redraft.answer", event.answer[:_LONGEST])
        self._run.end()
        self._run = None

    def _call(self, name: str, kind: Any, seconds: float, attributes: Mapping[str, Any]) -> Span:
        context = None if self._run is None else self._api.set_span_in_context(self._run)
        return self._tracer.start_span(name, context=context, kind=kind, attributes=attributes, start_time=self._at(seconds))

    def _end(self, span: Span, seconds: float, failed: str) -> None:
        if failed:
            span.set_attribute("error.type", failed)
            span.set_status(self._api.StatusCode.ERROR)
        span.end(end_time=self._at(seconds))

    def _at(self, seconds: float) -> int:
        return self._began + int(seconds * _SECOND)


def open_telemetry(endpoint: str | None = None, *, content: bool = False) -> Telemetry:
    """Telemetry to a collector by OTLP over HTTP: `endpoint`, or what the usual variables say (`OTEL_EXPORTER_OTLP_ENDPOINT`). Spans leave in batches, the
    last ones when the program ends; a collector that is away holds it up for `LONGEST_WAIT_SECONDS` at most, and costs the spans.

    Raises:
        MissingExtra: OpenTelemetry or its exporter is not installed.
    """
    try:
        sdk = import_module("opentelemetry.sdk.trace")
        export = import_module("opentelemetry.sdk.trace.export")
        exporter = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        resources = import_module("opentelemetry.sdk.resources")
    except ImportError:
        raise MissingExtra("OpenTelemetry", "telemetry") from None
    logging.getLogger("opentelemetry.exporter").setLevel(logging.ERROR)  # that it tries again is nobody's business; that it failed is
    address = None if endpoint is None else f"{endpoint.rstrip('/')}/v1/traces"
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": "redraft"}))
    provider.add_span_processor(export.BatchSpanProcessor(exporter.OTLPSpanExporter(endpoint=address, timeout=LONGEST_WAIT_SECONDS)))
    return Telemetry(provider, content=content)
