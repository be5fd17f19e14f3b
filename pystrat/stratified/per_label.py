"""Rows with several labels, each with positives and negatives of its own in a batch."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import arguments_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_flag
from pystrat.core.row_arguments import check_positions
from pystrat.stratified.multilabel import LabeledBatchSampler


class PerLabelBatchSampler(LabeledBatchSampler):
    """Batch sampler of some of many labels, with positives and negatives of each of them.

    For losses of several binary tasks, such as areas under ROC curves. It yields numbers for pairs of a row and a
    label; `PairDataset` and `decode_pairs` turn them into rows and labels. The R function
    ``rbridge::batch_sampler_per_label()`` returns the same numbers. docs/multilabel.md is a guide.

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        As in `MultilabelBatchSampler`.
    positives_per_label : int
        k, the number of rows with the label, for each label of a batch.
    negatives_per_label : int
        l, the number of rows without the label, for each label of a batch.
    labels_per_batch : int, optional
        P, the number of labels in a batch; by default all L.
    n_batches : int, optional
        The number of batches of an epoch, by default ``n_rows // (P * (k + l))``, and at least 1.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`.

    Notes
    -----
    A batch has ``P * (k + l)`` numbers ``2 * (row * L + label) + has``, label after label, positives first; `has` is 1
    for positives, and 0 for negatives. Guarantees, besides those of `BatchSampler`:

    * Every label is in the floor or the ceiling of B * P / L of the B batches of an epoch.
    * From epoch 0 on, the numbers of times that the positives of a label occur differ by at most one, and so do those
      of its negatives. No batch has one of them twice for a label.

    The method is that of ``TriSampler`` in LibAUC (Z. Yuan and others, 2023), with exact counts.

    Examples
    --------
    >>> from pystrat import PerLabelBatchSampler, decode_pairs
    >>> labels = [[1, 0], [1, 1], [0, 1], [0, 0], [0, 0], [0, 0]]
    >>> sampler = PerLabelBatchSampler(labels, 1, 2, seed=1)
    >>> rows, label, has = decode_pairs(sampler.batches(0)[0], n_items=len(sampler.labels))
    >>> label.tolist(), has.tolist()
    ([0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 0, 0])
    """

    _kind = "per_label"

    def __init__(
        self,
        labels: Any,
        positives_per_label: int,
        negatives_per_label: int,
        *,
        labels_per_batch: Optional[int] = None,
        n_batches: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("labels",)))
        self._begin_labels(labels)

    @property
    def n_rows(self) -> int:
        """The number of rows of the dataset."""
        return len(self._parts["codes"])

    def _rows_of_data(self) -> None:
        return None  # batches are numbers of pairs

    def class_weights(self, *, normalize: bool = False) -> pd.DataFrame:
        """Return the training weight of the ``positives`` and the ``negatives`` of each label, in a row.

        It is the rows with the label, or without it, divided by their mean number in an epoch. If `normalize` is True,
        the weights are divided by their mean over all epochs, so that the learning rate keeps its scale.
        """
        negatives, positives = self._weights_of_signs(normalize)
        index = pd.Index(self._names, name="label", tupleize_cols=False)
        return pd.DataFrame({"positives": positives, "negatives": negatives}, index=index)

    def weights(self, numbers: Any, *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the weight, as in `class_weights`, of each number; NaN if no batch has it."""
        parts, weights, n_labels = self._parts, self._weights_of_signs(normalize), len(self._names)
        found = check_positions(numbers, 2 * self.n_rows * n_labels, "numbers", "numbers of rows and labels")
        has, label, row = found % 2, found // 2 % n_labels, found // 2 // n_labels
        is_right = has == parts["sets"].reshape(-1, n_labels)[parts["codes"][row], label]
        return np.asarray(np.where(is_right, weights[has, label], np.nan))

    def _weights_of_signs(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weights of the negatives and of the positives of each label."""
        weights = self._instance.describe()["normalized" if check_flag(normalize, "normalize") else "weights"]
        return weights.reshape(2, -1)
