"""Row weights that depend on how many rows have the same label, for `WeightedBatchSampler`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.core.label_matrix import as_label_matrix, listed_rows
from pystrat.core.lazy_pandas import is_frame
from pystrat.core.messages import check_number, refused_value, show
from pystrat.core.strata import Strata, encode_strata


def inverse_frequency_weights(labels: Any) -> NDArray[np.float64]:
    """Return weights with which every class is drawn equally often.

    The weight of a row is ``n / (C * n_c)``, with n rows, C classes, and n_c rows in the row's class. The mean of all
    weights is 1.

    Parameters
    ----------
    labels : list, numpy.ndarray, pandas Series, Categorical or DataFrame, torch tensor, or dict of columns
        The class of each row, in any form that `StratifiedBatchSampler` accepts. With several columns, each combination
        that occurs is a class.

    Returns
    -------
    numpy.ndarray of float64, shape (n,)

    Examples
    --------
    >>> from pystrat import inverse_frequency_weights
    >>> inverse_frequency_weights(["a", "b", "b", "b"]).tolist()
    [2.0, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666]
    """
    classes = _classes(labels)
    weights = classes.n_rows / (len(classes.counts) * classes.counts.astype(np.float64))
    return np.asarray(weights[classes.codes])


def effective_number_weights(labels: Any, *, beta: float = 0.999) -> NDArray[np.float64]:
    """Return weights by the effective number of samples of each class.

    The weight of a row is ``(1 - beta) / (1 - beta ** n_c)``, with n_c rows in the row's class. It is between 1, for
    ``beta=0``, and ``1 / n_c``, the limit for `beta` near 1.

    Parameters
    ----------
    labels
        As in `inverse_frequency_weights`.
    beta : float, default 0.999
        At least 0 and below 1. The paper uses 0.9, 0.99, 0.999 and 0.9999.

    Notes
    -----
    The formula is that of Y. Cui, M. Jia, T.-Y. Lin, Y. Song and S. Belongie, "Class-Balanced Loss Based on Effective
    Number of Samples" (2019), who use it to weight the loss of a row.

    Examples
    --------
    >>> from pystrat import effective_number_weights
    >>> effective_number_weights(["a", "b", "b", "b"], beta=0.5).tolist()
    [1.0, 0.5714285714285714, 0.5714285714285714, 0.5714285714285714]
    """
    beta = check_number(beta, "beta", minimum=0)
    if beta >= 1:
        raise refused_value("beta", "be below 1", show(beta))
    classes = _classes(labels)
    return np.asarray((1 / _geometric_sums(classes.counts, beta))[classes.codes])


def temperature_weights(labels: Any, *, temperature: float) -> NDArray[np.float64]:
    """Return weights with which a class is drawn in proportion to the T-th root of its number of rows.

    The weight of a row is ``n_c ** (1 / temperature) / n_c``, with n_c rows in the row's class.

    Parameters
    ----------
    labels
        As in `inverse_frequency_weights`.
    temperature : float
        T, at least 1. With 1, all rows are equally likely. The larger it is, the more equally likely are the classes.

    Examples
    --------
    >>> from pystrat import temperature_weights
    >>> temperature_weights(["a", "b", "b", "b", "b"], temperature=2).tolist()
    [1.0, 0.5, 0.5, 0.5, 0.5]
    """
    temperature = check_number(temperature, "temperature", minimum=1)
    classes = _classes(labels)
    # Powers of single numbers use the system's C library, as in R; powers of arrays may differ.
    distinct, places = np.unique(classes.counts, return_inverse=True)
    roots = np.array([float(count) ** (1 / temperature) for count in distinct])
    return np.asarray((roots / distinct)[places][classes.codes])


def repeat_factors(labels: Any, *, threshold: float = 0.001) -> NDArray[np.float64]:
    """Return how often to repeat each row so that rare labels occur more often.

    The factor of a label is ``max(1, sqrt(threshold / f))``, where f is the share of the rows that have it. The factor
    of a row is the largest among its labels, and 1 for a row without labels.

    Parameters
    ----------
    labels : vector as in `inverse_frequency_weights`, or labels as in `MultilabelBatchSampler`
        The label of each row, of shape (n,) or (n, 1); or, for rows with any number of labels, a table with 1 or True
        if the row has the label, else 0 or False, or a list or a set of labels for each row. Every label of a table has
        at least one row.
    threshold : float, default 0.001
        From 0 to 1. Labels are not repeated if at least this share of the rows has them.

    Notes
    -----
    The method is that of A. Gupta, P. Dollár and R. Girshick, "LVIS: A Dataset for Large Vocabulary Instance
    Segmentation" (2019), where rows are images and labels are categories.

    Examples
    --------
    >>> from pystrat import repeat_factors
    >>> repeat_factors([[1, 0], [1, 1], [1, 0], [0, 0]], threshold=1).tolist()
    [1.1547005383792515, 2.0, 1.1547005383792515, 1.0]
    """
    threshold = check_number(threshold, "threshold", minimum=0)
    if threshold > 1:
        raise refused_value("threshold", "be at most 1", show(threshold))
    if not _is_matrix(labels):
        classes = _classes(labels)
        return np.asarray(_factors(classes.counts, classes.n_rows, threshold)[classes.codes])
    matrix, names = as_label_matrix(labels)
    counts = matrix.sum(axis=0)
    if not counts.all():
        got = f"no row of label '{names[int(counts.argmin())]}'"
        raise refused_value("labels", "have a row of every label", got, "Leave the label out.")
    factors = np.ones(len(matrix))
    for has_label, factor in zip(matrix.T, _factors(counts, len(matrix), threshold)):
        np.maximum(factors, factor, out=factors, where=has_label)
    return factors


def _classes(labels: Any) -> Strata:
    return encode_strata(labels, missing=None, name="labels")


def _geometric_sums(counts: NDArray[np.int64], beta: float) -> NDArray[np.float64]:
    """Return 1 + beta + ... + beta^(n - 1) for each count n.

    The sum S(n) is built from the bits of n: S(2 m) = S(m) (1 + beta^m), where beta^m = 1 - (1 - beta) S(m), and
    S(m + 1) = 1 + beta S(m). No step enlarges a relative error of S(m); that of a power beta^m, multiplied by itself,
    would double in every step. All steps are single operations on doubles, so that R has the same result.
    """
    sums = np.zeros(len(counts))
    for bit in range(int(counts.max()).bit_length() - 1, -1, -1):
        sums *= 2 - (1 - beta) * sums
        sums = np.where((counts >> bit) & 1 == 1, sums * beta + 1, sums)
    return sums


def _factors(counts: NDArray[np.int64], n_rows: int, threshold: float) -> NDArray[np.float64]:
    """Return the repeat factor of each label, given the number of rows that have it."""
    return np.asarray(np.maximum(1, np.sqrt(threshold / (counts / n_rows))))


def _is_matrix(labels: Any) -> bool:
    """Return whether rows may have any number of labels; the first item of a list decides."""
    if is_frame(labels) or hasattr(labels, "toarray") or listed_rows(labels) is not None:
        return True
    if isinstance(labels, (list, tuple)) and len(labels):
        return np.ndim(labels[0]) > 0 and len(labels[0]) != 1
    return getattr(labels, "ndim", 1) == 2 and labels.shape[1] != 1
