"""The tree sampler: a tree, in YAML or as a dict, declares how rows are drawn from a table.

Data flows one way: specification -> tree of a table -> draws of a seed -> batches.
"""

from pystrat.tree.auxiliary import DrawnRow
from pystrat.tree.sampler import TreeBatchSampler, TreeSampler

__all__ = ["DrawnRow", "TreeBatchSampler", "TreeSampler"]
