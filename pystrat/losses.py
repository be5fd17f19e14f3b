"""Losses for batches that hold rows of every stratum, on torch tensors."""

from __future__ import annotations

from typing import Any

import torch

from pystrat.core.messages import count_of, refused_type, refused_value, show

__all__ = ["AUMLoss"]
_SHAPES = "be a tensor of shape (n) or (n, 1)"


class AUMLoss(torch.nn.Module):
    """Area under the minimum of the false positive rate and the false negative rate, over all thresholds.

    A loss for binary classification. It is 0 exactly if no negative is predicted above a positive. Unlike the area
    under the ROC curve, it has a useful gradient everywhere else. It needs rows of both classes in every batch, which
    `pystrat.StratifiedBatchSampler` guarantees. The R module is ``rbridge::aum_loss()``. The loss is that of J. Hillman
    and T. D. Hocking ("Optimizing ROC curves with a sort-based surrogate loss for binary classification and changepoint
    detection", Journal of Machine Learning Research 24(70), 2023).

    Notes
    -----
    The loss is the integral of the minimum of the two rates over the threshold, in the unit of the predictions. A batch
    of one class has loss 0 and gradient 0. It takes O(n log n), on the device of the predictions.

    The loss is piecewise linear, and the gradient is the slope of its piece. If predictions are tied, it is the mean of
    the slopes with the tied negatives just above the tied positives and just below them, divided equally among the tied
    rows of a class.

    Examples
    --------
    >>> import torch
    >>> from pystrat.losses import AUMLoss
    >>> predictions = torch.tensor([2.0, -3.5, -1.0, 1.5], requires_grad=True)
    >>> loss = AUMLoss()(predictions, torch.tensor([0, 0, 1, 1]))
    >>> loss.backward()
    >>> loss.item(), predictions.grad.tolist()
    (1.5, [0.5, 0.0, -0.5, 0.0])
    """

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Compute the loss of one batch, a scalar of at least 0 up to rounding.

        The arguments have the shape (n,) or (n, 1). `input` are the predictions, floating-point numbers of any scale,
        such as logits; larger means positive. `target` are the labels, logical values or numbers: 1 for positive rows,
        0 for negative rows.
        """
        predictions, labels = _vector(input, "input"), _vector(target, "target")
        if not predictions.is_floating_point():
            raise refused_type("input", "hold floating point numbers", f"{predictions.dtype} values")
        if len(predictions) == 0:
            raise refused_value("input", "have at least one value", "0 values")
        if len(labels) != len(predictions):
            required = f"have one value for each prediction, {len(predictions)}"
            raise refused_value("target", required, count_of(len(labels), "value"))
        _check_all(predictions, predictions.isfinite(), "input", "hold finite numbers")
        positive = labels == 1
        _check_all(labels, positive | (labels == 0), "target", "hold 1 for positive and 0 for negative rows")
        predictions = predictions.to(torch.promote_types(predictions.dtype, torch.float32))
        with torch.no_grad():
            slopes = aum_slopes(predictions, positive)
            # The slopes add up to 0, so any origin gives the same sum. An actual prediction gives the least rounding.
            origin = predictions[slopes.abs().argmax()]
        # The difference of rows that do not count may overflow.
        return (slopes * (predictions.masked_fill(slopes == 0, origin) - origin)).sum()


def aum_slopes(predictions: torch.Tensor, positive: torch.Tensor) -> torch.Tensor:
    """Return the derivative of the loss with respect to each prediction, given finite predictions of shape (n,)."""
    ordered, order = predictions.detach().sort()
    distinct, place = torch.unique_consecutive(ordered, return_inverse=True)
    # The threshold of each row, numbered in ascending order, and the rows of each class that are tied there.
    threshold = torch.empty_like(place).scatter(0, order, place)
    negatives = torch.bincount(threshold[~positive], minlength=len(distinct))
    positives = torch.bincount(threshold[positive], minlength=len(distinct))
    n_negatives, n_positives = negatives.sum(), positives.sum()

    def minimum(false_positives: torch.Tensor, false_negatives: torch.Tensor) -> torch.Tensor:
        """Return the minimum of the two rates, times `n_negatives * n_positives`, so that it is an integer."""
        return torch.minimum(false_positives * n_positives, false_negatives * n_negatives)

    # Errors if the threshold is just above the tied rows, and just below them.
    false_negatives_above = positives.cumsum(0)
    false_negatives_below = false_negatives_above - positives
    false_positives_above = n_negatives - negatives.cumsum(0)
    false_positives_below = false_positives_above + negatives
    # The amount that the rows of both classes together add to the minimum, and the excess of the worst ranking over the
    # best.
    step = minimum(false_positives_below, false_negatives_below) - minimum(false_positives_above, false_negatives_above)
    spread = minimum(false_positives_below, false_negatives_above) - minimum(
        false_positives_above, false_negatives_below
    )
    twice_the_total = torch.where(positive, (step - spread)[threshold], (step + spread)[threshold])
    sharers = torch.where(positive, positives[threshold], negatives[threshold])
    scale = (n_negatives * n_positives).clamp(min=1).to(predictions.dtype)
    return twice_the_total.to(predictions.dtype) / scale / (2 * sharers)


def _vector(values: Any, name: str) -> torch.Tensor:
    """Return a tensor of shape (n) or (n, 1) as a vector."""
    if not isinstance(values, torch.Tensor):
        raise refused_type(name, _SHAPES, show(values))
    if values.ndim not in (1, 2) or values.ndim == 2 and values.shape[1] != 1:
        raise refused_value(name, _SHAPES, f"a tensor of shape ({', '.join(map(str, values.shape))})")
    return values.flatten()


def _check_all(vector: torch.Tensor, passed: torch.Tensor, name: str, required: str) -> None:
    """Refuse a vector if some values have not passed, and show the first of them."""
    if not passed.all():
        raise refused_value(name, required, show(vector[~passed][0].item()))
