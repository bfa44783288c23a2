"""Small tables, and what it takes to run rules over them without a model: shared by the tests of claims and of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from redraft.effects import Effects
from redraft.events import Event
from redraft.planning.tables import routes
from redraft.policy import Budgets
from redraft.tools.calculator import CalculatorTool
from redraft.tools.table import TableTool
from redraft.types import ModelReply, ModelRequest

SALES = """Region,Quarter,Revenue,Units
North,Q1,1120,30
North,Q2,1259,35
North,Q3,1300,40
South,Q1,900,25
South,Q2,880,24
South,Q3,950,29
East,Q1,500,12
East,Q2,540,14
East,Q3,610,18
"""
CITIES = """City,Country,Population (millions),Area_km2
Lisbon,Portugal,0.55,100.1
Porto,Portugal,0.23,41.4
Madrid,Spain,3.22,604.3
Barcelona,Spain,1.62,101.4
Paris,France,2.10,105.4
Lyon,France,0.52,47.9
"""
STAFF = """Name,Department,Salary,Hire date,Remote
Anna Schmidt,Engineering,"€72,500",2019-03-12,yes
Bruno Costa,Engineering,"€68,000",2021-07-01,no
Chen Wei,Sales,"€51,200",2018-11-05,yes
Dana Novak,Sales,"€49,800",2022-02-14,no
Emil Berg,Finance,"€63,400",2020-09-30,yes
"""
EXPORTS = "Country,2021,2022,2023\nNorway,1200,1350,1500\nDenmark,800,760,900\nFinland,500,650,610\n"
SHOPS = "shop,year,sales\nOak,2023,500\nOak,2024,620\nElm,2023,300\nElm,2024,280\n"
QUARTERS = """region,quarter,revenue_eur,cost_eur,orders
North,Q1 2025,180000,120000,1500
North,Q2 2025,195300,130000,1600
North,Q3 2025,214700,139800,1745
South,Q1 2025,150000,110000,1900
South,Q2 2025,148000,109000,1850
South,Q3 2025,146200,108000,1800
West,Q1 2025,90000,70000,700
West,Q2 2025,95000,72000,760
West,Q3 2025,99000,74000,800
"""
HALF_SALES = """Region,Quarter,Revenue,Units
North,Q1,1120,30
North,Q2,1259,35
South,Q1,900,25
South,Q2,880,24
East,Q1,500,12
East,Q2,540,14
"""
MAYORS = """City,Country,Population,Area_km2,Mayor
Lisbon,Portugal,550000,100.1,Ana Sousa
Porto,Portugal,230000,41.4,Rui Lima
Madrid,Spain,3220000,604.3,Eva Cano
Paris,France,2100000,105.4,Luc Petit
Lyon,France,520000,47.9,Zoe Roux
"""
BOATS = """Boat,Harbour,Launched,Length (m),Ticket (EUR),Fault rate,Leaves
Heron,Westhaven,1988,24.5,12.50,2.1%,07:15
Tern,Westhaven,2007,31.0,18.00,4.4%,09:40
Gull,Oldport,2016,28.2,15.25,1.3%,12:05
Skua,Northquay,1979,19.8,9.90,3.7%,16:30
"""
TABLES: Mapping[str, str] = {
    "sales": SALES,
    "cities": CITIES,
    "staff": STAFF,
    "exports": EXPORTS,
    "shops": SHOPS,
    "quarters": QUARTERS,
    "half_sales": HALF_SALES,
    "mayors": MAYORS,
    "boats": BOATS,
    "founded": "City,Area_km2,Founded\nPorto,41.4,1123\nLyon,47.9,43\n",
}
"""Each by the name of its file."""


class NoTrace:
    def write(self, event: Event) -> None:
        """Nothing is recorded."""


class NoModel:
    name = "none"
    ability: Literal["none"] = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError("rules ask no model")

    async def close(self) -> None:
        """Nothing to close."""


def effects_over(paths: list[Path]) -> Effects:
    """Effects with the table tool over these files, where there are any, and the calculator."""
    tools = {"calculator": CalculatorTool(), **({"table": TableTool(paths)} if paths else {})}
    return Effects(writer=NoModel(), tools=tools, sink=NoTrace(), budgets=Budgets())


def written(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """The tables as files of the folder."""
    paths: list[Path] = []
    for name, content in contents.items():
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(content, encoding="utf-8")
    return paths


async def check(folder: Path, tables: str | dict[str, str], text: str) -> list[tuple[str, str, str | None]]:
    """Focus, status and expected text of every route."""
    contents = {name: TABLES[name] for name in tables.split()} if isinstance(tables, str) else tables
    effects = effects_over(written(folder, contents))
    found: list[tuple[str, str, str | None]] = []
    for route in await routes(text, effects):
        results = route.results if route.results is not None else [await effects.use(call) for call in route.calls]
        verdict = route.decide(results)
        assert verdict is not None
        assert text[slice(*route.claim.span)] == route.claim.text
        if verdict.status in ("supported", "contradicted"):
            assert verdict.evidence
            assert all(evidence.tool in ("table", "calculator") for evidence in verdict.evidence)
        focus = route.claim.focus
        assert focus is not None
        found.append((text[slice(*focus)], verdict.status, verdict.expected))
    for tool in effects.tools.values():
        await tool.close()
    return found


def only(found: Sequence[tuple[str, str, str | None]], status: str) -> list[str]:
    return [focus for focus, said, _ in found if said == status]
