"""Sharded batches in real processes, joined by gloo: counts, batches, and a killed training that others go on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pystrat import shard_counts
from tests.distributed_job import holders, sharded_sampler, shards_of
from tests.example_processes import begin, ended, trained, write_files
from tests.process_groups import run

pytestmark = pytest.mark.xdist_group("process groups")

SCRIPT = "sharded_training.py"


@pytest.fixture(scope="module")
def ranks() -> list[Any]:
    """What each of four processes wrote."""
    return run("sharded", 4)


@pytest.mark.parametrize("scope", ["global", "local"])
def test_four_processes_gather_one_table_and_share_each_batch(ranks: list[Any], scope: str) -> None:
    strata = shards_of(scope)
    expected = shard_counts(strata)
    for rank in ranks:
        assert rank[scope]["counts"] == expected.to_dict("split")
    whole = sharded_sampler(scope, list(strata), expected)
    names = [(shard, row) for shard in strata for row in range(len(strata[shard]))]
    for epoch in range(2):
        parts = [rank[scope]["epochs"][epoch] for rank in ranks]
        assert {len(part) for part in parts} == {len(whole)}, "equal numbers of batches"
        for number, batch in enumerate(whole.batches(epoch)):
            drawn = []
            for shards, part in zip(holders(4), parts):
                own = [(shard, row) for shard in shards for row in range(len(strata[shard]))]
                drawn += [own[row] for row in part[number]]
                labels = [strata[shard][row] for shard, row in (own[row] for row in part[number])]
                assert labels and (scope == "global" or {"no", "yes"} == set(labels))
            assert sorted(drawn) == sorted(names[row] for row in batch.tolist())
            assert {strata[shard][row] for shard, row in drawn} == set(expected.columns), "the promise over all"


def test_a_shard_that_is_refused_ends_all_processes(ranks: list[Any]) -> None:
    own = (
        "The 'strata' parameter of shard 'part' must have no missing values. "
        "Got 1 missing of 1 row instead. Leave these rows out of the dataset."
    )
    assert [rank["refused"] for rank in ranks] == [
        own if number == 1 else f"Process 1 could not count its shards: ValueError: {own}" for number in range(4)
    ]


def test_a_process_whose_shard_has_no_rows_has_zeros(ranks: list[Any]) -> None:
    assert [rank["empty"] for rank in ranks] == [{"x": {f"part-{number}": number for number in range(4)}}] * 4
    message = "The 'strata' parameter must have at least one row. Got 0 rows instead."
    assert [rank["no rows"] for rank in ranks] == [message] * 4


def test_a_shard_that_cannot_be_read_ends_all_processes(ranks: list[Any]) -> None:
    told = ["ValueError: Process 1 could not count its shards: OSError: part is gone"] * 4
    told[1] = "OSError: part is gone"
    assert [rank["broken"] for rank in ranks] == told


def test_counts_of_a_group_are_those_of_its_processes(ranks: list[Any]) -> None:
    first, second = (shards[0] for shards in holders(4)[:2])
    assert [rank.get("group") for rank in ranks] == [{first: {"x": 1}, second: {"x": 2}}] * 2 + [None] * 2


@pytest.fixture(scope="module")
def never_stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[float]]:
    """The sampler's place and the parameters after a training in one process."""
    folder = tmp_path_factory.mktemp("never_stopped")
    write_files(folder)
    assert ended(begin(SCRIPT, 1, folder)) == [0]
    return trained(folder)


def check_trained(folder: Path, never_stopped: tuple[dict[str, Any], list[float]]) -> None:
    """Check that a training has ended as the one that was never stopped."""
    (state, parameters), (expected_state, expected) = trained(folder), never_stopped
    assert state == expected_state and state["epoch"] == 3
    assert parameters == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_a_training_that_stops_within_an_epoch_goes_on_with_another_number_of_processes(
    never_stopped: Any, tmp_path: Path
) -> None:
    write_files(tmp_path)
    assert ended(begin(SCRIPT, 2, tmp_path, "--stop-after", "3")) == [1, 1]
    assert trained(tmp_path)[0]["batch"] == 3
    assert ended(begin(SCRIPT, 1, tmp_path)) == [0]
    check_trained(tmp_path, never_stopped)
