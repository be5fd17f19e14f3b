"""`seed_worker` of transformers, which Trainer calls in each worker, with the parameters of two versions."""

from __future__ import annotations

SEEDED: list[tuple[int, ...]] = []


def seed_worker(worker_id: int, num_workers: int, rank: int) -> None:
    SEEDED.append((worker_id, num_workers, rank))


def seed_worker_by_number(_: int) -> None:
    SEEDED.append((_,))
