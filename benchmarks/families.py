"""Answer accuracy of the planner for small models, by family: drafts by a model, corrected by the chosen option.

    python benchmarks/families.py --family all --n 60 --seed 7 --phrasings held-out [--model local] [--json] [--show]

Without a model (`--model none`) every draft is empty: what is measured then is the share of questions that the planner answers rightly.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from datetime import date
from fractions import Fraction

from family_questions import FAMILIES, Question, questions

from redraft.claims import numbers
from redraft.claims.written_dates import find_dates
from redraft.effects import Effects
from redraft.generate import generate
from redraft.models import open_model
from redraft.planning.enumerate import EnumeratingPlanner
from redraft.policy import Budgets
from redraft.protocols import Model
from redraft.tools import open_tools
from redraft.types import Task

TOLERANCE = Fraction(1, 1000)


class Silent:
    def write(self, event: object) -> None:
        """Nothing is kept."""


def right(answer: str, question: Question) -> bool:
    """Whether the answer gives the gold: the final number within a thousandth, the date, or the text word for word."""
    gold = question.gold
    if isinstance(gold, Fraction):
        found = numbers.final(answer)
        return found is not None and abs(found.value - gold) <= TOLERANCE * abs(gold)
    if isinstance(gold, date):
        found_dates = find_dates(answer)
        return len(found_dates) == 1 and found_dates[0].value == gold
    words = answer.strip().strip(".!'\"").split()
    if gold in ("yes", "no"):
        said = words[0].lower().strip(",.") if words else ""
        if said not in ("yes", "no"):
            said = "no" if {"not", "no", "isn't", "wasn't"} & {word.lower() for word in words} else "yes" if "leap" in words else ""
        return said == gold
    return len(words) == 1 and (words[0] == gold or (not gold.isupper() and words[0].lower() == gold.lower()))


async def answer(question: Question, model: Model) -> tuple[str, str, str]:
    """Draft, final answer, and how the call was planned."""
    task = Task(query=question.query)
    effects = Effects(
        writer=model, tools={tool.name: tool for tool in open_tools(task, ["calculator", "units", "dates", "text"])}, sink=Silent(), budgets=Budgets()
    )
    draft = "" if model.ability == "none" else await generate(task, effects)
    routes = await EnumeratingPlanner().plan(task, draft or "?", effects, {})
    if not routes:
        return draft, draft, "none"
    verdict = routes[0].decide(routes[0].results or ())
    focus = routes[0].claim.focus or routes[0].claim.span
    text = draft or "?"
    final = text if verdict is None or verdict.expected is None else text[: focus[0]] + verdict.expected + text[focus[1] :]
    return draft, final, routes[0].plan


async def measure(family: str, arguments: argparse.Namespace, model: Model) -> dict[str, object]:
    began = time.monotonic()
    asked = questions(family, arguments.phrasings, arguments.n, arguments.seed)
    before = after = broken = chosen = silent = 0
    for question in asked:
        draft, final, plan = await answer(question, model)
        was, now = right(draft, question), right(final, question)
        before, after, broken = before + was, after + now, broken + (was and not now)
        chosen, silent = chosen + (plan == "chosen"), silent + (plan == "none")
        if arguments.show and not now:
            gold = float(question.gold) if isinstance(question.gold, Fraction) else question.gold
            print(f"{family}: {question.query}\n    gold {gold}; draft {draft!r}; final {final!r}; {plan}", file=sys.stderr)
    n = len(asked)
    return {
        "family": family, "phrasings": arguments.phrasings, "n": n, "seed": arguments.seed, "model": model.name.partition(":")[0],
        "before": round(before / n, 3), "after": round(after / n, 3), "right_to_wrong": broken, "chosen": chosen, "no_route": silent,
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


async def run(arguments: argparse.Namespace) -> None:
    model = open_model(arguments.model)
    try:
        for family in FAMILIES if arguments.family == "all" else (arguments.family,):
            row = await measure(family, arguments, model)
            if arguments.json:
                print(json.dumps(row), flush=True)
            else:
                print("  ".join(f"{key}={value}" for key, value in row.items()), flush=True)
    finally:
        await model.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=(*FAMILIES, "all"), default="all")
    parser.add_argument("--phrasings", choices=("dev", "held-out"), default="held-out")
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--model", default="none")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the questions that end wrong")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
