"""States of samplers cross between the languages: each continues with exactly the batches that the other left."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rbridge
from pystrat import BatchSampler, PrioritizedBatchSampler, StratifiedBatchSampler, SumTree, WeightedBatchSampler
from pystrat.stream import StratifiedStream
from rbridge.session import Session, as_array
from tests.specimens import samplers

LABELS = [0, 1, 1, 0, 1, 1, 1, 0] * 6
SOURCES = {name: [f"{name}{row % 2}" for row in range(12)] for name in "cab"}


def crossing(folder: Path) -> list[BatchSampler]:
    """Return samplers of all kinds; R draws the batches of each itself."""
    # Those of trees are single rows in Python.
    return [sampler for sampler in samplers(folder) if type(sampler).__name__ != "TreeSampler"]


class InR:
    """Instances of samplers in R, their states as JSON, and the rest of an epoch as lists of rows from 0."""

    def __init__(self, r: Session) -> None:
        self.r, self.base = r, r.rinterface.baseenv

    def function(self, code: str) -> Any:
        return self.base["eval"](self.base["parse"](text=code))

    def instance(self, sampler: BatchSampler) -> Any:
        return self.r.call_function(rbridge.as_torch_sampler(sampler), None)

    def load(self, instance: Any, state: dict[str, Any]) -> None:
        load = self.function("function(sampler, text) sampler$load_state_dict(jsonlite::fromJSON(text))")
        self.r.call_function(load, instance, json.dumps(state, default=lambda array: array.tolist()))

    def state(self, instance: Any, consumed: int) -> dict[str, Any]:
        written = self.function(
            "function(sampler, n) as.character(jsonlite::toJSON(sampler$state_dict(n), auto_unbox = TRUE, "
            "null = 'null', digits = I(17)))"
        )
        state: dict[str, Any] = json.loads(self.r.call_function(written, instance, consumed)[0])
        return state

    def call(self, instance: Any, method: str, *arguments: Any) -> Any:
        return self.r.call_function(self.base["$"](instance, method), *arguments)

    def take(self, instance: Any, n_batches: float) -> list[list[float]]:
        taken = self.function(
            "function(sampler, most) { following = sampler$.iter(); found = list(); while (length(found) < most) { "
            "rows = following(); if (coro::is_exhausted(rows)) break; found[[length(found) + 1L]] = as.vector(rows) }; "
            "found }"
        )
        batches = [as_array(rows) for rows in self.r.call_function(taken, instance, n_batches)]
        # Numbers of pairs are doubles, and the same in both languages.
        return [(rows - (rows.dtype.kind == "i")).tolist() for rows in batches]


@pytest.fixture
def in_r(r: Session) -> InR:
    return InR(r)


def test_the_fingerprint_is_that_of_python(in_r: InR, tmp_path: Path) -> None:
    for sampler in crossing(tmp_path):
        found = in_r.state(in_r.instance(sampler), 0)
        expected = json.loads(json.dumps(sampler.state_dict(), default=lambda array: array.tolist()))
        assert found == expected, sampler


def test_states_of_sum_trees_and_clocks_of_buffers_cross_in_both_directions(in_r: InR, r: Session) -> None:
    tree = SumTree([1.0, 2.5, 0.0], capacity=5, seed=7)
    tree.sample(700)
    tree.append([3.0, 1.0, 0.1 + 0.2])  # 17 digits
    in_its_place = r.call("sum_tree", capacity=5, seed=1)
    in_r.load(in_its_place, tree.state_dict())
    drawn = tree.sample(50).tolist()
    assert (as_array(in_r.call(in_its_place, "sample", 50)) - 1).tolist() == drawn
    written = "function(tree) as.character(jsonlite::toJSON(tree$state_dict(), auto_unbox = TRUE, digits = I(17)))"
    state = json.loads(r.call_function(in_r.function(written), in_its_place)[0])
    assert state == json.loads(json.dumps(tree.state_dict(), default=lambda array: array.tolist()))
    twin = SumTree(capacity=5)
    twin.load_state_dict(state)
    assert twin.sample(50).tolist() == tree.sample(50).tolist() and twin.append([2.0]).tolist() == [1]

    buffer = PrioritizedBatchSampler(0, 2, capacity=3, n_batches=2, epsilon=0, seed=1)
    buffer.append(priorities=[0.0, 2.0, 1.0])
    buffer.append(2)
    crossed = in_r.instance(buffer)
    assert as_array(in_r.call(crossed, "n_added")).tolist() == [5]
    assert as_array(in_r.call(crossed, "priorities")).tolist() == buffer.priorities().tolist()
    in_r.call(crossed, "append", 1)
    buffer.load_state_dict(in_r.state(crossed, 0))
    assert buffer.n_added == 6


def test_a_state_within_an_epoch_crosses_in_both_directions(in_r: InR, tmp_path: Path) -> None:
    for sampler in crossing(tmp_path):
        sampler.set_epoch(3)
        all_batches = [list(batch) for batch in sampler]
        rest = all_batches[1:] or [batch.tolist() for batch in sampler.batches(4)]
        sampler.set_epoch(3)
        list(islice(iter(sampler), 1))
        instance = in_r.instance(sampler)
        in_r.load(instance, sampler.state_dict(batches_consumed=1))
        assert in_r.take(instance, float("inf")) == rest, sampler
        instance = in_r.instance(sampler)
        in_r.call(instance, "set_epoch", 3)
        in_r.take(instance, 1)
        sampler.load_state_dict(in_r.state(instance, 1))
        assert [list(batch) for batch in sampler] == rest, sampler


def test_ranks_continue_each_other_s_states(in_r: InR) -> None:
    def of(make: Any, **given: Any) -> BatchSampler:
        made: BatchSampler = make(num_replicas=2, seed=1, **given)
        return made

    makers = (
        lambda **given: StratifiedBatchSampler(LABELS, 2, **given),
        lambda **given: WeightedBatchSampler([1.0, 2.0] * 24, 6, **given),
        lambda **given: WeightedBatchSampler({0: [1.0, 2.0] * 24, 1: [1.0] * 48}, 6, **given),
    )
    for make in makers:
        whole = [list(batch) for batch in of(make)]
        ranks = [of(make, rank=rank) for rank in range(2)]
        iterators = [iter(sampler) for sampler in ranks]
        for iterator in iterators * 2:
            next(iterator)
        parts = []
        for rank, sampler in enumerate(ranks):
            instance = in_r.instance(of(make))
            in_r.call(instance, "set_rank", rank, 2)
            in_r.load(instance, sampler.state_dict(batches_consumed=2))
            parts.append(in_r.take(instance, 1))
            sampler.load_state_dict(in_r.state(instance, 1))
            parts[-1] += [list(batch) for batch in sampler]
        assert [batch for together in zip(*parts) for batch in together] == whole[4:]


SIZES: dict[str, dict[str, Any]] = {
    "2": {"min_samples_per_stratum": 2},
    "mean_batch_size = 5": {"mean_batch_size": 5},
    "mean_batch_size = 5, balance = 27": {"mean_batch_size": 5, "balance": 27},
    "mean_batch_size = 6, shares = c('1' = 2, '0' = 1)": {"mean_batch_size": 6, "shares": {"1": 2, "0": 1}},
}


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("counted, size", [(False, "2"), *((True, size) for size in SIZES)])
def test_streams(in_r: InR, shuffle: bool, counted: bool, size: str) -> None:
    strata = sorted({text[1] for texts in SOURCES.values() for text in texts})
    table = {name: {text: 6 for text in strata} for name in SOURCES}
    given: dict[str, Any] = {"shuffle": shuffle, "seed": 3, "shuffle_sources": 1 + shuffle, **SIZES[size]}
    stream = StratifiedStream(
        SOURCES,
        read=lambda rows: rows,
        stratum=lambda text: text[1],
        **({"counts": pd.DataFrame.from_dict(table, orient="index")} if counted else {"strata": strata}),
        **given,
    )
    code = f"""function() {{
      sources = list({", ".join(f"{name} = '{name}'" for name in SOURCES)})
      rows = lapply(sources, function(name) data.frame(text = paste0(name, 0:11 %% 2), key = as.character(0:11 %% 2)))
      counts = matrix(6, 3, 2, dimnames = list(names(sources), c('0', '1')))
      stratified_stream(sources, {size}, read = function(name) rows[[name]], stratum = "key",
        {"counts = counts" if counted else "strata = c('0', '1')"}, shuffle = {str(shuffle).upper()},
        shuffle_sources = {1 + shuffle}, seed = 3)
    }}"""
    made = in_r.r.call_function(in_r.function(code.replace("stratified_stream", "rbridge::stratified_stream")))
    assert in_r.state(made, 0) == stream.state_dict(batches_consumed=0)
    whole = list(stream)
    batches = iter(stream)
    next(batches), next(batches)
    in_r.load(made, stream.state_dict(batches_consumed=2))
    taken = in_r.function(
        "function(stream, n) { following = stream$.iter(); lapply(seq_len(n), function(i) following()$text) }"
    )
    in_r.call(made, "set_epoch", 1)
    assert [list(texts) for texts in in_r.r.call_function(taken, made, 1)] == [list(next(batches))]
    stream.load_state_dict(in_r.state(made, 1))
    assert [list(batch) for batch in stream] == [list(batch) for batch in batches]
    assert len(whole) > 4
