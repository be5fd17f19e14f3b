"""Parallel files of text as one dataset: line by line, file after file."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.core.messages import check_flag, count_of
from pystrat.corpus.files import Paths, Source, find_files
from pystrat.corpus.lengths import check_function, line_lengths, remaining_lines
from pystrat.corpus.line_table import LineTable


class CorpusDataset:
    """Dataset of the lines of files of any size, file after file, with random access.

    Parameters
    ----------
    source, suffixes, targets, max_length, accept
        As in `CorpusMixtureBatchSampler`, except that lines that are excluded have no position.
    transform : callable, optional
        A function, for example a tokenizer. It is called with the tuple of strings of a position, one for each side,
        and returns the item. It must be picklable for workers that are not forked.
    positions : bool, default False
        Whether an item is a pair of its position and the item itself, so that the training loop can report losses by
        example to a sampler.

    Notes
    -----
    * Only a newline ends a line; one ``\\r`` before it is dropped. Text is UTF-8.
    * Each process opens the files as it needs them; a line takes 8 bytes of memory per side.
    * A file whose size or modification time has changed raises a RuntimeError when an item or a batch is read.
    """

    def __init__(
        self,
        source: Union[Source, LineTable],
        suffixes: Sequence[str] = (".src", ".tgt"),
        *,
        targets: Optional[Paths] = None,
        transform: Optional[Callable[[tuple[str, ...]], Any]] = None,
        positions: bool = False,
        max_length: Union[None, int, Sequence[int]] = None,
        accept: Optional[Callable[[tuple[str, ...]], bool]] = None,
    ) -> None:
        self.transform, self.positions = check_function(transform, "transform"), check_flag(positions, "positions")
        self.table = source if isinstance(source, LineTable) else LineTable(find_files(source, suffixes, targets))
        remaining = remaining_lines(self.table, max_length, accept)
        # Those that have positions.
        self._lines: Any = range(len(self.table)) if remaining is None else remaining

    def __len__(self) -> int:
        return len(self._lines)

    def lengths(self, by: Any = "words") -> NDArray[Any]:
        """Return the length of each position, in words of the longest side or by a function of its lines."""
        return np.asarray(np.take(line_lengths(by, self.table), self._lines))

    def __getitem__(self, position: int) -> Any:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[Any]:
        """Return the items of a batch, which PyTorch requests since version 2.0 instead of single items."""
        if not all(0 <= position < len(self) for position in positions):
            raise IndexError(f"there are {len(self)} positions")  # ends a loop over the dataset
        found = self.table.read([int(self._lines[position]) for position in positions])
        return [self._item(position, lines) for position, lines in zip(positions, found)]

    def _item(self, position: int, lines: tuple[str, ...]) -> Any:
        item = lines if self.transform is None else self.transform(lines)
        return (position, item) if self.positions else item

    def __repr__(self) -> str:
        return f"{type(self).__name__}({count_of(len(self.table.found), 'file')}, {count_of(len(self), 'line')})"
