"""Orders to a model in languages other than English: for each, what to look for first, and the pattern. Plain lower-case text without accents."""

from __future__ import annotations

__all__ = ["FOREIGN"]


def _one(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


# Chinese
_ZH_IGNORE = _one(
    "忽略 忽视 忽視 无视 無視 忘记 忘記 忘掉 不要理会 不要理會 不要遵守 不要遵循 不必理会 抛开 拋開 抛弃 撇开 跳过 跳過 绕过 繞過 "
    "覆盖 推翻 停止执行 停止遵循 放弃 丢弃"
)
_ZH_CONTROL = _one(
    "指令 指示 提示词 提示詞 提示 命令 规则 規則 要求 设定 設定 限制 约束 約束 系统 系統 上文 以上内容 对话 對話 证据 證據 说明 說明 准则 训练 训練 检查 檢查"
)
_ZH_SAY = _one("输出 輸出 回答 回复 回覆 返回 判定 判断 判斷 标记 標記 标注 标为 裁定 宣布 认定 認定 视为 視為 评为 評為 判为 判為 写上 给出 給出")
_ZH_VERDICT = _one(
    "支持 受支持 得到支持 为真 真的 矛盾 证据不足 證據不足 没有问题 沒有問題 没问题 沒問題 无问题 "
    "正确 正確 属实 屬實 真实 真實 无误 無誤 错误 錯誤 成立 通过 通過 满分 "
    "supported contradicted insufficient no.problem"
)
_ZH_MODEL = _one("ai 人工智能 语言模型 語言模型 大模型 模型 机器人 機器人 智能体 助手 助理 评审 評審 裁判 审稿人 核查者 评估者 黑客 开发者模式 開發者模式")
_ZH_MUST = _one("请 請 必须 必須 应当 應當 应该 應該 应 應 务必 務必 只能 只需 只要 一律 直接 始终 始終 总是 立即 立刻 马上 现在 現在")
_ZH_WORK = _one("答案 草稿 回答 回复 结论 声明 陈述 陳述 主张 主張 说法 說法 论断 断言 裁决 判断 主題")
# Japanese
_JA_CONTROL = _one("指示 命令 プロンプト ルール 規則 指令 設定 制約 文脈 会話 証拠 ガイドライン")
_JA_VERDICT = _one("支持 矛盾 証拠不足 問題なし 問題ありません 問題はありません 正しい 正解 真実 supported contradicted insufficient no.problem")
_JA_SAY = _one("回答 答え 出力 返答 返信 応答 判定 表示 報告 評価 マーク 結論 宣言 記入 分類 採点 みなし 見なし 扱う 扱い 言って 返し")
_JA_END = _one("ください 下さい しろ せよ しなさい すること なさい ねばなりません なければなりません べき て。 て$ 、 。")

FOREIGN: tuple[tuple[str, str], ...] = (
    (r"任务|任務|职责", r"(?:你|您)的(?:新|唯一|真正)?(?:的)?(?:任务|任務|职责)(?:是|为|就是)"),
    (r"提示|指令", r"(?:把|将|將)[^。！？\n]{0,4}(?:系统提示|系統提示|提示词|提示詞|内部指令)[^。！？\n]{0,8}(?:翻译|翻譯|发给|發給|写出|输出)"),
    (r"ai|模型|机器人", r"(?:ai|模型|机器人)\s?(?:读者|讀者|阅读者|爬虫)?\s?(?:请注意|請注意|注意)"),
    (r"无需|無需|不必|不用|无须", r"(?:无需|無需|不必|不用|无须)(?:再)?(?:查证|核实|核查|验证|驗證)"),
    (r"置き換え|書き換え|変更", rf"(?:回答|答え|判定|結論)(?:を|は)[^。\n]{{1,24}}(?:に|へ)(?:置き換え|書き換え|変更)[^。\n]{{0,4}}{_JA_END}"),
    (r"ai|モデル|アシスタント", rf"(?:ai|モデル|アシスタント)は、?[^。\n]{{0,24}}(?:{_JA_SAY}|支持)[^。\n]{{0,12}}(?:なければ|べき|こと$|こと。|ください)"),
    (r"プロンプト", r"(?:システム)?プロンプト(?:の内容|の全文)?を[^。\n]{0,4}(?:教え|見せ)"),
    (
        r"unicamente|solamente|solo|uniquement|seulement|soltanto|apenas|somente|nur|только",
        r"\b(?:responde|responda|contesta|di|reponds|repondez|dis|rispondi|antworte|sage|schreibe|ответь|отвечаи)\s"
        r"(?:unicamente|solamente|solo|uniquement|seulement|soltanto|apenas|somente|nur|только)\b",
    ),
    (_ZH_IGNORE, rf"(?<![他她它们了]){_ZH_IGNORE}(?!了|过|過)[^。！？\n]{{0,14}}{_ZH_CONTROL}(?![^。！？\n]{{0,2}}的(?:后果|风险))"),
    (
        r"作废|作廢|失效|忽略",
        rf"(?:以上|上面|上述|之前|先前|此前|前面|所有)的?(?:所有|全部|一切)?的?{_ZH_CONTROL}[^。！？\n]{{0,8}}(?:作废|作廢|失效|不要|忽略|无视|不再有效)",
    ),
    (r"上述内容|以上内容|其他来源|其他证据", rf"{_ZH_IGNORE}[^。！？\n]{{0,4}}(?:上述内容|以上内容|其他来源|其他证据|上面的内容)"),
    (r"用户", r"(?:告诉|告知|回复|对)用户[^。！？\n]{0,6}(?:答案|结论|说法|这|该)"),
    (_ZH_WORK, rf"{_ZH_MUST}[^。！？\n]{{0,4}}(?:同意|赞成|接受|相信|认可)[^。！？\n]{{0,6}}{_ZH_WORK}"),
    (r"只(?:能)?(?:回答|回复|输出)", r"(?:只|仅|只能)(?:回答|回复|输出|返回)\s?[“\"「『'a-z]"),
    (_ZH_VERDICT, rf"{_ZH_MUST}[^。！？\n]{{0,16}}{_ZH_SAY}[^。！？\n]{{0,12}}{_ZH_VERDICT}"),
    (_ZH_VERDICT, rf"{_ZH_SAY}(?:为|為|成|是|说|：|:)\s?[“\"「『']?{_ZH_VERDICT}[”\"」』']?\s?(?:$|[。！？，,；;])"),
    (_ZH_MODEL, rf"(?:你|您)(?:现在|現在|从现在起|從現在起|已经)?(?:不再)?(?:是|扮演|作为|作為|成为|成為)[^。！？\n]{{0,24}}{_ZH_MODEL}"),
    (r"[:：]", rf"(?:系统|系統|开发者|開發者|管理员|管理員)(?:提示|消息|指令|通知|命令)?\s?[:：]\s?[^。！？\n]{{0,30}}(?:{_ZH_MUST}|忽略|你)"),
    (
        r"工具|函数|函數|插件|解释器|python|shell|终端",
        rf"(?:{_ZH_MUST}|，|^)\s?(?:立即)?(?:调用|調用|运行|運行|执行|執行|启动)[^。！？\n]{{0,8}}(?:工具|函数|函數|插件|解释器|python|shell|终端)",
    ),
    (
        r"提示词|提示詞|密钥|密鑰|秘钥|密码|密碼|口令|环境变量|環境變量|api|凭证|令牌|系统提示|系統提示|内部指令|初始指令",
        r"(?:泄露|洩露|透露|显示|顯示|打印|输出|輸出|公开|公開|告诉我|告訴我|重复|重複|复述|说出|發送|发送|列出)[^。！？\n]{0,6}(?:你|系统|系統|内部|所有|初始)[^。！？\n]{0,8}"
        r"(?:提示词|提示詞|提示|密钥|密鑰|秘钥|密码|密碼|口令|环境变量|環境變量|api|凭证|令牌|指令)",
    ),
    (
        r"策略|核查|验证|驗證|审核|審核|阈值|護欄|护栏|控制器|评估器",
        r"(?:修改|更改|关闭|關閉|禁用|停用|切换|切換|绕过|繞過|跳过|跳過|停止)[^。！？\n]{0,4}(?:策略|事实核查|核查|验证|驗證|审核|審核|阈值|护栏|護欄|控制器|评估器)(?!了|过)",
    ),
    (_ZH_MODEL, rf"{_ZH_MODEL}[^。！？\n]{{0,8}}{_ZH_MUST}[^。！？\n]{{0,12}}(?:{_ZH_SAY}|忽略|接受|相信)"),
    (_ZH_WORK, rf"(?:把|将|將)[^。！？\n]{{0,10}}{_ZH_WORK}[^。！？\n]{{0,8}}(?:改为|改成|替换|替換|换成|換成|标记|標記|判定|判为|判為|视为|視為|评为)"),
    (_ZH_WORK, rf"(?:不要|不必|无需|無需|不用|禁止|别)再?(?:进行)?(?:核查|检查|檢查|验证|驗證|查证|查證|质疑|反驳)[^。！？\n]{{0,6}}{_ZH_WORK}"),
    # Japanese
    (
        _JA_CONTROL,
        rf"{_JA_CONTROL}(?:を|は|も)?(?:すべて|全て|全部|一切|完全に)?(?:(?:無視|破棄|スキップ|無効に)(?:し(?:て|、|なさい|ろ)|せよ|する(?:こと|よう))|忘れ(?:て|なさい|ろ|、)|従わない(?:で|こと)|従うな)"
        r"(?=\s?(?:ください|下さい|、|。|「|『|\"|$|回答|答え|出力|判定|以下|次|この|代わり|あなた))",
    ),
    (_JA_VERDICT, rf"[「『\"]?{_JA_VERDICT}[」』\"]?(?:。[」』])?(?:と|に|として)(?:だけ|のみ|必ず)?{_JA_SAY}(?:し|せ|す|え|て)?[^。\n]{{0,6}}{_JA_END}"),
    (
        r"出力|回答|答え|表示",
        rf"(?:答え|回答|応答|返答|判定)(?:として|は|を)[^。\n]{{1,30}}(?:と|を|に)(?:だけ|のみ)?(?:出力|回答|答え|変更|書き換え|返)(?:し|せ|え|る)[^。\n]{{0,4}}{_JA_END}",
    ),
    (r"以前|これまで|前の|上記", rf"(?:以前|これまで|前|上記)の{_JA_CONTROL}(?:を|は|も)[^。\n]{{0,6}}(?:忘れ|無視|破棄)"),
    (_JA_VERDICT, rf"(?:必ず|常に|ただ)[^。\n]{{0,4}}[「『\"]?{_JA_VERDICT}[」』\"]?と[^。\n]{{0,8}}(?:こと|ください|せよ|なさい)"),
    (
        r"あなた|君|お前",
        r"(?:あなた|君|お前)(?:は|が)(?:今|今から|これから|もはや)?[^。\n]{0,16}(?:ai|アシスタント|モデル|ボット|審判|評価者|開発者モード|ハッカー)(?:です|だ|である|として|に)",
    ),
    (
        r"[:：]",
        r"(?:システム|開発者|管理者)(?:プロンプト|メッセージ|指示|命令)?\s?[:：]\s?[^。\n]{0,40}(?:無視|回答|出力|判定|ください|せよ|しろ|しなさい|あなた)",
    ),
    (
        r"プロンプト|api|秘密鍵|パスワード|環境変数|認証情報|内部指示",
        r"(?:システムプロンプト|プロンプト|api\s?キー|秘密鍵|パスワード|環境変数|内部指示|初期指示|認証情報)(?:を|の内容を|の全文を)[^。\n]{0,8}(?:表示|出力|教え|公開|漏ら|送信|開示|繰り返|書き出)",
    ),
    (
        r"ツール|関数|python|シェル|インタープリタ",
        rf"(?:ツール|関数|python|シェル|インタープリタ)(?:を|に|で)[^。\n]{{0,12}}(?:呼び出|実行|起動)(?:し|せ|す)[^。\n]{{0,4}}{_JA_END}",
    ),
    (
        r"検証|チェック|事実確認|ガード|ポリシー",
        rf"(?:ファクトチェック|検証|事実確認|ガード|ポリシー)(?:を|は)(?:変更|無効に|停止|スキップ|省略|中止)(?:し|せ|す)[^。\n]{{0,4}}{_JA_END}",
    ),
    (
        r"ai|モデル|アシスタント|評価者|審査員|レビュアー|判定者",
        r"(?:ai|言語モデル|モデル|アシスタント|判定者|評価者|審査員|レビュアー)(?:アシスタント|モデル)?(?:へ|への指示|の皆様へ)\s?[:：、]",
    ),
    # Spanish, Portuguese, Italian, French
    (
        r"instruc|istruz|consigne|indicac|indicaz|ordenes|ordens|ordini|ordres|reglas|regras|regole|regles|prompt|directi|directri|diretriz",
        r"\b(?:ignor[aeo]n?|ignorad|ignorez|ignorate|ignorare|ignorar|ignorer|olvid[ae]n?|esquec[ae]m?|dimentica(?:te)?|oublie[zr]?"
        r"|desconsider[ae]m?|descart[ae]n?|trascur[ai]"
        r"|ne\stenez\s(?:pas|aucun)\scompte|no\ssigas|nao\ssiga|non\sseguire|ne\ssuivez\spas|faites\sabstraction|haz\scaso\somiso)\b(?:\W+[\w']+){0,6}?\W+"
        r"(?:instrucciones|instrucoes|istruzioni|instructions|indicaciones|indicazioni|consignes|ordenes|ordens|ordini|ordres|reglas|regras|regole"
        r"|regles|prompts?|directives"
        r"|directrices|diretrizes)\b",
    ),
    (
        r"olvida|ignora|esque|dimentica",
        r"\b(?:olvida|ignora|esqueca|dimentica)\s(?:todo\s|tudo\s|tutto\s)?(?:lo\santerior|o\santerior|cio\sche\sprecede|quanto\sdetto)",
    ),
    (
        r"correct|corrett|corret|verdad|verdade|vrai|vero|vera|valid|supported|contradicted|problem",
        r"\b(?:responde|responda|respondez|reponds|repondez|rispondi|rispondete|contesta|di|diga|dis|dites|devuelve|retorne|renvoyez|marca|marque"
        r"|marquez|segna|contrassegna"
        r"|declara|considere|considera|considerez|etiqueta|classifique)\b(?:\W+[\w']+){0,6}?\W+(?:que|che|qu'\w+|como|comme|come|:)\W+(?:\W*[\w']+){0,5}?\W*"
        r"\b(?:respaldad[ao]|verdader[ao]|correct[ao]|corrett[ao]|correta?o?|verdadeir[ao]|suportad[ao]|ver[ao]|vraie?|correcte?|exacte?|verifiee?"
        r"|verificad[ao]|supported"
        r"|contradicted|no\sproblem)\b",
    ),
    (
        r"asistente|assistente|assistant|modelo\sde|modele\sde|chatbot",
        r"\b(?:ahora\seres|eres|agora\svoce\se|voce\se|ora\ssei|tu\ses|vous\setes)\W+(?:\w+\W+){0,3}?(?:asistente|assistente|assistant|modelo\sde"
        r"|modele\sde\slangage|chatbot)\b",
    ),
    (
        r"prompt|clave|chave|chiav|contrasen|senha|mot\sde\spasse|instru|istruz",
        r"\b(?:revela|revele|revelez|rivela|muestra|muestre|mostre|montrez?|affichez?|imprime|stampa|divulguez?)\b(?:\W+[\w']+){0,3}?\W+(?:prompt"
        r"|claves?|chaves?|chiav[ei]|contrasenas?"
        r"|senhas?|mots?\sde\spasse|tus\sinstrucciones|suas\sinstrucoes|vos\sinstructions|le\stue\sistruzioni)\b",
    ),
    # German, Dutch
    (
        r"anweisung|instruktion|instructie|befehl|regeln|regels|vorgabe|prompt|opdracht",
        r"\b(?:ignorier(?:e|en|t)?|missachte|vergiss|vergessen\ssie|vergesst|verwirf|negeer|vergeet|uberspringe|befolge\snicht"
        r"|beachte\snicht)\b(?:\W+[\w']+){0,5}?\W+"
        r"(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|regeln|vorgaben?|prompts?|systemprompts?|instructies|opdrachten|regels)\b",
    ),
    (
        r"belegt|gestutzt|bestatigt|richtig|korrekt|wahr|falsch|widerlegt|juist|waar|supported|problem",
        r"\b(?:antworte|antworten\ssie|gib|geben\ssie|markiere|markieren\ssie|bewerte|bewerten\ssie|stufe|antwoord"
        r"|markeer)\b(?:\W+[\w']+){0,5}?\W+(?:dass|das|als|aus|mit|dat|:)"
        r"(?:\W+[\w']+){0,5}?\W+(?:belegt|gestutzt|bestatigt|richtig|korrekt|wahr|falsch|widerlegt|kein\sproblem|juist|waar|supported|contradicted"
        r"|no\sproblem)\b",
    ),
    (r"vergiss|vergessen|ignorier", r"\b(?:vergiss|ignoriere?|vergessen\ssie)\s(?:alles|was)\b[^.!?]{0,40}\b(?:gesagt|gegeben|oben|zuvor|vorher|bisher)"),
    (r"du\sbist", r"\bdu\sbist\s(?:jetzt\s|nun\s)?(?:\w+\s){0,2}?(?:assistent|sprachmodell|ki|chatbot)\b"),
    (
        r"prompt|schlussel|passwort",
        r"\b(?:zeige|verrate|nenne|enthulle|offenbare|toon|onthul)\b(?:\W+[\w']+){0,3}?\W+(?:system-?prompt|prompt|api-?schlussel|passwort|schlussel)\b",
    ),
    # Russian
    (
        r"инструкц|указани|команд|промпт|подсказк|директив",
        r"(?:игнорируи(?:те)?|проигнорируи(?:те)?|забудь(?:те)?|отбрось(?:те)?|не\s(?:следуи|следуите|выполняи|выполняите))(?:\W+\w+){0,5}?\W+"
        r"(?:инструкц\w+|указани\w+|команд\w*|правил\w*|промпт\w*|подсказк\w+|директив\w+)",
    ),
    (
        r"подтвержд|верн|правильн|истин|ложн|опроверг|проблем|supported",
        r"(?:ответь(?:те)?|отвечаи(?:те)?|выведи(?:те)?|скажи(?:те)?|верни(?:те)?|отметь(?:те)?|пометь(?:те)?|считаи(?:те)?"
        r"|признаи(?:те)?)(?:\W+\w+){0,5}?\W+(?:что|как|:)"
        r"(?:\W+\w+){0,5}?\W+(?:подтвержд\w+|верн\w+|правильн\w+|истин\w+|ложн\w+|опроверг\w+|проблем\w*|supported|contradicted)",
    ),
    (r"промпт|ключ|парол|системн", r"(?:раскрои(?:те)?|покажи(?:те)?|выведи(?:те)?|сообщи(?:те)?)(?:\W+\w+){0,3}?\W+(?:системн\w+|промпт\w*|парол\w*|api)"),
    # Korean, Arabic, Hindi, Turkish, Indonesian, Vietnamese
    (
        r"지시|명령|프롬프트|규칙|지침",
        r"(?:지시|명령|프롬프트|규칙|지침)(?:사항)?(?:을|를|은|는)?\s?(?:모두|전부|완전히)?\s?(?:무시|잊|따르지)(?:하고|하세요|하십시오|해라|하라|으세요|고|말)",
    ),
    (r"답|판정|출력|표시", r"(?:라고|으로|로)\s?(?:만\s)?(?:답|대답|응답|출력|판정|표시)(?:하세요|하십시오|해라|하라|해\s?주세요)"),
    (r"تعليمات|اوامر|أوامر|توجيهات", r"(?:تجاهل|انس|تجاوز|اهمل|أهمل)\w*(?:\s+\S+){0,4}?\s+(?:ال)?(?:تعليمات|اوامر|أوامر|توجيهات)"),
    (r"निर्देश|आदेश", r"(?:निर्देश|आदेश)\S*(?:\s+\S+){0,4}?\s+(?:अनदेखा|अनदेखी|भूल|नजरअंदाज)"),
    (r"talimat|komut|yonerge", r"\b(?:talimatlar|komutlar|yonergeler)\w*\W+(?:\w+\W+){0,3}?(?:yok\ssay|unut|gormezden\sgel|dikkate\salma)\w*"),
    (r"instruksi|perintah|petunjuk", r"\b(?:abaikan|lupakan|hiraukan)\b(?:\W+\w+){0,4}?\W+(?:instruksi|perintah|petunjuk)\b"),
    (r"huong\sdan|chi\sdan|menh\slenh|chi\sthi", r"\b(?:bo\squa|quen)\b(?:\W+\w+){0,5}?\W+(?:huong\sdan|chi\sdan|menh\slenh|chi\sthi)\b"),
)
"""Each pair: a sign that is cheap to look for, and the pattern that cannot match without it."""
