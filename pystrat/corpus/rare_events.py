"""Rare events in files: all lines of the positive files, and part of the lines of some negative files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from pystrat.core.batches import Batches
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.files import Found, Paths, file_labels, listed_files, shown_name
from pystrat.corpus.line_table import LineTable
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import check_flag, refused_value
from pystrat.core.plan import BatchPlan
from pystrat.core.value_names import names_index

CLASSES = ("positive", "negative")
LISTS = ("positives", "negatives")


class LabelledLines(CorpusDataset):
    """Dataset of the lines of all files, positives first, each with its label: 1 for a positive, else 0, as float32."""

    def __init__(self, table: LineTable, transform: Any, n_positives: int) -> None:
        super().__init__(table, transform=transform)
        self.n_positives = n_positives

    def _item(self, position: int, lines: tuple[str, ...]) -> Any:
        item = lines[0] if self.transform is None else self.transform(lines[0])
        return item, np.float32(position < self.n_positives)


class RareEventBatchSampler(KindBatchSampler):
    """Batch sampler over the lines of files, for rare events: all positives, and a new part of the negatives.

    Each epoch shuffles the list of the negative files, and draws from the lines of the first ones. The other files are
    not read. Pass it to a PyTorch ``DataLoader(sampler.dataset(), batch_sampler=sampler)``. The method is that of
    "Sampling methods within TensorFlow input functions" (Datatonic). The R function is
    ``rbridge::batch_sampler_rare_events()``. docs/downsampling.md is a guide.

    Parameters
    ----------
    positives, negatives : sequence of paths
        The files whose lines are positives, and those whose lines are negatives; each file once. Every line is a row,
        including a header.
    multiplier : float
        The number of negatives of an epoch, as a multiple of the positives:
        ``k = floor(multiplier * positives + 1/2)``, at least 1.
    batch_size : int
        The largest number of lines in a batch; the sizes of batches differ by at most 1.
    negative_files_per_epoch : int, optional
        m, the number of negative files that an epoch draws from; by default all of them. Every m of them must have k
        lines.
    positive_weight : float, default 1.0
        The training weight of a positive, above 0.
    negative_weight : float, optional
        The training weight of a negative, above 0. By default it is derived, so that in expectation the weighted
        negatives of an epoch represent all negatives of all files: see `class_weights`.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`. The number of batches is rounded up to a multiple of `num_replicas`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Drawing an epoch raises RuntimeError if one of its files has changed.
    * An epoch has every positive once, and exactly k negatives, no line twice, from m negative files. Every subset of m
      files is equally likely, and so is every subset of k of their lines.
    * Each batch has the floor or the ceiling of its share of positives and of negatives, positives first.
    * Positions count through all files, positives first, at most 2^31 - 1 lines in total.
    * In R's terms, after ``set.seed()`` of the epoch: ``sample.int(F)`` is the list of the F negative files;
      ``sample.int(lines, k)`` are the places of its negatives among the lines of the first m of them;
      ``sample.int(total)`` is the order in which positives and, after them, negatives are dealt to the batches.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pystrat.corpus import RareEventBatchSampler
    >>> with TemporaryDirectory() as folder:
    ...     files = {name: Path(folder, name) for name in ("fraud", "monday", "tuesday", "friday")}
    ...     for file, lines in zip(files.values(), (10, 400, 300, 800)):
    ...         _ = file.write_text("a line\\n" * lines)
    ...     negatives = [files[name] for name in ("monday", "tuesday", "friday")]
    ...     sampler = RareEventBatchSampler(
    ...         [files["fraud"]], negatives, multiplier=4, batch_size=10, negative_files_per_epoch=2, seed=1
    ...     )
    >>> sampler.n_positives, sampler.n_negatives, len(sampler)
    (10, 40, 5)
    >>> sampler.class_weights(epoch=0).to_dict()
    {'positive': 1.0, 'negative': 26.25}
    """

    _kind = "rare_events"
    plan: BatchPlan  #: The number of batches, and the positives and negatives in each batch.
    n_positives: int  #: The number of positives in an epoch.
    n_negatives: int  #: The number of negatives in an epoch.
    n_lines: int  #: The number of lines of all files.

    def __init__(
        self,
        positives: Paths,
        negatives: Paths,
        multiplier: float,
        batch_size: int,
        *,
        negative_files_per_epoch: Optional[int] = None,
        positive_weight: float = 1.0,
        negative_weight: Optional[float] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("positives", "negatives")))
        listed = [listed_files(paths, name, "be a list of files") for paths, name in zip((positives, negatives), LISTS)]
        found = [Found(path.name, (path,), (name,)) for paths, name in zip(listed, LISTS) for path in paths]
        known: dict[str, Path] = {}
        for _, (path,), (name,) in found:
            other = known.setdefault(os.path.realpath(path), path)
            if other is not path:
                raise refused_value(name, "list each file once", f"'{path}', which is '{other}',")
        self._table = LineTable(found)
        data = {"lines": np.array(self._table.counts, dtype=np.float64), "n_positive_files": len(listed[0])}
        names = [shown_name(each.name) for each in found]
        self._begin(data, CLASSES, {"names": names, **file_labels(found, self._table.versions)})
        described = self._instance.describe()
        self.n_positives, self.n_negatives = (int(described[name][0]) for name in ("n_positives", "n_negatives"))
        self.n_lines = len(self._table)
        counts = np.array([self.n_positives, self.n_negatives])
        available = np.array([self.n_positives, self.n_lines - self.n_positives])
        index = pd.CategoricalIndex(CLASSES, CLASSES, ordered=True)
        self.plan = BatchPlan(self._n_batches, counts, index, "even", available)

    def dataset(self, transform: Optional[Callable[[str], Any]] = None) -> LabelledLines:
        """Return the dataset whose positions the batches contain, of lines, or of what `transform` makes of them."""
        return LabelledLines(self._table, transform, self.n_positives)

    def negative_files(self, epoch: Optional[int] = None) -> list[Path]:
        """Return the negative files that an epoch, by default the next one, draws from, in the order of its list."""
        return [self._table.found[file].paths[0] for file in self._instance.draw(self._requested_epoch(epoch))["files"]]

    def class_weights(self, epoch: Optional[int] = None, *, normalize: bool = False) -> pd.Series:
        """Return the training weights of ``positive`` and ``negative`` in an epoch, by default the next one.

        The derived weight of a negative is ``F / m * (lines of the m files) / k``, where F is the number of negative
        files. `normalize` is that of `DownsampledBatchSampler.class_weights`.
        """
        weights = self._instance.draw(self._requested_epoch(epoch))["weights"]
        if check_flag(normalize, "normalize"):
            weights /= self._instance.describe()["mean_weight"]
        return pd.Series(weights, index=names_index(CLASSES), name="weight")

    def _epoch_batches(self, epoch: int) -> Batches:
        drawn = self._instance.draw(epoch)
        self._table.check([*range(self._parts["n_positive_files"]), *drawn["files"]])
        return Batches(drawn["rows"], drawn["offsets"])
