"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R."""

from pystrat.base import Batches, BatchSampler, epoch_permutation
from pystrat.bins import bin_target
from pystrat.corpus import EpochSubsetSampler
from pystrat.curves import plot_learning_curves, plot_roc_curves
from pystrat.datasets import labels_of
from pystrat.downsampling import DownsampledBatchSampler, correct_probabilities, published_class_weights
from pystrat.multilabel import MultilabelBatchSampler
from pystrat.pair_dataset import FeatureLookup, PairDataset
from pystrat.pairs import NegativePairSampler, decode_pairs
from pystrat.plan import BatchPlan
from pystrat.prioritized import PrioritizedBatchSampler
from pystrat.report import batch_counts, plot_batch_counts, plot_plan
from pystrat.stratified import StratifiedBatchSampler, min_samples_for_batch_size
from pystrat.sum_tree import SumTree
from pystrat.tree import TreeBatchSampler, TreeSampler
from pystrat.uniform import UniformSampler
from pystrat.weighted import WeightedBatchSampler

__all__ = [
    "BatchPlan",
    "BatchSampler",
    "Batches",
    "DownsampledBatchSampler",
    "EpochSubsetSampler",
    "FeatureLookup",
    "MultilabelBatchSampler",
    "NegativePairSampler",
    "PairDataset",
    "PrioritizedBatchSampler",
    "StratifiedBatchSampler",
    "SumTree",
    "TreeBatchSampler",
    "TreeSampler",
    "UniformSampler",
    "WeightedBatchSampler",
    "batch_counts",
    "bin_target",
    "correct_probabilities",
    "decode_pairs",
    "epoch_permutation",
    "labels_of",
    "min_samples_for_batch_size",
    "plot_batch_counts",
    "plot_learning_curves",
    "plot_plan",
    "plot_roc_curves",
    "published_class_weights",
]
__version__ = "0.1.0"
