"""A state loads in a sampler of another number of ranks, or of another seed, if and only if the batches are equal."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pytest

from pystrat import (
    BatchSampler,
    DownsampledBatchSampler,
    EpochSubsetBatchSampler,
    MultilabelBatchSampler,
    NegativePairBatchSampler,
    PerLabelBatchSampler,
    PrioritizedBatchSampler,
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    TreeBatchSampler,
    TripleBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
)
from pystrat.corpus import CorpusMixtureBatchSampler, RareEventBatchSampler

REPLICAS = (None, 1, 2, 3, 4)
EPOCHS = 12  # by length and with other weights, epochs differ
LENGTHS = [1, 5, 2, 2, 7, 3, 1, 4, 4, 6] * 4
LABELS = [0, 1] * 12
USERS, ITEMS = np.divmod(np.arange(24), 6)

MAKERS: dict[str, Callable[..., BatchSampler]] = {
    "stratified": lambda folder, **given: StratifiedBatchSampler(LABELS, 1, **given),
    "stratified of 3": lambda folder, **given: StratifiedBatchSampler(LABELS, 3, **given),
    "in order": lambda folder, **given: StratifiedBatchSampler(LABELS, 1, shuffle=False, **given),
    "balanced": lambda folder, **given: StratifiedBatchSampler(
        [0] * 18 + [1] * 6, mean_batch_size=4, balance="under", shuffle=False, **given
    ),
    "subset": lambda folder, **given: StrataSubsetBatchSampler(LABELS, 2, 2, **given),
    "subset, balanced": lambda folder, **given: StrataSubsetBatchSampler(
        np.arange(24) % 5, 2, 2, balance="mean", **given
    ),
    "groups": lambda folder, **given: StratifiedGroupBatchSampler(LABELS, 1, groups=np.arange(24) % 12, **given),
    "downsampled": lambda folder, **given: DownsampledBatchSampler([0] * 18 + [1] * 6, 1, 4, **given),
    "multilabel": lambda folder, **given: MultilabelBatchSampler(np.eye(2)[LABELS], 2, **given),
    "per label": lambda folder, **given: PerLabelBatchSampler(np.eye(3)[np.arange(24) % 3], 1, 2, **given),
    "multilabel in order": lambda folder, **given: MultilabelBatchSampler(np.eye(2)[LABELS], 2, shuffle=False, **given),
    "pairs": lambda folder, **given: NegativePairBatchSampler(USERS, ITEMS, 0.5, 8, n_items=99, **given),
    "triples": lambda folder, **given: TripleBatchSampler(USERS, ITEMS, 5, n_items=99, **given),
    "uniform": lambda folder, **given: UniformBatchSampler(24, 2, **given),
    "weighted": lambda folder, **given: WeightedBatchSampler([1.0] * 24, 2, **given),
    "prioritized": lambda folder, **given: PrioritizedBatchSampler(24, 2, **given),
    "tree": lambda folder, **given: TreeBatchSampler({"x": LABELS}, {"mode": "shuffle"}, 2, length=24, **given),
    "rare": lambda folder, **given: RareEventBatchSampler([folder / "a.txt"], [folder / "b.txt"], 1, 6, **given),
    "part": lambda folder, **given: EpochSubsetBatchSampler(40, 24, 2, **given),
    "part, last batch shorter": lambda folder, **given: EpochSubsetBatchSampler(40, 23, 2, **given),
    "part, odd": lambda folder, **given: EpochSubsetBatchSampler(40, 20, 4, **given),
    "in turn": lambda folder, **given: EpochSubsetBatchSampler(40, 24, 2, method="partition", **given),
    "by length": lambda folder, **given: EpochSubsetBatchSampler(
        40, 24, 2, lengths=LENGTHS, window=8, method="partition", **given
    ),
    "by length, odd": lambda folder, **given: EpochSubsetBatchSampler(40, 24, 5, lengths=LENGTHS, window=9, **given),
    "by tokens": lambda folder, **given: EpochSubsetBatchSampler(40, 24, lengths=LENGTHS, max_tokens=14, **given),
    "by length, balanced": lambda folder, **given: EpochSubsetBatchSampler(
        40, 24, 3, lengths=LENGTHS, window=9, balance_replicas="num_replicas" in given, **given
    ),
    "mixture": lambda folder, **given: mixture(folder, **given),
    "mixture in order": lambda folder, **given: mixture(folder, shuffle=False, **given),
    "mixture of stages": lambda folder, **given: CorpusMixtureBatchSampler(
        folder, 4, suffixes=[".txt"], epoch_end="first_exhausted", weights={0: [1, 1], 3: [3, 1]}, **given
    ),
    "mixture of odd stages": lambda folder, **given: CorpusMixtureBatchSampler(
        folder, 4, suffixes=[".txt"], epoch_end="first_exhausted", weights={0: [1, 1], 3: [2, 1]}, **given
    ),
}


def mixture(folder: Path, **given: Any) -> BatchSampler:
    return CorpusMixtureBatchSampler(folder, 3, suffixes=[".txt"], sample=24, **given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("line\n" * 12)
    return tmp_path


def batches_of(sampler: BatchSampler) -> list[list[list[int]]]:
    """Return the batches of some epochs, of all ranks together."""
    found = []
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)  # with perplexities, only the next epoch is known
        found.append([batch.tolist() for batch in sampler.batches()])
    sampler.set_epoch(0)
    return found


def made(make: Callable[..., BatchSampler], folder: Path, **given: Any) -> Optional[BatchSampler]:
    try:
        return make(folder, **given)
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


@pytest.mark.parametrize("kind", MAKERS)
def test_another_number_of_ranks(kind: str, folder: Path) -> None:
    found = {number: made(MAKERS[kind], folder, seed=1, num_replicas=number) for number in REPLICAS}
    batches = {number: batches_of(sampler) for number, sampler in found.items() if sampler is not None}
    for one, other in combinations(batches, 2):
        first, second = found[one], found[other]
        assert first is not None and second is not None
        expected = batches[one] == batches[other]
        assert loads(second, first.state_dict()) == expected, (one, other)
        assert loads(first, second.state_dict()) == expected, (other, one)


def test_the_rest_of_an_epoch_by_other_ranks(folder: Path) -> None:
    for kind in ("stratified", "part", "by length", "mixture"):
        two = [MAKERS[kind](folder, seed=1, num_replicas=2, rank=rank) for rank in range(2)]
        iterators = [iter(sampler) for sampler in two]
        done = [list(next(iterator)) for _ in range(2) for iterator in iterators]
        state = two[0].state_dict(batches_consumed=2)
        four = [MAKERS[kind](folder, seed=1, num_replicas=4, rank=rank) for rank in range(4)]
        for sampler in four:
            sampler.load_state_dict(state)
        rest = [list(batch) for together in zip(*four) for batch in together]
        whole = MAKERS[kind](folder, seed=1)
        assert done + rest == [batch.tolist() for batch in whole.batches(0)], kind


@pytest.mark.parametrize("kind", MAKERS)
def test_another_seed(kind: str, folder: Path) -> None:
    one, other = (MAKERS[kind](folder, seed=seed) for seed in (1, 2))
    assert loads(other, one.state_dict()) == (batches_of(one) == batches_of(other))
