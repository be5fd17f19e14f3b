"""Keywords that no parameter has: the error names the one that was probably meant."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest

import pystrat
from pystrat import BatchSampler, StratifiedBatchSampler, UniformBatchSampler
from pystrat.stream import StratifiedStream

LABELS = ["a"] * 6 + ["b"] * 3


@pytest.mark.parametrize(
    ("cls", "given", "keyword", "meant"),
    [
        (StratifiedBatchSampler, {"strata": LABELS, "batch_size": 64}, "batch_size", "mean_batch_size"),
        (StratifiedBatchSampler, {"strata": LABELS, "min_samples": 1}, "min_samples", "min_samples_per_stratum"),
        (StratifiedBatchSampler, {"strata": LABELS, "random_state": 1}, "random_state", "seed"),
        (UniformBatchSampler, {"n": 9, "batch_size": 2}, "n", "n_rows"),
        (UniformBatchSampler, {"n_rows": 9, "batch_size": 2, "replace": True}, "replace", "replacement"),
        (pystrat.SumTree, {"weight": [1.0]}, "weight", "weights"),
        (pystrat.TensorLoader, {"tensors": [], "samplers": None}, "samplers", "sampler"),
        (StratifiedStream, {"sources": [], "min_sample_per_stratum": 1}, "min_sample_per_stratum", None),
    ],
)
def test_an_unknown_keyword_is_answered_with_the_parameter_that_is_meant(
    cls: Any, given: dict[str, Any], keyword: str, meant: Any
) -> None:
    meant = meant or "min_samples_per_stratum"
    with pytest.raises(TypeError) as info:
        cls(**given)
    said = f"{cls.__name__}() got an unexpected keyword argument {keyword!r}. Did you mean {meant!r}?"
    assert str(info.value) == said


def test_a_keyword_that_means_nothing_gets_the_error_of_python() -> None:
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'colour'$"):
        StratifiedBatchSampler(LABELS, 1, colour="red")  # type: ignore[call-arg]


def test_subclasses_are_answered_unless_they_take_any_keyword() -> None:
    class Own(StratifiedBatchSampler):
        def __init__(self, strata: Any, minimum_of_mine: int, **others: Any) -> None:
            super().__init__(strata, minimum_of_mine, **others)

    with pytest.raises(TypeError, match=r"minimum_of_mine"):
        Own(LABELS, minimum_of_my=1)
    assert len(Own(LABELS, minimum_of_mine=1, seed=1)) == 3


def test_signatures_and_pickles_are_those_of_plain_classes() -> None:
    assert list(inspect.signature(UniformBatchSampler).parameters)[:2] == ["n_rows", "batch_size"]
    sampler = UniformBatchSampler(n_rows=9, batch_size=2, seed=1)
    assert isinstance(sampler, BatchSampler)
    again = pickle.loads(pickle.dumps(sampler))
    assert [batch.tolist() for batch in again.batches(0)] == [batch.tolist() for batch in sampler.batches(0)]
