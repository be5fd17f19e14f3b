"""The losses of the study, for many networks at once.

Each takes the outputs (T, R, b, K) and hidden layers (T, R, b, h) of T tracks and R learning rates, and the targets and
weights (T, b) of the rows of each track. Rows of weight 0 fill up shorter batches. It returns a loss for each network,
(T, R). K is 1 for two classes and for numbers.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch.nn.functional import normalize, softplus

TEMPERATURE = 0.2


class Rows(NamedTuple):
    """What a loss gets of a batch of each track."""

    outputs: torch.Tensor
    hidden: torch.Tensor
    target: torch.Tensor
    weights: torch.Tensor


Loss = Callable[[Rows], torch.Tensor]


def _of_rows(rows: Rows) -> torch.Tensor:
    """Return the negative log likelihood of each row, (T, R, b)."""
    n_tracks, n_rates, n_rows, n_outputs = rows.outputs.shape
    if n_outputs == 1:
        scores = rows.outputs[..., 0]
        return softplus(scores) - scores * rows.target[:, None]
    target = rows.target.long()[:, None, :, None].expand(n_tracks, n_rates, n_rows, 1)
    return rows.outputs.logsumexp(-1) - rows.outputs.gather(-1, target)[..., 0]


def _mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return (values * weights[:, None]).sum(-1) / weights.sum(-1)[:, None]


def cross_entropy(rows: Rows) -> torch.Tensor:
    return _mean(_of_rows(rows), rows.weights)


def focal(rows: Rows) -> torch.Tensor:
    """T.-Y. Lin et al., "Focal loss for dense object detection", 2017, with gamma = 2."""
    losses = _of_rows(rows)
    return _mean((1 - (-losses).exp()) ** 2 * losses, rows.weights)


def squared(rows: Rows) -> torch.Tensor:
    return _mean((rows.outputs[..., 0] - rows.target[:, None]) ** 2, rows.weights)


def pairwise(rows: Rows) -> torch.Tensor:
    """The mean over pairs of (1 - (positive - negative))^2: W. Gao et al., "One-pass AUC optimization", 2013."""
    scores = rows.outputs[..., 0]
    present = (rows.weights > 0).float()
    moments = []
    for chosen in (rows.target * present, (1 - rows.target) * present):
        number = chosen.sum(-1, keepdim=True).clamp(min=1)[:, None]
        mean = (scores * chosen[:, None]).sum(-1, keepdim=True) / number
        variance = ((scores - mean) ** 2 * chosen[:, None]).sum(-1, keepdim=True) / number
        moments.append((mean[..., 0], variance[..., 0]))
    (positive, first), (negative, second) = moments
    return (1 - (positive - negative)) ** 2 + first + second


def aum(rows: Rows) -> torch.Tensor:
    """`pystrat.losses.AUMLoss` of each network."""
    scores = rows.outputs[..., 0]
    present = (rows.weights > 0).float()
    slopes = _aum_slopes(scores.detach(), rows.target * present, (1 - rows.target) * present)
    return (slopes * scores).sum(-1)


def _aum_slopes(scores: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor) -> torch.Tensor:
    """Return the slopes of `pystrat.losses.aum_slopes`, (T, R, b); counts are exact for batches below 4,096 rows."""
    ordered, order = scores.sort(-1)
    below = torch.searchsorted(ordered, scores.contiguous())
    above = torch.searchsorted(ordered, scores.contiguous(), right=True)

    def counts(chosen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the rows up to each threshold and before it, and all."""
        running = torch.nn.functional.pad(chosen[:, None].expand_as(scores).gather(-1, order).cumsum(-1), (1, 0))
        return running.gather(-1, above), running.gather(-1, below), running[..., -1:]

    misses_above, misses_below, n_positives = counts(positive)
    upto, before, n_negatives = counts(negative)
    alarms_above, alarms_below = n_negatives - upto, n_negatives - before

    def minimum(alarms: torch.Tensor, misses: torch.Tensor) -> torch.Tensor:
        return torch.minimum(alarms * n_positives, misses * n_negatives)

    step = minimum(alarms_below, misses_below) - minimum(alarms_above, misses_above)
    spread = minimum(alarms_below, misses_above) - minimum(alarms_above, misses_below)
    is_positive = positive[:, None] > 0
    twice = torch.where(is_positive, step - spread, step + spread)
    sharers = torch.where(is_positive, misses_above - misses_below, upto - before).clamp(min=1)
    present = (positive + negative)[:, None]
    return twice * present / (n_positives * n_negatives).clamp(min=1) / (2 * sharers)


def contrastive(rows: Rows) -> torch.Tensor:
    """Cross-entropy plus P. Khosla et al., "Supervised contrastive learning", 2020, of the hidden layer.

    A row without another of its class in the batch adds nothing to the second part.
    """
    points = normalize(rows.hidden, dim=-1)
    present = rows.weights > 0
    n_rows = present.shape[1]
    others = present[:, None, :] & ~torch.eye(n_rows, dtype=torch.bool)
    same = others & (rows.target[:, :, None] == rows.target[:, None, :])
    similar = points @ points.transpose(-1, -2) / TEMPERATURE
    log_shares = similar - similar.masked_fill(~others[:, None], -torch.inf).logsumexp(-1, keepdim=True)
    partners = same.sum(-1)
    counted = (partners > 0) & present
    of_rows = -(log_shares * same[:, None]).sum(-1) / partners.clamp(min=1)[:, None]
    second = (of_rows * counted[:, None]).sum(-1) / counted.sum(-1).clamp(min=1)[:, None]
    return cross_entropy(rows) + second


def has_both(target: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return whether a batch has rows of both classes, (T,)."""
    present = weights > 0
    return (present & (target == 1)).any(-1) & (present & (target == 0)).any(-1)


LOSSES: dict[str, Loss] = {
    "cross-entropy": cross_entropy,
    "class-weighted": cross_entropy,
    "focal": focal,
    "AUM": aum,
    "pairwise": pairwise,
    "contrastive": contrastive,
    "squared": squared,
}
# Losses that compare rows of two classes, and do not exist without both.
RANKING = ("AUM", "pairwise")
BY_TASK = {
    "binary": ("cross-entropy", "AUM", "class-weighted", "pairwise", "focal"),
    "classes": ("cross-entropy", "contrastive", "class-weighted", "focal"),
    "regression": ("squared",),
}
