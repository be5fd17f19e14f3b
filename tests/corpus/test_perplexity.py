"""Draws in proportion to perplexity: the weights that reports give, and from when on."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Optional

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from pystrat import BatchesByLength, PerplexityBatchSampler, WeightedBatchSampler
from tests.refused import refusals


def perplexity_sampler(n: int = 50, **parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(n, 16, **{"seed": 1, "n_batches": 25, **parameters})


def weights_of(sampler: PerplexityBatchSampler) -> list[float]:
    """Return the weights of the epoch that begins now."""
    next(iter(sampler))
    weights: list[float] = sampler.state()["weights"].tolist()
    return weights


def test_uniform_until_the_mean_is_below_initial_and_then_for_good() -> None:
    sampler, uniform = perplexity_sampler(), WeightedBatchSampler(np.ones(50), 16, n_batches=25, seed=1)
    assert list(sampler) == list(uniform)
    sampler.report(np.arange(50), np.full(50, math.log(20)))
    assert weights_of(sampler) == [1] * 50 and not sampler.started
    sampler.report([7], [0.0])
    sampler.report(np.arange(49), np.full(49, math.log(14)))
    assert weights_of(sampler) == sampler.perplexities().tolist() and sampler.started
    sampler.report(np.arange(50), np.full(50, math.log(100)))
    assert weights_of(sampler) == sampler.perplexities().tolist() and sampler.started, "for good"
    for n in (3, 49, 1000, 12345):
        unreported = perplexity_sampler(n, initial=10.1)
        next(iter(unreported))
        assert not unreported.started, "not by rounding either"


def reported(nll: Any, **parameters: Any) -> PerplexityBatchSampler:
    """Return a sampler with the losses of rows. One more row was never reported, and keeps the initial perplexity."""
    sampler = perplexity_sampler(len(nll) + 1, initial=15, **parameters)
    sampler.report(range(len(nll)), nll)
    return sampler


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=40), st.sampled_from([None, 1.5, 2.1, -1.0, -1.5]), st.booleans()
)
@pytest.mark.filterwarnings("ignore:.*are above the maximum")
def test_the_ceiling_is_a_number_or_spreads_above_the_most_frequent_hundredth(
    numbers: list[int], maximum: Optional[float], clip: bool
) -> None:
    clip = clip and maximum is not None
    sampler = reported(np.log([1 + number / 200 for number in numbers]), maximum=maximum, clip=clip)
    perplexities = sampler.perplexities()[:-1].tolist()
    hundredths = Counter(math.floor(100 * value + 0.5) for value in perplexities)
    mode = min(hundredths, key=lambda own: (-hundredths[own], own)) / 100
    squares = [(value - mode) ** 2 for value in perplexities if value > mode]
    ceiling = maximum or math.inf
    if ceiling < 0:
        ceiling = math.inf if len(squares) < 2 else mode - ceiling * math.sqrt(sum(squares) / (len(squares) - 1))
    expected = [min(value, ceiling) if clip or value <= ceiling else 1 for value in perplexities]
    assert weights_of(sampler) == pytest.approx([*expected, 15], rel=1e-14)


def test_hard_examples_are_drawn_more_often_and_a_ceiling_that_turns_this_around_is_warned_of_once() -> None:
    perplexities = np.random.default_rng(1).lognormal(1.0, 0.8, 20_000).clip(1, 1e6)
    hard, easy = perplexities > np.quantile(perplexities, 0.9), perplexities < np.median(perplexities)
    published: dict[str, Any] = {"maximum": -1.5}
    with pytest.warns(UserWarning, match=r"of the reported examples are above the maximum, a perplexity of ") as caught:
        for parameters, least, most in ((published, 0, 2), ({**published, "clip": True}, 4, 99), ({}, 5, 99)):
            sampler = PerplexityBatchSampler(20_000, 1000, n_batches=100, seed=1, **parameters)
            sampler.report(np.arange(20_000), np.log(perplexities))
            assert list(sampler) != list(sampler)
            drawn = np.bincount(sampler.batches(1).rows, minlength=20_000)
            assert least < drawn[hard].mean() / drawn[easy].mean() < most
            assert (sampler.share_above_maximum > 0.05) == bool(parameters)
    assert [warning.filename for warning in caught] == [__file__]


@given(st.lists(st.floats(0, 20), min_size=1, max_size=50))
def test_perplexity_is_the_exponential_with_a_cap_of_the_last_report_of_a_row(nll: list[float]) -> None:
    sampler = PerplexityBatchSampler(len(nll) + 2, 1, seed=1)
    sampler.report(np.arange(len(nll) + 1), [*(1 + loss for loss in nll), 1e300])
    sampler.report(torch.arange(len(nll)), torch.tensor(nll, dtype=torch.float64, requires_grad=True))
    *found, largest, unseen = sampler.perplexities().tolist()
    assert found == pytest.approx([min(math.exp(loss), 1e6) for loss in nll], rel=1e-15)
    assert (largest, unseen) == (1e6, 15)
    sampler.report([0, 0], [5.0, 0.0])
    assert sampler.perplexities()[0] == 1


@pytest.mark.parametrize("by_length", [False, True])
def test_reports_count_from_the_next_epoch_with_and_without_workers(by_length: bool) -> None:
    def train(workers: int) -> list[list[int]]:
        inside = perplexity_sampler(60, n_batches=6)
        sampler = BatchesByLength(inside, np.arange(60) % 7, max_tokens=60) if by_length else inside
        loader = DataLoader(TensorDataset(torch.arange(60)), batch_sampler=sampler, num_workers=workers)
        trained = []
        for epoch in range(3):
            expected = [batch.tolist() for batch in sampler.batches(epoch)]
            for (rows,) in loader:
                trained.append(rows.tolist())
                inside.report(rows, 0.2 + rows.double() / 30 % 1)
            assert trained[-len(expected) :] == expected, "batches() tells the next epoch"
        assert inside.started
        return trained

    assert train(2) == train(0)


test_refused = refusals(
    lambda **given: PerplexityBatchSampler(**{"n_rows": 10, "batch_size": 2, **given}),
    [
        ({"initial": 1}, "'initial' parameter must be a number above 1 and at most 1000000"),
        ({"clip": True}, "The 'clip' parameter must be false if there is no maximum. Got True"),
        ({"maximum": 0}, "must be a finite number other than 0, or nothing. Got 0"),
        ({"num_replicas": 6}, "must be at most 5, the number of batches. Got 6"),
    ],
)


@pytest.mark.parametrize(
    ("rows", "nll", "message"),
    [
        ([0, 50], [1.0, 1.0], "'rows' parameter must hold row positions from 0 to 49, counted from 0. Got"),
        ([0.5], [1.0], "must hold row positions. Got float64 values"),
        ([0, 1], [1.0], "'nll' parameter must have one value for each row, 2."),
        ([4, 5], [1.0, np.nan], "'nll' parameter must hold finite numbers, none below 0. Got NaN"),
        ([4], [-0.5], "must hold finite numbers, none below 0. Got -0.5"),
        ([4], ["1"], "must hold numbers. Got <U1 values"),
    ],
)
def test_a_refused_report_changes_nothing(rows: Any, nll: Any, message: str) -> None:
    sampler = perplexity_sampler()
    before = sampler.state()["reported"].tolist()
    with pytest.raises((TypeError, ValueError)) as refused:
        sampler.report(rows, nll)
    assert message in str(refused.value)
    assert sampler.state()["reported"].tolist() == before
