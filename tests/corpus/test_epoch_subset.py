"""Part of the dataset every epoch: which examples each method visits, and what reports of perplexity do."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from pystrat import epoch_permutation
from pystrat._random import RandomStream
from pystrat.base import epoch_seed
from pystrat.corpus import EpochSubsetBatchSampler
from pystrat.corpus.epoch_subset import METHOD_CHOICES, partition_rows, perplexity_of


def visited(sampler: EpochSubsetBatchSampler, epoch: int) -> list[int]:
    return sampler.batches(epoch).rows.tolist()


def run(sampler: EpochSubsetBatchSampler) -> list[list[int]]:
    return list(sampler)


def perplexity_sampler(n: int = 50, sample: int = 400, **parameters: Any) -> EpochSubsetBatchSampler:
    return EpochSubsetBatchSampler(n, sample, 16, method="perplexity", **{"seed": 1, "maximum": None, **parameters})


# Uniform --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [100, 2000])
def test_the_published_settings(sample: int) -> None:
    sampler = EpochSubsetBatchSampler(1234, sample, 64, seed=1)
    for epoch in range(3):
        rows = visited(sampler, epoch)
        assert rows == RandomStream(epoch_seed(1, epoch)).indices(1234, sample).tolist()
        assert len(rows) == sample and min(rows) >= 0 and max(rows) < 1234
    assert [len(batch) for batch in sampler.batches(0)] == [64] * (sample // 64) + [sample % 64]


def test_without_replacement_is_the_beginning_of_the_epoch_order() -> None:
    sampler = EpochSubsetBatchSampler(1234, 600, 64, method="uniform_without_replacement", seed=1)
    for epoch in range(3):
        assert visited(sampler, epoch) == epoch_permutation(1234, seed=1, epoch=epoch)[:600].tolist()


def test_frequencies() -> None:
    """Chi squared of 60 draws per example: within 5 standard deviations of its mean, for each method that draws."""
    for method in ("uniform", "uniform_without_replacement"):
        sampler = EpochSubsetBatchSampler(100, 60, 60, method=method, seed=3)
        counts = np.bincount(np.concatenate([sampler.batches(epoch).rows for epoch in range(100)]), minlength=100)
        spread = 1 if method == "uniform" else 0.4  # without replacement an epoch's counts vary less
        chi_squared = ((counts - 60) ** 2 / 60).sum() / spread
        assert abs(chi_squared - 99) < 5 * math.sqrt(2 * 99)


# Partition ------------------------------------------------------------------------------------------------------------


def partition_as_published(n: int, sample: int) -> Any:
    """Yield epoch after epoch, step by step, counted from 1."""
    step = max(1, n // sample)
    start = index = 1
    while True:
        drawn = []
        for _ in range(sample):
            drawn.append(index)
            index += step
            if index > n:
                start = index = start % step + 1
        yield drawn


def test_partition_of_ten() -> None:
    sampler = EpochSubsetBatchSampler(10, 4, 4, method="partition")
    drawn = [[row + 1 for row in visited(sampler, epoch)] for epoch in range(3)]
    assert drawn == [[1, 3, 5, 7], [9, 2, 4, 6], [8, 10, 1, 3]]


def test_partition_of_the_published_setting() -> None:
    sampler = EpochSubsetBatchSampler(1234, 600, 64, method="partition")
    assert [row + 1 for row in visited(sampler, 0)] == list(range(1, 1200, 2))
    assert [row + 1 for row in visited(sampler, 1)] == list(range(1201, 1234, 2)) + list(range(2, 1167, 2))


def test_partition_goes_as_published_for_every_small_setting() -> None:
    for n in range(1, 61):
        for sample in range(1, 61):
            drawn: list[int] = []
            for epoch, expected in zip(range(2 + 2 * n // sample), partition_as_published(n, sample)):
                rows = (partition_rows(n, sample, epoch) + 1).tolist()
                assert rows == expected, (n, sample, epoch)
                drawn += rows
            assert sorted(drawn[:n]) == list(range(1, n + 1)), "n draws cover every example once"
            assert drawn[n:] == drawn[: len(drawn) - n], "with period n, and so any n consecutive draws do"


@given(n=st.integers(1, 2**31 - 1), sample=st.integers(1, 300), epoch=st.integers(0, 6_700_000))
def test_partition_of_any_epoch_is_computed_directly(n: int, sample: int, epoch: int) -> None:
    rows = partition_rows(n, sample, epoch)
    assert rows.min() >= 0 and rows.max() < n
    assert len(set(rows.tolist())) == min(n, sample)


def test_partition_needs_no_seed() -> None:
    state = EpochSubsetBatchSampler(10, 4, 4, method="partition", seed=1).state_dict()
    EpochSubsetBatchSampler(10, 4, 4, method="partition", seed=2).load_state_dict(state)


# Perplexity -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 20), min_size=1, max_size=50))
def test_perplexity_is_the_exponential_with_a_cap(nll: list[float]) -> None:
    found = perplexity_of(np.array(nll))
    for value, loss in zip(found.tolist(), nll):
        exact = min(math.exp(loss), 1e6)
        assert abs(value - exact) <= 2 * math.ulp(exact)


def test_perplexity_known_answers() -> None:
    """To the last bit, so that another machine or library that would give other rows fails here."""
    found = perplexity_of(np.array([0.0, 0.1, 1.0, 2.5, 10.0, 13.9, 1e300, np.nan]))
    assert [value.hex() for value in found.tolist()[:5]] == [
        "0x1.0000000000000p+0",
        "0x1.1aec7b35a00d4p+0",
        "0x1.5bf0a8b14576ap+1",
        "0x1.85d6fd931e0bbp+3",
        "0x1.5829dcf950560p+14",
    ]
    assert found[5] == found[6] == 1e6 and np.isnan(found[7])


def test_uniform_until_the_mean_is_below_initial_and_then_for_good() -> None:
    sampler, uniform = perplexity_sampler(), EpochSubsetBatchSampler(50, 400, 16, seed=1)
    assert run(sampler) == [batch.tolist() for batch in uniform.batches(0)]
    sampler.report(np.arange(50), np.full(50, math.log(20)))
    assert run(sampler) == [batch.tolist() for batch in uniform.batches(1)] and not sampler.started
    sampler.report([7], [0.0])
    sampler.report(np.arange(49), np.full(49, math.log(14)))
    weighted = run(sampler)
    assert sampler.started and weighted != [batch.tolist() for batch in uniform.batches(2)]
    sampler.report(np.arange(50), np.full(50, math.log(100)))
    run(sampler)
    assert sampler.started, "for good"


def test_initial_that_no_double_is_does_not_start_by_rounding() -> None:
    for n in (3, 49, 1000, 12345):
        sampler = perplexity_sampler(n, 10, initial=10.1)
        next(iter(sampler))
        assert not sampler.started


def test_frequencies_follow_perplexity() -> None:
    sampler = perplexity_sampler(4, 100_000)
    sampler.report([0, 1, 2], np.log([1.0, 2.0, 4.0]))  # row 3 keeps its 15
    counts = np.bincount(sampler.batches(0).rows, minlength=4)
    expected = 100_000 * np.array([1, 2, 4, 15]) / 22
    assert ((counts - expected) ** 2 / expected).sum() < 3 + 5 * math.sqrt(6)


def test_draws_are_uniforms_in_the_cumulative_weights() -> None:
    sampler = perplexity_sampler(50, 64)
    nll = np.linspace(0, 2, 50)
    sampler.report(np.arange(50), nll)
    uniforms = RandomStream(epoch_seed(1, 0)).uniforms(64)
    weights = perplexity_of(nll)
    expected = [int(np.flatnonzero(np.cumsum(weights) > u * np.cumsum(weights)[-1])[0]) for u in uniforms]
    assert visited(sampler, 0) == expected


def weights_of(perplexities: dict[int, float], n: int = 12, **parameters: Any) -> list[float]:
    sampler = perplexity_sampler(n, 4, **parameters)
    sampler.report(list(perplexities), np.log(list(perplexities.values())))
    return np.round(sampler._weights(), 9).tolist()


def test_a_positive_maximum_is_the_ceiling() -> None:
    weights = weights_of({0: 2.0, 1: 9.0, 2: 11.0}, n=4, maximum=10.0)
    assert weights == [2.0, 9.0, 1.0, 15.0], "above it 1; the unseen one keeps the initial perplexity"


def test_a_negative_maximum_counts_spreads_above_the_mode() -> None:
    # The mode is 3; above it 5, 7 and 13: squares 4 + 16 + 100, divided by 2: the spread is the root of 60, 7.746.
    seen = dict(enumerate([3.0, 3.004, 3.0, 5.0, 7.0, 13.0, 2.0, 2.0]))
    above = 3.004  # is above the mode as well
    spread = math.sqrt(((above - 3) ** 2 + 4 + 16 + 100) / 3)
    assert 3 + spread < 13 < 3 + 2 * spread
    assert weights_of(seen, maximum=-1.0)[:8] == [3.0, 3.004, 3.0, 5.0, 7.0, 1.0, 2.0, 2.0]
    assert weights_of(seen, maximum=-2.0)[:8] == [3.0, 3.004, 3.0, 5.0, 7.0, 13.0, 2.0, 2.0]
    assert weights_of(seen, maximum=None)[5] == 13.0


def test_the_smallest_of_several_modes_counts() -> None:
    # With the mode 2 the ceiling is 2 + sqrt((1 + 1 + 36) / 2) = 6.36, with the mode 3 there would be none.
    assert weights_of({0: 3.0, 1: 3.0, 2: 2.0, 3: 2.0, 4: 8.0}, maximum=-1.0)[:5] == [3.0, 3.0, 2.0, 2.0, 1.0]


def test_fewer_than_two_above_the_mode_make_no_ceiling() -> None:
    assert weights_of({0: 2.0, 1: 2.0, 2: 14.0}, maximum=-1.0)[:3] == [2.0, 2.0, 14.0]


def test_infinite_perplexity_is_capped_and_does_not_stop_the_method() -> None:
    sampler = perplexity_sampler(10, 10)
    sampler.report([0], [1e300])
    assert sampler.perplexities.max() == 1e6
    sampler.report(np.arange(10), np.ones(10))
    next(iter(sampler))
    assert sampler.started


def test_the_last_report_of_a_row_wins() -> None:
    sampler = perplexity_sampler(5, 5)
    sampler.report([3, 3, 3], [1.0, 2.0, 0.5])
    sampler.report(torch.tensor([2]), torch.tensor([0.25], requires_grad=True))
    assert sampler.perplexities.tolist() == [15, 15, *perplexity_of(np.array([0.25, 0.5])).tolist(), 15]


def test_reports_count_from_the_next_epoch_with_any_number_of_workers() -> None:
    def train(workers: int) -> list[list[int]]:
        sampler = perplexity_sampler(60, 90)
        loader = DataLoader(TensorDataset(torch.arange(60)), batch_sampler=sampler, num_workers=workers)
        trained = []
        for _ in range(4):
            for (rows,) in loader:
                trained.append(rows.tolist())
                sampler.report(rows, 0.2 + rows.double() / 30 % 1)
        assert sampler.started
        return trained

    undisturbed = train(0)
    assert train(1) == undisturbed and train(2) == undisturbed


def test_only_the_running_and_the_next_epoch_are_served() -> None:
    sampler = perplexity_sampler()
    running = run(sampler)
    sampler.report(np.arange(50), np.linspace(0, 1, 50))
    assert [batch.tolist() for batch in sampler.batches(0)] == running
    following = [batch.tolist() for batch in sampler.batches(1)]
    assert not sampler.started and sampler.batches().rows.tolist() == sampler.batches(1).rows.tolist()
    assert run(sampler) == following and sampler.started
    for epoch in (0, 3):
        with pytest.raises(ValueError, match=f"must be 1, the epoch that runs, or 2, the next, .* Got {epoch} instead"):
            sampler.batches(epoch)


def test_an_epoch_that_is_set_again_comes_again() -> None:
    sampler = perplexity_sampler()
    first = run(sampler)
    sampler.report(np.arange(50), np.linspace(0, 1, 50))
    sampler.set_epoch(0)
    assert run(sampler) == first


def test_resume_in_the_middle_of_a_perplexity_epoch() -> None:
    def train(sampler: EpochSubsetBatchSampler, iterator: Any, batches: int) -> list[list[int]]:
        trained = []
        while len(trained) < batches:
            rows = next(iterator, None)
            if rows is None:
                iterator = iter(sampler)
                continue
            trained.append(rows)
            sampler.report(rows, 0.1 + np.array(rows) / 40)
        return trained

    length = len(perplexity_sampler())
    whole = train(sampler := perplexity_sampler(), iter(sampler), 4 * length)
    for stop in (0, 1, 2 * length + 7, 3 * length - 1, 3 * length, 3 * length + 1):
        for through_iterator in (False, True):
            sampler = perplexity_sampler()
            iterator = iter(sampler)
            for place in range(stop):
                if place and place % length == 0:
                    iterator = iter(sampler)
                rows = next(iterator)
                sampler.report(rows, 0.1 + np.array(rows) / 40)
            consumed = 0 if stop == 0 else (stop - 1) % length + 1
            state = iterator.state_dict() if through_iterator else sampler.state_dict(batches_consumed=consumed)
            state = pickle.loads(pickle.dumps(state))
            resumed = perplexity_sampler()
            resumed.report([0], [9.0])  # is replaced
            going_on = iter(resumed)
            (going_on if through_iterator else resumed).load_state_dict(state)
            assert train(resumed, going_on, 4 * length - stop) == whole[stop:], (stop, through_iterator)


@pytest.mark.parametrize("taken", [1, 3, 24])
def test_the_state_of_an_iterator_holds_its_own_rows_also_when_another_began_the_next_epoch(taken: int) -> None:
    sampler = perplexity_sampler()
    older = iter(sampler)
    for _ in range(taken):
        next(older)
    sampler.report(np.arange(50), np.linspace(0, 1, 50))
    newer = iter(sampler)
    next(newer)
    states = [pickle.loads(pickle.dumps(iterator.state_dict())) for iterator in (older, newer)]
    rests = [list(older), list(newer)]
    for order in ((0, 1), (1, 0)):
        resumed = perplexity_sampler()
        going_on = [iter(resumed), iter(resumed)]
        for which in order:
            going_on[which].load_state_dict(states[which])
            assert going_on[which].state_dict() == states[which], "also before its first batch"
        assert [list(iterator) for iterator in going_on] == rests
    resumed = perplexity_sampler()
    resumed.load_state_dict(states[0])
    assert list(resumed) == rests[0]


def test_a_state_in_the_middle_of_an_epoch_without_its_rows_is_refused() -> None:
    sampler = perplexity_sampler()
    next(iter(sampler))
    state = {**sampler.state_dict(batches_consumed=1), "drawn": None}
    with pytest.raises(ValueError, match="must hold 50 reports, and 400 drawn rows. Got 50 and 0 instead."):
        perplexity_sampler().load_state_dict(state)


def test_a_state_is_plain() -> None:
    """Numbers, text, logical values and None: what JSON holds, and torch.load with weights_only."""
    import json

    sampler = perplexity_sampler()
    next(iter(sampler))
    state = sampler.state_dict(batches_consumed=1)
    assert json.loads(json.dumps(state)) == state


def test_a_state_without_reports_is_refused() -> None:
    state = perplexity_sampler().state_dict()
    del state["reports"]
    with pytest.raises(ValueError, match="must have the entries 'reports', 'started' and 'drawn'"):
        perplexity_sampler().load_state_dict(state)


@pytest.mark.parametrize("entry", ["reports", "drawn"])
def test_a_state_that_is_cut_short_is_refused_and_changes_nothing(entry: str) -> None:
    sampler = perplexity_sampler()
    next(iter(sampler))
    state = sampler.state_dict(batches_consumed=1)
    with pytest.raises(ValueError, match="must hold 50 reports, and 400 drawn rows. Got"):
        sampler.load_state_dict({**state, entry: state[entry][:160]})
    assert sampler.state_dict(batches_consumed=1) == state


def test_pickled_with_its_reports() -> None:
    sampler = perplexity_sampler()
    run(sampler)
    sampler.report([4], [0.5])
    copy = pickle.loads(pickle.dumps(sampler))
    assert run(copy) == run(sampler) and copy.reports_fingerprint == sampler.reports_fingerprint


def test_ranks_with_the_same_reports_draw_the_same_epoch() -> None:
    ranks = [perplexity_sampler(num_replicas=3, rank=rank) for rank in range(3)]
    whole = perplexity_sampler(num_replicas=3)
    for _ in range(3):
        parts, together = [run(rank) for rank in ranks], run(whole)
        assert [batch for batches in zip(*parts) for batch in batches] == together
        for sampler in (*ranks, whole):
            for rows in together:
                sampler.report(rows, np.array(rows) / 50)
    assert whole.started
    whole.check_reports([rank.reports_fingerprint for rank in ranks])
    ranks[1].report([0], [3.0])
    with pytest.raises(ValueError, match="Got other reports than rank 0 on rank 1 instead. Give every rank"):
        whole.check_reports([rank.reports_fingerprint for rank in ranks])


# All methods ----------------------------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 40),
    sample=st.integers(1, 80),
    batch_size=st.integers(1, 30),
    replicas=st.none() | st.integers(1, 5),
    method=st.sampled_from(METHOD_CHOICES),
)
def test_sizes_of_batches(n: int, sample: int, batch_size: int, replicas: int, method: str) -> None:
    if method == "uniform_without_replacement":
        sample = min(n, sample)
    if sample < 5:
        replicas = None
    if replicas is not None and -(-sample // batch_size) > sample - replicas:
        return
    sampler = EpochSubsetBatchSampler(n, sample, batch_size, method=method, seed=1, num_replicas=replicas)
    sizes = [len(batch) for batch in sampler.batches(0)]
    assert len(sizes) == len(sampler) and sum(sizes) == sample and 0 < min(sizes) and max(sizes) <= batch_size
    if replicas is None:
        assert set(sizes[:-1]) <= {batch_size}
    else:
        assert len(sizes) % replicas == 0 and max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("method", METHOD_CHOICES)
def test_seed_and_epoch_fix_the_batches(method: str) -> None:
    def epochs(seed: int) -> list[list[int]]:
        return [run(EpochSubsetBatchSampler(200, 50, 8, method=method, seed=seed))] * 2

    assert epochs(1) == epochs(1)
    assert (epochs(1) == epochs(2)) is (method == "partition")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 0}, "'n' parameter of EpochSubsetBatchSampler must be an integer from 1 to 2147483647. Got 0"),
        ({"sample": 0}, "'sample' parameter of EpochSubsetBatchSampler must be an integer from 1 to 2147483647. Got 0"),
        ({"batch_size": 0}, "'batch_size' parameter of EpochSubsetBatchSampler must be a positive integer. Got 0"),
        ({"method": "random"}, "must be one of 'uniform', 'uniform_without_replacement', 'partition', 'perplexity'."),
        (
            {"sample": 11, "method": "uniform_without_replacement"},
            "must be at most 10, the number of examples, without replacement. Got 11 instead.",
        ),
        ({"initial": 1}, "'initial' parameter of EpochSubsetBatchSampler must be a number above 1 and at most 1000000"),
        ({"initial": float("nan")}, "at most 1000000. Got NaN"),
        ({"initial": "15"}, "at most 1000000. Got '15'"),
        ({"maximum": 0}, "must be a finite number other than 0, or nothing. Got 0"),
        ({"maximum": float("inf")}, "must be a finite number other than 0, or nothing. Got Inf"),
        ({"maximum": True}, "must be a finite number other than 0, or nothing. Got TRUE"),
        ({"num_replicas": 6}, "must leave each batch a row: 5 are drawn for 6 batches. Got 6"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        EpochSubsetBatchSampler(**{"n": 10, "sample": 5, "batch_size": 2, **parameters})
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "nll", "message"),
    [
        (
            [0, 50],
            [1.0, 1.0],
            "'rows' parameter of EpochSubsetBatchSampler.report must hold row positions from 0 to 49, counted from 0. "
            "Got",
        ),
        ([-1], [1.0], "from 0 to 49, counted from 0. Got -1"),
        ([0.5], [1.0], "must hold integers. Got float64 values"),
        ([[0]], [1.0], "must have one dimension. Got 2 dimensions"),
        (
            [0, 1],
            [1.0],
            "'nll' parameter of EpochSubsetBatchSampler.report must have one value for each of the rows, 2.",
        ),
        (
            [4, 5],
            [1.0, float("nan")],
            "must be finite and at least 0. Got NaN for row position 5, counted from 0, instead.",
        ),
        ([4], [float("inf")], "must be finite and at least 0. Got Inf for row position 4"),
        ([4], [-0.5], "must be finite and at least 0. Got -0.5 for row position 4"),
        ([4], ["1"], "must hold numbers. Got <U1 values"),
    ],
)
def test_a_refused_report_changes_nothing(rows: Any, nll: Any, message: str) -> None:
    sampler = perplexity_sampler()
    before = sampler.reports_fingerprint
    with pytest.raises((TypeError, ValueError)) as refused:
        sampler.report(rows, nll)
    assert message in str(refused.value)
    assert sampler.reports_fingerprint == before


def test_reports_need_the_method() -> None:
    with pytest.raises(ValueError, match="'method' .* must be 'perplexity' for reports. Got 'uniform' instead."):
        EpochSubsetBatchSampler(10, 5, 5).report([0], [1.0])
