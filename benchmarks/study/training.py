"""One cell of the grid: networks for all splits and learning rates, trained at once, and what they predict."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Iterator, NamedTuple

import batches
import measures
import numpy as np
import objectives
import torch
from data import FARTHEST, DataSet, Split
from networks import Networks
from numpy.typing import NDArray

RATES = (0.001, 0.003, 0.01, 0.03)
N_HIDDEN = 32


class Cell(NamedTuple):
    """What is compared: a data set, a loss, a kind of batches, a batch size, and a seed."""

    data: str
    loss: str
    batches: str
    batch_size: int
    seed: int


@dataclass
class Track:
    """The batches of one split."""

    split: Split
    endless: Iterator[list[int]]
    row_weights: NDArray[np.float32]
    drawn: NDArray[np.float64]  # the sum of weights by stratum
    lost: int = 0
    requested: int = 0


class Training:
    """The training of a cell. Raises ValueError if the samplers refuse its batches."""

    def __init__(self, cell: Cell, data: DataSet, splits: list[Split], n_steps: int) -> None:
        self._cell, self._data, self._n_steps = cell, data, n_steps
        self._tracks = [self._track(split, 100 * cell.seed + place) for place, split in enumerate(splits)]
        self._features = torch.from_numpy(data.features)
        self._target = torch.from_numpy(data.target)
        moments = [self._moments(split) for split in splits]
        self._center = torch.stack([center for center, _ in moments])[:, None]
        self._scale = torch.stack([scale for _, scale in moments])[:, None]
        n_outputs = data.n_strata if data.task == "classes" else 1
        seeds = [100 * cell.seed + place for place in range(len(splits))]
        self.networks = Networks(data.features.shape[1], N_HIDDEN, n_outputs, seeds=seeds, rates=RATES)
        self._seconds = self._sampler_seconds = 0.0

    def _track(self, split: Split, seed: int) -> Track:
        labels = self._data.strata[split.train]
        made = batches.KINDS[self._cell.batches](labels, self._cell.batch_size, seed)
        weights = np.ones(len(labels)) if made.weights is None else made.weights
        if self._cell.loss == "class-weighted":
            if self._cell.batches in batches.CHANGES_SHARES:
                raise ValueError("The batches weigh the classes already.")
            counts = np.bincount(labels, minlength=self._data.n_strata)
            weights = weights * (len(labels) / len(counts) / counts)[labels]
        drawn = np.zeros(self._data.n_strata)
        return Track(split, batches.endless(made.sampler), weights.astype(np.float32), drawn)

    def _moments(self, split: Split) -> tuple[torch.Tensor, torch.Tensor]:
        rows = self._features[torch.from_numpy(split.train)]
        return rows.mean(0), rows.std(0).clamp(min=1e-6)

    def run(self) -> None:
        for _ in range(self._n_steps):
            self.step()

    def step(self) -> None:
        begin = time.perf_counter()
        taken = [self._next_batch(track) for track in self._tracks]
        longest = max(len(rows) for rows in taken)
        rows = np.zeros((len(taken), longest), dtype=np.int64)
        weights = np.zeros((len(taken), longest), dtype=np.float32)
        for place, (track, chosen) in enumerate(zip(self._tracks, taken)):
            rows[place, : len(chosen)] = track.split.train[chosen]
            weights[place, : len(chosen)] = track.row_weights[chosen]
        self._sampler_seconds += time.perf_counter() - begin
        places = torch.from_numpy(rows)
        inputs = self._features[places].sub_(self._center).div_(self._scale).clamp_(-FARTHEST, FARTHEST)
        target, weight = self._target[places], torch.from_numpy(weights)
        usable = torch.ones(len(taken), dtype=torch.bool)
        if self._cell.loss in objectives.RANKING:
            usable = objectives.has_both(target, weight)
        outputs, hidden = self.networks.forward(inputs)
        losses = objectives.LOSSES[self._cell.loss](objectives.Rows(outputs, hidden, target, weight))
        self.networks.step(losses, usable)
        for track, is_usable in zip(self._tracks, usable.tolist()):
            track.lost += not is_usable
        self._seconds += time.perf_counter() - begin

    def _next_batch(self, track: Track) -> NDArray[np.int64]:
        """Return the next batch, as positions within the training rows."""
        while True:
            rows = np.array(next(track.endless))
            track.requested += 1
            strata = self._data.strata[track.split.train[rows]]
            is_needed = self._cell.batches == "plain, refilled"
            if not is_needed or 0 < np.count_nonzero(strata) < len(strata):
                track.drawn += np.bincount(strata, track.row_weights[rows], minlength=len(track.drawn))
                return rows

    def results(self) -> list[dict[str, Any]]:
        """Return a line for each split: the rate with the best validation result, measured on the test rows."""
        return [self._result(place) for place in range(len(self._tracks))]

    def _outputs(self, place: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the outputs of all rates for rows, (R, n, K)."""
        inputs = (self._features[torch.from_numpy(rows)] - self._center[place]) / self._scale[place]
        with torch.no_grad():
            outputs, _ = self.networks.forward(inputs.clamp(-FARTHEST, FARTHEST)[None], slice(place, place + 1))
        return np.asarray(outputs[0].double().numpy())

    def _result(self, place: int) -> dict[str, Any]:
        track = self._tracks[place]
        goodness = [self._goodness(outputs, track.split.valid) for outputs in self._outputs(place, track.split.valid)]
        best = int(np.nanargmax(goodness)) if np.isfinite(goodness).any() else 0
        outputs = self._outputs(place, track.split.test)[best]
        is_number = self._data.task == "regression"
        found = self._errors(outputs, track.split.test) if is_number else self._qualities(outputs, track)
        return {
            **self._cell._asdict(),
            "split": place,
            "steps": self._n_steps,
            "rate": RATES[best],
            "lost": track.lost,
            "requested": track.requested,
            **{name: f"{value:.6g}" for name, value in found.items()},
            "seconds": f"{self._seconds / len(self._tracks):.4g}",
            "sampler_seconds": f"{self._sampler_seconds / len(self._tracks):.3g}",
        }

    def _goodness(self, outputs: NDArray[np.float64], rows: NDArray[np.int64]) -> float:
        """Return the area under the ROC curve or, of a regression, minus the squared error."""
        if self._data.task == "regression":
            return -float(np.mean((outputs[:, 0] - self._data.target[rows]) ** 2))
        return measures.ranking(outputs, self._data.strata[rows])[0]

    def _errors(self, outputs: NDArray[np.float64], rows: NDArray[np.int64]) -> dict[str, float]:
        distance = np.abs(outputs[:, 0] - self._data.target[rows])
        strata = self._data.strata[rows]
        by_stratum = [distance[strata == stratum].mean() for stratum in np.unique(strata)]
        return {"error": float(distance.mean()), "worst_error": float(max(by_stratum))}

    def _qualities(self, outputs: NDArray[np.float64], track: Track) -> dict[str, float]:
        strata = self._data.strata[track.split.test]
        auc, precision = measures.ranking(outputs, strata)
        found = {"auc": auc, "precision": precision}
        if self._cell.loss in objectives.RANKING:
            return found  # their outputs are no probabilities
        raw = measures.probabilities(outputs)
        changed = self._cell.batches in batches.CHANGES_SHARES or self._cell.loss == "class-weighted"
        shares = raw * self._corrections(track) if changed else raw
        shares /= shares.sum(axis=1, keepdims=True)
        return {
            **found,
            "log_loss": measures.log_loss(shares, strata),
            "log_loss_raw": measures.log_loss(raw, strata),
            "calibration": measures.calibration_error(shares, strata),
            "calibration_raw": measures.calibration_error(raw, strata),
            "worst_recall": measures.worst_recall(raw, strata),
        }

    def _corrections(self, track: Track) -> NDArray[np.float64]:
        """Return the share of each class in the training rows over that in the loss."""
        counts = np.bincount(self._data.strata[track.split.train], minlength=self._data.n_strata)
        return np.asarray((counts / counts.sum()) / (np.maximum(track.drawn, 0.5) / track.drawn.sum()))
