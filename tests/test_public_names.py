"""What `import redraft` offers."""

from __future__ import annotations

import redraft


def test_every_name_that_is_offered_is_there() -> None:
    assert {name for name in redraft.__all__ if getattr(redraft, name, None) is None} == set()
