"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R.

The stratified sampler and everything that samplers share are imported here; other modules are imported when one of
their names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    from pystrat.base import BatchSampler, epoch_permutation
    from pystrat.batches import Batches
    from pystrat.plan import BatchPlan
    from pystrat.stratified.sampler import StratifiedBatchSampler, min_samples_for_batch_size
except ImportError as error:
    if not (error.name or "").startswith("pystrat"):
        raise
    raise ImportError(
        f"{error}. The folder {__path__[0]} has no compiled modules, and hides a pystrat that is installed elsewhere. "
        'Start Python in another folder, or run "pip install -e ." in the folder above it.'
    ) from error

if TYPE_CHECKING:  # the same as `_MODULE_OF`, for type checkers and editors
    from pystrat.advice import advise
    from pystrat.trainer import prepare_for_trainer
    from pystrat.distributed import distribute
    from pystrat.stratified.bins import bin_target
    from pystrat.corpus.epoch_subset import EpochSubsetBatchSampler
    from pystrat.corpus.perplexity import PerplexityBatchSampler
    from pystrat.ranks import check_ranks
    from pystrat.counts_by_shard import bind_counts, gather_counts, shard_counts
    from pystrat.stratified.labels import labels_of, labels_of_masks
    from pystrat.stratified.sharded import ShardedStratifiedBatchSampler
    from pystrat.stratified.sharded_plan import sharded_plan
    from pystrat.stratified.split import stratified_split
    from pystrat.downsampling.probabilities import correct_probabilities, published_class_weights
    from pystrat.downsampling.sampler import DownsampledBatchSampler
    from pystrat.stratified.multilabel import MultilabelBatchSampler
    from pystrat.stratified.per_label import PerLabelBatchSampler
    from pystrat.pairs.codes import decode_pairs
    from pystrat.pairs.datasets import FeatureLookup, PairDataset, TripleDataset
    from pystrat.pairs.sampler import NegativePairBatchSampler, TripleBatchSampler
    from pystrat.weighted.class_weights import (
        effective_number_weights,
        inverse_frequency_weights,
        repeat_factors,
        temperature_weights,
    )
    from pystrat.weighted.loss_weights import class_weights
    from pystrat.weighted.density_weights import density_weights, inverse_density_weights
    from pystrat.weighted.prioritized import PrioritizedBatchSampler
    from pystrat.report import batch_counts, plot_batch_counts, plot_plan
    from pystrat.resumable import ResumableLoader
    from pystrat.stratified.groups import StratifiedGroupBatchSampler
    from pystrat.stratified.no_duplicates import NoDuplicatesBatchSampler
    from pystrat.stratified.one_stratum import OneStratumBatchSampler
    from pystrat.stratified.subset import StrataSubsetBatchSampler
    from pystrat.weighted.sum_tree import SumTree
    from pystrat.tensor_loader import TensorLoader
    from pystrat.tree import TreeBatchSampler, TreeSampler
    from pystrat.weighted.uniform import UniformBatchSampler
    from pystrat.weighted.weighted import WeightedBatchSampler

__all__ = [
    "BatchPlan",
    "BatchSampler",
    "Batches",
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
__version__ = "0.1.0"

_MODULE_OF = {
    "DownsampledBatchSampler": "downsampling.sampler",
    "EpochSubsetBatchSampler": "corpus.epoch_subset",
    "FeatureLookup": "pairs.datasets",
    "MultilabelBatchSampler": "stratified.multilabel",
    "NegativePairBatchSampler": "pairs.sampler",
    "NoDuplicatesBatchSampler": "stratified.no_duplicates",
    "OneStratumBatchSampler": "stratified.one_stratum",
    "PairDataset": "pairs.datasets",
    "PerLabelBatchSampler": "stratified.per_label",
    "PerplexityBatchSampler": "corpus.perplexity",
    "PrioritizedBatchSampler": "weighted.prioritized",
    "ResumableLoader": "resumable",
    "ShardedStratifiedBatchSampler": "stratified.sharded",
    "StrataSubsetBatchSampler": "stratified.subset",
    "StratifiedGroupBatchSampler": "stratified.groups",
    "SumTree": "weighted.sum_tree",
    "TensorLoader": "tensor_loader",
    "TreeBatchSampler": "tree",
    "TreeSampler": "tree",
    "TripleBatchSampler": "pairs.sampler",
    "TripleDataset": "pairs.datasets",
    "UniformBatchSampler": "weighted.uniform",
    "WeightedBatchSampler": "weighted.weighted",
    "advise": "advice",
    "batch_counts": "report",
    "bin_target": "stratified.bins",
    "bind_counts": "counts_by_shard",
    "check_ranks": "ranks",
    "class_weights": "weighted.loss_weights",
    "correct_probabilities": "downsampling.probabilities",
    "decode_pairs": "pairs.codes",
    "gather_counts": "counts_by_shard",
    "density_weights": "weighted.density_weights",
    "distribute": "distributed",
    "effective_number_weights": "weighted.class_weights",
    "inverse_density_weights": "weighted.density_weights",
    "inverse_frequency_weights": "weighted.class_weights",
    "labels_of": "stratified.labels",
    "labels_of_masks": "stratified.labels",
    "plot_batch_counts": "report",
    "plot_plan": "report",
    "prepare_for_trainer": "trainer",
    "published_class_weights": "downsampling.probabilities",
    "repeat_factors": "weighted.class_weights",
    "shard_counts": "counts_by_shard",
    "sharded_plan": "stratified.sharded_plan",
    "stratified_split": "stratified.split",
    "temperature_weights": "weighted.class_weights",
}

# The modules and packages that contain these names.
_MODULES = {module.partition(".")[0] for module in _MODULE_OF.values()}

if not TYPE_CHECKING:  # a type checker that saw it would accept any name as one of this package

    def __getattr__(name: str) -> Any:
        """Import a submodule, or the module of a public name, on first use."""
        if name in _MODULE_OF:
            value = globals()[name] = getattr(import_module(f"pystrat.{_MODULE_OF[name]}"), name)
            return value
        if name in _MODULES:
            return import_module(f"pystrat.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
