"""LATS: a search over a tree of rewrites (Zhou et al., arXiv 2310.04406), with the steps of the loop.

Selection by UCT, expansion by the corrector, value from the checks and the evaluator, back-propagation of the mean. A node is a whole text; its
children are rewrites of it that differ from all texts of the tree. The tree has at most `policy.nodes` nodes, and no more attempts are made.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from redraft.control import score_of, shown, text_key
from redraft.correct import correct
from redraft.critique import critique
from redraft.loop import Ending, Setting
from redraft.policy import Policy
from redraft.strategies.course import Course, finish
from redraft.types import State, Turn

__all__ = ["Node", "propagate", "run", "selected", "value_of"]

EXPLORATION = 1.0
"""c of UCT: mean value + c·√(ln N / n) (ours; the values lie in [0, 1])."""
OTHER_WANTED = "Another repair is wanted beside this one."


@dataclass(kw_only=True, slots=True, eq=False)
class Node:
    """One text of the tree. `total / visits` is the mean value of what was found under it, itself included."""

    state: State
    parent: Node | None = None
    children: list[Node] = field(default_factory=list["Node"])
    visits: int = 0
    total: float = 0.0
    expanded: bool = False
    done: bool = False
    """Whether nothing under it can be expanded any more."""
    admissible: bool = True
    """Whether every rewrite on the way here was accepted: only such a text may be returned."""

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


async def run(setting: Setting) -> Ending:
    """Grow the tree to its cap, or until a text is verified; the best text whose every step the policy accepted is returned."""
    return await finish(setting, _search)


async def _search(course: Course) -> str:
    policy = course.setting.policy
    await course.begin()
    tree = Tree(course, policy)
    while (reason := course.reason(policy.nodes - 1 - tree.wasted)) is None:
        leaf = selected(tree.root)
        if leaf is None:
            return "unchanged"
        await tree.expand(leaf)
    return reason


class Tree:
    """The tree of one run."""

    def __init__(self, course: Course, policy: Policy) -> None:
        self.course, self.policy = course, policy
        self.root = Node(state=course.initial)
        self.best = self.root
        self.wasted = 0
        """Attempts that gave a text which the tree has already."""
        self._seen = {text_key(course.initial.text)}
        propagate(self.root, value_of(policy, course.initial))

    @property
    def full(self) -> bool:
        return self.course.reason(self.policy.nodes - 1 - self.wasted) is not None

    async def expand(self, leaf: Node) -> None:
        """At most `policy.candidates` children; fewer where the corrector has no other idea or the run is at its end.

        Raises:
            Stopped: a budget forbids a call.
        """
        course, task, effects = self.course, self.course.setting.task, self.course.setting.effects
        leaf.expanded = True
        problems = await critique(task, self.policy, leaf.state, effects)
        if not problems:
            if leaf is self.root:
                course.criticised(())
            close(leaf)
            return
        course.criticised(problems)
        tried: list[Turn] = []
        for _ in range(max(1, self.policy.candidates)):
            candidate = await correct(task, leaf.state, problems, tried, effects)
            if text_key(candidate.text) in self._seen or not candidate.text.strip() or len(candidate.text) > self.policy.max_chars:
                self.wasted += 1
                break
            self._seen.add(text_key(candidate.text))
            turn = await course.propose(candidate, problems, leaf.state)
            self._grow(leaf, turn)
            tried.append(_as_refused(turn))
            if self.full:
                break
        if not leaf.children:
            close(leaf)

    def _grow(self, leaf: Node, turn: Turn) -> None:
        value = value_of(self.policy, turn.candidate)
        child = Node(state=turn.candidate, parent=leaf, admissible=leaf.admissible and turn.decision.accepted)
        leaf.children.append(child)
        propagate(child, value)
        if child.admissible and value > value_of(self.policy, self.best.state):
            self.best = child
            self.course.state = child.state


def selected(root: Node) -> Node | None:
    """The leaf to expand next: from the root on, always the child with the largest UCT; None where the whole tree is done."""
    node = root
    while node.expanded:
        open_children = [child for child in node.children if not child.done]
        if not open_children:
            return None
        node = max(open_children, key=_uct(node.visits))
    return None if node.done else node


def _uct(visits: int) -> Callable[[Node], float]:
    return lambda node: math.inf if not node.visits else node.mean + EXPLORATION * math.sqrt(math.log(max(1, visits)) / node.visits)


def propagate(node: Node, value: float) -> None:
    """Count the value of a new node for itself and for all above it."""
    above: Node | None = node
    while above is not None:
        above.visits += 1
        above.total += value
        above = above.parent


def close(node: Node) -> None:
    """Nothing under this node can be expanded; the same then holds above, where no other child is open."""
    node.done = True
    above = node.parent
    while above is not None and above.expanded and all(child.done for child in above.children):
        above.done = True
        above = above.parent


def value_of(policy: Policy, state: State) -> float:
    """The value of a text in [0, 1]: the share of its claims that hold, undecided ones counting half; with a scorecard, the mean of that and P."""
    if not state.text.strip():
        return 0.0
    holds = _mean([1.0 if check.status == "supported" else 0.0 if check.status == "contradicted" else 0.5 for check in state.checks if check.claim.checkworthy])
    score = score_of(policy, state)
    return holds if score is None else (holds + shown(score)) / 2


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known) if known else 0.5


def _as_refused(turn: Turn) -> Turn:
    """A rewrite as the corrector is told of it, so that the next one differs."""
    if not turn.decision.accepted:
        return turn
    return dataclasses.replace(turn, decision=dataclasses.replace(turn.decision, accepted=False, reason=OTHER_WANTED))
