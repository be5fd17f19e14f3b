"""Sources -> chunks of rows with their strata, and the codes of these."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from pystrat.core.messages import refused_type, show
from pystrat.core.strata import encode_strata
from pystrat.core.value_names import listed_keys

CHUNK = 512  # rows that are read at a time


class Source(NamedTuple):
    """A part of the data: its name in counts, states and messages, and what the reader takes."""

    name: str
    content: Any


class SourceError(RuntimeError):
    """A source cannot be read, or does not match its counts or strata.

    The message names the source and, if possible, the row, from 0. Once it is mended, the same iterator goes on.
    """


class SourceReader:
    """Reads sources in chunks of rows with their strata; the parameters are those of `StratifiedStream`."""

    def __init__(self, read: Callable[[Any], Iterable[Any]], stratum: Any) -> None:
        if not callable(read):
            raise refused_type("read", "be a function of a source", show(read))
        self._read, self.stratum_of = read, stratum if callable(stratum) else itemgetter(stratum)

    def chunks(self, source: Source) -> Iterator[tuple[list[Any], list[Any]]]:
        """Iterate over the rows of a source and their strata."""
        place = 0
        rows: list[Any] = []
        strata: list[Any] = []
        try:
            for row in self._read(source.content):
                strata.append(self.stratum_of(row))
                rows.append(row)
                place += 1
                if len(rows) == CHUNK:
                    yield rows, strata
                    rows, strata = [], []
        except Exception as error:
            name = type(error).__name__
            shown = f"{name}: {error}" if str(error) else name
            raise SourceError(f"The source '{source.name}' cannot be read at row {place}. {shown}") from error
        if rows:
            yield rows, strata


class StratumCodes(dict[tuple[type, Any], int]):
    """The codes of values: the places of their names among those of the strata, and -1 for others.

    Values are known by type, too: 1, 1.0 and True are the same key of a dict, but True is another stratum than 1.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._code_of = {name: code for code, name in enumerate(names)}

    def __missing__(self, key: tuple[type, Any]) -> int:
        name = name_of_stratum(key[1])
        code = -1 if name is None else self._code_of.get(name, -1)
        if len(self) < 4 * len(self._code_of) and type(key[1]).__hash__ is not None:  # tensors are keys of their own
            self[key] = code
        return code

    def of(self, strata: Sequence[Any], refused: Callable[[int, str, str], Exception]) -> NDArray[np.int32]:
        """Return the codes of values; of others, raise what `refused` returns for a place, known values and value."""
        try:
            codes = np.fromiter(map(self.__getitem__, zip(map(type, strata), strata)), np.int32, len(strata))
        except TypeError:  # a value that is no key, such as an array
            codes = np.fromiter(map(self.__missing__, zip(map(type, strata), strata)), np.int32, len(strata))
        if codes.min(initial=0) < 0:
            place = int(codes.argmin())
            name = name_of_stratum(strata[place])
            shown = show(strata[place] if name is None else name)
            raise refused(place, f"one of {listed_keys(list(self._code_of))}", shown)
        return codes


def name_of_stratum(value: Any) -> Optional[str]:
    """Return the name that a value would have as a stratum, if it can be one."""
    try:
        return encode_strata([value], missing="stratum").exact_names[0]
    except (TypeError, ValueError):
        return None
