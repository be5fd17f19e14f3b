"""The multilabel sampler: every row once, every minimum kept or its failure reported, against all possibilities."""

from __future__ import annotations

import pickle
import re
from collections import UserList
from functools import lru_cache
from typing import Any, Optional

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pystrat import MultilabelBatchSampler

# Three labels, two rows each, every row with two labels: no two batches hold all labels.
TRIANGLE = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 0, 0], "c": [0, 1, 1, 0]})


def sampler_of(labels: Any, minimum: int = 1, **parameters: Any) -> MultilabelBatchSampler:
    return MultilabelBatchSampler(labels, minimum, **{"seed": 1, **parameters})


def lists(batches: Any) -> list[list[int]]:
    return [list(map(int, batch)) for batch in batches]


def refused(*arguments: Any, **parameters: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as error:
        MultilabelBatchSampler(*arguments, **parameters)
    return str(error.value)


def random_labels(n_rows: int, n_labels: int, seed: int, most: float = 0.3) -> np.ndarray:
    """Independent labels, the rarest on 2 % of the rows, the most frequent on `most`."""
    draws = np.random.default_rng(seed).random((n_rows, n_labels))
    return draws < np.geomspace(0.02, most, n_labels)


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


@given(matrices, st.integers(1, 2))
def test_an_accepted_sampler_keeps_the_promise_in_every_epoch(rows: list[list[bool]], minimum: int) -> None:
    labels = np.array(rows)
    try:
        sampler = MultilabelBatchSampler(labels, minimum, seed=1)
    except ValueError:
        return
    for epoch in range(5):
        assert all((labels[batch].sum(axis=0) >= minimum).all() for batch in sampler.batches(epoch))


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


@given(st.lists(st.integers(0, 4), min_size=1, max_size=120), st.integers(1, 4))
def test_rows_with_at_most_one_label_lack_nothing(single: list[int], minimum: int) -> None:
    present = sorted(set(single) - {0})
    if not present or min(single.count(label) for label in present) < minimum:
        return
    labels = np.array(single)[:, np.newaxis] == present
    for shuffle in (True, False):
        assert MultilabelBatchSampler(labels, minimum, seed=1, shuffle=shuffle).shortfalls(0).empty


@given(st.lists(st.integers(0, 5), min_size=1, max_size=120), st.integers(1, 4))
def test_nested_labels_lack_nothing(leaves: list[int], minimum: int) -> None:
    """Label 0 includes 1 and 2, 1 includes 3 and 4; 5 stands for no label."""
    tree = np.array(
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1], [0, 0, 0, 0, 0]]
    )
    labels = tree[leaves]
    labels = labels[:, labels.any(axis=0)]
    if not labels.shape[1] or labels.sum(axis=0).min() < minimum:
        return
    assert MultilabelBatchSampler(labels, minimum, seed=1).shortfalls(0).empty


def test_labels_of_every_frequency_are_in_every_batch_and_batches_are_of_one_size() -> None:
    labels = random_labels(5000, 20, seed=1)
    sampler = sampler_of(labels, 2)
    assert len(sampler) == labels.sum(axis=0).min() // 2 > 40
    for epoch in range(3):
        counts = sampler.label_counts(epoch)
        assert counts.to_numpy().min() >= 2
        sizes = np.diff(sampler.batches(epoch).offsets)
        assert sizes.max() - sizes.min() <= 1


def test_where_an_epoch_finds_no_way_the_batches_of_the_dataset_are_filled_anew() -> None:
    labels = np.random.default_rng(38).random((60, 5)) < 0.5  # tight: 14 batches of 4 or 5 rows, 2 of each label
    sampler = sampler_of(labels, 2)
    planned = label_sets(labels, sampler_of(labels, 2, shuffle=False).batches(0))
    epochs = [sampler.batches(epoch) for epoch in range(30)]
    refilled = [epoch for epoch in epochs if label_sets(labels, epoch) == planned]
    assert 2 <= len(refilled) < 30
    assert len({tuple(epoch.rows.tolist()) for epoch in epochs}) == 30, "with other rows each time"
    assert all(sampler.shortfalls(epoch).empty for epoch in range(30))


def label_sets(labels: np.ndarray, batches: Any) -> list[list[tuple]]:
    return [sorted(map(tuple, labels[batch])) for batch in batches]


def test_known_batches() -> None:
    """Printed once: the batches of a seed and an epoch do not change from version to version."""
    labels = [[row % 2, row % 3 == 0] for row in range(12)]
    sampler = sampler_of(labels, 2)
    assert lists(sampler) == [[8, 3, 6, 1, 2, 5], [0, 4, 7, 10, 11, 9]]
    shown = "MultilabelBatchSampler(12 rows, 2 labels, 2 batches, min_samples_per_label=2, shuffle=True, seed=1, epoch="
    assert repr(sampler) == shown + "1)"


# The forms of labels --------------------------------------------------------------------------------------------------


class Sparse:
    """What scipy's sparse matrices and arrays have."""

    def toarray(self) -> np.ndarray:
        return TRIANGLE.to_numpy()


@pytest.mark.parametrize(
    "labels",
    [
        TRIANGLE.to_numpy(),
        TRIANGLE.to_numpy().astype(bool),
        TRIANGLE.to_numpy().astype(np.float32),
        np.asfortranarray(TRIANGLE.to_numpy().astype(np.uint8)),
        TRIANGLE.to_numpy().tolist(),
        tuple(map(tuple, TRIANGLE.to_numpy().astype(bool).tolist())),
        torch.tensor(TRIANGLE.to_numpy()),
        Sparse(),
        TRIANGLE,
        TRIANGLE.astype({"a": bool, "b": "Int64", "c": "boolean"}),
        TRIANGLE.astype(pd.SparseDtype("int", 0)),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_every_form_of_labels_is_the_same(labels: Any) -> None:
    sampler = sampler_of(labels, max_batches=1)
    assert sampler.state() == sampler_of(TRIANGLE, max_batches=1).state()
    assert sampler.labels == (("a", "b", "c") if isinstance(labels, pd.DataFrame) else (0, 1, 2))
    assert sampler.min_samples_per_label == 1


def test_each_value_of_text_or_categories_is_a_label_in_order_of_first_appearance() -> None:
    sex, site = ["m", "f"] * 30, ["west", "east", "east"] * 20
    site_of = pd.Categorical(site, ["east", "none", "west"])
    labels = pd.DataFrame({"sex": sex, "site": site_of, "sick": [0, 0, 0, 1] * 15})
    values = [("sex", "m"), ("sex", "f"), ("site", "west"), ("site", "east")]
    by_hand = pd.DataFrame({f"{name}={value}": labels[name] == value for name, value in values})
    by_hand["sick"] = labels["sick"]
    given: dict[str, Any] = {"min_samples_per_label": 3, "max_batches": 4, "seed": 1}
    sampler = MultilabelBatchSampler(labels, **given)
    assert sampler.labels == tuple(by_hand)
    assert sampler.batches(0).rows.tolist() == MultilabelBatchSampler(by_hand, **given).batches(0).rows.tolist()
    assert sampler.label_counts(0).min().min() >= 3
    text = MultilabelBatchSampler(np.array([sex, site]).T, **given)
    assert text.labels == ("0=m", "0=f", "1=west", "1=east")
    expected = MultilabelBatchSampler(labels[["sex", "site"]], **given)
    assert text.batches(0).rows.tolist() == expected.batches(0).rows.tolist()


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["cat", "dog"], ["dog"], []], ("cat", "dog")),
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


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "be a matrix with one row per row of the dataset. Got nothing instead."),
        ("text", "be a matrix with one row per row of the dataset. Got 'text' instead."),
        ([1, 0], "be a matrix with one row per row of the dataset. Got 1 dimension instead."),
        ([[1], [1, 0]], "be a matrix with one row per row of the dataset. Got 1 dimension instead."),
        (np.ones((2, 2, 2)), "be a matrix with one row per row of the dataset. Got 3 dimensions instead."),
        (np.ones((0, 2)), "have at least one row. Got 0 rows instead."),
        (np.ones((2, 0)), "have at least one column. Got 0 columns instead."),
        (pd.DataFrame(index=[0, 1]), "have at least one column. Got 0 columns instead."),
        (
            [[1, 2]],
            "hold 0 and 1, or text. Got 2 in column '1' instead. Use 1 for rows that have the label and 0 for the "
            "others, or turn the column into text, of which each value is a label.",
        ),
        ([[1, 0], [3, 1], [1, 2]], "hold 0 and 1, or text. Got 3 in column '0' instead. Use 1 for rows that have"),
        ([[0.5, 1]], "hold 0 and 1, or text. Got 0.5 in column '0' instead. Use 1 for rows that have"),
        ([[float("nan"), 1]], "hold 0 and 1, or text. Got NaN in column '0' instead. Use 1 for rows that have"),
        (pd.DataFrame({"a": [1, None]}), "hold 0 and 1, or text. Got NaN in column 'a' instead. Use 1 for rows that"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "hold 0 and 1, or text. Got NaN in column 'a' inst"),
        (
            [["1", "0"]],
            "hold 0 and 1, or text. Got the text '1' instead. Turn the column into numbers.",
        ),
        ([["cat", None]], "have no missing values. Got 1 missing of 2 rows instead."),
        ([["cat"], "dog"], "have a list or a set of labels for each row. Got 'dog' instead. Give a row without labels"),
        (
            [[3, 17], [3]],
            "be a matrix with one row per row of the dataset. Got 1 dimension instead. Labels that are numbers go in a "
            "set for each row: {3, 17}.",
        ),
        (pd.DataFrame({"a": ["1", "0"]}), "hold 0 and 1, or text. Got the text '1' in column 'a' instead. Turn the"),
        (pd.DataFrame({"a": ["x", 1]}), "hold logical values, numbers, text or dates, one kind per column. Got a mix"),
        (pd.DataFrame({"a": ["x", None]}), "have no missing values. Got 1 missing of 2 rows instead."),
        (pd.DataFrame({"a": [pd.Timestamp(0)]}), "hold 0 and 1, or text. Got datetime64[ns] values in column 'a'"),
        ([[1j]], "hold 0 and 1, or text. Got complex128 values instead. Use 1 for rows that have"),
        ({"a": [1]}, "be a matrix with one row per row of the dataset. Got 1 value instead."),
        (
            pd.DataFrame({"a": [1, 1], "b": [0, 0]}),
            "have a row of every label. Got no row of label 'b' instead. Leave the label out.",
        ),
    ],
)
def test_refused_labels(labels: Any, message: str) -> None:
    assert f"The 'labels' parameter must {message}" in refused(labels, 1, seed=1)


def test_too_many_rows_are_refused_before_any_work() -> None:
    endless = np.broadcast_to(np.uint8(1), (2**31, 1))  # takes one byte
    assert "have at most 2147483647 rows. Got 2147483648 rows" in refused(endless, 1)


# Fewer rows of a label than batches -----------------------------------------------------------------------------------


def test_a_label_with_fewer_rows_than_batches_is_in_other_batches_each_epoch() -> None:
    """In batches 0 and 1 of every epoch, before."""
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
    assert {batch for batch, label in sampler.shortfalls(3)[["batch", "label"]].to_numpy() if label == 0} == set(
        np.flatnonzero(sampler.label_counts(3).to_numpy()[:, 0] == 0)
    )


# A mean batch size ----------------------------------------------------------------------------------------------------


@given(matrices, st.integers(1, 40), st.integers(1, 3))
def test_a_mean_batch_size_determines_the_batches_and_a_minimum_that_is_kept(
    rows: list[list[bool]], mean: int, replicas: int
) -> None:
    labels = np.array(rows)
    if not labels.any(axis=0).all():
        return
    n_batches = max(1, (2 * len(labels) + mean) // (2 * mean)) // replicas * replicas
    try:
        sampler = MultilabelBatchSampler(labels, mean_batch_size=mean, num_replicas=replicas, seed=1)
    except ValueError as error:
        found = re.search(r"'mean_batch_size' parameter must be at least (\d+), for at most (\d+) batch", str(error))
        if found is None:
            assert "num_replicas" in str(error)
            return
        least, most = map(int, found.groups())
        larger = MultilabelBatchSampler(labels, mean_batch_size=least, num_replicas=replicas, seed=1)
        assert mean < least and len(larger) <= most < n_batches
        allowed = MultilabelBatchSampler(labels, mean_batch_size=mean, num_replicas=replicas, rare="allow", seed=1)
        assert len(allowed) == n_batches and allowed.min_samples_per_label == 1
        return
    minimum, most = sampler.min_samples_per_label, int(labels.sum(axis=0).min()) // n_batches
    assert len(sampler) == n_batches and 1 <= minimum <= most
    for epoch in range(3):
        assert all((labels[batch].sum(axis=0) >= minimum).all() for batch in sampler.batches(epoch))
    same = {"num_replicas": replicas, "rare": "allow", "seed": 1}
    if most > minimum:
        lacking = [
            MultilabelBatchSampler(labels, m, max_batches=n_batches, **same) for m in range(minimum + 1, most + 1)
        ]
        assert any(len(other) != n_batches or len(other.shortfalls(0)) for other in lacking)
    other = MultilabelBatchSampler(labels, minimum, max_batches=n_batches, num_replicas=replicas, seed=1)
    assert lists(other.batches(2)) == lists(sampler.batches(2))


def test_a_mean_batch_size_or_a_minimum_of_labels() -> None:
    assert "'min_samples_per_label' parameter must be given if" in (message := refused(TRIANGLE))
    assert message.endswith("the fewest rows of every label in a batch, or the mean number of rows in a batch.")
    assert "'min_samples_per_label' parameter must be left out if 'mean_batch_size' is given. Got 1" in refused(
        TRIANGLE, 1, mean_batch_size=2
    )
    assert "'max_batches' parameter must be left out if 'mean_batch_size' is given. Got 2" in refused(
        TRIANGLE, mean_batch_size=2, max_batches=2
    )
    assert refused(TRIANGLE, mean_batch_size=2) == (
        "The 'mean_batch_size' parameter must be at least 3, for at most 1 batch: batch 0 lacks 1 row of label 'c'. "
        "Got 2, for 2 batches, instead. "
        "Raise it, or set 'rare' to 'warn' or 'allow'."
    )
    with pytest.warns(UserWarning, match="batch 0 lacks 1 row of label 'c', in the order of the dataset."):
        assert len(MultilabelBatchSampler(TRIANGLE, mean_batch_size=2, rare="warn", seed=1)) == 2
    assert MultilabelBatchSampler(TRIANGLE, mean_batch_size=3).min_samples_per_label == 2


# Parameters, and what to do about a shortfall -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_samples_per_label": 0}, "'min_samples_per_label' .* must be a positive integer. Got 0 instead."),
        ({"max_batches": 1.5}, "'max_batches' .* must be a positive integer. Got 1.5 instead."),
        ({"max_batches": "all"}, "'max_batches' .* must be a positive integer, 'auto', or nothing. Got 'all' instead"),
        ({"rare": "ok"}, "'rare' .* must be one of 'error', 'warn', 'allow'. Got 'ok' instead."),
        ({"shuffle": 1}, "'shuffle' .* must be true or false. Got 1 instead."),
        ({"num_replicas": 3}, "'num_replicas' .* must be at most 2, the number of batches. Got 3 instead."),
    ],
)
def test_refused_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        MultilabelBatchSampler(TRIANGLE, **{"min_samples_per_label": 1, **parameters})


def test_tables_have_the_columns_that_the_user_passed() -> None:
    of_numbers = sampler_of(pd.DataFrame({7: [1, 0] * 4, 3: [0, 1] * 4}), 2)
    assert of_numbers.labels == (7, 3)
    assert list(of_numbers.label_counts(0).columns) == [7, 3] and of_numbers.label_counts(0)[3].min() == 2
    columns = pd.MultiIndex.from_tuples([("sky", "rain"), ("sky", "sun")])
    of_tuples = sampler_of(pd.DataFrame([[1, 0], [0, 1]] * 4, columns=columns), 2)
    assert of_tuples.label_counts(0)[("sky", "sun")].tolist() == [2, 2]
    lacking = sampler_of(pd.DataFrame([[1, 1], [0, 1]], columns=[7, 3]), 2, rare="allow").shortfalls(0)
    assert lacking["label"].tolist() == [7]
    assert pickle.loads(pickle.dumps(of_numbers)).label_counts(0).equals(of_numbers.label_counts(0))


def test_auto_is_the_number_of_batches_that_the_error_names() -> None:
    labels = np.random.default_rng(3).random((200, 20)) < 0.3
    message = refused(labels, 1)
    named = re.search(r"'max_batches' parameter must be at most (\d+)", message)
    assert named is not None, message
    sampler = sampler_of(labels, max_batches="auto", seed=2)
    assert len(sampler) == int(named[1])
    assert all(sampler.label_counts(epoch).min().min() >= 1 for epoch in range(5))
    assert len(sampler_of(labels, max_batches="auto", num_replicas=2)) == int(named[1]) // 2 * 2
    allowed = sampler_of(labels, max_batches="auto", rare="allow", seed=2)
    assert allowed.batches(3).rows.tolist() == sampler.batches(3).rows.tolist()


@pytest.mark.parametrize(
    ("max_batches", "got"), [(None, "nothing, for 2 batches"), (2, "2, for 2 batches"), (9, "9, for 2 batches")]
)
def test_a_shortfall_is_refused_with_the_batch_the_label_and_a_number_of_batches_that_works(
    max_batches: Optional[int], got: str
) -> None:
    assert refused(TRIANGLE, 1, max_batches=max_batches) == (
        "The 'max_batches' parameter must be at most 1. "
        f"Got {got}: batch 0 lacks 1 row of label 'c', instead. "
        "Set it to that or to 'auto', or set 'rare' to 'warn' or 'allow'."
    )
    assert sampler_of(TRIANGLE, max_batches=1).shortfalls(0).empty


def test_a_shortfall_for_which_no_number_of_batches_is_a_multiple_of_the_replicas() -> None:
    assert refused(TRIANGLE, 1, num_replicas=2) == (
        "The 'num_replicas' parameter must be lower: no number of batches was found of which "
        "each holds enough rows of every label. Got 2 instead. Lower it, or set 'rare' to 'warn' or 'allow'."
    )


def test_a_label_with_fewer_rows_than_the_minimum_is_refused_or_in_one_batch_with_all_others() -> None:
    assert refused(TRIANGLE, 3) == (
        "The 'min_samples_per_label' parameter must be at most 2: the rarest label, 'a', has "
        "2 rows. Got 3 instead. Lower it, or set 'rare' to 'warn' or 'allow'."
    )
    sampler = sampler_of(TRIANGLE, 3, rare="allow")
    assert len(sampler) == 1
    assert sampler.shortfalls(0).to_dict("list") == {
        "batch": [0, 0, 0],
        "label": ["a", "b", "c"],
        "rows": [2, 2, 2],
        "missing": [1, 1, 1],
    }


def test_a_shortfall_is_warned_of_at_the_caller_or_allowed_in_silence() -> None:
    with pytest.warns(UserWarning) as warned:
        sampler = sampler_of(TRIANGLE, rare="warn")
    assert [str(warning.message) for warning in warned] == [
        "batch 0 lacks 1 row of label 'c', in the order of the dataset."
    ]
    assert warned[0].filename == __file__
    allowed = sampler_of(TRIANGLE, rare="allow")  # warnings are errors in these tests
    assert lists(allowed) == lists(sampler)
    assert len(allowed.shortfalls(0)) == 1, "never more than in the order of the dataset"
