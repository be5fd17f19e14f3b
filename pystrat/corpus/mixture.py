"""Mixtures of files: every epoch draws the lines of each file anew, in the numbers of the plan."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from pystrat.batches import Batches
from pystrat.corpus.cutting import CuttingBatchSampler
from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.files import Paths, Source, check_suffixes, find_files, labels_of
from pystrat.corpus.lengths import check_function, check_max_length, remaining_lines
from pystrat.corpus.line_table import LineTable
from pystrat.corpus.plan import CorpusPlan, PlanSettings, shown_name
from pystrat.corpus.rules import RuleSource, encoded, read_rules
from pystrat.corpus.stages import WeightsOfEpochs, plan_stages


class CorpusMixtureBatchSampler(CuttingBatchSampler):
    """Batch sampler over the lines of files, mixed by rules, weights or a temperature, and drawn anew in each epoch.

    Pass it to a PyTorch ``DataLoader(mixture.dataset(), batch_sampler=mixture)``. The R function
    ``rbridge::batch_sampler_corpus_mixture()`` returns the same batches from the same seed. docs/corpus-files.md is a
    guide.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files (not those in subfolders) are taken in the byte order of their names without suffix; or
        files with the first suffix, taken in the given order. With `targets`, files of any names.
    batch_size : int
        The number of lines per batch. The last batch may be shorter.
    suffixes : sequence of str, default (".src", ".tgt")
        The suffixes of files that belong together line by line, or one for text without a translation; an empty one,
        ``[""]``, takes a list of files as they are. With `targets`, two names for the sides, which only R shows.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order, with any names.
    sample : float or int, optional
        The size of an epoch: a share, 0 < sample < 1, of all lines that are not kept, or an integer, the number of
        lines including those that are kept. Only if `epoch_end` is "sample".
    rules : path or sequence of str, optional
        A file of rules, or its lines ``PATTERN WEIGHT``. The pattern is ``*``, for all files, or Lua patterns separated
        by commas, one of which must be found in the file's name without suffix, or in the whole name of a listed
        `source` with `targets`. The weight is a positive number, or ``*`` to keep all lines, once per epoch each. Rules
        that keep are tried first; then the first rule that covers a file counts. At most one of `rules`, `weights` and
        `temperature` is given; without any, files contribute in proportion to their lines.
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
    lengths : "words", callable or array of int, optional
        The length of each line, for `max_length`: words between blanks, the default, on the longest side; a function of
        the tuple of the lines of a position; or an array of shape (number of lines,), or (number of lines, sides).
    max_length : int or sequence of int, optional
        Longer lines are excluded; several numbers are limits for each side. Shares are computed from the remaining
        lines; all lines keep their positions.
    accept : callable, optional
        A function of the tuple of lines of a position, called for each position that is not too long when the sampler
        is made. The lines are excluded if it returns False.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`. The number of batches is rounded up to a multiple of `num_replicas`.

    Attributes
    ----------
    plan : CorpusPlan
        The number of lines of each file in the next epoch; see `plan_of`.

    Raises
    ------
    TypeError, ValueError, OSError
        If a parameter or a rule is invalid, or a file is missing, is no regular file of text, cannot be read or has
        another number of lines than its partner.
    RuntimeError
        When an epoch is drawn and a file has changed.

    Warns
    -----
    UserWarning
        If no rule covers a file, which is then left out, or a rule is that of no file.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch holds exactly ``plan_of(epoch).files[f].drawn`` drawn lines of file f, and each of its lines once if it
      is kept. `CorpusPlan` describes the numbers.
    * After R's ``set.seed()`` of the epoch's seed, each file is drawn by ``sample.int(lines, drawn, replace = TRUE)``
      of the lines that are not excluded, file after file; finally, with ``shuffle``, the order of all is
      ``sample.int(total)``. Without replacement, it is whole passes, and ``sample.int(lines, rest)``.
    * With ``assign="even"``, the lines of a file are taken in turn: consecutive epochs with the same numbers use every
      line equally often, to within one, and no line occurs twice in a batch.
    * If weights change by epoch, epochs differ in their number of batches: ``len`` is that of the next epoch.

    The system is OpenNMT's file sampling (options ``-gsample`` and ``-gsample_dist``).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pystrat.corpus import CorpusMixtureBatchSampler
    >>> with TemporaryDirectory() as folder:
    ...     for name, lines in (("generic", 600), ("news", 40)):
    ...         _ = Path(folder, f"{name}.txt").write_text("a line\\n" * lines)
    ...     rules = ["news 30", "* 70"]
    ...     mixture = CorpusMixtureBatchSampler(
    ...         folder, 32, suffixes=[".txt"], sample=100, rules=rules, seed=1
    ...     )
    >>> [(file.name, file.drawn) for file in mixture.plan.files]
    [('generic', 70), ('news', 30)]
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
        weights: Optional[WeightsOfEpochs] = None,
        temperature: Optional[float] = None,
        cap: Optional[int] = None,
        assign: str = "shuffled",
        epoch_end: str = "sample",
        shuffle: bool = True,
        lengths: Any = None,
        max_length: Union[None, int, Sequence[int]] = None,
        accept: Optional[Callable[[tuple[str, ...]], bool]] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        limits: Any = max_length
        if isinstance(max_length, (list, tuple, np.ndarray)):
            limits = check_max_length(max_length, len(check_suffixes(suffixes, source, targets)))
        arguments = {
            "batch_size": batch_size,
            "assign": assign,
            "epoch_end": epoch_end,
            "shuffle": shuffle,
            "max_length": max(limits, default=None) if isinstance(limits, list) else limits,
            "seed": seed,
            "num_replicas": num_replicas,
            "rank": rank,
        }
        settings = self._plan_of(arguments)
        accept = check_function(accept, "accept")
        read = None if rules is None else read_rules(rules)
        self._table = table = LineTable(find_files(source, suffixes, targets))
        if not isinstance(limits, list):
            limits = settings.get("max_length")
        remains = remaining_lines(table, lengths, limits, accept)
        counts = None
        if remains is not None:
            counts = [int(part.sum()) for part in np.split(remains, np.cumsum(table.counts)[:-1])]
        names = [encoded(each.name, "source") for each in table.found]
        chosen = PlanSettings(names, read, temperature, sample, epoch_end, cap, assign, batch_size, num_replicas)
        self._stages = plan_stages(labels_of(table.found), table.counts, chosen, weights, counts)
        data: dict[str, Any] = {"lines": np.array(table.counts, dtype=np.float64)}
        if len(self._stages.begins) > 1:
            data["begins"] = np.array(self._stages.begins, dtype=np.float64)
        if remains is not None:  # one bit for each line, lowest first
            data["remaining"] = np.packbits(remains, bitorder="little")
        files = self._stages.plans[0].files
        parts: dict[str, Any] = {"files": [shown_name(file.name) for file in files]}
        parts.update(self._plan_of(arguments, {**data, **self._stages.numbers()}))
        self._adopt(parts, self._labels_of(suffixes), seed=seed, num_replicas=num_replicas, rank=rank)
        if self.plan.unmatched:
            named = ", ".join(f"'{shown_name(name)}'" for name in self.plan.unmatched)
            warnings.warn(f"No rule covers these files, which are left out: {named}.", stacklevel=2)
        if self.plan.unused:
            named = ", ".join(str(rule.number) for rule in self.plan.unused)
            warnings.warn(f"These rules are those of no file: {named}, counted from 1.", stacklevel=2)

    def _labels_of(self, suffixes: Sequence[str]) -> dict[str, Any]:
        files = self._stages.plans[0].files
        of_stages = [file for plan in self._stages.plans for file in plan.files]
        table = self._table
        paths = [path for of_side in zip(*(each.paths for each in table.found)) for path in of_side]
        return {
            "rule": np.array([np.nan if file.rule is None else float(file.rule.number) for file in files]),
            "uniform_share": np.array([file.uniform_share for file in of_stages]),
            "share": np.array([file.share for file in of_stages]),
            "suffixes": list(suffixes),
            # As bytes, because a path may not be text in any encoding.
            "paths": np.frombuffer(b"\0".join(map(os.fsencode, paths)), dtype=np.uint8),
            "versions": [version for of_side in zip(*table.versions) for version in of_side],
        }

    @property
    def plan(self) -> CorpusPlan:
        """The number of lines of each file in the next epoch."""
        return self._stages.plan_of(self.epoch)

    def plan_of(self, epoch: int) -> CorpusPlan:
        """Return the number of lines of each file in an epoch.

        Raises
        ------
        TypeError, ValueError
            If `epoch` is not an integer from 0 to 6700000.
        """
        return self._stages.plan_of(self._check_epoch(epoch))

    def dataset(
        self, transform: Optional[Callable[[tuple[str, ...]], Any]] = None, positions: bool = False
    ) -> CorpusDataset:
        """Return the dataset whose positions the batches contain; see `CorpusDataset`."""
        return CorpusDataset.of_table(self._table, transform, positions)

    def _epoch_batches(self, epoch: int) -> Batches:
        self._table.check()
        return super()._epoch_batches(epoch)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._table.found)} files, {self.plan.total} lines an epoch, "
            f"{self._shown_batches(self.epoch)}, shuffle={self._parts['shuffle']}, seed={self._seed}, "
            f"epoch={self.epoch})"
        )
