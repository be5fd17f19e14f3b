"""Train the networks of the vignette autism-nsch, and write what it shows into vignettes/autism_results/.

    OMP_NUM_THREADS=1 .venv/bin/python vignettes/autism_training.py

takes about twenty minutes on one core. Every random choice follows from the seeds below, so that running it again
on the same machine gives the same numbers; on another processor or version of torch they differ in the last digits, and
training makes more of that. So the vignette reads the files and does not train.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Optional

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch.utils.data import BatchSampler, RandomSampler
from tqdm import tqdm

import pystrat
from pystrat.losses import AUMLoss

SPLIT_SEED = 2017
TUNING_SEEDS = (101, 102, 103)
SEEDS = tuple(range(1, 11))
EPOCHS = 10
NOISE_EPOCHS = 30
LEARNING_RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01)
# Pairs of loss and minimum that are trained at further rates than those chosen, to show what depends on the rate.
OTHER_RATES = {
    0.0003: [("AUM", 1)],
    0.001: [("cross-entropy", 3)],
    0.003: [("cross-entropy", 3), ("cross-entropy", 10)],
}
HIDDEN_UNITS = 16
MINIMUMS = (1, 3, 10)
BATCHES = ("plain", "stratified")


class ScaledAUMLoss(AUMLoss):
    """The AUM loss of predictions divided by their mean absolute deviation from the median of the batch.

    The AUM is in units of the predictions, so that a network can make it small by making all its predictions alike.
    With the scale taken out, ranking positives above negatives is what is left.
    """

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        scale = (input - input.median()).abs().mean().clamp(min=1e-6)
        return super().forward(input / scale, target)


LOSSES = {"cross-entropy": torch.nn.BCEWithLogitsLoss, "AUM": ScaledAUMLoss}


@dataclass(frozen=True)
class Children:
    """The inputs of the network, one row a child, its label, and its survey weight."""

    inputs: torch.Tensor
    labels: torch.Tensor
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, rows: NDArray[np.int64]) -> Children:
        return Children(self.inputs[rows], self.labels[rows], self.weights[rows])


@dataclass(frozen=True)
class Setting:
    """One way to train: the loss, the batches, and the minimum that decides how large the batches are."""

    loss: str
    batches: str
    minimum: int


# The data -------------------------------------------------------------------------------------------------------------


def read_survey() -> pd.DataFrame:
    """Read the children of 2017 whose parents answered the question about autism."""
    survey = pd.read_csv("data/nsch_2017.csv.gz")
    return survey[survey["autism"].notna()].reset_index(drop=True)


def prepare(survey: pd.DataFrame, fitted_on: NDArray[np.int64]) -> Children:
    """Encode the predictors: words one-hot, numbers standardized, an indicator for what is missing.

    Means, medians and categories are those of the rows `fitted_on`.
    """
    predictors = survey.drop(columns=["autism", "survey_weight", "age_group"])
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore")
    )
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    encoder = make_column_transformer(
        (words, make_column_selector(dtype_exclude="number")),
        (numbers, make_column_selector(dtype_include="number")),
        sparse_threshold=0,
    )
    inputs = encoder.fit(predictors.iloc[fitted_on]).transform(predictors)
    labels = (survey["autism"] == "yes").to_numpy()
    return Children(
        torch.tensor(inputs, dtype=torch.float32),
        torch.tensor(labels, dtype=torch.float32),
        survey["survey_weight"].to_numpy(dtype=np.float64),
    )


def split(survey: pd.DataFrame) -> dict[str, NDArray[np.int64]]:
    """Split the rows at random, the share of positives kept: 60 % train, 15 % validation, 25 % test."""
    rows, labels = np.arange(len(survey)), survey["autism"].to_numpy()
    rest, test = train_test_split(rows, test_size=0.25, stratify=labels, random_state=SPLIT_SEED)
    train, validation = train_test_split(rest, test_size=0.2, stratify=labels[rest], random_state=SPLIT_SEED)
    return {"train": train, "validation": validation, "rest": rest, "test": test}


# Batches and training -------------------------------------------------------------------------------------------------


def make_batches(
    setting: Setting,
    labels: torch.Tensor,
    seed: int,
) -> Iterable[list[int]]:
    """Make the batch sampler.

    The plain one has as many batches as the stratified one, give or take one.
    """
    stratified = pystrat.StratifiedBatchSampler(labels, setting.minimum, seed=seed)
    if setting.batches == "stratified":
        return stratified
    batch_size = -(-len(labels) // len(stratified))
    generator = torch.Generator().manual_seed(seed)
    shuffled = RandomSampler(labels, generator=generator)  # type: ignore[arg-type]
    return BatchSampler(shuffled, batch_size, drop_last=False)


def make_network(n_inputs: int, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(n_inputs, HIDDEN_UNITS), torch.nn.ReLU(), torch.nn.Linear(HIDDEN_UNITS, 1), torch.nn.Flatten(0)
    )


def train(
    setting: Setting,
    learning_rate: float,
    seed: int,
    children: Children,
    evaluated_on: Children,
) -> tuple[torch.nn.Module, list[dict[str, float]]]:
    """Train one network, and evaluate it after each epoch.

    With AUM, batches without positives are skipped, because AUM is undefined for them.
    """
    network = make_network(children.inputs.shape[1], seed)
    loss_of = LOSSES[setting.loss]()
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    batches = make_batches(setting, children.labels, seed)
    history = []
    for epoch in range(1, EPOCHS + 1):
        n_batches = n_wasted = 0
        for batch in batches:
            labels = children.labels[batch]
            n_batches += 1
            if not labels.any():
                n_wasted += 1
                if setting.loss == "AUM":
                    continue
            optimizer.zero_grad()
            loss_of(network(children.inputs[batch]), labels).backward()
            optimizer.step()
        counts = {"batches_an_epoch": n_batches, "without": n_wasted}
        history.append({"epoch": epoch, **counts, **evaluate(network, evaluated_on)})
    return network, history


def evaluate(network: torch.nn.Module, children: Children) -> dict[str, float]:
    scores = predict(network, children)
    return {**area(scores, children), "aum": float(ScaledAUMLoss()(torch.from_numpy(scores), children.labels))}


@torch.no_grad()
def predict(network: torch.nn.Module, children: Children) -> NDArray[np.float32]:
    return network(children.inputs).numpy()


def area(scores: NDArray[Any], children: Children) -> dict[str, float]:
    """Return the area under the ROC curve, of the sample and of the population that the survey weights stand for."""
    labels = children.labels.numpy()
    return {
        "auc": roc_auc_score(labels, scores),
        "auc_weighted": roc_auc_score(labels, scores, sample_weight=children.weights),
    }


# Experiments ----------------------------------------------------------------------------------------------------------


def settings() -> list[Setting]:
    return [Setting(loss, batches, minimum) for minimum in MINIMUMS for loss in LOSSES for batches in BATCHES]


def tune(children: Children, validation: Children) -> pd.DataFrame:
    """Train with every learning rate; one row a run, the area after the last epoch on the validation rows."""
    runs = [(setting, rate, seed) for setting in settings() for rate in LEARNING_RATES for seed in TUNING_SEEDS]
    rows = []
    for setting, rate, seed in tqdm(runs, desc="tuning", disable=None):
        _, history = train(setting, rate, seed, children, validation)
        rows.append({**vars(setting), "learning_rate": rate, "seed": seed, "auc": history[-1]["auc"]})
    return pd.DataFrame(rows)


def chosen_rates(tuning: pd.DataFrame) -> dict[Setting, float]:
    """Choose for every setting the learning rate with the largest mean area on the validation rows."""
    means = tuning.groupby(["loss", "batches", "minimum", "learning_rate"])["auc"].mean().unstack("learning_rate")
    return {
        setting: float(means.loc[(setting.loss, setting.batches, setting.minimum)].idxmax()) for setting in settings()
    }


def run(
    children: Children, test: Children, rates: dict[Setting, float]
) -> tuple[pd.DataFrame, dict[Setting, NDArray[np.float32]]]:
    """Train every setting with its rate; return one row an epoch, and the test scores, (seeds, test rows) a setting."""
    rows = []
    scores = {setting: np.empty((len(SEEDS), len(test)), dtype=np.float32) for setting in rates}
    runs = [(setting, place) for setting in rates for place in range(len(SEEDS))]
    for setting, place in tqdm(runs, desc="training", disable=None):
        network, history = train(setting, rates[setting], SEEDS[place], children, test)
        rows += [{**vars(setting), "learning_rate": rates[setting], "seed": SEEDS[place], **epoch} for epoch in history]
        scores[setting][place] = predict(network, test)
    return pd.DataFrame(rows), scores


def run_at_other_rates(children: Children, test: Children) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train both networks of the pairs in OTHER_RATES; return the rows of the last epoch, and the test errors."""
    runs, errors = [], []
    for rate, pairs in OTHER_RATES.items():
        rates = {Setting(loss, batches, minimum): rate for loss, minimum in pairs for batches in BATCHES}
        rows, scores = run(children, test, rates)
        runs.append(rows[rows["epoch"] == EPOCHS])
        errors.append(test_errors(scores, rates, test))
    return pd.concat(runs).drop(columns="aum"), pd.concat(errors)


def placements(scores: NDArray[Any], positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row the share of the other class that its score is on the right side of, ties as one half.

    Shares are by weight, and the weighted mean over the rows of either class is the area under the ROC curve.
    """
    levels, level = np.unique(scores, return_inverse=True)
    placed = np.empty(len(scores))
    for rows in (positive, ~positive):
        others = np.bincount(level[~rows], weights[~rows], minlength=len(levels))
        placed[rows] = (np.cumsum(others) - others / 2)[level[rows]] / others.sum()
    placed[~positive] = 1 - placed[~positive]
    return placed


def difference_error(
    stratified: NDArray[Any], plain: NDArray[Any], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    """Return the standard error, due to the rows, of the area of one set of networks minus that of another.

    Scores are (networks, rows), and areas are means over the networks. After E. R. DeLong, D. M. DeLong and
    D. L. Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating characteristic curves: a
    nonparametric approach", Biometrics 44(3), 1988. With weights, the mean of a class is a ratio of two sums over its
    rows, and the variance is that of the linear terms of the ratio. Equal weights give the published formula.
    """
    placed = [np.mean([placements(row, positive, weights) for row in scores], axis=0) for scores in (stratified, plain)]
    difference = placed[0] - placed[1]
    variance = 0.0
    for rows in (positive, ~positive):
        share, n = weights[rows] / weights[rows].sum(), np.count_nonzero(rows)
        terms = share * (difference[rows] - np.sum(share * difference[rows]))
        variance += n / (n - 1) * np.sum(terms**2)
    return float(np.sqrt(variance))


def test_errors(
    scores: dict[Setting, NDArray[np.float32]], rates: dict[Setting, float], test: Children
) -> pd.DataFrame:
    """Return the standard errors, due to the test rows, of the area with stratified minus that with plain batches."""
    positive = test.labels.numpy() == 1
    rows = []
    for stratified in (setting for setting in scores if setting.batches == "stratified"):
        plain = Setting(stratified.loss, "plain", stratified.minimum)
        of_sample, of_population = (
            difference_error(scores[stratified], scores[plain], positive, weights)
            for weights in (np.ones(len(test)), test.weights)
        )
        rows.append(
            {
                "loss": stratified.loss,
                "minimum": stratified.minimum,
                "rate_plain": rates[plain],
                "rate_stratified": rates[stratified],
                "standard_error": of_sample,
                "standard_error_weighted": of_population,
            }
        )
    return pd.DataFrame(rows)


def logistic_regression(children: Children, test: Children) -> NDArray[Any]:
    """Score the test rows by a logistic regression on the same inputs, with scikit-learn's default penalty."""
    model = LogisticRegression(max_iter=5000)
    model.fit(children.inputs.numpy(), children.labels.numpy())
    return model.decision_function(test.inputs.numpy())


def gradient_noise(children: Children, rates: dict[Setting, float]) -> pd.DataFrame:
    """Measure how far the gradients of single batches are from their mean, at the same fixed network for all.

    The network has been trained with cross-entropy and plain batches. The noise is the mean squared distance of a
    gradient from the mean gradient, divided by the squared length of the latter; batches without a gradient count as 0.
    """
    network, _ = train(first := settings()[0], rates[first], SEEDS[0], children, children)
    rows = []
    for setting in settings():
        loss_of = LOSSES[setting.loss]()
        batches = make_batches(setting, children.labels, SEEDS[0])
        gradients = []
        for _ in range(NOISE_EPOCHS):
            for batch in batches:
                network.zero_grad()
                loss_of(network(children.inputs[batch]), children.labels[batch]).backward()
                gradients.append(torch.cat([parameter.grad.flatten() for parameter in network.parameters()]))
        stacked = torch.stack(gradients)
        mean = stacked.mean(dim=0)
        noise = ((stacked - mean) ** 2).sum(dim=1).mean() / (mean**2).sum()
        rows.append({**vars(setting), "gradients": len(stacked), "noise": float(noise)})
    return pd.DataFrame(rows)


# Writing --------------------------------------------------------------------------------------------------------------


def write(folder: Path, name: str, table: pd.DataFrame) -> None:
    table.to_csv(folder / f"{name}.csv", index=False, float_format="%.4f")


def write_compressed(folder: Path, name: str, table: pd.DataFrame) -> None:
    table.to_csv(folder / f"{name}.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})


def main(arguments: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("vignettes/autism_results"))
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)

    survey = read_survey()
    rows = split(survey)
    for_tuning = prepare(survey, rows["train"])
    tuning = tune(for_tuning.rows(rows["train"]), for_tuning.rows(rows["validation"]))
    rates = chosen_rates(tuning)

    # With the rates chosen, the validation rows are trained on as well.
    children = prepare(survey, rows["rest"])
    rest, test = children.rows(rows["rest"]), children.rows(rows["test"])
    runs, scores = run(rest, test, rates)
    other_runs, other_errors = run_at_other_rates(rest, test)
    first = {f"{setting.loss}, {setting.batches}, {setting.minimum}": scores[setting][0] for setting in scores}
    first["logistic regression"] = logistic_regression(rest, test)
    # Curves and areas depend on the order of the scores alone, so their ranks are kept.
    ranks = pd.DataFrame({name: pd.Series(values).rank(method="dense").astype(int) for name, values in first.items()})
    ranks.insert(0, "autism", test.labels.numpy().astype(int))
    ranks.insert(1, "survey_weight", test.weights)

    write(folder, "tuning", tuning)
    write(folder, "runs", runs)
    write(folder, "other_rates", other_runs)
    write(folder, "test_errors", pd.concat([test_errors(scores, rates, test), other_errors]))
    write(folder, "gradients", gradient_noise(rest, rates))
    write_compressed(folder, "test_scores", ranks)
    # autism_training.R reads which rows, in which order.
    write_compressed(
        folder, "split", pd.concat(pd.DataFrame({"part": part, "row": rows[part]}) for part in ("rest", "test"))
    )
    about = {
        "seeds": SEEDS,
        "tuning_seeds": TUNING_SEEDS,
        "split_seed": SPLIT_SEED,
        "epochs": EPOCHS,
        "hidden_units": HIDDEN_UNITS,
        "inputs": children.inputs.shape[1],
        "rows": {name: len(part) for name, part in rows.items()},
        "positives": {name: int(children.labels[part].sum()) for name, part in rows.items()},
        "versions": {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()},
    }
    (folder / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
