"""The global random states of Python, numpy and torch are neither read nor changed; tests/bridge tests R's."""

from __future__ import annotations

import pickle
import random
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest
import torch

from pystrat import StratifiedBatchSampler, batch_counts, epoch_permutation

LABELS = [0, 1] * 20


def use_everything() -> list[Any]:
    """Use all of the sampler and return what it gave."""
    sampler = StratifiedBatchSampler(LABELS, 2, seed=5)
    given = [list(sampler), list(sampler), sampler.batches(7).rows.tolist()]
    sampler.load_state_dict(sampler.state())
    sampler.set_epoch(3)
    given.append(list(pickle.loads(pickle.dumps(sampler))))
    given.append(batch_counts(sampler, LABELS).to_numpy().tolist())
    given.append(epoch_permutation(50, seed=3).tolist())
    StratifiedBatchSampler(pd.Series(LABELS), 2)  # draws a seed
    return given


@pytest.mark.parametrize("seed", [random.seed, np.random.seed, torch.manual_seed])
def test_the_global_random_states_are_neither_read_nor_changed(seed: Callable[[int], Any]) -> None:
    saved = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        seed(1)
        first = use_everything()
        seed(2)
        before = random.getstate(), pickle.dumps(np.random.get_state()), torch.get_rng_state().tolist()
        assert use_everything() == first
        assert (random.getstate(), pickle.dumps(np.random.get_state()), torch.get_rng_state().tolist()) == before
        seed(1)
        drawn = StratifiedBatchSampler(LABELS, 2).seed
        seed(1)
        assert StratifiedBatchSampler(LABELS, 2).seed != drawn, "a drawn seed does not follow a global one"
    finally:
        random.setstate(saved[0])
        np.random.set_state(saved[1])
        torch.set_rng_state(saved[2])
