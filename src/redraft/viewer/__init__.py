"""Pages that show recorded runs in a browser: read only, without a request to any other host.

app.py       the routes, as an ASGI app that the service mounts too
security.py  which hosts are answered, and the headers of every answer
listing.py   the list: what its address asks for
story.py     one run, as its page tells it
reason.py    why the answer changed, or did not
showing.py   texts cut into what a template shows
figures.py   what the charts draw
contrast.py  two runs side by side
wording.py   statuses, rules and stop reasons in words
serving.py   the server of `redraft view`
templates/ static/   the pages; static/vendor holds other people's files as they were published
"""

from redraft.viewer.app import create_app
from redraft.viewer.serving import Server

__all__ = ["Server", "create_app"]
