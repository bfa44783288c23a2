"""Vocabularies for speaking of tables: what a word asks of a column, and which words add nothing. Stems or phrases, never sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping

from redraft.claims.words import stem

__all__ = [
    "ABBREVIATIONS",
    "ADJECTIVE_MEASURES",
    "BEATING",
    "CJK_DIGITS",
    "DIRECTIONS",
    "EXCLUDING",
    "EXCLUDING_AFTER",
    "FOREIGN",
    "FOREIGN_MONTHS",
    "GENERIC",
    "HEADS",
    "HIGH",
    "HYPOTHETICAL",
    "LOW",
    "MONTHS",
    "NEUTRAL",
    "NOBODY",
    "OPERATIONS",
    "ORDINALS",
    "RANKING",
    "RESTRICTING",
    "SYNONYMS",
    "TOTALS",
    "UNIT_WORDS",
    "UNIVERSAL",
    "root",
    "stemmed",
]  # fmt: skip


_BASES = frozenset("city life wife make write become take give lose leave choose drive rise break come have speak steal wear die be".split())


def root(word: str) -> str:
    """The stem of a word; where the stemmer leaves an irregular form at its base ("cities", "made"), the stem of that ("city", "make")."""
    found = stem(word)
    if found == "not" and word.lower() != "not":
        return "note"
    return stem(found) if found in _BASES else found


def stemmed(words: str) -> frozenset[tuple[str, ...]]:
    """The entries of a vocabulary as tuples of stems; an underscore stands for the space inside a phrase."""
    return frozenset(tuple(root(part) for part in re.split(r"[_\-]", entry)) for entry in words.split())


ABBREVIATIONS: Mapping[str, str] = {
    "temp": "temperature", "avg": "average", "qty": "quantity", "pop": "population", "dept": "department", "amt": "amount", "rev": "revenue",
    "emp": "employees", "hrs": "hours", "mins": "minutes", "precip": "precipitation", "elev": "elevation", "cust": "customers", "prod": "product",
    "pts": "points", "govt": "government", "mgr": "manager", "num": "number", "yr": "year", "qtr": "quarter", "dist": "distance", "max": "maximum",
    "min": "minimum", "pct": "percent", "cnt": "count", "desc": "description", "cat": "category",
}  # fmt: skip
"""Short forms in the names of columns, and the words that prose writes for them."""
UNIT_WORDS: Mapping[str, tuple[str, ...]] = {
    spelling: tuple(line.split())
    for line in (
        "h hr hrs hour hours", "min mins minute minutes", "s sec secs second seconds", "d day days", "c celsius degree degrees", "f fahrenheit degree degrees",
        "mm millimetre millimetres millimeter millimeters", "cm centimetre centimetres centimeter centimeters", "m metre metres meter meters",
        "km kilometre kilometres kilometer kilometers", "kg kilo kilos kilogram kilograms kilogramme kilogrammes", "g gram grams gramme grammes",
        "t ton tons tonne tonnes", "kt kiloton kilotons kilotonne kilotonnes", "l litre litres liter liters", "ha hectare hectares",
        "kwh kilowatt-hour kilowatt-hours", "mwh megawatt-hour megawatt-hours", "gwh gigawatt-hour gigawatt-hours", "twh terawatt-hour terawatt-hours",
        "kw kilowatt kilowatts", "mw megawatt megawatts", "gw gigawatt gigawatts", "pts pt point points", "% percent", "mg milligram milligrams",
        "km² km2 sqkm", "m² m2 sqm", "gb gigabyte gigabytes", "mb megabyte megabytes", "ms millisecond milliseconds", "yr yrs year years",
    )
    for spelling in line.split()
}  # fmt: skip
"""The spellings of a unit, by each of them."""
HIGH = stemmed(
    "highest largest biggest most maximum max greatest top best peak peaked leading longest tallest heaviest oldest fastest strongest costliest richest "
    "priciest dearest busiest hottest warmest deepest widest farthest latest first_place number_one led leads lead tops topped leader best_selling"
    " best_performing heads headed outstripped_all dominates dominated champion crown no_1 frontrunner uppermost steepest ahead_of_all"
)
LOW = stemmed(
    "brings_up_the_rear bring_up_the_rear brought_up_the_rear last_place lowest smallest least minimum min fewest bottom worst weakest cheapest "
    "shortest lightest youngest slowest poorest coldest coolest trough trailed "
    "nearest earliest last_place lagged lags weakest_performing worst_performing slimmest tiniest narrowest lowliest laggard rear trails"
)
OPERATIONS: Mapping[str, frozenset[tuple[str, ...]]] = {
    "sum": stemmed("adding add add_up adding_up sum_up summing_up tot_up put_together everything_together total totals totalled totaled totalling "
    "totaling sum altogether combined together aggregate cumulative in_all jointly overall "
    "add_up adds_up added_up entire whole summed"
                   " in_total sums between_them across grand_total taken_together collectively"),
    "average": stemmed("average averaged averages averaging mean typical typically on_average"),
    "median": stemmed("median"),
    "max": HIGH,
    "min": LOW,
    "count": stemmed("number_of count counts counted how_many there_are there_is tally"),
    "distinct": stemmed("different distinct unique separate"),
    "share": stemmed(
        "share percentage proportion fraction accounted accounts account accounting made_up makes_up make_up represents represented representing "
        "contributed contributes contribution comprises "
        "comprised portion slice responsible generated_by came_from constitutes constituted part percent_of "
        "stems_from stemmed_from"
    ),
    "change": stemmed(
        "grew grow grows growing growth grown rose rise rises rising risen increase increased increases increasing climbed climb climbs jumped "
        "jump gained gain up expanded expand surged "
        "surge soared soar improved improve advanced fell fall falls falling fallen decline declined declines decrease decreased dropped drop "
        "drops down shrank shrink slipped slip lost "
        "sank slid slide contracted contraction change changed changes reduced reduction rebounded dipped dip plunged plunge swelled crept edged "
        "lifted tumbled eased weakened "
        "swing upswing downturn spike spiked mounted moved shift lower_by higher_by widened accelerated retreated"
    ),
    "difference": stemmed(
        "subtract subtracting minus difference gap more_than less_than fewer_than higher_than lower_than larger_than smaller_than bigger_than "
        "ahead behind exceed exceeded "
        "exceeds exceeding margin outsold outpaced "
        "beat surpass surpassed surpassed trail trailed trails more fewer less higher lower outstripped outperformed outnumber outnumbered "
        "separate separates apart spread range advantage short_of "
        "larger bigger smaller older younger longer shorter heavier lighter cheaper taller lead difference_between above below than"
    ),
    "ratio": stemmed("times ratio twice double doubled triple tripled half halved fold multiple quadruple quadrupled thrice"),
    "rank": stemmed("rank ranked ranks ranking place placed position came_in comes_in finished"),
    "range": stemmed("range spread spans"),
}  # fmt: skip
DIRECTIONS: Mapping[str, frozenset[tuple[str, ...]]] = {
    "up": stemmed(
        "grew grow grows growing growth grown rose rise rises rising risen increase increased increases increasing climbed climb climbs jumped "
        "jump gained gain up expanded expand surged surge "
        "soared soar improved improve advanced rebounded swelled crept lifted spike spiked mounted accelerated upswing"
    ),
    "down": stemmed(
        "fell fall falls falling fallen decline declined declines declining decrease decreased decreasing dropped drop drops down shrank shrink "
        "shrinking slipped slip lost sank slid slide contracted contraction "
        "reduced reduction dipped dip plunged plunge tumbled eased weakened downturn retreated"
    ),
}  # fmt: skip
ADJECTIVE_MEASURES: Mapping[str, str] = {
    "expensive": "price cost", "cheapest": "price cost", "cheaper": "price cost", "cheap": "price cost", "costliest": "cost price",
    "costs": "price cost", "priciest": "price", "dearest": "price",
    "populous": "population", "inhabitants": "population", "residents": "population", "lives": "population", "oldest": "age", "youngest": "age",
    "older": "age", "younger": "age",
    "heaviest": "weight mass", "lightest": "weight mass", "heavier": "weight mass", "weighs": "weight mass", "tallest": "height",
    "taller": "height", "longest": "length duration distance",
    "longer": "length duration", "fastest": "speed", "slowest": "speed", "hottest": "temperature", "warmest": "temperature",
    "coldest": "temperature", "wettest": "rainfall precipitation",
    "deepest": "depth", "widest": "width", "paid": "salary wage pay", "earns": "salary wage income earnings", "earned": "salary wage income "
    "earnings revenue", "earning": "salary wage income",
    "rated": "rating score", "scored": "score points", "sold": "unit quantity sale", "selling": "unit quantity sale", "outsold": "unit quantity "
    "sale", "sells": "unit quantity sale",
    "stocked": "stock inventory", "spent": "spent spending cost expense", "profitable": "profit", "rainiest": "rainfall precipitation",
    "employs": "employee headcount staff",
    "employed": "employee headcount staff", "visited": "visitor visit", "attended": "attendance attendee", "produced": "production output",
    "shipped": "shipment unit", "aged": "age",
}  # fmt: skip
"""An adjective or verb and the columns it is said of; used only where exactly one column has such a name."""
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(root(word) for word in line.split())
    for line in (
        "revenue sales turnover takings umsatz 销售额 营业额", "cost expense expenditure spending outlay kosten 成本",
        "profit earnings gewinn 利润", "salary wage pay income compensation",
        "employee staff headcount worker personnel",
        "customer client kunden kunde 客户", "price cost fare fee charge", "quantity unit volume",
        "population inhabitant resident people", "area size surface", "length distance",
        "score points rating mark", "student pupil learner", "patient participant subject", "match game fixture", "win victory won", "loss defeat lost",
        "draw tie drawn", "vote ballot", "emission co2 carbon", "generation output production", "responder response", "defect fault", "absence absent missed",
        "visit session", "payroll salary wage",
        "order purchase", "visitor guest", "product item article", "city town", "country nation", "stock inventory", "rainfall precipitation "
        "rain", "department division team",
        "name title", "attendance attendee spectator", "age year_of_age", "weight mass", "speed velocity", "duration time", "share percentage",
        "region territory area", "store shop outlet branch",
    )
)  # fmt: skip
"""Words that name the same column: weaker than the column's own name, used only where the name itself is not said."""
GENERIC = frozenset(
    root(word)
    for word in "total number of the in per and a an amount value count no nr avg average by for to usd eur gbp thousand million k m "
    "km2 km² sqkm kg g km cm mm sqm m2 ha l usd eur gbp chf kwh mw gb mb pct percent".split()
)
TOTALS = frozenset("total,totals,grand total,sum,overall,all,all regions,subtotal,gesamt,summe,insgesamt,total:,合计,总计,合計,小计".split(","))
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
FOREIGN_MONTHS = {"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12, "mrz": 3, "okt": 10, "dez": 12}
"""German names of months that are not the English ones."""
CJK_DIGITS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "十一": 11, "十二": 12}
ORDINALS = {word: number for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)}
EXCLUDING = stemmed(
    "excluding except without besides apart_from other_than aside_from leaving_out not_counting outside excluded exclude disregarding ignoring bar "
    "aside leaving_aside left_out ignored disregarded discounting ignore leave_out barring"
)
EXCLUDING_AFTER = stemmed("aside excluded left_out ignored disregarded")
"""Words of exclusion that follow what they exclude."""
UNIVERSAL = stemmed("all every each everything everyone overall entire whole across total combined altogether everywhere throughout together both")
RESTRICTING = frozenset("from in for via through among at on with within inside outside during under between to into against per by of".split())
HYPOTHETICAL = stemmed(
    "target targets budget budgeted forecast plan planned expected expect expects projected projection goal estimate would could should might may "
    "will shall if unless guidance outlook "
    "consensus hypothetical not never no none neither nor without forecasted aim aims aimed hope hoped nobody nothing cannot can't won't fail failed fails"
)
"""Words of plans, wishes and negation: beside them a figure of the table proves nothing."""
FOREIGN = HYPOTHETICAL | stemmed(
    "prior previous earlier last next following industry competitor competitors rival benchmark pipeline cagr annualised annualized compound "
    "deviation variance correlation quartile "
    "percentile weighted adjusted seasonally inflation tax excluding percentage_point percentage_points pp basis_points rolling moving "
    "year_on_year year_over_year yoy quarter_on_quarter "
    "half_of almost_all per_capita since until half_year subsequent ago standard"
)
"""Words that speak of something beside the figures of the table, or of an operation that is not derived: nothing is contradicted beside them."""
NEUTRAL = frozenset(
    root(word)
    for word in (
        "table data figure report record result analysis dataset spreadsheet sheet file number value amount total period year quarter month week "
        "day time company business firm group market "
        "organisation organization row column list entry listing overview summary respectively respective alone itself just exactly precisely "
        "only also still even then thus meanwhile while "
        "whereas however again overall about around roughly nearly almost approximately some over under more less than most least higher lower "
        "reach reaching reached record recorded post posted "
        "report reported register registered come came stand stood amount amounted total totalled hit hitting deliver delivered achieve achieved "
        "bring brought generate generated produce produced "
        "see saw seen show showed shown book booked log logged count counted make made add contribute contributed account accounted "
        "represent represented have had has be is are was were been "
        "range ranged average averaged equal equalled clock clocked touch touched land landed note noted mark marked figure peak peaked bottom "
        "according compare compared comparison versus vs relative "
        "basis end start beginning close closing level order terms case region place position rank line side hand front strong weak strongly "
        "slightly sharply solid modest steady robust good bad "
        "high low large small big great little long short new current full entire whole single other remaining rest part share percent percentage "
        "proportion piece item unit point difference gap margin "
        "sum mean maximum minimum highest lowest peak low average typical set book sheet study sample survey team colleague reader note first "
        "second third fourth last annual yearly quarterly "
        "monthly weekly daily annually calendar fiscal financial net gross course span board portfolio lineup range field pack bunch lot everyone "
        "everything each all both every any one two three "
        "notch notched tally tallied net netted earn earned earns garner garnered fetch fetched yield yielded muster mustered attract attracted "
        "draw drew welcome welcomed host hosted employ employed employs pay pays paid charge charges cost costs weigh weighs measure measures "
        "span spans command commands sit sits hover hovers lie lies lay run runs ran sell sold sells "
        "take took takes turn turned ship shipped occupy occupies cover covers total totals tops ring rang pull pulled cash collect collected "
        "clear cleared finish finished end ended open opened start started "
        "home house houses feature features quote quoted price priced value valued rate rated score scored list listed retail retails call calls "
        "place places put puts bag bagged mean means read reads "
        "suffer suffered endure endured experience experienced witness witnessed undergo underwent enjoyed face faced due owing represent represented "
        "greater smaller larger bigger longer shorter older younger beyond exceed exceeding excess upwards topped topping "
        "go went gone going find found anywhere everywhere belong adding put putting read observe observed somewhere looking hold held give gives "
        "given make makes get work works "
        "include including included mention present presented display displayed carry carried boast boasted enjoy enjoyed claim claimed keep kept "
        "own owned "
        "need needed needs require required requires "
        "combined respectively together fact contrast turn detail glance bottom top middle back comfortable comfortably clear clearly easily "
        "follow follows followed following recover recovers recovered recovering bounce bounced slump slumped dip dips dipped stay stays stayed receive "
        "receives received poll polled cast casts remain remains remained cost spend spends spent emit emits emitted join joined belong belongs comprise "
        "comprises comprised consist consists consisted i.e. ie namely viz thereby therefore hence accordingly notably compound combined become became "
        "turn turns leave leaves left bring brings ship ships provide provides provided supply supplies supplied serve serves served handle handles handled "
        "occur occurs occurred happen happens happened apply applies applied write wrote written gather gathered obtain obtains obtained win wins reading "
        "readings state states stated year-end mark date so far ahead behind alone apart beyond once twice thrice "
        "narrowly barely healthy impressive meagre mere whopping "
        "exact rounded based given across between among against yuan dollar euro pound usd eur gbp yen currency cent k m bn mn thousand million billion"
    ).split()
)


HEADS = frozenset(
    "power plant plants energy station stations source sources region regions team teams department departments division divisions office offices branch"
    " branches store stores shop shops area areas sector sectors segment segments channel channels service services line lines category categories district"
    " districts party group groups arm class country city town county state province site sites facility product products project programme program side"
    " party brand model".split()
)
"""Nouns behind a label that say no more than what kind of thing it is: "gas plants", "the Search team"."""
RANKING = frozenset(
    root(word) for word in "rank ranks ranked come comes came finish finished finishes place places placed position spot slot sit sits stand stands".split()
)
"""Verbs and nouns beside which an ordinal is a place in an order."""
NOBODY = frozenset("no nobody none".split())
BEATING = frozenset(root(word) for word in "beat beats exceed exceeds top tops surpass surpasses outdo match matches rival rivals better overtake".split())
