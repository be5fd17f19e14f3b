"""Labels of a dataset, without loading its items, and labels of the masks of a segmentation dataset."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.progress import progress
from pystrat.core.arrays import Wanted, as_vector, plain_array, row_array
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import check_integer, count_of, is_number, refused_type, refused_value, show

_ATTRIBUTES = ("targets", "labels", "y")
_COLUMNS = ("label", "labels")
_WANTED = Wanted("dataset", "have one label per row")


def labels_of(dataset: Any, *, column: Union[str, int, None] = None) -> NDArray[Any]:
    """Return the label of each row of a dataset, for `StratifiedBatchSampler`, without loading its items.

    Parameters
    ----------
    dataset : torch.utils.data.Dataset, Hugging Face dataset, or list of items
        Labels are looked for in this order: in the parts of a ``Subset`` (such as those of ``random_split``) or a
        ``ConcatDataset``, which may be nested; in a column of a Hugging Face dataset; in an attribute ``targets``,
        ``labels`` or ``y``; in the second tensor of a ``TensorDataset``; in the dataset that a wrapper has as its
        attribute ``dataset`` or ``subset``. An item of a list has its label as its second value if it is a pair, under
        ``label`` or ``labels`` if it is a dict, and otherwise as an attribute.
    column : str or int, optional
        The column of a Hugging Face dataset, the key or the attribute of others; or, for a ``TensorDataset`` or a list
        of tuples, the position of the labels, from 0. By default, the ones above.

    Returns
    -------
    numpy.ndarray, shape (len(dataset),)

    Examples
    --------
    >>> from torch.utils.data import Subset, TensorDataset
    >>> import torch
    >>> from pystrat import labels_of
    >>> whole = TensorDataset(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))
    >>> labels_of(Subset(whole, [3, 1])).tolist()
    [0, 1]
    """
    if column is not None and not is_number(column):
        if not isinstance(column, str):
            raise refused_type("column", "be a text", show(column))
    labels = _find(dataset, column)
    if len(labels) != len(dataset):
        required = f"have one label for each of its {count_of(len(dataset), 'row')}"
        raise refused_value("dataset", required, count_of(len(labels), "label"))
    return labels


def _find(dataset: Any, column: Union[str, int, None]) -> NDArray[Any]:
    if _is_subset(dataset):
        rows = plain_array(dataset.indices, "dataset").astype(np.int64)
        return labels_of(dataset.dataset, column=column)[rows]
    if hasattr(dataset, "datasets") and hasattr(dataset, "cumulative_sizes"):
        return _joined([labels_of(part, column=column) for part in dataset.datasets])
    if isinstance(dataset, (list, tuple)) and len(dataset):
        return _as_array([_label_of(item, column) for item in dataset])
    if hasattr(dataset, "column_names"):
        for name in _COLUMNS if column is None else (column,):
            if name in dataset.column_names:
                return _as_array(dataset[name])
    found = _attribute(dataset, column)
    if found is not None:
        return _as_array(found)
    tensors = getattr(dataset, "tensors", None)
    if isinstance(tensors, tuple) and not isinstance(column, str):
        return _as_array(_one_of(tensors, column, f"the dataset has {count_of(len(tensors), 'tensor')}"))
    for name in ("dataset", "subset"):
        if hasattr(dataset, name):
            return labels_of(getattr(dataset, name), column=column)
    raise _nothing_found(dataset, column)


def _is_subset(dataset: Any) -> bool:
    """Return whether it has rows of another dataset; a wrapper of a Subset may repeat the attributes of the Subset."""
    if not hasattr(dataset, "dataset") or not hasattr(dataset, "indices"):
        return False
    data = sys.modules.get("torch.utils.data")
    if data is not None and isinstance(dataset, data.Subset):
        return True
    inner = getattr(dataset.dataset, "indices", None)
    return inner is None or not np.array_equal(inner, dataset.indices)


def _attribute(owner: Any, column: Union[str, int, None]) -> Any:
    for name in _ATTRIBUTES if column is None else (column,):
        found = getattr(owner, name, None) if isinstance(name, str) else None
        if found is not None and not callable(found):
            return found
    return None


def _label_of(item: Any, column: Union[str, int, None]) -> Any:
    """Return the label of an item of a list."""
    if isinstance(item, Mapping):
        for name in (*_COLUMNS, *_ATTRIBUTES) if column is None else (column,):
            if name in item:
                return item[name]
    elif isinstance(item, (list, tuple)) and not isinstance(column, str):
        return _one_of(item, column, f"the items have {count_of(len(item), 'value')}")
    found = _attribute(item, column)
    if found is None:
        raise _nothing_found(item, column)
    return found


def _one_of(values: Any, column: Optional[int], held: str) -> Any:
    """Return one of the tensors of a dataset, or of the values of an item."""
    if column is None and len(values) > 2:
        raise refused_value("column", f"be given if {held}", "nothing", "For the second, set column=1.")
    place = len(values) - 1 if column is None else check_integer(column, "column", minimum=0, maximum=len(values) - 1)
    return values[place]


def _nothing_found(searched: Any, column: Union[str, int, None]) -> TypeError:
    looked_for = "one of " + ", ".join(_ATTRIBUTES) if column is None else show(column)
    required = f"have {looked_for}, or be made of datasets that have"
    advice = "Give the labels themselves to the sampler."
    return refused_type("dataset", required, f"a value of class '{type(searched).__name__}'", advice)


def _as_array(labels: Any) -> NDArray[Any]:
    """Return labels as a numpy vector that can be indexed; lists become vectors of objects."""
    return np.asarray(as_vector(labels, _WANTED))


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Join the labels of several datasets; parts of different types keep their types."""
    if len({part.dtype for part in parts}) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def labels_of_masks(masks: Any, n_classes: int, *, ignore: Any = None) -> pd.DataFrame:
    """Return which classes the mask of each row has, for `MultilabelBatchSampler`, from the masks of segmentation.

    The R function is ``labels_of_masks()``, in which classes count from 1, as in R's torch.

    Parameters
    ----------
    masks : numpy.ndarray or torch tensor, shape (n_rows, ...), list of masks, or torch.utils.data.Dataset
        The class of each pixel, from 0 to ``n_classes - 1``. The masks of a list may differ in shape. Of a dataset, all
        items are loaded once; an item is a mask, a tuple with the mask as its last value, or a dict with the key
        ``mask``, ``masks``, ``label`` or ``labels``.
    n_classes : int
        The number of classes.
    ignore : int or list of int, optional
        Values that are no labels, such as 255 or -100; also classes without a minimum, such as 0 for the background.

    Returns
    -------
    pandas.DataFrame of bool, shape (n_rows, n_classes)
        Whether the mask has a pixel of the class. The columns are the classes, without those to ignore.

    Examples
    --------
    >>> import numpy as np
    >>> from pystrat import MultilabelBatchSampler, labels_of_masks
    >>> masks = np.zeros((6, 4, 4), dtype=np.uint8)
    >>> masks[[0, 3], 1, :2], masks[:, 3] = 2, 255
    >>> labels = labels_of_masks(masks, n_classes=3, ignore=[255, 1])
    >>> labels.sum().to_dict()
    {0: 6, 2: 2}
    >>> len(MultilabelBatchSampler(labels, min_samples_per_label=1, seed=1))
    2
    """
    n_classes = check_integer(n_classes, "n_classes", minimum=1, maximum=MAX_COUNT)
    left_out = _whole(row_array([] if ignore is None else ignore, "ignore").reshape(-1), "ignore", "hold integers")
    if (
        isinstance(masks, (str, bytes, Mapping))
        or getattr(masks, "ndim", 1) == 0
        or not hasattr(masks, "__getitem__")
        or not len(masks)
    ):
        raise refused_type("masks", "be the masks of one row or more, or a dataset of them", show(masks))
    required = f"hold integers from 0 to {n_classes - 1}, or those to ignore"
    has = np.zeros((len(masks), n_classes), dtype=bool)
    for place in progress(range(len(masks)), "reading masks"):
        pixels = plain_array(_mask_of(masks[place]), "masks").reshape(-1)
        values = _whole(np.asarray(pd.unique(pixels)), "masks", required)
        classes = values[~np.isin(values, left_out)]
        wrong = classes[(classes < 0) | (classes >= n_classes)]
        if len(wrong):
            advice = f"If it is no class, set ignore={wrong[0]}."
            raise refused_value("masks", required, f"{wrong[0]} in mask {place}", advice)
        has[place, classes] = True
    kept = np.setdiff1d(np.arange(n_classes), left_out)
    return pd.DataFrame(has[:, kept], columns=kept)


def _mask_of(item: Any) -> Any:
    """Return the mask of an item of a dataset."""
    if not isinstance(item, Mapping):
        return item[-1] if isinstance(item, tuple) else item
    for name in ("mask", "masks", *_COLUMNS):
        if name in item:
            return item[name]
    raise refused_type("masks", "have items with a mask", show(item))


def _whole(values: NDArray[Any], name: str, required: str) -> NDArray[np.int64]:
    """Return whole numbers or logical values as integers; refuse anything else."""
    if values.size and values.dtype.kind not in "biuf":
        raise refused_type(name, required, f"{values.dtype} values")
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    if (whole != values).any():
        raise refused_value(name, required, show(values[whole != values][0]))
    return whole
