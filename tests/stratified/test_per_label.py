"""Positives and negatives of each label: what is promised, weights, refusals."""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import PairDataset, PerLabelBatchSampler, decode_pairs

LABELS = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0, 0, 0], "wind": [0, 1, 0, 1, 1, 1, 1, 0], "snow": [0, 0, 1, 1] * 2})


def random_labels(data: st.DataObject) -> np.ndarray:
    n_rows, n_labels = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 6))
    labels = np.zeros((n_rows, n_labels), dtype=np.int64)
    for label in range(n_labels):
        n_positives = data.draw(st.integers(1, n_rows - 1))
        labels[data.draw(st.permutations(range(n_rows)))[:n_positives], label] = 1
    return labels


@given(st.data())
def test_batches_keep_their_promises(data: st.DataObject) -> None:
    labels = random_labels(data)
    n_rows, n_labels = labels.shape
    positives = data.draw(st.integers(1, int(labels.sum(axis=0).min())))
    negatives = data.draw(st.integers(1, int(n_rows - labels.sum(axis=0).max())))
    wanted, n_batches = data.draw(st.integers(1, n_labels)), data.draw(st.integers(1, 7))
    sampler = PerLabelBatchSampler(
        labels, positives, negatives, labels_per_batch=wanted, n_batches=n_batches, seed=data.draw(st.integers(0, 99))
    )
    n_epochs = n_labels // gcd(n_labels, n_batches * wanted)
    seen, times = np.zeros(n_labels, dtype=np.int64), np.zeros((n_rows, n_labels), dtype=np.int64)
    for epoch in range(n_epochs):
        rows, label, has = decode_pairs(sampler.batches(epoch).rows, n_labels)
        assert (labels[rows, label] == has).all()
        blocks = label.reshape(n_batches, wanted, positives + negatives)
        assert (blocks == blocks[:, :, :1]).all() and (np.diff(blocks[:, :, 0]) > 0).all()
        assert (has.reshape(-1, positives + negatives) == [1] * positives + [0] * negatives).all()
        assert all(len(set(batch.tolist())) == len(batch) for batch in sampler.batches(epoch))
        held = np.bincount(blocks[:, :, 0].ravel(), minlength=n_labels)
        assert set(held) <= {n_batches * wanted // n_labels, -(-n_batches * wanted // n_labels)}
        seen += held
        np.add.at(times, (rows, label), 1)
        for column in range(n_labels):
            for sign in (0, 1):
                assert np.ptp(times[labels[:, column] == sign, column]) <= 1
    assert np.ptp(seen) == 0


def test_the_number_of_batches() -> None:
    assert len(PerLabelBatchSampler(LABELS, 1, 1)) == 1  # 8 // (3 * 2)
    assert len(PerLabelBatchSampler(LABELS, 1, 1, labels_per_batch=1)) == 4
    assert len(PerLabelBatchSampler(LABELS, 3, 3)) == 1
    assert len(PerLabelBatchSampler(LABELS, 1, 1, n_batches=9, num_replicas=2)) == 8


def test_numbers_give_rows_and_labels() -> None:
    sampler = PerLabelBatchSampler(LABELS, 2, 1, labels_per_batch=2, seed=1)
    assert sampler.labels == ("rain", "wind", "snow") and sampler.n_rows == 8
    features = np.arange(16.0).reshape(8, 2)
    dataset = PairDataset(sampler.n_rows, len(sampler.labels), user_features=features, item_ids=sampler.labels)
    batch = dataset[sampler.batches(0)[0]]
    assert batch["label"].tolist() == [1, 1, 0] * 2
    assert (batch["user_features"] == features[batch["user"]]).all()
    chosen = [LABELS.loc[row, name] for row, name in zip(batch["user"], batch["item_id"])]
    assert chosen == batch["label"].tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"positives_per_label": 4}, "'positives_per_label' .* be at most 3: 3 rows have label 'rain'. Got 4"),
        ({"negatives_per_label": 4}, "'negatives_per_label' .* be at most 3: 3 rows do not have label 'wind'. Got 4"),
        ({"labels_per_batch": 4}, "'labels_per_batch' .* must be at most 3, the number of labels. Got 4"),
        ({"n_batches": 2**30}, "'n_batches' .* must give an epoch at most 2147483647 rows"),
        ({"labels": [[1, 0], [0, 0]]}, "be at most 0: 0 rows have label '1'. Got 1 instead. Leave the label out."),
        ({"labels": [[1, np.nan], [0, 1]]}, "must hold 0 and 1, or text. Got NaN in column '1' instead"),
    ],
)
def test_refusals(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        PerLabelBatchSampler(**{"labels": LABELS, "positives_per_label": 1, "negatives_per_label": 1, **parameters})


@given(st.data())
def test_weights_undo_how_often_rows_come(data: st.DataObject) -> None:
    labels = random_labels(data)
    n_rows, n_labels = labels.shape
    wanted = data.draw(st.integers(1, n_labels))
    sampler = PerLabelBatchSampler(labels, 1, 1, labels_per_batch=wanted, n_batches=3, seed=1)
    cycle = n_labels // gcd(n_labels, 3 * wanted)  # epochs until each label has come equally often
    numbers = np.concatenate([sampler.batches(epoch).rows for epoch in range(cycle)])
    _, label, has = decode_pairs(numbers, n_labels)
    weights = sampler.weights(numbers)
    for each in range(n_labels):
        for sign, rows in ((1, labels[:, each].sum()), (0, n_rows - labels[:, each].sum())):
            own = (label == each) & (has == sign)
            assert weights[own].sum() / cycle == pytest.approx(rows)
            assert (weights[own] == sampler.class_weights().iloc[each, 1 - sign]).all()
    assert sampler.weights(numbers, normalize=True).mean() == pytest.approx(1)


def test_weights_of_numbers_that_no_batch_has() -> None:
    sampler = PerLabelBatchSampler(LABELS, 1, 2, labels_per_batch=2, n_batches=3, seed=1)
    assert sampler.class_weights().to_dict("list") == {"positives": [1.5, 2.5, 2.0], "negatives": [1.25, 0.75, 1.0]}
    assert sampler.class_weights().index.tolist() == list(LABELS)
    weights = sampler.weights([[0, 1], [2, 3]])  # row 0 has rain, and no wind
    assert np.isnan(weights[[0, 1], [0, 1]]).all() and weights[[0, 1], [1, 0]].tolist() == [1.5, 0.75]
    with pytest.raises(ValueError, match="'numbers' .* must hold numbers of rows and labels from 0 to 47. Got 48"):
        sampler.weights([48])
