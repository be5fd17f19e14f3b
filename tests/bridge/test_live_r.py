"""Draws are those of a running R: its sample.int(), after set.seed(). The naive models of the tests draw like it.

R's test-base_epoch_order.R compares the order of epochs.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

from pystrat import EpochSubsetBatchSampler, UniformBatchSampler
from pystrat.core.seeds import epoch_seed
from rbridge.session import Session, as_array
from tests.reference.naive_random import NaiveStream

# Seeds R's generator, calls a function, and leaves the session's own generator as it was.
SEEDED = """
function(seed, draw, ...) {
  kept = list(get0(".Random.seed", globalenv()), RNGkind())
  on.exit({
    do.call(RNGkind, as.list(kept[[2]]))
    if (!is.null(kept[[1]])) assign(".Random.seed", kept[[1]], globalenv())
  })
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  draw(...)
}
"""


@pytest.fixture(scope="module")
def drawn(r: Session, evaluated: Callable[[str], Any]) -> Callable[..., list[int]]:
    """Return a function that draws by R code, with a seed and arguments."""
    seeded, functions = evaluated(SEEDED), {}

    def draw(code: str, seed: int, *arguments: Any) -> list[int]:
        function = functions.setdefault(code, evaluated(code))
        values = as_array(r.call_function(seeded, seed, function, *arguments))
        return values.astype(np.int64).tolist()

    return draw


@pytest.mark.parametrize("limit", [1, 2, 1_000, 65_536, 65_537, 10**6, 2**31 - 1])
def test_the_naive_generator_of_the_tests_is_that_of_r(limit: int, drawn: Callable[..., list[int]]) -> None:
    found = drawn("function(k) c(sample.int(k, 1001, replace = TRUE), sample.int(7001)) - 1", 9, limit)
    stream = NaiveStream(9)
    assert [*stream.indices(limit, 1001).tolist(), *stream.permutation(7001)] == found


UNIFORM = "function(n, k) unlist(lapply(1:3, function(batch) sample.int(n, k, useHash = FALSE))) - 1"
SUBSET = "function(n, k, replace) sample.int(n, k, replace = replace, useHash = FALSE) - 1"


@pytest.mark.parametrize("epoch", [0, 2])
def test_uniform_batches_and_subsets_of_an_epoch(epoch: int, drawn: Callable[..., list[int]]) -> None:
    seed = epoch_seed(9, epoch)
    for n, k in ((10, 3), (70_000, 100), (70_000, 70_000)):
        sampler = UniformBatchSampler(n, k, n_batches=3, seed=9)
        assert sampler.batches(epoch).rows.tolist() == drawn(UNIFORM, seed, n, k)
    for method in ("uniform", "uniform_without_replacement"):
        subset = EpochSubsetBatchSampler(1234, 100, 9, method=method, seed=9)
        assert subset.batches(epoch).rows.tolist() == drawn(SUBSET, seed, 1234, 100, method == "uniform")
