"""How well arithmetic is read and checked without a model, on public data.

    python benchmarks/arithmetic.py [--data ../shared/data] [--json]

Prints, for each set: multistep_arithmetic (index of the first wrong step exactly right), factool/math (share of labelled claims decided, agreement on
those), gsm8k/model_solutions (final answer extracted and compared, agreement with is_correct); false alarms on texts believed right; statements a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redraft.claims.numbers import equal, final
from redraft.claims.reasoning import first_wrong
from redraft.claims.statements import find
from redraft.planning.arithmetic import routes
from redraft.tools.calculator import CalculatorTool
from redraft.tools.dates import DatesTool
from redraft.tools.units import UnitsTool
from redraft.types import Evidence, Verdict

SYSTEMS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON lines file; none if it is not there."""
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def multistep(data: Path) -> dict[str, Any]:
    """Exact index of the first wrong step; also how often the label cannot be right: none, though a false equality is written out."""
    n = right = unlabelled = 0
    for row in rows(data / "bigbench_mistake" / "multistep_arithmetic.jsonl"):
        n += 1
        found = first_wrong(row["steps"])
        right += found == row["mistake_index"]
        unlabelled += row["mistake_index"] is None and found is not None and row["answer"] != row["target"]
    return {"n": n, "exact": share(right, n), "false_equality_without_label": unlabelled}


async def verdicts(text: str) -> list[Verdict | None]:
    tools = {"calculator": CalculatorTool(), "units": UnitsTool(), "dates": DatesTool()}
    return [route.decide([await tools[call.tool].run(call) for call in route.calls]) for route in routes(text)]


def factool(data: Path) -> dict[str, Any]:
    """Labelled claims "calculation = answer", decided through the routes and the tools."""
    n = decided = agreeing = 0
    for row in rows(data / "factool" / "math.jsonl"):
        for item in row["claims"]:
            if not isinstance(item["label"], bool):
                continue
            n += 1
            found = asyncio.run(verdicts(f"{item['claim']['math_calculation']} = {item['claim']['calculated_answer']}"))
            verdict = found[-1] if found else None
            if verdict is not None and verdict.status in ("supported", "contradicted"):
                decided += 1
                agreeing += (verdict.status == "supported") == item["label"]
    return {"n": n, "decided": share(decided, n), "agreement": share(agreeing, decided)}


def solutions(data: Path) -> dict[str, Any]:
    """Recorded solutions: the final answer against that of the ground truth."""
    n = extracted = agreeing = 0
    for row in rows(data / "gsm8k" / "model_solutions.jsonl"):
        truth = final(row["ground_truth"])
        for system in SYSTEMS:
            answer = final(row[system]["solution"])
            n += 1
            extracted += answer is not None
            agreeing += (answer is not None and truth is not None and equal(answer, truth)) == row[system]["is_correct"]
    return {"n": n, "extracted": share(extracted, n), "agreement": share(agreeing, n)}


def believed_right(data: Path) -> dict[str, list[str]]:
    """Texts whose statements should hold."""
    knowledge = [row["knowledge"] + "\n" + row["right_answer"] for row in rows(data / "halueval" / "qa_knowledge_pairs.jsonl")]
    return {
        "gsm8k_test": [row["answer"] for row in rows(data / "gsm8k" / "test.jsonl")],
        "corpus_wiki": [row["text"] for row in rows(data / "corpus_wiki" / "passages.jsonl")],
        "halueval_right": knowledge,
        "wice": [row["claim"] + "\n" + "\n".join(row["evidence"]) for row in rows(data / "wice" / "claims_with_evidence.dev.jsonl")],
    }


def alarms(data: Path) -> dict[str, Any]:
    """Statements found in texts believed right, and those that would be contradicted: each is to be looked at by hand."""
    found: dict[str, Any] = {}
    for name, texts in believed_right(data).items():
        statements = contradicted = 0
        shown: list[str] = []
        for text in texts:
            for statement in find(text):
                statements += 1
                if statement.certain and statement.holds is False:
                    contradicted += 1
                    shown.append(text[statement.span[0] : statement.span[1]])
        found[name] = {"texts": len(texts), "statements": statements, "contradicted": contradicted, "which": shown[:20]}
    return found


def speed(data: Path) -> dict[str, Any]:
    """Statements a second through finding and deciding, without the tools."""
    texts = [row["answer"] for row in rows(data / "gsm8k" / "test.jsonl")]
    best, n = 0.0, 0
    result = (Evidence(tool="calculator", input="", text="", value="7/2"),)
    for _ in range(3):
        began = time.process_time()
        n = 0
        for text in texts:
            for route in routes(text):
                route.decide([result] * len(route.calls))
                n += 1
        seconds = time.process_time() - began
        best = max(best, n / seconds if seconds else 0.0)
    return {"n": n, "statements_per_second": round(best)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results = {
        "multistep_arithmetic": multistep(options.data),
        "factool_math": factool(options.data),
        "gsm8k_model_solutions": solutions(options.data),
        "alarms": alarms(options.data),
        "speed": speed(options.data),
    }
    if options.json:
        print(json.dumps(results, ensure_ascii=False))
        return
    for name, values in results.items():
        print(name)
        for key, value in values.items():
            print(f"  {key}: {value}")


if __name__ == "__main__":
    main()
