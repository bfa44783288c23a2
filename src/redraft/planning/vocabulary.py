"""Words for operations. Each class is what a word can do to the numbers around it; no entry is a sentence.

The first part serves the local grammar of `operations.py` (verbs, nouns and prepositions beside a number), the second the typed reading of small
stories in `stories.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

__all__ = ["CARRIERS", "CLASSES", "DETERMINERS", "STORY", "classes_of", "phrases"]

CLASSES: Mapping[str, str] = {
    # what stands between two numbers
    "PLUS": "plus + ＋",
    "MINUS": "minus - − – take_away",
    "TIMES": "times * × · x lots_of",
    "OVER": "over / ÷ :",
    "MOD": "mod modulo modulus",
    "POWER": "to_the_power_of to_the_power raised_to_the_power_of raised_to_the_power raised_to ^ power_of",
    # participles
    "ADDED": "added added_up added_together put_together combined summed summed_up",
    "SUBTRACTED": "subtracted deducted taken removed taken_away",
    "MULTIPLIED": "multiplied",
    "DIVIDED": "divided split shared",
    "INCREASED": """
        goes_up go_up went_up going_up goes_up_by rises rose risen climbs climbed increased raised grown upped boosted up enlarged inflated marked_up
        hiked bumped_up
    """,
    "DECREASED": """
        goes_down go_down went_down going_down falls fell fallen dropped declined declines decreased reduced lowered cut dropped diminished discounted
        shrunk down marked_down slashed lessened
    """,
    # verbs
    "ADD": "add adding combine sum_up add_up tally total_up",
    "SUBTRACT": "subtract subtracting deduct deducting take taking remove removing",
    "MULTIPLY": "multiply multiplying",
    "DIVIDE": "divide dividing split splitting share sharing",
    "INCREASE": "increase increasing raise raising grow growing boost boosting raises increases grows",
    "DECREASE": "decrease decreasing reduce reducing lower lowering cut cutting drop discount reduces decreases drops",
    "DOUBLE": "double twice doubling",
    "DOUBLED": "doubled",
    "TRIPLED": "tripled trebled",
    "HALVED": "halved",
    "WAYS": "ways",
    "TRIPLE": "triple thrice treble tripling",
    "QUADRUPLE": "quadruple quadrupled",
    "HALVE": "half halve halving",
    # nouns
    "SUM": "sum total addition grand_total combined_total",
    "DIFFERENCE": "difference gap",
    "PRODUCT": "product",
    "QUOTIENT": "quotient",
    "REMAINDER": "remainder remains left_over leftover rest left",
    "AVERAGE": "average mean arithmetic_mean",
    "MEDIAN": "median",
    "RATIO": "ratio",
    "MAX": "maximum largest greatest biggest highest",
    "MIN": "minimum smallest least lowest",
    "GCD": "gcd greatest_common_divisor greatest_common_factor highest_common_factor hcf gcf",
    "LCM": "lcm least_common_multiple lowest_common_multiple smallest_common_multiple",
    "SQUARE": "square",
    "CUBE": "cube",
    "SQUARED": "squared ²",
    "CUBED": "cubed ³",
    "ROOT": "square_root sqrt √ root",
    "CUBEROOT": "cube_root cubic_root",
    "FACTORIAL": "factorial !",
    "ABSOLUTE": "absolute_value abs",
    "PERCENT": "percent percentage per_cent % pct",
    "CHANGE": "change",
    # comparatives
    "LESS": "less fewer smaller lower below",
    "MORE": "more greater larger higher bigger above",
    "THAN": "than",
    # prepositions
    "BY": "by",
    "TO": "to",
    "FROM": "from",
    "OF": "of",
    "AND": "and & with",
    "BETWEEN": "between",
    "INTO": "into among amongst",
    "ON": "on upon onto",
    "OFF": "off away_from",
    "AWAY": "away",
    "IN": "in inside within",
    "AS": "as",
    "OUTOF": "out_of",
    # asking
    "WHAT": "what which what's whats",
    "HOWMUCH": "how_much how_many",
    "IS": "is are was equals equal gives makes = make does represents constitutes",
    "NUMBER": "number",
    "GOES": "go goes fit fits",
    "GET": "get reach obtain give yield leave leaves",
    "ITSELF": "itself",
    "EXCEED": "exceed exceeds",
    "(": "( [",
    ")": ") ]",
    ",": ", ;",
}
DETERMINERS = frozenset("the a an this that these those numbers value figure figures result both following amount quantity together altogether".split())
CARRIERS = frozenset(
    """
        i i'd we you me my your our it it's its us let's let please kindly calculate compute evaluate find determine solve simplify work out tell
        give say show state know want need like would could can will be do did does to is are was if when then so just now quickly exactly exact
        answer expression sum result equation come comes up with for as much many how what what's whats which end have has obtained get got getting
        find_out figure following perform carry using take makes question problem math maths arithmetic mental hello hi hey quick thanks thank there
        by and the of a an in as from on at together altogether number numbers value total amount or should must ? ! . : ; ' = - , ( )
    """.split()
)
STORY: Mapping[str, str] = {
    # what happens to an amount
    "gain": """
        plus buying getting receiving finding collecting earning adding winning picking depositing
        loaded attached stacked poured_in filled hands handed gets_in get_in
        buys bought buy gets got get receives received receive finds found find collects collected earns earned earn adds added add gains gained wins
        won picks picked join joins joined arrive arrives arrived more another additional extra increase increased rises rose raised grew grows grow
        delivered brought board boarded boards came come deposits deposited later climbs climbed gave_him gave_her gave_them gives_him gives_her
        gives_them warmer taller bakes baked plants planted borrows borrowed inherits inherited saves hatch hatched born put_in upward
    """,
    "loss": """
        selling giving losing eating using spending paying removing breaking donating leaving withdrawing throwing drinking lending cutting pouring
        cracked spoiled damaged moved lost stolen vanish vanished disappear disappeared swam sailed hatched ran died
        gives gave give away lost loses lose eats ate eaten eat spends spent spend uses used use sells sold sell pays paid removes removed remove
        takes_out drops dropped breaks broke broken donates donated left leave leaves leaving fewer less reduced falls fell fall dies died burst
        withdraws withdrew withdrawn taken discard discarded returns returned minus threw throws thrown drank drinks drink lends lent lend cut cuts
        popped flew fly flies cancelled absent missing off colder leak leaks shorter evaporated leaked deducted cheaper ago read sank spilled spills
        pours poured consumed gone melts melted shipped rotten
    """,
    "remain": """
        intact undamaged whole alive untouched
        stay stays stayed keep keeps kept free spare left remain remains remaining rest leftover still unsold unread unused over change back after
        missing empty available
    """,
    "total": """
        total altogether all together combined sum overall both entire collected whole grand so_far already in_total in_all at_the_end
        many_now
    """,
    "difference": """
        difference more fewer less further longer taller older heavier younger cheaper shorter faster higher lower gap exceed larger bigger smaller
        than warmer colder greater extra lighter
    """,
    "each": "each every per apiece a_piece individually respective single @ hourly daily weekly monthly yearly annually",
    "share": """
        share shared shares sharing split splits divide divides divided dividing equally evenly equal distribute distributed distributes among amongst
        between even cut
    """,
    "average": "average mean averaged averages",
    "percent": "percent percentage % per_cent",
    "off": """
        down discount discounted off reduction reduced sale markdown rebate decrease decreased cheaper cut depreciates lowered marked_down drops falls
        dropped fell decreases loses lost declined shrinks shrank less
    """,
    "on": """
        up tax vat tip gratuity increase increased raise raised rise rises rose markup surcharge interest growth grew grows gain gains service_charge
        commission bonus fee hike increases marked_up appreciates
    """,
    "area": "area cover floor carpet surface",
    "perimeter": "perimeter fence fencing around border edge",
    "volume": "volume",
    "remainder": "remainder left_over leftover over remaining left remain",
    "full": "full complete completely filled whole entire fully",
    "ceiling": "needed need needs required require minimum fewest least enough necessary must",
    "times": "times twice thrice double triple as",
    "measurable": """
        paying spending earning saving charged
        total sum cost price number amount average mean percentage percent % proportion share area perimeter volume speed distance length weight age
        change difference bill tip tax vat discount profit loss salary wage wages pay temperature rate value height score population fee fare balance
        income earnings revenue interest savings rent width depth circumference quantity charge budget reduction increase decrease raise mass capacity
        payment money collected left paid remain remains remaining owe owed spend spent earn earned sum figure result fraction ratio markup commission
        gratuity costs worth need needed altogether takings due saved save count get gets receive receives weigh weighs hold holds make makes
    """,
    "labels": """
        season episode game part chapter grade level channel route highway under class version volume act title article formula number no world apollo
        group page room line step season series round section type area windows iphone playstation xbox ps figure top us interstate u
    """,
    "rows": """
        rows row columns boxes bags packs packets shelves trays tables teams groups crates cartons bundles buses vans cars classes stacks bunches jars
        bottles baskets floors pages sheets
    """,
}


@cache
def phrases() -> Mapping[str, str]:
    """Every operation word or phrase (with spaces) and its class."""
    found: dict[str, str] = {}
    for name, words in CLASSES.items():
        for word in words.split():
            found.setdefault(word.replace("_", " "), name)
    return found


@cache
def classes_of(name: str) -> frozenset[str]:
    """The words of one class of STORY, phrases with spaces."""
    return frozenset(word.replace("_", " ") for word in STORY[name].split())
