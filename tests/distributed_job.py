"""What one process of a group does: the functions ``job_...``, whose results it writes into a folder."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Iterator, Optional, Sequence

import numpy as np
import pandas as pd
import torch
import torch.distributed as distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from pystrat import (
    ShardedStratifiedBatchSampler,
    StratifiedBatchSampler,
    UniformBatchSampler,
    WeightedBatchSampler,
    check_ranks,
    gather_counts,
    shard_counts,
)
from pystrat.corpus.vocabulary import SampledOutput
from pystrat.stream import StratifiedStream

LABELS = np.repeat(np.arange(5), [20, 33, 47, 61, 90])
VOCABULARY_TARGETS = torch.tensor([1, 2, 4, 3])


def job_batches(rank: int, world: int) -> Any:
    """The batches of two epochs, as a DataLoader delivers them."""
    sampler = StratifiedBatchSampler(LABELS, 2, seed=1, num_replicas=world, rank=rank)
    loader = DataLoader(range(len(LABELS)), batch_sampler=sampler)  # type: ignore[arg-type]
    return [[batch.tolist() for batch in loader] for _ in range(2)]


def weighted_sampler(world: int, rank: Optional[int]) -> WeightedBatchSampler:
    return WeightedBatchSampler(np.ones(60), 4, n_batches=8 * world, seed=1, num_replicas=world, rank=rank)


def job_feedback(rank: int, world: int) -> Any:
    """The batches by weights that all ranks are told by the recipe of docs/weighted.md."""
    gathered = recipe("weighted.md", "gathered")
    sampler, batches = weighted_sampler(world, rank), []
    for batch in sampler:
        batches.append(batch)
        rows = torch.tensor(batch)
        sampler.update(gathered(rows), gathered(rows / 60))
    return batches


def recipe(document: str, name: str) -> Any:
    """Return a function as a document defines it."""
    text = (Path(__file__).parents[1] / "docs" / document).read_text(encoding="utf-8")
    (definition,) = re.findall(rf"```python\n(def {name}.*?)```", text, flags=re.DOTALL)
    names: dict[str, Any] = {"torch": torch}
    exec(definition, names)
    return names[name]


def train_vocabulary(encoder: torch.nn.Module, targets: torch.Tensor, average: Any) -> list[Any]:
    """Train an encoder and an output layer of 20 words to give the inputs back; return all parameters."""
    torch.manual_seed(1)
    output = torch.nn.Linear(4, 20)
    optimiser = torch.optim.Adam([*encoder.parameters(), *output.parameters()], lr=0.1)
    for ids in ([1, 2, 3, 4, 7, 9], [1, 2, 3, 4, 8]):
        with SampledOutput(output, output, ids, optimiser) as sampled:
            for _ in range(3):
                optimiser.zero_grad(set_to_none=True)
                torch.nn.functional.cross_entropy(output(encoder(targets)), sampled.targets(targets)).backward()
                average(output)
                optimiser.step()
    return [parameter.tolist() for module in (encoder, output) for parameter in module.parameters()]


def job_vocabulary(rank: int, world: int) -> Any:
    """The parameters after training with a sampled vocabulary by the recipe of docs/corpus.md."""
    torch.manual_seed(0)
    encoder = DistributedDataParallel(torch.nn.Embedding(20, 4))
    average = recipe("corpus.md", "average_gradients")
    return train_vocabulary(encoder, VOCABULARY_TARGETS[rank::world], average)


def job_wrapped(rank: int, world: int) -> Any:
    """What is said to models with DistributedDataParallel in them."""

    def said_to(model: torch.nn.Module, layer: torch.nn.Linear) -> str:
        try:
            with SampledOutput(model, layer, [1, 2]):
                return f"{layer.out_features} words"
        except ValueError as error:
            return str(error)

    layer, embedding = torch.nn.Linear(4, 20), torch.nn.Embedding(20, 4)
    inside = DistributedDataParallel(torch.nn.Sequential(embedding, layer))
    beside = torch.nn.Sequential(DistributedDataParallel(embedding), layer)
    return [said_to(model, layer) for model in (inside, torch.nn.Sequential(inside), beside)]


def shards_of(scope: str) -> dict[str, list[str]]:
    """Eight shards of unequal sizes; with a global scope, some have no row of some stratum."""
    shards = {f"part-{place}": ["no"] * (7 * place + 20) + ["yes"] * (12 - place) for place in range(8)}
    if scope == "global":
        shards.update({"part-3": ["no"] * 31, "part-6": ["maybe"] * 12 + ["yes"], "part-1": ["yes"] * 2})
    return shards


def holders(world: int) -> list[list[str]]:
    """The shards of each process, one after another, of which the last has most."""
    return [[f"part-{place}" for place in part] for part in np.array_split(np.arange(7, -1, -1), world)][::-1]


def sharded_sampler(scope: str, shards: list[str], counts: pd.DataFrame) -> ShardedStratifiedBatchSampler:
    local = [label for shard in shards for label in shards_of(scope)[shard]]
    return ShardedStratifiedBatchSampler(local, 1, counts=counts, shards=shards, seed=1, scope=scope)


class GoneShards(Dict[str, Any]):
    """Shards that are read when they are asked for, of which one is gone."""

    def __init__(self) -> None:
        super().__init__(part=None)

    def __getitem__(self, shard: str) -> Any:
        raise OSError(f"{shard} is gone")


def job_sharded(rank: int, world: int) -> Any:
    """Of shards of which each process holds some: counts, batches of two epochs of each scope, and refusals."""
    told: dict[str, Any] = {}
    own = holders(world)[rank]
    for scope in ("global", "local"):
        counts = gather_counts({shard: shards_of(scope)[shard] for shard in own})
        sampler = sharded_sampler(scope, own, counts)
        loader = DataLoader(range(len(sampler.batches(0).rows)), batch_sampler=sampler)  # type: ignore[arg-type]
        epochs = [[batch.tolist() for batch in loader] for _ in range(2)]
        told[scope] = {"counts": counts.to_dict("split"), "epochs": epochs}
    try:
        gather_counts({"part": [None]} if rank == 1 else {})
    except ValueError as error:
        told["refused"] = str(error)
    try:
        gather_counts(GoneShards() if rank == 1 else {})
    except (OSError, ValueError) as error:
        told["broken"] = f"{type(error).__name__}: {error}"
    told["empty"] = gather_counts({f"part-{rank}": ["x"] * rank}).to_dict()
    try:
        gather_counts({f"part-{rank}": []})
    except ValueError as error:
        told["no rows"] = str(error)
    first = distributed.new_group([0, 1])
    if rank < 2:
        told["group"] = gather_counts({own[0]: ["x"] * (rank + 1)}, first).to_dict("index")
    return told


def said_by(check: Callable[[], Any]) -> str:
    """Return what a check refuses; nothing if it passes."""
    try:
        check()
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def stratified(world: int, rank: Optional[int], epoch: int = 0, **given: Any) -> StratifiedBatchSampler:
    given = {"seed": 1, "num_replicas": world, "rank": rank, **given}
    sampler = StratifiedBatchSampler(given.pop("labels", LABELS), 2, **given)
    sampler.set_epoch(epoch)
    return sampler


def loaded(sampler: Any) -> Any:
    """Place a sampler within epoch 3, after a batch of each rank."""
    sampler.load_state_dict({**sampler.state(), "epoch": 3, "batch": 3})
    return sampler


def updated(sampler: Any, weight: float) -> Any:
    sampler.update([0, 1], [weight, 2.0])
    return sampler


def stream(world: int, rank: int, seed: int) -> StratifiedStream:
    given: Any = {"read": lambda _: [0, 1], "stratum": int, "strata": [0, 1], "lanes": world, "seed": seed}
    return StratifiedStream([*"abc"], 1, num_replicas=world, rank=rank, **given)


def checked_samplers(rank: int, world: int) -> Iterator[tuple[str, Any]]:
    """Samplers of this process by what distinguishes the processes; there are three."""
    yield "nothing", stratified(world, rank)
    yield "nothing, after loading", loaded(stratified(world, rank))
    yield "nothing, of all batches", stratified(world, None)
    yield "nothing, of weights", updated(weighted_sampler(world, rank), 3.0)
    yield "nothing, of streams", stream(world, rank, 1)
    yield "seed", stratified(world, rank, seed=1 + (rank == 1))
    yield "labels", stratified(world, rank, labels=LABELS[::-1] if rank else LABELS)
    yield "num_replicas", stratified(1 if rank == 2 else world, 0 if rank == 2 else rank)
    yield "too many replicas", stratified(2 * world, rank)
    yield "the same rank", stratified(world, rank % 2)
    yield "a missing rank", stratified(world, rank or None)
    yield "kind", UniformBatchSampler(60, 6, seed=1) if rank == 1 else stratified(world, rank)
    yield "place", loaded(stratified(world, rank)) if rank == 0 else stratified(world, rank, epoch=3)
    yield "weights", updated(weighted_sampler(world, rank), 3.0 + (rank == 2))
    yield "stream", stream(world, rank, 1 + (rank == 1))
    yield "what is no sampler", [1] if rank == 1 else stratified(world, rank)


def checked_shards(rank: int) -> Iterator[tuple[str, Any]]:
    """Samplers of shards of this process by what distinguishes the processes; there are three."""
    strata, own = shards_of("local"), [f"part-{place}" for place in range(rank, 8, 3)]
    counts = shard_counts(strata)
    yield "shards", sharded_sampler("local", own, counts)
    yield "shards in another order", sharded_sampler("local", own[::-1], counts[::-1] if rank else counts)
    others = shard_counts({**strata, "part-9": ["no", "yes"] * 9})
    yield "other shards", sharded_sampler("local", own, others if rank == 1 else counts)
    yield "a shard twice", sharded_sampler("local", own + ["part-0"] * (rank == 2), counts)
    yield "a missing shard", sharded_sampler("local", own[rank == 2 :], counts)


def job_ranks(rank: int, world: int) -> Any:
    """What `check_ranks` says of samplers; the batches of a process that iterates alone."""
    told: dict[str, Any] = {}
    for samplers in (checked_samplers(rank, world), checked_shards(rank)):
        for name, sampler in samplers:
            told[name] = said_by(lambda: check_ranks(sampler))
    first = distributed.new_group([0, 1])
    if rank < 2:
        told["group"] = said_by(lambda: check_ranks(stratified(2, rank), first))
    own = [distributed.new_group([process]) for process in range(world)][rank]
    told["group of one"] = said_by(lambda: check_ranks(stratified(world, rank), own))
    told["alone"] = [list(sampler) for sampler in (stratified(world, 0), weighted_sampler(world, 0)) if rank == 0]
    return told


def job_warned(rank: int, world: int) -> Any:
    """How many warnings came before the first batch, and all warnings of two epochs."""
    told: dict[str, Any] = {}
    ranked: dict[str, Any] = {"seed": 1, "num_replicas": world, "rank": rank}
    for name, given in {"alone": {"seed": 1}, "ranked": ranked, "seedless": {"num_replicas": world}}.items():
        sampler = StratifiedBatchSampler(LABELS, 2, **given)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            iterator, before = iter(sampler), len(caught)
            list(iterator), list(sampler)
        told[name] = [before, *(str(warning.message) for warning in caught)]
    return told


def job_ray(rank: int, world: int) -> Any:
    """What the recipe for Ray Train of docs/beyond-one-machine.md reports, with stand-ins for what it takes of Ray."""

    def prepare_data_loader(loader: Any, add_dist_sampler: bool = True) -> Any:
        assert not add_dist_sampler, "it would put a DistributedSampler in place of the batch sampler"
        return loader

    def trainer(train: Callable[[Any], None], *, train_loop_config: Any, scaling_config: Any) -> Any:
        assert scaling_config.num_workers == world
        return SimpleNamespace(fit=lambda: train(train_loop_config))

    reported: list[Any] = []
    ray, train, torch_part = ModuleType("ray"), ModuleType("ray.train"), ModuleType("ray.train.torch")
    vars(ray).update(train=train)
    context = SimpleNamespace(get_world_rank=lambda: rank)
    given = {"get_context": lambda: context, "report": reported.append, "ScalingConfig": SimpleNamespace}
    vars(train).update(torch=torch_part, **given)
    vars(torch_part).update(TorchTrainer=trainer, prepare_data_loader=prepare_data_loader)
    sys.modules.update({"ray": ray, "ray.train": train, "ray.train.torch": torch_part})
    text = (Path(__file__).parents[1] / "docs" / "beyond-one-machine.md").read_text(encoding="utf-8")
    python, (recipe,) = (
        re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL) for kind in ("python", "python ray")
    )
    with redirect_stdout(io.StringIO()):
        exec("\n".join([*python[:3], recipe]), {})
    return [report["labels"] for report in reported]


def work(rank: int, folder: str, world: int, jobs: Sequence[str]) -> None:
    """Do jobs as one process of a group, and write what they return."""
    distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=world)
    told = {job: globals()[f"job_{job}"](rank, world) for job in jobs}
    (Path(folder) / f"{rank}.json").write_text(json.dumps(told), encoding="utf-8")
    distributed.barrier()  # a thread that still lets go of a tensor would hang the end of the group in torch 1.13
    distributed.destroy_process_group()
