"""Samplers of other libraries, divided among processes and resumable."""

from __future__ import annotations

import operator
import random
import sys
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Optional

import numpy as np

from pystrat.arrays import plain_array
from pystrat.base import BatchSampler, epoch_seed
from pystrat.batches import Batches
from pystrat.digest import fingerprint
from pystrat.limits import MAX_COUNT
from pystrat.messages import (
    check_flag,
    check_integer,
    check_iterable,
    count_of,
    is_iterable,
    refused_type,
    refused_value,
    show,
)

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

_ROWS = f"yield row positions from 0 to {MAX_COUNT - 1}, or batches of them"


def distribute(
    sampler: Any,
    *,
    batch_size: Optional[int] = None,
    drop_last: bool = False,
    seed: Optional[int] = None,
    num_replicas: Optional[int] = None,
    rank: Optional[int] = None,
) -> BatchSampler:
    """Divide the batches of any sampler among processes, with epochs and states as the samplers of this package have.

    PyTorch's `DistributedSampler` shuffles a dataset by itself and takes no other sampler. This function takes a
    sampler or a batch sampler of PyTorch or of another library. Each process draws the whole epoch with the same random
    numbers and keeps its part.

    Parameters
    ----------
    sampler : iterable
        Yields row positions, as a `torch.utils.data.Sampler` does, or batches of them, as a batch sampler does. It can
        be iterated over more than once, and ends. It draws random numbers from Python, numpy or torch, or from
        generators of theirs in its attributes or in those of a sampler that it contains. If it has a method
        ``set_epoch``, that is called too.
    batch_size : int, optional
        The largest number of rows in a batch. Required if `sampler` yields rows, else not allowed.
    drop_last : bool, default False
        What happens to rows or batches that cannot be divided evenly. If False and `sampler` yields rows, an epoch has
        every row once, in batches whose sizes differ by at most one. If False and it yields batches, the first ones are
        repeated until their number is a multiple of `num_replicas`, as `DistributedSampler` repeats rows. If True, the
        last ones are left out, and batches of rows all have `batch_size` rows.
    seed, num_replicas, rank : int, optional
        As in `BatchSampler`.

    Returns
    -------
    BatchSampler
        For ``DataLoader(dataset, batch_sampler=...)``. Its epochs differ in length if those of `sampler` do.

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid. If `sampler` is one of this package, which takes `num_replicas` itself, or divides
        its rows already. If it yields other batches when its epoch is drawn again, anything but row positions, nothing,
        or too little for all replicas.

    Notes
    -----
    Within an epoch, all random numbers of Python, numpy and torch follow from the seed and the epoch. The states of all
    generators are then set back. With several replicas, the size of a batch may exceed `batch_size` by one, if batches
    of that size would leave some replica without a row.

    Epoch 0 is drawn twice to check that it does not change, and is part of the fingerprint of states.

    Examples
    --------
    >>> from torch.utils.data import SubsetRandomSampler
    >>> from pystrat import distribute
    >>> sampler = SubsetRandomSampler(range(6))
    >>> parts = [
    ...     distribute(sampler, batch_size=2, seed=1, num_replicas=2, rank=rank)
    ...     for rank in (0, 1)
    ... ]
    >>> sorted(row for part in parts for batch in part for row in batch)
    [0, 1, 2, 3, 4, 5]
    """
    return _Distributed(
        sampler, batch_size=batch_size, drop_last=drop_last, seed=seed, num_replicas=num_replicas, rank=rank
    )


class _Distributed(BatchSampler):
    """The batches of another sampler; `distribute` describes the parameters."""

    def __init__(self, sampler: Any, *, batch_size: Any, drop_last: Any, **shared: Any) -> None:
        super().__init__(**shared)
        self._source = _check_source(sampler)
        self._drop_last = check_flag(drop_last, "drop_last")
        self._batch_size = None if batch_size is None else check_integer(batch_size, "batch_size", minimum=1)
        self._drawn = 0, self._draw(0)
        self._check_repeats()

    def _check_repeats(self) -> None:
        """Refuse a sampler whose batches do not follow from its random numbers."""
        (_, first), second = self._drawn, self._draw(0)
        if not (np.array_equal(first.rows, second.rows) and np.array_equal(first.offsets, second.offsets)):
            advice = "Give it a method set_epoch(), or a generator as an attribute."
            required = "yield the same batches again if random numbers are the same"
            raise refused_value("sampler", required, "others", advice)

    def _draw(self, epoch: int) -> Batches:
        """Return the batches of an epoch in global order."""
        with _seeded(self._source, epoch_seed(self._seed, epoch)):
            if callable(getattr(self._source, "set_epoch", None)):
                self._source.set_epoch(epoch)
            items = _items_of(self._source)
        n_replicas = self._num_replicas or 1
        if getattr(items[0], "ndim", None) == 0 or not is_iterable(items[0]):
            return _cut(_rows_of(items), self._size_of_rows(), n_replicas, self._drop_last)
        batches = _whole(items, n_replicas, self._drop_last)
        if self._batch_size is not None:
            raise refused_value("batch_size", "not be given if 'sampler' yields batches", show(self._batch_size))
        return batches

    def _size_of_rows(self) -> int:
        if self._batch_size is None:
            raise refused_value("batch_size", "be given if 'sampler' yields rows", "nothing")
        return self._batch_size

    def _epoch_batches(self, epoch: int) -> Batches:
        if self._drawn[0] != epoch:
            self._drawn = epoch, self._draw(epoch)
        return self._drawn[1]

    def _epoch_length(self, epoch: int) -> int:
        return len(self._epoch_batches(epoch))

    def _global_length(self) -> int:
        return self._epoch_length(self._next.epoch)

    def _fingerprint(self) -> str:
        epoch, drawn = self._drawn
        first = drawn if epoch == 0 else self._draw(0)
        return fingerprint("distributed", seed=self._seed, rows=first.rows, offsets=first.offsets)

    def __repr__(self) -> str:
        return f"distribute({type(self._source).__name__}, seed={self._seed})"


def _check_source(sampler: Any) -> Any:
    """Return a sampler that can be divided."""
    if isinstance(sampler, BatchSampler):
        advice = "Pass 'num_replicas' and 'rank' to the sampler itself."
        raise refused_type("sampler", "be one of another library", type(sampler).__name__, advice)
    required = "be an iterable of rows or of batches that can be iterated over again"
    check_iterable(sampler, "sampler", required=required)
    if isinstance(sampler, (Iterator, np.ma.MaskedArray)):
        raise refused_type("sampler", required, show(sampler))
    if getattr(sampler, "num_replicas", None) is not None:
        required = "leave the division among processes to this function"
        raise refused_value("sampler", required, f"one of class '{type(sampler).__name__}' with 'num_replicas'")
    return sampler


def _items_of(sampler: Any) -> list[Any]:
    """Return what a sampler yields in an epoch."""
    items = [] if operator.length_hint(sampler) > MAX_COUNT else list(islice(sampler, MAX_COUNT + 1))
    if not 0 < len(items) <= MAX_COUNT:
        raise refused_value("sampler", f"yield 1 to {MAX_COUNT} rows or batches", "more or nothing")
    return items


def _rows_of(items: list[Any]) -> NDArray[np.int32]:
    """Return row positions in the type of those of the other samplers."""
    rows = plain_array(items, "sampler")
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not 0 <= rows.min() <= rows.max() < MAX_COUNT:
        raise refused_type("sampler", _ROWS, "others")
    return rows.astype(np.int32)


def _cut(rows: NDArray[np.int32], batch_size: int, n_replicas: int, drop_last: bool) -> Batches:
    """Cut the rows of an epoch into batches whose number is a multiple of the replicas."""
    n_rows, step = len(rows), batch_size * n_replicas
    n_batches = n_rows // step if drop_last else min(-(-n_rows // step), n_rows // n_replicas)
    n_batches *= n_replicas
    if n_batches == 0:
        size = f" of {batch_size} rows" if drop_last else ""
        required = f"yield rows for {count_of(n_replicas, 'batch')}{size}"
        raise refused_value("sampler", required, count_of(n_rows, "row"))
    if drop_last:
        rows = rows[: n_batches * batch_size]
    return Batches(rows, np.arange(n_batches + 1, dtype=np.int64) * len(rows) // n_batches)


def _whole(items: list[Any], n_replicas: int, drop_last: bool) -> Batches:
    """Repeat or leave out batches, so that their number is a multiple of the replicas."""
    n_batches = len(items) // n_replicas * n_replicas if drop_last else -(-len(items) // n_replicas) * n_replicas
    if n_batches == 0:
        required = f"yield at least {count_of(n_replicas, 'batch')}, one for each replica"
        raise refused_value("sampler", required, count_of(len(items), "batch"))
    rows = [_rows_of(item) for item in items]
    return Batches.gather(rows[place % len(rows)] for place in range(n_batches))


class _Generator(NamedTuple):
    """How the state of a random generator is read, set and seeded."""

    read: Callable[[], Any]
    write: Callable[[Any], Any]
    seed: Callable[[int], Any]


@contextmanager
def _seeded(sampler: Any, seed: int) -> Iterator[None]:
    """Seed all random numbers that a sampler can draw; set the states of their generators back afterwards."""
    generators = [*_global_generators(), *_generators_in(sampler, set())]
    before = [generator.read() for generator in generators]
    try:
        for generator in generators:
            generator.seed(seed)
        yield
    finally:
        for generator, state in zip(generators, before):
            generator.write(state)


def _global_generators() -> Iterator[_Generator]:
    yield _Generator(random.getstate, random.setstate, random.seed)
    yield _Generator(np.random.get_state, np.random.set_state, np.random.seed)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        yield from _generators_of(torch.default_generator)


def _generators_in(sampler: Any, seen: set[int]) -> Iterator[_Generator]:
    """Find the generators in the attributes of a sampler, and of the samplers that it contains."""
    seen.add(id(sampler))
    for part in getattr(sampler, "__dict__", {}).values():
        yield from _generators_of(part)
        is_sampler = hasattr(part, "__iter__") and not hasattr(part, "__getitem__")  # which datasets and lists have
        if is_sampler and id(part) not in seen:
            yield from _generators_in(part, seen)


def _generators_of(value: Any) -> Iterator[_Generator]:
    """Yield a value if it is a random generator of Python, numpy or torch."""
    torch: Any = sys.modules.get("torch")
    if isinstance(value, random.Random):
        yield _Generator(value.getstate, value.setstate, value.seed)
    elif isinstance(value, np.random.RandomState):
        yield _Generator(value.get_state, value.set_state, value.seed)
    elif isinstance(value, np.random.Generator):
        bits = value.bit_generator
        write = partial(setattr, bits, "state")
        yield _Generator(partial(getattr, bits, "state"), write, lambda seed: write(type(bits)(seed).state))
    elif torch is not None and isinstance(value, torch.Generator):
        yield _Generator(value.get_state, value.set_state, value.manual_seed)
