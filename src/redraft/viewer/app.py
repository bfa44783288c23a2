"""The routes. Everything is read; nothing here changes a record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from redraft import __version__
from redraft.cli.safe import one_line, safe
from redraft.errors import InputError, MissingExtra, RedraftError
from redraft.records import Records, RunRow
from redraft.viewer import wording
from redraft.viewer.contrast import contrast
from redraft.viewer.figures import DRAWN_CALLS, CallLine, Figure
from redraft.viewer.listing import PAGE_ROWS, SORTS, asked
from redraft.viewer.security import LOOPBACK, Guarded
from redraft.viewer.showing import CARDS, cards_of, text_view
from redraft.viewer.story import Story, read_story, stored_events, verified

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

__all__ = ["create_app"]

HERE = Path(__file__).parent
FACETS_SECONDS = 20.0
"""For how long the values offered by the filters are kept: counting all runs takes longer than listing some."""
EVENTS_SHOWN = 100
PAYLOAD_CHARACTERS = 20_000
LARGEST_PAGE_EVENTS = 20_000


def create_app(records: Records, *, hosts: Iterable[str] = LOOPBACK, now: Callable[[], float] = time.time) -> ASGIApp:
    """The viewer of these records as an ASGI app; `hosts` are the names that it answers to.

    Raises:
        MissingExtra: the extra `viewer` is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles

        pages = _Pages(records, _environment(), now)
    except ImportError:
        raise MissingExtra("the viewer", "viewer") from None
    routes = [
        Route("/", pages.list_page, name="list"),
        Route("/count", pages.count),
        Route("/compare", pages.compare),
        Route("/runs/{run}", pages.run_page),
        Route("/runs/{run}/live", pages.live),
        Route("/runs/{run}/texts/{key}", pages.text_part),
        Route("/runs/{run}/checks/{key}", pages.more_checks),
        Route("/runs/{run}/events", pages.events),
        Route("/runs/{run}/record.jsonl", pages.record),
        Route("/runs/{run}/certificate.html", pages.certificate),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: pages.refused, RedraftError: pages.failed, Exception: pages.broken}
    return Guarded(Starlette(routes=routes, exception_handlers=handlers), hosts)


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"safe_text": safe, "one_line": one_line, "address": lambda text: quote(str(text), safe="")}
    return environment


class _Pages:
    def __init__(self, records: Records, environment: Environment, now: Callable[[], float]) -> None:
        self._records = records
        self._environment = environment
        self._now = now
        self._facets: tuple[float, dict[str, tuple[tuple[str, int], ...]]] | None = None

    # ── the list ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def list_page(self, request: Request) -> Response:
        wanted = asked(request.query_params.multi_items())
        page = self._records.list(
            search=wanted.search, filters=wanted.filters, sort=wanted.sort, descending=wanted.descending, limit=PAGE_ROWS, cursor=wanted.cursor
        )
        partial = request.headers.get("hx-request") == "true" and request.headers.get("hx-history-restore-request") != "true"
        template = "rows.html" if partial else "list.html"
        facets = {} if partial else self._kept_facets()
        return self._page(request, template, asked=wanted, page=page, facets=facets, place=self._records.place)

    def count(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        wanted = asked(request.query_params.multi_items())
        return HTMLResponse(wording.counted(self._records.count(search=wanted.search, filters=wanted.filters), "run"), headers=_NEVER_STORED)

    def _kept_facets(self) -> dict[str, tuple[tuple[str, int], ...]]:
        moment = self._now()
        if self._facets is None or not 0 <= moment - self._facets[0] < FACETS_SECONDS:
            self._facets = (moment, self._records.facets())
        return self._facets[1]

    # ── one run ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def run_page(self, request: Request) -> Response:
        return self._page(request, "run.html", **self._told(request))

    def live(self, request: Request) -> Response:
        """The run anew if it has more events than `after`, else nothing."""
        from starlette.responses import Response

        row = self._row(request)
        if row.events == _number(request, "after") and not row.complete:
            return Response(status_code=204, headers=_NEVER_STORED)
        return self._page(request, "story.html", **self._told(request))

    def _told(self, request: Request) -> dict[str, Any]:
        story = read_story(self._records, self._row(request).id, self._now())
        keys = ["draft", "answer", *(f"turn-{view.turn.number}" for view in story.turns)]
        views = {key: text_view(key, text, story.evidence) for key in keys if (text := story.text(key)) is not None}
        return {
            "story": story,
            "row": story.row,
            "views": views,
            "figure_data": {view.turn.number: _figure_data(view.figures) for view in story.turns},
            "call_data": _call_data(story.calls),
            "drawn_calls": DRAWN_CALLS,
            "events": story.events[:EVENTS_SHOWN],
            "payload": _payload,
        }

    def text_part(self, request: Request) -> Response:
        story, key = self._story(request)
        text = story.text(key)
        assert text is not None
        view = text_view(key, text, story.evidence, start=_number(request, "from"))
        return self._page(request, "text_part.html", story=story, row=story.row, view=view)

    def more_checks(self, request: Request) -> Response:
        story, key = self._story(request)
        text = story.text(key)
        assert text is not None
        first = _number(request, "from")
        only = request.query_params.get("only", "")
        view = text_view(key, text, story.evidence, first_card=first)
        cards = cards_of(text, story.evidence, [int(only)]) if only.isascii() and only.isdigit() and len(only) < 9 else view.cards
        return self._page(request, "more_checks.html", story=story, row=story.row, view=view, cards=cards, next=first + CARDS)

    def events(self, request: Request) -> Response:
        row = self._row(request)
        first = _number(request, "from")
        stored = stored_events(self._records, row.id, verified(self._records, row))
        shown = [(record, str(record.payload.get("type"))) for record in stored[first : first + EVENTS_SHOWN]]
        following = first + EVENTS_SHOWN if first + EVENTS_SHOWN < min(len(stored), LARGEST_PAGE_EVENTS) else None
        return self._page(request, "more_events.html", row=row, events=shown, following=following, payload=_payload)

    def record(self, request: Request) -> Response:
        from starlette.responses import Response

        row = self._row(request)
        headers = {**_NEVER_STORED, "content-disposition": f'attachment; filename="{_file_name(row)}.jsonl"'}
        return Response(self._records.export(row.id), media_type="application/x-ndjson", headers=headers)

    def certificate(self, request: Request) -> Response:
        from starlette.responses import Response

        from redraft.exporting import certificate, read_runs

        row = self._row(request)
        found = next(iter(read_runs(self._records, [row.id])), None)
        if found is None:
            raise InputError("this run has no end, and a certificate is of a complete run; its record can be taken as JSON lines")
        headers = {**_NEVER_STORED, "content-disposition": f'attachment; filename="{_file_name(row)}.html"'}
        return Response(certificate(found), media_type="text/html; charset=utf-8", headers=headers)

    # ── two runs ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def compare(self, request: Request) -> Response:
        marked = request.query_params.getlist("run")  # what a form without scripts sends
        names = marked[:2] if len(marked) > 1 else [request.query_params.get(side, "") for side in ("a", "b")]
        if not all(names):
            raise InputError("a comparison needs two runs: mark two of the list")
        left, right = (read_story(self._records, self._found(name).id, self._now()) for name in names)
        return self._page(request, "compare.html", compared=contrast(left, right))

    # ── what goes wrong ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def refused(self, request: Request, error: Any) -> Response:
        words = {404: ("There is no such page", "The address leads nowhere."), 405: ("This cannot be done here", "The viewer only shows.")}
        title, text = words.get(error.status_code, ("This did not work", str(error.detail)))
        return self._page(request, "error.html", status=error.status_code, title=title, text=text)

    async def failed(self, request: Request, error: RedraftError) -> Response:
        missing = isinstance(error, InputError)
        title = "This cannot be shown" if missing else "The records cannot be read"
        return self._page(request, "error.html", status=404 if missing else 503, title=title, text=str(error))

    async def broken(self, request: Request, error: Exception) -> Response:
        text = "The viewer met something that it was not made for. The command trace show prints the record in a terminal."
        return self._page(request, "error.html", status=500, title="This page could not be made", text=text)

    # ── what they share ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _row(self, request: Request) -> RunRow:
        return self._found(request.path_params["run"])

    def _found(self, name: str) -> RunRow:
        try:
            return self._records.get(name.replace("\x00", "\ufffd"))  # no database takes a NUL
        except InputError:  # its words are for a terminal, and name the place of the records
            raise InputError(f"There is no run {name!r}, or there are several whose names begin so.") from None

    def _story(self, request: Request) -> tuple[Story, str]:
        story, key = read_story(self._records, self._row(request).id, self._now()), request.path_params["key"]
        if story.text(key) is None:
            raise InputError(f"this run has no text {key!r}")
        return story, key

    def _page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        from starlette.responses import HTMLResponse

        root = str(request.scope.get("root_path", "")).rstrip("/")
        partial = request.headers.get("hx-request") == "true"
        body = self._environment.get_template(template).render(root=root, partial=partial, words=wording, version=__version__, sorts=SORTS, **values)
        return HTMLResponse(body.encode("utf-8", "replace"), status_code=status, headers=_NEVER_STORED)


_NEVER_STORED = {"cache-control": "no-store", "vary": "hx-request"}


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _file_name(row: RunRow) -> str:
    return "redraft-" + "".join(mark if mark.isascii() and (mark.isalnum() or mark in "-_") else "_" for mark in row.id)[:80]


def _payload(payload: Mapping[str, Any]) -> str:
    """A stored event for people: indented, cut where it is very long."""
    text = json.dumps(payload, ensure_ascii=False, indent=1)
    return (
        text
        if len(text) <= PAYLOAD_CHARACTERS
        else f"{text[:PAYLOAD_CHARACTERS]}\n… {len(text) - PAYLOAD_CHARACTERS:,} more characters: take the record as JSON lines"
    )


def _figure_data(figures: tuple[Figure, ...]) -> str:
    rows = [{"name": item.name, "retained": item.retained, "candidate": item.candidate, "threshold": item.threshold, "passes": item.passes} for item in figures]
    return json.dumps(rows) if rows else ""


def _call_data(calls: tuple[CallLine, ...]) -> str:
    rows = [
        {"number": call.number + 1, "kind": "failed" if call.failed else call.kind, "name": one_line(call.name, 18), "begin": call.begin, "end": call.end}
        for call in calls[:DRAWN_CALLS]
    ]
    return json.dumps(rows) if rows else ""
