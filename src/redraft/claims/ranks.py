"""Who holds the first place: another holder of it, or another place for the claim's subject, excludes the claim that gives it to the subject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.claims.alignment import Alignment, lacking
from redraft.claims.conflicts import Conflict
from redraft.claims.sentence import Sentence, Token
from redraft.claims.slots import names
from redraft.claims.words import stem
from redraft.types import Span

__all__ = ["ranked_otherwise"]

_FIRST = re.compile(r"\b(?:largest|biggest|leading|top|number[- ]one|foremost|main|principal)\b", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|[2-9](?:nd|rd|th))[- ](?:largest|biggest|leading|highest|most)\b"
    r"|\b(?:rank(?:s|ed|ing)?|plac(?:es|ed)|finish(?:es|ed)|came|comes)\s+(?:in\s+)?(?:only\s+|just\s+)?"
    r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|[2-9](?:nd|rd|th)|number (?:[2-9]|two|three|four|five))\b"
    r"|\bsecond only to\b|\b(?:neither|not)\s+the\s+(?:largest|biggest|leading|top)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\b(?:leads?|led|tops?|topped|outranks?)\s+(?:the|all|every)\s+(?:other\s+)?(?:nation|country|world|states|countries|list|field|pack)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?:\s*\([^()]*\))?,?\s*(?:is|was|remains?|became|has been)\s+(?:still |now |by far )?(?:the|its|their|our)\s+"
    r"(?:(?:nation|country|world|state|region)['’]s\s+)?$",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\bin (?:descending )?order(?: of [\w ]{1,30})?[,:]\s*(?=[A-Z])")
_WHOLE = frozenset("nation country national nationwide world worldwide global globally".split())


def ranked_otherwise(said: Sentence, source: Sentence, alignment: Alignment) -> Conflict | None:
    """The sentence gives the claim's first place to another, or the claim's subject a later place, in the same category and the same field."""
    first = next(_FIRST.finditer(said.text), None)
    if first is None or not said.copular or said.negated or said.hedged or said.one_of or source.hedged or source.conditional:
        return None
    subject = [token for token in said.tokens if token.subject and token.name]
    what = [token for token in said.tokens if not token.subject and not token.light and not first.start() <= token.span[0] < first.end()]
    if not subject or said.pivot is None or _LATER.search(said.text) or said.text[: first.start()].rstrip().lower().endswith(("a", "an")):
        return None
    if not _same_field(said, source, alignment, what):
        return None
    ours = (subject[0].span[0], subject[-1].span[1])
    there = not any(token.subject for token in lacking(said, source, alignment))
    later = _LATER.search(source.text)
    if there and later is not None and later.start() > _place(alignment):
        return Conflict(words_claim=(first.span(),), words_passage=(later.span(),), reason=f"the sentence has “{later[0]}” where the claim has “{first[0]}”")
    for start, end in _holders(source):
        holder = source.text[start:end]
        if not {stem(word) for word in re.findall(r"\w+", holder)} & {token.stem for token in subject}:
            return Conflict(words_claim=(ours,), words_passage=((start, end),), expected=holder, reason=f"the sentence names “{holder}”")
    return None


def _place(alignment: Alignment) -> int:
    return max((other.span[0] for token, other in alignment.pairs if token.subject), default=-1)


def _same_field(said: Sentence, source: Sentence, alignment: Alignment, what: list[Token]) -> bool:
    """Whether the sentence speaks of the claim's category, all of it, and of the whole that the claim speaks of."""
    missing = {token.index for token in lacking(said, source, alignment)}
    scope = [token for token in what if token.name]
    lowered = {token.text.lower().removesuffix("'s").removesuffix("’s") for token in source.tokens}
    if any(token.index in missing for token in scope) and not lowered & _WHOLE:
        return False
    kind = [token for token in what if not token.name]
    return bool(kind) and not any(token.index in missing for token in kind)


def _holders(source: Sentence) -> Iterator[Span]:
    """The names that the sentence gives the first place."""
    if source.negated or source.one_of or _LATER.search(source.text):
        return
    found = list(names(source.text, known=source.names))
    for match in _ORDER.finditer(source.text):
        if re.search(r"\b(?:top|leading|largest|biggest)\b", source.text[: match.start()], re.IGNORECASE):
            yield from (span for span in found if span[0] == match.end())
    for match in _LEADS.finditer(source.text):
        yield from (span for span in found if re.fullmatch(r"\s+(?:again |still |easily )?", source.text[span[1] : match.start()]))
    for match in _FIRST.finditer(source.text):
        yield from (span for span in found if span[1] <= match.start() and _IS.fullmatch(source.text[span[1] : match.start()]))
