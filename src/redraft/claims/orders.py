"""The vocabulary of orders to a model, as rules over plain lower-case text without accents: what `suspicion.py` reads texts with.

An order is known by what it does, never by a whole sentence: a verb in the place of a command, and a thing that only a model's reader has (its
instructions, its verdict, its role, its tools, its secrets, its settings). One without the other is ordinary prose. Languages whose commands are
not told by their place have both in one pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from redraft.claims.foreign_orders import FOREIGN
from redraft.claims.order_words import (
    CHECKING,
    CLOSED,
    COMMAND,
    CONTROL,
    DUTY,
    EARLIER,
    HIDDEN,
    INSTRUCTION,
    JUDGED,
    MACHINE,
    MODEL,
    OVERRIDE,
    PIECE,
    RATE,
    READER,
    SAY,
    SECRET,
    SETTING,
    TELL,
    TOOL,
    VERDICT,
    WORK,
    either,
    within,
    words,
)

__all__ = ["DIRECTIVE", "EITHER_OR", "RULES", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`sign` is looked for first: it is cheap, and without it `pattern` cannot match."""

    sign: str
    pattern: str

    def holds(self, text: str) -> bool:
        """Whether the text has it."""
        return _compiled(self.sign).search(text) is not None and _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: most rules never are."""
    return re.compile(pattern, re.MULTILINE)


def _rule(sign: str, *pattern: str) -> Rule:
    return Rule(sign, "".join(pattern))


_ENGLISH = (
    # its instructions
    _rule(INSTRUCTION, COMMAND, OVERRIDE, within(4), EARLIER, within(4), INSTRUCTION),
    _rule(INSTRUCTION, COMMAND, OVERRIDE, within(2), words("instructions? prompts? directives?"), within(3), words("above before given you earlier")),
    _rule(
        CONTROL, COMMAND, OVERRIDE, within(2), words("your all any every the_(?:previous|above|prior|earlier|preceding|system|original)"), within(3), CONTROL
    ),
    _rule(
        r"\b(?:everything|anything|all|any|whatever)\b",
        COMMAND,
        OVERRIDE,
        r"\s(?:all|any|everything|anything|what|whatever)\s(?:\w+\s){0,5}(?:above|before|previously|earlier|told|said|instructed|prior|so\sfar)\b",
    ),
    _rule(
        INSTRUCTION,
        COMMAND,
        either("follow obey execute adopt accept comply_with adhere_to act_on carry_out"),
        within(3),
        r"(?:new|following|these|this|my|updated|below)\W+(?:\w+\W+)?(?:instructions?|orders?|directives?|prompts?)\b",
        within(6),
        words("instead only above any everything without"),
    ),
    _rule(
        INSTRUCTION,
        r"\b(?:new|updated|revised|real|actual|true|hidden|secret|priority|override)\s(?:system\s)?(?:instructions?|directives?|prompts?)\s?"
        r"(?::|(?:are|is)\s(?:\w+\s){0,2}(?:to\b|as\b|:))",
    ),
    _rule(
        r"overrid|supersed|replace|precedence|priority|outrank",
        r"\b(?:this|the\sfollowing|my)\s(?:message|note|instruction|order|command)s?\s(?:overrides?|supersedes?|takes?\s(?:precedence|priority)"
        r"|has\spriority|outranks?)\b",
    ),
    _rule(
        r"\b(?:user|other|above|page|guidance|directions?)\b",
        COMMAND,
        OVERRIDE,
        r"\W+(?:\w+\W+){0,2}?(?:(?:the\s)?user'?s?\b|what\sthe\suser\b|(?:the\s)?above\b|(?:all\s)?(?:other|any\sother|prior|previous|earlier)\s"
        r"(?:sources?|evidence|pages?|documents?|results?|guidance|directions?|context|input|text)\b)",
    ),
    _rule(
        r"\byour\s",
        r"\byour\s(?:\w+\s)?(?:instructions?|directions?|orders|guidelines|rules|prompt|programming)\s(?:have|has|are|is|no\slonger|were"
        r"|do\snot)\s?(?:now\s|been\s)?"
        r"(?:changed|updated|replaced|void|apply|cancell?ed|longer|obsolete|outdated|invalid|reset)",
    ),
    _rule(r"\brely\s|only\ssource", r"\b(?:rely\s(?:only\s)?on\sthis\s(?:page|document|text)\salone|only\ssource\sof\struth)\b"),
    # its verdict
    _rule(
        VERDICT,
        COMMAND,
        either("say write state respond reply answer report confirm conclude claim output tell_\\w+ inform_\\w+ assert insist"),
        r"\W+(?:\w+\W+){0,2}?(?:that\s)?(?:the|this|every|all|any|each)\s(?:\w+\s)?(?:claims?|statements?|answers?|drafts?|assertions?|candidates?)\b",
        within(4),
        f"(?:{VERDICT}|{words('holds proven fine good established fact settled')})",
    ),
    _rule(
        r"\b(?:100|full|highest|maximum|top|perfect)\b",
        COMMAND,
        either("award give assign rate score grade grant"),
        r"\b[^.!?]{0,50}?\b(?:100|full|highest|maximum|top|perfect)\b\W*(?:\w+\W+)?(?:points?|scores?|marks?|ratings?|grades?|100|stars?|percent)\b",
    ),
    _rule(
        r"\b(?:flag|report|mention|point\sout|mark)\b",
        COMMAND,
        r"(?:do\snot|don't|never|must\snot|not)\s(?:flag|report|mention|point\sout|mark|call)\b[^.!?]{0,40}\b(?:contradictions?|inconsistenc\w+"
        r"|false|wrong|incorrect|unsupported|errors?\sin)\b",
    ),
    _rule(
        READER,
        READER,
        r"\s(?:(?:is|are)\s(?:hereby\s)?(?:required|instructed|ordered|obliged|to)(?:\sto)?|must|shall|will\snow|has\sto|have\sto)\s(?:accept"
        r"|approve|agree|confirm|pass|obey|comply)\b",
    ),
    _rule(READER, r"\bas\s(?:the|an?)\s(?:\w+\s)?", READER, r"\W+you\s(?:are\s(?:required|instructed|ordered|obliged|to)|must|shall|should|have\sto)\b"),
    _rule(
        READER,
        r"(?:^|[.!?]\s+)",
        READER,
        r"\s?:\s?(?:there\s(?:is|are)\s)?(?:no\s(?:problems?|issues?|errors?)|(?:the\s)?(?:claims?|statements?|answers?)\s(?:is|are)\s)",
    ),
    _rule(VERDICT, COMMAND, RATE, within(4), JUDGED, within(5), VERDICT),
    _rule(CLOSED, COMMAND, SAY, within(5), CLOSED),
    _rule(CLOSED, DUTY, r"\W(?:\w+\W+)?", SAY, within(3), CLOSED),
    _rule(r"\bno\s(?:problem|issue|error|revision)", COMMAND, SAY, r"\b[^.!?]{0,60}?\bno\s(?:problems?|issues?|errors?|revisions?)\b"),
    _rule(
        VERDICT,
        r"\b(?:verdicts?|judge?ments?|rating|output|response|reply)\s(?:\w+\s){0,3}(?:must|shall|has\sto|needs\sto|is\sto|can\sonly)\s(?:\w+\s){0,2}"
        r"(?:be|read|say|equal|state)\b",
        within(4),
        VERDICT,
    ),
    _rule(r"\b(?:output|reply|verdict)\smust", r"\bthe\s(?:output|reply|verdict)\smust\s(?:only\s|always\s)?(?:be|read|say)\b"),
    _rule(CLOSED, r"\b(?:verdict|judge?ment|decision|ruling|rating)\b\W{0,4}(?:is|to|as|[:=])?\W{0,4}(?:now\s|always\s)?", CLOSED),
    _rule(
        r"\b(?:search|verify|check|fact\W?check|consult|question|contradict)",
        COMMAND,
        r"(?:do\snot|don't|never|refrain\sfrom)\s(?:\w+\s){0,2}(?:search|verify|verifying|check|checking|fact\W?check|consult|question|contradict)\b",
        within(4),
        words("claims? answers? evidence this_statement other_(?:pages?|documents?|sources?)"),
    ),
    _rule(
        r"\b(?:proven|established|settled|fact)\b",
        COMMAND,
        RATE,
        within(3),
        JUDGED,
        r"\W+(?:as\s|to\sbe\s|is\s)?(?:an?\s)?(?:already\s|fully\s)?(?:proven|established|settled|fact)\b",
    ),
    _rule(
        VERDICT,
        COMMAND,
        r"(?:let|make|have)\W+(?:the|your|every|each)\s(?:verdict|judge?ment|rating|reply|answer|response|ruling)s?\b",
        within(3),
        f'(?:{VERDICT}|["“])',
    ),
    _rule(
        r"\b(?:all|every|any)\b",
        r"\b(?:all|every|any)\s(?:claims?|statements?|answers?)\s(?:\w+\s)?(?:evaluates?|resolves?|defaults?|counts?)\s(?:to|as)\s",
        VERDICT,
    ),
    _rule(
        r"\b(?:agree|yes|along)\b",
        COMMAND,
        r"(?:agree\swith|say\syes\sto|go\salong\swith|assent\sto)\s(?:the\s|this\s|every\s|all\s|any\s)*(?:text|everything|anything|claims?"
        r"|statements?|answers?|page)\b",
    ),
    _rule(
        r"\b(?:whoever|anyone|anybody|everyone|those)\b",
        r"\b(?:whoever|anyone|anybody|everyone|those)\s(?:\w+\s)?(?:evaluat|check|judg|grad|verif|review|summari[sz]|read)\w*\b[^.!?]{0,60}?",
        DUTY,
        r"\s(?:\w+\s){0,2}",
        f"(?:{SAY}|{RATE}|agree)",
    ),
    _rule(r"\b(?:search|look|check|verify)\b", r"\b(?:do\snot|don't|no\sneed\sto|never)\s(?:search|look|check|verify|dig)\b\s?(?:any\s)?(?:further|$|[.!;,])"),
    _rule(
        r"\byour\s",
        r"\byour\s(?:only\s|sole\s)?(?:job|task|role|duty|purpose)\s(?:here\s)?(?:is|will\sbe)\s(?:simply\s|only\s|just\s|now\s)?to\s(?:approve"
        r"|agree|accept|confirm|say|output|answer|repeat|mark)\b",
    ),
    _rule(r"\boverride\b", r"\b(?:system|admin|developer|priority|safety|root|operator|policy)\soverride\b"),
    _rule(r"\bevidence\b|\bsources?\b", COMMAND, r"(?:leave\sout|hide|suppress|withhold|omit|discard)\s(?:\w+\s){0,2}(?:evidence|sources?|passages?|pages?)\b"),
    # its answer
    _rule(r"\bquestions?\b", r"\b(?:answer|say|reply|respond|output|answers|says)\b[^.!?]{0,40}?\bto\s(?:any|every|each|all)\s(?:\w+\s)?questions?\b"),
    _rule(
        WORK,
        COMMAND,
        either("replace rewrite change correct edit overwrite modify alter update substitute amend revise"),
        r"\W+(?:(?:the|this|your|that|final|whole|current)\W+){1,3}",
        WORK,
        within(5),
        r"(?:to|by|with|as|so\sthat|into)\b",
    ),
    _rule(
        r"\b(?:only|exactly|solely|just|nothing|precisely|verbatim)\b",
        COMMAND,
        either("answer reply respond output say print emit"),
        within(2),
        r"(?:only|exactly|solely|just|nothing\sbut|precisely|verbatim)\W+(?:with\b|that\b|the\s(?:word|text|phrase|string|following|answer)|[\"'“‘「`])",
    ),
    _rule(
        r"\b(?:answer|reply|respond)\b",
        COMMAND,
        r"(?:answer|reply|respond)\s(?:with|by\s(?:saying|writing|quoting))\s(?:\w+\s){0,2}?(?:[\"“‘「`]|(?:the\s)?(?:word|phrase|string)\b|json\b|a\sverdict)",
    ),
    _rule(
        r"\bonly\s(?:permitted|allowed|correct|acceptable|valid)", r"\bonly\s(?:permitted|allowed|acceptable|valid)\s(?:answer|reply|response|output|verdict)\b"
    ),
    _rule(
        r"\bnothing\s(?:more|else)\b",
        COMMAND,
        r"(?:answer|reply|respond|output|say|print|write)\b[^.!?]{0,60}?\b(?:and|but)\snothing\s(?:more|else)\b(?!\sthan)",
    ),
    _rule(
        r"\b(?:regardless\sof|no\smatter|whatever)\b",
        r"\b(?:whatever|regardless\sof|no\smatter)\b[^.!?]{0,60}?\b(?:the\s)?(?:output|verdict|answer|reply|response)\smust\b",
    ),
    _rule(r"\buser\b", COMMAND, r"(?:tell|inform|assure|convince)\s(?:the\s|your\s)?user\b[^.!?]{0,30}\b(?:answer|that|about|is)\b"),
    _rule(r"\bdo\snot\stell\b|\bwithout\stelling\b", r"\b(?:do\snot|don't|never|without)\s(?:tell|telling|inform|informing)\sthe\suser\b"),
    _rule(
        r"\byour\s",
        r"\byour\s(?:final\s|next\s|whole\s)?(?:answer|response|output|reply|summary|verdict|rewrite)\W+(?:must|should|shall|has\sto|needs\sto"
        r"|(?:please\s)?(?:include|insert|mention|add|start|begin|end))\b",
    ),
    _rule(r"\bset\b", COMMAND, r"set\s(?:the\s|your\s)(?:final\s|correct\s)?(?:answer|verdict|reply|output|response)\s(?:to|as)\b"),
    _rule(
        r"\bcorrect\s(?:output|reply|response|verdict)",
        r"\b(?:correct|right|expected|desired|required)\s(?:output|reply|response|verdict)\s(?:is|must|should)\b",
    ),
    # its secrets
    _rule(
        r"\byour\s", r"\bwhat\s(?:are|were|is|was)\syour\s(?:initial|original|system|exact|hidden|full|secret|first)\s(?:instructions?|prompt|rules|message)\b"
    ),
    _rule(
        r"\byour\s", COMMAND, TELL, r"\W+(?:\w+\W+){0,2}?your\s(?:\w+\s)?(?:configuration|settings|prompt|instructions?|rules|keys?|secrets?|context|memory)\b"
    ),
    _rule(HIDDEN, COMMAND, TELL, within(4), r"(?:your\s|the\s|any\s|all\s)*", HIDDEN),
    _rule(
        SECRET,
        COMMAND,
        either("reveal leak exfiltrate divulge dump send post upload transmit forward e?mail look_up"),
        within(4),
        SECRET,
        r"(?!\W+(?:reset|page|form))",
    ),
    # its tools
    _rule(TOOL, COMMAND, either("call invoke run execute trigger launch"), within(2), TOOL, r"\s", PIECE),
    _rule(TOOL, COMMAND, r"use", within(2), TOOL, r"\s", PIECE, r"\s(?:with\s(?:the\s)?(?:input|code|query)|to\s(?:run|execute|open|read|send|fetch))\b"),
    _rule(r"\btools?\b", COMMAND, either("call invoke trigger"), within(3), r"tools?\b", within(4), words("with on input argument immediately now")),
    _rule(
        r"import\sos|os\.|subprocess|__import__|curl|wget|/etc/",
        COMMAND,
        r"(?:run|execute|evaluate)\W+(?:\w+\W+){0,4}?(?:import\sos|os\.|subprocess|__import__|curl\s|wget\s|cat\s/)",
    ),
    _rule(TOOL, COMMAND, r"(?:call|invoke)\s(?:the\s)?", TOOL, r"\s(?:with|on|using)\b"),
    _rule(r"\w\(", COMMAND, r"(?:execute|run|call|invoke|evaluate)\W+[\w.]{2,30}\(\s?[\"'“]"),
    _rule(r"`", COMMAND, r"(?:call|invoke|use|run)\s(?:the\s)?(?:tools?|functions?|plugins?)\s?`"),
    # its settings
    _rule(SETTING, COMMAND, either("set change switch raise lower alter modify reset"), r"\W+(?:the\s|your\s)*", SETTING, r"\W*(?:to|=|off|into)\W"),
    _rule(
        CHECKING,
        COMMAND,
        either("skip stop disable bypass turn_off deactivate omit suspend cancel"),
        r"\W+(?:(?:the|all|any|every|further|this|your)\W+)*",
        CHECKING,
    ),
    # its role
    _rule(MACHINE, r"\byou\sare\s(?:now|no\slonger|actually|really|from\snow\son)\s(?:an?\s|the\s)?(?:\w+\s){0,2}?", MACHINE),
    _rule(
        r"\byou\sare\s",
        r"\byou\sare\s(?:\w+\s)?(?:chatgpt|gpt-?\d*|claude|an?\s(?:helpful\s|obedient\s|ai\s|large\s|unrestricted\s)*(?:a\.?i\.?|assistant"
        r"|language\smodel|chat\s?bot|ai\sagent))\b",
    ),
    _rule(
        r"\b(?:from\snow\son|henceforth|from\sthis\spoint)\b",
        r"\b(?:from\snow\son|henceforth|from\sthis\spoint)\b\W{0,3}(?:(?:you|always|only|must|will|please|all|every)\W+){0,4}"
        r"(?:answer|respond|reply|obey|ignore|treat|mark|rate|(?:answers|claims|verdicts|statements)\b)",
    ),
    _rule(MACHINE, COMMAND, r"(?:act|behave|respond|pose|speak)\s(?:as|like)\s(?:an?\s|the\s)(?:\w+\s){0,3}", MACHINE),
    _rule(r"\bpretend", COMMAND, r"pretend\s(?:to\sbe|that\syou)\b[^.!?]{0,80}\b(?:say|answer|reply|respond|output|you\sare|rules|model|assistant)\b"),
    _rule(
        r"\byour\s",
        r"\byour\s(?:new|only|real|true|actual|sole|updated)\s(?:role|task|goal|job|mission|objective|instructions?|purpose|directive)\s?(?:is\b"
        r"|are\b|:|becomes)",
    ),
    # said to a model by name
    _rule(
        READER,
        r"(?:^|[.!?:;,>\[(*#\"'“—-]\s*)(?:attention|note|notice|message|instructions?|important|memo|hint|request|dear|hello|hey|hi)\W+(?:(?:for"
        r"|to|all|any|every|the|this|my|dear|each|automated|automatic)\W+){0,4}"
        r"(?:\w+\W){0,2}?",
        READER,
        r"\W*(?:$|[:,—!-])",
    ),
    _rule(
        MODEL,
        r"(?:^|[.!?:;>\[(*#\"'“]\s*)(?:to|for|if)\s(?:(?:any|all|every|the|you\sare|you're|an?|this|reading|large)\W+){0,4}",
        MODEL,
        r"\b[^.!?]{0,60}?[:,—]\s*(?:please\s|you\s(?:must|should|are\sto)\s|always\s|do\snot\s)*",
        f"(?:{SAY}|{OVERRIDE}|{TELL})",
    ),
    _rule(MODEL, MODEL, r"\s(?:reading|processing|that\sreads?|evaluating|which\sreads?|seeing)\b[^.!?]{0,60}", DUTY, r"\s(?:\w+\s){0,2}", SAY),
    _rule(READER, READER, r"\s(?:\w+\s){0,2}?", DUTY, r"\s(?:\w+\s){0,3}?", SAY, within(5), f"(?:{CLOSED}|{JUDGED}{within(4)}{VERDICT})"),
    _rule(READER, READER, r"\s(?:\w+\s){0,2}?", DUTY, r"\s(?:\w+\s){0,2}(?:ignore|disregard|forget|override)\b"),
    _rule(
        READER,
        r"(?:^|[.!?>\[(*#\"'“]\s*)(?:hey\s|dear\s|the\s)?",
        READER,
        r"\s?[:,—]\s?(?:(?:please|you\smust|kindly|always|do\snot|now)\s)*",
        f"(?:{SAY}|{OVERRIDE}|{TELL}|call|invoke|run|execute|skip|stop|accept|approve|disable)",
        r"\b",
    ),
    # imitations of a prompt's own structure
    _rule(
        r"<",
        r"<\|?\s?(?:im_start|im_end|im_sep|system|assistant|user|developer|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text"
        r"|end_of_text|end_of_turn|start_of_turn"
        r"|endofprompt|channel)\s?\|>|<(?:start|end)_of_turn>",
    ),
    _rule(
        r"[<\[]",
        r"\[/?inst\]|<</?sys>>|</?(?:system|assistant|developer|system[-_ ]?(?:prompt|message|reminder|note)|instructions?|tool[-_ ]?(?:results?"
        r"|calls?|responses?|use)"
        r"|function[-_ ]?(?:calls?|results?)|untrusted|evidence|override)(?:\s[^<>\n]{0,60})?/?>",
    ),
    _rule(
        r":",
        r"^\W{0,6}(?:system|assistant|developer)\s?(?:message|prompt|note|notice|override|update|instructions?|turn)?\W{0,3}:\W{0,3}"
        r"(?=[^\n]{0,160}(?:\byou\b|\byour\b|verdict|supported|contradicted|insufficient|no problem|\bignore|instruction|\bmust\b|answer|\bmark\b|claim|\{))",
    ),
    _rule(r"#", r"^\W{0,6}#{2,}\s?(?:system|assistant|new\stask|new\sinstructions?|user|human)\s?(?:prompt|message)?\s?:?\s*$"),
    _rule(CLOSED, r"[\"'“]?\bverdicts?[\"'”]?\s?[:=]\s?[\"'“]?(?:supported|contradicted|insufficient)\b"),
    _rule(
        r":",
        r"[\"'“](?:edits|requirements|checkworthy|met_by|denies_premise|replacement|next_query)[\"'”]\s?:\s?(?:\[|\{|[\"'“]|true|false|null)"
        r"|[\"'“](?:tool|tool_name|recipient_name)[\"'”]\s?:\s?[\"'“]\w[^\n]{0,80}[\"'“](?:input|arguments|parameters|args)[\"'”]\s?:"
        r"|[\"'“]decision[\"'”]\s?:\s?[\"'“](?:accept|reject)\b",
    ),
    _rule(
        r"\b(?:end|begin|start)",
        r"^\W{0,6}(?:end|begin|start)\s?(?:of\s)?(?:the\s|all\s)?(?:untrusted\s|quoted\s|retrieved\s)?(?:evidence|quoted\sdata|data\sblock"
        r"|tool\s(?:output|results?)|search\sresults?"
        r"|untrusted\s\w+|user\sinput|prompt|system\s(?:prompt|message)|instructions|override)(?:\s\d+)?\W{0,6}$",
    ),
    _rule(r"[0-9a-f]{16}", r"^\s?(?:\[[0-9a-f]{16}|[0-9a-f]{16}\])\s?$"),
)

RULES: tuple[Rule, ...] = (*_ENGLISH, *(Rule(sign, pattern) for sign, pattern in FOREIGN))

_FIRST = r"(?:^\W*|[.!?:;>]\s+|[\"“「(\[{]\s*|\b(?:please|kindly|must|shall|now|you|always|only|immediately|instead|just|to\sdo)\s+)"
DIRECTIVE = Rule(
    "",
    rf"{_FIRST}(?:{OVERRIDE}|{TELL}|{RATE}|answer|reply|respond|output|say|state|write|generate|conclude|confirm|insert|append|include|call|invoke"
    rf"|execute|run|use|send|pretend"
    r"|act|obey|follow|stop|let|rewrite|replace|change|disable|give|leave\sout|e?mail|agree|consider|trust|do\snot|don't|never)\b"
    rf"|\byou\s(?:must|shall|will|are\s(?:to|now|required|an?))\b|\byour\s(?:\w+\s)?(?:answer|response|reply|output|task|role|job|instructions?"
    rf"|prompt)\b|\bwhatever\s(?:happens|the)\b|{MODEL}"
    r"|\b(?:supported|contradicted|insufficient|no\sproblems?)\W*$|"
    + words("verdicts? drafts? prompts? assistants? reviewers? evaluators? verifiers? graders? checkers? critics? approve override whoever anyone")
    + "|请|請|务必|你必须|你现在|你是|输出|輸出|判定|标记|指令|提示词|规则|回答|答案|ください|下さい|あなた|せよ|なさい|しろ|回答し|出力し|判定し|"
    + words(
        "ignor\\w+ olvid\\w+ oubli\\w+ dimentic\\w+ vergiss negeer abaikan instru[cç]\\w+ istruzion\\w+ consignes? anweisung\\w* rispond\\w* "
        "responda responde r[ée]pondez "
        "antworte\\w* markier\\w+ ответь\\w* инструкц\\w+ указани\\w+"
    )
    + "|지시|무시|تجاهل|تعليمات|[\"'][a-z_]+[\"']\\s?:|<[/|a-z]|\\w\\([\"']",
)
"""What is addressed to a reader, or speaks of verdicts: no suspicion, but where it stands a verdict needs proof that no reader could be talked into."""

EITHER_OR = re.compile(r"\b(?:true|correct|right|valid|verified)\W+(?:or|and|/)\W+(?:not|false|incorrect|wrong|invalid|un\w+)\b")
"""A choice between verdicts, as exercises have it, orders none."""
