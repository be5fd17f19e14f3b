"""Training of a large output vocabulary on only the ids of an epoch's sample. This module imports torch."""

from __future__ import annotations

from typing import Any, Iterable, Optional

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pystrat.core.limits import MAX_EXACT
from pystrat.core.messages import check_integer, check_iterable, count_of, refused_type, refused_value, show
from pystrat.core.row_arguments import check_positions

__all__ = ["SampledOutput", "sampled_vocabulary"]

IGNORED = -100  # ignored by cross_entropy and nll_loss by default


def sampled_vocabulary(sequences: Iterable[Any], always: Any = ()) -> NDArray[np.int64]:
    """Return the ids that occur in sequences, in ascending order, each once.

    Parameters
    ----------
    sequences : iterable of array_like of int
        The target sequences of an epoch's sample: lists, arrays or tensors of ids, or a matrix.
    always : array_like of int
        Ids that are part of every vocabulary, such as those for padding, the end of a sentence and unknown words.
    """
    several = [sequences] if hasattr(sequences, "__array__") else sequences
    check_iterable(several, "sequences", required="be sequences of ids")
    named = [(always, "always"), *((each, "sequences") for each in several)]
    listed = [check_positions(ids, MAX_EXACT, name, "ids").ravel() for ids, name in named]
    found: NDArray[np.int64] = np.unique(np.concatenate(listed))
    return found


class SampledOutput:
    """Context manager in which an output layer has only the rows of a sampled vocabulary, in ascending order.

    The optimizer trains these, with its state for the same rows. At the end, even after an exception, they are written
    back. The method is from S. Jean, K. Cho, R. Memisevic and Y. Bengio, "On Using Very Large Target Vocabulary for
    Neural Machine Translation" (2015), as in OpenNMT's ``-sample_vocab``. docs/corpus.md is a guide.

    Parameters
    ----------
    model : torch.nn.Module
        The whole model, which is searched for other uses of the layer's weight: they are an error.
    layer : torch.nn.Linear
        Its output layer; ``out_features`` is the size of the vocabulary.
    ids : array_like of int
        The sampled ids, such as those from `sampled_vocabulary`, from 0 to ``layer.out_features - 1``.
    optimizer : torch.optim.Optimizer, optional
        The optimizer that trains the layer. Its state must be numbers, or tensors of the parameter's shape that begin
        at 0, which excludes LBFGS, Rprop and factored moments. Without it, the layer is not trained.

    Notes
    -----
    * If every id is in the sample, the loss, the gradients and all steps equal those of the full vocabulary.
    * The rows outside the sample, and the optimizer's state for them, do not change, bit for bit.
    * The loss is lower than that of the full vocabulary: evaluate, and save checkpoints, outside the context.

    Examples
    --------
    >>> import torch
    >>> from pystrat.corpus.vocabulary import SampledOutput, sampled_vocabulary
    >>> layer = torch.nn.Linear(8, 1000)
    >>> optimizer = torch.optim.Adam(layer.parameters())
    >>> sentences = [[5, 17, 3], [17, 999]]
    >>> with SampledOutput(layer, layer, sampled_vocabulary(sentences, always=[1]), optimizer) as sampled:
    ...     logits = layer(torch.zeros(3, 8))
    ...     targets = sampled.targets(torch.tensor([17, 999, 0]), ignore_index=0)  # padding
    ...     torch.nn.functional.cross_entropy(logits, targets).backward()
    ...     optimizer.step()
    >>> logits.shape, layer.weight.shape
    (torch.Size([3, 5]), torch.Size([1000, 8]))
    """

    def __init__(
        self, model: nn.Module, layer: nn.Linear, ids: Any, optimizer: Optional[torch.optim.Optimizer] = None
    ) -> None:
        if not isinstance(model, nn.Module):
            raise refused_type("model", "be a torch.nn.Module", show(model))
        if not isinstance(layer, nn.Linear) or not any(module is layer for module in model.modules()):
            raise refused_type("layer", "be a torch.nn.Linear of the model", show(layer))
        if "weight" not in dict(layer.named_parameters(recurse=False)):
            raise refused_value("layer", "have a parameter as its weight", "one that is computed from others")
        self._model, self._layer, self._optimizer = model, layer, optimizer
        self._size = layer.out_features
        self.ids = np.unique(check_positions(ids, self._size, "ids", "ids"))
        if not len(self.ids):
            raise refused_value("ids", "have at least one id", "none")
        self._full: dict[str, tuple[nn.Parameter, dict[str, Any]]] = {}  # with the optimizer's state

    def __enter__(self) -> "SampledOutput":
        if self._full:
            raise RuntimeError("This context of SampledOutput has already been entered.")
        parameters = dict(self._layer.named_parameters(recurse=False))
        self._check(parameters)
        self._rows = torch.as_tensor(self.ids, device=self._layer.weight.device)
        for name, full in parameters.items():
            state = self._state_of(full)
            self._full[name] = full, state
            small = nn.Parameter(full.detach()[self._rows], requires_grad=full.requires_grad)
            rows = {key: value[self._rows] for key, value in state.items() if _has_shape_of(value, full)}
            self._put(name, small, {**state, **rows})
        self._layer.out_features = len(self.ids)
        return self

    def __exit__(self, *_: Any) -> None:
        for name, (full, before) in self._full.items():
            small = getattr(self._layer, name)
            with torch.no_grad():
                full[self._rows] = small
                state = dict(self._state_of(small))
                for key, value in state.items():
                    if _has_shape_of(value, small):  # the other rows are as before, or 0 at first
                        whole = value.new_zeros(full.shape) if before.get(key) is None else before[key]
                        state[key] = whole.index_copy_(0, self._rows, value)
            self._put(name, full, state)
        self._full = {}
        self._layer.out_features = self._size

    def _state_of(self, parameter: nn.Parameter) -> dict[str, Any]:
        return {} if self._optimizer is None else self._optimizer.state.get(parameter, {})

    def _put(self, name: str, new: nn.Parameter, state: dict[str, Any]) -> None:
        """Replace a parameter in the layer and in the optimizer."""
        old = getattr(self._layer, name)
        setattr(self._layer, name, new)
        if self._optimizer is None:
            return
        for group in self._optimizer.param_groups:
            group["params"][:] = [new if parameter is old else parameter for parameter in group["params"]]
        self._optimizer.state.pop(old, None)
        if state:
            self._optimizer.state[new] = state

    def targets(self, ids: torch.Tensor, ignore_index: int = IGNORED) -> torch.Tensor:
        """Return the positions of target ids, a tensor, among the sampled ones, for the loss; any other id is an error.

        `ignore_index` is the id that the loss should ignore, such as that of padding. It becomes -100, which losses
        ignore by default: do not set the loss's own `ignore_index`.
        """
        if not self._full:
            raise RuntimeError("SampledOutput.targets is for use inside the context.")
        if not isinstance(ids, torch.Tensor) or ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
            raise refused_type("ids", "be a tensor of integers", show(ids))
        wanted = ids.to(self._rows.device, torch.int64).contiguous()
        ignored = wanted == check_integer(ignore_index, "ignore_index", minimum=-MAX_EXACT, maximum=MAX_EXACT)
        places = torch.searchsorted(self._rows, wanted).clamp(max=len(self.ids) - 1)
        outside = (self._rows[places] != wanted) & ~ignored
        if bool(outside.any()):
            required = f"be among the {count_of(len(self.ids), 'sampled id')}"
            advice = "Make the vocabulary of the targets of the whole sample."
            raise refused_value("ids", required, show(int(wanted[outside][0])), advice)
        return places.masked_fill(ignored, IGNORED).to(ids.device)

    def _check(self, parameters: dict[str, nn.Parameter]) -> None:
        """Refuse what would train the layer in another way than the full one, without an error."""
        names = {_memory_of(parameter): name for name, parameter in parameters.items()}
        for path, module in self._model.named_modules():
            if isinstance(module, nn.parallel.DistributedDataParallel) and self._layer in module.modules():
                required = "have the layer outside DistributedDataParallel, which would not average its gradients"
                advice = "Wrap the rest of the model, and average the gradients of the layer after backward()."
                raise refused_value("model", required, "it inside", advice)
            for own, other in module.named_parameters(path, recurse=False):
                name = names.get(_memory_of(other))
                if name is not None and module is not self._layer:
                    advice = f"Untie them (give the layer a {name} of its own), or train with the full vocabulary."
                    raise refused_value("layer", f"have a {name} of its own", f"the one of '{own}'", advice)
        for name, parameter in parameters.items():
            if parameter.grad is not None and bool(parameter.grad.any()):
                advice = "Call optimizer.zero_grad() before."
                raise refused_value("layer", "have no gradients left", f"some of its {name}", advice)
            if self._optimizer is None or not parameter.requires_grad:
                continue
            times = sum(known is parameter for group in self._optimizer.param_groups for known in group["params"])
            if times != 1:
                required = "train each parameter of the layer once"
                raise refused_value("optimizer", required, f"its {name} {count_of(times, 'time')}")


def _has_shape_of(value: Any, parameter: nn.Parameter) -> bool:
    return isinstance(value, torch.Tensor) and value.shape == parameter.shape


def _memory_of(parameter: torch.Tensor) -> int:
    return int(parameter.data_ptr() - parameter.storage_offset() * parameter.element_size())
