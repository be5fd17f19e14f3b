"""A source -> its rows in the order of an epoch, in chunks with their stratum codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, NamedTuple, Optional

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
    rows: list[Any] = []
    parts = [np.empty(0, dtype=np.int32)]
    for chunk, part in chunks:
        rows += chunk
        parts.append(part)
        checks.waiting(len(rows))
    codes, order = np.concatenate(parts), order_of(len(rows))
    for begin in range(0, len(rows), CHUNK):
        places = order[begin : begin + CHUNK]
        yield [rows[place] for place in places.tolist()], codes[places]


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
            for _ in in_order(reader, source, checks):  # names the first row that fails in the order of the source
                pass
            if isinstance(failure, SourceError):
                raise failure
            raise unreadable(source, failure) from failure
    finally:
        failure = None  # its traceback refers to this frame
