"""Training sets too large or too mixed for whole epochs: mixtures of files, and smaller vocabularies.

`pystrat.corpus.vocabulary` needs torch and must be imported explicitly.
"""

from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.mixture import CorpusMixtureBatchSampler
from pystrat.corpus.rare_events import RareEventBatchSampler

__all__ = [
    "CorpusDataset",
    "CorpusMixtureBatchSampler",
    "RareEventBatchSampler",
]
