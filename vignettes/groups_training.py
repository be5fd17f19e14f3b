"""Train the networks of the vignette groups-in-batches, and write what it shows into vignettes/groups_results/.

    OMP_NUM_THREADS=1 .venv/bin/python vignettes/groups_training.py

takes about five minutes on one core. Every random choice follows from the seeds below, so running it again on the same
machine gives the same numbers. On another processor or version of torch they differ in the last digits, and training
makes more of that. So the vignette reads the files and does not train.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Optional

import numpy as np
import pandas as pd
import torch
from autism_training import Children, difference_error, prepare, read_survey
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import BatchSampler, RandomSampler, WeightedRandomSampler
from tqdm import tqdm

import pystrat

SEEDS = tuple(range(1, 11))
FOLDS = 5
STEPS = 500
LEARNING_RATES = (0.001, 0.003)
HIDDEN_UNITS = 16
BATCH_SIZE = 128
GROUP_STEP = 0.01  # of the weights of the groups, as in the published code
BOOTSTRAP_SAMPLES = 500

CONTRASTIVE_RATE = 0.001
FEATURES = 16
TEMPERATURE = 0.1
STRATA_PER_BATCH, ROWS_PER_STRATUM = 6, 8

Batches = Iterable[list[int]]


@dataclass(frozen=True)
class Way:
    """One way to train: the loss and the batches."""

    loss: str
    batches: str

    def __str__(self) -> str:
        return f"{self.loss}, {self.batches}"


CROSS_ENTROPY, GROUP_DRO, CONTRASTIVE = "cross-entropy", "group DRO", "contrastive"
WAYS = (
    Way(CROSS_ENTROPY, "plain"),
    Way(CROSS_ENTROPY, "equal shares"),
    Way(GROUP_DRO, "plain"),
    Way(GROUP_DRO, "weighted draws"),
    Way(GROUP_DRO, "minimum of 1"),
    Way(GROUP_DRO, "equal shares"),
)
CONTRASTIVE_WAYS = tuple(Way(CONTRASTIVE, batches) for batches in ("plain", "weighted draws", "P of m"))
# The first of each pair minus the second.
COMPARED = (
    (Way(GROUP_DRO, "weighted draws"), Way(GROUP_DRO, "plain")),
    (Way(GROUP_DRO, "minimum of 1"), Way(GROUP_DRO, "plain")),
    (Way(GROUP_DRO, "equal shares"), Way(GROUP_DRO, "plain")),
    (Way(GROUP_DRO, "equal shares"), Way(GROUP_DRO, "weighted draws")),
    (Way(GROUP_DRO, "equal shares"), Way(CROSS_ENTROPY, "equal shares")),
)
CONTRASTIVE_COMPARED = (
    (Way(CONTRASTIVE, "weighted draws"), Way(CONTRASTIVE, "plain")),
    (Way(CONTRASTIVE, "P of m"), Way(CONTRASTIVE, "plain")),
    (Way(CONTRASTIVE, "P of m"), Way(CONTRASTIVE, "weighted draws")),
)


# The data -------------------------------------------------------------------------------------------------------------


def groups_of(survey: pd.DataFrame) -> pd.Series:
    """Return the group of each child: the answer, the sex, and the age in two bands."""
    age = np.where(survey["age_years"] < 12, "0-11", "12-17")
    return survey["autism"] + ", " + survey["sex"] + ", " + age


@dataclass(frozen=True)
class Rows:
    """The rows of one part of the survey: inputs and answers, and the number of the group of each row."""

    children: Children
    groups: torch.Tensor

    def __len__(self) -> int:
        return len(self.groups)


@dataclass(frozen=True)
class Fold:
    """One of the parts of a cross-validation: the rows to train on, and those to predict, which are `places`."""

    train: Rows
    test: Rows
    places: NDArray[np.int64]


def folds(survey: pd.DataFrame, seed: int) -> Iterator[Fold]:
    """Divide the children into parts of equal composition; each is predicted by a network that was trained on the rest.

    Means, medians and categories of the inputs are those of the training rows.
    """
    codes = torch.from_numpy(pd.factorize(groups_of(survey), sort=True)[0])
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for train, test in splitter.split(np.empty(len(codes)), codes):
        children = prepare(survey, train)
        yield Fold(Rows(children.rows(train), codes[train]), Rows(children.rows(test), codes[test]), test)


# Batches --------------------------------------------------------------------------------------------------------------


def plain(groups: torch.Tensor, size: int, seed: int) -> Batches:
    shuffled = RandomSampler(groups, generator=torch.Generator().manual_seed(seed))  # type: ignore[arg-type]
    return BatchSampler(shuffled, size, drop_last=True)


def weighted_draws(groups: torch.Tensor, size: int, seed: int) -> Batches:
    """Draw rows with replacement, all groups with the same probability, as the published code of group DRO does."""
    weights = 1 / torch.bincount(groups)[groups].double()
    generator = torch.Generator().manual_seed(seed)
    return BatchSampler(WeightedRandomSampler(weights, len(groups), generator=generator), size, drop_last=True)


def minimum_of_1(groups: torch.Tensor, size: int, seed: int) -> Batches:
    return pystrat.StratifiedBatchSampler(groups, 1, mean_batch_size=size, rare="repeat", seed=seed)


def equal_shares(groups: torch.Tensor, size: int, seed: int) -> Batches:
    shares = {int(group): 1 for group in groups.unique()}
    return pystrat.StratifiedBatchSampler(groups, mean_batch_size=size, shares=shares, seed=seed)


def p_of_m(groups: torch.Tensor, size: int, seed: int) -> Batches:
    assert size == STRATA_PER_BATCH * ROWS_PER_STRATUM
    return pystrat.StrataSubsetBatchSampler(groups, STRATA_PER_BATCH, ROWS_PER_STRATUM, exact=True, seed=seed)


SAMPLERS: dict[str, Callable[[torch.Tensor, int, int], Batches]] = {
    "plain": plain,
    "weighted draws": weighted_draws,
    "minimum of 1": minimum_of_1,
    "equal shares": equal_shares,
    "P of m": p_of_m,
}


def steps(batches: Batches) -> Iterator[list[int]]:
    """Go through epoch after epoch until there have been enough batches."""
    done = 0
    while True:
        for batch in batches:
            if done == STEPS:
                return
            done += 1
            yield batch


# Losses ---------------------------------------------------------------------------------------------------------------


class MeanLoss:
    """The mean of the losses of the rows."""

    def __call__(self, losses: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
        return losses.mean()


class GroupDROLoss:
    """The losses of the groups, with weights that grow if the loss is large.

    A group that is not in the batch has a loss of 0 there, as in the code of S. Sagawa,
    P. W. Koh, T. B. Hashimoto and P. Liang, "Distributionally Robust Neural Networks
    for Group Shifts" (ICLR 2020).
    """

    def __init__(self, n_groups: int) -> None:
        self.weights = torch.full((n_groups,), 1 / n_groups)

    def __call__(self, losses: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
        counts = torch.bincount(groups, minlength=len(self.weights))
        sums = torch.zeros(len(self.weights)).index_add(0, groups, losses)
        of_groups = sums / counts.clamp(min=1)
        grown = self.weights * torch.exp(GROUP_STEP * of_groups.detach())
        self.weights = grown / grown.sum()
        return (self.weights * of_groups).sum()


def contrastive_loss(features: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """Return the supervised contrastive loss.

    It is the mean over the rows that have a companion: another row of their class.
    After P. Khosla and others, "Supervised Contrastive Learning" (NeurIPS 2020), with
    one view of each row.
    """
    directions = torch.nn.functional.normalize(features, dim=1)
    is_other = ~torch.eye(len(classes), dtype=torch.bool)
    likeness = directions @ directions.T / TEMPERATURE
    likeness = likeness.masked_fill(~is_other, -torch.inf)
    shares = likeness - likeness.logsumexp(dim=1, keepdim=True)
    shares = shares.masked_fill(~is_other, 0)
    is_companion = (classes[:, None] == classes) & is_other
    companions = is_companion.sum(dim=1)
    of_rows = -(shares * is_companion).sum(dim=1) / companions.clamp(min=1)
    return of_rows[companions > 0].mean()


# Training -------------------------------------------------------------------------------------------------------------


def make_network(n_inputs: int, n_hidden: int, n_outputs: int, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(n_inputs, n_hidden), torch.nn.ReLU(), torch.nn.Linear(n_hidden, n_outputs)
    )


def train_classifier(way: Way, rate: float, seed: int, fold: Fold) -> NDArray[np.float32]:
    """Train one network; return the logits of the test rows."""
    inputs, labels, groups = fold.train.children.inputs, fold.train.children.labels, fold.train.groups
    network = make_network(inputs.shape[1], HIDDEN_UNITS, 1, seed)
    loss = GroupDROLoss(int(groups.max()) + 1) if way.loss == GROUP_DRO else MeanLoss()
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    for batch in steps(SAMPLERS[way.batches](groups, BATCH_SIZE, seed)):
        logits = network(inputs[batch])[:, 0]
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels[batch], reduction="none")
        optimizer.zero_grad()
        loss(losses, groups[batch]).backward()
        optimizer.step()
    with torch.no_grad():
        return network(fold.test.children.inputs)[:, 0].numpy()


def train_features(way: Optional[Way], seed: int, fold: Fold) -> NDArray[np.float64]:
    """Train an encoder; return the logits of the test rows by a logistic regression on what it makes of the inputs.

    Without a way to train, the encoder stays as it was initialized.
    """
    inputs, groups = fold.train.children.inputs, fold.train.groups
    encoder = make_network(inputs.shape[1], 2 * HIDDEN_UNITS, FEATURES, seed)
    if way is not None:
        optimizer = torch.optim.Adam(encoder.parameters(), lr=CONTRASTIVE_RATE)
        for batch in steps(SAMPLERS[way.batches](groups, STRATA_PER_BATCH * ROWS_PER_STRATUM, seed)):
            optimizer.zero_grad()
            contrastive_loss(encoder(inputs[batch]), groups[batch]).backward()
            optimizer.step()
    with torch.no_grad():
        train, test = (
            torch.nn.functional.normalize(encoder(rows.children.inputs), dim=1).numpy()
            for rows in (fold.train, fold.test)
        )
    return logistic_regression(train, fold, test)


def logistic_regression(features: NDArray[Any], fold: Fold, test: NDArray[Any]) -> NDArray[np.float64]:
    model = LogisticRegression(max_iter=5000)
    model.fit(features, fold.train.children.labels.numpy())
    return model.decision_function(test)


# Experiments ----------------------------------------------------------------------------------------------------------

Scores = dict[str, NDArray[Any]]  # (seeds, children) for each way


def predict_all(survey: pd.DataFrame) -> tuple[dict[float, Scores], Scores]:
    """Predict every child by every way; return the scores of the classifiers at each rate, and those by features."""
    shape = (len(SEEDS), len(survey))
    classified = {rate: {str(way): np.empty(shape, dtype=np.float32) for way in WAYS} for rate in LEARNING_RATES}
    names = [str(way) for way in CONTRASTIVE_WAYS] + ["not trained", "inputs"]
    by_features: Scores = {name: np.empty(shape) for name in names}
    parts = ((place, fold) for place, seed in enumerate(SEEDS) for fold in folds(survey, seed))
    for place, fold in tqdm(parts, desc="training", total=len(SEEDS) * FOLDS, disable=None):
        seed, rows = SEEDS[place], fold.places
        for rate, scores in classified.items():
            for way in WAYS:
                scores[str(way)][place, rows] = train_classifier(way, rate, seed, fold)
        for way in CONTRASTIVE_WAYS:
            by_features[str(way)][place, rows] = train_features(way, seed, fold)
        by_features["not trained"][place, rows] = train_features(None, seed, fold)
        inputs, test = (part.children.inputs.numpy() for part in (fold.train, fold.test))
        by_features["inputs"][place, rows] = logistic_regression(inputs, fold, test)
    return classified, by_features


def is_right(scores: NDArray[Any], positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say of each prediction whether it is right, with the probability of a half as the border."""
    return (scores > 0) == positive


def group_accuracies(scores: Scores, survey: pd.DataFrame, rate: float) -> pd.DataFrame:
    """Return the share of right predictions in each group; one row a way, seed and group."""
    positive = (survey["autism"] == "yes").to_numpy()
    rows = []
    for way, values in scores.items():
        right = pd.DataFrame(is_right(values, positive).T, columns=SEEDS).groupby(groups_of(survey)).mean()
        for group, accuracies in right.iterrows():
            for seed, accuracy in accuracies.items():
                rows.append({"way": way, "learning_rate": rate, "seed": seed, "group": group, "accuracy": accuracy})
    return pd.DataFrame(rows)


def areas(scores: Scores, positive: NDArray[np.bool_], rate: float) -> pd.DataFrame:
    """Return the area under the ROC curve; one row a way and seed."""
    return pd.DataFrame(
        [
            {"way": way, "learning_rate": rate, "seed": seed, "auc": roc_auc_score(positive, row)}
            for way, values in scores.items()
            for seed, row in zip(SEEDS, values)
        ]
    )


def worst_accuracies(right: NDArray[np.bool_], codes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the accuracy of the worst group, for each seed, and its mean over seeds for samples of the children.

    The samples are drawn with replacement within the groups, and are the same for all ways.
    """
    dice = np.random.default_rng(1)
    found, drawn = [], []
    for group in np.unique(codes):
        in_group = right[:, codes == group].astype(np.float64)
        n_rows = in_group.shape[1]
        times = dice.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=BOOTSTRAP_SAMPLES)
        found.append(in_group.mean(axis=1))
        drawn.append(in_group @ times.T / n_rows)
    return np.min(found, axis=0), np.min(drawn, axis=0).mean(axis=0)


def compare(scores: Scores, pairs: Iterable[tuple[Way, Way]], survey: pd.DataFrame, rate: float) -> pd.DataFrame:
    """Return the differences of pairs of ways with two standard errors, one from the seeds, one from the children."""
    positive = (survey["autism"] == "yes").to_numpy()
    codes = pd.factorize(groups_of(survey))[0]
    rows = []
    for one, other in pairs:
        values = [scores[str(way)] for way in (one, other)]
        auc = np.subtract(*([roc_auc_score(positive, row) for row in value] for value in values))
        pair = {"way": str(one), "minus": str(other), "learning_rate": rate}
        rows.append(
            {**pair, "measure": "auc", **errors(auc, difference_error(*values, positive, np.ones(len(positive))))}
        )
        if one.loss != CONTRASTIVE:
            (mine, my_draws), (others, other_draws) = (
                worst_accuracies(is_right(value, positive), codes) for value in values
            )
            by_children = float(np.std(my_draws - other_draws, ddof=1))
            rows.append({**pair, "measure": "worst group", **errors(mine - others, by_children)})
    return pd.DataFrame(rows)


def errors(differences: NDArray[Any], by_children: float) -> dict[str, float]:
    return {
        "difference": differences.mean(),
        "se_seeds": differences.std(ddof=1) / np.sqrt(len(differences)),
        "se_children": by_children,
        "seeds_in_favor": int((differences > 0).sum()),
    }


# Writing --------------------------------------------------------------------------------------------------------------


def about(survey: pd.DataFrame) -> dict[str, Any]:
    return {
        "seeds": SEEDS,
        "folds": FOLDS,
        "steps": STEPS,
        "learning_rates": LEARNING_RATES,
        "batch_size": BATCH_SIZE,
        "hidden_units": HIDDEN_UNITS,
        "contrastive": {
            "learning_rate": CONTRASTIVE_RATE,
            "features": FEATURES,
            "temperature": TEMPERATURE,
            "strata_per_batch": STRATA_PER_BATCH,
            "rows_per_stratum": ROWS_PER_STRATUM,
        },
        "groups": groups_of(survey).value_counts().sort_index().to_dict(),
        "versions": {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "date": datetime.date.today().isoformat(),
    }


def main(arguments: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("vignettes/groups_results"))
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)

    survey = read_survey()
    positive = (survey["autism"] == "yes").to_numpy()
    classified, by_features = predict_all(survey)
    tables = {
        "accuracies": pd.concat([group_accuracies(scores, survey, rate) for rate, scores in classified.items()]),
        "areas": pd.concat(
            [areas(scores, positive, rate) for rate, scores in classified.items()]
            + [areas(by_features, positive, CONTRASTIVE_RATE)]
        ),
        "differences": pd.concat(
            [compare(scores, COMPARED, survey, rate) for rate, scores in classified.items()]
            + [compare(by_features, CONTRASTIVE_COMPARED, survey, CONTRASTIVE_RATE)]
        ),
    }
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.4f")
    (folder / "about.json").write_text(json.dumps(about(survey), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
