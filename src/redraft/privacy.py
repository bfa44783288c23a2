"""Privacy: what third parties and records are told of people and secrets. One shield of wrappers around models, tools and the record; no step knows of it.

    mode     prompts to remote models, input of remote tools, records                       all else
    off      as they are                                                                     as it is
    on       placeholders for identifiers and secrets (`IDENTIFIERS`, detect-secrets)        as it is
    strict   placeholders for everything that argus-redact finds, names of people included   prompts to local models and the outcome's evidence too

Placeholders are the same for the same words within a run, and are turned back in what a model replies: inside a run, and in the answer that it
returns, stand the originals. Records hold placeholders only. The values of keys in the environment are taken out everywhere, in every mode, for good.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, TypeVar, cast, get_args
from urllib.parse import quote

from redraft.errors import MissingExtra, ModelError, UnknownName
from redraft.events import Event
from redraft.protocols import Model, Tool, TraceSink
from redraft.screening import OWN_WORDS
from redraft.types import Ability, Evidence, Failure, ModelReply, ModelRequest, Outcome, Task, ToolCall, ToolResult

__all__ = ["IDENTIFIERS", "LOCAL_MODELS", "WITHHELD_KEY", "PrivacyMode", "Shield", "environment_keys"]

PrivacyMode = Literal["off", "on", "strict"]
T = TypeVar("T")

WITHHELD_KEY = "[key]"
IDENTIFIERS: frozenset[str] = frozenset(
    """
    aadhaar address bank_card cnpj cpf credit_card credit_code eep email hk_id hrp housing_fund iban id_number imei ip_address itin license_plate mac_address
    macau_id military_id my_number nhs_number nino pan passport phone phone_landline qq rrn social_security ssn taiwan_arc tax_id tw_id us_passport wechat
    anthropic_api_key aws_access_key github_token jwt openai_api_key ssh_private_key url_token
    """.split()
)
"""Types of argus-redact that point at one person or open a door. Names, dates and places are what facts are made of: they are hidden in `strict` alone."""
NEVER: frozenset[str] = frozenset({"self_reference", "date", "url", "organization", "job_title", "hobby", "gender", "age", "location", "postcode"})
"""Types that say nothing of one person by themselves, and are part of nearly every sentence."""
LOCAL_MODELS = frozenset({"local", "none", "scripted"})
LOCAL_TOOLS = OWN_WORDS | {"table", "documents"}
_KEY_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|PAT|DATABASE_URL|DSN|WEBHOOK(?:_URL)?)$")
_LEAST_KEY = 8
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_NO_ENTROPY = frozenset({"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector", "KeywordDetector", "PrivateKeyDetector"})


def environment_keys(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the environment's keys, tokens and passwords, by the names of their variables; short ones, which are also words, are left out."""
    values = os.environ if environment is None else environment
    return tuple(value for name, value in values.items() if _KEY_NAME.search(name.upper()) and len(value.strip()) >= _LEAST_KEY)


class Shield:
    """Everything that a run wraps its models, tools and record with.

    `secrets`: further values that nobody may see, such as keys from a settings file. `task` gives the placeholders their mark, so that text from
    outside cannot guess one.

    Raises:
        UnknownName: there is no such mode.
        MissingExtra: the mode needs what is not installed.
    """

    def __init__(self, mode: PrivacyMode, task: Task, *, secrets: Iterable[str] = (), seed: int = 0) -> None:
        if mode not in get_args(PrivacyMode):
            raise UnknownName("privacy mode", mode, get_args(PrivacyMode))
        self.mode: PrivacyMode = mode
        self._keys = _Keys((*environment_keys(), *secrets))
        mark = hashlib.sha256("\x1f".join((str(seed), task.query, task.answer or "", task.context)).encode("utf-8", "surrogatepass")).hexdigest()[:5]
        self._vault = _Vault(_Detector(strict=mode == "strict"), mark) if mode != "off" else None
        for text in (task.query, task.answer or "", task.context):
            self.hidden(text)  # what the task itself holds is numbered first, whatever a run does next

    def hidden(self, text: str) -> str:
        """The text with placeholders, as records and third parties see it."""
        text = self._keys.removed(text)
        return self._vault.hide(text) if self._vault is not None else text

    def shown(self, text: str, *, in_json: bool = False) -> str:
        """The text with its originals back; `in_json` writes them as JSON strings hold them."""
        text = self._keys.removed(text)
        return self._vault.restore(text, in_json=in_json) if self._vault is not None else text

    def model(self, model: Model) -> Model:
        """The model behind the shield."""
        if self._vault is None and not self._keys:
            return model
        local = model.name.partition(":")[0] in LOCAL_MODELS
        return _ShieldedModel(model, self, self.hidden if self.mode == "strict" or not local else self._keys.removed)

    def tool(self, tool: Tool) -> Tool:
        """The tool behind the shield."""
        if self._vault is None and not self._keys:
            return tool
        return _ShieldedTool(tool, self._keys.removed if tool.name in LOCAL_TOOLS else self.hidden, self._keys.removed)

    def sink(self, sink: TraceSink) -> TraceSink:
        """The record behind the shield."""
        return sink if self._vault is None and not self._keys else _ShieldedSink(sink, self.hidden)

    def outcome(self, outcome: Outcome) -> Outcome:
        """The outcome as its caller gets it: no keys in what was found; in `strict` no one else's data either. Query, draft and answer are the caller's own."""
        if self._vault is None and not self._keys:
            return outcome
        change = _Change(self.hidden if self.mode == "strict" else self._keys.removed)
        evidence = tuple(change.value(item) for item in outcome.evidence)
        return dataclasses.replace(
            outcome,
            evidence=evidence,
            checks=tuple(dataclasses.replace(change.value(check), claim=check.claim, expected=check.expected) for check in outcome.checks),
            draft_checks=tuple(dataclasses.replace(change.value(check), claim=check.claim, expected=check.expected) for check in outcome.draft_checks),
            turns=tuple(change.value(turn) for turn in outcome.turns),
            warnings=tuple(change.value(warning) for warning in outcome.warnings),
        )


class _Keys:
    """Values that are taken out for good, as they are and as addresses and JSON hold them."""

    def __init__(self, values: Iterable[str]) -> None:
        forms = {
            form for value in values if len(value.strip()) >= _LEAST_KEY for form in (value, value.strip(), quote(value, safe=""), json.dumps(value)[1:-1])
        }
        self._pattern = re.compile("|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))) if forms else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def removed(self, text: str) -> str:
        return self._pattern.sub(WITHHELD_KEY, text) if self._pattern is not None else text


class _Vault:
    """Originals and their placeholders, the same ones for the length of a run."""

    def __init__(self, detector: _Detector, mark: str) -> None:
        self._detector, self._mark = detector, mark
        self._placeholders: dict[str, str] = {}
        self._originals: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._placeholder = re.compile(rf"(?<![A-Za-z0-9_])[A-Z]+(?:_[A-Z]+)*_\d+_{mark}(?![A-Za-z0-9_])")
        self._known: re.Pattern[str] | None = None

    def hide(self, text: str) -> str:
        for original, kind in self._detector.find(text):
            if original not in self._placeholders and not self._placeholder.search(original):
                self._counts[kind] = self._counts.get(kind, 0) + 1
                placeholder = f"{kind.upper()}_{self._counts[kind]}_{self._mark}"
                self._placeholders[original], self._originals[placeholder] = placeholder, original
                self._known = None
        if not self._placeholders:
            return text
        if self._known is None:
            longest_first = sorted(self._placeholders, key=lambda original: (-len(original), original))
            self._known = re.compile("|".join(_bounded(original) for original in longest_first))
        return self._known.sub(lambda match: self._placeholders[match[0]], text)

    def restore(self, text: str, *, in_json: bool) -> str:
        def original(match: re.Match[str]) -> str:
            found = self._originals.get(match[0], match[0])
            return json.dumps(found, ensure_ascii=False)[1:-1] if in_json else found

        return self._placeholder.sub(original, text) if self._originals else text


def _bounded(original: str) -> str:
    """The words as a pattern that does not match inside longer words."""
    before = r"(?<![A-Za-z0-9])" if original[0].isascii() and original[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if original[-1].isascii() and original[-1].isalnum() else ""
    return f"{before}{re.escape(original)}{after}"


class _Detector:
    """argus-redact for personal data, detect-secrets without its entropy plugins for secrets; both read the text here and ask nobody.

    Raises:
        MissingExtra: one of them is not installed.
    """

    def __init__(self, *, strict: bool) -> None:
        try:
            redact = import_module("argus_redact").redact
            plugins = import_module("detect_secrets.core.plugins.util").get_mapping_from_secret_type_to_class()
            keyword = import_module("detect_secrets.plugins.keyword").KeywordDetector()
        except ImportError:
            raise MissingExtra("hiding personal data and secrets", "privacy") from None
        self._strict = strict
        self._redact: Any = redact
        self._plugins: list[Any] = [plugin() for plugin in plugins.values() if plugin.__name__ not in _NO_ENTROPY]
        self._keyword: Any = keyword

    def find(self, text: str) -> list[tuple[str, str]]:
        """What is to be hidden, with its kind, in the order of the text."""
        if not text.strip():
            return []
        found = [(match[0], "secret") for match in _PRIVATE_KEY.finditer(text)]
        for line in text.splitlines():
            found += [(secret, "secret") for secret in self._secrets(line)]
        details = self._redact(text, lang=["en", "zh"], mode="fast", detailed=True)[2]
        for entity in details["entities"]:
            kind, original = str(entity["type"]), str(entity["original"])
            if (kind in IDENTIFIERS or (self._strict and kind not in NEVER)) and original.strip() and original in text:
                found.append((original, kind))
        return sorted(dict(found).items(), key=lambda pair: (text.find(pair[0]), -len(pair[0])))

    def _secrets(self, line: str) -> list[str]:
        if not re.search(r"\S{8}", line):
            return []
        found = [str(secret) for plugin in self._plugins for secret in plugin.analyze_string(line)]
        found += [
            str(secret.secret_value) for secret in self._keyword.analyze_line(filename="settings.ini", line=line) if _like_a_secret(str(secret.secret_value))
        ]
        return [secret for secret in found if len(secret) >= 6 and secret in line]


def _like_a_secret(value: str) -> bool:
    """A word after "password:" is a secret only if it is no word."""
    return len(value) >= 6 and " " not in value and bool(re.search(r"\d", value)) and bool(re.search(r"[^\W\d_]", value))


class _Change:
    """Applies a function to all text inside values, and keeps what names evidence by its content in step."""

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text
        self._ids: dict[str, str] = {}

    def value(self, value: T) -> T:
        return cast("T", self._changed(value))

    def _changed(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._ids.get(value) or self._text(value)
        if isinstance(value, Evidence):
            new = self._fields(value)
            self._ids[value.id] = new.id
            return new
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._fields(value)
        if isinstance(value, Mapping):
            return {self._changed(key): self._changed(item) for key, item in cast("Mapping[Any, Any]", value).items()}
        if isinstance(value, tuple | list | frozenset | set):
            items = cast("Sequence[Any]", value)
            return type(value)(self._changed(item) for item in items)  # pyright: ignore[reportUnknownVariableType, reportCallIssue, reportUnknownArgumentType]
        return value

    def _fields(self, value: Any) -> Any:
        changes = {field.name: self._changed(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init}
        return dataclasses.replace(value, **changes)


class _ShieldedModel:
    """A model that is told placeholders and whose replies have the originals back; its errors name no key."""

    def __init__(self, model: Model, shield: Shield, hide: Callable[[str], str]) -> None:
        self._model, self._shield, self._hide = model, shield, hide

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def ability(self) -> Ability:
        return self._model.ability

    async def complete(self, request: ModelRequest) -> ModelReply:
        self._hide("\n\n".join(message.content for message in request.messages))  # what one message gives away is known for all of them
        messages = tuple(dataclasses.replace(message, content=self._hide(message.content)) for message in request.messages)
        try:
            reply = await self._model.complete(dataclasses.replace(request, messages=messages))
        except ModelError as error:
            raise _without_keys(error, self._shield) from None
        return dataclasses.replace(reply, text=self._shield.shown(reply.text, in_json=request.schema is not None))

    async def close(self) -> None:
        await self._model.close()


def _without_keys(error: ModelError, shield: Shield) -> ModelError:
    said = shield.hidden(str(error))
    return error if said == str(error) else type(error)(said, retry_after_seconds=error.retry_after_seconds)


class _ShieldedTool:
    """A tool that is asked with placeholders where it is somebody else's, and that brings no key back."""

    def __init__(self, tool: Tool, ask: Callable[[str], str], found: Callable[[str], str]) -> None:
        self._tool, self._ask, self._found = tool, ask, found

    @property
    def name(self) -> str:
        return self._tool.name

    @property
    def summary(self) -> str:
        return self._found(self._tool.summary)

    @property
    def timeout_seconds(self) -> float:
        return self._tool.timeout_seconds

    @property
    def down(self) -> bool:
        """Whether the tool has stopped answering."""
        return bool(getattr(self._tool, "down", False))

    async def run(self, call: ToolCall) -> ToolResult:
        result = await self._tool.run(dataclasses.replace(call, input=self._ask(call.input)))
        change = _Change(self._found)
        if isinstance(result, Failure):
            return dataclasses.replace(result, input=call.input, message=self._found(result.message))
        return tuple(
            dataclasses.replace(change.value(item), input=call.input if item.input == self._ask(call.input) else self._found(item.input)) for item in result
        )

    async def close(self) -> None:
        await self._tool.close()


class _ShieldedSink:
    """A record that holds placeholders only; evidence is named by what is recorded of it."""

    def __init__(self, sink: TraceSink, hide: Callable[[str], str]) -> None:
        self._sink = sink
        self._change = _Change(hide)

    def write(self, event: Event) -> None:
        self._sink.write(self._change.value(event))
