"""Any Python batch sampler as a source of epochs; tests/bridge tests its use in R."""

from __future__ import annotations

import sys
from typing import Any, Iterator

import numpy as np
import pytest
import torch

from pystrat import Batches, StratifiedBatchSampler
from rbridge.callbacks import EpochSource, guarded_source
from rbridge.guard import errors_as_values


def three_batches() -> Iterator[list[int]]:
    yield from ([5, 0], [1], [2, 3, 4])


class WithEpochs:
    """An iterable of batches with a length and `set_epoch`, as PyTorch users write it."""

    epoch = 0

    def __len__(self) -> int:
        return 2

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[torch.Tensor]:
        yield torch.tensor([self.epoch, 1])
        yield torch.tensor([2])


def test_an_object_with_batches_is_asked_for_the_epoch() -> None:
    sampler = StratifiedBatchSampler([0, 1, 1] * 4, 2, seed=1)
    rows, offsets = EpochSource(sampler).batches(5)
    assert np.array_equal(rows, sampler.batches(5).rows) and np.array_equal(offsets, sampler.batches(5).offsets)
    assert rows.dtype == offsets.dtype == np.int32
    assert sampler.epoch == 0


def test_an_object_whose_batches_are_lists() -> None:
    class Lists:
        def __len__(self) -> int:
            return 2

        def batches(self, epoch: int) -> list[list[int]]:
            return [[epoch], [7, 8]]

    rows, offsets = EpochSource(Lists()).batches(3)
    assert rows.tolist() == [3, 7, 8] and offsets.tolist() == [0, 1, 3]


def test_an_iterable_is_told_the_epoch_and_iterated() -> None:
    rows, offsets = EpochSource(WithEpochs()).batches(4)
    assert rows.tolist() == [4, 1, 2] and offsets.tolist() == [0, 2, 3]
    assert EpochSource([[0, 1], [], [2]]).batches(0)[1].tolist() == [0, 2, 2, 3]


def test_a_generator_function_is_called_anew_each_epoch() -> None:
    source = EpochSource(three_batches, n_batches=3)
    for epoch in range(2):
        rows, offsets = source.batches(epoch)
        assert rows.tolist() == [5, 0, 1, 2, 3, 4] and offsets.tolist() == [0, 2, 3, 6]


@pytest.mark.parametrize(
    ("sampler", "error", "message"),
    [
        (three_batches, TypeError, "must have a length, unless 'n_batches' is given. Got a value of class 'function'"),
        (three_batches(), TypeError, "must give batches more than once. Got an iterator of class 'generator' instead."),
        ("text", TypeError, "must have a method 'batches', be an iterable of batches, or a function that returns one."),
        (None, TypeError, "Got nothing instead."),
        ([], ValueError, "The 'n_batches' parameter must be a positive integer. Got 0 instead."),
    ],
)
def test_what_cannot_be_a_source_is_refused(sampler: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        EpochSource(sampler)


def test_a_number_of_batches_beside_a_length_is_refused() -> None:
    with pytest.raises(ValueError, match="'n_batches' .* must be left out for a sampler that has a length. Got 2"):
        EpochSource([[0], [1]], n_batches=2)


@pytest.mark.parametrize("batch", [[-1], [0.5], [True], ["a"], [[1]], [2**31 - 1], [0, None]])
def test_a_batch_of_anything_but_row_positions_is_refused(batch: Any) -> None:
    with pytest.raises(ValueError, match="must give batches of row positions, integers from 0 to 2147483646. Got the"):
        EpochSource([[0], batch]).batches(0)


@pytest.mark.parametrize("claimed", [2, 4])
def test_more_or_fewer_batches_than_the_length_says_are_refused(claimed: int) -> None:
    with pytest.raises(ValueError, match=f"as many batches as its length says, {claimed}. Got 3 in epoch 6 instead."):
        EpochSource(three_batches, n_batches=claimed).batches(6)


def test_errors_are_values_where_r_asks() -> None:
    assert guarded_source(3) == {
        "error": "TypeError: The 'sampler' parameter must have a method 'batches', be an "
        "iterable of batches, or a function that returns one. Got 3 instead."
    }
    source = guarded_source(three_batches, 2.0)["value"]
    assert source.guarded(0.0)["error"].startswith("ValueError: The 'sampler' parameter")
    rows, _ = guarded_source([[1]])["value"].guarded(0.0)["value"]
    assert rows.tolist() == [1]


def test_an_error_crosses_whole_whatever_its_text() -> None:
    def fail(text: str) -> None:
        raise OSError(text)

    for text, shown in (("x" * 5000, "x" * 5000), ("épée\n", "épée\n"), ("\udce9.txt", "\\udce9.txt")):
        assert errors_as_values(fail)(text) == {"error": f"OSError: {shown}"}


def test_a_value_crosses_as_it_is_also_none() -> None:
    assert errors_as_values(dict.get)({}, "a") == {"value": None}
    assert errors_as_values(sorted)([1, 2], reverse=True) == {"value": [2, 1]}


def test_what_ends_the_process_is_no_value() -> None:
    with pytest.raises(SystemExit):
        errors_as_values(sys.exit)(1)


def test_batches_of_a_finished_epoch_are_not_copied() -> None:
    rows = np.arange(4, dtype=np.int32)

    class Finished:
        def __len__(self) -> int:
            return 2

        def batches(self, epoch: int) -> Batches:
            return Batches(rows, np.array([0, 2, 4]))

    assert EpochSource(Finished()).batches(0)[0] is rows
