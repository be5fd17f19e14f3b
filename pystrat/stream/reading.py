"""Sources -> chunks of rows with their stratum codes."""

from __future__ import annotations

from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from pystrat.messages import RefusedType, show
from pystrat.strata import encode_strata
from pystrat.stream.formats import Texts, texts_of

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

CHUNK = 512  # rows that are dealt at a time: few, so that they are still in the caches when they are used


class Source(NamedTuple):
    """A part of the data: what the reader takes, and its name in counts, states and messages."""

    name: str
    content: Any


class SourceError(RuntimeError):
    """A source cannot be read, or does not match its counts or strata.

    The message names the source and, if possible, the row, counted from 0. The state of the stream does not change:
    after the source is fixed, a stream that loads the state continues without losing a row.
    """


def check_reader(read: Any) -> Callable[[Any], Iterable[Any]]:
    """Check the function that reads a source."""
    if not callable(read):
        raise RefusedType("read", "be a function of a source", show(read))
    reader: Callable[[Any], Iterable[Any]] = read
    return reader


class StratumCodes:
    """The code of a row's stratum, found by the value itself once its name has been looked up.

    Values are kept apart by type: 1, 1.0 and True are the same key of a dict, but True is a different stratum than 1.

    Parameters
    ----------
    names : sequence of str
        How the strata are shown; the code of a stratum is its place.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._code_of = {name: code for code, name in enumerate(self.names)}
        self._known: dict[type, dict[Any, int]] = {}

    def of(self, strata: Sequence[Any]) -> NDArray[np.int64]:
        """Return the codes of values; raise an error for the first one that is not a stratum."""
        known = self._known.setdefault(type(strata[0]), {})
        if len(known) > len(self.names):  # tensors, for example: each is its own key
            known.clear()
        if len(set(map(type, strata))) > 1:
            return np.fromiter(map(self._look_up, strata), dtype=np.int64, count=len(strata))
        try:
            return np.fromiter(map(known.__getitem__, strata), dtype=np.int64, count=len(strata))
        except KeyError:
            known.update({value: self._look_up(value) for value in set(strata) - known.keys()})
            return np.fromiter(map(known.__getitem__, strata), dtype=np.int64, count=len(strata))

    def _look_up(self, value: Any) -> int:
        name = encode_strata([value], missing="stratum").names[0]
        if name not in self._code_of:
            raise _UnknownStratum(value)
        return self._code_of[name]


class _UnknownStratum(Exception):
    """A value is not a stratum."""


class SourceReader:
    """Reads sources in chunks of rows with their codes.

    Parameters
    ----------
    read : callable
        The reader.
    stratum : callable, or key
        Returns the stratum of a row, or is its key in the row.
    names : sequence of str
        How the strata are shown.
    """

    def __init__(self, read: Callable[[Any], Iterable[Any]], stratum: Any, names: Sequence[str]) -> None:
        self._read = read
        self._stratum = stratum
        self._codes = StratumCodes(names)
        self.n_strata = len(names)

    def texts_of(self, source: Source) -> Optional[Texts]:
        """Return the rows of a source as texts; None if its reader cannot do so."""
        return texts_of(self._read, source.content)

    def chunks(self, source: Source, size: int) -> Iterator[tuple[list[Any], NDArray[np.int64]]]:
        """Iterate over chunks of at most `size` rows."""
        done = 0
        for rows in row_chunks(self._read, source, size):
            try:
                codes = self.codes_of(rows)
            except Exception:  # find the row that fails
                codes = np.array([self._code_of(row, source, done + place) for place, row in enumerate(rows)])
            yield rows, codes
            done += len(rows)

    def codes_of(self, rows: Sequence[Any]) -> NDArray[np.int64]:
        """Return the codes of rows; raise any error for a row that has none."""
        return self._codes.of(list(strata_of(rows, self._stratum)))

    def _code_of(self, row: Any, source: Source, number: int) -> int:
        """Return the code of one row; raise an error that names the row."""
        try:
            return int(self.codes_of([row])[0])
        except _UnknownStratum as error:
            known = ", ".join(f"'{name}'" for name in self._codes.names)
            where = f"row {number} of the source '{source.name}'"
            got = show(error.args[0])
            raise SourceError(f"The stratum of {where} must be one of {known}. Got {got} instead.") from None
        except Exception as error:
            raise _failed(source, number, error) from error


def row_chunks(read: Callable[[Any], Iterable[Any]], source: Source, size: int) -> Iterator[list[Any]]:
    """Iterate over the rows of a source in chunks of at most `size` rows."""
    try:
        rows = iter(_check_rows(read(source.content)))
    except Exception as error:
        raise unreadable(source, error) from error
    done = 0
    while True:
        chunk: list[Any] = []
        try:
            chunk.extend(islice(rows, size))  # keeps the rows before an error: their number is that of the failed row
        except Exception as error:
            raise _failed(source, done + len(chunk), error) from error
        if not chunk:
            return
        yield chunk
        done += len(chunk)


def strata_in(read: Callable[[Any], Iterable[Any]], stratum: Any, source: Source) -> list[Any]:
    """Return the strata of the rows of a source."""
    strata: list[Any] = []
    for rows in row_chunks(read, source, CHUNK):
        try:
            strata.extend(strata_of(rows, stratum))
        except Exception as error:
            raise _failed(source, len(strata), error) from error
    return strata


def strata_of(rows: Iterable[Any], stratum: Any) -> Iterable[Any]:
    """Return the stratum of each row."""
    return map(stratum if callable(stratum) else itemgetter(stratum), rows)


def _check_rows(rows: Any) -> Iterable[Any]:
    """Return what a reader returned if it can be iterated over."""
    if not isinstance(rows, Iterable):
        raise TypeError(f"The reader must return an iterable of rows. Got {show(rows)} instead.")
    return rows


def unreadable(source: Source, error: Exception) -> SourceError:
    """Return the error of a source that cannot be read, if its row is not known."""
    return SourceError(f"The source '{source.name}' cannot be read. {_told(error)}")


def _failed(source: Source, number: int, error: Exception) -> SourceError:
    return SourceError(f"Row {number} of the source '{source.name}' cannot be read. {_told(error)}")


def _told(error: Exception) -> str:
    """Return an error as its class and message."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
