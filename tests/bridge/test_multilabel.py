"""Rows with several labels in R: the same recipe from the same call, the same rows, the same errors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import MultilabelBatchSampler, PerLabelBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.calls import random_labels

TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})


def in_r(r: Session, labels: pd.DataFrame) -> Any:
    """Return the labels as a data.frame of R."""
    columns = r.named_list(**{name: labels[name].to_numpy(dtype=np.int32) for name in labels.columns})
    names = r.rinterface.StrSexpVector(list(labels.columns))
    base = r.rinterface.baseenv
    return base["structure"](base["as.data.frame"](columns), names=names)


@pytest.mark.parametrize(
    ("labels", "settings"),
    [
        (random_labels(900, 6, seed=3), {"min_samples_per_label": 2, "num_replicas": 3, "max_batches": 8}),
        (random_labels(200, 70, seed=5, most=0.6), {"min_samples_per_label": 1, "rare": "allow"}),
        (TRIANGLE, {"min_samples_per_label": 1, "rare": "allow"}),
    ],
    ids=["replicas", "many sets", "triangle"],
)
def test_r_counts_labels_and_shortfalls(labels: pd.DataFrame, settings: dict[str, Any], r: Session) -> None:
    sampler = MultilabelBatchSampler(labels, seed=5, **settings)
    instance = r.call_function(r.call("batch_sampler_multilabel", in_r(r, labels), seed=5, **settings), None)
    counts = r.call_function(instance["label_counts"], 1)
    assert list(counts.names) == list(labels.columns)
    assert np.array_equal(np.stack([as_array(column) for column in counts], axis=1), sampler.label_counts(1))
    found = r.call_function(instance["shortfalls"], 1)
    expected_shortfalls = sampler.shortfalls(1)
    assert [list(found[place]) for place in (0, 2, 3)] == [
        (expected_shortfalls["batch"] + 1).tolist(),
        expected_shortfalls["rows"].tolist(),
        expected_shortfalls["missing"].tolist(),
    ]
    assert list(found[1]) == expected_shortfalls["label"].tolist()


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_a_refusal_names_the_number_of_batches_that_works_in_both_languages(replicas: int, r: Session) -> None:
    labels = pd.DataFrame(np.random.default_rng(1).random((400, 12)) < 0.5).add_prefix("l")
    with pytest.raises(ValueError) as refused:
        MultilabelBatchSampler(labels, 1, num_replicas=replicas)
    with pytest.raises(rbridge.RError) as refused_in_r:
        r.call("batch_sampler_multilabel", in_r(r, labels), 1, num_replicas=replicas)
    batch = int(str(refused.value).split("batches: batch ")[1].split()[0])
    expected = str(refused.value).replace(f"batch {batch} lacks", f"batch {batch + 1} lacks")
    assert str(refused_in_r.value) == expected.replace("MultilabelBatchSampler", "batch_sampler_multilabel")


def test_r_warns_of_a_shortfall_with_batches_counted_from_1(r: Session) -> None:
    with pytest.warns(UserWarning, match="^batch 1 lacks 1 row of label 'c', in the order of the dataset.$"):
        r.call("batch_sampler_multilabel", in_r(r, TRIANGLE), 1, rare="warn")


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n_batches", [None, 7])
def test_weights_of_positives_and_negatives_in_r(n_batches: Optional[int], normalize: bool, r: Session) -> None:
    labels = random_labels(300, 4, seed=1)
    sampler = PerLabelBatchSampler(labels, 2, 5, labels_per_batch=3, n_batches=n_batches, seed=5)
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    table = r.call_function(instance["class_weights"], normalize)
    of_signs = dict(zip(table.names, table))
    expected = sampler.class_weights(normalize=normalize)
    assert list(of_signs["label"]) == list(expected.index)
    for sign in ("positives", "negatives"):
        assert as_array(of_signs[sign]).tolist() == expected[sign].tolist()
    numbers = sampler.batches(3).rows
    of_numbers = as_array(r.call_function(instance["weights"], numbers.astype(np.float64), normalize))
    assert of_numbers.tolist() == sampler.weights(numbers, normalize=normalize).tolist()
    assert len(set(of_numbers)) > 4
