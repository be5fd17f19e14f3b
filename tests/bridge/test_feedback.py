"""Samplers with feedback go on in R by themselves."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import rbridge
from pystrat import PrioritizedBatchSampler, SumTree
from rbridge.session import Session, as_array
from tests.bridge.recipes import assert_same_recipe, from_r, instance_of
from tests.bridge.test_specimens import InR, in_r
from tests.bridge.training import MAKERS, TRAIN, prioritized, tell, trained_in_python, weighted

__all__ = ["in_r"]  # the fixture


def rows_of(*rows: int) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


@pytest.mark.parametrize("taken", [0, 1, 4])
@pytest.mark.parametrize("name", MAKERS)
def test_a_sampler_crosses_with_what_it_was_told_and_where_it_was_stopped(
    name: str, taken: int, r: Session, evaluated: Callable[[str], Any]
) -> None:
    """In the middle of an epoch, with the batches that were drawn for replicas but not trained on."""
    sampler, resumed = MAKERS[name](), MAKERS[name]()
    trained_in_python(sampler, 1)
    iterator = iter(sampler)
    for number in range(taken):
        if not (rows := next(iterator, [])):
            iterator = iter(sampler)
            rows = next(iterator)
        tell(sampler, rows, number)
    resumed.load_state_dict(iterator.state_dict())
    generator = rbridge.as_torch_sampler(resumed)
    assert_same_recipe(r, resumed, generator)
    other, instance = r.call_function(generator, None), r.call_function(generator, None)
    if hasattr(sampler, "sample"):
        drawn = [from_r(r.call_function(other["sample"], k)).tolist() for k in (3, 1, 6)]
        assert drawn == [sampler.sample(k).tolist() for k in (3, 1, 6)], "samples outside of epochs"
        r.call_function(other["set_epoch"], 5)
        first = from_r(r.call_function(r.call_function(other[".iter"])))
        assert first.tolist() == sampler.batches(5)[0].tolist(), "another epoch begins at its first batch"
    r.call_function(instance["set_epoch"], resumed.epoch)
    rows = r.call_function(evaluated(f"function(instance) ({TRAIN})(function(dataset) instance, 2)"), instance)
    assert from_r(rows).tolist() == trained_in_python(resumed, 2)


def test_values_cross_exactly_and_rows_count_from_1(r: Session) -> None:
    losses = np.array([1 / 3, 5e-324, 1e300, 0])
    for sampler, twin, method in (
        (weighted(), weighted(), "weights"),
        (prioritized(), prioritized(), "importance_weights"),
    ):
        instance = instance_of(r, sampler)
        r.call_function(instance["update"], rows_of(8, 1, 2, 3), losses)
        twin.update([7, 0, 1, 2], losses)
        found = r.call_function(instance[method], np.arange(1.0, 9.0))
        assert as_array(found).tolist() == getattr(twin, method)(range(8)).tolist()
    instance = instance_of(r, PrioritizedBatchSampler(0, 2, capacity=3, seed=1))
    assert as_array(r.call_function(instance["append"], 2)).tolist() == [1, 2]
    assert as_array(r.call_function(instance["append"])).tolist() == [3], "what is left out has Python's default"


def test_a_beta_that_is_a_function_of_python_is_asked_there(r: Session) -> None:
    asked: list[int] = []

    def beta(batch: int) -> float:
        asked.append(batch)
        return batch / 4

    sampler = prioritized(alpha=1, beta=beta, epsilon=0.5)
    sampler.update(range(8), [0, 0.5, 1.5, 3.5, 0, 0, 0, 0])
    instance = instance_of(r, sampler)
    found = r.call_function(instance["importance_weights"], np.arange(1, 5, dtype=np.int32), 4)
    assert as_array(found).tolist() == [1, 0.5, 0.25, 0.125] and asked == [4]
    with pytest.raises(rbridge.RError, match="'batch' parameter must be given if 'beta'"):
        r.call_function(instance["importance_weights"], 1)
    with pytest.raises(rbridge.RError, match="ZeroDivisionError: division by zero"):
        r.call_function(instance_of(r, prioritized(beta=lambda batch: 1 / batch))["importance_weights"], 1, 0)


def test_the_state_of_a_sum_tree_and_the_clock_of_a_buffer_cross_in_both_directions(r: Session, in_r: InR) -> None:
    tree = SumTree([1.0, 2.5, 0.0], capacity=5, seed=7)
    tree.sample(700)
    tree.append([3.0, 1.0, 0.1 + 0.2])  # 17 digits
    in_its_place = r.call("sum_tree", capacity=5, seed=1)
    in_r.load(in_its_place, tree.state_dict())
    assert from_r(in_r.call(in_its_place, "sample", 50)).tolist() == tree.sample(50).tolist()
    twin = SumTree(capacity=5)
    twin.load_state_dict(in_r.state(in_its_place))
    assert twin.sample(50).tolist() == tree.sample(50).tolist() and twin.append([2.0]).tolist() == [1]

    buffer = PrioritizedBatchSampler(0, 2, capacity=3, n_batches=2, epsilon=0, seed=1)
    buffer.append(priorities=[0.0, 2.0, 1.0])
    buffer.append(2)
    crossed = instance_of(r, buffer)
    assert as_array(in_r.call(crossed, "n_added")).tolist() == [5]
    assert as_array(in_r.call(crossed, "priorities")).tolist() == buffer.priorities().tolist()
    in_r.call(crossed, "append", 1)
    buffer.load_state_dict(in_r.state(crossed))
    assert buffer.n_added == 6
