"""Rows with several labels in R: the same recipe from the same call, the same rows, the same errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pandas as pd
import pytest

import rbridge
from pystrat import MultilabelBatchSampler, PerLabelBatchSampler
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe

TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})


def random_labels(n_rows: int, n_labels: int, seed: int, most: float = 0.3) -> pd.DataFrame:
    draws = np.random.default_rng(seed).random((n_rows, n_labels))
    names = [f"label {place}" for place in range(n_labels)]
    return pd.DataFrame((draws < np.geomspace(0.05, most, n_labels)).astype(np.int32), columns=names)


def in_r(r: Session, labels: pd.DataFrame) -> Any:
    """Return the labels as a data.frame of R."""
    columns = r.named_list(**{name: labels[name].to_numpy(dtype=np.int32) for name in labels.columns})
    names = r.rinterface.StrSexpVector(list(labels.columns))
    base = r.rinterface.baseenv
    return base["structure"](base["as.data.frame"](columns), names=names)


def rows_in_r(r: Session, generator: Any, epoch: int) -> list[list[int]]:
    instance = r.call_function(generator, None)
    return [as_array(part).tolist() for part in r.call_function(instance["batches"], epoch)]


@pytest.mark.parametrize(
    ("labels", "settings"),
    [
        (random_labels(300, 4, seed=1), {"min_samples_per_label": 1}),
        (random_labels(300, 4, seed=2), {"min_samples_per_label": 2, "shuffle": False}),
        (random_labels(900, 6, seed=3), {"min_samples_per_label": 2, "num_replicas": 3, "max_batches": 8}),
        (random_labels(400, 20, seed=4, most=0.6), {"min_samples_per_label": 1, "rare": "allow"}),
        (random_labels(200, 70, seed=5, most=0.6), {"min_samples_per_label": 1, "rare": "allow"}),
        (random_labels(60, 3, seed=6, most=0.6), {"min_samples_per_label": 100, "rare": "allow"}),
        (random_labels(60, 3, seed=6, most=0.6), {"min_samples_per_label": 1e20, "rare": "allow"}),
        (TRIANGLE, {"min_samples_per_label": 1, "rare": "allow"}),
        (random_labels(900, 6, seed=3), {"mean_batch_size": 60, "num_replicas": 3}),
        (random_labels(400, 20, seed=4, most=0.6), {"mean_batch_size": 7, "rare": "allow"}),
    ],
    ids=[
        "plain",
        "in order",
        "replicas",
        "crowded",
        "many sets",
        "too few",
        "far too few",
        "triangle",
        "size",
        "small",
    ],
)
def test_r_makes_the_same_recipe_and_assigns_the_same_rows(
    labels: pd.DataFrame, settings: dict[str, Any], r: Session, base: Any
) -> None:
    sampler = MultilabelBatchSampler(labels, seed=5, **settings)
    generator = r.call("batch_sampler_multilabel", in_r(r, labels), seed=5, **settings)
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        assert list(base["class"](made))[0] == "batch_sampler_multilabel"
        for epoch in (0, 1, 2, 6_700_000):
            expected = sampler.batches(epoch)
            assert rows_in_r(r, made, epoch) == [(expected.rows + 1).tolist(), expected.offsets.tolist()]
    instance = r.call_function(generator, None)
    counts = r.call_function(instance["label_counts"], 1)
    assert list(counts.names) == list(labels.columns)
    assert np.array_equal(np.stack([as_array(column) for column in counts], axis=1), sampler.label_counts(1))
    found = r.call_function(instance["shortfalls"], 1)
    expected_shortfalls = sampler.shortfalls(1)
    assert [list(found[place]) for place in (0, 2, 3)] == [
        (expected_shortfalls["batch"] + 1).tolist(),
        expected_shortfalls["rows"].tolist(),
        expected_shortfalls["missing"].tolist(),
    ]
    assert list(found[1]) == expected_shortfalls["label"].tolist()


def test_more_than_255_label_sets_cross_as_integers(r: Session) -> None:
    labels = random_labels(2000, 12, seed=1, most=0.7)
    sampler = MultilabelBatchSampler(labels, 1, seed=5)
    assert sampler._recipe().parts["codes"].dtype == np.int32
    assert_same_recipe(r, sampler, r.call("batch_sampler_multilabel", in_r(r, labels), 1, seed=5))


def test_a_real_torch_dataloader_in_r_delivers_the_same_rows() -> None:
    sampler = MultilabelBatchSampler(random_labels(300, 4, seed=1), 1, seed=5)
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(sampler), n_rows=300)
    expected = sampler.batches(0)
    assert delivered.rows.tolist() == expected.rows.tolist()
    assert delivered.offsets.tolist() == expected.offsets.tolist()


def test_an_exported_sampler_gives_the_same_rows_without_python(tmp_path: Path, rscript: Callable[..., str]) -> None:
    sampler = MultilabelBatchSampler(random_labels(300, 4, seed=1), 1, seed=5)
    script = rbridge.export_r(sampler, tmp_path / "labels.R")
    printed = rscript(f"""cat(source("{script}")$value(NULL)$batches(2)$rows)""", RETICULATE_PYTHON="nowhere")
    assert [int(row) - 1 for row in printed.split()] == sampler.batches(2).rows.tolist()


def test_a_dataset_of_another_number_of_rows_is_refused() -> None:
    generator = rbridge.as_torch_sampler(MultilabelBatchSampler(random_labels(300, 4, seed=1), 1, seed=5))
    with pytest.raises(rbridge.RError, match="have as many rows as the sampler was made for, 300. Got 301 rows"):
        rbridge.collect_rows(generator, n_rows=301)


@pytest.mark.parametrize(
    "settings",
    [
        {"min_samples_per_label": 0},
        {"max_batches": 1.5},
        {"rare": "ok"},
        {"shuffle": 1.0},
        {"num_replicas": 3},
        {"num_replicas": 2},
        {"min_samples_per_label": 3},
        {"min_samples_per_label": 1e20},
        {"seed": -1},
    ],
    ids=str,
)
def test_what_python_refuses_r_refuses_in_the_same_words(settings: dict[str, Any], r: Session) -> None:
    given = {"min_samples_per_label": 1, **settings}
    with pytest.raises((TypeError, ValueError)) as refused:
        MultilabelBatchSampler(TRIANGLE, **given)
    with pytest.raises(rbridge.RError) as refused_in_r:
        r.call("batch_sampler_multilabel", in_r(r, TRIANGLE), **given)
    assert str(refused_in_r.value) == str(refused.value).replace("MultilabelBatchSampler", "batch_sampler_multilabel")


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_a_refusal_names_the_number_of_batches_that_works_in_both_languages(replicas: int, r: Session) -> None:
    labels = pd.DataFrame(np.random.default_rng(1).random((400, 12)) < 0.5).add_prefix("l")
    with pytest.raises(ValueError) as refused:
        MultilabelBatchSampler(labels, 1, num_replicas=replicas)
    with pytest.raises(rbridge.RError) as refused_in_r:
        r.call("batch_sampler_multilabel", in_r(r, labels), 1, num_replicas=replicas)
    batch = int(str(refused.value).split("batches: batch ")[1].split()[0])
    expected = str(refused.value).replace(f"batch {batch} lacks", f"batch {batch + 1} lacks")
    assert str(refused_in_r.value) == expected.replace("MultilabelBatchSampler", "batch_sampler_multilabel")


def test_r_warns_of_a_shortfall_with_batches_counted_from_1(r: Session) -> None:
    with pytest.warns(UserWarning, match="^batch 1 lacks 1 row of label 'c', in the order of the dataset.$"):
        r.call("batch_sampler_multilabel", in_r(r, TRIANGLE), 1, rare="warn")


@pytest.mark.parametrize(
    "settings",
    [{}, {"labels_per_batch": 2, "n_batches": 7}, {"labels_per_batch": 1, "num_replicas": 2}],
    ids=["all labels", "some", "replicas"],
)
def test_positives_and_negatives_of_each_label(settings: dict[str, Any], r: Session, base: Any) -> None:
    labels = random_labels(300, 4, seed=1)
    sampler = PerLabelBatchSampler(labels, 2, 5, seed=5, **settings)
    generator = r.call("batch_sampler_per_label", in_r(r, labels), 2, 5, seed=5, **settings)
    for made in (generator, rbridge.as_torch_sampler(sampler)):
        assert_same_recipe(r, sampler, made)
        assert list(base["class"](made))[0] == "batch_sampler_per_label"
        for epoch in (0, 1, 6_700_000):
            expected = sampler.batches(epoch)
            assert rows_in_r(r, made, epoch) == [expected.rows.tolist(), expected.offsets.tolist()]


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n_batches", [None, 7])
def test_weights_of_positives_and_negatives_in_r(n_batches: Optional[int], normalize: bool, r: Session) -> None:
    labels = random_labels(300, 4, seed=1)
    sampler = PerLabelBatchSampler(labels, 2, 5, labels_per_batch=3, n_batches=n_batches, seed=5)
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    table = r.call_function(instance["class_weights"], normalize)
    of_signs = dict(zip(table.names, table))
    expected = sampler.class_weights(normalize=normalize)
    assert list(of_signs["label"]) == list(expected.index)
    for sign in ("positives", "negatives"):
        assert as_array(of_signs[sign]).tolist() == expected[sign].tolist()
    numbers = sampler.batches(3).rows
    of_numbers = as_array(r.call_function(instance["weights"], numbers.astype(np.float64), normalize))
    assert of_numbers.tolist() == sampler.weights(numbers, normalize=normalize).tolist()
    assert len(set(of_numbers)) > 4
