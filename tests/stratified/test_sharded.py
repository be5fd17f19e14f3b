"""Sharded strata: all small tables against plain Python, the promises, and what is refused."""

from __future__ import annotations

import pickle
import re
import tracemalloc
from itertools import permutations, product
from typing import Any, Iterator, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import (
    ShardedStratifiedBatchSampler,
    StratifiedBatchSampler,
    epoch_permutation,
    shard_counts,
    sharded_plan,
)
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


def as_frame(table: Sequence[Sequence[int]]) -> pd.DataFrame:
    return pd.DataFrame(np.array(table, dtype=np.int64))


def of_table(table: Sequence[Sequence[int]], shards: Sequence[int], minimum: int, **given: Any) -> Any:
    """A sampler of a process that holds some shards, whose rows are in order of stratum."""
    local = np.concatenate([np.repeat(np.arange(len(table[shard])), table[shard]) for shard in shards])
    return ShardedStratifiedBatchSampler(local, minimum, counts=as_frame(table), shards=list(shards), seed=1, **given)


def of_shards(shards: Sequence[str], minimum: int = 2, *, strata: Any = SIX, **given: Any) -> Any:
    local = [label for shard in shards for label in strata[shard]]
    given = {"counts": shard_counts(strata), "seed": 1, **given}
    return ShardedStratifiedBatchSampler(local, minimum, shards=list(shards), **given)


def refused(*arguments: Any, call: Any = of_shards, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        call(*arguments, **parameters)
    return str(error.value).replace(" parameter", "")


def runs_of(n_shards: int) -> Iterator[range]:
    """All shards that follow one another."""
    for first in range(n_shards):
        for end in range(first + 1, n_shards + 1):
            yield range(first, end)


def within_one(numbers: Any, mean: float) -> bool:
    return bool(np.floor(mean) <= np.min(numbers) and np.max(numbers) <= np.ceil(mean))


def check_promises(table: np.ndarray, n_batches: int, minimum: int, scope: str) -> None:
    """See that the rule itself, in plain Python, keeps what is promised."""
    cells = naive_cells(table.tolist(), n_batches, scope)
    counted = np.zeros((*table.shape, n_batches), dtype=np.int64)
    for (shard, stratum), batches in cells.items():
        counted[shard, stratum] = np.bincount(batches, minlength=n_batches)
        assert within_one(counted[shard, stratum], table[shard, stratum] / n_batches)
    sizes = counted.sum(axis=(0, 1))
    assert within_one(sizes, table.sum() / n_batches)
    for run in runs_of(len(table)):
        own = counted[list(run)]
        if scope == "local":
            assert within_one(own.sum(axis=(0, 1)), table[list(run)].sum() / n_batches)
        for stratum in range(table.shape[1]):
            if scope == "global":
                assert within_one(own[:, stratum].sum(axis=0), table[list(run), stratum].sum() / n_batches)
    kept = counted.sum(axis=0) if scope == "global" else counted
    assert kept.min() >= minimum


def check_plan(table: np.ndarray, minimum: int, scope: str) -> None:
    """See that the plan is that of plain Python, with the fewest rows of every set of shards."""
    n_batches = naive_n_batches(table.tolist(), minimum, scope)
    if n_batches is None or not table.sum(axis=0).all():
        with pytest.raises(ValueError, match="parameter must"):
            sharded_plan(as_frame(table), minimum, scope=scope)
        return
    check_promises(table, n_batches, minimum, scope)
    plan = sharded_plan(as_frame(table), minimum, scope=scope)
    assert plan.n_batches == n_batches and plan.min_samples_per_stratum >= minimum
    cells = naive_cells(table.tolist(), n_batches, scope)
    sizes = {
        shard: sum(np.bincount(cells[shard, stratum], minlength=n_batches) for stratum in range(table.shape[1]))
        for shard in range(len(table))
    }
    assert plan.sizes().tolist() == sum(sizes.values()).tolist()
    for run in runs_of(len(table)):
        assert plan.fewest_rows(list(run)) == sum(sizes[shard] for shard in run).min()


def test_all_small_tables_by_brute_force() -> None:
    for n_shards, n_strata, most in ((1, 1, 6), (1, 3, 3), (2, 1, 5), (2, 2, 3), (3, 1, 4), (3, 2, 2), (2, 3, 2)):
        for numbers in product(range(most + 1), repeat=n_shards * n_strata):
            table = np.array(numbers).reshape(n_shards, n_strata)
            for minimum, scope in product((1, 2), ("global", "local")):
                check_plan(table, minimum, scope)


@given(st.data())
def test_a_mean_batch_size_determines_the_batches_and_the_largest_minimum(data: Any) -> None:
    n_shards, n_strata = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    row = st.lists(st.integers(1, 20), min_size=n_strata, max_size=n_strata)
    table = np.array(data.draw(st.lists(row, min_size=n_shards, max_size=n_shards)))
    scope, mean = data.draw(st.sampled_from(["global", "local"])), data.draw(st.integers(1, 300))
    n_rows, least = int(table.sum()), int(table.sum(axis=0).min() if scope == "global" else table.min())
    n_batches = max(1, (2 * n_rows + mean) // (2 * mean))
    counts, shards = as_frame(table), list(range(n_shards))
    if n_batches > least:
        with pytest.raises(ValueError) as error:
            sharded_plan(counts, mean_batch_size=mean, scope=scope)
        found = re.search(r"'mean_batch_size' parameter must be at least (\d+), for at most (\d+)", str(error.value))
        assert found is not None and int(found[2]) == least
        assert sharded_plan(counts, mean_batch_size=int(found[1]), scope=scope).n_batches <= least
        with pytest.raises(ValueError, match="'mean_batch_size' parameter must be at least"):
            sharded_plan(counts, mean_batch_size=int(found[1]) - 1, scope=scope)
        return
    plan = sharded_plan(counts, mean_batch_size=mean, scope=scope)
    assert (plan.n_batches, plan.min_samples_per_stratum) == (n_batches, least // n_batches)
    assert len(plan.sizes()) == n_batches and plan.sizes().sum() == n_rows
    check_promises(table, n_batches, plan.min_samples_per_stratum, scope)
    strata = np.repeat(np.tile(counts.columns, n_shards), table.ravel())
    sampler = ShardedStratifiedBatchSampler(
        strata, counts=counts, shards=shards, seed=1, mean_batch_size=mean, scope=scope
    )
    assert [len(batch) for batch in sampler.batches(2)] == plan.sizes().tolist()
    assert plan.table()["fewest"].min() >= plan.min_samples_per_stratum
    assert plan.fewest_rows(shards) == plan.sizes().min()


def test_a_mean_batch_size_or_a_minimum_of_shards() -> None:
    counts = shard_counts({"a": ["x"] * 5 + ["y"] * 2, "b": ["x"] * 8 + ["y"] * 4})
    is_given = "be left out if 'mean_batch_size' is given. Got 1"
    both = {"min_samples_per_stratum": 1, "mean_batch_size": 9}
    for parameters, message in (({}, "be given if 'mean_batch_size' is not. Got nothing"), (both, is_given)):
        with pytest.raises(ValueError, match=f"'min_samples_per_stratum' parameter must {message}"):
            sharded_plan(counts, **parameters)
    with pytest.raises(ValueError) as error:
        sharded_plan(counts, mean_batch_size=1)
    assert str(error.value) == (
        "The 'mean_batch_size' parameter must be at least 3, for at most 6 batches: the smallest stratum, 'y', has 6 "
        "rows. Got 1, for 19 batches, instead. Raise it."
    )
    with pytest.raises(
        ValueError, match="for at most 2 batches: the shard 'a' has 2 rows of 'y'. Got 4, for 5 batches"
    ):
        sharded_plan(counts, mean_batch_size=4, scope="local")
    by_size = ShardedStratifiedBatchSampler(
        ["x"] * 5 + ["y"] * 2, counts=counts, shards=["a"], seed=1, mean_batch_size=6
    )
    by_minimum = ShardedStratifiedBatchSampler(["x"] * 5 + ["y"] * 2, 2, counts=counts, shards=["a"], seed=1)
    by_size.load_state_dict(by_minimum.state())
    assert by_size.parameters["mean_batch_size"] == 6 and by_size.plan.min_samples_per_stratum == 2
    assert by_size.batches(0).rows.tolist() == by_minimum.batches(0).rows.tolist()


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
    plan = sharded_plan(as_frame(table), minimum, scope=scope)
    local = [label for shard in shards for label in strata[shard]]
    if plan.fewest_rows(shards) == 0:
        assert "of which some batch has none" in refused(table.tolist(), shards, minimum, call=of_table, scope=scope)
        return
    seed, epoch, shuffle = data.draw(st.integers(0, 99)), data.draw(st.integers(0, 99)), data.draw(st.booleans())
    given = {"counts": as_frame(table), "shards": shards, "seed": seed, "scope": scope, "shuffle": shuffle}
    sampler = ShardedStratifiedBatchSampler(local, minimum, **given)
    expected = naive_batches(
        strata, n_strata, len(sampler), shards, scope=scope, seed=seed if shuffle else None, epoch=epoch
    )
    assert [batch.tolist() for batch in sampler.batches(epoch)] == expected
    again = pickle.loads(pickle.dumps(sampler))
    assert again.batches(epoch).rows.tolist() == sampler.batches(epoch).rows.tolist()


@pytest.mark.parametrize("labels", [np.repeat([1, 2, 3], [10, 7, 30]), [f"{row % 300:03}" for row in range(900)]])
@pytest.mark.parametrize("scope", ["global", "local"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_one_shard_is_the_even_sampler(labels: Any, scope: str, shuffle: bool) -> None:
    given = {"counts": shard_counts({"only": labels}), "shards": ["only"], "seed": 5, "shuffle": shuffle}
    sampler = ShardedStratifiedBatchSampler(labels, 2 if len(labels) < 99 else 1, scope=scope, **given)
    whole = StratifiedBatchSampler(labels, 2 if len(labels) < 99 else 1, assign="even", seed=5, shuffle=shuffle)
    for epoch in (0, 1, 6_700_000):
        assert sampler.batches(epoch).rows.tolist() == whole.batches(epoch).rows.tolist()
        assert sampler.batches(epoch).offsets.tolist() == whole.batches(epoch).offsets.tolist()


@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_order_of_the_table_does_not_matter(scope: str) -> None:
    """One process may list shards or strata in another order; its batches still fit those of the others."""
    strata = {"b": ["x", "y", "z"] * 4 + ["x"] * 5, "a": ["z", "y", "x"] * 3, "c": ["y", "z", "x"] * 5}
    given: Any = {"strata": strata, "scope": scope}
    counts = shard_counts(strata)
    expected = of_shards(["b", "a"], **given)
    for shards, names in product(permutations(counts.index), permutations(counts.columns)):
        sampler = of_shards(["b", "a"], counts=counts.loc[list(shards), list(names)], **given)
        assert [batch.tolist() for batch in sampler.batches(2)] == [batch.tolist() for batch in expected.batches(2)]
        assert sampler.state() == expected.state()
        assert sampler.plan.counts.equals(expected.plan.counts)


@pytest.mark.parametrize("renamed", [{"index": {"a": "A"}}, {"columns": {"x": "X"}}])
def test_other_names_of_the_same_numbers_are_other_samplers(renamed: dict[str, Any]) -> None:
    counts = shard_counts(SIX)
    state = of_shards(["f", "d", "c"], counts=counts).state()
    other = ShardedStratifiedBatchSampler(
        [label.replace("x", renamed.get("columns", {}).get("x", "x")) for label in SIX["d"] + SIX["c"]],
        2,
        counts=counts.rename(**renamed),
        shards=["d", "c"],
        seed=1,
    )
    with pytest.raises(ValueError, match="come from a sampler with the same data, parameters and seed"):
        other.load_state_dict(state)


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
        expected = rows_of_all([list(SIX)], epoch)
        assert sum(map(len, expected)) == sum(map(len, SIX.values()))
        for order in list(permutations(SIX))[::97]:
            assert rows_of_all([order[:3], order[3:]], epoch, minimum=3) == rows_of_all([list(SIX)], epoch, minimum=3)
    assert rows_of_all([list(SIX)], 0) != rows_of_all([list(SIX)], 1)


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_shard_without_rows_changes_no_batch(shuffle: bool) -> None:
    """If it comes last: the number of a shard is part of its seed."""
    table = shard_counts({**SIX, "g": []})
    for shards in (["a", "g", "c"], ["g", "c", "a"]):
        sampler = of_shards(shards, strata={**SIX, "g": []}, counts=table, shuffle=shuffle)
        without = of_shards([shard for shard in shards if shard != "g"], shuffle=shuffle)
        assert [batch.tolist() for batch in sampler.batches(0)] == [batch.tolist() for batch in without.batches(0)]


def test_a_state_of_one_process_is_that_of_all_and_of_other_processes() -> None:
    first, second, whole = of_shards(["a", "b", "c"]), of_shards(["d", "e", "f"]), of_shards(list(SIX))
    for _ in range(2):
        next(iter(first))
    iterator = iter(first)
    next(iterator), next(iterator)
    state = iterator.state_dict()
    for sampler in (second, whole):
        sampler.load_state_dict(state)
        rest = [batch.tolist() for batch in sampler.batches(state["epoch"])][2:]
        assert list(sampler) == rest and len(rest) == len(sampler) - 2
    with pytest.raises(ValueError, match="come from a sampler with the same data, parameters and seed"):
        of_shards(["a", "b", "c"], seed=2).load_state_dict(state)
    with pytest.raises(ValueError, match="come from a sampler with the same data, parameters and seed"):
        of_shards(["a", "b", "c"], counts=shard_counts({**SIX, "f": ["x"]})).load_state_dict(state)


def test_the_seed_of_a_shard_is_that_of_an_epoch_and_epochs_end_before_seeds_repeat() -> None:
    many = pd.DataFrame({"x": np.full(10**5, 3)}, index=[f"{shard:05}" for shard in range(10**5)])
    given: Any = {"counts": many, "shards": ["99999"], "seed": 1, "scope": "local"}
    sampler = ShardedStratifiedBatchSampler(["x"] * 3, 1, **given)
    order = epoch_permutation(3, seed=epoch_seed(1, 21_473 * 10**5 + 99_999))
    assert sampler.batches(21_473).rows.tolist() == order.tolist(), "one row in each of 3 batches"
    with pytest.raises(ValueError, match="'epoch' .* must be an integer from 0 to 21473. Got 21474 instead."):
        sampler.set_epoch(21_474)


def test_a_plan_of_many_shards_and_rows_takes_megabytes() -> None:
    names = [f"{shard:05}" for shard in range(10**5)]
    numbers = 10**6 * np.arange(1, 11) * 2 // 11 + np.arange(10**5)[:, np.newaxis] % 7
    counts = pd.DataFrame(numbers, index=names, columns=list("abcdefghij"))
    assert numbers.sum() > 10**12
    tracemalloc.start()
    plan = sharded_plan(counts, 4 * 10**5)
    assert plan.fewest_rows(names[:10]) >= 10 * 4 * 10**5 // 10**5
    assert tracemalloc.get_traced_memory()[1] < 2**28
    tracemalloc.stop()
    assert plan.n_batches == int(numbers.sum(axis=0).min()) // (4 * 10**5)
    with pytest.raises(ValueError, match="must make at most 2147483647 batches. Got 4, for 4\\d{9} batches, instead."):
        sharded_plan(counts, 4)


def test_what_cannot_be_is_refused_with_its_shard_and_stratum() -> None:
    assert refused(["a"], 14) == (
        "The 'min_samples_per_stratum' must be at most 9: the smallest stratum, 'z', has 9 rows. "
        "Got 14 instead. Lower it."
    )
    assert (
        "must be 'global' if a shard has no row of a stratum, as the shard 'a' has none of 'z'. Got 'local'"
        in refused(["a"], scope="local")
    )
    two = {"a": ["x"] * 5 + ["y"] * 3, "b": ["x"] * 4 + ["y"] * 9}
    assert "must be at most 3: the shard 'a' has 3 rows of 'y'. Got 4 instead. Lower it." in refused(
        ["a"], 4, strata=two, scope="local"
    )
    assert refused(["f"]) == (
        "The 'shards' must have a row for each of 4 batches. Got 1 row in 1 shard, of which some batch has none, "
        "instead. Give this process more shards, or raise 'min_samples_per_stratum'."
    )
    empty = {"a": ["x"] * 3, "b": []}
    assert "as the shard 'b' has none of 'x'. Got 'local' instead." in refused(["a"], strata=empty, scope="local")
    assert "Got 0 rows in 1 shard, of which some batch has none, instead." in refused(["b"], strata=empty)
    assert "The 'shards' must have at least one shard. Got none instead." in refused([])
    assert "must name one of the shards, 'a', 'b', 'c', 'd', 'e', 'f'. Got 'g' instead." in refused(
        ["g"], strata={**SIX, "g": ["x"]}, counts=shard_counts(SIX)
    )


def test_rows_that_are_not_those_of_the_counts_are_refused() -> None:
    def of(local: Any, shards: Any = ("a",), **given: Any) -> Any:
        given = {"counts": shard_counts(SIX), "seed": 1, **given}
        return ShardedStratifiedBatchSampler(local, 2, shards=shards, **given)

    assert "'strata' must have one value for each row of the shards, 13. Got 2 values" in refused(
        "xy", call=lambda text: of(list(text))
    )
    assert "'strata' must have the rows of 'counts': 9 rows of 'x' in the shard 'a'. Got 10 instead." in refused(
        ["x"] * 10 + ["y"] * 3, call=of
    )
    assert "'strata' must name one of the strata, 'x', 'y', 'z'. Got 'w' instead." in refused(["w"] * 13, call=of)
    assert "must have no missing values. Got 1 missing of 13 rows instead. Leave" in refused(
        [None] + ["x"] * 12, call=of
    )
    empty = pd.DataFrame({"x": [3], "y": [0]}, index=["a"])
    assert "'counts' must have a row of each stratum. Got none of 'y' instead." in refused(
        ["x"] * 3, call=of, counts=empty
    )
    assert "'seed' must be an integer from 0 to 2147483646. Got nothing instead." in refused(
        SIX["a"], call=of, seed=None
    )


def test_a_plan_shows_itself() -> None:
    plan = sharded_plan(shard_counts({"a": ["x"] * 5 + ["y"] * 2, "b": ["x"] * 8 + ["y"] * 4}), 2, scope="local")
    assert plan.summary().splitlines() == [
        "1 batch of 19 rows of 2 shards, at least 2 rows of every stratum and shard",
        "         rows  fewest  most",
        "stratum",
        "x          13      13    13",
        "y           6       6     6",
    ]
    many = sharded_plan(shard_counts({"a": [*"abcdefghijklmnopqrstuvw"]}), 1)
    assert many.summary().splitlines()[-11:-9] == ["... and 3 more", "n           1       1     1"]
    counts = plan.counts
    counts.loc["b", "y"] = 9
    assert plan.counts.loc["b", "y"] == 4, "what is handed out is a copy"
    assert "(5 rows in 1 of 1 shard, 1 stratum, 1 batch, " in repr(of_shards(["a"], 3, strata={"a": ["x"] * 5}))
    assert "3 of 6 shards, 3 strata, 4 batches, min_samples_per_stratum=2, scope='global'" in repr(
        of_shards(list("abc"))
    )
