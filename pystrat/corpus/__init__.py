"""Training sets too large or too mixed for whole epochs: parts of them, mixtures of files, smaller vocabularies.

`pystrat.corpus.vocabulary` needs torch and must be imported explicitly.
"""

from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.epoch_subset import EpochSubsetBatchSampler
from pystrat.corpus.mixture import CorpusMixtureBatchSampler
from pystrat.corpus.perplexity import PerplexityBatchSampler
from pystrat.corpus.plan import CorpusPlan, FilePlan
from pystrat.corpus.rare_events import RareEventBatchSampler

__all__ = [
    "CorpusDataset",
    "CorpusMixtureBatchSampler",
    "CorpusPlan",
    "EpochSubsetBatchSampler",
    "FilePlan",
    "PerplexityBatchSampler",
    "RareEventBatchSampler",
]
