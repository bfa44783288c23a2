"""Records of runs, kept while they happen, listed, searched, verified and thinned out.

rows.py      what a list shows of a run, and its reading from events
schema.py    tables and migrations
database.py  SQLite by the standard library, PostgreSQL by SQLAlchemy: one set of statements for both
keeping.py   a run's record while it is being written
store.py     `Records`: the store
reading.py   stored payloads back to events
"""

from redraft.records.rows import Filters, Page, RunRow, Sort
from redraft.records.store import IMPORTED, Pruned, Records, open_records

__all__ = ["IMPORTED", "Filters", "Page", "Pruned", "Records", "RunRow", "Sort", "open_records"]
