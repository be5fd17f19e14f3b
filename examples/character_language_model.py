"""Does perplexity sampling help? Compare character language models, trained on the same number of pieces.

The text is the licenses in /usr/share/common-licenses, cut into pieces of 48 characters. A recurrent network learns to
predict each character from the characters before it in the piece. All methods see the same number of pieces in the same
number of steps. Every tenth piece is held out. The results, one line per method and seed, are written to the CSV file
beside this script; docs/corpus.md discusses them.

    python examples/character_language_model.py
"""

from __future__ import annotations

import csv
import math
from functools import partial
from pathlib import Path
from typing import Any, Callable, Union

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pystrat import EpochSubsetBatchSampler, PerplexityBatchSampler

FOLDER = Path("/usr/share/common-licenses")
RESULTS = Path(__file__).with_suffix(".csv")
LENGTH, WIDTH, BATCH_SIZE = 48, 64, 32
EPOCHS, SHARE = 24, 8  # an epoch visits an eighth of the pieces
SEEDS = (1, 2, 3)
Sampler = Union[EpochSubsetBatchSampler, PerplexityBatchSampler]


def by_perplexity(n_rows: int, sample: int, batch_size: int, **parameters: Any) -> PerplexityBatchSampler:
    return PerplexityBatchSampler(n_rows, batch_size, n_batches=max(1, sample // batch_size), **parameters)


METHODS: dict[str, Callable[..., Sampler]] = {
    "uniform": EpochSubsetBatchSampler,
    "uniform without replacement": partial(EpochSubsetBatchSampler, method="uniform_without_replacement"),
    "perplexity, no ceiling": by_perplexity,
    "perplexity, ceiling at mode + 1.5 spreads": partial(by_perplexity, maximum=-1.5),
}


class CharacterModel(nn.Module):
    """Predict the logits of each character from the characters before it."""

    def __init__(self, n_characters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_characters, WIDTH)
        self.recurrent = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.output = nn.Linear(WIDTH, n_characters)

    def forward(self, characters: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.output(self.recurrent(self.embedding(characters))[0])
        return logits

    def losses(self, pieces: torch.Tensor) -> torch.Tensor:
        """Return the mean negative log-likelihood per character of each piece."""
        logits = self(pieces[:, :-1])
        return nn.functional.cross_entropy(logits.transpose(1, 2), pieces[:, 1:], reduction="none").mean(dim=1)


def read_pieces() -> tuple[torch.Tensor, int]:
    """Return the pieces as numbers of characters, and the number of different characters."""
    files = sorted(path for path in FOLDER.iterdir() if path.is_file() and not path.is_symlink())
    text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    known, numbers = np.unique(list(text), return_inverse=True)
    whole = len(text) // LENGTH * LENGTH
    return torch.as_tensor(numbers[:whole].reshape(-1, LENGTH)), len(known)


def train(method: Callable[..., Sampler], seed: int, pieces: torch.Tensor, n_characters: int) -> dict[str, Any]:
    """Train one model and return its results on the held-out pieces."""
    held_out = torch.arange(len(pieces)) % 10 == 9
    training = pieces[~held_out]
    torch.manual_seed(seed)
    model = CharacterModel(n_characters)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    sampler = method(len(training), len(training) // SHARE, BATCH_SIZE, seed=seed)
    dataset = TensorDataset(torch.arange(len(training)), training)
    loader = DataLoader(dataset, batch_sampler=sampler)
    seen = torch.zeros(len(training), dtype=torch.bool)
    started = None
    for epoch in range(EPOCHS):
        for rows, batch in loader:
            losses = model.losses(batch)
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            seen[rows] = True
            if isinstance(sampler, PerplexityBatchSampler):
                sampler.report(rows, losses)
        if started is None and isinstance(sampler, PerplexityBatchSampler) and sampler.started:
            started = epoch
    with torch.no_grad():
        losses = model.losses(pieces[held_out]).double()
    worst = losses.sort().values[-len(losses) // 10 :]
    return {
        "training_pieces": len(training),
        "visits": EPOCHS * (len(training) // SHARE),
        "seen": f"{seen.double().mean():.4f}",
        "started_in_epoch": "" if started is None else started,
        "held_out_perplexity": f"{math.exp(losses.mean()):.4f}",
        "held_out_perplexity_of_worst_tenth": f"{math.exp(worst.mean()):.4f}",
    }


def main() -> None:
    pieces, n_characters = read_pieces()
    rows = []
    for seed in SEEDS:
        for name, method in METHODS.items():
            rows.append({"method": name, "seed": seed, **train(method, seed, pieces, n_characters)})
            print(rows[-1], flush=True)
            write_results(rows)


def write_results(rows: list[dict[str, Any]]) -> None:
    """Write the results so far; called after each model."""
    with open(RESULTS, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
