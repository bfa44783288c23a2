"""Facts about a text, counted and not guessed: letters, length, order, reverse.

A letter is what a reader sees as one: a base character with its combining marks. Case does not matter when counting.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

from redraft.tools.calls import CallError, read_call
from redraft.types import Evidence, Failure, ToolCall, ToolResult

__all__ = ["FUNCTIONS", "TextTool", "letters_of", "words_of"]

VOWELS = frozenset("aeiou")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def letters_of(text: str) -> list[str]:
    """The text as the characters a reader sees."""
    seen: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        joined = bool(seen) and (unicodedata.combining(character) or character in "\u200d\ufe0f" or seen[-1].endswith("\u200d"))
        if joined:
            seen[-1] += character
        else:
            seen.append(character)
    return seen


def words_of(text: str) -> list[str]:
    """The words of a text, without punctuation."""
    return WORD.findall(text)


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def base(letter: str) -> str:
    """The letter without its accent."""
    return unicodedata.normalize("NFD", letter)[0].casefold()


def count_letter(text: str, letter: str) -> tuple[str, str]:
    """How often one letter occurs."""
    if len(letters_of(letter)) != 1:
        raise CallError("count_letter takes one letter; for more there is count_substring")
    n = sum(folded(seen) == folded(letter) for seen in letters_of(text))
    return str(n), f"{letter!r} occurs {times(n)} in {text!r}"


def count_substring(text: str, part: str) -> tuple[str, str]:
    """How often a piece of text occurs, without overlap."""
    if not part:
        raise CallError("there is nothing to count")
    n = folded(text).count(folded(part))
    overlapping = len(re.findall(f"(?={re.escape(folded(part))})", folded(text)))
    note = "" if n == overlapping else f" (overlaps counted: {overlapping})"
    return str(n), f"{part!r} occurs {times(n)} in {text!r}{note}"


def count_word(text: str, word: str) -> tuple[str, str]:
    """How often a whole word occurs."""
    n = sum(folded(seen) == folded(word) for seen in words_of(text))
    return str(n), f"the word {word!r} occurs {times(n)} in {text!r}"


def length(text: str) -> tuple[str, str]:
    """The number of characters, spaces included."""
    n = len(letters_of(text))
    return str(n), f"{text!r} has {n} characters"


def count_letters(text: str) -> tuple[str, str]:
    """The number of letters, without spaces, digits and punctuation."""
    n = sum(seen[0].isalpha() for seen in letters_of(text))
    return str(n), f"{text!r} has {n} letters"


def count_words(text: str) -> tuple[str, str]:
    """The number of words."""
    n = len(words_of(text))
    return str(n), f"{text!r} has {n} words"


def count_vowels(text: str) -> tuple[str, str]:
    """The number of vowels: a, e, i, o, u."""
    found = [seen for seen in letters_of(text) if base(seen) in VOWELS]
    return str(len(found)), f"{text!r} has {len(found)} vowels ({', '.join(found)})"


def count_consonants(text: str) -> tuple[str, str]:
    """The number of letters that are no vowels; y counts as one."""
    n = sum(seen[0].isalpha() and base(seen) not in VOWELS for seen in letters_of(text))
    return str(n), f"{text!r} has {n} consonants"


def count_digits(text: str) -> tuple[str, str]:
    """The number of digits."""
    n = sum(seen.isdigit() for seen in text)
    return str(n), f"{text!r} has {n} digits"


def count_distinct(text: str) -> tuple[str, str]:
    """The number of different letters."""
    n = len({folded(seen) for seen in letters_of(text) if seen[0].isalpha()})
    return str(n), f"{text!r} has {n} different letters"


def nth_letter(text: str, n: int) -> tuple[str, str]:
    """The nth letter, counted from 1; from the end where n is negative."""
    found = nth([seen for seen in letters_of(text) if not seen.isspace()], n, "letters")
    return found, f"letter {n} of {text!r} is {found!r}"


def nth_word(text: str, n: int) -> tuple[str, str]:
    """The nth word, counted from 1; from the end where n is negative."""
    found = nth(words_of(text), n, "words")
    return found, f"word {n} of {text!r} is {found!r}"


def nth(items: list[str], n: int, what: str) -> str:
    if n == 0 or abs(n) > len(items):
        raise CallError(f"the text has {len(items)} {what}; there is no number {n}")
    return items[n - 1] if n > 0 else items[n]


def position(text: str, letter: str) -> tuple[str, str]:
    """Where a letter or word first occurs among the letters, counted from 1."""
    place = folded("".join(letters_of(text))).find(folded(letter))
    if place < 0 or not letter:
        raise CallError(f"{letter!r} does not occur in {text!r}")
    return str(place + 1), f"{letter!r} first occurs at place {place + 1} of {text!r}"


def reverse(text: str) -> tuple[str, str]:
    """The text backwards."""
    turned = "".join(reversed(letters_of(text)))
    return turned, f"{text!r} backwards is {turned!r}"


def reverse_words(text: str) -> tuple[str, str]:
    """The words in the opposite order."""
    turned = " ".join(reversed(text.split()))
    return turned, f"the words of {text!r} in the opposite order: {turned!r}"


def uppercase(text: str) -> tuple[str, str]:
    """The text in capital letters."""
    return text.upper(), f"{text!r} in capitals is {text.upper()!r}"


def lowercase(text: str) -> tuple[str, str]:
    """The text in small letters."""
    return text.lower(), f"{text!r} in small letters is {text.lower()!r}"


def sort_letters(text: str) -> tuple[str, str]:
    """The letters in alphabetical order."""
    ordered = "".join(sorted((seen for seen in letters_of(text) if not seen.isspace()), key=folded))
    return ordered, f"the letters of {text!r} in order: {ordered!r}"


def sort_words(text: str) -> tuple[str, str]:
    """The words in alphabetical order."""
    ordered = " ".join(sorted(words_of(text), key=folded))
    return ordered, f"the words of {text!r} in order: {ordered!r}"


def spell(text: str) -> tuple[str, str]:
    """The letters one by one."""
    apart = "-".join(seen for seen in letters_of(text) if not seen.isspace())
    return apart, f"{text!r} is spelled {apart}"


def remove_letter(text: str, letter: str) -> tuple[str, str]:
    """The text without any occurrence of a letter or piece of text."""
    if not letter:
        raise CallError("there is nothing to remove")
    left = re.sub(re.escape(letter), "", text, flags=re.IGNORECASE)
    return left, f"{text!r} without {letter!r} is {left!r}"


def join(first: str, second: str) -> tuple[str, str]:
    """Both texts as one."""
    return first + second, f"{first!r} and {second!r} together: {first + second!r}"


def longest_word(text: str) -> tuple[str, str]:
    """The longest word; the first of equal ones is refused."""
    return extreme(text, max, "longest")


def shortest_word(text: str) -> tuple[str, str]:
    """The shortest word; the first of equal ones is refused."""
    return extreme(text, min, "shortest")


def extreme(text: str, choose: Callable[..., str], what: str) -> tuple[str, str]:
    words = words_of(text)
    if not words:
        raise CallError("the text has no words")
    chosen = choose(words, key=len)
    if sum(len(word) == len(chosen) for word in words if folded(word) != folded(chosen)):
        raise CallError(f"there is more than one {what} word")
    return chosen, f"the {what} word of {text!r} is {chosen!r} ({len(chosen)} letters)"


def most_common_letter(text: str) -> tuple[str, str]:
    """The letter that occurs most often."""
    counts = Counter(folded(seen) for seen in letters_of(text) if seen[0].isalpha()).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        raise CallError("no single letter occurs most often")
    return counts[0][0], f"{counts[0][0]!r} occurs most often in {text!r} ({times(counts[0][1])})"


def is_palindrome(text: str) -> tuple[str, str]:
    """Whether it reads the same backwards, without spaces and punctuation."""
    letters = [folded(seen) for seen in letters_of(text) if seen[0].isalnum()]
    yes = bool(letters) and letters == letters[::-1]
    return said(yes), f"{text!r} is {'' if yes else 'not '}a palindrome"


def are_anagrams(first: str, second: str) -> tuple[str, str]:
    """Whether both are made of the same letters."""
    one, other = (sorted(folded(seen) for seen in letters_of(text) if seen[0].isalnum()) for text in (first, second))
    yes = bool(one) and one == other and folded(first) != folded(second)
    return said(yes), f"{first!r} and {second!r} are {'' if yes else 'no '}anagrams"


def contains(text: str, part: str) -> tuple[str, str]:
    """Whether a letter or piece of text occurs."""
    yes = bool(part) and folded(part) in folded(text)
    return said(yes), f"{part!r} {'occurs' if yes else 'does not occur'} in {text!r}"


def starts_with(text: str, part: str) -> tuple[str, str]:
    """Whether the text begins so."""
    yes = bool(part) and folded(text).startswith(folded(part))
    return said(yes), f"{text!r} {'begins' if yes else 'does not begin'} with {part!r}"


def ends_with(text: str, part: str) -> tuple[str, str]:
    """Whether the text ends so."""
    yes = bool(part) and folded(text).endswith(folded(part))
    return said(yes), f"{text!r} {'ends' if yes else 'does not end'} with {part!r}"


def said(yes: bool) -> str:
    return "yes" if yes else "no"


def times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


FUNCTIONS: Mapping[str, tuple[Callable[..., tuple[str, str]], tuple[type, ...]]] = {
    function.__name__: (function, parameters)
    for parameters, functions in {
        (str,): (
            count_consonants, count_digits, count_distinct, count_letters, count_vowels, count_words, is_palindrome, length, longest_word, lowercase,
            most_common_letter, reverse, reverse_words, shortest_word, sort_letters, sort_words, spell, uppercase,
        ),
        (str, str): (are_anagrams, contains, count_letter, count_substring, count_word, ends_with, join, position, remove_letter, starts_with),
        (str, int): (nth_letter, nth_word),
    }.items()
    for function in functions
}  # fmt: skip
"""Every function by name, with the types of its arguments; each returns the exact value and a sentence."""


class TextTool:
    """Facts about letters and words."""

    name = "text"
    summary = f'Facts about a text: `count_letter("strawberry", "r")`, `nth_letter("cat", 2)`, `reverse("planet")`; functions: {", ".join(sorted(FUNCTIONS))}.'
    timeout_seconds = 2.0

    async def run(self, call: ToolCall) -> ToolResult:
        """Evidence whose value is the count, `yes` or `no`, or the text itself; or a Failure."""
        try:
            name, arguments = read_call(call.input)
            if name not in FUNCTIONS:
                raise CallError(f"{name[:40]!r} is not a function of this tool; known: {', '.join(sorted(FUNCTIONS))}", "unsupported")
            function, parameters = FUNCTIONS[name]
            if tuple(type(item) for item in arguments) != parameters:
                wanted = ", ".join("text" if kind is str else "whole number" for kind in parameters)
                raise CallError(f"{name} takes ({wanted})")
            value, text = function(*arguments)
        except CallError as error:
            return Failure(tool=self.name, input=call.input[:500], kind=error.kind, message=str(error))
        return (Evidence(tool=self.name, input=call.input, text=text, value=value),)

    async def close(self) -> None:
        """Nothing is held."""
