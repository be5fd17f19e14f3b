"""Batches of data in memory, or in memory maps, without a step in Python for each row.

A DataLoader requests rows one by one and puts each batch together again. For tensors, that takes longer than a training
step of a small network. This loader gathers the rows of many batches in one call, and every batch is a part of the
result.
"""

from __future__ import annotations

import warnings
import weakref
from collections import deque
from collections.abc import Mapping
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from pystrat.arrays import check_same_rows, plain_array, refuse_without_array
from pystrat.base import Batches, BatchSampler
from pystrat.feedback import SamplerWithFeedback
from pystrat.limits import MAX_EXACT
from pystrat.messages import check_integer, count_of, refused_type, refused_value, show
from pystrat.resumable import LoaderWithState, check_rows, length_of

if TYPE_CHECKING:
    import torch

_MIB = 2**20


class _Chunk(NamedTuple):
    """Successive batches: the rows of all, and the number of rows of each; or one batch with auxiliary values."""

    rows: NDArray[Any]
    sizes: list[int]
    drawn: Any = None


class _Size(NamedTuple):
    """The number of bytes of a number of rows."""

    n_bytes: int
    n_rows: int


class TensorLoader(LoaderWithState):
    """Loader for data in memory or in memory maps: it gathers the rows of many batches at once.

    It yields what ``DataLoader(TensorDataset(*tensors), batch_sampler=sampler)`` yields, bit for bit and in the same
    order, but without a step in Python for each row. ``docs/fast-epochs.md`` says when this matters.

    Parameters
    ----------
    *tensors : torch tensors, numpy arrays, pandas objects, or dicts, lists and tuples of these, nested as you like
        The data, all with the number of rows that the sampler was made for; of more, give a part, such as ``x[:50]``.
        Nothing is copied. Memory maps, of ``numpy.memmap`` or ``torch.from_file``, are read as far as batches need
        them. An object that takes an array of row positions and returns their rows, such as `PairDataset` or
        `TripleDataset`, is requested for many batches at once.
    sampler : BatchSampler
        A batch sampler of this package.
    transform : callable, optional
        Called with each batch; the loader yields what it returns.
    device : torch.device, str or int, optional
        The device of the batches; by default, that of the data. For a GPU (CUDA), a chunk is gathered in pinned memory,
        and moved while the training loop works on the one before.
    chunk : int, default 4194304
        The number of bytes to gather at once, at most, from 1. A larger batch is a chunk by itself. Two chunks of data
        in main memory stay there as long as the loader does.

    Attributes
    ----------
    sampler : BatchSampler

    Raises
    ------
    TypeError, ValueError
        If a parameter is invalid; if data have another number of rows than the sampler, require gradients, or are not
        dense numbers.

    Notes
    -----
    A batch has the form of an item of the dataset: a list with a tensor for each of several `tensors`, or for a single
    tensor. A single dict, list or dataset determines the form by itself; tuples become lists, as in a DataLoader.

    If the sampler has auxiliary values (`TreeBatchSampler`), a batch ends with a dict of them: under the key ``"aux"``
    if it is a dict itself, else as the last entry. The values are collated as a DataLoader does.

    Each batch is a part of the memory of its chunk: changing it changes no other batch and no data, but keeping one
    keeps the whole chunk. Keep, or save, ``batch.clone()``.

    Samplers with feedback draw a batch when it is requested, so that feedback takes effect as in a DataLoader without
    workers. For these, and for auxiliary values, a chunk is one batch.

    The rows of a dataset have an unknown number of bytes, so its first chunk is one batch, and from then on, a row has
    the most bytes that one had on average in a chunk so far.

    The state of the loader is that of its sampler after the batches that the training loop has taken; each can load the
    state of the other.

    Examples
    --------
    >>> import torch
    >>> from pystrat import StratifiedBatchSampler, TensorLoader
    >>> labels = torch.tensor([0, 1, 1, 0, 1, 1])
    >>> sampler = StratifiedBatchSampler(labels, min_samples_per_stratum=1, seed=1)
    >>> loader = TensorLoader(torch.arange(6.0), labels, sampler=sampler)
    >>> for x, y in loader:
    ...     print(x.tolist(), y.tolist())
    [0.0, 2.0, 5.0] [0, 1, 1]
    [3.0, 1.0, 4.0] [0, 1, 1]
    """

    def __init__(
        self,
        *tensors: Any,
        sampler: BatchSampler,
        transform: Optional[Callable[[Any], Any]] = None,
        device: Union[torch.device, str, int, None] = None,
        chunk: int = 4 * _MIB,
    ) -> None:
        if not isinstance(sampler, BatchSampler):
            raise refused_type("sampler", "be a batch sampler of pystrat", show(sampler))
        if transform is not None and not callable(transform):
            raise refused_type("transform", "be a function", show(transform))
        if not tensors:
            raise refused_value("tensors", "have at least one tensor", "none")
        self._chunk = check_integer(chunk, "chunk", minimum=1, maximum=MAX_EXACT)
        self._device = _check_device(device)
        has_form = len(tensors) == 1 and not _is_array(tensors[0])
        try:
            check_same_rows(("tensors", leaf) for leaf in _leaves(list(tensors)))
            self._data = _mapped(_source, tensors[0] if has_form else list(tensors))
        except RecursionError:
            raise refused_value("tensors", "be nested to a finite depth", show(tensors[0])) from None
        leaves = _leaves(self._data)
        self._size = _size_of_rows(leaves)
        for leaf in leaves:
            check_rows(sampler, leaf.n_rows, "tensors", "have")
        self._transform = transform
        super().__init__(sampler)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sampler!r}, chunk={self._chunk})"

    def _batches(self) -> Iterator[Any]:
        """Begin the sampler's next epoch and yield its batches."""
        drawn = _begin(self._sampler)
        gathered: Iterator[tuple[Any, _Chunk]] = map(self._gathered, self._chunks(drawn))
        if self._device is not None and self._device.type == "cuda" and not self._has_feedback:
            gathered = _one_ahead(gathered)  # so that it is moved while the training loop works
        for values, chunk in gathered:
            batches = _cut(values, chunk.sizes)
            cut = batches if chunk.drawn is None else (_with_auxiliary(batch, chunk.drawn) for batch in batches)
            yield from cut if self._transform is None else map(self._transform, cut)
        if self._sampler._begun is not None:
            self._sampler._note_end(self._sampler._begun)

    @property
    def _has_feedback(self) -> bool:
        return isinstance(self._sampler, SamplerWithFeedback)

    def _chunks(self, drawn: Union[Batches, Iterable[Any]]) -> Iterator[_Chunk]:
        if isinstance(drawn, Batches):
            return self._chunks_of_arrays(drawn)
        if getattr(self._sampler, "auxiliary_names", ()):
            return (_Chunk(_as_rows(batch), [len(batch)], batch) for batch in drawn)
        if self._has_feedback:  # the next batch is drawn when it is requested
            return (_Chunk(_as_rows(batch), [len(batch)]) for batch in drawn)
        return self._chunks_of_lists(drawn)

    def _chunks_of_lists(self, drawn: Iterable[Any]) -> Iterator[_Chunk]:
        waiting: list[NDArray[Any]] = []
        n_rows = 0
        for rows in map(_as_rows, drawn):
            if waiting and n_rows + len(rows) > self._most_rows:
                yield _Chunk(np.concatenate(waiting), [len(batch) for batch in waiting])
                waiting, n_rows = [], 0
            waiting.append(rows)
            n_rows += len(rows)
        if waiting:
            yield _Chunk(np.concatenate(waiting), [len(batch) for batch in waiting])

    def _chunks_of_arrays(self, drawn: Batches) -> Iterator[_Chunk]:
        offsets, begin = drawn.offsets, 0
        while begin < len(drawn):
            fitting = int(np.searchsorted(offsets, offsets[begin] + self._most_rows, side="right")) - 1
            end = max(begin + 1, fitting)
            sizes = np.diff(offsets[begin : end + 1]).tolist()
            yield _Chunk(drawn.rows[offsets[begin] : offsets[end]], sizes)
            begin = end

    @property
    def _most_rows(self) -> int:
        """The number of rows of a chunk; of a dataset, one batch comes first."""
        return 0 if self._size is None else self._chunk * self._size.n_rows // max(1, self._size.n_bytes)

    def _gathered(self, chunk: _Chunk) -> tuple[Any, _Chunk]:
        """Return the rows of a chunk, in the form of a batch."""
        import torch

        index = torch.from_numpy(chunk.rows)
        stays = self._device is None
        values = _mapped(lambda source: source.gather(index, stays), self._data)
        if len(chunk.rows):
            self._size = _largest(self._size, _Size(sum(map(_n_bytes, _leaves(values))), len(chunk.rows)))
        return _mapped(self._moved, values), chunk

    def _moved(self, values: Any) -> Any:
        import torch

        if self._device is None or not isinstance(values, torch.Tensor):
            return values
        if self._device.type == "cuda" and values.device.type == "cpu":
            values = values.pin_memory()
        return values.to(self._device, non_blocking=True)


class _Tensor:
    """Rows of a tensor."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._memory = _Memory()
        self.n_rows = len(tensor)
        self.row_bytes = tensor.element_size() * tensor[:1].numel()

    def gather(self, index: torch.Tensor, stays: bool) -> torch.Tensor:
        """Return the rows; `stays`: batches will not be moved to other memory."""
        import torch

        tensor, n_bytes = self._tensor, len(index) * self.row_bytes
        is_plain = type(tensor) is torch.Tensor and tensor.layout == torch.strided and not tensor.is_quantized
        if not (stays and is_plain and tensor.device.type == "cpu" and n_bytes):
            return tensor.index_select(0, index.to(tensor.device))
        room = self._memory.of(n_bytes).view(tensor.dtype).view(len(index), *tensor.shape[1:])
        return torch.index_select(tensor, 0, index, out=room)


class _Memory:
    """Memory for chunks, used again when no batch of a chunk is left: the system takes long to provide new memory.

    There are two blocks, because the training loop holds a batch of one chunk while the next one is gathered.
    """

    def __init__(self) -> None:
        empty: tuple[NDArray[np.uint8], Callable[[], Any]] = (np.empty(0, np.uint8), lambda: None)
        self._blocks = deque([empty, empty], maxlen=2)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return _Memory, ()

    def of(self, n_bytes: int) -> torch.Tensor:
        """Return bytes that nothing else uses, of any values."""
        import torch

        try:
            block, user = self._blocks.popleft()  # no other thread gets it
            is_free = user() is None and len(block) >= n_bytes
        except IndexError:
            is_free = False
        if not is_free:
            block = torch.empty(n_bytes, dtype=torch.uint8, device="cpu").numpy()  # aligned as memory of torch is
        part = block[:n_bytes]
        self._blocks.append((block, weakref.ref(part)))
        return torch.from_numpy(part)  # holds the part as long as a tensor uses it


class _Dataset:
    """Rows of an object that takes an array of positions, in the form in which it returns them."""

    row_bytes = None

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.n_rows = length_of(dataset)

    def gather(self, index: torch.Tensor, stays: bool) -> Any:
        return _mapped(_converted, self._dataset[index.numpy()])


def _as_rows(batch: Any) -> NDArray[Any]:
    return np.asarray(batch, dtype=np.int64)


def _begin(sampler: BatchSampler) -> Union[Batches, Iterable[Any]]:
    """Begin the next epoch of a sampler; return its batches for this rank, in arrays if they are drawn in advance."""
    if type(sampler)._lists_from is not BatchSampler._lists_from:
        return iter(sampler)
    with sampler._lock.held:
        place = sampler._begin_epoch()
        batches = sampler._epoch_batches(place.epoch)
    first = (sampler.rank or 0) + sampler._stride * place.batch
    if isinstance(batches, Batches):
        return batches.part(first, sampler._stride)
    return islice(batches, first, None, sampler._stride)


def _check_device(device: Any) -> Optional[torch.device]:
    import torch

    if device is None:
        return None
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, TypeError, ValueError, AssertionError):  # the last one: torch was built without this device
        raise refused_value("device", "be a device of torch that this machine has", show(device)) from None


# The data -------------------------------------------------------------------------------------------------------------


def _is_array(values: Any) -> bool:
    return hasattr(values, "dtype") or hasattr(values, "dtypes")


def _source(values: Any) -> Union[_Tensor, _Dataset]:
    """Return the source of the rows of a tensor, an array or a dataset."""
    import torch

    if not isinstance(values, torch.Tensor) and not _is_array(values):
        if hasattr(values, "__getitem__") and not isinstance(values, (str, bytes)):
            return _Dataset(values)
        raise refused_type("tensors", "be tensors or arrays", show(values))
    tensor = values if isinstance(values, torch.Tensor) else _tensor_of(values)
    refuse_without_array(tensor, "tensors")
    if tensor.ndim == 0:
        raise refused_value("tensors", "have rows", "a tensor of 0 dimensions")
    if tensor.requires_grad:
        raise refused_value("tensors", "require no gradients", "one that does", "Call its method detach().")
    return _Tensor(tensor)


def _tensor_of(values: Any) -> torch.Tensor:
    import torch

    array = plain_array(values, "tensors")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of read-only arrays, to which nothing is written here
        try:
            return torch.from_numpy(array)
        except (TypeError, ValueError):  # a type that torch does not have, or a negative stride
            got = f"an array of {array.dtype} values and strides {array.strides}"
            raise refused_type("tensors", "be tensors, or arrays that torch can read", got) from None


def _size_of_rows(sources: list[Any]) -> Optional[_Size]:
    """Return the bytes of a row, None if they are unknown; refuse different numbers of rows."""
    n_rows = sorted({source.n_rows for source in sources if source.row_bytes is not None})
    if not sources:
        raise refused_value("tensors", "have at least one tensor", "none")
    if len(n_rows) > 1:
        raise refused_value("tensors", "have the same number of rows", f"{n_rows[0]} and {count_of(n_rows[-1], 'row')}")
    sizes = [source.row_bytes for source in sources]
    return None if None in sizes else _Size(sum(sizes), 1)


def _largest(known: Optional[_Size], found: _Size) -> _Size:
    if known is None or found.n_bytes * known.n_rows > known.n_bytes * found.n_rows:
        return found
    return known


def _n_bytes(values: Any) -> int:
    return int(values.nbytes if isinstance(values, np.ndarray) else values.element_size() * values.numel())


def _converted(values: Any) -> Any:
    """Return what a dataset returned as a tensor; an array of text as it is, as a DataLoader does."""
    import torch

    if not isinstance(values, (torch.Tensor, np.ndarray)):
        raise refused_type("tensors", "return tensors or arrays for an array of rows", show(values))
    return values if getattr(values.dtype, "kind", None) in ("O", "U", "S") else torch.as_tensor(values)


# Batches --------------------------------------------------------------------------------------------------------------


def _mapped(function: Callable[[Any], Any], data: Any) -> Any:
    """Call a function for each leaf of nested dicts, lists and tuples; return the results in the same form."""
    if isinstance(data, Mapping):
        return {name: _mapped(function, value) for name, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(_mapped(function, value) for value in data))
    if isinstance(data, (list, tuple)):
        return [_mapped(function, value) for value in data]
    return function(data)


def _leaves(data: Any) -> list[Any]:
    """Return the leaves, in order."""
    found: list[Any] = []
    _mapped(found.append, data)
    return found


def _cut(values: Any, sizes: list[int]) -> Iterator[Any]:
    """Cut the rows of a chunk into its batches."""
    leaves = _leaves(values)
    batches = zip(*(_parts(leaf, sizes) for leaf in leaves))
    if type(values) is list and len(leaves) == len(values) and all(map(is_, leaves, values)):
        return map(list, batches)
    return (_filled(values, iter(batch)) for batch in batches)


def _filled(form: Any, leaves: Iterator[Any]) -> Any:
    return _mapped(lambda _: next(leaves), form)


def _parts(values: Any, sizes: list[int]) -> Iterable[Any]:
    """Return the values of each batch. A dataset may return one value for several rows, such as those of a triple."""
    import torch

    group, rest = divmod(sum(sizes), len(values)) if len(values) else (1, sum(sizes))
    if rest or any(size % group for size in sizes):
        got = f"{count_of(len(values), 'value')} for {count_of(sum(sizes), 'row')}"
        raise refused_value("tensors", "return a value for each row, or for each group of rows", got)
    if group > 1:
        sizes = [size // group for size in sizes]
    if isinstance(values, torch.Tensor):
        # Unlike split(), it makes tensors that do not know of one another when gradients are computed.
        return torch.unsafe_split_with_sizes(values, sizes)
    return np.split(values, np.cumsum(sizes)[:-1])


def _with_auxiliary(batch: Any, rows: list[Any]) -> Any:
    """Add the auxiliary values of its rows to a batch."""
    from torch.utils.data import default_collate

    values = default_collate([row.aux for row in rows])
    return {**batch, "aux": values} if isinstance(batch, dict) else [*batch, values]


def _one_ahead(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items, each after the next one was made."""
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(item)
        if len(waiting) > 1:
            yield waiting.popleft()
    yield from waiting
