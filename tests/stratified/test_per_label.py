"""Positives and negatives of each label: the batches against plain Python, the guarantees, refusals."""

from __future__ import annotations

from itertools import islice
from math import gcd
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import PairDataset, PerLabelBatchSampler, decode_pairs
from tests.reference.naive_exposure import naive_per_label

LABELS = pd.DataFrame({"rain": [1, 1, 1, 0, 0, 0, 0, 0], "wind": [0, 1, 0, 1, 1, 1, 1, 0], "snow": [0, 0, 1, 1] * 2})


def refused(*arguments: Any, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        PerLabelBatchSampler(LABELS, *arguments, **parameters)
    return str(error.value).replace(" parameter", "")


def random_labels(data: st.DataObject) -> np.ndarray:
    n_rows, n_labels = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 6))
    labels = np.zeros((n_rows, n_labels), dtype=np.int64)
    for label in range(n_labels):
        n_positives = data.draw(st.integers(1, n_rows - 1))
        labels[data.draw(st.permutations(range(n_rows)))[:n_positives], label] = 1
    return labels


@given(st.data())
def test_batches_are_those_of_plain_python_and_keep_their_promises(data: st.DataObject) -> None:
    labels = random_labels(data)
    n_rows, n_labels = labels.shape
    positives = data.draw(st.integers(1, int(labels.sum(axis=0).min())))
    negatives = data.draw(st.integers(1, int(n_rows - labels.sum(axis=0).max())))
    wanted, n_batches = data.draw(st.integers(1, n_labels)), data.draw(st.integers(1, 7))
    sampler = PerLabelBatchSampler(
        labels, positives, negatives, labels_per_batch=wanted, n_batches=n_batches, seed=data.draw(st.integers(0, 99))
    )
    naive = naive_per_label(labels.tolist(), n_batches, wanted, (positives, negatives), sampler.seed, 0)
    n_epochs = n_labels // gcd(n_labels, n_batches * wanted)
    seen, times = np.zeros(n_labels, dtype=np.int64), np.zeros((n_rows, n_labels), dtype=np.int64)
    for epoch, expected in enumerate(islice(naive, n_epochs)):
        assert [batch.tolist() for batch in sampler.batches(epoch)] == expected
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


def test_refusals() -> None:
    assert "'positives_per_label' must be at most 3: 3 rows have label 'rain'. Got 4" in refused(4, 1)
    assert "'negatives_per_label' must be at most 3: 3 rows do not have label 'wind'. Got 4" in refused(1, 4)
    assert "'labels_per_batch' must be at most 3, the number of labels. Got 4" in refused(1, 1, labels_per_batch=4)
    assert "'n_batches' must be an integer from 1 to 2147483647. Got 0" in refused(1, 1, n_batches=0)
    assert "'n_batches' must give an epoch at most 2147483647 rows" in refused(1, 1, n_batches=2**30)
    assert "'num_replicas' must be at most 1, the number of batches" in refused(1, 1, num_replicas=2)
    with pytest.raises(ValueError, match="be at most 0: 0 rows have label '1'. Got 1 instead. Leave the label out."):
        PerLabelBatchSampler([[1, 0], [0, 0]], 1, 1)


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


def test_weights_of_numbers_that_no_batch_has_and_of_no_numbers() -> None:
    sampler = PerLabelBatchSampler(LABELS, 1, 2, labels_per_batch=2, n_batches=3, seed=1)
    assert sampler.class_weights().to_dict("list") == {"positives": [1.5, 2.5, 2.0], "negatives": [1.25, 0.75, 1.0]}
    assert sampler.class_weights().index.tolist() == list(LABELS)
    weights = sampler.weights([[0, 1], [2, 3]])  # row 0 has rain, and no wind
    assert np.isnan(weights[[0, 1], [0, 1]]).all() and weights[[0, 1], [1, 0]].tolist() == [1.5, 0.75]
    with pytest.raises(
        ValueError, match="'numbers' parameter must hold numbers of rows and labels from 0 to 47. Got 48"
    ):
        sampler.weights([48])
    with pytest.raises(TypeError, match="must hold numbers of rows and labels. Got float64 values"):
        sampler.weights([0.5])


def test_items_of_users_are_the_ranking_mode() -> None:
    relevant = (np.random.default_rng(1).random((400, 50)) < 0.1).astype(int)
    sampler = PerLabelBatchSampler(relevant, 3, 20, labels_per_batch=10, n_batches=5, seed=1)
    items, users, has = decode_pairs(sampler.batches(0).rows, 50)
    assert np.bincount(users).tolist() == [23] * 50, "each user once in an epoch, as 50 // 10 batches have"
    assert (relevant[items, users] == has).all() and (has.reshape(-1, 23).sum(axis=1) == 3).all()


@pytest.mark.parametrize(("unknown", "got"), [(np.nan, "NaN"), (-1.0, "-1")])
def test_unknown_labels_are_refused(unknown: float, got: str) -> None:
    labels = LABELS.to_numpy(dtype=float)
    labels[2, 1] = unknown
    with pytest.raises(ValueError, match=f"must hold 0 and 1, or text. Got {got} in column '1' instead"):
        PerLabelBatchSampler(labels, 1, 1, seed=1)
