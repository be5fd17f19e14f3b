"""What torchdata's StatefulDataLoader and nodes do to a batch sampler: the real ones if installed, and replays of them.

The replays do, in the order of their source, what they do to the sampler, and nothing else; the version read is
in docs/training-libraries.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Optional, Protocol, runtime_checkable

import pytest

from pystrat import BatchSampler, ResumableLoader
from tests.replays.torchdata.nodes import IterableWrapper, Loader
from tests.replays.torchdata.stateful_dataloader import StatefulDataLoader, states_of
from tests.training_libraries import LABELS, N_BATCHES, epoch_of, installed, run_recipes, sampler_of

pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")


@runtime_checkable
class Stateful(Protocol):
    def state_dict(self) -> dict[str, Any]:
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        ...


class StatefulIterator:
    """The iterator of a StatefulDataLoader over a sampler; with workers it asks for `prefetch` batches ahead."""

    def __init__(self, sampler: BatchSampler, prefetch: int, state: Optional[dict[str, Any]] = None) -> None:
        self.sampler = sampler
        self.prefetch = prefetch
        self.sampler_iterator = iter(sampler)
        self.finished = False
        self.sent: list[tuple[list[int], dict[str, Any]]] = []
        self.snapshot = self.main_state()
        if state is not None:
            assert isinstance(self.sampler_iterator, Stateful) and not isinstance(sampler, Stateful)
            self.sampler_iterator = iter(sampler)
            self.sampler_iterator.load_state_dict(state["iterator"])
            self.snapshot = state
            self.finished = state["finished"]
        for _ in range(prefetch):
            self.send()

    def main_state(self) -> dict[str, Any]:
        return states_of(self.sampler, self.sampler_iterator)

    def send(self) -> None:
        batch = next(self.sampler_iterator, None)
        if batch is not None:
            self.sent.append((batch, self.main_state()))

    def __iter__(self) -> "StatefulIterator":
        return self

    def __next__(self) -> list[int]:
        if not self.prefetch:
            self.send()
        if not self.sent:
            self.finished = True
            raise StopIteration
        batch, self.snapshot = self.sent.pop(0)
        if self.prefetch:
            self.send()
        return batch

    def state_dict(self) -> dict[str, Any]:
        return {**(self.snapshot if self.prefetch else self.main_state()), "finished": self.finished}


def replayed_loader(sampler: BatchSampler, prefetch: int) -> StatefulDataLoader:
    return StatefulDataLoader(partial(StatefulIterator, sampler, prefetch))


def installed_loader(sampler: BatchSampler, prefetch: int) -> Any:
    """A real StatefulDataLoader whose two workers, if `prefetch` is not 0, ask for so many batches ahead."""
    from torchdata.stateful_dataloader import StatefulDataLoader

    options: dict[str, Any] = {}
    if prefetch:
        options = {"num_workers": 2, "prefetch_factor": prefetch // 2, "multiprocessing_context": "fork"}
    return StatefulDataLoader(range(len(LABELS)), batch_sampler=sampler, collate_fn=list, **options)


LOADERS = pytest.mark.parametrize(
    "make_loader", [replayed_loader, pytest.param(installed_loader, marks=installed("torchdata"))]
)
# With the same number of workers, none or two: the real loader refuses a state of another number.
PREFETCHES = pytest.mark.parametrize(("prefetch_saved", "prefetch_resumed"), [(0, 0), (4, 30), (30, 4)])


def take(loader: Any, count: int) -> list[list[int]]:
    """Iterate epoch after epoch until `count` batches have come; stop within the loop."""
    taken: list[list[int]] = []
    while len(taken) < count:
        for batch in loader:
            taken.append(batch)
            if len(taken) == count:
                break
    return taken


@LOADERS
@PREFETCHES
@pytest.mark.parametrize("rank", [None, 1])
def test_a_stateful_data_loader_resumes_exactly_wherever_it_was_saved(
    prefetch_saved: int, prefetch_resumed: int, rank: Optional[int], make_loader: Any
) -> None:
    parameters = {"num_replicas": 2, "rank": rank}
    reference = sampler_of(**parameters)
    length = len(reference)
    expected = [batch for epoch in range(4) for batch in epoch_of(reference, epoch)]
    stops = range(2 * length + 1) if make_loader is replayed_loader else (0, 3, length, length + 2)
    for stop in stops:
        saved = make_loader(sampler_of(**parameters), prefetch_saved)
        assert take(saved, stop) == expected[:stop]
        resumed = make_loader(sampler_of(**parameters), prefetch_resumed)
        resumed.load_state_dict(saved.state_dict())
        assert take(resumed, 2 * length) == expected[stop : stop + 2 * length]


def installed_nodes(iterable: Any) -> Any:
    from torchdata.nodes import IterableWrapper, Loader

    return Loader(IterableWrapper(iterable))


NODES = pytest.mark.parametrize(
    "nodes", [lambda each: Loader(IterableWrapper(each)), pytest.param(installed_nodes, marks=installed("torchdata"))]
)


@NODES
@pytest.mark.parametrize("stop", [0, 1, 4, N_BATCHES - 1, N_BATCHES, N_BATCHES + 3])
def test_nodes_resume_exactly_wherever_they_were_saved(nodes: Any, stop: int) -> None:
    expected = [batch for epoch in range(4) for batch in epoch_of(sampler_of(), epoch)]
    saved, resumed = (nodes(ResumableLoader(sampler_of())) for _ in range(2))
    assert take(saved, stop) == expected[:stop]
    if stop == 0:
        iter(saved)
    resumed.load_state_dict(saved.state_dict())
    assert take(resumed, 2 * N_BATCHES) == expected[stop : stop + 2 * N_BATCHES]


@installed("torchdata")
def test_the_recipes_for_torchdata() -> None:
    for names in run_recipes("torchdata"):
        expected = epoch_of(names["StratifiedBatchSampler"](names["labels"], 3, seed=1), 0)[1:]
        assert [batch[1].tolist() for batch in names["rest"]] == [names["labels"][rows].tolist() for rows in expected]
