"""The multilabel sampler: every row once, every minimum kept or its failure reported, against all possibilities."""

from __future__ import annotations

import re
from collections import UserList
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pystrat import MultilabelBatchSampler

# Three labels, two rows each, every row with two labels: no two batches hold all labels.
TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})


def sampler_of(labels: Any, minimum: int = 1, **parameters: Any) -> MultilabelBatchSampler:
    return MultilabelBatchSampler(labels, minimum, **{"seed": 1, **parameters})


def refused(*arguments: Any, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        MultilabelBatchSampler(*arguments, **parameters)
    return str(error.value)


def is_possible(labels: np.ndarray, n_batches: int, minimum: int) -> bool:
    """Try every assignment, batches that hold the same taken for one."""
    rows = [tuple(map(int, row)) for row in labels]

    @lru_cache(maxsize=None)
    def can_finish(row: int, held: tuple[tuple[int, ...], ...]) -> bool:
        if row == len(rows):
            return all(count == minimum for batch in held for count in batch)
        for place in range(n_batches):
            batch = tuple(min(minimum, count + has) for count, has in zip(held[place], rows[row]))
            if can_finish(row + 1, tuple(sorted(held[:place] + (batch,) + held[place + 1 :]))):
                return True
        return False

    return can_finish(0, ((0,) * labels.shape[1],) * n_batches)


matrices = st.integers(1, 4).flatmap(
    lambda n_labels: st.lists(st.lists(st.booleans(), min_size=n_labels, max_size=n_labels), min_size=1, max_size=60)
)


# Guarantees -----------------------------------------------------------------------------------------------------------


@given(matrices, st.integers(1, 3), st.integers(0, 2**31 - 2), st.integers(0, 3), st.booleans())
def test_every_row_once_no_batch_empty_and_exactly_the_shortfalls_that_are_told(
    rows: list[list[bool]], minimum: int, seed: int, epoch: int, shuffle: bool
) -> None:
    labels = np.array(rows)
    if not labels.any(axis=0).all():
        return
    sampler = sampler_of(labels, minimum, seed=seed, rare="allow", shuffle=shuffle)
    batches = sampler.batches(epoch)
    assert len(batches) == len(sampler) == max(1, labels.sum(axis=0).min() // minimum)
    assert np.array_equal(np.sort(batches.rows), np.arange(len(labels))) and all(len(batch) for batch in batches)
    held = np.array([labels[batch].sum(axis=0) for batch in batches])
    assert np.array_equal(sampler.label_counts(epoch), held)
    told = [tuple(row) for row in sampler.shortfalls(epoch).itertuples(index=False)]
    assert told == [
        (batch, label, held[batch, label], minimum - held[batch, label]) for batch, label in np.argwhere(held < minimum)
    ]
    in_order = sampler_of(labels, minimum, rare="allow", shuffle=False).shortfalls(0)
    assert sum(row[3] for row in told) <= in_order["missing"].sum(), "never more than in the order of the dataset"


@pytest.mark.parametrize("minimum", [1, 2])
def test_what_is_impossible_is_told_and_of_what_is_possible_nearly_all_is_found(minimum: int) -> None:
    found, possible = 0, 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        labels = random.random((random.integers(4, 12), random.integers(2, 5))) < random.uniform(0.2, 0.7)
        n_batches = int(labels.sum(axis=0).min()) // minimum
        if not 2 <= n_batches <= 5:
            continue
        kept = sampler_of(labels, minimum, rare="allow").shortfalls(0).empty
        assert is_possible(labels, n_batches, minimum) or not kept
        found, possible = found + kept, possible + is_possible(labels, n_batches, minimum)
    assert possible > 20 and found >= possible - 1


# Label 0 includes 1 and 2, 1 includes 3 and 4; or each row has one label at most.
NESTED = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1]]


@given(
    st.sampled_from([np.array(NESTED), np.eye(5, dtype=int)]),
    st.lists(st.integers(0, 5), min_size=1, max_size=120),
    st.integers(1, 4),
    st.booleans(),
)
def test_rows_with_at_most_one_label_and_nested_labels_lack_nothing(
    sets: np.ndarray, leaves: list[int], minimum: int, shuffle: bool
) -> None:
    labels = np.vstack([sets, np.zeros((1, 5), dtype=int)])[leaves]
    labels = labels[:, labels.any(axis=0)]
    if labels.shape[1] and labels.sum(axis=0).min() >= minimum:
        assert MultilabelBatchSampler(labels, minimum, seed=1, shuffle=shuffle).shortfalls(0).empty


def test_where_an_epoch_finds_no_way_the_batches_of_the_dataset_are_filled_anew() -> None:
    labels = np.random.default_rng(38).random((60, 5)) < 0.5  # tight: 14 batches of 4 or 5 rows, 2 of each label

    def label_sets(batches: Any) -> list[list[tuple]]:
        return [sorted(map(tuple, labels[batch])) for batch in batches]

    sampler = sampler_of(labels, 2)
    planned = label_sets(sampler_of(labels, 2, shuffle=False).batches(0))
    epochs = [sampler.batches(epoch) for epoch in range(30)]
    assert 2 <= sum(label_sets(epoch) == planned for epoch in epochs) < 30
    assert len({tuple(epoch.rows.tolist()) for epoch in epochs}) == 30, "with other rows each time"
    assert all(sampler.shortfalls(epoch).empty for epoch in range(30))


def test_a_label_with_fewer_rows_than_batches_is_in_other_batches_each_epoch() -> None:
    labels = np.zeros((40, 2), dtype=bool)
    labels[[3, 30], 0] = True
    labels[::2, 1] = True
    sampler = MultilabelBatchSampler(labels, mean_batch_size=5, rare="allow", seed=1)
    seen = np.zeros(len(sampler), dtype=np.int64)
    for epoch in range(200):
        held = sampler.label_counts(epoch).to_numpy()
        assert held.tolist() == [labels[batch].sum(axis=0).tolist() for batch in sampler.batches(epoch)]
        seen += held[:, 0]
    assert len(seen) == 8 and (abs(seen - 50) < 4 * 50**0.5).all()


def test_known_batches() -> None:
    """Printed once: the batches of a seed and an epoch do not change from version to version."""
    sampler = sampler_of([[row % 2, row % 3 == 0] for row in range(12)], 2)
    assert list(sampler) == [[8, 3, 6, 1, 2, 5], [0, 4, 7, 10, 11, 9]]


# The forms of labels --------------------------------------------------------------------------------------------------


def test_each_value_of_text_or_categories_is_a_label_in_order_of_first_appearance() -> None:
    sex, site = ["m", "f"] * 30, ["west", "east", "east"] * 20
    labels = pd.DataFrame(
        {"sex": sex, "site": pd.Categorical(site, ["east", "none", "west"]), "sick": [0, 0, 0, 1] * 15}
    )
    values = [("sex", "m"), ("sex", "f"), ("site", "west"), ("site", "east")]
    by_hand = pd.DataFrame({f"{name}={value}": labels[name] == value for name, value in values})
    by_hand["sick"] = labels["sick"]
    sampler = sampler_of(labels, 3, max_batches=4)
    assert sampler.labels == tuple(by_hand)
    assert sampler.batches(0).rows.tolist() == sampler_of(by_hand, 3, max_batches=4).batches(0).rows.tolist()
    assert sampler_of(np.array([sex, site]).T, 3).labels == ("0=m", "0=f", "1=west", "1=east")


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([("cat", "dog"), ("dog",), ()], ("cat", "dog")),
        ([{"dog", "cat"}, {"dog"}, set()], ("cat", "dog")),
        (UserList([["cat", "dog"], ["dog"], []]), ("cat", "dog")),
        (pd.Series([["cat", "dog"], ["dog"], []], index=[7, 8, 9]), ("cat", "dog")),
        ([{17, 3}, frozenset([17]), set()], (3, 17)),
        (pd.DataFrame({"pet": [["cat", "dog"], ["dog"], []]}), ("pet=cat", "pet=dog")),
    ],
)
def test_rows_may_list_their_labels(rows: Any, names: tuple[Any, ...]) -> None:
    sampler, expected = (sampler_of(labels, rare="allow") for labels in (rows, [[1, 1], [0, 1], [0, 0]]))
    assert sampler.labels == names and sampler.batches(0).rows.tolist() == expected.batches(0).rows.tolist()


VALUES = "hold 0 and 1, or text. Got "


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("text", "be a matrix with one row per row of the dataset. Got 'text' instead."),
        ([[1], [1, 0]], "be a matrix with one row per row of the dataset. Got 1 dimension instead."),
        (np.ones((0, 2)), "have at least one row. Got 0 rows instead."),
        (np.ones((2, 0)), "have at least one column. Got 0 columns instead."),
        ([[1, 0], [3, 1], [1, 2]], VALUES + "3 in column '0' instead. Use 1 for rows that have"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), VALUES + "NaN in column 'a' inst"),
        ([["1", "0"]], VALUES + "the text '1' instead. Turn the column into numbers."),
        (pd.DataFrame({"a": ["1", "0"]}), VALUES + "the text '1' in column 'a' instead. Turn the"),
        ([["cat", None]], "have no missing values. Got 1 missing of 2 rows instead."),
        ([["cat"], "dog"], "have a list or a set of labels for each row. Got 'dog' instead. Give a row without labels"),
        ([[3, 17], [3]], "be a matrix with one row per row of the dataset. Got 1 dimension instead. Labels that are"),
        (pd.DataFrame({"a": [pd.Timestamp(0)]}), VALUES + "datetime64[ns] values in column 'a'"),
        (pd.DataFrame({"a": [1, 1], "b": [0, 0]}), "have a row of every label. Got no row of label 'b' instead. Leave"),
    ],
)
def test_refused_labels(labels: Any, message: str) -> None:
    assert f"The 'labels' parameter must {message}" in refused(labels, 1, seed=1)


def test_tables_have_the_columns_that_the_user_passed() -> None:
    of_numbers = sampler_of(pd.DataFrame({7: [1, 0] * 4, 3: [0, 1] * 4}), 2)
    assert list(of_numbers.label_counts(0).columns) == [7, 3] and of_numbers.label_counts(0)[3].min() == 2
    columns = pd.MultiIndex.from_tuples([("sky", "rain"), ("sky", "sun")])
    of_tuples = sampler_of(pd.DataFrame([[1, 0], [0, 1]] * 4, columns=columns), 2)
    assert of_tuples.label_counts(0)[("sky", "sun")].tolist() == [2, 2]
    lacking = sampler_of(pd.DataFrame([[1, 1], [0, 1]], columns=[7, 3]), 2, rare="allow").shortfalls(0)
    assert lacking["label"].tolist() == [7]


# A mean batch size, and what to do about a shortfall ------------------------------------------------------------------


@given(matrices, st.integers(1, 40), st.integers(1, 3))
def test_a_mean_batch_size_determines_the_batches_and_a_minimum_that_is_kept(
    rows: list[list[bool]], mean: int, replicas: int
) -> None:
    labels = np.array(rows)
    if not labels.any(axis=0).all():
        return
    n_batches = max(1, (2 * len(labels) + mean) // (2 * mean)) // replicas * replicas
    shared: dict[str, Any] = {"num_replicas": replicas, "seed": 1}
    try:
        sampler = MultilabelBatchSampler(labels, mean_batch_size=mean, **shared)
    except ValueError as error:
        if "num_replicas" not in str(error):
            allowed = MultilabelBatchSampler(labels, mean_batch_size=mean, rare="allow", **shared)
            assert len(allowed) == n_batches and allowed.min_samples_per_label == 1
        return
    minimum, most = sampler.min_samples_per_label, int(labels.sum(axis=0).min()) // n_batches
    assert len(sampler) == n_batches and 1 <= minimum <= most
    for epoch in range(3):
        assert all((labels[batch].sum(axis=0) >= minimum).all() for batch in sampler.batches(epoch))
    other = MultilabelBatchSampler(labels, minimum, max_batches=n_batches, **shared)
    assert other.batches(2).rows.tolist() == sampler.batches(2).rows.tolist()


def test_auto_is_the_number_of_batches_that_the_error_names() -> None:
    labels = np.random.default_rng(3).random((200, 20)) < 0.3
    named = re.search(r"'max_batches' parameter must be at most (\d+)", refused(labels, 1))
    assert named is not None
    sampler = sampler_of(labels, max_batches="auto", seed=2)
    assert len(sampler) == int(named[1])
    assert all(sampler.label_counts(epoch).min().min() >= 1 for epoch in range(5))
    assert len(sampler_of(labels, max_batches="auto", num_replicas=2)) == int(named[1]) // 2 * 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"min_samples_per_label": 1},
            "The 'max_batches' parameter must be at most 1. Got nothing, for 2 batches: batch 0 lacks 1 row of label "
            "'c', instead. Set it to that or to 'auto', or set 'rare' to 'warn' or 'allow'.",
        ),
        (
            {"min_samples_per_label": 1, "num_replicas": 2},
            "The 'num_replicas' parameter must be lower: no number of batches was found of which each holds enough "
            "rows of every label. Got 2 instead. Lower it, or set 'rare' to 'warn' or 'allow'.",
        ),
        (
            {"min_samples_per_label": 3},
            "The 'min_samples_per_label' parameter must be at most 2: the rarest label, 'a', has 2 rows. Got 3 instead."
            " Lower it, or set 'rare' to 'warn' or 'allow'.",
        ),
        (
            {"mean_batch_size": 2},
            "The 'mean_batch_size' parameter must be at least 3, for at most 1 batch: batch 0 lacks 1 row of label 'c'."
            " Got 2, for 2 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'.",
        ),
    ],
)
def test_refusals(parameters: dict[str, Any], message: str) -> None:
    assert refused(TRIANGLE, **parameters) == message


def test_a_shortfall_is_warned_of_at_the_caller_or_allowed_in_silence() -> None:
    with pytest.warns(UserWarning) as warned:
        sampler = sampler_of(TRIANGLE, rare="warn")
    assert [str(warning.message) for warning in warned] == [
        "batch 0 lacks 1 row of label 'c', in the order of the dataset."
    ]
    assert warned[0].filename == __file__
    assert list(sampler_of(TRIANGLE, rare="allow")) == list(sampler)  # warnings are errors in these tests
