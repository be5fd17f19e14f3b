"""The tree sampler: how a table is drawn from is declared, in YAML or as a dict.

Data flows one way: specification -> (with the table) tree -> draws of a seed -> batches.
"""

from pystrat.tree.auxiliary import DrawnRow
from pystrat.tree.sampler import TreeBatchSampler, TreeSampler

__all__ = ["DrawnRow", "TreeBatchSampler", "TreeSampler"]
