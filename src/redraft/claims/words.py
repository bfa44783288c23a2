"""Words of a text with their places and stems, and which of them carry content: what overlap between texts is counted in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from redraft.types import Span

__all__ = ["CJK", "NEGATIONS", "STOP_WORDS", "Word", "content_words", "fold", "stem", "stems", "words"]

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts that are written without spaces, as a range of a character class."""

NEGATIONS = frozenset(
    "not no never none neither nor without cannot n't nobody nothing nowhere hardly barely scarcely false lack lacks lacked lacking fail fails failed unable "
    "deny denies denied rejected refused instead except rather".split()
)
"""Words that may turn a statement round."""

STOP_WORDS = frozenset(
    "a an the this that these those it its itself he him his himself she her hers herself they them their theirs themselves we us our ours i me my mine you "
    "your yours one's who whom whose which what when where why how of in on at by to from into onto upon over under about as for with within during before "
    "after between among through across against than then and or but if so because while although though also too very just only even still yet there here "
    "is are was were be been being am do does did doing done has have had having can could may might must shall should will would 's such same other "
    "own some any each every all both either up out off down again once more most much many few s t d ll ve re m since until till ".split()
)
"""Words that say little about what a text is about; numbers, negations and quantities of interest are judged elsewhere, not by these."""

_ASKING = frozenset("who whom whose which what when where why how name list tell state give mention called known".split())

_CJK_STOP = frozenset("的了是在和与及或也都就而其于以为被把对从到由等这那哪什么谁吗呢吧啊之所着过个些多少几何时年月日哪里怎么如何")

_TOKEN = re.compile(
    rf"(?:[^\W\d_]\.){{2,}}|\b[A-Z]{{1,4}}-\d+\b|\b[A-Z](?:\+\+|#)|[{CJK}]|[^\W_](?:[^\W_{CJK}]|[\u0300-\u036f\u00ad]|[.,](?=\d)(?<=\d[.,])|['’](?=[^\W_]))*",
    re.UNICODE,
)

_IRREGULAR = {
    form: base
    for line in (
        "be is are was were been being am", "win won winner", "write wrote written", "make made", "build built", "hold held", "lead led",
        "begin began begun", "become became", "take took taken", "give gave given", "found founded founder founding", "bear born",
        "die died dead death dying", "know knew known", "grow grew grown", "sell sold", "buy bought", "go went gone", "come came", "see saw seen",
        "run ran", "sing sang sung", "fight fought", "teach taught", "think thought", "bring brought", "lose lost loss", "leave left", "meet met",
        "pay paid", "say said", "send sent", "speak spoke spoken", "spend spent", "stand stood", "steal stole stolen", "wear wore worn",
        "break broke broken", "choose chose chosen", "draw drew drawn", "drive drove driven", "fall fell fallen", "fly flew flown",
        "get got gotten", "hear heard", "keep kept", "lay laid", "mean meant", "rise rose risen", "seek sought", "shoot shot", "sit sat",
        "swim swam swum", "throw threw thrown", "understand understood", "man men", "woman women", "child children", "sink sank sunk", "bend bent",
        "bite bit bitten", "blow blew blown", "catch caught", "deal dealt", "dig dug", "feed fed", "feel felt", "forget forgot forgotten",
        "freeze froze frozen", "hang hung", "hide hid hidden", "lend lent", "ride rode ridden", "ring rang rung", "shake shook shaken",
        "shrink shrank shrunk", "strike struck", "swear swore sworn", "tell told", "wake woke woken", "withdraw withdrew withdrawn", "bind bound",
        "cling clung", "child children", "person people", "foot feet", "wife wives", "life lives", "city cities", "analysis analyses",
    )
    for base, *forms in [line.split()]
    for form in forms
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """One word: as written, where, and the stem it is compared by."""

    text: str
    span: Span
    stem: str

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()

    @property
    def content(self) -> bool:
        """Whether it carries content of its own."""
        acronym = len(self.text) > 1 and self.text.isupper()
        return acronym or (self.text.lower() not in STOP_WORDS and self.text not in _CJK_STOP)


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """All words in order; a CJK character is a word, possessive endings are left off the stem but not off the span."""
    return tuple(Word(match[0], match.span(), stem(match[0])) for match in _TOKEN.finditer(text))


def content_words(text: str, *, question: bool = False) -> list[Word]:
    """The words that carry content; of a question also without the words that only ask."""
    found = [word for word in words(text) if word.content]
    return [word for word in found if word.text.lower() not in _ASKING] if question else found


def stems(found: Iterable[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in found)


def fold(text: str) -> str:
    """Lower case without accents and with one kind of apostrophe, for comparing, never for showing."""
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light stem: number and tense are taken off, nothing that changes what is meant (`university` is not `universe`)."""
    base = fold(word).replace("\u00ad", "")
    base = re.sub(r"'s?$", "", base)
    if "." in base and not base[0].isdigit():
        return base.replace(".", "")
    base = _IRREGULAR.get(base, base)
    if not base.isascii() or not base.isalpha() or len(base) < 4:
        # figures, labels such as U-30, and scripts without endings of this kind
        return base.replace(",", "")
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        base = base[:-2]
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    for ending in ("ing", "ed"):
        if base.endswith(ending) and len(base) - len(ending) >= 3 and re.search(r"[aeiouy]", base[: -len(ending)]):
            base = base[: -len(ending)]
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            break
    if base.endswith("e") and len(base) > 3:
        base = base[:-1]
    return base[:-1] + "i" if base.endswith("y") and len(base) > 3 else base
