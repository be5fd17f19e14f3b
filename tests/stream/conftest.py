"""What all tests of streams share."""

from __future__ import annotations

import pytest
from torch.utils.data import _utils


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less than 5 seconds for the workers of a loop that was left."""
    monkeypatch.setattr(_utils, "MP_STATUS_CHECK_INTERVAL", 0.2)
