"""Part of the dataset in every epoch, drawn in proportion to the perplexity of the examples."""

from __future__ import annotations

import base64
import warnings
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat import _core
from pystrat.arrays import check_same_rows, for_kernel, row_array
from pystrat.batches import Batches
from pystrat.core_sampler import arguments_of
from pystrat.corpus.cutting import CuttingBatchSampler, take_lengths
from pystrat.digest import fingerprint
from pystrat.messages import check_integer, check_list, count_of, refused_type, refused_value, show
from pystrat.places import Place
from pystrat.recipe import Recipe, make_recipe
from pystrat.row_arguments import row_positions

MAX_PERPLEXITY = 1e6


class PerplexityBatchSampler(CuttingBatchSampler):
    """Batch sampler that visits `sample` of `n_rows` examples in each epoch, those of high perplexity more often.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function
    ``rbridge::batch_sampler_perplexity()`` returns the same batches from the same seed. Draws are uniform, with
    replacement, until the mean perplexity of all examples is below `initial`, and then in proportion to perplexity. The
    training loop calls `report`. docs/corpus.md is a guide.

    Parameters
    ----------
    n_rows : int
        The number of examples of the dataset, from 1 to 2147483647.
    sample : int
        The number of examples in an epoch, from 1 to 2147483647; it may exceed `n_rows`.
    batch_size : int, optional
        The number of examples per batch; optional with `max_tokens`. The last batch may be shorter.
    initial : float, default 15
        The perplexity of an example that was never reported, above 1 and at most 1e6.
    maximum : float, "published" or None, default None
        The perplexity T above which an example counts as noise. A positive number is T itself; for a negative number x,
        T is ``mode + |x| * spread``; "published" is the published default, -1.5. If None, there is no ceiling.
    clip : bool, default False
        The weight of an example above T: T if True, 1 if False, as published. Requires a `maximum`.
    lengths, max_tokens, window, balance_replicas, seed, num_replicas, rank : optional
        As in `EpochSubsetBatchSampler`.

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

    The method is OpenNMT's memory sampling (options ``-sample``, ``-sample_type``). Its code does not normalize the
    table for weighted draws, which makes them nearly uniform, and computes the spread from the last example alone; this
    implementation follows its documentation.

    Examples
    --------
    >>> import numpy as np
    >>> from pystrat import PerplexityBatchSampler
    >>> sampler = PerplexityBatchSampler(
    ...     4, sample=1000, batch_size=500, maximum=None, seed=1
    ... )
    >>> sampler.report([0, 1, 2], np.log([1, 2, 4]))
    >>> np.bincount(sampler.batches().rows).tolist()
    [53, 92, 167, 688]
    """

    _kind = "perplexity"
    _has_feedback = True
    _running: Optional[tuple[int, "_Visits"]] = None  # the epoch that began last, and what it visits

    def __init__(
        self,
        n_rows: int,
        sample: int,
        batch_size: Optional[int] = None,
        *,
        initial: float = 15.0,
        maximum: Union[float, str, None] = None,
        clip: bool = False,
        lengths: Any = None,
        max_tokens: Optional[int] = None,
        window: Optional[int] = None,
        balance_replicas: bool = False,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals())
        data = take_lengths(arguments)
        self._adopt(self._plan_of(arguments, data), seed=seed, num_replicas=num_replicas, rank=rank)
        self._begin_instance({})

    def _begin_instance(self, feedback: dict[str, Any]) -> None:
        """Make the instance, which also tells numbers of batches, with this feedback."""
        parts = make_recipe(self._kind, seed=self._seed, parts=self._parts).parts
        self._instance = _core.Instance(self._kind, dict(parts), self._seed)
        self._instance.begin(feedback)
        self._idle = [self._instance]

    @property
    def started(self) -> bool:
        """Whether an epoch has been drawn in proportion to perplexity."""
        return bool(self._instance.ask("started")["started"])

    @property
    def share_above_maximum(self) -> float:
        """The share of the seen examples whose perplexity is above `maximum`, from 0 to 1; 0 if there is no ceiling."""
        return float(self._instance.ask("share_above_maximum")["share_above_maximum"])

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
        check_same_rows([("rows", rows), ("nll", nll)])
        places, losses = _as_vector(rows, "rows"), _as_vector(nll, "nll")
        if places.dtype.kind not in "iu" and len(places):
            raise refused_type("rows", "hold integers", f"{places.dtype} values")
        if losses.dtype.kind not in "fiu":
            raise refused_type("nll", "hold numbers", f"{losses.dtype} values")
        self._instance.tell(
            "report", {}, {"rows": row_positions(places, "rows"), "nll": for_kernel(losses, np.float64)}
        )
        if self._latest is not None and not self._runs(self._latest[0]):
            self._latest = None  # an epoch that has yet to begin, whose draws depend on the reports

    def perplexities(self) -> NDArray[np.float64]:
        """Return the perplexity of each example, `initial` if it was never reported; shape (n_rows,)."""
        found: NDArray[np.float64] = self._instance.ask("perplexities")["perplexities"]
        return found

    @property
    def reports_fingerprint(self) -> str:
        """A digest of all reports; the same on all ranks if all were given the same reports."""
        return fingerprint("reports", perplexities=self._feedback()["reported"])

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

    def _begin_epoch(self, place: Place) -> Place:
        if place.drawn is not None:
            self._adopt_epoch(place.epoch, place.drawn)
        elif not self._runs(place.epoch):
            begun = self._instance.tell("begin", {"epoch": place.epoch}, {})
            self._running = place.epoch, _Visits(begun["drawn"], begun["weighted"])
            if self._by_length:
                self._latest = place.epoch, Batches(begun["rows"], begun["offsets"])
            for warning in begun.get("warnings", ()):
                warnings.warn(warning, stacklevel=4)
        assert self._running is not None
        return place._replace(drawn=self._running[1])

    def _runs(self, epoch: int) -> bool:
        """Return whether this is the epoch that began last."""
        return self._running is not None and self._running[0] == epoch

    def _adopt_epoch(self, epoch: int, visits: Optional["_Visits"]) -> None:
        """Resume an epoch that began before; None if it has yet to be drawn."""
        self._running = None if visits is None else (epoch, visits)
        self._latest = None

    def _latest_batches(self, epoch: int) -> Batches:
        if epoch != self.epoch and not self._runs(epoch):
            self._latest = None  # which may have it, but it is not served any more
        return super()._latest_batches(epoch)

    def _epoch_length(self, epoch: int) -> int:
        if epoch != self.epoch and not self._runs(epoch):
            return self._most_batches(epoch)  # others depend on reports that are gone or have yet to come
        return super()._epoch_length(epoch)

    def _most_batches(self, epoch: int) -> int:
        # By length, a state contains the draw that its number of batches depends on.
        return self._known_length(epoch) or int(self._parts["sample"])

    def _drawn(self, epoch: int) -> dict[str, NDArray[Any]]:
        """Return the batches of the running epoch, which stays as it was drawn, or of the next one."""
        asked: dict[str, Any] = {"epoch": epoch, "next_epoch": self.epoch}
        running = self._running  # which another thread may replace meanwhile
        return self._instance.ask("epoch", asked) if running is None else self._ask_for_visits(asked, *running)

    def _ask_for_visits(self, asked: dict[str, Any], running: int, visits: "_Visits") -> dict[str, NDArray[Any]]:
        asked.update(running=running, weighted=visits.weighted)
        return self._instance.ask("epoch", asked, {"drawn": visits.rows})

    def _feedback(self) -> dict[str, Any]:
        """Return everything that feedback changes."""
        found = self._instance.ask("state")
        return {**found, "started": float(found["started"]), "has_warned": float(found["has_warned"])}

    def _fingerprint(self) -> str:
        return self._instance.identify()

    def _recipe(self) -> Recipe:
        state: dict[str, Any] = {"reported": self._feedback()["reported"], "started": self.started}
        if self._running is not None:
            epoch, visits = self._running
            batch = self._next.batch if self._next.epoch == epoch else 0
            state.update(epoch=epoch, batch=batch, drawn=visits.rows)
            if self._by_length:
                state["weighted"] = visits.weighted
        return make_recipe(self._kind, seed=self._seed, parts=self._parts, state=state)

    # The state ------------------------------------------------------------------------------------------------------

    def _state(self, place: Place) -> dict[str, Any]:
        visits = place.drawn
        if visits is None and self._running is not None and self._running[0] == place.epoch:
            visits = self._running[1]
        as_text = None if visits is None else _to_text(visits.rows)
        state = {"reports": _to_text(self._feedback()["reported"]), "started": self.started, "drawn": as_text}
        if self._by_length:
            state["weighted"] = visits is not None and visits.weighted
        return {**super()._state(place), **state}

    def _place(self, state: Any) -> Place:
        return super()._place(state)._replace(drawn=self._load_reports(state))

    def _load_reports(self, state: Mapping[str, Any]) -> Optional["_Visits"]:
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
        n, sample = self._parts["n_rows"], self._parts["sample"]
        fits = at_beginning if drawn is None else len(drawn) == sample
        if len(reported) != n or not fits:
            rows = f"{'all or none of ' if at_beginning else ''}{count_of(sample, 'drawn row')}"
            required = f"hold {count_of(n, 'report')}, and {rows}"
            got = f"{len(reported)} and {0 if drawn is None else len(drawn)}"
            raise refused_value("state", required, got)
        wrong = reported[(reported < 1) | (reported > MAX_PERPLEXITY)]
        if len(wrong):
            required = f"hold reports of perplexities from 1 to {show(MAX_PERPLEXITY)}"
            raise refused_value("state", required, show(wrong[0]))
        if drawn is not None and (drawn.min() < 0 or drawn.max() >= n):
            required = f"hold drawn rows from 0 to {n - 1}"
            got = show(drawn.min() if drawn.min() < 0 else drawn.max())
            raise refused_value("state", required, got)
        visits = None if drawn is None else _Visits(drawn, self._by_length and bool(state["weighted"]))
        epoch = int(state["epoch"])
        if visits is not None and self._known_length(epoch) == 0:
            cut = self._ask_for_visits({"epoch": epoch, "next_epoch": epoch}, epoch, visits)
            check_integer(state["batch"], "batch", minimum=0, maximum=len(cut["offsets"]) - 1)
        has_warned = self._feedback()["has_warned"]
        self._instance.begin({"reported": reported, "started": float(state["started"]), "has_warned": has_warned})
        self._adopt_epoch(epoch, visits)
        return visits

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_instance": self._feedback()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin_instance(state["_instance"])

    def __repr__(self) -> str:
        parts = self._parts
        return (
            f"{type(self).__name__}({parts['sample']} of {parts['n_rows']} examples, "
            f"{self._shown_batches(self.epoch)}, seed={self._seed}, epoch={self.epoch})"
        )


class _Visits(NamedTuple):
    """The examples of an epoch, in drawn order, and whether they were drawn in proportion to perplexity.

    The latter is only used by length, and is otherwise False after loading a state.
    """

    rows: NDArray[np.int32]
    weighted: bool


def _as_vector(values: Any, name: str) -> NDArray[Any]:
    array = row_array(values, name)
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
