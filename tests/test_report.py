"""Counts of the batches that a loader delivers, and their plots."""

from __future__ import annotations

import re
from typing import Any

import matplotlib
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


def sampler_of() -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 2, seed=1)


def test_the_counts_of_a_sampler_are_its_composition() -> None:
    table = batch_counts(sampler_of(), LABELS)
    pd.testing.assert_frame_equal(table, sampler_of().plan.composition())
    assert table.index.name == "batch" and list(table.columns) == ["no", "yes"]


@pytest.mark.parametrize("labels", [1, lambda batch: batch[1]])
def test_the_counts_of_a_loader_are_those_of_the_labels_it_delivers(labels: Any) -> None:
    codes = torch.tensor(LABELS == "yes").long()
    loader = DataLoader(TensorDataset(torch.arange(30), codes), batch_sampler=sampler_of())
    expected = sampler_of().plan.composition()
    expected.columns = pd.Index([0, 1])
    pd.testing.assert_frame_equal(batch_counts(loader, labels), expected)


def test_labels_found_by_name_in_batches_that_are_dictionaries() -> None:
    batches = [{"x": [1, 2], "y": ["b", "a"]}, {"x": [3], "y": ["b"]}]
    table = batch_counts(batches, "y")
    assert table.to_dict("list") == {"b": [1, 1], "a": [1, 0]}


@pytest.mark.parametrize(
    ("labels", "got"),
    [
        (["a", "a\0"], r"text with a NUL character, 'a\x00',"),
        ([True, 1], "a mix of kinds"),
        (["1", 1], "a mix of kinds"),
    ],
)
def test_labels_of_a_list_are_counted_as_they_are_and_not_as_numpy_makes_them(labels: list, got: str) -> None:
    with pytest.raises(TypeError, match=f"Got {re.escape(got)} instead"):
        batch_counts([labels], lambda batch: batch)


def test_the_count_is_of_what_comes_and_not_of_what_should() -> None:
    assert batch_counts([[0, 0, 29], [], [10]], LABELS).to_numpy().tolist() == [[3, 0], [0, 0], [0, 1]]


def test_several_columns_and_missing_labels_are_counted() -> None:
    table = batch_counts([[0, 1], [2, 3]], {"x": ["a", None, "a", "b"], "y": [1, 1, 1, 1]})
    assert table.to_dict("list") == {("a", 1): [1, 1], ("b", 1): [0, 1], (np.nan, 1): [1, 0]}


def test_no_batches_give_an_empty_table() -> None:
    assert batch_counts([], LABELS).shape == (0, 2)
    assert batch_counts([], 1).shape == (0, 0)


@pytest.mark.parametrize(
    ("batches", "labels", "error", "message"),
    [
        ([[0, 30]], LABELS, ValueError, "must have one value for each row of the dataset. Got 30 values and row 30"),
        ([[0, -1]], LABELS, ValueError, "Got 30 values and row -1 instead"),
        ([[0.5]], LABELS, TypeError, "must name the entry of a batch that holds its labels"),
        ([([1, 2], [3, 4])], LABELS, TypeError, "must name the entry of a batch that holds its labels"),
        ([{"x": [1]}], LABELS, TypeError, "must name the entry of a batch that holds its labels"),
        ([{"x": [1]}], "y", KeyError, "must name an entry of every batch. Got 'y' instead."),
        ([{"y": np.eye(2)}], "y", ValueError, "must give one label per row. Got an array of shape 2x2 instead."),
        ([([1], [1]), ([1], ["a"])], 1, TypeError, "a mix of kinds"),
        ([[[1], [2]]], 2, KeyError, "must name an entry of every batch. Got 2 instead."),
    ],
)
def test_labels_that_cannot_be_found_are_refused(batches: Any, labels: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        batch_counts(batches, labels)


def test_a_plot_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="'label' parameter must be a column of every table. Got 'yes' instead."):
        plot_batch_counts({}, "yes")
    table = pd.DataFrame({0: [1], 1: [2]})
    with pytest.raises(ValueError, match="be a column of every table, such as 0, 1. Got '1' instead."):
        plot_batch_counts({"plain": table}, "1")


def test_the_plot_of_a_plan_shows_the_fewest_and_the_most_rows_of_every_stratum() -> None:
    lengths = StratifiedBatchSampler(["a"] * 5 + ["b"] * 100, mean_batch_size=26).plan
    axis = plot_plan(lengths)
    assert lengths.composition().to_numpy().T.tolist() == [[1, 1, 1, 2], [25, 25, 25, 25]]
    light, dark = axis.images[0].get_array().tolist()
    assert light == [0.35, 0.35, 0.35, 1.0] and dark == [1.0] * 4
    scale = axis.figure.axes[1].get_yticklabels()
    assert [label.get_text() for label in scale] == ["no\nrows", "fewest\nrows", "most\nrows"]
    matplotlib.pyplot.close("all")


def test_the_plot_of_a_plan_of_equal_batches_has_one_color() -> None:
    axis = plot_plan(sampler_of().plan)
    assert axis.images[0].get_array().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == ["yes: 4 rows, 2 in a batch", "no: 26 rows, 13 in a batch"]
    assert axis.get_title() == "2 batches of 15 rows\nat least 2 rows of every stratum in each"
    matplotlib.pyplot.close("all")


def test_the_plot_of_a_plan_with_a_rare_stratum_says_that_it_is_not_in_every_batch() -> None:
    axis = plot_plan(StratifiedBatchSampler(["yes"] + ["no"] * 9, mean_batch_size=4, rare="allow").plan)
    assert axis.images[0].get_array().tolist() == [[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == ["yes: 1 row, 0 to 1 in a batch", "no: 9 rows, 3 in a batch"]
    assert [text.get_text() for text in axis.texts] == ["1", "0", "0", "3", "3", "3"], "the counts of few batches"
    assert not plot_plan(StratifiedBatchSampler(["yes", "no"] * 60, 1).plan).texts
    assert axis.get_title() == "3 batches of 3 to 4 rows\nnot every stratum in each"
    matplotlib.pyplot.close("all")


def test_the_plot_of_a_plan_of_bounds_shows_them_and_says_what_they_are() -> None:
    species = np.repeat(["cat", "dog", "hen", "owl"], [40, 25, 5, 2])
    plan = StrataSubsetBatchSampler(species, 2, 4, rare="allow").plan
    axis = plot_plan(plan, most=3)
    (lines,) = [collection for collection in axis.collections if hasattr(collection, "get_segments")]
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[2, 2], [5, 5], [4, 5]]
    fewest, most = [collection.get_offsets()[:, 0].tolist() for collection in axis.collections[1:]]
    assert (fewest, most) == ([2, 5, 4], [2, 5, 5])
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        "owl: 2 rows in 1 batch",
        "hen: 5 rows in 1 batch",
        "dog: 25 rows in 6 batches, 4 to 5 in each",
    ]
    assert axis.get_title() == plan.heading() == plan.summary().splitlines()[0]
    assert axis.get_xlabel() == "rows in a batch (and 1 larger stratum)"
    exact = plot_plan(StrataSubsetBatchSampler(species, 2, 4, rare="allow", exact=True).plan)
    labels = [label.get_text() for label in exact.get_yticklabels()]
    assert labels[0] == "owl: 2 rows, never sampled" and labels[2] == "dog: 25 rows in at most 6 batches, 4 in each"
    of_groups = StratifiedGroupBatchSampler(["no"] * 6 + ["yes"] * 3, 2, groups=[1, 1, 1, 2, 2, 2, 3, 3, 4])
    groups = plot_plan(of_groups.plan)
    assert [label.get_text() for label in groups.get_yticklabels()] == [
        "yes: 3 rows, 3 in a batch",
        "no: 6 rows, 6 in a batch",
    ]
    assert (
        groups.get_title() == "1 batch of 9 rows, groups together\nevery batch holds at least 3 rows of every stratum"
    )
    for axis in (axis, exact, groups):
        texts = axis.figure.findobj(matplotlib.text.Text)
        assert min(text.get_fontsize() for text in texts if text.get_text()) >= 9
    matplotlib.pyplot.close("all")


def test_the_plot_shows_every_batch_and_marks_those_without_the_label() -> None:
    plain = pd.DataFrame({"yes": [0, 3, 1, 0]})
    stratified = pd.DataFrame({"yes": [1, 1, 1, 1]})
    axes = plot_batch_counts({"plain": plain, "stratified": stratified}, "yes")
    assert axes.shape == (2, 2)
    held, without = (collection.get_offsets() for collection in axes[0, 0].collections)
    assert held[:, 1].tolist() == [3, 1] and without[:, 0].tolist() == [1, 4]
    assert axes[0, 0].get_title() == "plain\n4 batches, 2 without yes rows"
    assert axes[0, 1].get_title() == "stratified\n4 batches, none without yes rows"
    assert axes[0, 0].get_ylabel() == axes[1, 0].get_xlabel() == "yes rows per batch"
    assert not axes[0, 0].texts and axes[0, 1].texts[0].get_text() == "1 yes row in every batch"
    assert [bar.get_height() for bar in axes[1, 0].patches] == [2, 1, 0, 1]
    assert [bar.get_height() for bar in axes[1, 1].patches] == [0, 4, 0, 0]
    matplotlib.pyplot.close("all")


def test_the_plot_has_room_for_the_largest_count_whatever_the_order() -> None:
    tables = {"stratified": pd.DataFrame({"1": [2, 3]}), "plain": pd.DataFrame({"1": [0, 9]})}
    axes = plot_batch_counts(tables, "1")
    assert all(axis.get_ylim()[1] > 9 for axis in axes[0])
    assert axes[0, 0].texts[0].get_text() == "2 to 3 '1' rows in every batch"
    matplotlib.pyplot.close("all")


def test_no_text_in_a_plot_is_smaller_than_nine_points() -> None:
    axes = plot_batch_counts({"plain": pd.DataFrame({"yes": [0, 3, 1, 0]})}, "yes")
    plan = plot_plan(sampler_of().plan)
    for figure in (axes[0, 0].figure, plan.figure):
        texts = figure.findobj(matplotlib.text.Text)
        assert min(text.get_fontsize() for text in texts if text.get_text()) >= 9
    matplotlib.pyplot.close("all")
