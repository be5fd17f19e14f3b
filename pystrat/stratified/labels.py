"""Strata of data: labels of a dataset, without loading its items, labels of masks, and bins of numbers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.progress import progress
from pystrat.core.arrays import Wanted, as_vector, plain_array
from pystrat.core.columns import numbers_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT
from pystrat.core.messages import check_integer, count_of, refused_type, refused_value, show, show_number

_NAMES = ("targets", "label", "labels", "y")
_MASKS = ("mask", "masks", "label", "labels")
_WANTED = Wanted("dataset", "have one label per row")


def labels_of(dataset: Any, *, column: Union[str, int, None] = None) -> NDArray[Any]:
    """Return the label of each row of a dataset, an array for `StratifiedBatchSampler`, without loading its items.

    Parameters
    ----------
    dataset : torch.utils.data.Dataset, Hugging Face dataset, or list of items
        Labels are looked for in this order: in the parts of a ``Subset`` (such as those of ``random_split``) or a
        ``ConcatDataset``, which may be nested; in a column or an attribute ``targets``, ``label``, ``labels`` or ``y``;
        in the second tensor of a ``TensorDataset``; in the dataset that a wrapper has as its attribute ``dataset`` or
        ``subset``. An item of a list has its label under such a key, as such an attribute, or as the second of a pair.
    column : str or int, optional
        The column, key or attribute; or, for a ``TensorDataset`` or a list of tuples, the position of the labels, from
        0. By default, the ones above.

    Examples
    --------
    >>> from torch.utils.data import Subset, TensorDataset
    >>> import torch
    >>> from pystrat import labels_of
    >>> whole = TensorDataset(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]))
    >>> labels_of(Subset(whole, [3, 1])).tolist()
    [0, 1]
    """
    if _is_subset(dataset):
        return labels_of(dataset.dataset, column=column)[plain_array(dataset.indices, "dataset").astype(np.int64)]
    if hasattr(dataset, "datasets") and hasattr(dataset, "cumulative_sizes"):
        parts = [labels_of(part, column=column) for part in dataset.datasets]
        if len({part.dtype for part in parts}) > 1:  # they keep their types
            parts = [part.astype(object) for part in parts]
        return np.concatenate(parts)
    is_list = isinstance(dataset, (list, tuple)) and len(dataset) > 0
    found = [_held(item, column) for item in dataset] if is_list else _held(dataset, column)
    labels = np.asarray(as_vector(found, _WANTED))
    if len(labels) != len(dataset):
        required = f"have one label for each of its {count_of(len(dataset), 'row')}"
        raise refused_value("dataset", required, count_of(len(labels), "label"))
    return labels


def _is_subset(dataset: Any) -> bool:
    """Return whether it has rows of another dataset; a wrapper of a Subset may repeat the attributes of the Subset."""
    if not hasattr(dataset, "dataset") or not hasattr(dataset, "indices"):
        return False
    data = sys.modules.get("torch.utils.data")
    if data is not None and isinstance(dataset, data.Subset):
        return True
    inner = getattr(dataset.dataset, "indices", None)
    return inner is None or not np.array_equal(inner, dataset.indices)


def _held(owner: Any, column: Union[str, int, None]) -> Any:
    """Return the labels that a dataset has, or the label of an item of a list."""
    keys = owner if isinstance(owner, Mapping) else getattr(owner, "column_names", None) or ()
    for name in _NAMES if column is None else (column,):
        if name in keys:
            return owner[name]
        found = getattr(owner, name, None) if isinstance(name, str) else None
        if found is not None and not callable(found):
            return found
    values = getattr(owner, "tensors", owner)
    if isinstance(values, (list, tuple)) and not isinstance(column, str):
        if column is None and len(values) > 2:
            required = f"be given if there are {len(values)} tensors or values"
            raise refused_value("column", required, "nothing", "For the second, set column=1.")
        return values[-1 if column is None else check_integer(column, "column", minimum=0, maximum=len(values) - 1)]
    for name in ("dataset", "subset"):
        if hasattr(owner, name):
            return labels_of(getattr(owner, name), column=column)
    looked_for = "one of " + ", ".join(_NAMES) if column is None else show(column)
    required = f"have {looked_for}, or be made of datasets that have"
    advice = "Give the labels themselves to the sampler."
    raise refused_type("dataset", required, f"a value of class '{type(owner).__name__}'", advice)


def labels_of_masks(masks: Any, n_classes: int, *, ignore: Any = None) -> pd.DataFrame:
    """Return which classes the mask of each row has, for `MultilabelBatchSampler`, from the masks of segmentation.

    The result has a column for each class, without those to ignore: whether the mask of the row has a pixel of it. The
    R function is ``labels_of_masks()``, in which classes count from 1, as in R's torch.

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
    left_out = np.atleast_1d([] if ignore is None else ignore)
    has = np.zeros((len(masks), n_classes), dtype=bool)
    for place in progress(range(len(masks)), "reading masks"):
        mask = masks[place]
        if isinstance(mask, Mapping):
            mask = mask[next((name for name in _MASKS if name in mask), _MASKS[0])]
        elif isinstance(mask, tuple):
            mask = mask[-1]
        values = np.asarray(pd.unique(plain_array(mask, "masks").reshape(-1)))
        classes = values[~np.isin(values, left_out)]
        wrong = classes[(classes < 0) | (classes >= n_classes) | (classes % 1 != 0)]
        if len(wrong):
            required = f"hold integers from 0 to {n_classes - 1}, or those to ignore"
            advice = f"If it is no class, set ignore={wrong[0]}."
            raise refused_value("masks", required, f"{wrong[0]} in mask {place}", advice)
        has[place, classes.astype(np.int64)] = True
    kept = np.setdiff1d(np.arange(n_classes), left_out)
    return pd.DataFrame(has[:, kept], columns=kept)


def bin_target(values: Any, n_bins: int = 10) -> pd.Categorical:
    """Bin a numeric target into quantiles, to be used as strata. R has ``rbridge::bin_target()``.

    The bins are ordered categories, each with a name of its smallest and its largest value, such as ``[1, 2.5]``, with
    15 digits, or 17 if two bins would share a name. Rows with missing values are in no bin.

    Parameters
    ----------
    values : list, numpy.ndarray, pandas Series or torch tensor
        One number per row. None, NaN and pandas.NA are missing. Infinite values are allowed.
    n_bins : int, default 10
        The number of bins. Ties may result in fewer bins.

    Notes
    -----
    Let L of the n values that are not missing be less than v, and U be less than or equal to v. Then v is in bin
    ``floor(n_bins * (L + U) / (2 * n))``, that of the middle of the rows with this value. Empty bins are removed. So
    the rows of a bin differ from ``n / n_bins`` by less than the largest number of rows that share one value.

    Examples
    --------
    >>> from pystrat import bin_target
    >>> list(bin_target([2.5, 1, 40, 7, 3, 100], n_bins=3))
    ['[1, 2.5]', '[1, 2.5]', '[40, 100]', '[3, 7]', '[3, 7]', '[40, 100]']
    """
    n_bins = check_integer(n_bins, "n_bins", minimum=1)
    numbers = numbers_of(values, "values")
    missing = np.isnan(numbers)
    distinct, places, counts = np.unique(numbers[~missing], return_inverse=True, return_counts=True)
    n_rows = int(counts.sum())
    middles = 2 * np.cumsum(counts) - counts  # L + U
    bins = min(n_bins, n_rows) * middles // (2 * n_rows)  # from n_rows bins on, every distinct value has its own
    bins = np.unique(bins, return_inverse=True)[1]
    codes = np.full(len(numbers), -1, dtype=np.int64)
    codes[~missing] = bins[places]
    return pd.Categorical.from_codes(codes, categories=_bin_names(distinct, bins), ordered=True)


def _bin_names(distinct: NDArray[np.float64], bins: NDArray[np.int64]) -> list[str]:
    """Name each bin by its smallest and largest value, with as many digits as it takes to distinguish the bins."""
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    last = np.append(first[1:], len(bins)) - 1
    for digits in (15, 17):
        low, high = ([show_number(bound, digits) for bound in distinct[ends]] for ends in (first, last))
        names = [f"[{of_first}, {of_last}]" for of_first, of_last in zip(low, high)]
        if len(set(names)) == len(names):
            break
    return names
