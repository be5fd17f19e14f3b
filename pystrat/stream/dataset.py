"""Stratified batches of rows that are streamed from sources."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray
from torch.utils.data import IterableDataset

from pystrat import _core
from pystrat.core.arrays import as_mapping
from pystrat.core.core_sampler import arguments_of
from pystrat.core.counts_by_shard import shown_names
from pystrat.core.digest import fingerprint_of
from pystrat.core.lazy_pandas import pd
from pystrat.core.limits import MAX_COUNT, MAX_EPOCH
from pystrat.core.messages import check_flag, check_integer, check_iterable, count_of, refused_value, show
from pystrat.core.places import Place, Placed
from pystrat.core.strata import check_keys, encode_strata, sorted_series, strata_of_keys, titled
from pystrat.stream.counting import counts_of_sources, name_sources
from pystrat.stream.dealing import Codes, CountedBatches, CutBatches, Integers
from pystrat.stream.iterating import SharedEpoch, StreamIterator
from pystrat.stream.lanes import Lanes
from pystrat.stream.reading import SourceError, SourceReader, StratumCodes, name_of_stratum


class StratifiedStream(Placed, IterableDataset[list[Any]]):
    """Iterable dataset of batches with a minimum number of rows of every stratum, streamed from sources.

    Its items are whole batches, as lists of rows. Pass it to a PyTorch ``DataLoader`` with ``batch_size=None`` and, to
    convert the rows to tensors, a ``collate_fn``. docs/streams.md is the guide.

    Parameters
    ----------
    sources : list of paths, or dict by name
        The parts of the data, such as files. Each has a name, by default its path, that no other has, and that is the
        same in every process, because counts and states refer to it.
    min_samples_per_stratum : int or mapping, optional
        The minimum m: each batch has at least m rows of each stratum. Give either it or `mean_batch_size`. With
        `counts`, each stratum may have its own: ``{"positive": 5, "negative": 20}``.
    read : callable
        A function that takes a source and returns an iterable of its rows, in the same order every time: `read_csv`,
        `read_json_lines`, or your own, picklable for workers that are not forked.
    stratum : callable, or key
        A function that takes a row and returns its stratum, or the key of the stratum in the row.
    counts : pandas.DataFrame, optional
        The number of rows of each stratum (columns) in each source (rows): see `count_sources`. Further sources are
        ignored.
    strata : list, optional
        All strata, if there are no counts. Give either `counts` or `strata`.
    min_batch_size : int, default 1
        The least number of rows of a batch, with `min_samples_per_stratum`.
    mean_batch_size : int, optional
        The mean number of rows of a batch, with `counts`. The minimum m is the largest that all batches have.
    shares : mapping, optional
        The share of each stratum in every batch, as positive weights, such as ``{"positive": 1, "negative": 3}``, with
        `mean_batch_size` and `counts`.
    balance : {"over", "under"} or int, optional
        Take the same number of rows of every stratum in each epoch, over all lanes: that of the largest stratum
        ("over"), that of the smallest ("under"), or a given number. With `mean_batch_size` and `counts`.
    rare : {"error", "warn", "allow"}, default "error"
        What to do, with `counts`, if a lane has too few rows of a stratum: raise an error; or, with or without a
        warning, put all rows of each lane into one batch or, with `mean_batch_size`, make batches without the stratum.
    buffer_size : int, optional
        Without counts, the largest number of rows that a lane may hold in memory at a time; by default unlimited.
    lanes : int, default 1
        The number of parts of the stream that are batched separately, a multiple of the number of replicas times that
        of workers. Source k, from 0, in the order of names by code point, belongs to lane k modulo `lanes`.
    shuffle : bool, default True
        Whether to shuffle the sources, and the rows of each source, in each epoch, with a whole source in memory.
    shuffle_sources : int, default 1
        The number of sources, one after another in the order of an epoch, whose rows are shuffled together.
    seed, num_replicas, rank : int, optional
        As in `StratifiedBatchSampler`.

    Notes
    -----
    * With counts, each batch has the floor or ceiling of its share of each stratum, each row is in one batch, and
      ``len`` is exact. With shares or balance, any E epochs in succession take each row of a stratum in a lane equally
      often, to within one, and no batch has a row twice.
    * Without counts, a batch is cut as soon as it has enough rows; those left at the end of a lane join its last batch.
    * The batches and their order are the same with any number of workers and ranks; without counts, the order may
      differ once a lane has ended.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from pystrat.stream import StratifiedStream, count_sources
    >>> sources = {"a": [0, 0, 0, 1], "b": [1, 0, 0, 0]}
    >>> counts = count_sources(sources, read=iter, stratum=int)
    >>> stream = StratifiedStream(sources, 1, read=iter, stratum=int, counts=counts, shuffle=False)
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
        self._sources = sorted(given, key=attrgetter("name"))  # the same in all processes
        self._names = [source.name for source in self._sources]
        arguments["n_sources"] = len(given)
        for name in ("min_samples_per_stratum", "shares"):
            arguments[name] = as_mapping(arguments[name], name)
        parts = _core.check("stream", arguments)
        super().__init__(seed, num_replicas, rank)
        self._limit = parts.pop("buffer_size", None)
        place_of = {name: place for place, name in enumerate(self._names)}
        in_order = range(len(given)) if parts["shuffle"] else [place_of[source.name] for source in given]
        parts["order"] = np.array(in_order, dtype=np.float64)
        table = None
        if counts is None:
            self._strata = shown_names(strata, "strata", noun="stratum")
            self._least = parts["min_samples_per_stratum"], parts["min_batch_size"]
        else:
            counted = counts_of_sources(counts, self._names)
            self._strata, self._labels, table = tuple(counted.strata), titled(counted.values), counted.table
            parts.update(table=table.astype(np.float64).ravel(), n_strata=len(self._strata))
            for name in ("min_samples_per_stratum", "shares"):
                if isinstance(arguments[name], Mapping):
                    keys = list(map(name_of_stratum, arguments[name]))
                    check_keys(keys, name, noun="stratum")
                    codes = strata_of_keys(keys, self._strata, name, noun="stratum")
                    parts[f"{name}_strata"] = np.array(codes, dtype=np.float64)
        self._lanes, self._is_counted = Lanes(parts, self.seed, table, self._strata), counts is not None
        self._n_own_lanes = self._lanes.n_lanes // self._stride
        self.min_samples_per_stratum = self._lanes.min_samples_per_stratum  # that every batch has
        for warning in self._lanes.warnings:
            warnings.warn(warning, stacklevel=2)
        self._reader, self._codes = SourceReader(read, stratum), StratumCodes(self._strata)
        self._shared = SharedEpoch(self._lanes.n_lanes)
        named = fingerprint_of(sources=[self._names[k] for k in in_order], strata=list(self._strata))
        self._known_fingerprint = f"{self._lanes.plan_fingerprint} {named}"

    def class_weights(self, *, normalize: bool = False) -> pd.Series:
        """Return the training weight of each stratum, by its value, sorted as ``numpy.unique`` sorts classes.

        It is its rows / its rows in an epoch, over all lanes; if `normalize`, divided by the mean over an epoch.
        """
        weights = self._weights_of_strata(normalize)
        return sorted_series(weights, encode_strata(self._labels, missing="stratum").values, "weight")

    def weights(self, rows: Sequence[Any], *, normalize: bool = False) -> NDArray[np.float64]:
        """Return the training weight of each row of a list, such as a batch: that of its stratum."""
        weights = self._weights_of_strata(normalize)
        check_iterable(rows, "rows", required="be a list of rows, such as a batch")
        strata = [self._reader.stratum_of(row) for row in rows]
        codes = self._codes.of(
            strata, lambda _, known, got: refused_value("rows", f"have strata that are {known}", got)
        )
        return np.asarray(weights[codes])

    def _weights_of_strata(self, normalize: bool) -> NDArray[np.float64]:
        """Return the weight of each stratum, in the order of the counts."""
        if not self._is_counted:
            raise refused_value("counts", "be given for weights", "None")
        available, taken = self._lanes.totals.sum(axis=0), self._lanes.taken.sum(axis=0)
        scale = taken.sum() / available.sum() if check_flag(normalize, "normalize") else 1
        return np.asarray(available / taken * scale)

    def __len__(self) -> int:
        if not self._is_counted:
            raise TypeError(f"A {type(self).__name__} without 'counts' has no length.")
        return self._lanes.n_batches * self._n_own_lanes

    def __iter__(self) -> StreamIterator:
        return StreamIterator(self)

    @property
    def _next(self) -> Place:  # type: ignore[override]
        return self._shared.next

    def _go_on_at(self, place: Place) -> None:
        self._shared.set(place)

    def _check_epoch(self, epoch: Any) -> int:
        last = min(MAX_EPOCH, MAX_COUNT // (len(self._names) + 1) - 1)  # no seeds are left for later ones
        return check_integer(epoch, "epoch", minimum=0, maximum=last)

    def _epoch_length(self, epoch: int) -> int:
        return self._lanes.n_batches * self._lanes.n_lanes if self._is_counted else MAX_COUNT

    def _place_after(self, epoch: int, batches_done: Any) -> Place:
        if batches_done and not self._is_counted and self._n_own_lanes > 1:
            raise refused_value("batches_done", "be 0 without 'counts' and with several lanes", show(batches_done))
        return super()._place_after(epoch, batches_done)

    def _state(self, place: Place) -> dict[str, Any]:
        # The place of a worker may be beyond the end.
        return super()._state(Place(place.epoch, min(place.batch, self._length_of(place.epoch))))

    def _lane_batches(self, lane: int, epoch: int, drawn: Mapping[str, Any], first: int) -> Iterator[list[Any]]:
        """Iterate over the batches of one of this rank's lanes in an epoch, with counts from batch `first` on."""
        lanes, lane = self._lanes, (self.rank or 0) + self._stride * lane
        dealing: Any
        if lanes.counts is None:
            dealing = CutBatches(len(self._strata), *self._least)
        else:
            dealing = CountedBatches(lanes.taken[lane], drawn["shifts"][lane], lanes.n_batches, first)
        for group in drawn["groups"][lane]:
            if lanes.counts is not None:
                is_checked = first == 0 and not lanes.counts[group].any()  # that it is empty
                if not is_checked and dealing.skip(drawn["ranks"][group].sum(axis=0)):
                    continue
            for rows, codes, copies in self._chunks(lane, epoch, group, drawn["places"], dealing):
                yield from dealing.add(rows, codes, copies)
                del rows  # nothing is kept while the next ones are read
                self._check_room(group[-1], dealing)
        if lanes.counts is None:
            last = dealing.last()
            if not last:
                raise SourceError(f"Lane {lane} has no batch: {self._missing_from(dealing)}.")
            yield last

    def _chunks(
        self, lane: int, epoch: int, group: Sequence[int], places: Any, dealing: Any
    ) -> Iterator[tuple[list[Any], Codes, Integers]]:
        """Iterate over the rows of sources that are read together, in the order of an epoch.

        With them come the codes of their strata, and how often an epoch takes them.
        """
        lanes = self._lanes
        rows: list[Any] = []
        codes, copies = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        for source in group:
            own = [np.empty(0, np.int32)]
            for chunk, chunk_codes in self._checked(source):
                if not lanes.shuffle and not lanes.takes_again:
                    yield chunk, chunk_codes, np.ones(len(chunk), np.int64)
                    continue
                rows += chunk
                own.append(chunk_codes)
                self._check_room(source, dealing, len(rows))
            codes.append(np.concatenate(own))
            copies.append(lanes.copies(lane, source, places, codes[-1]))
        if rows:
            order = lanes.order(group[0], epoch, len(rows))
            shuffled = [rows[place] for place in order.tolist()]
            rows.clear()
            yield shuffled, np.concatenate(codes)[order], np.concatenate(copies)[order]

    def _checked(self, source: int) -> Iterator[tuple[list[Any], Codes]]:
        """Iterate over the rows of a source and the codes of their strata, which are compared with its counts."""
        name, counts = self._names[source], self._lanes.counts
        found = np.zeros(len(self._strata), dtype=np.int64)

        def refused(place: int, known: str, got: str) -> Exception:
            where = f"The stratum of row {int(found.sum()) + place} of the source '{name}'"
            return SourceError(f"{where} must be {known}. Got {got} instead.")

        for rows, strata in self._reader.chunks(self._sources[source]):
            codes = self._codes.of(strata, refused)
            found += np.bincount(codes, minlength=len(found))
            yield rows, codes
            del rows
        if counts is not None and (found != counts[source]).any():
            code = int((found != counts[source]).argmax())
            rows_of_stratum = f"{count_of(int(counts[source, code]), 'row')} of '{self._strata[code]}'"
            raise SourceError(
                f"The source '{name}' must have {rows_of_stratum}, as its counts say. Got {found[code]} instead. A "
                "reader returns the same rows in every worker."
            )

    def _check_room(self, source: int, dealing: Any, waiting: int = 0) -> None:
        """Refuse a source whose rows exceed the buffer; `waiting` of them are read but not yet dealt."""
        if self._limit is not None and dealing.n_held + waiting > self._limit:
            required = f"must leave at most {count_of(self._limit, 'row')} in the buffer"
            got = f"{dealing.n_held + waiting} instead: {self._missing_from(dealing)}"
            raise SourceError(f"The source '{self._names[source]}' {required}. Got {got}.")

    def _missing_from(self, dealing: CutBatches) -> str:
        """Return text that names the strata that the next batch still needs."""
        missing = [f"'{self._strata[code]}'" for code in dealing.missing()]
        return f"the next batch has too few rows of {', '.join(missing)}" if missing else "the next batch is too small"
