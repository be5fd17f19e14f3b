"""Recipes and tables: the types of labels, the ids of pairs and the counts of shards are the same, too."""

from __future__ import annotations

import datetime
from typing import Any, Callable

import pandas as pd
import pytest

import rbridge
from pystrat import NegativePairBatchSampler, StrataSubsetBatchSampler, bind_counts, shard_counts, sharded_plan
from rbridge.session import Session, as_array
from tests.bridge.calls import SHARDS
from tests.bridge.recipes import assert_same_recipe, assert_same_sampler

TYPED: dict[str, tuple[Any, str]] = {
    "integers": ([1, 0], "c(1L, 0L)"),
    "wide integers": ([2**40, 3], "c(2^40, 3)"),
    "numbers": ([1.5, None], "c(1.5, NA)"),
    "numbers with more digits": ([0.1 + 0.2, 1.0], "c(0.1 + 0.2, 1)"),
    "logical values": ([True, False], "c(TRUE, FALSE)"),
    "text": (["b", None], "list(c('b', NA))"),
    "days": ([datetime.date(2020, 1, 2), None], "as.Date(c('2020-01-02', NA))"),
    "times": (
        [datetime.datetime(2020, 1, 2, 12), datetime.datetime(2020, 1, 1)],
        "as.POSIXct(c('2020-01-02T12:00:00', '2020-01-01T00:00:00'), 'UTC', '%Y-%m-%dT%H:%M:%S')",
    ),
    "ordered categories": (
        pd.Categorical(["low", "high", None], ["low", "high"], ordered=True),
        "factor(c('low', 'high', NA), levels = c('low', 'high'), ordered = TRUE)",
    ),
    "several columns": (pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}), "data.frame(x = 1:2, y = c('a', 'b'))"),
}


@pytest.mark.parametrize("name", TYPED)
def test_labels_of_all_types_have_the_same_names_in_tables_of_strata(
    name: str, r: Session, base: Any, evaluated: Callable[[str], Any]
) -> None:
    labels, in_r = TYPED[name]
    sampler = StrataSubsetBatchSampler(labels, 1, 1, missing="stratum", seed=7)
    generator = r.call("batch_sampler_strata_subset", 1, 1, strata=evaluated(in_r), missing="stratum", seed=7)
    tables = []
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        tables.append(r.call_function(r.call_function(made, None)["plan"]))
    assert base["identical"](*tables)[0]


def test_ids_are_numbered_alike_and_cross(r: Session, base: Any) -> None:
    users, items = ["ann", "bob", "ann", "\u00e9ve", "Ann"], ["x", "y", "", "x", "x"]
    sampler = NegativePairBatchSampler(users, pd.Categorical(items, ["y", "x", "z", ""]), 0.4, 5, seed=1)
    factor = base["factor"](r.rinterface.StrSexpVector(items), r.rinterface.StrSexpVector(["", "x", "y", "z"]))
    generator = r.call("batch_sampler_pairs", users=users, items=factor, ratio=0.4, batch_size=5, seed=1)
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        instance = assert_same_sampler(r, sampler, made)
        found = [list(r.call_function(instance[method])) for method in ("user_ids", "item_ids")]
        assert found == [list(sampler.user_ids), list(sampler.item_ids)] == [list(dict.fromkeys(users)), ["x", "y", ""]]


FEW = {**SHARDS, "D.csv": ["u"]}
MANY_STRATA = {"odd": [f"{n:03}" for n in range(300)] * 3, "even": [f"{n:03}" for n in range(0, 300, 2)] * 2}


@pytest.mark.parametrize("strata", [FEW, MANY_STRATA], ids=["few", "many"])
def test_tables_and_plans_of_shards(strata: dict[str, list[str]], r: Session, base: Any) -> None:
    def counts_in_r(of: dict[str, list[str]]) -> Any:
        return r.call("shard_counts", r.named_list(**of))

    found, counts = counts_in_r(strata), shard_counts(strata)
    assert [list(part) for part in base["dimnames"](found)] == [list(counts.index), list(counts.columns)]
    assert as_array(found).reshape(counts.shape, order="F").tolist() == counts.to_numpy().tolist()
    parts = [{shard: own} for shard, own in strata.items()]
    bound = r.call("bind_counts", base["list"](*map(counts_in_r, parts)))
    assert base["identical"](bound, found)[0] and bind_counts(map(shard_counts, parts)).equals(counts)
    shards = list(strata)[:2]
    for scope in ("global", "local") if strata is MANY_STRATA else ("global",):
        rows = {shard: own + sorted(set(sum(strata.values(), []))) for shard, own in strata.items()}
        expected = sharded_plan(shard_counts(rows), 1, scope=scope)
        plan = dict(zip((made := r.call("sharded_plan", counts_in_r(rows), 1, scope)).names, made))
        assert plan["n_batches"][0] == expected.n_batches
        assert plan["min_samples_per_stratum"][0] == expected.min_samples_per_stratum
        assert as_array(r.call_function(plan["sizes"])).tolist() == expected.sizes().tolist()
        assert r.call_function(plan["fewest_rows"], shards)[0] == expected.fewest_rows(shards)
