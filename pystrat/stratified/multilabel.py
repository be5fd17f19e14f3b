"""Rows with any number of labels: at least m rows of every label in a batch, or positives and negatives of some."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.label_matrix import data_of_labels
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_flag
from pystrat.core.row_arguments import check_positions
from pystrat.core.value_names import names_index


class LabeledBatchSampler(KindBatchSampler):
    """Base class of the samplers of rows with any number of labels."""

    #: The names of the labels: the columns of a DataFrame, or what rows list, as passed; else their positions.
    labels: tuple[Any, ...]

    def _begin_labels(self, labels: Any) -> None:
        data, self.labels = data_of_labels(labels)
        names = tuple(map(str, self.labels))
        self._begin(data, names, {"names": names}, stacklevel=4)


class MultilabelBatchSampler(LabeledBatchSampler):
    """Batch sampler with a minimum number of rows of every label in every batch, for rows with any number of labels.

    The R function ``rbridge::batch_sampler_multilabel()`` returns the same batches. docs/multilabel.md is a guide.

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        1 or True if the row has the label, else 0 or False; every label has at least one row. In a column of text or
        categories, each value is a label, such as "color=red". Or, for each row, a list of text or a set, which may be
        empty: ``[["cat", "dog"], ["dog"], []]``. Labels of masks: `labels_of_masks`.
    min_samples_per_label : int, optional
        The minimum m: every batch should hold at least m rows of each label. An epoch has ``max(1, n_min // m)``
        batches, where n_min is the number of rows of the rarest label. Give either it or `mean_batch_size`.
    mean_batch_size : int, optional
        The mean number of rows per batch. The minimum m is then the largest that bisection finds to be kept, and at
        least 1.
    max_batches : int or "auto", optional
        The largest number of batches per epoch, if the minimum determines it: with fewer batches, a larger minimum can
        be kept. With "auto", there are fewer batches if necessary, so that the minimum is kept.
    rare : {"error", "warn", "allow"}, default "error"
        What to do if a batch lacks rows of a label: raise an error that names a number of batches that works, or
        continue, with or without a warning. `shortfalls` returns what an epoch lacks.
    shuffle : bool, default True
        Whether to shuffle the rows in each epoch. If False, all epochs are the same.
    seed, num_replicas, rank : int, optional, as in `StratifiedBatchSampler`

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Every row is visited exactly once per epoch, and no batch is empty.
    * With ``rare="error"``, every batch of every epoch holds at least m rows of each label. Otherwise, no epoch lacks
      more rows in total than the assignment in the order of the dataset does.
    * If no row has more than one label, or labels are nested (of any two, either one includes the other or no row has
      both), no batch ever lacks a row.

    Examples
    --------
    >>> from pystrat import MultilabelBatchSampler
    >>> labels = [[1, 0]] * 4 + [[1, 1]] * 2 + [[0, 1]] * 3 + [[0, 0]] * 9
    >>> sampler = MultilabelBatchSampler(labels, min_samples_per_label=2, seed=1)
    >>> sampler.label_counts(epoch=0)
           0  1
    batch
    0      3  3
    1      3  2
    >>> len(sampler.shortfalls(epoch=0))
    0
    """

    _kind = "multilabel"
    min_samples_per_label: int  #: The minimum number of rows of every label in every batch, given or found.

    def __init__(
        self,
        labels: Any,
        min_samples_per_label: Optional[int] = None,
        *,
        mean_batch_size: Optional[int] = None,
        max_batches: Union[int, str, None] = None,
        rare: str = "error",
        shuffle: bool = True,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("labels",)))
        self._begin_labels(labels)
        self.min_samples_per_label = int(self._instance.describe()["minimum"][0])

    def label_counts(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the rows of each label (columns) in each batch of an epoch, by default the next one, of all ranks."""
        return pd.DataFrame(self._held(epoch), pd.RangeIndex(self._global_length(), name="batch"), self._index())

    def shortfalls(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return where an epoch, by default the next one, has fewer rows of a label than the minimum.

        There is a row for each batch, of all ranks, and label with too few rows: ``batch``, ``label``, ``rows`` (those
        in the batch) and ``missing`` (those that it lacks).
        """
        held = self._held(epoch)
        batch, label = np.nonzero(held < self.min_samples_per_label)
        rows = held[batch, label]
        missing = self.min_samples_per_label - rows
        return pd.DataFrame({"batch": batch, "label": self._index()[label], "rows": rows, "missing": missing})

    def _index(self) -> pd.Index:
        is_text = all(isinstance(name, str) for name in self.labels)
        return names_index(self.labels) if is_text else pd.Index(self.labels)

    def _held(self, epoch: Optional[int]) -> NDArray[np.int64]:
        held = self._instance.draw(self._requested_epoch(epoch))["held"]
        return held.reshape(-1, len(self.labels)).astype(np.int64)


class PerLabelBatchSampler(LabeledBatchSampler):
    """Batch sampler of some of many labels, with positives and negatives of each of them.

    For losses of several binary tasks, such as areas under ROC curves. It yields numbers for pairs of a row and a
    label; `PairDataset` and `decode_pairs` turn them into rows and labels. The method is that of ``TriSampler`` in
    LibAUC (Z. Yuan and others, 2023), with exact counts. The R function ``rbridge::batch_sampler_per_label()`` returns
    the same numbers. docs/multilabel.md is a guide.

    Parameters
    ----------
    labels : as in `MultilabelBatchSampler`
    positives_per_label : int
        k, the number of rows with the label, for each label of a batch.
    negatives_per_label : int
        l, the number of rows without the label, for each label of a batch.
    labels_per_batch : int, optional
        P, the number of labels in a batch; by default all L.
    n_batches : int, optional
        The number of batches of an epoch, by default ``n_rows // (P * (k + l))``, and at least 1.
    seed, num_replicas, rank : int, optional, as in `StratifiedBatchSampler`

    Notes
    -----
    A batch has ``P * (k + l)`` numbers ``2 * (row * L + label) + has``, label after label, positives first; `has` is 1
    for positives, and 0 for negatives. Guarantees, besides those of `BatchSampler`:

    * Every label is in the floor or the ceiling of B * P / L of the B batches of an epoch.
    * From epoch 0 on, the numbers of times that the positives of a label occur differ by at most one, and so do those
      of its negatives. No batch has one of them twice for a label.

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
    n_rows: int  #: The number of rows of the dataset.

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
        self.n_rows = len(self._parts["codes"])

    def _rows_of_data(self) -> None:
        return None  # batches are numbers of pairs

    def class_weights(self, *, normalize: bool = False) -> pd.DataFrame:
        """Return the training weight of the ``positives`` and the ``negatives`` of each label, in a row.

        It is the rows with the label, or without it, divided by their mean number in an epoch. `normalize` is that of
        `StratifiedBatchSampler.class_weights`.
        """
        negatives, positives = self._weights_of_signs(normalize)
        index = pd.Index(self.labels, name="label", tupleize_cols=False)
        return pd.DataFrame({"positives": positives, "negatives": negatives}, index=index)

    def weights(self, numbers: Any, *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the weight, as in `class_weights`, of each number; NaN if no batch has it."""
        parts, weights, n_labels = self._parts, self._weights_of_signs(normalize), len(self.labels)
        found = check_positions(numbers, 2 * self.n_rows * n_labels, "numbers", "numbers of rows and labels")
        has, label, row = found % 2, found // 2 % n_labels, found // 2 // n_labels
        is_right = has == parts["sets"].reshape(-1, n_labels)[parts["codes"][row], label]
        return np.asarray(np.where(is_right, weights[has, label], np.nan))

    def _weights_of_signs(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weights of the negatives and of the positives of each label."""
        weights = self._instance.describe()["normalized" if check_flag(normalize, "normalize") else "weights"]
        return weights.reshape(2, -1)
