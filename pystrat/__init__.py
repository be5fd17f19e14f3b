"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R."""

from pystrat.base import Batches, BatchSampler, epoch_permutation
from pystrat.datasets import labels_of
from pystrat.plan import BatchPlan
from pystrat.report import batch_counts, plot_batch_counts, plot_plan
from pystrat.stratified import StratifiedBatchSampler

__all__ = [
    "BatchPlan",
    "BatchSampler",
    "Batches",
    "StratifiedBatchSampler",
    "batch_counts",
    "epoch_permutation",
    "labels_of",
    "plot_batch_counts",
    "plot_plan",
]
__version__ = "0.1.0"
