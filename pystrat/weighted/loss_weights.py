"""Class weights of a loss, one per class; those of samplers are methods of theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pystrat.core.strata import encode_strata, sorted_series


def class_weights(labels: Any) -> NDArray[np.float32]:
    """Return one weight per class for a loss.

    The weight of a class is ``n / (C * n_c)``, with n rows, C classes, and n_c rows of the class: all classes count
    equally. The R function is ``class_weights()``.

    Parameters
    ----------
    labels
        The class of each row, as in `inverse_frequency_weights`; or a sampler with a method `class_weights`, whose
        weights undo how often its epochs take the rows of each class.

    Returns
    -------
    numpy.ndarray of float32, shape (number of classes,)
        Sorted as ``numpy.unique`` sorts classes: weight k is that of output k of a network. The classes of a
        categorical are its categories, in their order; those without a row have the weight 0.

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
    weights = classes.n_rows / (len(classes.counts) * classes.counts.astype(np.float64))
    found = sorted_series(weights, classes.values, "weight")
    categories = getattr(getattr(labels, "dtype", None), "categories", None)
    return np.asarray(found if categories is None else found.reindex(categories, fill_value=0), dtype=np.float32)
