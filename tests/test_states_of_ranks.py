"""A state loads in a sampler of another number of ranks, or of another seed, if and only if the batches are equal."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pytest

from pystrat import BatchSampler
from tests.specimens import Specimen, specimens, write_files

REPLICAS = (None, 1, 2, 3, 4)
EPOCHS = 12  # by length and with other weights, epochs differ
RANKED = [
    name for name, specimen in specimens(Path()).items() if specimen.takes("num_replicas") and not specimen.is_endless
]


@pytest.fixture(params=RANKED)
def specimen(request: pytest.FixtureRequest, tmp_path: Path) -> Specimen:
    write_files(tmp_path)
    return specimens(tmp_path)[request.param]


def batches_of(sampler: BatchSampler) -> list[list[list[int]]]:
    """Return the batches of some epochs, of all ranks together."""
    found = []
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)  # with perplexities, only the next epoch is known
        found.append([batch.tolist() for batch in sampler.batches()])
    sampler.set_epoch(0)
    return found


def made(make: Callable[..., BatchSampler], **given: Any) -> Optional[BatchSampler]:
    try:
        return make(**given)
    except ValueError as error:  # there are fewer batches than replicas
        assert "num_replicas" in str(error)
        return None


def loads(sampler: BatchSampler, state: dict[str, Any]) -> bool:
    try:
        sampler.load_state_dict(state)
    except ValueError as error:
        assert "come from a sampler with the same data, parameters and seed" in str(error)
        return False
    return True


def check_other_numbers_of_ranks(make: Callable[..., BatchSampler]) -> None:
    found = {number: made(make, num_replicas=number) for number in REPLICAS}
    batches = {number: batches_of(sampler) for number, sampler in found.items() if sampler is not None}
    for one, other in combinations(batches, 2):
        first, second = found[one], found[other]
        assert first is not None and second is not None
        expected = batches[one] == batches[other]
        assert loads(second, first.state()) == expected, (one, other)
        assert loads(first, second.state()) == expected, (other, one)


def test_another_number_of_ranks(specimen: Specimen) -> None:
    check_other_numbers_of_ranks(specimen.make)


def test_the_rest_of_an_epoch_by_other_ranks(tmp_path: Path) -> None:
    write_files(tmp_path)
    continued = set()
    for name in RANKED:
        make = specimens(tmp_path)[name].make
        whole, four = (made(make, num_replicas=number) for number in (None, 4))
        if whole is None or four is None or len(whole) < 8 or batches_of(whole) != batches_of(four):
            continue
        continued.add(type(whole).__name__)
        two = [make(seed=1, num_replicas=2, rank=rank) for rank in range(2)]
        iterators = [iter(sampler) for sampler in two]
        done = [np.atleast_1d(next(iterator)).tolist() for _ in range(2) for iterator in iterators]
        state = two[0].state(two[0].epoch - 1, 2)
        of_four = [make(seed=1, num_replicas=4, rank=rank) for rank in range(4)]
        for sampler in of_four:
            sampler.load_state_dict(state)
        rest = [np.atleast_1d(batch).tolist() for together in zip(*of_four) for batch in together]
        assert done + rest == [batch.tolist() for batch in whole.batches(0)], name
    assert {"StratifiedBatchSampler", "EpochSubsetBatchSampler", "CorpusMixtureBatchSampler"} <= continued


def test_another_seed(specimen: Specimen) -> None:
    one, other = (specimen.make(seed=seed) for seed in (1, 2))
    assert loads(other, one.state()) == (batches_of(one) == batches_of(other))
