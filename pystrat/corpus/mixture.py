"""Mix files: every epoch draws the lines of each file anew, as many as the plan says."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.entries import named_by_class
from pystrat.messages import RefusedType, check_flag
from pystrat._random import RandomStream
from pystrat.base import Batches
from pystrat.corpus._draws import draw_lines
from pystrat.corpus.batching import BatchCut, CutBatchSampler, Cutting
from pystrat.corpus.dataset import CorpusDataset, check_transform
from pystrat.corpus.files import Paths, Source, open_files
from pystrat.corpus.lengths import check_lengths_used, line_lengths
from pystrat.corpus.plan import CorpusPlan, shown_name
from pystrat.corpus.population import check_accept, check_max_length, find_population
from pystrat.corpus.rules import RuleSource, read_rules
from pystrat.corpus.stages import Planning, Stage, Stages, WeightsOfEpochs
from pystrat.recipe import Recipe, make_recipe


class CorpusMixtureBatchSampler(CutBatchSampler):
    """Batch sampler over the lines of files, mixed by rules, weights or a temperature, and drawn anew in each epoch.

    For a PyTorch ``DataLoader(mixture.dataset(), batch_sampler=mixture)``; in R
    ``rbridge::batch_sampler_corpus_mixture()``.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files (none of folders within) are taken in the order of the bytes of their names without
        suffix; or files with the first suffix, taken in the given order. With `targets`, files of any names.
    batch_size : int, optional
        Lines of a batch; not needed with `max_tokens`. The last batch may be short; with `num_replicas` the number of
        batches is rounded up to a multiple of it, and the sizes differ by at most 1.
    suffixes : sequence of str, default (".src", ".tgt")
        The endings of files that belong together line by line; one alone for text that has no translation. With
        `targets`, two names for the sides, which only R shows.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order, whatever the names.
    sample : float or int, optional
        A share, 0 < sample < 1, of all lines that are not kept; or the number of lines of an epoch, an integer, the
        lines that are kept among them. Other floats are refused, whole ones too, since 1.0 may mean either. Left out
        if `epoch_end` is not "sample".
    rules : path or sequence of str, optional
        A file of rules, or its lines; see Notes. Without `rules`, `weights` and `temperature`, of which at most one is
        given, every file has its share of the lines.
    weights : sequence of float or "*", mapping from int to such sequences, or callable, optional
        The weight of each file, in the order of the files: its share is this part of all weights, whatever lines it
        has. 0 leaves the file out, and "*" keeps all its lines, once an epoch each. Files without lines do not count.
        Numbers are read as the decimal numbers that are written. Weights that change by epoch are a table from the
        epochs from which on they hold, such as ``{0: [1, 1], 5: [3, 1]}``, or a function that returns the weights of an
        epoch. It must be pure: it is called with the same epoch again, in any order and in other processes.
    temperature : float, optional
        At least 1: a file with n lines has the weight n^(1 / temperature), rounded to 12 significant digits. At 1, the
        default, every file has its share of the lines; the higher the temperature, the more equal are the shares.
    epoch_end : str, default "sample"
        What ends an epoch. "sample": the number of lines that `sample` says; they are drawn with replacement.
        "first_exhausted": the first file of which every line was drawn; no line is drawn twice. "all_exhausted": the
        last file of which every line was drawn; the lines of other files are drawn again. See Notes.
    shuffle : bool, default True
        False: the drawn lines stand in the order of the files, and batches of lines of similar length in the order in
        which they were cut.
    lengths : "words", callable or array of int, shape (number of lines,), optional
        The length of the lines of a position in tokens, for batches of lines of similar length: "words" counts the
        words between blanks, of which the longest of the sides counts; a function is called with the tuple of the lines
        and returns it; an array has one number for each line, file after file. None is "words". It needs `max_tokens`,
        `window` or `max_length`.
    max_tokens : int, optional
        The most tokens of a batch, padding included: its rows times its longest row, of which an empty one counts as 1.
        Not below the longest of the lines.
    window : int, optional
        How many consecutive drawn lines are sorted by length together. None is all of an epoch, with the least padding;
        in smaller windows, lines of similar length meet others from epoch to epoch.
    max_length : int, optional
        The greatest of the `lengths`: longer lines are excluded. They are never drawn, shares follow from the lines
        that remain, and the plan shows how many are excluded. Positions stay those of all lines.
    accept : callable, optional
        Is called, when the sampler is made, with the tuple of lines of each position that is not too long. The lines
        are excluded if it returns False.
    seed : int, optional
        From 0 to 2147483646. None draws one from the system's entropy; ``.seed`` tells it.
    num_replicas : int, optional
        The number of processes that share an epoch.
    rank : int, optional
        Which of the replicas this is, from 0. None gives all batches in global order.

    Attributes
    ----------
    plan : CorpusPlan
        How many lines of each file the epoch that comes next has; see `plan_of`.

    Raises
    ------
    TypeError, ValueError, OSError
        If a parameter is refused, a rule is none, or a file is missing, is not a regular file, cannot be read or has
        another number of lines than its partner; the message names the file, or the line of the rule.
    RuntimeError
        When an epoch is drawn, where a file has changed since it was indexed.

    Warns
    -----
    UserWarning
        Where no rule covers a file, which is left out then.

    Notes
    -----
    A rule is a line ``PATTERN WEIGHT``. The pattern is ``*``, for all files, or one or several Lua patterns with commas
    between them, one of which must be found anywhere in the file's name without suffix; with `targets`, in the whole
    name of its first file. The weight is a positive
    number, or ``*`` to keep all lines of the file, once an epoch each. Rules that keep are looked at first; then the
    first rule that covers a file counts.

    Guarantees, besides those of `BatchSampler`:

    * An epoch holds exactly ``plan_of(epoch).files[f].drawn`` drawn lines of file f, and each of its lines once if it
      is kept. `CorpusPlan` tells how the numbers follow from rules, weights or temperature, in exact fractions.
    * Drawn is, after R's ``set.seed()`` of the epoch's seed, file after file ``sample.int(lines, drawn, replace =
      TRUE)``, of the lines that are not excluded, and at last, with ``shuffle``, the order of all as
      ``sample.int(total)``.
    * With `epoch_end` "first_exhausted" or "all_exhausted", the shares are those of rules, weights, temperature or
      lines. The first epoch is the largest in which no line comes twice, the second the smallest in which each file
      with a share is exhausted: file f gives ``requested * share`` lines, rounded down or up, where ``requested`` is
      the least or the greatest ``lines / share`` of all files. Each line of f comes ``drawn // lines`` times, or once
      more: drawn are whole passes, and the rest without replacement, ``sample.int(lines, drawn %% lines)``.

    * With weights that change by epoch, so does the number of batches: ``len`` is that of the epoch that comes next. A
      table crosses to R; a function does not. The fingerprint of a state holds a table, but of a function only the plan
      of epoch 0.

    With `max_tokens` or `window`, the lines of an epoch are sorted by length within each window, equally long ones in
    drawn order, and cut into batches that are as long as the limits allow; no batch has lines of two windows. If
    `num_replicas` asks for more batches, the batches with the most rows are split. At last the batches are shuffled by
    R's ``sample.int(number of batches)``, which continues the draws of the epoch. With `max_tokens` the number of
    batches follows from the draw, so that epochs differ in it: ``len`` is that of the epoch that comes next.

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
    ...     mixture = CorpusMixtureBatchSampler(folder, 32, suffixes=[".txt"], sample=100, rules=rules, seed=1)
    >>> [(file.name, file.drawn) for file in mixture.plan.files]
    [('generic', 70), ('news', 30)]
    >>> len(mixture)
    4
    """

    @named_by_class
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
        epoch_end: str = "sample",
        shuffle: bool = True,
        lengths: Any = None,
        max_tokens: Optional[int] = None,
        window: Optional[int] = None,
        max_length: Optional[int] = None,
        accept: Optional[Callable[[tuple[str, ...]], bool]] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._shuffle = check_flag(shuffle, "shuffle")
        read = None if rules is None else read_rules(rules)
        self._files = open_files(source, suffixes, targets)
        self._suffixes = list(suffixes)
        by_length = check_lengths_used(lengths, max_tokens, window, needed=False, max_length=max_length)
        max_length, accept = check_max_length(max_length), check_accept(accept)
        of_lines = line_lengths(lengths, self._files) if by_length or max_length is not None else None
        self._population = find_population(self._files, of_lines, max_length, accept)
        if of_lines is not None and self._population is not None:
            of_lines[~self._population.remains] = 0  # lines that are never drawn may be of any length
        cutting = Cutting(
            batch_size,
            self.num_replicas,
            of_lines if by_length else None,
            max_tokens,
            window,
            self._shuffle,
            "Exclude them by 'max_length'.",
        )
        remaining = [len(file) for file in self._files] if self._population is None else self._population.counts
        has_limits = self._population is not None
        planning = Planning(self._files, remaining, has_limits, read, temperature, sample, epoch_end, cutting)
        self._stages = Stages(planning, weights)
        self._replace = epoch_end == "sample"
        self._lines = np.array(remaining, dtype=np.int64)
        if self.plan.unmatched:
            named = ", ".join(f"'{shown_name(name)}'" for name in self.plan.unmatched)
            warnings.warn(f"No rule covers these files, which are left out: {named}.", stacklevel=3)

    @property
    def plan(self) -> CorpusPlan:
        """How many lines of each file the epoch that comes next has."""
        return self._stage_of(self.epoch).plan

    @named_by_class
    def plan_of(self, epoch: int) -> CorpusPlan:
        """Return how many lines of each file an epoch has.

        Raises
        ------
        TypeError, ValueError
            If `epoch` is not an integer from 0 to 6700000, or a function returns weights for it that are refused.
        """
        return self._stages.of(self._check_epoch(epoch)).plan

    @named_by_class
    def _stage_of(self, epoch: int) -> Stage:
        return self._stages.of(epoch)

    @named_by_class
    def dataset(
        self, transform: Optional[Callable[[tuple[str, ...]], Any]] = None, positions: bool = False
    ) -> CorpusDataset:
        """Return the dataset whose positions the batches hold; see `CorpusDataset`."""
        return CorpusDataset.of_files(self._files, check_transform(transform), check_flag(positions, "positions"))

    def _epoch_batches(self, epoch: int) -> Batches:
        for parallel in self._files:
            for side in parallel.sides:
                side.check()
        return super()._epoch_batches(epoch)

    def _cut_of(self, epoch: int) -> BatchCut:
        return self._stage_of(epoch).cut

    def _draw(self, epoch: int, stream: RandomStream) -> NDArray[Any]:
        stage = self._stage_of(epoch)
        rows = draw_lines(stream, self._lines, stage.drawn, stage.kept, self._shuffle, self._replace)
        return rows if self._population is None else self._population.positions()[rows]

    def _recipe(self) -> Recipe:
        if self._stages.function is not None:
            advice = "Give a table of the weights from certain epochs on, such as {0: [1, 1], 5: [3, 1]}."
            raise RefusedType("sampler", "have weights that can be written down", "a function of the epoch", advice)
        return self._written_down()

    def _fingerprint(self) -> str:
        return self._written_down().fingerprint()

    def _written_down(self) -> Recipe:
        """Return the recipe; if the weights are a function, with the plan of epoch 0."""
        stages, population = self._stages.stages, self._population
        files = stages[0].plan.files
        of_stages = [file for stage in stages for file in stage.plan.files]
        sides = [side for of_suffix in zip(*(file.sides for file in self._files)) for side in of_suffix]
        parts = {
            "files": [shown_name(file.name) for file in files],
            "lines": np.array([file.lines for file in files], dtype=np.float64),
            "drawn": np.concatenate([stage.drawn for stage in stages]).astype(np.float64),
            "kept": np.concatenate([stage.kept for stage in stages]).astype(np.float64),
            "begins": np.array(self._stages.begins, dtype=np.float64) if len(stages) > 1 else None,
            # A bit for each line, the lowest first.
            "remaining": None if population is None else np.packbits(population.remains, bitorder="little"),
            **stages[0].cut.parts(),
            "shuffle": self._shuffle,
            "replace": None if self._replace else False,
            "weights": None if self._stages.function is None else "a function",
        }
        labels = {
            "rule": np.array([np.nan if file.rule is None else float(file.rule.number) for file in files]),
            "uniform_share": np.array([float(file.uniform_share) for file in of_stages]),
            "share": np.array([float(file.share) for file in of_stages]),
            "suffixes": self._suffixes,
            # As bytes, since a path need not be text of any encoding.
            "paths": np.frombuffer(b"\0".join(os.fsencode(side.path) for side in sides), dtype=np.uint8),
            "versions": [side.version for side in sides],
        }
        return make_recipe("mixture", seed=self._seed, parts=parts, labels=labels)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self._files)} files, {self.plan.total} lines an epoch, "
            f"{self._cut_of(self.epoch)}, shuffle={self._shuffle}, seed={self._seed}, epoch={self.epoch})"
        )
