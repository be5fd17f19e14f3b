"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R.

torch and pandas are imported when they are first needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

try:
    from pystrat.core.base import BatchSampler as BatchSampler
except ImportError as error:
    if not (error.name or "").startswith("pystrat"):
        raise
    raise ImportError(
        f"{error}. The folder {__path__[0]} has no compiled modules, and hides a pystrat that is installed elsewhere. "
        'Start Python in another folder, or run "pip install -e ." in the folder above it.'
    ) from error

from pystrat.core.batches import Batches as Batches
from pystrat.core.plan import BatchPlan as BatchPlan
from pystrat.stratified.sampler import StratifiedBatchSampler as StratifiedBatchSampler
from pystrat.stratified.sampler import min_samples_for_batch_size as min_samples_for_batch_size
from pystrat.reports.advice import advise as advise
from pystrat.training.distributed import distribute as distribute
from pystrat.stratified.bins import bin_target as bin_target
from pystrat.corpus.by_length import BatchesByLength as BatchesByLength
from pystrat.corpus.epoch_subset import EpochSubsetBatchSampler as EpochSubsetBatchSampler
from pystrat.corpus.perplexity import PerplexityBatchSampler as PerplexityBatchSampler
from pystrat.core.ranks import check_ranks as check_ranks
from pystrat.core.seeds import epoch_permutation as epoch_permutation
from pystrat.core.counts_by_shard import bind_counts as bind_counts
from pystrat.core.counts_by_shard import gather_counts as gather_counts
from pystrat.core.counts_by_shard import shard_counts as shard_counts
from pystrat.stratified.labels import labels_of as labels_of
from pystrat.stratified.labels import labels_of_masks as labels_of_masks
from pystrat.sharded.sampler import ShardedStratifiedBatchSampler as ShardedStratifiedBatchSampler
from pystrat.sharded.plan import sharded_plan as sharded_plan
from pystrat.stratified.split import stratified_split as stratified_split
from pystrat.downsampling.probabilities import correct_probabilities as correct_probabilities
from pystrat.downsampling.probabilities import published_class_weights as published_class_weights
from pystrat.downsampling.sampler import DownsampledBatchSampler as DownsampledBatchSampler
from pystrat.stratified.multilabel import MultilabelBatchSampler as MultilabelBatchSampler
from pystrat.stratified.per_label import PerLabelBatchSampler as PerLabelBatchSampler
from pystrat.pairs.codes import decode_pairs as decode_pairs
from pystrat.pairs.datasets import FeatureLookup as FeatureLookup
from pystrat.pairs.datasets import PairDataset as PairDataset
from pystrat.pairs.datasets import TripleDataset as TripleDataset
from pystrat.pairs.sampler import NegativePairBatchSampler as NegativePairBatchSampler
from pystrat.pairs.sampler import TripleBatchSampler as TripleBatchSampler
from pystrat.weighted.class_weights import effective_number_weights as effective_number_weights
from pystrat.weighted.class_weights import inverse_frequency_weights as inverse_frequency_weights
from pystrat.weighted.class_weights import repeat_factors as repeat_factors
from pystrat.weighted.class_weights import temperature_weights as temperature_weights
from pystrat.weighted.loss_weights import class_weights as class_weights
from pystrat.weighted.density_weights import density_weights as density_weights
from pystrat.weighted.density_weights import inverse_density_weights as inverse_density_weights
from pystrat.weighted.prioritized import PrioritizedBatchSampler as PrioritizedBatchSampler
from pystrat.reports.batch_counts import batch_counts as batch_counts
from pystrat.reports.batch_counts import plot_batch_counts as plot_batch_counts
from pystrat.reports.batch_counts import plot_plan as plot_plan
from pystrat.training.resumable import ResumableLoader as ResumableLoader
from pystrat.stratified.groups import StratifiedGroupBatchSampler as StratifiedGroupBatchSampler
from pystrat.stratified.no_duplicates import NoDuplicatesBatchSampler as NoDuplicatesBatchSampler
from pystrat.stratified.one_stratum import OneStratumBatchSampler as OneStratumBatchSampler
from pystrat.stratified.subset import StrataSubsetBatchSampler as StrataSubsetBatchSampler
from pystrat.weighted.sum_tree import SumTree as SumTree
from pystrat.tree import TreeBatchSampler as TreeBatchSampler
from pystrat.tree import TreeSampler as TreeSampler
from pystrat.weighted.uniform import UniformBatchSampler as UniformBatchSampler
from pystrat.weighted.weighted import WeightedBatchSampler as WeightedBatchSampler

if TYPE_CHECKING:
    from pystrat.training.trainer import prepare_for_trainer as prepare_for_trainer
    from pystrat.training.tensor_loader import TensorLoader as TensorLoader

_WITH_TORCH = {"TensorLoader": "tensor_loader", "prepare_for_trainer": "trainer"}
_IMPORTED = [name for name, value in globals().items() if getattr(value, "__module__", "").startswith("pystrat.")]
__all__ = sorted([*_IMPORTED, *_WITH_TORCH])


if not TYPE_CHECKING:  # a type checker that saw it would accept any name as one of this package

    def __getattr__(name: str) -> Any:
        if name not in _WITH_TORCH:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"pystrat.training.{_WITH_TORCH[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
