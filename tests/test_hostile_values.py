"""Every parameter of everything public, given values nobody expects: a result that keeps its scope, or a message.

One parameter after the other of a valid call is replaced by values of `tests.hostile`. The calls are found by looking
at what is public, so that whatever is new needs a valid call here. That of a sampler is its first specimen.
"""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterator

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
from pystrat import Batches, BatchSampler, PrioritizedBatchSampler, SumTree, UniformBatchSampler
from pystrat.core.core_sampler import KindBatchSampler
from pystrat.corpus import CorpusDataset
from pystrat.corpus.vocabulary import SampledOutput
from tests.hostile import GRAMMAR, HOSTILE, bounded_memory, collected, refusal
from tests.inside import recipe_of
from tests.levels import some_of
from tests.specimens import calls, public_samplers, write_files

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  after the backend was chosen

Arguments = dict[str, Any]

LABELS = [0, 1, 1, 0, 1, 1]
SPEC = {"mode": "shuffle", "children": [{"name": "a", "column": "x", "value": 1}, {"name": "b"}]}
COUNTS = pd.DataFrame({"0": [2], "1": [4]}, index=["a"])
OF_SOURCES = pd.DataFrame({"0": [2, 2], "1": [4, 4]}, index=["a", "b"])
LARGEST = 10**5  # rows of an epoch that is looked at
SIZES = """
    n_rows capacity batch_size n_batches sample drawn n_negatives negatives_per_positive labels_per_batch
    positives_per_label negatives_per_label n_users n_items
""".split()


def read_labels(source: Any) -> list[int]:
    return LABELS


class Labelled(SimpleNamespace):
    def __len__(self) -> int:
        return len(LABELS)


def uniform() -> UniformBatchSampler:
    return UniformBatchSampler(6, 2, seed=1)


def prioritized() -> PrioritizedBatchSampler:
    return PrioritizedBatchSampler(4, 2, capacity=8, n_batches=2, seed=1)


STREAM: Arguments = {"sources": ["a", "b"], "read": read_labels, "stratum": int, "counts": OF_SOURCES, "seed": 1}

# Instances by the name of the class that has the method which is called.
MADE: dict[str, Callable[[], Any]] = {
    "AUMLoss": pystrat.losses.AUMLoss,
    "BatchSampler": uniform,
    "Batches": lambda: Batches.gather([[1, 2], [3]]),
    "CorpusDataset": lambda: CorpusDataset(["b.rows"], [".rows"]),
    "FeatureLookup": lambda: pystrat.FeatureLookup([1.0, 2.0], ids=[3, 4], default=0),
    "FeedbackBatchSampler": prioritized,
    "MultilabelBatchSampler": lambda: pystrat.MultilabelBatchSampler([[1, 0], [0, 1]] * 2, 1, seed=1),
    "PairDataset": lambda: pystrat.PairDataset(2, 2),
    "PerLabelBatchSampler": lambda: pystrat.PerLabelBatchSampler([[1, 0], [0, 1]] * 2, 1, 1, seed=1),
    "PerplexityBatchSampler": lambda: pystrat.PerplexityBatchSampler(4, 2, seed=1),
    "Placed": uniform,
    "PrioritizedBatchSampler": prioritized,
    "RangedBatchSampler": lambda: pystrat.StrataSubsetBatchSampler(LABELS, 1, 1, seed=1),
    "ResumableLoader": lambda: pystrat.TensorLoader(torch.arange(6), sampler=uniform()),
    "SampledOutput": lambda: SampledOutput(*[torch.nn.Linear(2, 6)] * 2, [1, 2]).__enter__(),
    "StratifiedStream": lambda: pystrat.stream.StratifiedStream(
        **{**STREAM, "stratum": lambda row: row, "mean_batch_size": 4}
    ),
    "SumTree": lambda: SumTree([1.0, 2, 3, 4], capacity=8, seed=1),
    "TripleDataset": lambda: pystrat.TripleDataset(2, 2),
    "WeightedBatchSampler": lambda: pystrat.WeightedBatchSampler([1.0, 2, 3, 4], 2, seed=1),
    "WeightsOfStrata": lambda: pystrat.DownsampledBatchSampler(LABELS, 1, 2, seed=1),
    "CorpusMixtureBatchSampler": lambda: pystrat.corpus.CorpusMixtureBatchSampler(".", 2, sample=4, suffixes=[".rows"]),
    "RareEventBatchSampler": lambda: pystrat.corpus.RareEventBatchSampler(["a.txt"], ["b.rows"], 1, 2),
}

# The arguments of a valid call each, in a folder with the files of specimens.
CALLS: dict[str, Arguments] = {
    **{kind.__name__: {"seed": 1, **calls(Path())[kind][0]} for kind in public_samplers()},
    # Constructors
    "BatchesByLength": {"sampler": uniform(), "lengths": [1, 2, 3, 4, 5, 6], "max_tokens": 9},
    "Batches": {"rows": np.arange(4), "offsets": np.array([0, 2, 4])},
    "FeatureLookup": {"features": [1.0, 2.0], "ids": [3, 4]},
    "PairDataset": {"n_users": 2, "n_items": 2},
    "TripleDataset": {"n_users": 2, "n_items": 2},
    "StratifiedBatchSampler": {"strata": LABELS, "min_samples_per_stratum": 1},
    "StratifiedStream": {**STREAM, "min_samples_per_stratum": 1},
    "SumTree": {"weights": [1.0, 2.0], "capacity": 2},
    "ResumableLoader": {"loader": DataLoader(range(6), batch_sampler=uniform())},  # type: ignore[arg-type]
    "TensorLoader": {"tensors": [torch.arange(6)], "sampler": uniform()},
    "TreeBatchSampler": {"table": {"x": LABELS}, "spec": SPEC, "batch_size": 2, "length": 6},
    "TreeSampler": {"table": {"x": LABELS}, "spec": SPEC, "length": 6},
    "CorpusDataset": {"source": ".", "suffixes": [".rows"]},
    "SampledOutput": dict(zip(("model", "layer"), [torch.nn.Linear(2, 6)] * 2), ids=[1, 2]),
    # Functions
    "advise": {"strata": LABELS, "batch_size": 2},
    "batch_counts": {"batches": [[0, 1], [2]], "labels": ["a", "b", "a"]},
    "bind_counts": {"tables": [COUNTS]},
    "bin_target": {"values": [1.0, 2.0, 3.0], "n_bins": 2},
    "check_ranks": {"sampler": uniform()},
    "class_weights": {"labels": LABELS},
    "correct_probabilities": {"probabilities": [0.5, 0.25], "keep_rate": 0.5},
    "count_sources": {"sources": ["a", "b"], "read": read_labels, "stratum": int},
    "decode_pairs": {"numbers": [7, 12], "n_items": 4},
    "density_weights": {"values": [1.0, 2.0, 4.0]},
    "distribute": {"sampler": [3, 1, 2, 0], "batch_size": 2},
    "effective_number_weights": {"labels": LABELS},
    "epoch_permutation": {"n_rows": 5, "seed": 1, "epoch": 2},
    "gather_counts": {"strata": {"a": LABELS}},
    "inverse_density_weights": {"values": [1.0, 2.0, 4.0]},
    "inverse_frequency_weights": {"labels": LABELS},
    "labels_of": {"dataset": Labelled(targets=LABELS), "column": "targets"},
    "labels_of_masks": {"masks": [[[0, 1]], [[1, 255]]], "n_classes": 2, "ignore": 255},
    "min_samples_for_batch_size": {"strata": LABELS, "mean_batch_size": 4},
    "plot_batch_counts": {"tables": {"x": pd.DataFrame({"a": [1, 2]})}, "label": "a"},
    "plot_plan": {"plan": pystrat.StratifiedBatchSampler([0, 1, 0], 1).plan},
    "published_class_weights": {"weight": 20},
    "read_csv": {"path": "a.txt"},
    "read_json_lines": {"path": "numbers"},
    "repeat_factors": {"labels": LABELS},
    "sampled_vocabulary": {"sequences": [[1, 2], [3]]},
    "shard_counts": {"strata": {"a": LABELS}},
    "sharded_plan": {"counts": COUNTS, "min_samples_per_stratum": 1},
    "stratified_split": {"strata": LABELS, "sizes": [0.5, 0.5]},
    "temperature_weights": {"labels": LABELS, "temperature": 2},
    # Methods
    "AUMLoss.forward": {"input": torch.tensor([0.1, 0.2]), "target": torch.tensor([0, 1])},
    "BatchSampler.batches": {"epoch": 1},
    "Batches.gather": {"batches": [[0, 1], [2]]},
    "Batches.lists": {"first": 0, "step": 1},
    "Batches.part": {"first": 0, "step": 1},
    "CorpusMixtureBatchSampler.dataset": {},
    "CorpusMixtureBatchSampler.plan": {"epoch": 3},
    "FeatureLookup.__call__": {"ids": [3, 4]},
    "FeedbackBatchSampler.sample": {"k": 2},
    "MultilabelBatchSampler.label_counts": {"epoch": 1},
    "MultilabelBatchSampler.shortfalls": {"epoch": 1},
    "PairDataset.__getitem__": {"numbers": [7, 3]},
    "PerLabelBatchSampler.class_weights": {"normalize": True},
    "PerLabelBatchSampler.weights": {"numbers": [9, 12], "normalize": True},
    "PerplexityBatchSampler.report": {"rows": [0, 1], "nll": [0.5, 1]},
    "Placed.load_state_dict": {"state": uniform().state()},
    "Placed.set_epoch": {"epoch": 1, "batches_done": 1},
    "Placed.state": {"epoch": 1, "batches_done": 0},
    "PrioritizedBatchSampler.append": {"count": 2, "priorities": [0.5, 1]},
    "PrioritizedBatchSampler.importance_weights": {"rows": [0, 1], "batch": 1, "beta": 0.5},
    "PrioritizedBatchSampler.priorities": {"rows": [0, 1]},
    "PrioritizedBatchSampler.update": {"rows": [0, 1], "priorities": [0.5, 1], "since": 0},
    "RangedBatchSampler.composition": {"epoch": 1},
    "RareEventBatchSampler.class_weights": {"normalize": True},
    "RareEventBatchSampler.dataset": {},
    "RareEventBatchSampler.negative_files": {},
    "ResumableLoader.load_state_dict": {"state": uniform().state()},
    "ResumableLoader.set_epoch": {"epoch": 1, "batches_done": 1},
    "SampledOutput.targets": {"ids": torch.tensor([[1], [2]])},
    "StratifiedStream.class_weights": {"normalize": True},
    "StratifiedStream.weights": {"rows": ["0", "1"], "normalize": True},
    "SumTree.append": {"weights": [0.5, 1]},
    "SumTree.find": {"values": [0.5, 9]},
    "SumTree.load_state_dict": {"state": SumTree([1.0, 2], capacity=8, seed=2).state_dict()},
    "SumTree.sample": {"k": 2},
    "SumTree.update": {"indices": [0, 1], "weights": [0.5, 1]},
    "SumTree.weights": {"indices": [0, 1]},
    "TripleDataset.__getitem__": {"numbers": [1, 2]},
    "WeightedBatchSampler.update": {"rows": [0, 1], "weights": [0.5, 1]},
    "WeightedBatchSampler.weights": {"rows": [0, 1]},
    "WeightsOfStrata.class_weights": {"normalize": True},
    "WeightsOfStrata.weights": {"rows": [0, 5], "normalize": True},
}
NOT_CALLED = {
    "prepare_for_trainer": "takes the loader of a Trainer, and the Trainer",
    "BatchPlan": "is a record that samplers make",
    "AUMLoss": "takes no parameters",
    "BatchSampler": "is abstract",
    "SourceError": "is an error",
    "Batches.__getitem__": "is Python's own protocol of sequences",
    "CorpusDataset.__getitem__": "is Python's own protocol of sequences",
    "CorpusDataset.lengths": "takes what samplers take as lengths, which are tried there",
}
# What else is given with a parameter, where it is a parameter, too.
MEAN: Arguments = {"min_samples_per_stratum": None, "min_samples_per_label": None}
BESIDES: dict[str, Arguments] = {
    "rank": {"num_replicas": 2, "seed": 1, "lanes": 2},
    "num_replicas": {"lanes": 2},
    "mean_batch_size": MEAN,
    **dict.fromkeys(("shares", "temperature", "cap", "balance", "drop"), {**MEAN, "mean_batch_size": 4}),
    "weights": {"n_batches": 2, "capacity": 4},
    "items": {"n_items": None},
    "power": {"method": "popularity"},
    "full_users": {"method": "per_user"},
}
BESIDES_IN: dict[tuple[str, str], Arguments] = {
    ("StratifiedStream", "strata"): {"counts": None},
    ("NoDuplicatesBatchSampler", "strata"): {"min_samples_per_stratum": 1},
    ("NoDuplicatesBatchSampler", "min_samples_per_stratum"): {"strata": [0, 1] * 4},
    ("CorpusDataset", "targets"): {"source": ["b.rows"], "suffixes": None},
    ("CorpusMixtureBatchSampler", "targets"): {"source": ["b.rows"], "suffixes": None},
}
FUNCTIONS = {
    "read",
    "stratum",
    "accept",
    "weights",
    "labels",
    "transform",
    "beta",
}  # may be some, which fail as they like
# The errors of Python, numpy, pandas and torch are good enough of files, tables and tensors.
WITH_OTHER_ERRORS = """
    Batches.lists Batches.part CorpusDataset CorpusMixtureBatchSampler FeatureLookup FeatureLookup.__call__
    NoDuplicatesBatchSampler PairDataset.__getitem__ RareEventBatchSampler StratifiedStream TensorLoader
    TreeBatchSampler TreeSampler correct_probabilities count_sources distribute labels_of_masks
    plot_batch_counts read_csv read_json_lines stratified_split
""".split()
OTHER_ERRORS: tuple[type[Exception], ...] = (AssertionError, LookupError, OSError, OverflowError, TypeError, ValueError)
OTHER_ERRORS += (MemoryError, RuntimeError, Warning, pystrat.stream.SourceError)


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


def check_sampler(sampler: KindBatchSampler) -> None:
    """Check what every sampler promises: batches as many as its length, of rows that there are, the same again."""
    sizes = [float(number) for name, part in recipe_of(sampler).parts.items() if name in SIZES for number in part]
    if max(sizes, default=0) > LARGEST:
        return
    batches, n_rows = sampler.batches(), sampler._rows_of_data()
    assert len(batches) == len(sampler) > 0
    assert 0 <= batches.rows.min() and (n_rows is None or batches.rows.max() < n_rows)
    found = collected(batches)
    assert all(found) and collected(pickle.loads(pickle.dumps(sampler)).batches()) == found
    assert [row if isinstance(row, list) else [row] for row in sampler] == found
    if hasattr(sampler, "class_weights"):
        weights = np.asarray(sampler.class_weights(), dtype=np.float64)
        assert (weights > 0).all() and np.isfinite(weights).all()


def snapshot(instance: Any) -> Any:
    """Return all that a refused call must not change."""
    if isinstance(instance, BatchSampler):
        return pickle.dumps(instance.state())
    return (instance.weights().tolist(), instance.total) if isinstance(instance, SumTree) else None


def arguments_of(name: str, parameter: str = "") -> Arguments:
    """Return the arguments of a valid call, defaults among them, with what else is given with a parameter."""
    parameters = inspect.signature(PUBLIC[name]).parameters
    given = {key: value.default for key, value in parameters.items() if value.default is not value.empty}
    seed = {"seed": 1} if "seed" in given else {}
    besides = {other: value for other, value in BESIDES.get(parameter, {}).items() if other in parameters}
    return {**given, **seed, **CALLS[name], **besides, **BESIDES_IN.get((name, parameter), {})}


def call_with(function: Any, given: Arguments) -> Any:
    """Call a function with arguments by name, among them those of a parameter like ``*tensors``."""
    named, at_once = dict(given), []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            at_once = named.pop(name)
    return function(*(at_once if type(at_once) is list else [at_once]), **named)


def function_of(name: str) -> tuple[Any, Any]:
    """Return the instance of a method, None for anything else, and what is called."""
    of_class, _, method = name.partition(".")
    instance = MADE[of_class]() if method else None
    return instance, getattr(instance, method) if method else PUBLIC[name]


def trial(name: str, parameter: str, value: Any) -> str:
    """Call with a hostile value; return what is wrong with what comes of it, or nothing."""
    instance, function = function_of(name)
    given = {**arguments_of(name, parameter), parameter: value}
    before = snapshot(instance)
    try:
        found = call_with(function, given)
    except Exception as error:
        if parameter in FUNCTIONS and callable(value) or name in WITH_OTHER_ERRORS and isinstance(error, OTHER_ERRORS):
            return ""
        if snapshot(instance) != before:
            return "refused, but changed"
        return refusal(error) or wrong_name(str(error.args[0]), set(given))
    try:
        if isinstance(found, KindBatchSampler) and getattr(found, "length", 1) is not None:
            check_sampler(found)
    except Exception as error:
        return f"breaks its promise: {error}"[:300]
    return ""


def wrong_name(message: str, parameters: set[str]) -> str:
    """Return what is wrong with the name of the parameter in a message."""
    found = GRAMMAR.fullmatch(message)
    assert found is not None
    if found["parameter"] not in parameters and "node" not in (found["where"] or ""):
        return f"names another parameter: {message}"[:300]
    return ""


@pytest.fixture(autouse=True)
def _in_a_folder_of_files(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path_factory.getbasetemp() / "hostile"
    if not folder.exists():
        folder.mkdir()
        write_files(folder)
        (folder / "numbers").write_text("1\n2\n")
    monkeypatch.chdir(folder)
    yield
    pyplot.close("all")


def test_everything_public_has_a_valid_call() -> None:
    assert set(PUBLIC) == {*CALLS, *NOT_CALLED}
    for name in CALLS:
        found = call_with(function_of(name)[1], arguments_of(name))
        if isinstance(found, KindBatchSampler):
            check_sampler(found)


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=map("-".join, PARAMETERS))
def test_hostile(name: str, parameter: str) -> None:
    with bounded_memory():
        tried = some_of(HOSTILE.items(), 12, of=f"{name} {parameter}")
        found = {value: trial(name, parameter, make()) for value, make in tried}
    assert {value: wrong for value, wrong in found.items() if wrong} == {}


RANKED = [name for name, parameter in PARAMETERS if parameter == "rank"]


@pytest.mark.parametrize("name", RANKED)
def test_a_rank_without_a_seed_or_replicas_is_refused(name: str) -> None:
    """Without the same seed, each rank draws another epoch: rows are lost, and others are delivered twice."""
    given = {**arguments_of(name, "rank"), "rank": 1, "seed": None}
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
