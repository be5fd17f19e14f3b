"""Correction of predicted probabilities for downsampling, and the published class weights."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.arrays import plain_array
from pystrat.core.lazy_pandas import is_frame, is_loaded, pd
from pystrat.core.messages import is_number, refused_type, refused_value, show
from pystrat.core.strata import check_keys
from pystrat.core.value_names import listed_keys


def published_class_weights(weight: float) -> tuple[float, float]:
    """Return the published form of the class weights: ``round([1, weight] / (1 + weight), 4)``.

    Parameters
    ----------
    weight : float
        The weight of the majority, rows / kept rows, if the weight of the minority is 1.

    Returns
    -------
    tuple of float
        The weights of the minority and of the majority, which add up to 1.

    Examples
    --------
    >>> from pystrat import published_class_weights
    >>> published_class_weights(20)
    (0.0476, 0.9524)
    """
    required = "be a finite number above 0"
    if not is_number(weight):
        raise refused_type("weight", required, show(weight))
    if not 0 < weight < np.inf:
        raise refused_value("weight", required, show(weight))
    weight = float(weight)
    weights = round(1 / (1 + weight), 4), round(weight / (1 + weight), 4)
    if 0 in weights:
        got = f"{show(weight)}, which gives {show(weights[0])} and {show(weights[1])},"
        raise refused_value("weight", "give two weights above 0", got)
    return weights


def correct_probabilities(probabilities: Any, keep_rate: Any) -> NDArray[np.float64]:
    """Correct predicted probabilities for downsampling, or for other shares of the classes in training.

    Parameters
    ----------
    probabilities : array of float, shape (n,) or (n, number of classes)
        Predicted probabilities from 0 to 1, of a network that was trained without weights: those of the minority, or a
        table with one column per class, whose rows sum to 1 (to 0.001).
    keep_rate : float, or array of float of shape (number of classes,)
        How often an epoch of the training took a row of the majority, above 0: below 1 if rows were left out, above 1
        if they were repeated. For a table, the rate of each class. A dict, or a Series such as ``sampler.keep_rates``,
        has the classes as its keys; the table must then be a DataFrame, whose columns are matched by value.

    Returns
    -------
    numpy.ndarray of float64, of the shape of `probabilities`
        For one rate, ``keep_rate * p / (keep_rate * p + (1 - p))``. For several, ``p_c / keep_rate_c`` divided by their
        sum, which is the same for two classes.

    Notes
    -----
    By Bayes' rule, training on rows of class c at the rate r_c multiplies the odds of that class by r_c (C. Elkan, "The
    foundations of cost-sensitive learning", 2001).

    Examples
    --------
    >>> from pystrat import correct_probabilities
    >>> correct_probabilities([0.5, 0.1], keep_rate=0.05).round(4).tolist()
    [0.0476, 0.0055]
    """
    keep_rate = pd.Series(dict(keep_rate)) if isinstance(keep_rate, Mapping) else keep_rate
    values = _as_doubles(probabilities, "probabilities")
    rates = _as_doubles(keep_rate, "keep_rate").ravel()
    if values.ndim > 2:
        raise refused_value("probabilities", "be a vector or a table", f"{values.ndim} dimensions")
    n_classes = values.shape[1] if values.ndim == 2 else 1
    if is_loaded() and isinstance(keep_rate, pd.Series) and n_classes == len(rates) > 1:
        rates = rates[_order_of(probabilities, keep_rate)]
    data = {"probabilities": values.ravel("F"), "keep_rate": rates, "n_classes": n_classes}
    return np.asarray(_core.call("correct_probabilities", {}, data)["corrected"]).reshape(values.shape, order="F")


def _as_doubles(values: Any, name: str) -> NDArray[np.float64]:
    """Return an array of numbers; refuse anything else."""
    found = plain_array(values, name)
    if found.size and found.dtype.kind not in "iuf":
        raise refused_type(name, "hold numbers", "other values")
    return np.asarray(found, dtype=np.float64)


def _order_of(probabilities: Any, keep_rate: pd.Series) -> NDArray[np.intp]:
    """Return the position of the rate of each column of a table of probabilities."""
    if not is_frame(probabilities):
        advice = "To match classes by position, give 'keep_rate' without names."
        required = "have named columns if 'keep_rate' has names"
        raise refused_value("probabilities", required, "columns without names", advice)
    check_keys(keep_rate.index, "keep_rate")
    places = keep_rate.index.get_indexer(probabilities.columns)
    if sorted(places) != list(range(len(keep_rate))):
        required = f"have a column for each class of 'keep_rate', {listed_keys(keep_rate.index)}"
        raise refused_value("probabilities", required, listed_keys(probabilities.columns))
    return np.asarray(places)
