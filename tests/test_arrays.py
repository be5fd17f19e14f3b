"""Every public function with an array parameter accepts every form of array, with the same result."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest
import torch

from pystrat import (
    DownsampledBatchSampler,
    FeatureLookup,
    MultilabelBatchSampler,
    NegativePairBatchSampler,
    PerplexityBatchSampler,
    PrioritizedBatchSampler,
    StratifiedBatchSampler,
    SumTree,
    WeightedBatchSampler,
    batch_counts,
    bin_target,
    correct_probabilities,
    decode_pairs,
)
from pystrat.corpus.vocabulary import sampled_vocabulary
from rbridge.callbacks import EpochSource

try:
    import pyarrow  # noqa: F401  Arrow-backed columns are tested if it is there
except ModuleNotFoundError:
    ARROW_INTEGERS, ARROW_NUMBERS = [], []
else:
    ARROW_INTEGERS, ARROW_NUMBERS = ["int32[pyarrow]"], ["float[pyarrow]"]

Form = Callable[[list[Any]], Any]
Entry = Callable[[Any], Any]


# The forms of an array ------------------------------------------------------------------------------------------------


def array_of(dtype: str) -> Form:
    return lambda values: np.array(values, dtype=dtype)


def tensor_of(dtype: torch.dtype) -> Form:
    return lambda values: torch.tensor(values, dtype=dtype)


def series_of(dtype: str) -> Form:
    return lambda values: pd.Series(values, dtype=dtype)


def read_only(values: list[Any]) -> np.ndarray:
    array = np.array(values)
    array.setflags(write=False)
    return array


ANY_FORMS: dict[str, Form] = {
    "tuple": tuple,
    "read-only": read_only,
    "every second": lambda values: np.repeat(np.array(values), 2, axis=0)[::2],
    "backwards": lambda values: np.array(values[::-1])[::-1],
    "other byte order": lambda values: np.array(values).astype(np.array(values).dtype.newbyteorder()),
    "masked": np.ma.masked_array,
    "every second of a tensor": lambda values: torch.tensor(values).repeat_interleave(2, dim=0)[::2],
    "list of tensors": lambda values: list(torch.tensor(values)),
}
INTEGER_FORMS: dict[str, Form] = {
    **ANY_FORMS,
    **{dtype: array_of(dtype) for dtype in ("int8", "int32", "uint64")},
    **{str(dtype): tensor_of(dtype) for dtype in (torch.uint8, torch.int64)},
    **{f"Series {dtype}": series_of(dtype) for dtype in ("Int64", "Sparse[int]", *ARROW_INTEGERS)},
    "Index": pd.Index,
    "IntegerArray": lambda values: pd.array(values, dtype="Int64"),
}
# The numbers are small multiples of 1/8, which the narrowest types hold exactly.
NUMBER_FORMS: dict[str, Form] = {
    **ANY_FORMS,
    **{dtype: array_of(dtype) for dtype in ("float16", "longdouble")},
    "bfloat16": tensor_of(torch.bfloat16),
    "with gradients": lambda values: torch.nn.Parameter(torch.tensor(values, dtype=torch.float32)),
    "list of losses": lambda values: list(torch.tensor(values, dtype=torch.bfloat16, requires_grad=True)),
    **{f"Series {dtype}": series_of(dtype) for dtype in ("float32", "Float32", "Sparse[float]", *ARROW_NUMBERS)},
    "FloatingArray": lambda values: pd.array(values, dtype="Float64"),
}
OF_ONE_DIMENSION = ("Series", "FloatingArray")


# The entries ----------------------------------------------------------------------------------------------------------


def rows_of(sampler: Any) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch=1)]


def pairs_with(**given: Any) -> list[list[int]]:
    return rows_of(
        NegativePairBatchSampler(
            **{"users": [0, 1, 2], "items": [0, 1, 2], **given}, ratio=0.5, batch_size=4, n_items=6, seed=1
        )
    )


def reweighted(rows: Any, weights: Any) -> list[float]:
    sampler = WeightedBatchSampler([1.0] * 4, 2, seed=1)
    sampler.update(rows, weights)
    return list(sampler.weights(rows).tolist())


# One entry for each way in which arrays are read.
OF_INTEGERS: dict[str, tuple[Entry, list[Any]]] = {
    "strata": (lambda given: rows_of(StratifiedBatchSampler(given, 2, seed=1)), [3, 1, 3, 1, 1, 3, 3]),
    "rows with weights of classes": (
        lambda given: DownsampledBatchSampler([1] * 2 + [0] * 4, 1, 4, seed=1).weights(given).tolist(),
        [5, 0, 2],
    ),
    "values of bins": (lambda given: list(bin_target(given, 2)), [3, 1, 7, 2]),
    "users": (lambda given: pairs_with(users=given), [2, 0, 1]),
    "pair numbers": (lambda given: [part.tolist() for part in decode_pairs(given, 4)], [7, 12]),
    "ids": (lambda given: FeatureLookup([31, 54], ids=given)([9, 7]).tolist(), [7, 9]),
    "rows with weights": (lambda given: reweighted(given, [2.0, 0.5]), [3, 1]),
    "batch of a foreign sampler": (lambda given: [part.tolist() for part in EpochSource([given]).batches(0)], [3, 1]),
    "ids of words": (lambda given: sampled_vocabulary([given]).tolist(), [3, 1, 3]),
    "counted batches": (lambda given: batch_counts([given], [0, 1, 0, 1]).to_numpy().tolist(), [3, 1]),
}
OF_NUMBERS: dict[str, tuple[Entry, list[Any]]] = {
    "strata": (lambda given: rows_of(StratifiedBatchSampler(given, 2, seed=1)), [0.5, 1.0, 0.5, 1.0, 1.0, 0.5]),
    "values of bins": (lambda given: list(bin_target(given, 2)), [0.5, 1.0, 0.25, 2.0]),
    "labels": (lambda given: rows_of(MultilabelBatchSampler(given, 1, seed=1)), [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
    "features": (lambda given: FeatureLookup(given)([1, 0]).tolist(), [0.5, 2.25]),
    "codes": (lambda given: pairs_with(users=given), [2.0, 0.0, 1.0]),
    "weights": (lambda given: rows_of(WeightedBatchSampler(given, 2, seed=1)), [0.5, 2.0, 0.125, 4.0]),
    "new weights": (lambda given: reweighted([3, 1], given), [2.0, 0.5]),
    "table of probabilities": (
        lambda given: correct_probabilities(given, [0.5, 1.0]).tolist(),
        [[0.5, 0.5], [0.125, 0.875]],
    ),
}


@pytest.mark.parametrize("form", INTEGER_FORMS)
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers_of_every_form_give_what_a_list_gives(name: str, form: str) -> None:
    entry, values = OF_INTEGERS[name]
    assert entry(INTEGER_FORMS[form](values)) == entry(values)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (name, form)
        for name, (_, values) in OF_NUMBERS.items()
        for form in NUMBER_FORMS
        if not (isinstance(values[0], list) and form.startswith(OF_ONE_DIMENSION))
    ],
)
def test_numbers_of_every_form_give_what_a_list_gives(name: str, form: str) -> None:
    entry, values = OF_NUMBERS[name]
    assert entry(NUMBER_FORMS[form](values)) == entry(values)


# What no entry takes is refused with the same words in every form.


def test_one_row_and_one_value_are_feedback_too() -> None:
    """Everywhere where rows are told about, numbers, 0-dimensional arrays and scalar tensors are vectors of one."""
    for row, value in (
        (2, 0.5),
        (np.int64(2), np.float32(0.5)),
        (np.array(2), np.array(0.5)),
        (torch.tensor(2), torch.tensor(0.5)),
    ):
        tree = SumTree(np.ones(4))
        tree.update(row, value)
        weighted = WeightedBatchSampler(np.ones(4), 2, seed=1)
        weighted.update(row, value)
        assert tree.weights().tolist() == weighted.weights().tolist() == [1, 1, 0.5, 1]
        assert tree.weights(row).tolist() == weighted.weights(row).tolist() == [0.5]
        prioritized = PrioritizedBatchSampler(4, 2, seed=1)
        prioritized.update(row, value)
        assert prioritized.importance_weights(row).shape == (1,)
        perplexity = PerplexityBatchSampler(4, 2, seed=1)
        perplexity.report(row, value)
        assert perplexity.perplexities().argmin() == 2
    with pytest.raises(ValueError, match="The 'weights' parameter must be a vector of numbers. Got 0 dim"):
        SumTree(np.ones(4)).update([1, 2], 0.5)
