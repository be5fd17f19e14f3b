"""Pairs in R: their numbers cross unchanged, R decodes them, and R's own sample.int() draws the same ones."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import Batches, BatchSampler, NegativePairBatchSampler, TripleBatchSampler, decode_pairs
from pystrat.base import epoch_seed
from rbridge.session import Session, as_array
from rbridge.callbacks import EpochSource
from tests.bridge.recipes import assert_same_recipe, assert_same_sampler

USERS, ITEMS = [0, 0, 1, 2, 3, 3], [0, 3, 1, 3, 2, 3]
LARGE = {"n_users": 2**21, "n_items": 2**31 - 1}  # nearly 2^52 cells


@pytest.fixture
def evaluated(base: Any) -> Callable[[str], Any]:
    return lambda text: base["eval"](base["parse"](text=text))


@pytest.mark.parametrize(
    ("method", "table"),
    [("uniform", {}), ("per_user", {}), ("popularity", {}), ("uniform", LARGE)],
    ids=["uniform", "per_user", "popularity", "large"],
)
def test_r_s_dataloader_delivers_the_same_numbers(method: str, table: dict[str, int]) -> None:
    sampler = NegativePairBatchSampler(USERS, ITEMS, 0.3, 7, method=method, seed=3, **table)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10)
    expected = sampler.batches(0)
    assert [batch.tolist() for batch in delivered] == [batch.tolist() for batch in expected]
    if table is LARGE:
        assert expected.rows.max() > 2**51, "beyond any integer of R"


SETTINGS: list[dict[str, Any]] = [
    {"ratio": 0.3, "batch_size": 7},
    {"ratio": 0.4, "batch_size": 5, "n_users": 9, "n_items": 11, "unique": True, "num_replicas": 2},
    {"ratio": 0.2, "batch_size": 40, "n_users": 9, "n_items": 11, "reject_positives": False},
    {"ratio": 1 / 3, "batch_size": 6, "n_items": 6, "method": "per_user"},
    {"ratio": 0.5, "batch_size": 6, "n_items": 9, "method": "per_user", "unique": True, "reject_positives": False},
    {"ratio": 0.55, "batch_size": 6, "n_items": 4, "method": "per_user", "full_users": "skip"},
    {"ratio": 0.3, "batch_size": 9, "n_items": 6, "method": "popularity", "power": 0},
    {"ratio": 0.3, "batch_size": 9, "method": "popularity", "reject_positives": False},
    {"ratio": 0.001, "batch_size": 1200, **LARGE},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_r_makes_the_same_recipe_from_the_same_call_and_draws_the_same_pairs(
    settings: dict[str, Any], r: Session, base: Any
) -> None:
    users, items = [*USERS, 4, 4, 4, 4, 0], [*ITEMS, 0, 1, 2, 3, 3]
    sampler = NegativePairBatchSampler(users, items, seed=3, **settings)
    codes = {"users": np.array(users) + 1.0, "items": np.array(items, dtype=np.int32) + 1}
    generator = r.call("batch_sampler_pairs", **{**settings, **codes}, seed=3)
    for instance in assert_same_sampler(r, sampler, generator, (0, 1, 6_700_000), first_row=0):
        assert list(base["class"](instance))[0] == "batch_sampler_pairs"
        assert as_array(r.call_function(instance["batches"], 0)[0]).dtype == np.float64
        told = r.call_function(instance["counts"])
        counts = {name: float(value[0]) for name, value in zip(told.names, told)}
        for name in ("n_users", "n_items", "n_positives", "n_negatives", "n_skipped_users"):
            assert counts[name] == getattr(sampler, name)
        assert counts["acceptance"] == pytest.approx(sampler.acceptance, abs=1e-12)


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


TRIPLES: list[dict[str, Any]] = [
    {"batch_size": 4},
    {"batch_size": 3, "negatives_per_positive": 4, "n_items": 6, "num_replicas": 2},
    {"batch_size": 100, "negatives_per_positive": 2, "n_items": 9, "unique": True},
    {"batch_size": 5, "negatives_per_positive": 3, "n_items": 4, "full_users": "skip"},
    {"batch_size": 2, "negatives_per_positive": 50, "unique": True, **LARGE},
]


@pytest.mark.parametrize("settings", TRIPLES, ids=str)
def test_triples_are_the_same_in_r(settings: dict[str, Any], r: Session, base: Any) -> None:
    users, items = ([*USERS, 4, 4, 4, 4], [*ITEMS, 0, 1, 2, 3]) if "full_users" in settings else (USERS, ITEMS)
    sampler = TripleBatchSampler(users, items, seed=3, **settings)
    codes = {"users": np.array(users) + 1.0, "items": np.array(items) + 1.0}
    generator = r.call("batch_sampler_triples", **codes, **settings, seed=3)
    for instance in assert_same_sampler(r, sampler, generator, (0, 1, 6_700_000), first_row=0):
        told = r.call_function(instance["counts"])
        for name, value in zip(told.names, told):
            assert value[0] == getattr(sampler, name)


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": 0},
        {"negatives_per_positive": 0},
        {"negatives_per_positive": 0.5},
        {"negatives_per_positive": 2.0**31},
        {"negatives_per_positive": 2.0**31 - 1},
        {"unique": True, "negatives_per_positive": 5},
        {"unique": 1.0},
        {"full_users": "drop"},
        {"num_replicas": 10},
        {"num_replicas": 2, "batch_size": 1},
        {"n_items": 3},
        {"seed": -1},
    ],
    ids=str,
)
def test_what_python_refuses_of_triples_r_refuses_in_the_same_words(settings: dict[str, Any], r: Session) -> None:
    users, items = [0, 0, 1, 2, 2], [1, 3, 0, 4, 1]
    given = {"batch_size": 2, "n_users": 5, "n_items": 6, "seed": 1, **settings}
    with pytest.raises((TypeError, ValueError)) as refused:
        TripleBatchSampler(users, items, **given)
    codes = {"users": np.array(users) + 1.0, "items": np.array(items) + 1.0}
    with pytest.raises(rbridge.RError) as refused_in_r:
        r.call("batch_sampler_triples", **codes, **given)
    expected = str(refused.value).replace("TripleBatchSampler", "batch_sampler_triples")
    expected = expected.replace("user 0,", "user 1,").replace("codes from 0 to 2. Got 3", "codes from 1 to 3. Got 4")
    assert str(refused_in_r.value) == expected


def test_a_dataloader_in_r_delivers_the_triples() -> None:
    sampler = TripleBatchSampler(USERS, ITEMS, 4, negatives_per_positive=2, n_items=5, seed=1)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10)
    assert [batch.tolist() for batch in delivered] == [batch.tolist() for batch in sampler.batches(0)]


@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(2**70, 3 * 2**70 + 1), np.float32(0.3)])
@pytest.mark.parametrize("method", ["uniform", "per_user"])
def test_a_ratio_of_any_form_crosses(ratio: Any, method: str, r: Session) -> None:
    sampler = NegativePairBatchSampler(USERS, ITEMS, ratio, 9, n_items=9, method=method, seed=3)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), 10)
    assert delivered.rows.tolist() == sampler.batches(0).rows.tolist()


@pytest.mark.parametrize(
    "settings",
    [
        {"ratio": 0.0},
        {"ratio": 0.9999999999999999},
        {"ratio": float("nan")},
        {"ratio": "a half"},
        {"ratio": 0.97},
        {"ratio": 1e-9},
        {"ratio": 1e-20},
        {"ratio": 5e-324},
        {"batch_size": 0},
        {"batch_size": 3},
        {"num_replicas": 10},
        {"num_replicas": 5, "batch_size": 4},
        {"n_items": 2.0**31},
        {"n_users": 2.0**30, "n_items": 2.0**30},
        {"method": "random"},
        {"unique": 1.0},
        {"unique": True, "ratio": 0.2},
        {"unique": True, "method": "popularity"},
        {"power": 1.0},
        {"power": -1.0, "method": "popularity"},
        {"full_users": "skip"},
        {"full_users": "keep"},
        {"reject_positives": 0.0},
        {"n_users": 4, "n_items": 5, "power": 60.0, "method": "popularity"},
    ],
    ids=str,
)
def test_what_python_refuses_r_refuses_in_the_same_words(settings: dict[str, Any], r: Session) -> None:
    users, items = [0, 0, 1, 2, 2, 0, 3, 2, 0], [1, 3, 0, 4, 1, 1, 2, 0, 1]
    given = {"ratio": 0.3, "batch_size": 8, "n_users": 5, "n_items": 6, "seed": 1, **settings}
    with pytest.raises((TypeError, ValueError)) as refused:
        NegativePairBatchSampler(users, items, **given)
    codes = {"users": np.array(users) + 1.0, "items": np.array(items) + 1.0}
    with pytest.raises(rbridge.RError) as refused_in_r:
        r.call("batch_sampler_pairs", **codes, **given)
    expected = str(refused.value).replace("Got True", "Got TRUE")
    assert str(refused_in_r.value) == expected.replace("for user 0,", "for user 1,")


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
library(rbridge)
pystrat = reticulate::import("pystrat")
users = c(0L, 0L, 1L, 2L)
items = c(0L, 3L, 1L, 3L)
sampler = pystrat$NegativePairBatchSampler(users, items, 0.4, 5L, n_users = 1000000L, n_items = 1000000000L, seed = 1L)
doubles = pystrat$NegativePairBatchSampler(c(0, 0, 1, 2), items, 0.4, 5, n_users = 1e6, n_items = 1e9, seed = 1)
generator = batch_sampler_python(sampler)
dataset = pair_dataset(1e6, 1e9)
loader = torch::dataloader(dataset, batch_sampler = generator(dataset), collate_fn = identity)
batches = list()
coro::loop(for (batch in loader) batches[[length(batches) + 1L]] = as.list(batch))
small = pair_dataset(3, 4, user_features = diag(3), item_features = c(0.5, 1.5, 2.5, 3.5))
failed = function(code) tryCatch({ code; "no error" }, error = conditionMessage)
cat(jsonlite::toJSON(list(
  batches = batches,
  collected = format(collect_rows(generator, 10)$rows, digits = 16, trim = TRUE),
  features = small[c(7, 12)],
  length = length(small),
  from_doubles = format(collect_rows(batch_sampler_python(doubles), 10)$rows, digits = 16, trim = TRUE),
  from_one = collect_rows(batch_sampler_python(pystrat$NegativePairBatchSampler(0L, 1L, 0.5, 2L, seed = 1L)), 10)$rows,
  errors = c(
    failed(decode_pairs(-1, 4)),
    failed(decode_pairs(0.5, 4)),
    failed(decode_pairs(2^53, 4)),
    failed(decode_pairs(NA, 4)),
    failed(decode_pairs("a", 4)),
    failed(decode_pairs(2^52, 4)),
    failed(decode_pairs(1, 0)),
    failed(decode_pairs(1, 2^31)),
    failed(pair_dataset(3, NULL)),
    failed(pair_dataset(3, 4, user_features = 1:2)),
    failed(pair_dataset(3, 4, item_features = "a")),
    failed(small[24])
  )
), auto_unbox = TRUE, digits = NA))
"""


def test_from_r_through_reticulate(rscript: Callable[..., str]) -> None:
    told = json.loads(rscript(FROM_R, RETICULATE_PYTHON=sys.executable))
    sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 5, n_users=10**6, n_items=10**9, seed=1)
    for batch, numbers in zip(told["batches"], sampler.batches(0)):
        users, items, labels = decode_pairs(numbers, 10**9)
        assert batch == {
            "user": (users + 1).tolist(),
            "item": (items + 1).tolist(),
            "label": labels.tolist(),
        }
    assert [int(number) for number in told["collected"]] == sampler.batches(0).rows.tolist()
    assert told["from_doubles"] == told["collected"]
    assert told["from_one"] == NegativePairBatchSampler([0], [1], 0.5, 2, seed=1).batches(0).rows.tolist()
    assert told["features"] == {
        "user": [1, 2],
        "item": [4, 3],
        "label": [1, 0],
        "user_features": [[1, 0, 0], [0, 1, 0]],
        "item_features": [3.5, 2.5],
    }
    assert told["length"] == 24
    numbers = "The 'numbers' parameter must hold pair numbers, integers from 0 to 2^53 - 1. Got"
    count = "The 'n_items' parameter must be"
    assert told["errors"] == [
        f"{numbers} -1 instead.",
        f"{numbers} 0.5 instead.",
        f"{numbers} 9.00719925474099e+15 instead.",
        f"{numbers} NA instead.",
        f"{numbers} 'a' instead.",
        "The 'numbers' parameter must be those of at most 2147483647 users. " "Got 562949953421313 instead.",
        f"{count} an integer from 1 to 2147483647. Got 0 instead.",
        f"{count} an integer from 1 to 2147483647. Got 2147483648 instead.",
        "The 'n_items' parameter must be an integer from 1 to 2147483647. Got nothing instead.",
        "The 'user_features' parameter must have one value or one row for each of 3. " "Got 2 values instead.",
        "The 'item_features' parameter must be numbers. Got 'a' instead.",
        "There is no user 4: the dataset has 3.",
    ]


def test_an_exported_sampler_draws_the_same_pairs_without_python(tmp_path: Path, rscript: Callable[..., str]) -> None:
    sampler = NegativePairBatchSampler(USERS, ITEMS, 0.3, 7, method="per_user", seed=3, **LARGE)
    script = rbridge.export_r(sampler, tmp_path / "pairs.R")
    code = (
        f"""cat(format(source("{script}")$value(NULL)$batches(2)$rows, digits = 16, trim = TRUE, scientific = FALSE))"""
    )
    assert list(map(int, rscript(code, RETICULATE_PYTHON="nowhere").split())) == sampler.batches(2).rows.tolist()
