"""The study trains many networks at once, as each would be alone, and an interrupted run continues exactly."""

from __future__ import annotations

import importlib
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from tests.levels import some_of

FOLDER = Path(__file__).parents[2] / "benchmarks" / "study"
N_STEPS = 30


@pytest.fixture(name="module", scope="module")
def _module() -> Any:
    """Return a function that imports a module of the study."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield importlib.import_module


def _data_set(module: Callable[[str], Any], task: str) -> Any:
    generator = np.random.default_rng(1)
    n_classes = 4 if task == "classes" else 2
    strata = np.sort(generator.integers(0, n_classes, 240))[generator.permutation(240)]
    strata[generator.random(240) < 0.7] = 0
    features = (generator.normal(size=(240, 5)) + strata[:, None] * [1, 0, 0.5, 0, -1]).astype(np.float32)
    return module("data").DataSet("made", task, features, strata.astype(np.float32), strata)


def _training(module: Callable[[str], Any], loss: str, kind: str, size: int = 16) -> Any:
    found = _data_set(module, "classes" if loss == "contrastive" else "binary")
    training = module("training")
    return training.Training(training.Cell("made", loss, kind, size, 0), found, found.splits(), N_STEPS)


def _alone(module: Callable[[str], Any], loss: str, kind: str, place: int, rate: float) -> Any:
    """Train one network with torch's own layers and optimizer, on the batches of a DataLoader."""
    found = _data_set(module, "classes" if loss == "contrastive" else "binary")
    split = found.splits()[place]
    rows = torch.from_numpy(found.features[split.train])
    inputs = ((rows - rows.mean(0)) / rows.std(0)).clamp(-5, 5)
    target = torch.from_numpy(found.target[split.train])
    made = module("batches").KINDS[kind](found.strata[split.train], 16, place)
    weights = torch.ones(len(rows)) if made.weights is None else torch.from_numpy(made.weights).float()
    n_outputs = found.n_strata if found.task == "classes" else 1
    network = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.ReLU(), torch.nn.Linear(32, n_outputs))
    networks = module("networks")
    first = networks.Networks(5, 32, n_outputs, seeds=[place], rates=[rate])
    with torch.no_grad():
        for parameter, values in zip(network.parameters(), networks.weights_of(first, 0, 0)):
            parameter.copy_(values)
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(inputs, target, weights), batch_sampler=made.sampler
    )
    step = 0
    while step < N_STEPS:
        for x, y, weight in loader:
            if step < N_STEPS and not (loss == "AUM" and y.unique().numel() < 2):
                optimizer.zero_grad()
                _loss_alone(loss, network, x, y, weight).backward()
                optimizer.step()
            step += 1
    return [parameter.detach() for parameter in network.parameters()]


def _loss_alone(loss: str, network: Any, x: Any, y: Any, weight: Any) -> Any:
    outputs = network(x)
    if loss == "AUM":
        from pystrat.losses import AUMLoss

        return AUMLoss()(outputs, y)
    if loss == "pairwise":
        scores = outputs[:, 0]
        return ((1 - (scores[y == 1][:, None] - scores[y == 0][None])) ** 2).mean()
    if loss == "cross-entropy":
        losses = torch.nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], y, reduction="none")
        return (losses * weight).sum() / weight.sum()
    points = torch.nn.functional.normalize(network[1](network[0](x)), dim=-1)
    similar, terms = points @ points.T / 0.2, []
    for row in range(len(y)):
        others = [other for other in range(len(y)) if other != row]
        if same := [other for other in others if y[other] == y[row]]:
            terms.append((similar[row, others].logsumexp(0) - similar[row, same]).mean())
    return torch.nn.functional.cross_entropy(outputs, y.long()) + sum(terms) / max(len(terms), 1)


TRAININGS = [
    ("cross-entropy", "downsampled"),
    ("AUM", "plain"),
    ("AUM", "weighted"),
    ("pairwise", "over"),
    ("contrastive", "stratified"),
]


@pytest.mark.parametrize("loss, kind", some_of(TRAININGS, 3))
def test_networks_that_are_trained_at_once_are_those_that_are_trained_alone(
    module: Callable[[str], Any], loss: str, kind: str
) -> None:
    training = _training(module, loss, kind)
    training.run()
    for place, rate in ((0, 0), (3, 1)):
        alone = _alone(module, loss, kind, place, module("training").RATES[rate])
        together = module("networks").weights_of(training.networks, place, rate)
        if loss in module("objectives").RANKING:
            # The last bias has a gradient of 0, of which Adam makes steps in the direction of its rounding error.
            alone, together = alone[:-1], together[:-1]
        for one, other in zip(alone, together):
            torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-4)


@given(
    outputs=st.lists(st.integers(-3, 3), min_size=4, max_size=40),
    data=st.data(),
)
def test_measures_are_those_of_scikit_learn(module: Callable[[str], Any], outputs: list[int], data: Any) -> None:
    n_rows = len(outputs)
    positive = np.array(data.draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
    positive[:2] = [True, False]
    scores = np.array(outputs, dtype=float)
    measures = module("measures")
    auc, precision = measures.ranking(scores[:, None], positive.astype(int))
    assert auc == pytest.approx(metrics.roc_auc_score(positive, scores))
    assert precision == pytest.approx(metrics.average_precision_score(positive, scores))
    shares = measures.probabilities(scores[:, None])
    assert measures.log_loss(shares, positive.astype(int)) == pytest.approx(metrics.log_loss(positive, shares))
    predicted = shares.argmax(axis=1)
    recalls = metrics.recall_score(positive, predicted, average=None, zero_division=0)
    assert measures.worst_recall(shares, positive.astype(int)) == pytest.approx(recalls.min())


def test_a_run_continues_with_the_cells_that_have_no_results(
    module: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run, data, analyze = module("run_study"), module("data"), module("analyze")
    for reader in (run, analyze):
        monkeypatch.setattr(reader, "RESULTS", tmp_path / "results.csv.gz")
    monkeypatch.setattr(run, "SIZES", tmp_path / "sizes.csv")
    monkeypatch.setattr(data, "PREPARED", tmp_path)
    monkeypatch.setattr(data, "catalog", lambda: [data.Entry("made", "binary", "", "", "", "", "")])
    monkeypatch.setattr(data, "load", lambda entry: _data_set(module, entry.task))
    monkeypatch.setattr(run, "time", SimpleNamespace(monotonic=count(step=10).__next__))
    arguments = ["--steps", "3", "--seeds", "1", "--batch-sizes", "16"]
    run.main([*arguments, "--minutes", "1"])
    begun = run.read()
    assert 0 < len(begun) < 10 * len(run.cells(data.catalog(), {16: 1}))
    run.main(arguments)
    finished = run.read()
    assert finished[: len(begun)] == begun
    assert set(run.done_cells(3)) == set(run.cells(data.catalog(), {16: 1}))
    assert run.read_sizes()["made"]["rows"] == "240"
    run.main(arguments)
    assert run.read() == finished
    assert not list(run.done_cells(4))
    assert len(analyze.results(3)) == sum(line["rate"] != "" for line in finished)
    assert analyze.results(4).empty
