"""Batches of drawn rows: in the order in which they were drawn, or of rows of similar length."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from pystrat._random import RandomStream
from pystrat.base import Batches, BatchSampler, epoch_seed
from pystrat.corpus._draws import cut_by_length, shuffle_batches, split_batches
from pystrat.corpus.lengths import check_lengths_used, read_lengths
from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import check_integer, count_of, refused_value, show
from pystrat.sizes import even_offsets, full_offsets, round_to_replicas

_NO_LIMIT = 2**63 - 1


class BatchCut(ABC):
    """A way to cut the drawn rows of an epoch into batches.

    Attributes
    ----------
    n_batches : int or None
        The number of batches of every epoch; None if it depends on the rows that are drawn.
    """

    n_batches: Optional[int]

    @abstractmethod
    def batches(self, rows: NDArray[Any], stream: RandomStream) -> Batches:
        """Return the drawn rows as batches; `stream` is that of the epoch, after the draw."""

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """Return the parts of a recipe that describe it."""

    @abstractmethod
    def __str__(self) -> str:
        """Return a readable description of the batches."""


class SizeCut(BatchCut):
    """Batches in the order in which the rows were drawn.

    Parameters
    ----------
    n_rows : int
        The number of rows drawn in an epoch.
    batch_size : int
        The largest number of rows in a batch.
    num_replicas : int, optional
        If None, all batches have `batch_size` rows, except the last, which may be shorter. Otherwise the number of
        batches is rounded up to a multiple of it, and the sizes of the batches differ by at most 1.

    Raises
    ------
    TypeError, ValueError
        If `batch_size` is not a positive integer, or there are too few rows for a batch per replica.
    """

    def __init__(self, n_rows: int, batch_size: Any, num_replicas: Optional[int]) -> None:
        self._batch_size = check_integer(batch_size, "batch_size", minimum=1)
        self._num_replicas = num_replicas
        self.n_batches: int = round_to_replicas(-(-n_rows // self._batch_size), num_replicas, "up")
        _refuse_empty_batches(n_rows, self.n_batches, num_replicas)
        if num_replicas is None:
            self._offsets = full_offsets(n_rows, self.n_batches, self._batch_size)
        else:
            self._offsets = even_offsets(n_rows, self.n_batches)

    def batches(self, rows: NDArray[Any], stream: RandomStream) -> Batches:
        return Batches(rows, self._offsets)

    def parts(self) -> dict[str, Any]:
        return {"batch_size": self._batch_size, "num_replicas": self._num_replicas}

    def __str__(self) -> str:
        return count_of(self.n_batches, "batch")


class LengthCut(BatchCut):
    """Batches of rows of similar length.

    Within windows, the rows are sorted by length, ties in drawn order. Each window is cut into batches that are as
    large as the limits allow. For replicas, the batches with the most rows are split. Finally, the batches are shuffled
    by R's ``sample.int(number of batches)``, which continues the draws of the epoch.

    Parameters
    ----------
    n_rows : int
        The number of rows drawn in an epoch.
    lengths : numpy.ndarray of int32
        The lengths of all rows of the dataset.
    batch_size : int, optional
        The largest number of rows in a batch.
    max_tokens : int, optional
        The largest number of tokens in a batch: its rows times the longest of them, where an empty one counts as 1. One
        of these two limits is required.
    window : int, optional
        The number of consecutive drawn rows that are sorted together; by default all rows of an epoch.
    num_replicas : int, optional
        The number of batches is rounded up to a multiple of it.

    Raises
    ------
    TypeError, ValueError
        If a limit is invalid, or there are too few rows for a batch per replica. With `max_tokens`, the latter may be
        found only when an epoch is drawn, if nearly every batch has a single row.
    """

    def __init__(
        self,
        n_rows: int,
        lengths: NDArray[np.int32],
        *,
        batch_size: Any,
        max_tokens: Any,
        window: Any,
        num_replicas: Optional[int],
    ) -> None:
        self._batch_size = self._max_tokens = self._window = None
        if batch_size is not None or max_tokens is None:
            self._batch_size = check_integer(batch_size, "batch_size", minimum=1)
        if window is not None:
            self._window = check_integer(window, "window", minimum=1, maximum=MAX_COUNT)
        if max_tokens is not None:
            self._max_tokens = check_integer(max_tokens, "max_tokens", minimum=1, maximum=MAX_EXACT)
            _refuse_too_long(lengths, self._max_tokens)
        self._lengths = lengths
        self._longest = int(lengths.max(initial=0))
        self._num_replicas = num_replicas
        self.n_batches = None if self._batch_size is None or max_tokens is not None else self._count_full(n_rows)
        least = round_to_replicas(1, num_replicas, "up") if self.n_batches is None else self.n_batches
        _refuse_empty_batches(n_rows, least, num_replicas)

    def _count_full(self, n_rows: int) -> int:
        """Return the number of batches if only their size is limited."""
        assert self._batch_size is not None
        n_windows, rest = divmod(n_rows, self._window or n_rows)
        n_batches = n_windows * -(-(self._window or n_rows) // self._batch_size) + -(-rest // self._batch_size)
        return round_to_replicas(n_batches, self._num_replicas, "up")

    def batches(self, rows: NDArray[Any], stream: RandomStream) -> Batches:
        order, offsets = cut_by_length(
            self._lengths[rows],
            self._longest,
            self._window or len(rows),
            self._batch_size or len(rows),
            self._max_tokens or _NO_LIMIT,
        )
        n_batches = round_to_replicas(len(offsets) - 1, self._num_replicas, "up")
        _refuse_empty_batches(len(rows), n_batches, self._num_replicas)
        if n_batches > len(offsets) - 1:
            offsets = split_batches(offsets, n_batches)
        order, offsets = shuffle_batches(stream, order, offsets)
        return Batches(rows[order], offsets)

    def parts(self) -> dict[str, Any]:
        return {
            "batch_size": self._batch_size,
            "num_replicas": self._num_replicas,
            "lengths": self._lengths,
            "max_tokens": self._max_tokens,
            "window": self._window,
        }

    def __str__(self) -> str:
        limits = []
        if self._max_tokens is not None:
            limits.append(count_of(self._max_tokens, "token"))
        if self._batch_size is not None:
            limits.append(count_of(self._batch_size, "row"))
        number = "batches" if self.n_batches is None else count_of(self.n_batches, "batch")
        window = "the epoch" if self._window is None else f"windows of {count_of(self._window, 'row')}"
        return f"{number} of at most {' and '.join(limits)} by length in {window}"


def _refuse_empty_batches(n_rows: int, n_batches: int, num_replicas: Optional[int]) -> None:
    if n_batches > n_rows:
        required = f"leave each batch a row: {n_rows} are drawn for {n_batches} batches"
        raise refused_value("num_replicas", required, show(num_replicas))


def _refuse_too_long(lengths: NDArray[np.int32], max_tokens: int) -> None:
    too_long = np.flatnonzero(lengths > max_tokens)
    if len(too_long):
        required = f"be at least {lengths.max()}, the length of the longest example"
        verb = "is" if len(too_long) == 1 else "are"
        first = f"the first at row position {too_long[0]}, counted from 0"
        advice = f"{count_of(len(too_long), 'example')} {verb} longer, {first}."
        raise refused_value("max_tokens", required, show(max_tokens), advice)


class CutBatchSampler(BatchSampler):
    """Shared by the samplers that draw the rows of an epoch and cut them into batches.

    A subclass implements `_cut_of` and `_draw`.
    """

    # The last requested epoch, if its batches are made by length: computing their number requires the draw.
    _latest: Optional[tuple[int, Batches]] = None

    @abstractmethod
    def _cut_of(self, epoch: int) -> BatchCut:
        """Return the way to cut an epoch."""

    @abstractmethod
    def _draw(self, epoch: int, stream: RandomStream) -> NDArray[Any]:
        """Return the rows of an epoch in drawn order; `stream` is at the beginning of the epoch."""

    def _global_length(self) -> int:
        return self._epoch_length(self.epoch)

    def _epoch_length(self, epoch: int) -> int:
        n_batches = self._cut_of(epoch).n_batches
        return len(self._latest_batches(epoch)) if n_batches is None else n_batches

    def _epoch_batches(self, epoch: int) -> Batches:
        if not isinstance(self._cut_of(epoch), LengthCut):
            return self._cut_anew(epoch)
        batches = self._latest_batches(epoch)
        return Batches(batches.rows.copy(), batches.offsets)

    def _latest_batches(self, epoch: int) -> Batches:
        """Return the batches of an epoch, and keep them; others must not modify them."""
        latest = self._latest  # which another thread may replace meanwhile
        if latest is None or latest[0] != epoch:
            latest = self._latest = epoch, self._cut_anew(epoch)
        return latest[1]

    def _cut_anew(self, epoch: int) -> Batches:
        stream = RandomStream(epoch_seed(self._seed, epoch))
        return self._cut_of(epoch).batches(self._draw(epoch, stream), stream)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_latest": None}


class DrawnBatchSampler(CutBatchSampler):
    """Shared by the samplers that visit `sample` of `n` examples in each epoch.

    Parameters
    ----------
    n, sample : int
        From 1 to 2147483647.
    batch_size : int, optional
        The largest number of examples in a batch.
    lengths : array of int, shape (n,), optional
    max_tokens, window : int, optional
        As in `LengthCut`.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid.
    """

    def __init__(
        self,
        n: int,
        sample: int,
        batch_size: Optional[int],
        *,
        lengths: Any,
        max_tokens: Optional[int],
        window: Optional[int],
        seed: Optional[int],
        num_replicas: Optional[int],
        rank: Optional[int],
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        self._n = check_integer(n, "n", minimum=1, maximum=MAX_COUNT)
        self._sample = check_integer(sample, "sample", minimum=1, maximum=MAX_COUNT)
        self._by_length = check_lengths_used(lengths, max_tokens, window)
        self._cut: BatchCut
        if not self._by_length:
            self._cut = SizeCut(self._sample, batch_size, self.num_replicas)
            return
        self._cut = LengthCut(
            self._sample,
            read_lengths(lengths, self._n),
            batch_size=batch_size,
            max_tokens=max_tokens,
            window=window,
            num_replicas=self.num_replicas,
        )

    def _cut_of(self, epoch: int) -> BatchCut:
        return self._cut

    def _drawn_parts(self) -> dict[str, Any]:
        """Return the parts of a recipe that these samplers share."""
        return {"n": self._n, "sample": self._sample, **self._cut.parts()}
