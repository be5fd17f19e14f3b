"""torchdata's StatefulDataLoader and nodes, where they are installed.

They save the states of iterators and of a ResumableLoader, which test_every_sampler.py and test_resumable.py compare.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from pystrat import ResumableLoader
from tests.stream.sources import make_stream
from tests.training_libraries import LABELS, N_BATCHES, epoch_of, installed, run_recipes, sampler_of

pytestmark = [installed("torchdata"), pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")]


def take(loader: Any, count: int) -> list[Any]:
    """Iterate epoch after epoch until `count` batches have come; stop within the loop."""
    taken: list[Any] = []
    while len(taken) < count:
        taken += islice(loader, count - len(taken))
    return taken


def of_batches(workers: int) -> Any:
    from torchdata.stateful_dataloader import StatefulDataLoader

    options: dict[str, Any] = {"multiprocessing_context": "fork"} if workers else {}
    rows: Any = range(len(LABELS))
    return StatefulDataLoader(rows, batch_sampler=sampler_of(), collate_fn=list, num_workers=workers, **options)


def of_stream(workers: int) -> Any:
    from torchdata.stateful_dataloader import StatefulDataLoader

    options: dict[str, Any] = {"multiprocessing_context": "fork"} if workers else {}
    return StatefulDataLoader(make_stream(), batch_size=None, collate_fn=list, num_workers=workers, **options)


def of_nodes(workers: int) -> Any:
    from torchdata.nodes import IterableWrapper, Loader

    return Loader(IterableWrapper(ResumableLoader(sampler_of())))


@pytest.mark.parametrize("make", [of_batches, of_stream, of_nodes])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", [1, 4, N_BATCHES, N_BATCHES + 3])
def test_a_loader_resumes_exactly_wherever_it_was_saved(make: Any, workers: int, stop: int) -> None:
    expected, saved, resumed = take(make(0), stop + N_BATCHES), make(workers), make(workers)
    assert take(saved, stop) == expected[:stop]
    resumed.load_state_dict(saved.state_dict())
    assert take(resumed, N_BATCHES) == expected[stop:]


def test_the_recipes_for_torchdata() -> None:
    for names in run_recipes("torchdata"):
        expected = epoch_of(names["StratifiedBatchSampler"](names["labels"], 3, seed=1), 0)[1:]
        assert [batch[1].tolist() for batch in names["rest"]] == [names["labels"][rows].tolist() for rows in expected]
