"""Training sets too large or too mixed for whole epochs: parts of them, mixtures of files, smaller vocabularies.

`pystrat.corpus.vocabulary` needs torch, and is imported only by name.
"""

from pystrat.corpus.epoch_subset import EpochSubsetSampler

__all__ = ["EpochSubsetSampler"]
