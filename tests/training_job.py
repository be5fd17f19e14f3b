"""A training process that can be killed at any moment: each step is saved together with where the sampler stands.

Arguments: the checkpoint file, the number of workers. "Trains" three epochs and prints ``done``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from torch.utils.data import DataLoader

from pystrat import StratifiedBatchSampler

LABELS = [0, 1, 1, 1] * 240
EPOCHS = 3


def sampler_of() -> StratifiedBatchSampler:
    return StratifiedBatchSampler(LABELS, 2, seed=1)


def main() -> None:
    checkpoint, workers = Path(sys.argv[1]), int(sys.argv[2])
    sampler = sampler_of()
    trained: list[list[int]] = []
    if checkpoint.exists():
        saved = json.loads(checkpoint.read_text(encoding="utf-8"))
        trained = saved["trained"]
        sampler.load_state_dict(saved["sampler"])
    loader = DataLoader(range(len(LABELS)), batch_sampler=sampler, num_workers=workers)  # type: ignore[arg-type]
    while sampler.epoch < EPOCHS:
        for consumed, batch in enumerate(loader, start=1):
            trained.append(batch.tolist())
            time.sleep(0.004)
            state = sampler.state_dict(batches_consumed=consumed)
            aside = checkpoint.with_suffix(".new")
            aside.write_text(json.dumps({"trained": trained, "sampler": state}), encoding="utf-8")
            os.replace(aside, checkpoint)
    print("done")


if __name__ == "__main__":
    main()
