"""Stratified batch sampling for deep learning: the same batches, row for row, in Python and in R.

The stratified sampler and what every sampler shares are here at once; the modules of everything else are imported when
a name of theirs is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pystrat.base import Batches, BatchSampler, epoch_permutation
from pystrat.plan import BatchPlan
from pystrat.stratified import StratifiedBatchSampler, min_samples_for_batch_size

if TYPE_CHECKING:  # what `_MODULE_OF` says, for type checkers and editors
    from pystrat.bins import bin_target
    from pystrat.corpus import EpochSubsetSampler
    from pystrat.curves import plot_learning_curves, plot_roc_curves
    from pystrat.datasets import labels_of
    from pystrat.downsampling import DownsampledBatchSampler, correct_probabilities, published_class_weights
    from pystrat.multilabel import MultilabelBatchSampler
    from pystrat.pair_dataset import FeatureLookup, PairDataset
    from pystrat.pairs import NegativePairSampler, decode_pairs
    from pystrat.prioritized import PrioritizedBatchSampler
    from pystrat.report import batch_counts, plot_batch_counts, plot_plan
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

_MODULE_OF = {
    "DownsampledBatchSampler": "downsampling",
    "EpochSubsetSampler": "corpus",
    "FeatureLookup": "pair_dataset",
    "MultilabelBatchSampler": "multilabel",
    "NegativePairSampler": "pairs",
    "PairDataset": "pair_dataset",
    "PrioritizedBatchSampler": "prioritized",
    "SumTree": "sum_tree",
    "TreeBatchSampler": "tree",
    "TreeSampler": "tree",
    "UniformSampler": "uniform",
    "WeightedBatchSampler": "weighted",
    "batch_counts": "report",
    "bin_target": "bins",
    "correct_probabilities": "downsampling",
    "decode_pairs": "pairs",
    "labels_of": "datasets",
    "plot_batch_counts": "report",
    "plot_learning_curves": "curves",
    "plot_plan": "report",
    "plot_roc_curves": "curves",
    "published_class_weights": "downsampling",
}

if not TYPE_CHECKING:  # a type checker that saw it would take any name for one of this package

    def __getattr__(name: str) -> Any:
        """Import the module of a name that is asked for the first time, or that is itself asked for."""
        if name in _MODULE_OF:
            value = globals()[name] = getattr(import_module(f"pystrat.{_MODULE_OF[name]}"), name)
            return value
        if name in _MODULE_OF.values():
            return import_module(f"pystrat.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF, *_MODULE_OF.values()})
