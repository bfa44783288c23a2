"""The façade: a model, tools and a policy, put together once, used for any number of questions."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from redraft.catalogue import prompts_hash, read_prompts
from redraft.effects import ENTAILMENT, MEMORY, ORACLE, Effects, SystemClock
from redraft.errors import UsageError
from redraft.events import Event, Started, plain
from redraft.loop import Ending, Setting
from redraft.memory import Memory, MemoryTool
from redraft.models import open_model
from redraft.models.calibration import curves_for
from redraft.models.entailment import Entailment, EntailmentTool, OnnxEntailment
from redraft.models.none import NoModel
from redraft.oracle import Oracle, OracleTool
from redraft.outcome import presented
from redraft.planning.rules import RulePlanner
from redraft.policies import policy_named, refused
from redraft.policy import Policy
from redraft.privacy import PrivacyMode, Shield
from redraft.prompts import Prompts
from redraft.protocols import Clock, Model, Planner, Tool
from redraft.screening import OWN_WORDS, ScreenedTool
from redraft.strategies import runner_of
from redraft.tools import open_tools
from redraft.trace import Trace
from redraft.types import EXACT_TOOLS, Evidence, Outcome, Task

if TYPE_CHECKING:
    from redraft.records import Records
    from redraft.records.keeping import RunKeeper

__all__ = ["Refiner", "outcome_of", "planner_for"]

T = TypeVar("T")


class Refiner:
    """Checks answers with tools and corrects what the evidence contradicts.

        refiner = Refiner("openai:gpt-5", policy="guarded")
        outcome = refiner.run_sync("What is 17% of 2,340?")

    `tools`: the tools of every run; None opens those that fit each task (`redraft.tools.open_tools`). `on_event` is called with every event as it is recorded.
    `entailment`: a local entailment verifier, or the folder of one. `calibration`: a file of `redraft calibrate checks`; None takes the one that is kept
    for the judge, if there is one, and "none" leaves confidence as it is stated. `privacy`: what third parties and records are told (`redraft.privacy`);
    `records`: a store that keeps the record of every run (`redraft.records.open_records`), under the `run_id` of its outcome; None keeps nothing.
    `memory`: a file in which verdicts that were paid for are kept for later runs (`redraft.memory`); None keeps and recalls nothing.
    `secrets`: values that nobody is told in any mode, besides the keys of the environment. `oracle`: says whether an answer is right, for policies that
    are told so (`critic-oracle`); it is called in a thread of its own. `prompts`: a folder of templates, or texts by name, that replace our own.

    Raises:
        UsageError: an unknown model, policy or prompt, settings that do not go together, a missing key or extra.
    """

    def __init__(
        self,
        model: str | Model = "none",
        *,
        tools: Sequence[Tool] | None = None,
        policy: str | Policy = "guarded",
        evaluator: str | Model | None = None,
        judge: str | Model | None = None,
        planner: Planner | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        on_event: Callable[[Event], None] | None = None,
        entailment: str | Path | Entailment | None = None,
        calibration: str | Path | None = None,
        privacy: PrivacyMode = "off",
        secrets: Sequence[str] = (),
        records: Records | None = None,
        memory: str | Path | Memory | None = None,
        oracle: Oracle | OracleTool | None = None,
        prompts: str | Path | Mapping[str, str] | Prompts | None = None,
    ) -> None:
        self.model = open_model(model) if isinstance(model, str) else model
        self.evaluator = open_model(evaluator) if isinstance(evaluator, str) else evaluator
        self.judge = open_model(judge) if isinstance(judge, str) else judge
        self.entailment = OnnxEntailment(entailment) if isinstance(entailment, str | Path) else entailment
        self.calibration = calibration
        names = {"chosen": self.model.name, "judged": (self.judge or self.model).name}
        if self.entailment is not None:
            names |= {"entailed": self.entailment.name, "refuted": self.entailment.name}
        self.policy = _calibrated(policy_named(policy) if isinstance(policy, str) else policy, names, calibration)
        problem = refused(self.policy) or (
            "it asks a function whether an answer is right; pass one as Refiner(oracle=...), or measure it with redraft eval"
            if self.policy.oracle and oracle is None
            else ""
        )
        if problem:
            raise UsageError(f"policy {self.policy.name!r}: {problem}")
        self._oracle = oracle if oracle is None or isinstance(oracle, OracleTool) else OracleTool(oracle)  # the function itself is kept out of reach
        self.prompts = prompts if isinstance(prompts, Prompts) else read_prompts(prompts)
        self.planner = planner
        self.tools = tools
        self.privacy: PrivacyMode = privacy
        self.secrets = tuple(secrets)
        self.records = records
        self.memory = Memory(memory) if isinstance(memory, str | Path) else memory
        Shield(privacy, Task(query=""))  # a mode that cannot be had is said now
        self.clock = clock or SystemClock()
        self.seed = seed
        self.on_event = on_event
        self.trace = Trace()
        """The record of the last run."""
        self._effects: Effects | None = None

    async def run(self, query: str | Task) -> Outcome:
        """Draft (unless the task brings an answer), check and correct."""
        return await self._run(as_task(query, None), self.policy)

    async def revise(self, query: str | Task, answer: str) -> Outcome:
        """Check and correct a given answer."""
        return await self._run(as_task(query, answer), self.policy)

    async def check(self, query: str | Task, answer: str) -> Outcome:
        """Verdicts on a given answer; nothing is changed."""
        checking = dataclasses.replace(self.policy, strategy="loop", stops=("nothing_to_check", "checked"), max_turns=0, evaluator="off")
        return await self._run(as_task(query, answer), checking)

    async def stream(self, query: str | Task) -> AsyncIterator[Event | Outcome]:
        """The events of a run as they happen, then its outcome."""
        queue: asyncio.Queue[Event | Outcome | None] = asyncio.Queue()
        listener = Refiner(
            self.model,
            tools=self.tools,
            policy=self.policy,
            evaluator=self.evaluator,
            judge=self.judge,
            planner=self.planner,
            clock=self.clock,
            seed=self.seed,
            on_event=queue.put_nowait,
            entailment=self.entailment,
            calibration=self.calibration,
            privacy=self.privacy,
            secrets=self.secrets,
            records=self.records,
            memory=self.memory,
            oracle=self._oracle,
            prompts=self.prompts,
        )

        async def whole() -> None:
            try:
                queue.put_nowait(await listener.run(query))
            finally:
                queue.put_nowait(None)

        running = asyncio.create_task(whole())
        try:
            while (item := await queue.get()) is not None:
                yield item
            await running
        finally:
            running.cancel()

    def run_sync(self, query: str | Task) -> Outcome:
        """`run` from code that is not asynchronous."""
        return self._sync(self.run(query))

    def revise_sync(self, query: str | Task, answer: str) -> Outcome:
        """`revise` from code that is not asynchronous."""
        return self._sync(self.revise(query, answer))

    def check_sync(self, query: str | Task, answer: str) -> Outcome:
        """`check` from code that is not asynchronous."""
        return self._sync(self.check(query, answer))

    def cancel(self) -> None:
        """Let the running run end before its next call, with the answer it has."""
        if self._effects is not None:
            self._effects.cancelled = True

    async def close(self) -> None:
        """Release the models and the tools that were passed in."""
        for model in (self.model, self.evaluator, self.judge):
            if model is not None:
                await model.close()
        for tool in self.tools or ():
            await tool.close()

    def _sync(self, coroutine: Coroutine[Any, Any, T]) -> T:
        async def whole() -> T:
            try:
                return await coroutine
            finally:
                await self.close()

        return asyncio.run(whole())

    async def _run(self, task: Task, policy: Policy) -> Outcome:
        opened = () if self.tools is not None else open_tools(task, safety=policy.checks == "safety")
        shield = Shield(self.privacy, task, secrets=self.secrets, seed=self.seed)
        given = self.tools if self.tools is not None else opened
        tools = {tool.name: shield.tool(tool if tool.name in OWN_WORDS else ScreenedTool(tool)) for tool in given}
        unaided = policy.checks == "rules"
        run_id = f"r{uuid4().hex[:16]}"
        keeper = self.records.keeper(run_id) if self.records is not None else None
        self.trace = trace = Trace(clock=self.clock, on_event=self.on_event, keeper=keeper)
        self._effects = effects = Effects(
            writer=shield.model(self.model),
            judge=NoModel() if unaided else shield.model(self.judge) if self.judge is not None else None,
            evaluator=shield.model(self.evaluator) if self.evaluator is not None else None,
            tools=tools,
            sink=shield.sink(trace),
            budgets=policy.budgets,
            clock=self.clock,
            seed=self.seed,
            concurrency=policy.concurrency,
            memory=_memory_tool(self.memory, given, shield, self.clock),
            prices={tool.name: price for tool in given if (price := getattr(tool, "price_usd", None))},
            marker_key="\x1f".join((task.query, task.answer or "", task.context)),
            entailment=EntailmentTool(self.entailment) if self.entailment is not None and not unaided else None,
            oracle=self._oracle,
            prompts=self.prompts,
        )
        models = {"writer": self.model.name, "judge": effects.judge.name, "evaluator": effects.evaluator.name}
        if self.entailment is not None:
            models["entailment"] = self.entailment.name
        setting = Setting(task=task, policy=policy, planner=self.planner or planner_for(self.model, task, policy), effects=effects)
        names = tuple(sorted(tools))
        prompts = {"hash": prompts_hash(self.prompts), "replaced": dict(self.prompts.replaced)}
        effects.emit(
            Started(
                task=task, policy=plain(policy), policy_hash=policy.hash, models=models, tools=names, seed=self.seed, setup=setup_of(setting), prompts=prompts
            )
        )
        try:
            ending = await runner_of(policy.strategy)(setting)
        finally:
            for tool in opened:
                await tool.close()
            if keeper is not None and (warning := await _kept(keeper)):
                effects.warn(warning)
        return shield.outcome(outcome_of(task, policy, ending, effects, trace, self.model.name, run_id))


def _memory_tool(memory: Memory | None, tools: Sequence[Tool], shield: Shield, clock: Clock) -> Tool | None:
    """The memory as this run reaches it: another content of the documents, or other engines, are other facts; what privacy hides is not kept."""
    if memory is None:
        return None
    identities = {tool.name: _identity(tool) for tool in tools if tool.name not in EXACT_TOOLS}
    return ScreenedTool(MemoryTool(memory, identities, private=lambda text: shield.hidden(text) != text, clock=clock))


def _identity(tool: Tool) -> Callable[[], str]:
    return lambda: str(getattr(tool, "fingerprint", ""))


def _calibrated(policy: Policy, names: Mapping[str, str], calibration: str | Path | None) -> Policy:
    """The policy with the curves that hold for the models of the run: they are settings like others, so that a record says what was applied."""
    if calibration is None and policy.calibration:
        return policy
    return dataclasses.replace(policy, calibration=curves_for(names, calibration))


async def _kept(keeper: RunKeeper) -> str:
    """What to warn of once the whole record is where it belongs; a server is waited for outside the event loop."""
    return await asyncio.to_thread(keeper.finish) if keeper.remote else keeper.finish()


def setup_of(setting: Setting) -> dict[str, Any]:
    """What a replay needs to know of a run besides its task, its policy and its calls."""
    effects = setting.effects
    return {
        "planner": setting.planner.name,
        "abilities": {"writer": effects.writer.ability, "judge": effects.judge.ability, "evaluator": effects.evaluator.ability},
        "evaluator": effects.has_evaluator,
        "summaries": {name: tool.summary for name, tool in effects.tools.items()},
        "prices": effects.prices,
        "parts": [name for name in (ENTAILMENT, ORACLE, MEMORY) if getattr(effects, name) is not None],
    }


def as_task(query: str | Task, answer: str | None) -> Task:
    """A task from what a caller gives."""
    task = query if isinstance(query, Task) else Task(query=query, kind="qa" if query else "report")
    return dataclasses.replace(task, answer=answer) if answer is not None else task


def planner_for(model: Model, task: Task, policy: Policy) -> Planner:
    """`planner=auto`: a capable model plans in one structured call; for a bare answer a small one chooses among enumerated calls; else rules.

    Where safety is what is checked, it is one claim about the whole answer, alone or before the others.
    """
    if policy.checks == "safety":
        from redraft.planning.safety import SafetyPlanner

        return SafetyPlanner(threshold=policy.target)
    if task.kind == "safety":
        from redraft.planning.safety import SafetyPlanner

        return SafetyPlanner(beside=_planner_beside(model, task, policy))
    return _planner_beside(model, task, policy)


def _planner_beside(model: Model, task: Task, policy: Policy) -> Planner:
    if model.ability == "capable" and policy.checks != "rules":
        from redraft.planning.structured import StructuredPlanner

        return StructuredPlanner(strictness=policy.strictness)
    if task.bare and task.query:
        from redraft.planning.enumerate import EnumeratingPlanner

        return EnumeratingPlanner(guard=policy.guard, coverage=policy.coverage, asking=policy.checks != "rules")
    return RulePlanner()


def outcome_of(task: Task, policy: Policy, ending: Ending, effects: Effects, trace: Trace, model: str, run_id: str) -> Outcome:
    """What the caller gets: the retained answer with its checks, all evidence that any check of the run names, and the bill."""
    evidence: dict[str, Evidence] = {}
    for state in (ending.initial, *(turn.candidate for turn in ending.history), ending.state):
        evidence |= state.evidence
    answer = presented(policy, ending.state, ending.status)
    return Outcome(
        run_id=run_id,
        status=ending.status,
        changed=answer != ending.draft,
        query=task.query,
        draft=ending.draft,
        answer=answer,
        stop_reason=ending.reason,
        checks=ending.state.checks,
        draft_checks=ending.initial.checks,
        evidence=tuple(evidence.values()),
        turns=ending.history,
        usage=dataclasses.replace(effects.usage, seconds=effects.elapsed_seconds),
        policy_name=policy.name,
        policy_hash=policy.hash,
        model=model,
        trace_hash=trace.hash,
        warnings=tuple(effects.warnings),
    )
