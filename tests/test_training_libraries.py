"""What training libraries do to a batch sampler: real runs of those at hand, the calls of the others replayed.

Each replay does, in the order of its source, what the library does to the sampler, and nothing else; the versions read
are in docs/training-libraries.md, whose recipes run here as they stand there. Those of accelerate and Trainer are in
tests/test_accelerate.py.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Protocol, Sequence, runtime_checkable

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler, SequentialSampler

from pystrat import BatchSampler, NegativePairBatchSampler, PairDataset, StratifiedBatchSampler

DOCUMENT = (Path(__file__).parents[1] / "docs" / "training-libraries.md").read_text(encoding="utf-8")
LABELS = np.repeat([1, 0], [30, 97])
N_BATCHES = 10


def sampler_of(**parameters: Any) -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 3, seed=1, **parameters)


def loader_of(sampler: BatchSampler, workers: int = 0) -> DataLoader:
    return DataLoader(range(len(LABELS)), batch_sampler=sampler, num_workers=workers, collate_fn=list)


def epoch_of(sampler: BatchSampler, epoch: int) -> list[list[int]]:
    return [batch.tolist() for batch in sampler.batches(epoch)]


def pair_loader(form: str, **parameters: Any) -> DataLoader:
    """The two forms of a loader of pairs; the vectorized one has no batch sampler."""
    sampler = NegativePairBatchSampler([0, 0, 1, 2], [0, 3, 1, 3], 0.4, 3, n_users=3, n_items=4, seed=1, **parameters)
    given: dict[str, Any] = {"sampler": sampler, "batch_size": None}
    if form == "batch_sampler":
        given = {"batch_sampler": sampler}
    return DataLoader(PairDataset(3, 4), **given)  # type: ignore[arg-type]


def pairs_of(loader: Iterable[Any]) -> list[list[tuple[int, int, int]]]:
    parts = (tuple(batch[name].tolist() for name in ("user", "item", "label")) for batch in loader)
    return [list(zip(*part)) for part in parts]


# The recipes of the document ------------------------------------------------------------------------------------------

RUN = ("PyTorch", "skorch", "imbalanced-learn")
RUN_IF_INSTALLED = {"accelerate": "accelerate", "Hugging Face Trainer": "transformers", "Ignite": "ignite"}


def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def installed(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not is_installed(module), reason=f"{module} is not installed")


def code_blocks(section: str) -> list[tuple[str, str]]:
    """The code blocks of a section of the document, each after the prose before it."""
    text = re.split(r"\n## ", DOCUMENT)[section_titles().index(section) + 1]
    parts = re.split(r"```python\n(.*?)```", text, flags=re.DOTALL)
    return [(" ".join(prose.split()), code) for prose, code in zip(parts[0::2], parts[1::2])]


def section_titles() -> list[str]:
    return re.findall(r"\n## (.*)", DOCUMENT)


def shared_lines() -> str:
    return re.findall(r"```python\n(.*?)```", DOCUMENT, flags=re.DOTALL)[0]


def run_recipes(section: str, **given: Any) -> list[dict[str, Any]]:
    """Run the recipes of a section, each after the lines that all share, and return their names."""
    namespaces: list[dict[str, Any]] = []
    for _, code in code_blocks(section):
        namespaces.append({"__name__": "recipe", **given})
        exec(shared_lines() + code, namespaces[-1])
    return namespaces


@pytest.mark.parametrize("section", section_titles())
def test_every_recipe_says_whether_it_is_run_and_is_python(section: str) -> None:
    blocks = code_blocks(section)
    assert blocks
    says = "**Not run in this project's tests:**"
    if section in RUN:
        says = "**Run by the tests:**"
    if section in RUN_IF_INSTALLED:
        says = f"**Run by the tests, if {RUN_IF_INSTALLED[section]} is installed:**"
    for prose, code in blocks:
        compile(code, section, "exec")
        assert says in prose


def test_the_recipe_for_pytorch_resumes_with_the_batches_that_would_have_come() -> None:
    names, _ = run_recipes("PyTorch")
    resumed, delivered = names["StratifiedBatchSampler"](names["labels"], 3, seed=1), []
    resumed.load_state_dict(names["states"][7])
    names["train"](resumed, lambda batch, state: delivered.append(batch[1].tolist()), until_epoch=2)
    expected = [*islice(resumed.batches(0), 8, None), *resumed.batches(1)]
    assert delivered == [names["labels"][rows].tolist() for rows in expected]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_the_recipe_of_a_script_runs_whose_workers_import_it(method: str, tmp_path: Path) -> None:
    _, (_, code) = code_blocks("PyTorch")
    script = tmp_path / "script.py"
    guard = '\nif __name__ == "__main__":\n'
    chosen = f"{guard}    torch.multiprocessing.set_start_method('{method}')\n"
    script.write_text(shared_lines() + code.replace(guard, chosen), encoding="utf-8")
    root = str(Path(__file__).parents[1])
    done = subprocess.run([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": root}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_recipes_for_skorch() -> None:
    whole, factory = run_recipes("skorch")
    assert whole["sampler"].epoch == 2, "an epoch of the sampler for each epoch of the net"
    assert [len(epoch["batches"]) for epoch in whole["net"].history] == [20, 20]
    sizes = [[batch["train_batch_size"] for batch in epoch["batches"]] for epoch in whole["net"].history]
    assert sizes == [whole["sampler"].plan.sizes.tolist()] * 2
    # Of the 60 positive rows 48 are trained on: 24 batches of at least 2, or 12 of at least 4.
    best = factory["search"].best_params_["iterator_train__min_samples_per_stratum"]
    history = factory["search"].best_estimator_.history
    assert [sum("train_loss" in batch for batch in epoch["batches"]) for epoch in history] == [48 // best] * 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_skorch_trains_on_the_rows_of_the_batches_in_their_order() -> None:
    from skorch import NeuralNet

    seen: list[list[int]] = []

    class Recorder(torch.nn.Linear):
        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            seen.append(rows[:, 0].long().tolist())
            return super().forward(rows)

    rows = np.arange(len(LABELS), dtype=np.float32)[:, np.newaxis]
    net = NeuralNet(
        Recorder(1, 1),
        torch.nn.MSELoss,
        max_epochs=2,
        train_split=None,
        iterator_train__batch_sampler=sampler_of(),
        iterator_train__batch_size=1,
        verbose=0,
    )
    net.fit(rows, rows)
    assert seen == epoch_of(sampler_of(), 0) + epoch_of(sampler_of(), 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_clone_of_scikit_learn_has_a_batch_sampler_of_its_own() -> None:
    from skorch import NeuralNet
    from sklearn.base import clone

    sampler = sampler_of()
    copied = clone(NeuralNet(torch.nn.Linear, torch.nn.MSELoss, iterator_train__batch_sampler=sampler))
    list(copied.iterator_train__batch_sampler)
    assert sampler.epoch == 0 and copied.iterator_train__batch_sampler.epoch == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_recipe_for_imbalanced_learn() -> None:
    (names,) = run_recipes("imbalanced-learn")
    batches = [batch_labels.tolist() for _, batch_labels in names["loader"]]
    assert [batch.count(1) for batch in batches] == [3] * 20
    assert [batch.count(0) for batch in batches] == [30] * 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_oversampled_rows_are_visited_once_a_copy() -> None:
    from imblearn.over_sampling import RandomOverSampler

    resampler = RandomOverSampler(random_state=1)
    resampler.fit_resample(LABELS[:, np.newaxis], LABELS)
    rows = resampler.sample_indices_
    visited = rows[StratifiedBatchSampler(LABELS[rows], 3, seed=1).batches(0).rows]
    assert sorted(visited) == sorted(rows) and len(rows) == 2 * 97


# PyTorch --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_data_loader_asks_for_an_iterator_once_or_twice_and_has_one_epoch_of_it(workers: int) -> None:
    class Counting(StratifiedBatchSampler):
        asked = 0

        def __iter__(self) -> Any:
            self.asked += 1
            return super().__iter__()

    sampler = Counting(LABELS, 3, seed=1)
    assert list(loader_of(sampler, workers)) == epoch_of(sampler, 0)
    assert sampler.asked == (2 if workers else 1) and sampler.epoch == 1


# Lightning: fabric/utilities/data.py and pytorch/utilities/data.py, _dataloader_init_kwargs_resolve_sampler -----------


def lightning_replaces(batch_sampler: Any) -> str:
    """What Lightning does to a batch sampler where it would inject a distributed sampler."""
    if type(batch_sampler) is torch.utils.data.BatchSampler:
        return "makes a new one"
    if isinstance(batch_sampler, torch.utils.data.BatchSampler):  # it has recorded how these were constructed
        return "repeats the constructor"
    if hasattr(batch_sampler, "batch_size") and hasattr(batch_sampler, "drop_last"):
        return "calls the class with sampler, batch_size and drop_last"
    return "TypeError: set use_distributed_sampler=False"


def test_lightning_refuses_to_make_the_sampler_anew_and_says_what_to_set() -> None:
    assert lightning_replaces(sampler_of()) == "TypeError: set use_distributed_sampler=False"


def lightning_sets_epoch(loader: DataLoader, epoch: int) -> int:
    """fabric/utilities/data.py, _set_sampler_epoch: every sampler once; returns how many took it."""
    samplers = {id(sampler): sampler for sampler in (loader.sampler, getattr(loader.batch_sampler, "sampler", None))}
    setters = [sampler.set_epoch for sampler in samplers.values() if callable(getattr(sampler, "set_epoch", None))]
    for set_epoch in setters:
        set_epoch(epoch)
    return len(setters)


def lightning_fits(loader: DataLoader, epochs: Iterable[int], batches_done: int = 0) -> Iterator[list[list[int]]]:
    """pytorch/loops/fit_loop.py: setup_data, on_advance_start, advance; fetchers.py stops at the loader's length."""
    iterator, first = iter(loader), True
    for epoch in epochs:
        assert lightning_sets_epoch(loader, epoch) == 1
        if not first:
            iterator, batches_done = iter(loader), 0
        first = False
        yield [next(iterator) for _ in range(len(loader) - batches_done)]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("rank", [0, 1])
def test_lightning_trains_on_every_epoch_whenever_it_tells_it(rank: int, workers: int) -> None:
    sampler = sampler_of(num_replicas=2, rank=rank)
    fitted = list(lightning_fits(loader_of(sampler, workers), range(3)))
    assert fitted == [epoch_of(sampler, epoch) for epoch in range(3)]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("done", range(0, 6))
def test_lightning_resumes_where_the_state_in_its_checkpoint_says(done: int, workers: int) -> None:
    sampler = sampler_of(num_replicas=2, rank=1)
    state = {**sampler.state_dict(), "epoch": 3, "batch": 2 * done}
    sampler.load_state_dict(state)
    if done == len(sampler):  # Lightning too counts the end of an epoch as the next one's beginning
        fitted = list(lightning_fits(loader_of(sampler, workers), range(4, 6)))
        assert fitted == [epoch_of(sampler, 4), epoch_of(sampler, 5)]
    else:
        fitted = list(lightning_fits(loader_of(sampler, workers), range(3, 5), batches_done=done))
        assert fitted == [epoch_of(sampler, 3)[done:], epoch_of(sampler, 4)]


def lightning_deals(loader: DataLoader, world: int, rank: int) -> DataLoader:
    """pytorch/trainer/connectors/data_connector.py: a loader without a batch sampler gets a wrapped sampler."""

    class Wrapper(DistributedSampler):
        def __iter__(self) -> Iterator[Any]:
            batches = list(loader.sampler)
            return (batches[place] for place in super().__iter__())

    wrapper = Wrapper(range(len(loader.sampler)), num_replicas=world, rank=rank, shuffle=True)  # type: ignore[arg-type]
    return DataLoader(loader.dataset, sampler=wrapper, batch_size=loader.batch_size)


def test_lightning_deals_the_batches_of_a_loader_without_a_batch_sampler_and_deals_them_twice_where_a_rank_has() -> (
    None
):
    whole = pairs_of(pair_loader("sampler", num_replicas=2))
    dealt = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2), 2, rank)) for rank in range(2)]
    assert len(whole) == 4 and sorted(dealt[0] + dealt[1]) == sorted(whole)
    twice = [pairs_of(lightning_deals(pair_loader("sampler", num_replicas=2, rank=rank), 2, rank)) for rank in range(2)]
    assert len(twice[0] + twice[1]) == 2, "half of the batches"


def test_lightning_overfits_on_no_other_pairs_than_the_sampler_s() -> None:
    loader = pair_loader("sampler")
    with pytest.raises(TypeError, match="'PairDataset' has no len()"):
        list(DataLoader(loader.dataset, sampler=SequentialSampler(loader.dataset), batch_size=loader.batch_size))
    assert isinstance(
        pair_loader("batch_sampler").sampler, SequentialSampler
    ), "which it takes for unshuffled, and leaves"


# torchdata: stateful_dataloader/stateful_dataloader.py ----------------------------------------------------------------


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
            assert isinstance(sampler, Stateful) and isinstance(self.sampler_iterator, Stateful)
            sampler.load_state_dict(state["sampler"])
            self.sampler_iterator = iter(sampler)
            self.sampler_iterator.load_state_dict(state["iterator"])
            self.snapshot = state
            self.finished = state["finished"]
        for _ in range(prefetch):
            self.send()

    def main_state(self) -> dict[str, Any]:
        return {"sampler": self.sampler.state_dict(), "iterator": self.sampler_iterator.state_dict()}

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


class StatefulLoader:
    """A StatefulDataLoader: a loaded state waits for the next iter, and an iterator that is finished is replaced."""

    def __init__(self, sampler: BatchSampler, prefetch: int) -> None:
        self.sampler = sampler
        self.prefetch = prefetch
        self.iterator: Optional[StatefulIterator] = None
        self.next_state: Optional[dict[str, Any]] = None
        self.made_for_state = False

    def make(self) -> StatefulIterator:
        state, self.next_state = self.next_state, None
        return StatefulIterator(self.sampler, self.prefetch, state)

    def __iter__(self) -> StatefulIterator:
        if self.iterator is None or not self.made_for_state:
            self.iterator = self.make()
        self.made_for_state = False
        if self.iterator.finished:
            self.iterator = self.make()
        return self.iterator

    def state_dict(self) -> dict[str, Any]:
        if self.iterator is None:
            self.iterator = self.make()
            self.made_for_state = True
        return self.iterator.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.iterator = None
        self.next_state = state


def take(loader: StatefulLoader, count: int) -> list[list[int]]:
    """Iterate epoch after epoch until `count` batches have come; stop within the loop."""
    taken: list[list[int]] = []
    while len(taken) < count:
        for batch in loader:
            taken.append(batch)
            if len(taken) == count:
                break
    return taken


@pytest.mark.parametrize("rank", [None, 1])
@pytest.mark.parametrize("prefetch_saved", [0, 4, 30])
@pytest.mark.parametrize("prefetch_resumed", [0, 4, 30])
def test_a_stateful_data_loader_resumes_exactly_wherever_it_was_saved(
    prefetch_saved: int, prefetch_resumed: int, rank: Optional[int]
) -> None:
    parameters = {"num_replicas": 2, "rank": rank}
    reference = sampler_of(**parameters)
    length = len(reference)
    expected = [batch for epoch in range(4) for batch in epoch_of(reference, epoch)]
    for stop in range(2 * length + 1):
        saved = StatefulLoader(sampler_of(**parameters), prefetch_saved)
        assert take(saved, stop) == expected[:stop]
        resumed = StatefulLoader(sampler_of(**parameters), prefetch_resumed)
        resumed.load_state_dict(saved.state_dict())
        assert take(resumed, 2 * length) == expected[stop : stop + 2 * length]


@pytest.mark.parametrize("prefetch_saved", [0, 4])
@pytest.mark.parametrize("prefetch_resumed", [0, 4])
def test_a_stateful_data_loader_saved_after_an_epoch_resumes_with_the_next(
    prefetch_saved: int, prefetch_resumed: int
) -> None:
    saved = StatefulLoader(sampler_of(), prefetch_saved)
    assert [list(saved), list(saved)] == [epoch_of(sampler_of(), 0), epoch_of(sampler_of(), 1)]
    resumed = StatefulLoader(sampler_of(), prefetch_resumed)
    resumed.load_state_dict(saved.state_dict())
    assert [list(resumed), list(resumed)] == [epoch_of(sampler_of(), 2), epoch_of(sampler_of(), 3)]


def test_a_stateful_data_loader_saved_after_the_last_batch_resumes_with_an_empty_loop_then_the_next_epoch() -> None:
    saved = StatefulLoader(sampler_of(), 4)
    take(saved, N_BATCHES)
    resumed = StatefulLoader(sampler_of(), 4)
    resumed.load_state_dict(saved.state_dict())
    assert [list(resumed), list(resumed)] == [[], epoch_of(sampler_of(), 1)]


# Ignite: engine/engine.py, _internal_run_as_gen and _run_once_on_dataset_as_gen ---------------------------------------


def replayed_ignite(loader: DataLoader, epochs: Sequence[int], on_epoch_started: Any, done: int = 0) -> list[list[Any]]:
    """EPOCH_STARTED, then iter where there is no iterator yet; later ones are made when the old one is exhausted."""
    iterator: Optional[Iterator[Any]] = None
    trained: list[list[Any]] = []
    for epoch in epochs:
        on_epoch_started(epoch)
        if iterator is None:
            iterator = iter(loader)
        trained.append([])
        while len(trained[-1]) < len(loader) - done:
            try:
                trained[-1].append(next(iterator))
            except StopIteration:
                iterator = iter(loader)
        done = 0
    return trained


def installed_ignite(
    loader: DataLoader, epochs: Sequence[int], on_epoch_started: Any, done: int = 0
) -> list[list[Any]]:
    from ignite.engine import Engine, Events

    trained: list[list[Any]] = []
    engine = Engine(lambda engine, batch: trained[-1].append(batch))

    @engine.on(Events.EPOCH_STARTED)
    def begin(engine: Engine) -> None:
        on_epoch_started(engine.state.epoch - 1)
        trained.append([])

    place = {"epoch_length": len(loader), "max_epochs": epochs[-1] + 1, "iteration": epochs[0] * len(loader) + done}
    engine.load_state_dict(place)
    engine.run(loader)
    return trained


IGNITE = pytest.mark.parametrize("ignite", [replayed_ignite, pytest.param(installed_ignite, marks=installed("ignite"))])


@IGNITE
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("told", [True, False])
def test_ignite_trains_on_every_epoch_whether_a_handler_tells_it_or_not(ignite: Any, told: bool, workers: int) -> None:
    sampler = sampler_of()
    handler = sampler.set_epoch if told else lambda epoch: None
    assert ignite(loader_of(sampler, workers), range(3), handler) == [epoch_of(sampler, epoch) for epoch in range(3)]


@IGNITE
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("told", [True, False])
def test_ignite_resumes_where_the_sampler_was_placed(ignite: Any, told: bool, workers: int) -> None:
    sampler = sampler_of()
    sampler.load_state_dict({**sampler.state_dict(), "epoch": 2, "batch": 7})
    handler = sampler.set_epoch if told else lambda epoch: None
    trained = ignite(loader_of(sampler, workers), (2, 3), handler, done=7)
    assert trained == [epoch_of(sampler, 2)[7:], epoch_of(sampler, 3)]


def test_ignite_finds_no_batch_sampler_of_pytorch_to_wrap() -> None:
    """engine/deterministic.py, ReproducibleBatchSampler, refuses what is no subclass, with a TypeError."""
    assert not isinstance(sampler_of(), torch.utils.data.BatchSampler)


@installed("ignite")
def test_a_deterministic_engine_of_ignite_refuses_the_sampler() -> None:
    from ignite.engine.deterministic import ReproducibleBatchSampler

    with pytest.raises(TypeError, match="BatchSampler"):
        ReproducibleBatchSampler(sampler_of())


@installed("ignite")
def test_the_recipe_for_ignite() -> None:
    (names,) = run_recipes("Ignite")
    assert names["sampler"].epoch == 2 and names["trainer"].state.iteration == 2 * 20
