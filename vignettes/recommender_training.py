"""Train the recommenders of the vignette recommender, and write what it shows into vignettes/recommender_results/.

    OMP_NUM_THREADS=1 .venv/bin/python vignettes/recommender_training.py

takes some minutes on one core. Every random choice follows from the seeds below, so that running it again on the same
machine gives the same numbers; on another processor or version of torch they differ in the last digits. So the vignette
reads the files and does not train.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader
from tqdm import tqdm

from pystrat import NegativePairBatchSampler, PairDataset

TUNING_SEEDS = (101, 102)
SEEDS = tuple(range(1, 9))
N_USERS, N_ITEMS = 600, 400
TRUE_FACTORS, FACTORS = 4, 8
OBSERVED = {"sparse": 8, "dense": 120}  # training positives of each user
BATCH_SIZE = {"sparse": 256, "dense": 2048}
EPOCHS = {"sparse": 20, "dense": 10}
LEARNING_RATES = (0.003, 0.01, 0.03)
NEGATIVES = 4  # for each positive
TOP = 10
SAMPLERS: dict[str, dict[str, Any]] = {
    "uniform": {},
    "uniform, no rejection": {"reject_positives": False},
    "per user": {"method": "per_user"},
    "popularity": {"method": "popularity"},
}


@dataclass(frozen=True)
class Observations:
    """What was observed: each user's items for training, one item that was held out, and the truth behind them."""

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    held_out: NDArray[np.int64]
    affinity: NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """One way to train: how much was observed, and how negatives are drawn."""

    table: str
    sampler: str


def simulate(observed: int, seed: int) -> Observations:
    """Let each user meet items one after another.

    The probability of an item is proportional to exp(affinity). The affinity is a
    product of four factors of user and item, plus the popularity of the item. One of
    the items that a user met, at random, is held out.
    """
    random = np.random.default_rng(seed)
    users = random.normal(size=(N_USERS, TRUE_FACTORS))
    items = random.normal(size=(N_ITEMS, TRUE_FACTORS))
    affinity = users @ items.T / np.sqrt(TRUE_FACTORS) * 1.5
    affinity += random.normal(size=N_ITEMS)
    # Items in the order of affinity plus Gumbel noise are draws without replacement.
    noisy = affinity + random.gumbel(size=affinity.shape)
    met = np.argsort(-noisy, axis=1)[:, : observed + 1]
    met = random.permuted(met, axis=1)
    who = np.repeat(np.arange(N_USERS), observed)
    return Observations(who, met[:, 1:].reshape(-1), met[:, 0], affinity)


class Factorization(torch.nn.Module):
    """The logit of a pair: a product of factors of user and item, and a constant of the item."""

    def __init__(self) -> None:
        super().__init__()
        self.users = torch.nn.Embedding(N_USERS, FACTORS)
        self.items = torch.nn.Embedding(N_ITEMS, FACTORS)
        self.constants = torch.nn.Embedding(N_ITEMS, 1)
        for table in (self.users, self.items, self.constants):
            torch.nn.init.normal_(table.weight, std=0.1)

    def forward(self, users: torch.Tensor, items: torch.Tensor) -> torch.Tensor:
        return (self.users(users) * self.items(items)).sum(dim=1) + self.constants(items)[:, 0]

    @torch.no_grad()
    def scores(self) -> NDArray[np.float32]:
        """Return the logits of all pairs."""
        return (self.users.weight @ self.items.weight.T + self.constants.weight[:, 0]).numpy()


def make_loader(setting: Setting, observations: Observations, seed: int) -> DataLoader:
    sampler = NegativePairBatchSampler(
        observations.users,
        observations.items,
        ratio=Fraction(1, 1 + NEGATIVES),
        batch_size=BATCH_SIZE[setting.table],
        n_users=N_USERS,
        n_items=N_ITEMS,
        seed=seed,
        **SAMPLERS[setting.sampler],
    )
    return DataLoader(PairDataset(N_USERS, N_ITEMS), sampler=sampler, batch_size=None)


def train(setting: Setting, learning_rate: float, seed: int) -> list[dict[str, float]]:
    """Simulate observations, train on them, and evaluate after each epoch."""
    observations = simulate(OBSERVED[setting.table], seed)
    loader = make_loader(setting, observations, seed)
    torch.manual_seed(seed)
    model = Factorization()
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    loss_of = torch.nn.BCEWithLogitsLoss()
    history = []
    for epoch in range(1, EPOCHS[setting.table] + 1):
        for batch in loader:
            optimizer.zero_grad()
            logits = model(batch["user"], batch["item"])
            loss_of(logits, batch["label"]).backward()
            optimizer.step()
        reached = hit_rate(model.scores(), observations)
        history.append({"epoch": epoch, "hit_rate": reached})
    return history


def hit_rate(scores: NDArray[Any], observations: Observations) -> float:
    """Return for how many users the held-out item is among the ten best of those they have not met in training."""
    candidates = scores.astype(np.float64)
    candidates[observations.users, observations.items] = -np.inf
    held_out = candidates[np.arange(N_USERS), observations.held_out]
    return float(((candidates > held_out[:, None]).sum(axis=1) < TOP).mean())


def references(seeds: tuple[int, ...]) -> pd.DataFrame:
    """Evaluate the true affinity, which is what can be reached, and the items that are most often met."""
    rows = []
    for table, observed in OBSERVED.items():
        for seed in seeds:
            observations = simulate(observed, seed)
            counts = np.bincount(observations.items, minlength=N_ITEMS)
            popular = np.broadcast_to(counts, (N_USERS, N_ITEMS))
            for name, scores in (("true affinity", observations.affinity), ("most popular items", popular)):
                rows.append({"table": table, "scores": name, "seed": seed, "hit_rate": hit_rate(scores, observations)})
    return pd.DataFrame(rows)


def false_negatives(setting: Setting, seed: int) -> float:
    """Return the share of an epoch's negatives that are positives."""
    observations = simulate(OBSERVED[setting.table], seed)
    positives = np.unique(observations.users * N_ITEMS + observations.items)
    batches = list(make_loader(setting, observations, seed))
    users, items, labels = (torch.cat([batch[name] for batch in batches]) for name in ("user", "item", "label"))
    negatives = (users * N_ITEMS + items)[labels == 0].numpy()
    return float(np.isin(negatives, positives).mean())


def settings() -> list[Setting]:
    return [Setting(table, sampler) for table in OBSERVED for sampler in SAMPLERS]


def tune() -> pd.DataFrame:
    """Train with every learning rate, on observations of their own."""
    runs = [(setting, rate, seed) for setting in settings() for rate in LEARNING_RATES for seed in TUNING_SEEDS]
    rows = []
    for setting, rate, seed in tqdm(runs, desc="tuning", disable=None):
        last = train(setting, rate, seed)[-1]
        rows.append({**vars(setting), "learning_rate": rate, "seed": seed, "hit_rate": last["hit_rate"]})
    return pd.DataFrame(rows)


def chosen_rates(tuning: pd.DataFrame) -> dict[Setting, float]:
    """Choose for every setting the learning rate with the largest mean hit rate."""
    means = tuning.groupby(["table", "sampler", "learning_rate"])["hit_rate"].mean().unstack("learning_rate")
    return {setting: float(means.loc[(setting.table, setting.sampler)].idxmax()) for setting in settings()}


def main(arguments: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("vignettes/recommender_results"))
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)

    tuning = tune()
    rates = chosen_rates(tuning)
    rows = []
    runs = [(setting, seed) for setting in settings() for seed in SEEDS]
    for setting, seed in tqdm(runs, desc="training", disable=None):
        wrong = false_negatives(setting, seed)
        for epoch in train(setting, rates[setting], seed):
            rows.append(
                {**vars(setting), "learning_rate": rates[setting], "seed": seed, "false_negatives": wrong, **epoch}
            )
    tables = {"tuning": tuning, "runs": pd.DataFrame(rows), "references": references(SEEDS)}
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.4f")
    about = {
        "seeds": SEEDS,
        "tuning_seeds": TUNING_SEEDS,
        "users": N_USERS,
        "items": N_ITEMS,
        "observed": OBSERVED,
        "factors": FACTORS,
        "negatives": NEGATIVES,
        "top": TOP,
        "versions": {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()},
    }
    (folder / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
