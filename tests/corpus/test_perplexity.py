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
from pystrat.base import epoch_seed
from tests.reference.naive_random import NaiveStream


def run(sampler: PerplexityBatchSampler) -> list[list[int]]:
    return list(sampler)


def perplexity_of(nll: Any) -> np.ndarray:
    """The perplexities of losses, as a sampler reports them."""
    sampler = PerplexityBatchSampler(len(nll), 1, 1, seed=1)
    sampler.report(np.arange(len(nll)), nll)
    return sampler.perplexities()


def perplexity_sampler(n: int = 50, sample: int = 400, **parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(n, sample, 16, **{"seed": 1, **parameters})


@given(st.lists(st.floats(0, 20), min_size=1, max_size=50))
def test_perplexity_is_the_exponential_with_a_cap(nll: list[float]) -> None:
    found = perplexity_of(np.array(nll))
    for value, loss in zip(found.tolist(), nll):
        exact = min(math.exp(loss), 1e6)
        assert abs(value - exact) <= 2 * math.ulp(exact)


def test_perplexity_known_answers() -> None:
    """To the last bit, so that another machine or library that would give other rows fails here."""
    found = perplexity_of(np.array([0.0, 0.1, 1.0, 2.5, 10.0, 13.9, 1e300]))
    assert [value.hex() for value in found.tolist()[:5]] == [
        "0x1.0000000000000p+0",
        "0x1.1aec7b35a00d4p+0",
        "0x1.5bf0a8b14576ap+1",
        "0x1.85d6fd931e0bbp+3",
        "0x1.5829dcf950560p+14",
    ]
    assert found[5] == found[6] == 1e6


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


def assert_drawn_by(weights: Any, sampler: PerplexityBatchSampler) -> None:
    """Check that the next epoch is the uniforms of its seed, each in the cumulative weights."""
    uniforms = NaiveStream(epoch_seed(1, sampler.epoch)).uniforms(5000)
    sums = np.cumsum(weights)
    rows = sampler.batches().rows
    assert rows.tolist() == np.searchsorted(sums, uniforms * sums[-1], side="right").tolist()


def test_draws_are_uniforms_in_the_cumulative_weights() -> None:
    sampler = perplexity_sampler(50, 5000)
    nll = np.linspace(0, 2, 50)
    sampler.report(np.arange(50), nll)
    assert_drawn_by(perplexity_of(nll), sampler)


def assert_weights(expected: list[float], perplexities: dict[int, float], **parameters: Any) -> None:
    """Check the weights of reported perplexities; one more row was never reported."""
    sampler = perplexity_sampler(len(expected), 5000, initial=15, **parameters)
    sampler.report(list(perplexities), np.log(list(perplexities.values())))
    assert_drawn_by(expected, sampler)


def test_a_positive_maximum_is_the_ceiling() -> None:
    # Above it 1; the unseen one keeps the initial perplexity.
    assert_weights([2.0, 9.0, 1.0, 15.0], {0: 2.0, 1: 9.0, 2: 11.0}, maximum=10.0)


def test_a_negative_maximum_counts_spreads_above_the_mode() -> None:
    # The mode is 3; above it 3.004, 5, 7 and 13.
    seen = dict(enumerate([3.0, 3.004, 3.0, 5.0, 7.0, 13.0, 2.0, 2.0]))
    spread = math.sqrt(((3.004 - 3) ** 2 + 4 + 16 + 100) / 3)
    assert 3 + spread < 13 < 3 + 1.6 * spread
    cut = [3.0, 3.004, 3.0, 5.0, 7.0, 1.0, 2.0, 2.0, 15.0]
    whole = [*cut[:5], 13.0, *cut[6:]]
    assert_weights(cut, seen, maximum=-1.0)
    assert_weights(whole, seen, maximum=-1.6)
    assert_weights(whole, seen, maximum=None)
    assert_weights(cut, seen, maximum=-1.5)
    assert_weights(cut, seen, maximum="published")


def test_clipping_gives_what_is_above_the_ceiling_the_weight_of_the_ceiling() -> None:
    assert_weights([2.0, 9.0, 10.0, 15.0], {0: 2.0, 1: 9.0, 2: 11.0}, maximum=10.0, clip=True)
    seen = dict(enumerate([3.0, 3.0, 3.0, 5.0, 7.0, 13.0]))
    ceiling = 3 + math.sqrt((4 + 16 + 100) / 2)
    assert_weights([3.0, 3.0, 3.0, 5.0, 7.0, ceiling, 15.0], seen, maximum=-1.0, clip=True)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=40), st.sampled_from([1.0, 1.5]))
def test_the_ceiling_is_spreads_above_the_most_frequent_hundredth(numbers: list[int], spreads: float) -> None:
    perplexities = perplexity_of(np.log([1 + number / 200 for number in numbers])).tolist()
    hundredths = Counter(math.floor(100 * value + 0.5) for value in perplexities)
    mode = min(hundredths, key=lambda own: (-hundredths[own], own)) / 100
    squares = [(value - mode) ** 2 for value in perplexities if value > mode]
    ceiling = math.inf if len(squares) < 2 else mode + spreads * math.sqrt(sum(squares) / (len(squares) - 1))
    expected = [*(min(value, ceiling) for value in perplexities), 15.0]
    assert_weights(expected, dict(enumerate(perplexities)), maximum=-spreads, clip=True)


def hard_and_easy(**parameters: Any) -> tuple[PerplexityBatchSampler, float]:
    """Return a sampler of examples a tenth of which are hard, and how often these are drawn, over the easy half."""
    perplexities = np.random.default_rng(1).lognormal(1.0, 0.8, 20_000).clip(1, 1e6)
    sampler = PerplexityBatchSampler(20_000, 100_000, 1000, seed=1, **parameters)
    sampler.report(np.arange(20_000), np.log(perplexities))
    list(sampler)
    drawn = np.bincount(sampler.batches(0).rows, minlength=20_000)
    hard, easy = perplexities > np.quantile(perplexities, 0.9), perplexities < np.median(perplexities)
    return sampler, float(drawn[hard].mean() / drawn[easy].mean())


def test_by_default_hard_examples_are_drawn_more_often() -> None:
    sampler, ratio = hard_and_easy()
    assert ratio > 5 and sampler.share_above_maximum == 0


def test_a_ceiling_that_turns_the_method_around_is_warned_of_once() -> None:
    with pytest.warns(UserWarning, match=r"of the reported examples are above the maximum, a perplexity of ") as caught:
        sampler, ratio = hard_and_easy(maximum="published")
        list(sampler)
    assert ratio < 2 and sampler.share_above_maximum > 0.05 and len(caught) == 1
    assert caught[0].filename == __file__


def test_no_warning_if_little_is_above_the_ceiling_or_if_it_is_clipped(recwarn: pytest.WarningsRecorder) -> None:
    sampler, ratio = hard_and_easy(maximum="published", clip=True)
    assert ratio > 4 and sampler.share_above_maximum > 0.05
    sampler, _ = hard_and_easy(maximum=20.0)
    assert 0 < sampler.share_above_maximum < 0.05
    assert not recwarn.list


def test_the_smallest_of_several_modes_counts() -> None:
    # With the mode 2 the ceiling is 2 + sqrt((1 + 1 + 36) / 2) = 6.36, with the mode 3 there would be none.
    assert_weights([3.0, 3.0, 2.0, 2.0, 1.0, 15.0], dict(enumerate([3.0, 3.0, 2.0, 2.0, 8.0])), maximum=-1.0)


def test_the_mode_is_one_of_hundredths_rounded_half_up() -> None:
    # The mode is 3.01 and the ceiling 3.01 + 7.2. With the mode 2, 9 would be above it.
    seen = [3.005001, 3.005001, 3.01, 2.0, 2.0, 5.0, 7.0, 9.0, 13.0]
    assert_weights([*seen[:-1], 1.0, 15.0], dict(enumerate(seen)), maximum=-1.0)


def test_fewer_than_two_above_the_mode_make_no_ceiling() -> None:
    assert_weights([2.0, 2.0, 14.0, 15.0], dict(enumerate([2.0, 2.0, 14.0])), maximum=-1.0)


def test_infinite_perplexity_is_capped_and_does_not_stop_the_method() -> None:
    sampler = perplexity_sampler(10, 10)
    sampler.report([0], [1e300])
    assert sampler.perplexities().max() == 1e6
    sampler.report(np.arange(10), np.ones(10))
    next(iter(sampler))
    assert sampler.started


def test_the_last_report_of_a_row_wins() -> None:
    sampler = perplexity_sampler(5, 5)
    sampler.report([3, 3, 3], [1.0, 2.0, 0.5])
    sampler.report(torch.tensor([2]), torch.tensor([0.25], requires_grad=True))
    assert sampler.perplexities().tolist() == [15, 15, *perplexity_of(np.array([0.25, 0.5])).tolist(), 15]


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
        with pytest.raises(ValueError, match=f"must be 1, the running epoch, or 2, the next. Got {epoch} instead"):
            sampler.batches(epoch)


def test_an_epoch_that_is_set_again_comes_again() -> None:
    sampler = perplexity_sampler()
    first = run(sampler)
    sampler.report(np.arange(50), np.linspace(0, 1, 50))
    sampler.set_epoch(0)
    assert run(sampler) == first


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


@pytest.mark.parametrize(
    ("entry", "values", "message"),
    [
        ("reports", np.full(50, 0.5), "must hold reports of perplexities from 1 to 1000000. Got 0.5 instead."),
        ("reports", np.full(50, np.inf), "from 1 to 1000000. Got Inf instead."),
        ("drawn", np.full(400, 50, dtype=np.int32), "must hold drawn rows from 0 to 49. Got 50 instead."),
        ("drawn", np.full(400, -1, dtype=np.int32), "from 0 to 49. Got -1 instead."),
    ],
)
def test_a_state_with_what_nobody_reported_or_drew_is_refused(entry: str, values: Any, message: str) -> None:
    sampler = perplexity_sampler()
    next(iter(sampler))
    state = sampler.state_dict(batches_consumed=1)
    with pytest.raises(ValueError) as refused:
        sampler.load_state_dict({**state, entry: base64.b64encode(values.tobytes()).decode("ascii")})
    assert message in str(refused.value)
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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rows": 0}, "'n_rows' parameter must be an integer from 1 to 2147483647. Got 0"),
        ({"batch_size": 0}, "'batch_size' parameter must be a positive integer. Got 0"),
        ({"initial": 1}, "'initial' parameter must be a number above 1 and at most 1000000"),
        ({"initial": float("nan")}, "at most 1000000. Got NaN"),
        ({"initial": np.float16("inf")}, "at most 1000000. Got Inf"),
        ({"initial": "15"}, "at most 1000000. Got '15'"),
        ({"maximum": "no"}, "must be a finite number other than 0, 'published', or nothing. Got 'no'"),
        (
            {"clip": True},
            "The 'clip' parameter must be false if there is no maximum. Got True",
        ),
        ({"maximum": 0}, "must be a finite number other than 0, 'published', or nothing. Got 0"),
        ({"maximum": float("inf")}, "must be a finite number other than 0, 'published', or nothing. Got Inf"),
        ({"maximum": True}, "must be a finite number other than 0, 'published', or nothing. Got True"),
        ({"num_replicas": 6}, "must leave each batch a row: 5 are drawn for 6 batches. Got 6"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        PerplexityBatchSampler(**{"n_rows": 10, "sample": 5, "batch_size": 2, **parameters})
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "nll", "message"),
    [
        (
            [0, 50],
            [1.0, 1.0],
            "'rows' parameter must hold row positions from 0 to 49, counted from 0. " "Got",
        ),
        ([-1], [1.0], "from 0 to 49, counted from 0. Got -1"),
        ([0.5], [1.0], "must hold integers. Got float64 values"),
        ([[0]], [1.0], "must have one dimension. Got 2 dimensions"),
        (
            [0, 1],
            [1.0],
            "'nll' parameter must have one value for each of the rows, 2.",
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
