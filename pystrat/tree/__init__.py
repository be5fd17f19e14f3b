"""The tree sampler: specification, in YAML or as a dict -> tree of a table -> draws of a seed -> batches."""

from pystrat.tree.auxiliary import DrawnRow
from pystrat.tree.sampler import TreeBatchSampler, TreeSampler

__all__ = ["DrawnRow", "TreeBatchSampler", "TreeSampler"]
