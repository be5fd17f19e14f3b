"""Any Python batch sampler as a source of epochs; tests/bridge tests its use in R."""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from rbridge.callbacks import EpochSource, guarded_source
from rbridge.session import errors_as_values


def three_batches() -> Iterator[list[int]]:
    yield from ([5, 0], [1], [2, 3, 4])


def test_an_object_whose_batches_are_lists() -> None:
    class Lists:
        def __len__(self) -> int:
            return 2

        def batches(self, epoch: int) -> list[list[int]]:
            return [[epoch], [7, 8]]

    rows, offsets = EpochSource(Lists()).batches(3)
    assert rows.tolist() == [3, 7, 8] and offsets.tolist() == [0, 1, 3]


@pytest.mark.parametrize("batch", [[-1], [0.5], [True], ["a"], [[1]], [2**31 - 1], [0, None]])
def test_a_batch_of_anything_but_row_positions_is_refused(batch: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="The 'sampler' parameter must hold row positions"):
        EpochSource([[0], batch]).batches(0)


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
