"""Labels of a dataset, without loading its items."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import as_vector, plain_array
from pystrat.lazy_pandas import is_frame
from pystrat.messages import check_text, count_of, refused_type, refused_value
from pystrat.strata import STRATA

_ATTRIBUTES = ("targets", "labels", "y")
_COLUMNS = ("label", "labels")


def labels_of(dataset: Any, *, column: Optional[str] = None) -> NDArray[Any]:
    """Return the label of each row of a dataset, for `StratifiedBatchSampler`, without loading its items.

    Parameters
    ----------
    dataset : torch.utils.data.Dataset or Hugging Face dataset
        Labels are looked for in this order: in the parts of a ``Subset`` (such as those of ``random_split``) or a
        ``ConcatDataset``, which may be nested; in a column of a Hugging Face dataset; in an attribute ``targets``,
        ``labels`` or ``y``; in the last tensor of a ``TensorDataset``.
    column : str, optional
        The column of a Hugging Face dataset, or the attribute of any other dataset. By default ``label`` or ``labels``,
        or the attributes above.

    Returns
    -------
    numpy.ndarray, shape (len(dataset),)

    Raises
    ------
    TypeError
        If no labels are found.
    ValueError
        If the number of labels differs from the number of rows.

    Examples
    --------
    >>> from torch.utils.data import Subset, TensorDataset
    >>> import torch
    >>> from pystrat import labels_of
    >>> whole = TensorDataset(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))
    >>> labels_of(Subset(whole, [3, 1])).tolist()
    [0, 1]
    """
    if column is not None:
        column = check_text(column, "column")
    labels = _find(dataset, column)
    if len(labels) != len(dataset):
        required = f"have one label for each of its {count_of(len(dataset), 'row')}"
        raise refused_value("dataset", required, count_of(len(labels), "label"))
    return labels


def _find(dataset: Any, column: Optional[str]) -> NDArray[Any]:
    if hasattr(dataset, "dataset") and hasattr(dataset, "indices"):
        rows = plain_array(dataset.indices, "dataset").astype(np.int64)
        return labels_of(dataset.dataset, column=column)[rows]
    if hasattr(dataset, "datasets") and hasattr(dataset, "cumulative_sizes"):
        return _joined([labels_of(part, column=column) for part in dataset.datasets])
    if hasattr(dataset, "column_names"):
        for name in _COLUMNS if column is None else (column,):
            if name in dataset.column_names:
                return _as_array(dataset[name])
    for name in _ATTRIBUTES if column is None else (column,):
        found = getattr(dataset, name, None)
        if found is not None and not callable(found):
            return _as_array(found)
    if column is None and isinstance(getattr(dataset, "tensors", None), tuple):
        return _as_array(dataset.tensors[-1])
    looked_for = "one of " + ", ".join(_ATTRIBUTES) if column is None else f"'{column}'"
    required = f"have {looked_for}, or be made of datasets that have"
    advice = "Give the labels themselves to the sampler."
    raise refused_type("dataset", required, f"a value of class '{type(dataset).__name__}'", advice)


def _as_array(labels: Any) -> NDArray[Any]:
    """Return labels as a numpy vector that can be indexed; lists become vectors of objects."""
    if is_frame(labels) or getattr(labels, "ndim", 1) != 1:
        required = "have one label per row"
        shape = "x".join(str(length) for length in labels.shape)
        raise refused_type("dataset", required, f"labels of shape {shape}")
    return np.asarray(as_vector(labels, STRATA))


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Join the labels of several datasets; parts of different types keep their types."""
    if len({part.dtype for part in parts}) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)
