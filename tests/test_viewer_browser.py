"""The viewer in a real browser: Debian's Chromium, headless. Every page, every interactive part, without errors, requests elsewhere, or barriers."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from redraft.records import open_records
from redraft.viewer import Server, create_app
from tests.viewer_runs import filled

ARGUMENTS = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run".split()
PAGES = {
    "list": "/",
    "filtered list": "/?status=corrected&q=Ada",
    "computed": "/runs/{computed}",
    "judged": "/runs/{judged}",
    "scored": "/runs/{scored}",
    "chinese": "/runs/{chinese}",
    "right to left": "/runs/{right_to_left}",
    "hostile": "/runs/{hostile}",
    "huge": "/runs/{huge}",
    "altered": "/runs/altered",
    "going on": "/runs/unfinished",
    "comparison": "/compare?a={judged}&b={computed}",
    "one check": "/runs/{huge}/checks/draft?only=300",
    "missing": "/runs/nothing",
}
MISSING = "/runs/nothing"


class Site:
    """A served viewer with one run of each kind."""

    def __init__(self, home: Path) -> None:
        self.names = filled(home)
        self.records = open_records(home=home)
        self.moment = (self.records.get("unfinished").ended or 0) + 5
        server = Server()
        self.url = server.url.rstrip("/")
        ready = threading.Event()
        app = create_app(self.records, now=lambda: self.moment)
        threading.Thread(target=server.serve, args=(app, ready.set), daemon=True).start()
        assert ready.wait(20)

    def address(self, path: str) -> str:
        return self.url + path.format(**self.names)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    opened = Site(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.records.close()


@pytest.fixture(scope="module")
def browser(site: Site) -> Iterator[Browser]:
    """After `site`: while Playwright is open, nothing else can run asyncio in this thread."""
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have chromium")
        pytest.skip("Debian's chromium is not installed")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield opened
        opened.close()


@contextmanager
def opened(browser: Browser, site: Site, **options: Any) -> Iterator[Page]:
    """A page that must end without an error and without having asked any other host."""
    context = browser.new_context(**options)
    page = context.new_page()
    problems: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith((site.url, "data:", "blob:")):
            problems.append(f"asked {request.url}")

    page.on("request", asked)
    page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") and MISSING not in page.url else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.set_default_timeout(10_000)
    yield page
    assert problems == []
    context.close()


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    with opened(browser, site, viewport={"width": 1280, "height": 900}) as made:
        yield made


AXE = """async (left_out) => (await axe.run({exclude: left_out}, {resultTypes: ['violations']})).violations.map(
    v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | '))"""
RICHEST = ("list", "judged", "scored", "comparison")
"""What the other pages show is on these too: they are examined in all four ways, the others in two, the longest in one."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_is_without_barriers_and_fits(browser: Browser, site: Site, scheme: Any, width: int) -> None:
    source = Path(AXE_FILE_PATH).read_text(encoding="utf-8")
    with opened(browser, site, viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        for name, path in PAGES.items():
            page.goto(site.address(path))
            if name != "huge":
                page.evaluate("for (const fold of document.querySelectorAll('details:not(.events details)')) fold.open = true")
            way = (width, scheme)
            if name in RICHEST or way == (1280, "light") or (way == (360, "dark") and name != "huge"):
                page.evaluate(source)
                assert (name, page.evaluate(AXE, [[".claim"]] if name == "huge" else [])) == (name, [])
            assert (name, page.evaluate("document.documentElement.scrollWidth - innerWidth")) == (name, 0)
            assert page.evaluate("window.hacked") is None


class TestTheList:
    def test_it_searches_as_one_types_and_the_address_follows(self, page: Page, site: Site) -> None:
        page.goto(site.address("/"))
        expect(page.locator(".run")).to_have_count(len(site.names))
        expect(page.locator(".results-head p")).to_contain_text(f"{len(site.names)} runs")
        page.keyboard.press("/")
        page.keyboard.type("harbours silt")
        expect(page.locator(".run")).to_have_count(1)
        expect(page.locator("#q")).to_be_focused()
        assert page.url.endswith("/?q=harbours+silt")
        page.reload()
        expect(page.locator(".run")).to_have_count(1)
        page.locator("#q").fill("zzzz")
        expect(page.locator(".empty-title")).to_have_text("No run fits.")

    def test_filters_and_order(self, page: Page, site: Site) -> None:
        page.goto(site.address("/"))
        page.get_by_text("Filters").click()
        page.get_by_label("Status").select_option("corrected")
        expect(page.locator(".run")).to_have_count(1)
        page.get_by_label("Status").select_option("")
        page.locator("#sort").select_option("seconds")
        expect(page.locator(".run-link").first).to_have_attribute("href", f"/runs/{site.names['huge']}")
        page.get_by_label("reversed").check()
        expect(page.locator(".run-link").last).to_have_attribute("href", f"/runs/{site.names['huge']}")
        assert "sort=seconds&order=asc" in page.url

    def test_keys_lead_to_a_run_and_back(self, page: Page, site: Site) -> None:
        page.goto(site.address("/"))
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(page.locator(".run-link").nth(1)).to_be_focused()
        page.keyboard.press("k")
        expect(page.locator(".run-link").first).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/runs/*")
        page.keyboard.press("u")
        page.wait_for_url(site.address("/"))

    def test_two_runs_are_marked_and_compared(self, page: Page, site: Site) -> None:
        page.goto(site.address("/"))
        button = page.locator("[data-compare]")
        expect(button).to_be_disabled()
        page.keyboard.press("j")
        page.keyboard.press("x")
        expect(button).to_have_text("Mark one more to compare")
        page.locator(".run-link").nth(1).focus()
        page.keyboard.press("x")
        page.locator(".run-link").nth(2).focus()
        page.keyboard.press("x")
        expect(page.locator(".run > input:checked")).to_have_count(2)
        page.keyboard.press("c")
        page.wait_for_url("**/compare?run=*&run=*")
        expect(page.get_by_role("heading", name="Checks that differ")).to_be_visible()

    def test_the_keys_are_told(self, page: Page, site: Site) -> None:
        page.goto(site.address("/"))
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
        page.get_by_role("button", name="Keys").click()
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


class TestOneRun:
    def test_the_reason_stands_on_the_first_screen(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{computed}"))
        expect(page.locator("#why")).to_be_in_viewport()
        expect(page.locator(".replacements ins")).to_be_in_viewport()
        assert page.locator(".replacements").inner_text().split() == ["before:", "392.8", "after:", "397.8"]

    def test_a_claim_shows_its_evidence_on_hover_and_on_focus(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{judged}"))
        cards = page.locator("#cards-draft > .card")
        expect(cards.first.locator("mark")).to_have_text("born in Corwick")
        claims = page.locator("#timeline .step").first.locator(".claim")
        claims.nth(1).hover()
        expect(cards.nth(1).locator(".card-body")).to_be_visible()
        expect(cards.first.locator(".card-body")).to_be_hidden()
        claims.first.focus()
        expect(cards.first.locator("mark")).to_be_visible()
        expect(cards.nth(1).locator(".card-body")).to_be_hidden()
        page.keyboard.press("j")
        expect(claims.nth(1)).to_be_focused()

    def test_a_check_of_the_table_leads_to_its_card(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{judged}"))
        page.locator("#checks td a").nth(1).click()
        expect(page.locator("#answer-1 .card-body")).to_be_visible()

    def test_charts_are_drawn_without_a_style_of_their_own(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{scored}"))
        scores = page.locator("[data-chart=scores] svg")
        expect(scores).to_have_count(3)
        assert scores.first.get_attribute("aria-label").startswith("factuality: from 0.620 to 0.780, at least 0.570")  # type: ignore[union-attr]
        assert page.locator("[data-chart=scores]").nth(1).locator(".c-bad path").count() == 3
        assert page.locator("[data-chart=calls] rect").count() == 7
        assert page.evaluate("document.querySelectorAll('style').length") == 0
        wide = scores.first.bounding_box()
        page.set_viewport_size({"width": 420, "height": 800})
        page.wait_for_function("document.querySelector('[data-chart=scores] svg').getBoundingClientRect().width < 420")
        assert wide is not None
        assert wide["width"] > 420

    def test_the_answer_is_copied_as_it_is(self, browser: Browser, site: Site) -> None:
        with opened(browser, site, permissions=["clipboard-read", "clipboard-write"]) as page:
            page.goto(site.address("/runs/{chinese}"))
            page.get_by_role("button", name="Copy the answer").click()
            expect(page.locator("#said")).to_have_text("The answer was copied.")
            text = next(record.payload["answer"] for record in site.records.events(site.names["chinese"]) if record.payload["type"] == "stopped")
            assert page.evaluate("navigator.clipboard.readText()") == text

    def test_more_of_what_is_long_is_fetched(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{huge}"))
        first = page.locator("#timeline .step").first
        before = first.locator(".text").count()
        first.get_by_role("link", name="Show more", exact=True).click()
        expect(first.locator(".checked-text .text")).to_have_count(before + 1)
        first.get_by_role("link", name="Show more checks").click()
        expect(first.locator(".card")).to_have_count(120)
        page.locator("#record summary").first.click()
        page.get_by_role("link", name="Show more events").click()
        expect(page.locator("#record .seq", has_text="100").first).to_be_visible()

    def test_an_event_opens_and_shows_hostile_text_as_text(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{hostile}"))
        page.locator("#record summary").first.click()
        page.locator("#record li summary").first.click()
        expect(page.locator("#record .payload").first).to_contain_text("<script>window.hacked = 1</script>")
        assert page.evaluate("window.hacked") is None
        assert page.locator("main img, main script, main iframe").count() == 0

    def test_the_record_and_the_certificate_are_downloads(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{judged}"))
        for name, ending in (("JSON lines", ".jsonl"), ("Certificate", ".html")):
            with page.expect_download() as download:
                page.get_by_role("link", name=name).click()
            assert download.value.suggested_filename == f"redraft-{site.names['judged']}{ending}"
            assert Path(download.value.path()).stat().st_size > 1000

    def test_a_run_that_goes_on_is_followed_to_its_end(self, page: Page, site: Site) -> None:
        records = site.records
        events = records.events(site.names["judged"])
        keeper = records.keeper("growing")
        feed(keeper, events[:9])
        page.goto(site.address("/runs/growing"))
        expect(page.locator(".s-live")).to_have_text("going on")
        expect(page.locator(".step.refused")).to_have_count(0)
        page.locator("#record summary").first.click()
        page.locator("#timeline .claim").nth(1).focus()
        feed(keeper, events[9:16])
        expect(page.locator(".step.refused")).to_have_count(1)
        expect(page.locator("#timeline .claim").nth(1)).to_be_focused()
        assert page.evaluate("document.querySelector('#record details').open")
        feed(keeper, events[16:])
        expect(page.locator(".run-title .badge")).to_contain_text("corrected")
        expect(page.locator("#poll")).to_have_count(0)
        expect(page.locator("#why")).to_contain_text("The answer changed because")
        site.records._delete([site.records._find("growing")[0]])  # pyright: ignore[reportPrivateUsage]


def feed(keeper: Any, events: list[Any]) -> None:
    """Write these records as a run writes them."""
    for record in events:
        keeper.keep(
            record, json.loads(record.line)["payload"] if not record.addresses else record.payload, {name: record.texts[name] for name in record.addresses}
        )


class TestEveryWay:
    def test_without_scripts_everything_can_be_read(self, browser: Browser, site: Site) -> None:
        with opened(browser, site, java_script_enabled=False) as page:
            page.goto(site.address("/"))
            page.locator("#q").fill("Ada Marsh")
            page.get_by_role("button", name="Search").click()
            expect(page.locator(".run-query").first).to_have_text("Who was Ada Marsh?")
            page.goto(site.address("/runs/{judged}"))
            page.locator(".claim").first.click()
            assert "#draft-" in page.url
            expect(page.get_by_role("button", name="Copy the answer")).to_be_hidden()

    def test_colours_follow_the_system_and_motion_can_be_left_out(self, browser: Browser, site: Site) -> None:
        shades: list[str] = []
        for scheme in ("light", "dark"):
            with opened(browser, site, color_scheme=scheme, reduced_motion="reduce") as page:
                page.goto(site.address("/runs/unfinished"))
                shades.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                assert page.evaluate("getComputedStyle(document.querySelector('.pulse')).animationName") == "none"
        assert shades == ["rgb(251, 251, 252)", "rgb(19, 20, 25)"]

    def test_it_prints_without_what_only_a_screen_needs(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{judged}"))
        page.emulate_media(media="print")
        expect(page.locator(".jump")).to_be_hidden()
        expect(page.locator("#why")).to_be_visible()
        assert len(page.pdf()) > 5000

    def test_east_asian_text_has_glyphs(self, page: Page, site: Site) -> None:
        page.goto(site.address("/runs/{chinese}"))
        widths = page.evaluate(
            """() => ["研", "売", "\\u0378"].map(mark => { const c = document.createElement("canvas").getContext("2d");
               c.font = "40px " + getComputedStyle(document.body).fontFamily; c.fillText(mark, 5, 45);
               return Array.from(c.getImageData(0, 0, 60, 60).data).join() })"""
        )
        assert len(set(widths)) == 3
        assert page.locator(".lead del").last.inner_text().split()[1] == "392.8"
