"""A sampled vocabulary: its ids, the same training as with the full one, and no change outside of it."""

from __future__ import annotations

import copy
from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch import nn

from pystrat.corpus.vocabulary import SampledOutput, sampled_vocabulary

SIZE, WIDTH = 50, 8

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.05, amsgrad=True),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.05, weight_decay=0.1),
    "adagrad": lambda parameters: torch.optim.Adagrad(parameters, lr=0.1),
    "rmsprop": lambda parameters: torch.optim.RMSprop(parameters, lr=0.01, momentum=0.5, centered=True),
}


class Model(nn.Module):
    def __init__(self, bias: bool = True) -> None:
        super().__init__()
        self.embedding = nn.Embedding(SIZE, WIDTH)
        self.output = nn.Linear(WIDTH, SIZE, bias=bias)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.output(torch.tanh(self.embedding(ids)))


def model_of(**parameters: Any) -> Model:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return Model(**parameters)


def train(
    model: Model,
    optimizer: torch.optim.Optimizer,
    ids: np.ndarray,
    sampled: Any = None,
    steps: int = 4,
) -> list[torch.Tensor]:
    """Predict each id from the one before; return the losses and gradients."""
    found = []
    inputs = torch.as_tensor(np.roll(ids, 1))
    targets = torch.as_tensor(ids)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        wanted = targets if sampled is None else sampled.targets(targets)
        loss = nn.functional.cross_entropy(model(inputs), wanted)
        loss.backward()
        found += [loss.detach(), model.output.weight.grad.clone(), model.embedding.weight.grad.clone()]
        optimizer.step()
    return found


def state_of(model: Model, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """All tensors of the model and of the optimizer, copied."""
    found = {name: value.detach().clone() for name, value in model.named_parameters()}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            if value is not None:  # SGD without momentum has an entry for it all the same
                found[f"{name} {key}"] = torch.as_tensor(value).clone()
    return found


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_equal_to_the_full_softmax_when_every_id_is_in_the_sample(name: str) -> None:
    ids, bias = np.random.default_rng(1).permutation(SIZE), name != "sgd"
    full, restricted = model_of(bias=bias), model_of(bias=bias)
    plain, optimizer = OPTIMIZERS[name](full.parameters()), OPTIMIZERS[name](restricted.parameters())
    for _ in range(3):
        expected = train(full, plain, ids)
        optimizer.zero_grad(set_to_none=True)
        with SampledOutput(restricted, restricted.output, ids, optimizer) as sampled:
            found = train(restricted, optimizer, ids, sampled)
        assert all(torch.equal(one, other) for one, other in zip(found, expected))
        assert equal(state_of(restricted, optimizer), state_of(full, plain))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_outside_the_sample_are_not_touched(name: str) -> None:
    """Neither weights nor the optimizer's state, although momentum is there from training on all ids."""
    model = model_of()
    optimizer = OPTIMIZERS[name](model.parameters())
    train(model, optimizer, np.arange(SIZE))
    ids = np.array([3, 7, 8, 40])
    outside = np.setdiff1d(np.arange(SIZE), ids)
    before = state_of(model, optimizer)
    optimizer.zero_grad(set_to_none=True)
    with SampledOutput(model, model.output, ids, optimizer) as sampled:
        train(model, optimizer, ids, sampled)
    after = state_of(model, optimizer)
    assert after.keys() == before.keys()
    for key, value in after.items():
        if key.startswith("output") and value.shape[:1] == (SIZE,):
            assert torch.equal(value[outside], before[key][outside]), key
    assert not torch.equal(after["output.weight"][ids], before["output.weight"][ids])


def test_the_layer_computes_the_sampled_rows_and_targets_follow() -> None:
    model = model_of()
    inputs = torch.tensor([1, 2])
    full = model(inputs)
    with SampledOutput(model, model.output, [40, 3, 7, 3]) as sampled:
        assert sampled.ids.tolist() == [3, 7, 40] and model.output.out_features == 3
        assert torch.allclose(model(inputs), full[:, [3, 7, 40]])
        places = sampled.targets(torch.tensor([[40, 3], [-100, 7]]))
        assert places.tolist() == [[2, 0], [-100, 1]] and places.dtype == torch.int64
        assert sampled.targets(torch.tensor([5, 3]), ignore_index=5).tolist() == [-100, 0]
        for unknown in (5, -1, SIZE, 10**9):
            with pytest.raises(ValueError, match=f"must be among the 3 sampled ids. Got {unknown} instead. Make the v"):
                sampled.targets(torch.tensor([3, unknown]))
    assert torch.equal(model(inputs), full) and model.output.out_features == SIZE
    with pytest.raises(RuntimeError, match="for use inside the context"):
        sampled.targets(torch.tensor([3]))
    for ids, message in (
        ([1, SIZE], "must hold ids from 0 to 49. Got 50 instead."),
        ([1, -1], "must hold ids from 0 to 49. Got -1 instead."),
        ([], "must have at least one id. Got none"),
    ):
        with pytest.raises(ValueError, match=message):
            SampledOutput(model, model.output, ids)


def test_after_an_exception_everything_is_written_back_and_the_context_is_entered_anew() -> None:
    model = model_of()
    optimizer = OPTIMIZERS["adam"](model.parameters())
    weight, context = model.output.weight, SampledOutput(model, model.output, [1, 2], optimizer)
    with pytest.raises(KeyError):
        with context as sampled:
            with pytest.raises(RuntimeError, match="already been entered"):
                sampled.__enter__()
            train(model, optimizer, np.array([1, 2]), sampled)
            small = model.output.weight.detach().clone()
            raise KeyError
    assert model.output.weight is weight and torch.equal(weight[[1, 2]], small)
    assert optimizer.state[weight]["exp_avg"].shape == weight.shape
    assert optimizer.state_dict()["param_groups"][0]["params"] == [0, 1, 2]
    optimizer.zero_grad(set_to_none=True)
    with context:
        assert model.output.out_features == 2


def test_the_optimizer_keeps_its_groups_and_schedules_and_its_state_fits_one_without_the_context() -> None:
    model, other = model_of(), model_of()
    groups: list[dict[str, Any]] = [
        {"params": [model.embedding.weight]},
        {"params": model.output.parameters(), "lr": 0.5},
    ]
    optimizer = torch.optim.Adam(groups, lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
        train(model, optimizer, np.array([1, 2]), sampled)
        scheduler.step()
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([0.01, 0.05])
    assert optimizer.param_groups[1]["params"] == [model.output.weight, model.output.bias]
    fresh = torch.optim.Adam([{"params": [other.embedding.weight]}, {"params": other.output.parameters()}])
    fresh.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    other.load_state_dict(model.state_dict())
    train(other, fresh, np.arange(SIZE))
    train(model, optimizer, np.arange(SIZE))
    assert equal(state_of(model, optimizer), state_of(other, fresh))


def test_a_layer_that_is_frozen_stays_so() -> None:
    frozen = model_of()
    frozen.output.requires_grad_(False)
    others = OPTIMIZERS["adam"](frozen.embedding.parameters())
    with SampledOutput(frozen, frozen.output, [1, 2], others):
        assert not frozen.output.weight.requires_grad
        frozen(torch.tensor([1])).sum().backward()
        others.step()


def test_memory_that_another_module_uses_too_is_refused_with_the_alternative_told() -> None:
    """Also a part of it, and that of the bias."""
    shared, same_memory, shifted, shared_bias = (model_of() for _ in range(4))
    shared.output.weight = shared.embedding.weight
    same_memory.output.weight.data = same_memory.embedding.weight.data
    shifted.embedding = nn.Embedding(SIZE + 5, WIDTH)
    shifted.output.weight = nn.Parameter(shifted.embedding.weight.data[5:])
    shared_bias.other = nn.Linear(WIDTH, SIZE)  # type: ignore[assignment]
    shared_bias.output.bias = shared_bias.other.bias
    message = "must have a weight of its own. Got the one of 'embedding.weight' instead. Untie them"
    of_bias = "must have a bias of its own. Got the one of 'other.bias' instead. Untie"
    for model, told in ((shared, message), (same_memory, message), (shifted, message), (shared_bias, of_bias)):
        with pytest.raises(ValueError, match=told):
            SampledOutput(model, model.output, [1, 2]).__enter__()


def test_other_layers_and_optimizers_are_refused() -> None:
    model, other = model_of(), model_of()
    with pytest.raises(TypeError, match="must be a torch.nn.Linear of the model. Got a value of class 'Embedding'"):
        SampledOutput(model, model.embedding, [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a torch.nn.Linear of the model. Got a value of class 'Linear'"):
        SampledOutput(model, other.output, [1])
    with pytest.raises(ValueError, match="must train each parameter of the layer once. Got its weight 0 times"):
        SampledOutput(model, model.output, [1], OPTIMIZERS["sgd"](other.parameters())).__enter__()
    model.output(torch.ones(1, WIDTH)).sum().backward()
    with pytest.raises(ValueError, match="must have no gradients left. Got some of its weight instead. Call optimizer"):
        SampledOutput(model, model.output, [1]).__enter__()
    assert model.output.out_features == SIZE
    for normalized in (nn.utils.spectral_norm, nn.utils.parametrizations.spectral_norm):
        computed = normalized(nn.Linear(2, 3))
        with pytest.raises(ValueError, match="must have a parameter as its weight. Got one that is computed from"):
            SampledOutput(computed, computed, [1])


def test_ids_that_occur_and_those_that_always_do() -> None:
    sequences = [[5, 17, 3], np.array([17, 99], dtype=np.int32), torch.tensor([2]), []]
    found = sampled_vocabulary(sequences, always=(0, 3))
    assert found.tolist() == [0, 2, 3, 5, 17, 99] and found.dtype == np.int64
    assert sampled_vocabulary(torch.tensor([[4, 1], [1, 0]])).tolist() == [0, 1, 4]
    assert sampled_vocabulary(iter([]), always=[1]).tolist() == [1]
    for wrong in (-100, 2**64 - 3):
        with pytest.raises(ValueError, match=f"'sequences' .* must hold ids from 0 to {2**53 - 1}. Got "):
            sampled_vocabulary([np.array([wrong])])
    with pytest.raises(TypeError, match="'always' parameter must hold ids."):
        sampled_vocabulary([], always=["a"])  # type: ignore[list-item]
