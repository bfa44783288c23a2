"""Questions about letters and words: the quoted or named text, the letter or place asked about, and the facts that the words ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redraft.effects import Effects
from redraft.planning.literals import Token, asks_otherwise, asks_truth, tokens
from redraft.planning.options import Option
from redraft.types import Failure, Task, ToolCall

__all__ = ["options"]

MAX_QUERY = 4000
CUES = {
    "reverse": "backwards backward reverse reversed reversing reversal",
    "uppercase": "uppercase upper capital capitals caps capitalise capitalize capitalized capitalised",
    "lowercase": "lowercase lower",
    "sort": "alphabetical alphabetically alphabetise alphabetize alphabetic sort sorted sorting",
    "palindrome": "palindrome palindromic palindromes",
    "anagram": "anagram anagrams",
    "vowels": "vowel vowels",
    "consonants": "consonant consonants",
    "digits": "digit digits",
    "letters": "letter letters character characters char chars symbols glyphs",
    "words": "words",
    "count": "many count times often number frequency total occurrences occurrence",
    "long": "long length size",
    "distinct": "different distinct unique",
    "contain": "contain contains include includes have has appear appears",
    "starts": "start starts begin begins beginning starting",
    "ends": "end ends finish finishes ending",
    "position": "position index place",
    "remove": "remove removed removing without delete deleted drop dropped deleting strip omit omitted",
    "join": "concatenate concatenated concatenation joined append appended",
    "longest": "longest",
    "shortest": "shortest",
    "common": "common frequent frequently",
    "spell": "spell spelled spelling spelt",
}
CUE_WORDS = {name: frozenset(words.split()) for name, words in CUES.items()}
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth".split(), 1
    )
} | {"last": -1, "final": -1, "initial": 1, "1st": 1, "penultimate": -2}  # fmt: skip
INTRODUCING = frozenset(
    "word words phrase term name string text sentence spell spelling reverse in of does is with capitalize capitalise sort inside within".split()
)
FUNCTION_WORDS = frozenset(
    """
        print display output type show return produce provide around front
        a an the in of is are was were be to for from with and or by on at as it its this that these do does did done have has had how what which
        who when where why can could will would please me you i we my your tell give show say write find out get make turn many much letter letters
        character characters word words phrase term name string text sentence there times time number count total if then so not no yes capital
        small lower upper case english appear appears appearing occur occurs occurring used contain contains exactly each every single one you're
        what's whats i'd like know need want backwards backward reverse reversed order alphabetical long length spelled spell spelling written write
        whole within inside individual made up using all any instances instance occurrences occurrence frequency vowel vowels consonant consonants
        question questions use uses used up scrabble crossword key keys press answer gets got game quiz left leaves
        hiya hey hi ok okay more less exact fill filling grid puzzle goes square box cell every all caps blank
        palindrome anagram first last final second third fourth fifth sixth seventh eighth ninth tenth letter's read reads reading look form version
        come comes put be let's just only position place index
        may might must shall should cannot can't don't doesn't didn't isn't aren't wasn't won't ought
        he him his she her hers they them their theirs its our ours us mine yours who whom whose while because although though than
        about after before between during through until under over against among into onto upon since per most least
    """.split()
) | frozenset(word for words in CUES.values() for word in words.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Literals:
    texts: tuple[str, ...]
    """Words or sentences asked about, the surest first."""
    letters: tuple[str, ...]
    parts: tuple[str, ...]
    """Quoted pieces shorter than the text, to look for in it."""
    places: tuple[int, ...]
    quoted: bool


async def options(task: Task, effects: Effects) -> tuple[Option, ...]:
    """Facts about the text of the question that could answer, executed, the likeliest first.

    Raises:
        Stopped: a budget forbids a call.
    """
    if "text" not in effects.tools or len(task.query) > MAX_QUERY:
        return ()
    read = tokens(task.query)
    literals = read_literals(read)
    words = frozenset(word for token in read if token.kind == "word" for word in {token.lower, token.lower.removesuffix("'s")})
    if not literals.texts or (not literals.quoted and (asks_otherwise(read) or "alphabet" in words or sent(read))):
        return ()
    found: dict[str, Option] = {}
    for name, arguments, fit in sorted(wanted(literals, words, read), key=lambda item: -item[2]):
        call = ToolCall(tool="text", input=f"{name}({', '.join(json.dumps(item, ensure_ascii=False) for item in arguments)})")
        result = await effects.use(call)
        if not isinstance(result, Failure) and call.input not in found and not any(other.answer == result[0].value for other in found.values()):
            found[call.input] = Option(call=call, label=call.input, result=result, answer=result[0].value, fit=fit if literals.quoted else fit - 0.05)
    return tuple(found.values())[:8]


def read_literals(read: Sequence[Token]) -> Literals:
    quotes = [token.text.strip() for token in read if token.kind == "quote" and token.text.strip()]
    letters = [text for text in quotes if len(text) == 1 and text.isalnum()]
    longer = [text.rstrip(",.?!") if " " not in text else text for text in quotes if len(text) > 1]
    places: list[int] = []
    named: list[tuple[int, str]] = []
    quoted_letters = bool(letters)
    for index, token in enumerate(read):
        if token.kind == "number":
            places += numbered(read, index)
        if token.kind != "word":
            continue
        word = token.lower
        before = read[index - 1].lower if index else ""
        if word in ORDINALS and not (word == "second" and before == "a"):
            places.append(place(read, index, ORDINALS[word]))
        if not quoted_letters and single(read, index, word) and not measured(read, index):
            if token.text[0].lower() not in {letter.lower() for letter in letters}:
                letters.append(token.text[0])
        elif (rank := named_rank(read, index)) is not None:
            named.append((rank, token.text))
    if any(token.kind == "word" and token.lower in CUE_WORDS["vowels"] for token in read):
        letters = other_than_vowels(letters)
    if longer:
        texts = sorted(longer, key=lambda text: -len(text)) if len(longer) > 1 and len(set(map(len, longer))) > 1 else longer
        return Literals(texts=tuple(texts), letters=tuple(letters), parts=tuple(texts[1:]), places=tuple(places), quoted=True)
    return Literals(
        texts=tuple(unquoted(named, indirect(read), bool(letters) or not counts(read))), letters=tuple(letters), parts=(), places=tuple(places), quoted=False
    )


def unquoted(named: Sequence[tuple[int, str]], indirect: bool, certain: bool) -> list[str]:
    """The words that may be meant where nothing is quoted: the one that is introduced as a word, else the few that no vocabulary explains."""
    best = max((rank for rank, _ in named), default=1)
    texts = list(dict.fromkeys(word for rank, word in named if rank == best)) if len(named) > 1 else [word for _, word in named]
    if best == INTRODUCED and len(texts) == 1:
        return texts
    if indirect:
        return []  # the capital of France is not the word France
    if best == 2 and not certain and any(rank == 1 for rank, _ in named):
        return []  # "how many letters did Kafka write in Prague" asks for other letters
    return [] if len(named) > (5 if best == 2 and len(texts) == 1 else 3) else texts


def counts(read: Sequence[Token]) -> bool:
    """Whether something is counted: then it may be other letters than those of the word."""
    return any(token.kind == "word" and token.lower in ("many", "number", "count", "total") for token in read)


def sent(read: Sequence[Token]) -> bool:
    """Whether a letter is one that is posted, or words are counted where none is quoted: `how many words may a letter to the editor have`."""
    said = " ".join(token.lower for token in read)
    return bool(re.search(r"\b(?:an?|his|her|their|your) (?:\w+ )?letters? (?:to|from) (?:the|an?|his|her|their|my)\b|\bhow many words\b", said))


def indirect(read: Sequence[Token]) -> bool:
    """Whether a thing is described rather than named: `the letters of the capital of France`."""
    for index, token in enumerate(read):
        if token.lower == "of" and 0 < index < len(read) - 1 and read[index - 1].kind == "word":
            before, after = read[index - 1].lower.removesuffix("'s"), read[index + 1]
            if len(before) > 1 and before not in COUNTED_OF and after.kind == "word" and (after.lower not in FUNCTION_WORDS or after.lower in ("the", "our")):
                return True
    return False


INTRODUCED = 3
NAMING = frozenset(
    """
        answer solution password entry label surname username nickname heading title slogan word words term spell spelling name string text
        type write reverse called
    """.split()
)
"""What a text stands right behind: `the word marble`, `to spell kangaroo`, `his name is Oliver`."""
LINKS = frozenset({":", "-", "–", "is", "reads", "was", "says", ",", "like", "to", "of", "called"})


def named_rank(read: Sequence[Token], index: int) -> int | None:
    """How clearly the word is the one asked about: 3 introduced as a word, 2 after a preposition, 1 otherwise, 0 at the beginning; None where it is none."""
    word = read[index].lower
    before = read[index - 1].lower if index else ""
    earlier = read[index - 2].lower if index > 1 else ""
    after = read[index + 1] if index + 1 < len(read) else None
    introduced = before in NAMING or (before in LINKS and earlier in NAMING and not (before in ("to", "of") and earlier not in ("spelling",)))
    if len(word) < 2 or word.endswith("'s") or (word in FUNCTION_WORDS and not (introduced and before == "word" and (after is None or after.kind == "mark"))):
        return None
    opening = index == 0 and after is not None and after.kind != "mark"  # an order such as "Print"
    shouted = read[index].text.isupper() and len(word) > 3
    headed = index == 0 and after is not None and after.text in ":-–" and len(read) > 3
    if introduced or shouted or headed:
        return INTRODUCED
    return 2 if before in INTRODUCING else 1 if not opening else 0


COUNTED_OF = frozenset(
    word for name in ("letters", "vowels", "consonants", "digits", "long", "spell", "reverse", "lowercase", "uppercase") for word in CUE_WORDS[name]
) - {"capital", "capitals"} | frozenset(
    """
        first second third fourth fifth sixth seventh eighth ninth tenth last final end start beginning front number count total instances occurrences
        version opposite middle word spelling inside out consist consists made up
    """.split()
)


def other_than_vowels(letters: Sequence[str]) -> list[str]:
    """Letters asked about besides the vowels: a list of the vowels themselves only says what a vowel is."""
    low = {letter.lower() for letter in letters}
    return [] if low <= set("aeiou") and len(low) > 1 else list(letters)


def numbered(read: Sequence[Token], index: int) -> Iterator[int]:
    """Places in figures: `the 4th`, `letter 4`, `position 4`."""
    token = read[index]
    before = [item.lower for item in read[max(0, index - 2) : index]]
    if token.value is None or token.value.denominator != 1 or not 0 < token.value < 10000:
        return
    if token.ordinal:
        yield place(read, index, int(token.value))
    elif before[-1:] in (["letter"], ["character"], ["position"], ["place"], ["square"], ["slot"], ["number"]):
        yield int(token.value)


def place(read: Sequence[Token], index: int, number: int) -> int:
    """`second to last`, `2nd last` and `third from the end` count from the end; the `last` in them counts nothing itself."""
    rest = [token.lower for token in read[index + 1 : index + 8] if token.text != "-"]
    back = [token.lower.rstrip("s") for token in read[max(0, index - 5) : index] if token.text != "-"]
    if number > 0:
        rest = rest[1:] if rest[:1] in (["letter"], ["character"], ["one"]) else rest
        if (
            rest[:1] == ["last"]
            or rest[:2] in (["to", "last"], ["from", "last"])
            or (rest[:2] == ["from", "the"] and rest[2:3] in (["end"], ["right"], ["back"]))
        ):
            return -number
        return number
    back = back[:-1] if back[-1:] in (["to"], ["from"]) else back
    return 0 if number == -1 and back and (back[-1] in ORDINALS or back[-1][:1].isdigit()) else number


def single(read: Sequence[Token], index: int, word: str) -> bool:
    """Whether the word stands for one letter: `r's`, `letter e`, `B`."""
    bare = word.removesuffix("'s")
    before = read[index - 1].lower if index else ""
    following = read[index + 1].lower if index + 1 < len(read) else ""
    asking = index > 1 and read[index - 2].lower in ("which", "what")  # "which letter is in"
    if (
        len(bare) == 2
        and bare[1] == "s"
        and bare[0].isalpha()
        and (bare not in ("is", "as", "us") or (before in ("the", "letter", "many") and following in ("in", "there") and not asking))
    ):
        capital = read[index].text[0].isupper() and not read[index].text[1].isupper()
        return capital or before in ("letter", "letters", "lowercase", "uppercase") or (before in ("the", "many", "of") and following in BESIDE_LETTERS)
    if len(bare) != 1 or not bare.isalpha():
        return False
    if bare == word == "u" and before not in ("letter", "letters") and (before in CHATTED or following in CHATTED):
        return False  # "can u help"
    if bare != word:
        return True
    if bare in ("a", "i"):
        if following in ("key", "keys", "key's"):
            return True
        alone = before == "with" and following in ("", "?", ".", ",", "!")
        return (
            alone
            or before in ("letter", "character", "letters", "every", "any")
            or (before in ("many", "of", "does", "times", "often") and following in BESIDE_LETTERS)
        )
    return True


CHATTED = frozenset("can could will would do did are have if that when thank r please help tell give find get need want see know".split())
BESIDE_LETTERS = frozenset(
    {"in", "are", "does", "do", "occur", "appear", "show", "is", "can", "there", "shows", "occurs", "appears", "inside", "within", "letter", "letters"}
)


def measured(read: Sequence[Token], index: int) -> bool:
    """Whether a lone letter is a unit or a variable rather than a letter: it stands beside a number or a sign."""
    before = read[index - 1] if index else None
    after = read[index + 1] if index + 1 < len(read) else None
    beside = before is not None and (before.kind == "number" or before.text in "/°º*+=-^")
    touching = after is not None and after.start == read[index].end and (after.kind == "number" or after.text in "/=+*^°-&")
    named = after is not None and after.lower in ("word", "words", "bomb") and not (before is not None and before.lower == "letter")
    return beside or touching or named or (after is not None and after.text in ("/", "=", "+", "*", "^", "°"))


def wanted(literals: Literals, words: frozenset[str], read: Sequence[Token]) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    """Every call whose arguments are there, with how strongly the words ask for it."""
    cues = {name for name, known in CUE_WORDS.items() if known & words}
    text = literals.texts[0]
    counting = bool(cues & {"count", "long"})
    if words & {"square", "squares", "box", "boxes", "cell", "slot", "tile", "tiles", "crossword", "scrabble"} and literals.places:
        cues.add("letters")
    if "keys" in words and "letter" in words:
        cues.add("letters")
    if len(literals.letters) > 1 or (counting and cues & {"longest", "shortest", "uppercase", "lowercase"}):
        return  # two letters are two counts, and what is asked of the longest word is not asked of the text
    if any(token.lower in ("number", "no") and read[place + 1].text in ".0123456789" for place, token in enumerate(read[:-1])) or literals.places:
        counting = counting and bool(words & {"many", "count", "often", "times", "total"})
    if counted_short(read):
        cues.add("count")
        counting = True
    if {"small", "letters"} <= words and not counting:
        cues.add("lowercase")
    special = cues & {"reverse", "palindrome", "anagram", "sort"}
    spelled = any(token.lower.endswith("'s") and len(token.lower) == 3 for token in read)
    few = len(literals.texts) == 1 and len([token for token in read if token.kind == "word" and token.lower not in FUNCTION_WORDS]) <= 3
    about = (
        literals.quoted
        or ((spelled or few) and bool(words & {"many", "times", "often", "number", "count"}))
        or (bool(cues & {"starts", "ends"}) and asks_truth(read))
        or (few and "remove" in cues)
        or bool(words & {"letter", "letters", "word", "character", "characters", "spell", "spelling", "appear", "occur"})
    )
    if literals.letters and about:
        yield from about_letter(literals, text, cues, words, truth=asks_truth(read) or "whether" in words)
    elif counting and not special:
        yield from counted(literals, text, cues, words)
    yield from ordered(literals, text, cues, words, " ".join(token.lower for token in read))
    if "palindrome" in cues and "longest" not in cues:
        yield "is_palindrome", (text,), 1.0
    if "anagram" in cues and len(literals.texts) == 2:
        yield "are_anagrams", literals.texts[:2], 1.0
    if not literals.letters and literals.parts and cues & {"count", "contain", "starts", "ends"}:
        part = literals.parts[0]
        if "count" in cues:
            whole = " " in text and " " not in part and "word" in words
            yield ("count_word" if whole else "count_substring"), (text, part), 1.0
        elif "contain" in cues:
            yield "contains", (text, part), 0.9
        yield from edges(text, part, cues, 0.9)
    if "join" in cues and len(literals.texts) == 2:
        yield "join", literals.texts[:2], 0.9
    yield from extremes(text, cues, words)


def counted_short(read: Sequence[Token]) -> bool:
    """`no. of o's`."""
    return any(
        token.lower in ("no", "nr", "num") and "of" in [item.lower for item in read[index + 1 : index + 3]]
        for index, token in enumerate(read)
        if token.kind == "word"
    )


def about_letter(literals: Literals, text: str, cues: set[str], words: frozenset[str], *, truth: bool) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    letter = literals.letters[0]
    if "count" in cues and not cues & {"position"}:
        yield "count_letter", (text, letter), 1.0
    elif "remove" in cues:
        yield "remove_letter", (text, letter), 0.95
    elif "position" in cues or ("where" in words):
        yield "position", (text, letter), 0.9
    elif cues & {"starts", "ends"} and (literals.quoted or words & {"does", "is"}):
        yield from edges(text, letter, cues, 0.95)
    elif truth and ("contain" in cues or (words & {"in", "there"} and (literals.quoted or words & {"letter", "word"}))):
        yield "contains", (text, letter), 0.85


def edges(text: str, part: str, cues: set[str], fit: float) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    if "starts" in cues and "ends" not in cues:
        yield "starts_with", (text, part), fit
    if "ends" in cues and "starts" not in cues:
        yield "ends_with", (text, part), fit


def counted(literals: Literals, text: str, cues: set[str], words: frozenset[str]) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    if literals.parts and "times" in words:
        return
    if "distinct" in cues and cues & {"letters"}:
        yield "count_distinct", (text,), 1.0
    elif cues & {"vowels", "consonants"} or (literals.quoted and "digits" in cues):
        for cue, name in (("vowels", "count_vowels"), ("consonants", "count_consonants"), ("digits", "count_digits")):
            if cue in cues:
                yield name, (text,), 1.0 if len(cues & {"vowels", "consonants"}) < 2 else 0.6
    elif ("words" in cues or {"word", "count"} <= words) and "letters" not in cues and " " in text:
        yield "count_words", (text,), 1.0
    elif cues & {"letters", "long"}:
        if not literals.quoted and text[:1].isupper() and not words & {"letter", "letters", "word", "name", "long"}:
            return  # the characters of Hamlet are persons
        spaces = " " in text
        exact = "count_letters" if words & {"letter", "letters"} else "length"
        if "letters" in cues or literals.quoted or words & {"word", "phrase", "string"}:
            yield exact, (text,), 1.0
        if spaces:
            yield ("length" if exact == "count_letters" else "count_letters"), (text,), 0.4


LAST_FIRST = re.compile(
    r"\blast (?:letter )?(?:comes |goes |is |being |becomes |to )?(?:the )?first\b|\bread from the (?:back|end)\b"
    r"|\b(?:its|the) last letter to (?:its|the) first"
)
SEVERAL = re.compile(r"\b(?:first|last|final|initial)\s+(?:two|three|four|five|few|couple|\d+)\b")


def ordered(literals: Literals, text: str, cues: set[str], words: frozenset[str], said: str) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    turned = {"turn", "around"} <= words or {"other", "way"} <= words or "end to end" in said or {"turned", "around"} <= words
    flipped = turned or words & {"flip", "flipped", "flipping", "mirror", "mirrored", "inverted", "invert", "opposite"}
    flipped = flipped and (literals.quoted or cues & {"letters", "spell"})
    if (
        "reverse" in cues
        or flipped
        or LAST_FIRST.search(said)
        or {"last", "first", "from", "to"} <= words
        or {"back", "front"} <= words
        or {"right", "left"} <= words
        or {"end", "beginning"} <= words
    ):
        by_word = "order" in words and "words" in words and " " in text
        if not cues & {"palindrome", "sort", "count"}:
            yield ("reverse_words" if by_word else "reverse"), (text,), 1.0
    elif "sort" in cues:
        yield ("sort_words" if " " in text else "sort_letters"), (text,), 0.95
    elif (
        "uppercase" in cues
        and not cues & {"count"}
        and (literals.quoted or words & {"letters", "case", "caps", "uppercase", "word", "capitalise", "capitalize"})
    ):
        yield "uppercase", (text,), 0.95
    elif "lowercase" in cues and not cues & {"count"}:
        yield "lowercase", (text,), 0.95
    elif (
        cues & {"starts", "ends"} and "letters" in cues and words & {"what", "which"} and not literals.letters and not literals.places and not cues & {"count"}
    ):
        yield "nth_letter", (text, 1 if "starts" in cues else -1), 0.95
    elif literals.places and not (cues & {"count"} and words & {"many", "count", "often", "times", "total"}) and not literals.letters:
        given = {n for n in literals.places if n}
        number = next(iter(given), 1)
        if len(given) > 1 or SEVERAL.search(said):
            return
        if " " in text and "word" in words and "letters" not in cues:
            yield "nth_word", (text, number), 0.95
        elif "letters" in cues:
            yield "nth_letter", (text, number), 1.0
    elif "spell" in cues and not cues & {"count", "long"} and literals.quoted:
        yield "spell", (text,), 0.6


def extremes(text: str, cues: set[str], words: frozenset[str]) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    if " " in text and "word" in words:
        for cue, name in (("longest", "longest_word"), ("shortest", "shortest_word")):
            if cue in cues:
                yield name, (text,), 0.95
    if ("common" in cues and "letters" in cues) or ({"most", "often"} <= words and "letters" in cues):
        yield "most_common_letter", (text,), 0.95
