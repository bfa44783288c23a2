"""An amount with the name of a currency stands beside a column without a unit alike in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.table_runs import check

YEN = "月,売上\n1月,280000\n2月,375000\n"
PLAIN = "月份,收入\n一月,2800\n二月,3750\n"


@pytest.mark.parametrize(
    ("table", "text", "status"),
    [
        (PLAIN, "一月收入为2800元。", "supported"),
        (PLAIN, "一月收入为2900元。", "contradicted"),
        (PLAIN, "一月收入为0.28万元。", "supported"),
        (PLAIN, "一月收入为400美元。", "insufficient"),
        (PLAIN.replace("收入", "收入（元）"), "一月收入为2800元。", "supported"),
        (PLAIN.replace("收入", "收入（元）"), "一月收入为2800美元。", "insufficient"),
        (PLAIN.replace("收入", "收入（美元）"), "一月收入为2800元。", "insufficient"),
        (PLAIN.replace("收入", "人数"), "一月人数为2800元。", "insufficient"),
        (YEN, "1月の売上は28万円です。", "supported"),
        (YEN, "1月の売上は280,000円でした。", "supported"),
        (YEN, "1月の売上は290,000円でした。", "contradicted"),
        (YEN, "1月の売上は29万円ではありません。", "insufficient"),
        (YEN, "1月の売上は29万円を超えませんでした。", "insufficient"),
        (YEN, "1月の東京の売上は29万円でした。", "insufficient"),
        (YEN, "1月の売上は29万円が目標です。", "insufficient"),
        (YEN, "もし1月の売上は29万円だったら。", "insufficient"),
    ],
)
async def test_an_amount_in_yuan(table: str, text: str, status: str, tmp_path: Path) -> None:
    found = await check(tmp_path, {"incomes": table}, text)
    assert ["insufficient" if one not in ("supported", "contradicted") else one for _, one, _ in found] == [status]
