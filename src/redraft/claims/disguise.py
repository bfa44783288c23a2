"""What a text says to a reader who sees through its disguise: invisible characters, look-alikes, entities, ciphers and encodings taken off.

Every function is linear in the text, never fails, and gives at most a few readings, so that hostile text cannot make the reader slow.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator

__all__ = ["INVISIBLE", "decoded", "letters", "plainly", "readings"]

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that are not seen: zero width, direction marks, joiners, fillers, variation selectors."""
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_OVERRIDDEN = re.compile("\u202e([^\u202c\n]*)")
_LOOK_ALIKES = str.maketrans(
    "абвсԁеғԍһіјкӏмпоԛрѕтуѵԝхүզոս" + "αβεηικνορτυχωγ" + "ıɩɡɑɪɴʀᴇᴀʙᴄᴅғɢʜᴊᴋʟᴍᴏᴘsᴛᴜᴠᴡʏᴢ" + "ℓ∣ǀ",
    "abbcdefghijklmnoqpstyvwxyqnu" + "abenikvoptuxwy" + "iigainreabcdfghjklmopstuvwyz" + "lll",
)
_LEET = str.maketrans("013457@$!|", "oieastasil")
_TOKEN = re.compile(r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{4,}(?:\s[A-Za-z0-9+/_-]{4,}){5,}|[A-Za-z0-9+/_-]{16,})={0,2}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:(?:0x|\\x|%)?[0-9A-Fa-f]{2}[\s,]?){12,}")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|&#x?[0-9A-Fa-f]+;?")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_BINARY = re.compile(r"(?:\b[01]{8}\b\s*){8,}")
_SPACED = re.compile(r"(?<![^\W\d_])(?:[^\W\d_][ .\-_*·]{1,3}){5,}[^\W\d_](?![^\W\d_])")
MOST_TOKENS = 12
LONGEST_TOKEN = 4000


def plainly(text: str) -> str:
    """The text as a reader sees it, in lower case: one form of each character, no invisible ones, no accents, entities and escapes resolved."""
    text = _TAGS.sub(lambda match: chr(ord(match[0]) - 0xE0000), text)
    text = _OVERRIDDEN.sub(lambda match: match[1][::-1], text)
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text or "&#" in text:
        text = _ESCAPE.sub(_unescaped, text)
    if "%" in text:
        text = _PERCENT.sub(lambda match: bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace"), text)
    text = INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize("NFC", re.sub("(?<=[A-Za-zА-яΑ-ω])[\u0300-\u036f]+", "", text))
    return text.lower()


def readings(text: str) -> Iterator[str]:
    """What the text may say, the plain reading first, then those of its disguises; each is read through `plainly`."""
    plain = plainly(text)
    yield plain
    folded = plain if plain.isascii() else plain.translate(_LOOK_ALIKES)
    if folded != plain:
        yield folded
    if re.search(r"[a-z][013457@$!|]|[013457@$!|][a-z]", folded):
        yield folded.translate(_LEET)
    joined = _SPACED.sub(lambda match: re.sub(r"[ .\-_*·]{2,3}", "\x00", match[0]).replace(" ", "").replace("\x00", " "), folded)
    if joined != folded:
        yield re.sub(r"(?<=\w)[.\-_*·](?=\w)", "", joined)
    if re.search(r"\w[*_+/\-|=.~]{1,3}\w|[*_~]{2}|\w [|*] \w", folded):
        yield re.sub(r"[\W_]+", " ", folded)
    yield codecs.encode(folded, "rot13")
    yield folded[::-1]
    yield from (plainly(piece) for piece in decoded(text))


def decoded(text: str) -> Iterator[str]:
    """Readable text inside base64, hexadecimal or binary digits; nested once."""
    for token in _found(_TOKEN, text):
        bare = re.sub(r"\s", "", token).rstrip("=").replace("-", "+").replace("_", "/")
        for candidate in dict.fromkeys((bare, bare[: len(bare) // 4 * 4])):
            raw = _decoded(candidate + "=" * (-len(candidate) % 4))
            if raw is not None:
                yield raw
                yield from (inner for again in _found(_TOKEN, raw) if (inner := _decoded(again.rstrip("=") + "=" * (-len(again.rstrip("=")) % 4))) is not None)
                break
    for token in _found(_HEX, text):
        digits = re.sub(r"0x|\\x|[%\s,]", "", token)
        raw = _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
        if raw is not None:
            yield raw
    for token in _found(_BINARY, text):
        raw = _readable(bytes(int(byte, 2) for byte in token.split()))
        if raw is not None:
            yield raw


def letters(text: str) -> tuple[str, list[int]]:
    """The text's letters alone, look-alikes taken for what they look like, and the place of each: what is left when nothing separates words."""
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        shown = char.lower() if char.isascii() else unicodedata.normalize("NFKD", char).lower().translate(_LOOK_ALIKES)
        for part in shown:
            if part.isalpha():
                kept.append(part)
                places.append(place)
    return "".join(kept), places


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    return chr(int(digits, 16)) if digits else html.unescape(match[0].rstrip(";") + ";")


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match[0][:LONGEST_TOKEN] for match, _ in zip(pattern.finditer(text), range(MOST_TOKENS), strict=False)]


def _decoded(token: str) -> str | None:
    try:
        return _readable(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        return None


def _readable(raw: bytes) -> str | None:
    """The bytes as text, if that is what they are."""
    for encoding in ("utf-8", "utf-16-le") if b"\x00" in raw else ("utf-8",):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        shown = sum(char.isprintable() or char.isspace() for char in text)
        if len(text) >= 8 and shown >= 0.95 * len(text) and re.search(r"[^\W\d_]{3}", text):
            return text
    return None
