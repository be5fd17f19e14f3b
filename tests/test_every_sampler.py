"""What every sampler promises, of every specimen: one epoch whoever asks, copies, states, ranks.

Batches and states are compared with what has been told to samplers that listen, after every batch. What only one
kind promises has tests of its own.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np
import pytest
import torch

from pystrat import StratifiedBatchSampler, TreeSampler
from pystrat.corpus import CorpusMixtureBatchSampler
from tests.specimens import Specimen, all_specimens, write_files

EPOCHS = (0, 1, 4)


def with_an_end(folder: Path) -> dict[str, Specimen]:
    return {name: each for name, each in all_specimens(folder).items() if not each.is_endless}


ALL = with_an_end(Path())
OF_RANKS = [name for name, specimen in ALL.items() if specimen.takes("num_replicas")]
SEEDLESS = {name for name, specimen in ALL.items() if specimen.arguments.get("seed", 1) is None}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of rare strata, and of weights without effect


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Specimen]:
    folder = tmp_path_factory.mktemp("specimens")
    write_files(folder)
    return with_an_end(folder)


@pytest.fixture
def make(request: pytest.FixtureRequest, made: dict[str, Specimen]) -> Callable[..., Any]:
    name: str = request.param
    specimen = made[name]

    def of(**given: Any) -> Any:
        return specimen.make(**{**({"seed": 1} if name in SEEDLESS else {}), **given})

    of.name = name  # type: ignore[attr-defined]
    return of


EACH = pytest.mark.parametrize("make", ALL, indirect=True)


def plain(batch: Any) -> list[tuple[int, Any]]:
    """Return the rows of a batch, or a single row, with the auxiliary values that trees give them."""
    return [(int(row), getattr(row, "aux", None)) for row in (batch if isinstance(batch, list) else [batch])]


def tell(sampler: Any, batch: Any, step: int) -> None:
    """Tell a sampler that listens something that depends on the rows and on when."""
    rows = [row for row, _ in plain(batch)]
    values = [(row * 7 + step * 3) % 5 / 4 + 0.25 for row in rows]
    if hasattr(sampler, "report"):
        sampler.report(rows, values)
    if hasattr(sampler, "update"):
        try:
            sampler.update(rows, values)
        except ValueError as error:
            assert "must be the same for all epochs if they are updated" in str(error)


def trained(sampler: Any, batches: Iterable[Any], first: int = 0) -> list[Any]:
    """Return batches, each of which is told to the sampler."""
    found = []
    for step, batch in enumerate(batches, start=first):
        found.append(plain(batch))
        tell(sampler, batch, step)
    return found


def as_json(state: dict[str, Any]) -> Any:
    return json.loads(json.dumps(state, default=lambda array: array.tolist()))


def described(sampler: Any) -> list[str]:
    """Return what a sampler shows of itself, and the weights that undo how it chooses rows."""
    plan = getattr(sampler, "plan", None)
    summary = plan.summary() if hasattr(plan, "summary") else ""
    shown = [repr(sampler), str(getattr(sampler, "parameters", None)), summary]
    return [*shown, str(sampler.class_weights()) if hasattr(sampler, "class_weights") else ""]


def epochs_of(sampler: Any) -> list[list[int]]:
    """Return the batches of some epochs; with perplexities, only the next one is known."""
    n_epochs = 1 if hasattr(sampler, "report") else 3
    return [np.atleast_1d(batch).tolist() for epoch in range(n_epochs) for batch in sampler.batches(epoch)]


@EACH
def test_an_epoch_is_the_same_whoever_asks(make: Callable[..., Any]) -> None:
    sampler, again = make(), make()
    assert sampler.sampler is sampler and not hasattr(sampler, "drop_last")
    assert repr(sampler).startswith(f"{type(sampler).__name__}(") and "object at" not in repr(sampler)
    for epoch in EPOCHS[: 1 if hasattr(sampler, "report") else None]:
        sampler.set_epoch(epoch)
        announced, batches = len(sampler), list(sampler)
        assert announced == len(batches) and sampler.epoch == epoch + 1
        size = getattr(sampler, "batch_size", None)
        assert size is None or {len(plain(batch)) for batch in batches} == {size}, "libraries take it as that of all"
        assert all(isinstance(row, int) for batch in batches for row in (batch if isinstance(batch, list) else [batch]))
        again.set_epoch(epoch)
        expected = [np.atleast_1d(batch).tolist() for batch in again.batches(epoch)]
        assert [[row for row, _ in plain(batch)] for batch in batches] == expected
        assert again.epoch == epoch, "asking for batches begins no epoch"
        handed_out = again.batches(epoch)
        if handed_out.rows.flags.writeable:
            handed_out.rows[...] = 0
        with pytest.raises(ValueError, match="read-only"):
            handed_out.offsets[1] = 0
        assert [np.atleast_1d(batch).tolist() for batch in again.batches(epoch)] == expected, "rows may be overwritten"


@EACH
def test_batches_of_batches_are_refused(make: Callable[..., Any]) -> None:
    """``DataLoader(dataset, sampler=sampler, batch_size=8)`` wraps the sampler like this."""
    sampler = make()
    nested = iter(torch.utils.data.BatchSampler(sampler, 8, drop_last=False))
    if isinstance(sampler, TreeSampler):
        assert len(next(nested)) == 8
        return
    with pytest.raises(ValueError, match="'sampler' parameter must yield single rows .* batch_sampler=sampler"):
        next(nested)
    assert sampler.epoch == 0


@EACH
def test_an_epoch_begins_with_its_first_batch_and_an_abandoned_one_does_not_come_again(
    make: Callable[..., Any],
) -> None:
    sampler = make()
    first, second = iter(sampler), iter(sampler)
    assert sampler.epoch == 0
    begun = plain(next(second))
    assert sampler.epoch == 1
    of_first = [plain(batch) for batch in first]
    assert sampler.epoch == 2
    expected = make()
    assert [begun, *map(plain, second)] == [plain(batch) for batch in expected]
    assert of_first == [plain(batch) for batch in expected]


@EACH
def test_copies_within_an_epoch_go_on_alike(make: Callable[..., Any]) -> None:
    sampler = make()
    tell(sampler, next(iter(sampler)), 0)
    twins = [pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)]
    state, shown = as_json(sampler.state(0, 1)), described(sampler)
    expected = [trained(sampler, sampler) for _ in range(2)]
    for twin in twins:
        assert described(twin) == shown and as_json(twin.state(0, 1)) == state
        assert [trained(twin, twin) for _ in range(2)] == expected


@EACH
def test_a_state_continues_with_exactly_what_would_have_come(make: Callable[..., Any]) -> None:
    whole = make()
    expected = [trained(whole, whole) for _ in range(3)]
    n_batches = len(expected[1])
    for stop in sorted({0, 1, n_batches // 2, n_batches}):
        sampler = make()
        trained(sampler, sampler)
        iterator = iter(sampler)
        trained(sampler, (next(iterator) for _ in range(stop)))
        state, rest = sampler.state(1, stop), expected[1][stop:]
        for given in (state, as_json(state), iterator.state_dict() if stop else state):
            resumed = make()
            resumed.load_state_dict(given)
            if rest:
                assert as_json(resumed.state(1, stop)) == as_json(state) or not stop
                of_resumed = iter(resumed)  # which stops again after a batch
                assert trained(resumed, [next(of_resumed)], first=stop) == rest[:1]
                if len(rest) > 1:
                    resumed = make()
                    resumed.load_state_dict(of_resumed.state_dict())
                    assert trained(resumed, resumed, first=stop + 1) == rest[1:]
            assert trained(resumed, resumed) == expected[2]
        if stop:
            resumed = make()
            of_resumed = iter(resumed)
            of_resumed.load_state_dict(iterator.state_dict())
            assert trained(resumed, of_resumed, first=stop) == rest
            assert trained(resumed, resumed) == expected[2]


@EACH
def test_the_seed_decides_unless_nothing_is_random(make: Callable[..., Any]) -> None:
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    one, again, other = make(seed=1), make(seed=1), make(seed=2)
    call = ALL[make.name]  # type: ignore[attr-defined]
    given, draws = call.arguments, call.kind is CorpusMixtureBatchSampler
    in_order = given.get("shuffle") is False and not draws
    in_order |= given.get("method") == "partition" and "lengths" not in given
    assert epochs_of(one) == epochs_of(again)
    assert (epochs_of(one) == epochs_of(other)) == in_order
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    assert after == before, "the global random states are left alone"


@pytest.mark.parametrize("seed", [random.seed, np.random.seed, torch.manual_seed])
def test_a_drawn_seed_does_not_follow_a_global_one(seed: Callable[[int], Any]) -> None:
    seeds = []
    for _ in range(2):
        seed(1)
        seeds.append(StratifiedBatchSampler([0, 1], 1).seed)
    assert seeds[0] != seeds[1]


@EACH
def test_a_loop_that_counts_sets_its_place(make: Callable[..., Any]) -> None:
    sampler = make()
    epochs = [[plain(batch) for batch in sampler] for _ in range(3)]
    if hasattr(sampler, "report"):
        return  # an epoch depends on the reports before it: its place is in states
    for stop in sorted({0, 1, len(epochs[1]) // 2, len(epochs[1])}):
        at_end = stop == len(epochs[1])
        for begin in (0, 1):
            sampler.set_epoch(1, stop)
            assert as_json(sampler.state(1, stop)) == as_json(sampler.state(sampler.epoch, 0 if at_end else stop))
            sampler.set_epoch(2 if at_end else 1)  # as trainers do at the beginning of an epoch that they resume
            if begin:
                next(iter(sampler))
                sampler.set_epoch(1)
            rest = epochs[1] if begin else epochs[2] if at_end else epochs[1][stop:]
            assert [plain(batch) for batch in sampler] == rest
        sampler.set_epoch(1, stop)
        sampler.set_epoch(1, 0)
        assert [plain(batch) for batch in sampler] == epochs[1], "a number is taken as it is"
    with pytest.raises(ValueError, match="'batches_done' parameter must be an integer from 0 to"):
        sampler.set_epoch(1, len(epochs[1]) + 1)


def of_replicas(make: Callable[..., Any], number: int) -> Any:
    """Return a sampler for all ranks, or nothing if it has fewer batches than ranks."""
    try:
        return make(num_replicas=number)
    except ValueError as error:
        assert "num_replicas" in str(error) or "batches" in str(error)
        return None


def test_every_sampler_is_among_those_for_ranks(made: dict[str, Specimen]) -> None:
    names = [name for name in OF_RANKS if name not in SEEDLESS and of_replicas(made[name].make, 3) is not None]
    assert {made[name].kind for name in names} == {made[name].kind for name in OF_RANKS} and len(names) > 80


@pytest.mark.parametrize("replicas", [2, 3])
@pytest.mark.parametrize("make", OF_RANKS, indirect=True)
def test_ranks_in_turn_are_the_whole_if_all_are_told_the_same(make: Callable[..., Any], replicas: int) -> None:
    whole = of_replicas(make, replicas)
    if whole is None:
        return
    ranks = [make(num_replicas=replicas, rank=rank) for rank in range(replicas)]
    for _ in range(2):
        assert len(whole) == replicas * len(ranks[0]) and {len(rank) for rank in ranks} == {len(ranks[0])}
        parts = [[np.atleast_1d(batch).tolist() for batch in rank.batches()] for rank in ranks]
        expected = [np.atleast_1d(batch).tolist() for batch in whole.batches()]
        assert [batch for together in zip(*parts) for batch in together] == expected
        delivered, iterators, n_steps = iter(whole), [iter(rank) for rank in ranks], len(ranks[0])
        for step in range(n_steps):
            together = [next(iterator) for iterator in iterators]
            assert list(map(plain, together)) == [plain(next(delivered)) for _ in range(replicas)]
            for sampler in (whole, *ranks):
                for batch in together:
                    tell(sampler, batch, step)
            states = [as_json(iterator.state_dict()) for iterator in iterators]
            assert all(state == states[0] for state in states)
            if step == n_steps // 2 < n_steps - 1:  # all stop, and go on from the state of one
                ranks = [make(num_replicas=replicas, rank=rank) for rank in range(replicas)]
                for rank in ranks:
                    rank.load_state_dict(states[0])
                iterators = [iter(rank) for rank in ranks]
        assert next(delivered, None) is None and not any(list(iterator) for iterator in iterators)
