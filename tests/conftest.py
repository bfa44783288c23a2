"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets beside the checkout; CI must have it, elsewhere its tests are skipped."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the shared data, which is not at {SHARED_DATA}")
        pytest.skip("the shared data sets are not beside this checkout (../shared/data)")
    return SHARED_DATA
