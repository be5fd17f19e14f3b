"""Sampled vocabularies and their training in plain Python, and their golden vectors.

``python -m tests.reference.golden_vocabulary`` writes ``tests/golden/vocabulary.json`` afresh, without pystrat.
"""

from __future__ import annotations

import json
from math import exp, log, sqrt
from typing import Any, Callable

from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "'ids' are the sampled vocabularies of sequences. 'training' is a linear layer in double precision, given by its "
    "weight and bias, which is trained on two samples of its 6 ids, one after the other, with one optimizer; "
    "a step has inputs and targets, of which 0 is padding. Expected are the loss of each step, and the weight and bias "
    "at the end, to 12 digits. Ids are counted from 0. Written by tests/reference/golden_vocabulary.py."
)
SEQUENCES: list[tuple[list[list[int]], list[int]]] = [
    ([[5, 17, 3], [17, 99], []], [0, 3]),
    ([[4, 1], [1, 0]], []),
    ([], [7, 2, 7]),
    ([[2**31 - 2, 0, 12]], []),
]
WEIGHT = [[0.5, -0.25], [0.125, 1.0], [-0.75, 0.375], [0.0, 0.625], [1.5, -1.0], [-0.5, 0.25]]
BIAS = [0.1, -0.2, 0.3, 0.0, -0.4, 0.25]
STEPS: list[dict[str, Any]] = [
    {"inputs": [[1.0, 2.0], [-1.0, 0.5], [0.25, 0.75]], "targets": [3, 5, 0]},
    {"inputs": [[0.5, -2.0], [1.5, 1.0], [2.0, -0.25]], "targets": [5, 3, 1]},
]
SAMPLES = [[5, 1, 3], [0, 1, 3, 5]]
# Those whose steps are the same in torch for R and in PyTorch: AdamW, and SGD with momentum and weight decay, are not.
OPTIMIZERS: dict[str, dict[str, float]] = {
    "sgd": {"lr": 0.1, "momentum": 0.9},
    "adam": {"lr": 0.05, "weight_decay": 0.1},
    "adagrad": {"lr": 0.1},
    "rmsprop": {"lr": 0.01, "momentum": 0.5},
}
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


def trained(name: str) -> dict[str, Any]:
    """Train the rows of each sample's ids, with their state, and no others; return the losses and all parameters."""
    values = [[*weight, bias] for weight, bias in zip(WEIGHT, BIAS)]
    states = [[[0.0, 0.0] for _ in own] for own in values]
    losses: list[float] = []
    for ids in SAMPLES:
        for step in STEPS:
            loss, found = gradients({number: values[number] for number in sorted(ids)}, step["inputs"], step["targets"])
            losses.append(loss)
            for number, own in found.items():
                values[number] = [
                    STEP[name](state, gradient, value, len(losses), **OPTIMIZERS[name])
                    for state, gradient, value in zip(states[number], own, values[number])
                ]
    shown = [[float(f"{value:.12g}") for value in own] for own in [losses, *values]]
    return {"losses": shown[0], "weight": [own[:2] for own in shown[1:]], "bias": [own[2] for own in shown[1:]]}


def content() -> dict[str, Any]:
    """Return what the file holds."""
    return {
        "about": ABOUT,
        "ids": [
            {"sequences": sequences, "always": always, "expected": sorted({*sum(sequences, []), *always})}
            for sequences, always in SEQUENCES
        ],
        "training": {"weight": WEIGHT, "bias": BIAS, "samples": SAMPLES, "steps": STEPS},
        "optimizers": [
            {"name": name, "parameters": parameters, "expected": trained(name)}
            for name, parameters in OPTIMIZERS.items()
        ],
    }


def as_text() -> str:
    """Return the text of the file: one entry a line."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content().items()]
    return "{" + ",\n".join(lines) + "}\n"


if __name__ == "__main__":
    (GOLDEN / "vocabulary.json").write_text(as_text(), encoding="utf-8")
