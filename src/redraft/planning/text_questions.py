"""Questions about letters and words: the quoted or named text, the letter or place asked about, and the facts that the words ask for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redraft.effects import Effects
from redraft.planning.literals import Token, asks_otherwise, tokens
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
    "word words phrase term name string text sentence spell spelling reverse in of does is capitalize capitalise sort inside within".split()
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
        palindrome anagram first last final second third fourth fifth sixth seventh eighth ninth tenth letter's read reads reading look form version
        come comes put be let's just only position place index
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
    if not literals.texts or (not literals.quoted and (asks_otherwise(read) or "alphabet" in words)):
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
    places = [int(token.value) for token in read if token.kind == "number" and token.ordinal and token.value is not None and token.value < 10000]
    named: list[tuple[int, str]] = []
    for index, token in enumerate(read):
        if token.kind != "word":
            continue
        word = token.lower
        before = read[index - 1].lower if index else ""
        if word in ORDINALS and not (word == "second" and before == "a"):
            places.append(place(read, index, ORDINALS[word]))
        if not letters and single(read, index, word) and not measured(read, index):
            letters.append(token.text[0])
        elif word not in FUNCTION_WORDS and len(word) > 1 and not word.endswith("'s"):
            opening = index == 0 and len(read) > 2 and read[1].kind != "mark"  # an order such as "Print"
            named.append((2 if before in INTRODUCING else 0 if opening else 1, token.text))
    if longer:
        texts = sorted(longer, key=lambda text: -len(text)) if len(longer) > 1 and len(set(map(len, longer))) > 1 else longer
        return Literals(texts=tuple(texts), letters=tuple(letters), parts=tuple(texts[1:]), places=tuple(places), quoted=True)
    best = max((rank for rank, _ in named), default=1)
    texts = [word for rank, word in named if rank == best] if len(named) > 1 else [word for _, word in named]
    if len(named) > 3:
        texts = []
    return Literals(texts=tuple(texts), letters=tuple(letters), parts=(), places=tuple(places), quoted=False)


def place(read: Sequence[Token], index: int, number: int) -> int:
    """`second to last` counts from the end."""
    words = [token.lower for token in read[index + 1 : index + 3]]
    if words in (["to", "last"], ["from", "last"]):
        return -number
    if index >= 2 and [token.lower for token in read[index - 2 : index]] in (["second", "to"], ["second", "from"], ["third", "to"]):
        return 0
    return number


def single(read: Sequence[Token], index: int, word: str) -> bool:
    """Whether the word stands for one letter: `r's`, `letter e`, `B`."""
    bare = word.removesuffix("'s")
    before = read[index - 1].lower if index else ""
    following = read[index + 1].lower if index + 1 < len(read) else ""
    if (
        len(bare) == 2
        and bare[1] == "s"
        and bare[0].isalpha()
        and (bare not in ("is", "as", "us") or (before in ("the", "letter", "many") and following in ("in", "there")))
    ):
        capital = read[index].text[0].isupper() and not read[index].text[1].isupper()
        return capital or before in ("letter", "letters", "lowercase", "uppercase") or (before in ("the", "many", "of") and following in BESIDE_LETTERS)
    if len(bare) != 1 or not bare.isalpha():
        return False
    if bare != word:
        return True
    if bare in ("a", "i"):
        return before in ("letter", "character", "letters") or (before in ("many", "of", "does", "times", "often") and following in BESIDE_LETTERS)
    return True


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
    special = cues & {"reverse", "palindrome", "anagram", "sort"}
    spelled = any(token.lower.endswith("'s") and len(token.lower) == 3 for token in read)
    few = len(literals.texts) == 1 and len([token for token in read if token.kind == "word" and token.lower not in FUNCTION_WORDS]) <= 3
    about = (
        literals.quoted
        or ((spelled or few) and bool(words & {"many", "times", "often", "number", "count"}))
        or bool(words & {"letter", "letters", "word", "character", "characters", "spell", "spelling", "appear", "occur"})
    )
    if literals.letters and about:
        yield from about_letter(literals, text, cues, words)
    elif counting and not special:
        yield from counted(literals, text, cues, words)
    yield from ordered(literals, text, cues, words)
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


def about_letter(literals: Literals, text: str, cues: set[str], words: frozenset[str]) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    letter = literals.letters[0]
    if "count" in cues and not cues & {"position"}:
        yield "count_letter", (text, letter), 1.0
    elif "remove" in cues:
        yield "remove_letter", (text, letter), 0.95
    elif "position" in cues or ("where" in words):
        yield "position", (text, letter), 0.9
    elif cues & {"starts", "ends"} and (literals.quoted or words & {"does", "is"}):
        yield from edges(text, letter, cues, 0.95)
    elif "contain" in cues or (words & {"in", "there"} and words & {"letter", "word"}):
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
    elif "words" in cues and "letters" not in cues and " " in text:
        yield "count_words", (text,), 1.0
    elif cues & {"letters", "long"}:
        spaces = " " in text
        exact = "count_letters" if words & {"letter", "letters"} else "length"
        if "letters" in cues or literals.quoted or words & {"word", "phrase", "string"}:
            yield exact, (text,), 1.0
        if spaces:
            yield ("length" if exact == "count_letters" else "count_letters"), (text,), 0.4


def ordered(literals: Literals, text: str, cues: set[str], words: frozenset[str]) -> Iterator[tuple[str, tuple[str | int, ...], float]]:
    turned = {"turn", "around"} <= words or {"turned", "around"} <= words
    flipped = turned or words & {"flip", "flipped", "flipping", "mirror", "mirrored", "inverted", "invert", "opposite"}
    flipped = flipped and (literals.quoted or cues & {"letters", "spell"})
    if (
        "reverse" in cues
        or flipped
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
    elif literals.places and not cues & {"count"} and not literals.letters:
        number = next((n for n in literals.places if n), 1)
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
