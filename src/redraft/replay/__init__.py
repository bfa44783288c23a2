"""Replay: a run again from its record, with no model and no tool; other settings as far as the record reaches; grids of settings over many records.

recorded.py  model, tools and clock that answer from a record
running.py   `replay`: the policy of the record, another one, or on from where the record ends
grids.py     `grid`: stopping rules and controller settings over hard-cap records, without running anything
"""

from redraft.replay.grids import Ended, History, grid, history_of
from redraft.replay.recorded import Needed
from redraft.replay.running import Live, Replayed, replay

__all__ = ["Ended", "History", "Live", "Needed", "Replayed", "grid", "history_of", "replay"]
