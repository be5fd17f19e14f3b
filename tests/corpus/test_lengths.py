"""Batches of rows of similar length: every drawn row once, within limits, resumable, over all ranks."""

from __future__ import annotations

import pickle
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import BatchesByLength, EpochSubsetBatchSampler, WeightedBatchSampler
from pystrat.core.seeds import epoch_seed
from tests.reference.naive_lengths import batches_by_length
from tests.reference.naive_random import NaiveStream

LENGTHS = [1 + row * 13 % 29 for row in range(200)]


def drawn_by_length(
    n: int, sample: int, lengths: Any, *, seed: int = 1, num_replicas: Optional[int] = None, **limits: Any
) -> BatchesByLength:
    """Return batches by length of rows that are drawn with replacement."""
    sampler = EpochSubsetBatchSampler(n, sample, sample, seed=seed, num_replicas=num_replicas)
    return BatchesByLength(sampler, lengths, **limits)


def check_plain_rule(
    lengths: list[int], sample: int, limits: dict[str, Any], replicas: Optional[int], epoch: int
) -> None:
    """Check that an epoch is that of the plain rule, or refused."""
    limits = {"max_tokens": None, **limits, "balance_replicas": limits["balance_replicas"] and replicas is not None}
    drawn = NaiveStream(epoch_seed(7, epoch)).indices(len(lengths), sample).tolist()
    expected = batches_by_length(drawn, lengths, **limits, num_replicas=replicas or 1, seed=7, epoch=epoch)
    if replicas is not None and replicas > sample:
        return
    sampler = drawn_by_length(len(lengths), sample, lengths, seed=7, num_replicas=replicas, **limits)
    if expected is None:
        with pytest.raises(ValueError, match="^The 'num_replicas' parameter must leave each batch a row: "):
            sampler.batches(epoch)
        return
    sampler.set_epoch(epoch)
    announced, batches = len(sampler), list(sampler)
    assert batches == expected and announced == len(batches)
    assert sorted(sum(batches, [])) == sorted(drawn) and all(batches) and len(batches) % (replicas or 1) == 0
    assert limits["batch_size"] is None or max(map(len, batches)) <= limits["batch_size"]
    most = limits["max_tokens"] or np.inf
    assert max(len(batch) * max(1, max(lengths[row] for row in batch)) for batch in batches) <= most


@given(
    lengths=st.lists(st.integers(0, 40) | st.integers(0, 2**31 - 1), min_size=1, max_size=30),
    sample=st.integers(1, 60),
    limits=st.fixed_dictionaries(
        {
            "batch_size": st.none() | st.integers(1, 20),
            "window": st.none() | st.integers(1, 70),
            "balance_replicas": st.booleans(),
        }
    ),
    spare=st.none() | st.integers(0, 200),
    replicas=st.none() | st.integers(1, 6),
    epoch=st.integers(0, 3),
)
def test_every_epoch_is_that_of_the_plain_rule(
    lengths: list[int], sample: int, limits: dict[str, Any], spare: Optional[int], replicas: Optional[int], epoch: int
) -> None:
    if spare is not None:
        limits["max_tokens"] = max(1, max(lengths)) + spare
    elif limits["batch_size"] is None:
        return
    check_plain_rule(lengths, sample, limits, replicas, epoch)


def test_feedback_counts_from_the_next_epoch_on_and_is_in_states() -> None:
    def make() -> tuple[WeightedBatchSampler, BatchesByLength]:
        inside = WeightedBatchSampler(np.ones(200), 40, seed=1)
        return inside, BatchesByLength(inside, LENGTHS, max_tokens=60)

    (inside, sampler), (copy, resumed) = make(), make()
    expected = [batch.tolist() for batch in sampler.batches()]
    iterator = iter(sampler)
    begun = [next(iterator) for _ in range(5)]
    inside.update(np.arange(190), np.zeros(190))
    state = pickle.loads(pickle.dumps(iterator.state_dict()))
    resumed.load_state_dict(state)
    assert begun + list(iterator) == expected == begun + list(resumed)
    assert copy.weights().tolist() == inside.weights().tolist()
    following = list(sampler)
    assert min(sum(following, [])) >= 190 and following == list(resumed)
    assert [batch.tolist() for batch in pickle.loads(pickle.dumps(sampler)).batches(1)] == following
    for entry, wrong in (("drawn", [200] * 200), ("sampler", {}), ("drawn", [0.5])):
        with pytest.raises((TypeError, ValueError)):
            resumed.load_state_dict({**state, entry: wrong})


ONES, WHOLE = [1] * 5, "The 'lengths' parameter must hold whole numbers from 0 to 2147483647, one for each row."


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_tokens": None}, "The 'max_tokens' parameter must be given if 'batch_size' is not. Got nothing instead."),
        ({"lengths": [1] * 4}, "must have one value for each row of the sampler, 5. Got 4 values instead."),
        ({"lengths": [1, 2, 3, 4, -5]}, f"{WHOLE} Got -5"),
        ({"lengths": [1, 2, 3, 4, 0.5]}, f"{WHOLE} Got 0.5"),
        ({"lengths": [1, 2, 3, 4, np.nan]}, f"{WHOLE} Got NaN"),
        ({"lengths": [True] * 5}, "The 'lengths' parameter must hold numbers. Got bool values instead."),
        ({"lengths": [[1, 2]] * 5}, "The 'lengths' parameter must be a vector of numbers. Got 2 dimensions instead."),
        (
            {"lengths": [1, 2, 9, 8, 5]},
            "'max_tokens' parameter must be at least 9, the length of the longest row. Got 5",
        ),
        ({"balance_replicas": True}, "be given together with 'num_replicas'. Got True instead."),
        ({"balance_replicas": True, "num_replicas": 2, "shuffle": False}, "be false if 'shuffle' is false. Got True"),
    ],
)
def test_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        drawn_by_length(5, 8, **{"lengths": ONES, "max_tokens": 5, **parameters})
    assert message in str(refused.value)


def test_what_is_no_sampler_of_rows_is_refused() -> None:
    with pytest.raises(TypeError, match="'sampler' parameter must be a batch sampler of this package. Got 3 values"):
        BatchesByLength([[0], [1], [2]], ONES, max_tokens=5)  # type: ignore[arg-type]
