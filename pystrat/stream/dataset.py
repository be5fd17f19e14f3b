"""Stratified batches of rows that are streamed from sources."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info

from pystrat import _core
from pystrat.arrays import as_mapping
from pystrat.base import STATE_VERSION, check_replicas, check_state
from pystrat.callers import is_count_of_loader, is_divided, joins_items
from pystrat.core_sampler import arguments_of
from pystrat.counts_by_shard import shown_names
from pystrat.digest import fingerprint_of
from pystrat.limits import MAX_COUNT
from pystrat.messages import check_flag, check_integer, count_of, refused_value, show
from pystrat.process_group import warn_of_process_group
from pystrat.seeds import check_seed
from pystrat.strata import encode_strata, sorted_series
from pystrat.stream.counting import counts_of_sources, name_sources
from pystrat.stream.dealing import CountedBatches, DeclaredBatches, TakenBatches
from pystrat.stream.iterating import StreamIterator
from pystrat.stream.lanes import LanePlan, Lanes, plan_lanes
from pystrat.stream.ordering import Checks, all_rows, in_order, shuffled, shuffled_together
from pystrat.stream.reading import SourceError, SourceReader, check_reader
from pystrat.stream.starting import SharedStart, Start

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    import pandas as pd
    from numpy.typing import NDArray

    from pystrat.stream.reading import Chunk


class StratifiedStream(IterableDataset[list[Any]]):
    """Iterable dataset of batches with a minimum number of rows of every stratum, streamed from sources.

    Its items are whole batches, as lists of rows. Pass it to a PyTorch ``DataLoader`` with ``batch_size=None`` and, to
    convert the rows to tensors, ``collate_fn=torch.utils.data.default_collate``. A row waits in memory until its batch
    is complete. Text is faster to hold than parsed rows: see "Keep rows as text" in docs/streams.md.

    Parameters
    ----------
    sources : list, or dict by name
        The parts of the data, such as the paths of files. The name of a source is its key in the dict; in a list, its
        path or its ``repr``. Names are unique and the same in every process, because counts and states refer to them.
    min_samples_per_stratum : int or mapping, optional
        The minimum m: each batch has at least m rows of each stratum. Give either it or `mean_batch_size`. With
        `counts`, a mapping, such as ``{1: 5, 0: 20}``, sets a minimum for each stratum that it names.
    read : callable
        A function that takes a source and returns an iterable of its rows, in the same order every time: `read_csv`,
        `read_json_lines`, or your own. It must be picklable for workers that are not forked.
    stratum : callable, or key
        A function that takes a row and returns its stratum, or the key of the stratum in the row, such as the name of a
        column.
    counts : pandas.DataFrame, optional
        The number of rows of each stratum (columns) in each source (rows): see `count_sources`. Further sources are
        ignored.
    strata : list, optional
        All strata, if there are no counts. Give either `counts` or `strata`.
    min_batch_size : int, default 1
        The least number of rows of a batch, with `min_samples_per_stratum`.
    mean_batch_size : int, optional
        The mean number of rows of a batch, with `counts`. With n rows, each of L lanes has
        ``max(1, round-half-up(n / (L * mean_batch_size)))`` batches. The minimum m is the largest that all batches
        have.
    shares : mapping, optional
        The share of each stratum in every batch, as positive weights, such as ``{"positive": 1,
        "negative": 3}``, with `mean_batch_size` and `counts`.
    balance : {"over", "under"} or int, optional
        Take the same number of rows of every stratum in each epoch, over all lanes: the size of the largest stratum
        ("over", oversampling), the size of the smallest ("under", undersampling), or a given number. With
        `mean_batch_size` and `counts`.
    rare : {"error", "warn", "allow"}, default "error"
        What to do, with `counts`, if a lane has fewer than m rows of a stratum: raise an error, or put all rows of each
        lane into one batch, with or without a warning. With `mean_batch_size`, what to do if a lane has more batches
        than rows of a stratum: raise an error, or make batches without the stratum, with or without a warning. If the
        stream shuffles, rows of such a stratum are in other batches in each epoch.
    buffer_size : int, optional
        The largest number of rows that a lane may hold in memory at a time; by default unlimited.
    lanes : int, default 1
        The number of parts of the stream that are batched separately: source k, in the order of names by code point,
        belongs to lane ``k % lanes``. Must be a multiple of the number of replicas times the number of workers.
    shuffle : bool, default True
        Whether to shuffle the sources, and the rows of each source, in each epoch. A source is then held in memory as
        a whole. The order in which sources are given does not matter then. If False, sources and rows keep their order.
    shuffle_sources : int, default 1
        The number of sources, one after another in the order of an epoch, whose rows are shuffled together. They are
        then held in memory as a whole. With more, a batch has fewer rows of the same source.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from `seed`. Required with `rank`, and
        the same on all ranks.
    num_replicas, rank : int, optional
        The number of processes that share the batches, and the index of this process among them, from 0.

    Attributes
    ----------
    min_samples_per_stratum : int
        The number of rows of each stratum that every batch has.
    buffer_needed : int or None
        The largest number of rows that a lane may have to hold at a time, whatever the order of its sources; None
        without counts.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid; with counts, also if a lane has too few rows of a stratum, or if `buffer_size` is
        less than `buffer_needed`.

    Warns
    -----
    UserWarning
        If a lane has too few rows of a stratum and ``rare="warn"``.

    Notes
    -----
    **With counts** all lanes have the same number of batches, ``B = min(n // m)`` over lanes and strata, where n is the
    rows of the stratum in the lane and m is `min_samples_per_stratum`; or less, until each batch has `min_batch_size`
    rows; or as `mean_batch_size` says. Row i of n of a stratum in the order of a lane belongs to batch ceil(i * B / n);
    if n is less than B and the stream shuffles, to batch ceil((i * B - h) / n), with a number h below B that is drawn
    in each epoch. So each batch has the floor or ceiling of n / B rows of each stratum, each row is in one batch,
    ``len`` is exact, and a resumed stream reads only the sources that it still needs. A source that does not match its
    counts raises a `SourceError`.

    **With shares or balance**, an epoch takes k of the n rows of a stratum in a lane: any E epochs in succession take
    each of these rows the floor or ceiling of E * k / n times. Each batch has the floor or ceiling of k / B rows of the
    stratum, and no row twice. Sources are then read as a whole, and rows are held as the reader returns them. If k
    exceeds n, the same row comes again about 10 batches later, if the lane has enough rows. See docs/streams.md.

    **Without counts**, a batch is cut as soon as it has the rows that it needs; rows that are left at the end of a lane
    are added to the lane's last batch. The number of batches is not known in advance and may differ between lanes, and
    therefore between ranks: use DDP's ``join``. A resumed stream reads the epoch from its beginning.

    The batches of a lane depend only on the data, the parameters, the seed and the epoch. Lanes take turns. So for a
    given number of lanes, the batches are the same, in the same order, with any number of workers, and over all ranks
    with any number of ranks; without counts, the order may differ once a lane has ended.

    Each iteration takes the next epoch, with and without workers, including persistent ones. Within a batch, rows are
    ordered by stratum.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from pystrat.stream import StratifiedStream, count_sources
    >>> sources = {"a": [0, 0, 0, 1], "b": [1, 0, 0, 0]}
    >>> counts = count_sources(sources, read=iter, stratum=int)
    >>> stream = StratifiedStream(
    ...     sources, 1, read=iter, stratum=int, counts=counts, shuffle=False
    ... )
    >>> list(DataLoader(stream, batch_size=None, collate_fn=list))
    [[0, 0, 0, 1], [0, 0, 0, 1]]
    """

    def __init__(
        self,
        sources: Union[Iterable[Any], Mapping[str, Any]],
        min_samples_per_stratum: Union[int, Mapping[Any, int], None] = None,
        *,
        read: Callable[[Any], Iterable[Any]],
        stratum: Union[Callable[[Any], Any], Any],
        counts: Any = None,
        strata: Optional[Sequence[Any]] = None,
        min_batch_size: int = 1,
        mean_batch_size: Optional[int] = None,
        shares: Optional[Mapping[Any, float]] = None,
        balance: Union[str, int, None] = None,
        rare: str = "error",
        buffer_size: Optional[int] = None,
        lanes: int = 1,
        shuffle: bool = True,
        shuffle_sources: int = 1,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("sources", "read", "stratum"))
        given = name_sources(sources)
        self._sources = sorted(given, key=lambda source: source.name)  # the same in all processes
        self._names = [source.name for source in self._sources]
        arguments["n_sources"] = len(given)
        for name in ("min_samples_per_stratum", "shares"):
            arguments[name] = as_mapping(arguments[name], name)
        checked = _core.call("stream_plan", arguments)
        self._least: Any = checked.get("min_samples_per_stratum")  # None if the plan has it
        self._least_rows = checked["min_batch_size"]
        self._num_replicas, self._rank = check_replicas(num_replicas, rank)
        self._seed = check_seed(seed, rank=self._rank)
        n_lanes, self._limit = checked["lanes"], checked["buffer_size"]
        place_of = {name: place for place, name in enumerate(self._names)}
        order = np.array([place_of[source.name] for source in given], dtype=np.int32)
        self._lanes = Lanes(order, n_lanes, checked["shuffle"], checked["shuffle_sources"], self._seed)
        if counts is None:
            self._plan = None
            self._strata = shown_names(strata, "strata", noun="stratum")
        else:
            counted = counts_of_sources(counts, self._names)
            self._plan = plan_lanes(arguments, counted)
            self._strata = tuple(counted.strata)
            self._labels = counted.labels()
        self._reader = SourceReader(check_reader(read), stratum, self._strata)
        self._start = SharedStart(n_lanes)
        self._warned = False
        self._known_fingerprint: Optional[str] = None

    # Public ---------------------------------------------------------------------------------------------------------

    @property
    def seed(self) -> int:
        """The seed, given or drawn."""
        return self._seed

    @property
    def num_replicas(self) -> Optional[int]:
        """The number of processes that share the batches; None if not given."""
        return self._num_replicas

    @property
    def rank(self) -> Optional[int]:
        """The index of this process among the replicas; None for all batches."""
        return self._rank

    @property
    def epoch(self) -> int:
        """The number of the next epoch, from 0."""
        return self._start.next.epoch

    @property
    def min_samples_per_stratum(self) -> int:
        """The number of rows of each stratum that every batch has."""
        return int(self._least if self._plan is None else self._plan.min_samples_per_stratum)

    @property
    def buffer_needed(self) -> Optional[int]:
        """The largest number of rows that a lane may have to hold, in any order of its sources; None without counts."""
        return None if self._plan is None else self._plan.rows_held

    def class_weights(self, *, normalize: bool = False) -> pd.Series:
        """Return the training weight of each stratum, by its value, sorted as ``numpy.unique`` sorts classes.

        Parameters
        ----------
        normalize : bool, default False
            If False, the weight of a stratum is its rows / its rows in an epoch, over all lanes, which is 1 without
            `shares` and `balance`. If True, the weights are divided by their mean over an epoch, so that the learning
            rate keeps its scale.

        Returns
        -------
        pandas.Series of float64

        Raises
        ------
        ValueError
            If the stream has no counts.
        """
        weights = self._weights_of_strata(normalize)
        return sorted_series(weights, encode_strata(self._labels, missing="stratum").values, "weight")

    def weights(self, rows: Sequence[Any], *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row, that of its stratum.

        Parameters
        ----------
        rows : list
            Rows as the reader returns them, such as a batch; a stream has no positions of rows.
        normalize : bool, default False
            As in `class_weights`.

        Returns
        -------
        numpy.ndarray of float64, shape (n_rows,)

        Raises
        ------
        ValueError
            If the stream has no counts, or if a row has an unknown stratum.
        """
        return self._weights_of_strata(normalize)[self._reader.codes_of_batch(rows)]

    def _weights_of_strata(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weight of each stratum, in the order of the counts."""
        if self._plan is None:
            raise refused_value("counts", "be given for weights", "None")
        available = self._plan.totals.sum(axis=0)
        taken = available if self._plan.taken is None else self._plan.taken.sum(axis=0)
        if check_flag(normalize, "normalize"):
            return np.asarray(available / taken * (taken.sum() / available.sum()))
        return np.asarray(available / taken)

    def __len__(self) -> int:
        """Return the number of this rank's batches in an epoch; raise TypeError without counts."""
        if self._plan is None:
            raise TypeError(f"A {type(self).__name__} without 'counts' has no length.")
        return self._plan.n_batches * self._n_own_lanes

    def __iter__(self) -> StreamIterator:
        if joins_items():
            raise ValueError(
                f"The DataLoader has a batch size, so it would join several batches of {type(self).__name__} into one. "
                "Set its batch_size=None. The Trainer of transformers always sets one: use a loop instead."
            )
        return StreamIterator(self, self._start.enter())

    def set_epoch(self, epoch: int, batches_done: Optional[int] = None) -> None:
        """Set the next epoch, and where in it to begin; call it before ``iter(loader)``."""
        epoch = self._check_epoch(epoch)
        if is_divided():
            raise ValueError(
                f"accelerate divides the rows of each batch of {type(self).__name__} among the processes. Do not "
                "prepare the loader with accelerate. Give the stream num_replicas=accelerator.num_processes and "
                "rank=accelerator.process_index, and iterate over the loader itself, or over ResumableLoader(loader)."
            )
        if is_count_of_loader():
            return
        start = self._start.next
        if batches_done is not None:
            start = self._place_after(epoch, batches_done)
        self._start.set(start if start.epoch == epoch or batches_done is not None else Start(epoch, 0))

    def state(self, epoch: Optional[int] = None, batches_done: int = 0) -> dict[str, Any]:
        """Return the state after this many of this rank's batches of an epoch, as `BatchSampler.state` does."""
        place = self._next if epoch is None else self._place_after(self._check_epoch(epoch), batches_done)
        return self._state_at(place)

    def _place_after(self, epoch: int, batches_done: Any) -> Start:
        length = MAX_COUNT if self._plan is None else len(self)
        done = check_integer(batches_done, "batches_done", minimum=0, maximum=length)
        failed = self._start.failed
        if failed is not None and failed.epoch == epoch and done > failed.batch:
            required = f"be at most {failed.batch}, the batches before the first error in a worker"
            raise refused_value("batches_done", required, show(done))
        return Start(epoch, done) if done < length else Start(epoch + 1, 0)

    @property
    def _next(self) -> Start:
        return self._start.next

    def state_dict(self, batches_consumed: Optional[int] = None) -> dict[str, Any]:
        """Return the state of the stream, for `load_state_dict`.

        Parameters
        ----------
        batches_consumed : int, optional
            The number of batches that the training loop has taken since ``iter(loader)``. With 0, the state is the
            beginning of this iteration, whether or not its workers have begun; the call waits up to half a second for
            workers that still have to leave the iteration before. If not given, the state is the beginning of the next
            epoch.

        Returns
        -------
        dict
            ``version``, ``fingerprint``, ``epoch`` and ``batch``, the batch to continue with, counted over all ranks
            from the beginning of the epoch. It contains no rows.

        Raises
        ------
        TypeError, ValueError
            If `batches_consumed` is not an integer from 0 to the number of batches that were left; if it counts batches
            after the first error in a worker; or if it is above 0 for a stream without counts with several lanes per
            rank, whose turns only the iterator knows: use its ``state_dict``, as torchdata's StatefulDataLoader does.
        """
        if batches_consumed is None:
            return self.state()
        running, following = self._start.places()
        most = 0 if running is None else MAX_COUNT if self._plan is None else len(self) - running.batch
        consumed = check_integer(batches_consumed, "batches_consumed", minimum=0, maximum=most)
        first = following if running is None or (consumed == 0 and self._start.is_over(running)) else running
        if consumed and self._plan is None and self._n_own_lanes > 1:
            advice = "Use the state_dict() of the iterator, or give 'counts'."
            raise refused_value(
                "batches_consumed", "be 0 without 'counts' and with several lanes", show(consumed), advice
            )
        self._check_before_failure(first, consumed)
        is_end = self._plan is not None and first.batch + consumed >= len(self)
        return self._state_at(Start(first.epoch + 1, 0) if is_end else Start(first.epoch, first.batch + consumed))

    def _check_before_failure(self, first: Start, consumed: int) -> None:
        """Refuse to count batches after one that a worker failed to make: the other workers have gone on."""
        failed = self._start.failed
        if failed is not None and consumed > failed.batch - first.batch:
            required = f"be at most {failed.batch - first.batch}, the batches before the first error in a worker"
            advice = "Load the state of those batches, and continue in a new iteration."
            raise refused_value("batches_consumed", required, show(consumed), advice)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state, with any number of workers and ranks.

        Raises
        ------
        TypeError, ValueError
            If `state` is not a state, has another version, or is that of a stream with other sources, parameters or
            seed.
        """
        place = self._place_of(state)
        is_end = self._plan is not None and state["batch"] >= self._plan.n_batches * self._lanes.n_lanes
        self._start.set(Start(place.epoch + 1, 0) if is_end else place)  # a rank that alone is at the end waits there

    # Called by iterators --------------------------------------------------------------------------------------------

    @property
    def _n_own_lanes(self) -> int:
        """The number of lanes of this rank."""
        return self._lanes.n_lanes // self._stride

    @property
    def _stride(self) -> int:
        return 1 if self._rank is None or self._num_replicas is None else self._num_replicas

    def _check_workers(self, n_workers: int) -> None:
        """Refuse a number of workers that does not divide the lanes of this rank."""
        if self._n_own_lanes % n_workers:
            required = f"be a multiple of {self._stride * n_workers}, the number of ranks times that of workers"
            raise refused_value("lanes", required, show(self._lanes.n_lanes))

    def _find_start(self, iteration: int) -> Start:
        """Return where an iteration begins, which must be in an epoch that has seeds."""
        start = self._start.find(iteration)
        self._check_epoch(start.epoch)
        return start

    def _begin(self, start: Start, worker: int) -> None:
        """Begin to read an iteration; see `SharedStart.begin`."""
        if not self._warned and self._num_replicas is None:
            advice = "each process reads all sources. Give num_replicas and rank."
            self._warned = warn_of_process_group("num_replicas", advice, stacklevel=5)
        self._start.begin(start, worker)

    def _lane_batches(self, lane: int, epoch: int, first: int) -> Iterator[list[Any]]:
        """Iterate over the batches of one of this rank's lanes in an epoch, beginning with batch `first`."""
        lane = (self._rank or 0) + self._stride * lane
        if self._plan is None:
            return self._cut_batches(lane, epoch, first)
        return self._planned_batches(self._plan, lane, epoch, first)

    def _state_at(self, start: Start) -> dict[str, Any]:
        """Return the state of a place."""
        last = MAX_COUNT if self._plan is None else len(self)  # the place of a worker may be beyond it
        return {
            "version": STATE_VERSION,
            "fingerprint": self._fingerprint(),
            "epoch": start.epoch,
            "batch": min(start.batch, last) * self._stride,
        }

    def _place_of(self, state: Mapping[str, Any]) -> Start:
        """Check a state and return its place."""
        check_state(state, self._fingerprint())
        epoch = self._check_epoch(state["epoch"])
        most = MAX_COUNT if self._plan is None else self._plan.n_batches * self._lanes.n_lanes
        batch = check_integer(state["batch"], "batch", minimum=0, maximum=most)
        return Start(epoch, (batch - (self._rank or 0) + self._stride - 1) // self._stride)

    # How batches are made -------------------------------------------------------------------------------------------

    def _planned_batches(self, plan: LanePlan, lane: int, epoch: int, first: int) -> Iterator[list[Any]]:
        """Iterate over the batches of a lane with counts, beginning with batch `first`."""
        if plan.taken is not None:
            yield from self._taken_batches(plan, plan.taken[lane], lane, epoch, first)
            return
        sources, shifts = self._lanes.counted_sources(plan, lane, epoch)
        dealing = CountedBatches(plan.totals[lane], shifts, plan.n_batches, first)
        for group in self._lanes.groups(sources):
            counts = plan.counts[group]
            if dealing.skip(counts.sum(axis=0).astype(np.float64)):
                continue
            checks = [Checks(found=partial(self._check_found, *known)) for known in zip(group, counts)]
            for rows, codes in self._chunks(group, epoch, checks, n_rows=counts.sum(axis=1).tolist()):
                dealing.add(rows, codes)
                del rows  # the batches hold them
                yield from dealing.finished()

    def _taken_batches(
        self, plan: LanePlan, taken: NDArray[np.float64], lane: int, epoch: int, first: int
    ) -> Iterator[list[Any]]:
        """Iterate over the batches of a lane whose epochs take rows less or more often than once."""
        lanes = self._lanes
        sources = lanes.sources(lane, epoch)
        first = min(first, plan.n_batches)
        windows = lanes.windows(plan, lane, epoch, sources, first)
        dealing = TakenBatches(plan.totals[lane], taken, plan.n_batches, first)
        before = iter(windows.before)
        for group, is_needed, window in zip(lanes.groups(sources), windows.needed, windows.of_groups):
            known = [next(before) for _ in group]
            if not is_needed:
                continue
            rows: list[Any] = []
            parts, copies = [], []
            for source, rows_before in zip(group, known):
                checks = Checks(found=partial(self._check_found, source, plan.counts[source]))
                own, codes = all_rows(self._reader, self._sources[source], checks)
                rows += own
                parts.append(codes)
                copies.append(lanes.copies(plan, lane, epoch, source, rows_before, codes))
            times = np.concatenate(copies)
            order = lanes.order(group[0], epoch, len(rows)) if lanes.shuffle else np.arange(len(rows))
            order = order[times[order] > 0]
            taken_rows = [rows[place] for place in order.tolist()]
            dealing.add(taken_rows, np.concatenate(parts)[order], times[order], window)
            del rows, own, taken_rows  # the batches hold them
            yield from dealing.finished()

    def _cut_batches(self, lane: int, epoch: int, first: int) -> Iterator[list[Any]]:
        """Iterate over the batches of a lane without counts, beginning with batch `first`."""
        dealing = DeclaredBatches(len(self._strata), self._least, self._least_rows, first)
        for group in self._lanes.groups(self._lanes.sources(lane, epoch)):
            check_rooms = [partial(self._check_room, source, dealing) for source in group]
            checks = [Checks(waiting=check_room) for check_room in check_rooms]
            for rows, codes in self._chunks(group, epoch, checks, n_rows=[None] * len(group)):
                yield from dealing.add(rows, codes)
                del rows  # the batches hold them
                check_rooms[-1](0)  # once dealt, no row of the source waits
        if not dealing.has_cut:
            raise SourceError(f"Lane {lane} has no batch: {self._missing_from(dealing)}.")
        yield from dealing.close()

    def _chunks(
        self, group: list[int], epoch: int, checks: Sequence[Checks], n_rows: Sequence[Optional[int]]
    ) -> Iterator[Chunk]:
        """Iterate over the rows of sources that are read together, in the order of an epoch, with their codes."""
        sources = [self._sources[source] for source in group]
        order_of = partial(self._lanes.order, group[0], epoch)
        if len(group) > 1:
            return shuffled_together(self._reader, sources, order_of, checks, n_rows)
        if self._lanes.shuffle:
            return shuffled(self._reader, sources[0], order_of, checks[0], n_rows[0])
        return in_order(self._reader, sources[0], checks[0])

    def _check_found(self, source: int, counts: NDArray[np.int64], found: NDArray[np.int64], is_end: bool) -> None:
        """Refuse a source whose rows differ from its counts."""
        wrong = np.flatnonzero(found != counts if is_end else found > counts)
        if len(wrong):
            code = int(wrong[0])
            required = f"must have {count_of(int(counts[code]), 'row')} of '{self._strata[code]}', as its counts say"
            got = f"{'' if is_end else 'at least '}{int(found[code])}"
            info: Any = get_worker_info()  # type: ignore[no-untyped-call]
            is_divided_by_reader = info is not None and info.num_workers > 1 and found[code] < counts[code]
            advice = " The reader must not divide the rows among the workers." if is_divided_by_reader else ""
            raise SourceError(f"The source '{self._names[source]}' {required}. Got {got} instead.{advice}")

    def _check_room(self, source: int, dealing: DeclaredBatches, waiting: int) -> None:
        """Refuse a source whose rows exceed the buffer; `waiting` of them are read but not yet dealt."""
        held = dealing.n_held + waiting
        if self._limit is not None and held > self._limit:
            most = count_of(self._limit, "row")
            required = f"The source '{self._names[source]}' must leave at most {most} in the buffer."
            whose = "its own" if self._lanes.together == 1 else "its group"
            why = f"{waiting} of {whose} wait to be shuffled, and " if waiting else ""
            raise SourceError(f"{required} Got {held} instead: {why}{self._missing_from(dealing)}.")

    def _missing_from(self, dealing: DeclaredBatches) -> str:
        """Return text that names the strata that the next batch still needs."""
        missing = [f"'{self._strata[code]}'" for code in dealing.missing()]
        return f"the next batch has too few rows of {', '.join(missing)}" if missing else "the next batch is too small"

    def _check_epoch(self, epoch: Any) -> int:
        return self._lanes.check_epoch(epoch)

    def _fingerprint(self) -> str:
        """Return the fingerprint. It is computed once, because a state may be requested after every batch."""
        if self._known_fingerprint is None:
            lanes = self._lanes
            self._known_fingerprint = fingerprint_of(
                kind="stream",
                min_samples_per_stratum=self._least,
                min_batch_size=self._least_rows,
                n_batches=self._plan.n_batches if self._plan is not None and self._least is None else None,
                lanes=lanes.n_lanes,
                shuffle=lanes.shuffle,
                shuffle_sources=lanes.together if lanes.together > 1 else None,
                seed=self._seed if lanes.shuffle else None,
                sources=self._names if lanes.shuffle else [self._names[k] for k in lanes.given.tolist()],
                strata=list(self._strata),
                counts=None if self._plan is None else self._plan.counts.astype(np.float64).ravel(),
                taken=None if self._plan is None or self._plan.taken is None else self._plan.taken.ravel(),
            )
        return self._known_fingerprint
