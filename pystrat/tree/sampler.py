"""The tree samplers: batches for ``batch_sampler=``, single rows for ``sampler=``."""

from __future__ import annotations

import warnings
from typing import Any, Iterator, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.limits import MAX_COUNT, MAX_EXACT
from pystrat.messages import check_flag, check_integer, count_of, refused_value, show
from pystrat.base import BatchIterator, Batches, BatchSampler, Place, epoch_seed
from pystrat.recipe import Recipe, make_recipe
from pystrat.sizes import full_offsets, share_of_replicas
from pystrat.tree.auxiliary import drawn_rows
from pystrat.tree.building import Tree, build_tree
from pystrat.tree.conditions import read_table
from pystrat.tree.describe import TreeDescription, weights_without_effect
from pystrat.tree.drawing import Draws, DrawSequence
from pystrat.tree.passes import pass_length
from pystrat.tree.recipe import auxiliary_parts, tree_parts
from pystrat.tree.specification import parse_specification


_DRAWN_AHEAD = 2**14  # rows that an endless iteration draws at once


class _DeclaredSampler(BatchSampler):
    """Shared by the samplers of declared trees: the tree, its draws, and batches of them; see `TreeBatchSampler`."""

    def __init__(
        self,
        table: Any,
        spec: Any,
        batch_size: int,
        *,
        length: Union[int, str, None],
        drop_last: bool,
        persistent: bool,
        seed: Optional[int],
        num_replicas: Optional[int],
        rank: Optional[int],
    ) -> None:
        super().__init__(seed=seed, num_replicas=num_replicas, rank=rank)
        most = MAX_COUNT if length is None else None
        self._size = check_integer(batch_size, "batch_size", minimum=1, maximum=most)
        drop_last = check_flag(drop_last, "drop_last")
        self._persistent = check_flag(persistent, "persistent")
        specification = parse_specification(spec)
        self._tree = build_tree(specification, read_table(table, specification))
        if length is None and self._persistent:
            raise refused_value("persistent", "be false if 'length' is not given, since no epoch ends", show(True))
        self._length = None if length is None else _check_length(length, self._tree)
        self._offsets = np.empty(0, np.int64) if self._length is None else self._cut(self._length, drop_last)
        self._settings = {"batch_size": self._size, "length": length, "drop_last": drop_last, "persistent": persistent}
        self._sequence: Optional[DrawSequence] = None  # of a persistent sampler: the end of the last requested epoch
        self._last: Optional[tuple[int, Draws]] = None
        for message in weights_without_effect(specification.root):
            warnings.warn(message, stacklevel=3)  # the caller of the subclass's constructor

    def _cut(self, length: int, drop_last: bool) -> NDArray[np.int64]:
        """Return the beginning of each batch of an epoch in its draws."""
        n_batches = length // self._size if drop_last else -(-length // self._size)
        if n_batches == 0 and self.num_replicas is None:
            required = f"be at least {self._size}, the batch size, with drop_last"
            raise refused_value("length", required, show(length))
        n_batches = share_of_replicas(n_batches, self.num_replicas)
        return full_offsets(length, n_batches, self._size)

    @property
    def length(self) -> Optional[int]:
        """The number of draws of an epoch, over all ranks, including dropped batches; None if no epoch ends."""
        return self._length

    @property
    def tree(self) -> Tree:
        """The tree: clones, numbers, options, weights."""
        return self._tree

    @property
    def auxiliary_names(self) -> tuple[str, ...]:
        """The names of the auxiliary values."""
        return tuple(auxiliary.name for auxiliary in self._tree.specification.auxiliary)

    def auxiliary_values(self, epoch: Optional[int] = None) -> dict[str, NDArray[Any]]:
        """Return the auxiliary values of an epoch; changes nothing.

        Parameters
        ----------
        epoch : int, optional
            From 0 to 6700000; by default the next epoch.

        Returns
        -------
        dict of numpy.ndarray, shape (number of rows,)
            One array per name, in the order of ``batches(epoch).rows``.
        """
        epoch = self._requested_epoch(epoch)
        if not self.auxiliary_names:
            return {}
        draws = self._draws(epoch)
        ranges = [slice(*pair) for pair in zip(self._offsets[:-1].tolist(), self._offsets[1:].tolist())]
        mine = [self._values(draws, part, epoch) for part in ranges[self.rank or 0 :: self._stride]]
        return {name: np.concatenate([values[name] for values in mine]) for name in self.auxiliary_names}

    def _values(self, draws: Draws, part: slice, epoch: int, begin: int = 0) -> dict[str, NDArray[Any]]:
        """Return the auxiliary values of a part of draws, the first of which has the number `begin` in its epoch."""
        return {
            auxiliary.name: (
                auxiliary.values_of_user(epoch, begin + part.start, part.stop - part.start)
                if auxiliary.is_of_user
                else draws.values[auxiliary.name][part]
            )
            for auxiliary in self._tree.specification.auxiliary
        }

    def describe(self) -> TreeDescription:
        """Return a description of the tree: its text, its graph, the expected frequencies, and possible mistakes."""
        return TreeDescription(self._tree)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be drawn again."""
        return {**self.__dict__, "_sequence": None, "_last": None}

    def __bool__(self) -> bool:
        return True  # also without a length, which Python would request

    def __len__(self) -> int:
        if self._length is None:
            raise TypeError(f"{type(self).__name__} has no length, since its 'length' is None.")
        return super().__len__()

    def _global_length(self) -> int:
        return MAX_EXACT if self._length is None else len(self._offsets) - 1

    def _epoch_batches(self, epoch: int) -> Batches:
        rows = self._draws(epoch).rows[: self._offsets[-1]]
        return Batches(rows.copy() if self._persistent else rows, self._offsets)  # a kept epoch must not change

    def _lists_from(self, place: Place) -> Iterator[list[int]]:
        if self._length is None:
            return self._endless(place)
        if not self.auxiliary_names:
            return super()._lists_from(place)
        return self._carrying(self._draws(place.epoch), place.epoch, (self.rank or 0) + self._stride * place.batch)

    def _carrying(self, draws: Draws, epoch: int, first: int) -> Iterator[list[int]]:
        """Yield batches of row positions with their auxiliary values."""
        for batch in range(first, self._global_length(), self._stride):
            part = slice(int(self._offsets[batch]), int(self._offsets[batch + 1]))
            yield drawn_rows(draws.rows[part], self._values(draws, part, epoch))

    def _endless(self, place: Place) -> Iterator[list[int]]:
        """Yield this rank's batches of an epoch without an end, from a place on, repeating all draws before it."""
        sequence = DrawSequence(self._tree, epoch_seed(self.seed, place.epoch), keep=True)
        position = self._size * ((self.rank or 0) + self._stride * place.batch)
        while sequence.position < position:
            sequence.draw(min(position - sequence.position, _DRAWN_AHEAD))
        step = self._size * self._stride
        while True:
            position = sequence.position
            draws = sequence.draw(step * max(1, _DRAWN_AHEAD // step))
            for begin in range(0, len(draws.rows), step):
                part = slice(begin, begin + self._size)
                values = self._values(draws, part, place.epoch, position)
                yield drawn_rows(draws.rows[part], values) if values else draws.rows[part].tolist()

    def _draws(self, epoch: int) -> Draws:
        if self._length is None:
            raise refused_value("length", "be given for the arrays of a whole epoch", "nothing")
        if not self._persistent:
            return DrawSequence(self._tree, epoch_seed(self.seed, epoch), keep=False).draw(self._length)
        if self._last is not None and self._last[0] == epoch:
            return self._last[1]
        sequence, self._sequence = self._sequence, None
        if sequence is None or sequence.position > epoch * self._length:
            sequence = DrawSequence(self._tree, self.seed, keep=True)
        while sequence.position < epoch * self._length:
            sequence.draw(self._length)
        draws = sequence.draw(self._length)
        self._sequence, self._last = sequence, (epoch, draws)
        return draws

    def _recipe(self) -> Recipe:
        parts = {
            "batch_size": self._size,
            "length": self._length,
            "n_batches": None if self._length is None else self._global_length(),
            "persistent": self._persistent,
            "n_rows": self._tree.n_rows,
            **tree_parts(self._tree),
            **auxiliary_parts(self._tree.specification.auxiliary),
        }
        labels = {name: show(value) for name, value in self._settings.items()}
        return make_recipe("tree", seed=self.seed, parts=parts, labels=labels)

    def _recipe_to_export(self) -> Recipe:
        if any(value.is_of_user for value in self._tree.specification.auxiliary):
            advice = "In R, give batch_sampler_tree() a function of R."
            raise refused_value("sampler", "have auxiliary values that R can draw", "a function of Python", advice)
        return self._recipe()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({count_of(len(self._tree), 'node')}, {count_of(self._tree.n_rows, 'row')}, "
            f"batch_size={self._size}, length={self._length}, seed={self.seed})"
        )


class TreeBatchSampler(_DeclaredSampler):
    """Batch sampler that draws rows of a table as a tree declares it.

    Pass it to a PyTorch ``DataLoader(dataset, batch_sampler=...)``. The R function ``rbridge::batch_sampler_tree()``
    returns the same rows from the same seed. docs/tree.md is a guide.

    Parameters
    ----------
    table : pandas DataFrame or dict of columns, one row an example
        The metadata. Only the columns that the specification names are read.
    spec : dict, str or pathlib.Path
        The root node of the tree: a mapping, YAML text, or a YAML file whose name ends in .yaml or .yml.
        ``docs/tree.md`` describes the keys.
    batch_size : int
        The number of draws per batch.
    length : int, str or None
        The number of draws per epoch, from 1 to 2147483647; or the name of a node, for as many draws as it takes until
        every row below it has been drawn. In that case the node, all nodes below it and all above it must be
        ``sequential`` or ``shuffle``. If None, epochs do not end: an iteration yields batches as long as they are
        requested, and the sampler has no length.
    drop_last : bool, default False
        Whether to drop a last batch with fewer draws.
    persistent : bool, default False
        If True, all epochs form one endless sequence of draws; epoch e is the part that begins at draw e * length. If
        False, each epoch begins anew, with a seed of its own.
    seed : int, optional
        From 0 to 2147483646. If None, a seed is drawn from OS entropy; read it from ``.seed``. Required with `rank`.
    num_replicas : int, optional
        The number of processes that share an epoch. Batches beyond a multiple of it are dropped.
    rank : int, optional
        The index of this process among the replicas, from 0. If None, the sampler yields all batches in global order.

    Raises
    ------
    TypeError, ValueError
        If a parameter, a key or a value of the specification, or a column of the table is invalid. The message contains
        the path of the node.
    ImportError
        If the specification is YAML and PyYAML is not installed.

    Warns
    -----
    UserWarning
        If a weight has no effect because the parent does not draw with replacement, or if the batch size is not a
        multiple of the root's ``repeat``, so that rows that belong together would be split.

    Notes
    -----
    Guarantees, besides those of `BatchSampler`:

    * The draws equal those of drawing row by row, where each node keeps its own state: the option that is being
      repeated, its place in the sequence, the remaining options of its shuffle, its stream of random numbers.
    * An epoch is a pure function of table, specification, seed and epoch; with ``persistent=True``, so is the endless
      sequence.
    * The stream of a node is that of R's ``set.seed((s + 1000003 * (j + 1)) % (2^31 - 1))``, where j is its number in
      preorder after cloning and pruning, from 0, and s is the epoch's seed; the auxiliary values follow the nodes.
    * If `length` is the name of a node, every row below it is among the draws of every epoch; with ``persistent=True``,
      of the first epoch only, because later ones may begin within a shuffle. Batches that `drop_last` or `num_replicas`
      drop are not delivered.
    * Columns of the table are kept only as codes; the table may change after construction.
    * An auxiliary value may be a function of the user. It is called with the number of the epoch and the number of the
      draw in it, both from 0, when its batch is requested. It must be pure: it returns the same for the same numbers,
      whatever was requested before. Then it can be resumed and used by several ranks like all others. It is not part of
      the fingerprint of a state, and does not cross to R.

    With ``length=None``, an iteration can be saved and resumed like any other; resuming repeats all draws before the
    place. `batches` and `auxiliary_values`, which return whole epochs, raise an error.

    With ``persistent=True``, the next epoch continues the one before. Jumping to an epoch repeats all draws before it.

    Atomwise published the idea of a declared tree as TreeSampler ("Flexible, declarative dataset sampling in PyTorch");
    this is an independent implementation.

    Examples
    --------
    >>> from pystrat import TreeBatchSampler
    >>> table = {"label": ["active", "inactive", "inactive", "inactive"]}
    >>> spec = '''
    ... mode: sequential
    ... children:
    ...   - {name: active, column: label, value: active, mode: shuffle}
    ...   - {name: inactive, column: label, value: inactive, mode: shuffle}
    ... '''
    >>> sampler = TreeBatchSampler(table, spec, batch_size=2, length="inactive", seed=1)
    >>> [sorted(batch) for batch in sampler][0][0], len(sampler)
    (0, 3)
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
        super().__init__(
            table,
            spec,
            batch_size,
            length=length,
            drop_last=drop_last,
            persistent=persistent,
            seed=seed,
            num_replicas=num_replicas,
            rank=rank,
        )
        repeat = self._tree.specification.root.repeat
        if self._size % repeat:
            warnings.warn(
                f"The 'batch_size' parameter, {self._size}, is not a multiple of the root's "
                f"'repeat', {repeat}: rows that follow one another by it are split between batches.",
                stacklevel=2,
            )


class TreeSampler(_DeclaredSampler):
    """Sampler that draws single rows of a table as a tree declares it, for ``DataLoader(dataset, sampler=...)``.

    Parameters
    ----------
    table, spec, length, persistent, seed, num_replicas, rank
        As in `TreeBatchSampler`. With replicas, draws are divided one by one; use `TreeBatchSampler` if rows belong
        together.

    Notes
    -----
    It yields single row positions, and its length is the number of draws. In a state, ``batch`` is the number of draws.
    Everything else is as in `TreeBatchSampler` with batches of one draw.
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
        super().__init__(
            table,
            spec,
            1,
            length=length,
            drop_last=False,
            persistent=persistent,
            seed=seed,
            num_replicas=num_replicas,
            rank=rank,
        )

    def __iter__(self) -> "RowIterator":  # type: ignore[override]
        return RowIterator(super().__iter__())


class RowIterator(Iterator[int]):
    """One iteration over the rows of a `TreeSampler`: an iteration over its batches of one row each.

    Parameters
    ----------
    batches : BatchIterator
    """

    def __init__(self, batches: BatchIterator) -> None:
        self._batches = batches

    def __next__(self) -> int:
        return next(self._batches)[0]

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the iteration, like `BatchIterator.state_dict`."""
        return self._batches.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a saved state, like `BatchIterator.load_state_dict`."""
        self._batches.load_state_dict(state)


def _check_length(length: Any, tree: Tree) -> int:
    """Return the number of draws of an epoch."""
    if not isinstance(length, str):
        return check_integer(length, "length", minimum=1, maximum=MAX_COUNT)
    return pass_length(tree, length)
