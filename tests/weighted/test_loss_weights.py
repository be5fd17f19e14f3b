"""Class weights of a loss, in the order of the outputs of a network, in both languages."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from pystrat import DownsampledBatchSampler, class_weights


@pytest.mark.parametrize(
    "labels", [[2, 0, 2, 2, 1], ["c", "a", "c", "c", "b"], torch.tensor([2, 0, 2, 2, 1]), pd.Categorical(list("cacca"))]
)
def test_all_classes_count_equally_in_the_order_of_numpy_unique(labels: object) -> None:
    weights = class_weights(labels)
    _, counts = np.unique(np.asarray(labels), return_counts=True)
    np.testing.assert_allclose(weights * counts, 5 / len(counts), rtol=1e-6)
    assert weights.dtype == np.float32


def test_the_classes_of_a_categorical_are_its_categories() -> None:
    labels = pd.Categorical(["lo", "hi", "hi"], categories=["lo", "hi", "none"])
    assert class_weights(labels).tolist() == class_weights(pd.Series(labels)).tolist() == [1.5, 0.75, 0]


def test_the_weights_of_a_sampler_are_those_of_its_epochs_in_the_type_of_losses() -> None:
    found = class_weights(DownsampledBatchSampler([1] * 10 + [0] * 40, 1, 5, seed=1))
    assert found.dtype == np.float32 and found.tolist() == [4, 1]
