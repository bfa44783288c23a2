"""What exactly a question wants: the kind of span more finely than person, place or number, by head noun and verb.

Vocabularies of the language and the grammar of question words; no wording of a question as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from redraft.claims.words import Word, stem, words

__all__ = ["COLOURS", "KIND_NOUNS", "Want", "Wanted", "wanted"]

Want = Literal[
    "person", "place", "year", "day", "weekday", "when", "clock", "count", "money", "length", "mass", "duration", "span", "age", "percent", "measure",
    "name", "colour", "material", "animal", "food", "job", "code", "reason", "phrase",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The kind of span, the stem of the noun that is asked about, and whether that noun only says the kind ("which town")."""

    want: Want
    head: str = ""
    role: bool = False
    """Whether somebody or something is asked for by what it is of another thing ("who is the president of", "what is the name of the bull")."""
    naming: bool = False
    """Whether what something is called is asked for."""
    still: bool = False
    """Whether "how long" is asked of what something is, so that a length is likelier than a time."""
    verb: str = ""
    """Stem of what is done by or to what is asked for ("who founded", "which dish was served"), where it follows the question word and its noun."""


KIND_NOUNS: dict[str, Want] = {}
for _want_, _line_ in cast(
    "tuple[tuple[Want, str], ...]",
    (
        (
            "person",
            "person man woman boy girl actor actress author writer president singer player director king queen emperor scientist artist founder "
            "composer musician "
            "coach politician inventor poet philosopher general leader architect producer painter host manager ruler pope minister engineer "
            "physicist chemist "
            "explorer character rapper captain owner wife husband son daughter brother sister father mother chancellor mayor senator governor "
            "ceo chairman "
            "people songwriter athlete driver drummer guitarist model comedian journalist lawyer designer screenwriter novelist sculptor keeper "
            "caretaker "
            "treasurer secretary apprentice trainee student pupil teacher professor doctor nurse farmer fisherman baker cook chef butcher "
            "blacksmith carpenter "
            "mason builder gardener botanist zoologist biologist historian archaeologist geologist astronomer mathematician surgeon vet sailor "
            "soldier officer "
            "pilot rider runner swimmer cyclist winner champion rival successor predecessor colleague partner neighbour neighbor friend "
            "volunteer volunteers "
            "member employee boss chief head executive conductor pianist violinist fiddler organist dancer photographer editor publisher "
            "librarian curator "
            "priest vicar bishop monk nun saint judge sheriff constable detective thief spy merchant banker weaver potter tailor jeweller clockmaker "
            "saint hero heroine duke duchess earl count baron lord lady prince princess expert specialist visitor guest customer critic inspector "
            "developer programmer newcomer veteran ambassador consul translator illustrator naturalist sponsor donor benefactor deputy assistant",
        ),
        (
            "place",
            "city town village country county state river place location region continent capital province island district street road area "
            "lake mountain "
            "hill nation borough territory headquarters birthplace neighborhood neighbourhood suburb sea ocean municipality peninsula shire "
            "port harbour "
            "harbor valley square park room hall building house street station",
        ),
        ("year", "year decade century"),
        ("day", "date day birthday"),
        ("weekday", "weekday weekdays"),
        ("when", "month season era period"),
        ("clock", "time hour"),
        (
            "money",
            "money price cost fee fine penalty punishment toll reward salary wage surplus profit loss budget fare rent "
            "revenue income turnover deposit donation prize-money charge debt loan",
        ),
        ("length", "length height depth width distance altitude elevation diameter thickness circumference"),
        ("mass", "weight mass"),
        ("duration", "duration"),
        ("age", "age"),
        ("percent", "percentage percent proportion share"),
        ("count", "number population maximum minimum total capacity attendance score"),
        ("measure", "amount sum size area volume speed temperature rate quantity"),
        (
            "name",
            "name nickname surname title company business firm organisation organization band team group party university school club agency "
            "institution institute "
            "foundation charity society association manufacturer supplier publisher newspaper magazine book novel film movie song album opera "
            "play symphony "
            "poem show series programme program tool software station network brand ship boat ferry train product award prize medal trophy "
            "museum church bridge college bank "
            "shop store restaurant pub inn hotel bakery software app application festival event war battle treaty law theory dynasty tribe "
            "studio label "
            "airline league stadium airport chain publication religion holiday tournament competition",
        ),
        ("colour", "colour color shade hue tint"),
        ("material", "material wood metal stone fabric substance cloth timber fuel"),
        ("animal", "animal bird creature insect fish species breed mammal reptile pet beast"),
        ("food", "food dish fruit vegetable drink treat dessert ingredient snack beverage meal spice cake bait flavour flavor"),
        ("job", "job occupation profession trade career work post"),
        ("code", "shortcut key-combination password address url website email command extension file port"),
    ),
):
    KIND_NOUNS.update(dict.fromkeys(_line_.split(), _want_))

COLOURS = frozenset(
    "red blue green yellow orange purple violet pink brown black white grey gray turquoise crimson scarlet maroon beige ivory cream "
    "gold golden silver "
    "silvery bronze copper aubergine lilac lavender indigo teal navy ochre amber magenta cyan olive mint emerald ruby sapphire khaki "
    "tan russet mauve "
    "mustard charcoal burgundy vermilion azure coral salmon rust terracotta peach apricot lemon lime saffron cobalt jade pearl ebony slate sand "
    "reddish bluish greenish yellowish brownish whitish blackish greyish purplish pinkish".split()
)
"""Words for colours."""

_ASKS = frozenset("who whom whose which what when where why how what's who's where's when's how's".split())
_AUXILIARY = frozenset("is are was were be been being do does did has have had can could will would shall should may might must 's".split())
_SKIPPED = frozenset("the a an this that these those my your his her its our their new exact full actual own of other kind type sort".split())
_MEASURED: dict[str, Want] = {
    "long": "span", "tall": "length", "high": "length", "deep": "length", "wide": "length", "far": "length", "thick": "length", "broad": "length",
    "heavy": "mass", "old": "age", "soon": "duration",
}  # fmt: skip
_STOPPING = frozenset("of in on at to for from by with that which who whom whose when where as about into and or did does do".split())
_PRONOUNS = frozenset("i you he she it we they".split())
_DOING = frozenset("do does did would will can could must should".split())
_NAMES = frozenset("call called named name nickname nicknamed christen christened known dub dubbed".split())
_PAYING = frozenset("cost costs pay paid charge charged charges fine fined spend spent earn earned".split())
_GIVING = frozenset("name give tell state find identify provide mention list".split())


def wanted(question: str) -> Wanted:
    """What a question wants, from its last sentence that asks."""
    found = words(_asking(question))
    place = _place([word.text.lower().replace("’", "'") for word in found])
    return replace(_wanted(question), verb=_verb(found, place) if place is not None else "")


def _verb(found: Sequence[Word], place: int) -> str:
    """The verb that the asked-for thing is the subject of: the first content word after it and the auxiliaries, where no noun phrase begins before."""
    lowered = [word.text.lower() for word in found]
    rest = list(range(place + 1, len(found)))
    if lowered[place] in ("which", "what", "whose"):
        if rest and lowered[rest[0]] not in _AUXILIARY:
            noun = next((at for at in rest[:4] for form in _singular(lowered[at]) if form in KIND_NOUNS), rest[0])
            rest = rest[noun - place :]
        else:
            return ""
    elif lowered[place] not in ("who", "whom"):
        return ""
    for at in rest:
        word = found[at]
        if lowered[at] in _AUXILIARY or (lowered[at].endswith("ly") and len(lowered[at]) > 4) or lowered[at] in ("first", "originally", "then", "also"):
            continue
        return word.stem if word.content and not word.capital and lowered[at] not in _LIGHT else ""
    return ""


_LIGHT = frozenset("made make makes took take takes got get gets went go goes came come comes became become becomes put set gave give".split())


def _wanted(question: str) -> Wanted:
    asking = _asking(question)
    found = words(asking)
    lowered = [word.text.lower().replace("’", "'") for word in found]
    place = _place(lowered)
    if place is None:
        return _requested(lowered)
    word = lowered[place].removesuffix("'s")
    naming = bool(_NAMES & set(lowered)) or "name" in lowered
    paying = bool(_PAYING & set(lowered))
    if word in ("who", "whom", "whose"):
        return Wanted(want="person", head=_role(lowered, place), role=bool(_role(lowered, place)))
    simple: dict[str, Want] = {"where": "place", "when": "when", "why": "reason"}
    if word in simple or lowered[max(0, place - 1) : place + 2] == ["for", "what", "reason"]:
        return Wanted(want=simple.get(word, "reason"))
    if word == "how":
        return _how(lowered, place, paying)
    head, direct = _head(lowered, place)
    if not direct and ((head[:1] and head[0] in _PRONOUNS) or (lowered[place + 1 : place + 2] and lowered[place + 1] in _DOING)):
        everything = {word.text.lower() for word in words(question)}
        naming = naming or bool(_NAMES & everything)
        if paying or naming or _weighs(lowered):
            return Wanted(want="mass" if _weighs(lowered) else "money" if paying else "name", naming=naming and not paying)
        return Wanted(want="food" if _EATING & set(lowered[place + 1 :]) else "phrase")
    kind, noun = _kind(head)
    if not head or (kind is None and naming and not direct):
        return Wanted(want="name" if naming else "money" if paying else "mass" if _weighs(lowered) else "phrase", naming=naming)
    if kind == "name" and noun in ("name", "nickname", "title", "surname") and not direct:
        of = _of(lowered, place)
        return Wanted(want="person" if KIND_NOUNS.get(of) == "person" else "name", head=stem(of), role=True, naming=True)
    if kind == "day" and noun == "day" and "week" in lowered[place : place + 8]:
        return Wanted(want="weekday", head=stem(noun))
    if noun in ("length", "period", "amount") and "time" in lowered[place : place + 5]:
        return Wanted(want="duration", head=stem("time"))
    if kind is None and paying:
        kind = "money"
    if kind is None:
        return Wanted(want="phrase", head=stem(noun), role=not direct, naming=naming)
    return Wanted(want=kind, head=stem(noun), role=not direct, naming=naming and kind == "name")


_EATING = frozenset("eat eats ate eaten drink drinks drank".split())


def _asking(question: str) -> str:
    parts = [part for part in re.split(r"(?<=[.?!])\s+", question.strip()) if re.search(r"\w", part)]
    asking = [part for part in parts if part.rstrip().endswith("?")]
    return (asking or parts or [question])[-1]


def _place(lowered: Sequence[str]) -> int | None:
    places = [at for at, word in enumerate(lowered) if word in _ASKS]
    if not places:
        return None
    first = places[0]
    if first <= 2 or len(places) == 1:
        return first
    return next((at for at in places if lowered[at] in ("what", "how", "which", "who", "where", "when") and lowered[at - 1] not in _NOUNISH), places[-1])


_NOUNISH = frozenset("person people one those thing things man woman".split())


def _how(lowered: Sequence[str], place: int, paying: bool) -> Wanted:
    after = lowered[place + 1] if place + 1 < len(lowered) else ""
    if after == "much" and lowered[place + 2 : place + 3] == ["time"]:
        return Wanted(want="duration", head=stem("time"))
    if after in ("many", "much"):
        following = [word for word in lowered[place + 2 :] if word not in _SKIPPED]
        if after == "much" and (paying or following[:1] in (["money"], ["cash"]) or (following and following[0] in _AUXILIARY)):
            return Wanted(want="mass" if _weighs(lowered) else "money")
        noun: list[str] = []
        for word in following:
            if word in _AUXILIARY or word in _STOPPING:
                break
            noun.append(word)
        return Wanted(
            want="count", head=stem(noun[0] if len(noun) < 2 or noun[0].endswith("s") else noun[-1] if noun[-1].endswith("s") else noun[0]) if noun else ""
        )
    if after in _MEASURED:
        if after == "long" and lowered[place + 2 : place + 3] and lowered[place + 2] in ("is", "are"):
            return Wanted(want="span", head=stem(after), still=True)
        return Wanted(want=_MEASURED[after], head=stem(after))
    return Wanted(want="phrase", head=stem(after))


def _weighs(lowered: Sequence[str]) -> bool:
    return bool({"weigh", "weighs", "weighed"} & set(lowered))


def _head(lowered: Sequence[str], place: int) -> tuple[list[str], bool]:
    """The words of the noun phrase after the question word, and whether it follows directly ("which town")."""
    at = place + 1
    direct = at < len(lowered) and lowered[at] not in _AUXILIARY and not lowered[place].endswith("'s")
    while at < len(lowered) and (lowered[at] in _AUXILIARY or lowered[at] in _SKIPPED):
        at += 1
    head: list[str] = []
    while at < len(lowered) and lowered[at] not in _STOPPING and lowered[at] not in _AUXILIARY and len(head) < 5:
        head.append(lowered[at])
        at += 1
    return head, direct


def _kind(head: Sequence[str]) -> tuple[Want | None, str]:
    """The kind that the head noun names: the last of the leading words that a vocabulary knows, else the first word."""
    known: list[tuple[Want, str]] = [(KIND_NOUNS[form], word) for word in head for form in _singular(word) if form in KIND_NOUNS]
    for word in head[:3]:
        form = next((form for form in _singular(word) if form in KIND_NOUNS), None)
        if form and not (word != head[-1] and any(other in KIND_NOUNS for later in head[head.index(word) + 1 : 3] for other in _singular(later))):
            return KIND_NOUNS[form], form
    if known and known[0][1] == head[-1]:
        return known[0][0], head[-1]
    person = next((word for word in head[:2] if re.search(r"(?:ist|ian|smith|man|woman|monger|wright)s?$", word) and len(word) > 5), None)
    return ("person", person) if person else (None, head[0] if head else "")


def _singular(word: str) -> list[str]:
    plain = word.removesuffix("'s")
    return [plain, plain.removesuffix("s"), plain[:-3] + "y" if plain.endswith("ies") else plain, plain.removesuffix("es")]


def _role(lowered: Sequence[str], place: int) -> str:
    """The noun of "who is the X": what somebody is, not what he did."""
    rest = lowered[place + 1 :]
    if lowered[place].endswith("'s"):
        rest = ["is", *rest]
    if len(rest) < 2 or rest[0] not in ("is", "was", "are", "were") or rest[1] not in ("the", "its", "their", "his", "her", "a"):
        return ""
    noun = ""
    for word in rest[2:]:
        if word in _STOPPING or word in _AUXILIARY:
            break
        noun = word
        if any(KIND_NOUNS.get(form) == "person" for form in _singular(word)):
            break
    return "" if noun in ("person", "people", "man", "woman", "one") else stem(noun)


def _of(lowered: Sequence[str], place: int) -> str:
    """The noun whose name is asked for: of "the name of the old bull that" the bull."""
    rest = list(lowered[place + 1 :])
    if "of" not in rest:
        return ""
    noun = ""
    for word in rest[rest.index("of") + 1 :]:
        if (word in _STOPPING and word not in _SKIPPED) or word in _AUXILIARY or (noun and word in ("that", "this")):
            break
        if word in _SKIPPED:
            continue
        noun = word
        if any(KIND_NOUNS.get(form) == "person" for form in _singular(word)):
            break
    return noun


def _requested(lowered: Sequence[str]) -> Wanted:
    """An order in place of a question: "name the dish", "please give the length of"."""
    at = next((at for at, word in enumerate(lowered) if word in _GIVING), None)
    if at is None:
        return Wanted(want="phrase")
    head, _ = _head(lowered, at)
    while head and head[0] in ("me", "us"):
        head = head[1:]
    kind, noun = _kind(head)
    if kind == "name" and noun == "name":
        of = _of(lowered, at)
        return Wanted(want="person" if KIND_NOUNS.get(of) == "person" else "name", head=stem(of), role=True, naming=True)
    return Wanted(want=kind or "phrase", head=stem(noun) if noun else "", role=True)


def content_of(found: Sequence[Word]) -> frozenset[str]:
    """Stems of the content words."""
    return frozenset(word.stem for word in found if word.content)
