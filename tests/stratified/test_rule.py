"""The rule: the batches of plain Python for any strata, and its promises, exhaustively for small strata."""

from __future__ import annotations

from itertools import product
from typing import Any, Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from pystrat import BatchPlan, StratifiedBatchSampler
from tests.inside import kinds
from tests.levels import IS_THOROUGH
from tests.reference.naive_stratified import NaiveStratified

ASSIGNS = ("proportional", "even")
LARGEST_OF_TWO, LARGEST_OF_THREE = (60, 12) if IS_THOROUGH else (24, 7)  # sizes and minima of exhaustive loops


def sampler_of(counts: Sequence[int], **wanted: Any) -> tuple[BatchPlan, kinds.Instance]:
    """The plan of a sampler, and what draws its epochs, of a dataset in the order of the strata."""
    names = tuple(str(stratum) for stratum in range(len(counts)))
    data = {"codes": np.repeat(np.arange(len(counts), dtype=np.uint8), counts), "n_strata": len(counts)}
    defaults = {"shuffle": False, "assign": "proportional", "rare": "error", "missing": "error"}
    instance = kinds.Instance("stratified", {**defaults, **wanted, **data}, 0, names)
    assign = "even" if instance.describe()["even"][0] else "proportional"
    return BatchPlan(instance.n_batches, np.array(counts, dtype=np.int64), names, assign), instance


def check(counts: Sequence[int], **wanted: Any) -> BatchPlan:
    """Check the batches of a sampler; return its plan."""
    plan, instance = sampler_of(counts, **wanted)
    epoch = instance.draw(0)
    assert np.array_equal(epoch["offsets"], [0, *np.cumsum(plan.sizes)])
    assert np.array_equal(np.sort(epoch["rows"]), np.arange(plan.n_rows)), "every row exactly once"
    codes, batch = np.repeat(np.arange(len(counts)), counts), np.repeat(np.arange(plan.n_batches), plan.sizes)
    cells = np.bincount(batch * len(counts) + codes[epoch["rows"]], minlength=plan.n_batches * len(counts))
    table, floor = cells.reshape(plan.n_batches, -1), plan.counts // plan.n_batches
    assert np.array_equal(table, plan.rows_of_strata())
    assert ((table == floor) | (table == floor + (plan.counts % plan.n_batches > 0))).all(), "floor or ceiling"
    assert table.min() >= plan.min_samples_per_stratum
    assert plan.sizes.min() > 0, "no batch is empty"
    if plan.assign == "even":
        assert plan.sizes.max() - plan.sizes.min() <= 1
    return plan


def distinct_batch_numbers(n_min: int, minima: Iterable[int]) -> set[int]:
    """The numbers of batches that the minima give, checked against the rule."""
    numbers = set()
    for minimum in minima:
        plan, _ = sampler_of([n_min, n_min], min_samples_per_stratum=minimum, rare="allow")
        assert plan.n_batches == max(1, n_min // minimum)
        if n_min >= minimum:
            assert plan.min_samples_per_stratum >= minimum, "the promise"
        numbers.add(plan.n_batches)
    return numbers


@pytest.mark.parametrize("assign", ASSIGNS)
@pytest.mark.parametrize(("n_strata", "largest"), [(2, LARGEST_OF_TWO), (3, LARGEST_OF_THREE)])
def test_all_small_sizes_and_every_minimum(n_strata: int, largest: int, assign: str) -> None:
    sizes = range(1, largest + 1)
    batch_numbers = {n_min: distinct_batch_numbers(n_min, sizes) for n_min in sizes}
    for counts in product(sizes, repeat=n_strata):
        for n_batches in batch_numbers[min(counts)]:
            check(counts, min_samples_per_stratum=min(counts) // n_batches, assign=assign)


counts_lists = st.lists(st.integers(1, 400), min_size=1, max_size=40)


@given(counts_lists, st.integers(1, 500), st.sampled_from(ASSIGNS), st.integers(1, 7))
def test_any_sizes_minimum_and_replicas(counts: list[int], minimum: int, assign: str, replicas: int) -> None:
    arguments = {"min_samples_per_stratum": minimum, "assign": assign, "rare": "allow", "num_replicas": replicas}
    n_batches = max(1, min(counts) // minimum)
    if n_batches < replicas:
        with pytest.raises(ValueError, match="num_replicas"):
            sampler_of(counts, **arguments)
        return
    assert check(counts, **arguments).n_batches == n_batches - n_batches % replicas


@given(counts_lists, st.integers(1, 500), st.sampled_from(ASSIGNS))
def test_any_sizes_and_mean_batch_size(counts: list[int], mean: int, assign: str) -> None:
    plan = check(counts, mean_batch_size=mean, assign=assign, rare="allow")
    exact = sum(counts) / mean
    assert plan.n_batches == max(1, int(exact + 0.5)), "rounded half up (exact here: the numbers are small)"
    assert plan.assign == ("even" if plan.n_batches > min(counts) else assign)


def some_parameters(data: st.DataObject, names: list[str]) -> dict[str, Any]:
    """Return the parameters of one of the ways to choose batches."""
    number, mean = st.integers(1, 5), {"mean_batch_size": data.draw(st.integers(1, 12))}
    of_each = {name: data.draw(number) for name in names}
    one_pass = {"rare": "allow", "assign": data.draw(st.sampled_from(ASSIGNS))}
    ways: list[dict[str, Any]] = [
        {"min_samples_per_stratum": data.draw(number), **one_pass},
        {"min_samples_per_stratum": {**of_each, names[0]: data.draw(st.integers(0, 3))}, **one_pass},
        {**mean, **one_pass},
        {**mean, "shares": of_each},
        {**mean, "temperature": data.draw(st.sampled_from([1, 1.5, 3, 1e9]))},
        {**mean, "temperature": 2, "cap": data.draw(number)},
        {**mean, "balance": data.draw(st.sampled_from(["over", "under"]) | st.integers(1, 20))},
        {**mean, "drop": "balanced"},
        {**mean, "min_samples_per_stratum": data.draw(number), "rare": "repeat"},
    ]
    return {"assign": "even", **data.draw(st.sampled_from(ways))}


@given(st.lists(st.sampled_from(["a", "b", "b", "b", "c", "d", None]), min_size=1, max_size=60), st.data())
def test_any_strata_and_parameters_give_the_batches_of_plain_python(labels: list[Any], data: st.DataObject) -> None:
    """In R's permutations, with dropped rows, and in the order of the dataset."""
    names = [label for label in dict.fromkeys(labels) if label is not None]
    if not names:
        reject()
    parameters = {**some_parameters(data, names), "num_replicas": data.draw(st.integers(1, 3)), "missing": "drop"}
    parameters.update(shuffle=data.draw(st.booleans()), seed=data.draw(st.integers(0, 2**31 - 2)))
    try:
        sampler = StratifiedBatchSampler(labels, **parameters)
    except ValueError:
        reject()
    naive = NaiveStratified([labels], parameters)
    assert (len(sampler), sampler.plan.counts.tolist()) == (naive.n_batches, naive.taken)
    for epoch in (0, 1, data.draw(st.integers(2, 6_700_000))):
        batches = [batch.tolist() for batch in sampler.batches(epoch)]
        assert batches == naive.batches(epoch)
        assert all(len(set(batch)) == len(batch) for batch in batches), "no row comes twice in a batch"


def test_many_passes_and_many_strata_have_wide_numbers() -> None:
    """Strata of one row with 500 passes, and 300 strata of which some are repeated."""
    for codes, taken, mean in (
        (np.array([0, *[1] * 500] * 2 + [2]), 500, 3),
        (np.repeat(np.arange(300), [1 + stratum % 3 for stratum in range(300)]), 2, 150),
    ):
        sampler = StratifiedBatchSampler(codes, balance=taken, mean_batch_size=mean, seed=1)
        assert set(np.bincount(codes[sampler.batches(3).rows]).tolist()) == {taken}
