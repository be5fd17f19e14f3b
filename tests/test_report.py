"""Counts of the batches that a loader delivers, and their plots."""

from __future__ import annotations

import re
from typing import Any, Iterator

import matplotlib
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from pystrat import (
    StrataSubsetBatchSampler,
    StratifiedBatchSampler,
    StratifiedGroupBatchSampler,
    batch_counts,
    plot_batch_counts,
    plot_plan,
)

matplotlib.use("Agg")

LABELS = np.repeat(["no", "yes", "no"], [10, 4, 16])
SPECIES = np.repeat(["cat", "dog", "hen", "owl"], [40, 25, 5, 2])


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    matplotlib.pyplot.close("all")


def sampler_of() -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 2, seed=1)


# Counts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [1, lambda batch: batch[1]])
def test_the_counts_are_those_of_what_a_sampler_or_a_loader_delivers(labels: Any) -> None:
    expected = sampler_of().plan.composition()
    sampler = sampler_of()
    table = batch_counts(sampler, LABELS)
    assert sampler.epoch == 0, "the counted epoch is not used up"
    pd.testing.assert_frame_equal(table, expected)
    assert table.index.name == "batch" and list(table.columns) == ["no", "yes"]
    codes = torch.tensor(LABELS == "yes").long()
    loader = DataLoader(TensorDataset(torch.arange(30), codes), batch_sampler=sampler_of())
    expected.columns = pd.Index([0, 1])
    pd.testing.assert_frame_equal(batch_counts(loader, labels), expected)
    with pytest.raises(ValueError, match="'labels' .* must have as many rows as the sampler was made for, 30. Got 31"):
        batch_counts(sampler_of(), [*LABELS, LABELS[0]])
    assert batch_counts([[0, 0, 29], [], [10]], LABELS).to_numpy().tolist() == [[3, 0], [0, 0], [0, 1]]
    assert batch_counts([], LABELS).shape == (0, 2) and batch_counts([], 1).shape == (0, 0)


def test_labels_have_names_several_columns_or_missing_values() -> None:
    batches = [{"x": [1, 2], "y": ["b", "a"]}, {"x": [3], "y": ["b"]}]
    assert batch_counts(batches, "y").to_dict("list") == {"b": [1, 1], "a": [1, 0]}
    table = batch_counts([[0, 1], [2, 3]], {"x": ["a", None, "a", "b"], "y": [1, 1, 1, 1]})
    assert table.to_dict("list") == {("a", 1): [1, 1], ("b", 1): [0, 1], (np.nan, 1): [1, 0]}


@pytest.mark.parametrize(
    ("batches", "labels", "error", "message"),
    [
        ([[0, 30]], LABELS, ValueError, "must hold row positions from 0 to 29. Got 30 instead"),
        ([[0, -1]], LABELS, ValueError, "Got -1 instead"),
        ([[0.5]], LABELS, TypeError, "must name the entry of a batch that holds its labels"),
        ([{"x": [1]}], LABELS, TypeError, "must name the entry of a batch that holds its labels"),
        ([{"x": [1]}], "y", KeyError, "'y'"),
        ([{"y": np.eye(2)}], "y", TypeError, "must give one label per row. Got an array of shape 2x2 instead."),
        ([([1], [1]), ([1], ["a"])], 1, TypeError, "a mix of kinds"),
        ([([1], np.array([1])), ([1], np.array(["a"]))], 1, TypeError, "a mix of kinds"),
        # Labels of a list are counted as they are, and not as numpy makes them.
        *(
            ([values], lambda batch: batch, TypeError, f"Got {re.escape(got)} instead")
            for values, got in (
                (["a", "a\0"], r"text with a NUL character, 'a\x00',"),
                ([True, 1], "a mix of kinds"),
                (["1", 1], "a mix of kinds"),
            )
        ),
    ],
)
def test_labels_that_cannot_be_counted_are_refused(batches: Any, labels: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        batch_counts(batches, labels)


# Plots ----------------------------------------------------------------------------------------------------------------


def labels_of(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_yticklabels()]


def test_the_plot_of_a_plan_is_a_heat_map_of_the_rows_of_every_stratum() -> None:
    lengths = StratifiedBatchSampler(["a"] * 5 + ["b"] * 100, mean_batch_size=26).plan
    axis = plot_plan(lengths)
    assert lengths.composition().to_numpy().T.tolist() == [[1, 1, 1, 2], [25, 25, 25, 25]]
    assert axis.images[0].get_array().tolist() == [[0.35, 0.35, 0.35, 1.0], [1.0] * 4]
    assert labels_of(axis.figure.axes[1]) == ["no\nrows", "fewest\nrows", "most\nrows"]
    axis = plot_plan(StratifiedBatchSampler(["yes"] + ["no"] * 9, mean_batch_size=4, rare="allow").plan)
    assert axis.images[0].get_array().tolist() == [[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    assert labels_of(axis) == ["yes: 1 row, 0 to 1 in a batch", "no: 9 rows, 3 in a batch"]
    assert [text.get_text() for text in axis.texts] == ["1", "0", "0", "3", "3", "3"], "the counts of few batches"
    assert not plot_plan(StratifiedBatchSampler(["yes", "no"] * 60, 1).plan).texts


def test_the_plot_of_bounds_has_a_column_for_each() -> None:
    plan = StrataSubsetBatchSampler(SPECIES, 2, 4, rare="allow").plan
    axis = plot_plan(plan, most=3)
    assert [text.get_text() for text in axis.texts] == ["2", "2", "5", "5", "4", "5"]
    assert labels_of(axis)[0] == "owl: 2 rows, 2 in a batch"
    assert [label.get_text() for label in axis.get_xticklabels()] == ["fewest", "most"]
    assert axis.get_title() == plan.heading == plan.summary().splitlines()[0]
    assert axis.get_xlabel() == "batch (and 1 larger stratum)"
    groups = StratifiedGroupBatchSampler(["no"] * 6 + ["yes"] * 3, 2, groups=[1, 1, 1, 2, 2, 2, 3, 3, 4])
    axis = plot_plan(groups.plan)
    assert labels_of(axis) == ["yes: 3 rows, 3 in a batch", "no: 6 rows, 6 in a batch"]
    assert axis.get_title() == "1 batch of 9 rows, groups together\nevery batch holds at least 3 rows of every stratum"


def test_the_plot_of_counts_shows_every_batch_and_marks_those_without_the_label() -> None:
    axes = plot_batch_counts(
        {"plain": pd.DataFrame({"yes": [0, 3, 1, 0]}), "stratified": pd.DataFrame({"yes": [1, 1, 1, 1]})}, "yes"
    )
    assert axes.shape == (2, 2)
    held, without = (collection.get_offsets() for collection in axes[0, 0].collections)
    assert held[:, 1].tolist() == [3, 1] and without[:, 0].tolist() == [1, 4]
    assert axes[0, 0].get_title() == "plain\n4 batches, 2 without yes rows"
    assert axes[0, 1].get_title() == "stratified\n4 batches, none without yes rows"
    assert axes[0, 0].get_ylabel() == axes[1, 0].get_xlabel() == "yes rows per batch"
    assert [[bar.get_height() for bar in axis.patches] for axis in axes[1]] == [[2, 1, 0, 1], [0, 4, 0, 0]]
    axes = plot_batch_counts({"stratified": pd.DataFrame({"1": [2, 3]}), "plain": pd.DataFrame({"1": [0, 9]})}, "1")
    assert all(axis.get_ylim()[1] > 9 for axis in axes[0]), "room for the largest count, whatever the order"
