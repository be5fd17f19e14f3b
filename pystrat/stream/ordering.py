"""A source -> its rows in the order of an epoch, in chunks with their stratum codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Optional

import numpy as np

from pystrat.stream.formats import Texts
from pystrat.stream.reading import CHUNK, Source, SourceError, SourceReader, unreadable

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Chunk = tuple[list[Any], NDArray[np.int64]]


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
    found = np.zeros(reader.n_strata, dtype=np.int64)
    for rows, codes in reader.chunks(source, CHUNK):
        found += np.bincount(codes, minlength=reader.n_strata)
        checks.found(found, False)
        yield rows, codes
    checks.found(found, True)


def shuffled(
    reader: SourceReader,
    source: Source,
    order_of: Callable[[int], NDArray[np.int32]],
    checks: Checks,
    n_rows: Optional[int],
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
    texts = reader.texts_of(source)
    held = None if texts is None else _read_texts(texts, checks, n_rows)
    if texts is None or held is None:
        return _shuffled_rows(reader, source, order_of, checks)
    return _parsed(reader, source, texts, [held[place] for place in order_of(len(held)).tolist()], checks)


def _shuffled_rows(
    reader: SourceReader, source: Source, order_of: Callable[[int], NDArray[np.int32]], checks: Checks
) -> Iterator[Chunk]:
    """Hold all rows of a source, and iterate over them in shuffled order."""
    rows: list[Any] = []
    parts = [np.empty(0, dtype=np.int64)]
    for chunk, codes in in_order(reader, source, checks):
        rows += chunk
        parts.append(codes)
        checks.waiting(len(rows))
    codes, order = np.concatenate(parts), order_of(len(rows))
    for begin in range(0, len(rows), CHUNK):
        places = order[begin : begin + CHUNK]
        yield [rows[place] for place in places.tolist()], codes[places]


def _read_texts(texts: Texts, checks: Checks, n_rows: Optional[int]) -> Optional[list[Any]]:
    """Return the texts of all rows of a source; None if they cannot be read, or are not as many as expected."""
    held: list[Any] = []
    try:
        for chunk in texts.chunks(CHUNK):
            held += chunk
            checks.waiting(len(held))
            if n_rows is not None and len(held) > n_rows:
                return None
    except SourceError:
        raise
    except Exception:  # reading the rows themselves names the one that fails
        return None
    return held if n_rows is None or len(held) == n_rows else None


def _parsed(reader: SourceReader, source: Source, texts: Texts, shuffled: list[Any], checks: Checks) -> Iterator[Chunk]:
    """Iterate over the rows of texts; each is parsed shortly before it is dealt."""
    found = np.zeros(reader.n_strata, dtype=np.int64)
    for begin in range(0, len(shuffled), CHUNK):
        try:
            rows = texts.parse(shuffled[begin : begin + CHUNK])
            codes = reader.codes_of(rows)
            found += np.bincount(codes, minlength=reader.n_strata)
            checks.found(found, False)
        except Exception as error:
            raise _failure(reader, source, checks, error)
        yield rows, codes


def _failure(reader: SourceReader, source: Source, checks: Checks, error: Exception) -> SourceError:
    """Return the error that names the first row that fails in the order of the source."""
    try:
        for _ in in_order(reader, source, checks):
            pass
    except SourceError as first:
        return first
    return unreadable(source, error)
