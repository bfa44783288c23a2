"""How well claims about tables are checked, and questions about tables answered, by rule alone: tables, claims and questions made by seed.

Half of the claims are corrupted. `--phrasings dev` are the wordings the rules were written with,
`--phrasings held` were written afterwards and are unlike them.

    python benchmarks/tables.py --n 200 --seed 1 --phrasings held --json
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import further_tables

from redraft.effects import Effects
from redraft.planning import table_questions, tables
from redraft.planning.enumerate import LEAD, SURE
from redraft.policy import Budgets
from redraft.tools.table import TableTool
from redraft.types import Ability, ModelReply, ModelRequest, Task


class NoTrace:
    def write(self, event: object) -> None:
        """Nothing is recorded."""


class NoModel:
    name = "none"
    ability: Ability = "none"

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    column: str
    noun: str
    low: int
    high: int
    decimals: int = 0
    before: str = ""
    after: str = ""
    money: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a table is about: its entity column, measures, and possibly a category and a period column."""

    name: str
    entity: str
    entities: tuple[str, ...]
    plural: str
    measures: tuple[Measure, ...]
    category: str = ""
    categories: tuple[str, ...] = ()
    period: str = ""
    periods: tuple[str, ...] = ()
    wide: bool = False
    delimiter: str = ","
    continental: bool = False


KINDS = (
    Kind(
        name="sales",
        entity="Region",
        entities=("North", "South", "East", "West", "Central"),
        plural="regions",
        period="Quarter",
        periods=("Q1", "Q2", "Q3", "Q4"),
        measures=(
            Measure(column="Revenue", noun="revenue", low=800, high=9000, before="$", money=True),
            Measure(column="Units", noun="units", low=20, high=400),
        ),
    ),
    Kind(
        name="cities",
        entity="City",
        entities=("Lisbon", "Porto", "Braga", "Madrid", "Seville", "Bilbao", "Lyon", "Nantes"),
        plural="cities",
        category="Country",
        categories=("Portugal", "Spain", "France"),
        measures=(
            Measure(column="Population", noun="population", low=90_000, high=3_400_000),
            Measure(column="Area km2", noun="area", low=40, high=700, decimals=1),
            Measure(column="Median age", noun="median age", low=34, high=47, decimals=1),
        ),
    ),
    Kind(
        name="staff",
        entity="Name",
        entities=("Anna Weber", "Bruno Rossi", "Carla Mendes", "David Okafor", "Elena Petrova", "Farid Haddad", "Grace Liu"),
        plural="names",
        category="Department",
        categories=("Engineering", "Marketing", "Finance"),
        measures=(
            Measure(column="Salary", noun="salary", low=38_000, high=120_000, before="€", money=True),
            Measure(column="Age", noun="age", low=22, high=63),
        ),
    ),
    Kind(
        name="products",
        entity="Product",
        entities=("Desk Lamp", "Office Chair", "Bookcase", "Whiteboard", "Monitor Arm", "Footrest"),
        plural="products",
        category="Category",
        categories=("Furniture", "Accessories"),
        measures=(
            Measure(column="Unit Price", noun="unit price", low=12, high=400, decimals=2, before="$", money=True),
            Measure(column="Stock", noun="stock", low=3, high=250),
            Measure(column="Rating", noun="rating", low=2, high=5, decimals=1),
        ),
    ),
    Kind(
        name="exports",
        entity="Country",
        entities=("Norway", "Denmark", "Finland", "Iceland", "Estonia"),
        plural="countries",
        period="year",
        periods=("2021", "2022", "2023"),
        wide=True,
        measures=(Measure(column="exports", noun="exports", low=120, high=4000),),
    ),
    Kind(
        name="filialen",
        entity="Store",
        entities=("Mitte", "Altstadt", "Hafen", "Bahnhof", "Westpark"),
        plural="stores",
        measures=(
            Measure(column="Turnover (€)", noun="turnover", low=10_000, high=90_000, decimals=2, before="€", money=True),
            Measure(column="Staff", noun="staff", low=3, high=40),
        ),
        delimiter=";",
        continental=True,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Made:
    kind: Kind
    rows: tuple[dict[str, Any], ...]


def make(kind: Kind, rng: random.Random) -> Made:
    rows: list[dict[str, Any]] = []
    entities = list(kind.entities)
    rng.shuffle(entities)
    for entity in entities[: rng.randint(max(4, len(entities) - 2), len(entities))]:
        category = rng.choice(kind.categories) if kind.categories else ""
        for period in kind.periods or ("",):
            row: dict[str, Any] = {"entity": entity, "category": category, "period": period}
            for measure in kind.measures:
                row[measure.column] = Fraction(rng.randint(measure.low * 10**measure.decimals, measure.high * 10**measure.decimals), 10**measure.decimals)
            rows.append(row)
    return Made(kind=kind, rows=tuple(rows))


def write(made: Made, path: Path) -> None:
    kind = made.kind

    def cell(value: Fraction, measure: Measure) -> str:
        text = f"{float(value):,.{measure.decimals}f}" if kind.continental else f"{float(value):.{measure.decimals}f}"
        return text.translate(str.maketrans(",.", ".,")) if kind.continental else text

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=kind.delimiter)
        if kind.wide:
            writer.writerow([kind.entity, *kind.periods])
            for entity in dict.fromkeys(row["entity"] for row in made.rows):
                writer.writerow([entity, *(cell(row[kind.measures[0].column], kind.measures[0]) for row in made.rows if row["entity"] == entity)])
            return
        head = (
            [kind.entity] + ([kind.category] if kind.category else []) + ([kind.period] if kind.period else []) + [measure.column for measure in kind.measures]
        )
        writer.writerow(head)
        for row in made.rows:
            labels = [row["entity"]] + ([row["category"]] if kind.category else []) + ([row["period"]] if kind.period else [])
            writer.writerow(labels + [cell(row[measure.column], measure) for measure in kind.measures])


# facts: what is true of a table, with the words that its phrasings need


@dataclass(frozen=True, kw_only=True)
class Fact:
    type: str
    words: dict[str, str]
    value: Fraction | None = None
    shown: str = ""
    """The value as a report would write it; the place that is corrupted."""
    names: tuple[str, ...] = ()
    """For facts whose answer is a name: the right one first, then the wrong ones."""
    decimals: int = 0
    style: str = "amount"


def number(value: Fraction, decimals: int, before: str = "", after: str = "") -> str:
    scaled = value * 10**decimals
    rounded = int(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
    return f"{before}{rounded / 10**decimals:,.{decimals}f}{after}"


def facts(made: Made, rng: random.Random) -> list[Fact]:
    kind, rows = made.kind, made.rows
    measure = rng.choice(kind.measures)
    entities = list(dict.fromkeys(row["entity"] for row in rows))

    def total(**where: str) -> Fraction:
        return sum((row[measure.column] for row in rows if all(row[key] == value for key, value in where.items())), Fraction(0))

    base = {"measure": measure.noun, "plural": kind.plural, "singular": kind.entity.lower(), "table": kind.name}

    def amount(type_: str, value: Fraction, decimals: int | None = None, **words: str) -> Fact:
        places = measure.decimals if decimals is None else decimals
        return Fact(type=type_, words=base | words, value=value, shown=number(value, places, measure.before, measure.after), decimals=places)

    made_facts: list[Fact] = []
    one, two = rng.sample(entities, 2)
    if kind.period:
        p, q = sorted(rng.sample(range(len(kind.periods)), 2))
        early, late = kind.periods[p], kind.periods[q]
        made_facts.append(amount("cell_period", total(entity=one, period=late), row=one, period=late))
        before, after = total(entity=one, period=early), total(entity=one, period=late)
        change = (after - before) / before * 100
        verb = "up" if change > 0 else "down"
        made_facts.append(
            Fact(
                type=f"change_{verb}",
                words=base | {"row": one, "early": early, "late": late},
                value=abs(change),
                shown=number(abs(change), 1, "", "%"),
                decimals=1,
                style="percent",
            )
        )
        made_facts.append(amount("total_period", total(period=late), period=late))
        rose = sum(total(entity=each, period=late) > total(entity=each, period=early) for each in entities)
        made_facts.append(Fact(type="count_rose", words=base | {"early": early, "late": late}, value=Fraction(rose), shown=str(rose), style="count"))
        sums = sorted(entities, key=lambda each: -total(entity=each, period=late))
        if len({total(entity=each, period=late) for each in entities}) == len(entities):
            made_facts.append(Fact(type="argmax_period", words=base | {"period": late}, names=(sums[0], *sums[1:])))
    else:
        made_facts.append(amount("cell", total(entity=one), row=one))
        values = [row[measure.column] for row in rows]
        made_facts.append(amount("average", sum(values, Fraction(0)) / len(values), measure.decimals + 1))
        made_facts.append(amount("max_value", max(values)))
        made_facts.append(amount("min_value", min(values)))
        bound = Fraction(round((min(values) + max(values)) / 2))
        above = sum(value > bound for value in values)
        made_facts.append(
            Fact(type="count_above", words=base | {"bound": number(bound, 0, measure.before)}, value=Fraction(above), shown=str(above), style="count")
        )
    if kind.category and measure.noun not in ("median age", "age", "rating", "unit price"):
        category = rng.choice(sorted({row["category"] for row in rows}))
        made_facts.append(amount("total_category", total(category=category), category=category))
    if kind.category:
        category = rng.choice(sorted({row["category"] for row in rows}))
        inside = [row[measure.column] for row in rows if row["category"] == category]
        made_facts.append(amount("average_category", sum(inside, Fraction(0)) / len(inside), measure.decimals + 1, category=category))
        made_facts.append(Fact(type="count_category", words=base | {"category": category}, value=Fraction(len(inside)), shown=str(len(inside)), style="count"))
    additive = measure.noun not in ("median age", "age", "rating", "unit price")
    if additive:
        made_facts.append(amount("total", total()))
        share = total(entity=one) / total() * 100
        made_facts.append(Fact(type="share", words=base | {"row": one}, value=share, shown=number(share, 1, "", "%"), decimals=1, style="percent"))
    figures = {each: total(entity=each) for each in entities}
    if len(set(figures.values())) == len(figures) and (additive or not kind.period):
        order = sorted(entities, key=lambda each: -figures[each])
        high, low = (one, two) if figures[one] > figures[two] else (two, one)
        made_facts.append(Fact(type="argmax", words=dict(base), names=tuple(order)))
        made_facts.append(Fact(type="argmin", words=dict(base), names=tuple(reversed(order))))
        made_facts.append(Fact(type="second", words=dict(base), names=(order[1], order[0], *order[2:])))
        made_facts.append(amount("difference", figures[high] - figures[low], row=high, other=low))
        ratio = figures[high] / figures[low]
        made_facts.append(Fact(type="ratio", words=base | {"row": high, "other": low}, value=ratio, shown=number(ratio, 1), decimals=1, style="ratio"))
        made_facts.append(Fact(type="more", words=base | {"row": high, "other": low}, names=("higher", "lower")))
    return made_facts


def corrupted(fact: Fact, made: Made, rng: random.Random) -> str:
    """A wrong figure or name in the same format."""
    if fact.names:
        return rng.choice(fact.names[1:])
    assert fact.value is not None
    if fact.style == "count":
        wrong = rng.choice([value for value in range(max(0, int(fact.value) - 2), int(fact.value) + 3) if value != fact.value])
        return str(wrong)
    affix = fact.shown.rstrip("0123456789.,%"), "%" if fact.shown.endswith("%") else ""
    while True:
        way = rng.random()
        if way < 0.4:
            value = fact.value * Fraction(rng.choice([105, 110, 112, 88, 93, 130, 75]), 100)
        elif way < 0.7:
            digits = list(fact.shown)
            places = [place for place, digit in enumerate(digits) if digit.isdigit()]
            place = rng.choice(places[:3])
            digits[place] = rng.choice([digit for digit in "123456789" if digit != digits[place]])
            text = "".join(digits)
            if text != fact.shown:
                return text
            continue
        else:
            others = [
                row[measure.column]
                for row in made.rows
                for measure in made.kind.measures
                if number(row[measure.column], fact.decimals) != number(fact.value, fact.decimals)
            ]
            value = rng.choice(others) if fact.style == "amount" else fact.value + rng.choice([-7, 4, 11])
        before = "".join(c for c in affix[0] if c in "$€") or "".join(c for c in fact.shown[:1] if c in "$€")
        text = number(value, fact.decimals, before, affix[1])
        if text != fact.shown and value > 0:
            return text


DEV_CLAIMS: dict[str, tuple[str, ...]] = {
    "cell": (
        "{row} has a {measure} of {v}.",
        "The {measure} of {row} is {v}.",
        "{row}'s {measure} stands at {v}.",
        "For {row}, the table gives a {measure} of {v}.",
    ),
    "cell_period": ("In {period}, {row} recorded {measure} of {v}.", "{row}'s {measure} in {period} was {v}.", "{measure} in {row} reached {v} in {period}."),
    "change_up": ("{row}'s {measure} grew {v} from {early} to {late}.", "From {early} to {late}, {measure} in {row} increased by {v}."),
    "change_down": ("{row}'s {measure} fell {v} from {early} to {late}.", "From {early} to {late}, {measure} in {row} decreased by {v}."),
    "total_period": ("Total {measure} in {period} was {v}.", "Across all {plural}, {measure} came to {v} in {period}."),
    "count_rose": ("{v} {plural} saw their {measure} rise from {early} to {late}.", "From {early} to {late}, {measure} grew in {v} {plural}."),
    "argmax_period": ("In {period}, {v} had the highest {measure}.", "The highest {measure} in {period} was in {v}."),
    "average": ("The average {measure} is {v}.", "On average, the {measure} was {v}.", "The mean {measure} across the {plural} is {v}."),
    "max_value": ("The highest {measure} is {v}.", "The maximum {measure} in the table is {v}."),
    "min_value": ("The lowest {measure} is {v}.", "The minimum {measure} is {v}."),
    "count_above": ("{v} {plural} have a {measure} above {bound}.", "There are {v} {plural} with a {measure} of more than {bound}."),
    "total_category": ("The total {measure} for {category} is {v}.", "{category} has a combined {measure} of {v}."),
    "average_category": ("The average {measure} in {category} is {v}.", "In {category}, the mean {measure} was {v}."),
    "count_category": ("There are {v} {plural} in {category}.", "{category} has {v} {plural}."),
    "total": ("The total {measure} is {v}.", "Altogether, {measure} amounted to {v}.", "All {plural} together have a {measure} of {v}."),
    "share": ("{row} accounted for {v} of total {measure}.", "{row}'s share of {measure} was {v}."),
    "argmax": ("{v} has the highest {measure}.", "The highest {measure} was in {v}."),
    "argmin": ("{v} has the lowest {measure}.", "The lowest {measure} was recorded for {v}."),
    "second": ("{v} has the second-highest {measure}.", "The second highest {measure} belongs to {v}."),
    "difference": ("{row}'s {measure} exceeds that of {other} by {v}.", "The difference in {measure} between {row} and {other} is {v}."),
    "ratio": ("{row}'s {measure} is {v} times that of {other}.",),
    "more": ("{row} has a {v} {measure} than {other}.",),
}
DEV_QUESTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("What is the {measure} of {row}?", "What {measure} does {row} have?"),
    "cell_period": ("What was the {measure} of {row} in {period}?", "What {measure} did {row} have in {period}?"),
    "total_period": ("What was the total {measure} in {period}?",),
    "argmax_period": ("Which {singular} had the highest {measure} in {period}?",),
    "average": ("What is the average {measure}?", "What is the mean {measure} of all {plural}?"),
    "max_value": ("What is the highest {measure}?",),
    "min_value": ("What is the lowest {measure}?",),
    "count_above": ("How many {plural} have a {measure} above {bound}?", "How many {plural} have a {measure} of more than {bound}?"),
    "total_category": ("What is the total {measure} for {category}?",),
    "average_category": ("What is the average {measure} in {category}?",),
    "count_category": ("How many {plural} are in {category}?",),
    "total": ("What is the total {measure}?", "What is the sum of {measure} over all {plural}?"),
    "share": ("What percentage of total {measure} came from {row}?", "What share of {measure} does {row} have?"),
    "argmax": ("Which {singular} has the highest {measure}?", "Who or what has the largest {measure}?"),
    "argmin": ("Which {singular} has the lowest {measure}?",),
    "second": ("Which {singular} has the second highest {measure}?",),
    "difference": ("What is the difference in {measure} between {row} and {other}?", "How much higher is the {measure} of {row} than that of {other}?"),
    "more": ("Does {row} have a higher {measure} than {other}?",),
}
SEEN_CLAIMS: dict[str, tuple[str, ...]] = {
    "cell": (
        "At {v}, the {measure} of {row} may surprise some readers, yet it is what the sheet says.",
        "{row} comes in at {v} when it comes to {measure}.",
        "Looking at {row}, we find a {measure} of {v}.",
        "The figure for {row} ({measure}) is {v}.",
        "{row} — {measure}: {v}",
    ),
    "cell_period": (
        "During {period}, {measure} at {row} stood at {v}.",
        "{row} closed {period} with {measure} of {v}.",
        "{measure} for {row} hit {v} in {period}.",
        "A look at {period} shows {row} posting {v} in {measure}.",
    ),
    "change_up": (
        "Between {early} and {late}, {row} expanded its {measure} by {v}.",
        "{row} saw {measure} climb {v} between {early} and {late}.",
        "Compared with {early}, {measure} at {row} was up {v} in {late}.",
    ),
    "change_down": (
        "Between {early} and {late}, {measure} at {row} slipped by {v}.",
        "{row} suffered a {v} drop in {measure} between {early} and {late}.",
        "Compared with {early}, {measure} at {row} was down {v} in {late}.",
    ),
    "total_period": (
        "Taken together, the {plural} booked {measure} of {v} in {period}.",
        "{period} brought in {v} of {measure} overall.",
        "Summed over every {singular}, {measure} reached {v} in {period}.",
    ),
    "count_rose": (
        "Between {early} and {late}, {measure} went up in {v} of the {plural}.",
        "{v} of the {plural} improved their {measure} between {early} and {late}.",
    ),
    "argmax_period": (
        "{v} topped the list in {period} with the largest {measure}.",
        "When it comes to {measure}, {v} led all {plural} in {period}.",
        "No {singular} beat {v} on {measure} in {period}.",
    ),
    "average": (
        "Typical {measure} comes to {v} per {singular}.",
        "Averaged over all {plural}, {measure} works out at {v}.",
        "A mean {measure} of {v} was observed.",
    ),
    "max_value": ("{measure} peaks at {v}.", "The top {measure} in the list reads {v}.", "The largest {measure} found anywhere is {v}."),
    "min_value": ("{measure} bottoms out at {v}.", "The smallest {measure} among the {plural} is {v}.", "At the other end, the least {measure} is {v}."),
    "count_above": (
        "Of all {plural}, {v} exceed {bound} in {measure}.",
        "{measure} is over {bound} in {v} {plural}.",
        "A {measure} beyond {bound} is found in {v} of the {plural}.",
    ),
    "total_category": ("Put together, {category} adds up to {v} in {measure}.", "{category} holds {v} of {measure} in total."),
    "average_category": ("Within {category}, {measure} averages {v}.", "{category} shows an average {measure} of {v}."),
    "count_category": (
        "{v} of the {plural} belong to {category}.",
        "{category} is represented by {v} {plural}.",
        "The list counts {v} {plural} for {category}.",
    ),
    "total": ("Summed up, the {plural} reach a {measure} of {v}.", "Overall {measure} stands at {v}.", "Adding everything up gives {v} in {measure}."),
    "share": (
        "{v} of all {measure} comes from {row}.",
        "{row} contributes {v} to overall {measure}.",
        "Roughly speaking, {row} makes up {v} of the {measure}.",
    ),
    "argmax": (
        "No one beats {v} on {measure}.",
        "{v} leads the field in {measure}.",
        "With the largest {measure} of all, {v} is out in front.",
        "{v} comes first by {measure}.",
    ),
    "argmin": (
        "{v} brings up the rear in {measure}.",
        "The smallest {measure} can be found in the row of {v}.",
        "Of all {plural}, {v} shows the least {measure}.",
    ),
    "second": ("{v} is runner-up in {measure}.", "Second place by {measure} goes to {v}.", "{v} ranks second in {measure}."),
    "difference": (
        "{row} is {v} ahead of {other} in {measure}.",
        "A gap of {v} in {measure} separates {row} from {other}.",
        "{other} trails {row} by {v} in {measure}.",
    ),
    "ratio": ("{row} has {v} times the {measure} of {other}.", "In {measure}, {row} is {v} times as large as {other}."),
    "more": ("{row}'s {measure} is {v} than {other}'s.", "Compared with {other}, {row} shows a {v} {measure}."),
}
SEEN_QUESTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("Tell me the {measure} for {row}.", "How large is the {measure} of {row}?", "{row}: what {measure} is listed?", "I need {row}'s {measure}."),
    "cell_period": (
        "How much {measure} did {row} make in {period}?",
        "{row} in {period}: how high was the {measure}?",
        "Give the {measure} of {row} during {period}.",
    ),
    "total_period": (
        "How much {measure} was there altogether in {period}?",
        "Add up the {measure} of all {plural} in {period}.",
        "What did {measure} come to overall in {period}?",
    ),
    "argmax_period": (
        "In {period}, who came out on top in {measure}?",
        "Which of the {plural} led on {measure} in {period}?",
        "What {singular} had the biggest {measure} during {period}?",
    ),
    "average": ("How high is {measure} on average?", "Averaged over all {plural}, what is the {measure}?", "What would be a typical (mean) {measure}?"),
    "max_value": ("How high does {measure} go at most?", "What is the largest {measure} on the list?", "Give the maximum {measure}."),
    "min_value": ("What is the smallest {measure} on the list?", "Give the minimum {measure}."),
    "count_above": (
        "Count the {plural} whose {measure} exceeds {bound}.",
        "In how many {plural} is the {measure} over {bound}?",
        "What is the number of {plural} with {measure} greater than {bound}?",
    ),
    "total_category": ("How much {measure} does {category} have in all?", "Sum up the {measure} for {category}."),
    "average_category": ("How high is the mean {measure} within {category}?", "On average, what {measure} do we see in {category}?"),
    "count_category": ("What number of {plural} does {category} have?", "How many of the {plural} belong to {category}?", "Count the {plural} in {category}."),
    "total": ("How much {measure} is there altogether?", "Adding all {plural}, how much {measure} do we get?", "Combined {measure} of every {singular}?"),
    "share": (
        "How much of the total {measure}, in percent, is due to {row}?",
        "What fraction of all {measure} in % does {row} contribute?",
        "{row} makes up what percent of {measure}?",
    ),
    "argmax": ("Where is {measure} highest?", "Name the {singular} with the greatest {measure}.", "Which of the {plural} is number one in {measure}?"),
    "argmin": ("Where is {measure} lowest?", "Name the {singular} with the smallest {measure}.", "Which {singular} comes last in {measure}?"),
    "second": (
        "Which {singular} is runner-up in {measure}?",
        "After the leader, which {singular} has the next highest {measure}?",
        "Who is in second place by {measure}?",
    ),
    "difference": (
        "By how much does {row} exceed {other} in {measure}?",
        "How far apart are {row} and {other} in {measure}?",
        "Subtract {other}'s {measure} from {row}'s.",
    ),
    "more": ("Is the {measure} of {row} greater than that of {other}?", "Does {row} beat {other} on {measure}?"),
}


HELD_CLAIMS: dict[str, tuple[str, ...]] = {
    "cell": ("We note that {row} has {v} as its {measure}.", "{row} can point to a {measure} of {v}.", "As for {row}, its {measure} equals {v}."),
    "cell_period": (
        "{row} turned in {v} of {measure} for {period}.",
        "By {period}, {measure} in {row} amounted to {v}.",
        "- {row}, {period}: {measure} of {v}",
    ),
    "change_up": (
        "{row}'s {measure} jumped {v} in {late} relative to {early}.",
        "Growth in {measure} at {row} from {early} to {late} was {v}.",
        "{row} lifted {measure} by {v} from {early} to {late}.",
    ),
    "change_down": (
        "{row}'s {measure} shrank {v} from {early} to {late}.",
        "The decline in {measure} at {row} from {early} to {late} was {v}.",
        "{row} lost {v} of its {measure} from {early} to {late}.",
    ),
    "total_period": ("In {period} the combined {measure} of all {plural} was {v}.", "{period} closed with total {measure} of {v}."),
    "count_rose": ("{measure} increased in {v} {plural} from {early} to {late}.", "In {v} {plural}, {measure} rose between {early} and {late}."),
    "argmax_period": ("{v} was the strongest {singular} by {measure} in {period}.", "Top of the table for {measure} in {period} was {v}."),
    "average": ("Across {plural}, {measure} is {v} on average.", "The {plural} have an average {measure} of {v}."),
    "max_value": ("No {singular} has a {measure} above {v}, the maximum.", "The biggest {measure} is {v}.", "Maximum {measure}: {v}."),
    "min_value": ("The lowest {measure} of any {singular} is {v}.", "Minimum {measure}: {v}."),
    "count_above": ("A total of {v} {plural} have {measure} over {bound}.", "Only {v} {plural} have a {measure} greater than {bound}."),
    "total_category": ("{measure} in {category} sums to {v}.", "In total, {category} accounts for {measure} of {v}."),
    "average_category": ("For {category}, {measure} comes to {v} on average.", "{category}: average {measure} {v}."),
    "count_category": ("The table has {v} {plural} in {category}.", "In {category} we count {v} {plural}."),
    "total": ("{measure} totals {v}.", "The grand total for {measure} is {v}.", "The sum of {measure} over all {plural} is {v}."),
    "share": (
        "{row} represents {v} of the total {measure}.",
        "With {v} of {measure}, {row} holds its share.",
        "Some {v} of the overall {measure} falls to {row}.",
    ),
    "argmax": ("In terms of {measure}, {v} is at the top.", "{v} has more {measure} than any other {singular}.", "The best {measure} belongs to {v}."),
    "argmin": ("In terms of {measure}, {v} is at the bottom.", "{v} has less {measure} than any other {singular}.", "The weakest {measure} belongs to {v}."),
    "second": ("The second largest {measure} is that of {v}.", "{v} finishes second by {measure}."),
    "difference": (
        "{row} has {v} more in {measure} than {other}.",
        "{row} leads {other} by {v} in {measure}.",
        "In {measure}, {row} is ahead of {other} by {v}.",
    ),
    "ratio": ("The {measure} of {row} is {v} times the {measure} of {other}.", "{row}'s {measure} is {v}x that of {other}."),
    "more": ("The {measure} of {row} is {v} than the {measure} of {other}.", "{row} posts {v} {measure} than {other}."),
}
HELD_QUESTIONS: dict[str, tuple[str, ...]] = {
    "cell": ("Could you look up {row}'s {measure}?", "What does the table say about the {measure} of {row}?", "{measure} of {row}?"),
    "cell_period": ("For {period}, what {measure} is reported for {row}?", "{row}'s {measure} in {period}, please."),
    "total_period": ("What is the {measure} of all {plural} combined in {period}?", "In {period}, what was the sum of {measure}?"),
    "argmax_period": ("Who had the most {measure} in {period}?", "For {period}, name the top {singular} by {measure}."),
    "average": ("What {measure} do the {plural} have on average?", "Compute the mean {measure}."),
    "max_value": ("What is the maximum {measure}?", "How large is the greatest {measure}?"),
    "min_value": ("What is the minimum {measure}?", "How small is the smallest {measure}?"),
    "count_above": ("How many {plural} are there with {measure} over {bound}?", "For how many {plural} is {measure} higher than {bound}?"),
    "total_category": ("What do we get if we total {measure} for {category}?", "{category}: what is the combined {measure}?"),
    "average_category": ("What is {measure} in {category}, averaged?", "Mean {measure} for {category}?"),
    "count_category": ("How many {plural} does {category} have?", "How many {plural} are listed under {category}?"),
    "total": ("What does {measure} add up to?", "What is {measure} in total?", "What is the overall {measure}?"),
    "share": ("What percent of the {measure} is {row}'s?", "What proportion of {measure} does {row} account for?"),
    "argmax": ("What {singular} has the most {measure}?", "Which {singular} leads in {measure}?", "Which {singular} tops the table for {measure}?"),
    "argmin": ("What {singular} has the least {measure}?", "Which {singular} has the weakest {measure}?"),
    "second": ("Which {singular} ranks second by {measure}?", "What {singular} has the second largest {measure}?"),
    "difference": (
        "How much more {measure} does {row} have than {other}?",
        "What is the gap between {row} and {other} in {measure}?",
        "{row} minus {other}: what is the difference in {measure}?",
    ),
    "more": ("Has {row} got more {measure} than {other}?", "Is {row} ahead of {other} in {measure}?"),
}


def merged(one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: one.get(name, ()) + other.get(name, ()) for name in one | other}


def plain(text: str | None) -> str:
    return (text or "").strip("$€").replace(",", "")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def effects_for(path: Path) -> tuple[Effects, TableTool]:
    tool = TableTool([path])
    return Effects(writer=NoModel(), tools={"table": tool}, sink=NoTrace(), budgets=Budgets()), tool


async def verdicts(text: str, effects: Effects) -> list[tuple[str, str, str | None, str]]:
    found: list[tuple[str, str, str | None, str]] = []
    for route in await tables.routes(text, effects):
        results = [await effects.use(call) for call in route.calls]
        verdict = route.decide(results)
        focus = route.claim.focus or route.claim.span
        if verdict is not None:
            found.append((text[slice(*focus)], verdict.status, verdict.expected, verdict.note))
    return found


async def claims(folder: Path, rng: random.Random, n: int, phrasings: dict[str, tuple[str, ...]], verbose: bool) -> dict[str, Any]:
    tally: Counter[str] = Counter()
    by_type: dict[str, Counter[str]] = {}
    done = 0
    while done < n:
        made = make(rng.choice(KINDS), rng)
        path = folder / f"{made.kind.name}.csv"
        write(made, path)
        effects, tool = effects_for(path)
        pool = [fact for fact in facts(made, rng) if phrasings.get(fact.type)]
        for fact in rng.sample(pool, min(5, len(pool))):
            if done >= n:
                break
            done += 1
            wrong = done % 2 == 0
            right = fact.names[0] if fact.names else fact.shown
            said = corrupted(fact, made, rng) if wrong else right
            text = capital(rng.choice(phrasings[fact.type]).format(v=said, **fact.words))
            found = await verdicts(text, effects)
            flagged = [each for each in found if each[1] == "contradicted"]
            supported = bool(found) and all(each[1] == "supported" for each in found)
            outcome = (
                ("hit" if flagged else "wrong_support" if supported else "missed")
                if wrong
                else ("false_alarm" if flagged else "supported" if supported else "open")
            )
            if wrong and flagged and any(each[2] is not None for each in flagged):
                tally["repaired" if any(plain(each[2]) == plain(right) for each in flagged) else "repaired_wrongly"] += 1
                if verbose and not any(plain(each[2]) == plain(right) for each in flagged):
                    print("repaired_wrongly", text, right, flagged, file=sys.stderr)
            tally[outcome] += 1
            by_type.setdefault(fact.type, Counter())[outcome] += 1
            if verbose and outcome in ("false_alarm", "missed", "wrong_support", "open"):
                print(f"{outcome:14} {fact.type:16} {text}  [right: {right}] {found}", file=sys.stderr)
        await tool.close()
    hits, alarms = tally["hit"], tally["false_alarm"]
    corrupt = hits + tally["missed"] + tally["wrong_support"]
    return {
        "n": n,
        "precision": hits / (hits + alarms) if hits + alarms else None,
        "recall": hits / corrupt if corrupt else None,
        "support_of_right": tally["supported"] / (n - corrupt) if n > corrupt else None,
        "wrong_support": tally["wrong_support"],
        "repaired": tally["repaired"],
        "repaired_wrongly": tally["repaired_wrongly"],
        "by_type": {name: dict(counts) for name, counts in sorted(by_type.items())},
    }


async def questions(folder: Path, rng: random.Random, n: int, phrasings: dict[str, tuple[str, ...]], verbose: bool) -> dict[str, Any]:
    tally: Counter[str] = Counter()
    by_type: dict[str, Counter[str]] = {}
    done = 0
    while done < n:
        made = make(rng.choice(KINDS), rng)
        path = folder / f"{made.kind.name}.csv"
        write(made, path)
        effects, tool = effects_for(path)
        pool = [fact for fact in facts(made, rng) if phrasings.get(fact.type)]
        for fact in rng.sample(pool, min(5, len(pool))):
            if done >= n:
                break
            done += 1
            right = fact.names[0] if fact.names else fact.shown
            if fact.type == "more":
                right = "yes"
            text = capital(rng.choice(phrasings[fact.type]).format(v="", **fact.words))
            options = await table_questions.options(Task(query=text, tables=(str(path),)), effects)
            top = options[0] if options else None
            tied = [option for option in options if top is not None and option.fit == top.fit and option.answer != top.answer]
            good = top is not None and same(top.answer, right, fact)
            listed = any(same(option.answer, right, fact) for option in options[:6])
            outcome = "none" if top is None else "right" if good and not tied else "tied" if listed and tied else "wrong_listed" if listed else "wrong"
            tally[outcome] += 1
            rival = max((option.fit for option in options if top is not None and option.answer != top.answer), default=0.0)
            sure = top is not None and top.fit >= SURE and top.fit - rival >= LEAD
            tally["sure_right" if good and sure else "sure_wrong" if sure else "unsure"] += 1
            by_type.setdefault(fact.type, Counter())[outcome] += 1
            if verbose and not sure:
                print(f"unsure         {fact.type:16} {text}  [right: {right}] {[(o.label, o.answer, o.fit) for o in options[:4]]}", file=sys.stderr)
            if verbose and outcome != "right":
                print(f"{outcome:14} {fact.type:16} {text}  [right: {right}] {[(o.label, o.answer, o.fit) for o in options[:4]]}", file=sys.stderr)
        await tool.close()
    return {
        "n": n,
        "right": tally["right"] / n,
        **{name: count for name, count in tally.items()},
        "by_type": {name: dict(counts) for name, counts in sorted(by_type.items())},
    }


def same(answer: str, right: str, fact: Fact) -> bool:
    if fact.names:
        return answer.casefold() == right.casefold()
    from redraft.claims.numbers import read

    shown = read(answer)
    assert fact.value is not None
    return len(shown) == 1 and abs(shown[0].value - fact.value) <= max(abs(fact.value), Fraction(1, 100)) / 2000


async def further(folder: Path, verbose: bool) -> dict[str, Any]:
    """The tables of other kinds: the best option against the gold answer, and the verdict on each figure."""
    tally: Counter[str] = Counter()
    for name, table in further_tables.TABLES.items():
        path = folder / f"{name}.csv"
        path.write_text(table, encoding="utf-8")
        effects, tool = effects_for(path)
        for of, text, right in further_tables.QUESTIONS:
            if of == name:
                found = await table_questions.options(Task(query=text, tables=(str(path),)), effects)
                good = bool(found) and found[0].answer.rstrip("%").replace(",", "").casefold() == right.casefold()
                sure = bool(found) and found[0].fit >= SURE and all(found[0].fit - each.fit >= LEAD for each in found if each.answer != found[0].answer)
                tally["question_right" if good else "question_wrong"] += 1
                tally["sure_wrong"] += sure and not good
                if verbose and not good:
                    print(f"question {text} [right: {right}] {[(each.label, each.answer, each.fit) for each in found[:4]]}", file=sys.stderr)
        for of, text, figure, stands in further_tables.CLAIMS:
            if of == name:
                status = next((each[1] for each in await verdicts(text, effects) if figure in each[0] or each[0] in figure), "none")
                tally[f"{'right' if stands else 'wrong'}_{status}"] += 1
                if verbose and status != ("supported" if stands else "contradicted"):
                    print(f"claim {stands} {status} {text} {await verdicts(text, effects)}", file=sys.stderr)
        await tool.close()
    return dict(sorted(tally.items()))


async def main(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.phrasings == "further":
        with tempfile.TemporaryDirectory() as folder:
            return {"further": await further(Path(folder), arguments.verbose)}
    held = arguments.phrasings == "held"
    steps: dict[str, Callable[..., Any]] = {"claims": claims, "questions": questions}
    known = {"claims": merged(DEV_CLAIMS, SEEN_CLAIMS), "questions": merged(DEV_QUESTIONS, SEEN_QUESTIONS)}
    lists = {"claims": HELD_CLAIMS, "questions": HELD_QUESTIONS} if held else known
    result: dict[str, Any] = {"seed": arguments.seed, "phrasings": arguments.phrasings}
    with tempfile.TemporaryDirectory() as folder:
        for name in steps if arguments.only == "both" else (arguments.only,):
            began = time.perf_counter()
            result[name] = await steps[name](Path(folder), random.Random(arguments.seed), arguments.n, lists[name], arguments.verbose)
            result[name]["seconds"] = round(time.perf_counter() - began, 2)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phrasings", choices=("dev", "held", "further"), default="held")
    parser.add_argument("--only", choices=("both", "claims", "questions"), default="both")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--verbose", action="store_true", help="every item that was not decided rightly, on standard error")
    outcome = asyncio.run(main(parser.parse_args()))
    if parser.parse_args().json:
        print(json.dumps(outcome, indent=1))
    else:
        for part in ("claims", "questions", "further"):
            if part in outcome:
                print(part, {name: value for name, value in outcome[part].items() if name != "by_type"})
