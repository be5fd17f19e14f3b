"""Training sets too large or too mixed for whole epochs: parts of them, mixtures of files, smaller vocabularies.

`pystrat.corpus.vocabulary` needs torch, and is imported only by name.
"""

from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.epoch_subset import EpochSubsetSampler
from pystrat.corpus.mixture import CorpusMixture
from pystrat.corpus.plan import CorpusPlan, FilePlan

__all__ = ["CorpusDataset", "CorpusMixture", "CorpusPlan", "EpochSubsetSampler", "FilePlan"]
