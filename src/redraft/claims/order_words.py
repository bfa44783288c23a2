"""The words of orders to a model, as parts of the patterns in `orders.py`: verbs of command, and the things that only a model's reader has."""

from __future__ import annotations

__all__ = [
    "CHECKING",
    "CLOSED",
    "COMMAND",
    "CONTROL",
    "DUTY",
    "EARLIER",
    "HIDDEN",
    "INSTRUCTION",
    "JUDGED",
    "MACHINE",
    "MODEL",
    "OVERRIDE",
    "PIECE",
    "RATE",
    "READER",
    "ROLE",
    "SAY",
    "SECRET",
    "SETTING",
    "TELL",
    "TOOL",
    "VERDICT",
    "WORK",
    "either",
    "within",
    "words",
]


def either(words: str) -> str:
    """One of the words; an underscore stands for white space, a star for any end of the word."""
    return "(?:" + "|".join(word.replace("_", r"\s").replace("*", r"\w*") for word in words.split()) + ")"


def words(words: str) -> str:
    return rf"\b{either(words)}\b"


def within(most: int) -> str:
    """Up to so many words between two things."""
    return rf"(?:\W+[\w'’-]+){{0,{most}}}?\W+"


_BEFORE = either(
    "please kindly now then therefore thus hence and or but just simply instead first also always only must should shall will can need_to "
    "have_to has_to ought_to are_to is_to you_to so "
    "immediately directly important attention note warning urgent to_do do_not don't never not system assistant developer user admin ai llm model chatbot bot "
    "reviewer critic judge checker verifier grader evaluator agent you"
)
_TOLD = (
    r"(?:are|is|were|been|being)\s(?:hereby\s|now\s)?"
    + either("told asked instructed required ordered commanded advised requested obliged expected directed")
    + r"\sto"
)
_MARKS = r"[.!?:;,()\[\]{}<>*#\"'“”‘’«»`|/\\=~—–>…]"
COMMAND = rf"(?:^|{_MARKS}\s*|\s[-–—]+\s*|\b(?:{_BEFORE}|{_TOLD})\s+)"
"""The place of a command: the beginning of a clause, or after words that turn a verb into one."""

DUTY = words(
    "must shall should have_to has_to need_to needs_to will please do_not don't never always is_to are_to "
    "(?:is|are)_(?:hereby_|now_)?(?:required|instructed|ordered|commanded|asked|told|obliged|expected|advised)(?:_to)?"
)
MODEL = words(
    "a?i_model* ai a.i. llm llms (?:large_)?language_models? chat_?bots? chatgpt gpt gpt-?\\d* claude gemini copilot "
    "(?:ai|virtual|digital)_(?:assistant|agent|system|judge)s?"
)
ROLE = words(
    "assistant assistants agent model bot judge critic reviewer reviewers evaluator grader (?:fact\\W?)?checkers? verifier verifiers "
    "corrector planner writer rater "
    "summari[sz]er refiner redraft reader"
)
READER = f"(?:{MODEL}|{ROLE})"
OVERRIDE = either(
    "ignore disregard forget override overrule overlook bypass discard neglect dismiss erase delete cancel supersede nullify abandon drop "
    "skip pay_no_attention_to "
    "set_aside leave_aside put_aside throw_away throw_out (?:do_not|don't|never|stop)_(?:follow|obey|trust|apply|following|obeying)"
)
EARLIER = words(
    "previous previously prior above earlier preceding foregoing original initial all any every everything your system hidden so_far developer developer's"
)
CONTROL = words(
    "instructions? prompts? directives? guidelines? system_(?:message|prompt|text)s? commands? orders? programming constraints? training "
    "polic(?:y|ies) rules? context "
    "conversation messages? guardrails? restrictions? told evidence sources? passages? search_results?"
)
INSTRUCTION = words("instructions? prompts? directives? guidelines? system_(?:message|prompt)s? programming guardrails?")
RATE = either(
    "mark rate label classify treat accept approve deem judge grade score rule flag declare certify pronounce regard tag report record "
    "return take consider assume set count"
)
SAY = either(
    "answer reply respond output return say state report emit print write repeat give produce generate declare conclude pronounce announce "
    "confirm insert add finish close "
    "append include put use quote provide tell begin end start set mark rate label classify treat judge assign"
)
JUDGED = words("claims? statements? answers? drafts? assertions? sentences? candidates? responses? texts? everything verdicts? checks? it this them that")
CLOSED = words("supported contradicted insufficient no_problems? no_revisions?(?:_needed)? no_issues?")
VERDICT = (
    "(?:"
    + CLOSED
    + "|"
    + words(
        "verified corrected refuted disproved unsupported no_errors? accurate inaccurate correct incorrect true false valid invalid right "
        "wrong factual flawless perfect "
        "accepted rejected approved passed confirmed trustworthy full_(?:marks|score) (?:highest|maximum|top|perfect)_(?:score|marks?|grade|rating)"
    )
    + ")"
)
WORK = words("answers? drafts? repl(?:y|ies) responses? outputs? verdicts? candidates?")
TELL = either(
    "reveal disclose leak exfiltrate divulge expose dump print show repeat output display echo tell_me tell_us give_me give_us recite "
    "write_out quote reproduce list return "
    "summari[sz]e translate encode"
)
HIDDEN = words(
    "system_(?:prompt|message|instructions?) (?:initial|hidden|original|internal|confidential|secret|developer)_(?:prompt|instructions?|rules|message) "
    "(?:text|words|everything|messages?|content|conversation)_above (?:above|previous)_(?:text|words|messages?|conversation|prompt) "
    "api\\W?keys? environment_variables? "
    "your_(?:prompt|instructions?|rules|credentials|secrets?|keys?|passwords?) (?:chat|conversation)_history"
)
SECRET = words(
    "api\\W?keys? secrets? passwords? credentials access_tokens? environment_variables? system_prompt conversation conversation_history chat_history "
    "(?:this_)?chat user's_\\w+"
)
TOOL = words("python calculator search table documents units dates shell terminal browser code_interpreter interpreter bash sql")
PIECE = words("tool function plugin interpreter")
SETTING = words("policy policies max.?turns min.?sources when.?unverified counter.?search strictness relevance_threshold guard guardrails?")
CHECKING = words(
    "fact\\W?check(?:s|ing)? verification verifying checking counter\\W?search(?:es)? guardrails? guard safety_checks? content_filters? "
    "moderation evaluator controller"
)
MACHINE = words(
    "a\\.?i\\.? assistant model bot \\w+bot chat_?bot dan developer_mode jailbr* unrestricted unfiltered free_from bound_by judge critic agent hacker pirate"
)
