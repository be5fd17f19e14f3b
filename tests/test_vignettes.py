"""The scripts whose results the vignettes read train, measure and write; tools/vignettes.R runs the vignettes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

VIGNETTES = Path(__file__).parents[1] / "vignettes"


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Import a script, on one thread: its networks are too small to be shared between several."""
    monkeypatch.syspath_prepend(str(VIGNETTES))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield importlib.import_module
    torch.set_num_threads(threads)


def assert_results(written: Path, kept: Path) -> None:
    """Assert that a script has written all results of Python, with the columns of those that are kept."""
    names = {path.name for path in kept.iterdir() if "in_r" not in path.name}
    assert {path.name for path in written.iterdir()} == names
    for path in written.glob("*.csv*"):
        fresh, before = pd.read_csv(path), pd.read_csv(kept / path.name)
        assert list(fresh.columns) == list(before.columns) and fresh.notna().all(axis=None), path.name


def test_rare_events(script: Any) -> None:
    rows, test = script("rare_events_training").simulated_rows(n_rows=3000, n_test_rows=2000)
    runs, bins = script("rare_events_training").run("few", rows, test, seeds=(1,), steps=60)
    kept = pd.read_csv(VIGNETTES / "rare_events_results" / "runs.csv")
    assert list(runs["way"]) == list(kept.head(len(runs))["way"])
    assert runs["auc"].between(0, 1).all() and (bins.groupby("way")["rows"].sum() == 2000).all()


def test_the_recommender(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    training = script("recommender_training")
    monkeypatch.setattr(training, "EPOCHS", {"sparse": 2, "dense": 1})
    for setting in training.settings():
        history = training.train(setting, 0.01, seed=1)
        assert all(0 <= epoch["hit_rate"] <= 1 for epoch in history)
        assert (training.false_negatives(setting, seed=1) > 0) == ("no rejection" in setting.sampler)


def test_autism_nsch(script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    training = script("autism_training")
    survey = training.read_survey().iloc[::8].reset_index(drop=True)
    monkeypatch.setattr(training, "read_survey", lambda: survey)
    smaller = {"EPOCHS": 1, "NOISE_EPOCHS": 2, "SEEDS": (1, 2), "TUNING_SEEDS": (101,), "LEARNING_RATES": (0.001, 0.01)}
    for name, value in smaller.items():
        monkeypatch.setattr(training, name, value)
    training.main(["--out", str(tmp_path)])
    assert_results(tmp_path, VIGNETTES / "autism_results")
    errors = pd.read_csv(tmp_path / "test_errors.csv")
    assert len(errors) == 10 and (errors[["standard_error", "standard_error_weighted"]] > 0).all(axis=None)
    wasted = pd.read_csv(tmp_path / "runs.csv").groupby("batches")["without"].sum()
    assert wasted["stratified"] == 0 < wasted["plain"]


def test_groups_in_batches(script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    training = script("groups_training")
    survey = training.read_survey()
    survey = pd.concat([survey[survey["autism"] == "yes"], survey[survey["autism"] == "no"].iloc[::10]])
    survey = survey.reset_index(drop=True)
    monkeypatch.setattr(training, "read_survey", lambda: survey)
    for name, value in {"SEEDS": (1, 2), "FOLDS": 2, "STEPS": 12, "BOOTSTRAP_SAMPLES": 20}.items():
        monkeypatch.setattr(training, name, value)
    training.main(["--out", str(tmp_path)])
    assert_results(tmp_path, VIGNETTES / "groups_results")


# Their measures and losses --------------------------------------------------------------------------------------------


def scored_rows(n_rows: int, n_positive: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Scores of two sets of three networks that agree in part, with ties; which rows are positive; and weights."""
    random = np.random.default_rng(1)
    positive = np.arange(n_rows) < n_positive
    shared = positive + random.normal(size=n_rows)
    one, other = ((shared + random.normal(size=(3, n_rows))).round(1) for _ in range(2))
    return one, other, positive, random.lognormal(size=n_rows)


def test_placements_average_to_the_area_and_the_error_of_equal_weights_is_that_of_delong(script: Any) -> None:
    """As published: the covariance matrices of the components of both areas, one component a row."""
    training = script("autism_training")
    one, other, positive, weights = scored_rows(300, 40)
    for given in (np.ones(300), weights):
        placed = training.placements(one[0], positive, given)
        for rows in (positive, ~positive):
            area = roc_auc_score(positive, one[0], sample_weight=given)
            assert np.average(placed[rows], weights=given[rows]) == pytest.approx(area)

    def wins(row: NDArray[Any]) -> NDArray[Any]:
        return (row[positive, None] > row[~positive]) + 0.5 * (row[positive, None] == row[~positive])

    variance = 0.0
    for axis in (0, 1):
        means = [np.mean([wins(row) for row in scores], axis=0).mean(axis=axis) for scores in (one, other)]
        variance += (np.array([1, -1]) @ np.cov(*means) @ [1, -1]) / (260 if axis == 0 else 40)
    for scale in (1.0, 3.0):
        error = training.difference_error(one, other, positive, np.full(300, scale))
        assert error == pytest.approx(np.sqrt(variance))


def test_the_losses_of_groups_in_batches_are_the_published_ones(script: Any) -> None:
    """Group DRO: the weighted mean over the groups. The contrastive loss: a sum over the companions of a row."""
    training = script("groups_training")
    loss = training.GroupDROLoss(3)
    value = loss(torch.tensor([1.0, 3.0, 5.0]), torch.tensor([0, 0, 2]))
    grown = np.exp(0.01 * np.array([2.0, 0.0, 5.0]))
    assert value.item() == pytest.approx(grown / grown.sum() @ [2, 0, 5], rel=1e-6)
    np.testing.assert_allclose(loss.weights.numpy(), grown / grown.sum(), rtol=1e-6)
    features, classes = np.random.default_rng(1).normal(size=(6, 3)), [0, 1, 0, 2, 1, 0]
    directions = features / np.linalg.norm(features, axis=1, keepdims=True)
    likeness, terms = np.exp(directions @ directions.T / 0.1), []
    for row in range(6):
        others = [other for other in range(6) if other != row]
        companions = [other for other in others if classes[other] == classes[row]]
        if companions:
            shares = [likeness[row, other] / likeness[row, others].sum() for other in companions]
            terms.append(-np.mean(np.log(shares)))
    contrastive = training.contrastive_loss(torch.tensor(features), torch.tensor(classes))
    assert len(terms) == 5 and contrastive.item() == pytest.approx(np.mean(terms))
