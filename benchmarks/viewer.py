"""How long the viewer takes to make its pages, with 100,000 runs in the store: server time, without the network.

    python benchmarks/viewer.py [--runs 100000] [--url URL]

Bound: any list under 300 ms. The first list of a while counts all runs for its filters; later ones within 20 s do not.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from records import filled, milliseconds  # the generator of rows
from starlette.testclient import TestClient

from redraft.records import open_records
from redraft.refiner import Refiner
from redraft.types import Task
from redraft.viewer import create_app

LISTS = {
    "newest": "/",
    "by cost": "/?sort=cost_usd",
    "by model, ascending": "/?sort=model&order=asc",
    "filtered, many": "/?status=disputed&status=corrected&changed=yes",
    "filtered, few": "/?status=failed&policy=self-refine&model=local&sort=seconds",
    "search, in every run": "/?q=what+was+the",
    "search, some": "/?q=rainfall+lima&sort=tokens",
    "search, none": "/?q=zzzzqqq",
    "search, two characters": "/?q=%E6%9D%B1%E4%BA%AC",
    "one day": "/?since=2026-06-20&until=2026-06-20",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--url", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        records = open_records(options.url, Path(folder))
        filled(records, options.runs)
        draft = "17% of 2,340 is 392.8. " + " ".join(f"{n} + {n} = {2 * n}." for n in range(40))
        run = Refiner("none", records=records).revise_sync(Task(query="Sums?", kind="report"), draft).run_id
        client = TestClient(create_app(records), base_url="http://127.0.0.1")

        def fetch(path: str) -> None:
            assert client.get(path).status_code == 200

        began = time.perf_counter()
        fetch("/")
        figures = {"newest, the first time": round(1000 * (time.perf_counter() - began), 1)}
        figures |= {name: milliseconds(lambda path=path: fetch(path)) for name, path in LISTS.items()}
        cursor = records.list(limit=50)
        for _ in range(200):
            cursor = records.list(limit=50, cursor=cursor.next)
        figures["a page far down"] = milliseconds(lambda: fetch(f"/?cursor={cursor.next}"))
        figures["the number of runs, fetched after the page"] = milliseconds(lambda: fetch("/count"))
        figures["the number of runs of a search"] = milliseconds(lambda: fetch("/count?q=growth"))
        figures["one run of 41 claims, verified"] = milliseconds(lambda: fetch(f"/runs/{run}"))
        print(json.dumps(figures, indent=2))
        records.close()


if __name__ == "__main__":
    main()
