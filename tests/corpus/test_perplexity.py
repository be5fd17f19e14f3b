"""Part of the dataset every epoch, in proportion to perplexity: the effect of reports, and the examples visited."""

from __future__ import annotations

import base64
import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from pystrat import EpochSubsetBatchSampler, PerplexityBatchSampler
from pystrat.seeds import epoch_seed
from tests.reference.naive_random import NaiveStream
from tests.refused import refusals


def perplexity_sampler(n: int = 50, sample: int = 400, **parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(n, sample, 16, **{"seed": 1, **parameters})


def test_uniform_until_the_mean_is_below_initial_and_then_for_good() -> None:
    sampler, uniform = perplexity_sampler(), EpochSubsetBatchSampler(50, 400, 16, seed=1)
    assert list(sampler) == [batch.tolist() for batch in uniform.batches(0)]
    sampler.report(np.arange(50), np.full(50, math.log(20)))
    assert list(sampler) == [batch.tolist() for batch in uniform.batches(1)] and not sampler.started
    sampler.report([7], [0.0])
    sampler.report(np.arange(49), np.full(49, math.log(14)))
    weighted = list(sampler)
    assert sampler.started and weighted != [batch.tolist() for batch in uniform.batches(2)]
    sampler.report(np.arange(50), np.full(50, math.log(100)))
    list(sampler)
    assert sampler.started, "for good"
    for n in (3, 49, 1000, 12345):
        unreported = perplexity_sampler(n, 10, initial=10.1)
        next(iter(unreported))
        assert not unreported.started, "not by rounding either"


SPREAD = math.sqrt(((3.004 - 3) ** 2 + 4 + 16 + 100) / 3)  # of those above the mode, 3
SEEN = [3.0, 3.004, 3.0, 5.0, 7.0, 13.0, 2.0, 2.0]
CUT = [*SEEN[:5], 1.0, *SEEN[6:]]


@pytest.mark.parametrize(
    ("perplexities", "expected", "parameters"),
    [
        (SEEN, SEEN, {"maximum": None}),
        # A positive maximum is the ceiling: what is above it weighs 1, or as much as the ceiling.
        ([2.0, 9.0, 11.0], [2.0, 9.0, 1.0], {"maximum": 10.0}),
        ([2.0, 9.0, 11.0], [2.0, 9.0, 10.0], {"maximum": 10.0, "clip": True}),
        # A negative one counts spreads above the mode.
        (SEEN, CUT, {"maximum": -1.0}),
        (SEEN, SEEN, {"maximum": -1.6}),
        (SEEN, CUT, {"maximum": -1.5}),
        (SEEN, CUT, {"maximum": "published"}),
        (SEEN, [*SEEN[:5], 3 + SPREAD, *SEEN[6:]], {"maximum": -1.0, "clip": True}),
        # Of several modes the smallest counts: 2 + sqrt((1 + 1 + 36) / 2) = 6.36; with 3 there would be no ceiling.
        ([3.0, 3.0, 2.0, 2.0, 8.0], [3.0, 3.0, 2.0, 2.0, 1.0], {"maximum": -1.0}),
        # Hundredths are rounded half up: the mode is 3.01, the ceiling 3.01 + 7.2. With the mode 2, 9 would be above.
        (
            [3.005001, 3.005001, 3.01, 2.0, 2.0, 5.0, 7.0, 9.0, 13.0],
            [3.005001, 3.005001, 3.01, 2.0, 2.0, 5.0, 7.0, 9.0, 1.0],
            {"maximum": -1.0},
        ),
        # Fewer than two above the mode make no ceiling.
        ([2.0, 2.0, 14.0], [2.0, 2.0, 14.0], {"maximum": -1.0}),
    ],
)
def test_draws_are_uniforms_in_the_cumulative_weights(
    perplexities: list[float], expected: list[float], parameters: dict[str, Any]
) -> None:
    assert 3 + SPREAD < 13 < 3 + 1.6 * SPREAD
    assert_drawn_by(expected, reported(np.log(perplexities), **parameters))


def reported(nll: Any, **parameters: Any) -> PerplexityBatchSampler:
    """Return a sampler with the losses of rows. One more row was never reported, and keeps the initial perplexity."""
    sampler = perplexity_sampler(len(nll) + 1, 5000, initial=15, **parameters)
    sampler.report(range(len(nll)), nll)
    return sampler


def assert_drawn_by(expected: list[float], sampler: PerplexityBatchSampler) -> None:
    """Check the weights of the rows that have losses."""
    uniforms = NaiveStream(epoch_seed(1, 0)).uniforms(5000)
    sums = np.cumsum([*expected, 15.0])
    assert sampler.batches().rows.tolist() == np.searchsorted(sums, uniforms * sums[-1], side="right").tolist()


@given(st.lists(st.integers(0, 300), min_size=1, max_size=40), st.sampled_from([1.0, 1.5]))
def test_the_ceiling_is_spreads_above_the_most_frequent_hundredth(numbers: list[int], spreads: float) -> None:
    sampler = reported(np.log([1 + number / 200 for number in numbers]), maximum=-spreads, clip=True)
    perplexities = sampler.perplexities()[:-1].tolist()
    hundredths = Counter(math.floor(100 * value + 0.5) for value in perplexities)
    mode = min(hundredths, key=lambda own: (-hundredths[own], own)) / 100
    squares = [(value - mode) ** 2 for value in perplexities if value > mode]
    ceiling = math.inf if len(squares) < 2 else mode + spreads * math.sqrt(sum(squares) / (len(squares) - 1))
    assert_drawn_by([min(value, ceiling) for value in perplexities], sampler)


def test_hard_examples_are_drawn_more_often_and_a_ceiling_that_turns_this_around_is_warned_of_once() -> None:
    perplexities = np.random.default_rng(1).lognormal(1.0, 0.8, 20_000).clip(1, 1e6)
    hard, easy = perplexities > np.quantile(perplexities, 0.9), perplexities < np.median(perplexities)
    published: dict[str, Any] = {"maximum": "published"}
    with pytest.warns(UserWarning, match=r"of the reported examples are above the maximum, a perplexity of ") as caught:
        for parameters, least, most in ((published, 0, 2), ({**published, "clip": True}, 4, 99), ({}, 5, 99)):
            sampler = PerplexityBatchSampler(20_000, 100_000, 1000, seed=1, **parameters)
            sampler.report(np.arange(20_000), np.log(perplexities))
            assert list(sampler) != list(sampler)
            drawn = np.bincount(sampler.batches(1).rows, minlength=20_000)
            assert least < drawn[hard].mean() / drawn[easy].mean() < most
            assert (sampler.share_above_maximum > 0.05) == bool(parameters)
    assert [warning.filename for warning in caught] == [__file__]


@given(st.lists(st.floats(0, 20), min_size=1, max_size=50))
def test_perplexity_is_the_exponential_with_a_cap_of_the_last_report_of_a_row(nll: list[float]) -> None:
    sampler = PerplexityBatchSampler(len(nll) + 2, 1, 1, seed=1)
    sampler.report(np.arange(len(nll) + 1), [*(1 + loss for loss in nll), 1e300])
    sampler.report(torch.arange(len(nll)), torch.tensor(nll, dtype=torch.float64, requires_grad=True))
    *found, largest, unseen = sampler.perplexities().tolist()
    for value, loss in zip(found, nll):
        exact = min(math.exp(loss), 1e6)
        assert abs(value - exact) <= 2 * math.ulp(exact)
    assert (largest, unseen) == (1e6, 15)
    sampler.report([0, 0], [5.0, 0.0])
    assert sampler.perplexities()[0] == 1


def test_reports_count_from_the_next_epoch_with_and_without_workers() -> None:
    def train(workers: int) -> list[list[int]]:
        sampler = perplexity_sampler(60, 90)
        loader = DataLoader(TensorDataset(torch.arange(60)), batch_sampler=sampler, num_workers=workers)
        trained = []
        for _ in range(3):
            for (rows,) in loader:
                trained.append(rows.tolist())
                sampler.report(rows, 0.2 + rows.double() / 30 % 1)
        assert sampler.started
        return trained

    assert train(2) == train(0)


BY_LENGTH_OR_NOT = pytest.mark.parametrize("options", [{}, {"lengths": np.arange(50) % 7, "window": 3}])


@BY_LENGTH_OR_NOT
def test_only_the_running_and_the_next_epoch_are_served(options: dict[str, Any]) -> None:
    sampler = perplexity_sampler(**options)
    running, _ = list(sampler), sampler.batches(1)  # which the reports change
    sampler.report(np.arange(50), np.linspace(0, 1, 50))
    following = [batch.tolist() for batch in sampler.batches(1)]
    assert [batch.tolist() for batch in sampler.batches(0)] == running
    assert not sampler.started and sampler.batches().rows.tolist() == sampler.batches(1).rows.tolist()
    assert list(sampler) == following and sampler.started
    for epoch in (0, 3):
        with pytest.raises(ValueError, match=f"must be 1, the running epoch, or 2, the next. Got {epoch} instead"):
            sampler.batches(epoch)
    sampler.set_epoch(1)
    assert list(sampler) == following, "an epoch that is set again comes again"


@BY_LENGTH_OR_NOT
def test_the_state_of_an_iterator_holds_its_own_rows_also_after_a_newer_epoch(options: dict[str, Any]) -> None:
    for taken in (1, 24):
        sampler = perplexity_sampler(**options)
        older = iter(sampler)
        for _ in range(taken):
            next(older)
        sampler.report(np.arange(50), np.linspace(0, 1, 50))
        newer = iter(sampler)
        next(newer)
        states = [pickle.loads(pickle.dumps(iterator.state_dict())) for iterator in (older, newer)]
        rests = [list(older), list(newer)]
        resumed = perplexity_sampler(**options)
        going_on = [iter(resumed), iter(resumed)]
        for iterator, state in zip(going_on, states):
            iterator.load_state_dict(state)
            assert iterator.state_dict() == state, "also before its first batch"
        assert [list(iterator) for iterator in going_on] == rests
        resumed = perplexity_sampler(**options)
        resumed.load_state_dict(states[0])
        assert list(resumed) == rests[0]


def test_a_state_with_what_nobody_reported_or_drew_is_refused() -> None:
    sampler = perplexity_sampler()
    next(iter(sampler))
    state = sampler.state(sampler.epoch - 1, 1)
    for entry, values, message in (
        ("reports", np.full(50, 0.5), "must hold reports of perplexities from 1 to 1000000. Got 0.5 instead."),
        ("reports", np.ones(20), "must hold 50 reports, and 400 drawn rows. Got 20 and 400 instead."),
        ("reports", 3, "must hold reports and drawn rows as it was saved: numbers, packed into text. Got 3 "),
        ("reports", "!", "packed into text. Got other text"),
        ("started", 1, "must hold true or false as 'started'. Got 1 "),
        ("drawn", np.full(400, 50, dtype=np.int32), "must hold drawn rows from 0 to 49. Got 50 instead."),
        ("drawn", np.zeros(40, dtype=np.int32), "must hold 50 reports, and 400 drawn rows. Got 50 and 40 instead."),
    ):
        packed = base64.b64encode(values).decode("ascii") if isinstance(values, np.ndarray) else values
        with pytest.raises(ValueError, match=message):
            sampler.load_state_dict({**state, entry: packed})
        assert sampler.state(sampler.epoch - 1, 1) == state
    del state["reports"]
    with pytest.raises(ValueError, match="must have the entries 'reports', 'started' and 'drawn'"):
        sampler.load_state_dict(state)


def test_ranks_with_the_same_reports_draw_the_same_epoch_and_are_checked() -> None:
    ranks, whole = [perplexity_sampler(num_replicas=2, rank=rank) for rank in range(2)], perplexity_sampler(
        num_replicas=2
    )
    for _ in range(3):
        parts, together = [list(rank) for rank in ranks], list(whole)
        assert [batch for batches in zip(*parts) for batch in batches] == together
        for sampler in (*ranks, whole):
            for rows in together:
                sampler.report(rows, np.array(rows) / 50)
    assert whole.started
    whole.check_reports([rank.reports_fingerprint for rank in ranks])
    ranks[1].report([0], [3.0])
    with pytest.raises(ValueError, match="Got other reports than rank 0 on rank 1 instead. Give every rank"):
        whole.check_reports([rank.reports_fingerprint for rank in ranks])


test_refused = refusals(
    lambda **given: PerplexityBatchSampler(**{"n_rows": 10, "sample": 5, "batch_size": 2, **given}),
    [
        ({"initial": 1}, "'initial' parameter must be a number above 1 and at most 1000000"),
        ({"initial": np.float16("inf")}, "at most 1000000. Got Inf"),
        ({"maximum": "no"}, "must be a finite number other than 0, 'published', or nothing. Got 'no'"),
        ({"clip": True}, "The 'clip' parameter must be false if there is no maximum. Got True"),
        ({"maximum": 0}, "must be a finite number other than 0, 'published', or nothing. Got 0"),
        ({"num_replicas": 6}, "must leave each batch a row: 5 are drawn for 6 batches. Got 6"),
    ],
)


@pytest.mark.parametrize(
    ("rows", "nll", "message"),
    [
        ([0, 50], [1.0, 1.0], "'rows' parameter must hold row positions from 0 to 49, counted from 0. Got"),
        ([[0, 1]], [1.0], "must have one dimension. Got 2 dimensions"),
        ([0.5], [1.0], "must hold integers. Got float64 values"),
        ([0, 1], [1.0], "'nll' parameter must have one value for each of the rows, 2."),
        ([4, 5], [1.0, np.nan], "must be finite and at least 0. Got NaN for row position 5, counted from 0, instead."),
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
