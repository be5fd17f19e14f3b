"""Every parameter of everything public, given values nobody expects: a result that keeps its scope, or a message.

One parameter after the other of a valid call is replaced by each value of `tests.hostile`. The calls are found by
looking at what is public, so that whatever is new needs a valid call here. That of a sampler is its first specimen,
unless it promises more than every sampler does, or may fail otherwise.
"""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterator, Union

import matplotlib
import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import DataLoader

import pystrat
import pystrat.corpus
import pystrat.corpus.vocabulary
import pystrat.losses
import pystrat.stream
from pystrat import Batches, BatchSampler, NoDuplicatesBatchSampler, SumTree, UniformBatchSampler
from pystrat.core_sampler import KindBatchSampler
from pystrat.corpus import CorpusMixtureBatchSampler, RareEventBatchSampler
from pystrat.corpus.vocabulary import SampledOutput
from pystrat.losses import AUMLoss
from tests.hostile import GRAMMAR, HOSTILE, bounded_memory, collected, refusal
from tests.inside import recipe_of
from tests.levels import some_of
from tests.specimens import calls, public_samplers, write_files

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  after the backend was chosen

LABELS = [0, 1, 1, 0, 1, 1]
SPEC = {"mode": "shuffle", "children": [{"name": "a", "column": "x", "value": 1}, {"name": "b"}]}
COUNTS = pd.DataFrame({"0": [2], "1": [4]}, index=["a"])
COUNTS_OF_SOURCES = pd.DataFrame({"0": [2, 2], "1": [4, 4]}, index=["a", "b"])
BY_COUNTS: dict[str, Any] = {
    "min_samples_per_stratum": None,
    "mean_batch_size": 4,
    "strata": None,
    "counts": COUNTS_OF_SOURCES,
}
LARGEST = 10**5  # rows of an epoch that is looked at
SIZES = (
    *("n_rows", "capacity", "batch_size", "n_batches", "sample", "drawn", "n_negatives", "negatives_per_positive"),
    *("labels_per_batch", "positives_per_label", "negatives_per_label", "n_users", "n_items"),
)

OF_PANDAS = (TypeError, ValueError, KeyError, OverflowError, RuntimeWarning, FutureWarning)  # its own, as they are

Arguments = dict[str, Any]


@dataclass
class Call:
    """A valid call."""

    arguments: Callable[[Path], Arguments]
    of: Union[str, Callable[[Path], Any], None] = None  # the instance of a method, or its name in MADE
    besides: dict[str, Arguments] = field(default_factory=dict)  # what else is given with a parameter
    besides_in: dict[str, Callable[[Path], Arguments]] = field(default_factory=dict)  # the same, of files in a folder
    calls: tuple[str, ...] = ()  # parameters that may be functions, which are called, and fail as they like
    also: tuple[type[Exception], ...] = ()  # errors that Python's protocols ask for


# What is promised -----------------------------------------------------------------------------------------------------


def check_sampler(sampler: KindBatchSampler) -> None:
    """Check what every sampler promises: batches as many as its length, of rows that there are, the same again."""
    if max(part_sizes(sampler), default=0) > LARGEST:
        return
    batches = sampler.batches()
    assert len(batches) == len(sampler) > 0
    n_rows = sampler._rows_of_data()
    assert 0 <= batches.rows.min() and (n_rows is None or batches.rows.max() < n_rows)
    found = collected(batches)
    assert collected(sampler.batches()) == found and collected(pickle.loads(pickle.dumps(sampler)).batches()) == found
    rows = [row if isinstance(row, list) else [row] for row in sampler]
    assert rows == found and all(found)
    if hasattr(sampler, "class_weights"):
        weights = np.asarray(sampler.class_weights(), dtype=np.float64)
        assert (weights > 0).all() and np.isfinite(weights).all()


def check(found: Any) -> None:
    """Check what a call returns: of anything but a sampler, only that it ends, and leaves its instance as it is."""
    if isinstance(found, KindBatchSampler) and getattr(found, "length", 1) is not None:
        check_sampler(found)


def part_sizes(sampler: Any) -> list[float]:
    """Return the numbers of a recipe that say how many rows an epoch has."""
    return [float(number) for name, part in recipe_of(sampler).parts.items() if name in SIZES for number in part]


def read_labels(source: Any) -> list[int]:
    return LABELS


def labels_file(folder: Path) -> Path:
    path = folder / "labels"
    path.write_text("1\n2\n", encoding="utf-8")
    return path


def stream_of(**given: Any) -> Any:
    return pystrat.stream.StratifiedStream(["a", "b"], 1, read=read_labels, stratum=lambda row: row, seed=1, **given)


# The calls ------------------------------------------------------------------------------------------------------------


def corpus(folder: Path) -> Path:
    lines = folder / "corpus"
    if not lines.exists():
        lines.mkdir()
        for name in ("a.src", "b.src", "a.tgt", "b.tgt"):
            (lines / name).write_text("line\n" * 3)
    return lines


class Labelled(SimpleNamespace):
    def __len__(self) -> int:
        return len(LABELS)


def fixed(**arguments: Any) -> Callable[[Path], Arguments]:
    return lambda folder: dict(arguments)


# Instances, whose methods are called.
MADE: dict[str, Callable[[Path], Any]] = {
    "counted stream": lambda folder: stream_of(counts=COUNTS_OF_SOURCES),
    "per label": lambda folder: pystrat.PerLabelBatchSampler([[1, 0], [0, 1]] * 2, 1, 1, seed=1),
    "weighted": lambda folder: pystrat.WeightedBatchSampler([1.0, 2, 3, 4], 2, seed=1),
    "prioritized": lambda folder: pystrat.PrioritizedBatchSampler(4, 2, capacity=8, n_batches=2, seed=1),
    "perplexity": lambda folder: pystrat.PerplexityBatchSampler(4, 2, seed=1),
    "downsampled": lambda folder: pystrat.DownsampledBatchSampler(LABELS, 1, 2, seed=1),
    "multilabel": lambda folder: pystrat.MultilabelBatchSampler([[1, 0], [0, 1]] * 2, 1, seed=1),
    "subset": lambda folder: pystrat.StrataSubsetBatchSampler(LABELS, 1, 1, seed=1),
    "mixture": lambda folder: CorpusMixtureBatchSampler(corpus(folder), 2, sample=4, seed=1),
    "rare events": lambda folder: RareEventBatchSampler([corpus(folder) / "a.src"], [corpus(folder) / "b.src"], 1, 2),
    "sum tree": lambda folder: SumTree([1.0, 2, 3, 4], capacity=8, seed=1),
    "uniform": lambda folder: UniformBatchSampler(6, 2, seed=1),
    "loader": lambda folder: pystrat.TensorLoader(torch.arange(6), sampler=MADE["uniform"](folder)),
    "batches": lambda folder: Batches.gather([[1, 2], [3]]),
    "features": lambda folder: pystrat.FeatureLookup([1.0, 2.0], ids=[3, 4], default=0),
    "output": lambda folder: SampledOutput(*[torch.nn.Linear(2, 6)] * 2, [1, 2]).__enter__(),
}


def output_layer(folder: Path) -> Arguments:
    layer = torch.nn.Linear(2, 6)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    return {"model": layer, "layer": layer, "ids": [1, 2], "optimizer": optimizer}


LISTED = {"targets": lambda folder: {"source": [corpus(folder) / "a.src", corpus(folder) / "b.src"]}}
SHARDED: dict[str, Arguments] = {"rank": {"num_replicas": 2, "seed": 1}}
LENGTHS = {"lengths": [1, 2, 3, 4, 5, 6], "max_tokens": 9}
# What else is given with a parameter of a sampler, if it takes that.
BESIDES_IN_SAMPLERS: dict[str, Arguments] = {
    "rank": {"num_replicas": 2, "seed": 1},
    "mean_batch_size": {"min_samples_per_stratum": None, "min_samples_per_label": None},
    "weights": {"n_batches": 2},
    "items": {"n_items": None},
    "power": {"method": "popularity"},
    "full_users": {"method": "per_user"},
}


PAIRED = {"targets": lambda folder: {"source": [folder / "specimens" / "b.rows"], "suffixes": None}}


def first_specimen(kind: type[BatchSampler], folder: Path) -> Arguments:
    """Return the arguments of the first specimen of a sampler, whose files are in a folder."""
    files = folder / "specimens"
    files.mkdir(exist_ok=True)
    write_files(files)
    return {"seed": 1, **calls(files)[kind][0]}


def call_of_sampler(kind: type[BatchSampler], **others: Any) -> Call:
    """Return the call of a sampler that its first specimen is."""
    parameters = inspect.signature(kind).parameters
    besides = {
        name: {other: value for other, value in given.items() if other in parameters}
        for name, given in BESIDES_IN_SAMPLERS.items()
        if name in parameters
    }
    return Call(lambda folder: first_specimen(kind, folder), besides=besides, **others)


NUMPY = (IndexError, MemoryError, OverflowError, TypeError, ValueError)  # its own errors are good enough

CALLS: dict[str, Call] = {
    # Constructors
    "Batches": Call(fixed(rows=np.arange(4), offsets=np.array([0, 2, 4]))),
    "FeatureLookup": Call(fixed(features=[1.0, 2.0], ids=[3, 4]), also=OF_PANDAS),
    "PairDataset": Call(fixed(n_users=2, n_items=2)),
    "TripleDataset": Call(fixed(n_users=2, n_items=2)),
    "StratifiedBatchSampler": Call(
        fixed(strata=LABELS, min_samples_per_stratum=1),
        besides={
            **SHARDED,
            "mean_batch_size": {"min_samples_per_stratum": None},
            "shares": {"min_samples_per_stratum": None, "mean_batch_size": 3},
            "temperature": {"min_samples_per_stratum": None, "mean_batch_size": 3},
            "cap": {"min_samples_per_stratum": None, "mean_batch_size": 3},
            "balance": {"min_samples_per_stratum": None, "mean_batch_size": 3},
            "drop": {"min_samples_per_stratum": None, "mean_batch_size": 4},
        },
    ),
    "PerLabelBatchSampler.class_weights": Call(fixed(normalize=True), of="per label"),
    "PerLabelBatchSampler.weights": Call(fixed(numbers=[9, 12], normalize=True), of="per label"),
    "StratifiedStream": Call(
        fixed(sources=["a", "b"], min_samples_per_stratum=1, read=read_labels, stratum=int, strata=[0, 1]),
        besides={
            "rank": {**SHARDED["rank"], "lanes": 2},
            "num_replicas": {"lanes": 2},
            "counts": {"strata": None},
            "mean_batch_size": {"min_samples_per_stratum": None, "strata": None, "counts": COUNTS_OF_SOURCES},
            "rare": {"strata": None, "counts": COUNTS_OF_SOURCES},
            "shares": BY_COUNTS,
            "balance": BY_COUNTS,
        },
        calls=("read", "stratum"),
        also=(pystrat.stream.SourceError,),
    ),
    "count_sources": Call(
        fixed(sources=["a", "b"], read=read_labels, stratum=int),
        calls=("read", "stratum"),
        also=(pystrat.stream.SourceError,),
    ),
    "read_csv": Call(lambda folder: {"path": labels_file(folder)}, also=(TypeError, ValueError, OSError)),
    "read_json_lines": Call(lambda folder: {"path": labels_file(folder)}, also=(TypeError, ValueError, OSError)),
    "StratifiedStream.class_weights": Call(fixed(normalize=True), of="counted stream"),
    "StratifiedStream.weights": Call(fixed(rows=["0", "1"], normalize=True), of="counted stream"),
    "SumTree": Call(fixed(weights=[1.0, 2.0], capacity=2), besides={"weights": {"capacity": 4}}),
    "BatchesByLength": Call(lambda folder: {"sampler": MADE["uniform"](folder), **LENGTHS}),
    "ResumableLoader": Call(lambda folder: {"loader": DataLoader(range(6), batch_sampler=MADE["uniform"](folder))}),
    "TensorLoader": Call(
        lambda folder: {"tensors": [torch.arange(6)], "sampler": MADE["uniform"](folder)},
        calls=("transform",),
        also=(TypeError, ValueError, RuntimeError, RecursionError, AssertionError),  # torch's own, as without CUDA
    ),
    "ResumableLoader.set_epoch": Call(fixed(epoch=1, batches_done=1), of="loader"),
    "ResumableLoader.load_state_dict": Call(
        fixed(state=UniformBatchSampler(6, 2, seed=1).state()),
        of="loader",
    ),
    "TreeBatchSampler": Call(
        fixed(table={"x": LABELS}, spec=SPEC, batch_size=2, length=6), besides=SHARDED, also=(OSError,)
    ),
    "TreeSampler": Call(fixed(table={"x": LABELS}, spec=SPEC, length=6), besides=SHARDED, also=(OSError,)),
    "CorpusDataset": Call(
        lambda folder: {"source": corpus(folder)},
        besides_in=LISTED,
        calls=("accept",),
        also=(OSError, *NUMPY),
    ),
    "SampledOutput": Call(output_layer),
    "CorpusMixtureBatchSampler": call_of_sampler(
        CorpusMixtureBatchSampler, besides_in=PAIRED, calls=("accept", "weights"), also=(OSError, *NUMPY)
    ),
    "NoDuplicatesBatchSampler": call_of_sampler(
        NoDuplicatesBatchSampler,
        besides_in={
            "strata": lambda folder: {"min_samples_per_stratum": 1},
            "min_samples_per_stratum": lambda folder: {"strata": [0, 1] * 4},
        },
        also=(UserWarning,),  # of values that are too frequent
    ),
    "RareEventBatchSampler": call_of_sampler(RareEventBatchSampler, also=(OSError,)),
    # Functions
    "advise": Call(fixed(strata=LABELS, batch_size=2)),
    "batch_counts": Call(fixed(batches=[[0, 1], [2]], labels=["a", "b", "a"]), calls=("labels",)),
    "sampled_vocabulary": Call(fixed(sequences=[[1, 2], [3]])),
    "bind_counts": Call(fixed(tables=[COUNTS])),
    "gather_counts": Call(fixed(strata={"a": LABELS})),
    "shard_counts": Call(fixed(strata={"a": LABELS})),
    "sharded_plan": Call(
        fixed(counts=COUNTS, min_samples_per_stratum=1),
        besides={"mean_batch_size": {"min_samples_per_stratum": None}},
    ),
    "stratified_split": Call(fixed(strata=LABELS, sizes=[0.5, 0.5]), also=(UserWarning,)),  # of small strata
    "check_ranks": Call(lambda folder: {"sampler": MADE["uniform"](folder)}),
    "class_weights": Call(fixed(labels=LABELS)),
    "bin_target": Call(fixed(values=[1.0, 2.0, 3.0], n_bins=2)),
    "correct_probabilities": Call(fixed(probabilities=[0.5, 0.25], keep_rate=0.5), also=OF_PANDAS),
    "density_weights": Call(fixed(values=[1.0, 2.0, 4.0])),
    "distribute": Call(fixed(sampler=[3, 1, 2, 0], batch_size=2), besides=SHARDED),
    "decode_pairs": Call(fixed(numbers=[7, 12], n_items=4)),
    "effective_number_weights": Call(fixed(labels=LABELS)),
    "epoch_permutation": Call(fixed(n_rows=5, seed=1, epoch=2)),
    "inverse_density_weights": Call(fixed(values=[1.0, 2.0, 4.0])),
    "inverse_frequency_weights": Call(fixed(labels=LABELS)),
    "labels_of": Call(fixed(dataset=Labelled(targets=LABELS), column="targets")),
    "labels_of_masks": Call(fixed(masks=[[[0, 1]], [[1, 255]]], n_classes=2, ignore=255), also=OF_PANDAS),
    "min_samples_for_batch_size": Call(fixed(strata=LABELS, mean_batch_size=4)),
    "plot_batch_counts": Call(fixed(tables={"x": pd.DataFrame({"a": [1, 2]})}, label="a"), also=OF_PANDAS),
    "plot_plan": Call(fixed(plan=pystrat.StratifiedBatchSampler([0, 1, 0], 1).plan)),
    "published_class_weights": Call(fixed(weight=20)),
    "repeat_factors": Call(fixed(labels=LABELS)),
    "temperature_weights": Call(fixed(labels=LABELS, temperature=2)),
    # Methods
    "AUMLoss.forward": Call(
        fixed(input=torch.tensor([0.1, 0.2]), target=torch.tensor([0, 1])), of=lambda folder: AUMLoss()
    ),
    "SampledOutput.targets": Call(fixed(ids=torch.tensor([[1], [2]])), of="output"),
    "BatchSampler.batches": Call(fixed(epoch=1), of="uniform"),
    "Placed.load_state_dict": Call(fixed(state=UniformBatchSampler(6, 2, seed=1).state()), of="uniform"),
    "Placed.set_epoch": Call(fixed(epoch=1, batches_done=1), of="uniform"),
    "Placed.state": Call(fixed(epoch=1, batches_done=0), of="uniform"),
    "Batches.gather": Call(fixed(batches=[[0, 1], [2]])),
    "Batches.lists": Call(fixed(first=0, step=1), also=NUMPY, of="batches"),
    "Batches.part": Call(fixed(first=0, step=1), also=NUMPY, of="batches"),
    "WeightsOfStrata.class_weights": Call(fixed(normalize=True), of="downsampled"),
    "WeightsOfStrata.weights": Call(fixed(rows=[0, 5], normalize=True), of="downsampled"),
    "FeatureLookup.__call__": Call(
        fixed(ids=[3, 4]),
        of="features",
        also=OF_PANDAS,
    ),
    "MultilabelBatchSampler.label_counts": Call(fixed(epoch=1), of="multilabel"),
    "MultilabelBatchSampler.shortfalls": Call(fixed(epoch=1), of="multilabel"),
    "TripleDataset.__getitem__": Call(fixed(numbers=[1, 2]), of=lambda folder: pystrat.TripleDataset(2, 2)),
    "PairDataset.__getitem__": Call(
        fixed(numbers=[7, 3]), of=lambda folder: pystrat.PairDataset(2, 2), also=(IndexError,)
    ),
    "PerplexityBatchSampler.report": Call(fixed(rows=[0, 1], nll=[0.5, 1]), of="perplexity"),
    "FeedbackBatchSampler.sample": Call(fixed(k=2), of="prioritized"),
    "PrioritizedBatchSampler.append": Call(fixed(count=2, priorities=[0.5, 1]), of="prioritized"),
    "PrioritizedBatchSampler.importance_weights": Call(fixed(rows=[0, 1], batch=1, beta=0.5), of="prioritized"),
    "PrioritizedBatchSampler.priorities": Call(fixed(rows=[0, 1]), of="prioritized"),
    "PrioritizedBatchSampler.update": Call(fixed(rows=[0, 1], priorities=[0.5, 1], since=0), of="prioritized"),
    "RangedBatchSampler.composition": Call(fixed(epoch=1), of="subset"),
    "SumTree.append": Call(fixed(weights=[0.5, 1]), of="sum tree"),
    "SumTree.find": Call(fixed(values=[0.5, 9]), of="sum tree"),
    "SumTree.load_state_dict": Call(fixed(state=SumTree([1.0, 2], capacity=8, seed=2).state_dict()), of="sum tree"),
    "SumTree.sample": Call(fixed(k=2), of="sum tree"),
    "SumTree.update": Call(fixed(indices=[0, 1], weights=[0.5, 1]), of="sum tree"),
    "SumTree.weights": Call(fixed(indices=[0, 1]), of="sum tree"),
    "WeightedBatchSampler.update": Call(fixed(rows=[0, 1], weights=[0.5, 1]), of="weighted"),
    "WeightedBatchSampler.weights": Call(fixed(rows=[0, 1]), of="weighted"),
    "CorpusMixtureBatchSampler.dataset": Call(fixed(), of="mixture"),
    "CorpusMixtureBatchSampler.plan": Call(fixed(epoch=3), of="mixture"),
    "RareEventBatchSampler.class_weights": Call(fixed(normalize=True), of="rare events"),
    "RareEventBatchSampler.dataset": Call(fixed(), of="rare events"),
    "RareEventBatchSampler.negative_files": Call(fixed(), of="rare events"),
}
CALLS.update({kind.__name__: call_of_sampler(kind) for kind in public_samplers() if kind.__name__ not in CALLS})
NOT_CALLED = {
    "prepare_for_trainer": "takes the loader of a Trainer, and the Trainer",
    "BatchPlan": "is a record that samplers make",
    "AUMLoss": "takes no parameters",
    "BatchSampler": "is abstract",
    "SourceError": "is an error",
    "Batches.__getitem__": "is Python's own protocol of sequences",
    "CorpusDataset.__getitem__": "is Python's own protocol of sequences",
    "CorpusDataset.lengths": "takes what samplers take as lengths, which are tried there",
    "CorpusDataset.of_table": "takes what the package opened",
}


def public_calls() -> Iterator[tuple[str, Any]]:
    """Yield what can be called with arguments: functions, classes, and their methods under the name of their class."""
    for module in (pystrat, pystrat.corpus, pystrat.corpus.vocabulary, pystrat.losses, pystrat.stream):
        for name in module.__all__:
            public = getattr(module, name)
            yield name, public
            for attribute, method in inspect.getmembers(public) if inspect.isclass(public) else ():
                is_own = str(getattr(method, "__module__", "")).startswith("pystrat") and not inspect.isclass(method)
                takes = callable(method) and (not attribute.startswith("_") or attribute in ("__call__", "__getitem__"))
                if is_own and takes and set(inspect.signature(method).parameters) - {"self"}:
                    yield method.__qualname__, method


PUBLIC = dict(public_calls())
PARAMETERS = [
    (name, parameter)
    for name in PUBLIC
    if name in CALLS
    for parameter in inspect.signature(PUBLIC[name]).parameters
    if parameter != "self"
]


def snapshot(instance: Any) -> Any:
    """Return all that a refused call must not change."""
    if isinstance(instance, BatchSampler):
        return pickle.dumps(instance.state())
    if isinstance(instance, SumTree):
        return instance.weights().tolist(), instance.total
    return None


def arguments_of(name: str, folder: Path, parameter: str = "") -> Arguments:
    """Return the arguments of a valid call, defaults among them, with what else is given with a parameter."""
    call, parameters = CALLS[name], inspect.signature(PUBLIC[name]).parameters
    given = {key: value.default for key, value in parameters.items() if value.default is not value.empty}
    seed = {"seed": 1} if "seed" in given else {}
    besides = {**call.besides.get(parameter, {}), **call.besides_in.get(parameter, lambda folder: {})(folder)}
    return {**given, **seed, **call.arguments(folder), **besides}


def call_with(function: Any, given: Arguments) -> Any:
    """Call a function with arguments by name, among them those of a parameter like ``*tensors``."""
    named, at_once = dict(given), []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            at_once = named.pop(name)
    return function(*(at_once if type(at_once) is list else [at_once]), **named)


def function_of(name: str, folder: Path) -> tuple[Any, Any]:
    """Return the instance of a method, None for anything else, and what is called."""
    make, public = CALLS[name].of, PUBLIC[name]
    make = MADE[make] if isinstance(make, str) else make
    instance = None if make is None else make(folder)
    return instance, public if instance is None else getattr(instance, public.__name__)


def trial(name: str, parameter: str, value: Any, folder: Path) -> str:
    """Call with a hostile value; return what is wrong with what comes of it, or nothing."""
    call = CALLS[name]
    instance, function = function_of(name, folder)
    given = {**arguments_of(name, folder, parameter), parameter: value}
    before = snapshot(instance)
    try:
        check(call_with(function, given))
    except call.also:
        return ""
    except AssertionError as error:
        return f"breaks its promise: {error}"[:300]
    except Exception as error:
        if parameter in call.calls and callable(value):
            return ""
        wrong = refusal(error)
        if not wrong and snapshot(instance) != before:
            return "refused, but changed"
        return wrong or wrong_name(str(error.args[0]), name, set(given))
    return ""


def wrong_name(message: str, name: str, parameters: set[str]) -> str:
    """Return what is wrong with the name of the parameter in a message."""
    found = GRAMMAR.fullmatch(message)
    assert found is not None
    if found["parameter"] not in parameters and "node" not in (found["where"] or ""):
        return f"names another parameter: {message}"[:300]
    return ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def test_everything_public_has_a_valid_call(folder: Path) -> None:
    assert set(PUBLIC) == {*CALLS, *NOT_CALLED}
    for name in CALLS:
        given = arguments_of(name, folder)
        check(call_with(function_of(name, folder)[1], given))
    pyplot.close("all")


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=map("-".join, PARAMETERS))
def test_hostile(name: str, parameter: str, folder: Path) -> None:
    wrong = {}
    with bounded_memory():
        for value, make in some_of(HOSTILE.items(), 12, of=f"{name} {parameter}"):
            found = trial(name, parameter, make(), folder)
            if found:
                wrong[value] = found
    pyplot.close("all")
    assert not wrong


RANKED = [name for name, parameter in PARAMETERS if parameter == "rank"]


@pytest.mark.parametrize("name", RANKED)
def test_a_rank_without_a_seed_or_replicas_is_refused(name: str, folder: Path) -> None:
    """Without the same seed, each rank draws another epoch: rows are lost, and others are delivered twice."""
    given = {**arguments_of(name, folder, "rank"), "rank": 1, "seed": None}
    with pytest.raises(ValueError, match="'rank' parameter must be given together with 'num_replicas'. Got 1 instead."):
        PUBLIC[name](**{**given, "num_replicas": None})
    if PUBLIC[name] is pystrat.stream.StratifiedStream:
        return  # its batches are the same without one
    with pytest.raises(ValueError) as refused:
        PUBLIC[name](**given)
    assert str(refused.value) == (
        "The 'seed' parameter must be given together with 'rank'. Got nothing instead. "
        "Pass the same seed on all ranks, so that they draw the same epoch."
    )
