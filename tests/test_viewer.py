"""The viewer's answers to requests: what each page says, what it escapes, whom it answers, and what it never does."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from redraft.cli.app import app as command
from redraft.events import Event, ToolCalled
from redraft.exporting.marking import word_changes
from redraft.records import Records, open_records
from redraft.records.database import SqliteDatabase
from redraft.records.reading import events_of
from redraft.refiner import Refiner
from redraft.trace import Trace, read_jsonl
from redraft.types import Check, Claim, Evidence, Task, ToolCall
from redraft.viewer import create_app
from redraft.viewer.figures import calls_of, figures_of, summed
from redraft.viewer.listing import asked
from redraft.viewer.serving import Server
from redraft.viewer.showing import CHARACTERS, difference, text_view
from redraft.viewer.story import GOES_ON_SECONDS, Text
from redraft.viewer.wording import RULES, STOPS, duration
from tests.viewer_runs import HOSTILE, MAKERS, computed, filled

SPEC = importlib.util.spec_from_file_location("scripted_runs", Path(__file__).resolve().parents[1] / "benchmarks" / "scripted_runs.py")
assert SPEC is not None
assert SPEC.loader is not None
SCRIPTED = importlib.util.module_from_spec(SPEC)
sys.modules["scripted_runs"] = SCRIPTED
SPEC.loader.exec_module(SCRIPTED)
BASE = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    home = tmp_path_factory.mktemp("viewer")
    return home, filled(home)


@pytest.fixture(scope="module")
def client(store: tuple[Path, dict[str, str]]) -> Iterator[TestClient]:
    records = open_records(home=store[0])
    yield TestClient(create_app(records), base_url=BASE)
    records.close()


@pytest.fixture(scope="module")
def names(store: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return store[1]


def page_of(records: Records, **more: Any) -> Callable[[str], str]:
    client = TestClient(create_app(records, **more), base_url=BASE)
    return lambda path: client.get(path).text


class TestTheList:
    def test_all_runs_are_there_the_newest_first(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get("/").text
        assert [f'href="/runs/{name}"' in text for name in names.values()] == [True] * len(names)
        assert "Compare two marked runs" in text

    def test_a_search_finds_words_of_question_and_answer(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get("/", params={"q": "harbours silt"}).text
        assert names["scored"] in text
        assert names["computed"] not in text
        assert 'value="harbours silt"' in text

    def test_filters_narrow_the_list(self, client: TestClient, names: dict[str, str]) -> None:
        assert links(client, status="corrected") == {names["judged"]}
        assert links(client, status="none") == {"unfinished"}
        assert links(client, policy="controlled") == {names["scored"]}
        assert links(client, changed="no") == {names["huge"], names["hostile"], "unfinished"}
        assert links(client, contradicted="yes") == {"unfinished"}
        assert links(client, since="2026-03-02") == set()
        assert len(links(client, since="2026-03-01", until="2026-03-01")) == len(names)

    def test_an_order_can_be_chosen_and_turned_round(self, client: TestClient, names: dict[str, str]) -> None:
        down = re.findall(r'href="/runs/([^"]+)"', client.get("/", params={"sort": "seconds"}).text)
        up = re.findall(r'href="/runs/([^"]+)"', client.get("/", params={"sort": "seconds", "order": "asc"}).text)
        assert down[0] == names["huge"] == up[-1]

    def test_a_malformed_address_is_a_list_all_the_same(self, client: TestClient, names: dict[str, str]) -> None:
        assert len(links(client, sort="nonsense", since="yesterday", changed="perhaps", order="up")) == len(names)
        assert client.get("/", params={"cursor": "nonsense"}).status_code == 404

    def test_every_run_is_on_exactly_one_page(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        for number in range(3):
            computed(records, f"Question {number}?", "1 + 1 = 2.")
        client = TestClient(create_app(records), base_url=BASE)
        first = records.list(limit=2)
        seen = links(client, cursor=first.next)
        assert seen | {row.id for row in first.rows} == {row.id for row in records.list().rows}
        assert len(seen) == 1
        records.close()

    def test_htmx_gets_the_rows_alone_and_a_browser_the_page(self, client: TestClient) -> None:
        rows = client.get("/", headers={"HX-Request": "true"})
        assert "<html" not in rows.text
        assert 'class="runs"' in rows.text
        assert rows.headers["vary"] == "hx-request"
        assert "<html" in client.get("/").text

    def test_the_number_of_runs(self, client: TestClient, names: dict[str, str]) -> None:
        assert client.get("/count").text == f"{len(names)} runs"
        assert client.get("/count", params={"status": "corrected"}).text == "1 run"

    def test_without_runs_it_says_how_to_make_one(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        client = TestClient(create_app(records), base_url=BASE)
        assert "No runs yet." in client.get("/").text
        assert "redraft fix" in client.get("/").text
        assert "No run fits." in client.get("/", params={"q": "zzz"}).text
        records.close()

    def test_filters_offer_what_occurs(self, client: TestClient) -> None:
        text = client.get("/").text
        assert '<option value="controlled">controlled (1)</option>' in text
        assert '<option value="none">no end (1)</option>' in text


def links(client: TestClient, **params: Any) -> set[str]:
    return set(re.findall(r'href="/runs/([^"]+)"', client.get("/", params=params).text))


class TestOneRun:
    def test_it_says_in_a_sentence_why_the_answer_changed(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get(f"/runs/{names['computed']}").text
        assert "The answer changed because a computation contradicts 1 claim of the draft." in text
        assert re.search(r"<del[^>]*><span[^>]*>before: </span>392.8</del>", text)
        assert "17% of 2,340 is 397.8" in text
        assert "Stopped because nothing was left that the evidence contradicts." in text
        assert "intact: 10 events" in text

    def test_a_text_that_nothing_could_be_put_into_had_no_rewrite(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        run = Refiner("none", records=records).revise_sync(Task(query="", kind="report"), "The speed is 100 km / 2 h = 50 m/s.").run_id
        text = page_of(records)(f"/runs/{run}")
        records.close()
        assert "no rewrite was proposed" in text
        assert "refused" not in text.partition("</h1>")[2].partition("</p>")[0]

    def test_a_refused_rewrite_is_shown_with_its_rule(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get(f"/runs/{names['judged']}").text
        assert text.index("Turn 1: refused") < text.index("Turn 2: accepted")
        assert "a source, as a model judged it, contradicts 1 claim" in text
        assert "<code>scope</code> only what a problem names may change" in text
        assert "<mark>born in Corwick</mark>" in text

    def test_figures_stand_against_their_thresholds(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get(f"/runs/{names['scored']}").text
        assert "the evaluator scored the rewrite higher: +0.132, where 0.02 is needed" in text
        assert text.count('data-chart="scores"') == 3
        assert "The score for factuality falls from 0.7800 to 0.7000" in text
        assert "<td>0.730</td>" in text

    def test_a_run_that_changed_nothing_says_so(self, client: TestClient, names: dict[str, str]) -> None:
        assert "The answer did not change: nothing that was checked contradicts it." in client.get(f"/runs/{names['huge']}").text

    def test_an_altered_record_is_said_to_be_one_and_shown_as_far_as_it_is_intact(self, client: TestClient) -> None:
        text = client.get("/runs/altered").text
        assert "This record is not what was written." in text
        assert "Record 4 was altered: its bytes do not give its hash." in text
        assert "4 events" in text
        assert "Turn 1" not in text
        assert "certificate.html" not in text

    def test_an_altered_list_entry_is_said_to_be_one(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        name = computed(records)
        database = records._database  # pyright: ignore[reportPrivateUsage]
        assert isinstance(database, SqliteDatabase)
        with database.write() as execute:
            execute("UPDATE redraft_runs SET status = 'verified' WHERE id = :id", {"id": name})
        text = page_of(records)(f"/runs/{name}")
        assert "The list entry was altered: status is not what the record says." in text
        assert "Turn 1: accepted" in text
        records.close()

    def test_a_record_without_an_end_was_interrupted_or_goes_on(self, store: tuple[Path, dict[str, str]]) -> None:
        records = open_records(home=store[0])
        ended = records.get("unfinished").ended or 0
        later = page_of(records, now=lambda: ended + GOES_ON_SECONDS + 1)("/runs/unfinished")
        assert "This record has no end." in later
        assert "hx-trigger" not in later.split('id="poll"')[-1] or 'id="poll"' not in later
        now = page_of(records, now=lambda: ended + 5)("/runs/unfinished")
        assert "going on" in now
        assert '/live?after=9" hx-trigger="every 1s"' in now
        records.close()

    def test_the_live_part_comes_only_when_there_is_something_new(self, store: tuple[Path, dict[str, str]]) -> None:
        records = open_records(home=store[0])
        client = TestClient(create_app(records, now=lambda: (records.get("unfinished").ended or 0) + 5), base_url=BASE)
        assert client.get("/runs/unfinished/live?after=9").status_code == 204
        part = client.get("/runs/unfinished/live?after=5", headers={"HX-Request": "true"})
        assert part.status_code == 200
        assert "<html" not in part.text
        assert "Ada Marsh" in part.text
        records.close()

    @pytest.mark.parametrize("count", range(10))
    def test_every_beginning_of_a_record_is_a_page(self, store: tuple[Path, dict[str, str]], tmp_path: Path, count: int) -> None:
        records, source = open_records(home=tmp_path), open_records(home=store[0])
        from redraft.trace import jsonl

        kept = read_jsonl(source.export(store[1]["judged"]))[: 2 * count + 1]
        name = records.add(jsonl(kept), "part")
        response = TestClient(create_app(records), base_url=BASE).get(f"/runs/{name}")
        assert response.status_code == 200
        assert f"{len(kept)} event" in response.text
        records.close()
        source.close()

    def test_runs_under_any_policy_have_a_page_with_names_that_occur_once(self, tmp_path: Path) -> None:
        records = open_records(home=tmp_path)
        client = TestClient(create_app(records), base_url=BASE)
        for case in SCRIPTED.cases(32):
            run = Refiner(**case.parts(), records=records).run_sync(case.task).run_id
            response = client.get(f"/runs/{run}")
            assert (case.policy.name, response.status_code) == (case.policy.name, 200)
            found = re.findall(r' id="([^"]+)"', response.text)
            assert len(found) == len(set(found))
            assert 'class="why"' in response.text
        records.close()

    def test_an_event_of_a_later_version_is_named_not_fatal(self, tmp_path: Path) -> None:
        @dataclass(frozen=True, kw_only=True, slots=True)
        class Dreamt(Event):
            type: ClassVar[str] = "dreamt"

        records = open_records(home=tmp_path)
        trace = Trace(keeper=records.keeper("later"))
        for event in [*events_of(records.events(computed(records)))[:5], Dreamt()]:
            trace.write(event)
        text = page_of(records)("/runs/later")
        assert "1 event of a later version" in text
        assert "1 contradicted" in text
        assert "altered" not in text
        assert "<b>dreamt</b>" in text
        records.close()

    def test_a_run_that_is_not_there(self, client: TestClient) -> None:
        response = client.get("/runs/nothing")
        assert response.status_code == 404
        assert "There is no run &#39;nothing&#39;" in response.text
        assert "records.sqlite" not in response.text

    def test_a_page_that_is_not_there(self, client: TestClient) -> None:
        assert client.get("/nowhere").status_code == 404
        assert "The address leads nowhere." in client.get("/nowhere").text

    def test_nothing_can_be_sent_to_it(self, client: TestClient, names: dict[str, str]) -> None:
        assert client.post("/").status_code == 405
        assert client.delete(f"/runs/{names['computed']}").status_code == 405


class TestParts:
    def test_a_long_text_comes_in_parts_that_make_it_up(self, client: TestClient, names: dict[str, str], store: tuple[Path, dict[str, str]]) -> None:
        records = open_records(home=store[0])
        draft = next(record.payload["text"] for record in records.events(names["huge"]) if record.payload["type"] == "drafted")
        records.close()
        place, parts = 0, 0
        while True:
            text = client.get(f"/runs/{names['huge']}/texts/draft", params={"from": place}, headers={"HX-Request": "true"}).text
            parts += 1
            found = re.search(r"texts/draft\?from=(\d+)", text)
            if found is None:
                break
            assert place < int(found[1]) <= place + CHARACTERS
            place = int(found[1])
        assert parts >= len(draft) // CHARACTERS

    def test_checks_come_in_parts_and_alone(self, client: TestClient, names: dict[str, str]) -> None:
        url = f"/runs/{names['huge']}/checks/draft"
        assert client.get(url, params={"from": 60}, headers={"HX-Request": "true"}).text.count('<li class="card') == 60
        alone = client.get(url, params={"only": 300}).text
        assert alone.count('<li class="card') == 1
        assert "300 + 300" in alone
        assert client.get(url, params={"only": "99999"}).text.count('<li class="card') == 0
        assert client.get(f"/runs/{names['huge']}/checks/turn-9").status_code == 404

    def test_events_come_in_parts(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get(f"/runs/{names['huge']}/events", params={"from": 300}, headers={"HX-Request": "true"}).text
        assert '<span class="seq">300</span>' in text
        assert "from=400" in text
        assert "from=" not in client.get(f"/runs/{names['huge']}/events", params={"from": 500}, headers={"HX-Request": "true"}).text

    def test_the_record_is_given_as_it_is_stored(self, client: TestClient, names: dict[str, str], store: tuple[Path, dict[str, str]]) -> None:
        records = open_records(home=store[0])
        response = client.get(f"/runs/{names['judged']}/record.jsonl")
        assert response.content == records.export(names["judged"])
        assert response.headers["content-disposition"] == f'attachment; filename="redraft-{names["judged"]}.jsonl"'
        records.close()

    def test_the_certificate_is_a_file_of_its_own(self, client: TestClient, names: dict[str, str]) -> None:
        response = client.get(f"/runs/{names['judged']}/certificate.html")
        assert response.headers["content-disposition"].startswith("attachment")
        assert "Ada Marsh" in response.text
        assert client.get("/runs/unfinished/certificate.html").status_code == 404
        assert client.get("/runs/altered/certificate.html").status_code == 404


class TestTwoRuns:
    def test_what_differs_stands_side_by_side(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get("/compare", params={"a": names["judged"], "b": "unfinished"}).text
        assert "Struck out stands in A alone" in text
        assert re.search(r"Corwick.*</del>", text)
        assert "no end" in text
        assert "1 check the same in both." in text

    def test_two_marked_boxes_do_the_same(self, client: TestClient, names: dict[str, str]) -> None:
        boxes = client.get(f"/compare?run={names['judged']}&run={names['scored']}")
        assert boxes.status_code == 200
        assert "Why do harbours silt up?" in boxes.text

    def test_equal_runs_differ_in_nothing(self, client: TestClient, names: dict[str, str]) -> None:
        text = client.get("/compare", params={"a": names["scored"], "b": names["scored"]}).text
        assert "The answers are equal." in text
        assert "≠" not in text

    def test_one_run_is_not_enough(self, client: TestClient, names: dict[str, str]) -> None:
        assert client.get("/compare", params={"a": names["scored"]}).status_code == 404
        assert client.get("/compare", params={"a": names["scored"], "b": "none"}).status_code == 404


class Tags(HTMLParser):
    """Names of the elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]


class TestSafety:
    @pytest.mark.parametrize("path", ["/", "/runs/{hostile}", "/runs/{hostile}/events", "/runs/{hostile}/texts/draft", "/compare?a={hostile}&b={judged}"])
    def test_texts_are_text(self, client: TestClient, names: dict[str, str], path: str) -> None:
        text = client.get(path.format(**names)).text
        assert "<script>window" not in text
        assert "<img" not in text
        assert "</textarea>" not in text
        assert 'href="javascript:' not in text
        assert "&lt;script&gt;window" in text or "/compare" in path
        assert "\u202e" not in visible(text)

    def test_a_search_is_text_too(self, client: TestClient) -> None:
        text = client.get("/", params={"q": f'"><script>{HOSTILE}', "status": '"><b>', "model": "{{7*7}}"}).text
        assert "<script>" not in text
        assert "<b>" not in text.split("<main")[1]
        assert "49" not in text

    @pytest.mark.parametrize(
        "path", ["/", "/runs/{judged}", "/nowhere", "/static/viewer.css", "/runs/{judged}/certificate.html", "/runs/{judged}/record.jsonl"]
    )
    def test_every_answer_has_the_headers(self, client: TestClient, names: dict[str, str], path: str) -> None:
        headers = client.get(path.format(**names)).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")

    def test_pages_are_not_kept_by_a_browser(self, client: TestClient, names: dict[str, str]) -> None:
        assert client.get(f"/runs/{names['judged']}").headers["cache-control"] == "no-store"

    def test_no_page_has_a_script_or_style_of_its_own_or_an_address_elsewhere(self, client: TestClient, names: dict[str, str]) -> None:
        for path in ("/", f"/runs/{names['scored']}", f"/compare?a={names['judged']}&b={names['scored']}", "/nowhere"):
            text = client.get(path).text
            found = Tags()
            found.feed(text)
            assert "style" not in found.names
            assert not [name for name in found.attributes if name == "style" or name.startswith("on")]
            assert found.names.count("script") == text.count("<script defer src=")
            assert not re.search(r'(?:src|href|action|hx-get)="(?:https?:)?//', text)

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:80"])
    def test_names_of_this_machine_are_answered(self, client: TestClient, host: str) -> None:
        assert client.get("/", headers={"host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000", "evil.example:127.0.0.1", "", "[::1", "127.0.0.1@evil"]
    )
    def test_other_names_are_refused_everywhere(self, client: TestClient, host: str) -> None:
        for path in ("/", "/static/viewer.css", "/nowhere"):
            response = client.get(path, headers={"host": host})
            assert response.status_code == 421
            assert "--allow-host" in response.text
            assert "content-security-policy" in response.headers

    def test_an_allowed_name_is_answered(self, store: tuple[Path, dict[str, str]]) -> None:
        records = open_records(home=store[0])
        client = TestClient(create_app(records, hosts=("desk.lan",)), base_url="http://desk.lan")
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "127.0.0.1"}).status_code == 421
        records.close()

    def test_records_that_cannot_be_read_are_said_to_be(self, tmp_path: Path) -> None:
        (tmp_path / "records.sqlite").write_bytes(b"this is no database at all" * 100)
        records = open_records(home=tmp_path)
        response = TestClient(create_app(records), base_url=BASE).get("/")
        assert response.status_code == 503
        assert "is damaged" in response.text
        records.close()

    def test_what_it_was_not_made_for_shows_no_traceback(self, store: tuple[Path, dict[str, str]]) -> None:
        def broken() -> float:
            raise RuntimeError("a secret of the machine")

        records = open_records(home=store[0])
        client = TestClient(create_app(records, now=broken), base_url=BASE, raise_server_exceptions=False)
        response = client.get("/")
        assert response.status_code == 500
        assert "a secret" not in response.text
        assert "content-security-policy" in response.headers
        records.close()

    def test_it_can_be_mounted_below_another_path(self, store: tuple[Path, dict[str, str]], names: dict[str, str]) -> None:
        from starlette.applications import Starlette
        from starlette.routing import Mount

        records = open_records(home=store[0])
        client = TestClient(Starlette(routes=[Mount("/view", create_app(records))]), base_url=BASE)
        text = client.get("/view/").text
        assert f'href="/view/runs/{names["judged"]}"' in text
        assert 'href="/view/static/viewer.css' in text
        assert client.get("/view/static/viewer.css").status_code == 200
        records.close()


def visible(page: str) -> str:
    """The page without what is only there to be copied exactly."""
    return re.sub(r'data-copy="[^"]*"', "", page)


class TestShowing:
    @given(before=st.text(alphabet="ab 12,。中文かな\n", max_size=40), after=st.text(alphabet="ab 12,。中文かな\n", max_size=40))
    def test_a_difference_leads_from_one_text_to_the_other(self, before: str, after: str) -> None:
        changes = word_changes(before, after)
        assert "".join(words for kind, words in changes if kind != "new") == before
        assert "".join(words for kind, words in changes if kind != "gone") == after

    def test_scripts_without_spaces_differ_by_character(self) -> None:
        assert word_changes("研发支出占17%", "研发费用占17%") == [("equal", "研发"), ("gone", "支出"), ("new", "费用"), ("equal", "占17%")]

    def test_a_long_unchanged_stretch_is_folded(self) -> None:
        text = "word " * 500
        pieces = difference(f"{text}1{text}", f"{text}2{text}").pieces
        assert [kind for kind, _ in pieces] == ["folded", "equal", "gone", "new", "equal", "folded"]

    @given(
        text=st.text(alphabet="ab \n", min_size=1, max_size=60),
        spans=st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70), st.sampled_from(["supported", "contradicted", "insufficient"])), max_size=6),
    )
    def test_marking_claims_loses_no_character(self, text: str, spans: list[tuple[int, int, Any]]) -> None:
        checks = tuple(Check(claim=Claim(id=f"c{number}", text="x", span=(start, end)), status=status) for number, (start, end, status) in enumerate(spans))
        view = text_view("draft", Text(text=text, checks=checks), {})
        assert "".join(piece.text for piece in view.pieces) == text

    def test_the_worst_verdict_is_shown_where_claims_overlap(self) -> None:
        checks = (
            Check(claim=Claim(id="a", text="abcd", span=(0, 4)), status="supported"),
            Check(claim=Claim(id="b", text="bc", span=(1, 3)), status="contradicted"),
        )
        pieces = text_view("draft", Text(text="abcd", checks=checks), {}).pieces
        assert [(piece.text, piece.status, piece.last) for piece in pieces] == [
            ("a", "supported", False),
            ("bc", "contradicted", True),
            ("d", "supported", True),
        ]

    def test_evidence_is_cut_around_its_deciding_words(self) -> None:
        item = Evidence(tool="search", input="q", text=f"{'before ' * 100}the very words {'after ' * 3000}")
        check = Check(claim=Claim(id="a", text="abcd", span=(0, 4)), status="supported", quote="the very words", evidence=(item.id,))
        source = text_view("draft", Text(text="abcd", checks=(check,)), {item.id: item}).cards[0].sources[0]
        assert [words for decides, words in source.excerpt if decides] == ["the very words"]
        assert source.cut
        assert sum(len(words) for _, words in source.excerpt) < 500
        assert len(source.whole) < 9000

    def test_calls_that_overlap_are_said_to_run_together(self) -> None:
        def call(begin: float, seconds: float) -> ToolCalled:
            return ToolCalled(key=f"{begin}", call=ToolCall(tool="search", input="q"), started_seconds=begin, seconds=seconds)

        lines = calls_of([call(12, 1), call(10, 2), call(10.5, 1), call(11, 3)])
        assert [(line.begin, line.end, line.lane) for line in lines] == [(0, 2, 0), (0.5, 1.5, 1), (1, 4, 2), (2, 3, 1)]
        assert summed(lines) == "4.0 s from the first call to the last: models worked for 0 ms, tools for 4.0 s; up to 3 calls ran together."
        assert "each call waited for the one before it" in summed(calls_of([call(0, 1), call(1, 1)]))
        assert summed(()) == "No model and no tool was called."

    def test_figures_of_other_policies_are_none(self) -> None:
        assert figures_of({}, {}, {}) == ()
        assert figures_of({"retained": 3, "candidate": None}, {"control": 4}, {}) == ()

    def test_every_reason_and_rule_has_words(self) -> None:
        from redraft.policy import STOP_ORDER

        assert set(STOPS) == set(STOP_ORDER)
        assert {"hard_fail", "scope", "veto", "critical_guard", "repair", "gain", "always", "latest", "falls", "no_guard"} <= set(RULES)

    @pytest.mark.parametrize(("seconds", "words"), [(0, "0 ms"), (0.0004, "0.4 ms"), (0.25, "250 ms"), (3.14, "3.1 s"), (61, "1 min 1 s"), (7300, "2 h 1 min")])
    def test_lengths_of_time(self, seconds: float, words: str) -> None:
        assert duration(seconds) == words

    @given(
        pairs=st.lists(st.tuples(st.sampled_from(["q", "sort", "order", "status", "since", "until", "changed", "cursor", "tag", "x"]), st.text(max_size=12)))
    )
    def test_any_address_is_a_list_whose_own_address_asks_for_the_same(self, pairs: list[tuple[str, str]]) -> None:
        from urllib.parse import parse_qsl

        first = asked(pairs)
        again = asked(parse_qsl(first.address()))
        assert (again.sort, again.descending, again.filters.changed, again.filters.since) == (
            first.sort, first.descending, first.filters.changed, first.filters.since,
        )  # fmt: skip


class TestTheCommand:
    def test_a_run_that_is_not_there_is_said_before_serving(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from redraft.errors import InputError

        monkeypatch.setenv("REDRAFT_HOME", str(tmp_path))
        result = CliRunner().invoke(command, ["view", "nothing", "--no-open"])
        assert isinstance(result.exception, InputError)
        assert "there is no run 'nothing'" in str(result.exception)

    def test_a_port_that_is_taken_is_said_to_be(self) -> None:
        from redraft.errors import UsageError

        first = Server()
        port = int(first.url.rsplit(":", 1)[1].strip("/"))
        with pytest.raises(UsageError, match="--port"):
            Server(port=port)
        first._socket.close()  # pyright: ignore[reportPrivateUsage]

    def test_it_prints_its_address_answers_and_ends_quietly(self, store: tuple[Path, dict[str, str]]) -> None:
        import os
        import signal
        import subprocess
        import urllib.request

        environment = {**os.environ, "REDRAFT_HOME": str(store[0])}
        program = [sys.executable, "-m", "redraft.cli", "view", "unfinished", "--no-open"]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/runs/unfinished", address)
            with urllib.request.urlopen(address, timeout=20) as response:
                assert b"Ada Marsh" in response.read()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        assert (out, err) == ("", "")
        assert process.returncode in (0, 130)

    def test_every_kind_of_run_was_looked_at(self, names: dict[str, str]) -> None:
        assert set(names) == {*MAKERS, "unfinished", "altered"}
