"""Sharded strata: all small tables against plain Python, the promises, and what is refused."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import ShardedStratifiedBatchSampler, StratifiedBatchSampler, epoch_permutation, shard_counts, sharded_plan
from tests.reference.naive_random import epoch_seed
from tests.reference.naive_shards import naive_batches, naive_cells, naive_n_batches

SIX = {
    "a": ["x"] * 9 + ["y"] * 4,
    "b": ["y"] * 7 + ["x"] * 3,
    "c": ["x"] * 20,
    "d": ["z"] * 6 + ["x"] * 2 + ["y"],
    "e": ["x", "z", "y"] * 3,
    "f": ["y"],
}
OTHER_DATA = "come from a sampler with the same data, parameters and seed"


def as_frame(table: Sequence[Sequence[int]]) -> pd.DataFrame:
    return pd.DataFrame(np.array(table, dtype=np.int64))


def of_shards(shards: Sequence[str], minimum: int = 2, *, strata: Any = SIX, **given: Any) -> Any:
    local = [label for shard in shards for label in strata.get(shard, [])]
    given = {"counts": shard_counts(strata), "seed": 1, **given}
    return ShardedStratifiedBatchSampler(local, minimum, shards=list(shards), **given)


def within_one(numbers: Any, mean: float) -> bool:
    return bool(np.floor(mean) <= np.min(numbers) and np.max(numbers) <= np.ceil(mean))


def check_plan(table: np.ndarray, minimum: int, scope: str) -> None:
    """See that the rule, in plain Python, keeps what is promised, and that the plan is that of plain Python."""
    n_batches, n_shards = naive_n_batches(table.tolist(), minimum, scope), len(table)
    if n_batches is None or not table.sum(axis=0).all():
        with pytest.raises(ValueError, match="parameter must"):
            sharded_plan(as_frame(table), minimum, scope=scope)
        return
    counted = np.zeros((*table.shape, n_batches), dtype=np.int64)
    for (shard, stratum), batches in naive_cells(table.tolist(), n_batches, scope).items():
        counted[shard, stratum] = np.bincount(batches, minlength=n_batches)
        assert within_one(counted[shard, stratum], table[shard, stratum] / n_batches)
    sizes, plan = counted.sum(axis=(0, 1)), sharded_plan(as_frame(table), minimum, scope=scope)
    assert plan.n_batches == n_batches and plan.min_samples_per_stratum >= minimum
    assert plan.sizes().tolist() == sizes.tolist() and within_one(sizes, table.sum() / n_batches)
    assert (counted.sum(axis=0) if scope == "global" else counted).min() >= minimum
    for first, end in product(range(n_shards), range(1, n_shards + 1)):
        if first >= end:
            continue
        own = counted[first:end]
        assert plan.fewest_rows(list(range(first, end))) == own.sum(axis=(0, 1)).min()
        if scope == "local":
            assert within_one(own.sum(axis=(0, 1)), table[first:end].sum() / n_batches)
        else:
            for stratum in range(table.shape[1]):
                assert within_one(own[:, stratum].sum(axis=0), table[first:end, stratum].sum() / n_batches)


def test_all_small_tables_by_brute_force() -> None:
    for n_shards, n_strata, most in ((1, 1, 6), (1, 3, 3), (2, 1, 5), (2, 2, 3), (3, 1, 4), (3, 2, 2), (2, 3, 2)):
        for numbers in product(range(most + 1), repeat=n_shards * n_strata):
            for minimum, scope in product((1, 2), ("global", "local")):
                check_plan(np.array(numbers).reshape(n_shards, n_strata), minimum, scope)


@given(st.data())
def test_a_mean_batch_size_determines_the_batches_and_the_largest_minimum(data: Any) -> None:
    n_shards, n_strata = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    row = st.lists(st.integers(1, 20), min_size=n_strata, max_size=n_strata)
    table = np.array(data.draw(st.lists(row, min_size=n_shards, max_size=n_shards)))
    scope, mean = data.draw(st.sampled_from(["global", "local"])), data.draw(st.integers(1, 300))
    n_rows, least = int(table.sum()), int(table.sum(axis=0).min() if scope == "global" else table.min())
    n_batches, counts = max(1, (2 * n_rows + mean) // (2 * mean)), as_frame(table)
    if n_batches > least:
        with pytest.raises(ValueError, match=rf"parameter must be at least \d+, for at most {least} batch"):
            sharded_plan(counts, mean_batch_size=mean, scope=scope)
        return
    plan = sharded_plan(counts, mean_batch_size=mean, scope=scope)
    assert (plan.n_batches, plan.min_samples_per_stratum) == (n_batches, least // n_batches)
    assert plan.table()["fewest"].min() >= plan.min_samples_per_stratum


@given(st.data())
def test_batches_are_those_of_plain_python(data: Any) -> None:
    n_strata = data.draw(st.integers(1, 4))
    labels = st.lists(st.integers(0, n_strata - 1), max_size=25)
    strata = data.draw(st.lists(labels, min_size=1, max_size=5))
    scope = data.draw(st.sampled_from(["global", "local"]))
    table = np.array([np.bincount(np.array(own, dtype=int), minlength=n_strata) for own in strata])
    least = int(table.sum(axis=0).min() if scope == "global" else table.min())
    if least == 0:
        return
    minimum = data.draw(st.integers(1, least))
    shards = data.draw(st.permutations(range(len(strata))))[: data.draw(st.integers(1, len(strata)))]
    seed, epoch, shuffle = data.draw(st.integers(0, 99)), data.draw(st.integers(0, 99)), data.draw(st.booleans())
    given = {"counts": as_frame(table), "shards": shards, "seed": seed, "scope": scope, "shuffle": shuffle}
    local = [label for shard in shards for label in strata[shard]]
    if sharded_plan(as_frame(table), minimum, scope=scope).fewest_rows(shards) == 0:
        with pytest.raises(ValueError, match="of which some batch has none"):
            ShardedStratifiedBatchSampler(local, minimum, **given)
        return
    sampler = ShardedStratifiedBatchSampler(local, minimum, **given)
    naive = {"scope": scope, "seed": seed if shuffle else None, "epoch": epoch}
    expected = naive_batches(strata, n_strata, len(sampler), shards, **naive)
    assert [batch.tolist() for batch in sampler.batches(epoch)] == expected


def test_one_shard_is_the_even_sampler() -> None:
    """Of so many strata that their codes take 4 bytes."""
    labels, shared = [f"{row % 300:03}" for row in range(900)], {"seed": 5}
    counts = shard_counts({"only": labels})
    sampler = ShardedStratifiedBatchSampler(labels, 1, counts=counts, shards=["only"], scope="local", **shared)
    whole = StratifiedBatchSampler(labels, 1, assign="even", **shared)
    for epoch in (0, 6_700_000):
        assert list(map(list, sampler.batches(epoch))) == list(map(list, whole.batches(epoch)))


@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_order_of_the_table_does_not_matter(scope: str) -> None:
    """One process may list shards or strata in another order; its batches still fit those of the others."""
    strata = {"b": ["x", "y", "z"] * 4 + ["x"] * 5, "a": ["z", "y", "x"] * 3, "c": ["y", "z", "x"] * 5}
    given: Any = {"strata": strata, "scope": scope}
    counts, expected = shard_counts(strata), of_shards(["b", "a"], **given)
    for shards, names in product(permutations(counts.index), permutations(counts.columns)):
        sampler = of_shards(["b", "a"], counts=counts.loc[list(shards), list(names)], **given)
        assert sampler.batches(2).rows.tolist() == expected.batches(2).rows.tolist()
        assert sampler.state() == expected.state() and sampler.plan.counts.equals(expected.plan.counts)


def test_states_of_other_counts_or_names_are_refused() -> None:
    state = of_shards(["a", "b", "c"]).state()
    renamed = {shard: [label.replace("x", "X") for label in own] for shard, own in SIX.items()}
    for strata in ({**SIX, "f": ["x"]}, {"A" if shard == "a" else shard: own for shard, own in SIX.items()}, renamed):
        with pytest.raises(ValueError, match=OTHER_DATA):
            of_shards(["b", "c"], strata=strata).load_state_dict(state)


def rows_of_all(division: Sequence[Sequence[str]], epoch: int, **given: Any) -> list[set[tuple[str, int]]]:
    """Return the rows of each batch over all processes, by shard and place in it."""
    batches: list[set[tuple[str, int]]] = []
    for shards in division:
        names = [(shard, row) for shard in shards for row in range(len(SIX[shard]))]
        drawn = of_shards(shards, **given).batches(epoch)
        batches = batches or [set() for _ in drawn]
        assert len(drawn) == len(batches) and all(len(batch) for batch in drawn)
        for batch, rows in zip(batches, drawn):
            batch |= {names[row] for row in rows.tolist()}
    return batches


def test_global_batches_do_not_depend_on_who_holds_which_shard() -> None:
    for epoch in (0, 3):
        expected = rows_of_all([list(SIX)], epoch, minimum=3)
        assert sum(map(len, expected)) == sum(map(len, SIX.values()))
        for order in list(permutations(SIX))[::97]:
            assert rows_of_all([order[:3], order[3:]], epoch, minimum=3) == expected


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_shard_without_rows_changes_no_batch(shuffle: bool) -> None:
    """If it comes last: the number of a shard is part of its seed."""
    for shards in (["a", "g", "c"], ["g", "c", "a"]):
        sampler = of_shards(shards, strata={**SIX, "g": []}, shuffle=shuffle)
        without = of_shards([shard for shard in shards if shard != "g"], shuffle=shuffle)
        assert [batch.tolist() for batch in sampler.batches(0)] == [batch.tolist() for batch in without.batches(0)]


def test_a_state_of_one_process_is_that_of_all_and_of_other_processes() -> None:
    iterator = iter(of_shards(["a", "b", "c"]))
    next(iterator), next(iterator)
    state = iterator.state_dict()
    for sampler in (of_shards(["d", "e", "f"]), of_shards(list(SIX))):
        sampler.load_state_dict(state)
        rest = [batch.tolist() for batch in sampler.batches(state["epoch"])][2:]
        assert list(sampler) == rest and len(rest) == len(sampler) - 2
    with pytest.raises(ValueError, match=OTHER_DATA):
        of_shards(["a", "b", "c"], seed=2).load_state_dict(state)


def test_the_seed_of_a_shard_is_that_of_an_epoch_and_epochs_end_before_seeds_repeat() -> None:
    many = pd.DataFrame({"x": np.full(10**5, 3)}, index=[f"{shard:05}" for shard in range(10**5)])
    given: Any = {"counts": many, "shards": ["99999"], "seed": 1, "scope": "local"}
    sampler = ShardedStratifiedBatchSampler(["x"] * 3, 1, **given)
    order = epoch_permutation(3, seed=epoch_seed(1, 21_473 * 10**5 + 99_999))
    assert sampler.batches(21_473).rows.tolist() == order.tolist(), "one row in each of 3 batches"
    with pytest.raises(ValueError, match="'epoch' .* must be an integer from 0 to 21473. Got 21474 instead."):
        sampler.set_epoch(21_474)


TWO = {"a": ["x"] * 5 + ["y"] * 3, "b": ["x"] * 4 + ["y"] * 9}


@pytest.mark.parametrize(
    ("shards", "given", "message"),
    [
        ("a", {"minimum": 14}, "be at most 9: the smallest stratum, 'z', has 9 rows. Got 14 instead. Lower it."),
        (
            "a",
            {"scope": "local"},
            "must be 'global' if a shard has no row of a stratum, as the shard 'a' has none of 'z'. Got 'local'",
        ),
        ("a", {"minimum": 4, "strata": TWO, "scope": "local"}, "be at most 3: the shard 'a' has 3 rows of 'y'. Got 4"),
        (
            "a",
            {"minimum": None, "mean_batch_size": 4, "strata": TWO, "scope": "local"},
            "be at least 7, for at most 3 batches: the shard 'a' has 3 rows of 'y'. Got 4, for 5 batches, instead.",
        ),
        (
            "f",
            {},
            "The 'shards' parameter must have a row for each of 4 batches. Got 1 row in 1 shard, of which some batch "
            "has none, instead. Give this process more shards, or raise 'min_samples_per_stratum'.",
        ),
        ("", {}, "The 'shards' parameter must have at least one shard. Got none instead."),
        ("g", {}, "must name one of the shards, 'a', 'b', 'c', 'd', 'e', 'f'. Got 'g' instead."),
        ("a", {"counts": shard_counts({"a": ["x"] * 9})}, "'strata' .* must name one of the strata, 'x'. Got 'y'"),
        ("a", {"strata": {"a": ["x"] * 10 + ["y"] * 3}}, "have the rows of 'counts': 9 rows of 'x' in the shard 'a'."),
        ("a", {"strata": {"a": ["x"]}}, "'strata' .* have one value for each row of the shards, 13. Got 1 value"),
        ("a", {"strata": {"a": [None]}}, "must have no missing values. Got 1 missing of 1 row instead. Leave"),
        ("a", {"counts": pd.DataFrame({"x": [3], "y": [0]}, index=["a"])}, "have a row of each stratum. Got none of"),
        ("a", {"seed": None}, "'seed' .* must be an integer from 0 to 2147483646. Got nothing instead."),
    ],
)
def test_refusals(shards: str, given: dict[str, Any], message: str) -> None:
    counts = shard_counts(TWO if given.get("strata") is TWO else SIX)
    with pytest.raises((TypeError, ValueError), match=message):
        of_shards(list(shards), **{"counts": counts, **given})


def test_a_plan_shows_itself() -> None:
    plan = sharded_plan(shard_counts({"a": ["x"] * 5 + ["y"] * 2, "b": ["x"] * 8 + ["y"] * 4}), 2, scope="local")
    assert plan.summary().splitlines() == [
        "1 batch of 19 rows of 2 shards, at least 2 rows of every stratum and shard",
        "         rows  fewest  most",
        "stratum",
        "x          13      13    13",
        "y           6       6     6",
    ]
    counts = plan.counts
    counts.loc["b", "y"] = 9
    assert plan.counts.loc["b", "y"] == 4, "what is handed out is a copy"
