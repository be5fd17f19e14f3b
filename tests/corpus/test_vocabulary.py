"""A sampled vocabulary: its ids, the same training as with the full one, and no change outside of it."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import warnings
from typing import Any, Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from pystrat.corpus.vocabulary import SampledOutput, sampled_vocabulary
from tests.reference.golden_vectors import GOLDEN

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


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_equal_to_the_full_softmax_when_every_id_is_in_the_sample(name: str, bias: bool) -> None:
    ids = np.random.default_rng(1).permutation(SIZE)
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


def test_with_the_whole_weight_in_the_optimiser_such_rows_move() -> None:
    """Why the context exchanges the optimizer's parameter: a mask on the gradient is not enough."""
    model = model_of()
    optimizer = OPTIMIZERS["adam"](model.parameters())
    train(model, optimizer, np.arange(SIZE))
    before = model.output.weight.detach().clone()
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()
    assert (model.output.weight - before).abs().max() > 0.01


def test_the_layer_computes_the_sampled_rows_and_targets_follow() -> None:
    model = model_of()
    inputs = torch.tensor([1, 2])
    full = model(inputs)
    with SampledOutput(model, model.output, [40, 3, 7]) as sampled:
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


@pytest.mark.parametrize("padding", [0, 3, 6])
def test_the_loss_ignores_padding_and_nothing_else(padding: int) -> None:
    """Also where the number of padding is the place of another id among the sampled ones."""
    model = model_of()
    ids = np.array([0, 1, 3, 5, 6, 7, 9, 11])
    targets = torch.tensor([padding, 1, 5, 7, padding, 9, 11])
    inputs = torch.arange(len(targets))
    full = nn.functional.log_softmax(model(inputs)[:, ids], dim=1).detach()
    expected = [0.0 if target == padding else -float(row[ids == target]) for target, row in zip(targets.tolist(), full)]
    with SampledOutput(model, model.output, ids) as sampled:
        wanted = sampled.targets(targets, ignore_index=padding)
        losses = nn.functional.cross_entropy(model(inputs), wanted, reduction="none")
        assert losses.tolist() == pytest.approx(expected)
        assert (losses > 0).tolist() == (targets != padding).tolist()
        without = sampled.targets(targets[targets != padding])
        assert wanted[targets != padding].tolist() == without.tolist()


def test_losses_under_it_are_biased_low() -> None:
    model, ids = model_of(), torch.arange(10)
    full = nn.functional.cross_entropy(model(ids), ids)
    with SampledOutput(model, model.output, ids) as sampled:
        assert nn.functional.cross_entropy(model(ids), sampled.targets(ids)) < full


def test_after_an_exception_everything_is_written_back() -> None:
    model = model_of()
    optimizer = OPTIMIZERS["adam"](model.parameters())
    weight = model.output.weight
    with pytest.raises(KeyError):
        with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
            train(model, optimizer, np.array([1, 2]), sampled)
            small = model.output.weight.detach().clone()
            raise KeyError
    assert model.output.weight is weight and torch.equal(weight[[1, 2]], small)
    assert optimizer.state[weight]["exp_avg"].shape == weight.shape
    assert optimizer.state_dict()["param_groups"][0]["params"] == [0, 1, 2]


class OutOfMemory(TorchDispatchMode):
    """Let the torch operations from the `first` to before the `last` one fail, but no writing into existing memory
    if `spares_writing`."""

    def __init__(self, first: int, last: int, spares_writing: bool = False) -> None:
        super().__init__()
        self._range, self._spares_writing = range(first, last), spares_writing
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        fails = self.count in self._range
        self.count += 1
        if fails and not (self._spares_writing and "index_copy_" in str(func)):
            raise MemoryError("injected")
        return func(*args, **(kwargs or {}))


def everything_of(model: Model, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """What `state_of` returns, the gradients, and which objects the layer and the optimizer have."""
    found = state_of(model, optimizer)
    for name, parameter in model.named_parameters():
        found[f"{name} gradient"] = torch.zeros(0) if parameter.grad is None else parameter.grad.clone()
    held = [*model.parameters(), *optimizer.param_groups[0]["params"]]
    held += [parameter for parameter in model.output.parameters() if parameter in optimizer.state]
    found["objects"] = torch.tensor([id(parameter) for parameter in held] + [model.output.out_features])
    return found


def exchanged_of(everything: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The part that the context exchanges: the embedding keeps what it has learned inside."""
    return {key: value for key, value in everything.items() if key.startswith(("output", "objects"))}


# Whether one operation fails, or all from one on: then only writing, which takes no memory, is possible.
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("trained_before", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_failure_at_any_operation_of_entering_leaves_all_as_it_was(
    name: str, trained_before: bool, lasting: bool
) -> None:
    model, optimizer = prepared(name, trained_before)
    before = everything_of(model, optimizer)
    failures = 0
    while True:
        injected = OutOfMemory(failures, 10**9 if lasting else failures + 1)
        context = SampledOutput(model, model.output, [1, 2, 30], optimizer)
        try:
            with injected:
                context.__enter__()
        except MemoryError:
            failures += 1
            assert equal(everything_of(model, optimizer), before), failures
        else:
            break
    context.__exit__(None, None, None)
    assert failures == injected.count > 5
    assert equal(everything_of(model, optimizer), before)


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("trained_before", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_failure_at_any_operation_of_leaving_leaves_all_as_it_was_before_the_context(
    name: str, trained_before: bool, lasting: bool
) -> None:
    failures = 0
    while True:
        model, optimizer = prepared(name, trained_before)
        before = everything_of(model, optimizer)
        context = SampledOutput(model, model.output, [1, 2, 30], optimizer).__enter__()
        train(model, optimizer, np.array([1, 2, 30]), context)
        injected = OutOfMemory(failures, 10**9 if lasting else failures + 1, spares_writing=True)
        try:
            with injected:
                context.__exit__(None, None, None)
        except MemoryError:
            failures += 1
        else:
            if lasting or failures >= injected.count:
                break
            failures += 1  # a writing, which was spared
            continue
        after = everything_of(model, optimizer)
        assert equal(exchanged_of(after), exchanged_of(before)), failures
    assert failures > 2
    assert not torch.equal(everything_of(model, optimizer)["output.weight"], before["output.weight"])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_failure_at_any_writing_undoes_those_before(name: str) -> None:
    for failing in range(1000):
        model, optimizer = prepared(name, trained_before=True)
        before = everything_of(model, optimizer)
        context = SampledOutput(model, model.output, [1, 2, 30], optimizer).__enter__()
        train(model, optimizer, np.array([1, 2, 30]), context)
        injected = OutOfMemory(failing, failing + 1)
        try:
            with injected:
                context.__exit__(None, None, None)
        except MemoryError:
            after = everything_of(model, optimizer)
            assert equal(exchanged_of(after), exchanged_of(before)), failing
        else:
            break
    assert failing == injected.count


def prepared(name: str, trained_before: bool) -> tuple[Model, torch.optim.Optimizer]:
    """A model and its optimizer as they are before an epoch, with or without state."""
    model = model_of()
    optimizer = OPTIMIZERS[name](model.parameters())
    if trained_before:
        train(model, optimizer, np.arange(SIZE))
        optimizer.zero_grad(set_to_none=False)
    return model, optimizer


def test_sparse_state_is_refused_when_the_context_is_entered_and_when_it_ends() -> None:
    model = model_of(bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    weight = model.output.weight
    optimizer.state[weight]["moment"] = torch.zeros(SIZE, WIDTH).to_sparse()
    message = "Got a sparse 'moment' for its weight instead"
    with pytest.raises(ValueError, match=message):
        SampledOutput(model, model.output, [1, 2], optimizer).__enter__()
    assert model.output.weight is weight and optimizer.state[weight]["moment"].is_sparse
    optimizer.state.clear()
    with pytest.raises(ValueError, match=message + ". The weights are written back; this state was dropped"):
        with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
            train(model, optimizer, np.array([1, 2]), sampled)
            small = model.output.weight
            optimizer.state[small]["moment"] = torch.zeros(small.shape).to_sparse()
    assert model.output.weight is weight and torch.equal(weight[[1, 2]], small)
    assert weight not in optimizer.state and small not in optimizer.state


def test_the_optimiser_keeps_its_groups_and_schedules() -> None:
    model = model_of()
    groups: list[dict[str, Any]] = [{"params": [model.embedding.weight]}, {"params": model.output.parameters()}]
    groups[1]["lr"] = 0.5
    optimizer = torch.optim.SGD(groups, lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
        train(model, optimizer, np.array([1, 2]), sampled)
        scheduler.step()
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([0.01, 0.05])
    assert optimizer.param_groups[1]["params"] == [model.output.weight, model.output.bias]


def test_a_state_of_the_optimiser_fits_one_without_the_context() -> None:
    model = model_of()
    optimizer = OPTIMIZERS["adam"](model.parameters())
    with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
        train(model, optimizer, np.array([1, 2]), sampled)
    other = model_of()
    fresh = OPTIMIZERS["adam"](other.parameters())
    fresh.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    other.load_state_dict(model.state_dict())
    train(other, fresh, np.arange(SIZE))
    train(model, optimizer, np.arange(SIZE))
    assert equal(state_of(model, optimizer), state_of(other, fresh))


def test_a_frozen_layer_needs_no_optimiser() -> None:
    model = model_of()
    model.output.requires_grad_(False)
    optimizer = OPTIMIZERS["adam"](model.embedding.parameters())
    with SampledOutput(model, model.output, [1, 2], optimizer):
        assert not model.output.weight.requires_grad
        model(torch.tensor([1])).sum().backward()
        optimizer.step()


def test_an_optimiser_that_is_not_given_does_not_train_the_layer() -> None:
    model = model_of()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    before = state_of(model, optimizer)
    with SampledOutput(model, model.output, [1, 2]) as sampled:
        train(model, optimizer, np.array([1, 2]), sampled)
    after = state_of(model, optimizer)
    assert all(torch.equal(after[name], before[name]) for name in ("output.weight", "output.bias"))
    assert not torch.equal(after["embedding.weight"], before["embedding.weight"])


# What is refused ------------------------------------------------------------------------------------------------------


def test_tied_weights_are_refused_with_the_alternative_told() -> None:
    message = "must have a weight of its own. Got the one of 'embedding.weight' instead. Untie them"
    shared, same_memory = model_of(), model_of()
    shared.output.weight = shared.embedding.weight
    same_memory.output.weight.data = same_memory.embedding.weight.data
    for model in (shared, same_memory):
        with pytest.raises(ValueError, match=message):
            with SampledOutput(model, model.output, [1, 2]):
                raise AssertionError("not reached")


def test_memory_that_another_module_uses_too_is_refused() -> None:
    """Also a part of it, and that of the bias; parts of one storage that do not meet are no tie."""
    shifted, shared_bias, flat = model_of(), model_of(), model_of()
    shifted.embedding = nn.Embedding(SIZE + 5, WIDTH)
    shifted.output.weight = nn.Parameter(shifted.embedding.weight.data[5:])
    shared_bias.other = nn.Linear(WIDTH, SIZE)  # type: ignore[assignment]
    shared_bias.output.bias = shared_bias.other.bias
    storage = torch.zeros(2 * SIZE, WIDTH)
    flat.embedding.weight.data, flat.output.weight.data = storage[:SIZE], storage[SIZE:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="have a weight of its own. Got the one of 'embedding.weight' instead."):
            SampledOutput(shifted, shifted.output, [1, 2]).__enter__()
        with pytest.raises(ValueError, match="must have a bias of its own. Got the one of 'other.bias' instead. Untie"):
            SampledOutput(shared_bias, shared_bias.output, [1, 2]).__enter__()
        with SampledOutput(flat, flat.output, [1, 2]):
            assert flat.output.out_features == 2


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, SIZE], "must hold ids from 0 to 49. Got 50 instead."),
        ([1, -1], "'ids' parameter must be a non-negative integer. Got -1"),
        ([1, 2, 1], "must hold each id once. Got 1 twice instead."),
        ([], "must have at least one id. Got none"),
        ([0.5], "must hold integers. Got float64 values"),
    ],
)
def test_other_ids_are_refused(ids: Any, message: str) -> None:
    model = model_of()
    with pytest.raises((TypeError, ValueError), match=message):
        SampledOutput(model, model.output, ids)


def test_other_layers_and_optimisers_are_refused() -> None:
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


def test_optimisers_whose_state_cannot_be_cut_to_rows_are_refused() -> None:
    model = model_of()
    text = "'optimizer' parameter must keep numbers, or tensors of the parameter's shape that begin at 0"
    for strange in (torch.optim.LBFGS, torch.optim.Rprop):
        with pytest.raises(ValueError, match=f"{text}, for each parameter. Got {strange.__name__} instead"):
            SampledOutput(model, model.output, [1], strange(model.parameters())).__enter__()
    factored = torch.optim.SGD(model.parameters(), lr=0.1)
    factored.state[model.output.weight]["rows"] = torch.zeros(SIZE)
    with pytest.raises(ValueError, match=rf"Got 'rows' of shape \({SIZE},\) for its weight instead"):
        SampledOutput(model, model.output, [1], factored).__enter__()
    assert model.output.weight.shape == (SIZE, WIDTH)


class FactoredMoments(torch.optim.Optimizer):
    """Second moments as a row and a column, as Adafactor has them, which are made in the first step."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for parameter in self.param_groups[0]["params"]:
            squares, state = parameter.grad.square(), self.state[parameter]
            for key, dimension in (("columns", 0), ("rows", -1)):
                state[key] = state.get(key, 0) + squares.mean(dim=dimension, keepdim=True)
            parameter -= 0.1 * parameter.grad / (state["columns"] * state["rows"] + 1e-8).sqrt()


def test_factored_moments_made_inside_the_context_are_refused_at_its_end() -> None:
    """The weights are written back, and a step with the full vocabulary is possible after it."""
    model = model_of(bias=False)
    optimizer = FactoredMoments(model.parameters())
    before = model.output.weight.detach().clone()
    message = r"Got 'columns' of shape \(1, 8\) for its weight instead. The weights are written back; this state was"
    with pytest.raises(ValueError, match=message):
        with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
            train(model, optimizer, np.array([1, 2]), sampled)
            small = model.output.weight.detach().clone()
    assert model.output.weight.shape == (SIZE, WIDTH) and model.output.out_features == SIZE
    assert torch.equal(model.output.weight[[1, 2]], small) and not torch.equal(small, before[[1, 2]])
    assert model.output.weight not in optimizer.state
    train(model, optimizer, np.arange(SIZE))
    optimizer.state.clear()
    optimizer.zero_grad(set_to_none=True)
    with pytest.raises(KeyError, match="of the user"):
        with SampledOutput(model, model.output, [1, 2], optimizer) as sampled:
            train(model, optimizer, np.array([1, 2]), sampled)
            raise KeyError("of the user")
    assert model.output.weight not in optimizer.state


def test_entered_twice() -> None:
    model = model_of()
    with SampledOutput(model, model.output, [1, 2]) as sampled:
        with pytest.raises(RuntimeError, match="already been entered"):
            sampled.__enter__()
    with sampled:
        assert model.output.out_features == 2, "one after the other is fine"


# The ids --------------------------------------------------------------------------------------------------------------


def test_ids_that_occur_and_those_that_always_do() -> None:
    sequences = [[5, 17, 3], np.array([17, 99], dtype=np.int32), torch.tensor([2]), []]
    found = sampled_vocabulary(sequences, always=(0, 3))
    assert found.tolist() == [0, 2, 3, 5, 17, 99] and found.dtype == np.int64
    assert sampled_vocabulary(torch.tensor([[4, 1], [1, 0]])).tolist() == [0, 1, 4]
    assert sampled_vocabulary(iter([]), always=[1]).tolist() == [1]
    with pytest.raises(ValueError, match="'sequences' .* must be a non-negative integer. Got -100 instead."):
        sampled_vocabulary([[4, -100]])
    for large in (2**53, 2**64 - 3):
        with pytest.raises(ValueError, match="'sequences' .* must hold ids below 2\\^53. Got"):
            sampled_vocabulary([np.array([7, large], dtype=np.uint64)])
        with pytest.raises(ValueError, match="'ids' parameter must hold ids below 2\\^53. Got"):
            layer = torch.nn.Linear(2, 10)
            SampledOutput(layer, layer, np.array([7, large], dtype=np.uint64))
    with pytest.raises(TypeError, match="'always' parameter must hold integers."):
        sampled_vocabulary([], always=["a"])  # type: ignore[list-item]


GOLDEN_VECTORS = json.loads((GOLDEN / "vocabulary.json").read_text(encoding="utf-8"))


def test_golden_ids() -> None:
    for case in GOLDEN_VECTORS["ids"]:
        assert sampled_vocabulary(case["sequences"], case["always"]).tolist() == case["expected"]


@pytest.mark.parametrize("case", GOLDEN_VECTORS["optimizers"], ids=lambda case: case["name"])
def test_golden_training(case: dict[str, Any]) -> None:
    """Sums of floating-point numbers may differ in their last digits between processors; R reads the same file."""
    given, expected = GOLDEN_VECTORS["training"], case["expected"]
    layer = nn.Linear(2, 6, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(given["weight"], dtype=torch.float64))
        layer.bias.copy_(torch.tensor(given["bias"], dtype=torch.float64))
    makers = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    makers.update(adagrad=torch.optim.Adagrad, rmsprop=torch.optim.RMSprop)
    optimizer = makers[case["name"]](layer.parameters(), **case["parameters"])
    losses = []
    for ids in given["samples"]:
        with SampledOutput(layer, layer, ids, optimizer) as sampled:
            for step in given["steps"]:
                optimizer.zero_grad()
                targets = sampled.targets(torch.tensor(step["targets"]), ignore_index=0)
                loss = nn.functional.cross_entropy(layer(torch.tensor(step["inputs"], dtype=torch.float64)), targets)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
    np.testing.assert_allclose(losses, expected["losses"], rtol=1e-10)
    np.testing.assert_allclose(layer.weight.detach(), expected["weight"], rtol=1e-10)
    np.testing.assert_allclose(layer.bias.detach(), expected["bias"], rtol=1e-10)


def test_torch_is_imported_by_this_module_alone() -> None:
    code = "import sys, pystrat, pystrat.corpus; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
