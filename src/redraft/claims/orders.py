"""The vocabulary of orders to a model, as patterns over plain lower-case text without accents: what `suspicion.py` reads texts with.

An order is known by what it does, never by a whole sentence: a verb in the place of a command, and a thing that only a model's reader has (its
instructions, its verdict, its role, its tools, its secrets, its settings). One without the other is ordinary prose.
"""

from __future__ import annotations

import re

__all__ = ["ADDRESSED", "ANYWHERE", "MENTION", "ORDERS", "SQUEEZED", "STRUCTURE"]


def _any(*parts: str) -> str:
    return "(?:" + "|".join(" ".join(parts).split()) + ")"


def _near(most: int) -> str:
    """Up to so many words between two things, within one sentence."""
    return rf"(?:\W+[\w'’-]+){{0,{most}}}?\W+"


# the place of a command: the beginning of a clause, or after words that turn a verb into one
START = r"""(?:^|[.!?:;,()\[\]{}<>*#"'“”‘’«»`|/\\=~—–>…]\s*|\s[-–—]+\s*|\b(?:please|kindly|now|then|and|or|just|simply|instead|first|also|always|only|must|should|shall"""
START += r"""|will|can|need\sto|have\sto|has\sto|ought\sto|are\sto|is\sto|you\sto|(?:are|is|were|been)\s(?:hereby\s|now\s)?(?:told|asked|instructed|required|ordered|commanded"""
START += r"""|advised|requested|obliged|expected|directed)\sto|so|immediately|directly|important|attention|note|warning|urgent|to\sdo|do\snot|don't|never|not"""
START += r"""|system|assistant|developer|user|admin|ai|llm|model|chatbot|bot|reviewer|critic|judge|checker|verifier|grader|evaluator|agent)\s+)"""
MODEL = r"\b(?:a\.?i\.?s?|llms?|(?:large\s)?language\smodels?|chat\s?bots?|chatgpt|gpt|gpt-?\d\w*|claude|gemini|copilot|(?:ai|virtual|digital)\s(?:assistants?|agents?|systems?|judges?|models?))\b"
ROLE = r"\b(?:assistants?|agents?|models?|bots?|judges?|critics?|reviewers?|evaluators?|graders?|(?:fact\W?)?checkers?|verifiers?|correctors?|planners?|writers?|raters?|summari[sz]ers?|refiners?|redraft|reader)\b"
READER = rf"(?:{MODEL}|{ROLE})"
DUTY = r"\b(?:must|shall|should|have\sto|has\sto|need\sto|needs\sto|(?:are|is)\s(?:hereby\s|now\s)?(?:required|instructed|ordered|commanded|asked|told|obliged|expected|advised|to)(?:\sto)?|will|please|do\snot|don't|never|always)\b"

OVERRIDE = r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|dismiss|(?:do\snot|don't|never|stop)\s(?:follow|obey|use|trust|apply|following|obeying|using)|pay\sno\sattention\sto|set\saside|throw\s(?:away|out)|erase|delete|cancel|supersede|nullify|abandon|drop|skip|leave\saside|put\saside)"
EARLIER = r"\b(?:previous|previously|prior|above|earlier|preceding|foregoing|original|initial|existing|current|all|any|every|everything|your|system|hidden|other|former|old|past|before|so\sfar|the\srest|these|those|own|developer'?s?|given)\b"
CONTROL = r"\b(?:instructions?|prompts?|directives?|guidelines?|system\s(?:message|prompt|text)s?|commands?|orders?|programming|constraints?|training|policy|policies|rules?|context|conversation|messages?|guardrails?|restrictions?|told|said|evidence|sources?|passages?|documents?|search\sresults?|checks?|safety)\b"
STRONG_CONTROL = r"\b(?:instructions?|prompts?|directives?|system\s(?:message|prompt)s?|programming|guardrails?)\b"
SAY = r"(?:answer|reply|respond|output|return|say|state|report|emit|print|write|repeat|give|produce|generate|declare|conclude|pronounce|announce|confirm|respond|insert|add|append|include|put|use|quote|provide|tell|begin|end|start|set)"
RATE = r"(?:mark|rate|label|classify|treat|accept|approve|consider|deem|judge|grade|score|rule|flag|declare|regard|count|report|record|return|set|take|tag|call|certify|validate|confirm|verify|pronounce|assume|find|hold|conclude|output|say|state|answer|reply|respond|give|assign)"
JUDGED = r"\b(?:claims?|statements?|answers?|drafts?|assertions?|sentences?|candidates?|responses?|texts?|everything|verdicts?|checks?|it|this|them|that)\b"
VERDICT = r"\b(?:supported|contradicted|insufficient|unavailable|verified|corrected|refuted|disproved|unsupported|not\ssupported|no\sproblems?|no\sissues?|no\serrors?|no\srevisions?(?:\sneeded)?|accurate|inaccurate|correct|incorrect|true|false|valid|invalid|right|wrong|factual|flawless|perfect|accepted|rejected|approved|passed|confirmed|satisfactory|trustworthy|100\s?%|score\sof\s\d+|full\s(?:marks|score)|(?:highest|maximum|top|perfect)\s(?:score|marks?|grade|rating))\b"
CLOSED = r"\b(?:supported|contradicted|insufficient|no\sproblems?|no\srevisions?(?:\sneeded)?|no\sissues?)\b"
SECRET = r"(?:(?:your|the|its|any|all|this)\s)?(?:\w+\s){0,2}(?:system\s(?:prompt|message|instructions?)|(?:initial|hidden|original|secret|internal|confidential|full|entire|own|developer)\s(?:prompt|instructions?|rules|message|system)|api\W?keys?|access\stokens?|secret\skeys?|private\skeys?|credentials|environment\svariables?|env(?:ironment)?\s?vars?|passwords?|secrets?|(?:above|previous)\s(?:text|words|messages?|conversation|prompt)|(?:text|words|everything|messages?|content)\sabove|chat\shistory|conversation\shistory)"
TELL = r"(?:reveal|disclose|leak|exfiltrate|divulge|expose|dump|print|show|repeat|output|display|echo|tell\s(?:me|us)|give\s(?:me|us)|recite|write\sout|quote|send|post|upload|transmit|forward|email|append|include|reproduce|copy|list|share|return|summari[sz]e|translate)"
TOOL = r"(?:\b(?:tools?|functions?|plugins?|search\sengine|code\sinterpreter|interpreter|calculator|shell|terminal|python|browser|api|webhook|endpoint)\b|\w+\s?\(\s?['\"])"
USE = r"(?:call|invoke|use|run|execute|trigger|launch|query|activate|open|fetch|visit|request|browse)"
SETTING = r"\b(?:policy|policies|max_?\s?turns|min_?\s?sources|when_?\s?unverified|counter_?\s?search|strictness|budgets?|guard(?:rails?)?|(?:safety\s|content\s|fact\W?)?(?:checks|checking|filters?)|verification|verifier|evaluator|controller|threshold|relevance|system\sprompt|settings?|configuration|deadline|moderation)\b"
ALTER = r"(?:set|change|switch|disable|deactivate|turn\soff|turn\son|enable|lower|raise|increase|decrease|remove|relax|alter|modify|update|replace|skip|stop|end|override|bypass|suspend)"

ORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{START}{OVERRIDE}{_near(4)}{EARLIER}{_near(4)}{STRONG_CONTROL}",
        rf"{START}{OVERRIDE}{_near(2)}(?:your|all|any|every|the\s(?:previous|above|prior|earlier|preceding|system|original)){_near(3)}{CONTROL}",
        rf"{START}{OVERRIDE}\s(?:(?:all|any|everything|anything|what|whatever)\s){{1,2}}(?:\w+\s){{0,4}}(?:above|before|previously|earlier|told|said|instructed|prior|so\sfar)\b",
        rf"{START}{OVERRIDE}{_near(2)}(?:instructions?|prompts?|directives?){_near(3)}(?:above|before|given|you|earlier)",
        rf"{START}(?:follow|obey|execute|adopt|accept|comply\swith|adhere\sto|act\son|carry\sout){_near(3)}(?:(?:new|following|these|this|my|updated|below)\W+(?:\w+\W+)?(?:instructions?|orders?|directives?|prompts?|commands?))\b{_near(6)}(?:instead|only|now|above|any|everything|exactly|without)",
        rf"\b(?:new|updated|revised|real|actual|true|hidden|secret|priority|override)\s(?:system\s)?(?:instructions?|directives?|prompts?|orders?)\s?(?:[:：]|(?:are|is)\b{_near(2)}(?:to\b|as\b|:))",
        rf"{START}(?:mark|rate|label|classify|treat|accept|approve|deem|judge|grade|score|rule|flag|declare|certify|pronounce|regard|tag|report|record|return|take|consider|assume|set|count){_near(4)}{JUDGED}{_near(5)}{VERDICT}(?!\W+or\W+(?:false|wrong|incorrect|not|true))",
        rf"{START}{RATE}{_near(5)}{CLOSED}",
        rf"{START}{SAY}\b[^.!?]{{0,60}}?\bno\s(?:problems?|issues?|errors?|revisions?)\b",
        rf"(?:{DUTY}|{START}(?:let|make|have))\W{_near(1)}?\W*{SAY}{_near(3)}{CLOSED}",
        rf"\b(?:the|your|every|all|any|final|correct)\s(?:\w+\s){{0,2}}(?:verdicts?|judge?ments?|rating|score|decision|ruling|output|response|reply)\s(?:\w+\s){{0,3}}(?:must|shall|should|has\sto|needs\sto|is\sto|will|can\sonly)\s(?:\w+\s){{0,2}}(?:be|read|say|equal|state|contain|remain)\b",
        rf"\b(?:verdict|judge?ment|decision|ruling|rating|status)\b\W{{0,4}}(?:is|to|as|for\s\w+|[:=])?\W{{0,4}}(?:now\s|always\s)?(?:supported|contradicted|insufficient|no\sproblem)\b",
        rf"{START}(?:replace|rewrite|change|correct|edit|overwrite|modify|alter|update|substitute|amend|revise|turn){_near(3)}(?:answers?|drafts?|repl(?:y|ies)|responses?|outputs?|verdicts?|candidates?){_near(5)}(?:to|by|with|as|so|into|for)\b",
        rf"{START}(?:answer|reply|respond|output|return|say|print|write|emit|repeat){_near(2)}(?:only|exactly|solely|just|nothing\sbut|precisely|verbatim)\W+(?:with\b|that\b|the\s(?:word|text|phrase|string|following|answer)|[\"'“‘「`])",
        rf"{START}(?:answer|reply|respond){_near(2)}(?:with|that|by\s(?:saying|writing|quoting))\W+(?:\w+\W+){{0,2}}?(?:[\"'“‘「`]|the\s(?:word|phrase|text|string)\b|json\b|nothing\b|a\sverdict)",
        rf"\b(?:whatever|regardless\sof|no\smatter|irrespective\sof)\b[^.!?]{{0,60}}?(?:answer|reply|respond|output|say|return|verdict|mark)\b",
        rf"{START}{TELL}{_near(3)}{SECRET}\b(?!\W+(?:field|box|page|button|form|dialog|window|column|reset|manager))(?<=[a-z])(?:(?=[^.]*\b(?:your|system|hidden|initial|internal|above|conversation)\b)|(?<=keys)|(?<=key)|(?<=variables)|(?<=credentials)|(?<=prompt))",
        rf"{START}(?:reveal|leak|exfiltrate|divulge|dump|send|post|upload|transmit|forward|append){_near(4)}(?:api\W?keys?|secrets?|passwords?|credentials|tokens?|environment\svariables?|system\sprompt|instructions|conversation|chat\shistory|private\sdata|env)\b",
        rf"{START}(?:call|invoke|use|run|execute|trigger|query|activate){_near(4)}tools?\b{_near(6)}(?:with|on|to|and|input|argument|instead|immediately|now)\b(?<!\Wtools\son)",
        rf"{START}(?:call|invoke|run|execute|use){_near(2)}(?:python|calculator|search|table|documents|units|dates|shell|terminal|code\sinterpreter)\s(?:tool\s|function\s)?(?:with|on|using)\s(?:the\s)?(?:input|query|code|argument|command|parameters?)\b",
        rf"{START}(?:run|execute)\W+(?:the\s)?(?:following\s|this\s|shell\s|code\s|command\s)*\W*(?:import\sos|os\.|subprocess|curl\b|wget\b|rm\s-|open\(|eval\(|exec\(|__import__|cat\s/|print\(open)",
        rf"{START}{ALTER}{_near(2)}(?:your|redraft'?s?|the\s(?:refiner|run|checker|verifier|model|agent|assistant)'?s?)\W+(?:\w+\W+){{0,2}}{SETTING}",
        rf"{START}(?:set|change|switch|raise|lower|alter|modify)\W+(?:the\s)?(?:policy|max_?\s?turns|min_?\s?sources|when_?\s?unverified|counter_?\s?search|relevance\sthreshold|strictness|guard)\W+(?:to|=|off|from)\b",
        rf"{START}(?:skip|stop|disable|bypass|turn\soff|deactivate|omit|suspend|cancel|end)\W+(?:the\s|all\s|any\s|every\s|further\s|this\s)*(?:fact\W?check(?:s|ing)?|verification|verifying|checking|counter\W?search(?:es)?|guardrails?|safety\schecks?|content\sfilters?|moderation|evaluator|controller|judge)\b(?!\W*(?:engine|light|valve|lamp))",
        rf"\byou\sare\s(?:now|no\slonger|actually|really|from\snow\son)\s(?:\w+\s){{0,3}}?(?:a\.?i\.?|assistants?|models?|bots?|dan|developer\smode|jailbr\w+|unrestricted|unfiltered|free\sfrom|bound\sby|an?\s(?:\w+\s){{0,2}}(?:judge|critic|agent|expert|reviewer|who|that|which|pirate|hacker))\b",
        rf"\byou\sare\s(?:\w+\s)?(?:chatgpt|gpt-?\d*|claude|dan|an?\s(?:helpful\s|obedient\s|ai\s|large\s|unrestricted\s)*(?:a\.?i\.?|assistant|language\smodel|chat\s?bot|ai\sagent))\b",
        rf"\b(?:from\snow\son|henceforth|starting\snow|from\sthis\spoint)\b\W{{0,3}}(?:\w+\W+){{0,4}}?(?:you|your|answer|respond|reply|obey|act|ignore|treat|all\s(?:answers|claims|verdicts))\b",
        rf"{START}(?:act|behave|respond|pose|speak)\s(?:as|like)\s(?:if\syou|though\syou|an?\s(?:\w+\s){{0,3}}(?:a\.?i\.?|assistant|model|bot|judge|critic|agent|hacker|expert\swho)|dan\b)",
        rf"{START}pretend\s(?:to\sbe|that\syou|you)\b",
        rf"\byour\s(?:new|only|real|true|actual|next|sole|primary|updated)\s(?:role|task|goal|job|mission|objective|duty|instructions?|purpose|directive)\s(?:is|are|:|becomes)",
        rf"{START}(?:do\snot|don't|never|refrain\sfrom)\s(?:\w+\s){{0,2}}(?:search|searching|verify|verifying|check|checking|fact\W?check|consult|cite|read|mention|question|contradict)\b{_near(4)}(?:claims?|answers?|instructions?|prompts?|evidence|sources?|facts?|this\sstatement|other\spages?|other\sdocuments?|the\suser)\b",
        rf"\b(?:no\sneed\sto|unnecessary\sto|not\snecessary\sto)\s(?:search|verify|check|fact\W?check|look)\b{_near(5)}(?:claims?|answers?|statements?|it|this|further|anything)\b{_near(6)}(?:supported|correct|true|verified|already)\b",
        rf"\b(?:this|the\sfollowing|my)\s(?:message|text|note|page|document|instruction|order|command)s?\s(?:overrides?|supersedes?|replaces?|takes?\s(?:precedence|priority)|has\spriority|outranks?|cancels?)\b",
        rf"\b(?:end|beginning|begin|start|close|stop)\s(?:of\s)?(?:the\s|all\s)?(?:untrusted\s|quoted\s|external\s|user\s|retrieved\s)(?:data|evidence|text|input|content|documents?|block)\b",
    )
)  # fmt: skip
"""English; each is looked for in every reading of a sentence."""

ADDRESSED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:^|[.!?:;,>\[(*#\"'“—-]\s*)(?:(?:attention|note|notice|message|instructions?|important|warning|memo|hint|request|dear|hello|hey|hi)\W+(?:\w+\W+){{0,3}}?(?:for|to|all|any|every|the|this|my|dear|:)?\W*){READER}\W*(?:$|[:,—!.-])",
        rf"(?:^|[.!?:;>\[(*#\"'“]\s*)(?:(?:to|for|if)\s)(?:(?:any|all|every|whichever|the|you\sare|you're|an?|this|reading)\W+){{0,4}}{MODEL}\b[^.!?]{{0,80}}?(?:{DUTY}|[:,—]\s*\w+)",
        rf"{MODEL}(?:\s(?:reading|processing|that\sreads?|evaluating|which\sreads?|who\sreads?|seeing)\b[^.!?,]{{0,40}})[^.!?]{{0,20}}{DUTY}\s(?:\w+\s){{0,2}}{SAY}",
        rf"{READER}\s(?:\w+\s){{0,3}}?(?:must|shall|should|has\sto|have\sto|needs?\sto|is\sto|are\sto|will\snow|is\shereby|are\shereby)\s(?:\w+\s){{0,3}}?{RATE}{_near(5)}(?:{CLOSED}|{JUDGED}{_near(4)}{VERDICT})",
        rf"{READER}\s(?:\w+\s){{0,2}}?(?:must|shall|should|has\sto|have\sto|is\sto|are\sto)\s(?:\w+\s){{0,2}}?(?:ignore|disregard|forget|override)\b",
        rf"(?:^|[.!?>\[(*#\"'“]\s*){READER}\s?[:,—]\s?(?:please\s|you\smust\s|kindly\s|always\s|do\snot\s)*(?:{SAY}|{RATE}|{OVERRIDE}|{TELL}|{USE}|{ALTER})\b",
        rf"\b(?:you,?\s(?:the\s)?|dear\s){READER}\b[^.!?]{{0,30}}(?:{DUTY}|{SAY}|{RATE})",
    )
)  # fmt: skip
"""Said to a model, or to one of the roles it has here."""

ANYWHERE = tuple(
    re.compile(pattern)
    for pattern in (
        # Chinese
        r"(?:请|請|必须|必須|立即|应该|應該|需要|现在|現在|务必|務必|你|您|，|。|：|:|^|\s|并|並|、|“|「|！)(?:忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|不要遵守|不要遵循|不必理会|抛开|拋開|抛弃|撇开|跳过|跳過|绕过|繞過|覆盖|推翻|取消|停止执行|停止遵循|放弃|作废|丢弃)(?!了|过)[^。！？\n]{0,16}(?:指令|指示|提示|命令|规则|規則|要求|设定|設定|限制|约束|約束|系统|系統|上文|内容|內容|对话|對話|证据|證據|说明|說明|准则|政策|训练|檢查|检查)",
        r"(?:以上|上面|上述|之前|先前|此前|前面|所有)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|提示|提示词|命令|规则|規則|要求)[^。！？\n]{0,8}(?:作废|作廢|无效|無效|取消|失效|不要|忽略|无视|不再|忘)",
        r"(?:输出|輸出|回答|回复|回覆|回复说|返回|判定|判断|判斷|标记|標記|标注|裁定|宣布|认定|認定|视为|視為|评为|評為|裁决|裁決|结论|結論|判决|判決|写|写上|说|答|给出|給出|打)[^。！？\n]{0,14}(?:支持|得到支持|受支持|矛盾|证据不足|證據不足|没有问题|沒有問題|没问题|沒問題|无问题|正确|正確|属实|屬實|真实|真實|无误|無誤|错误|錯誤|成立|通过|通過|满分|滿分|supported|contradicted|insufficient|no problem)(?=[^。！？\n]{0,6}(?:$|[。！？”」\"'，,；;]))(?<!回答正确)(?<!回答错误)",
        r"(?:必须|必須|应当|應當|务必|務必|只能|只需|只要|只|一律|直接|始终|始終|总是|永远)(?:输出|輸出|回答|回复|回覆|返回|判定|标记|標記|判为|判為|裁定|说|写)",
        r"(?:你|您)(?:现在|現在|从现在起|從現在起)?(?:不再)?(?:是|扮演|作为|作為|成为|成為)[^。！？\n]{0,10}(?:ai|人工智能|助手|助理|语言模型|語言模型|模型|机器人|機器人|评审|評審|裁判|管理员|开发者模式|開發者模式|黑客|评判者)",
        r"(?:系统|系統|开发者|開發者|管理员|管理員)(?:提示|消息|指令|通知|命令|信息)?\s?[:：]\s?[^。！？\n]{0,30}(?:必须|必須|请|請|应|忽略|输出|輸出|回答|判定|标记|你|立即|直接|执行|執行|调用|調用)",
        r"(?:请|請|必须|必須|立即|立刻|务必|马上|现在|你|，|。|：|:|^)(?:调用|調用|运行|運行|执行|執行|使用|启动|启用)[^。！？\n]{0,10}(?:工具|函数|函數|插件|解释器|接口|api|python|shell|终端|搜索引擎)(?:[^。！？\n]{0,20}(?:参数|參數|输入|輸入|并|来|，|查询|执行)|$|。)",
        r"(?:泄露|洩露|透露|显示|顯示|打印|输出|輸出|公开|公開|告诉我|告訴我|重复|重複|复述|複述|说出|發送|发送|列出|给我|提供)[^。！？\n]{0,10}(?:系统提示|系統提示|提示词|提示詞|密钥|密鑰|api|秘钥|密码|密碼|口令|环境变量|環境變量|环境變數|初始指令|内部指令|对话记录|上面的文字|凭证|令牌)",
        r"(?:修改|更改|关闭|關閉|禁用|停用|切换|切換|设置|設置|设为|调整|調整|降低|提高|绕过|繞過|跳过|跳過|取消|停止)[^。！？\n]{0,8}(?:策略|核查|事实核查|验证|驗證|审核|審核|阈值|閾值|护栏|護欄|安全检查|控制器|评估器|检查|過濾|过滤)(?!了)",
        r"(?:ai|人工智能|语言模型|語言模型|大模型|模型|机器人|機器人|助手|评审者|审稿人|评判者|核查者|裁判员|评估者|judge)[^。！？\n]{0,10}(?:必须|必須|请|請|应该|應該|应当|務必|务必|注意)[^。！？\n]{0,20}(?:输出|輸出|回答|回复|判定|标记|標記|返回|忽略|认为|認為|支持|接受|通过|视为)",
        r"(?:把|将|將)[^。！？\n]{0,12}(?:答案|草稿|回答|回复|结论|声明|陈述|主张|说法|論點|论断|断言|裁决|判断)[^。！？\n]{0,10}(?:改为|改成|替换|替換|修改为|写成|換成|换成|标记|標記|判定|判为|判為|视为|視為|评为|当作|标为)",
        r"(?:不要|不必|无需|無需|不用|禁止|别|勿)(?:再)?(?:进行)?(?:核查|检查|檢查|验证|驗證|搜索|查证|查證|质疑|反驳|查阅)[^。！？\n]{0,12}",
        # Japanese
        r"(?:指示|命令|プロンプト|ルール|規則|指令|設定|制約|文脈|内容|会話|証拠|ガイドライン|それ|すべて|全て|もの)(?:を|は|も)?(?:すべて|全て|全部|一切|完全に)?(?:無視|忘れ|破棄|無効|スキップ|取り消|上書き|捨て|従わない|従うな|考慮しない)(?!した(?!う)|していた|された|されて|されると|され)(?:し|て|せ|する|に|と|く|る|、|。|で|$|ず)",
        r"(?:と|を|に|として|で)(?:だけ|のみ|必ず|常に|そのまま)?(?:回答|答え|出力|返答|返信|応答|判定|表示|報告|評価|マーク|結論|宣言|記入|分類|採点|返し|述べ|言っ|書い|扱っ|見なし|みなし)(?:して|し|せよ|しろ|しなさい|するこ|えて|えよ|えろ|てくだ|て下さ|なさい|ること|ってくだ)(?:てください|て下さい|ください|下さい|なさい|ろ|よ|と|。|、|$|く)",
        r"(?:「|\"|『)?(?:支持|矛盾|証拠不足|問題なし|問題ありません|問題はありません|正しい|正解|真|supported|contradicted|insufficient|no problem)(?:」|\"|』|。」)?(?:と|に|として)(?:だけ|のみ|必ず)?(?:判定|回答|答え|出力|返答|返|マーク|評価|報告|判断|分類|結論|みなし|見なし|扱)",
        r"(?:あなた|君|お前)(?:は|が)(?:今|今から|これから|もはや)?[^。！？\n]{0,12}(?:ai|アシスタント|モデル|ボット|審判|評価者|チャットボット|開発者モード|ハッカー)(?:です|だ|である|として|に|では)",
        r"(?:システム|開発者|管理者)(?:プロンプト|メッセージ|指示|命令|通知)?\s?[:：]\s?[^。！？\n]{0,40}(?:無視|回答|出力|判定|ください|せよ|しろ|しなさい|あなた|こと)",
        r"(?:システムプロンプト|プロンプト|apiキー|api key|秘密鍵|パスワード|環境変数|内部指示|初期指示|認証情報|トークン|上の文章)(?:を|の内容を|の全文を)(?:表示|出力|教え|公開|漏ら|送信|明らか|開示|印刷|繰り返|示し|書き出)",
        r"(?:ツール|関数|プラグイン|コード|コマンド|python|シェル|検索|電卓)(?:を|に)(?:[^。！？\n]{0,16}を)?(?:呼び出|実行|使用|起動|使っ|渡し)(?:し|て|せ|すこ|なさい)(?:てください|て下さい|ください|なさい|ろ|よ|と|て|。|、)",
        r"(?:ポリシー|検証|チェック|ファクトチェック|事実確認|ガード|安全機能|閾値|評価器|検索)(?:を|は|の設定を)(?:変更|無効|停止|スキップ|オフ|解除|切り替え|省略|中止|行わない|行うな|しない|するな|不要)",
        r"(?:ai|言語モデル|モデル|アシスタント|判定者|評価者|審査員|チャットボット|レビュアー)(?:は|への|へ|の皆)[^。！？\n]{0,24}(?:必ず|べき|こと|ください|下さい|せよ|しなければ|命令|指示)(?:[^。！？\n]{0,16}|$)(?:。|$|:|：)",
        # Spanish, Portuguese, Italian, French
        r"\b(?:ignor[aeo]n?|ignorad|ignorez|ignorate|ignorare|ignorar|ignorer|olvid[ae]n?|olvidar|esquec[ae]m?|esquecer|dimentica(?:te|re)?|oublie[zr]?|omit[ae]n?|desconsider[ae]m?|descart[ae]n?|trascur[ai](?:te)?|ne\stenez\s(?:pas|aucun)\scompte|no\ssigas|nao\ssiga|non\sseguire|ne\ssuis\spas|ne\ssuivez\spas|faites?\sabstraction|haz\scaso\somiso)\b(?:\W+[\w']+){0,6}?\W+(?:instrucciones|instrucoes|istruzioni|instructions|indicaciones|indicazioni|consignes|ordenes|ordens|ordini|ordres|reglas|regras|regole|regles|prompt|prompts|directives|directrices|diretrizes|comandos|mensajes|mensagens)\b",
        r"\b(?:responde|responda|responda|respondez|reponds|repondez|rispondi|rispondete|contesta|contesten|di|diga|dis|dites|devuelve|retorna|retorne|renvoie|renvoyez|marca|marque|marquez|segna|contrassegna|declara|declare|considere|considera|etiqueta|escribe|escreva|ecris|ecrivez|scrivi|califica|classifique)\b(?:\W+[\w']+){0,7}?\W+(?:respaldad[ao]|apoyad[ao]|verdader[ao]s?|correct[ao]s?|corrett[ao]|correta?s?|verdadeir[ao]s?|suportad[ao]|supportat[ao]|ver[ao]|vrai[es]?|correcte?s?|exacte?s?|verifiee?s?|verificad[ao]|verificat[ao]|falsa?|fausse?|sin\sproblemas?|sem\sproblemas?|aucun\sprobleme|nessun\sproblema|ningun\sproblema|nenhum\sproblema|supported|contradicted|no\sproblem)\b",
        r"\b(?:eres|es|sei|sois|es|tu\ses|vous\setes|voce\se|ahora\seres|agora\se|ora\ssei)\W+(?:\w+\W+){0,3}?(?:asistente|assistente|assistant|modelo\sde\slen?guaj?ge?m?|modele\sde\slangage|chatbot|ia)\b",
        r"\b(?:revela|revele|revelez|rivela|muestra|muestre|mostre|mostra|montre[z]?|affiche[z]?|imprime|stampa|divulgue[z]?)\b(?:\W+[\w']+){0,4}?\W+(?:prompt|clave(?:s)?|chave(?:s)?|chiave|chiavi|cle(?:s)?\sapi|contrasena|senha|mot\sde\spasse|instrucciones|instrucoes|instructions|istruzioni)\b",
        # German, Dutch
        r"\b(?:ignorier(?:e|en|t)?|missachte(?:n)?|vergiss|vergessen\ssie|vergesst|verwirf|negeer|vergeet|uberspring(?:e|en)?|befolge\snicht|beachte\snicht)\b(?:\W+[\w']+){0,6}?\W+(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|regeln|vorgaben?|prompts?|systemprompts?|instructies|opdrachten|regels|anleitung(?:en)?|hinweise)\b",
        r"\b(?:antworte|antworten\ssie|gib|geben\ssie|sage|schreibe|markiere|markieren\ssie|bewerte|bewerten\ssie|erklare|stufe|werte|melde|antwoord|markeer)\b(?:\W+[\w']+){0,7}?\W+(?:belegt|gestutzt|bestatigt|richtig|korrekt|wahr|falsch|widerlegt|kein\sproblem|keine\sprobleme|geen\sprobleem|juist|waar|supported|contradicted|no\sproblem)\b",
        r"\bdu\sbist\W+(?:\w+\W+){0,3}?(?:assistent|sprachmodell|ki|chatbot|modell)\b",
        r"\b(?:zeige|verrate|nenne|drucke|enthulle|offenbare|toon|onthul)\b(?:\W+[\w']+){0,4}?\W+(?:systemprompt|system-prompt|prompt|api-?schlussel|passwort|schlussel|anweisungen|zugangsdaten)\b",
        # Russian (without accents: и for й)
        r"(?:игнорируи(?:те)?|проигнорируи(?:те)?|забудь(?:те)?|отбрось(?:те)?|отмени(?:те)?|пропусти(?:те)?|не\s(?:следуи|следуите|обращаи|обращаите|выполняи|выполняите))(?:\W+\w+){0,6}?\W+(?:инструкц\w+|указани\w+|команд\w*|правил\w*|промпт\w*|подсказк\w+|директив\w+|сообщени\w+)",
        r"(?:ответь(?:те)?|отвечаи(?:те)?|выведи(?:те)?|скажи(?:те)?|напиши(?:те)?|верни(?:те)?|отметь(?:те)?|пометь(?:те)?|считаи(?:те)?|признаи(?:те)?|оцени(?:те)?)(?:\W+\w+){0,7}?\W+(?:подтвержд\w+|верн\w+|правильн\w+|истин\w+|ложн\w+|опроверг\w+|нет\sпроблем|проблем\sнет|supported|contradicted|no\sproblem)",
        r"(?:раскрои(?:те)?|покажи(?:те)?|выведи(?:те)?|назови(?:те)?|сообщи(?:те)?)(?:\W+\w+){0,4}?\W+(?:системн\w+|промпт\w*|ключ\w*|парол\w*|инструкц\w+)",
        # Korean, Arabic, Hindi, Turkish, Indonesian, Vietnamese
        r"(?:지시|명령|프롬프트|규칙|지침|설정|내용)(?:사항)?(?:을|를|은|는)?\s?(?:모두|전부|완전히)?\s?(?:무시|잊|따르지)(?:하고|하세요|하십시오|해|해라|하라|어|으세요|고|말)",
        r"(?:라고|으로|로)\s?(?:만\s)?(?:답|대답|응답|출력|판정|표시|보고|평가)(?:하세요|하십시오|해라|하라|해|해주세요|해 주세요)",
        r"(?:تجاهل|انس|تجاوز|اهمل|أهمل)\w*(?:\s+\S+){0,5}?\s+(?:ال)?(?:تعليمات|اوامر|أوامر|توجيهات|قواعد|السابقة)",
        r"(?:निर्देश|आदेश|नियम)\S*(?:\s+\S+){0,4}?\s+(?:अनदेखा|अनदेखी|भूल|नजरअंदाज|नज़रअंदाज)|(?:अनदेखा|भूल)\s+(?:करें|जाओ|जाएं)",
        r"\b(?:talimatlar\w*|komutlar\w*|yonergeler\w*|kurallar\w*)\W+(?:\w+\W+){0,3}?(?:yok\ssay|unut|gormezden\sgel|dikkate\salma)\w*",
        r"\b(?:abaikan|lupakan|hiraukan)\b(?:\W+\w+){0,4}?\W+(?:instruksi|perintah|petunjuk|arahan|aturan)\b",
        r"\b(?:bo\squa|quen)\b(?:\W+\w+){0,5}?\W+(?:huong\sdan|chi\sdan|menh\slenh|lenh|quy\stac|yeu\scau|chi\sthi)\b",
    )
)  # fmt: skip
"""Other languages; each is looked for in every reading of a sentence."""

STRUCTURE = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"<\|?\s?(?:im_start|im_end|im_sep|system|assistant|user|developer|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text|end_of_turn|start_of_turn|endofprompt|channel|message|return|call)\s?\|?>",
        r"\[/?inst\]|<</?sys>>|<(?:/)?(?:system|assistant|developer|system[-_ ]?(?:prompt|message|reminder|note)|instructions?|tool[-_ ]?(?:result|call|response|use)s?|function[-_ ]?(?:call|result)s?|untrusted|evidence|user[-_ ]?(?:input|message|query)|important|admin|override)(?:\s[^<>\n]{0,60})?/?>",
        r"^\W{0,6}(?:system|assistant|developer)\s?(?:message|prompt|note|notice|override|update|instructions?|turn)?\W{0,3}[:：]\W{0,3}(?=[^\n]{0,160}(?:\byou\b|\byour\b|verdict|supported|contradicted|insufficient|no problem|\bignore|instruction|\bmust\b|answer|\bmark\b|claim|\{))",
        r"^\W{0,6}#{2,}\s?(?:system|instructions?|assistant|response|new\stask|new\sinstructions?|user|human|input|output)\s?(?:prompt|message)?\s?[:：]?\s*$",
        r"(?:^|\n)\W{0,4}(?:human|user)\s?[:：][^\n]{1,200}\n\W{0,4}(?:assistant|ai|bot|model)\s?[:：]",
        r"[\"'“]?\bverdicts?[\"'”]?\s?[:=]\s?[\"'“]?(?:supported|contradicted|insufficient)\b",
        r"[\"'“](?:edits|requirements|checkworthy|met_by|denies_premise|replacement|next_query|first|second)[\"'”]\s?:\s?(?:\[|\{|[\"'“]|true|false|null)",
        r"[\"'“](?:tool|tool_name|function|recipient_name)[\"'”]\s?:\s?[\"'“]\w[^\n]{0,80}[\"'“](?:input|arguments|parameters|args)[\"'”]\s?:",
        r"[\"'“]decision[\"'”]\s?:\s?[\"'“](?:accept|reject)\b",
        r"^\W{0,6}(?:end|begin|start|beginning)\s?(?:of\s)?(?:the\s|all\s)?(?:untrusted\s|quoted\s|retrieved\s)?(?:evidence|quoted\sdata|data\sblock|context\sblock|quotation|tool\s(?:output|results?)|search\sresults?|untrusted\s\w+|user\sinput|prompt|system\s(?:prompt|message)|instructions?|override)(?:\s\d+)?\W{0,6}$",
        r"^\s?\[?[0-9a-f]{16}\]?\s?$",
    )
)  # fmt: skip
"""Imitations of a prompt's own structure: turns, tags, ends of blocks, replies in our forms. Looked for in every reading of the whole text."""

SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|everything|the|your|of|my|these|those|other)*"
    r"(?:previous|prior|above|earlier|preceding|system|original|your|initial)(?:and|system|or|given|of|the)*(?:instruction|prompt|directive|rule|command|message|order|guideline|context)"
    r"|(?:reveal|print|show|leak|repeat|output)(?:me|us)?(?:your|the)(?:system|hidden|initial|secret)?(?:prompt|apikey|instructions)"
    r"|(?:mark|rate|label|judge|report|treat|declare|classify|accept)(?:this|the|every|all|that|each)*(?:claim|statement|answer|draft)s?(?:as|is|to|be|are)*(?:supported|contradicted|verified|true|correct|insufficient)"
    r"|verdict(?:is|mustbe|shouldbe|shallbe|as|to|willbe)?(?:supported|contradicted|insufficient)"
    r"|(?:answer|reply|respond|say|output)(?:only|just|with|exactly)*(?:noproblem|supported|contradicted)"
)
"""What is left of the plainest orders when spaces, marks and lines are taken out."""

MENTION = re.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|phrase|such\sas|e\.g|for\sexample|like|called|wording|string|texts?|message|prompts?|words|wrote|typed|writes?|types?|contains?|containing|hidden|quoted?"
    r"|example|adversar\w*|malicious|hijack\w*|researchers?|users?|slogan|poster|said|says|line|title|titled|song|sign)\b|注入|攻击|攻擊|例如|比如|インジェクション|攻撃|例えば|という"
)
"""Words of somebody who speaks about an order instead of giving it."""
