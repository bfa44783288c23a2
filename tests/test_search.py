"""Search engines against local servers that answer as their APIs do: hits, errors in every provider's own way, and servers that misbehave."""

from __future__ import annotations

import asyncio
import gzip
import logging
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import MissingKey, UnknownName, UsageError
from redraft.tools import TOOLS, open_tools
from redraft.tools.scripted import ScriptedTool, page
from redraft.tools.search import ENGINES, engine_names, open_engine, open_search
from redraft.tools.search.chain import SearchChain
from redraft.tools.search.duckduckgo import DuckDuckGo
from redraft.tools.search.hits import Hit, evidence_of, iso_date, plain, relevance, trust_of
from redraft.tools.search.http import retry_after_seconds
from redraft.tools.search.serper import Serper
from redraft.tools.search.tavily import Tavily
from redraft.tools.search.web import HITS, WebSearch
from redraft.tools.search.wikipedia import Wikipedia, language_of
from redraft.types import Evidence, Failure, Task, ToolCall
from tests.search_mimics import APIS, HANG, KEY, PAGED, PAGES, THEIR_WORDS, Answer, Api, Asked, Server, TavilyApi, WolframApi

QUERY = "How high is the Eiffel Tower?"
by_name = pytest.mark.parametrize("api", APIS, ids=lambda api: api.engine.name)


def call(text: str = QUERY, attempt: int = 0, tool: str = "search") -> ToolCall:
    return ToolCall(tool=tool, input=text, attempt=attempt)


def engine(api: Api, server: Server, timeout_seconds: float = 5.0) -> WebSearch:
    return api.engine(KEY, url=server.url, timeout_seconds=timeout_seconds)


def failed(result: object) -> Failure:
    assert isinstance(result, Failure)
    assert THEIR_WORDS not in result.message
    assert KEY not in repr(result)
    return result


def found(result: object) -> tuple[Evidence, ...]:
    assert isinstance(result, tuple), result
    return result


class TestHits:
    @by_name
    async def test_evidence_says_where_it_is_from_and_belongs_to_the_call(self, api: Api):
        async with Server(by=api.reply) as server:
            result = found(await engine(api, server).run(call()))
        assert {(item.tool, item.input) for item in result} == {("search", QUERY)}
        assert len(result) == (1 if isinstance(api, WolframApi) else HITS)
        assert "330" in result[0].text
        assert "<" not in result[0].text + result[0].title
        assert 0.5 <= result[0].trust <= 0.8
        assert 0.35 <= result[0].relevance <= 1
        assert THEIR_WORDS not in repr(result)
        assert KEY not in repr(result)

    @pytest.mark.parametrize("api", PAGED, ids=lambda api: api.engine.name)
    async def test_a_further_attempt_brings_the_next_hits(self, api: Api):
        async with Server(by=api.reply) as server:
            tool = engine(api, server)
            attempts = [found(await tool.run(call(attempt=attempt))) for attempt in range(4)]
        texts = [item.text for result in attempts for item in result]
        assert len(texts) == len(set(texts)) == 4 * HITS
        assert "330" in texts[0]

    @by_name
    async def test_the_last_attempt_is_empty(self, api: Api):
        async with Server(by=lambda asked: api.reply(asked, PAGES[:3])) as server:
            assert failed(await engine(api, server).run(call(attempt=1))).kind == "empty"

    @by_name
    async def test_the_key_is_sent_once_and_stands_in_no_log_and_no_repr(self, api: Api, caplog: pytest.LogCaptureFixture):
        with caplog.at_level(logging.DEBUG):
            async with Server(by=api.reply) as server:
                tool = engine(api, server)
                await tool.run(call())
                assert api.key_of(server.asked[0]) == KEY
        assert "HTTP Request" in caplog.text  # the library does log what it is asked for
        assert KEY not in caplog.text
        assert KEY not in repr(tool)

    @by_name
    async def test_nothing_found_is_no_error(self, api: Api):
        async with Server(api.empty()) as server:
            assert failed(await engine(api, server).run(call())).kind == "empty"

    async def test_dates_and_scores_are_taken_where_given(self):
        results = [
            {"title": "t", "url": "https://a.org", "content": "x", "score": score, "published_date": "Thu, 02 May 2024 10:00:00 GMT"}
            for score in (0.7, 7, None, True)
        ]
        async with Server(Answer(body={"results": results})) as server:
            first, second, *rest = found(await engine(TavilyApi(), server).run(call("eiffel")))
        assert (first.relevance, second.relevance, {item.relevance for item in rest}) == (0.7, 1.0, {0.0})
        assert first.time == "2024-05-02"

    async def test_what_stands_above_the_results_is_evidence_of_its_page(self):
        box = {"title": "Height", "answer": "330 m", "snippet": "It is 330 m high.", "link": "https://a.org/box"}
        panel = {
            "title": "Eiffel Tower",
            "type": "Tower",
            "description": "A tower.",
            "descriptionLink": "https://en.wikipedia.org/wiki/E",
            "attributes": {"Opened": "1889", "X": 3},
        }
        async with Server(Answer(body={"searchParameters": {}, "organic": [], "answerBox": box, "knowledgeGraph": panel})) as server:
            first, second = found(await Serper(KEY, url=server.url).run(call()))
        assert (first.source, first.text) == ("https://a.org/box", "330 m\nIt is 330 m high.")
        assert (second.source, second.text) == ("https://en.wikipedia.org/wiki/E", "A tower.\nOpened: 1889")

    async def test_a_long_query_is_cut_between_words_and_an_empty_one_is_not_sent(self):
        async with Server(by=TavilyApi().reply) as server:
            tool = engine(TavilyApi(), server)
            await tool.run(call("word " * 200))
            assert failed(await tool.run(call(" \n"))).kind == "bad_input"
        assert [len(asked.body["query"]) for asked in server.asked] == [399]

    async def test_wikipedia_is_asked_by_somebody_with_a_name(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("REDRAFT_CONTACT", "mailto:me@example.org")
        async with Server(Answer(body={"query": {"search": []}})) as server:
            await Wikipedia(url=server.url).run(call())
        assert server.asked[0].headers["user-agent"].endswith("(mailto:me@example.org)")

    @pytest.mark.parametrize(
        ("query", "language"), [("Eiffel Tower", "en"), ("埃菲尔铁塔有多高", "zh"), ("エッフェル塔の高さ", "ja"), ("Эйфелева башня", "ru"), ("에펠탑", "ko")]
    )
    def test_the_wikipedia_of_the_querys_language(self, query: str, language: str):
        assert language_of(query) == language


ERRORS = [(api, name) for api in APIS for name in api.errors()]


class TestErrors:
    @pytest.mark.parametrize(("api", "name"), ERRORS, ids=[f"{api.engine.name}-{name}" for api, name in ERRORS])
    async def test_every_error_has_a_kind_and_is_said_in_our_words(self, api: Api, name: str):
        async with Server(api.errors()[name]) as server:
            failure = failed(await engine(api, server).run(call()))
        assert failure.kind == api.kinds[name]
        assert failure.retry_after_seconds == (3.0 if name in ("rate", "busy") else None)
        if name == "bad key":
            assert api.engine.key_name in failure.message

    @by_name
    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (Answer(status=500, body=THEIR_WORDS.encode()), "unreachable"),
            (Answer(status=503, body=b"", headers={"retry-after": "7"}), "unreachable"),
            (Answer(status=504, body=b""), "timeout"),
            (Answer(status=302, body=b"", headers={"location": "https://evil.example/?"}), "broken"),
            (Answer(status=404, body=b""), "broken"),
            (Answer(body=b"<html>" + THEIR_WORDS.encode()), "broken"),
            (Answer(body=b""), "broken"),
            (Answer(body=[1, 2]), "broken"),
            (Answer(body={"hello": THEIR_WORDS}), "broken"),
            (Answer(body=b"[" * 100_000), "broken"),
            (Answer(body=b'{"results": ' + b"9" * 10_000 + b"}"), "broken"),
            (Answer(body=b"\xff\xfe\x00"), "broken"),
            (Answer(body=b"{}", headers={"content-encoding": "br"}), "broken"),
            (Answer(body=gzip.compress(b'{"a": 1}')[:-5], headers={"content-encoding": "gzip"}), "broken"),
            (Answer(body=b"x" * (5 << 20)), "too_large"),
            (Answer(body=b"cut off", headers={"content-length": "100"}), "unreachable"),
        ],
        ids=["500", "503", "504", "redirect", "404", "page", "nothing", "list", "other", "deep", "digits", "bytes", "brotli", "cut", "huge", "short"],
    )
    async def test_a_server_that_misbehaves(self, api: Api, answer: Answer, kind: str):
        async with Server(answer) as server:
            failure = failed(await engine(api, server).run(call()))
        assert failure.kind == kind
        assert len(server.asked) == 1  # no redirect was followed, no key sent elsewhere

    @by_name
    async def test_garbage_of_the_right_shape(self, api: Api):
        def spoilt(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: spoilt(item) for key, item in value.items()}
            if isinstance(value, list):
                return [spoilt(item) for item in value] + [7]
            return 5 if isinstance(value, str) and "Success" not in value else value

        async with Server(by=lambda asked: Answer(body=spoilt(api.reply(asked).body))) as server:
            assert failed(await engine(api, server).run(call())).kind in ("broken", "empty")

    async def test_a_bomb_is_not_unpacked(self):
        bomb = gzip.compress(b"0" * (200 << 20), 1)
        async with Server(Answer(body=bomb, headers={"content-encoding": "gzip"})) as server:
            assert failed(await engine(TavilyApi(), server).run(call())).kind == "too_large"

    @pytest.mark.parametrize("packed", [gzip.compress, zlib.compress, lambda data: zlib.compress(data)[2:-4]], ids=["gzip", "zlib", "raw"])
    async def test_packed_replies_are_read(self, packed: Any):
        body = b'{"results": [{"title": "t", "url": "https://a.org", "content": "text", "score": 1}]}'
        coding = "gzip" if packed is gzip.compress else "deflate"
        async with Server(Answer(body=packed(body), headers={"content-encoding": coding})) as server:
            assert found(await engine(TavilyApi(), server).run(call()))[0].text == "text"

    async def test_no_answer_in_time(self):
        async with Server(HANG) as server:
            assert failed(await engine(TavilyApi(), server, timeout_seconds=0.05).run(call())).kind == "timeout"

    async def test_no_server(self):
        async with Server(HANG) as server:
            url = server.url
        assert failed(await Tavily(KEY, url=url).run(call())).kind == "unreachable"

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": "Thu, 02 May 2024 10:00:30 GMT"}, 30.0),
            ({"retry-after": "Thu, 02 May 2024 09:00:00 GMT"}, 0.0),
            ({"retry-after": "-4"}, 0.0),
            ({"retry-after": "nan"}, None),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "1e99"}, 86_400.0),
            ({"x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 1999"}, 1.0),
            ({"x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "0, 0"}, 86_400.0),
            ({"x-ratelimit-reset": "1, 2", "x-ratelimit-remaining": "1, 1"}, None),
            ({}, None),
        ],
    )
    def test_how_long_to_wait(self, headers: Mapping[str, str], seconds: float | None):
        assert retry_after_seconds(headers, datetime(2024, 5, 2, 10, 0, tzinfo=UTC)) == seconds


class TestDuckDuckGo:
    async def test_hits_and_further_hits(self):
        pages = [{"title": page.title, "href": page.url, "body": page.text} for page in PAGES]
        tool = DuckDuckGo(look=lambda query, number: pages[(number - 1) * 10 : number * 10])
        results = [found(await tool.run(call(attempt=attempt))) for attempt in range(3)]
        assert [item.source for result in results for item in result] == [page.url for page in PAGES[:15]]

    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            (RatelimitException(THEIR_WORDS), "quota"),
            (TimeoutException(THEIR_WORDS), "timeout"),
            (DDGSException(THEIR_WORDS), "unreachable"),
            (DDGSException("No results found."), "empty"),
        ],
    )
    async def test_its_errors(self, error: Exception, kind: str):
        def look(query: str, number: int) -> list[dict[str, Any]]:
            raise error

        assert failed(await DuckDuckGo(look=look).run(call())).kind == kind


class TestEvidence:
    def test_text_is_plain(self):
        assert plain("The&nbsp;<b>Eiffel</b> Tower\u200b is &lt; 331\x00 m\n\n  high \ud800") == "The Eiffel Tower is < 331 m\nhigh ?"
        assert plain("1 < 2 and 3 > 2") == "1 < 2 and 3 > 2"

    @pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://a.org/x", "https://", "https://a.org/ x", "https://[::1", "https://a.org/\x00"])
    def test_only_addresses_of_the_web_are_sources(self, url: str):
        assert evidence_of(call(), QUERY, Hit(text="x", url=url)).source == ""

    @pytest.mark.parametrize(
        ("url", "trust"),
        [
            ("https://www.nasa.gov/x", 0.8),
            ("https://cs.stanford.edu", 0.8),
            ("https://www.ox.ac.uk", 0.8),
            ("https://en.wikipedia.org/wiki/X", 0.7),
            ("https://notwikipedia.org", 0.6),
            ("https://nasa.gov.evil.com", 0.6),
            ("https://old.reddit.com/r/x", 0.5),
            ("", 0.6),
        ],
    )
    def test_trust_by_the_end_of_the_host(self, url: str, trust: float):
        assert trust_of(url) == trust

    @pytest.mark.parametrize(
        ("query", "text", "least", "most"),
        [
            (QUERY, "The Eiffel Tower is 330 m high", 1.0, 1.0),
            (QUERY, "The Statue of Liberty is 93 m tall", 0.0, 0.0),
            (QUERY, "Blackpool Tower", 0.3, 0.4),
            ("埃菲尔铁塔有多高", "埃菲尔铁塔高330米", 0.6, 1.0),
            ("埃菲尔铁塔有多高", "东京晴空塔高634米", 0.0, 0.2),
        ],
    )
    def test_relevance_is_the_share_of_the_querys_words(self, query: str, text: str, least: float, most: float):
        assert least <= relevance(query, text) <= most

    @given(st.text(), st.text())
    def test_relevance_is_a_share(self, query: str, text: str):
        assert 0 <= relevance(query, text) <= 1
        assert relevance(query, query) in (0, 1)

    @given(st.text())
    def test_any_text_becomes_evidence_that_can_be_stored(self, text: str):
        evidence_of(call(), text, Hit(text=text, title=text, url=text)).text.encode()

    @pytest.mark.parametrize(
        ("text", "date"),
        [
            ("2024-05-02T10:00:00.000Z", "2024-05-02"),
            ("2024-05-02", "2024-05-02"),
            ("Thu, 02 May 2024 10:00:00 GMT", "2024-05-02"),
            ("May 2, 2024", "2024-05-02"),
            ("2 May 2024", "2024-05-02"),
            ("3 days ago", ""),
            ("03/04/2024", ""),
            ("2024-13-45", ""),
            ("Thu, 99 Foo", ""),
            ("", ""),
            (None, ""),
            (7, ""),
        ],
    )
    def test_dates(self, text: object, date: str):
        assert iso_date(text) == date


def broken(kind: str, message: str = "failed") -> ScriptedTool:
    def answer(asked: ToolCall) -> Any:
        return Failure(tool=asked.tool, input=asked.input, kind=kind, message=message, retry_after_seconds=9.0)  # type: ignore[arg-type]

    return ScriptedTool(answer, name=kind)


def working(name: str = "works", source: str = "https://a.org") -> ScriptedTool:
    return ScriptedTool(lambda asked: page(asked, "330 m", source=source), name=name)


class TestChain:
    @pytest.mark.parametrize("kind", ["timeout", "unreachable", "quota", "denied", "bad_input", "broken", "too_large", "unsupported"])
    async def test_the_next_engine_is_asked_where_one_failed(self, kind: str):
        tools = (broken(kind), working(), working("never"))
        result = found(await SearchChain(tools).run(call()))
        assert [item.tool for item in result] == ["search"]
        assert [len(tool.calls) for tool in tools] == [1, 1, 0]

    async def test_nothing_found_is_an_answer_unless_the_caller_wants_more(self):
        assert failed(await SearchChain((broken("empty"), working())).run(call())).kind == "empty"
        assert found(await SearchChain((broken("empty"), working()), on_empty=True).run(call()))

    async def test_where_all_fail_each_is_named(self):
        failure = failed(await SearchChain((broken("denied", "refused the key"), broken("timeout", "no answer"))).run(call()))
        assert (failure.tool, failure.kind, failure.message) == ("search", "denied", "denied: refused the key; timeout: no answer")

    async def test_a_source_is_given_once_whichever_engine_it_came_from(self):
        flaky = [page(call(), "330 m", source="https://a.org"), Failure(tool="x", input="", kind="timeout", message="")]
        chain = SearchChain((ScriptedTool(flaky, name="first"), working()))
        assert found(await chain.run(call()))
        assert failed(await chain.run(call(attempt=1))).kind == "empty"

    async def test_it_is_down_when_all_are(self):
        class Down(ScriptedTool):
            down = True

        assert SearchChain((Down([]),)).down
        assert not SearchChain((Down([]), working())).down


class TestChoice:
    def test_engines_with_a_key_are_asked_in_our_order(self):
        assert engine_names({"EXA_API_KEY": "x", "TAVILY_API_KEY": "y", "WOLFRAM_APP_ID": "z"}) == ("tavily", "exa")
        assert engine_names({}) == ()

    def test_the_user_orders_them(self):
        assert engine_names({"REDRAFT_SEARCH": "wikipedia, Brave,brave", "TAVILY_API_KEY": "y"}) == ("wikipedia", "brave")
        with pytest.raises(UnknownName, match="did you mean 'wikipedia'"):
            engine_names({"REDRAFT_SEARCH": "wikpedia"})

    def test_a_missing_key_is_named(self):
        with pytest.raises(MissingKey, match="BRAVE_API_KEY"):
            open_engine("brave", {})
        with pytest.raises(MissingKey, match="BRAVE_API_KEY"):
            open_search({"REDRAFT_SEARCH": "brave"})
        with pytest.raises(UsageError, match="REDRAFT_SEARCH=wikipedia"):
            open_search({})

    def test_a_bad_number_is_named(self):
        for value in ("fast", "-1", "nan"):
            with pytest.raises(UsageError, match="REDRAFT_BRAVE_RATE"):
                open_engine("brave", {"BRAVE_API_KEY": "x", "REDRAFT_BRAVE_RATE": value})

    def test_likeness_of_queries_is_an_option_of_every_engine(self):
        plain, alike = (open_engine("brave", {"BRAVE_API_KEY": "likeness", **more}) for more in ({}, {"REDRAFT_SEARCH_SIMILARITY": "1"}))
        assert (plain.settings.similarity, alike.settings.similarity) == (None, 1.0)
        for value in ("0", "1.5", "much"):
            with pytest.raises(UsageError, match="REDRAFT_SEARCH_SIMILARITY"):
                open_engine("brave", {"BRAVE_API_KEY": "x", "REDRAFT_SEARCH_SIMILARITY": value})

    def test_one_object_serves_every_run(self):
        keys = {"TAVILY_API_KEY": KEY}
        assert open_search(keys) is open_search(keys)
        assert open_engine("tavily", keys) is open_engine("tavily", keys)
        assert open_engine("tavily", keys) is not open_engine("tavily", {"TAVILY_API_KEY": "other"})
        assert KEY not in repr(open_search(keys)) + repr(open_engine("tavily", keys))

    def test_search_fits_a_task_only_with_a_key(self):
        def names(environment: Mapping[str, str]) -> list[str]:
            return [tool.name for tool in open_tools(Task(query="x"), None, environment)]

        assert "search" not in names({})
        assert "search" not in names({"WOLFRAM_APP_ID": "x"})
        assert names({"TAVILY_API_KEY": KEY})[-1] == "search"
        assert names({"REDRAFT_SEARCH": "wikipedia"})[-1] == "search"

    @pytest.mark.parametrize("name", [*ENGINES, "fetch", "search"])
    def test_every_engine_opens_by_name(self, name: str):
        keys = {engine.key_name: KEY for engine in ENGINES.values() if engine.key_name}
        (tool,) = open_tools(Task(query="x"), [name], keys)
        assert (tool.name, TOOLS[name].name) == (name, name)

    async def test_fifty_equal_queries_at_once_are_one_request(self):
        async with Server(by=TavilyApi().reply) as server:
            tool = open_search({"TAVILY_API_KEY": KEY + "50", "REDRAFT_TAVILY_URL": server.url})
            results = await asyncio.gather(*(tool.run(call()) for _ in range(50)))
        assert len(server.asked) == 1
        assert all(len(found(result)) == HITS for result in results)

    async def test_an_engine_by_its_address_from_the_environment(self):
        async with Server(by=TavilyApi().reply) as server:
            tool = open_search({"TAVILY_API_KEY": KEY, "REDRAFT_TAVILY_URL": server.url + "/"})
            assert len(found(await tool.run(call()))) == HITS
            again = found(await tool.run(call("how high is  the Eiffel tower")))
        assert len(server.asked) == 1
        assert again[0].input == "how high is  the Eiffel tower"
        assert isinstance(server.asked[0], Asked)
