"""The golden vectors of sampled vocabularies, in JSON that every language reads.

``python -m tests.reference.golden_vocabulary`` writes ``tests/golden/vocabulary.json`` afresh.
"""

from __future__ import annotations

import json
from typing import Any

import torch

from pystrat.corpus.vocabulary import SampledOutput, sampled_vocabulary
from tests.reference.golden_vectors import GOLDEN

ABOUT = (
    "'ids' are the sampled vocabularies of sequences. 'training' is a linear layer in double precision, given by its "
    "weight and bias, which is trained on two samples of its 6 ids, one after the other, with one optimizer; "
    "a step has inputs and targets, of which 0 is padding. Expected are the loss of each step, and the weight and bias "
    "at the end. Ids are counted from 0. Written by tests/reference/golden_vocabulary.py."
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
_CLASSES = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "adagrad": torch.optim.Adagrad,
    "rmsprop": torch.optim.RMSprop,
}


def trained(name: str) -> dict[str, Any]:
    """Train the layer with one optimizer; return the losses and the parameters."""
    layer = torch.nn.Linear(2, 6, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(WEIGHT, dtype=torch.float64))
        layer.bias.copy_(torch.tensor(BIAS, dtype=torch.float64))
    optimizer = _CLASSES[name](layer.parameters(), **OPTIMIZERS[name])  # type: ignore[arg-type]
    losses = []
    for ids in SAMPLES:
        with SampledOutput(layer, layer, ids, optimizer) as sampled:
            for step in STEPS:
                optimizer.zero_grad()
                logits = layer(torch.tensor(step["inputs"], dtype=torch.float64))
                targets = sampled.targets(torch.tensor(step["targets"]), ignore_index=0)
                loss = torch.nn.functional.cross_entropy(logits, targets)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
    return {"losses": losses, "weight": layer.weight.tolist(), "bias": layer.bias.tolist()}


def content() -> dict[str, Any]:
    """Return what the file holds."""
    return {
        "about": ABOUT,
        "ids": [
            {"sequences": sequences, "always": always, "expected": sampled_vocabulary(sequences, always).tolist()}
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
