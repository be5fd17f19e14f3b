"""Training of a large output vocabulary on only the ids of an epoch's sample. This module imports torch.

With 100,000 words, most of a training step is spent in the output layer. If it is restricted to the words that occur in
the epoch's sample, the layer shrinks in proportion to the vocabulary (S. Jean, K. Cho, R. Memisevic and Y. Bengio, "On
Using Very Large Target Vocabulary for Neural Machine Translation", 2015; OpenNMT's ``-sample_vocab``).
"""

from __future__ import annotations

from itertools import islice
from types import TracebackType
from typing import Any, Iterable, Mapping, Optional, Sequence, Type

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pystrat.arrays import plain_array, refuse_without_array
from pystrat.limits import MAX_EXACT
from pystrat.messages import check_integer, check_iterable, count_of, refused_type, refused_value, show

__all__ = ["SampledOutput", "sampled_vocabulary"]

MAX_ALWAYS = 1_000_000  # ids of an iterator, which may be endless
IGNORED = -100  # ignored by cross_entropy and nll_loss by default
_STRANGE_OPTIMIZERS = (torch.optim.LBFGS, torch.optim.Rprop)  # one vector for all; step sizes that begin at lr


def sampled_vocabulary(sequences: Iterable[Any], always: Iterable[int] = ()) -> NDArray[np.int64]:
    """Return the ids that occur in sequences, in ascending order.

    Parameters
    ----------
    sequences : iterable of array_like of int
        The target sequences of an epoch's sample: lists, arrays or tensors of ids, or a matrix.
    always : iterable of int
        Ids that are part of every vocabulary, such as those for padding, the end of a sentence and unknown words; at
        most 1,000,000.

    Returns
    -------
    numpy.ndarray of int64, shape (number of ids,)
        Sorted, each once.

    Raises
    ------
    TypeError, ValueError
        If an id is not an integer or below 0.
    """
    parts = [_as_ids(_items_of(always), "always")]
    parts += _ids_of(sequences)
    return np.unique(np.concatenate(parts))


def _items_of(always: Any) -> Any:
    """Return an array or a list of what is in every vocabulary."""
    if _is_array(always):
        return always
    required = f"be an iterable of at most {MAX_ALWAYS} ids"
    items = list(islice(check_iterable(always, "always", required=required), MAX_ALWAYS + 1))
    if len(items) > MAX_ALWAYS:
        raise refused_value("always", required, "more")
    return items


def _ids_of(sequences: Any) -> list[NDArray[np.int64]]:
    """Return the ids of each sequence."""
    if _is_array(sequences):
        return [_as_ids(sequences, "sequences")]
    found = []
    for sequence in check_iterable(sequences, "sequences", required="be an iterable of sequences of ids"):
        # Before the next one is requested: an iterator may be endless.
        if not hasattr(sequences, "__len__") and plain_array(sequence, "sequences").ndim == 0:
            raise refused_type("sequences", "be an iterable of sequences of ids", f"the item {show(sequence)}")
        found.append(_as_ids(sequence, "sequences"))
    return found


def _is_array(values: Any) -> bool:
    return isinstance(values, range) or hasattr(values, "__array__")


class SampledOutput:
    """Context manager that reduces an output layer to the rows of a sampled vocabulary.

    Within the context, `layer` has a small weight and bias: the rows of the sampled ids, in ascending order. The
    optimizer trains these, with its state (such as Adam's moments) for the same rows. At the end, all rows are written
    back. Rows outside the sample are not touched at all; if the whole weight were in the optimizer, its momentum and
    its weight decay would change them in every step, although their gradient is 0.

    Parameters
    ----------
    model : torch.nn.Module
        The whole model, which is searched for other uses of the layer's weight.
    layer : torch.nn.Linear
        Its output layer; ``out_features`` is the size of the vocabulary.
    ids : array_like of int
        The sampled ids, such as those from `sampled_vocabulary`: each once, from 0 to ``layer.out_features - 1``.
    optimizer : torch.optim.Optimizer, optional
        The optimizer that trains the layer. Its parameter groups, learning rates and steps do not change. Its state for
        a parameter must be numbers, or tensors of the parameter's shape that begin at 0; LBFGS, Rprop and optimizers
        with factored moments are not supported. Without it, the layer is not trained: an optimizer that is not given
        here holds the whole parameters, which get no gradients inside the context.

    Raises
    ------
    TypeError, ValueError
        If the layer is not a linear layer of the model with its own weight, an id is invalid or occurs twice, a
        parameter of the layer is not in the optimizer or has unused gradients, DistributedDataParallel wraps the layer,
        or the optimizer's state has another form. State that the optimizer creates inside the context is checked when
        the context ends: if it has another form, it is dropped after the weights were written back. Sparse state has
        another form.

    Notes
    -----
    Guarantees:

    * If every id is in the sample, the loss, the gradients and all steps equal those of the full vocabulary.
    * The rows outside the sample, and the optimizer's state for them, do not change, bit for bit.
    * Everything is written back even after an exception in the context.
    * If entering or leaving the context fails, for example for lack of memory, the model, the optimizer's state and the
      gradients are those before the context.
    * State of the optimizer that has another shape than the parameter, such as its number of steps, is carried over
      unchanged.

    Only targets are remapped (`targets`); inputs keep their ids, because the embedding does not change. The softmax
    leaves out the words outside the sample, so the loss is lower than that of the full vocabulary, and the lower the
    smaller the sample. So losses and perplexities of samples cannot be compared with each other or with those of the
    full vocabulary. Evaluate outside the context.

    A weight or bias that shares memory with another module, for example one that is tied to the embedding, raises an
    error, because the small one would no longer be tied. Untie them, or train such a model with the full vocabulary.

    Do not save a checkpoint inside the context: enter it when the epoch's sample is known, and leave it at the end of
    the epoch.

    In distributed training, all processes need the same ids. DistributedDataParallel holds the parameters that it found
    when it was created, so it does not average the gradients of the small ones, and the processes would diverge. A
    `model` in which it wraps the layer raises an error; if only the inner module is given as `model`, this cannot be
    detected. Wrap the rest of the model, and average the gradients of the layer after ``backward()``: docs/corpus.md
    has the code.

    Examples
    --------
    >>> import torch
    >>> from pystrat.corpus.vocabulary import SampledOutput, sampled_vocabulary
    >>> layer = torch.nn.Linear(8, 1000)
    >>> optimizer = torch.optim.Adam(layer.parameters())
    >>> sentences = [[5, 17, 3], [17, 999]]
    >>> words = sampled_vocabulary(sentences, always=[1])
    >>> with SampledOutput(layer, layer, words, optimizer) as sampled:
    ...     logits = layer(torch.zeros(3, 8))
    ...     # 0 is padding.
    ...     targets = sampled.targets(torch.tensor([17, 999, 0]), ignore_index=0)
    ...     loss = torch.nn.functional.cross_entropy(logits, targets)
    ...     loss.backward()
    ...     optimizer.step()
    >>> logits.shape, layer.weight.shape
    (torch.Size([3, 5]), torch.Size([1000, 8]))
    """

    def __init__(
        self, model: nn.Module, layer: nn.Linear, ids: Any, optimizer: Optional[torch.optim.Optimizer] = None
    ) -> None:
        if not isinstance(model, nn.Module):
            raise refused_type("model", "be a torch.nn.Module", show(model))
        if optimizer is not None and not all(hasattr(optimizer, name) for name in ("param_groups", "state")):
            raise refused_type("optimizer", "be a torch.optim.Optimizer", show(optimizer))
        if not isinstance(layer, nn.Linear) or not any(module is layer for module in model.modules()):
            raise refused_type("layer", "be a torch.nn.Linear of the model", show(layer))
        if "weight" not in dict(layer.named_parameters(recurse=False)):
            got = "one that is computed from others"
            raise refused_value("layer", "have a parameter as its weight", got)
        self._model, self._layer, self._optimizer = model, layer, optimizer
        self._size = layer.out_features
        found = np.sort(_as_ids(ids, "ids"))
        if not len(found):
            raise refused_value("ids", "have at least one id", "none")
        if found[-1] >= self._size:
            raise refused_value("ids", f"hold ids from 0 to {self._size - 1}", show(found[-1]))
        twice = found[1:][found[1:] == found[:-1]]
        if len(twice):
            raise refused_value("ids", "hold each id once", f"{show(twice[0])} twice")
        self.ids = found
        self._exchanged: list[_Exchange] = []

    def __enter__(self) -> "SampledOutput":
        if self._exchanged:
            raise RuntimeError("This context of SampledOutput has already been entered.")
        self._check_wrapping()
        self._check_ties()
        parameters = dict(self._layer.named_parameters(recurse=False))
        places = {name: self._find_in_optimizer(name, parameter) for name, parameter in parameters.items()}
        device = self._layer.weight.device
        rows = torch.as_tensor(self.ids, device=device)
        self._position = torch.full((self._size,), -1, dtype=torch.int64, device=device)
        self._position[rows] = torch.arange(len(self.ids), device=device)
        # Everything that needs memory is allocated before anything is exchanged.
        exchanges = [
            _Exchange(self._layer, name, parameter, rows, self._optimizer, places[name])
            for name, parameter in parameters.items()
        ]
        try:
            for exchange in exchanges:
                exchange.put_small()
            self._layer.out_features = len(self.ids)
        except BaseException:
            self._put_full(exchanges)
            raise
        self._exchanged = exchanges
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        exchanges, self._exchanged = self._exchanged, []
        try:
            # Everything that needs memory is allocated before anything is written.
            writings = [writing for exchange in exchanges for writing in exchange.prepare_full()]
            _write_all(writings)
            for exchange in exchanges:
                exchange.accept()
        finally:
            self._put_full(exchanges)
        dropped = [exchange.strange for exchange in exchanges if exchange.strange is not None]
        if dropped and kind is None:  # otherwise the exception that ends the context is the one to raise
            advice = "The weights are written back; this state was dropped. Train with the full vocabulary."
            raise self._refuse_optimizer(dropped[0], advice)

    def targets(self, ids: torch.Tensor, ignore_index: int = IGNORED) -> torch.Tensor:
        """Return the positions of target ids among the sampled ones, for the loss.

        Parameters
        ----------
        ids : torch.Tensor of int, any shape
        ignore_index : int, default -100
            The id that the loss should ignore, such as that of padding. It becomes -100, whether it is in the sample or
            not: positions count from 0, and its own number is the position of another id.

        Returns
        -------
        torch.Tensor of int64, the same shape
            For ``cross_entropy(logits, sampled.targets(ids, ignore_index=padding))``. The loss ignores -100 by default,
            so do not set its own `ignore_index`.

        Raises
        ------
        TypeError, ValueError
            If a parameter is invalid, or an id is outside the sample; the message names the id.
        """
        if not self._exchanged:
            raise RuntimeError("SampledOutput.targets is for use inside the context.")
        ids = _integers(ids)
        ignore_index = check_integer(ignore_index, "ignore_index", minimum=-MAX_EXACT, maximum=MAX_EXACT)
        ignored = ids == ignore_index
        known = (ids >= 0) & (ids < self._size)
        places = self._position[torch.where(known, ids, torch.zeros_like(ids)).to(self._position.device)].to(ids.device)
        outside = (~known | (places < 0)) & ~ignored
        if bool(outside.any()):
            required = f"be among the {count_of(len(self.ids), 'sampled id')}"
            advice = "Make the vocabulary of the targets of the whole sample."
            got = show(int(ids[outside][0]))
            raise refused_value("ids", required, got, advice)
        return torch.where(ignored, torch.full_like(ids, IGNORED), places)

    def _put_full(self, exchanges: Sequence["_Exchange"]) -> None:
        for exchange in exchanges:
            exchange.put_full()
        self._layer.out_features = self._size

    def _check_wrapping(self) -> None:
        """Refuse a layer whose gradients DistributedDataParallel would have to average."""
        for module in self._model.modules():
            if isinstance(module, nn.parallel.DistributedDataParallel) and self._layer in module.modules():
                required = "have the layer outside DistributedDataParallel, which would not average its gradients"
                advice = "Wrap the rest of the model, and average the gradients of the layer after backward()."
                raise refused_value("model", required, "it inside", advice)

    def _check_ties(self) -> None:
        """Refuse a weight or bias that shares memory with another module of the model."""
        for kind, ours in self._layer.named_parameters(recurse=False):
            for name, module in self._model.named_modules():
                for own, parameter in module.named_parameters(recurse=False):
                    if module is not self._layer and _share_memory(parameter, ours):
                        advice = f"Untie them (give the layer a {kind} of its own), or train with the full vocabulary."
                        got = f"the one of '{name}.{own}'" if name else f"'{own}' of the model itself"
                        required = f"have a {kind} of its own"
                        raise refused_value("layer", required, got, advice)

    def _find_in_optimizer(self, name: str, parameter: nn.Parameter) -> Optional[tuple[int, int]]:
        """Return the group and the position in it of a parameter of the layer; None if it is not to be trained."""
        if parameter.grad is not None and bool(parameter.grad.any()):
            advice = "Call optimizer.zero_grad() before."
            raise refused_value("layer", "have no gradients left", f"some of its {name}", advice)
        if self._optimizer is None or not parameter.requires_grad:
            return None
        places = [
            (group, place)
            for group, options in enumerate(self._optimizer.param_groups)
            for place, known in enumerate(options["params"])
            if known is parameter
        ]
        if len(places) != 1:
            required = "train each parameter of the layer once"
            raise refused_value("optimizer", required, f"its {name} {count_of(len(places), 'time')}")
        self._check_optimizer_state(self._optimizer, name, parameter)
        return places[0]

    def _check_optimizer_state(self, optimizer: torch.optim.Optimizer, name: str, parameter: nn.Parameter) -> None:
        """Refuse a state if it is unknown which parts belong to which row."""
        strange = _strange_state(optimizer.state.get(parameter, {}), name, parameter)
        if isinstance(optimizer, _STRANGE_OPTIMIZERS):
            strange = type(optimizer).__name__
        if strange is not None:
            raise self._refuse_optimizer(strange)

    def _refuse_optimizer(self, got: str, advice: Optional[str] = None) -> ValueError:
        required = "keep numbers, or tensors of the parameter's shape that begin at 0, for each parameter"
        return refused_value("optimizer", required, got, advice)


class _Writing:
    """New values for some rows of a tensor, and the old ones, in case another write fails."""

    def __init__(self, whole: torch.Tensor, rows: torch.Tensor, values: torch.Tensor) -> None:
        self._whole, self._rows = whole, rows
        self._values = values.detach().to(device=whole.device, dtype=whole.dtype)
        self._before = whole.detach()[rows]

    def write(self) -> None:
        self._put(self._values)

    def undo(self) -> None:
        self._put(self._before)

    def _put(self, values: torch.Tensor) -> None:
        with torch.no_grad():
            self._whole.index_copy_(0, self._rows, values)


def _write_all(writings: Sequence[_Writing]) -> None:
    """Write all values, or none if one of the writes fails."""
    written = []
    try:
        for writing in writings:
            written.append(writing)
            writing.write()
    except BaseException:
        for writing in written:
            writing.undo()
        raise


class _Exchange:
    """One parameter of the layer: the full one, and the small one that replaces it in the layer and in the optimizer.

    Creating an exchange changes nothing. The full parameter is restored with the state that the optimizer had for it,
    until `accept` replaces that with the state that `prepare_full` made from the small parameter's.
    """

    def __init__(
        self,
        layer: nn.Linear,
        name: str,
        full: nn.Parameter,
        rows: torch.Tensor,
        optimizer: Optional[torch.optim.Optimizer],
        place: Optional[tuple[int, int]],
    ) -> None:
        self._layer, self._name, self._full, self._rows = layer, name, full, rows
        self._optimizer, self._place = optimizer, place
        self.strange: Optional[str] = None  # the state that was dropped because it does not fit the full parameter
        self._state: Optional[dict[str, Any]] = None  # of the optimizer, for the full parameter; None without one
        self._widened: Optional[dict[str, Any]] = None  # the state of the small parameter, for the full one
        self._small = nn.Parameter(full.detach()[rows], requires_grad=full.requires_grad)
        if optimizer is not None and full in optimizer.state:
            self._state = optimizer.state[full]
        self._small_state: Optional[dict[str, Any]] = None
        if self._state is not None:
            self._small_state = {key: self._part_of(value) for key, value in self._state.items()}

    def put_small(self) -> None:
        self._put(self._small, self._small_state, in_place_of=self._full)

    def put_full(self) -> None:
        self._put(self._full, self._state, in_place_of=self._small)

    def prepare_full(self) -> list[_Writing]:
        """Return what to write, and keep the state that then belongs to the full parameter."""
        writings = [_Writing(self._full, self._rows, self._small)]
        if self._optimizer is None or self._small not in self._optimizer.state:
            return writings
        state = self._optimizer.state[self._small]
        self.strange = _strange_state(state, self._name, self._small)
        if self.strange is not None:
            return writings
        self._widened = {}
        for key, value in state.items():
            if _has_shape_of(value, self._small):
                whole = self._whole_of(key, value)
                writings.append(_Writing(whole, self._rows, value))
                value = whole
            self._widened[key] = value
        return writings

    def accept(self) -> None:
        self._state = self._widened

    def _part_of(self, value: Any) -> Any:
        """Return an entry of the state for the small parameter, without memory shared with the full one's."""
        if not isinstance(value, torch.Tensor):
            return value
        return value[self._rows] if _has_shape_of(value, self._full) else value.clone()

    def _put(self, parameter: nn.Parameter, state: Optional[dict[str, Any]], *, in_place_of: nn.Parameter) -> None:
        setattr(self._layer, self._name, parameter)
        if self._optimizer is None:
            return
        if self._place is not None:
            group, place = self._place
            self._optimizer.param_groups[group]["params"][place] = parameter
        self._optimizer.state.pop(in_place_of, None)
        if state is not None:
            self._optimizer.state[parameter] = state

    def _whole_of(self, key: str, value: torch.Tensor) -> torch.Tensor:
        """Return the entry of the optimizer's state for the full parameter; `value` has some of its rows."""
        whole = None if self._state is None else self._state.get(key)
        if not isinstance(whole, torch.Tensor) or whole.shape != self._full.shape:
            whole = value.new_zeros(self._full.shape)  # created inside the context, where such state begins at 0
        return whole


def _has_shape_of(value: Any, parameter: nn.Parameter) -> bool:
    return isinstance(value, torch.Tensor) and value.shape == parameter.shape


def _strange_state(state: Mapping[str, Any], name: str, parameter: nn.Parameter) -> Optional[str]:
    """Describe an entry of an optimizer's state that is not known to belong to rows; None without one."""
    for key, value in state.items():
        if isinstance(value, torch.Tensor) and value.layout != torch.strided:
            return f"a sparse '{key}' for its {name}"
        if isinstance(value, torch.Tensor) and value.numel() > 1 and value.shape != parameter.shape:
            return f"'{key}' of shape {tuple(value.shape)} for its {name}"
    return None


def _share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors overlap in memory; views of different parts of one storage do not."""
    if one.device != other.device or not one.numel() or not other.numel():
        return False
    one_begins, one_ends = _reach(one)
    other_begins, other_ends = _reach(other)
    return one_begins < other_ends and other_begins < one_ends


def _reach(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the addresses at which the elements of a tensor begin and end."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _integers(ids: Any) -> torch.Tensor:
    """Return a tensor of ids as int64; refuse anything else."""
    if not isinstance(ids, torch.Tensor):
        raise refused_type("ids", "be a tensor of integers", show(ids))
    refuse_without_array(ids, "ids")
    if ids.numel() and (ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool):
        raise refused_type("ids", "be a tensor of integers", f"{ids.dtype} values")
    return ids.to(torch.int64)


def _as_ids(values: Any, name: str) -> NDArray[np.int64]:
    array = plain_array(values, name).reshape(-1)
    if not len(array):
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise refused_type(name, "hold integers", f"{array.dtype} values")
    if array.min() < 0:
        check_integer(int(array.min()), name, minimum=0)
    if array.max() >= MAX_EXACT:  # a uint64 above the range of int64 would become negative
        raise refused_value(name, "hold ids below 2^53", show(int(array.max())))
    return array.astype(np.int64)
