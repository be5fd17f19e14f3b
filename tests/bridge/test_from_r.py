"""Samplers of Python in a plain R session, through reticulate: one process of R tells of all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from pystrat import NegativePairBatchSampler, StratifiedBatchSampler
from pystrat.corpus import CorpusMixtureBatchSampler
from tests.bridge.foreign import LONG_TEXT, asymmetric
from tests.bridge.training import TRAIN, perplexity, prioritized, trained_in_python, weighted

HERE = Path(__file__).parent
SIZES = {"a": 30, "b": 60, "gold": 5, "news": 50}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for name, size in SIZES.items():
        (folder / f"{name}.txt").write_text("a line\n" * size, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def told(texts: Path, rscript: Callable[..., Any]) -> dict[str, Any]:
    (texts / "train.R").write_text(TRAIN, encoding="utf-8")
    files = (HERE / "foreign.py", texts / "train.R", texts)
    found: dict[str, Any] = rscript(HERE / "from_r.R", *files, RETICULATE_PYTHON=sys.executable)
    return found


def test_samplers_deliver_the_batches_of_python(told: dict[str, Any], texts: Path) -> None:
    stratified = StratifiedBatchSampler(["a"] * 3 + ["b"] * 8, 1, seed=1)
    assert told["stratified"] == [batch.tolist() for batch in stratified.batches(0)]
    assert told["epoch"] == stratified.batches(2).rows.tolist()
    assert told["class"] == ["batch_sampler_stratified", "batch_sampler_generator", "torch_sampler"]
    assert told["function"] == list(asymmetric())
    given: dict[str, Any] = {"rules": ["gold *", "a,b 20", "news 10"], "sample": 50, "suffixes": [".txt"]}
    mixture = CorpusMixtureBatchSampler(texts, 8, **given, seed=1)
    assert told["mixture"] == mixture.batches(0).rows.tolist()
    assert told["plan"] == mixture.plan()["drawn"].tolist() == [10, 20, 0, 15]


def test_numbers_of_pairs_cross_whole(told: dict[str, Any]) -> None:
    sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 5, n_users=10**6, n_items=10**9, seed=1)
    assert list(map(int, told["pairs"]["integers"])) == sampler.batches(0).rows.tolist()
    assert told["pairs"]["doubles"] == told["pairs"]["integers"]
    one = NegativePairBatchSampler([0], [1], 0.5, 2, seed=1)
    assert list(map(int, told["pairs"]["one"])) == one.batches(0).rows.tolist()


def test_training_with_feedback_sees_the_batches_of_python(told: dict[str, Any]) -> None:
    makers = {"weighted": weighted, "resumed": weighted, "prioritized": prioritized, "perplexity": perplexity}
    assert told["trained"] == {name: trained_in_python(make(), 2) for name, make in makers.items()}
    assert told["weights"] == [0.333333333333333] and told["importance"] == [1, 0.125]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("python", f"ValueError: {LONG_TEXT}"),
        ("no_length", "'sampler' parameter must have a length, unless 'n_batches' is given."),
        ("no_python", "The 'sampler' parameter must be a Python object. Got 3 instead."),
        ("no_count", "The 'n_batches' parameter must be a positive integer. Got 0.5 instead."),
    ],
)
def test_refusals_of_either_side_reach_r_whole(case: str, message: str, told: dict[str, Any]) -> None:
    assert message in told["refused"][case][0]
