"""Choose part of the dataset every epoch: at random, in turn, or in proportion to the perplexity of the examples."""

from __future__ import annotations

import base64
import numbers
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pystrat.arrays import plain_array
from pystrat.digest import fingerprint
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_choice, check_integer, count_of, refusal, show
from pystrat._random import RandomStream
from pystrat.base import Batches, BatchSampler, Place, epoch_seed
from pystrat.corpus.batching import BatchCut

METHOD_CHOICES = ("uniform", "uniform_without_replacement", "partition", "perplexity")
MAX_PERPLEXITY = 1e6


class EpochSubsetBatchSampler(BatchSampler):
    """Batch sampler that visits `sample` of `n` examples in each epoch.

    For a PyTorch ``DataLoader(dataset, batch_sampler=...)``, and in R by ``rbridge.as_torch_sampler()``.

    Parameters
    ----------
    n : int
        Examples of the dataset, from 1 to 2147483647.
    sample : int
        Examples that an epoch visits, from 1 to 2147483647; it may exceed `n`, except without replacement.
    batch_size : int
        Examples of a batch. The last batch may be short; with `num_replicas` see `BatchSampler`: the number of batches
        is rounded up to a multiple of it, and the sizes differ by at most 1.
    method : {"uniform", "uniform_without_replacement", "partition", "perplexity"}, default "uniform"
        * ``"uniform"``: independent draws with replacement.
        * ``"uniform_without_replacement"``: no example twice in an epoch.
        * ``"partition"``: no randomness; over the epochs every example equally often.
        * ``"perplexity"``: like uniform until the mean perplexity of all examples is below `initial`, and from then on
          with replacement in proportion to perplexity. Needs `report`.
    initial : float, default 15
        The perplexity of an example that was never reported, above 1 and at most 1e6. Of method perplexity.
    maximum : float or None, default -1.5
        The perplexity T above which an example counts as noise and gets the weight 1. A positive number is T itself; a
        negative number x makes it ``mode + |x| * spread``; None: no ceiling. Of method perplexity.
    seed : int, optional
        From 0 to 2147483646. None draws one from the system's entropy; ``.seed`` tells it.
    num_replicas : int, optional
        The number of processes that share an epoch.
    rank : int, optional
        Which of the replicas this is, from 0. None gives all batches in global order.

    Raises
    ------
    TypeError, ValueError
        Where a parameter is refused; the message names the parameter, the value and what to do.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits exactly `sample` examples, in drawn order.
    * ``"uniform"`` draws R's ``sample.int(n, sample, replace = TRUE)``, and ``"uniform_without_replacement"`` R's
      ``sample.int(n, sample, useHash = FALSE)``, after ``set.seed()`` of the epoch's seed.
    * ``"partition"``: any n consecutive draws, over all epochs, visit each example once.
    * ``"perplexity"``: what is reported during an epoch counts from the next epoch on, so that the batches do not
      depend on how far the workers of a DataLoader have read ahead.
    * Weights are the same on every machine for the same reports.

    Partition takes every step-th example, ``step = max(1, n // sample)``, from the first on, then from the second on
    and so forth, and goes on with the next epoch where the last one ended.

    Perplexity is the exponential of the reported mean negative log-likelihood per token, at most 1e6. An example counts
    as seen once it was reported. When the first batch of an epoch is asked for, the weights are computed: 1 for a seen
    example above T, else its perplexity. The mode is the most frequent perplexity among the seen examples, rounded to
    0.01 (the smallest where several are), the spread the root of the sum of squared distances from the mode of the c
    seen examples above it, divided by c - 1; where c is below 2 there is no ceiling. The most frequent of values
    rounded so finely is an unstable number for fewer than about 100,000 examples: give `maximum` a positive number or
    None there.

    ``batches(epoch)`` of method perplexity serves the epoch that runs and the next; others follow from reports that are
    gone or have yet to come. In distributed training every rank must be given the reports of all ranks: see `report`
    and `check_reports`.

    The method is OpenNMT's memory sampling (options ``-sample``, ``-sample_type``). Its code leaves the table for
    weighted draws unnormalised, which makes them nearly uniform, and computes the spread from the last example alone;
    here both are as its documentation says.

    Examples
    --------
    >>> from pystrat import EpochSubsetBatchSampler
    >>> sampler = EpochSubsetBatchSampler(10, sample=4, batch_size=2, method="partition")
    >>> [batch.tolist() for epoch in range(2) for batch in sampler.batches(epoch)]
    [[0, 2], [4, 6], [8, 1], [3, 5]]
    """

    feedback = {"report": {"rows": "rows", "nll": "values"}}

    def __init__(
        self,
        n: int,
        sample: int,
        batch_size: int,
        *,
        method: str = "uniform",
        initial: float = 15.0,
        maximum: Optional[float] = -1.5,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        owner = type(self).__name__
        self._n = check_integer(n, "n", owner, minimum=1, maximum=MAX_COUNT)
        self._sample = check_integer(sample, "sample", owner, minimum=1, maximum=MAX_COUNT)
        self._method = check_choice(method, "method", owner, choices=METHOD_CHOICES)
        if self._method == "uniform_without_replacement" and self._sample > self._n:
            required = f"be at most {self._n}, the number of examples, without replacement"
            raise ValueError(refusal("sample", owner, required, show(sample), "Set 'method' to 'uniform'."))
        self._cut = BatchCut(self._sample, batch_size, self.num_replicas, owner=owner)
        self._initial = _check_initial(initial, owner)
        self._maximum = _check_maximum(maximum, owner)
        # The perplexities, NaN where an example was never reported.
        self._reported = np.full(self._n if self._method == "perplexity" else 0, np.nan)
        self._started = False
        self._drawn: Optional[tuple[int, NDArray[np.int32]]] = None  # the running epoch and what it visits

    @property
    def method(self) -> str:
        """How the examples of an epoch are chosen."""
        return self._method

    @property
    def started(self) -> bool:
        """Whether an epoch has been drawn in proportion to perplexity."""
        return self._started

    # Feedback -------------------------------------------------------------------------------------------------------

    def report(self, rows: Any, nll: Any) -> None:
        """Tell the loss of examples; it counts from the next epoch on.

        Parameters
        ----------
        rows : array of int, shape (k,)
            Positions of examples, from 0. An example may occur again, in one report or in several: the last one wins.
        nll : array of float, shape (k,)
            The mean negative log-likelihood per token of each, in nats: finite and at least 0. Tensors may live on any
            device.

        Raises
        ------
        TypeError, ValueError
            Where one of them is refused (then nothing of the report counts), or the method is not perplexity.

        Notes
        -----
        In distributed training gather rows and losses of all ranks (``torch.distributed.all_gather_object``) and give
        them to every rank in the same order; `check_reports` finds where that was not done.
        """
        owner = f"{type(self).__name__}.report"
        self._check_feedback()
        places, losses = _as_vector(rows, "rows", owner), _as_vector(nll, "nll", owner)
        if places.dtype.kind not in "iu" and len(places):
            raise TypeError(refusal("rows", owner, "hold integers", f"{places.dtype} values"))
        if losses.dtype.kind not in "fiu":
            raise TypeError(refusal("nll", owner, "hold numbers", f"{losses.dtype} values"))
        if len(places) != len(losses):
            required = f"have one value for each of the rows, {len(places)}"
            raise ValueError(refusal("nll", owner, required, count_of(len(losses), "value")))
        outside = (places < 0) | (places >= self._n)
        if outside.any():
            # Told in words too, since R, which counts from 1, shows this message.
            required = f"hold row positions from 0 to {self._n - 1}, counted from 0"
            raise ValueError(refusal("rows", owner, required, show(places[outside][0])))
        wrong = ~(np.isfinite(losses) & (losses >= 0))
        if wrong.any():
            first = int(wrong.argmax())
            got = f"{show(float(losses[first]))} for row position {int(places[first])}, counted from 0,"
            raise ValueError(refusal("nll", owner, "be finite and at least 0", got))
        self._reported[places.astype(np.int64)] = perplexity_of(losses.astype(np.float64))

    @property
    def perplexities(self) -> NDArray[np.float64]:
        """The perplexity of each example, `initial` where it was never reported; shape (n,)."""
        self._check_feedback()
        return np.where(np.isnan(self._reported), self._initial, self._reported)

    @property
    def reports_fingerprint(self) -> str:
        """A digest of all that was reported; the same on all ranks if all were given the same reports."""
        self._check_feedback()
        return fingerprint("reports", perplexities=self._reported)

    def check_reports(self, fingerprints: Sequence[str]) -> None:
        """Check that all ranks were given the same reports.

        Parameters
        ----------
        fingerprints : sequence of str
            `reports_fingerprint` of every rank, by rank: what ``torch.distributed.all_gather_object`` gathers.

        Raises
        ------
        ValueError
            Where a rank differs from rank 0; the message names all that do.
        """
        differing = [str(rank) for rank, fingerprint in enumerate(fingerprints) if fingerprint != fingerprints[0]]
        if differing:
            required = "be the same on all ranks"
            got = f"other reports than rank 0 on rank {', '.join(differing)}"
            advice = "Give every rank the reports of all ranks, in the same order."
            raise ValueError(refusal("fingerprints", f"{type(self).__name__}.check_reports", required, got, advice))

    def _check_feedback(self) -> None:
        if self._method != "perplexity":
            owner = type(self).__name__
            raise ValueError(refusal("method", owner, "be 'perplexity' for reports", show(self._method)))

    # The batches ----------------------------------------------------------------------------------------------------

    def _begin_epoch(self, told: Optional[Place] = None) -> Place:
        place = super()._begin_epoch(told)
        if self._method != "perplexity":
            return place
        if place.ahead is not None:
            self._drawn = place.epoch, place.ahead
        elif self._drawn is None or self._drawn[0] != place.epoch:
            self._started = self._starts()
            self._drawn = place.epoch, self._draw(place.epoch)
        return place

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        lists = super()._lists_from(place)
        return lists if self._method != "perplexity" or self._drawn is None else _DrawnLists(self._drawn[1], lists)

    def _epoch_batches(self, epoch: int) -> Batches:
        if self._drawn is not None and self._drawn[0] == epoch:
            return self._cut.batches(self._drawn[1])
        if self._method == "perplexity" and epoch != self.epoch:
            running = "" if self._drawn is None else f"{self._drawn[0]}, the epoch that runs, or "
            required = f"be {running}{self.epoch}, the next, with method 'perplexity'"
            advice = "Others depend on reports that are gone or have yet to come."
            raise ValueError(refusal("epoch", type(self).__name__, required, show(epoch), advice))
        return self._cut.batches(self._draw(epoch))

    def _draw(self, epoch: int) -> NDArray[np.int32]:
        """Return the examples that an epoch visits."""
        if self._method == "partition":
            return partition_rows(self._n, self._sample, epoch)
        stream = RandomStream(epoch_seed(self._seed, epoch))
        if self._method == "uniform_without_replacement":
            return stream.subsets(np.arange(self._n, dtype=np.int32), self._sample, 1)
        if self._method == "perplexity" and self._starts():
            places = np.cumsum(self._weights())
            drawn = np.searchsorted(places, stream.uniforms(self._sample) * places[-1], side="right")
            # The product may be rounded up to the total itself.
            drawn = np.minimum(drawn, self._n - 1)
        else:
            drawn = stream.indices(self._n, self._sample)
        rows: NDArray[np.int32] = drawn.astype(np.int32)
        return rows

    def _starts(self) -> bool:
        """Say whether an epoch that begins now is drawn in proportion to the weights."""
        # The sum of differences is exactly 0 before any report, which a mean need not be.
        return self._started or _sum(self.perplexities - self._initial) < 0

    def _weights(self) -> NDArray[np.float64]:
        perplexities = self.perplexities
        seen = ~np.isnan(self._reported)
        ceiling = self._maximum
        if ceiling is not None and ceiling < 0:
            ceiling = _ceiling(perplexities[seen], -ceiling)
        if ceiling is None:
            return perplexities
        return np.where(seen & (perplexities > ceiling), 1.0, perplexities)

    def _global_length(self) -> int:
        return self._cut.n_batches

    def _known_rows(self) -> int:
        return self._n

    def _fingerprint(self) -> str:
        is_told = self._method == "perplexity"
        return fingerprint(
            "epoch subset",
            n=self._n,
            sample=self._sample,
            batch_size=self._cut.batch_size,
            num_replicas=self.num_replicas,
            method=self._method,
            initial=self._initial if is_told else None,
            maximum=self._maximum if is_told else None,
            seed=None if self._method == "partition" else self._seed,
        )

    # The state ------------------------------------------------------------------------------------------------------

    def _feedback_state(self, place: Place, batches: Optional[Iterator[list[int]]]) -> dict[str, Any]:
        if self._method != "perplexity":
            return {}
        # An iterator knows its own rows, also where another one has begun the next epoch since.
        drawn = batches.drawn if isinstance(batches, _DrawnLists) else place.ahead
        if drawn is None and self._drawn is not None and self._drawn[0] == place.epoch:
            drawn = self._drawn[1]
        as_text = None if drawn is None else _to_text(drawn)
        return {"reports": _to_text(self._reported), "started": self._started, "drawn": as_text}

    def _load_feedback_state(self, state: Mapping[str, Any]) -> Optional[NDArray[np.int32]]:
        """Take in the reports, and return the rows that the epoch of the state visits, where they are drawn."""
        if self._method != "perplexity":
            return None
        if not {"reports", "started", "drawn"} <= set(state):
            required = "have the entries 'reports', 'started' and 'drawn' with method 'perplexity'"
            raise ValueError(refusal("state", type(self).__name__, required, count_of(len(state), "other")))
        reported = _from_text(state["reports"], np.float64)
        drawn = None if state["drawn"] is None else _from_text(state["drawn"], np.int32)
        at_beginning = state["batch"] == 0  # where the rows need not be drawn yet
        fits = at_beginning if drawn is None else len(drawn) == self._sample
        if len(reported) != self._n or not fits:
            rows = f"{'all or none of ' if at_beginning else ''}{count_of(self._sample, 'drawn row')}"
            required = f"hold {count_of(self._n, 'report')}, and {rows}"
            got = f"{len(reported)} and {0 if drawn is None else len(drawn)}"
            raise ValueError(refusal("state", type(self).__name__, required, got))
        self._reported, self._started = reported, bool(state["started"])
        self._drawn = None if drawn is None else (state["epoch"], drawn)
        return drawn

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._sample} of {self._n} examples, {self._cut.n_batches} batches, "
            f"method={self._method!r}, seed={self._seed}, epoch={self.epoch})"
        )


class _DrawnLists(Iterator[list[int]]):
    """The batches of an epoch as lists, and the rows that it visits, drawn by the reports as they were then."""

    def __init__(self, drawn: NDArray[np.int32], lists: Iterator[list[int]]) -> None:
        self.drawn = drawn
        self._lists = lists

    def __next__(self) -> list[int]:
        return next(self._lists)


def partition_rows(n: int, sample: int, epoch: int) -> NDArray[np.int32]:
    """Return the examples of an epoch of partition sampling, from 0, without going through the epochs before it."""
    step = max(1, n // sample)
    shorter, n_longer = divmod(n, step)  # the first `n_longer` starts have one example more than the others
    draws = (np.arange(sample, dtype=np.int64) + epoch * sample % n) % n
    among_longer = draws < n_longer * (shorter + 1)
    beyond = draws - n_longer * (shorter + 1)
    start = np.where(among_longer, draws // (shorter + 1), n_longer + beyond // shorter)
    turn = np.where(among_longer, draws % (shorter + 1), beyond % shorter)
    rows: NDArray[np.int32] = (start + turn * step).astype(np.int32)
    return rows


def _ceiling(seen: NDArray[np.float64], factor: float) -> Optional[float]:
    """Return the mode plus so many times the spread, or None where fewer than two perplexities are above the mode."""
    if len(seen) < 2:
        return None
    codes, hundredths = pd.factorize(
        np.floor(100 * seen + 0.5).astype(np.int32)
    )  # hashes, which takes less than to sort
    counts = np.bincount(codes)
    mode = float(hundredths[counts == counts.max()].min()) / 100
    distances = seen[seen > mode] - mode
    if len(distances) < 2:
        return None
    spread: float = np.sqrt(_sum(distances * distances) / (len(distances) - 1))
    return mode + factor * spread


def _sum(values: NDArray[np.float64]) -> float:
    """Add from the first to the last: numpy's own sum takes an order that depends on the processor."""
    return float(np.cumsum(values)[-1])


_LOG2_UPPER, _LOG2_LOWER = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
_BEYOND_MAXIMUM = 14.0  # its exponential is above MAX_PERPLEXITY
_TERMS = 14  # of the series, beyond which nothing changes in a double


def perplexity_of(nll: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exponential of losses that are at least 0, at most 1e6, within 2 units of the last place; NaN stays.

    Only additions, multiplications, divisions and powers of 2, which IEEE 754 fixes to the last bit: exponentials of
    mathematical libraries differ there between machines, and ranks must draw the same rows.
    """
    nll = np.minimum(nll, _BEYOND_MAXIMUM)
    doublings = np.rint(nll / _LOG2_UPPER)
    rest = (nll - doublings * _LOG2_UPPER) - doublings * _LOG2_LOWER
    series = np.ones_like(rest)
    for term in range(_TERMS, 0, -1):
        series = 1.0 + rest * series / term
    power: NDArray[np.float64] = np.ldexp(series, np.nan_to_num(doublings).astype(np.int32))
    return np.minimum(power, MAX_PERPLEXITY)


def _check_initial(initial: Any, owner: str) -> float:
    required = f"be a number above 1 and at most {show(MAX_PERPLEXITY)}"
    if not _is_number(initial):
        raise TypeError(refusal("initial", owner, required, show(initial)))
    if not 1 < initial <= MAX_PERPLEXITY:
        raise ValueError(refusal("initial", owner, required, show(initial)))
    return float(initial)


def _check_maximum(maximum: Any, owner: str) -> Optional[float]:
    if maximum is None:
        return None
    required = "be a finite number other than 0, or nothing"
    if not _is_number(maximum):
        raise TypeError(refusal("maximum", owner, required, show(maximum)))
    if not np.isfinite(maximum) or maximum == 0:
        raise ValueError(refusal("maximum", owner, required, show(maximum)))
    return float(maximum)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _as_vector(values: Any, name: str, owner: str) -> NDArray[Any]:
    array = plain_array(values)
    if array.ndim != 1:
        raise TypeError(refusal(name, owner, "have one dimension", count_of(array.ndim, "dimension")))
    return array


def _to_text(values: NDArray[Any]) -> str:
    """Pack an array into text, which every form of checkpoint can hold, also those that refuse arrays."""
    return base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def _from_text(text: str, dtype: Any) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype=np.dtype(dtype).newbyteorder("<")).astype(dtype)
