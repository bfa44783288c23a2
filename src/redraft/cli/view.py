"""view: recorded runs in the browser."""

from __future__ import annotations

import sys

import click

from redraft.cli.trace import opened_records

__all__ = ["view_command"]


@click.command("view", short_help="Look at recorded runs in the browser.")
@click.argument("run", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to serve on; 0: any free one.")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to serve on; by default this machine alone can reach it.")
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer to this name too, besides those of this machine; repeat for more.")
@click.option("--no-open", is_flag=True, help="Only print the address.")
def view_command(run: str | None, port: int, host: str, allow_host: tuple[str, ...], no_open: bool) -> int:
    """Serve pages that show recorded runs, and open them in the browser: all of them, or RUN (an id, the beginning of one, or `last`).

    Whoever can reach the address can read every record. Ctrl-C ends it.
    """
    from urllib.parse import quote

    from redraft.viewer import Server, create_app
    from redraft.viewer.security import LOOPBACK

    records = opened_records()
    path = f"runs/{quote(records.get(run).id, safe='')}" if run else ""
    named = host if ":" not in host else f"[{host}]"
    app = create_app(records, hosts=(*LOOPBACK, named, *allow_host))
    server = Server(host, port)
    address = f"{server.url}{path}"

    def ready() -> None:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        if not no_open:
            import webbrowser

            webbrowser.open(address)

    server.serve(app, ready)
    records.close()
    return 0
