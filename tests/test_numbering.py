"""The core numbers any values, for R, as pandas does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.inside import kinds


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 20_000])
@pytest.mark.parametrize("step", [1, 2**32, 2**44])
@pytest.mark.parametrize("repeats", [1, 3])
def test_values_have_numbers_in_order_of_first_appearance(count: int, step: int, repeats: int) -> None:
    values = np.random.default_rng(1).permutation(np.repeat(np.arange(-count // 2, count - count // 2), repeats)) * step
    found = kinds.call("number_values", {}, {"values": values.view(np.float64)})
    codes, distinct = pd.factorize(values)
    assert np.array_equal(found["codes"], codes) and np.array_equal(found["values"].view(np.int64), distinct)
