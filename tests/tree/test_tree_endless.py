"""Endless epochs: the draws of finite ones, without a length, resumed and shared in the same way."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from pystrat import TreeBatchSampler, TreeSampler

TABLE = {"label": ["active"] * 10 + ["inactive"] * 90}
SPEC: dict[str, Any] = {
    "mode": "sequential",
    "children": [
        {"column": "label", "value": "active", "mode": "shuffle"},
        {"column": "label", "value": "inactive", "weight": 2},
    ],
}
AUXILIARY = {**SPEC, "auxiliary": {"angle": "normal(0, 1)", "step": "counter()", "flip": "cycle([true, false, false])"}}
pytestmark = pytest.mark.filterwarnings("ignore:The 'weight' of node")


def endless(spec: Any = SPEC, batch_size: int = 7, **parameters: Any) -> TreeBatchSampler:
    return TreeBatchSampler(TABLE, spec, batch_size, length=None, **{"seed": 3, **parameters})


@pytest.mark.parametrize("spec", [SPEC, AUXILIARY], ids=["rows", "auxiliary"])
@pytest.mark.parametrize("batch_size", [7, 10_000])
def test_an_endless_epoch_begins_with_the_draws_of_any_finite_one(spec: Any, batch_size: int) -> None:
    sampler, n_batches = endless(spec, batch_size), 20_000 // batch_size
    for epoch in range(2):
        finite = TreeBatchSampler(TABLE, spec, batch_size, length=n_batches * batch_size, seed=3)
        finite.set_epoch(epoch)
        expected = list(finite)
        found = list(islice(sampler, n_batches))
        assert found == expected
        if spec is AUXILIARY:
            assert [row.aux for rows in found for row in rows] == [row.aux for rows in expected for row in rows]


def test_single_rows_without_end() -> None:
    rows = list(islice(TreeSampler(TABLE, SPEC, length=None, seed=3), 20_000))
    assert rows == [row for batch in islice(endless(), 20_000 // 7 + 1) for row in batch][:20_000]


@pytest.mark.parametrize("spec", [SPEC, AUXILIARY], ids=["rows", "auxiliary"])
@pytest.mark.parametrize("consumed", [0, 3000])
def test_an_endless_iteration_is_resumed(spec: Any, consumed: int) -> None:
    iterator = iter(endless(spec))
    list(islice(iterator, consumed))
    state = json.loads(json.dumps(iterator.state_dict()))
    expected = list(islice(iterator, 9))
    resumed, own = endless(spec), iter(endless(spec))
    resumed.load_state_dict(state)
    own.load_state_dict(state)
    assert list(islice(resumed, 9)) == list(islice(own, 9)) == expected
    of_rows, resumed_rows = (iter(TreeSampler(TABLE, spec, length=None, seed=3)) for _ in range(2))
    list(islice(of_rows, consumed))
    resumed_rows.load_state_dict(of_rows.state_dict())
    assert list(islice(resumed_rows, 9)) == list(islice(of_rows, 9))


def test_ranks_share_an_endless_epoch_and_an_abandoned_one_is_not_repeated() -> None:
    whole = list(islice(endless(), 30))
    for rank in range(3):
        sampler = endless(num_replicas=3, rank=rank)
        iterator = iter(sampler)
        assert list(islice(iterator, 4)) == whole[rank:12:3]
        resumed = endless(num_replicas=3, rank=rank)
        resumed.load_state_dict(iterator.state_dict())
        assert list(islice(resumed, 6)) == whole[12 + rank :: 3]
    sampler = endless()
    assert list(islice(sampler, 30)) == whole != list(islice(sampler, 30)) and sampler.epoch == 2


def test_what_needs_an_end_is_refused() -> None:
    sampler = endless(AUXILIARY)
    with pytest.raises(TypeError, match="^TreeBatchSampler has no length, since its 'length' is None.$"):
        len(sampler)
    of = "The 'length' parameter must be given for the arrays of a whole epoch. Got nothing instead."
    with pytest.raises(ValueError, match=of):
        sampler.batches(0)
    with pytest.raises(ValueError, match="'persistent' parameter must be false if 'length' is not"):
        endless(persistent=True)
    with pytest.raises(ValueError, match="'batch_size' parameter must be an integer from 1 to 2147"):
        endless(batch_size=2**31)
    assert sampler.length is None and "length=None" in repr(sampler) and sampler.describe()
