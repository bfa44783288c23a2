"""Conversions and weekdays written in Chinese or Japanese are decided like the English ones."""

from __future__ import annotations

import pytest

from redraft.claims.statements import find


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("5公里是3.1英里。", True),
        ("5公里等于3.5英里。", False),
        ("5公里约等于3英里。", True),
        ("2公斤等于2000克。", True),
        ("2千克是4.4磅。", True),
        ("3升等于300毫升。", False),
        ("100摄氏度等于212华氏度。", True),
        ("100摄氏度是200华氏度。", False),
        ("5キロメートルは3.1マイルです。", True),
        ("1メートルは10センチメートルです。", False),
        ("2024年7月3日是星期一。", False),
        ("2024年7月3日是星期三。", True),
        ("2024年7月7日是周日。", True),
        ("2024年7月7日星期天", True),
        ("2024年7月3日は月曜日です。", False),
        ("2024年7月3日は水曜日です。", True),
        ("2024年7月7日（日曜日）", True),
        ("2024年7月1日（月）", None),
    ],
)
def test_a_statement_is_found_and_decided(text: str, holds: bool | None) -> None:
    assert [one.holds for one in find(text)] == ([] if holds is None else [holds])


@pytest.mark.parametrize(
    "text",
    [
        "1斤是600克。",
        "1斤等于500克。",
        "2024年7月3日是星期一吗？",
        "2024年7月3日不是星期一。",
        "2024年7月3日至星期五。",
        "5公里是他每天跑的3英里的两倍。",
        "10米是3米的三倍多。",
        "2024年7月1日星期一至星期五。",
        "5公里约等于3.2英里。",
        "9.66公里是3英里的两倍。",
        "5公里是2英里以上。",
        "2024年7月2日是星期三的前一天。",
        "2024年7月3日是星期一的说法是错的。",
        "如果2024年7月3日是星期一，那么第二天是星期二。",
        "100米是400米接力的一段。",
    ],
)
def test_what_is_open_is_not_contradicted(text: str) -> None:
    assert not [one for one in find(text) if one.holds is False and one.certain]
