"""Rare events in files: all lines of the positive files, and part of the lines of some negative files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat.seeds import epoch_permutation
from pystrat.batches import Batches
from pystrat.core_sampler import KindBatchSampler, arguments_of
from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.files import Found, Paths, file_labels, listed_files, shown_name
from pystrat.corpus.line_table import LineTable
from pystrat.lazy_pandas import pd
from pystrat.messages import check_flag, count_of, refused_value
from pystrat.plan import BatchPlan
from pystrat.value_names import names_index

CLASSES = ("positive", "negative")
LISTS = ("positives", "negatives")


class LabelledLines(CorpusDataset):
    """Dataset of the lines of all files, positives first, each with its label: 1 for a positive, else 0, as float32.

    Attributes
    ----------
    n_positives : int
        The number of lines that are positives; they come first.
    """

    n_positives = 0

    def _item(self, position: int, lines: tuple[str, ...]) -> Any:
        item = lines[0] if self.transform is None else self.transform(lines[0])
        return item, np.float32(position < self.n_positives)


class RareEventBatchSampler(KindBatchSampler):
    """Batch sampler over the lines of files, for rare events: all positives, and a new part of the negatives.

    Each epoch shuffles the list of the negative files, and draws from the lines of the first ones. The other files are
    not read. Pass it to a PyTorch ``DataLoader(sampler.dataset(), batch_sampler=sampler)``. The R function
    ``rbridge::batch_sampler_rare_events()`` returns the same batches from the same seed. docs/downsampling.md is a
    guide.

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

    The method is that of "Sampling methods within TensorFlow input functions" (Datatonic).

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
        listed = _check_lists(positives, negatives)
        found = [Found(path.name, (path,), (name,)) for paths, name in zip(listed, LISTS) for path in paths]
        self._table = LineTable(found)
        data = {"lines": np.array(self._table.counts, dtype=np.float64), "n_positive_files": len(listed[0])}
        names = [shown_name(each.name) for each in found]
        self._begin(data, CLASSES, {"names": names, **file_labels(found, self._table.versions)})
        self._n_positive_files = len(listed[0])
        self._lines = np.array(self._table.counts, dtype=np.int64)
        self._numbers = {name: int(value[0]) for name, value in self._describe().items()}
        counts = np.array([self.n_positives, self.n_negatives])
        available = np.array([self.n_positives, self.n_lines - self.n_positives])
        index = pd.CategoricalIndex(CLASSES, CLASSES, ordered=True)
        self._plan = BatchPlan(self._n_batches, counts, index, "even", available)

    @property
    def plan(self) -> BatchPlan:
        """The batch plan: the number of batches, and the positives and negatives in each batch."""
        return self._plan

    @property
    def n_positives(self) -> int:
        """The number of positives of an epoch: the lines of all their files."""
        return self._numbers["n_positives"]

    @property
    def n_negatives(self) -> int:
        """The number of negatives of an epoch."""
        return self._numbers["n_negatives"]

    @property
    def n_lines(self) -> int:
        """The number of lines of all files."""
        return int(self._lines.sum())

    def dataset(self, transform: Optional[Callable[[str], Any]] = None) -> LabelledLines:
        """Return the dataset whose positions the batches contain, as `CorpusDataset` reads them.

        Its items are pairs of a line, or of what `transform` makes of it, and the label as float32, 1 for a positive.
        """
        dataset = LabelledLines.of_table(self._table, transform)
        assert isinstance(dataset, LabelledLines)
        dataset.n_positives = self.n_positives
        return dataset

    def negative_files(self, epoch: Optional[int] = None) -> list[Path]:
        """Return the negative files that an epoch, by default the next one, draws from, in the order of its list."""
        chosen = self._chosen_files(epoch)
        return [self._table.found[self._n_positive_files + file].paths[0] for file in chosen.tolist()]

    def class_weights(self, epoch: Optional[int] = None, *, normalize: bool = False) -> pd.Series:
        """Return the training weights of ``positive`` and ``negative`` in an epoch, by default the next one.

        The derived weight of a negative is ``F / m * (lines of the m files) / k``, where F is the number of negative
        files: given the files, the expectation of the weighted sum over the negatives of an epoch is F / m times their
        sum, and each file is among them with the probability m / F.

        Parameters
        ----------
        epoch : int, optional
        normalize : bool, default False
            If True, the weights are divided by their mean over the rows of all epochs, so that the learning rate keeps
            its scale.
        """
        chosen, lines = self._chosen_files(epoch), self._lines[self._n_positive_files :]
        weights = np.array([self._parts["positive_weight"], self._parts.get("negative_weight", np.nan)], dtype=float)
        mean = weights.copy()
        if np.isnan(weights[1]):
            weights[1] = len(lines) * int(lines[chosen].sum()) / (len(chosen) * self.n_negatives)
            mean[1] = lines.sum() / self.n_negatives
        if check_flag(normalize, "normalize"):
            weights /= np.average(mean, weights=[self.n_positives, self.n_negatives])
        return pd.Series(weights, index=names_index(CLASSES), name="weight")

    def _chosen_files(self, epoch: Optional[int]) -> NDArray[np.int32]:
        """Return the negative files of an epoch, by their positions in the list, from 0."""
        n_files = len(self._lines) - self._n_positive_files
        order = epoch_permutation(n_files, seed=self._seed, epoch=self._requested_epoch(epoch))
        return order[: self._numbers["n_chosen"]]

    def _epoch_batches(self, epoch: int) -> Batches:
        chosen = self._n_positive_files + self._chosen_files(epoch)
        self._table.check([*range(self._n_positive_files), *chosen.tolist()])
        return super()._epoch_batches(epoch)

    def __repr__(self) -> str:
        taken = f"{count_of(self.n_positives, 'positive')} and {count_of(self.n_negatives, 'negative')} an epoch"
        files = f"from {self._numbers['n_chosen']} of {count_of(len(self._lines) - self._n_positive_files, 'file')}"
        batches = count_of(self._n_batches, "batch")
        return f"{type(self).__name__}({taken}, {files}, {batches}, seed={self._seed}, epoch={self.epoch})"


def _check_lists(positives: Any, negatives: Any) -> list[list[Path]]:
    """Return the paths of two lists of files; refuse files that are listed twice."""
    lists = [listed_files(paths, name, "be a list of files") for paths, name in zip((positives, negatives), LISTS)]
    known: dict[str, Path] = {}
    for paths, name in zip(lists, LISTS):
        for path in paths:
            other = known.setdefault(os.path.realpath(path), path)
            if other is not path:
                raise refused_value(name, "list each file once", f"'{path}', which is '{other}',")
    return lists
