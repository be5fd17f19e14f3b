"""The multilabel batch sampler: at least m rows of every label in every batch, for rows with any number of labels.

Strata are disjoint, so the rule of `pystrat.plan` always keeps the minimum. Labels overlap, and then the minimum cannot
always be kept: of three rows with the labels ab, bc and ca, no two batches hold a row of each label. To decide whether
it can be kept is hard in general (for two batches and m = 1, it is the 2-coloring of a hypergraph). So batches are
found by a greedy assignment, rarest label first, as in iterative stratification, and then improved by exchanges. If
that fails, the error says which batch lacks how many rows of which label.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Optional

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.frames import batches_frame, names_index
from pystrat.label_matrix import as_label_matrix, no_row_of
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import check_choice, check_flag, check_integer, count_of, refused_value, show
from pystrat.base import Batches, BatchSampler, epoch_permutation
from pystrat.recipe import Recipe, compact, make_recipe
from pystrat.sizes import share_of_replicas
from pystrat.stratified._multilabel import assign_rows, gather_batches
from pystrat._kernels import number_integers

SHORTFALL_CHOICES = ("error", "warn", "allow")
_COLUMNS_AT_ONCE = 31  # a code below 2^31 and this many labels fit into 62 bits


class MultilabelBatchSampler(BatchSampler):
    """Batch sampler with a minimum number of rows of every label in every batch, for rows with any number of labels.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_multilabel()`` returns the same batches, row for row, from the same seed.
    docs/multilabel.md is a guide.

    Parameters
    ----------
    labels : numpy.ndarray, pandas DataFrame, torch tensor, sparse matrix or list of lists, shape (n_rows, n_labels)
        1 or True if the row has the label, else 0 or False. Every label has at least one row; a row may have no label.
    min_samples_per_label : int
        The minimum m: every batch should hold at least m rows of each label. An epoch has ``max(1, n_min // m)``
        batches, where n_min is the number of rows of the rarest label, or `max_batches` if that is less.
    max_batches : int, optional
        The largest number of batches per epoch. The fewer batches, the larger a minimum can be kept; with one batch,
        any can.
    shortfall : {"error", "warn", "allow"}, default "error"
        What to do if a batch lacks rows of a label: raise an error that names the batch, the label and a number of
        batches that works, or continue, with or without a warning. `shortfalls` returns what any epoch lacks.
    shuffle : bool, default True
        Whether to shuffle the rows in each epoch. If False, rows are assigned in the order of the dataset, and all
        epochs are the same.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. The number of batches is rounded down to a multiple of it.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid. The message names the parameter, its value and what to do.

    Warns
    -----
    UserWarning
        If a batch lacks rows of a label and ``shortfall="warn"``.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * Every row is visited exactly once per epoch, and no batch is empty.
    * With ``shortfall="error"``, every batch of every epoch holds at least m rows of each label.
    * Otherwise, no epoch lacks more rows in total than the assignment in the order of the dataset does.
    * If no row has more than one label, or labels are nested (of any two, either one includes the other or no row has
      both), no row is ever lacking.

    How an epoch is made: the rows are put in the epoch's order. Labels are processed from the rarest to the most
    frequent. The unassigned rows of a label are dealt to the batches that have the fewest of it, smallest batch first
    among equals, so that rows with the same labels go to different batches. Then each batch that lacks a label takes a
    row of it from another batch, and returns one if that helps, as long as fewer rows are lacking afterwards. Rows
    without labels even out the sizes. If more rows are lacking than in the order of the dataset, the batches of that
    order are refilled: rows with exactly the same labels change places.

    An epoch of n rows and L labels visits each of the n L entries once, and at most 100 times if many rows are lacking.
    Its memory is a few numbers per row, and one number for each batch and label.

    The order of the labels is that of iterative stratification (K. Sechidis, G. Tsoumakas and I. Vlahavas, "On the
    stratification of multi-label data", 2011), which divides data into a few parts of given proportions without a
    minimum.

    Examples
    --------
    >>> from pystrat import MultilabelBatchSampler
    >>> labels = [[1, 0]] * 4 + [[1, 1]] * 2 + [[0, 1]] * 3 + [[0, 0]] * 9
    >>> sampler = MultilabelBatchSampler(labels, min_samples_per_label=2, seed=1)
    >>> sampler.label_counts(epoch=0)
           0  1
    batch
    0      3  3
    1      3  2
    >>> len(sampler.shortfalls(epoch=0))
    0
    """

    def __init__(
        self,
        labels: Any,
        min_samples_per_label: int,
        *,
        max_batches: Optional[int] = None,
        shortfall: str = "error",
        shuffle: bool = True,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._minimum = check_integer(min_samples_per_label, "min_samples_per_label", minimum=1)
        if max_batches is not None:
            max_batches = check_integer(max_batches, "max_batches", minimum=1)
        shortfall = check_choice(shortfall, "shortfall", choices=SHORTFALL_CHOICES)
        self._shuffle = check_flag(shuffle, "shuffle")
        self._told = {"max_batches": max_batches, "shortfall": shortfall, "num_replicas": num_replicas}
        matrix, self._labels = as_label_matrix(labels)
        self._codes, self._sets = _number_sets(matrix)
        self._n_batches = self._choose_batches(matrix, max_batches, shortfall)
        self._minimum = min(self._minimum, MAX_EXACT)  # a larger minimum is no different: no batch has it
        self._adopt()
        if len(self._lacking) and shortfall == "error":
            raise self._refuse_shortfall(max_batches)
        if len(self._lacking) and shortfall == "warn":
            warnings.warn(f"{self._describe_shortfall()}, in the order of the dataset.", stacklevel=2)

    def _adopt(self) -> None:
        """Assign the rows in the order of the dataset, the fallback of every epoch."""
        _, self._fallback, held = self._assign(self._codes, self._n_batches)
        self._lacking: NDArray[np.int64] = _lacking(held, self._minimum)

    def _assign(
        self, codes: NDArray[Any], n_batches: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Assign rows, given as codes of their label sets, in this order."""
        minimum = min(self._minimum, MAX_COUNT)  # one batch lacks the same rows, however large the minimum
        return assign_rows(codes.astype(np.int64), self._sets.view(np.uint8), n_batches, minimum)

    def _choose_batches(self, matrix: NDArray[np.bool_], max_batches: Optional[int], shortfall: str) -> int:
        """Return the number of batches that the counts of the labels allow."""
        minimum = self._minimum
        counts = matrix.sum(axis=0)
        rarest = int(counts.argmin())
        n_min = int(counts[rarest])
        if n_min == 0:
            raise no_row_of(self._labels[rarest])
        if minimum > n_min and shortfall == "error":
            required = f"be at most {n_min}: the rarest label, '{self._labels[rarest]}', has {count_of(n_min, 'row')}"
            advice = "Lower it, or set 'shortfall' to 'warn' or 'allow'."
            raise refused_value("min_samples_per_label", required, show(minimum), advice)
        n_batches = max(1, n_min // minimum)
        if max_batches is not None:
            n_batches = min(n_batches, max_batches)
        return share_of_replicas(n_batches, self.num_replicas)

    def _refuse_shortfall(self, max_batches: Optional[int]) -> ValueError:
        """Return the error that names a number of batches with which no row is lacking."""
        replicas = self.num_replicas or 1
        got = f"{show(max_batches)}, for {count_of(self._n_batches, 'batch')}: {self._describe_shortfall()},"
        fewest, most = 0, self._n_batches // replicas  # in units of replicas; `fewest` works, `most` does not
        while most - fewest > 1:
            middle = (fewest + most) // 2
            held = self._assign(self._codes, middle * replicas)[2]
            fewest, most = (middle, most) if (held >= self._minimum).all() else (fewest, middle)
        advice = "or set 'shortfall' to 'warn' or 'allow'."
        if fewest == 0:
            required = "be lower: no number of batches was found of which each holds enough rows of every label"
            return refused_value("num_replicas", required, show(replicas), f"Lower it, {advice}")
        advice = f"{'Set' if max_batches is None else 'Lower'} it, {advice}"
        return refused_value("max_batches", f"be at most {fewest * replicas}", got, advice)

    def _describe_shortfall(self) -> str:
        batch, label, missing = self._lacking[0]
        others = len(self._lacking) - 1
        more = f", and {others} more such" if others else ""
        return f"batch {batch} lacks {count_of(int(missing), 'row')} of label '{self._labels[label]}'{more}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the labels: the columns of a DataFrame, else their positions."""
        return self._labels

    @property
    def min_samples_per_label(self) -> int:
        """The minimum number of rows of every label in every batch."""
        return self._minimum

    def label_counts(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return the number of rows of each label in each batch of an epoch, over all ranks; changes nothing.

        Parameters
        ----------
        epoch : int, optional
            From 0 to 6700000; by default the next epoch.

        Returns
        -------
        pandas.DataFrame
            One row per batch, one column per label.
        """
        return batches_frame(self._held(epoch), self._labels)

    def shortfalls(self, epoch: Optional[int] = None) -> pd.DataFrame:
        """Return where an epoch has fewer rows of a label than the minimum, over all ranks; changes nothing.

        Parameters
        ----------
        epoch : int, optional
            From 0 to 6700000; by default the next epoch.

        Returns
        -------
        pandas.DataFrame
            One row for each batch and label with too few rows: ``batch``, ``label``, ``rows`` (those in the batch) and
            ``missing`` (those that it lacks). Empty if the minimum is kept.
        """
        held = self._held(epoch)
        batch, label, missing = _lacking(held, self._minimum).T
        names = names_index(self._labels)[label]
        return pd.DataFrame({"batch": batch, "label": names, "rows": held[batch, label], "missing": missing})

    def _held(self, epoch: Optional[int]) -> NDArray[np.int64]:
        batches = self._epoch_batches(self._requested_epoch(epoch))
        batch_of = np.repeat(np.arange(self._n_batches), np.diff(batches.offsets))
        return _count(batch_of, self._sets[self._codes[batches.rows]], self._n_batches)

    def _global_length(self) -> int:
        return self._n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        n_rows = len(self._codes)
        order = np.arange(n_rows, dtype=np.int32)
        if self._shuffle:
            order = epoch_permutation(n_rows, seed=self._seed, epoch=epoch)
        members, batches, held = self._assign(self._codes[order], self._n_batches)
        if _lacking(held, self._minimum)[:, 2].sum() > self._lacking[:, 2].sum():
            batches = self._fallback  # refilled with other rows of the same label sets
        return Batches(*gather_batches(members, batches, order, self._n_batches))

    def _recipe(self) -> Recipe:
        parts = {
            "codes": compact(self._codes, len(self._sets)),
            "sets": self._sets.view(np.uint8).reshape(-1),
            "n_labels": self._sets.shape[1],
            "n_batches": self._n_batches,
            "minimum": self._minimum,
            "shuffle": self._shuffle,
        }
        settings = {name: show(value) for name, value in self._told.items() if value is not None}
        return make_recipe("multilabel", seed=self._seed, parts=parts, labels={**settings, "names": self._labels})

    def _fingerprint(self) -> str:
        recipe = self._recipe()
        # Batches in the order of the dataset do not depend on the seed.
        return (recipe if self._shuffle else replace(recipe, seed=0)).fingerprint()

    def __getstate__(self) -> dict[str, Any]:
        # The assignment in the order of the dataset takes four bytes per row and follows from the rest: made again on
        # load.
        state = self.__dict__.copy()
        for derived in ("_lacking", "_fallback"):
            del state[derived]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._adopt()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(len(self._codes), 'row')}, {count_of(len(self._labels), 'label')}, "
            f"{count_of(self._n_batches, 'batch')}, "
            f"min_samples_per_label={self._minimum}, shuffle={self._shuffle}, seed={self._seed}, epoch={self.epoch})"
        )


def _count(batches: NDArray[Any], has: NDArray[np.bool_], n_batches: int) -> NDArray[np.int64]:
    """Count the rows of each label in each batch, from the batch and the labels of each row."""
    counts = [np.bincount(batches[column], minlength=n_batches) for column in has.T]
    return np.stack(counts, axis=1).astype(np.int64)


def _lacking(held: NDArray[np.int64], minimum: int) -> NDArray[np.int64]:
    """Return one row per shortfall, in order of the batches: the batch, the label and the number of missing rows."""
    batch, label = np.nonzero(held < minimum)
    return np.stack([batch, label, minimum - held[batch, label]], axis=1)


def _number_sets(matrix: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Number the label sets of the rows in order of first appearance; return the codes and the distinct sets."""
    n_rows, n_labels = matrix.shape
    codes = np.zeros(n_rows, dtype=np.int64)
    for begin in range(0, n_labels, _COLUMNS_AT_ONCE):
        for column in matrix.T[begin : begin + _COLUMNS_AT_ONCE]:
            codes <<= 1
            codes |= column
        numbered = np.empty_like(codes)
        n_sets = len(number_integers(codes, numbered))
        codes = numbered
    first = np.empty(n_sets, dtype=np.int64)
    first[codes[::-1]] = np.arange(n_rows)[::-1]  # of equal codes the last one counts
    dtype = np.uint8 if n_sets <= 2**8 else np.uint16 if n_sets <= 2**16 else np.int32
    return codes.astype(dtype), np.ascontiguousarray(matrix[first])
