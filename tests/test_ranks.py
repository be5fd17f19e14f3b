"""`check_ranks` in real processes, joined by gloo: what differs between them is named in all of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pystrat import StratifiedBatchSampler, check_ranks
from tests.distributed_job import stratified, weighted_sampler
from tests.process_groups import run

pytestmark = pytest.mark.xdist_group("process groups")

WORLD = 3
ALIKE = "must be the same in all processes. Got {} than in process 0 instead. Pass the same data, parameters and seed "
ALIKE += "in all processes, and load the same state."
OWN = "must have num_replicas=3, and a rank of its own in each process. Got num_replicas={} and the ranks {} instead. "
OWN += "Pass num_replicas=torch.distributed.get_world_size() and rank=torch.distributed.get_rank()."
SHARD = "must have each shard in one process. Got {} instead. Give it to one of them."
PASSES = [
    "nothing",
    "nothing, after loading",
    "nothing, of all batches",
    "nothing, of weights",
    "nothing, of streams",
    "shards",
    "shards in another order",
]
REFUSED = {
    "seed": ALIKE.format("another seed, 2, in process 1"),
    "labels": ALIKE.format("other strata in process 1"),
    "num_replicas": ALIKE.format("another num_replicas, 1, in process 2"),
    "too many replicas": OWN.format(6, "0, 1, 2"),
    "the same rank": OWN.format(3, "0, 1, 0"),
    "a missing rank": OWN.format(3, "None, 1, 2"),
    "kind": ALIKE.format("another kind, UniformBatchSampler, in process 1"),
    "place": ALIKE.format("another place, epoch 3 and batch 0, in process 1"),
    "stream": ALIKE.format("another seed, 2, in process 1"),
    "other shards": ALIKE.format("other counts in process 1"),
    "a shard twice": SHARD.format("'part-0' in 2"),
    "a missing shard": SHARD.format("'part-2' in 0"),
}


@pytest.fixture(scope="module")
def ranks() -> list[Any]:
    """What each process wrote."""
    return run("ranks", WORLD)


@pytest.mark.parametrize("case", PASSES)
def test_samplers_that_fit_together_pass(ranks: list[Any], case: str) -> None:
    assert [rank[case] for rank in ranks] == [""] * WORLD


@pytest.mark.parametrize("case", REFUSED)
def test_what_differs_is_named_in_every_process(ranks: list[Any], case: str) -> None:
    assert [rank[case] for rank in ranks] == [f"The 'sampler' parameter {REFUSED[case]}"] * WORLD


def test_feedback_differs(ranks: list[Any]) -> None:
    assert all(re.search("another feedback, .*, in process 2 than in process 0", rank["weights"]) for rank in ranks)


def test_a_process_that_passes_something_else_ends_all_processes(ranks: list[Any]) -> None:
    own = "The 'sampler' parameter must be a sampler or a stream of pystrat. Got 1 value instead."
    assert [rank["what is no sampler"] for rank in ranks] == [
        own if number == 1 else f"Process 1 could not describe its sampler: TypeError: {own}" for number in range(WORLD)
    ]


def test_the_processes_of_a_group_are_checked(ranks: list[Any]) -> None:
    assert [rank.get("group") for rank in ranks] == ["", "", None]


def test_a_process_alone_has_the_batches_of_no_other(ranks: list[Any]) -> None:
    assert all("must have num_replicas=1" in rank["group of one"] for rank in ranks)


def test_one_process_may_iterate_while_the_others_do_not(ranks: list[Any]) -> None:
    samplers = stratified(WORLD, 0), weighted_sampler(WORLD, 0)
    assert ranks[0]["alone"] == [[batch.tolist() for batch in sampler.batches(0)] for sampler in samplers]


def test_without_a_process_group_nothing_is_compared() -> None:
    check_ranks(StratifiedBatchSampler([0, 1] * 8, 2, seed=1, num_replicas=4, rank=3))
    with pytest.raises(ValueError, match="'process_group' parameter must be left out if no process group"):
        check_ranks(stratified(1, None), process_group="gloo")


def test_what_was_not_given_for_a_running_group_is_warned_of_once_at_the_first_batch() -> None:
    for told in run("warned", 2):
        assert told["ranked"] == [0]
        for name, lacking in (("alone", "num_replicas"), ("seedless", "seed")):
            before, message = told[name]
            assert before == 0
            assert f"A process group of 2 processes runs, but the '{lacking}' parameter was not given" in message
