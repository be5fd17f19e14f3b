"""Sharded batches in R: the same tables, plans, recipes and rows as in Python, also after a crossing."""

from __future__ import annotations

from typing import Any

import pytest

import rbridge
from pystrat import ShardedStratifiedBatchSampler, bind_counts, shard_counts, sharded_plan
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_sampler

FEW = {
    "b.csv": ["x"] * 9 + ["y"] * 4,
    "a.csv": ["y"] * 7 + ["x"] * 3 + ["z"] * 2,
    "\u00e9.csv": ["x"] * 20 + ["y", "z"],
    "C.csv": ["z"] * 6 + ["x"] * 2 + ["y"],
}
MANY = {"odd": [f"{n:03}" for n in range(300)] * 3, "even": [f"{n:03}" for n in range(0, 300, 2)] * 2}


def counts_in_r(r: Session, strata: dict[str, list[str]]) -> Any:
    return r.call("shard_counts", r.named_list(**{shard: own for shard, own in strata.items()}))


@pytest.mark.parametrize("strata", [FEW, MANY], ids=["few", "many"])
def test_tables(strata: dict[str, list[str]], r: Session) -> None:
    found, counts = counts_in_r(r, strata), shard_counts(strata)
    names = r.rinterface.baseenv["dimnames"](found)
    assert [list(part) for part in names] == [list(counts.index), list(counts.columns)]
    assert as_array(found).reshape(counts.shape, order="F").tolist() == counts.to_numpy().tolist()
    parts = [{shard: own} for shard, own in strata.items()]
    bound = r.call(
        "bind_counts", r.call_function(r.rinterface.baseenv["list"], *(counts_in_r(r, part) for part in parts))
    )
    assert r.rinterface.baseenv["identical"](bound, found)[0]
    assert bind_counts(map(shard_counts, parts)).equals(counts)


@pytest.mark.parametrize("scope", ["global", "local"])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize(
    "strata, shards", [(FEW, ["a.csv", "C.csv"]), (FEW, ["\u00e9.csv", "b.csv", "a.csv"]), (MANY, ["even", "odd"])]
)
def test_batches(strata: dict[str, list[str]], shards: list[str], scope: str, shuffle: bool, r: Session) -> None:
    if scope == "local":
        strata = {shard: own + sorted(set(sum(strata.values(), []))) for shard, own in strata.items()}
    counts, local = shard_counts(strata), [label for shard in shards for label in strata[shard]]
    given: dict[str, Any] = {"scope": scope, "shuffle": shuffle, "seed": 7}
    sampler = ShardedStratifiedBatchSampler(local, 1, counts=counts, shards=shards, **given)
    table = counts_in_r(r, strata)
    plan = dict(zip((made := r.call("sharded_plan", table, 1, scope)).names, made))
    assert plan["n_batches"][0] == len(sampler)
    assert plan["min_samples_per_stratum"][0] == sampler.plan.min_samples_per_stratum
    assert as_array(r.call_function(plan["sizes"])).tolist() == sampler.plan.sizes().tolist()
    names = shards
    assert r.call_function(plan["fewest_rows"], names)[0] == sharded_plan(counts, 1, scope=scope).fewest_rows(shards)
    base = r.rinterface.baseenv
    text = r.call_function(base["list"], r.call_function(base["as.character"], local))
    generator = r.call("batch_sampler_sharded", 1, table, names, strata=text, **given)
    assert_same_sampler(r, sampler, generator, (0, 3, 6_700_000) if len(counts) < 300 else (0, 3))


def test_tables_of_shards_have_the_types_of_their_rows(r: Session) -> None:
    counts = shard_counts({"a.csv": [1, 0, 1], "b.csv": [0, 2]})
    sampler = ShardedStratifiedBatchSampler([1, 0, 1], 1, counts=counts, shards=["a.csv"], seed=7)
    table = r.call_function(r.call_function(rbridge.as_torch_sampler(sampler), None)["plan"])
    column = r.rinterface.baseenv["[["](table, "stratum")
    assert isinstance(column, r.rinterface.IntSexpVector) and list(column) == [0, 1, 2]
