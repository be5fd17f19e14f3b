"""How good predictions are, on rows that were not trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
N_BINS = 10


def auc_and_precision(scores: Values, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the area under the ROC curve and the average precision; tied scores are one threshold."""
    n_positives = int(positive.sum())
    n_negatives = len(positive) - n_positives
    if n_positives == 0 or n_negatives == 0:
        return np.nan, np.nan
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    hits = np.cumsum(positive[order])[last]
    false = last + 1 - hits
    new_hits, new_false = np.diff(hits, prepend=0), np.diff(false, prepend=0)
    auc = np.sum(new_false * (hits - new_hits / 2)) / (n_positives * n_negatives)
    precision = np.sum(new_hits * hits / (last + 1)) / n_positives
    return float(auc), float(precision)


def ranking(outputs: Values, strata: NDArray[np.int64]) -> tuple[float, float]:
    """Return the two of the positive class, or their means over all classes, each against the others."""
    if outputs.shape[1] == 1:
        return auc_and_precision(outputs[:, 0], strata == 1)
    shares = probabilities(outputs)
    found = [auc_and_precision(shares[:, stratum], strata == stratum) for stratum in range(outputs.shape[1])]
    auc, precision = np.nanmean(np.array(found), axis=0)
    return float(auc), float(precision)


def probabilities(outputs: Values) -> Values:
    """Return the probability of each class, (n, C)."""
    if outputs.shape[1] == 1:
        outputs = np.column_stack([np.zeros(len(outputs)), outputs[:, 0]])
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def log_loss(shares: Values, strata: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(shares[np.arange(len(strata)), strata], 1e-12)).mean())


def calibration_error(shares: Values, strata: NDArray[np.int64]) -> float:
    """Return the mean distance of predicted and actual shares in 10 bins of equally many rows.

    The prediction is the probability of the positive class or, with several classes, of the most probable one.
    """
    if shares.shape[1] == 2:
        predicted, actual = shares[:, 1], strata == 1
    else:
        predicted, actual = shares.max(axis=1), shares.argmax(axis=1) == strata
    order = np.argsort(predicted, kind="stable")
    bins = np.array_split(order, N_BINS)
    distances = [len(rows) * abs(predicted[rows].mean() - actual[rows].mean()) for rows in bins if len(rows)]
    return float(np.sum(distances) / len(strata))


def worst_recall(shares: Values, strata: NDArray[np.int64]) -> float:
    """Return the smallest share of a class that is predicted as such."""
    hit = shares.argmax(axis=1) == strata
    return float(min(hit[strata == stratum].mean() for stratum in np.unique(strata)))
