"""The local entailment verifier: folders that are models and folders that are not, and what its scores may decide.

The model is built here: each word of the premise that is also in the hypothesis speaks for entailment, the word "never" for contradiction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from redraft.cli import run
from redraft.errors import InputError, UsageError
from redraft.models.calibration import curves_for, read_calibration
from redraft.models.entailment import Entailment, EntailmentTool, OnnxEntailment, Scores
from redraft.models.scripted import ScriptedModel
from redraft.policy import Policy
from redraft.refiner import Refiner
from redraft.tools.calculator import CalculatorTool
from redraft.tools.scripted import ScriptedTool
from redraft.types import Check, Evidence, Failure, Outcome, Task, ToolCall

onnx = pytest.importorskip("onnx", reason="the package onnx builds the model of this test; it is in the dev group")
pytest.importorskip("onnxruntime", reason="needs the extra 'entailment'")
pytest.importorskip("tokenizers", reason="needs the extra 'entailment'")

NLI = {"0": "contradiction", "1": "entailment", "2": "neutral"}
WORDS = "[PAD] [UNK] [CLS] [SEP] never blue red sky the is at noon".split()


def model_folder(folder: Path, labels: Mapping[str, str] = NLI, *, columns: Mapping[str, str] | None = None, types: bool = True, limit: int = 64) -> Path:
    """A folder with a model whose logits are sums over the tokens: `columns` names for each label the word that speaks for it."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=48)  # as many published files have it: it must not reach the model
    tokenizer.save(str(folder / "tokenizer.json"))
    speaks = columns or {"contradiction": "never", "entailment": "blue", "neutral": "noon"}
    table = np.zeros((len(WORDS), len(labels)), dtype=np.float32)
    for place, label in labels.items():
        if label.lower() in speaks:
            table[vocabulary[speaks[label.lower()]], int(place)] = 4.0
    table[0, :] = [50.0] + [0.0] * (len(labels) - 1)  # padding would be seen in the scores
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
            helper.make_node("ReduceSum", ["looked_up", "axis"], ["logits"], keepdims=0),
            *[helper.make_node("Identity", [name], [f"unused_{name}"]) for name in inputs[1:]],
        ],
        "words",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(labels)])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1], dtype=np.int64), "axis")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(made, str(folder / "model.onnx"))
    (folder / "config.json").write_text(json.dumps({"id2label": labels, "max_position_embeddings": limit}), encoding="utf-8")
    return folder


class TestTheModel:
    async def test_the_order_of_the_labels_is_read_from_the_folder(self, tmp_path: Path) -> None:
        for number, labels in enumerate(
            [NLI, {"0": "ENTAILMENT", "1": "NEUTRAL", "2": "CONTRADICTION"}, {"2": "entailment", "0": "neutral", "1": "contradiction"}]
        ):
            verifier = OnnxEntailment(model_folder(tmp_path / str(number), labels))
            entail, neutral, contradict = await verifier.entails("the sky is blue", "the sky")
            assert entail > 0.9
            assert entail + neutral + contradict == pytest.approx(1)
            assert (await verifier.entails("the sky is never red", "the sky"))[2] > 0.9
            assert (await verifier.entails("the sky at noon", "the sky"))[1] > 0.9

    @pytest.mark.parametrize("names", [("unsupported", "supported"), ("not_entailment", "entailment"), ("Not-Supported", "Supported")])
    async def test_of_two_labels_none_is_a_contradiction(self, tmp_path: Path, names: tuple[str, str]) -> None:
        folder = model_folder(tmp_path, {"0": names[0], "1": names[1]}, columns={names[0].lower(): "never", names[1].lower(): "blue"})
        verifier = OnnxEntailment(folder)
        assert (await verifier.entails("the sky is blue", "the sky"))[0] > 0.9
        assert await verifier.entails("the sky is never red", "the sky") == pytest.approx((0.018, 0.982, 0.0), abs=0.01)

    async def test_a_model_without_token_types(self, tmp_path: Path) -> None:
        assert (await OnnxEntailment(model_folder(tmp_path, types=False)).entails("the sky is blue", "the sky"))[0] > 0.9

    async def test_a_long_premise_is_cut_and_the_hypothesis_never_is(self, tmp_path: Path) -> None:
        verifier = OnnxEntailment(model_folder(tmp_path, limit=16))
        assert (await verifier.entails("the " * 500 + "never", "blue"))[0] > 0.9

    async def test_it_is_the_protocol_and_its_name_is_the_folders(self, tmp_path: Path) -> None:
        verifier = OnnxEntailment(model_folder(tmp_path / "mini"))
        assert isinstance(verifier, Entailment)
        assert verifier.name == "entailment:mini"


class TestRefusedFolders:
    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"model\.onnx, tokenizer\.json and config\.json"):
            OnnxEntailment(tmp_path / "nowhere")

    @pytest.mark.parametrize(
        "labels",
        [
            {"0": "LABEL_0", "1": "LABEL_1"},
            {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
            {"0": "positive", "1": "negative"},
            {"0": "entailment", "1": "entailment", "2": "neutral"},
            {"0": "entailment", "1": "contradiction"},
            {"0": "entailment"},
            {},
        ],
    )
    def test_labels_that_are_not_named_for_certain_are_never_guessed(self, tmp_path: Path, labels: dict[str, str]) -> None:
        model_folder(tmp_path)
        (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
        with pytest.raises(InputError, match="which label means what"):
            OnnxEntailment(tmp_path)

    @pytest.mark.parametrize("content", ["", "[]", "{", "null"])
    def test_a_config_that_is_none(self, tmp_path: Path, content: str) -> None:
        model_folder(tmp_path)
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=r"config\.json"):
            OnnxEntailment(tmp_path)

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
    def test_files_that_are_broken(self, tmp_path: Path, name: str) -> None:
        (model_folder(tmp_path) / name).write_bytes(b"\x00 nothing of the kind")
        with pytest.raises(InputError, match="cannot be loaded"):
            OnnxEntailment(tmp_path)

    def test_the_command_line_says_so_and_exits_with_2(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "a.md").write_text("The sky is blue.", encoding="utf-8")
        assert run(["check", str(tmp_path / "a.md"), "--entailment", str(tmp_path)]) == 2
        assert "is no entailment model" in capsys.readouterr().err


class Fixed:
    """A verifier whose scores are a function of the premise."""

    name = "entailment:fixed"

    def __init__(self, scores: Callable[[str], Scores]) -> None:
        self.scores = scores
        self.asked: list[tuple[str, str]] = []

    async def entails(self, premise: str, hypothesis: str) -> Scores:
        self.asked.append((premise, hypothesis))
        return self.scores(premise)


CLAIM = "The old lighthouse keeper welcomed visitors with warmth."
FRIENDLY = "The keeper of the old lighthouse welcomed all visitors warmly and showed them the lamp."
HOSTILE = "The old lighthouse keeper turned all visitors away and set his dog on them."
UNRELATED = "Ships passed far out at sea in the morning, and gulls followed them."


def scoring(table: Mapping[str, Scores]) -> Fixed:
    return Fixed(lambda premise: next((scores for words, scores in table.items() if words in premise), (0.01, 0.98, 0.01)))


def checked(verifier: Any, *pages: str, model: Any = "none", kind: Any = "report", text: str = CLAIM, query: str = "", **policy: Any) -> tuple[Check, Outcome]:
    found = tuple(Evidence(tool="documents", input="", text=page, source=f"p{number}.txt") for number, page in enumerate(pages))
    search = ScriptedTool(lambda call: found or Failure(tool="documents", input=call.input, kind="empty", message="nothing was found"), name="documents")
    refiner = Refiner(model, tools=[search], entailment=verifier, policy=Policy(**policy))
    outcome = refiner.check_sync(Task(query=query, kind=kind), text)
    return outcome.checks[0], outcome


class TestVerdicts:
    def test_without_a_verifier_the_claim_stays_open(self) -> None:
        assert checked(None, FRIENDLY)[0].status == "unavailable"

    def test_support_above_the_threshold_with_the_sentence_quoted(self) -> None:
        check, outcome = checked(scoring({"welcomed all": (0.97, 0.02, 0.01)}), UNRELATED + " " + FRIENDLY)
        assert (check.status, check.method, check.confidence) == ("supported", "judged", 0.97)
        page = next(item for item in outcome.evidence if item.id == check.evidence[0])
        assert check.quote in page.text
        assert "welcomed all visitors" in check.quote
        assert any(item.tool == "entailment" for item in outcome.evidence)

    @pytest.mark.parametrize("scores", [(0.94, 0.05, 0.01), (0.4, 0.3, 0.3), (0.0, 1.0, 0.0), (0.01, 0.02, 0.97)])
    def test_below_the_thresholds_nothing_is_decided(self, scores: Scores) -> None:
        assert checked(scoring({"lighthouse": scores}), FRIENDLY)[0].status == "unavailable"

    def test_a_contradiction_needs_more_and_repairs_nothing(self) -> None:
        check, _ = checked(scoring({"turned all": (0.01, 0.005, 0.985)}), HOSTILE)
        assert (check.status, check.expected) == ("contradicted", None)
        assert "turned all visitors away" in check.quote

    def test_a_sentence_about_something_else_cannot_contradict(self) -> None:
        assert checked(scoring({"Ships passed": (0.0, 0.0, 1.0)}), UNRELATED + " The lighthouse stood.")[0].status == "unavailable"

    def test_support_and_conflict_together_are_open_and_both_are_named(self) -> None:
        check, _ = checked(scoring({"welcomed all": (0.99, 0.01, 0.0), "turned all": (0.0, 0.01, 0.99)}), FRIENDLY, HOSTILE)
        assert check.status == "insufficient"
        assert "welcomed all" in check.note
        assert "turned all" in check.note

    def test_certainty_is_never_claimed(self) -> None:
        assert checked(scoring({"welcomed all": (1.0, 0.0, 0.0)}), FRIENDLY)[0].confidence == 0.99

    def test_the_thresholds_are_those_of_calibrated_scores(self) -> None:
        verifier = scoring({"welcomed all": (0.97, 0.02, 0.01)})
        assert checked(verifier, FRIENDLY, calibration={"entailed": ((0.97, 0.7),)})[0].status == "unavailable"
        assert checked(verifier, FRIENDLY, calibration={"entailed": ((0.97, 0.7),)}, entailed=0.65)[0].confidence == 0.7

    def test_a_rule_that_decides_is_not_asked_again(self) -> None:
        verifier = scoring({})
        refiner = Refiner("none", tools=[CalculatorTool(), ScriptedTool([])], entailment=verifier)
        outcome = refiner.check_sync(Task(query="", kind="report"), "We have 2 + 2 = 5 boats.")
        assert [check.method for check in outcome.checks] == ["computed"]
        assert verifier.asked == []

    def test_a_bare_answer_is_no_statement_to_be_entailed(self) -> None:
        verifier = scoring({"lighthouse": (0.99, 0.01, 0.0)})
        assert checked(verifier, FRIENDLY, kind="qa", text="friendliness", query="How did the keeper welcome visitors?")[0].undecided
        assert verifier.asked == []

    @pytest.mark.parametrize("scores", [(2.0, 0.0, 0.0), (float("nan"), 0.0, 0.0), (0.9,), (-1.0, 1.0, 1.0)])
    def test_scores_that_are_none_decide_nothing(self, scores: Any) -> None:
        assert checked(Fixed(lambda premise: scores), FRIENDLY)[0].status == "unavailable"

    def test_a_verifier_that_breaks_decides_nothing_and_is_mentioned(self) -> None:
        def broken(premise: str) -> Scores:
            raise RuntimeError("out of memory")

        check, outcome = checked(Fixed(broken), FRIENDLY)
        assert check.status == "unavailable"
        assert any("entailment" in warning for warning in outcome.warnings)

    def test_the_number_of_sentences_read_is_bounded(self) -> None:
        verifier = scoring({})
        checked(verifier, " ".join(f"The lighthouse keeper had visitors on day {day}." for day in range(200)))
        assert 0 < len(verifier.asked) <= 12


class TestBesideAJudge:
    def judge(self, status: str, quote: str) -> ScriptedModel:
        claim = {"quote": CLAIM, "focus": "warmth", "statement": CLAIM, "tool": "documents", "input": "keeper"}

        def respond(request: Any) -> str:
            reply = {"claims": [claim], "requirements": []} if request.role == "planner" else {"verdict": status, "quote": quote, "confidence": 0.9}
            return json.dumps(reply)

        return ScriptedModel([respond] * 20)

    @pytest.mark.parametrize(
        ("status", "quote", "scores", "final"),
        [
            ("supported", "welcomed all visitors", (0.99, 0.01, 0.0), "supported"),
            ("supported", "welcomed all visitors", (0.3, 0.6, 0.1), "supported"),
            ("supported", "welcomed all visitors", (0.0, 0.01, 0.99), "insufficient"),
            ("contradicted", "welcomed all visitors", (0.99, 0.01, 0.0), "insufficient"),
            ("contradicted", "welcomed all visitors", (0.0, 0.01, 0.99), "contradicted"),
            ("insufficient", "", (0.99, 0.01, 0.0), "insufficient"),
        ],
    )
    def test_a_firm_reading_the_other_way_opens_a_verdict_and_never_makes_one(self, status: str, quote: str, scores: Scores, final: str) -> None:
        check, _ = checked(scoring({"welcomed all": scores}), FRIENDLY, model=self.judge(status, quote), counter_search=False)
        assert check.status == final


async def test_the_tool_answers_one_row_for_each_premise() -> None:
    tool = EntailmentTool(scoring({"blue": (0.9, 0.1, 0.0)}))
    result = await tool.run(ToolCall(tool="entailment", input=json.dumps({"hypothesis": "h", "premises": ["blue", "red"]})))
    assert not isinstance(result, Failure)
    assert json.loads(result[0].value) == [[0.9, 0.1, 0.0], [0.01, 0.98, 0.01]]


class TestOnTheCommandLine:
    def test_check_with_a_folder(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "a.txt").write_text("Painters say that the Harbour sky is blue whenever the wind has turned.", encoding="utf-8")
        (tmp_path / "a.md").write_text("Harbour sky looks blue to painters.", encoding="utf-8")
        folder = model_folder(tmp_path / "mini")
        code = run(["check", str(tmp_path / "a.md"), "--sources", str(tmp_path / "docs"), "--entailment", str(folder), "--json"])
        check = json.loads(capsys.readouterr().out)["checks"][0]
        assert code == 0
        assert (check["status"], check["method"]) == ("supported", "judged")

    def test_its_scores_are_calibrated_like_a_judges(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = model_folder(tmp_path / "mini")
        rows = [
            {"claim": f"Sky {i} is blue.", "evidence": f"Sky {i} is blue at noon, blue.", "stance": "support" if i % 4 else "irrelevant"} for i in range(120)
        ]
        (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        target = str(tmp_path / "c.json")
        assert run(["calibrate", "checks", str(tmp_path / "d.jsonl"), "--entailment", str(folder), "-o", target, "--quiet"]) == 0
        assert "entailed: 90 of 120" in capsys.readouterr().out
        model, curves = read_calibration(Path(target))
        assert model == "entailment:mini"
        assert set(curves) == {"entailed"}
        with pytest.raises(UsageError, match="entailment:mini"):
            curves_for({"judged": "openai:any"}, target)
