"""Checking against documents: retrieval, stance, bare answers, questions under the guard, graded support, speed.

    python benchmarks/documents.py --data ../shared/data --json
    python benchmarks/documents.py --set corpus_wiki --set factcheck_bench

Nothing here asks a model, unless `--model` names one for the choice among options in `questions`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from redraft.claims.compare import compare, graded, uncovered
from redraft.claims.questions import equivalent
from redraft.claims.words import content_words, stems, words
from redraft.effects import Effects
from redraft.models.none import NoModel
from redraft.planning.document_questions import options
from redraft.planning.documents import answer_route, routes
from redraft.policy import Budgets
from redraft.protocols import Model
from redraft.tools.documents import DocumentsTool
from redraft.types import Failure, Task, ToolCall

OWN_QUESTIONS = Path(__file__).with_name("documents_questions.jsonl")


class NoSink:
    """Keeps nothing."""

    def write(self, event: object) -> None:
        return None


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def effects(tool: DocumentsTool, model: Model | None = None) -> Effects:
    return Effects(writer=model or NoModel(), tools={"documents": tool}, sink=NoSink(), budgets=Budgets())


async def corpus_wiki(data: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Recall of BM25 at 1 and 5 over all passages together."""
    folder = data / "corpus_wiki"
    tool = DocumentsTool([folder / "passages.jsonl"])
    found: dict[str, Any] = {}
    for name in ("xquad_en", "xquad_zh", "hotpot"):
        rows = lines(folder / f"{name}_questions.jsonl")
        ranks: list[int] = []
        for row in rows:
            result = await tool.run(ToolCall(tool="documents", input=row["question"]))
            ids = [] if isinstance(result, Failure) else [item.source.rpartition("id=")[2] for item in result]
            gold = set(row.get("passage_ids") or [row["passage_id"]])
            ranks.append(next((rank for rank, place in enumerate(ids) if place in gold), 99))
        found[name] = {
            "n": len(rows),
            "recall@1": share(sum(rank == 0 for rank in ranks), len(rows)),
            "recall@5": share(sum(rank < 5 for rank in ranks), len(rows)),
        }
    return found


async def factcheck_bench(data: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Precision and recall of both verdicts against the stance of the evidence."""
    rows = lines(data / "factcheck_bench" / "claim_evidence_stance.jsonl")
    counts = Counter((compare(row["claim"], row["evidence"]).verdict, row["stance"]) for row in rows)
    stances = Counter(row["stance"] for row in rows)
    found: dict[str, Any] = {"n": len(rows)}
    for verdict, stance in (("supported", "completely-support"), ("contradicted", "refute")):
        decided = sum(count for (ours, _), count in counts.items() if ours == verdict)
        right = counts[verdict, stance]
        found[verdict] = {"decided": decided, "right": right, "precision": share(right, decided), "recall": share(right, stances[stance])}
    return found


async def halueval(data: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Right and wrong bare answers against the knowledge as the only document."""
    rows = lines(data / "halueval" / "qa_knowledge_pairs.jsonl")
    counts: Counter[str] = Counter()
    for row in rows:
        run = effects(DocumentsTool(texts={"knowledge": row["knowledge"]}))
        for field in ("right_answer", "hallucinated_answer"):
            route = await answer_route(Task(query=row["question"], answer=row[field]), run)
            verdict = route.decide([await run.use(call) for call in route.calls]) if route else None
            counts[f"{field}:{verdict.status if verdict else 'open'}"] += 1
    return {
        "n": len(rows),
        "right_supported": share(counts["right_answer:supported"], len(rows)),
        "right_not_contradicted": share(len(rows) - counts["right_answer:contradicted"], len(rows)),
        "wrong_not_supported": share(len(rows) - counts["hallucinated_answer:supported"], len(rows)),
    }


def f1(pairs: Sequence[tuple[str, str]], label: str) -> float:
    right = sum(gold == ours == label for gold, ours in pairs)
    return 2 * right / max(1, sum(gold == label for gold, _ in pairs) + sum(ours == label for _, ours in pairs))


def macro(pairs: Sequence[tuple[str, str]]) -> float:
    return round(sum(f1(pairs, label) for label in ("supported", "partially_supported", "not_supported")) / 3, 4)


def by_share(value: float, low: float, high: float) -> str:
    return "supported" if value >= high else "partially_supported" if value >= low else "not_supported"


def covered_words(claim: str, passage: str) -> float:
    """The baseline: share of the claim's content words that stand anywhere in the passage."""
    wanted = [word.stem for word in content_words(claim)]
    there = stems(words(passage))
    return sum(word in there for word in wanted) / len(wanted) if wanted else 1.0


async def wice(data: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Macro F1 of the three labels (thresholds fitted on one half by a fixed split, measured on the other) and F1 of unsupported tokens."""
    rows = sorted(lines(next((data / "wice").glob("claims_with_evidence.*.jsonl"))), key=lambda row: row["meta"]["id"])
    random.Random(0).shuffle(rows)
    half = len(rows) // 2
    found: dict[str, Any] = {"n": len(rows), "measured_on": len(rows) - half}
    measures: Mapping[str, Callable[[str, str], float]] = {"coverage_baseline": covered_words, "ours": graded}
    for name, measure in measures.items():
        values = [(row["label"], measure(row["claim"], " ".join(row["evidence"]))) for row in rows]
        steps = [step / 20 for step in range(4, 21)]
        fitted = max(
            ((low, high) for low in steps for high in steps if low < high),
            key=lambda pair: macro([(gold, by_share(value, *pair)) for gold, value in values[:half]]),
        )
        found[f"{name}_macro_f1"] = macro([(gold, by_share(value, *fitted)) for gold, value in values[half:]])
    found["tokens"] = tokens(lines(next((data / "wice").glob("non_supported_tokens.*.jsonl"))))
    return found


def tokens(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """F1 of the marked tokens over all claims; the baseline marks content words that the evidence does not have."""
    found: dict[str, Any] = {"n": len(rows)}
    for name in ("coverage_baseline", "ours"):
        counts: Counter[tuple[bool, bool]] = Counter()
        for row in rows:
            evidence = " ".join(row["evidence"])
            there = stems(words(evidence))
            spans = uncovered(row["claim"], evidence) if name == "ours" else ()
            place = 0
            for token, gold in zip(row["claim_tokens"], row["non_supported_spans"], strict=True):
                at = row["claim"].find(token, place)
                place = at + len(token) if at >= 0 else place
                if name == "ours":
                    marked = any(start <= at < end for start, end in spans)
                else:
                    marked = any(word.stem not in there for word in content_words(token))
                counts[gold, marked] += 1
        right = counts[True, True]
        precision, recall = right / max(1, right + counts[False, True]), right / max(1, right + counts[True, False])
        found[name] = {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4)}
    return found


async def questions(data: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Questions under the grounding guard: answered by the first option, all documents present and every third one missing.

    Our own documents and questions, and those of XQuAD over all its English paragraphs. `wrong` counts wrong answers, each of which could overwrite a
    right draft; without a model an option below .4 is no answer, and `sure` are those at .7 or more that lead by .25.
    """
    found: dict[str, Any] = {}
    own = [(row["title"], row["text"], row["questions"]) for row in lines(OWN_QUESTIONS)]
    texts = {f"{title}.txt": f"# {title}\n\n{text}" for title, text, _ in own}
    asked = [(f"{title}.txt", question, gold) for title, _, pairs in own for question, gold in pairs]
    found["own"] = await _questions(texts, asked, given)
    passages = {
        row["id"]: f"# {row['title'].replace('_', ' ')}\n\n{row['text']}" for row in lines(data / "corpus_wiki" / "passages.jsonl") if row["lang"] == "en"
    }
    rows = lines(data / "corpus_wiki" / "xquad_en_questions.jsonl")
    random.Random(given.seed).shuffle(rows)
    found["xquad_en"] = await _questions(passages, [(row["passage_id"], row["question"], row["answers"]) for row in rows[: given.limit or 300]], given)
    return found


async def _questions(texts: Mapping[str, str], asked: Sequence[tuple[str, str, list[str]]], given: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = sorted({name for name, _, _ in asked})
    for case, missing in (("all_present", set[str]()), ("a_third_missing", set(names[::3]))):
        run = effects(DocumentsTool(texts={name: text for name, text in texts.items() if name not in missing}), given.chooser)
        counts: Counter[str] = Counter()
        for name, question, gold in asked:
            task = Task(query=question)
            offered = await options(task, run)
            answer = await _answer(offered, task, run, given)
            right = answer is not None and any(equivalent(answer, wanted) for wanted in gold)
            counts.update(n=1, offered=bool(offered), right=right, among=any(equivalent(option.answer, wanted) for option in offered for wanted in gold))
            sure = bool(offered) and offered[0].fit >= 0.7 and offered[0].fit - (offered[1].fit if len(offered) > 1 else 0.0) >= 0.25
            counts.update(present=name not in missing, wrong=answer is not None and not right, sure=sure, sure_wrong=sure and not right)
            counts.update(offered_without_the_document=bool(offered) and name in missing)
        found[case] = {**counts, "accuracy": share(counts["right"], counts["n"])}
    return found


async def _answer(offered: Sequence[Any], task: Task, run: Effects, given: argparse.Namespace) -> str | None:
    if not offered or offered[0].fit < 0.4:
        return None
    if given.chooser is None:
        return offered[0].answer
    from redraft.planning.enumerate import choose

    option, _ = await choose(offered, task, run)
    return option.answer if option else None


async def speed(data: Path, _: argparse.Namespace) -> dict[str, Any]:
    """50 pages against 200 documents, index included."""
    rows = [row for row in lines(data / "corpus_wiki" / "passages.jsonl") if row["lang"] == "en"]
    documents = {f"{number}.txt": "\n\n".join(row["text"] for row in rows[number % len(rows) :: 200]) for number in range(200)}
    pages = ["\n\n".join(row["text"] for row in rows[start : start + 3]) for start in range(0, 150, 3)]
    begin, began = time.perf_counter(), time.process_time()
    run = effects(DocumentsTool(texts=documents))
    counts: Counter[str] = Counter()
    for page in pages:
        for route in await routes(page, run):
            verdict = route.decide([await run.use(call) for call in route.calls])
            counts[verdict.status if verdict else "open"] += 1
    return {
        "pages": len(pages),
        "documents": len(documents),
        "seconds": round(time.perf_counter() - begin, 2),
        "cpu_seconds": round(time.process_time() - began, 2),
        "claims": sum(counts.values()),
        **counts,
    }


SETS = {"corpus_wiki": corpus_wiki, "factcheck_bench": factcheck_bench, "halueval": halueval, "wice": wice, "questions": questions, "speed": speed}


async def measure(given: argparse.Namespace) -> dict[str, Any]:
    if given.model:
        from redraft.models import open_model

        given.chooser = open_model(given.model)
    try:
        return {name: await SETS[name](given.data, given) for name in given.set or SETS}
    finally:
        if given.chooser is not None:
            await given.chooser.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--set", action="append", choices=list(SETS), help="may be given more than once; all of them by default")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="", help="for the choice among options in `questions`; by rule where not given")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.chooser = None
    if not given.data.is_dir():
        print(f"{given.data} is not a folder", file=sys.stderr)
        return 2
    found = asyncio.run(measure(given))
    if given.json:
        print(json.dumps(found))
    else:
        for name, figures in found.items():
            print(name, json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
