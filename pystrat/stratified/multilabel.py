"""The multilabel batch sampler: at least m rows of every label in every batch, for rows with any number of labels."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.label_matrix import data_of_labels
from pystrat.core.lazy_pandas import pd
from pystrat.core.value_names import names_index


class LabeledBatchSampler(KindBatchSampler):
    """Base class of the samplers of rows with any number of labels."""

    def _begin_labels(self, labels: Any) -> None:
        data, self._names = data_of_labels(labels)
        names = tuple(map(str, self._names))
        self._begin(data, names, {"names": names}, stacklevel=4)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The names of the labels: the columns of a DataFrame, or what rows list, as passed; else their positions."""
        return self._names


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
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`.

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
        self._minimum = int(self._instance.describe()["minimum"][0])

    @property
    def min_samples_per_label(self) -> int:
        """The minimum number of rows of every label in every batch, given or found."""
        return self._minimum

    def label_counts(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the rows of each label (columns) in each batch of an epoch, by default the next one, of all ranks."""
        return pd.DataFrame(self._held(epoch), pd.RangeIndex(self._global_length(), name="batch"), self._index())

    def shortfalls(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return where an epoch, by default the next one, has fewer rows of a label than the minimum.

        There is a row for each batch, of all ranks, and label with too few rows: ``batch``, ``label``, ``rows`` (those
        in the batch) and ``missing`` (those that it lacks).
        """
        held = self._held(epoch)
        batch, label = np.nonzero(held < self._minimum)
        rows = held[batch, label]
        missing = self._minimum - rows
        return pd.DataFrame({"batch": batch, "label": self._index()[label], "rows": rows, "missing": missing})

    def _index(self) -> pd.Index:
        is_text = all(isinstance(name, str) for name in self._names)
        return names_index(self._names) if is_text else pd.Index(self._names)

    def _held(self, epoch: Optional[int]) -> NDArray[np.int64]:
        held = self._instance.draw(self._requested_epoch(epoch))["held"]
        return held.reshape(-1, len(self._names)).astype(np.int64)
