"""The values that flow through Redraft: immutable, keyword-only, without behaviour that touches the world.

Spans are half-open pairs of code point offsets into the text they belong to; scores lie in [0, 1]; money is in US dollars; time in seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

__all__ = [
    "DIMENSIONS",
    "EXACT_TOOLS",
    "NO_FIGURES",
    "OTHER_TOOLS",
    "UNDECIDED",
    "Ability",
    "Candidate",
    "Check",
    "CheckStatus",
    "Claim",
    "ClaimKind",
    "Decision",
    "Dimension",
    "Edit",
    "Evidence",
    "Failure",
    "FailureKind",
    "Importance",
    "Message",
    "Method",
    "ModelReply",
    "ModelRequest",
    "Outcome",
    "Plan",
    "Problem",
    "Role",
    "Scorecard",
    "Span",
    "State",
    "Status",
    "Task",
    "TaskKind",
    "ToolCall",
    "ToolResult",
    "Turn",
    "Usage",
    "Verdict",
    "is_search",
]

Span = tuple[int, int]
TaskKind = Literal["qa", "math", "code", "report", "safety"]
ClaimKind = Literal["fact", "number", "quote", "citation", "code", "safety", "coverage"]
CheckStatus = Literal["supported", "contradicted", "insufficient", "unavailable", "skipped"]
Method = Literal["computed", "executed", "quoted", "judged"]
Plan = Literal["rule", "chosen"]
Importance = Literal[1, 2, 3]
Status = Literal["failed", "disputed", "unverified", "corrected", "verified"]
Dimension = Literal["factuality", "coherence", "grounding", "depth", "robustness"]
Role = Literal["writer", "planner", "chooser", "judge", "critic", "corrector", "evaluator", "repair"]
Ability = Literal["none", "small", "capable"]
FailureKind = Literal["timeout", "unreachable", "quota", "denied", "bad_input", "unsupported", "too_large", "empty", "broken"]

DIMENSIONS: tuple[Dimension, ...] = ("factuality", "coherence", "grounding", "depth", "robustness")
EXACT_TOOLS: frozenset[str] = frozenset({"calculator", "units", "dates", "text", "table", "python"})
"""Tools whose answer to an equal call never differs, so that a second look at it is worth nothing; the others search."""
OTHER_TOOLS: frozenset[str] = frozenset({"fetch", "wolfram", "safety"})
"""Tools that neither compute exactly nor take a statement to search for."""
UNDECIDED: frozenset[CheckStatus] = frozenset({"insufficient", "unavailable"})
NO_FIGURES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A query and what comes with it. Gold answers and hidden tests are not here: they live with the metrics, out of the loop's reach."""

    query: str
    kind: TaskKind = "qa"
    answer: str | None = None
    """The draft to start from; None lets the writer draft."""
    context: str = ""
    """Given to the writer, and evidence too."""
    documents: tuple[str, ...] = ()
    """Paths of files or folders: evidence only."""
    tables: tuple[str, ...] = ()
    """Paths of CSV, XLSX or Parquet files: evidence only."""
    tests: str = ""
    """Python source with assertions: evidence only."""

    @property
    def bare(self) -> bool:
        """Whether the draft is a bare answer, to be verified together with the query (design, Words)."""
        return self.kind in ("qa", "math")


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One checkable statement of an answer: `answer[span[0]:span[1]]` is its clause, and `focus` the part of it that decides it."""

    id: str
    """Unique within the text it was found in, stable for equal text, kind and occurrence."""
    text: str
    span: Span
    focus: Span | None = None
    kind: ClaimKind = "fact"
    importance: Importance = 2
    checkworthy: bool = True
    depends_on: tuple[str, ...] = ()
    query: str = ""
    """The claim made free of its context, for a tool that does not see the answer; empty: the text itself."""
    requirement: bool = False
    """Whether it was frozen from the task (a coverage claim, a given test), so that the answer cannot remove it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """One call of a tool; `attempt` > 0 asks for a fresh answer where an equal call was made before."""

    tool: str
    input: str
    attempt: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What a tool returned. `text` is shown and quoted; `value` is the exact result in the tool's canonical form, or empty."""

    tool: str
    input: str
    text: str
    value: str = ""
    title: str = ""
    source: str = ""
    time: str = ""
    """ISO 8601 date of the evidence itself where known, not of the look-up."""
    trust: float = 1.0
    relevance: float = 1.0

    @property
    def id(self) -> str:
        """Content address: equal evidence has the equal id."""
        parts = "\x1f".join((self.tool, self.input, self.title, self.source, self.text, self.value))
        return "e" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Why a tool gave no evidence, in our words: the tool's own error text is never evidence and never shown to a model."""

    tool: str
    input: str
    kind: FailureKind
    message: str
    retry_after_seconds: float | None = None


ToolResult = tuple[Evidence, ...] | Failure
"""Evidence, best first and never empty, or a typed failure. A search without a hit is `Failure(kind="empty")`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the evidence says of one claim, before it becomes a Check."""

    status: CheckStatus
    method: Method | None = None
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    note: str = ""
    expected: str | None = None
    """The text that the evidence puts in place of the focus, when the repair is unique."""
    alternatives: tuple[str, ...] = ()
    """Repairs that are each possible: none of them is applied."""
    quote: str = ""
    """The words of the evidence that decide, verbatim."""
    focus: Span | None = None
    """The characters of the text that the evidence decides, where only the comparison could tell; None: the claim's own focus."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The verdict on one claim, as recorded."""

    claim: Claim
    status: CheckStatus
    method: Method | None = None
    plan: Plan = "rule"
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()
    note: str = ""
    expected: str | None = None
    alternatives: tuple[str, ...] = ()
    quote: str = ""

    @property
    def undecided(self) -> bool:
        return self.status in UNDECIDED


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One entry of the critique, tied to a claim, a span of the retained text and the evidence that contradicts it."""

    claim: Claim
    message: str
    evidence: tuple[str, ...] = ()
    expected: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """Replace `text[span[0]:span[1]]` by `replacement`, because of one piece of evidence. Edits of one `group` apply together or not at all."""

    span: Span
    replacement: str
    because: str = ""
    group: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Scorecard:
    """Scores of one text, scored alone, once: each in [0, 1], only the dimensions that were available."""

    scores: Mapping[Dimension, float]
    diagnostics: tuple[str, ...] = ()
    veto: bool = False
    samples: int = 1
    reasons: Mapping[Dimension, str] = field(default_factory=dict[Dimension, str])
    """Why each dimension scores no more, where the evaluator said so."""
    serious: float = 0.0
    """Diagnosed defects whose words stand in the text, mean over the samples: contradictions, arithmetic errors, failed tests."""
    minor: float = 0.0
    """The same for citation mismatches and lost claims."""


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """A text with its checks and scorecard: what a turn starts from and what the controller compares."""

    text: str
    checks: tuple[Check, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    scorecard: Scorecard | None = None
    matching: Mapping[str, str] = field(default_factory=dict[str, str])
    """For a candidate: id of a claim of the retained text (or of the task) → id of the claim here that stands for it. A missing id is a claim that is gone."""
    vague: frozenset[str] = frozenset()
    """For a candidate: ids of claims of the retained text whose match here has lost its figure or name."""
    confirmed_flips: frozenset[str] = frozenset()
    """For a candidate: ids of claims of the retained text whose judged loss of support a pairwise second look confirmed."""
    parses: bool = True
    refusal: bool = False
    found: tuple[Problem, ...] = ()
    """What the critic found wrong who examined the text, where examining and criticising are one (`checks`: search or claim)."""

    def check(self, claim_id: str) -> Check | None:
        """The check of the claim with this id, or None."""
        return next((check for check in self.checks if check.claim.id == claim_id), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """Accept or refuse: `rule` is the first that decided, `failed` every rule that failed, `figures` every number used."""

    accepted: bool
    rule: str
    failed: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=lambda: NO_FIGURES)
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A proposed rewrite: its text, and the edits that lead there from the retained text (none for a full rewrite)."""

    text: str
    edits: tuple[Edit, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One round of the loop: the problems of the retained text, the examined candidate, the decision."""

    number: int
    problems: tuple[Problem, ...]
    candidate: State
    decision: Decision
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What a run spent so far. `cost_usd` is None when the price of any call is unknown."""

    llm_calls: int = 0
    tool_calls: int = 0
    repairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a run returns. `answer` is never None; `checks` are those of the returned answer, `draft_checks` those of the draft."""

    run_id: str
    status: Status
    changed: bool
    query: str
    draft: str
    answer: str
    stop_reason: str
    checks: tuple[Check, ...]
    draft_checks: tuple[Check, ...]
    evidence: tuple[Evidence, ...]
    turns: tuple[Turn, ...]
    usage: Usage
    policy_name: str
    policy_hash: str
    model: str
    trace_hash: str
    warnings: tuple[str, ...] = ()
    """What went wrong on the way without ending the run, in words for the user."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """All that a model is told. Equal requests with the equal `sample` are the same call: within a run they are paid once."""

    role: Role
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply, where it must be JSON."""
    grammar: str | None = None
    """GBNF grammar of the reply, for models that take one."""
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    sample: int = 0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReply:
    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    model: str = ""
    finish: str = "stop"
    calls: int = 1
    """How many calls it took, those that were made again inside one request included."""


def is_search(tool: str) -> bool:
    """Whether a statement may be given to this tool as it is, to look for what bears on it. A tool of an MCP server is one only if the user binds it."""
    return tool not in EXACT_TOOLS and tool not in OTHER_TOOLS and not tool.startswith("mcp.")
