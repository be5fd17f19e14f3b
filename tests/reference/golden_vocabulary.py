"""Sampled vocabularies and their training in plain Python."""

from __future__ import annotations

import json
from math import exp, log, sqrt
from typing import Any, Callable

from tests.reference.golden_vectors import GOLDEN

# The layer, the samples of its ids and the steps of each, which all optimizers have.
TRAINING = json.loads((GOLDEN / "vocabulary.json").read_text(encoding="utf-8"))["training"]
State = list[float]  # two numbers that an optimizer keeps of a parameter; both begin at 0


def sgd(state: State, gradient: float, value: float, time: int, lr: float, momentum: float) -> float:
    state[0] = momentum * state[0] + gradient
    return value - lr * state[0]


def adam(state: State, gradient: float, value: float, time: int, lr: float, weight_decay: float) -> float:
    gradient += weight_decay * value
    state[0] += 0.1 * (gradient - state[0])
    state[1] = 0.999 * state[1] + 0.001 * gradient**2
    mean, square = state[0] / (1 - 0.9**time), state[1] / (1 - 0.999**time)
    return value - lr * mean / (sqrt(square) + 1e-8)


def adagrad(state: State, gradient: float, value: float, time: int, lr: float) -> float:
    state[0] += gradient**2
    return value - lr * gradient / (sqrt(state[0]) + 1e-10)


def rmsprop(state: State, gradient: float, value: float, time: int, lr: float, momentum: float) -> float:
    state[0] = 0.99 * state[0] + 0.01 * gradient**2
    state[1] = momentum * state[1] + gradient / (sqrt(state[0]) + 1e-8)
    return value - lr * state[1]


# Those whose steps are the same in torch for R and in PyTorch: AdamW, and SGD with momentum and weight decay, are not.
STEP: dict[str, Callable[..., float]] = {"sgd": sgd, "adam": adam, "adagrad": adagrad, "rmsprop": rmsprop}


def gradients(values: dict[int, list[float]], inputs: list[list[float]], targets: list[int]) -> tuple[float, Any]:
    """Return the mean loss of the inputs whose target is not 0, and its gradients by the values of each id."""
    rows = [([*row, 1.0], target) for row, target in zip(inputs, targets) if target != 0]
    loss, found = 0.0, {number: [0.0] * 3 for number in values}
    for row, target in rows:
        logits = {number: sum(x * w for x, w in zip(row, own)) for number, own in values.items()}
        total = sum(map(exp, logits.values()))
        loss += (log(total) - logits[target]) / len(rows)
        for number, logit in logits.items():
            error = (exp(logit) / total - (number == target)) / len(rows)
            found[number] = [sum_ + error * x for sum_, x in zip(found[number], row)]
    return loss, found


def trained(name: str, parameters: dict[str, float]) -> dict[str, Any]:
    """Train the rows of each sample's ids, with their state, and no others; return the losses and all parameters."""
    values = [[*weight, bias] for weight, bias in zip(TRAINING["weight"], TRAINING["bias"])]
    states = [[[0.0, 0.0] for _ in own] for own in values]
    losses: list[float] = []
    for ids in TRAINING["samples"]:
        for step in TRAINING["steps"]:
            loss, found = gradients({number: values[number] for number in sorted(ids)}, step["inputs"], step["targets"])
            losses.append(loss)
            for number, own in found.items():
                values[number] = [
                    STEP[name](state, gradient, value, len(losses), **parameters)
                    for state, gradient, value in zip(states[number], own, values[number])
                ]
    shown = [[float(f"{value:.12g}") for value in own] for own in [losses, *values]]
    return {"losses": shown[0], "weight": [own[:2] for own in shown[1:]], "bias": [own[2] for own in shown[1:]]}


def completed(case: dict[str, Any]) -> dict[str, Any]:
    """Return sequences or an optimizer with what plain Python gives for them; the training is as it is."""
    if "sequences" in case:
        return {**case, "expected": sorted({*sum(case["sequences"], []), *case["always"]})}
    return {**case, "expected": trained(case["name"], case["parameters"])} if "parameters" in case else case
