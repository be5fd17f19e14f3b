"""Train the networks of the vignette rare-events, and write what it shows into vignettes/rare_events_results/.

    OMP_NUM_THREADS=1 .venv/bin/python vignettes/rare_events_training.py

takes some minutes on one core. Every random choice follows from the seeds below, so that running it again on the same
machine gives the same numbers; on another processor or version of torch they differ in the last digits, and training
makes more of that. So the vignette reads the files and does not train.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Optional

import imblearn
import numpy as np
import pandas as pd
import torch
from autism_training import prepare, read_survey, split
from imblearn.under_sampling import RandomUnderSampler
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from torch.utils.data import BatchSampler, RandomSampler
from tqdm import tqdm

import pystrat

SEEDS = tuple(range(1, 11))
SIMULATION_SEED = 2017
MULTIPLIER = 2
BATCH_SIZE = 64
STEPS = 2500
LONGER_STEPS = 10_000
LEARNING_RATE = 0.001
HIDDEN_UNITS = 16
BINS = 10


@dataclass(frozen=True)
class Rows:
    """Inputs, labels and, where they are known, the probabilities that the labels were drawn with."""

    inputs: torch.Tensor
    labels: torch.Tensor
    probabilities: Optional[NDArray[np.float64]] = None

    @property
    def truth(self) -> NDArray[np.float64]:
        """What predictions are compared with: the known probabilities, or else the labels."""
        return self.labels.numpy().astype(np.float64) if self.probabilities is None else self.probabilities


@dataclass(frozen=True)
class Way:
    """The batches of one epoch after another, and the weight of each row in the loss."""

    batches: Iterable[list[int]]
    weights: Optional[torch.Tensor] = None


# The data -------------------------------------------------------------------------------------------------------------


def survey_rows() -> tuple[Rows, Rows]:
    """The children of the survey of 2017: those to train on, and the test set."""
    survey = read_survey()
    rows = split(survey)
    children = prepare(survey, rows["rest"])
    train, test = children.rows(rows["rest"]), children.rows(rows["test"])
    return Rows(train.inputs, train.labels), Rows(test.inputs, test.labels)


def simulated_rows(n_rows: int = 20_000, n_test_rows: int = 50_000) -> tuple[Rows, Rows]:
    """Ten normal inputs, of which five matter; about 3 % positives, the probability of each row known."""
    random = np.random.default_rng(SIMULATION_SEED)
    parts = []
    for n in (n_rows, n_test_rows):
        inputs = random.normal(size=(n, 10))
        log_odds = -4.5 + 1.2 * inputs[:, 0] - 0.8 * inputs[:, 1] + 0.5 * inputs[:, 2] * inputs[:, 3]
        log_odds += 0.6 * np.maximum(inputs[:, 4], 0)
        probabilities = 1 / (1 + np.exp(-log_odds))
        labels = random.random(n) < probabilities
        tensors = (torch.tensor(values, dtype=torch.float32) for values in (inputs, labels))
        parts.append(Rows(*tensors, probabilities))
    return parts[0], parts[1]


# Batches and training -------------------------------------------------------------------------------------------------


class Shuffled:
    """The given rows, shuffled anew each epoch, in batches of at most BATCH_SIZE."""

    def __init__(self, rows: NDArray[np.int64], seed: int) -> None:
        self.rows = rows
        self.sampler = RandomSampler(rows, generator=torch.Generator().manual_seed(seed))  # type: ignore[arg-type]

    def __iter__(self) -> Any:
        for batch in BatchSampler(self.sampler, BATCH_SIZE, drop_last=False):
            yield self.rows[batch].tolist()


def downsampled(labels: torch.Tensor, seed: int, *, weighted: bool, in_turn: bool = False) -> Way:
    sampler = pystrat.DownsampledBatchSampler(labels, MULTIPLIER, BATCH_SIZE, in_turn=in_turn, seed=seed)
    return Way(sampler, torch.from_numpy(sampler.weights(normalize=True)) if weighted else None)


def fixed_subset(labels: torch.Tensor, seed: int) -> Way:
    """The rows and weights of one epoch, again and again."""
    sampler = pystrat.DownsampledBatchSampler(labels, MULTIPLIER, BATCH_SIZE, seed=seed)
    rows = sampler.batches(0).rows.astype(np.int64)
    return Way(Shuffled(rows, seed), torch.from_numpy(sampler.weights(normalize=True)))


def under_sampled(labels: torch.Tensor, seed: int) -> Way:
    """One subset of the same size, by imbalanced-learn, without weights."""
    chosen = RandomUnderSampler(sampling_strategy=1 / MULTIPLIER, random_state=seed)
    chosen.fit_resample(np.zeros((len(labels), 1)), labels.numpy())
    return Way(Shuffled(chosen.sample_indices_, seed))


WAYS: dict[str, Callable[[torch.Tensor, int], Way]] = {
    "plain": lambda labels, seed: Way(Shuffled(np.arange(len(labels)), seed)),
    "stratified": lambda labels, seed: Way(
        pystrat.StratifiedBatchSampler(labels, mean_batch_size=BATCH_SIZE, seed=seed)
    ),
    "downsampled, weighted": lambda labels, seed: downsampled(labels, seed, weighted=True),
    "downsampled, in turn, weighted": lambda labels, seed: downsampled(labels, seed, weighted=True, in_turn=True),
    "downsampled, unweighted": lambda labels, seed: downsampled(labels, seed, weighted=False),
    "one subset, weighted": fixed_subset,
    "RandomUnderSampler": under_sampled,
}
CORRECTED = ("downsampled, unweighted", "RandomUnderSampler")
LONGER = ("plain", "downsampled, weighted", "downsampled, unweighted")


def train(way: Way, rows: Rows, seed: int, steps: int) -> torch.nn.Module:
    """Train one network for so many gradient steps, the learning rate falling to 0."""
    torch.manual_seed(seed)
    network = torch.nn.Sequential(
        torch.nn.Linear(rows.inputs.shape[1], HIDDEN_UNITS),
        torch.nn.ReLU(),
        torch.nn.Linear(HIDDEN_UNITS, 1),
        torch.nn.Flatten(0),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    loss_of = torch.nn.BCEWithLogitsLoss(reduction="none")
    step = 0
    while step < steps:
        for batch in way.batches:
            losses = loss_of(network(rows.inputs[batch]), rows.labels[batch])
            weights = 1 if way.weights is None else way.weights[batch]
            optimizer.zero_grad()
            (weights * losses).mean().backward()
            optimizer.step()
            decay.step()
            step += 1
            if step == steps:
                break
    return network


# Evaluation: every row has the weight 1 -------------------------------------------------------------------------------


@torch.no_grad()
def predict(network: torch.nn.Module, rows: Rows) -> NDArray[np.float64]:
    predictions: NDArray[np.float64] = torch.sigmoid(network(rows.inputs)).numpy().astype(np.float64)
    return predictions


def calibration(predictions: NDArray[np.float64], truth: NDArray[np.float64]) -> pd.DataFrame:
    """Sort the rows by prediction into BINS bins of equal size; the mean prediction and the mean truth of each."""
    parts = np.array_split(np.argsort(predictions, kind="stable"), BINS)
    means = [(len(part), predictions[part].mean(), truth[part].mean()) for part in parts]
    return pd.DataFrame(means, columns=["rows", "predicted", "observed"]).rename_axis("bin").reset_index()


def evaluate(predictions: NDArray[np.float64], rows: Rows) -> dict[str, float]:
    bins = calibration(predictions, rows.truth)
    labels = rows.labels.numpy()
    return {
        "mean_prediction": predictions.mean(),
        "calibration_error": np.average((bins["predicted"] - bins["observed"]).abs(), weights=bins["rows"]),
        "auc": roc_auc_score(labels, predictions),
        "log_loss": log_loss(labels, predictions),
    }


def run(
    name: str, rows: Rows, test: Rows, seeds: Iterable[int], ways: Iterable[str] = tuple(WAYS), steps: int = STEPS
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train in every way with every seed; one row a run, and the calibration in bins, the mean over the seeds."""
    runs, curves = [], []
    for seed in tqdm(seeds, desc=name, disable=None):
        for way in ways:
            made = WAYS[way](rows.labels, seed)
            predictions = {way: predict(train(made, rows, seed, steps), test)}
            if way in CORRECTED:
                keep_rate = MULTIPLIER * rows.labels.sum().item() / (rows.labels == 0).sum().item()
                predictions[f"{way}, corrected"] = pystrat.correct_probabilities(predictions[way], keep_rate)
            for shown, values in predictions.items():
                runs.append({"data": name, "way": shown, "seed": seed, **evaluate(values, test)})
                curves.append(calibration(values, test.truth).assign(data=name, way=shown))
    bins = pd.concat(curves).groupby(["data", "way", "bin"], sort=False).mean().reset_index()
    return pd.DataFrame(runs), bins


def about(rows: Rows, test: Rows) -> dict[str, Any]:
    numbers = {
        "rows": len(rows.labels),
        "positives": int(rows.labels.sum()),
        "test_rows": len(test.labels),
        "test_positives": int(test.labels.sum()),
        "test_mean": round(float(test.truth.mean()), 6),
    }
    if test.probabilities is not None:
        numbers["auc_of_the_known_probabilities"] = round(roc_auc_score(test.labels.numpy(), test.probabilities), 6)
    return numbers


def main(arguments: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("vignettes/rare_events_results"))
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many of the seeds")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    tables, described = [], {}
    seeds = SEEDS[: options.seeds]
    for name, (rows, test) in {"survey": survey_rows(), "simulated": simulated_rows()}.items():
        tables.append(run(name, rows, test, seeds))
        described[name] = about(rows, test)
    tables.append(run("simulated, longer", *simulated_rows(), seeds, LONGER, LONGER_STEPS))
    for name, parts in zip(("runs", "calibration"), zip(*tables)):
        pd.concat(parts).to_csv(options.out / f"{name}.csv", index=False, float_format="%.6f")
    described["settings"] = {
        "seeds": len(SEEDS),
        "multiplier": MULTIPLIER,
        "batch_size": BATCH_SIZE,
        "steps": STEPS,
        "longer_steps": LONGER_STEPS,
        "learning_rate": LEARNING_RATE,
        "hidden_units": HIDDEN_UNITS,
    }
    described["versions"] = {
        "torch": torch.__version__,
        "imbalanced-learn": imblearn.__version__,
        "python": platform.python_version(),
    }
    (options.out / "about.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
