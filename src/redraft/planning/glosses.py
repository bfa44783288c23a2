"""Words of German and Chinese sentences about tables under the English words that the vocabularies know; what has no gloss stays as it is written.

A gloss keeps the place of the word in the text. An unknown word is thereby never passed over: it stays unaccounted for, and nothing is decided beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from redraft.claims.words import CJK, Word
from redraft.planning.sheets import Sheet, column_words
from redraft.planning.table_words import root

__all__ = ["glossed"]

_CHINESE_LINES = (
    "total 总共 总计 合计 共计 总额 总量 一共 累计 总 共", "average 平均 均值 平均每 人均值", "highest 最高 最多 最大 居首 第一位",
    "lowest 最低 最少 最小 垫底", "grew 增长 上升 上涨 增加 提高 提升 攀升 增 升", "fell 下降 下跌 减少 降低 下滑 回落 跌 降",
    "share 占比 占 比重 份额", "than 比 较", "to 到 至 达到 达 升至 降至", "of 的 之", "was 为 是 有 约为", "and 和 与 及 以及 、",
    "in 在 于 里 中 内", "about 约 大约 近 左右", "median 中位数", "times 倍", "more 多 高出", "less 少 低于", "each 每 各 每个 各个",
    "all 所有 全部 全体 全 整个 前", "reached 实现 录得 取得 完成", "from 从 由 自", "number 数 数量 个 家 名 笔 件 台 人 只",
    "data 数据 表 表格", "region 地区 区域", "target 目标 计划 预计 预算 预期 预测 将", "last 去年 上年 同期 同比 环比 上季 明年 今年",
    "not 不 没 没有 未 非 无", "only 仅 只有", "rank 排名 排 位列", "the 该 其 这 此 了 也 都 则 并 且 就 地", "quarter 季度 季",
    "month 月 个月", "year 年 年度", "period 期", "yuan 元 円", "of の", "was は が", "the です でした だった", "total 合計",
)  # fmt: skip
_GERMAN_LINES = (
    "total insgesamt gesamt zusammen gesamte gesamten", "average durchschnittlich durchschnitt durchschnittliche mittel schnitt mittlere",
    "the der die das dem den des", "highest höchste höchsten höchster meisten größte größten",
    "lowest niedrigste niedrigsten wenigsten kleinste kleinsten geringste geringsten",
    "was betrug war waren lag lagen ist sind beträgt liegt belief beliefen hatte hatten hat haben sich gab wurde wurden",
    "in im am zum zur", "of von vom", "and und sowie", "with mit", "grew stieg stiegen wuchs gestiegen erhöhte zunahm",
    "fell sank sanken fiel fielen gesunken zurück", "to auf bis zu", "by um", "at bei", "for für", "a ein eine einen einem einer eines",
    "came kamen kam", "reached erzielte erzielten erreichte erreichten verzeichnete", "share anteil", "than als", "more mehr",
    "less weniger", "number zahl anzahl", "about rund etwa ca circa knapp", "median median", "target plan ziel budget soll prognose",
    "last vorjahr vorjahres vormonat letzten", "not nicht kein keine keinen", "period zeitraum", "month monat monate monaten",
    "quarter quartal", "year jahr jahre jahres jahren", "percent prozent", "difference differenz unterschied", "all alle allen aller",
    "each jede jeder jedes jeden pro je", "they es sie er", "only nur", "times mal fache", "double doppelte doppelt", "half hälfte halb",
)  # fmt: skip


def _glosses(lines: Sequence[str]) -> Mapping[str, str]:
    return {form: gloss for line in lines for gloss, *forms in [line.split()] for form in forms}


_CHINESE, _GERMAN = _glosses(_CHINESE_LINES), _glosses(_GERMAN_LINES)
_LONGEST = max(map(len, _CHINESE))
_MARKERS = frozenset("der die das und im betrug lag von mit den des für auf wurden wurde war waren".split())
_CJK = re.compile(f"[{CJK}]")


def glossed(sheet: Sheet, text: str, found: Sequence[Word]) -> tuple[Word, ...]:
    """The words of a sentence, those of German and Chinese function under their glosses; `text` is the whole text that their spans point into."""
    if any(_CJK.match(word.text) for word in found):
        return tuple(_chinese(sheet, text, found))
    if sum(word.text.lower() in _MARKERS for word in found) >= 2:
        return tuple(_german(sheet, found))
    return tuple(found)


def _chinese(sheet: Sheet, text: str, found: Sequence[Word]) -> Iterator[Word]:
    """Labels and column names stay; between them the longest gloss at each place is taken."""
    start, end = found[0].span[0], found[-1].span[1]
    columns = {name for column in sheet.fields if _CJK.search(name := "".join(column_words(column.name)))}
    names = columns | {value for column in sheet.fields for value in column.values if _CJK.search(value)}
    kept: set[int] = set()
    whole: dict[int, str] = {}
    for name in sorted(names, key=len, reverse=True):
        at = text.find(name, start, end)
        while at >= 0:
            if name in columns and not kept & set(range(at, at + len(name))):
                whole[at] = name
            kept.update(range(at, at + len(name)))
            at = text.find(name, at + len(name), end)
    skip = start
    for word in found:
        at = word.span[0]
        if at < skip:
            continue
        if at in whole:
            skip = at + len(whole[at])
            yield Word(whole[at], (at, skip), root(whole[at]))
            continue
        if at in kept or not _CJK.match(word.text):
            yield word
            continue
        size = next((size for size in range(_LONGEST, 0, -1) if text[at : at + size] in _CHINESE and not kept & set(range(at, at + size))), 0)
        if not size:
            yield word
            continue
        gloss = _CHINESE[text[at : at + size]]
        skip = at + size
        yield Word(gloss, (at, skip), root(gloss))


def _german(sheet: Sheet, found: Sequence[Word]) -> Iterator[Word]:
    """Function words by their gloss; "Gesamtumsatz" is total and the name of a column."""
    names = {word.lower() for column in sheet.fields for name in (column.name, *column.values) for word in column_words(name)}
    for word in found:
        low = word.text.lower()
        if low in names:
            yield word
        elif low in _GERMAN:
            yield Word(_GERMAN[low], word.span, root(_GERMAN[low]))
        elif low.startswith("gesamt") and low[6:] in names:
            cut = word.span[0] + 6
            yield Word("total", (word.span[0], cut), root("total"))
            yield Word(word.text[6:], (cut, word.span[1]), root(word.text[6:]))
        elif low.startswith("durchschnitts") and low[13:] in names:
            cut = word.span[0] + 13
            yield Word("average", (word.span[0], cut), root("average"))
            yield Word(word.text[13:], (cut, word.span[1]), root(word.text[13:]))
        else:
            yield word
