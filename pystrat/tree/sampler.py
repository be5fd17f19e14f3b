"""The tree samplers: batches for ``batch_sampler=``, single rows for ``sampler=``."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional, Union

from numpy.typing import NDArray

from pystrat import _core
from pystrat.core.base import BatchIterator
from pystrat.core.core_sampler import KindBatchSampler, arguments_of
from pystrat.core.limits import MAX_EXACT
from pystrat.core.messages import count_of, refused_value, show
from pystrat.core.places import Place
from pystrat.core.recipe import Recipe
from pystrat.core.seeds import epoch_seed
from pystrat.tree.auxiliary import DrawnRow, auxiliary_data, read_auxiliary
from pystrat.tree.conditions import read_table, tree_data
from pystrat.tree.describe import TreeDescription
from pystrat.tree.specification import read_specification

_DRAWN_AHEAD = 2**14  # rows that an endless iteration draws at once


class _DeclaredSampler(KindBatchSampler):
    """Shared by the samplers of declared trees: the tree, its draws, and batches of them; see `TreeBatchSampler`.

    `length` is the number of draws of an epoch, over all ranks, including dropped batches; None if no epoch ends.
    """

    _kind = "tree"

    def _declare(self, table: Any, spec: Any, arguments: dict[str, Any]) -> None:
        """Build the tree of a specification and a table."""
        self._check(arguments)
        self._nodes, auxiliary = read_specification(spec)
        self._auxiliary = read_auxiliary(auxiliary)
        self._table = read_table(table, self._nodes)
        given = [show(value.given) for value in self._auxiliary]
        self._begin({**tree_data(self._nodes, self._table), **auxiliary_data(self._auxiliary)}, given, stacklevel=4)
        described = self._instance.describe()
        self.length, self._n_nodes = int(described["length"][0]) or None, len(described["declared"])
        self.auxiliary_names = tuple(value.name for value in self._auxiliary)

    def _rows_of(self, drawn: Mapping[str, NDArray[Any]], part: slice, epoch: int, begin: int = 0) -> list[int]:
        """Return a part of draws with their auxiliary values; the first draw has the number `begin` in its epoch."""
        rows: list[int] = drawn["rows"][part].tolist()
        if not self._auxiliary:
            return rows
        numbers = iter(drawn["values"].reshape(-1, len(drawn["rows"])))
        values = [auxiliary.values(numbers, part, epoch, begin) for auxiliary in self._auxiliary]
        return [DrawnRow(row, dict(zip(self.auxiliary_names, of_row))) for row, *of_row in zip(rows, *values)]

    def describe(self) -> TreeDescription:
        """Return a description of the tree: its text, its graph, the expected frequencies, and possible mistakes."""
        return TreeDescription(self._nodes, self._table, self._instance.describe(), self._instance.warnings)

    def __bool__(self) -> bool:
        return True  # even without a length, which Python would request

    def __len__(self) -> int:
        if self.length is None:
            raise TypeError(f"{type(self).__name__} has no length, since its 'length' is None.")
        return super().__len__()

    def _global_length(self) -> int:
        return MAX_EXACT if self.length is None else super()._global_length()

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        if self.length is None:
            return self._endless(place)
        return self._carrying(place) if self._auxiliary else super()._lists_from(place)

    def _carrying(self, place: Place) -> Iterator[list[int]]:
        """Yield batches of row positions with their auxiliary values."""
        drawn = self._instance.draw(place.epoch)
        offsets = drawn["offsets"].tolist()
        for batch in range((self.rank or 0) + self._stride * place.batch, len(offsets) - 1, self._stride):
            yield self._rows_of(drawn, slice(offsets[batch], offsets[batch + 1]), place.epoch)

    def _endless(self, place: Place) -> Iterator[list[int]]:
        """Yield this rank's batches of an epoch without an end, from a place on, repeating all draws before it.

        The epoch is that of a persistent sampler with the seed of the epoch, whose epochs are the parts that are drawn
        at once.
        """
        size = self._parts.get("batch_size", 1)
        step = size * self._stride
        length = step * max(1, _DRAWN_AHEAD // step)
        parts = {**self._parts, "batch_size": length, "length": length, "persistent": True, "num_replicas": None}
        instance = _core.Instance(self._kind, parts, epoch_seed(self.seed, place.epoch))
        number, first = divmod(size * (self.rank or 0) + step * place.batch, length)
        while True:
            drawn = instance.draw(number)
            for begin in range(first, length, step):
                yield self._rows_of(drawn, slice(begin, begin + size), place.epoch, number * length)
            number, first = number + 1, size * (self.rank or 0)

    def _recipe_to_export(self) -> Optional[Recipe]:
        if any(callable(value.given) for value in self._auxiliary):
            advice = "In R, give batch_sampler_tree() a function of R."
            raise refused_value("sampler", "have auxiliary values that R can draw", "a function of Python", advice)
        return self._recipe()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(self._n_nodes, 'node')}, {count_of(self._table.n_rows, 'row')}, "
            f"batch_size={self._parts.get('batch_size', 1)}, length={self.length}, seed={self.seed})"
        )


class TreeBatchSampler(_DeclaredSampler):
    """Batch sampler that draws rows of a table as a tree declares it; docs/tree.md is the guide.

    Parameters
    ----------
    table : pandas DataFrame or dict of columns, one row an example
        The metadata. Only the columns that the specification names are read.
    spec : dict, str or pathlib.Path
        The root node of the tree: a mapping, YAML text, or a YAML file whose name ends in .yaml or .yml.
    batch_size : int
        The number of draws per batch.
    length : int, str or None
        The number of draws per epoch, from 1 to 2147483647; or the name of a node, for as many draws as it takes until
        every row below it has been drawn: the node, all nodes below it and all above it must then be ``sequential`` or
        ``shuffle``. If None, epochs do not end, and the sampler has no length.
    drop_last : bool, default False
        Whether to drop a last batch with fewer draws.
    persistent : bool, default False
        If True, all epochs form one endless sequence of draws; epoch e is the part that begins at draw e * length, and
        jumping to it repeats all draws before it. If False, each epoch begins anew, with a seed of its own.
    seed, num_replicas, rank
        As in `BatchSampler`; batches beyond a multiple of `num_replicas` are dropped.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * The draws equal those of drawing row by row, where each node keeps its own place and stream of random numbers.
    * If `length` is the name of a node, every row below it is among the draws of every epoch; with ``persistent=True``,
      of the first epoch only.
    * A function of the user for auxiliary values is called when its batch is requested. It is not part of the
      fingerprint of a state.

    Examples
    --------
    >>> from pystrat import TreeBatchSampler
    >>> table = {"label": ["active", "inactive", "inactive", "inactive"]}
    >>> spec = "{mode: sequential, children: [{column: label, value: active}, {column: label, value: inactive}]}"
    >>> [batch[0] for batch in TreeBatchSampler(table, spec, batch_size=2, length=6, seed=1)]
    [0, 0, 0]
    """

    def __init__(
        self,
        table: Any,
        spec: Any,
        batch_size: int,
        *,
        length: Union[int, str, None],
        drop_last: bool = False,
        persistent: bool = False,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        self._declare(table, spec, arguments_of(locals(), without=("table", "spec")))


class TreeSampler(_DeclaredSampler):
    """Sampler that draws single rows of a table as a tree declares it, for ``DataLoader(dataset, sampler=...)``.

    It yields single row positions, and its length is the number of draws. In a state, ``batch`` is the number of draws.
    With replicas, draws are divided one by one; use `TreeBatchSampler`, which has the same parameters, if rows belong
    together.
    """

    def __init__(
        self,
        table: Any,
        spec: Any,
        *,
        length: Union[int, str, None],
        persistent: bool = False,
        seed: Optional[int] = None,
        num_replicas: Optional[int] = None,
        rank: Optional[int] = None,
    ) -> None:
        arguments = arguments_of(locals(), without=("table", "spec"))
        self._declare(table, spec, {**arguments, "drop_last": False})

    def __iter__(self) -> "RowIterator":  # type: ignore[override]
        return RowIterator(self)


class RowIterator(BatchIterator):
    """One iteration over the rows of a `TreeSampler`, whose batches have one row each."""

    def __next__(self) -> int:  # type: ignore[override]
        return super().__next__()[0]
