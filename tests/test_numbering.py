"""The core numbers any values, for R, as pandas does, in a time that does not depend on the values."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.inside import core

INVERSE = pow(0x9E3779B97F4A7C15, -1, 2**64)  # of the core's hash, which multiplies


def colliding(count: int) -> np.ndarray:
    """Integers that want the same slot of a table of any size."""
    bits = np.arange(count, dtype=np.uint64) * np.uint64(INVERSE)
    return (bits ^ (bits >> np.uint64(32))).view(np.int64)


def number_integers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The core numbers doubles by their bits."""
    found = core.call("number_values", {}, {"values": values.view(np.float64)})
    return found["codes"], found["values"].view(np.int64)


def check_numbers(values: np.ndarray) -> None:
    codes, distinct = number_integers(values)
    expected_codes, expected = pd.factorize(values)
    assert np.array_equal(codes, expected_codes) and np.array_equal(distinct, expected)


@pytest.mark.parametrize("count", [1, 500, 600, 20_000])
@pytest.mark.parametrize("repeats", [1, 3])
def test_values_that_collide_have_the_same_numbers(count: int, repeats: int) -> None:
    random = np.random.default_rng(1)
    values = np.repeat(colliding(count), repeats)
    check_numbers(random.permutation(values))
    check_numbers(random.permutation(np.concatenate([values, np.arange(count)])))


def test_a_million_values_that_collide_take_no_longer_than_sorting_them() -> None:
    """A search through all of them would take some 10 minutes."""
    program = (
        "import numpy as np; from tests.test_numbering import colliding, number_integers;"
        "values = colliding(1_000_000); codes, distinct = number_integers(values);"
        "assert np.array_equal(distinct, values);"
        "assert np.array_equal(codes, np.arange(len(values)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
