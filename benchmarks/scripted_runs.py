"""Runs of a model that says anything a request allows, by chance but reproducibly: any policy, any schema, failures and rubbish among it.

They show what a record must be able to hold and a replay to reproduce: parallel calls that end in any order, repairs, refusals, budgets that run out.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from redraft.errors import ModelQuota, ModelUnreachable
from redraft.policies import POLICIES
from redraft.policy import Policy
from redraft.tools.calculator import CalculatorTool
from redraft.tools.dates import DatesTool
from redraft.tools.scripted import page
from redraft.types import Ability, Failure, ModelReply, ModelRequest, Task, ToolCall, ToolResult

WORDS = "Aldon Berley Corwick the town river was born in built lies near holds about years metres people because and not".split()


class ChanceModel:
    """Replies by chance, from a seed and what it is asked."""

    def __init__(self, seed: int, ability: Ability = "capable") -> None:
        self.name = "chance"
        self.ability: Ability = ability
        self._seed = seed

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = request.messages[-1].content
        chance = random.Random(f"{self._seed}{request.role}{request.sample}{prompt}")
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        if chance.random() < 0.03:
            raise chance.choice((ModelUnreachable, ModelQuota))("it did not answer")
        text = _sentences(chance, prompt) if request.schema is None else json.dumps(_value(request.schema, request.schema, chance, prompt))
        if chance.random() < 0.03:
            text = text[: len(text) // 2]
        return ModelReply(text=text, input_tokens=len(prompt) // 4, output_tokens=len(text) // 4, cost_usd=chance.random() / 1000)

    async def close(self) -> None:
        """Nothing to release."""


class ChanceTool:
    """Finds pages, nothing, or fails."""

    name = "search"
    summary = "Searches the web."
    timeout_seconds = 5.0

    def __init__(self, seed: int) -> None:
        self._seed = seed

    async def run(self, call: ToolCall) -> ToolResult:
        chance = random.Random(f"{self._seed}{call}")
        for _ in range(chance.randrange(9)):
            await asyncio.sleep(0)
        if chance.random() < 0.2:
            kind = chance.choice(("empty", "timeout", "unreachable", "quota"))
            return Failure(tool="search", input=call.input, kind=kind, message="nothing came back")
        return page(call, _sentences(chance, call.input), source=f"https://example.org/{chance.randrange(5)}", relevance=chance.choice((0.2, 0.6, 1.0)))

    async def close(self) -> None:
        """Nothing to release."""


class SteppingClock:
    """A clock that moves by a fixed step whenever it is read."""

    def __init__(self, step_seconds: float = 0.01) -> None:
        self._now = 0.0
        self._step = step_seconds

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(seconds=self._now)

    def monotonic(self) -> float:
        self._now += self._step
        return self._now


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """One run: everything that a Refiner takes."""

    seed: int
    policy: Policy
    task: Task
    evaluator: bool
    clock: SteppingClock | None

    def parts(self) -> dict[str, Any]:
        """Arguments of `Refiner`, anew for each run."""
        return {
            "model": ChanceModel(self.seed),
            "evaluator": ChanceModel(self.seed + 1) if self.evaluator else None,
            "tools": [CalculatorTool(), DatesTool(), ChanceTool(self.seed)],
            "policy": self.policy,
            "seed": self.seed,
            "clock": self.clock,
            "oracle": (lambda answer: len(answer) % 3 == 0) if self.policy.oracle else None,
        }


def cases(count: int, first: int = 0) -> Iterator[Case]:
    """Runs under every policy in turn, some with budgets that run out."""
    names = sorted(POLICIES)
    for seed in range(first, first + count):
        chance = random.Random(seed)
        policy = POLICIES[names[seed % len(names)]]
        budgets = policy.budgets
        clock = None
        match seed % 7:
            case 3:
                budgets = dataclasses.replace(budgets, llm_calls=chance.randrange(1, 8))
            case 4:
                budgets = dataclasses.replace(budgets, tokens=chance.randrange(100, 4000))
            case 5:
                budgets, clock = dataclasses.replace(budgets, deadline_seconds=chance.random() * 2), SteppingClock()
            case 6:
                budgets = dataclasses.replace(budgets, cost_usd=chance.random() / 200, tool_calls=chance.randrange(1, 9))
            case _:
                pass
        kind = chance.choice(("qa", "report", "math"))
        query = f"What is {chance.randrange(2, 99)}% of {chance.randrange(100, 9999)}?" if kind == "math" else "Where was the mayor of Aldon born?"
        answer = _sentences(chance, query) if chance.random() < 0.7 or kind == "report" else None
        task = Task(query=query if kind != "report" or chance.random() < 0.5 else "", kind=kind, answer=answer)
        yield Case(seed=seed, policy=dataclasses.replace(policy, budgets=budgets), task=task, evaluator=chance.random() < 0.4, clock=clock)


def _sentences(chance: random.Random, prompt: str) -> str:
    parts: list[str] = []
    for _ in range(chance.randrange(1, 4)):
        a, b = chance.randrange(2, 50), chance.randrange(2, 50)
        parts.append(
            chance.choice(
                (
                    f"{a} * {b} = {a * b + chance.choice((0, 0, 3))}.",
                    f"{a} + {b} = {a + b + chance.choice((0, 1))}, says the book.",
                    " ".join(chance.choices(WORDS, k=6)).capitalize() + ".",
                    f"The town lies {chance.randrange(9)} kilometres from the river.",
                )
            )
        )
    return " ".join(parts)


def _value(schema: Any, root: Any, chance: random.Random, prompt: str) -> Any:
    """Anything that the schema allows; texts are words of the prompt more often than not."""
    if "$ref" in schema:
        return _value(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, chance, prompt)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return _value(chance.choice(schema["anyOf"]), root, chance, prompt)
    match schema.get("type"):
        case "object":
            return {name: _value(inner, root, chance, prompt) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [_value(schema.get("items", {"type": "string"}), root, chance, prompt) for _ in range(chance.randrange(3))]
        case "number":
            top = schema.get("maximum", 1)
            return round(chance.random() * top, 2)
        case "integer":
            return chance.randrange(schema.get("minimum", 0), schema.get("maximum", 10) + 1)
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
        case _:
            lines = [line for line in prompt.split("\n") if line.strip() and len(line) < 200]
            return chance.choice(lines).strip() if lines and chance.random() < 0.6 else _sentences(chance, prompt)
