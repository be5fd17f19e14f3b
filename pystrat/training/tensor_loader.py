"""Batches of data in memory, or in memory maps, without a step in Python for each row."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator, Mapping, Optional, Union

import numpy as np
import torch
from torch.utils.data import default_collate

from pystrat.core.arrays import check_same_rows, plain_array
from pystrat.core.base import BatchSampler
from pystrat.core.messages import check_integer, refused_type, show
from pystrat.training.resumable import ResumableLoader, check_rows


class TensorLoader(ResumableLoader):
    """Loader for data in memory or in memory maps: it gathers the rows of many batches in one call.

    It yields what ``DataLoader(TensorDataset(*tensors), batch_sampler=sampler)`` yields, bit for bit and in the same
    order, and counts batches as `ResumableLoader` does. ``docs/fast-epochs.md`` says when this matters.

    Parameters
    ----------
    *tensors : torch tensors, numpy arrays, pandas objects, or dicts, lists and tuples of these, nested as you like
        The data, each with the rows that the sampler was made for. Memory maps are read as far as batches need them. An
        object that takes an array of row positions, such as a `PairDataset`, is requested for many batches at once.
    sampler : BatchSampler
    transform : callable, optional
        Called with each batch; the loader yields what it returns.
    device : torch.device, str or int, optional
        The device of the batches; by default, that of the data.
    chunk : int, default 1048576
        The number of bytes to gather at once, at most, from 1. A larger batch is a chunk by itself.

    Notes
    -----
    * A batch is a list of tensors, or has the form of a single dict, list or dataset; tuples in it become lists.
    * Auxiliary values of a sampler (`TreeBatchSampler`) come last, under the key ``"aux"`` if a batch is a dict.
    * Each batch is a part of the memory of its chunk, which it keeps: to keep a batch, keep ``batch.clone()``.
    * Samplers with feedback draw a batch when it is requested; a chunk is then one batch.

    Examples
    --------
    >>> import torch
    >>> from pystrat import StratifiedBatchSampler, TensorLoader
    >>> labels = torch.tensor([0, 1, 1, 0, 1, 1])
    >>> sampler = StratifiedBatchSampler(labels, min_samples_per_stratum=1, seed=1)
    >>> for x, y in TensorLoader(torch.arange(6.0), labels, sampler=sampler):
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
        chunk: int = 2**20,
    ) -> None:
        if not isinstance(sampler, BatchSampler):
            raise refused_type("sampler", "be a batch sampler of pystrat", show(sampler))
        self.sampler, self._transform, self._device = sampler, transform, device
        self._chunk = check_integer(chunk, "chunk", minimum=1)
        given = tensors[0] if len(tensors) == 1 and not hasattr(tensors[0], "__array__") else list(tensors)
        check_same_rows(("tensors", leaf) for leaf in _leaves(given))
        for leaf in _leaves(given):
            check_rows(sampler, leaf, "tensors", "have")
        self._data = _mapped(_source, given)

    def _batches(self) -> Iterator[Any]:
        at_once = type(self.sampler)._lists_from is BatchSampler._lists_from  # else drawn when they are requested
        batches = self._by_chunks() if at_once else map(self._one, self.sampler)
        return batches if self._transform is None else map(self._transform, batches)

    def _one(self, rows: Any) -> Any:
        """Return one batch."""
        values = self._values(torch.tensor(rows))
        if not getattr(self.sampler, "auxiliary_names", ()):
            return values
        auxiliary = default_collate([row.aux for row in rows])
        others = values if isinstance(values, (list, tuple)) else [values]
        return {**values, "aux": auxiliary} if isinstance(values, dict) else [*others, auxiliary]

    def _by_chunks(self) -> Iterator[Any]:
        """Begin the sampler's next epoch; gather its batches, of which the first shows how many rows a chunk has."""
        batches = self.sampler._begin_arrays()
        rows, offsets, begin, most_rows = torch.from_numpy(batches.rows), batches.offsets, 0, 0
        while begin < len(batches):
            end = max(begin + 1, int(np.searchsorted(offsets, offsets[begin] + most_rows, side="right")) - 1)
            values = self._values(rows[offsets[begin] : offsets[end]])
            sizes = np.diff(offsets[begin : end + 1]).tolist()
            parts = _mapped(lambda leaf: iter(_parts(leaf, sizes)), values)
            is_flat = type(parts) is list and all(isinstance(part, Iterator) for part in parts)
            yield from map(list, zip(*parts)) if is_flat else (_mapped(next, parts) for _ in sizes)
            most_rows, begin = self._chunk * sum(sizes) // max(1, sum(map(_n_bytes, _leaves(values)))), end

    def _values(self, rows: torch.Tensor) -> Any:
        """Return the values of rows, on the device and in the form of a batch."""

        def values_of(source: Any) -> Any:
            is_tensor = isinstance(source, torch.Tensor)
            return source.index_select(0, rows.to(source.device)) if is_tensor else source[rows.numpy()]

        def moved(values: Any) -> Any:
            is_text = getattr(values.dtype, "kind", None) in ("O", "U", "S")  # which no tensor holds
            return values if is_text else torch.as_tensor(values, device=self._device)

        return _mapped(moved, _mapped(values_of, self._data))


def _source(values: Any) -> Any:
    """Return the tensor of an array; a tensor or a dataset as it is."""
    if isinstance(values, torch.Tensor) or not hasattr(values, "__array__"):
        return values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of read-only arrays, to which nothing is written here
        return torch.from_numpy(plain_array(values, "tensors"))


def _mapped(function: Callable[[Any], Any], data: Any) -> Any:
    """Call a function for each leaf of nested dicts, lists and tuples; return the results in the same form."""
    if isinstance(data, Mapping):
        return {name: _mapped(function, value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        found = [_mapped(function, value) for value in data]
        return type(data)(*found) if hasattr(data, "_fields") else found
    return function(data)


def _leaves(data: Any) -> list[Any]:
    found: list[Any] = []
    _mapped(found.append, data)
    return found


def _n_bytes(values: Any) -> int:
    return int(values.nbytes if isinstance(values, np.ndarray) else values.numel() * values.element_size())


def _parts(values: Any, sizes: list[int]) -> Any:
    """Return the values of each batch. A dataset may return one value for several rows, such as those of a triple."""
    group = max(1, sum(sizes) // max(1, len(values)))
    sizes = [size // group for size in sizes]
    if isinstance(values, torch.Tensor):  # unlike split(): the parts do not know of one another's changes
        return torch.unsafe_split_with_sizes(values, sizes)
    return np.split(values, np.cumsum(sizes)[:-1])
