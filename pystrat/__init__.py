"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R.

torch and pandas are imported when they are first needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

try:
    from pystrat.core.base import BatchSampler
except ImportError as error:
    if not (error.name or "").startswith("pystrat"):
        raise
    raise ImportError(
        f"{error}. The folder {__path__[0]} has no compiled modules, and hides a pystrat that is installed elsewhere. "
        'Start Python in another folder, or run "pip install -e ." in the folder above it.'
    ) from error

from pystrat.core.batches import Batches
from pystrat.core.plan import BatchPlan
from pystrat.stratified.sampler import StratifiedBatchSampler, min_samples_for_batch_size
from pystrat.reports.advice import advise
from pystrat.training.distributed import distribute
from pystrat.corpus.by_length import BatchesByLength
from pystrat.corpus.epoch_subset import EpochSubsetBatchSampler
from pystrat.corpus.perplexity import PerplexityBatchSampler
from pystrat.core.ranks import check_ranks
from pystrat.core.seeds import epoch_permutation
from pystrat.core.counts_by_shard import bind_counts, gather_counts, shard_counts
from pystrat.stratified.labels import bin_target, labels_of, labels_of_masks
from pystrat.sharded.sampler import ShardedStratifiedBatchSampler, sharded_plan
from pystrat.stratified.split import stratified_split
from pystrat.downsampling.probabilities import correct_probabilities, published_class_weights
from pystrat.downsampling.sampler import DownsampledBatchSampler
from pystrat.stratified.multilabel import MultilabelBatchSampler, PerLabelBatchSampler
from pystrat.pairs.codes import decode_pairs
from pystrat.pairs.datasets import FeatureLookup, PairDataset, TripleDataset
from pystrat.pairs.sampler import NegativePairBatchSampler, TripleBatchSampler
from pystrat.weighted.class_weights import class_weights, effective_number_weights, inverse_frequency_weights
from pystrat.weighted.class_weights import repeat_factors, temperature_weights
from pystrat.weighted.density_weights import density_weights, inverse_density_weights
from pystrat.weighted.prioritized import PrioritizedBatchSampler
from pystrat.reports.batch_counts import batch_counts, plot_batch_counts, plot_plan
from pystrat.training.resumable import ResumableLoader
from pystrat.stratified.no_duplicates import NoDuplicatesBatchSampler
from pystrat.stratified.ranged import OneStratumBatchSampler, StrataSubsetBatchSampler, StratifiedGroupBatchSampler
from pystrat.weighted.sum_tree import SumTree
from pystrat.tree import TreeBatchSampler, TreeSampler
from pystrat.weighted.uniform import UniformBatchSampler
from pystrat.weighted.weighted import WeightedBatchSampler

if TYPE_CHECKING:
    from pystrat.training.trainer import prepare_for_trainer
    from pystrat.training.tensor_loader import TensorLoader

__all__ = [
    "BatchPlan",
    "BatchSampler",
    "Batches",
    "BatchesByLength",
    "DownsampledBatchSampler",
    "EpochSubsetBatchSampler",
    "FeatureLookup",
    "MultilabelBatchSampler",
    "NegativePairBatchSampler",
    "NoDuplicatesBatchSampler",
    "OneStratumBatchSampler",
    "PairDataset",
    "PerLabelBatchSampler",
    "PerplexityBatchSampler",
    "PrioritizedBatchSampler",
    "ResumableLoader",
    "ShardedStratifiedBatchSampler",
    "StrataSubsetBatchSampler",
    "StratifiedBatchSampler",
    "StratifiedGroupBatchSampler",
    "SumTree",
    "TensorLoader",
    "TreeBatchSampler",
    "TreeSampler",
    "TripleBatchSampler",
    "TripleDataset",
    "UniformBatchSampler",
    "WeightedBatchSampler",
    "advise",
    "batch_counts",
    "bin_target",
    "bind_counts",
    "check_ranks",
    "class_weights",
    "correct_probabilities",
    "decode_pairs",
    "density_weights",
    "distribute",
    "effective_number_weights",
    "epoch_permutation",
    "gather_counts",
    "inverse_density_weights",
    "inverse_frequency_weights",
    "labels_of",
    "labels_of_masks",
    "min_samples_for_batch_size",
    "plot_batch_counts",
    "plot_plan",
    "prepare_for_trainer",
    "published_class_weights",
    "repeat_factors",
    "shard_counts",
    "sharded_plan",
    "stratified_split",
    "temperature_weights",
]

_WITH_TORCH = {"TensorLoader": "tensor_loader", "prepare_for_trainer": "trainer"}


if not TYPE_CHECKING:  # a type checker that saw it would accept any name as one of this package

    def __getattr__(name: str) -> Any:
        if name not in _WITH_TORCH:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"pystrat.training.{_WITH_TORCH[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
