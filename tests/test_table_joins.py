"""Two tables are read as one only where a column certainly links them and the sentence names both; else the figure stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.table_runs import check

ORDERS = "order_id,customer,amount,quantity\n1,Acme,500,4\n2,Birch,300,2\n3,Acme,250,1\n4,Cedar,410,3\n5,Dorn,90,1\n"
CUSTOMERS = "customer,country,segment\nAcme,Germany,Industry\nBirch,France,Retail\nCedar,Germany,Retail\nDorn,Spain,Industry\n"
TWICE = CUSTOMERS + "Acme,Austria,Industry\n"
SHORT = "customer,country,segment\nAcme,Germany,Industry\nBirch,France,Retail\n"
OTHER_NAME = CUSTOMERS.replace("customer,", "client,", 1)


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("The total amount for Germany was 1,160.", "supported", None),
        ("The total amount for Germany was 1,260.", "contradicted", "1,160"),
        ("The quantity for France was 2.", "supported", None),
        ("The total quantity for Industry was 16.", "contradicted", "6"),
    ],
)
async def test_figures_of_one_table_by_the_labels_of_another(tmp_path: Path, text: str, status: str, expected: str | None) -> None:
    found = await check(tmp_path, {"orders": ORDERS, "customers": CUSTOMERS}, text)
    assert [(verdict, put) for _, verdict, put in found] == [(status, expected)], found


@pytest.mark.parametrize("second", [TWICE, SHORT, OTHER_NAME], ids=["a key twice", "a key missing", "no column of that name"])
@pytest.mark.parametrize("figure", ["1,160", "1,260"])
async def test_without_a_certain_link_nothing_is_decided(tmp_path: Path, second: str, figure: str) -> None:
    found = await check(tmp_path, {"orders": ORDERS, "customers": second}, f"The total amount for Germany was {figure}.")
    assert not [one for one in found if one[1] != "insufficient"], found


@pytest.mark.parametrize("text", ["The total in Germany was 1,260.", "German buyers spent 1,260.", "Germany's best customer ordered 1,260."])
async def test_a_sentence_that_does_not_name_both_is_left_open(tmp_path: Path, text: str) -> None:
    found = await check(tmp_path, {"orders": ORDERS, "customers": CUSTOMERS}, text)
    assert not [one for one in found if one[1] != "insufficient"], found


async def test_what_one_table_decides_alone_is_decided_as_before(tmp_path: Path) -> None:
    found = await check(tmp_path, {"orders": ORDERS, "customers": CUSTOMERS}, "The total amount for Acme was 750. The total amount was 1,650.")
    assert [verdict for _, verdict, _ in found] == ["supported", "contradicted"]
