"""Sources -> chunks of rows with their strata, and the codes of these."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from pystrat.messages import refused_type, refused_value, show
from pystrat.strata import encode_strata, listed

if TYPE_CHECKING:  # numpy.typing takes time to import, and only annotations name it
    from numpy.typing import NDArray

CHUNK = 512  # rows that are read at a time


class Source(NamedTuple):
    """A part of the data: its name in counts, states and messages, and what the reader takes."""

    name: str
    content: Any


class SourceError(RuntimeError):
    """A source cannot be read, or does not match its counts or strata.

    The message names the source and, if possible, the row, counted from 0. Once it is mended, the same iterator, or a
    stream that loads the state of the batches before, continues without losing a row.
    """


class SourceReader:
    """Reads sources in chunks of rows with their strata.

    Parameters
    ----------
    read : callable
        Returns the rows of a source.
    stratum : callable, or key
        Returns the stratum of a row, or is its key in the row.
    """

    def __init__(self, read: Callable[[Any], Iterable[Any]], stratum: Any) -> None:
        if not callable(read):
            raise refused_type("read", "be a function of a source", show(read))
        self._read, self._stratum = read, stratum

    def chunks(self, source: Source) -> Iterator[tuple[list[Any], list[Any]]]:
        """Iterate over the rows of a source and their strata."""
        try:
            following = iter(_rows_of(self._read(source.content)))
        except Exception as error:
            raise SourceError(f"The source '{source.name}' cannot be read. {_shown(error)}") from error
        done = 0
        while True:
            rows: list[Any] = []
            strata: list[Any] = []
            failing = rows  # has what comes before the row that fails
            try:
                rows.extend(islice(following, CHUNK))
                failing = strata
                self.add_strata(strata, rows)
            except Exception as error:
                number = done + len(failing)
                raise SourceError(
                    f"Row {number} of the source '{source.name}' cannot be read. {_shown(error)}"
                ) from error
            if not rows:
                return
            done += len(rows)
            yield rows, strata
            del rows, strata, failing  # nothing is kept while the next rows are read

    def add_strata(self, strata: list[Any], rows: Sequence[Any]) -> None:
        """Append the stratum of each row; if one fails, those before it are appended."""
        strata.extend(map(self._stratum if callable(self._stratum) else self._entry_of, rows))
        if len(strata) < len(rows):  # map takes it for the end of the rows
            raise ValueError("The function of the stratum raised StopIteration.")

    def _entry_of(self, row: Any) -> Any:
        try:
            return row[self._stratum]
        except KeyError:
            if not isinstance(row, Mapping) or self._stratum in row:
                raise
            required = f"name one of the entries of the row, {listed(list(map(str, row)))}"
            raise refused_value("stratum", required, show(self._stratum)) from None


class UnknownStratum(Exception):
    """A value is not a stratum: its place among others, and how it is shown."""

    def __init__(self, place: int, shown: str) -> None:
        super().__init__(place, shown)
        self.place, self.shown = place, shown


class StratumCodes:
    """The codes of values: the places of their names among those of the strata.

    Values are known by type, too: 1, 1.0 and True are the same key of a dict, but True is another stratum than 1.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._code_of = {name: code for code, name in enumerate(self.names)}
        self._known: dict[tuple[type, Any], int] = {}

    def of(self, strata: Sequence[Any]) -> NDArray[np.int32]:
        """Return the codes of values; raise UnknownStratum for the first one that is not a stratum."""
        known = self._known
        try:
            return np.fromiter(map(known.__getitem__, zip(map(type, strata), strata)), np.int32, len(strata))
        except (KeyError, TypeError):  # a new value, or one that is no key, such as an array
            codes = np.fromiter((self._look_up(place, value) for place, value in enumerate(strata)), np.int32)
        for value, code in zip(strata, codes.tolist()):
            if type(value).__hash__ is not None and len(known) < 4 * len(self.names):  # tensors are keys of their own
                known[type(value), value] = code
        return codes

    def _look_up(self, place: int, value: Any) -> int:
        try:
            return self._known[type(value), value]
        except (KeyError, TypeError):
            pass
        try:
            name = encode_strata([value], missing="stratum").exact_names[0]
        except (TypeError, ValueError):  # no stratum can have this value
            raise UnknownStratum(place, show(value)) from None
        if name not in self._code_of:
            raise UnknownStratum(place, show(name))
        return self._code_of[name]


def _rows_of(rows: Any) -> Iterable[Any]:
    """Return what a reader returned if it can be iterated over."""
    if not isinstance(rows, Iterable):
        raise TypeError(f"The reader must return an iterable of rows. Got {show(rows)} instead.")
    return rows


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
