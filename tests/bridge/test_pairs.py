"""Pairs in R: their numbers cross unchanged, R decodes them, and R's own sample.int() draws the same ones."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import Batches, BatchSampler, NegativePairBatchSampler, TripleBatchSampler, decode_pairs
from pystrat.base import epoch_seed
from rbridge.session import Session, as_array
from rbridge.callbacks import EpochSource
from tests.bridge.recipes import assert_same_recipe

USERS, ITEMS = [0, 0, 1, 2, 3, 3], [0, 3, 1, 3, 2, 3]
LARGE = {"n_users": 2**21, "n_items": 2**31 - 1}  # nearly 2^52 cells


@pytest.fixture
def evaluated(base: Any) -> Callable[[str], Any]:
    return lambda text: base["eval"](base["parse"](text=text))


def test_r_counts_what_an_epoch_has(r: Session) -> None:
    users, items = [*USERS, 4, 4, 4, 4, 0], [*ITEMS, 0, 1, 2, 3, 3]
    skipping: dict[str, Any] = {"n_items": 4, "method": "per_user", "full_users": "skip"}
    for settings in (skipping, {"n_items": 6, "method": "popularity", "power": 0}):
        sampler = NegativePairBatchSampler(users, items, 0.55, 6, seed=3, **settings)
        told = r.call_function(r.call_function(rbridge.as_torch_sampler(sampler), None)["counts"])
        counts = {name: float(value[0]) for name, value in zip(told.names, told)}
        for name in ("n_users", "n_items", "n_positives", "n_negatives", "n_skipped_users"):
            assert counts[name] == getattr(sampler, name)
        assert counts["acceptance"] == pytest.approx(sampler.acceptance, abs=1e-12)
    triples = TripleBatchSampler(users, items, 5, negatives_per_positive=3, full_users="skip", seed=3)
    told = r.call_function(r.call_function(rbridge.as_torch_sampler(triples), None)["counts"])
    assert all(value[0] == getattr(triples, name) for name, value in zip(told.names, told))


def test_a_dataloader_in_r_delivers_numbers_beyond_its_integers() -> None:
    sampler = NegativePairBatchSampler(USERS, ITEMS, 0.3, 7, seed=3, **LARGE)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10)
    assert delivered.rows.tolist() == sampler.batches(0).rows.tolist() and delivered.rows.max() > 2**51


def test_ids_are_numbered_alike_and_cross(r: Session, base: Any) -> None:
    users, items = ["ann", "bob", "ann", "\u00e9ve", "Ann"], ["x", "y", "", "x", "x"]
    sampler = NegativePairBatchSampler(users, pd.Categorical(items, ["y", "x", "z", ""]), 0.4, 5, seed=1)
    factor = base["factor"](r.rinterface.StrSexpVector(items), r.rinterface.StrSexpVector(["", "x", "y", "z"]))
    given = r.rinterface.StrSexpVector(users)
    generator = r.call("batch_sampler_pairs", users=given, items=factor, ratio=0.4, batch_size=5, seed=1)
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        instance = r.call_function(made, None)
        assert (
            list(r.call_function(instance["user_ids"])) == ["ann", "bob", "\u00e9ve", "Ann"] == list(sampler.user_ids)
        )
        assert list(r.call_function(instance["item_ids"])) == ["x", "y", ""] == list(sampler.item_ids)
        numbers, _ = (as_array(part) for part in r.call_function(instance["batches"], 3))
        assert numbers.astype(np.int64).tolist() == sampler.batches(3).rows.tolist()


def test_numbers_of_a_sampler_of_your_own_cross_as_doubles() -> None:
    class Numbers(BatchSampler):
        """Numbers given as batches, not as a finished epoch."""

        yields = "numbers"

        def _global_length(self) -> int:
            return 2

        def _fingerprint(self) -> str:
            return "numbers"

        def _epoch_batches(self, epoch: int) -> Any:
            yield np.array([2**53 - 1, 0])
            yield np.array([epoch - 1])

    sampler = Numbers(seed=1)
    rows, offsets = EpochSource(sampler).batches(1)
    assert rows.dtype == np.float64 and offsets.dtype == np.int32
    assert rows.tolist() == [2**53 - 1, 0, 0]
    with pytest.raises(rbridge.RError, match="must give batches of numbers, integers from 0 to 9007199254740991"):
        rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 1)


def test_row_positions_that_r_cannot_hold_are_refused_rather_than_cut() -> None:
    class Finished:
        def __len__(self) -> int:
            return 1

        def batches(self, epoch: int) -> Batches:
            return Batches(np.array([2**32]), np.array([0, 1]))

    with pytest.raises(ValueError, match="must give batches of row positions, integers from 0 to 2147483646"):
        EpochSource(Finished()).batches(0)


@pytest.mark.parametrize("n_items", [1, 4, 2**22 - 1, 2**31 - 1])
def test_r_decodes_as_python_does_with_users_and_items_from_1(r: Session, n_items: int) -> None:
    random = np.random.default_rng(1)
    largest = min(2**53, 2 * n_items * (2**31 - 1))
    numbers = np.unique(np.concatenate([random.integers(0, largest, 2000), np.arange(20), largest - 1 - np.arange(20)]))
    numbers = numbers[(numbers >= 0) & (numbers < largest)]
    users, items, labels = decode_pairs(numbers, n_items)
    table = r.call("decode_pairs", numbers.astype(np.float64), n_items)
    for column, expected in zip(table, (users + 1, items + 1, labels)):
        assert as_array(column).tolist() == expected.tolist()


@pytest.mark.parametrize(("method", "unique"), [("uniform", False), ("uniform", True), ("per_user", True)])
def test_r_s_sample_draws_the_same_pairs(
    r: Session, evaluated: Callable[[str], Any], method: str, unique: bool
) -> None:
    """The documented words, as R code: order, then ranks of free cells."""
    n_users, n_items, n_batches = 40, 50, 7
    random = np.random.default_rng(2)
    cells = np.sort(random.permutation(n_users * n_items)[:400])
    users, items = np.divmod(cells, n_items)
    sampler = NegativePairBatchSampler(
        users, items, 0.5, 115, n_users=n_users, n_items=n_items, method=method, unique=unique, seed=5
    )
    assert len(sampler) == n_batches
    told = evaluated(
        """
        function(seed, positives, users, n_users, n_items, n_batches, per_user, unique) {
          kept = list(get0(".Random.seed", globalenv()), RNGkind())
          set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
          free = setdiff(seq_len(n_users * n_items) - 1, positives)
          count = length(positives)
          order = sample.int(2 * count)
          negatives = if (per_user) {
            unlist(lapply(seq_len(n_users) - 1, function(user) {
              of_user = free[free %/% n_items == user]
              of_user[sample.int(length(of_user), sum(users == user), replace = !unique, useHash = FALSE)]
            }))
          } else {
            free[sample.int(length(free), count, replace = !unique)]
          }
          numbers = c(2 * positives + 1, 2 * negatives)[order]
          dealt = c(numbers[numbers %% 2 == 1], numbers[numbers %% 2 == 0])
          unlist(split(dealt, rep_len(seq_len(n_batches), length(dealt))), use.names = FALSE)
        }
        """
    )
    epoch = 4
    arguments = (cells.astype(np.float64), users.astype(np.float64), n_users, n_items, n_batches)
    found = r.call_function(told, epoch_seed(5, epoch), *arguments, method == "per_user", unique)
    assert as_array(found).astype(np.int64).tolist() == sampler.batches(epoch).rows.tolist()


@pytest.mark.parametrize("count", [1000, 3000])
def test_ranks_in_a_large_table_are_r_s_sample_int(r: Session, base: Any, count: int) -> None:
    n_items = 2**31 - 1
    sampler = NegativePairBatchSampler([1000], [7], 1 / (1 + count), count + 1, n_items=n_items, unique=True, seed=9)
    free = 1001 * n_items - 1
    kinds = {"kind": "Mersenne-Twister", "normal.kind": "Inversion", "sample.kind": "Rejection"}
    r.call_function(base["set.seed"], 9, **kinds)
    order = as_array(r.call_function(base["sample.int"], count + 1)) - 1
    ranks = as_array(r.call_function(base["sample.int"], free, count)).astype(np.int64) - 1
    positive = 1000 * n_items + 7
    cells = ranks + (ranks >= positive)
    expected = [2 * cells[row - 1] for row in order if row]
    assert sampler.batches(0).rows.tolist() == [2 * positive + 1, *expected]


FROM_R = """
pystrat = reticulate::import("pystrat")
collected = function(users, items, ...) {
  sampler = pystrat$NegativePairBatchSampler(users, items, ..., seed = 1L)
  format(rbridge::collect_rows(rbridge::batch_sampler_python(sampler), 10)$rows, digits = 16, trim = TRUE)
}
cat(jsonlite::toJSON(list(
  integers = collected(c(0L, 0L, 1L, 2L), c(0L, 3L, 1L, 3L), 0.4, 5L, n_users = 1000000L, n_items = 1000000000L),
  doubles = collected(c(0, 0, 1, 2), c(0, 3, 1, 3), 0.4, 5, n_users = 1e6, n_items = 1e9),
  one = collected(0L, 1L, 0.5, 2L)
)))
"""


def test_from_r_through_reticulate(rscript: Callable[..., str]) -> None:
    told = json.loads(rscript(FROM_R, RETICULATE_PYTHON=sys.executable))
    sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 5, n_users=10**6, n_items=10**9, seed=1)
    assert list(map(int, told["integers"])) == sampler.batches(0).rows.tolist()
    assert told["doubles"] == told["integers"]
    assert list(map(int, told["one"])) == NegativePairBatchSampler([0], [1], 0.5, 2, seed=1).batches(0).rows.tolist()
