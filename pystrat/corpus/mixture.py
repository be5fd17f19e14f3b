"""Mixtures of files: every epoch draws the lines of each file anew, in the numbers of the plan."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from pystrat.core.arrays import Wanted, as_vector, in_order_of
from pystrat.core.batches import Batches
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.files import Paths, Source, file_labels, find_files, labels_of, shown_name
from pystrat.corpus.lengths import remaining_lines
from pystrat.corpus.line_table import LineTable
from pystrat.corpus.rules import RuleSource, data_of_rules
from pystrat.core.epoch_table import read_epoch_table
from pystrat.core.lazy_pandas import pd
from pystrat.core.messages import count_of, refused_value
from pystrat.core.row_arguments import row_values

Weights = Sequence[Union[float, str]]


class CorpusMixtureBatchSampler(KindBatchSampler):
    """Batch sampler over the lines of files, mixed by rules, weights or a temperature, and drawn anew in each epoch.

    Pass it to a PyTorch ``DataLoader(mixture.dataset(), batch_sampler=mixture)``. The system is OpenNMT's file sampling
    (options ``-gsample`` and ``-gsample_dist``). The R function is ``rbridge::batch_sampler_corpus_mixture()``.
    docs/corpus-files.md is a guide.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files (not those in subfolders) are taken in the byte order of their names without suffix; or a
        list of files with the first suffix, taken in the given order. With `targets`, files of any names.
    batch_size : int
        The largest number of lines in a batch; the sizes of batches differ by at most 1.
    suffixes : sequence of str, default (".src", ".tgt")
        The suffixes of files that belong together line by line, or one for text without a translation; one empty text
        takes files as they are. With `targets`, two names for the sides, which only R shows.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order, with any names.
    sample : float or int, optional
        The size of an epoch: a share of all lines that are not kept, below 1; or the number of lines, including those
        that are kept. Only if `epoch_end` is "sample".
    rules : path or sequence of str, optional
        A file of rules, or its lines, such as ``"news 30"``: a pattern of names, as the guide describes it, and a
        weight, or ``*`` to keep all lines, once per epoch each. A file without a rule is left out, with a warning. At
        most one of `rules`, `weights` and `temperature` is given; without any, files contribute in proportion to their
        lines.
    weights : sequence of float or "*", or mapping from int to such sequences, optional
        The weight of each file, in the order of the files, or by their names as the index of a Series: its share is its
        part of all weights, whatever its number of lines. 0 leaves the file out, and "*" keeps all its lines. A mapping
        has weights by the first epoch in which they apply: ``{0: [1, 1], 5: [3, 1]}``.
    temperature : float, optional
        At least 1, the default: a file with n lines has the weight n^(1 / temperature).
    cap : int, optional
        The number of lines as which a larger file counts, also before `temperature`.
    assign : {"shuffled", "even"}, default "shuffled"
        "shuffled": all lines of an epoch are shuffled together. "even": every batch has exactly `batch_size` lines and,
        of each file, the floor or the ceiling of its share of them.
    epoch_end : {"sample", "first_exhausted", "all_exhausted"}, default "sample"
        "sample": an epoch draws the lines of `sample` with replacement. "first_exhausted": it is the largest in which
        no line occurs twice. "all_exhausted": it is the smallest in which every line of each file with a share occurs.
    shuffle : bool, default True
        If False, the drawn lines come in the order of the files.
    max_length : int or sequence of int, optional
        Lines of more words are excluded; several numbers are limits for each side. Shares are computed from the
        remaining lines; all lines keep their positions.
    accept : callable, optional
        A function of the tuple of lines of a position, called for each position that is not too long when the sampler
        is made. The lines are excluded if it returns False.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`. The number of batches is rounded up to a multiple of `num_replicas`.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch has exactly the lines of each file that `plan` shows. If a file has changed, it raises RuntimeError.
    * After R's ``set.seed()`` of the epoch's seed, each file is drawn by ``sample.int(lines, drawn, replace = TRUE)``
      of the lines that are not excluded, file after file; finally, with ``shuffle``, the order of all is
      ``sample.int(total)``. Without replacement, it is whole passes, and ``sample.int(lines, rest)``.
    * With ``assign="even"``, the lines of a file are taken in turn: consecutive epochs with the same numbers use every
      line equally often, to within one, and no line occurs twice in a batch.
    * ``len`` is that of the next epoch: if weights change by epoch, numbers of batches may, too.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pystrat.corpus import CorpusMixtureBatchSampler
    >>> with TemporaryDirectory() as folder:
    ...     for name, lines in (("generic", 600), ("news", 40)):
    ...         _ = Path(folder, f"{name}.txt").write_text("a line\\n" * lines)
    ...     chosen = {"suffixes": [".txt"], "sample": 100, "rules": ["news 30", "* 70"]}
    ...     mixture = CorpusMixtureBatchSampler(folder, 32, **chosen, seed=1)
    >>> mixture.plan()[["file", "lines", "drawn"]]
          file  lines  drawn
    0  generic    600     70
    1     news     40     30
    >>> len(mixture)
    4
    """

    _kind = "mixture"

    def __init__(
        self,
        source: Source,
        batch_size: int,
        *,
        suffixes: Sequence[str] = (".src", ".tgt"),
        targets: Optional[Paths] = None,
        sample: Optional[Union[float, int]] = None,
        rules: Optional[RuleSource] = None,
        weights: Union[None, Weights, Mapping[int, Weights]] = None,
        temperature: Optional[float] = None,
        cap: Optional[int] = None,
        assign: str = "shuffled",
        epoch_end: str = "sample",
        shuffle: bool = True,
        max_length: Union[None, int, Sequence[int]] = None,
        accept: Optional[Callable[[tuple[str, ...]], bool]] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._check(arguments_of(locals(), without=("source", "suffixes", "targets", "max_length", "accept")))
        self._table = LineTable(find_files(source, suffixes, targets))
        found = self._table.found
        data: dict[str, Any] = {"lines": np.array(self._table.counts, dtype=np.float64)}
        remaining = remaining_lines(self._table, max_length, accept)
        if remaining is not None:
            data["rows"] = remaining
        if rules is not None:
            data.update(data_of_rules(rules, [each.name for each in found]))
        elif weights is not None:
            data.update(_data_of_weights(weights, [shown_name(each.name) for each in found]))
        self._names = labels_of(found)
        labels = {"names": self._names, "suffixes": list(suffixes), **file_labels(found, self._table.versions)}
        self._begin(data, self._names, labels)
        self._numbers = self._instance.describe()

    def plan(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the number of lines of each file in an epoch, by default the next one.

        The table has one row for each file, with the columns ``file`` (its name without suffix), ``lines``,
        ``excluded`` (by limits, if there are any), ``rule`` (its number from 1, missing if there is none),
        ``uniform_share`` (of all lines that are not kept), ``share`` (of the lines to draw), ``drawn`` (the ceiling of
        the share, with "first_exhausted" the floor), and ``kept`` (lines that occur once each). With ``assign="even"``,
        an epoch is rounded to full batches for all replicas, up or, with "first_exhausted", down, and shares by the
        largest remainders.
        """
        stage = bisect_right(self._parts.get("begins", [0]), self._requested_epoch(epoch)) - 1
        n_files, lines = len(self._names), self._parts["lines"]
        rules = self._parts.get("file_rules", np.zeros(n_files))
        table: dict[str, Any] = {"file": self._names, "lines": lines}
        if "rows" in self._parts:
            table["excluded"] = lines - self._numbers["remaining"]
        table["rule"] = pd.array(np.where(rules > 0, rules, np.nan), dtype="Int64")
        for name in ("uniform_share", "share", "drawn", "kept"):
            table[name] = self._numbers[name][stage * n_files : (stage + 1) * n_files]
        counts = {"lines", "excluded", "drawn", "kept"} & set(table)
        return pd.DataFrame(table).astype(dict.fromkeys(counts, np.int64))

    def dataset(
        self, transform: Optional[Callable[[tuple[str, ...]], Any]] = None, positions: bool = False
    ) -> CorpusDataset:
        """Return the dataset whose positions the batches contain; see `CorpusDataset`."""
        return CorpusDataset(self._table, transform=transform, positions=positions)

    def _epoch_batches(self, epoch: int) -> Batches:
        self._table.check()
        return super()._epoch_batches(epoch)


def _data_of_weights(weights: Any, names: list[str]) -> dict[str, Any]:
    """Return the weights of files in all epochs as the core takes them: numbers, and infinity for "*"."""
    table = read_epoch_table(weights, "weights", noun="weights", entry="lists of weights")
    begins = {"begins": np.array(list(table), dtype=np.float64)} if len(table) > 1 else {}
    stages = []
    for of_stage in table.values():
        wanted = Wanted("weights", "be a list with a number or '*' for each file")
        items = as_vector(in_order_of(of_stage, [names], "weights"), wanted)
        if len(items) != len(names):
            raise refused_value("weights", f"have one entry for each file, {len(names)}", count_of(len(items), "value"))
        numbers = [np.inf if isinstance(item, str) and item == "*" else item for item in items]
        stages.append(row_values(numbers, "weights"))
    return {"file_weights": np.concatenate(stages), **begins}
