"""A source -> its rows in the order of an epoch, in chunks with their stratum codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, NamedTuple, NoReturn, Optional, Sequence, Union

import numpy as np

from pystrat.stream.formats import FileRows
from pystrat.stream.reading import CHUNK, Source, SourceError, SourceReader, unreadable

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    from pystrat.stream.reading import Chunk

    Order = Callable[[int], NDArray[np.int32]]


class Checks(NamedTuple):
    """What is checked before the rows of a source are dealt. Each check raises a SourceError.

    Attributes
    ----------
    found : callable
        Called with the number of rows of each stratum so far, and with whether these are all rows of the source.
    waiting : callable
        Called with the number of rows that wait to be shuffled.
    """

    found: Callable[[NDArray[np.int64], bool], None] = lambda found, is_end: None
    waiting: Callable[[int], None] = lambda n_rows: None


def in_order(reader: SourceReader, source: Source, checks: Checks) -> Iterator[Chunk]:
    """Iterate over the rows of a source as they are read."""
    return _checked(reader, source, reader.open(source), checks)


def shuffled(
    reader: SourceReader, source: Source, order_of: Order, checks: Checks, n_rows: Optional[int]
) -> Iterator[Chunk]:
    """Iterate over the rows of a source in shuffled order. They are held as texts if the reader allows it.

    Parameters
    ----------
    reader : SourceReader
    source : Source
    order_of : callable
        Returns the order of a number of rows.
    checks : Checks
    n_rows : int, optional
        The number of rows of the source, if it is known.
    """
    rows = reader.open(source)
    if isinstance(rows, FileRows):
        held = _read_texts(rows, checks, n_rows)
        if held is not None:
            order = order_of(len(held)).tolist()
            parts = [[held[place] for place in order[begin : begin + CHUNK]] for begin in range(0, len(held), CHUNK)]
            return _parsed(reader, source, rows, parts, checks)
    return _shuffled_rows(_checked(reader, source, rows, checks), order_of, checks)


def all_rows(reader: SourceReader, source: Source, checks: Checks) -> Chunk:
    """Return all rows of a source in its order."""
    return _all_rows(in_order(reader, source, checks), checks)


def shuffled_together(
    reader: SourceReader,
    sources: Sequence[Source],
    order_of: Order,
    checks: Sequence[Checks],
    n_rows: Sequence[Optional[int]],
) -> Iterator[Chunk]:
    """Iterate over the rows of several sources, shuffled as those of one source. The parameters are as for `shuffled`.

    Each source is held as texts if the reader allows it.
    """
    held: list[Union[_HeldTexts, _HeldRows]] = []
    begins = [0]
    for source, own_checks, n_expected in zip(sources, checks, n_rows):
        held.append(_hold(reader, source, _behind(begins[-1], own_checks), n_expected))
        begins.append(begins[-1] + held[-1].n_rows)
    order = order_of(begins[-1])
    for begin in range(0, len(order), CHUNK):
        places = order[begin : begin + CHUNK]
        owners = np.searchsorted(begins, places, side="right") - 1
        chunk: list[Any] = [None] * len(places)
        codes = np.empty(len(places), dtype=np.int32)
        for owner in np.unique(owners).tolist():
            own = np.flatnonzero(owners == owner)
            rows, codes[own] = held[owner].take((places[own] - begins[owner]).tolist())
            for place, row in zip(own.tolist(), rows):
                chunk[place] = row
        yield chunk, codes


def _behind(n_before: int, checks: Checks) -> Checks:
    """Return the checks of a source, behind rows of others that wait, too."""
    return checks._replace(waiting=lambda n_rows: checks.waiting(n_before + n_rows))


def _hold(reader: SourceReader, source: Source, checks: Checks, n_rows: Optional[int]) -> Union[_HeldTexts, _HeldRows]:
    rows = reader.open(source)
    texts = _read_texts(rows, checks, n_rows) if isinstance(rows, FileRows) else None
    if texts is not None and isinstance(rows, FileRows):
        return _HeldTexts(reader, source, rows, texts, checks)
    return _HeldRows(*_all_rows(_checked(reader, source, rows, checks), checks))


class _HeldRows:
    """The rows of a source with their codes."""

    def __init__(self, rows: list[Any], codes: NDArray[np.int32]) -> None:
        self._rows, self._codes = rows, codes
        self.n_rows = len(rows)

    def take(self, places: list[int]) -> Chunk:
        """Return the rows at these places, and their codes."""
        return [self._rows[place] for place in places], self._codes[places]


class _HeldTexts:
    """The texts of the rows of a source, which are parsed shortly before they are dealt."""

    def __init__(self, reader: SourceReader, source: Source, rows: FileRows, texts: list[str], checks: Checks) -> None:
        self._reader, self._source, self._rows, self._texts, self._checks = reader, source, rows, texts, checks
        self._found = np.zeros(reader.n_strata, dtype=np.int64)
        self.n_rows = self._n_left = len(texts)

    def take(self, places: list[int]) -> Chunk:
        """Return the rows at these places, and their codes; each place is taken once."""
        try:
            chunk = self._rows.parse([self._texts[place] for place in places])
            codes = self._reader.codes_of(chunk)
            self._found += np.bincount(codes, minlength=self._reader.n_strata)
            self._n_left -= len(places)
            self._checks.found(self._found, self._n_left == 0)
        except MemoryError:
            raise  # rows need more of it
        except Exception as error:
            _fail(self._reader, self._source, self._checks, error)
        return chunk, codes


def _fail(reader: SourceReader, source: Source, checks: Checks, failure: Exception) -> NoReturn:
    """Raise the error of a source that failed, if possible one that names the first row that fails in its order."""
    for _ in in_order(reader, source, checks):
        pass
    if isinstance(failure, SourceError):
        raise failure
    raise unreadable(source, failure) from failure


def _checked(reader: SourceReader, source: Source, rows: Iterable[Any], checks: Checks) -> Iterator[Chunk]:
    """Iterate over the rows of an open source, after checking their strata."""
    found = np.zeros(reader.n_strata, dtype=np.int64)
    for chunk, codes in reader.chunks(source, rows):
        found += np.bincount(codes, minlength=reader.n_strata)
        checks.found(found, False)
        yield chunk, codes
        del chunk  # nothing is kept while the next rows are read
    checks.found(found, True)


def _shuffled_rows(chunks: Iterator[Chunk], order_of: Order, checks: Checks) -> Iterator[Chunk]:
    """Hold all rows of a source, and iterate over them in shuffled order."""
    rows, codes = _all_rows(chunks, checks)
    order = order_of(len(rows))
    for begin in range(0, len(rows), CHUNK):
        places = order[begin : begin + CHUNK]
        yield [rows[place] for place in places.tolist()], codes[places]


def _all_rows(chunks: Iterator[Chunk], checks: Checks) -> Chunk:
    """Return all rows of a source."""
    rows: list[Any] = []
    parts = [np.empty(0, dtype=np.int32)]
    for chunk, part in chunks:
        rows += chunk
        parts.append(part)
        checks.waiting(len(rows))
    return rows, np.concatenate(parts)


def _read_texts(rows: FileRows, checks: Checks, n_rows: Optional[int]) -> Optional[list[str]]:
    """Return the texts of all rows of a source; None if the rows must be read instead.

    This is so if the texts cannot be read, are not as many as expected, or exceed the buffer: reading the rows then
    names the first one that fails.
    """
    held: list[str] = []
    try:
        for chunk in rows.texts(CHUNK):
            held += chunk
            checks.waiting(len(held))
            if n_rows is not None and len(held) > n_rows:
                return None
    except MemoryError:
        raise  # rows need more of it
    except Exception:
        return None
    return held if n_rows is None or len(held) == n_rows else None


def _parsed(
    reader: SourceReader, source: Source, rows: FileRows, parts: list[list[str]], checks: Checks
) -> Iterator[Chunk]:
    """Iterate over the rows of texts, which are parsed one part after another, shortly before they are dealt."""
    found = np.zeros(reader.n_strata, dtype=np.int64)
    failure: Optional[Exception] = None
    parts.reverse()
    while parts and failure is None:
        try:
            chunk = rows.parse(parts.pop())
            codes = reader.codes_of(chunk)
            found += np.bincount(codes, minlength=reader.n_strata)
            checks.found(found, not parts)
        except MemoryError:
            raise  # rows need more of it
        except Exception as error:
            failure = error
        else:
            yield chunk, codes
            del chunk  # nothing is kept while the next rows are parsed
    try:
        if failure is not None:
            _fail(reader, source, checks, failure)
    finally:
        failure = None  # its traceback refers to this frame
