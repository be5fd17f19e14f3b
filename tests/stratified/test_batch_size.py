"""The minimum chosen by batch size: the cases that R also reads, and the largest minimum by trial."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from pystrat import StratifiedBatchSampler, min_samples_for_batch_size
from tests.given_by_pystrat import GOLDEN

CASES = json.loads((GOLDEN / "batch_sizes.json").read_text(encoding="utf-8"))["cases"]


def labels_of(case: dict) -> list[Any]:
    labels = [stratum for stratum, size in enumerate(case["sizes"]) for _ in range(size)]
    return labels + [None] * case.get("missing_rows", 0)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden_batch_size(case: dict) -> None:
    arguments = {name: case[name] for name in ("missing", "num_replicas") if name in case}
    assert min_samples_for_batch_size(labels_of(case), case["mean_batch_size"], **arguments) == case["minimum"]


def largest_by_trial(sizes: tuple[int, int], batch_size: int, num_replicas: int) -> int:
    """The largest promise that the smallest stratum keeps with batches small enough on average; 0 if there is none."""
    largest = 0
    for minimum in range(1, min(sizes) // num_replicas + 1):
        sampler = StratifiedBatchSampler(np.repeat([0, 1], sizes), minimum, num_replicas=num_replicas, seed=1)
        if Fraction(sum(sizes), len(sampler)) <= batch_size:
            largest = minimum
    return largest


@pytest.mark.parametrize("num_replicas", [1, 2, 3])
def test_it_is_the_largest_promise_of_all_for_every_pair_of_sizes_up_to_9(num_replicas: int) -> None:
    for sizes in product(range(1, 10), repeat=2):
        for batch_size in range(1, sum(sizes) + 2):
            largest = largest_by_trial(sizes, batch_size, num_replicas)
            if largest:
                chosen = min_samples_for_batch_size(np.repeat([0, 1], sizes), batch_size, num_replicas=num_replicas)
                assert chosen == largest
            else:
                with pytest.raises(ValueError, match="must be at (least|most)"):
                    min_samples_for_batch_size(np.repeat([0, 1], sizes), batch_size, num_replicas=num_replicas)


@pytest.mark.parametrize("batch_size", [11, 17, 50, 219])
def test_no_batch_is_larger_with_even_assignment_and_few_rows_larger_with_proportional(batch_size: int) -> None:
    labels = np.repeat(range(5), [20, 33, 47, 58, 61])
    minimum = min_samples_for_batch_size(labels, batch_size)
    assert StratifiedBatchSampler(labels, minimum, assign="even").plan.sizes.max() <= batch_size
    assert StratifiedBatchSampler(labels, minimum).plan.sizes.max() < batch_size + 5
