"""Everyday words that speak of a column without naming it: adjectives in all their degrees, verbs, and which end of a column is the bad one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from redraft.planning.table_words import root

__all__ = ["CHANGES", "COMPARATIVES", "LIGHT", "SUPERLATIVES", "VERBS", "Quality", "is_bad", "points"]

Quality = tuple[frozenset[str], bool]
"""Stems of column names, and whether the word points to their high end."""

_DATES = (
    "founded established opened built inaugurated launched released introduced created born birth year since start date erected completed discovered "
    "acquired joined hired published"
)
_MONEY = "price cost fare fee rent rate charge ticket toll premium tariff amount"
_SPAN = "length duration distance minutes hours days nights time weeks months runtime pages span km miles stay"
_FAST = "time minutes seconds hours duration"
_ADJECTIVES = (
    ("old", f"age/{_DATES}-"),
    ("young", f"age-/{_DATES}"),
    ("new recent modern", f"{_DATES}/age-"),
    ("cheap affordable inexpensive", f"{_MONEY}-"),
    ("dear expensive costly pricey", _MONEY),
    ("heavy weighty", "weight mass load tonnage"),
    ("light", "weight- mass- load-"),
    ("tall", "height elevation altitude storeys floors"),
    ("lofty", "height elevation altitude"),
    ("long lengthy", _SPAN),
    ("short brief", " ".join(f"{word}-" for word in f"{_SPAN} height".split())),
    ("fast quick speedy swift rapid", f"speed velocity growth/{' '.join(f'{word}-' for word in _FAST.split())}"),
    ("slow", f"speed- velocity- growth-/{_FAST}"),
    ("hot warm", "temperature high max"),
    ("cold cool chilly", "temperature- low- min-"),
    ("wet rainy", "rainfall precipitation rain humidity"),
    ("dry", "rainfall- precipitation- rain- humidity-"),
    ("sunny", "sunshine sun"),
    ("windy", "wind"),
    ("snowy", "snow snowfall"),
    ("deep", "depth"),
    ("shallow", "depth-"),
    ("wide broad", "width breadth"),
    ("narrow", "width- breadth-"),
    ("big large huge great", "size area capacity population volume"),
    ("small tiny little", "size- area- capacity- population- volume-"),
    ("populous populated crowded", "population inhabitants residents"),
    ("rich wealthy prosperous", "gdp income wealth revenue"),
    ("poor", "gdp- income- wealth-"),
    ("busy frequented", "passengers visitors traffic customers guests"),
    ("strong powerful", "power strength horsepower growth"),
    ("weak", "power- strength- growth-"),
    ("profitable lucrative", "profit margin earnings"),
    ("popular", "visitors sales votes rating downloads attendance borrowings loans"),
    ("indebted", "debt"),
    ("far distant remote", "distance"),
    ("near close", "distance-"),
    ("thick", "thickness"),
    ("thin", "thickness-"),
    ("loud noisy", "noise volume decibels"),
    ("salaried", "salary wage pay"),
    ("experienced", "experience years"),
    ("steep", "gradient slope"),
    ("high", "height elevation altitude"),
    ("low", "height- elevation- altitude-"),
    ("spacious roomy", "area size space"),
    ("fuel-efficient economical thirsty", "consumption-"),
    ("early", " ".join(f"{word}-" for word in f"{_DATES} departure arrival time".split())),
    ("late", f"{_DATES} departure arrival time"),
)
_IRREGULAR = {"good": ("better", "best"), "bad": ("worse", "worst"), "far": ("farther", "farthest"), "little": ("less", "least")}
_VERBS = (
    ("cost costs priced charge charges charged pay", _MONEY),
    ("weigh weighs weighed weighing", "weight mass"),
    ("last lasts lasted", "duration minutes length hours days runtime time"),
    ("take takes took journey trip", "minutes duration time hours days"),
    ("earn earns earned earning paid salaried makes", "salary wage income earnings pay"),
    ("hold holds seats seat accommodate accommodates fit fits house room", "capacity seats"),
    ("inhabitants residents inhabited people live lives", "population"),
    ("shrank shrink shrunk shrinking contracted declined", "growth-"),
    ("grew grow grows grown expanded growing", "growth"),
    ("score scores scored scoring netted", "scored score points for"),
    ("concede concedes conceding conceded let shipped", "conceded against"),
    ("born", "birth born year"),
    ("established formed created started founded", "founded established created started"),
    ("built constructed erected completed", "built constructed completed year opened"),
    ("opened inaugurated", "opened opening inaugurated"),
    ("discovered found", "discovered discovery"),
    ("owe owes owed indebted", "debt"),
    ("stay stays stayed spend spent", "nights stay days"),
    ("cover covers covered travel travels", "distance length"),
    ("produce produces produced", "output production"),
    ("output economies economy", "gdp output"),
    ("consume consumes consumed uses use used", "consumption"),
    ("attend attended drew", "attendance visitors"),
    ("ground", "stadium capacity"),
    ("people persons spectators fans", "capacity seats attendance passengers visitors"),
    ("depart departs departed departing leave leaves left leaving set sets go goes", "departure departs dep leaves"),
    ("arrive arrives arrived arriving get gets", "arrival arrives arr"),
    ("admitted admission admissions", "admitted admission"),
    ("discharged discharge", "discharged discharge"),
    ("hired joined hire", "hired joined hire start"),
    ("aged age old", "age"),
    ("tall", "height"),
    ("high", "height elevation altitude"),
    ("heavy", "weight mass"),
    ("long", _SPAN),
    ("big large", "size area"),
    ("fast", "speed"),
    ("far", "distance"),
    ("deep", "depth"),
    ("wide", "width"),
    ("hot warm cold", "temperature"),
    ("visited", "visitors visits"),
    ("borrowed lent", "loans borrowings checkouts"),
    ("won wins", "wins won"),
    ("work works worked workforce employs employ staffed", "employees staff headcount workers workforce"),
    ("lent loaned borrowed checked", "loans borrowings checkouts"),
    ("climbed ascended conquered", "ascent climbed"),
    ("bought acquired purchased", "acquired purchased bought"),
    ("run runs operate operates operated", "operator owner"),
    ("wrote write written writer", "author writer"),
    ("lost loses", "losses lost defeats"),
    ("drew draws", "draws drawn"),
)
CHANGES = frozenset(root(word) for word in "growth change increase decrease decline rise".split())
"""Words of columns whose figures are changes themselves: what "grew by" is said of is their cell."""
_BAD = frozenset(
    root(word)
    for word in (
        "unsold debt conceded against loss losses error errors delay delays complaint complaints unemployment waste crime deaths death defects defect "
        "absence absences accidents accident pollution emissions damage failure failures cancelled cancellations returns churn turnover mortality deficit "
        "inflation faults injuries late overdue poverty vacancy wait waiting spoilage dropout scrap reject rejects downtime churned penalties fouls breakdowns"
    ).split()
)
"""Columns of which more is worse."""


LIGHT = frozenset(
    "take takes took get gets getting set sets go goes use uses used leave leaves left leaving pay makes spend spent let for journey trip".split()
)
"""Verbs of so many senses that they stand for a column in a question about it only."""


def _columns(line: str) -> tuple[Quality, ...]:
    """Groups of columns, the likeliest first; a minus says that the word points to the low end."""
    found: list[Quality] = []
    for part in line.split("/"):
        names = part.split()
        low = part.strip().endswith("-")
        found.append((frozenset(root(name.rstrip("-")) for name in names), not low))
    return tuple(found)


def _degrees(word: str) -> tuple[str, str]:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    stem = word[:-1] + "i" if word.endswith("y") and word[-2] not in "aeiou" else word.removesuffix("e")
    if len(word) <= 4 and word[-1] in "tgnd" and word[-2] in "aeiou" and word[-3:-2] not in "aeiou":
        stem = word + word[-1]
    return stem + "er", stem + "est"


def _forms(entries: Iterable[tuple[str, str]], degree: int) -> Mapping[str, tuple[Quality, ...]]:
    found: dict[str, tuple[Quality, ...]] = {}
    for names, line in entries:
        for word in names.split():
            for form in dict.fromkeys((word, _degrees(word)[degree])):
                found[form] = found.get(form, ()) + _columns(line)
    return found


def _verbs() -> Mapping[str, tuple[Quality, ...]]:
    found: dict[str, tuple[Quality, ...]] = {}
    for names, line in _VERBS:
        for word in names.split():
            found[word] = found.get(word, ()) + _columns(line)
    return found


COMPARATIVES = _forms(_ADJECTIVES, 0)
"""By comparative ("dearer") and plain form (after "more"): what is compared."""
SUPERLATIVES = _forms(_ADJECTIVES, 1)
VERBS = _verbs()


def points(word: str, stems: Iterable[str], *, superlative: bool = True) -> bool | None:
    """Which end of a column with these stems an adjective points to: high, low, or None where it is not said of such a column."""
    own = set(stems)
    entries = (SUPERLATIVES if superlative else COMPARATIVES).get(word.lower(), ())
    return next((high for names, high in entries if names & own), None)


def is_bad(stems: Iterable[str]) -> bool:
    """Whether more of this column is worse, so that its worst is its highest."""
    return bool(set(stems) & _BAD)
