"""The rule, exhaustively where the space is small and by property tests beyond: plan, layout and scatter."""

from __future__ import annotations

from itertools import product
from typing import Any, Iterable, Optional, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import BatchPlan
from tests.inside import kinds
from tests.levels import IS_THOROUGH

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
    assert np.array_equal(epoch["offsets"], plan.offsets)
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
def test_every_pair_of_sizes_and_every_minimum(assign: str) -> None:
    sizes = range(1, LARGEST_OF_TWO + 1)
    batch_numbers = {n_min: distinct_batch_numbers(n_min, sizes) for n_min in sizes}
    for counts in product(sizes, repeat=2):
        for n_batches in batch_numbers[min(counts)]:
            check(counts, min_samples_per_stratum=min(counts) // n_batches, assign=assign)


@pytest.mark.parametrize("assign", ASSIGNS)
def test_every_triple_of_sizes_and_every_minimum(assign: str) -> None:
    sizes = range(1, LARGEST_OF_THREE + 1)
    batch_numbers = {n_min: distinct_batch_numbers(n_min, sizes) for n_min in sizes}
    for counts in product(sizes, repeat=3):
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


@given(counts_lists, st.integers(1, 60), st.integers(1, 5))
def test_a_refused_mean_batch_size_names_the_smallest_that_works(counts: list[int], mean: int, replicas: int) -> None:
    def accepted(mean: int) -> Optional[str]:
        try:
            sampler_of(counts, mean_batch_size=mean, num_replicas=replicas)
        except ValueError as error:
            return str(error)
        return None

    message = accepted(mean)
    if message is not None and "be at least" in message:
        named = int(message.split("be at least ")[1].split(",")[0])
        assert named > mean and accepted(named) is None
        below = accepted(named - 1)
        assert below is not None and f"be at least {named}," in below


@given(counts_lists, st.integers(1, 60), st.integers(1, 5))
def test_refused_replicas_name_a_minimum_that_works(counts: list[int], minimum: int, replicas: int) -> None:
    try:
        sampler_of(counts, min_samples_per_stratum=minimum, num_replicas=replicas)
    except ValueError as error:
        if "to at most" in str(error):
            largest = int(str(error).split("to at most ")[1].rstrip("."))
            plan, _ = sampler_of(counts, min_samples_per_stratum=largest, num_replicas=replicas)
            assert plan.n_batches == replicas


def test_the_proportional_batch_is_the_rank_scaled_and_rounded_up() -> None:
    counts = [600, 19_400]
    plan, instance = sampler_of(counts, min_samples_per_stratum=3)
    codes, rows = np.repeat(np.arange(len(counts)), counts), instance.draw(0)["rows"]
    batch = np.empty(plan.n_rows, dtype=np.int64)
    batch[rows] = np.repeat(np.arange(1, 201), plan.sizes)
    for stratum, n_s in enumerate(counts):
        ranks = np.arange(1, n_s + 1)
        assert np.array_equal(batch[codes == stratum], (ranks * 200 + n_s - 1) // n_s)


def test_even_deals_row_after_row_to_batch_after_batch() -> None:
    plan, instance = sampler_of([3, 5, 2], mean_batch_size=2, num_replicas=4, rare="allow", assign="even")
    rows = instance.draw(0)["rows"]
    assert [rows[start::1][:size].tolist() for start, size in zip(plan.offsets, plan.sizes)] == [
        [0, 4, 8],
        [1, 5, 9],
        [2, 6],
        [3, 7],
    ]


def test_exact_where_a_double_rounds() -> None:
    """n_s * B passes 2^53 here; the sizes are compared with Python's own integers of any length."""
    n_batches = 2**22 + 1
    counts = [2**31 - n_batches - 2, n_batches + 1]
    plan = BatchPlan(n_batches, np.array(counts, dtype=np.int64), ("0", "1"), "proportional")
    for batch in [0, 1, 12_345, n_batches // 3, n_batches - 2, n_batches - 1]:
        upto = [(batch + 1) * n_s // n_batches - batch * n_s // n_batches for n_s in counts]
        assert plan.sizes[batch] == sum(upto)
    assert int(plan.sizes.sum()) == sum(counts)
