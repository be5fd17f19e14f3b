"""Part of the dataset in every epoch, drawn in proportion to the perplexity of the examples."""

from __future__ import annotations

import base64
import warnings
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat._random import RandomStream
from pystrat.arrays import for_kernel, plain_array
from pystrat.base import Batches, Place, epoch_seed
from pystrat.corpus._draws import (
    cumulative_weights,
    draw_by_sums,
    draw_rows,
    is_below_initial,
    noise_ceiling,
    report_losses,
)
from pystrat.corpus.batching import DrawnBatchSampler
from pystrat.digest import fingerprint
from pystrat.feedback import SamplerWithFeedback
from pystrat.messages import (
    as_double,
    check_flag,
    check_integer,
    check_list,
    count_of,
    is_number,
    refused_type,
    refused_value,
    show,
)
from pystrat.recipe import Recipe, make_recipe

MAX_PERPLEXITY = 1e6
PUBLISHED_MAXIMUM = -1.5
_NOTED_SHARE = 0.05  # of the reported examples; if more count as noise, a warning is given


class PerplexityBatchSampler(SamplerWithFeedback, DrawnBatchSampler):
    """Batch sampler that visits `sample` of `n` examples in each epoch, those of high perplexity more often.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_perplexity()`` returns the same batches from the same seed. Draws are uniform, with
    replacement, until the mean perplexity of all examples is below `initial`, and then in proportion to perplexity. The
    training loop calls `report`. docs/corpus.md is a guide.

    Parameters
    ----------
    n : int
        The number of examples of the dataset, from 1 to 2147483647.
    sample : int
        The number of examples in an epoch, from 1 to 2147483647; it may exceed `n`.
    batch_size : int, optional
        The number of examples per batch; optional with `max_tokens`. The last batch may be shorter; with
        `num_replicas`, the number of batches is rounded up to a multiple of it, and their sizes differ by at most 1.
    initial : float, default 15
        The perplexity of an example that was never reported, above 1 and at most 1e6.
    maximum : float, "published" or None, default None
        The perplexity T above which an example counts as noise. A positive number is T itself; for a negative number x,
        T is ``mode + |x| * spread``; "published" is the published default, -1.5. If None, there is no ceiling.
    clip : bool, default False
        The weight of an example above T: T if True, 1 if False, as published. Requires a `maximum`.
    lengths : array of int, shape (n,), optional
        The length of each example in tokens, from 0 to 2147483647, for batches of examples of similar length. Requires
        `max_tokens` or `window`.
    max_tokens : int, optional
        The largest number of tokens in a batch, including padding: its rows times its longest row, where an empty one
        counts as 1. At least the longest of `lengths`.
    window : int, optional
        The number of consecutive drawn examples that are sorted by length together. By default all of an epoch, which
        gives the least padding; with smaller windows, the examples in a batch vary more from epoch to epoch.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid. The message names the parameter, its value and what to do.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * An epoch visits exactly `sample` examples, in drawn order unless batches are made by length.
    * Reports of an epoch take effect from the next epoch on, so that batches do not depend on how far the workers of a
      DataLoader have read ahead.
    * The same reports give the same weights on every machine.

    Perplexity is the exponential of the reported mean negative log-likelihood per token, at most 1e6. An example counts
    as seen once it was reported. When the first batch of an epoch is requested, the weights are computed. The weight of
    a seen example above T is 1, or T with `clip`; any other weight is the perplexity. The mode is the most frequent
    perplexity among the seen examples, rounded to 0.01 (the smallest if there are several). The spread is the root of
    the sum of squared distances from the mode of the c seen examples above it, divided by c - 1; if c is below 2, there
    is no ceiling.

    A ceiling with the weight 1 works against the method if it cuts off more than noise: the hardest examples are then
    drawn least. `share_above_maximum` is the share of the seen examples above it, and a warning is given if an epoch is
    drawn while it is above 5 %. The mode is unstable for fewer than about 100,000 examples, because few share a value
    that is rounded so finely: set `maximum` to a positive number or None in that case.

    ``batches(epoch)`` works for the running epoch and the next one; others depend on reports that are gone or have yet
    to come. In distributed training, every rank must be given the reports of all ranks: see `report` and
    `check_reports`.

    With `max_tokens` or `window`, the drawn examples are sorted by length within each window, ties in drawn order, and
    cut into batches that are as large as the limits allow; no batch has examples of two windows. If `num_replicas`
    requires more batches, the batches with the most rows are split. Finally, the batches are shuffled by R's
    ``sample.int(number of batches)``, which continues the draws of the epoch. With `max_tokens`, the number of batches
    depends on the draw and differs between epochs: ``len`` is that of the next epoch, given the reports so far.

    The method is OpenNMT's memory sampling (options ``-sample``, ``-sample_type``). Its code does not normalize the
    table for weighted draws, which makes them nearly uniform, and computes the spread from the last example alone; this
    implementation follows its documentation.

    Examples
    --------
    >>> import numpy as np
    >>> from pystrat import PerplexityBatchSampler
    >>> sampler = PerplexityBatchSampler(4, sample=1000, batch_size=500, maximum=None, seed=1)
    >>> sampler.report([0, 1, 2], np.log([1, 2, 4]))
    >>> np.bincount(sampler.batches().rows).tolist()
    [53, 92, 167, 688]
    """

    def __init__(
        self,
        n: int,
        sample: int,
        batch_size: Optional[int] = None,
        *,
        initial: float = 15.0,
        maximum: Union[float, str, None] = None,
        clip: bool = False,
        lengths: Any = None,
        max_tokens: Optional[int] = None,
        window: Optional[int] = None,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        super().__init__(
            n,
            sample,
            batch_size,
            lengths=lengths,
            max_tokens=max_tokens,
            window=window,
            seed=seed,
            num_replicas=num_replicas,
            rank=rank,
        )
        self._initial = _check_initial(initial)
        self._maximum = _check_maximum(maximum)
        self._clip = _check_clip(clip, self._maximum)
        self._has_warned = False
        self._reported = np.full(self._n, np.nan)  # the perplexities, NaN if an example was never reported
        self._started = False
        self._drawn: Optional[tuple[int, _Visits]] = None  # the running epoch and what it visits

    @property
    def started(self) -> bool:
        """Whether an epoch has been drawn in proportion to perplexity."""
        return self._started

    @property
    def share_above_maximum(self) -> float:
        """The share of the seen examples whose perplexity is above `maximum`, from 0 to 1; 0 if there is no ceiling."""
        n_seen = np.count_nonzero(~np.isnan(self._reported))
        return float(np.count_nonzero(self._reported > self._ceiling()) / max(n_seen, 1))

    # Feedback -------------------------------------------------------------------------------------------------------

    def report(self, rows: Any, nll: Any) -> None:
        """Report the loss of examples; it takes effect from the next epoch on.

        Parameters
        ----------
        rows : array of int, shape (k,), or int
            Positions of examples, from 0. An example may occur again, in one report or in several: the last one counts.
        nll : array of float, shape (k,), or float
            The mean negative log-likelihood per token of each, in nats: finite and at least 0. Tensors may be on any
            device.

        Raises
        ------
        TypeError, ValueError
            If a parameter is invalid. In that case nothing is reported.

        Notes
        -----
        In distributed training, gather the rows and losses of all ranks (``torch.distributed.all_gather_object``) and
        give them to every rank in the same order; `check_reports` detects if that was not done.
        """
        places, losses = _as_vector(rows, "rows"), _as_vector(nll, "nll")
        if places.dtype.kind not in "iu" and len(places):
            raise refused_type("rows", "hold integers", f"{places.dtype} values")
        if losses.dtype.kind not in "fiu":
            raise refused_type("nll", "hold numbers", f"{losses.dtype} values")
        if len(places) != len(losses):
            required = f"have one value for each of the rows, {len(places)}"
            raise refused_value("nll", required, count_of(len(losses), "value"))
        outside = (places < 0) | (places >= self._n)
        if outside.any():
            required = f"hold row positions from 0 to {self._n - 1}, counted from 0"
            raise refused_value("rows", required, show(places[outside][0]))
        wrong = ~(np.isfinite(losses) & (losses >= 0))
        if wrong.any():
            first = int(wrong.argmax())
            got = f"{show(float(losses[first]))} for row position {int(places[first])}, counted from 0,"
            raise refused_value("nll", "be finite and at least 0", got)
        report_losses(for_kernel(places, np.int32), for_kernel(losses, np.float64), self._reported)
        if self._latest is not None and not self._runs(self._latest[0]):
            self._latest = None  # an epoch that has yet to begin, whose draws depend on the reports

    @property
    def perplexities(self) -> NDArray[np.float64]:
        """The perplexity of each example, `initial` if it was never reported; shape (n,)."""
        return np.where(np.isnan(self._reported), self._initial, self._reported)

    @property
    def reports_fingerprint(self) -> str:
        """A digest of all reports; the same on all ranks if all were given the same reports."""
        return fingerprint("reports", perplexities=self._reported)

    def check_reports(self, fingerprints: Sequence[str]) -> None:
        """Check that all ranks were given the same reports.

        Parameters
        ----------
        fingerprints : sequence of str
            `reports_fingerprint` of every rank, by rank, as ``torch.distributed.all_gather_object`` gathers them.

        Raises
        ------
        TypeError, ValueError
            If it is not a list of texts, or a rank differs from rank 0; the message names all that differ.
        """
        required = "be a list of the digests of all ranks"
        if isinstance(fingerprints, str):
            raise refused_type("fingerprints", required, show(fingerprints))
        told = check_list(fingerprints, "fingerprints", required=required, kinds=(str,))
        differing = [str(rank) for rank, fingerprint in enumerate(told) if fingerprint != told[0]]
        if differing:
            required = "be the same on all ranks"
            got = f"other reports than rank 0 on rank {', '.join(differing)}"
            advice = "Give every rank the reports of all ranks, in the same order."
            raise refused_value("fingerprints", required, got, advice)

    # The batches ----------------------------------------------------------------------------------------------------

    def _begin_epoch(self, told: Optional[Place] = None) -> Place:
        place = super()._begin_epoch(told)
        if place.ahead is not None:
            self._adopt(place.epoch, place.ahead)
        elif not self._runs(place.epoch):
            self._started = self._starts()
            stream = RandomStream(epoch_seed(self._seed, place.epoch))
            rows = self._draw(place.epoch, stream)
            self._drawn = place.epoch, _Visits(rows, self._started)
            if self._by_length:
                self._latest = place.epoch, self._cut.batches(rows, stream)
            self._warn_of_the_maximum()
        return place

    def _runs(self, epoch: int) -> bool:
        """Return whether this is the epoch that began last."""
        return self._drawn is not None and self._drawn[0] == epoch

    def _adopt(self, epoch: int, visits: Optional["_Visits"]) -> None:
        """Resume an epoch that began before; None if it has yet to be drawn."""
        self._drawn = None if visits is None else (epoch, visits)
        self._latest = None

    def _warn_of_the_maximum(self) -> None:
        """Warn once if examples that are not rare count as noise."""
        if self._has_warned or self._clip or self._maximum is None or not self._started:
            return
        share = self.share_above_maximum
        if share <= _NOTED_SHARE:
            return
        self._has_warned = True
        warnings.warn(
            f"{100 * share:.1f} % of the reported examples are above the maximum, a perplexity of "
            f"{self._ceiling():.2f}. They count as noise and are drawn with the weight 1, the least of all. Choose a "
            "higher maximum, none, or clip them.",
            stacklevel=4,
        )

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        lists = super()._lists_from(place)
        return lists if self._drawn is None else _DrawnLists(self._drawn[1], lists)

    def _epoch_batches(self, epoch: int) -> Batches:
        if epoch != self.epoch and not self._runs(epoch):
            running = "" if self._drawn is None else f"{self._drawn[0]}, the running epoch, or "
            advice = "Others depend on reports that are gone or have yet to come."
            required = f"be {running}{self.epoch}, the next"
            raise refused_value("epoch", required, show(epoch), advice)
        return super()._epoch_batches(epoch)

    def _epoch_length(self, epoch: int) -> int:
        if self._cut.n_batches is None and epoch != self.epoch and not self._runs(epoch):
            return self._sample  # no epoch has more: others depend on reports that are gone or have yet to come
        return super()._epoch_length(epoch)

    def _most_batches(self, epoch: int) -> int:
        # By length, a state contains the draw that its number of batches depends on.
        return self._sample if self._cut.n_batches is None else self._cut.n_batches

    def _cut_anew(self, epoch: int) -> Batches:
        if self._drawn is None or self._drawn[0] != epoch:
            return super()._cut_anew(epoch)
        return self._cut_visits(epoch, self._drawn[1])  # the running epoch stays as it was drawn

    def _cut_visits(self, epoch: int, visits: "_Visits") -> Batches:
        """Return the batches of an earlier draw again."""
        stream = RandomStream(epoch_seed(self._seed, epoch))
        if self._by_length and visits.weighted:
            stream.uniforms(self._sample)  # two outputs each, like a draw by weight, whatever the weights were
        elif self._by_length:
            draw_rows(stream, self._n, self._sample)
        return self._cut.batches(visits.rows.copy(), stream)

    def _draw(self, epoch: int, stream: RandomStream) -> NDArray[np.int32]:
        if self._starts():
            return draw_by_sums(stream, self._cumulative_weights(), self._sample)
        return draw_rows(stream, self._n, self._sample)

    def _starts(self) -> bool:
        """Return whether an epoch that begins now is drawn in proportion to the weights."""
        return self._started or is_below_initial(self._reported, self._initial)

    def _cumulative_weights(self) -> NDArray[np.float64]:
        """Return the cumulative weights of all examples."""
        ceiling = self._ceiling()
        return cumulative_weights(self._reported, self._initial, ceiling, ceiling if self._clip else 1.0)

    def _ceiling(self) -> float:
        """Return the perplexity above which examples count as noise; infinite if there is no ceiling."""
        if self._maximum is None:
            return np.inf
        return self._maximum if self._maximum > 0 else noise_ceiling(self._reported, -self._maximum)

    def _recipe(self) -> Recipe:
        state: dict[str, Any] = {"reported": self._reported, "started": self._started}
        if self._drawn is not None:
            epoch, visits = self._drawn
            batch = self._next.batch if self._next.epoch == epoch else 0
            state.update(epoch=epoch, batch=batch, drawn=visits.rows)
            if self._by_length:
                state["weighted"] = visits.weighted
        parts = {**self._drawn_parts(), "initial": self._initial, "maximum": self._maximum, "clip": self._clip}
        return make_recipe("perplexity", seed=self._seed, parts=parts, state=state)

    # The state ------------------------------------------------------------------------------------------------------

    def _feedback_state(self, place: Place, batches: Optional[Iterator[list[int]]]) -> dict[str, Any]:
        # An iterator has its own rows, even if another one has begun the next epoch since.
        visits = batches.visits if isinstance(batches, _DrawnLists) else place.ahead
        if visits is None and self._drawn is not None and self._drawn[0] == place.epoch:
            visits = self._drawn[1]
        as_text = None if visits is None else _to_text(visits.rows)
        state = {"reports": _to_text(self._reported), "started": self._started, "drawn": as_text}
        if self._by_length:
            state["weighted"] = visits is not None and visits.weighted
        return state

    def _load_feedback_state(self, state: Mapping[str, Any]) -> Optional["_Visits"]:
        """Load the reports, and return what the epoch of the state visits, if it is drawn."""
        flags = ("started", "weighted") if self._by_length else ("started",)
        if not {"reports", "drawn", *flags} <= set(state):
            required = f"have the entries 'reports', {', '.join(map(repr, flags))} and 'drawn'"
            raise refused_value("state", required, count_of(len(state), "other"))
        for flag in flags:
            if not isinstance(state[flag], (bool, np.bool_)):
                raise refused_value("state", f"hold true or false as '{flag}'", show(state[flag]))
        reported = _from_text(state["reports"], np.float64)
        drawn = None if state["drawn"] is None else _from_text(state["drawn"], np.int32)
        at_beginning = state["batch"] == 0  # where the rows may not be drawn yet
        fits = at_beginning if drawn is None else len(drawn) == self._sample
        if len(reported) != self._n or not fits:
            rows = f"{'all or none of ' if at_beginning else ''}{count_of(self._sample, 'drawn row')}"
            required = f"hold {count_of(self._n, 'report')}, and {rows}"
            got = f"{len(reported)} and {0 if drawn is None else len(drawn)}"
            raise refused_value("state", required, got)
        wrong = reported[(reported < 1) | (reported > MAX_PERPLEXITY)]
        if len(wrong):
            required = f"hold reports of perplexities from 1 to {show(MAX_PERPLEXITY)}"
            raise refused_value("state", required, show(wrong[0]))
        if drawn is not None and (drawn.min() < 0 or drawn.max() >= self._n):
            required = f"hold drawn rows from 0 to {self._n - 1}"
            got = show(drawn.min() if drawn.min() < 0 else drawn.max())
            raise refused_value("state", required, got)
        visits = None if drawn is None else _Visits(drawn, self._by_length and bool(state["weighted"]))
        if visits is not None and self._cut.n_batches is None:
            n_batches = len(self._cut_visits(int(state["epoch"]), visits))
            check_integer(state["batch"], "batch", minimum=0, maximum=n_batches)
        self._reported, self._started = reported, bool(state["started"])
        self._adopt(int(state["epoch"]), visits)
        return visits

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._sample} of {self._n} examples, {self._cut}, "
            f"seed={self._seed}, epoch={self.epoch})"
        )


class _Visits(NamedTuple):
    """The examples of an epoch, in drawn order, and whether they were drawn in proportion to perplexity.

    The latter is only used by length, and is otherwise False after loading a state.
    """

    rows: NDArray[np.int32]
    weighted: bool


class _DrawnLists(Iterator[list[int]]):
    """The batches of an epoch as lists, and what it visits, drawn by the reports at that time."""

    def __init__(self, visits: _Visits, lists: Iterator[list[int]]) -> None:
        self.visits = visits
        self._lists = lists

    def __next__(self) -> list[int]:
        return next(self._lists)


def _check_initial(initial: Any) -> float:
    required = f"be a number above 1 and at most {show(MAX_PERPLEXITY)}"
    if not is_number(initial):
        raise refused_type("initial", required, show(initial))
    number = as_double(initial)
    if not 1 < number <= MAX_PERPLEXITY:
        raise refused_value("initial", required, show(initial))
    return number


def _check_maximum(maximum: Any) -> Optional[float]:
    if maximum is None:
        return None
    if isinstance(maximum, str) and maximum == "published":
        return PUBLISHED_MAXIMUM
    required = "be a finite number other than 0, 'published', or nothing"
    if not is_number(maximum):
        raise refused_type("maximum", required, show(maximum))
    number = as_double(maximum)
    if not np.isfinite(number) or number == 0:
        raise refused_value("maximum", required, show(maximum))
    return number


def _check_clip(clip: Any, maximum: Optional[float]) -> bool:
    if check_flag(clip, "clip") and maximum is None:
        raise refused_value("clip", "be false if there is no maximum", show(clip))
    return bool(clip)


def _as_vector(values: Any, name: str) -> NDArray[Any]:
    array = plain_array(values, name)
    if array.ndim == 0 and array.dtype.kind != "O":
        array = array.reshape(1)
    if array.ndim != 1:
        raise refused_type(name, "have one dimension", count_of(array.ndim, "dimension"))
    return array


def _to_text(values: NDArray[Any]) -> str:
    """Pack an array into text, which all checkpoint formats can store, even those that refuse arrays."""
    return base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def _from_text(text: Any, dtype: Any) -> NDArray[Any]:
    """Return the array that `_to_text` packed; refuse anything else."""
    required = "hold reports and drawn rows as it was saved: numbers, packed into text"
    if not isinstance(text, str):
        raise refused_value("state", required, show(text))
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), np.dtype(dtype).newbyteorder("<")).astype(dtype)
    except ValueError:  # not text of that form, or not of whole numbers
        raise refused_value("state", required, "other text") from None
