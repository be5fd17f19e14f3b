"""Other samplers with feedback in R: one call per batch, feedback methods on the instance, Python's batches."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping

import numpy as np
import pytest

import rbridge
from pystrat import Batches, PrioritizedBatchSampler
from rbridge.session import Session, as_array
from tests.bridge import training
from tests.bridge.training import TRAIN, WEIGHTS, evaluated, trained_in_python


class Foreign:
    """A sampler that is none of pystrat, since R would draw its batches itself, though one of these does the work."""

    feedback: Mapping[str, Mapping[str, str]]

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.sampler)

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def batches(self, epoch: int) -> Batches:
        found: Batches = self.sampler.batches(epoch)
        return found


class ForeignWeighted(Foreign):
    feedback = {
        "update": {"rows": "rows", "weights": "values"},
        "weights": {"rows": "rows", "return": "values"},
    }

    def update(self, rows: Any, weights: Any) -> None:
        self.sampler.update(rows, weights)

    def weights(self, rows: Any = None) -> Any:
        return self.sampler.weights(rows)


class ForeignPrioritized(Foreign):
    feedback = {
        "update": {"rows": "rows", "priorities": "values"},
        "append": {"count": "number", "return": "rows"},
        "importance_weights": {"rows": "rows", "batch": "number", "return": "values"},
    }

    def update(self, rows: Any, priorities: Any) -> None:
        self.sampler.update(rows, priorities)

    def append(self, count: int = 1) -> Any:
        return self.sampler.append(count)

    def importance_weights(self, rows: Any, *, batch: Any = None) -> Any:
        return self.sampler.importance_weights(rows, batch=batch)


def weighted() -> ForeignWeighted:
    return ForeignWeighted(training.weighted())


def prioritized() -> ForeignPrioritized:
    return ForeignPrioritized(training.prioritized())


@pytest.mark.parametrize("make", [weighted, prioritized])
def test_a_training_loop_in_r_sees_the_batches_of_one_in_python(make: Callable[[], Any], r: Session, base: Any) -> None:
    train = evaluated(base, TRAIN)
    rows = as_array(r.call_function(train, rbridge.as_torch_sampler(make()), 3))
    assert (rows - 1).tolist() == trained_in_python(make(), 3)


def test_a_dataloader_in_r_delivers_the_batches(r: Session) -> None:
    delivered = rbridge.collect_rows(rbridge.as_torch_sampler(weighted()), 8)
    assert [batch.tolist() for batch in delivered] == list(weighted())


def test_the_instance_asks_once_a_batch_and_only_when_it_is_asked(r: Session) -> None:
    sampler = weighted()
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    iterator = r.call_function(instance[".iter"])
    assert sampler.sampler.epoch == 0 and int(r.call_function(instance[".length"])[0]) == 7
    first = as_array(r.call_function(iterator)) - 1
    assert sampler.sampler.epoch == 1 and first.tolist() == weighted().batches(0)[0].tolist()
    r.call_function(instance["update"], np.arange(1, 9, dtype=np.int32), np.eye(8)[6])
    assert as_array(r.call_function(iterator)).tolist() == [7, 7, 7]
    assert float(instance["epoch"][0]) == 1


def test_values_cross_exactly_and_rows_count_from_1(r: Session) -> None:
    sampler = prioritized()
    instance = r.call_function(rbridge.as_torch_sampler(sampler), None)
    losses = np.array([1 / 3, -1e-300, 5e-324, 1e300])
    r.call_function(instance["update"], np.array([8, 1, 2, 3], dtype=np.int32), losses)
    twin = prioritized()
    twin.update([7, 0, 1, 2], losses)
    found = as_array(r.call_function(instance["importance_weights"], np.arange(1.0, 9.0)))
    assert found.tolist() == twin.importance_weights(range(8)).tolist()
    buffer = ForeignPrioritized(PrioritizedBatchSampler(0, 2, capacity=3, seed=1))
    instance = r.call_function(rbridge.as_torch_sampler(buffer), None)
    assert as_array(r.call_function(instance["append"], 2)).tolist() == [1, 2]
    assert as_array(r.call_function(instance["append"])).tolist() == [3], "what is not given has Python's default"
    weights = r.call_function(r.call_function(rbridge.as_torch_sampler(weighted()), None)["weights"])
    assert as_array(weights).tolist() == WEIGHTS


def test_errors_of_both_sides_are_raised_in_r_whole(r: Session) -> None:
    instance = r.call_function(rbridge.as_torch_sampler(weighted()), None)
    of = "parameter must hold row numbers, counted from 1. Got 0 instead."
    with pytest.raises(rbridge.RError, match=f"The 'rows' {of}"):
        r.call_function(instance["update"], np.array([1, 0], dtype=np.int32), np.ones(2))
    with pytest.raises(rbridge.RError, match="must hold row positions from 0 to 7, counted from 0. Got 8 instead."):
        r.call_function(instance["update"], np.array([9], dtype=np.int32), np.ones(1))
    with pytest.raises(rbridge.RError, match="'weights' parameter must hold finite numbers"):
        r.call_function(instance["update"], np.array([1], dtype=np.int32), np.array([-1.0]))
    with pytest.raises(rbridge.RError, match="missing 1 required positional argument: 'weights'"):
        r.call_function(instance["update"], np.array([1], dtype=np.int32))
    r.call_function(instance["update"], np.arange(1, 9, dtype=np.int32), np.zeros(8))
    with pytest.raises(rbridge.RError, match="must not all be 0 when rows are drawn"):
        r.call_function(r.call_function(instance[".iter"]))


def test_an_iteration_that_many_others_followed_is_given_up(r: Session) -> None:
    instance = r.call_function(rbridge.as_torch_sampler(weighted()), None)
    iterators = [r.call_function(instance[".iter"]) for _ in range(9)]
    for iterator in iterators:
        r.call_function(iterator)
    r.call_function(iterators[1])
    with pytest.raises(rbridge.RError, match="The iteration has been given up: 8 others were begun after it."):
        r.call_function(iterators[0])


class Reported:
    """A sampler of which the bridge knows only what it says of itself."""

    feedback: Mapping[str, Mapping[str, str]] = {"report": {"perplexity": "number", "return": "number"}}

    def __init__(self) -> None:
        self.row = 0

    def __len__(self) -> int:
        return 3

    def set_epoch(self, epoch: int) -> None:
        self.row = 10 * epoch

    def report(self, perplexity: float) -> float:
        self.row += int(perplexity)
        return perplexity / 4

    def __iter__(self) -> Any:
        for _ in range(3):
            yield [self.row, 99]


def test_any_sampler_that_names_its_feedback_can_be_told(r: Session) -> None:
    instance = r.call_function(rbridge.as_torch_sampler(Reported()), None)
    r.call_function(instance["set_epoch"], 2)
    iterator = r.call_function(instance[".iter"])
    assert as_array(r.call_function(iterator)).tolist() == [21, 100]
    assert float(r.call_function(instance["report"], 6)[0]) == 1.5
    assert as_array(r.call_function(iterator)).tolist() == [27, 100]


FROM_R = """
foreign = reticulate::import("tests.bridge.test_feedback")
train = {train}
sampler = rbridge::batch_sampler_python(foreign$weighted())(NULL)
sampler$update(2, 1 / 3)
empty = rbridge::batch_sampler_python(foreign$empty())(NULL)
cat(jsonlite::toJSON(digits = NA, list(
  weighted = train(rbridge::batch_sampler_python(foreign$weighted()), 2) - 1L,
  prioritised = train(rbridge::batch_sampler_python(foreign$prioritized()), 2) - 1L,
  weights = sampler$weights(2),
  added = empty$append(1),
  error = tryCatch(sampler$update(1, -1), error = conditionMessage),
  printed = utils::capture.output(print(sampler))
)))
"""


def empty() -> ForeignPrioritized:
    return ForeignPrioritized(PrioritizedBatchSampler(0, 2, capacity=3))


def test_from_r_through_reticulate(rscript: Callable[..., str]) -> None:
    root = str(Path(__file__).parents[2])
    told = json.loads(rscript(FROM_R.format(train=TRAIN), RETICULATE_PYTHON=sys.executable, PYTHONPATH=root))
    assert told["weighted"] == trained_in_python(weighted(), 2)
    assert told["prioritised"] == trained_in_python(prioritized(), 2)
    assert told["weights"] == [0.333333333333333]
    assert told["added"] == [1]
    assert "must hold finite numbers, none below 0. Got -1 instead." in told["error"][0]
    assert told["printed"][3] == "* Feedback: update(), weights()"
