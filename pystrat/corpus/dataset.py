"""Parallel files of text as one dataset: line by line, file after file."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any, Callable, Optional, Sequence, Union

from numpy.typing import NDArray

from pystrat.messages import check_flag, check_integer, count_of, refused_type, refused_value, show
from pystrat.corpus.files import ParallelFile, Paths, Source, open_files
from pystrat.corpus.population import limited_population


def check_transform(transform: Any) -> Any:
    """Return a function of the lines of a position, or None."""
    if transform is not None and not callable(transform):
        raise refused_type("transform", "be a function, or nothing", show(transform))
    return transform


class CorpusDataset:
    """Dataset of the lines of all files, in order.

    For a PyTorch ``DataLoader``, with a `CorpusMixtureBatchSampler` of the same files, whose ``dataset()`` returns it.

    Parameters
    ----------
    source : path or sequence of paths
        A folder, whose files are taken in the byte order of their names, or files with the first suffix. With
        `targets`, files of any names.
    suffixes : sequence of str, default (".src", ".tgt")
        The suffixes of files that belong together line by line, or one for text without a translation; an empty one,
        ``[""]``, takes a list of files as they are. With `targets`, two names for the sides, which only R shows.
    targets : sequence of paths, optional
        The partner of each file of `source`, in the same order, with any names.
    transform : callable, optional
        A function, for example a tokenizer. It is called with the tuple of strings of a position, one for each suffix,
        and returns the item. It must be picklable for workers that are not forked.
    positions : bool, default False
        If True, an item is a pair of its position and the item itself, so that the training loop can report losses by
        example to a sampler.
    lengths, max_length, accept : optional
        As in `CorpusMixtureBatchSampler`, except that excluded lines have no position. In a mixture, all lines keep
        their positions; its ``dataset()`` has no limits.

    Raises
    ------
    TypeError, ValueError, OSError
        If a file is missing, is not a regular file, cannot be read or has another number of lines than its partner.

    Notes
    -----
    * Any line is read in constant time, even from files that are larger than memory; see `LineFile`.
    * After reading an item, or a batch of a ``DataLoader`` of PyTorch 2, the files are checked. If a file is gone, or
      its size, modification time or inode is no longer that of its index, a RuntimeError is raised. A change that
      preserves all three is not detected.
    * Each process opens the files itself: one descriptor per file, and 8 bytes of memory per line.
    """

    def __init__(
        self,
        source: Source,
        suffixes: Sequence[str] = (".src", ".tgt"),
        *,
        targets: Optional[Paths] = None,
        transform: Optional[Callable[[tuple[str, ...]], Any]] = None,
        positions: bool = False,
        lengths: Any = None,
        max_length: Union[None, int, Sequence[int]] = None,
        accept: Optional[Callable[[tuple[str, ...]], bool]] = None,
    ) -> None:
        transform, positions = check_transform(transform), check_flag(positions, "positions")
        if lengths is not None and max_length is None:
            raise refused_value("lengths", "be given together with 'max_length'", show(lengths))
        files = open_files(source, suffixes, targets)
        population = limited_population(files, lengths, max_length, accept)
        self._adopt(files, transform, positions, None if population is None else population.positions())

    @classmethod
    def of_files(
        cls,
        files: Sequence[ParallelFile],
        transform: Optional[Callable[[tuple[str, ...]], Any]] = None,
        positions: bool = False,
    ) -> "CorpusDataset":
        """Return the dataset of files that are already open."""
        dataset = cls.__new__(cls)
        dataset._adopt(tuple(files), transform, positions)
        return dataset

    def _adopt(
        self,
        files: tuple[ParallelFile, ...],
        transform: Optional[Callable[[tuple[str, ...]], Any]],
        positions: bool,
        remaining: Optional[NDArray[Any]] = None,
    ) -> None:
        """Store open files; `remaining` has the numbers of the lines that have positions, None for all."""
        self.files = files
        self.transform = transform
        self.positions = positions
        self._remaining = remaining
        self._ends = list(accumulate(len(file) for file in files))

    def __len__(self) -> int:
        return self._ends[-1] if self._remaining is None else len(self._remaining)

    def find(self, position: int) -> tuple[int, int]:
        """Return the file of a position, by its index among the files, and the line in it, both from 0."""
        if type(position) is not int or not 0 <= position < len(self):
            position = check_integer(position, "position", minimum=0, maximum=len(self) - 1)
        line = position if self._remaining is None else int(self._remaining[position])
        file = bisect_right(self._ends, line)
        return file, line - (self._ends[file - 1] if file else 0)

    def lines(self, position: int) -> tuple[str, ...]:
        """Return the lines of a position, one for each suffix, as they are in the files."""
        file, line = self.find(position)
        return tuple(side.line(line) for side in self.files[file].sides)

    def _lines_at(self, positions: Sequence[int]) -> list[tuple[str, ...]]:
        """Return the lines of several positions, checking the version of each file once."""
        places_of: dict[int, list[int]] = {}
        numbers_of: dict[int, list[int]] = {}
        for place, position in enumerate(positions):
            file, number = self.find(position)
            places_of.setdefault(file, []).append(place)
            numbers_of.setdefault(file, []).append(number)
        found: list[tuple[str, ...]] = [()] * len(positions)
        for file, numbers in numbers_of.items():
            sides = [side.lines(numbers) for side in self.files[file].sides]
            for place, lines in zip(places_of[file], zip(*sides)):
                found[place] = lines
        return found

    def __getitem__(self, position: int) -> Any:
        self._refuse_outside(position)
        return self._item(position, self.lines(position))

    def __getitems__(self, positions: Sequence[int]) -> list[Any]:
        """Return the items of a batch, which PyTorch requests since version 2.0 instead of single items."""
        for position in positions:
            self._refuse_outside(position)
        return [self._item(position, lines) for position, lines in zip(positions, self._lines_at(positions))]

    def _item(self, position: int, lines: tuple[str, ...]) -> Any:
        item = lines if self.transform is None else self.transform(lines)
        return (position, item) if self.positions else item

    def _refuse_outside(self, position: int) -> None:
        if not 0 <= position < len(self):
            raise IndexError(position)  # ends a loop over the dataset

    def __repr__(self) -> str:
        return f"{type(self).__name__}({count_of(len(self.files), 'file')}, {count_of(len(self), 'line')})"
