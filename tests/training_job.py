"""A training process that can be killed at any moment: each step is saved together with where the sampler stands.

Arguments: the checkpoint file, the number of workers, the kind of sampler. "Trains" three epochs and prints ``done``.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any, Callable

from torch.utils.data import DataLoader

from pystrat import StratifiedBatchSampler, WeightedBatchSampler

LABELS = [0, 1, 1, 1] * 240
EPOCHS = 3
KINDS: dict[str, Callable[[], Any]] = {
    "stratified": lambda: StratifiedBatchSampler(LABELS, 2, seed=1),
    "weighted": lambda: WeightedBatchSampler([1.0] * len(LABELS), 8, seed=1),
}

Save = Callable[[list[list[int]], dict[str, Any]], None]


def train(sampler: Any, workers: int, trained: list[list[int]], save: Save) -> None:
    """Go on until the epochs are over; each step is added to what was trained, and saved."""
    loader = DataLoader(range(len(LABELS)), batch_sampler=sampler, num_workers=workers)  # type: ignore[arg-type]
    while sampler.epoch < EPOCHS:
        for consumed, batch in enumerate(loader, start=1):
            rows = batch.tolist()
            trained.append(rows)
            if isinstance(sampler, WeightedBatchSampler):
                sampler.update(rows, [1 + row % 7 for row in rows])
            save(trained, sampler.state(sampler.epoch - 1, consumed))


def main() -> None:
    checkpoint, workers, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    sampler = KINDS[kind]()
    trained: list[list[int]] = []
    if checkpoint.exists():
        saved = pickle.loads(checkpoint.read_bytes())
        trained = saved["trained"]
        sampler.load_state_dict(saved["sampler"])

    def save(trained: list[list[int]], state: dict[str, Any]) -> None:
        time.sleep(0.004)
        aside = checkpoint.with_suffix(".new")
        aside.write_bytes(pickle.dumps({"trained": trained, "sampler": state}))
        os.replace(aside, checkpoint)

    train(sampler, workers, trained, save)
    print("done")


if __name__ == "__main__":
    main()
