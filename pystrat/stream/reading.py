"""Sources -> chunks of rows with their stratum codes."""

from __future__ import annotations

from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from pystrat.messages import refused_type, refused_value, show
from pystrat.strata import encode_strata, listed

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

    Chunk = tuple[list[Any], NDArray[np.int32]]  # rows and the codes of their strata

CHUNK = 512  # rows that are dealt at a time: few, so that they are still in the caches when they are used


class Source(NamedTuple):
    """A part of the data: what the reader takes, and its name in counts, states and messages."""

    name: str
    content: Any


class SourceError(RuntimeError):
    """A source cannot be read, or does not match its counts or strata.

    The message names the source and, if possible, the row, counted from 0. The state of the stream does not change:
    after the row is replaced, a stream that loads the state continues without losing a row.
    """


def check_reader(read: Any) -> Callable[[Any], Iterable[Any]]:
    """Check the function that reads a source."""
    if not callable(read):
        raise refused_type("read", "be a function of a source", show(read))
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

    def of(self, strata: Sequence[Any]) -> NDArray[np.int32]:
        """Return the codes of values; raise an error for the first one that is not a stratum."""
        known = self._known.setdefault(type(strata[0]), {})
        if len(known) > len(self.names):  # tensors, for example: each is its own key
            known.clear()
        code_of: Callable[[Any], int] = self._look_up
        if len(set(map(type, strata))) == 1:
            try:
                return np.fromiter(map(known.__getitem__, strata), dtype=np.int32, count=len(strata))
            except KeyError:
                new = (value for value in dict.fromkeys(strata) if value not in known)
                known.update({value: self._look_up(value) for value in new})
                code_of = known.__getitem__
            except TypeError:  # arrays, for example, are no keys
                pass
        return np.fromiter(map(code_of, strata), dtype=np.int32, count=len(strata))

    def _look_up(self, value: Any) -> int:
        try:
            name = encode_strata([value], missing="stratum").exact_names[0]
        except (TypeError, ValueError):  # no stratum can have this value
            raise _UnknownStratum(show(value)) from None
        if name not in self._code_of:
            raise _UnknownStratum(show(name))
        return self._code_of[name]


class _UnknownStratum(Exception):
    """A value is not a stratum; the argument is how it is shown."""


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

    def open(self, source: Source) -> Iterable[Any]:
        """Return what the reader returns for a source, an iterable of rows."""
        return open_source(self._read, source)

    def chunks(self, source: Source, rows: Iterable[Any]) -> Iterator[Chunk]:
        """Iterate over the rows of an open source in chunks; those before a row that fails come before its error."""
        done = 0
        for chunk in row_chunks(source, rows):
            try:
                codes = self.codes_of(chunk)
            except Exception:
                yield from self._until_failure(chunk, source, done)
            else:
                yield chunk, codes
            done += len(chunk)
            del chunk  # nothing is kept while the next rows are read

    def codes_of(self, rows: Sequence[Any]) -> NDArray[np.int32]:
        """Return the codes of rows; raise any error for a row that has none."""
        strata: list[Any] = []
        add_strata(strata, rows, self._stratum)
        return self._codes.of(strata)

    def codes_of_batch(self, rows: Sequence[Any]) -> NDArray[np.int32]:
        """Return the codes of rows that a user passes; refuse a row of an unknown stratum."""
        if not isinstance(rows, (list, tuple)):
            raise refused_type("rows", "be a list of rows, such as a batch", show(rows))
        try:
            return self.codes_of(rows) if rows else np.empty(0, dtype=np.int32)
        except _UnknownStratum as error:
            required = f"have strata that are one of {listed(self._codes.names)}"
            raise refused_value("rows", required, str(error)) from None

    def _until_failure(self, rows: list[Any], source: Source, first: int) -> Iterator[Chunk]:
        """Iterate over the rows, one at a time, until one has no code."""
        for place, row in enumerate(rows):
            yield [row], np.array([self._code_of(row, source, first + place)], dtype=np.int32)

    def _code_of(self, row: Any, source: Source, number: int) -> int:
        """Return the code of one row; raise an error that names the row."""
        try:
            return int(self.codes_of([row])[0])
        except _UnknownStratum as error:
            where = f"row {number} of the source '{source.name}'"
            raise SourceError(
                f"The stratum of {where} must be one of {listed(self._codes.names)}. Got {error} instead."
            ) from None
        except Exception as error:
            raise _failed(source, number, error) from error


def open_source(read: Callable[[Any], Iterable[Any]], source: Source) -> Iterable[Any]:
    """Return what the reader returns for a source, an iterable of rows."""
    try:
        return _check_rows(read(source.content))
    except Exception as error:
        raise unreadable(source, error) from error


def row_chunks(source: Source, rows: Iterable[Any]) -> Iterator[list[Any]]:
    """Iterate over the rows of an open source in chunks; those before an error come before it."""
    try:
        following = iter(rows)
    except Exception as error:
        raise unreadable(source, error) from error
    done = 0
    failure: Optional[Exception] = None
    is_end = False
    while not is_end:
        chunk: list[Any] = []
        try:
            chunk.extend(islice(following, CHUNK))  # keeps the rows before an error
        except Exception as error:
            failure = error
        done += len(chunk)
        is_end = not chunk or failure is not None
        if chunk:
            yield chunk
    try:
        if failure is not None:
            raise _failed(source, done, failure) from failure
    finally:
        failure = None  # its traceback refers to this frame


def strata_in(read: Callable[[Any], Iterable[Any]], stratum: Any, source: Source) -> list[Any]:
    """Return the strata of the rows of a source."""
    strata: list[Any] = []
    for rows in row_chunks(source, open_source(read, source)):
        try:
            add_strata(strata, rows, stratum)
        except Exception as error:
            raise _failed(source, len(strata), error) from error
    return strata


def add_strata(strata: list[Any], rows: Sequence[Any], stratum: Any) -> None:
    """Append the stratum of each row; if one fails, those before it are appended."""
    n_before = len(strata)
    n_expected = n_before + len(rows)
    try:
        strata.extend(map(stratum if callable(stratum) else itemgetter(stratum), rows))
    except KeyError:
        row = rows[len(strata) - n_before]
        if callable(stratum) or not isinstance(row, Mapping) or stratum in row:
            raise
        required = f"name one of the entries of the row, {listed(list(map(str, row)))}"
        raise refused_value("stratum", required, show(stratum)) from None
    if len(strata) < n_expected:  # map takes it for the end of the rows
        raise ValueError("The function of the stratum raised StopIteration.")


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
