"""Mixtures of files: every epoch draws the lines of each file anew, in the numbers of the plan."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.batches import Batches
from pystrat.corpus.cutting import CuttingBatchSampler
from pystrat.corpus.dataset import CorpusDataset
from pystrat.corpus.files import Paths, Source, check_suffixes, find_files, labels_of
from pystrat.corpus.lengths import check_function, check_max_length, line_lengths, remaining_lines
from pystrat.corpus.line_table import LineTable
from pystrat.corpus.plan import CorpusPlan, PlanSettings, shown_name
from pystrat.corpus.rules import RuleSource, encoded, read_rules
from pystrat.corpus.stages import Planning, Stages, WeightsOfEpochs, numbers_of
from pystrat.messages import refused_type
from pystrat.recipe import Recipe, make_recipe


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
    batch_size : int, optional
        The number of lines per batch; optional with `max_tokens`. The last batch may be shorter; with `num_replicas`,
        the number of batches is rounded up to a multiple of it, and their sizes differ by at most 1.
    suffixes : sequence of str, default (".src", ".tgt")
        The suffixes of files that belong together line by line, or one for text without a translation; an empty one,
        ``[""]``, takes a list of files as they are. With `targets`, two names for the sides, which only R shows.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order, with any names.
    sample : float or int, optional
        The size of an epoch: a share, 0 < sample < 1, of all lines that are not kept, or an integer, the number of
        lines including those that are kept. Other floats, even whole ones, are errors, as 1.0 could mean either.
        Not allowed unless `epoch_end` is "sample".
    rules : path or sequence of str, optional
        A file of rules, or its lines; see Notes. At most one of `rules`, `weights` and `temperature` is given; without
        any, files contribute in proportion to their lines.
    weights : sequence of float or "*", mapping from int to such sequences, or callable, optional
        The weight of each file, in the order of the files, or by their names as the index of a Series: its share is its
        part of all weights, whatever its number of lines. 0 leaves the file out, and "*" keeps all its lines, once per
        epoch each. Files without lines do not count. For
        weights that change by epoch, give a table by first epoch, such as ``{0: [1, 1], 5: [3, 1]}``, or a function
        that returns the weights of an epoch. The function must be pure: it may be called with the same epoch again, in
        any order and in other processes.
    temperature : float, optional
        At least 1: a file with n lines has the weight n^(1 / temperature). With 1,
        the default, files contribute in proportion to their lines; the higher the temperature, the more equal the
        shares.
    cap : int, optional
        The number of lines as which a larger file counts: a file with n lines has the weight ``min(n, cap)``, with
        `temperature` to the power of 1 / temperature.
    assign : {"shuffled", "even"}, default "shuffled"
        How the lines of an epoch are assigned to batches. "shuffled": all of them are shuffled together, so the mix of
        a batch varies. "even": every batch has exactly `batch_size` lines and, of each file, its share of them, rounded
        down or up; epochs are rounded to full batches. See Notes.
    epoch_end : str, default "sample"
        What ends an epoch. "sample": the number of lines given by `sample`, drawn with replacement. "first_exhausted":
        the epoch ends when every line of some file has been drawn; no line is drawn twice. "all_exhausted": it ends
        when every line of every file has been drawn; lines of other files are drawn again. See Notes.
    shuffle : bool, default True
        Whether to shuffle. If False, the drawn lines come in the order of the files, and batches of lines of similar
        length in the order in which they were cut.
    lengths : "words", callable or array of int, shape (number of lines,), optional
        The length of the lines of a position in tokens, for batches of lines of similar length. "words", the default,
        counts the words separated by whitespace, on the longest of the sides; a function receives the tuple of the
        lines and returns their length; an array has one number for each line, file after file. Requires `max_tokens`,
        `window` or `max_length`.
    max_tokens : int, optional
        The largest number of tokens in a batch, including padding: its rows times its longest row. An empty row
        counts as 1. At least the longest of the lines.
    window : int, optional
        The number of consecutive drawn lines that are sorted by length together. By default all of an epoch, which
        gives the least padding; with smaller windows, the lines in a batch vary more from epoch to epoch.
    balance_replicas : bool, default False
        Whether the batches of each step, one for each process, have similar numbers of tokens including padding, so
        that no process waits for another. Requires `num_replicas`, `max_tokens` or `window`, and `shuffle`.
        The Notes of `EpochSubsetBatchSampler` have the order.
    max_length : int or sequence of int, optional
        The largest of the `lengths` that is allowed: longer lines are excluded. They are never drawn, shares are
        computed from the remaining lines, and the plan shows how many are excluded. All lines keep their positions.
        ``[80, 120]`` has a limit for each side, such as source and target; `lengths` are then words, or an array of
        shape (number of lines, sides), whose rows are as long as their longest side.
    accept : callable, optional
        A function of the tuple of lines of a position, called for each position that is not too long when the sampler
        is made. The lines are excluded if it returns False.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Attributes
    ----------
    plan : CorpusPlan
        The number of lines of each file in the next epoch; see `plan_of`.

    Raises
    ------
    TypeError, ValueError, OSError
        If a parameter or a rule is invalid, or a file is missing, is not a regular file, cannot be read or has another
        number of lines than its partner. The message names the file, or the line of the rule.
    RuntimeError
        When an epoch is drawn and a file has changed.

    Warns
    -----
    UserWarning
        If no rule covers a file, which is then left out, or a rule is that of no file.

    Notes
    -----
    A rule is a line ``PATTERN WEIGHT``. The pattern is ``*``, for all files, or one or several Lua patterns separated
    by commas, one of which must be found anywhere in the file's name without suffix; with `targets`, in the whole name
    of its first file. The weight is a positive number, or ``*`` to keep all lines of the file, once per epoch each.
    Rules that keep are tried first; then the first rule that covers a file counts.

    Guarantees, besides those of `BatchSampler`:

    * An epoch holds exactly ``plan_of(epoch).files[f].drawn`` drawn lines of file f, and each of its lines once if it
      is kept. `CorpusPlan` describes how the numbers follow from rules, weights or temperature.
    * After R's ``set.seed()`` of the epoch's seed, each file is drawn by ``sample.int(lines, drawn, replace = TRUE)``
      of the lines that are not excluded, file after file; finally, with ``shuffle``, the order of all is
      ``sample.int(total)``.
    * With `epoch_end` "first_exhausted" or "all_exhausted", the shares are those of rules, weights, temperature or
      lines. The former is the largest epoch in which no line occurs twice, the latter the smallest in which each file
      with a share is exhausted: file f contributes ``requested * share`` lines, rounded down or up, where ``requested``
      is the least or the greatest ``lines / share`` of all files. Each line of f occurs ``drawn // lines`` times, or
      once more: whole passes are drawn, and the rest without replacement, ``sample.int(lines, drawn %% lines)``.

    * With ``assign="even"``, an epoch of B batches has ``T = B * batch_size`` lines, of which file f has k_f, the floor
      or the ceiling of its share; see `CorpusPlan`. Every batch has the floor or the ceiling of ``k_f / B`` lines of f,
      which are those of ``batch_size * share`` if no lines are kept. The lines of a file are taken in turn, as
      docs/stratified.md explains: consecutive epochs with the same numbers use every line of a file equally often, to
      within one, and no line occurs twice in a batch. If a file has fewer lines in an epoch than there are batches,
      each epoch shuffles the batches. Needs memory for a number per line. Lengths of lines do not affect
      such batches. For given numbers of lines in a batch, pass these as `weights` and their sum as `batch_size`.
    * If weights change by epoch, so does the number of batches: ``len`` is that of the next epoch. A table crosses to
      R; a function does not. The fingerprint of a state contains a table, but only the plan of epoch 0 of a function.

    With `max_tokens` or `window`, the lines of an epoch are sorted by length within each window, ties in drawn order,
    and cut into batches that are as large as the limits allow; no batch has lines of two windows. If `num_replicas`
    requires more batches, the batches with the most rows are split. Finally, the batches are shuffled by R's
    ``sample.int(number of batches)``, which continues the draws of the epoch. With `max_tokens`, the number of batches
    depends on the draw and differs between epochs: ``len`` is that of the next epoch.

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
    _latest_count: Optional[tuple[int, int]] = None  # the number of batches of an epoch, if weights are a function

    def __init__(
        self,
        source: Source,
        batch_size: Optional[int] = None,
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
        max_tokens: Optional[int] = None,
        window: Optional[int] = None,
        balance_replicas: bool = False,
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
            "lengths": lengths,
            "max_tokens": max_tokens,
            "window": window,
            "balance_replicas": balance_replicas,
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
        remains = remaining_lines(table, lengths if limits is not None else None, limits, accept)
        self._labels_of_files = labels_of(table.found)
        counts = None
        if remains is not None:
            counts = [int(part.sum()) for part in np.split(remains, np.cumsum(table.counts)[:-1])]
        names = [encoded(each.name, "source") for each in table.found]
        chosen = PlanSettings(names, read, temperature, sample, epoch_end, cap, assign, batch_size, num_replicas)
        self._stages = Stages(Planning(self._labels_of_files, table.counts, counts, chosen), weights)
        data: dict[str, Any] = {"lines": np.array(table.counts, dtype=np.float64)}
        if len(self._stages.begins) > 1:
            data["begins"] = np.array(self._stages.begins, dtype=np.float64)
        if remains is not None:  # one bit for each line, lowest first
            data["remaining"] = np.packbits(remains, bitorder="little")
        if settings["by_length"]:
            of_lines = line_lengths(lengths, table)
            of_lines = of_lines if of_lines.ndim == 1 else of_lines.max(axis=1)
            if remains is not None:
                of_lines[~remains] = 0  # lines that are never drawn may have any length
            data["lengths"] = of_lines
        del arguments["lengths"]
        self._request = arguments, data
        files = self._stages.plans[0].files
        parts: dict[str, Any] = {"files": [shown_name(file.name) for file in files]}
        parts.update(self._planned(self._stages.plans))
        if self._stages.function is not None:
            parts["weights"] = "a function"
        self._adopt(parts, self._labels_of(suffixes), seed=seed, num_replicas=num_replicas, rank=rank)
        if self.plan.unmatched:
            named = ", ".join(f"'{shown_name(name)}'" for name in self.plan.unmatched)
            warnings.warn(f"No rule covers these files, which are left out: {named}.", stacklevel=2)
        if self.plan.unused:
            named = ", ".join(str(rule.number) for rule in self.plan.unused)
            warnings.warn(f"These rules are those of no file: {named}, counted from 1.", stacklevel=2)

    def _planned(self, plans: Sequence[CorpusPlan]) -> dict[str, Any]:
        """Return the parts of a recipe for the plans of all stages."""
        arguments, data = self._request
        return self._plan_of(arguments, {**data, **numbers_of(plans)})

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
            If `epoch` is not an integer from 0 to 6700000, or a function returns invalid weights for it.
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

    def _known_length(self, epoch: int) -> int:
        if self._stages.function is None:
            return super()._known_length(epoch)
        latest = self._latest_count  # which another thread may replace meanwhile
        if latest is None or latest[0] != epoch:
            latest = self._latest_count = epoch, self._instance_of(epoch).count_batches(epoch)
        return latest[1]

    def _drawn(self, epoch: int) -> dict[str, NDArray[Any]]:
        if self._stages.function is None:
            return super()._drawn(epoch)
        return self._instance_of(epoch).draw(epoch)

    def _instance_of(self, epoch: int) -> _core.Instance:
        """Return what draws an epoch of weights that are a function."""
        recipe = make_recipe(self._kind, seed=self._seed, parts=self._planned([self._stages.plan_of(epoch)]))
        return _core.Instance(self._kind, recipe.parts, self._seed)

    def _recipe_to_export(self) -> Recipe:
        if self._stages.function is not None:
            advice = "Give a table of the weights from certain epochs on, such as {0: [1, 1], 5: [3, 1]}."
            raise refused_type("sampler", "have weights that can be written down", "a function of the epoch", advice)
        return self._recipe()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._table.found)} files, {self.plan.total} lines an epoch, "
            f"{self._shown_batches(self.epoch)}, shuffle={self._parts['shuffle']}, seed={self._seed}, "
            f"epoch={self.epoch})"
        )
