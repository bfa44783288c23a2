"""The laboratory's figures and reports: units and n in each, the ink of the page, equal bytes for equal values, nothing of a text that could do anything."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.studies import plots
from redraft.studies.plots import Bin, Difference, Fates, Plot, Point, Rate, TurnScore
from redraft.studies.report import Points, Report, Section, Table, save_report, to_html, to_markdown

HOSTILE = '<script>alert(1)</script> & $x_1$ "quoted" | `a`'
DRAWN = {
    "quality": plots.quality_against_cost(
        [
            Point(label="direct", cost=400, quality=0.5, interval=(0.4, 0.6)),
            Point(label=HOSTILE, cost=900, quality=0.6, interval=(0.5, 0.7), cost_interval=(800, 1000)),
        ],
        n=20,
    ),
    "turns": plots.score_by_turn({"same": [TurnScore(turn=turn, mean=0.5 + turn / 50, n=20, interval=(0.4, 0.7)) for turn in range(4)]}),
    "fates": plots.fates_of_drafts(Fates(right_right=9, wrong_right=6, right_wrong=2, wrong_wrong=3)),
    "regressions": plots.regressions([Rate(label="full", count=1, n=30), Rate(label="no drafts were right", count=0, n=0)]),
    "calibration": plots.calibration({"stated": [Bin(confidence=0.2, right=2, n=9), Bin(confidence=0.9, right=8, n=9), Bin(confidence=1.0, right=0, n=0)]}),
    "differences": plots.differences([Difference(label="full − direct", mean=0.1, interval=(0.02, 0.2), note="p = 0.01", shown=True)], n=20, bound=0.05),
}


@pytest.fixture(scope="module")
def drawings() -> dict[str, str]:
    return {name: plot.svg() for name, plot in DRAWN.items()}


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_well_formed_takes_the_ink_of_its_page_and_says_its_n(name: str, drawings: dict[str, str]):
    svg = drawings[name]
    words = " ".join("".join(node.itertext()) for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text"))
    assert "currentColor" in svg
    assert plots.INK not in svg
    assert re.search(r"n = \d|\d+ of \d+", words), words
    assert "n = " in DRAWN[name].caption or "n from" in DRAWN[name].caption


def test_equal_values_give_equal_bytes_and_no_date(drawings: dict[str, str]):
    assert DRAWN["fates"].svg() == drawings["fates"]
    assert not any("dc:date" in svg for svg in drawings.values())


def test_a_label_is_text_and_nothing_else(drawings: dict[str, str]):
    assert "<script" not in drawings["quality"]
    words = ["".join(node.itertext()) for node in ElementTree.fromstring(drawings["quality"]).iter() if node.tag.endswith("text")]
    assert HOSTILE in words, "neither markup nor mathematics is made of it"


def test_counts_stand_beside_the_ribbons(drawings: dict[str, str]):
    for words in ("right → right: 9", "wrong → right: 6", "right → wrong: 2", "wrong → wrong: 3", "11 (55%)", "15 (75%)", "n = 20 drafts"):
        assert words in drawings["fates"]


def test_pictures_for_print_and_for_dark_pages():
    light, dark = DRAWN["differences"].png(), DRAWN["differences"].png(dark=True)
    assert light.startswith(b"\x89PNG")
    assert dark.startswith(b"\x89PNG")
    assert light != dark
    assert light == DRAWN["differences"].png()


def test_what_is_not_shown_is_drawn_hollow():
    interval = (0.01, 0.1)
    shown = plots.differences([Difference(label="a", mean=0.05, interval=interval, shown=True)], n=9).svg()
    hollow = plots.differences([Difference(label="a", mean=0.05, interval=interval, shown=False)], n=9).svg()
    assert plots.GOOD in shown
    assert plots.GOOD not in hollow


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_every_draft_has_one_fate(pairs: list[tuple[bool, bool]]):
    fates = plots.fates_of([before for before, _ in pairs], [after for _, after in pairs])
    assert fates.n == len(pairs)
    assert fates.wrong_right == sum(not before and after for before, after in pairs)
    assert fates.right_wrong == sum(before and not after for before, after in pairs)


@pytest.mark.parametrize(
    "plot",
    [
        plots.fates_of_drafts(Fates(right_right=0, wrong_right=0, right_wrong=0, wrong_wrong=0)),
        plots.regressions([]),
        plots.calibration({}),
        plots.score_by_turn({}),
        plots.quality_against_cost([], n=0),
    ],
)
def test_nothing_to_draw_is_no_error(plot: Plot):
    assert plot.svg().startswith("<svg")


REPORT = Report(
    title=f"Report {HOSTILE}",
    summary=(HOSTILE,),
    sections=(
        Section(
            title=HOSTILE,
            blocks=(
                HOSTILE,
                Table(head=("name", "figure"), rows=((HOSTILE, "1,234.5"), ("b\nc", "–")), caption=HOSTILE),
                Points(items=(HOSTILE,)),
                DRAWN["fates"],
            ),
        ),
    ),
)


def test_a_page_needs_nothing_else_and_runs_nothing():
    page = to_html(REPORT)
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']?https?:", page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page
    assert 'role="img" aria-label="The fate of every draft.' in page
    assert page == to_html(REPORT)


def test_columns_of_figures_stand_to_the_right():
    page = to_html(REPORT)
    assert '<td class="n">1,234.5</td>' in page
    assert '<th class="n">figure</th>' in page
    assert "<th>name</th>" in page
    assert "|---|---:|" in to_markdown(REPORT)


def test_markdown_of_any_text_is_that_text():
    text = to_markdown(REPORT)
    assert "<script" not in text.replace("\\<script", "")
    row = next(line for line in text.splitlines() if "1,234.5" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert "| b c | – |" in text
    assert "What became of n = 20 drafts" in text


def test_the_name_of_the_file_chooses_the_form(tmp_path):
    save_report(REPORT, tmp_path / "new" / "report.HTML")
    save_report(REPORT, tmp_path / "report.md")
    assert (tmp_path / "new" / "report.HTML").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith("# Report")


class TestBenchmarkPage:
    """`benchmarks/page.py`: published figures never stand without where they are from."""

    ROOT = Path(__file__).resolve().parents[1] / "benchmarks"

    def page(self, measured: dict[str, dict[str, object]]) -> str:
        spec = importlib.util.spec_from_file_location("benchmark_page", self.ROOT / "page.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.page(measured, self.references(), titles={"families": "Questions", "recorded": "Recorded"})

    def references(self) -> dict[str, dict[str, str]]:
        return json.loads((self.ROOT / "references.json").read_text(encoding="utf-8"))

    def test_every_published_figure_says_where_it_is_from(self):
        references = self.references()
        rows = [row for work in references["works"] for row in work["rows"]]  # type: ignore[index]
        assert len(rows) > 20
        assert {mark for _, _, mark in rows} <= set(references["provenance"])
        page = self.page({})
        for measure, figures, mark in rows:
            (line,) = [line for line in page.splitlines() if line.startswith(f"| {measure} |")]
            assert line == f"| {measure} | {figures} | {references['provenance'][mark]} |"
        assert "quoted in a secondary public note, not checked against the paper" in page

    def test_what_was_not_measured_is_not_shown_as_if_it_were(self):
        assert self.page({}).count("Not measured.") == 2

    def test_ours_stand_with_commit_and_machine(self):
        row = {"family": "letters", "n": 60, "before": 0.2, "after": 0.9, "right_to_wrong": 1, "seed": 7}
        page = self.page({"families": {"documents": [row], "command": "x", "commit": "abc1234", "machine": "Linux x86_64, 2 cores"}})
        assert "| letters | 60 | 20.0% | 90.0% | 1 | 7 |" in page
        assert "1 of 12 right drafts became wrong (n = 60 questions)" in page
        assert "| Questions | `abc1234` | Linux x86_64, 2 cores |" in page
