"""Refused parameters are plain built-in exceptions, and say where the parameter is."""

from __future__ import annotations

import pickle
import traceback
from typing import Any

import pytest
from torch.utils.data import DataLoader

from pystrat import BatchSampler, StratifiedBatchSampler, UniformBatchSampler, WeightedBatchSampler, batch_counts
from pystrat.messages import check_integer, refusals, refused_type, refused_value


@pytest.mark.parametrize(("refused", "plain"), [(refused_type, TypeError), (refused_value, ValueError)])
def test_the_user_gets_a_plain_exception_with_the_message_alone(refused: Any, plain: Any) -> None:
    error = refused("k", "be 1", "2", "Try 1.")
    assert type(error) is plain
    assert error.args == ("The 'k' parameter must be 1. Got 2 instead. Try 1.",)
    loaded = pickle.loads(pickle.dumps(error))
    assert type(loaded) is plain and loaded.args == error.args


def test_the_innermost_place_is_named() -> None:
    with pytest.raises(ValueError) as error, refusals("of the table"), refusals("of node 'must '"):
        raise refused_value("it's k", "be 1", "2")
    assert str(error.value) == "The 'it's k' parameter of node 'must ' must be 1. Got 2 instead."


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(ValueError) as error, refusals("of the table"):
        raise ValueError("no")
    assert error.value.args == ("no",)


def test_the_traceback_leads_from_the_call_to_the_refusal() -> None:
    with pytest.raises(ValueError) as error:
        StratifiedBatchSampler(["a"], 0)
    frames = traceback.extract_tb(error.value.__traceback__)
    assert frames[1].name == "__init__" and frames[-1].filename.endswith("_kinds.pyx")
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_a_cause_is_kept() -> None:
    with pytest.raises(KeyError) as error:
        batch_counts([(1, 2)], 5)
    assert isinstance(error.value.__cause__, IndexError)


def test_errors_while_iterating() -> None:
    sampler = WeightedBatchSampler([1, 1], 1, num_replicas=1, seed=1)
    iterator, generator = iter(sampler), (batch for batch in sampler)
    next(iterator), next(generator)
    sampler.update([0, 1], [0, 0])
    for call in (lambda: next(iterator), lambda: next(generator), sampler.batches, lambda: list(sampler)):
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value) == (
            "The 'weights' parameter must not all be 0 when rows are drawn. Got no positive weight instead."
        )


class Squares:
    def __init__(self, sampler: BatchSampler) -> None:
        self.sampler = sampler

    def __getitem__(self, row: int) -> int:
        return check_integer(row, "row", minimum=0, maximum=1) ** 2

    def __len__(self) -> int:
        return 4


def test_a_worker_of_a_data_loader_hands_on_type_and_message() -> None:
    sampler = UniformBatchSampler(4, 2, seed=1)
    with pytest.raises(ValueError, match="The 'row' parameter must be an integer from 0 to 1. Got "):
        list(DataLoader(Squares(sampler), batch_sampler=sampler, num_workers=1))  # type: ignore[arg-type]
