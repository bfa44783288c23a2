"""The text of a web page as its reader sees it: hidden nodes are dropped before anything is read, since nobody could have checked what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from redraft.errors import MissingExtra

__all__ = ["html_text"]

_NEVER_SHOWN = (
    "script, style, template, noscript, head, nav, button, select, option, datalist, iframe, object, svg, canvas, audio, video, [hidden], [aria-hidden=true]"
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html "
    "legend li main menu ol p pre section summary table tbody tfoot thead tr ul caption".split()
)
_FAR = r"-\s*(?:\d{4,}|[5-9]\d{2})(?:\.\d+)?px|-\s*\d{3,}(?:\.\d+)?(?:r?em|vw|vh|%)"
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none"
    r"|visibility\s*:\s*(?:hidden|collapse)"
    r"|content-visibility\s*:\s*hidden"
    r"|font-size\s*:\s*0(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:!important\s*)?(?:;|$)"
    r"|font\s*:\s*0(?:px|pt)?[\s/]"
    r"|opacity\s*:\s*0(?:\.0+)?%?\s*(?:!important\s*)?(?:;|$)"
    r"|color\s*:\s*transparent"
    r"|transform\s*:\s*scale\(\s*0\s*\)"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)"
    rf"|(?:left|top|right|bottom|text-indent|margin-left|margin-top)\s*:\s*(?:{_FAR})"
    rf"|transform\s*:\s*translate[xy]?\(\s*(?:{_FAR}))",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(r"(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:!important\s*)?(?:;|$)", re.IGNORECASE)
_CLIPS = re.compile(r"(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_SHOWING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*(?!none)|visibility\s*:\s*visible)", re.IGNORECASE)


def html_text(page: str) -> tuple[str, str]:
    """Title and text of a page; headings become lines with `#`, blocks are separated by an empty line, cells of a row by ` | `.

    Raises:
        MissingExtra: the parser is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise MissingExtra("reading HTML", "documents") from None
    tree = cast("Any", LexborHTMLParser(page))
    head = tree.css_first("title")
    title = " ".join(head.text().split()) if head is not None else ""
    body = tree.body
    if body is None:
        return title, ""
    hidden = _hidden_by_style_sheets(tree)
    for node in tree.css("[style]"):
        style = node.attributes.get("style") or ""
        if _hides(style):
            hidden[node.mem_id] = node
        elif _SHOWING.search(style):
            hidden.pop(node.mem_id, None)
    dropped = {node.mem_id for node in tree.css(_NEVER_SHOWN)} | set(hidden)
    text = "".join(_lines(body, dropped))
    text = re.sub(r"[^\S\n]+", " ", text)
    text = re.sub(r" *\n *", "\n", text)
    return title, re.sub(r"\n{3,}", "\n\n", text).strip()


def _hides(style: str) -> bool:
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    return bool(_HIDING.search(style)) or bool(_NO_SIZE.search(style) and _CLIPS.search(style))


def _hidden_by_style_sheets(tree: Any) -> dict[int, Any]:
    """Nodes that the page's own style sheets hide: of the rules that show or hide a node the last one holds (specificity is left aside)."""
    hidden: dict[int, Any] = {}
    for sheet in tree.css("style"):
        for selector, declarations in _rules(re.sub(r"/\*.*?\*/", "", sheet.text(), flags=re.DOTALL)):
            hides = _hides(declarations)
            if not hides and not _SHOWING.search(declarations):
                continue
            for part in selector.split(","):
                for node in _selected(tree, part.strip()):
                    if hides:
                        hidden[node.mem_id] = node
                    else:
                        hidden.pop(node.mem_id, None)
    return hidden


def _selected(tree: Any, selector: str) -> list[Any]:
    if not selector or re.search(r"[:@&]", selector):  # states and pseudo-elements are not what the page shows at rest
        return []
    try:
        return list(tree.css(selector))
    except Exception:  # a selector that the parser does not know selects nothing
        return []


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selector and declarations of the rules that always apply; those inside @media, @supports and the like are left out."""
    depth, start, selector = 0, 0, ""
    for match in re.finditer(r"[{}]", sheet):
        if match[0] == "{":
            if depth == 0:
                selector, start = sheet[start : match.start()].rpartition(";")[2].strip(), match.end()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                if not selector.startswith("@"):
                    yield selector, sheet[start : match.start()]
                start = match.end()


def _lines(root: Any, dropped: set[int]) -> Iterator[str]:
    """In document order, without recursion: pages may be nested deeply."""
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag
        if tag == "-text":
            yield re.sub(r"\s+", " ", node.text(deep=False))
            continue
        if tag.startswith(("-", "!")) or node.mem_id in dropped:
            continue
        if tag == "br":
            yield "\n"
            continue
        before, after = _around(node, tag)
        yield before
        stack.append(after)
        children: list[Any] = []
        child = node.child
        while child is not None:
            children.append(child)
            child = child.next
        stack.extend(reversed(children))


def _around(node: Any, tag: str) -> tuple[str, str]:
    """What separates a node's text from what stands before and after it."""
    if re.fullmatch(r"h[1-6]", tag):
        return "\n\n" + "#" * int(tag[1]) + " ", "\n\n"
    if tag == "li":
        return "\n\n- ", "\n\n"
    if tag in ("td", "th"):  # of a table that lays out a page, a cell is a block like any other
        layout = node.css_first("p, div, table, ul, ol, h1, h2, h3") is not None
        last = not any(sibling.tag in ("td", "th") for sibling in _after(node))
        return ("\n\n", "\n\n") if layout else (" ", "" if last else " | ")
    if tag == "tr":
        return "\n", "\n"
    return ("\n\n", "\n\n") if tag in _BLOCKS else ("", "")


def _after(node: Any) -> Iterator[Any]:
    node = node.next
    while node is not None:
        yield node
        node = node.next
