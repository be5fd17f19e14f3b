"""Weights of rows, for `WeightedBatchSampler`, and of classes, for losses, by how many rows have the same label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.label_matrix import as_label_matrix, listed_rows
from pystrat.core.lazy_pandas import is_frame
from pystrat.core.messages import refused_value
from pystrat.core.strata import encode_strata, sorted_series


def inverse_frequency_weights(labels: Any) -> NDArray[np.float64]:
    """Return weights with which every class is drawn equally often.

    The weight of a row is ``n / (C * n_c)``, with n rows, C classes, and n_c rows in the row's class: 1 on average.

    Parameters
    ----------
    labels : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row. With several columns, each combination that occurs is a class.

    Examples
    --------
    >>> from pystrat import inverse_frequency_weights
    >>> inverse_frequency_weights(["a", "b", "b", "b"]).tolist()
    [2.0, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666]
    """
    return _weights_by_class(labels)


def effective_number_weights(labels: Any, *, beta: float = 0.999) -> NDArray[np.float64]:
    """Return weights by the effective number of samples of each class.

    The weight of a row is ``(1 - beta) / (1 - beta ** n_c)``, with n_c rows in the row's class: between 1, for
    ``beta=0``, and ``1 / n_c``, the limit for `beta` near 1. The formula is that of Y. Cui, M. Jia, T.-Y. Lin, Y. Song
    and S. Belongie, "Class-Balanced Loss Based on Effective Number of Samples" (2019), who weight losses with it.

    Parameters
    ----------
    labels : as in `inverse_frequency_weights`
    beta : float, default 0.999
        At least 0 and below 1. The paper uses 0.9, 0.99, 0.999 and 0.9999.

    Examples
    --------
    >>> from pystrat import effective_number_weights
    >>> effective_number_weights(["a", "b", "b", "b"], beta=0.5).tolist()
    [1.0, 0.5714285714285714, 0.5714285714285714, 0.5714285714285714]
    """
    return _weights_by_class(labels, beta=beta)


def temperature_weights(labels: Any, *, temperature: float) -> NDArray[np.float64]:
    """Return weights with which a class is drawn in proportion to the T-th root of its number of rows.

    The weight of a row is ``n_c ** (1 / temperature) / n_c``, with n_c rows in the row's class.

    Parameters
    ----------
    labels : as in `inverse_frequency_weights`
    temperature : float
        T, at least 1. With 1, all rows are equally likely. The larger it is, the more equally likely are the classes.

    Examples
    --------
    >>> from pystrat import temperature_weights
    >>> temperature_weights(["a", "b", "b", "b", "b"], temperature=2).tolist()
    [1.0, 0.5, 0.5, 0.5, 0.5]
    """
    return _weights_by_class(labels, temperature=temperature)


def repeat_factors(labels: Any, *, threshold: float = 0.001) -> NDArray[np.float64]:
    """Return how often to repeat each row so that rare labels occur more often.

    The factor of a label is ``max(1, sqrt(threshold / f))``, where f is the share of the rows that have it. The factor
    of a row is the largest among its labels, and 1 for a row without labels. The method is that of A. Gupta, P. Dollár
    and R. Girshick, "LVIS: A Dataset for Large Vocabulary Instance Segmentation" (2019), where rows are images.

    Parameters
    ----------
    labels : vector as in `inverse_frequency_weights`, or labels as in `MultilabelBatchSampler`
        The label of each row, of shape (n,) or (n, 1); or the labels of each row, if it has any number of them.
    threshold : float, default 0.001
        From 0 to 1. Labels are not repeated if at least this share of the rows has them.

    Examples
    --------
    >>> from pystrat import repeat_factors
    >>> repeat_factors([[1, 0], [1, 1], [1, 0], [0, 0]], threshold=1).tolist()
    [1.1547005383792515, 2.0, 1.1547005383792515, 1.0]
    """
    if not _is_matrix(labels):
        return _weights_by_class(labels, threshold=threshold)
    matrix, names = as_label_matrix(labels)
    counts = matrix.sum(axis=0)
    if not counts.all():
        got = f"no row of label '{names[int(counts.argmin())]}'"
        raise refused_value("labels", "have a row of every label", got, "Leave the label out.")
    factors = np.ones(len(matrix))
    for has_label, factor in zip(matrix.T, _weights(counts, len(matrix), threshold=threshold)):
        np.maximum(factors, factor, out=factors, where=has_label)
    return factors


def class_weights(labels: Any) -> NDArray[np.float32]:
    """Return one weight per class for a loss, an array of float32. The R function is ``class_weights()``.

    The weight of a class is ``n / (C * n_c)``, with n rows, C classes, and n_c rows of the class: all classes count
    equally. Weights are sorted as ``numpy.unique`` sorts classes: weight k is that of output k of a network. The
    classes of a categorical are its categories, in their order; those without a row have the weight 0.

    Parameters
    ----------
    labels
        The class of each row, as in `inverse_frequency_weights`; or a sampler with a method `class_weights`, whose
        weights undo how often its epochs take the rows of each class.

    Examples
    --------
    >>> import torch
    >>> from pystrat import class_weights
    >>> weight = torch.from_numpy(class_weights([1] * 60 + [0] * 1940))
    >>> torch.nn.CrossEntropyLoss(weight=weight).weight
    tensor([ 0.5155, 16.6667])
    >>> torch.nn.BCEWithLogitsLoss(pos_weight=weight[1] / weight[0]).pos_weight
    tensor(32.3333)
    """
    if hasattr(labels, "class_weights"):
        return np.asarray(labels.class_weights(), dtype=np.float32)
    classes = encode_strata(labels, missing=None, name="labels")
    found = sorted_series(_weights(classes.counts, len(classes.codes)), classes.values, "weight")
    categories = getattr(getattr(labels, "dtype", None), "categories", None)
    return np.asarray(found if categories is None else found.reindex(categories, fill_value=0), dtype=np.float32)


def _weights_by_class(labels: Any, **rule: float) -> NDArray[np.float64]:
    """Return the weights of rows; the rule is the one whose parameter is given."""
    classes = encode_strata(labels, missing=None, name="labels")
    return np.asarray(_weights(classes.counts, len(classes.codes), **rule)[classes.codes])


def _weights(counts: NDArray[np.int64], n_rows: int, **rule: float) -> NDArray[np.float64]:
    """Return the weights of classes, or of labels, from the numbers of rows that have them."""
    data = {"counts": counts.astype(np.float64), "n_rows": n_rows}
    return np.asarray(_core.call("class_weights", rule, data)["weights"])


def _is_matrix(labels: Any) -> bool:
    """Return whether rows may have any number of labels; the first item of a list decides."""
    if is_frame(labels) or hasattr(labels, "toarray") or listed_rows(labels) is not None:
        return True
    if isinstance(labels, (list, tuple)) and len(labels):
        return np.ndim(labels[0]) > 0 and len(labels[0]) != 1
    return getattr(labels, "ndim", 1) == 2 and labels.shape[1] != 1
