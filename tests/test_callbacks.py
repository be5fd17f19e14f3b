"""Any Python batch sampler as a source of epochs; tests/bridge tests its use in R."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbridge.callbacks import EpochSource
from rbridge.session import errors_as_values


@pytest.mark.parametrize(
    "batch", [[-1], [0.5], [True], ["a"], [[1]], [2**31 - 1], [0, None], np.array([-1], np.int32)]
)
def test_a_batch_of_anything_but_row_positions_is_refused(batch: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="The 'sampler' parameter must hold row positions"):
        EpochSource([[0], batch]).batches(0)


def test_an_error_crosses_whole_whatever_its_text() -> None:
    def fail(text: str) -> None:
        raise OSError(text)

    for text, shown in (("x" * 5000, "x" * 5000), ("épée\n", "épée\n"), ("\udce9.txt", "\\udce9.txt")):
        assert errors_as_values(fail)(text) == {"error": f"OSError: {shown}"}
